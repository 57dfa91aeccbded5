package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"shelfd/internal/text"
)

// mayImport is the table of the house: what each package may import of the others. internal/shelftest may use all and
// is used by tests only, which the go command's lists leave out.
func mayImport() map[string][]string {
	return map[string][]string{
		"internal/text":     {},
		"internal/config":   {"internal/text"},
		"internal/bridge":   {},
		"internal/client":   {},
		"internal/access":   {"store"},
		"internal/vector":   {},
		"internal/embed":    {},
		"internal/latent":   {"internal/text"},
		"watcher":           {},
		"chunker":           {"internal/text"},
		"correlate":         {"internal/text"},
		"store":             {"chunker", "correlate", "internal/text", "internal/vector"},
		"indexer":           {"watcher", "chunker", "correlate", "store", "internal/text"},
		"internal/service":  {"systemd"},
		"internal/doctor":   {"internal/config", "watcher"},
		"internal/metrics":  {},
		"internal/mapview":  {"store"},
		"systemd":           {},
		"mcp":               {"store", "indexer", "chunker", "internal/text"},
		"internal/semantic": {"store", "internal/embed", "internal/latent", "internal/vector"},
	}
}

func TestHouseImports(t *testing.T) {
	table := mayImport()
	pure := []string{"internal/text", "chunker", "correlate"}
	for _, line := range goList(t, "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "shelfd/...") {
		words := strings.Fields(line)
		name := strings.TrimPrefix(words[0], "shelfd/")
		allowed, ruled := table[name]
		switch {
		case name == "cmd/shelfd", name == "bench", name == "internal/shelftest":
			continue
		case !ruled:
			t.Errorf("package %s has no row in the table; it needs a reason in docs/decisions.md", name)
		}
		for _, imported := range words[1:] {
			other, ours := strings.CutPrefix(imported, "shelfd/")
			if ours && !slices.Contains(allowed, other) {
				t.Errorf("%s may not import %s", name, other)
			}
			if imported == "os" && slices.Contains(pure, name) {
				t.Errorf("%s is pure and imports os", name)
			}
		}
	}
}

// TestHouseNamesStayInTheHouse: no package's name reaches a person with an error, unless it means something to him.
func TestHouseNamesStayInTheHouse(t *testing.T) {
	words := []string{"config", "doctor", "metrics", "service", "systemd", "text"}
	for name := range mayImport() {
		name = filepath.Base(name)
		if shown := text.Plainly(name + ": read: gone"); shown != "read: gone" && !slices.Contains(words, name) {
			t.Errorf("%q", shown)
		}
	}
}

// TestHouseDependencies looks at all that a package draws in, through whatever it imports.
func TestHouseDependencies(t *testing.T) {
	for name, forbidden := range map[string][]string{
		"internal/text":   {"go.uber.org/zap", "net"},
		"correlate":       {"go.uber.org/zap", "database/sql", "net"},
		"chunker":         {"go.uber.org/zap", "database/sql", "net"},
		"store":           {"go.uber.org/zap", "github.com/fsnotify/fsnotify", "github.com/mark3labs/mcp-go/server"},
		"watcher":         {"database/sql", "github.com/yuin/goldmark"},
		"internal/bridge": {"database/sql", "go.uber.org/zap"},
	} {
		for _, dependency := range goList(t, "-deps", "shelfd/"+name) {
			if slices.Contains(forbidden, dependency) {
				t.Errorf("%s draws in %s", name, dependency)
			}
		}
	}
}

// goList runs go list in the repository and returns its lines.
func goList(t *testing.T, arguments ...string) []string {
	t.Helper()
	command := exec.Command("go", append([]string{"list"}, arguments...)...)
	command.Dir = "../.."
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// eachFile calls f for each text file of the repository.
func eachFile(t *testing.T, f func(path, content string)) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == ".git" {
			return filepath.SkipDir
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		switch filepath.Ext(path) {
		case ".go", ".md", ".sql", ".yaml", ".yml", ".txtar", ".service", ".socket", ".plist", "":
		default:
			return nil
		}
		content, err := os.ReadFile(path)
		if err == nil && len(content) < 1<<20 && !bytes.ContainsRune(content, 0) {
			f(path, string(content))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestHouseNoSleep: tests wait for what they wait for, and code backs off with timers that a context can end.
func TestHouseNoSleep(t *testing.T) {
	sleep := regexp.MustCompile(`\btime\.` + `Sleep\(`)
	eachFile(t, func(path, content string) {
		if strings.HasSuffix(path, ".go") && sleep.MatchString(content) {
			t.Errorf("%s sleeps", path)
		}
	})
}

// TestHouseNoMachinePaths: nothing in the tree knows where it was written.
func TestHouseNoMachinePaths(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	places := []string{root + "/"}
	if above := filepath.Dir(root); !slices.Contains([]string{"/", "/tmp", "/home", "/root", "/src", "/var/tmp"}, above) {
		places = append(places, above+"/")
	}
	eachFile(t, func(path, content string) {
		for _, place := range places {
			if strings.Contains(content, place) {
				t.Errorf("%s names %s", path, place)
			}
		}
	})
}

// TestHouseFileSize keeps files to a size that can be read at once.
func TestHouseFileSize(t *testing.T) {
	const limit = 500
	eachFile(t, func(path, content string) {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && strings.Count(content, "\n") > limit {
			t.Errorf("%s has more than %d lines", path, limit)
		}
	})
}
