package store

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"

	"shelfd/internal/text"
)

// finder finds a literal or a regular expression in lines of text.
type finder struct {
	re *regexp.Regexp
	// needle is in every text with a match.
	needle asciiNeedle
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
	return &finder{re: re, needle: newNeedle(longestASCII(requiredText(parsed.Simplify())))}, nil
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
	found, err := s.matching(f)
	if err != nil {
		return a, err // also when time ran out: the total of a part would be wrong
	}
	s.add(group{match: MatchExact, ids: found})
	a.Total = s.shown()
	page, err := s.inPathOrder(s.seen)
	if err != nil {
		return a, err
	}
	if a.Hits, err = s.hits(page); err != nil {
		return a, err
	}
	return a, s.showLines(f, page, a.Hits)
}

// showLines puts what matched into hits.
func (s *search) showLines(f *finder, page []placed, hits []Hit) error {
	found := map[int64]map[int64]lineMatch{} // of each document, all that match
	for i := range hits {
		id := hits[i].Document.ID
		if found[id] == nil {
			matches, err := s.inDocument(f, id)
			if err != nil {
				return err
			}
			found[id] = matches
		}
		m := found[id][hits[i].Chunk.ID]
		hits[i].Snippet, hits[i].Score, hits[i].Terms = m.line, float64(m.matches), []string{m.first}
		if page[i].nth == perDocument {
			hits[i].More = len(found[id]) - perDocument
		}
	}
	return nil
}

// inDocument is what matches in each chunk of a document that the filters leave.
func (s *search) inDocument(f *finder, document int64) (map[int64]lineMatch, error) {
	content, err := s.v.Content(document)
	if err != nil {
		return nil, err
	}
	matches := map[int64]lineMatch{}
	for _, x := range s.index.of(postings{document}) {
		spans, err := s.v.chunkSpans(x.first, x.first+int64(x.n)-1)
		if err != nil {
			return nil, err
		}
		for _, span := range spans {
			if m := f.in(content[span.start:span.end]); m.matches > 0 && len(s.left(postings{span.id})) > 0 {
				matches[span.id] = m
			}
		}
	}
	return matches, nil
}

// lineMatch is what a finder found in a chunk.
type lineMatch struct {
	matches int
	first   string // the text of the first match
	line    string // the line around it, shortened
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

// longestASCII is the longest part of s that every match holds byte for byte but for the case of ASCII letters: k and s
// have relatives outside ASCII.
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
