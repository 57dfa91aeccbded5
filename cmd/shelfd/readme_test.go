package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

var update = flag.Bool("update", false, "write what was seen into README.md and docs/outlines.md")

// TestReadmeTour types the commands of README.md's console blocks into one shell after the other and compares what
// they print. What differs from run to run (times, pids, places, sizes) is left out of the comparison.
func TestReadmeTour(t *testing.T) { newTour(t).retell("README.md") }

// retell runs the console blocks of a page, whose path is relative to the top of the tree.
func (tr *tour) retell(page string) {
	t := tr.t
	t.Helper()
	path := filepath.Join("..", "..", page)
	told, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seen := consoleBlock.ReplaceAllStringFunc(string(told), func(block string) string {
		var b strings.Builder
		b.WriteString("```console\n")
		for line := range strings.Lines(block) {
			if command, is := strings.CutPrefix(line, "$ "); is {
				b.WriteString(line)
				b.WriteString(tr.run(strings.TrimSpace(command)))
			}
		}
		b.WriteString("```")
		return b.String()
	})
	if *update {
		if err := os.WriteFile(path, []byte(seen), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, want := normalised(seen), normalised(string(told)); got != want {
		t.Errorf("%s shows something else than the program prints; run with -update and look at the change\n%s", page, firstDifference(got, want))
	}
}

// consoleBlock is a fenced block of commands and what they print.
var consoleBlock = regexp.MustCompile("(?s)```console\n.*?```")

// changing is what no two runs print alike. The rows of sync tell what it found itself: the watcher may have been first.
var changing = regexp.MustCompile(`(?m)^(plant +2[56]) .*|\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?|\d\d:\d\d:\d\d|pid \d+|\d+ (?:B|KiB|MiB)\b|~/\S*| {2,}`)

func normalised(s string) string { return changing.ReplaceAllString(s, "$1…") }

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "printed  " + g[i] + "\nthe page " + w[i]
		}
	}
	return "one is longer than the other"
}

// tour is a home of its own in which the commands run.
type tour struct {
	t    *testing.T
	home string
	env  []string
}

func newTour(t *testing.T) *tour {
	t.Helper()
	home, err := os.MkdirTemp("", "tour") // Short: the socket's path must fit.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Under the name of shelfd the test binary is the program: see TestMain.
	bin := filepath.Join(home, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "shelfd")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(home, "testdata", "library"), os.DirFS("../../testdata/library")); err != nil {
		t.Fatal(err)
	}
	tr := &tour{t: t, home: home, env: []string{
		"HOME=" + home, "PATH=" + bin + ":" + os.Getenv("PATH"), "SHELFD_SOCKET=" + filepath.Join(home, "s"),
	}}
	t.Cleanup(tr.end)
	return tr
}

// run types one command. One in the background leaves its pid. The output goes to a file: a pipe would be waited for
// as long as the daemon holds its other end.
func (tr *tour) run(command string) string {
	tr.t.Helper()
	if strings.HasSuffix(command, "&") {
		command += " echo $! > pid"
	}
	out, err := os.Create(filepath.Join(tr.home, "out"))
	if err != nil {
		tr.t.Fatal(err)
	}
	defer out.Close()
	shell := exec.Command("sh", "-c", command)
	shell.Dir, shell.Env = tr.home, tr.env
	shell.Stdout, shell.Stderr = out, out
	if err := shell.Run(); err != nil {
		tr.t.Errorf("%s: %v", command, err)
	}
	printed, err := os.ReadFile(out.Name())
	if err != nil {
		tr.t.Fatal(err)
	}
	return strings.ReplaceAll(string(printed), tr.home, "~")
}

// end stops the daemon and waits until it is gone.
func (tr *tour) end() {
	written, err := os.ReadFile(filepath.Join(tr.home, "pid"))
	if err != nil {
		tr.t.Error(err)
		return
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(written)))
	if err != nil {
		tr.t.Error(err)
		return
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		tr.t.Error(err)
	}
	// It is no child of ours; its lock tells when it has ended.
	lock, err := os.Open(filepath.Join(tr.home, ".local", "state", "shelfd", "index.db.lock"))
	if err != nil {
		tr.t.Error(err)
		return
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		tr.t.Error(err)
	}
}
