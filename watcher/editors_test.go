package watcher

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Each script is how people and programs change a folder; after each the mirror must equal the disk by events alone.
func TestEveryWayOfSavingIsSeen(t *testing.T) {
	for _, c := range []struct{ name, before, script string }{
		{"new file", "", "echo new > b.md"},
		{"truncate and write", "", "echo other > a.md"},
		{"append", "", "echo more >> a.md; echo more >> a.md"},
		{"emptied", "", ": > a.md"},
		{"touch", "", "touch -d 2020-01-01 a.md"},
		{"chmod", "", "chmod 400 a.md"},
		{"atomic save", "", "echo v2 > .a.tmp; mv .a.tmp a.md"},
		{"twenty atomic saves", "", "i=0; while [ $i -lt 20 ]; do echo v$i > .t; mv .t a.md; i=$((i+1)); done"},
		{"vim", "", "touch 4913; rm 4913; mv a.md a.md~; echo v > a.md; chmod 644 a.md; rm a.md~"},
		{"emacs", "", "ln -s me@host.1:1 .#a.md; echo v > '#a.md#'; mv a.md a.md~; echo v > a.md; rm .#a.md '#a.md#'"},
		{"jetbrains", "", "echo v > a.md___jb_tmp___; mv a.md a.md___jb_old___; mv a.md___jb_tmp___ a.md; rm a.md___jb_old___"},
		{"gedit", "", "echo v > .goutputstream-XY; mv .goutputstream-XY a.md"},
		{"sed -i", "", "sed -i s/text/word/ a.md"},
		{"libreoffice", "", "touch .~lock.a.md#; echo v > lu1.tmp; mv lu1.tmp a.md; rm .~lock.a.md#"},
		{"delete", "", "rm a.md"},
		{"delete and write again", "", "rm a.md; echo again > a.md"},
		{"rename", "", "mv a.md b.md"},
		{"rename and new", "", "mv a.md b.md; echo new > a.md"},
		{"swap", "echo b > b.md", "mv a.md t.md; mv b.md a.md; mv t.md b.md"},
		{"copy and remove", "", "cp a.md b.md; rm a.md"},
		{"case only", "", "mv a.md A.MD"},
		{"old file moved in", "touch -d 2020-01-01 ../old.md", "mv ../old.md ."},
		{"folder moved in", "mkdir -p ../in/x; echo t > ../in/x/n.md", "mv ../in ."},
		{"folder moved out", "mkdir -p d/e; echo t > d/e/n.md", "mv d ../out"},
		{"folder removed", "mkdir -p d/e; echo t > d/e/n.md; echo t > d/n.md", "rm -r d"},
		{"folder renamed", "mkdir -p d/e; echo t > d/e/n.md", "mv d f; echo u > f/e/m.md"},
		{"folder renamed twice", "mkdir -p d/e; echo t > d/e/n.md", "mv d f; mv f g; echo u > g/e/m.md"},
		{"folder renamed and back", "mkdir -p d/e; echo t > d/e/n.md", "mv d f; mv f d; echo u > d/e/m.md; rm d/e/n.md"},
		{"name taken by another folder", "mkdir -p p/q", "mv p p2; mkdir -p p/q; echo A > p/q/new.md; echo B > p2/q/old.md"},
		{
			"folders swapped", "mkdir -p p/q r/q; echo 1 > p/q/n.md; echo 2 > r/q/m.md",
			"mv p t; mv r p; mv t r; echo 3 > p/q/x.md; echo 4 > r/q/y.md",
		},
		{"nested folders at once", "", "mkdir -p x/y/z; echo t > x/y/z/n.md"},
		{"file becomes folder", "", "rm a.md; mkdir a.md; echo t > a.md/n.md"},
		{"folder becomes file", "mkdir d.md; echo t > d.md/n.md", "rm -r d.md; echo t > d.md"},
		{"forms of one name", "", `printf x > "$(printf 'caf\303\251.md')"; printf y > "$(printf 'cafe\314\201.md')"`},
		{"bytes that are no text", "", `printf x > "$(printf 'a\377b.md')"; mkdir "$(printf 'd\376')"; echo y > "$(printf 'd\376/n.md')"`},
		{"rules appear", "mkdir d; echo t > d/n.md", "echo d/ > .gitignore"},
		{"rules go", "mkdir d; echo t > d/n.md; echo d/ > .gitignore", "rm .gitignore; echo t > d/m.md"},
		{"rules below change", "mkdir -p d/e; echo t > d/e/n.md; echo x > d/.shelfignore", "echo 'e/' > d/.shelfignore; echo u > d/e/o.md"},
		{"link to a file", "mkdir d; echo t > d/n.md", "ln -s d/n.md l.md"},
		{"file behind a link", "mkdir .h; echo t > .h/n.md; ln -s .h/n.md l.md", "echo longer > .h/n.md"},
		{"link swapped", "ln -s a.md l.md; echo other > b.md", "ln -sf b.md l.md"},
		{"link waits for its file", "ln -s d/late.md l.md", "mkdir d; echo t > d/late.md"},
		{"link to a folder that becomes a file", "mkdir b; ln -s b l.md", "rmdir b; echo t > b"},
		{"source of a text appears", "echo t > r.pdf.md", "echo p > r.pdf"},
		{"source of a text goes", "echo t > r.pdf.md; echo p > r.pdf", "rm r.pdf"},
		{"list of blocks appears", "echo t > r.pdf.md; echo p > r.pdf", "echo [] > r.pdf.blocks.json"},
		{"list of blocks is written over", "echo t > r.pdf.md; echo [] > r.pdf.blocks.json", "echo [1] > r.pdf.blocks.json"},
		{"list of blocks is saved atomically", "echo t > r.pdf.md; echo [] > r.pdf.blocks.json", "echo [1] > .t; mv .t r.pdf.blocks.json"},
		{"list of blocks goes", "echo t > r.pdf.md; echo [] > r.pdf.blocks.json", "rm r.pdf.blocks.json"},
		{"folder behind a link changes", "mkdir d; echo t > d/n.md; ln -s d/n.md l.md", "mv d e; mkdir d; echo longer > d/n.md"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(tempDir(t), "R")
			write(t, root, "a.md", "other.txt")
			shell(t, root, c.before)
			m := startMirror(t, Options{}, Root{Path: root})
			m.shell(c.script)
			write(t, root, "last.md")
			m.has("last.md")
			m.matches()
			if c.name != "rules appear" && c.name != "rules go" { // of the whole root
				m.onlyEvents()
			}
		})
	}
}

