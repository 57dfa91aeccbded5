package text

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Near are up to n of the candidates for which want may have been meant, the nearest first: those that end alike, then
// those a few letters away, then those that hold it or its beginning. Of paths the last step counts most.
func Near(want string, candidates []string, n int) []string {
	w := newWanted(want)
	return closest(candidates, n, func(c string) (int, bool) {
		rank := w.rank(Fold(c))
		return rank, rank < unlike
	})
}

// Nearest are as many as Near, but always n when there are so many candidates: what does not resemble want follows, the
// more pairs of letters it shares with it the earlier. Nothing is near an empty name.
func Nearest(want string, candidates []string, n int) []string {
	if want == "" {
		return []string{}
	}
	w := newWanted(want)
	return closest(candidates, n, func(c string) (int, bool) {
		folded := Fold(c)
		rank := w.rank(folded)
		if rank == unlike {
			rank -= w.shared(folded)
		}
		return rank, true
	})
}

// How a candidate resembles what is wanted, the nearest first.
const (
	sameName   = 0
	sameEnding = 1
	sameStem   = 2
	fewEdits   = 10 // and as many more
	held       = 100
	unlike     = 1 << 20
)

// nameLength is how much of a name is compared.
const nameLength = 400

type wantedName struct {
	folded, last, stem string
	pairs              map[string]bool
}

func newWanted(name string) wantedName {
	folded := Fold(name)
	if len(folded) > nameLength {
		folded = strings.ToValidUTF8(folded[len(folded)-nameLength:], "")
	}
	w := wantedName{folded: folded, last: lastStep(folded), pairs: map[string]bool{}}
	w.stem = w.last
	if i := strings.LastIndexByte(w.last, '.'); i > 0 {
		w.stem = w.last[:i]
	}
	eachPair(folded, func(pair string) { w.pairs[pair] = true })
	return w
}

func (w wantedName) rank(folded string) int {
	last := lastStep(folded)
	switch {
	case folded == w.folded:
		return sameName
	case last == w.last:
		return sameEnding
	case strings.HasPrefix(last, w.stem+"."):
		return sameStem
	}
	limit := 2 + len(w.last)/6
	if d := Distance(last, w.last, limit); d <= limit {
		return fewEdits + d
	}
	if len(w.stem) >= 3 && (strings.Contains(folded, w.stem) || len(last) >= 3 && strings.HasSuffix(w.folded, last)) {
		return held
	}
	return unlike
}

// shared is the share of pairs of letters that two names have in common, in thousands.
func (w wantedName) shared(folded string) int {
	both, all := 0, len(w.pairs)
	eachPair(folded, func(pair string) {
		all++
		if w.pairs[pair] {
			both++
		}
	})
	return 2000 * both / max(1, all)
}

// eachPair calls f for every character with the one after it.
func eachPair(s string, f func(pair string)) {
	before := -1
	for i, r := range s {
		if before >= 0 {
			f(s[before : i+utf8.RuneLen(r)])
		}
		before = i
	}
}

func lastStep(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// closest sorts the candidates that rank takes and keeps the first n.
func closest(candidates []string, n int, rank func(string) (int, bool)) []string {
	type ranked struct {
		name string
		rank int
	}
	var list []ranked
	for _, c := range candidates {
		if r, ok := rank(c); ok {
			list = append(list, ranked{c, r})
		}
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Or(a.rank-b.rank, strings.Compare(a.name, b.name)) })
	names := []string{}
	for _, r := range list[:min(n, len(list))] {
		names = append(names, r.name)
	}
	return names
}
