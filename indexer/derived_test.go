package indexer_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"shelfd/internal/shelftest"
	"shelfd/store"
)

const derivedText = "# Annual report\n\nThe year was good.\n\n## Figures\n\nTotal revenue rose.\n"

func blocksOn(page int) string {
	return fmt.Sprintf(`[{"page":%d,"bbox":[0,0,1,0.1],"text":"The year was good."},{"page":%d,"bbox":[0,0.2,1,0.3],"text":"Total revenue rose."}]`, page, page+1)
}

// boxesOf writes the source of a document and the pages of its boxes.
func boxesOf(l *shelftest.Library, path string) string {
	out := "gone"
	l.View(func(v *store.View) error {
		d, err := v.Document(path)
		if err != nil {
			return nil
		}
		boxes, err := v.Boxes(d.ID)
		out = d.Source + ":"
		for i := range d.Chunks {
			for _, b := range boxes[i] {
				out += fmt.Sprintf(" %d@%d", i, b.Page)
			}
		}
		return err
	})
	return out
}

// Events alone keep the boxes of a text in line with the list of its source's blocks, and with itself.
func TestBlocksAreWatchedLikeTheText(t *testing.T) {
	l := shelftest.New(t, shelftest.Options{})
	becomes := func(what, want string) {
		t.Helper()
		l.Eventually(what, func() bool { return boxesOf(l, "notes/r.pdf.md") == want }, func() string { return boxesOf(l, "notes/r.pdf.md") })
	}
	l.Write("notes/r.pdf.md", derivedText)
	becomes("a text without its source is a plain document", ":")
	l.Write("notes/r.pdf", "%PDF")
	becomes("the source came", "notes/r.pdf:")
	l.Write("notes/r.pdf.blocks.json", blocksOn(1))
	becomes("the blocks came", "notes/r.pdf: 0@1 1@2")
	l.Write("notes/r.pdf.blocks.json", blocksOn(5))
	becomes("the blocks changed", "notes/r.pdf: 0@5 1@6")
	l.Save("notes/r.pdf.blocks.json", blocksOn(7))
	becomes("the blocks were saved atomically", "notes/r.pdf: 0@7 1@8")
	l.Write("notes/r.pdf.md", "# Preface\n\nNew.\n\n"+derivedText)
	becomes("the text changed", "notes/r.pdf: 1@7 2@8")
	l.Remove("notes/r.pdf")
	l.Remove("notes/r.pdf.blocks.json")
	becomes("source and blocks went", ":")
	l.Follows()
}

// A list that is no list costs the boxes and nothing else, and is told; mended, all is well.
func TestMalformedBlocksAreAProblemAndTheTextStays(t *testing.T) {
	l := shelftest.New(t, shelftest.Options{})
	l.Write("notes/r.pdf.md", derivedText)
	l.Write("notes/r.pdf.blocks.json", `[{"page":1,`)
	l.Sync()
	problems := func() (list []string) {
		l.View(func(v *store.View) error {
			found, err := v.Problems("notes")
			for _, p := range found {
				list = append(list, p.Path+" "+p.Stage)
			}
			return err
		})
		return list
	}
	if got := strings.Join(problems(), ","); got != "notes/r.pdf.md blocks" {
		t.Errorf("problems %q", got)
	}
	if l.Finds("revenue") == 0 || boxesOf(l, "notes/r.pdf.md") != "notes/r.pdf:" {
		t.Errorf("the text suffered: %d hits, %s", l.Finds("revenue"), boxesOf(l, "notes/r.pdf.md"))
	}
	l.Matches()
	l.Write("notes/r.pdf.blocks.json", blocksOn(1))
	l.Sync()
	if got := problems(); len(got) != 0 || boxesOf(l, "notes/r.pdf.md") != "notes/r.pdf: 0@1 1@2" {
		t.Errorf("mended: problems %v, %s", got, boxesOf(l, "notes/r.pdf.md"))
	}
	if err := os.Chmod(l.Path("notes/r.pdf.blocks.json"), 0); err == nil && os.Getuid() != 0 {
		l.Sync()
		if got := strings.Join(problems(), ","); got != "notes/r.pdf.md blocks" {
			t.Errorf("unreadable: problems %q", got)
		}
	}
	l.Matches()
}

// What changes while nobody watches is seen by the first look, and what does not change is not read again.
func TestBlocksThatChangedWhileStoppedAreSeen(t *testing.T) {
	l := shelftest.New(t, shelftest.Options{})
	l.Write("notes/r.pdf.md", derivedText)
	l.Write("notes/r.pdf", "%PDF")
	l.Write("notes/r.pdf.blocks.json", blocksOn(1))
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"notes/r.pdf.md", "notes/r.pdf.blocks.json"} {
		if err := os.Chtimes(l.Path(name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	l.Sync()
	l.Stop()
	l.Start()
	for _, r := range l.Sync() {
		if r.Indexed != 0 {
			t.Errorf("%d documents were cut again though nothing changed", r.Indexed)
		}
	}
	l.Stop()
	l.Write("notes/r.pdf.blocks.json", blocksOn(3))
	l.Start()
	l.Sync()
	if got := boxesOf(l, "notes/r.pdf.md"); got != "notes/r.pdf: 0@3 1@4" {
		t.Errorf("after a start: %s", got)
	}
	l.Move("notes/r.pdf", "notes/q.pdf")
	l.Move("notes/r.pdf.md", "notes/q.pdf.md")
	l.Move("notes/r.pdf.blocks.json", "notes/q.pdf.blocks.json")
	l.Sync()
	if got := boxesOf(l, "notes/q.pdf.md"); got != "notes/q.pdf: 0@3 1@4" {
		t.Errorf("after a move: %s", got)
	}
	l.Matches()
}