func TestNewFoldersLoseNoFile(t *testing.T) {
	root := tempDir(t)
	m := startMirror(t, Options{}, Root{Path: root})
	for i := range 200 {
		write(t, root, fmt.Sprintf("%d/x/y/z/n.md", i))
	}
	m.matches()
	if got := len(m.entries); got != 200 {
		t.Fatalf("%d files", got)
	}
}

func TestFoldersComeAndGoUnderLoad(t *testing.T) {
	root := tempDir(t)
	m := startMirror(t, Options{}, Root{Path: root})
	for range 1000 {
		write(t, root, "d/f.md")
		if err := os.RemoveAll(filepath.Join(root, "d")); err != nil {
			t.Fatal(err)
		}
	}
	write(t, root, "probe.md")
	m.has("probe.md")
	m.matches()
	if got := m.state().Watches; got != 1 {
		t.Errorf("%d watches are left", got)
	}
}

func TestFolderMovedOutIsUnwatched(t *testing.T) {
	base := tempDir(t)
	root := filepath.Join(base, "R")
	write(t, root, "p/q/n.md", "p/q/r/n.md", "a.md")
	m := startMirror(t, Options{}, Root{Path: root})
	if got := m.state().Watches; got != 4 {
		t.Fatalf("%d watches", got)
	}
	m.shell("mv p ../elsewhere")
	m.matches()
	m.eventually("watches are given up", func() bool { return m.state().Watches == 1 })
	m.onlyEvents()
}
