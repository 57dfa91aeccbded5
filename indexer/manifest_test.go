package indexer_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shelfd/internal/shelftest"
	"shelfd/store"
)

func sprint(v any) string { return fmt.Sprint(v) }

func export(l *shelftest.Library, shelf string) (text string) {
	l.View(func(v *store.View) error {
		m, err := v.Manifest(shelf)
		if err != nil {
			return err
		}
		b, err := m.Encode()
		text = string(b)
		return err
	})
	return text
}

func parse(t *testing.T, text string) store.Manifest {
	t.Helper()
	m, err := store.ParseManifest([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// stated is a library with links that someone stated, among them one with every field.
func stated(t *testing.T) *shelftest.Library {
	l := heating(t)
	_, err := l.Indexer.AddLinks(
		t.Context(),
		store.ManualLink{Source: "client/boiler.md", Target: "product/pump.md", Relation: "needs", Confidence: 0.75, Label: "<here> & there", Rationale: "perché sì"},
		store.ManualLink{Source: "client/boiler.md", Target: "product/boiler.md", Relation: "extends", Confidence: 1},
		store.ManualLink{Source: "product/pump.md", Target: "product/boiler.md", Relation: "part_of", Confidence: 0},
	)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestExportImportElsewhereExportIsByteEqual(t *testing.T) {
	l := stated(t)
	elsewhere := heating(t)
	for _, shelf := range []string{"client", "product", "other"} {
		text := export(l, shelf)
		m := parse(t, text)
		dry, err := elsewhere.Indexer.Import(t.Context(), m, "", true, nil)
		if err != nil || dry.Changed != len(m.Links) {
			t.Errorf("dry: %+v %v", dry, err)
		}
		expect(t, "links after a dry run", len(linksOf(elsewhere, store.LinkQuery{Shelf: shelf, Origin: store.OriginManual})), 0)
		for _, changed := range []int{len(m.Links), 0} {
			report, err := elsewhere.Indexer.Import(t.Context(), m, "", false, nil)
			if err != nil || report.Changed != changed || len(report.Warnings) != 0 || report.Links != len(m.Links) || report.Shelf != shelf {
				t.Errorf("%s: %+v %v, want %d changed", shelf, report, err, changed)
			}
		}
		if again := export(elsewhere, shelf); again != text {
			t.Errorf("%s:\n%s\nthen\n%s", shelf, text, again)
		}
	}
	elsewhere.Matches()
}

// summarised is stated with summaries.
func summarised(t *testing.T) *shelftest.Library {
	t.Helper()
	l := stated(t)
	for path, text := range map[string]string{
		"product/boiler.md": "How a boiler is filled & vented, <perché> e come.", "product/pump.md": "How the pump is filled and vented.",
		"client/boiler.md": "Where the valve of the client stands.",
	} {
		o := store.Outline{SourceHash: hashOf(l, path), Version: "v1", Summary: text, Sections: []store.OutlineSection{{NodeID: "boiler-pressure/filling", Summary: "Open the valve and wait."}}}
		if path != "product/boiler.md" {
			o.Sections = nil
		}
		if _, err := l.Indexer.SaveOutline(t.Context(), path, o); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// A summary comes along to a document of the same bytes, once, and comes back after loss of the database.
func TestSummariesTravelWithTheirDocuments(t *testing.T) {
	l := summarised(t)
	elsewhere := heating(t)
	for _, shelf := range []string{"client", "product", "other"} {
		text := export(l, shelf)
		m := parse(t, text)
		summaries := strings.Count(text, `"summary":`)
		before := elsewhere.Dump()
		for step, want := range []int{summaries, summaries, 0} {
			report, err := elsewhere.Indexer.Import(t.Context(), m, "", step == 0, nil)
			if err != nil || report.Summaries != want || len(report.Warnings) != 0 {
				t.Errorf("%s, step %d: %+v %v, want %d summaries", shelf, step, report, err, want)
			}
			if step == 0 && elsewhere.Dump() != before {
				t.Error("a dry run changes something")
			}
		}
		if again := export(elsewhere, shelf); again != text {
			t.Errorf("%s:\n%s\nthen\n%s", shelf, text, again)
		}
	}
	elsewhere.Matches()
	text := export(elsewhere, "product")
	elsewhere.Stop()
	for _, name := range []string{"index.db", "index.db-wal", "index.db-shm"} {
		if err := os.Remove(filepath.Join(elsewhere.State, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	elsewhere.Start()
	elsewhere.Sync()
	if again := export(elsewhere, "product"); again != text {
		t.Errorf("after loss of the database:\n%s\nbefore\n%s", again, text)
	}
}

// What would be said of other bytes, or in place of what somebody said here, is left out, and nothing else is lost by it.
func TestASummaryTakesNobodysPlace(t *testing.T) {
	m := parse(t, export(summarised(t), "product"))
	l := heating(t)
	own := store.Outline{SourceHash: hashOf(l, "product/boiler.md"), Summary: "What somebody here says of it.", Sections: []store.OutlineSection{{NodeID: "boiler-pressure/venting", Summary: "Let the air out first."}}}
	if _, err := l.Indexer.SaveOutline(t.Context(), "product/boiler.md", own); err != nil {
		t.Fatal(err)
	}
	l.Append("product/pump.md", "\nA line that is new here.\n")
	l.Sync()
	m.Documents = append(m.Documents, store.ManifestDocument{Path: "gone.md", Hash: "00", Summary: "Of what is not here at all."},
		store.ManifestDocument{Path: "chimney.md", Hash: hashOf(l, "product/chimney.md"), Summary: "Chimney"})
	m.Links = nil
	before := l.Dump()
	for _, dry := range []bool{true, false} {
		report, err := l.Indexer.Import(t.Context(), m, "", dry, nil)
		if err != nil || report.Summaries != 0 || len(report.Warnings) != 4 {
			t.Fatalf("%+v %v", report, err)
		}
		for i, says := range []string{`"product/boiler.md" has a summary of its own here`, "its content_hash is another", `no document "product/gone.md" here`, "summary: "} {
			if !strings.Contains(report.Warnings[i], says) {
				t.Errorf("%q does not say %q", report.Warnings[i], says)
			}
		}
	}
	if l.Dump() != before {
		t.Error("something was changed")
	}
}

func TestAManifestNamesPathsAndNeverIds(t *testing.T) {
	l := stated(t)
	want := `{
  "format_version": 2,
  "shelf": {
    "name": "client",
    "description": "",
    "parents": []
  },
  "documents": [
    {
      "relative_path": "boiler.md",
      "title": "Boiler pressure",
      "tags": [
        "heat",
        "water"
      ],
      "content_hash": "` + hashOf(l, "client/boiler.md") + `"
    }
  ],
  "document_links": [
    {
      "source": {
        "relative_path": "boiler.md"
      },
      "target": {
        "relative_path": "boiler.md",
        "shelf": "product"
      },
      "relation": "extends",
      "confidence": 1
    },
    {
      "source": {
        "relative_path": "boiler.md"
      },
      "target": {
        "relative_path": "pump.md",
        "shelf": "product"
      },
      "relation": "needs",
      "confidence": 0.75,
      "label": "<here> & there",
      "rationale": "perché sì"
    }
  ]
}
`
	if got := export(l, "client"); got != want {
		t.Errorf("%s", got)
	}
}

func hashOf(l *shelftest.Library, path string) (hash string) {
	l.View(func(v *store.View) error {
		d, err := v.Document(path)
		hash = d.Hash
		return err
	})
	return hash
}

func TestWhatCannotBeResolvedIsAWarning(t *testing.T) {
	l := heating(t)
	half := 0.5
	m := store.Manifest{FormatVersion: 2, Shelf: store.ManifestShelf{Name: "away"}, Links: []store.ManifestLink{
		{Source: store.ManifestEnd{Path: "boiler.md"}, Target: store.ManifestEnd{Path: "pump.md", Shelf: "product"}, Relation: "needs"},
		{Source: store.ManifestEnd{Path: "boiler.md"}, Target: store.ManifestEnd{Path: "pump.md", Shelf: "product"}, Relation: "needs", Confidence: &half},
		{Source: store.ManifestEnd{Path: "gone.md"}, Target: store.ManifestEnd{Path: "pump.md", Shelf: "product"}, Relation: "needs"},
		{Source: store.ManifestEnd{Path: "boiler.md"}, Target: store.ManifestEnd{Path: "x.md", Shelf: "nonesuch"}, Relation: "needs"},
		{Source: store.ManifestEnd{Path: "boiler.md", Shelf: "away"}, Target: store.ManifestEnd{Path: "boiler.md"}, Relation: "needs"},
		{Source: store.ManifestEnd{Path: "boiler.md"}, Target: store.ManifestEnd{Path: "chimney.md", Shelf: "product"}},
	}}
	for _, dry := range []bool{true, false} {
		report, err := l.Indexer.Import(t.Context(), m, "client", dry, nil)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "report", []any{report.Shelf, report.Links, report.Changed, len(report.Warnings)}, []any{"client", 6, 1, 5})
		for i, says := range []string{"stands in the manifest twice", `there is no document "client/gone.md" here`, `"nonesuch/x.md" here`, "linked with itself", "needs a relation"} {
			if !strings.Contains(report.Warnings[i], says) {
				t.Errorf("%s, want %q", report.Warnings[i], says)
			}
		}
	}
	links := linksOf(l, store.LinkQuery{Origin: store.OriginManual})
	if len(links) != 1 || links[0].Source != "client/boiler.md" || links[0].Confidence != 1 {
		t.Errorf("%+v", links)
	}
}

func TestATextThatIsNoManifestIsRefused(t *testing.T) {
	for text, says := range map[string]string{
		`{"shelf":{"name":"a"}}`:                                    "there is no format_version in it",
		`{"format_version":1}`:                                      "format_version 1 is not one that this program reads",
		`{"format_version":"2"}`:                                    "format_version 2 is not one",
		`{"format_version":3}`:                                      "format_version 3 is not one",
		`{"format_version":2,"documents":{}}`:                       "cannot unmarshal object",
		`{"format_version":2,"document_links":[{"source":"a.md"}]}`: "cannot unmarshal string",
		`[]`: "cannot unmarshal array",
		``:   "unexpected end",
	} {
		_, err := store.ParseManifest([]byte(text))
		if !errors.Is(err, store.ErrManifest) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
	m := parse(t, `{"format_version":2,"shelf":{"name":"a","colour":"red"},"from":"the future"}`)
	expect(t, "unknown fields are left alone", m.Shelf.Name, "a")
}
