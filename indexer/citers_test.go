package indexer

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestCitersAreASetForEachDocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, want := citers{}, map[int64]map[int64]bool{}
		for range rapid.IntRange(0, 60).Draw(t, "changes") {
			target, source := rapid.Int64Range(1, 3).Draw(t, "target"), rapid.Int64Range(1, 300).Draw(t, "source")
			cites := rapid.IntRange(0, 2).Draw(t, "cites") > 0
			c.set(target, source, cites)
			if want[target] == nil {
				want[target] = map[int64]bool{}
			}
			if want[target][source] = cites; !cites {
				delete(want[target], source)
			}
		}
		for target := range int64(4) {
			if got := c.of(target); !slices.Equal(got, slices.Sorted(maps.Keys(want[target]))) {
				t.Fatalf("%d: got %v, want %v", target, got, want[target])
			}
		}
	})
}

func TestWhatASourceCitesIsMoved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, want := citers{}, citers{}
		var before []int64
		for source := range int64(3) {
			c.move(source, nil, []int64{1, 2})
			want.set(1, source, true)
			want.set(2, source, true)
		}
		before = []int64{1, 2}
		for range rapid.IntRange(1, 5).Draw(t, "moves") {
			cited := rapid.SliceOfDistinct(rapid.Int64Range(1, 6), rapid.ID).Draw(t, "cited")
			slices.Sort(cited)
			c.move(1, before, cited)
			for target := range int64(7) {
				want.set(target, 1, slices.Contains(cited, target))
			}
			before = cited
		}
		for target := range int64(7) {
			if !slices.Equal(c.of(target), want.of(target)) {
				t.Fatalf("%d: got %v, want %v", target, c.of(target), want.of(target))
			}
		}
	})
}
