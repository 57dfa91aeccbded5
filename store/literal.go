package store

import (
	"database/sql"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"shelfd/internal/text"
)

// finder finds a literal or a regular expression in lines of text.
type finder struct {
	re *regexp.Regexp
	// required is a text that every line with a match holds, but for the case of its letters; "" when there is none.
	required string
}

// newFinder makes a finder. A literal without a capital ignores case; a regular expression says so itself, by (?i).
func newFinder(q Query) (*finder, error) {
	expr, offset := q.Text, 0
	if q.Mode == ModeLiteral {
		expr = regexp.QuoteMeta(q.Text)
		if !strings.ContainsFunc(q.Text, unicode.IsUpper) {
			expr, offset = "(?i)"+expr, len("(?i)")
		}
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, regexFault(expr, offset, err)
	}
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, regexFault(expr, offset, err)
	}
	return &finder{re: re, required: requiredText(parsed.Simplify())}, nil
}

func regexFault(expr string, offset int, err error) error {
	fault := &QueryError{Position: 1, Reason: err.Error()}
	if e, ok := err.(*syntax.Error); ok {
		fault.Reason = string(e.Code)
		if e.Expr != "" {
			fault.Reason += ": " + e.Expr
		}
		if i := strings.Index(expr, e.Expr) - offset; i > 0 {
			fault.Position = utf8.RuneCountInString(expr[:i]) + 1
		}
	}
	return fault
}

// requiredText is the longest literal that stands in every match.
func requiredText(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return requiredText(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return requiredText(re.Sub[0])
		}
	case syntax.OpConcat:
		best := ""
		for _, sub := range re.Sub {
			if s := requiredText(sub); len(s) > len(best) {
				best = s
			}
		}
		return best
	}
	return ""
}

// lines answers a query for a literal or a regular expression: the chunks with a line that matches, in path order. The
// stored text of document bodies is searched; front matter is not part of any chunk.
func (s *search) lines() (Answer, error) {
	a := Answer{Queries: []string{s.query.Text}}
	if s.query.Text == "" {
		return a, nil
	}
	f, err := newFinder(s.query)
	if err != nil {
		return a, err
	}
	if err := s.prepare(); err != nil {
		return a, err
	}
	found, lines, err := s.matching(f)
	if err != nil {
		return a, err
	}
	s.add(group{match: MatchExact, ids: found})
	a.Total = s.shown()
	page, err := s.inPathOrder(s.seen)
	if err != nil {
		return a, err
	}
	a.Hits, err = s.hits(page)
	for i := range a.Hits {
		m := lines[a.Hits[i].Chunk.ID]
		a.Hits[i].Snippet, a.Hits[i].Score, a.Hits[i].Terms = m.line, float64(m.matches), []string{m.first}
	}
	return a, err
}

// lineMatch is what a finder found in a chunk.
type lineMatch struct {
	matches int
	first   string // the text of the first match
	line    string // the line around it, shortened
}

// matching finds the chunks with a match, and what it is.
func (s *search) matching(f *finder) (postings, map[int64]lineMatch, error) {
	documents, err := s.candidates(f)
	if err != nil {
		return nil, nil, err
	}
	var ids postings
	lines := map[int64]lineMatch{}
	for _, x := range documents {
		if err := s.v.ctx.Err(); err != nil {
			return nil, nil, err
		}
		content, err := s.v.Content(x.document)
		if err != nil {
			return nil, nil, err
		}
		err = s.v.each(`SELECT id, byte_start, byte_end FROM chunks WHERE id BETWEEN ? AND ?`,
			[]any{x.first, x.first + int64(x.n) - 1}, func(rows *sql.Rows) error {
				var id int64
				var start, end int
				err := rows.Scan(&id, &start, &end)
				if m := f.in(content[start:end]); m.matches > 0 {
					ids = append(ids, id)
					lines[id] = m
				}
				return err
			})
		if err != nil {
			return nil, nil, err
		}
	}
	return sorted(ids), lines, nil
}

// in looks through a text line by line.
func (f *finder) in(body string) lineMatch {
	var m lineMatch
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\r\n")
		for _, at := range f.re.FindAllStringIndex(line, -1) {
			if m.matches == 0 {
				m.first, m.line = line[at[0]:at[1]], shortLine(line, at[0])
			}
			m.matches++
		}
	}
	return m
}

// shortLine is a line without its indentation, cut to the length of a snippet around byte at.
func shortLine(line string, at int) string {
	from, to := 0, len(line)
	if utf8.RuneCountInString(line) > snippetLength {
		from = back(line, at, snippetLead)
		to = forward(line, from, snippetLength)
	}
	return strings.Join(strings.Fields(line[from:to]), " ")
}

// candidates are the documents of the scope that may hold a match: SQLite looks for the text that a match must hold.
// LIKE ignores the case of ASCII letters only, so a text with other letters is shortened to what it can find.
func (s *search) candidates(f *finder) (extents, error) {
	all, err := s.all()
	required := longestASCII(f.required)
	if err != nil || len(required) < 2 {
		return all, err
	}
	pattern := "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(required) + "%"
	holding, err := s.v.sortedInts(`SELECT id FROM documents WHERE content LIKE ? ESCAPE '\'`, pattern)
	return slices.DeleteFunc(slices.Clone(all), func(x extent) bool { return !holding.has(x.document) }), err
}

// longestASCII is the longest part of s in which LIKE and a match that ignores case agree: k and s have relatives
// outside ASCII.
func longestASCII(s string) string {
	best := ""
	for _, part := range strings.FieldsFunc(s, func(r rune) bool {
		return r >= utf8.RuneSelf && !text.IsCJK(r) || strings.ContainsRune("kKsS", r)
	}) {
		if len(part) > len(best) {
			best = part
		}
	}
	return best
}
