package store

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// need is the number of hits that makes a wider attempt superfluous.
func (s *search) need() int { return min(s.query.Limit, enough) }

// add puts what an attempt found behind what was found before: the chunks that more of its counting sets hold first.
func (s *search) add(g group) {
	g.ids = subtract(s.left(g.ids), s.seen)
	if len(g.ids) == 0 {
		return
	}
	s.seen = union(s.seen, g.ids)
	for _, ids := range byCount(g.ids, g.count) {
		part := g
		part.ids = ids
		s.groups = append(s.groups, part)
	}
}

// byCount parts ids by how many of some sets hold them, the most first.
func byCount(ids postings, sets []postings) []postings {
	if len(sets) == 0 {
		return []postings{ids}
	}
	held := make([]uint16, len(ids))
	for _, set := range sets {
		ids.shared(set, func(i int) { held[i]++ })
	}
	parts := make([]postings, len(sets)+1)
	for i, id := range ids {
		parts[held[i]] = append(parts[held[i]], id)
	}
	slices.Reverse(parts)
	return slices.DeleteFunc(parts, func(p postings) bool { return len(p) == 0 })
}

// left are the chunks that the filters and negated words leave.
func (s *search) left(ids postings) postings {
	for _, limit := range s.limits {
		ids = intersect(ids, limit)
	}
	return subtract(ids, s.banned)
}

// shown is how many of the chunks found so far all pages together show.
func (s *search) shown() int {
	if s.query.Path != "" {
		return len(s.seen)
	}
	n := 0
	s.index.eachDocument(s.seen, func(_ extent, from, to int) { n += min(to-from, perDocument) })
	return n
}

// every are the chunks for which every set holds, one at least inside the chunk itself.
//
// A chunk that holds nothing has all from the names of its document; it counts when it is the first one there.
func every(sets []found, firsts postings) postings {
	byRarity := slices.SortedFunc(slices.Values(sets), func(a, b found) int { return a.size() - b.size() })
	answers := byRarity[0].answers()
	for _, f := range byRarity[1:] {
		answers = intersect(answers, f.answers())
	}
	inside := make([]bool, len(answers))
	answers.shared(firsts, func(i int) { inside[i] = true })
	for _, f := range sets {
		answers.shared(f.in, func(i int) { inside[i] = true })
	}
	out := make(postings, 0, len(answers))
	for i, id := range answers {
		if inside[i] {
			out = append(out, id)
		}
	}
	return out
}

// asTyped wants every word as it was typed.
func (s *search) asTyped() error {
	g := group{match: MatchExact, wishes: s.wanted}
	for _, w := range s.wanted {
		g.sets = append(g.sets, w.typed)
		if w.ident != nil {
			g.count = append(g.count, w.ident)
		}
	}
	g.ids = every(g.sets, s.index.firsts)
	s.add(g)
	return nil
}

// stemsBelow is the number of exact hits below which stems are looked for. What it depends on is the same for every page:
// so is Total.
func (s *search) stemsBelow() int {
	if s.query.Limit < enough {
		return s.query.Limit
	}
	return longestPage
}

// byStem wants every word, by its stem where it is no phrase, prefix or identifier.
func (s *search) byStem() error {
	if s.shown() >= s.stemsBelow() {
		return nil
	}
	g := group{match: MatchRelaxed, wishes: s.wanted}
	wider := expression{}
	for _, w := range s.wanted {
		if err := s.widen(w); err != nil {
			return err
		}
		g.sets = append(g.sets, w.wide)
		g.count = append(g.count, w.typed.answers())
		wider = append(wider, append(slices.Clone(w.clause), wordUnits(w.stems)...))
	}
	if !slices.ContainsFunc(s.wanted, func(w *wish) bool { return len(w.stems) > 0 }) {
		return nil
	}
	g.ids = every(g.sets, s.index.firsts)
	s.add(g)
	s.ran = append(s.ran, wider.String())
	return nil
}

// widen looks a clause up by stem.
func (s *search) widen(w *wish) error {
	for i, u := range w.clause {
		if u.not {
			continue
		}
		f, words, err := s.stemmed(u, w.units[i])
		if err != nil {
			return err
		}
		w.wide = w.wide.or(f)
		w.stems = append(w.stems, words...)
	}
	return nil
}

