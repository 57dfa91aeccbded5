package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhatCannotBeMeasuredIsAnErrorOfUsage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file.md")
	if err := os.WriteFile(file, []byte("# File\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		arguments []string
		says      []string
	}{
		{[]string{"relevanse"}, []string{`"relevanse"`, "relevance, ablate", "--help"}},
		{[]string{file}, []string{"no such folder or verb"}},
		{[]string{"-files", "20000"}, []string{"no such folder or verb"}},
		{[]string{"idle", t.TempDir()}, []string{"idle takes no arguments"}},
		{[]string{"translations", "vue-docs"}, []string{"translations takes no arguments"}},
		{[]string{"changes", file}, []string{"no such folder", "file.md"}},
		{[]string{t.TempDir(), t.TempDir()}, []string{"one FOLDER at most"}},
		{[]string{"scale", "-files", "many"}, []string{"scale:", "many"}},
		{[]string{"scale", "-files", "12"}, []string{"at least 10000"}},
	} {
		err := run(t.Context(), c.arguments, io.Discard)
		var usage usageError
		if !errors.As(err, &usage) {
			t.Errorf("%q: %v, want an error of usage", c.arguments, err)
			continue
		}
		for _, part := range c.says {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %v does not say %q", c.arguments, err, part)
			}
		}
	}
}

func TestHelpNamesEveryVerb(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), []string{"--help"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, v := range verbs() {
		if !strings.Contains(out.String(), "./bench "+v.name) || !strings.Contains(out.String(), v.about) {
			t.Errorf("the usage leaves out %q:\n%s", v.name, out.String())
		}
	}
}
