package correlate

import (
	"math"
	"slices"
	"strings"
)

// comparison is what two documents have in common and what it is worth. It is symmetric but for mentions.
//
// The signals are Jaccard similarities of title tokens, headings and tags; the overlap of keywords over the smaller
// set; 1 for the same folder and ½ for folders with the same parent; 1 for a mention. The confidence is the score over
// the weights of those signals that both documents can show, times min(1, (1+n)/4) for n signals above 0: one signal
// alone is worth half, two three quarters, three and more all; and rounded to four places, so that what is shown, stored
// and held against a least confidence is one number.
//
// What repeats the title carries no confidence, though it stands in signals and score: a heading that is the title of
// either document, and a mention by a name that both have, since every text says its own title. Else a title in common
// would count three times. Nor does a document show headings when it has none but its title.
type comparison struct {
	Signals    Signals
	Score      float64 // weighted sum of the signals
	Confidence float64 // in [0,1]
}

// headings is how alike the headings of two documents are, and how much of that is not an echo of a title.
func headings(a, b *Features) (likeness, carried float64) {
	n := shared(a.Headings, b.Headings)
	if n == 0 {
		return 0, 0
	}
	echoes := 0
	if has(b.Headings, a.Echo) {
		echoes++
	}
	if a.Echo != b.Echo && has(a.Headings, b.Echo) {
		echoes++
	}
	union := float64(len(a.Headings) + len(b.Headings) - n)
	return float64(n) / union, float64(n-echoes) / union
}

// has says whether a hash is in a sorted set; 0 stands for none.
func has(set []uint64, hash uint64) bool {
	if hash == 0 {
		return false
	}
	_, found := slices.BinarySearch(set, hash)
	return found
}

// shows says which of the signals that need something written both documents can show.
type shows struct{ heading, tag, keyword bool }

func shownBy(a, b *Features) shows {
	return shows{
		heading: a.showsHeadings() && b.showsHeadings(),
		tag:     len(a.Tags) > 0 && len(b.Tags) > 0,
		keyword: len(a.Keywords) > 0 && len(b.Keywords) > 0,
	}
}

// showsHeadings says whether there is a heading that is not the title again.
func (f *Features) showsHeadings() bool {
	return len(f.Headings) > 1 || len(f.Headings) == 1 && f.Echo == 0
}

// score is the weighted sum of signals.
func (w Weights) score(s Signals) float64 {
	return w.Title*s.Title + w.Heading*s.Heading + w.Tag*s.Tag + w.Keyword*s.Keyword + w.Path*s.Path + w.Mention*s.Mention
}

// confidence is that of the signals without echoes. Invariant: it does not fall when a signal rises; the pruning of
// Index rests on it.
func (w Weights) confidence(carried Signals, shown shows) float64 {
	possible := w.Title + w.Path + w.Mention
	if shown.heading {
		possible += w.Heading
	}
	if shown.tag {
		possible += w.Tag
	}
	if shown.keyword {
		possible += w.Keyword
	}
	if possible <= 0 {
		return 0
	}
	return rounded(min(1, w.score(carried)/possible) * min(1, float64(1+carried.Count())/4))
}

// rounded has four decimal places, as answers show them.
func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// shared counts the common elements of two sorted sets.
func shared(a, b []uint64) int {
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			n++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return n
}

func jaccard(a, b []uint64) float64 {
	n := shared(a, b)
	if n == 0 {
		return 0
	}
	return float64(n) / float64(len(a)+len(b)-n)
}

func overlap(a, b []uint64) float64 {
	n := shared(a, b)
	if n == 0 {
		return 0
	}
	return float64(n) / float64(min(len(a), len(b)))
}

// proximity compares folders inside the roots.
func proximity(a, b string) float64 {
	switch {
	case a == b:
		return 1
	case a != "" && b != "" && parentFolder(a) == parentFolder(b):
		return 0.5
	}
	return 0
}

func parentFolder(folder string) string {
	return folder[:max(0, strings.LastIndexByte(folder, '/'))]
}
