package store

import (
	"errors"
	"slices"

	"shelfd/internal/text"
)

const (
	// enough is the number of hits below which an attempt is followed by a wider one, unless fewer are asked for.
	enough = 5
	// longestPage is how many hits are asked for at most. With more exact ones inflections would only stand behind it.
	longestPage = 50
	// perDocument is how many chunks of one document are shown.
	perDocument = 3
)

// Search answers a query. No text of 1–1,024 characters is an error; a where that is no list of filters and a regular
// expression that does not parse are a *QueryError.
//
// A chunk is a hit when each wanted word stands in it or in the names of its document (title, aliases, tags, path), and
// one at least in the chunk itself; the first chunk stands for a document whose names hold them all. FTS5 finds sets of
// chunks, which are joined here, so Total is exact: it counts what all pages together deliver.
func (v *View) Search(q Query) (Answer, error) {
	where, err := parseWhere(q.Where)
	if err != nil {
		return Answer{}, err
	}
	l := &lookup{v: v}
	if l.index, err = v.census(); err != nil {
		return Answer{}, err
	}
	if l.scope, err = v.queryScope(q); errors.Is(err, ErrNotFound) {
		return Answer{}, nil
	} else if err != nil {
		return Answer{}, err
	}
	s := &search{lookup: l, query: q, expression: where}
	if q.Mode == ModeLiteral || q.Mode == ModeRegex {
		return s.lines()
	}
	e, err := l.settle(parse(q.Text))
	if err != nil {
		return Answer{}, err
	}
	s.expression = append(e, where...)
	return s.words()
}

// queryScope is the scope that a query names outside its text.
func (v *View) queryScope(q Query) (string, error) {
	if q.Path == "" {
		return folderScope(q.Folder), nil
	}
	var id int64
	err := v.queryRow(`SELECT id FROM documents WHERE file_path = ?`, []any{q.Path}, &id)
	return scopeMatch(documentTerm(id)), err
}

// search is one query under way.
type search struct {
	*lookup
	query      Query
	expression expression // the clauses of text and where

	wanted []*wish    // the clauses with words
	limits []postings // what each other clause leaves
	banned postings   // what negated clauses forbid
	groups []group    // what the attempts found, best first
	seen   postings   // what is in a group already
	ran    []string   // the attempts in the query language
}

// wish is a clause with words, and where it holds by each attempt's measure.
type wish struct {
	clause clause
	units  []found      // each unit as typed
	typed  found        // as typed
	ident  postings     // identifiers with all their signs; nil without any
	wide   found        // by stem, or as typed
	whole  found        // all parts of identifiers and CJK runs, in any order, or wide
	part   found        // one of the parts, or wide
	inside found        // in the middle of words
	stems  []string     // words of the same stem
	pieces []string     // parts
	inner  []string     // words that hold it inside
	meant  []correction // words like it
	of     *wish        // the wish that this one is a part of, nil for those of the query
	stop   bool         // too common to count when some of the words are enough
}

// group is what an attempt found and no earlier one did.
type group struct {
	match  Match
	ids    postings
	wishes []*wish    // what this attempt looked for: the wanted ones, or also what they fall into
	sets   []found    // where each of them holds, by this attempt
	count  []postings // the more of these hold a chunk, the earlier it stands
}

// words runs the attempts over the index.
func (s *search) words() (Answer, error) {
	if err := s.prepare(); err != nil {
		return Answer{}, err
	}
	s.ran = append(s.ran, s.expression.String())
	if len(s.wanted) == 0 {
		return s.list()
	}
	if err := s.withoutStrangers(); err != nil {
		return Answer{}, err
	}
	if s.query.Near != nil && s.query.Mode == ModeVector {
		return s.fused()
	}
	for _, attempt := range []func() error{s.asTyped, s.byStem, s.someWords, s.insideWords, s.fuzzily} {
		if err := attempt(); err != nil {
			return Answer{}, err
		}
	}
	return s.answer()
}

// prepare looks up every clause as typed. Clauses without anything to look for are dropped.
func (s *search) prepare() error {
	for _, c := range s.expression {
		if err := s.narrow(c); err != nil {
			return err
		}
	}
	known := map[string]bool{}
	for _, c := range s.expression {
		if known[c.String()] {
			continue
		}
		known[c.String()] = true
		w, err := s.wish(c)
		switch {
		case err != nil:
			return err
		case wantsWords(c):
			s.wanted = append(s.wanted, w)
		case isEmpty(c):
		case len(c) == 1 && c[0].not:
			s.banned = union(s.banned, w.typed.answers())
		default:
			s.limits = append(s.limits, w.typed.answers())
		}
	}
	if !slices.ContainsFunc(s.wanted, func(w *wish) bool { return !w.stop }) {
		for _, w := range s.wanted {
			w.stop = false
		}
	}
	return nil
}

// narrow lets a shelf: filter that stands for itself narrow the scope of everything.
func (s *search) narrow(c clause) error {
	if len(c) != 1 || c[0].kind != unitFilter || c[0].key != keyShelf || c[0].not || c[0].op != equal {
		return nil
	}
	scope, err := s.shelfScope(c[0].text)
	s.scope = andMatch(s.scope, scope)
	return err
}

// wantsWords says whether a clause asks for something in the text.
func wantsWords(c clause) bool {
	return slices.ContainsFunc(c, func(u unit) bool { return u.kind != unitFilter && !u.not && hasTerms(u) })
}

// isEmpty says that nothing of a clause can be looked for: it is punctuation.
func isEmpty(c clause) bool { return !slices.ContainsFunc(c, hasTerms) }

func hasTerms(u unit) bool { return u.kind == unitFilter || len(cut(u.text).running) > 0 }

// wish finds a clause as typed. The sign of a unit that stands alone is left to the caller.
func (s *search) wish(c clause) (*wish, error) {
	w := &wish{clause: c, stop: true}
	for _, u := range c {
		f, err := s.unit(u)
		if err == nil && u.not && len(c) > 1 {
			f, err = s.without(f)
		}
		if err != nil {
			return nil, err
		}
		if p := cut(u.text); u.kind == unitWord && p.whole != "" && len(p.running) > 1 {
			ident, err := s.match(identMatch(p.whole))
			if err != nil {
				return nil, err
			}
			w.ident = union(w.ident, ident.answers())
		}
		w.units = append(w.units, f)
		w.typed = w.typed.or(f)
		w.stop = w.stop && isStop(u)
	}
	w.wide = w.typed
	return w, nil
}

func isStop(u unit) bool {
	if u.kind != unitWord || u.not {
		return false
	}
	p := cut(u.text)
	return len(p.running) == 1 && p.whole == "" && text.Stop(p.running[0])
}
