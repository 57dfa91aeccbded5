package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// invite lets other users reach the program and its socket, which stand in private folders otherwise.
func (h *house) invite() {
	h.t.Helper()
	program := filepath.Join(h.home, "program")
	bytes, err := os.ReadFile(h.program)
	if err == nil {
		err = os.WriteFile(program, bytes, 0o755)
	}
	if err == nil {
		err = os.Mkdir(filepath.Dir(h.socket), 0o755)
	}
	for _, open := range []string{h.home, filepath.Dir(h.socket)} {
		if err == nil {
			err = os.Chmod(open, 0o755)
		}
	}
	if err != nil {
		h.t.Fatal(err)
	}
	h.program = program
}

// configure writes a configuration whose one shelf, notes, has these rules.
func (h *house) configure(rules string) {
	h.t.Helper()
	path := filepath.Join(h.home, "shelfd", "config.yaml")
	text := fmt.Sprintf("socket_mode: \"0666\"\nshelves:\n  - {name: notes, root: %q, %s}\n", h.root, rules)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		h.t.Fatal(err)
	}
}

// connectAs is a client that another user has started.
func (h *house) connectAs(uid uint32, groups ...uint32) *agent {
	h.t.Helper()
	return h.agent(func(c *exec.Cmd) {
		c.Dir, c.Env = "/", []string{"HOME=/", "SHELFD_SOCKET=" + h.socket}
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid, Groups: groups}}
	}, "connect")
}

// total is how many passages a search finds.
func (a *agent) total(query string) int {
	a.t.Helper()
	id := a.say("tools/call", fmt.Sprintf(`{"name":"search_documents","arguments":{"query":%q}}`, query))
	for {
		m := a.hear()
		if m.ID != id {
			continue
		}
		var r struct {
			Structured struct {
				Data struct {
					Total int `json:"total"`
				} `json:"data"`
			} `json:"structuredContent"`
		}
		if m.Error != nil {
			return -1
		}
		if err := json.Unmarshal(m.Result, &r); err != nil {
			a.t.Fatal(err)
		}
		return r.Structured.Data.Total
	}
}

// TestUsersOfOneDaemon: what the configuration says of users and groups holds for the processes that they start, and a
// change of it for those that run.
func TestUsersOfOneDaemon(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, which alone can start processes of other users")
	}
	h := newHouse(t, buildProgram(t))
	h.invite()
	h.write("people/daemon/mine.md", "# Mine\n\nThe valve of one.\n")
	h.write("people/bin/theirs.md", "# Theirs\n\nThe valve of another.\n")
	const personal = `scopes: [{path: people, kind: personal}]`
	h.configure(`access: {users: [daemon], groups: [mail]}, ` + personal)
	h.start()
	if out, err := h.command("sync").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	daemonUser, binUser := h.connectAs(1), h.connectAs(2, 8)
	for _, a := range []*agent{daemonUser, binUser} {
		if n := a.total("valve"); n != 2 {
			t.Errorf("a user finds %d documents, want the common one and the own", n)
		}
	}
	if n := h.connectAs(2).total("valve"); n != -1 {
		t.Errorf("a user whom no rule names is served: %d", n)
	}
	h.configure(`access: {users: [bin]}, ` + personal)
	deadline := time.Now().Add(20 * time.Second)
	for daemonUser.total("valve") != 0 {
		if time.Now().After(deadline) {
			t.Fatal("the configuration was changed and an open session goes on seeing")
		}
	}
	if n := binUser.total("valve"); n != 2 {
		t.Errorf("bin finds %d, want 2", n)
	}
}

// TestASocketForOthersInAFolderThatIsClosed says which folder keeps them out.
func TestASocketForOthersInAFolderThatIsClosed(t *testing.T) {
	h := newHouse(t, buildProgram(t))
	if err := os.Mkdir(filepath.Dir(h.socket), 0o700); err != nil {
		t.Fatal(err)
	}
	h.configure("access: {users: [daemon]}")
	out, err := h.command("serve").CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != exitUsage || !strings.Contains(string(out), "cannot enter "+fmt.Sprintf("%q", filepath.Dir(h.socket))) {
		t.Errorf("%v\n%s", err, out)
	}
}
