package chunker

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// broken says which promise of the package a Document breaks, "" when it keeps them all.
func broken(src []byte, d *Document) string {
	for _, check := range []func() string{
		func() string { return brokenText(src, d) },
		func() string { return brokenSpans(d) },
		func() string { return brokenCover(d) },
		func() string { return brokenNodes(d) },
		func() string { return brokenKeys(d) },
		func() string { return brokenMatter(d) },
	} {
		if fault := check(); fault != "" {
			return fault
		}
	}
	return ""
}

func brokenText(src []byte, d *Document) string {
	changed := false
	for _, p := range d.Problems {
		changed = changed || p.Stage == StageDecode
		if p.Reason == "" || p.Line < 0 || p.Line > d.LineCount {
			return fmt.Sprintf("problem without reason or outside the file: %+v", p)
		}
	}
	switch {
	case !utf8.ValidString(d.Text):
		return "text isn't UTF-8"
	case !changed && d.Text != string(src):
		return "text differs from the file and no problem says so"
	case d.LineCount != countLines(d.Text):
		return fmt.Sprintf("%d lines, want %d", d.LineCount, countLines(d.Text))
	}
	return ""
}

// countLines is the plain definition that lineIndex must agree with.
func countLines(s string) int {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// lineNumbers is the line of each byte, the plain way.
func lineNumbers(s string) []int {
	lines, line := make([]int, len(s)), 1
	for i := range len(s) {
		lines[i] = line
		if s[i] == '\n' || s[i] == '\r' && (i+1 == len(s) || s[i+1] != '\n') {
			line++
		}
	}
	return lines
}

func brokenSpans(d *Document) string {
	end, lineOf := d.Body.Start, lineNumbers(d.Text)
	for i, c := range d.Chunks {
		s := c.Span
		switch {
		case s.Start < end || s.End <= s.Start || s.End > d.Body.End:
			return fmt.Sprintf("chunk %d: span %v behind %d", i, s, end)
		case s.End-s.Start > maxChunkBytes:
			return fmt.Sprintf("chunk %d: %d bytes", i, s.End-s.Start)
		case !cuttable(d.Text, s.Start) || !cuttable(d.Text, s.End) || !cuttable(d.Text, c.Prefix.Start) || !cuttable(d.Text, c.Prefix.End):
			return fmt.Sprintf("chunk %d: span %v or prefix %v cuts a character or a line end", i, s, c.Prefix)
		case c.Prefix.End > s.Start && c.Prefix != (Span{}) || c.Prefix.Start > c.Prefix.End:
			return fmt.Sprintf("chunk %d: prefix %v doesn't stand before %v", i, c.Prefix, s)
		case c.Lines != Lines{lineOf[s.Start], lineOf[s.End-1]}:
			return fmt.Sprintf("chunk %d: lines %v of span %v", i, c.Lines, s)
		case c.Node < 0 || c.Node >= len(d.Nodes):
			return fmt.Sprintf("chunk %d: no node %d", i, c.Node)
		}
		end = s.End
	}
	return ""
}

func cuttable(s string, at int) bool {
	return at == len(s) || utf8.RuneStart(s[at]) && (at == 0 || s[at-1] != '\r' || s[at] != '\n')
}

func brokenCover(d *Document) string {
	at := d.Body.Start
	for i := 0; i <= len(d.Chunks); i++ {
		gap := d.Text[at:d.Body.End]
		if i < len(d.Chunks) {
			gap = d.Text[at:d.Chunks[i].Span.Start]
			at = d.Chunks[i].Span.End
		}
		if strings.Trim(gap, " \t\n\v\f\r") != "" {
			return fmt.Sprintf("before chunk %d: %q isn't covered", i, gap)
		}
	}
	return ""
}

func brokenNodes(d *Document) string {
	ids, lineOf := map[string]bool{}, lineNumbers(d.Text)
	for i, n := range d.Nodes {
		switch {
		case n.ID == "" || ids[n.ID]:
			return fmt.Sprintf("node %d: id %q is empty or stands twice", i, n.ID)
		case n.Parent >= i || n.Parent < -1:
			return fmt.Sprintf("node %q: parent %d", n.ID, n.Parent)
		case n.Span.Start >= n.Span.End || n.Span.Start < d.Body.Start || n.Span.End > d.Body.End:
			return fmt.Sprintf("node %q: span %v", n.ID, n.Span)
		case n.Lines != Lines{lineOf[n.Span.Start], lineOf[n.Span.End-1]}:
			return fmt.Sprintf("node %q: lines %v of %v", n.ID, n.Lines, n.Span)
		case n.ID == "~" != (n.Level == 0) || n.ID == "~" && (i > 0 || n.Title != ""):
			return fmt.Sprintf("node %q at %d: level %d, title %q", n.ID, i, n.Level, n.Title)
		}
		ids[n.ID] = true
		if n.Parent >= 0 {
			p := d.Nodes[n.Parent]
			if p.Level >= n.Level || n.Span.Start < p.Span.Start || n.Span.End > p.Span.End || !strings.HasPrefix(n.ID, p.ID+"/") {
				return fmt.Sprintf("node %q isn't inside its parent %q", n.ID, p.ID)
			}
		}
	}
	return brokenHeadings(d)
}

// brokenHeadings finds chunks that cross a heading or claim the wrong section, and headings that begin no chunk.
func brokenHeadings(d *Document) string {
	starts := map[int]bool{}
	for i, c := range d.Chunks {
		starts[c.Span.Start] = true
		if n := d.Nodes[c.Node]; c.Span.Start < n.Span.Start || c.Span.End > n.Span.End {
			return fmt.Sprintf("chunk %d isn't inside its node %q", i, n.ID)
		}
		if c.Node+1 < len(d.Nodes) && c.Span.End > d.Nodes[c.Node+1].Span.Start && c.Span.Start < d.Nodes[c.Node+1].Span.Start {
			return fmt.Sprintf("chunk %d crosses the heading of %q", i, d.Nodes[c.Node+1].ID)
		}
		if i > 0 && c.Node != d.Chunks[i-1].Node && c.Prefix != (Span{}) {
			return fmt.Sprintf("chunk %d begins with a heading and has a prefix", i)
		}
	}
	for _, n := range d.Nodes {
		if n.ID != "~" && !starts[n.Span.Start] {
			return fmt.Sprintf("no chunk begins with the heading of %q", n.ID)
		}
	}
	return ""
}

func brokenKeys(d *Document) string {
	seen := map[uint64]int{}
	for i, c := range d.Chunks {
		seen[c.Key.Hash]++
		if c.Key.Seq != seen[c.Key.Hash] {
			return fmt.Sprintf("chunk %d: key %v, want sequence %d", i, c.Key, seen[c.Key.Hash])
		}
	}
	return ""
}

func brokenMatter(d *Document) string {
	for i, l := range d.Links {
		if l.Line < 1 || l.Line > d.LineCount || l.Target == "" && l.Fragment == "" {
			return fmt.Sprintf("link %d: %+v", i, l)
		}
		if i > 0 && l.Line < d.Links[i-1].Line {
			return fmt.Sprintf("link %d stands before the one before it", i)
		}
	}
	if d.Title == "" {
		return "no title"
	}
	for _, tag := range d.Tags {
		if tag == "" || strings.HasPrefix(tag, "#") {
			return fmt.Sprintf("tag %q", tag)
		}
	}
	return ""
}

// check parses src and fails the test when the Document breaks a promise.
func check(t testing.TB, name string, src []byte) *Document {
	t.Helper()
	d := Parse(name, src, Options{})
	if fault := broken(src, d); fault != "" {
		t.Fatalf("%s: %s", name, fault)
	}
	return d
}
