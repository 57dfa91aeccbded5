package store

import (
	"testing"

	"shelfd/chunker"
)

func TestNodesComeBackFromTheirPackedForm(t *testing.T) {
	src := "before\n\n# Boiler\n\ntext\n\n## Valves\n\n### Valves\n\n## Valves\n\n##\n\n# 锅炉\n\n## Boiler -- 2\n"
	d := chunker.Parse("a.md", []byte(src), chunker.Options{})
	titles := make([]string, len(d.Nodes))
	for i, n := range d.Nodes {
		titles[i] = n.Title
	}
	packed := packNodes(d.Nodes)
	nodes, err := unpackNodes(packed, titles)
	if err != nil {
		t.Fatal(err)
	}
	if len(nodes) != len(d.Nodes) || len(nodes) < 7 {
		t.Fatalf("%d nodes of %d", len(nodes), len(d.Nodes))
	}
	for i, n := range nodes {
		want := d.Nodes[i]
		if n.ID != want.ID || n.Title != want.Title || n.Level != want.Level || n.Parent != want.Parent || n.Lines != want.Lines || n.Span != want.Span || n.Ordinal != i {
			t.Errorf("node %d: %+v, want %+v", i, n, want)
		}
	}
	if _, err := unpackNodes(packed[:len(packed)-1], titles); err == nil {
		t.Error("damaged nodes are read without an error")
	}
}
