package store

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestTheSmallestAreThoseOfASortedList, however many are wanted: pages that overlap or leave gaps begin here.
func TestTheSmallestAreThoseOfASortedList(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list := rapid.SliceOfN(rapid.IntRange(0, 40), 0, 120).Draw(rt, "list")
		n := rapid.IntRange(1, 20).Draw(rt, "n")
		want := slices.Sorted(slices.Values(list))
		want = want[:min(n, len(want))]
		if got := smallest(slices.Clone(list), n, cmp.Compare[int]); !slices.Equal(got, want) {
			rt.Fatalf("the %d smallest of %v: %v, want %v", n, list, got, want)
		}
	})
}
