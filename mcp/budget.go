package mcp

import (
	"encoding/json"
	"sort"
	"unicode/utf8"
)

// budget is what the text content of one answer may hold, in UTF-16 code units of the whole envelope. Clients cut or
// refuse longer results.
const budget = 24000

// Lengths in encoded UTF-16 units at which fields are cut, chosen so that one entry of any list fits an envelope.
const (
	// maxArgument characters is what a string argument may have; a path longer than its longest encoding (six units a
	// character) could not be asked for anyway.
	maxArgument = 1024
	clipPath    = 6 * maxArgument
	clipTitle   = 300
	clipProse   = 600
	clipTrail   = 1500 // all titles of a title_path together
)

// units counts the UTF-16 code units of UTF-8 text.
func units[T ~string | ~[]byte](s T) int {
	n := 0
	for i := range len(s) {
		switch b := s[i]; {
		case b >= 0xF0:
			n += 2
		case b&0xC0 != 0x80:
			n++
		}
	}
	return n
}

// runeUnits is what r takes inside a JSON string that encode writes.
func runeUnits(r rune, size int) int {
	switch {
	case r == '"' || r == '\\' || r == '\n' || r == '\r' || r == '\t' || r == '\b' || r == '\f':
		return 2
	case r < ' ' || r == '\u2028' || r == '\u2029' || (r == utf8.RuneError && size == 1):
		return 6
	case r >= 0x10000:
		return 2
	}
	return 1
}

// encodedUnits is what s takes inside a JSON string, without the quotes.
func encodedUnits(s string) int {
	n := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		n += runeUnits(r, size)
		i += size
	}
	return n
}

// fitting is the length in bytes of the longest prefix of s that takes at most limit units encoded.
func fitting(s string, limit int) int {
	n := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if n += runeUnits(r, size); n > limit {
			return i
		}
		i += size
	}
	return len(s)
}

// clip cuts s to at most limit encoded units, the ellipsis that marks the cut included.
func clip(s string, limit int) string {
	if len(s) <= limit/6 || fitting(s, limit) == len(s) {
		return s
	}
	return s[:fitting(s, limit-1)] + "…"
}

// clipTrailOf cuts titles so that together they stay readable and small; the innermost ones matter most.
func clipTrailOf(titles []string) []string {
	out := make([]string, 0, len(titles))
	room := clipTrail
	for i := len(titles) - 1; i >= 0 && room > 0; i-- {
		t := clip(titles[i], min(clipTitle, room))
		room -= encodedUnits(t) + len(`"",`)
		out = append(out, t)
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// longest returns the answer with the most entries, at most n, that fits the budget. render must grow with its
// argument.
func longest(n int, render func(int) answer) json.RawMessage {
	raw := render(n).encode()
	if units(raw) <= budget {
		return raw
	}
	over := sort.Search(n, func(k int) bool { return units(render(k+1).encode()) > budget })
	return render(over).encode()
}
