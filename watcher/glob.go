package watcher

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// segment is what a pattern says about one name of a path.
type segment struct {
	text   string // the pattern; of a suffix segment, what follows the star
	manner manner
	dot    bool // the pattern begins with a literal dot, so that it may match hidden names
}

// manner is how a segment is matched: most patterns need no backtracking.
type manner uint8

const (
	wild    manner = iota // anything with meta characters
	literal               // equal
	suffix                // *text
	deep                  // **: any number of names
)

func compileSegment(text string) segment {
	s := segment{text: text, dot: strings.HasPrefix(text, ".")}
	switch {
	case text == "**":
		s.manner = deep
	case !strings.ContainsAny(text, `*?[\`):
		s.manner = literal
	case text[0] == '*' && !strings.ContainsAny(text[1:], `*?[\`):
		s.manner, s.text = suffix, text[1:]
	}
	return s
}

// compileSegments cuts a pattern at its slashes. A last ** becomes ** and *: what it matches lies below the rest.
func compileSegments(pattern string) []segment {
	var out []segment
	for part := range strings.SplitSeq(pattern, "/") {
		s := compileSegment(part)
		if s.manner == deep && len(out) > 0 && out[len(out)-1].manner == deep {
			continue
		}
		out = append(out, s)
	}
	if out[len(out)-1].manner == deep {
		out = append(out, compileSegment("*"))
	}
	return out
}

func (s segment) match(name string) bool {
	switch s.manner {
	case literal:
		return name == s.text
	case suffix:
		return strings.HasSuffix(name, s.text)
	case deep:
		return true
	}
	return matchName(s.text, name)
}

// matchPath says whether the names fit the segments, all of both. deepTakes says which names ** may stand for.
// It goes back to the last ** only, so the time is bounded by the product of the lengths whatever the pattern.
func matchPath(pattern []segment, names []string, takes func(segment, string) bool) bool {
	i, j, back, mark := 0, 0, -1, 0
	for j < len(names) {
		switch {
		case i < len(pattern) && pattern[i].manner == deep:
			back, mark = i, j
			i++
		case i < len(pattern) && takes(pattern[i], names[j]):
			i, j = i+1, j+1
		case back >= 0 && takes(pattern[back], names[mark]):
			mark++
			i, j = back+1, mark
		default:
			return false
		}
	}
	return i == len(pattern)
}

// matchName matches one name against *, ?, [class] and \escape, as git and doublestar do inside one name.
func matchName(pattern, name string) bool {
	i, j, back, mark := 0, 0, -1, 0
	for j < len(name) {
		if i < len(pattern) && pattern[i] == '*' {
			back, mark = i, j
			i++
			continue
		}
		if n, width, ok := matchOne(pattern[i:], name[j:]); ok {
			i, j = i+n, j+width
			continue
		}
		if back < 0 {
			return false
		}
		_, width := utf8.DecodeRuneInString(name[mark:])
		mark += width
		i, j = back+1, mark
	}
	return strings.Trim(pattern[i:], "*") == ""
}

// matchOne matches the first character of name and returns the bytes used of both.
func matchOne(pattern, name string) (used, width int, ok bool) {
	if pattern == "" {
		return 0, 0, false
	}
	r, width := utf8.DecodeRuneInString(name)
	switch pattern[0] {
	case '?':
		return 1, width, true
	case '[':
		in, used := matchClass(pattern, r)
		return used, width, in
	case '\\':
		if len(pattern) == 1 {
			return 0, 0, false
		}
		return 2, 1, pattern[1] == name[0]
	}
	return 1, 1, pattern[0] == name[0]
}

// matchClass says whether r is in the class that pattern begins with, and how long that is. An unclosed class
// contains nothing.
func matchClass(pattern string, r rune) (in bool, used int) {
	i := 1
	negate := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negate {
		i++
	}
	for first := true; i < len(pattern); first = false {
		if pattern[i] == ']' && !first {
			return in != negate, i + 1
		}
		if name, ok := posixClass(pattern[i:]); ok {
			in = in || inPosixClass(name, r)
			i += len(name) + 4
			continue
		}
		low, n := classRune(pattern[i:])
		high := low
		i += n
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			high, n = classRune(pattern[i+1:])
			i += 1 + n
		}
		in = in || (low <= r && r <= high)
	}
	return false, len(pattern)
}

func classRune(s string) (r rune, width int) {
	if s[0] == '\\' && len(s) > 1 {
		r, width = utf8.DecodeRuneInString(s[1:])
		return r, width + 1
	}
	return utf8.DecodeRuneInString(s)
}

// posixClass returns the name in a leading [:name:].
func posixClass(s string) (string, bool) {
	if !strings.HasPrefix(s, "[:") {
		return "", false
	}
	name, _, ok := strings.Cut(s[2:], ":]")
	return name, ok
}

func inPosixClass(name string, r rune) bool {
	if r > unicode.MaxASCII {
		return false
	}
	switch name {
	case "alpha":
		return unicode.IsLetter(r)
	case "digit":
		return unicode.IsDigit(r)
	case "alnum":
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	case "upper":
		return unicode.IsUpper(r)
	case "lower":
		return unicode.IsLower(r)
	case "space":
		return unicode.IsSpace(r)
	case "blank":
		return r == ' ' || r == '\t'
	case "punct":
		return unicode.IsPunct(r) || unicode.IsSymbol(r)
	case "xdigit":
		return strings.ContainsRune("0123456789abcdefABCDEF", r)
	case "cntrl":
		return unicode.IsControl(r)
	case "print":
		return r >= ' ' && r < 0x7f
	case "graph":
		return r > ' ' && r < 0x7f
	}
	return false
}

// maxAlternatives bounds what {a,b}{c,d}… may grow into.
const maxAlternatives = 1000

// expandBraces turns {a,b} into alternatives, so that a brace may hold slashes.
func expandBraces(pattern string) ([]string, error) {
	if !doublestar.ValidatePattern(pattern) {
		return nil, fmt.Errorf("bad pattern %q", pattern)
	}
	done, queue := []string(nil), []string{pattern}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		start, end, commas := findBrace(p)
		if end == 0 {
			done = append(done, p)
			continue
		}
		from := start + 1
		for _, comma := range append(commas, end) {
			queue = append(queue, p[:start]+p[from:comma]+p[end+1:])
			from = comma + 1
		}
		if len(done)+len(queue) > maxAlternatives {
			return nil, fmt.Errorf("pattern %q has more than %d alternatives", pattern, maxAlternatives)
		}
	}
	return done, nil
}

// findBrace finds the first outermost {…} with its commas; end is 0 where there is none.
func findBrace(p string) (start, end int, commas []int) {
	depth, class := 0, false
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '{':
			if depth == 0 {
				start = i
			}
			depth++
		case c == ',' && depth == 1:
			commas = append(commas, i)
		case c == '}' && depth > 0:
			depth--
			if depth == 0 {
				return start, i, commas
			}
		}
	}
	return 0, 0, nil
}
