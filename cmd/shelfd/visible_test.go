package main

import (
	"bytes"
	"testing"
)

func TestWhatSteersATerminalDoesNotReachIt(t *testing.T) {
	for line, want := range map[string]string{
		"plain è 供热站\tend":                         "plain è 供热站\tend",
		"\x1b[36mL1\x1b[0m title":                  "\x1b[36mL1\x1b[0m title",
		"\x1b]0;pwned\ax":                          "]0;pwnedx",
		"\x1b[2J\x1b[Hx\r\b":                       "[2J[Hx",
		"a\u202edm.exe\u202c \u2066b\u2069 \u009b": "adm.exe b ",
	} {
		if got := visible(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	var out bytes.Buffer
	s := screen{out: &out}
	s.line("%s  %s", "a.md", "\x1b]0;pwned\a")
	s.table([][]string{{"b.md", "\x1b[2Jx"}})
	if want := "a.md  ]0;pwned\nb.md  [2Jx\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
