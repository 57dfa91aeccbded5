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
