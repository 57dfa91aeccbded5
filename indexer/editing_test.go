package indexer_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"shelfd/internal/shelftest"
)

// editing changes a library at random with few names, so that paths, titles and links collide: a name is now a file,
// now a folder, now a link. What cannot be done is not done: only what the disk says afterwards counts.
type editing struct {
	*shelftest.Library
	rand *rand.Rand
	log  []string

	// single: no file gets a second name. A write through a name that is no document gives no event at the one that is.
	single bool
}

func (e *editing) note(what string) { e.log = append(e.log, what) }

// Names that come to one path (NFC and NFD, %XX and the byte itself), differ in case only, or look like a numbered one.
var editingNames = []string{
	"a.md", "b.md", "c.md", "A.md", "README.md", "index.md", "boiler-valves.md", "sub", "other", "Caf\u00e9.md", "Cafe\u0301.md",
	"Cafe\u0301~2.md", "Caf\u00e9~2.md", "odd\xff.md", "odd%FF.md", "\u9505\u7089.md", "\u9505\u7089", "notes.markdown", "plain.txt", "a",
}

var editingTitles = []string{"Boiler valves", "Pump care", "\u9505\u7089 \u68c0\u67e5", "a", "Readme", "Winter plan", "Caf\u00e9"}

var editingWords = strings.Fields("valve boiler pump winter pressure gasket torque the of and manual \u9505\u7089\u68c0\u67e5\u624b\u518c perch\u00e9 caldaia valvola C++ ISO-27001 foo_bar v1.2.3")

func (e *editing) pick(list []string) string { return list[e.rand.IntN(len(list))] }

// path is a doc_path in one of the shelves.
func (e *editing) path() string {
	parts := []string{e.pick([]string{"base", "base", "custom"})}
	for range 1 + e.rand.IntN(3) {
		parts = append(parts, e.pick(editingNames))
	}
	return strings.Join(parts, "/")
}

// existing is a path of the library's disk, a file or folder below a root; "" when there is none.
func (e *editing) existing() string {
	var paths []string
	for _, shelf := range []string{"base", "custom"} {
		_ = filepath.WalkDir(e.Path(shelf), func(p string, _ os.DirEntry, err error) error {
			if rel, _ := filepath.Rel(e.Folder, p); err == nil && rel != shelf && filepath.Base(p) != keep {
				paths = append(paths, rel)
			}
			return nil
		})
	}
	if len(paths) == 0 {
		return ""
	}
	return e.pick(paths)
}

// keep stands in every root, so that none is ever without any entry.
const keep = "keep.txt"

// text is a document, mostly with things in common with others.
func (e *editing) text() string {
	var b strings.Builder
	switch e.rand.IntN(8) {
	case 0:
		return e.pick([]string{"", "\n", "x", "\ufeff# Boiler valves\r\n\r\nvalve\r\n", "\xff\xfe broken \x80 bytes", "---\ntitle: [\n---\nbroken front matter\n"})
	case 1, 2:
		fmt.Fprintf(&b, "---\ntitle: %s\naliases: [%s, %s]\ntags: [heating, %s]\ndate: 2024-05-0%d\n---\n", e.pick(editingTitles), e.pick(editingTitles), e.pick(editingTitles), e.pick(editingWords), 1+e.rand.IntN(9))
	}
	for range e.rand.IntN(4) {
		fmt.Fprintf(&b, "%s %s\n\n", strings.Repeat("#", 1+e.rand.IntN(3)), e.pick(editingTitles))
		for range e.rand.IntN(4) {
			b.WriteString(e.sentence() + "\n\n")
		}
	}
	b.WriteString(e.sentence() + "\n")
	return b.String()
}

func (e *editing) sentence() string {
	words := make([]string, 0, 16)
	for range 1 + e.rand.IntN(12) {
		words = append(words, e.pick(editingWords))
	}
	switch e.rand.IntN(6) {
	case 0:
		words = append(words, fmt.Sprintf("[see](%s)", e.pick(editingNames)), fmt.Sprintf("and [there](../%s#x)", e.pick(editingNames)))
	case 1:
		words = append(words, fmt.Sprintf("[[%s|w]]", e.pick(editingTitles)), fmt.Sprintf("[[%s]] [[%s]]", strings.TrimSuffix(e.pick(editingNames), ".md"), e.pick(editingTitles)))
	case 2:
		words = append(words, "as", e.pick(editingTitles), "says")
	case 3:
		words = append(words, fmt.Sprintf("[abs](/sub/%s)", e.pick(editingNames)), fmt.Sprintf("![[%s]]", e.pick(editingNames)))
	}
	return strings.Join(words, " ")
}

