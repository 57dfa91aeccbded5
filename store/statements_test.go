package store

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawRecord makes any statement about few shelves and documents, so that they meet.
func drawRecord() *rapid.Generator[Record] {
	shelf := rapid.SampledFrom([]string{"a", "b", "ab"})
	path := rapid.SampledFrom([]string{"a/1.md", "a/2.md", "b/1.md", "b/x/2.md", "ab/1.md"})
	return rapid.Custom(func(t *rapid.T) Record {
		link := func() ManualLink {
			return ManualLink{
				Source: path.Draw(t, "source"), Target: path.Draw(t, "target"),
				Relation: rapid.SampledFrom([]string{"extends", "cites"}).Draw(t, "relation"), Confidence: 0.5,
			}
		}
		least := rapid.IntRange(0, 3).Draw(t, "least")
		switch op := rapid.SampledFrom([]Op{
			OpShelfAdd, OpShelfRemove, OpShelfRename, OpShelfForget, OpParentAdd, OpParentRemove, OpLinkAdd, OpLinkRemove,
			OpLinksReplace, OpDocumentID, OpDocumentMove, OpDocumentGone, OpCorrelate, OpPairsRefuse,
		}).Draw(t, "op"); op {
		case OpLinkAdd, OpLinkRemove:
			return Record{Op: op, Links: []ManualLink{link()}}
		case OpLinksReplace:
			l := link()
			return Record{Op: op, Source: l.Source, Links: []ManualLink{l}}
		case OpDocumentID:
			return Record{Op: op, Source: path.Draw(t, "path"), ID: int64(1 + least)}
		case OpDocumentMove:
			return Record{Op: op, Moves: map[string]string{path.Draw(t, "from"): path.Draw(t, "to"), path.Draw(t, "from"): path.Draw(t, "to")}}
		case OpDocumentGone:
			return Record{Op: op, Source: path.Draw(t, "path"), Hash: "00"}
		case OpCorrelate:
			if rapid.Bool().Draw(t, "document") {
				return Record{Op: op, Source: path.Draw(t, "path"), Settings: &Settings{MinSignals: &least}}
			}
			return Record{Op: op, Shelf: shelf.Draw(t, "shelf"), Settings: &Settings{Scope: "shelf", MaxLinks: &least}}
		case OpPairsRefuse:
			return Record{Op: op, Source: path.Draw(t, "source"), Targets: []string{path.Draw(t, "target"), path.Draw(t, "target")}}
		default:
			return Record{Op: op, Shelf: shelf.Draw(t, "shelf"), To: shelf.Draw(t, "to"), Root: "/r"}
		}
	})
}

// TestFewestStatementsSayTheSame: what compacting and exporting write comes to what was said.
func TestFewestStatementsSayTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		said := newSaid()
		for _, r := range rapid.SliceOfN(drawRecord(), 0, 30).Draw(t, "records") {
			before, copied := said, said.clone()
			said = said.clone()
			said.apply(r)
			if !reflect.DeepEqual(before, copied) {
				t.Fatal("a statement changed what others hold")
			}
		}
		again := newSaid()
		for _, r := range said.Records() {
			if !again.apply(r) {
				t.Fatalf("unknown %q", r.Op)
			}
		}
		if !reflect.DeepEqual(said, again) {
			t.Fatalf("said %+v\nagain %+v", said, again)
		}
	})
}

func TestMovesJoinWhatWasSaidOfBothPaths(t *testing.T) {
	for range 20 { // the order of maps must not show
		s := newSaid()
		for _, r := range []Record{
			{Op: OpDocumentID, Source: "a/old.md", ID: 1},
			{Op: OpDocumentID, Source: "a/new.md", ID: 2},
			{Op: OpLinkAdd, Links: []ManualLink{{Source: "a/old.md", Target: "a/t.md", Relation: "r", Label: "moved"}}},
			{Op: OpLinkAdd, Links: []ManualLink{{Source: "a/new.md", Target: "a/t.md", Relation: "r", Label: "stayed"}}},
			{Op: OpLinkAdd, Links: []ManualLink{{Source: "a/new.md", Target: "a/t.md", Relation: "other"}}},
			{Op: OpDocumentMove, Moves: map[string]string{"a/old.md": "a/new.md"}},
		} {
			s.apply(r)
		}
		links := s.Links["a/new.md"]
		if s.IDs["a/new.md"] != 1 || len(s.IDs) != 1 || len(links) != 2 || links[1].Label != "moved" {
			t.Fatalf("%+v", s)
		}
	}
}

func TestForgettingAShelfSparesThoseOfSimilarName(t *testing.T) {
	s := newSaid()
	for _, r := range []Record{
		{Op: OpShelfAdd, Shelf: "a", Root: "/a"},
		{Op: OpShelfAdd, Shelf: "ab", Root: "/ab"},
		{Op: OpParentAdd, Shelf: "ab", To: "a"},
		{Op: OpDocumentID, Source: "a/1.md", ID: 1},
		{Op: OpDocumentID, Source: "ab/1.md", ID: 2},
		{Op: OpLinkAdd, Links: []ManualLink{{Source: "ab/1.md", Target: "a/1.md", Relation: "r"}}},
		{Op: OpPairsRefuse, Source: "ab/1.md", Targets: []string{"a/1.md", "ab/2.md"}},
		{Op: OpShelfForget, Shelf: "a"},
	} {
		s.apply(r)
	}
	want := newSaid()
	want.Shelves["ab"] = SaidShelf{Root: "/ab"}
	want.IDs["ab/1.md"] = 2
	want.Refused["ab/1.md"] = map[string]bool{"ab/2.md": true}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("%+v", s)
	}
}

func TestALedgerThatGrewLongIsCompactedWhenItIsOpened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	l, _, err := OpenLedger(path, false)
	if err != nil {
		t.Fatal(err)
	}
	records := []Record{{Op: OpShelfAdd, Shelf: "s", Root: "/r"}}
	for range compactFrom {
		records = append(records, Record{Op: OpShelfRename, Shelf: "s", To: "t"}, Record{Op: OpShelfRename, Shelf: "t", To: "s"})
	}
	if err := l.Append(records...); err != nil {
		t.Fatal(err)
	}
	said := l.Said()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, warnings, err := OpenLedger(path, false)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	if err := l.Append(Record{Op: OpParentAdd, Shelf: "s", To: "p"}); err != nil {
		t.Fatal(err)
	}
	l.Close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n != 2 {
		t.Errorf("%d lines: %s", n, text)
	}
	l, _, err = OpenLedger(path, true)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(l.Said().Shelves, said.Shelves) || !l.Said().Parents["s"]["p"] {
		t.Errorf("%+v", l.Said())
	}
}

func TestALedgerWithStatementsOfANewerProgramIsNotCompacted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	line := `{"op":"from_the_future","at":1}` + "\n"
	if err := os.WriteFile(path, []byte(strings.Repeat(line, compactFrom+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	l, _, err := OpenLedger(path, false)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if text, err := os.ReadFile(path); err != nil || strings.Count(string(text), "\n") != compactFrom+1 {
		t.Errorf("%v: %d bytes", err, len(text))
	}
}
