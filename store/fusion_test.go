package store

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelfd/internal/text"
	"shelfd/internal/vector"
)

// meaning is the vector of a text: a component a word, where words that mean the same share one.
func meaning(t testing.TB, content string) vector.Vector {
	t.Helper()
	same := map[string]string{"furnace": "boiler", "heater": "boiler", "lorry": "truck", "tap": "valve"}
	components := make([]float32, 64)
	components[0] = 1e-3 // so that each text has a direction
	text.Segment(content, func(x text.Token) {
		word := x.Term
		if s, ok := same[word]; ok {
			word = s
		}
		at := 7
		for _, b := range []byte(word) {
			at = (at*31 + int(b)) % 63
		}
		components[1+at]++
	})
	v, err := vector.Quantise(components)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// vectors are those of all chunks of a library.
func (l *library) vectors() *vector.Set {
	l.t.Helper()
	set, err := vector.Open(filepath.Join(l.t.TempDir(), "v"), "m", false)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { set.Close() })
	var entries []vector.Entry
	for _, c := range l.hashed() {
		entries = append(entries, vector.Entry{Key: c.Hash, Vector: meaning(l.t, c.Trail+"\n"+c.Body)})
	}
	if err := set.Add(entries); err != nil {
		l.t.Fatal(err)
	}
	return set
}

