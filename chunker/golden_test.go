package chunker

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"shelfd/internal/text"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGoldenLibrary reads each archive of testdata: a document and, as "want", what Parse makes of it.
func TestGoldenLibrary(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { golden(t, file) })
	}
}

func golden(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil || len(archive.Files) == 0 {
		t.Fatalf("no document in %s: %v", file, err)
	}
	doc := archive.Files[0]
	got := []byte(render(check(t, doc.Name, doc.Data)))
	if *update {
		archive.Files = append(archive.Files[:1], txtar.File{Name: "want", Data: got})
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(archive.Files) != 2 || !bytes.Equal(archive.Files[1].Data, got) {
		t.Errorf("%s differs; -update writes it anew. Got:\n%s", file, got)
	}
}

// render writes everything that a Document says, one line a fact.
func render(d *Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "title %q language %q lines %d\n", d.Title, d.Language, d.LineCount)
	if d.Description != "" {
		fmt.Fprintf(&b, "description %q\n", d.Description)
	}
	if !d.Date.IsZero() {
		fmt.Fprintf(&b, "date %s\n", d.Date.Format(time.RFC3339))
	}
	if len(d.Tags)+len(d.Aliases) > 0 {
		fmt.Fprintf(&b, "tags %q aliases %q\n", d.Tags, d.Aliases)
	}
	if d.FrontMatter != nil {
		values, err := json.Marshal(d.FrontMatter)
		fmt.Fprintf(&b, "front matter %s %v\n", values, err)
	}
	for _, p := range d.Problems {
		fmt.Fprintf(&b, "problem %s line %d: %s\n", p.Stage, p.Line, p.Reason)
	}
	for _, n := range d.Nodes {
		fmt.Fprintf(&b, "node %s level %d lines %d-%d %q\n", n.ID, n.Level, n.Lines.Start, n.Lines.End, n.Title)
	}
	for _, c := range d.Chunks {
		s := d.Text[c.Span.Start:c.Span.End]
		fmt.Fprintf(&b, "chunk %016x-%d of %s lines %d-%d units %d %s\n",
			c.Key.Hash, c.Key.Seq, d.Nodes[c.Node].ID, c.Lines.Start, c.Lines.End, text.Units(s), ends(s))
		if c.Prefix != (Span{}) {
			fmt.Fprintf(&b, "  behind %q\n", d.Text[c.Prefix.Start:c.Prefix.End])
		}
	}
	for _, l := range d.Links {
		fmt.Fprintf(&b, "link %s line %d %q -> %q # %q\n", l.Kind, l.Line, l.Text, l.Target, l.Fragment)
	}
	return b.String()
}

// ends quotes the beginning and the end of a long text.
func ends(s string) string {
	if r := []rune(s); len(r) > 70 {
		return fmt.Sprintf("%q … %q", string(r[:40]), string(r[len(r)-25:]))
	}
	return fmt.Sprintf("%q", s)
}
