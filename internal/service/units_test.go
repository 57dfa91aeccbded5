package service

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// analyze runs systemd-analyze over copies of the units of kind, whose program is one that exists here.
func analyze(t *testing.T, kind string, arguments ...string) string {
	t.Helper()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("no systemd-analyze")
	}
	dir := t.TempDir()
	var units []string
	for _, name := range []string{"shelfd.service", "shelfd.socket"} {
		text, err := os.ReadFile(filepath.Join("../../systemd", kind, name))
		if err != nil {
			t.Fatal(err)
		}
		text = regexp.MustCompile(`(?m)^ExecStart=\S+`).ReplaceAll(text, []byte("ExecStart=/bin/sh"))
		unit := filepath.Join(dir, name)
		if err := os.WriteFile(unit, text, 0o644); err != nil {
			t.Fatal(err)
		}
		units = append(units, unit)
	}
	if arguments[0] == "security" {
		units = units[:1]
	}
	command := exec.Command("systemd-analyze", append(arguments, units...)...)
	command.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir(), "SYSTEMD_COLORS=0", "SYSTEMD_LOG_LEVEL=notice")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("systemd-analyze %v: %v\n%s", arguments, err, out)
	}
	return string(out)
}

func TestUnitsVerifyWithoutALine(t *testing.T) {
	for _, kind := range []string{"system", "user"} {
		if out := analyze(t, kind, "--"+kind, "--man=no", "verify"); out != "" {
			t.Errorf("%s: %s", kind, out)
		}
	}
}

// TestUnitsStayHardened: the bounds are what was reached with the rights that reading as the peer needs, and what a
// user's manager can give without hiding peers.
func TestUnitsStayHardened(t *testing.T) {
	for kind, limit := range map[string]float64{"system": 1.5, "user": 6.2} {
		out := analyze(t, kind, "security", "--offline=true", "--no-pager")
		found := regexp.MustCompile(`Overall exposure level for shelfd\.service: ([\d.]+)`).FindStringSubmatch(out)
		if found == nil {
			t.Fatalf("%s: no level in %s", kind, out)
		}
		if level, _ := strconv.ParseFloat(found[1], 64); level > limit {
			t.Errorf("%s: exposure %.1f, want at most %.1f\n%s", kind, level, limit, out)
		}
	}
}

func TestUnitsSayWhatTheProgramReliesOn(t *testing.T) {
	for _, kind := range []string{"system", "user"} {
		text, err := os.ReadFile(filepath.Join("../../systemd", kind, "shelfd.service"))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"Type=notify", "WatchdogSec=2min", "RestartPreventExitStatus=2 4", "ExecReload=/bin/kill -HUP $MAINPID", "Requires=shelfd.socket"} {
			if !strings.Contains(string(text), "\n"+line+"\n") {
				t.Errorf("%s: no line %s", kind, line)
			}
		}
		if strings.Contains(string(text), "\nPrivateUsers=") {
			t.Errorf("%s: PrivateUsers= hides the peers of the socket", kind)
		}
	}
}
