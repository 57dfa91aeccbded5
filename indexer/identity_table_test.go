package indexer_test

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"shelfd/indexer"
	"shelfd/internal/shelftest"
	"shelfd/store"
)

// identities is what documents become of which a link and a summary speak: where each is after a script.
var identities = []struct {
	name, script string
	now          map[string]string // doc_path before → after; "" = gone
}{
	{"rename", `mv notes/a.md notes/z.md`, map[string]string{"notes/a.md": "notes/z.md"}},
	{"rename in steps", `mv notes/a.md notes/y.md; mv notes/y.md notes/z.md`, map[string]string{"notes/a.md": "notes/z.md"}},
	{"rename of a folder", `mv notes/dir notes/folder`, map[string]string{"notes/dir/c.md": "notes/folder/c.md", "notes/dir/d.md": "notes/folder/d.md"}},
	{"folder into a folder", `mkdir -p notes/p/q; mv notes/dir notes/p/q/`, map[string]string{"notes/dir/c.md": "notes/p/q/dir/c.md", "notes/dir/d.md": "notes/p/q/dir/d.md"}},
	{"move to another shelf", `mv notes/a.md other/a.md`, map[string]string{"notes/a.md": "other/a.md"}},
	{"folder to another shelf", `mv notes/dir other/dir`, map[string]string{"notes/dir/c.md": "other/dir/c.md", "notes/dir/d.md": "other/dir/d.md"}},
	{"copy over disks, then delete", `cp notes/a.md other/a.md; rm notes/a.md`, map[string]string{"notes/a.md": "other/a.md"}},
	{"delete and restore", `cp notes/a.md away; rm notes/a.md; cp away notes/a.md`, map[string]string{"notes/a.md": "notes/a.md"}},
	{"delete and restore a folder", `cp -r notes/dir away; rm -r notes/dir; cp -r away notes/dir`, map[string]string{"notes/dir/c.md": "notes/dir/c.md", "notes/dir/d.md": "notes/dir/d.md"}},
	{"backup dance of vim", `mv notes/a.md notes/a.md~; echo '# A edited' >notes/a.md; rm notes/a.md~`, map[string]string{"notes/a.md": "notes/a.md"}},
	{"safe write", `echo '# A edited' >notes/.a.tmp; mv notes/.a.tmp notes/a.md`, map[string]string{"notes/a.md": "notes/a.md"}},
	{"delete, then write", `rm notes/a.md; echo '# A edited' >notes/a.md`, map[string]string{"notes/a.md": "notes/a.md"}},
	{"a name taken by a new one", `mv notes/a.md notes/z.md; echo '# Another' >notes/a.md`, map[string]string{"notes/a.md": "notes/a.md"}},
	{"swap", `mv notes/a.md t; mv notes/b.md notes/a.md; mv t notes/b.md`, map[string]string{"notes/a.md": "notes/a.md", "notes/b.md": "notes/b.md"}},
	{"copy", `cp notes/a.md notes/z.md`, map[string]string{"notes/a.md": "notes/a.md"}},
	{"case only", `mv notes/a.md notes/t; mv notes/t notes/A.md`, map[string]string{"notes/a.md": "notes/A.md"}},
	{"decomposed name", "mv notes/caf\u00e9.md t; mv t notes/cafe\u0301.md", map[string]string{"notes/caf\u00e9.md": "notes/caf\u00e9.md"}},
	{"file becomes a folder and back", `mv notes/a.md t; mkdir notes/a.md; mv t notes/a.md/in.md; mv notes/a.md/in.md t; rmdir notes/a.md; mv t notes/a.md`, map[string]string{"notes/a.md": "notes/a.md"}},
	{"file into a folder of its name", `mv notes/a.md t; mkdir notes/a.md; mv t notes/a.md/in.md`, map[string]string{"notes/a.md": "notes/a.md/in.md"}},
	{"checkout back and forth", `cd notes; git checkout -q there; git checkout -q here`, map[string]string{"notes/a.md": "notes/a.md", "notes/dir/c.md": "notes/dir/c.md"}},
	{"checkout that renames", `cd notes; git checkout -q there`, map[string]string{"notes/a.md": "notes/moved.md", "notes/dir/c.md": "notes/dir/c.md"}},
	{"delete", `rm notes/a.md`, map[string]string{"notes/a.md": ""}},
}

