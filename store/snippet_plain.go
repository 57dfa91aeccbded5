package store

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	// lineMarks are the marks that a line of Markdown may begin with: quotes, list bullets and numbers, task boxes,
	// heading signs.
	lineMarks = regexp.MustCompile(`^[ \t]*(?:>[ \t]?)*(?:#{1,6}[ \t]+|(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?`)
	// lineNoise are lines that say nothing: fences, rules, underlines of headings and tables, link definitions.
	lineNoise = regexp.MustCompile("^[ \t]*(?:(?:```|~~~).*|[-=*_ \t]{3,}|[|:\\- \t]*-[|:\\- \t]*|\\[[^\\]]+\\]:[ \t]+\\S.*)$")
	// htmlTag is a tag or comment on one line.
	htmlTag = regexp.MustCompile(`^<(?:!--.*?-->|/?[A-Za-z][^<>]*>)`)
)

// plain is the text of a piece of Markdown on one line, without its marks. It reads line by line and knows nothing of
// blocks: a chunk may begin in the middle of anything.
func plain(markdown string) string {
	var b strings.Builder
	b.Grow(len(markdown))
	for line := range strings.Lines(markdown) {
		line = strings.TrimRight(line, " \t\r\n")
		if lineNoise.MatchString(line) {
			continue
		}
		line = line[len(lineMarks.FindString(line)):]
		if strings.HasPrefix(line, "|") {
			line = strings.Trim(line, "| ")
		}
		b.WriteByte(' ')
		plainLine(&b, line)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// plainLine writes the text of one line: links by their words, code as it stands, emphasis without its signs.
func plainLine(b *strings.Builder, s string) {
	for i := 0; i < len(s); {
		n := 0
		switch s[i] {
		case '`':
			n = plainCode(b, s[i:])
		case '[', '!':
			n = plainLink(b, s[i:])
		case '<':
			n = len(htmlTag.FindString(s[i:]))
		case '\\':
			if i+1 < len(s) && strings.IndexByte("\\`*_{}[]()#+-.!|<>~", s[i+1]) >= 0 {
				b.WriteByte(s[i+1])
				n = 2
			}
		case '*', '~', '_':
			n = emphasis(s, i)
		}
		if n == 0 {
			_, n = utf8.DecodeRuneInString(s[i:])
			b.WriteString(s[i : i+n])
		}
		i += n
	}
}

// plainCode writes a code span and returns its length, 0 when it does not end on the line.
func plainCode(b *strings.Builder, s string) int {
	n := len(s) - len(strings.TrimLeft(s, "`"))
	end := strings.Index(s[n:], s[:n])
	if end < 0 {
		return n
	}
	b.WriteString(strings.TrimSpace(s[n : n+end]))
	return n + end + n
}

// plainLink writes the words of a link or image and returns its length, 0 when there is none.
func plainLink(b *strings.Builder, s string) int {
	start := strings.IndexByte(s, '[')
	if start > 1 || start < 0 {
		return 0
	}
	if strings.HasPrefix(s[start:], "[[") {
		return plainWiki(b, s, start)
	}
	end := closing(s[start:], '[', ']')
	if end < 0 {
		return 0
	}
	end += start
	words, after := s[start+1:end], end+1
	if after == len(s) || s[after] != '(' && s[after] != '[' {
		return 0
	}
	shut := byte(')')
	if s[after] == '[' {
		shut = ']'
	}
	target := closing(s[after:], s[after], shut)
	if target < 0 {
		return 0
	}
	plainLine(b, words)
	return after + target + 1
}

func plainWiki(b *strings.Builder, s string, start int) int {
	end := strings.Index(s, "]]")
	if end < 0 {
		return 0
	}
	words := s[start+2 : end]
	if _, shown, ok := strings.Cut(words, "|"); ok {
		words = shown
	}
	b.WriteString(words)
	return end + 2
}

// closing is the index of the bracket that closes the one s begins with, -1 without.
func closing(s string, open, shut byte) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// emphasis is the length of the emphasis signs at i, 0 when they are plain characters: between spaces, or an underscore
// inside a word, or a single tilde.
func emphasis(s string, i int) int {
	n := 1
	for i+n < len(s) && s[i+n] == s[i] {
		n++
	}
	before := i == 0 || s[i-1] == ' '
	after := i+n == len(s) || s[i+n] == ' '
	switch {
	case before && after, s[i] == '~' && n != 2:
		return 0
	case s[i] == '_' && !before && !after && isWordByte(s[i-1]) && isWordByte(s[i+n]):
		return 0
	}
	return n
}

func isWordByte(b byte) bool {
	return b >= utf8.RuneSelf || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}
