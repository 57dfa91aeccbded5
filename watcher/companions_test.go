package watcher

import "testing"

func TestTextsOfSourcesAreToldFromPlainDocuments(t *testing.T) {
	root := tempDir(t)
	write(t, root, "r.pdf", "r.pdf.md", "r.pdf.blocks.json: []", "alone.pdf.md", "listed.docx.md", "listed.docx.blocks.json: [1]",
		"v1.2.md", "notes.md", "notes", "a.md", "a.md.md", "d/x.xlsx.md", "d/x.xlsx", "f.pdf.md", "f.pdf/x", ".pdf.md", ".pdf")
	for _, e := range list1(t, Root{Path: root, Include: []string{"**/*.md", ".pdf.md"}}).Entries {
		want := map[string][2]bool{ // a source, and a list of its blocks
			"r.pdf.md": {true, true}, "listed.docx.md": {true, true}, "d/x.xlsx.md": {true, false},
		}[e.Path]
		if got := [2]bool{e.Derived, e.Blocks.Kind == KindFile}; got != want {
			t.Errorf("%s: derived, blocks %v, want %v", e.Path, got, want)
		}
	}
	if l := list1(t, Root{Path: root}, "r.pdf.md"); len(l.Entries) != 1 || !l.Entries[0].Derived || l.Entries[0].Blocks.Size == 0 {
		t.Errorf("asked for alone: %+v", l.Entries)
	}
}