func (l *library) hashed() (all []ChunkText) {
	l.t.Helper()
	err := l.s.View(l.t.Context(), func(v *View) error {
		documents, err := v.NewestFirst()
		for _, id := range documents {
			texts, err := v.ChunkTexts(id)
			if err != nil {
				return err
			}
			all = append(all, texts...)
		}
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return all
}

func asking(t testing.TB, set *vector.Set, query string) *Nearness {
	t.Helper()
	return &Nearness{Set: set, Vector: meaning(t, Words(query)), Coverage: 1, Candidates: 200, RRFK: 60, FTSWeight: 1, VectorWeight: 1, Floor: 3}
}

func TestVectorsFindOtherWordsForTheSame(t *testing.T) {
	l := small(t)
	set := l.vectors()
	a := l.search(Query{Text: "furnace tap", Mode: ModeHybrid, Near: asking(t, set, "furnace tap")})
	if len(a.Hits) == 0 || a.Hits[0].Document.Path != "Manual/guides/boiler.md" || a.Retrieval != RetrievedByBoth {
		t.Fatalf("%v, %s", foundPaths(a), a.Retrieval)
	}
	if f := a.Hits[0].Fusion; f.Retrieval != RetrievedByVector || f.VectorRank != 1 || f.FTSRank != 0 || f.VectorScore <= 0 {
		t.Errorf("%+v", f)
	}
}

func TestWhatBothFindIsWorthBothReciprocalRanks(t *testing.T) {
	l := small(t)
	n := asking(t, l.vectors(), "boiler")
	n.Coverage, n.FTSWeight, n.VectorWeight = 0.5, 2, 3
	a := l.search(Query{Text: "boiler", Mode: ModeHybrid, Near: n, Limit: 50})
	both := 0
	for _, h := range a.Hits {
		f, want := h.Fusion, 0.0
		if f.FTSRank > 0 {
			want += 2 / float64(60+f.FTSRank)
		}
		if f.VectorRank > 0 {
			want += 3 * 0.5 / float64(60+f.VectorRank)
		}
		if f.Retrieval == RetrievedByBoth {
			both++
		}
		if math.Abs(f.RRFScore-want) > 1e-12 || h.Score != f.RRFScore {
			t.Errorf("%s: %+v, want %v", h.Document.Path, f, want)
		}
	}
	if both == 0 {
		t.Error("nothing was found by both")
	}
}

// TestVectorsHeedWhatTheQueryForbids: filters, places, unwanted words and phrases hold for what only vectors found.
func TestVectorsHeedWhatTheQueryForbids(t *testing.T) {
	l := small(t)
	set := l.vectors()
	for _, c := range []struct {
		q       Query
		allowed func(Hit) bool
	}{
		{Query{Text: "furnace", Folder: "Manual/guides"}, func(h Hit) bool { return strings.HasPrefix(h.Document.Path, "Manual/guides/") }},
		{Query{Text: "furnace", Path: "Manual/pump.md"}, func(h Hit) bool { return h.Document.Path == "Manual/pump.md" }},
		{Query{Text: "furnace", Where: "status:draft"}, func(h Hit) bool { return h.Document.Path == "Manual/guides/boiler.md" }},
		{Query{Text: "furnace shelf:Manual"}, func(h Hit) bool { return h.Document.Shelf == "Manual" }},
		{Query{Text: "furnace -pump"}, func(h Hit) bool { return !strings.Contains(h.Document.Path, "pump") && h.NodeID != "pump" }},
		{Query{Text: `furnace "heats water"`}, func(h Hit) bool { return h.NodeID == "boiler" }},
		{Query{Text: `furnace "no such phrase"`}, func(Hit) bool { return false }},
	} {
		for _, mode := range []Mode{ModeHybrid, ModeVector} {
			c.q.Mode, c.q.Near = mode, asking(t, set, c.q.Text)
			a := l.search(c.q)
			for _, h := range a.Hits {
				if h.Fusion.VectorRank > 0 && !c.allowed(h) {
					t.Errorf("%s %q %q: %s#%s", mode, c.q.Text, c.q.Where, h.Document.Path, h.NodeID)
				}
			}
			if len(a.Hits) == 0 && !strings.Contains(c.q.Text, "no such") {
				t.Errorf("%s %q: nothing found", mode, c.q.Text)
			}
		}
	}
}

// flood is one page that says the word, and many that vectors take for nearer.
func flood(t *testing.T) *library {
	l := newLibrary(t)
	for i := range 30 {
		l.put(page{path: fmt.Sprintf("Near/n%02d.md", i), body: fmt.Sprintf("furnace heater p%d\n", i)})
	}
	for i := range 4 {
		l.put(page{path: fmt.Sprintf("Said/s%d.md", i), body: "boiler " + strings.Repeat("and a word or two of another kind ", 9) + fmt.Sprintf("q%d\n", i)})
	}
	return l
}

func TestTheBestFullTextHitsKeepAPlace(t *testing.T) {
	l := flood(t)
	n := asking(t, l.vectors(), "boiler")
	n.VectorWeight = 100
	plain := foundPaths(l.search(Query{Text: "boiler", Limit: 10}))
	for limit := 1; limit <= 12; limit++ {
		a := l.search(Query{Text: "boiler", Mode: ModeHybrid, Near: n, Limit: limit})
		floors := 0
		for i, h := range a.Hits {
			if h.Fusion.Reason == ReasonFloor {
				floors++
				if i >= enough || h.Fusion.FTSRank > 3 {
					t.Errorf("limit %d: at %d %+v", limit, i, h.Fusion)
				}
			}
		}
		want := min(3, limit)
		if floors != want || a.FloorReplacements != want {
			t.Errorf("limit %d: %d hits of the floor, %d told, want %d", limit, floors, a.FloorReplacements, want)
		}
		for _, path := range plain[:want] {
			if !slices.Contains(foundPaths(a), path) {
				t.Errorf("limit %d: %s is missing", limit, path)
			}
		}
	}
	n.Floor = 0
	if a := l.search(Query{Text: "boiler", Mode: ModeHybrid, Near: n, Limit: 10}); a.FloorReplacements != 0 {
		t.Errorf("%d replaced without a floor", a.FloorReplacements)
	}
}

func TestAWeightOfNothingLeavesTheFullTextOrder(t *testing.T) {
	l := flood(t)
	n := asking(t, l.vectors(), "boiler furnace")
	n.Coverage = 0
	plain := foundPaths(l.search(Query{Text: "boiler furnace", Limit: 20}))
	if got := foundPaths(l.search(Query{Text: "boiler furnace", Limit: 20, Mode: ModeHybrid, Near: n})); !slices.Equal(got, plain) {
		t.Errorf("%v\nwant %v", got, plain)
	}
}

func TestVectorsOfChunksThatAreGoneAreNoHits(t *testing.T) {
	l := small(t)
	set := l.vectors()
	l.remove("Manual/guides/boiler.md")
	a := l.search(Query{Text: "furnace", Mode: ModeVector, Near: asking(t, set, "furnace"), Limit: 50})
	for _, h := range a.Hits {
		if h.Document.Path == "Manual/guides/boiler.md" {
			t.Error("a chunk that is gone")
		}
	}
	if len(a.Hits) == 0 || a.Retrieval != RetrievedByVector {
		t.Errorf("%d hits by %s", len(a.Hits), a.Retrieval)
	}
}

// A model of the library brings nothing for a word that no document holds, by any mode; other models know their own words.
func TestWordsThatNoDocumentHoldsBringNoNeighbours(t *testing.T) {
	l := newLibrary(t)
	l.put(
		page{path: "Manual/a.md", language: "en", body: "# Boiler\n\nThe boiler burns gas.\n"},
		page{path: "Manual/b.md", language: "en", body: "# Valve\n\nThe valve of the heater opens.\n"},
		page{path: "Zh/c.md", body: "# 锅炉\n\n锅炉的合同。\n"},
	)
	set := l.vectors()
	for _, c := range []struct {
		query string
		where string
		near  bool
	}{
		{"furnace", "", false},            // it was held by a document that is gone, or shares a stem with one
		{"锅合", "", false},                 // characters of words that are held
		{`"furnace"`, "", false},          // a phrase of it
		{`"valve gas"`, "", false},        // words that never stand together
		{"furnace lorry", "", false},      // several
		{"furnace", "path:b", false},      // wherever it is looked for
		{"boiler", "path:nowhere", false}, // nothing is left to be near
		{"boiler", "after:2999-01-01", false},
		{"furnace boiler", "", true}, // one of them is held
		{"boilers", "", true},        // a word of the same stem
		{"furnace-boiler", "", true}, // a part
		{"boiler", "path:b", true},   // elsewhere: what is near is wanted here
	} {
		for _, mode := range []Mode{ModeAuto, ModeHybrid, ModeVector} {
			near := asking(t, set, strings.TrimSuffix(c.query, "s")) // by its stem
			near.OwnWords = true
			a := l.search(Query{Text: c.query, Where: c.where, Mode: mode, Near: near})
			found := false
			for _, h := range a.Hits {
				found = found || h.Fusion != nil && h.Fusion.VectorRank > 0
			}
			if found != c.near || !c.near && len(a.Hits) > 0 {
				t.Errorf("%s %s by %s: %v, near %v", c.query, c.where, mode, foundPaths(a), found)
			}
		}
	}
	if a := l.search(Query{Text: "furnace", Mode: ModeHybrid, Near: asking(t, set, "furnace")}); len(a.Hits) == 0 {
		t.Error("a model of all the world's words knows this one")
	}
}

// TestBothWaysToTheNearestAgree: looking few chunks up and going through all vectors.
func TestBothWaysToTheNearestAgree(t *testing.T) {
	l := flood(t)
	set := l.vectors()
	err := l.s.View(t.Context(), func(v *View) error {
		index, err := v.census()
		if err != nil {
			return err
		}
		n := asking(t, set, "boiler word")
		n.Candidates = 5
		s := &search{lookup: &lookup{v: v, index: index}, query: Query{Near: n}}
		for _, allowed := range []postings{index.documents.chunks(), {3, 9, 17, 31, 33}, {34}, nil} {
			few, err := s.nearestOf(allowed)
			if err != nil {
				return err
			}
			all, err := s.nearestIn(allowed)
			if err != nil {
				return err
			}
			ids := func(list []placed) (out []int64) {
				for _, p := range list {
					out = append(out, p.id)
				}
				return out
			}
			if !slices.Equal(ids(few), ids(all)) || len(few) != min(5, len(allowed)) {
				t.Errorf("%v and %v of %v", ids(few), ids(all), allowed)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPagesOfAFusedAnswerAreOneRanking for every length from five on, each hit once, and as many as was told.
func TestPagesOfAFusedAnswerAreOneRanking(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := newLibrary(t)
		for i := range rapid.IntRange(1, 12).Draw(rt, "pages") {
			l.put(drawPage(rt, i))
		}
		set := l.vectors()
		query := drawQuery(rt)
		n := asking(t, set, query)
		n.Candidates = rapid.IntRange(1, 20).Draw(rt, "candidates")
		n.VectorWeight = rapid.Float64Range(0, 5).Draw(rt, "weight")
		n.Floor = rapid.IntRange(0, 6).Draw(rt, "floor")
		mode := rapid.SampledFrom([]Mode{ModeHybrid, ModeVector}).Draw(rt, "mode")
		whole := l.search(Query{Text: query, Limit: 50, Mode: mode, Near: n})
		for _, limit := range []int{2, 5, 7} {
			var list []int64
			for {
				a := l.search(Query{Text: query, Limit: limit, Offset: len(list), Mode: mode, Near: n})
				if a.Total != whole.Total && limit >= enough {
					rt.Fatalf("query %s, limit %d, offset %d: %d in all, want %d", query, limit, len(list), a.Total, whole.Total)
				}
				for _, h := range a.Hits {
					list = append(list, h.Chunk.ID)
				}
				if len(a.Hits) == 0 {
					if len(list) != a.Total {
						rt.Fatalf("query %s, limit %d: %d hits, told %d", query, limit, len(list), a.Total)
					}
					break
				}
			}
			if unique := slices.Compact(slices.Sorted(slices.Values(list))); len(unique) != len(list) {
				rt.Fatalf("query %s, limit %d: a hit twice in %v", query, limit, list)
			}
			if limit < enough {
				continue
			}
			var one []int64
			for _, h := range whole.Hits {
				one = append(one, h.Chunk.ID)
			}
			if !slices.Equal(one, list) {
				rt.Fatalf("query %s: pages of %d %v, one page %v", query, limit, list, one)
			}
		}
	})
}

func TestWordsForAVectorAreThoseThatAreWanted(t *testing.T) {
	for query, want := range map[string]string{
		`boiler "valve seat" -pump shelf:Manual after:2025-01-01`: "boiler valve seat",
		`C++ OR foo*`:                "C++ foo",
		`tag:x -y`:                   "",
		`日本語 なに`:                     "日本語 なに",
		"how do I close the valve ?": "how do I close the valve",
	} {
		if got := Words(query); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

// TestVectorsOfHiddenDocumentsAreNoHits, by either way to the nearest, with totals that know nothing of them.
func TestVectorsOfHiddenDocumentsAreNoHits(t *testing.T) {
	l := flood(t)
	set := l.vectors()
	sight := NewSight(Seen{Shelves: []ShelfSight{{Name: "Said"}}})
	for _, mode := range []Mode{ModeVector, ModeHybrid} {
		var narrowed Answer
		err := l.s.ViewAs(t.Context(), sight, func(v *View) (err error) {
			narrowed, err = v.Search(Query{Text: "furnace boiler", Limit: 50, Mode: mode, Near: asking(t, set, "furnace boiler")})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range narrowed.Hits {
			if h.Document.Shelf != "Said" {
				t.Errorf("%s: %s", mode, h.Document.Path)
			}
		}
		if len(narrowed.Hits) != 4 || narrowed.Total != 4 {
			t.Errorf("%s: %d hits, %d told, want 4", mode, len(narrowed.Hits), narrowed.Total)
		}
	}
	err := l.s.ViewAs(t.Context(), sight, func(v *View) error {
		index, err := v.census()
		if err != nil {
			return err
		}
		s := &search{lookup: &lookup{v: v, index: index}, query: Query{Near: asking(t, set, "boiler")}}
		near, err := s.nearestIn(index.documents.chunks())
		if len(near) != 4 {
			t.Errorf("%d chunks by going through all vectors, want 4", len(near))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
