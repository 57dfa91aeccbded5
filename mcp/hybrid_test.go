package mcp

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"shelfd/internal/vector"
	"shelfd/store"
)

// vectorsOf gives the library vectors in which only the wrong documents are near to any query: those of wrong.
func vectorsOf(l *library, wrong string) func(context.Context, VectorQuestion) (*store.Nearness, string) {
	l.t.Helper()
	set, err := vector.Open(filepath.Join(l.t.TempDir(), "v"), "m", false)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { set.Close() })
	query, err := vector.Quantise([]float32{1, 0})
	if err != nil {
		l.t.Fatal(err)
	}
	err = l.options.Store.View(l.t.Context(), func(v *store.View) error {
		documents, err := v.NewestFirst()
		for _, id := range documents {
			d, err := v.DocumentByID(id)
			if err != nil {
				return err
			}
			texts, err := v.ChunkTexts(id)
			if err != nil {
				return err
			}
			for _, x := range texts {
				components := []float32{-1, float32(x.Hash % 100)}
				if strings.Contains(d.Path, wrong) {
					components = []float32{1, float32(x.Hash%100) / 1000}
				}
				if v, err := vector.Quantise(components); err != nil {
					return err
				} else if err := set.Add([]vector.Entry{{Key: x.Hash, Vector: v}}); err != nil {
					return err
				}
			}
		}
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return func(_ context.Context, q VectorQuestion) (*store.Nearness, string) {
		if strings.Contains(q.Words, "unanswerable") {
			return nil, "the provider is away; this is the full-text answer"
		}
		return &store.Nearness{Set: set, Vector: query, Coverage: 1, Candidates: 200, RRFK: 60, FTSWeight: 1, VectorWeight: 50, Floor: 3}, ""
	}
}

func TestHybridHitsSayHowTheyCameThere(t *testing.T) {
	l := newLibrary(t, manual())
	l.options.Near = vectorsOf(l, "/zh/")
	var f found
	l.ok("search_documents", fields{"query": "torque", "detail": "evidence", "limit": 5}, &f) // auto
	if f.Retrieval != store.RetrievedByBoth || f.VectorWarning != "" || len(f.Hits) != 5 && !f.HasMore && len(f.Hits) != f.Total {
		t.Fatalf("%+v", f)
	}
	floors, vectors := 0, 0
	for _, h := range f.Hits {
		switch {
		case h.RetrievalReason == store.ReasonFloor:
			floors++
			if h.Retrieval != store.RetrievedByText || h.FTSRank < 1 || h.FTSRank > 3 || h.FTSScore == 0 {
				t.Errorf("%+v", h.evidence)
			}
		case h.Retrieval == store.RetrievedByVector:
			vectors++
			if h.VectorRank < 1 || h.VectorScore <= 0 || h.FTSRank != 0 || h.RRFScore <= 0 || h.Match != store.MatchRelaxed {
				t.Errorf("%+v", h)
			}
		}
	}
	if vectors == 0 || floors != f.Floored {
		t.Errorf("%d by vectors, %d of the floor, told %d", vectors, floors, f.Floored)
	}
	f = found{}
	l.ok("search_documents", fields{"query": "torque", "mode": "vector"}, &f)
	for _, h := range f.Hits {
		if !strings.Contains(h.DocPath, "/zh/") || h.RRFScore != 0 {
			t.Errorf("vector: %+v", h)
		}
	}
	if f.Retrieval != store.RetrievedByVector || len(f.Hits) == 0 {
		t.Errorf("%+v", f)
	}
}

func TestVectorsAreLeftOutWhereTheyAreNotAskedFor(t *testing.T) {
	l := newLibrary(t, manual())
	near := vectorsOf(l, "/zh/")
	asked := 0
	l.options.Near = func(ctx context.Context, q VectorQuestion) (*store.Nearness, string) {
		asked++
		return near(ctx, q)
	}
	for _, args := range []fields{{"query": "torque", "mode": "fts"}, {"query": "torque", "mode": "literal"}, {"query": "shelf:Standard"}, {"query": "-torque"}} {
		var f found
		l.ok("search_documents", args, &f)
		if f.Retrieval != store.RetrievedByText || f.VectorWarning != "" {
			t.Errorf("%v: %+v", args, f)
		}
	}
	if asked != 0 {
		t.Errorf("asked %d times", asked)
	}
	for _, mode := range []string{"auto", "hybrid", "vector"} {
		var f found
		l.ok("search_documents", fields{"query": "torque OR unanswerable", "mode": mode}, &f)
		if f.Retrieval != store.RetrievedByText || !strings.Contains(f.VectorWarning, "away") || len(f.Hits) == 0 {
			t.Errorf("%s: %+v", mode, f)
		}
	}
}
