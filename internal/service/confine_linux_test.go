package service

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// confinedIn is set for a run of the test binary that is to confine itself: walls cannot be taken down again.
const confinedIn = "SHELFD_TEST_CONFINED_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(confinedIn); dir != "" {
		tryEverything(dir, os.Getenv(confinedIn+"_PORT"))
		return
	}
	os.Exit(m.Run())
}

// tryEverything confines this process and prints a line for each thing it tries then.
func tryEverything(dir, port string) {
	root, state, sockets := filepath.Join(dir, "root"), filepath.Join(dir, "state"), filepath.Join(dir, "sockets")
	missing, err := Confine(Walls{Write: []string{state}, Bind: []string{sockets}})
	fmt.Printf("confine: %v; missing: %q\n", err, missing)
	note := filepath.Join(root, "note.md")
	try("read a note", func() error { _, err := os.ReadFile(note); return err })
	try("write a note", func() error { return os.WriteFile(note, []byte("x"), 0o600) })
	try("truncate a note", func() error { return os.Truncate(note, 0) })
	try("make a note", func() error { return os.WriteFile(filepath.Join(root, "new.md"), nil, 0o600) })
	try("make a folder", func() error { return os.Mkdir(filepath.Join(root, "new"), 0o700) })
	try("remove a note", func() error { return os.Remove(note) })
	try("rename a note", func() error { return os.Rename(note, note+"2") })
	try("take a note away", func() error { return os.Rename(note, filepath.Join(state, "note.md")) })
	try("bind in a root", func() error { return listenOn(filepath.Join(root, "s")) })
	try("start a program", func() error { return exec.Command("/bin/true").Run() })
	try("connect", func() error {
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			c.Close()
		}
		return err
	})
	try("write state", func() error { return os.WriteFile(filepath.Join(state, "next"), []byte("x"), 0o600) })
	try("replace state", func() error { return os.Rename(filepath.Join(state, "next"), filepath.Join(state, "index")) })
	try("remove state", func() error { return os.Remove(filepath.Join(state, "index")) })
	try("bind a socket", func() error { return listenOn(filepath.Join(sockets, "s")) })
	// Every thread is behind the walls, those that were there before included.
	refused := make(chan bool)
	for range 32 {
		go func() {
			refused <- errors.Is(os.WriteFile(note, nil, 0o600), syscall.EACCES)
		}()
	}
	for range 32 {
		if !<-refused {
			fmt.Println("a thread escaped")
		}
	}
}

func try(what string, f func() error) {
	switch err := f(); {
	case err == nil:
		fmt.Println(what+":", "done")
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EXDEV):
		fmt.Println(what+":", "refused")
	default:
		fmt.Println(what+":", err)
	}
}

func listenOn(path string) error {
	l, err := net.Listen("unix", path)
	if err == nil {
		err = l.Close()
	}
	return err
}

func TestConfinedProcessCannotTouchAShelf(t *testing.T) {
	dir, err := os.MkdirTemp("", "walls")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, folder := range []string{"root", "state", "sockets"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	note := filepath.Join(dir, "root", "note.md")
	if err := os.WriteFile(note, []byte("# Note\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), confinedIn+"="+dir, confinedIn+"_PORT="+port)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	first, rest, _ := strings.Cut(string(out), "\n")
	if first != `confine: <nil>; missing: ""` {
		if strings.Contains(first, "this kernel") {
			t.Skip(first)
		}
		t.Fatal(first)
	}
	const want = `read a note: done
write a note: refused
truncate a note: refused
make a note: refused
make a folder: refused
remove a note: refused
rename a note: refused
take a note away: refused
bind in a root: refused
start a program: refused
connect: refused
write state: done
replace state: done
remove state: done
bind a socket: done
`
	if rest != want {
		t.Errorf("got\n%swant\n%s", rest, want)
	}
	if text, _ := os.ReadFile(note); string(text) != "# Note\n" {
		t.Errorf("the note is %q", text)
	}
}