// step makes one change.
func (e *editing) step() {
	p, q := e.path(), e.path()
	if have := e.existing(); have != "" && e.rand.IntN(4) > 0 {
		p = have
	}
	disk, other := e.Path(p), e.Path(q)
	what := ""
	switch e.rand.IntN(22) {
	case 0, 1, 2, 3:
		what = "write " + q
		_ = os.MkdirAll(filepath.Dir(other), 0o755)
		_ = os.WriteFile(other, []byte(e.text()), 0o644)
	case 4, 5:
		what = "edit " + p
		_ = os.WriteFile(disk, []byte(e.text()), 0o644)
	case 6:
		what = "append " + p
		if f, err := os.OpenFile(disk, os.O_APPEND|os.O_WRONLY, 0); err == nil {
			_, _ = f.WriteString("\n" + e.sentence() + "\n")
			_ = f.Close()
		}
	case 7:
		what = "save " + p
		next := filepath.Join(filepath.Dir(disk), ".next")
		if os.WriteFile(next, []byte(e.text()), 0o644) == nil && os.Rename(next, disk) != nil {
			_ = os.Remove(next)
		}
	case 8:
		what = "truncate, then write " + p
		if f, err := os.OpenFile(disk, os.O_TRUNC|os.O_WRONLY, 0); err == nil {
			_, _ = f.WriteString(e.text())
			_ = f.Close()
		}
	case 9, 10, 11, 12:
		what = "move " + p + " to " + q
		_ = os.MkdirAll(filepath.Dir(other), 0o755)
		_ = os.Rename(disk, other)
	case 13:
		what = "remove " + p
		_ = os.RemoveAll(disk)
	case 14:
		what = "copy " + p + " to " + q
		if b, err := os.ReadFile(disk); err == nil {
			_ = os.MkdirAll(filepath.Dir(other), 0o755)
			_ = os.WriteFile(other, b, 0o644)
		}
	case 15:
		what = "swap " + p + " and " + q
		third := e.Path("base/.third")
		if os.Rename(disk, third) == nil {
			_ = os.Rename(other, disk)
			if os.Rename(third, other) != nil {
				_ = os.Rename(third, disk)
			}
			_ = os.RemoveAll(third)
		}
	case 16:
		what = "file and folder change places at " + p
		_ = os.RemoveAll(disk)
		if e.rand.IntN(2) == 0 {
			_ = os.MkdirAll(disk, 0o755)
			_ = os.WriteFile(filepath.Join(disk, "a.md"), []byte(e.text()), 0o644)
		} else {
			_ = os.WriteFile(disk, []byte(e.text()), 0o644)
		}
	case 17:
		what = "chmod " + p
		_ = os.Chmod(disk, []os.FileMode{0o755, 0o700, 0o777}[e.rand.IntN(3)])
	case 18:
		what = "old times for " + p
		old := time.Date(2020, 1, 1+e.rand.IntN(3), 0, 0, 0, 0, time.UTC)
		_ = os.Chtimes(disk, old, old)
	case 19:
		what = "link " + q + " to " + p
		target := disk
		if rel, err := filepath.Rel(filepath.Dir(other), disk); err == nil && e.rand.IntN(2) == 0 {
			target = rel
		}
		_ = os.Symlink(target, other)
	case 20:
		what = "hard link " + q + " to " + p
		if !e.single {
			_ = os.Link(disk, other)
		}
	case 21:
		what = "backup dance of " + p
		text, err := os.ReadFile(disk)
		if err == nil && os.Rename(disk, disk+"~") == nil {
			_ = os.WriteFile(disk, append(text, e.sentence()...), 0o644)
			_ = os.Remove(disk + "~")
		}
	}
	e.note(what)
}
