package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestOutlinesTour retells docs/outlines.md, over the library with an outline that an agent saved and a report as
// derived text.
func TestOutlinesTour(t *testing.T) {
	tr := newTour(t)
	put := func(path, content string) {
		t.Helper()
		path = filepath.Join(tr.home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(tr.home, "plant"), os.DirFS("../../testdata/library")); err != nil {
		t.Fatal(err)
	}
	outlined, err := os.ReadFile("../../testdata/library/manuals/heat-exchanger.md")
	if err != nil {
		t.Fatal(err)
	}
	put(".local/state/shelfd/ledger.jsonl", fmt.Sprintf(`{"op":"summary","source":"plant/manuals/heat-exchanger.md","outline":{"source_hash":"%x","version":"1",`+
		`"summary":"How the plate heat exchanger is watched, cleaned in place and opened.","sections":[{"node_id":"heat-exchanger/cleaning-in-place",`+
		`"summary":"When scale is dissolved without opening the plates, and with which acid.","key_facts":["5 %% citric acid at 40 °C, two hours","never hydrochloric acid"]}]}}`+"\n", sha256.Sum256(outlined)))
	put("plant/reports/inspection.pdf", "%PDF-1.7")
	put("plant/reports/inspection.pdf.md", "# Inspection 2024\n\nThe boiler house was inspected in May.\n\n## Heat exchanger\n\nScale was found on the plates and dissolved the same day.\n")
	put("plant/reports/inspection.pdf.blocks.json", `[{"page":1,"bbox":[0.1,0.1,0.9,0.2],"text":"The boiler house was inspected in May."},
		{"page":4,"bbox":[0.1,0.3,0.9,0.4],"text":"Scale was found on the plates and dissolved the same day."}]`)
	tr.retell("docs/outlines.md")
}
