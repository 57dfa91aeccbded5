package mcp

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// text draws strings with what costs more than a unit a character, and with broken UTF-8.
func anyText() *rapid.Generator[string] {
	pieces := rapid.SampledFrom([]string{"a", "word ", "é", "界", "𝄞", "\"", "\\", "\n", "\r", "\t", "\b", "\f", "\x00", "\x1f", "\x7f", "\u2028", "<", "&", "\xff", "\xc3"})
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(pieces, 0, 60).Draw(t, "pieces"), "") })
}

func TestUnitsAreThoseOfTheEncodedText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyText().Draw(t, "s")
		raw := encode(s)
		if got, want := units(raw), len(utf16.Encode([]rune(string(raw)))); got != want {
			t.Fatalf("units(%s) = %d, want %d", raw, got, want)
		}
		if got, want := encodedUnits(s), units(raw)-2; got != want {
			t.Fatalf("encodedUnits(%q) = %d, want %d", s, got, want)
		}
		max := rapid.IntRange(1, 80).Draw(t, "max")
		cut := clip(s, max)
		if encodedUnits(cut) > max {
			t.Fatalf("clip(%q, %d) = %q takes %d", s, max, cut, encodedUnits(cut))
		}
		if encodedUnits(s) <= max && cut != s {
			t.Fatalf("clip(%q, %d) cut without need: %q", s, max, cut)
		}
		if utf8.ValidString(s) && !utf8.ValidString(cut) {
			t.Fatalf("clip(%q, %d) = %q broke a character", s, max, cut)
		}
	})
}

func drawNodes(t *rapid.T, depth int, next *int) []outlineNode {
	var nodes []outlineNode
	for range rapid.IntRange(0, 5).Draw(t, "n") {
		*next++
		n := outlineNode{NodeID: strings.Repeat("x", rapid.IntRange(1, 40).Draw(t, "len")), Title: anyText().Draw(t, "title"), LineStart: *next, LineEnd: *next}
		if depth > 1 {
			n.Nodes = drawNodes(t, depth-1, next)
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// leaves are the starts of all nodes in order; a repeated shell counts once.
func starts(nodes []outlineNode, seen map[int]bool, out *[]int) {
	for _, n := range nodes {
		if !seen[n.LineStart] {
			seen[n.LineStart] = true
			*out = append(*out, n.LineStart)
		}
		starts(n.Nodes, seen, out)
	}
}

func TestPartsOfAnOutlineHoldEveryNodeOnceInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		next := 0
		nodes := drawNodes(t, 4, &next)
		max := rapid.IntRange(1500, 4000).Draw(t, "max") // shells of four levels fit
		parts := splitNodes(nodes, max)
		var got []int
		seen := map[int]bool{}
		for i, p := range parts {
			if p == nil {
				p = []outlineNode{}
			}
			if size := units(encode(p)); size > max {
				t.Fatalf("part %d takes %d of %d", i+1, size, max)
			}
			before := len(got)
			starts(p, seen, &got)
			if len(got) == before && next > 0 {
				t.Fatalf("part %d brings nothing new", i+1)
			}
		}
		if len(got) != next {
			t.Fatalf("%d of %d nodes", len(got), next)
		}
		for i, start := range got {
			if start != i+1 {
				t.Fatalf("node %d stands at place %d", start, i+1)
			}
		}
	})
}

func TestPartsOfTextHoldEveryLineOnceInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var passages []passage
		want := map[int]string{}
		number := 1
		for range rapid.IntRange(0, 4).Draw(t, "passages") {
			p := passage{NodeID: "n", TitlePath: []string{"t"}, LineStart: number}
			for range rapid.IntRange(0, 12).Draw(t, "lines") {
				line := strings.ReplaceAll(strings.ToValidUTF8(anyText().Draw(t, "line"), "?"), "\n", " ")
				line = strings.Repeat(line, rapid.IntRange(1, 8).Draw(t, "times"))
				want[number] = line
				p.text = append(p.text, line)
				number++
			}
			p.LineEnd = number - 1
			passages = append(passages, p)
		}
		max := rapid.IntRange(300, 1500).Draw(t, "max")
		got := map[int]string{}
		last := 0
		for i, part := range splitPassages(passages, max) {
			if size := units(encode(part)); size > max {
				t.Fatalf("part %d takes %d of %d", i+1, size, max)
			}
			for _, p := range part {
				last = readBack(t, p, got, last)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d of %d lines", len(got), len(want))
		}
		for n, line := range want {
			if got[n] != line {
				t.Fatalf("line %d: %q, want %q", n, got[n], line)
			}
		}
	})
}

// readBack collects the numbered lines of a passage and checks their order and its range.
func readBack(t *rapid.T, p passage, got map[int]string, last int) int {
	if p.Content == "" {
		return last
	}
	var c struct {
		Content string `json:"content"`
	}
	if err := json.Unmarshal(encode(p), &c); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(c.Content, "\n")
	for i, line := range lines {
		number, text := splitNumber(t, line)
		if number < last || number > last+1 {
			t.Fatalf("line %d follows line %d", number, last)
		}
		if (i == 0 && number != p.LineStart) || (i == len(lines)-1 && number != p.LineEnd) {
			t.Fatalf("lines %d-%d, but line %d", p.LineStart, p.LineEnd, number)
		}
		got[number] += text
		last = number
	}
	return last
}

func splitNumber(t interface{ Fatalf(string, ...any) }, line string) (int, string) {
	head, text, ok := strings.Cut(line, "│ ")
	n := 0
	for _, d := range head {
		n = n*10 + int(d-'0')
	}
	if !ok || n == 0 {
		t.Fatalf("no number before %q", line)
	}
	return n, text
}

func TestAPassageThatFitsIsNotCut(t *testing.T) {
	small := passage{NodeID: "a", TitlePath: []string{}, LineStart: 1, LineEnd: 1, text: []string{strings.Repeat("x", 500)}}
	large := passage{NodeID: "b", TitlePath: []string{}, LineStart: 2, LineEnd: 3, text: []string{strings.Repeat("y", 900), strings.Repeat("z", 900)}}
	parts := splitPassages([]passage{small, small, large, small}, 1100)
	sizes := []int{}
	for _, p := range parts {
		sizes = append(sizes, len(p))
	}
	if string(encode(sizes)) != "[1,1,1,1,1]" {
		t.Errorf("parts of %v passages", sizes)
	}
	if parts[2][0].LineEnd != 2 || parts[3][0].LineStart != 3 {
		t.Errorf("the large one is not cut between its lines: %d-%d, %d-%d", parts[2][0].LineStart, parts[2][0].LineEnd, parts[3][0].LineStart, parts[3][0].LineEnd)
	}
}
