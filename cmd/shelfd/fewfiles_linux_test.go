package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestFewOpenFiles: a daemon that may have 64 files open indexes hundreds in as many folders while clients hold what is
// theirs. When it may open none any more it says so, keeps what it knows, and goes on by itself once it may.
func TestFewOpenFiles(t *testing.T) {
	h := newHouse(t, buildProgram(t))
	const many = 300
	for n := range many {
		h.write(fmt.Sprintf("f%d/g%d/n.md", n, n), fmt.Sprintf("# Note %d\n\nThe pump turns.\n", n))
	}
	c := h.command()
	c.Path, c.Args = "/bin/sh", []string{"sh", "-c", `ulimit -n 64 && exec "$0" serve "$1"`, h.program, h.root}
	h.launch(c)
	var agents []*agent
	for range connections(64, 1) - 2 { // one is left for commands, one for what ends slowly
		a := h.connect()
		a.open()
		agents = append(agents, a)
	}
	h.must("sync")
	h.must("check")
	a := agents[0]
	browse := func() string { return a.tells("browse_documents", `{}`) }
	if text := browse(); !strings.Contains(text, fmt.Sprintf(`"documents":%d`, many+1)) || !strings.Contains(text, `"state":"watching"`) {
		t.Fatalf("not all is indexed: %s", text)
	}

	limit := unix.Rlimit{Cur: 3, Max: 64}
	if err := unix.Prlimit(c.Process.Pid, unix.RLIMIT_NOFILE, &limit, nil); err != nil {
		t.Skip("limits of others cannot be set here: ", err)
	}
	h.write("f7/g7/n.md", "# Rewritten\n\nThe gasket holds.\n")
	h.write("new/n.md", "# Added\n\nThe gasket leaks.\n")
	a.until("the shortage is said", browse, "too many open files")
	if text := a.tells("search_documents", `{"query":"pump"}`); !strings.Contains(text, "turns") {
		t.Errorf("what is known is not found any more: %s", text)
	}
	limit.Cur = 64
	if err := unix.Prlimit(c.Process.Pid, unix.RLIMIT_NOFILE, &limit, nil); err != nil {
		t.Fatal(err)
	}
	search := func() string { return a.tells("search_documents", `{"query":"gasket"}`) }
	a.until("the edit is found", search, "The gasket holds")
	a.until("the new file is found", search, "The gasket leaks")
	a.until("all is well", browse, `"state":"watching"`)
	h.must("check")
}

// tells is the text of a tool's answer.
func (a *agent) tells(tool, arguments string) string {
	a.t.Helper()
	answer, _ := a.ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
	return strings.ReplaceAll(string(answer.Result), `\"`, `"`)
}

// until asks until the answer holds a text.
func (a *agent) until(what string, ask func() string, text string) {
	a.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	said := ""
	for late := time.After(2 * guard); ; <-tick.C {
		if said = ask(); strings.Contains(said, text) {
			return
		}
		select {
		case <-late:
			a.t.Fatalf("waited in vain: %s; last: %s", what, said)
		default:
		}
	}
}