// wordUnits makes units of words, the first few: enough to show what ran.
func wordUnits(words []string) clause {
	var c clause
	for _, word := range words[:min(len(words), 8)] {
		c = append(c, unit{kind: unitWord, text: word})
	}
	return c
}

// someWords wants some of the words, more of them first. Identifiers and CJK runs fall into their parts here.
func (s *search) someWords() error {
	if s.shown() >= s.need() {
		return nil
	}
	g := group{match: MatchRelaxed}
	some := clause{}
	for _, w := range s.wanted {
		parts, err := s.breakUp(w)
		if err != nil {
			return err
		}
		for _, part := range append([]*wish{w}, parts...) {
			g.wishes, g.sets = append(g.wishes, part), append(g.sets, part.wide)
		}
		if w.stop {
			continue
		}
		g.count = append(g.count, w.whole.answers())
		g.ids = union(g.ids, union(w.part.in, intersect(w.part.by, s.index.firsts)))
		some = append(append(some, w.clause...), wordUnits(w.pieces)...)
	}
	if len(s.wanted) == 1 && len(s.wanted[0].pieces) == 0 {
		return nil
	}
	s.add(g)
	s.ran = append(s.ran, expression(append([]clause{some}, s.filters()...)).String())
	return nil
}

// filters are the clauses without words: they hold in every attempt.
func (s *search) filters() expression {
	return slices.DeleteFunc(slices.Clone(s.expression), wantsWords)
}

// breakUp looks up what a clause's words fall into: the words of identifiers, the bigrams of CJK runs. Each part is a wish
// of its own, so that a rare one counts for more.
func (s *search) breakUp(w *wish) ([]*wish, error) {
	w.whole, w.part = w.wide, w.wide
	var list []*wish
	for _, u := range w.clause {
		p := cut(u.text)
		if u.kind != unitWord || u.not || len(p.running) == 1 && p.whole == "" {
			continue
		}
		var all found
		parts := slices.Compact(slices.Sorted(slices.Values(p.running)))
		for i, term := range parts {
			f, err := s.match(runningMatch([]string{term}))
			if err != nil {
				return nil, err
			}
			list = append(list, &wish{clause: clause{{kind: unitWord, text: term}}, units: []found{f}, typed: f, wide: f, of: w})
			w.part = w.part.or(f)
			if all = all.and(f); i == 0 {
				all = f
			}
		}
		w.whole = w.whole.or(all)
		w.pieces = append(w.pieces, parts...)
	}
	return list, nil
}

// insideWords looks for the words in the middle of others.
func (s *search) insideWords() error {
	if s.shown() >= s.need() {
		return nil
	}
	g := group{match: MatchSubstring, wishes: s.wanted}
	some := clause{}
	for _, w := range s.wanted {
		if w.stop {
			g.sets = append(g.sets, w.wide)
			continue
		}
		if err := s.lookInside(w); err != nil {
			return err
		}
		either := w.inside.or(w.wide)
		g.sets = append(g.sets, either)
		g.count = append(g.count, either.answers())
		g.ids = union(g.ids, union(w.inside.in, intersect(w.inside.by, s.index.firsts)))
		some = append(some, wordUnits(w.inner)...)
	}
	s.add(g)
	if len(some) == 0 {
		return nil
	}
	s.ran = append(s.ran, expression(append([]clause{some}, s.filters()...)).String())
	return nil
}

// substringMin is the length in characters from which a word is looked for inside others.
const substringMin = 3

// lookInside finds the words that hold one of a clause's inside.
func (s *search) lookInside(w *wish) error {
	for _, u := range w.clause {
		word := strings.Join(cut(u.text).running, "")
		if u.kind != unitWord || u.not || len(cut(u.text).running) != 1 || utf8.RuneCountInString(word) < substringMin {
			continue
		}
		f, words, err := s.containing(word)
		if err != nil {
			return err
		}
		w.inside = w.inside.or(f)
		w.inner = append(w.inner, words...)
	}
	return nil
}
