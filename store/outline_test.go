package store

import (
	"context"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// say puts an outline on a document; the pages of a library have the hash of zeros.
func (l *library) say(path string, o Outline) {
	l.t.Helper()
	if o.SourceHash == "" {
		o.SourceHash = hex.EncodeToString(make([]byte, 32))
	}
	err := l.s.Update(context.Background(), func(tx *Tx) error {
		d, err := tx.Document(path)
		if err != nil {
			return err
		}
		return tx.PutOutline(d.ID, OutlineSaved, o)
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

// related writes related sections as "path#node".
func (l *library) related(q Query) []string {
	l.t.Helper()
	list := []string{}
	err := l.s.View(context.Background(), func(v *View) error {
		sections, err := v.RelatedSections(q, 5)
		for _, s := range sections {
			list = append(list, s.Path+"#"+s.NodeID)
		}
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return list
}

func (l *library) outline(path string) IndexedOutline {
	l.t.Helper()
	var o IndexedOutline
	err := l.s.View(context.Background(), func(v *View) error {
		d, err := v.Document(path)
		if err != nil {
			return err
		}
		o, err = v.Outline(d.ID)
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return o
}

// sound checks the database as every test of the store does.
func (l *library) sound() {
	l.t.Helper()
	if err := l.s.Check(context.Background(), func(d Difference) { l.t.Error(d) }); err != nil {
		l.t.Error(err)
	}
}

func outlinedLibrary(t *testing.T) *library {
	l := newLibrary(t)
	l.put(
		page{path: "Home/boiler.md", title: "Boiler", language: "en", tags: []string{"heating"}, body: "# Valves\nOpen it.\n\n# Pump\nTurn it."},
		page{path: "Home/garden.md", title: "Garden", language: "en", body: "# Roses\nCut them in March."},
		page{path: "Legal/contract.md", title: "合同", language: "zh", body: "# 第一条\n付款。"},
	)
	l.say("Home/boiler.md", Outline{Version: "1", Summary: "How the heating of the house is kept running over the winter.", Sections: []OutlineSection{
		{NodeID: "valves", Summary: "Pressure relief: when a valve opens and who tests it.", KeyFacts: []string{"Opens at three bar"}, ChunkKeys: []string{"0000000000000001"}},
		{NodeID: "gone", Summary: "A section about pressure that is not there any more.", KeyFacts: []string{}},
	}})
	l.say("Legal/contract.md", Outline{Summary: "买卖双方的付款义务和违约责任。"})
	return l
}

func TestRelatedSectionsAreSummariesThatHoldTheWords(t *testing.T) {
	l := outlinedLibrary(t)
	for _, c := range []struct {
		q    Query
		want []string
	}{
		{Query{Text: "pressure"}, []string{"Home/boiler.md#valves"}},
		{Query{Text: "three bar"}, []string{"Home/boiler.md#valves"}},          // a key fact
		{Query{Text: "keep the heating running"}, []string{"Home/boiler.md#"}}, // stop words don't count, half is enough
		{Query{Text: "\"heating of the house\""}, []string{"Home/boiler.md#"}}, // a phrase as it stands
		{Query{Text: "\"house of the heating\""}, []string{}},                  // and not otherwise
		{Query{Text: "pressure -valve"}, []string{}},                           // a word that must not be there
		{Query{Text: "press*"}, []string{"Home/boiler.md#valves"}},             // a prefix
		{Query{Text: "pump OR relief"}, []string{"Home/boiler.md#valves"}},     // one of two
		{Query{Text: "tomato basil pressure cheese"}, []string{}},              // a quarter of the words is not enough
		{Query{Text: "付款 责任"}, []string{"Legal/contract.md#"}},                 // characters, not words
		{Query{Text: "违约责任有哪些"}, []string{"Legal/contract.md#"}},               // a run of them, put otherwise
		{Query{Text: "pressure", Folder: "Legal"}, []string{}},                 // outside the folder
		{Query{Text: "pressure", Path: "Home/boiler.md"}, []string{"Home/boiler.md#valves"}},
		{Query{Text: "pressure", Path: "Home/garden.md"}, []string{}},
		{Query{Text: "pressure", Where: "tag:heating"}, []string{"Home/boiler.md#valves"}},
		{Query{Text: "pressure", Where: "tag:food"}, []string{}},
		{Query{Text: "pressure shelf:Legal"}, []string{}},
		{Query{Text: "pressure -tag:heating"}, []string{}},
		{Query{Text: "tag:heating"}, []string{}}, // no words
		{Query{Text: "pressure", Mode: ModeLiteral}, []string{}},
		{Query{Text: "opens"}, []string{"Home/boiler.md#valves"}},
	} {
		if got := l.related(c.q); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.q, got, c.want)
		}
	}
	l.sound()
}

func TestAnOutlineIsStaleAfterAnEditAndBackAfterItIsUndone(t *testing.T) {
	l := outlinedLibrary(t)
	path := "Home/boiler.md"
	said := l.outline(path)
	if said.Status != OutlineReady || said.Kind != OutlineSaved || said.Version != "1" || len(said.Sections) != 2 {
		t.Fatalf("outline %+v", said)
	}
	said.Outline.SourceHash = strings.Repeat("1", 64)
	l.say(path, said.Outline)
	if o := l.outline(path); o.Status != OutlineStale || !reflect.DeepEqual(o.Outline, said.Outline) {
		t.Errorf("outline %+v", o)
	}
	if got := l.related(Query{Text: "pressure"}); len(got) != 0 {
		t.Errorf("stale summaries are searched: %v", got)
	}
	l.sound()
	said.Outline.SourceHash = ""
	l.say(path, said.Outline)
	if got := l.related(Query{Text: "pressure"}); len(got) != 1 {
		t.Errorf("found %v", got)
	}
	l.sound()
}

func TestSavingReplacesTheWholeSetAndDeletingTakesItAlong(t *testing.T) {
	l := outlinedLibrary(t)
	l.say("Home/boiler.md", Outline{Summary: "Another text about warm rooms.", Sections: []OutlineSection{{NodeID: "pump", Summary: "How water goes round."}}})
	if got := l.related(Query{Text: "pressure"}); len(got) != 0 {
		t.Errorf("replaced summaries are found: %v", got)
	}
	if got := l.related(Query{Text: "water"}); len(got) != 1 {
		t.Errorf("found %v", got)
	}
	l.sound()
	err := l.s.Update(context.Background(), func(tx *Tx) error {
		d, err := tx.Document("Home/boiler.md")
		if err != nil {
			return err
		}
		return tx.DeleteDocument(d.ID)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := l.related(Query{Text: "water"}); len(got) != 0 {
		t.Errorf("found %v of a document that is gone", got)
	}
	l.sound()
}

func TestCheckSeesASummaryWithoutItsTerms(t *testing.T) {
	l := outlinedLibrary(t)
	if _, err := l.s.writer.Exec(`DELETE FROM summary_fts WHERE rowid = (SELECT id FROM summaries WHERE node_id = 'valves')`); err != nil {
		t.Fatal(err)
	}
	var found []string
	if err := l.s.Check(context.Background(), func(d Difference) { found = append(found, d.String()) }); err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || !strings.Contains(found[0], "summary_fts") || !strings.Contains(found[0], "valves") {
		t.Errorf("check says %q", found)
	}
}

func TestOutlinesInTheLedgerSurviveMovesAndCompacting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	l, _, err := OpenLedger(path, false)
	if err != nil {
		t.Fatal(err)
	}
	o := Outline{SourceHash: strings.Repeat("a", 64), Version: "2", Summary: "What the boiler is for.", Sections: []OutlineSection{
		{NodeID: "valves", Summary: "When they open.", KeyFacts: []string{"At three bar"}, ChunkKeys: []string{"0000000000000001"}},
	}}
	err = l.Append(
		Record{Op: OpSummary, Source: "Home/a.md", Outline: &Outline{Summary: "An earlier one."}},
		Record{Op: OpSummary, Source: "Home/a.md", Outline: &o},
		Record{Op: OpSummary, Source: "Home/b.md", Outline: &Outline{Summary: "Of the document that is moved over."}},
		Record{Op: OpDocumentMove, Moves: map[string]string{"Home/a.md": "Home/b.md"}},
		Record{Op: OpShelfRename, Shelf: "Home", To: "House"},
	)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]*Outline{"House/b.md": &o}
	if got := l.Said().Outlines; !reflect.DeepEqual(got, want) {
		t.Errorf("said %v", got)
	}
	if err := l.compact(l.said.Records()); err != nil {
		t.Fatal(err)
	}
	l.Close()
	again, warnings, err := OpenLedger(path, false)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	defer again.Close()
	if got := again.Said().Outlines; !reflect.DeepEqual(got, want) {
		t.Errorf("after compacting %v", got)
	}
	if err := again.Append(Record{Op: OpShelfForget, Shelf: "House"}); err != nil {
		t.Fatal(err)
	}
	if n := len(again.Said().Outlines); n != 0 {
		t.Errorf("%d outlines of a forgotten shelf", n)
	}
}

func BenchmarkRelatedSectionsOfAThousandDocuments(b *testing.B) {
	l := newLibrary(b)
	words := []string{"pressure", "valve", "water", "heat", "pump", "pipe", "winter", "test", "house", "floor"}
	for i := range 1000 {
		path := fmt.Sprintf("Home/%d.md", i)
		l.put(page{path: path, language: "en", body: "# Valves\nOpen it."})
		l.say(path, Outline{Summary: fmt.Sprintf("How the %s and the %s of room %d go together.", words[i%10], words[i/10%10], i), Sections: []OutlineSection{
			{NodeID: "valves", Summary: fmt.Sprintf("About the %s near the %s.", words[i/100%10], words[(i+3)%10])},
		}})
	}
	for b.Loop() {
		l.related(Query{Text: "water pressure in winter"})
	}
}