// A document is the same one, with its link and its summary, however it was moved.
func TestIdentityOfDocuments(t *testing.T) {
	for _, row := range identities {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			l := namedLibrary(t)
			before := map[string]int64{}
			for path := range row.now {
				before[path] = l.ID(path)
			}
			script(t, l, row.script)
			l.Eventually("the documents are where they should be", func() bool {
				return misplaced(l, row.now, before) == ""
			}, func() string { return misplaced(l, row.now, before) })
			l.Sync()
			if wrong := misplaced(l, row.now, before); wrong != "" {
				t.Error("after a sync: " + wrong)
			}
			l.Matches()
		})
	}
}

// misplaced says of the first document that is not what it should be, "" when all are.
func misplaced(l *shelftest.Library, now map[string]string, before map[string]int64) (wrong string) {
	said := l.Ledger.Said()
	for was, is := range now {
		if is == "" {
			if l.ID(was) != 0 {
				return was + " is still there"
			}
			continue
		}
		if id := l.ID(is); id != before[was] {
			return fmt.Sprintf("%s has the id %d, %s had %d", is, id, was, before[was])
		}
		if said.Outlines[is] == nil || len(said.Links[is]) != 1 {
			return fmt.Sprintf("%s has lost what was said of it: %v %v", is, said.Outlines[is], said.Links[is])
		}
		links := linksOf(l, store.LinkQuery{Origin: store.OriginManual})
		if len(links) == 0 {
			return "no link is left in the index"
		}
	}
	return ""
}

// namedLibrary is two shelves of which every document has a link to a hub and a summary; notes is a git repository
// with a branch that renames and edits.
func namedLibrary(t *testing.T) *shelftest.Library {
	t.Helper()
	l := shelftest.New(t, shelftest.Options{Shelves: []indexer.Shelf{{ShelfSpec: store.ShelfSpec{Name: "notes"}}, {ShelfSpec: store.ShelfSpec{Name: "other"}}}})
	paths := []string{"notes/a.md", "notes/b.md", "notes/dir/c.md", "notes/dir/d.md", "notes/caf\u00e9.md"}
	for _, path := range paths {
		l.Write(path, "# Paper "+path+"\n\nAbout "+strings.Repeat(filepath.Base(path)+" ", 9)+"\n")
	}
	l.Write("other/hub.md", "# Hub\n")
	script(t, l, `cd notes; git init -q -b here .; git config user.email a@b; git config user.name a; git add -A; git commit -qm 1
git checkout -q -b there; git mv a.md moved.md; echo more >>dir/c.md; git commit -qam 2; git checkout -q here`)
	l.Sync()
	for _, path := range paths {
		_, err := l.Indexer.AddLinks(t.Context(), store.ManualLink{Source: path, Target: "other/hub.md", Relation: "see", Confidence: 1})
		if err != nil {
			t.Fatal(err)
		}
		var hash string
		l.View(func(v *store.View) error {
			d, err := v.Document(path)
			hash = d.Hash
			return err
		})
		o := store.Outline{SourceHash: hash, Summary: "A summary that a person has written about the paper."}
		if _, err := l.Indexer.SaveOutline(t.Context(), path, o); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// script runs a shell script in the folder of the shelves.
func script(t *testing.T, l *shelftest.Library, text string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "sh", "-ec", text)
	c.Dir = l.Folder
	if out, err := c.CombinedOutput(); err != nil {
		var missing *exec.Error
		if errors.As(err, &missing) || strings.Contains(string(out), "git: not found") {
			t.Skip("no shell or no git here: ", err)
		}
		t.Fatalf("%v\n%s", err, out)
	}
}
