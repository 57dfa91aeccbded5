package correlate

import "strings"

// Comparison is what two documents have in common and what it is worth.
type Comparison struct {
	Signals    Signals
	Score      float64 // weighted sum of the signals
	Confidence float64 // in [0,1], see Compare
}

// Compare compares two documents; mentioned says that the source's text names the target. It is symmetric but for that.
//
// The signals are Jaccard similarities of title tokens, headings and tags; the overlap of keywords over the smaller
// set; 1 for the same folder and ½ for folders with the same parent; 1 for a mention. The confidence is the score over
// the weights of those signals that both documents can show, times min(1, (1+n)/4) for n signals above 0: one signal
// alone is worth half, two three quarters, three and more all.
func Compare(source, target Features, mentioned bool, w Weights) Comparison {
	s := Signals{
		Title:   jaccard(source.Title, target.Title),
		Heading: jaccard(source.Headings, target.Headings),
		Tag:     jaccard(source.Tags, target.Tags),
		Keyword: overlap(source.Keywords, target.Keywords),
		Path:    proximity(source.Folder, target.Folder),
	}
	if mentioned {
		s.Mention = 1
	}
	return w.weigh(s, shownBy(&source, &target))
}

// shows says which of the signals that need something written both documents can show.
type shows struct{ heading, tag, keyword bool }

func shownBy(a, b *Features) shows {
	return shows{
		heading: len(a.Headings) > 0 && len(b.Headings) > 0,
		tag:     len(a.Tags) > 0 && len(b.Tags) > 0,
		keyword: len(a.Keywords) > 0 && len(b.Keywords) > 0,
	}
}

// weigh turns signals into score and confidence. Invariant: neither falls when a signal rises; the pruning of Index
// rests on it.
func (w Weights) weigh(s Signals, shown shows) Comparison {
	c := Comparison{Signals: s}
	c.Score = w.Title*s.Title + w.Heading*s.Heading + w.Tag*s.Tag + w.Keyword*s.Keyword + w.Path*s.Path + w.Mention*s.Mention
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
	if possible > 0 {
		c.Confidence = min(1, c.Score/possible) * min(1, float64(1+s.Count())/4)
	}
	return c
}

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
