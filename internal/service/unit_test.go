package service

import (
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPathsOfAnyKindReachTheProgram asks systemd itself what it makes of a program in a folder with a hard name.
func TestPathsOfAnyKindReachTheProgram(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("no systemd-analyze")
	}
	dir := filepath.Join(t.TempDir(), `a b%h;$HOME`)
	program := filepath.Join(dir, "shelfd")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	files, err := Files(SystemdUser, Places{Config: t.TempDir(), Program: program, Arguments: []string{"--config", "/x y/100%.yaml"}})
	if err != nil {
		t.Fatal(err)
	}
	var units []string
	for _, f := range files {
		unit := filepath.Join(t.TempDir(), filepath.Base(f.Path))
		if err := os.WriteFile(unit, Signed(f), 0o644); err != nil {
			t.Fatal(err)
		}
		units = append(units, unit)
	}
	command := exec.Command("systemd-analyze", append([]string{"--user", "--man=no", "verify"}, units[0])...)
	command.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir(), "SYSTEMD_UNIT_PATH="+filepath.Dir(units[1])+":")
	if out, err := command.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestWhatCannotStandInAUnitIsRefused(t *testing.T) {
	for _, program := range []string{"/a\nExecStartPre=/bin/x", `/a"b/shelfd`, `/a\b/shelfd`, `/a'b/shelfd`} {
		if _, err := Files(SystemdUser, Places{Program: program}); err == nil {
			t.Errorf("%q was taken", program)
		}
	}
}

func TestPlistStaysXMLWhateverThePaths(t *testing.T) {
	files, err := Files(Launchd, Places{Home: "/Users/x", Program: "/a & b/<shelfd>", Socket: "/tmp/&/s", State: "/st&te"})
	if err != nil {
		t.Fatal(err)
	}
	decoder := xml.NewDecoder(strings.NewReader(string(Signed(files[0]))))
	var text strings.Builder
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if words, ok := token.(xml.CharData); ok {
			text.Write(words)
		}
	}
	for _, want := range []string{"/a & b/<shelfd>", "/tmp/&/s", "/st&te/shelfd.log", Label} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestSignatureVouchesForTheWholeFile(t *testing.T) {
	files, err := Files(SystemdSystem, Places{Program: "/usr/bin/shelfd"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		content := Signed(f)
		if !signed(content) {
			t.Errorf("%s: not signed", f.Path)
		}
		if signed(append(content, '\n')) {
			t.Errorf("%s: an added line passes", f.Path)
		}
	}
}
