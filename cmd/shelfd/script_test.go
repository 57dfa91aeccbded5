package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be the program: scripts call it as shelfd.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"shelfd": func() { os.Exit(run()) }})
}

// TestScripts runs the program as a person would: see testdata. Each script has a home of its own, a copy of the test
// library in $WORK/library, and a short $SHELFD_SOCKET: the folders of tests are too deep for the address of a socket.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exitcode": exitCode},
		Setup: func(e *testscript.Env) error {
			socket, err := os.MkdirTemp("", "shelfd")
			if err != nil {
				return err
			}
			e.Defer(func() { os.RemoveAll(socket) })
			e.Setenv("SHELFD_SOCKET", filepath.Join(socket, "s"))
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("XDG_STATE_HOME", "")
			e.Setenv("XDG_CONFIG_HOME", "")
			return os.CopyFS(filepath.Join(e.WorkDir, "library"), os.DirFS("../../testdata/library"))
		},
	})
}

// exitCode runs a program and compares its exit code: exitcode 2 shelfd serve
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode CODE PROGRAM [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		got = ended.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("%s: exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}
