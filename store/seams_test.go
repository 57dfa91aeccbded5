package store

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelfd/internal/text"
)

// TestSeamsHoldWhatLiesAcrossACut and nothing that the text does not hold.
func TestSeamsHoldWhatLiesAcrossACut(t *testing.T) {
	words := []string{"feed", "pump", "of", "the", "boiler", "锅炉阀", "Éclair", "x_y", "a.b", "–", "...", "\n\n", "# "}
	termsOf := func(s string) string {
		terms, _ := text.AppendTerms([]byte(" "), nil, s)
		return string(terms)
	}
	rapid.Check(t, func(t *rapid.T) {
		body, starts := "", []int64{}
		for _, word := range rapid.SliceOfN(rapid.SampledFrom(words), 1, 200).Draw(t, "words") {
			body += word + " "
			starts = append(starts, int64(len(body)))
		}
		cuts := rapid.SliceOfN(rapid.SampledFrom(starts), 0, 6).Draw(t, "cuts")
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		n := rapid.IntRange(2, 4).Draw(t, "n")
		all, got := termsOf(body), termsOf(seams(body, cuts, n))
		for _, cut := range cuts {
			left, right := strings.Fields(termsOf(body[:cut])), strings.Fields(termsOf(body[cut:]))
			for k := 1; k < n; k++ {
				if k > len(left) || n-k > len(right) {
					continue
				}
				name := " " + strings.Join(append(slices.Clone(left[len(left)-k:]), right[:n-k]...), " ") + " "
				if strings.Contains(all, name) && !strings.Contains(got, name) {
					t.Fatalf("%q lies across %d of %q, and not in %q", name, cut, body, got)
				}
			}
		}
		for piece := range strings.SplitSeq(got, " 0seam0 ") {
			if name := " " + strings.Join(strings.Fields(piece), " ") + " "; name != "  " && !strings.Contains(all, name) {
				t.Fatalf("%q is not in %q", name, all)
			}
		}
	})
}
