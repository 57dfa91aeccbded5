package store

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"shelfd/internal/text"
)

const (
	// snippetLength is the length in characters at which a snippet is cut.
	snippetLength = 200
	// snippetLead is how many characters stand before the first word that was looked for.
	snippetLead = 40
)

// snippet is one line of plain text from a chunk: all of it when it is short, else the stretch with the most of the
// words that were looked for, cut between words.
func snippet(body string, marks *scorer) string {
	line := plain(body)
	if utf8.RuneCountInString(line) <= snippetLength {
		return line
	}
	start, end := bestStretch(line, marks, snippetLength)
	out := strings.TrimSpace(line[start:end])
	if start > 0 {
		out = "…" + out
	}
	if end < len(line) {
		out += "…"
	}
	return out
}

// bestStretch is the part of a line, so many characters long, that holds the most different wishes, then the most
// sightings, then stands first.
func bestStretch(line string, marks *scorer, length int) (start, end int) {
	var seen []sighting
	marks.scan(line, func(m sighting) { seen = append(seen, m) })
	slices.SortFunc(seen, func(a, b sighting) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	best, keep := -1.0, 0
	for i := range seen {
		from := min(wordStart(line, back(line, seen[i].start, snippetLead)), seen[i].start)
		to := forward(line, from, length)
		if worth := stretchWorth(seen[i:], to); worth > best {
			best, start, end, keep = worth, from, to, min(seen[i].end, to)
		}
	}
	if best < 0 {
		end = forward(line, 0, length)
	}
	if end == len(line) {
		start = min(start, wordStart(line, back(line, end, length)))
	}
	return start, max(keep, wordEnd(line, start, end))
}

// stretchWorth counts the wishes seen before to, and a little for each sighting.
func stretchWorth(seen []sighting, to int) float64 {
	weight := map[int]float64{}
	n := 0
	for _, m := range seen {
		if m.end > to {
			break
		}
		weight[m.wish] = max(weight[m.wish], m.weight)
		n++
	}
	worth := float64(min(n, 20)) / 100
	for _, w := range weight {
		worth += w
	}
	return worth
}

// back is the offset n characters before i, or 0.
func back(s string, i, n int) int {
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return i
}

// forward is the offset n characters after i, or the end.
func forward(s string, i, n int) int {
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return i
}

// wordStart moves i forward to where a word begins, if it stands inside one. CJK has no words to spare.
func wordStart(s string, i int) int {
	if i == 0 {
		return 0
	}
	for j := i; j < len(s); {
		r, size := utf8.DecodeRuneInString(s[j:])
		before, _ := utf8.DecodeLastRuneInString(s[:j])
		if unicode.IsSpace(before) || text.IsCJK(r) || text.IsCJK(before) {
			return j
		}
		j += size
	}
	return i
}

// wordEnd moves end back to where a word ends, if it stands inside one that begins after start.
func wordEnd(s string, start, end int) int {
	for j := end; j > start && j < len(s); {
		r, _ := utf8.DecodeRuneInString(s[j:])
		before, size := utf8.DecodeLastRuneInString(s[:j])
		if unicode.IsSpace(r) || unicode.IsSpace(before) || text.IsCJK(r) || text.IsCJK(before) {
			return j
		}
		j -= size
	}
	return end
}
