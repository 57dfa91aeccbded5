package chunker

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

func encodeUTF16(order binary.AppendByteOrder, s string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
		b = order.AppendUint16(b, u)
	}
	return b
}

func TestDecode(t *testing.T) {
	const sample = "# Città\r\n\r\n第一条 𝄞\n"
	for _, test := range []struct {
		name   string
		src    []byte
		text   string
		reason string // part of the problem, "" = none
		line   int
	}{
		{"UTF-8 is kept byte for byte", []byte(sample), sample, "", 0},
		{"a byte order mark is kept", []byte("\ufeff" + sample), "\ufeff" + sample, "", 0},
		{"little-endian UTF-16", encodeUTF16(binary.LittleEndian, sample), sample, "UTF-16", 0},
		{"big-endian UTF-16", encodeUTF16(binary.BigEndian, sample), sample, "UTF-16", 0},
		{"UTF-16 with half a character", append(encodeUTF16(binary.LittleEndian, "ab"), 'c'), "ab\ufffd", "UTF-16", 0},
		{"Latin-1", []byte("one\ntwo\ncaf\xe9 noir"), "one\ntwo\ncaf\ufffd noir", "U+FFFD", 3},
		{"a character cut at the end", []byte("tre\xe2\x82"), "tre\ufffd", "U+FFFD", 1},
		{"NUL at the start is binary", []byte("PK\x03\x04\x00\x00text"), "", "binary", 0},
		{"NUL far below is text", append(bytes.Repeat([]byte("word "), 2000), "a\x00b"...), strings.Repeat("word ", 2000) + "a\ufffdb", "NUL", 0},
		{"empty", nil, "", "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := check(t, "x.md", test.src)
			if d.Text != test.text {
				t.Errorf("text %q, want %q", d.Text, test.text)
			}
			if test.reason == "" {
				if len(d.Problems) > 0 {
					t.Errorf("problems %v", d.Problems)
				}
				return
			}
			if len(d.Problems) == 0 || !strings.Contains(d.Problems[0].Reason, test.reason) || d.Problems[0].Line != test.line ||
				d.Problems[0].Stage != StageDecode {
				t.Errorf("problems %v, want one of line %d about %s", d.Problems, test.line, test.reason)
			}
		})
	}
}

func TestABinaryFileIsADocumentWithoutChunks(t *testing.T) {
	d := check(t, "pictures/old-map.md", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"))
	if d.Title != "Old map" || len(d.Chunks) > 0 || len(d.Nodes) > 0 || d.LineCount != 0 {
		t.Errorf("%+v", d)
	}
}

func TestEveryLineEndCounts(t *testing.T) {
	for _, test := range []struct {
		name, src string
		lines     int
		heading   int // line of the heading "H"
	}{
		{"unix", "a\n\n# H\nb\n", 4, 3},
		{"windows", "a\r\n\r\n# H\r\nb\r\n", 4, 3},
		{"old macintosh", "a\r\r# H\rb\r", 4, 3},
		{"mixed", "a\n\r\n# H\rb", 4, 3},
		{"carriage return twice", "a\r\r\n# H\r\n", 3, 3},
		{"byte order mark and front matter", "\ufeff---\r\ntitle: T\r\n---\r\n# H\r\ntok", 5, 4},
		{"front matter of an old macintosh", "---\rtitle: T\r---\r# H\rtok", 5, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := check(t, "x.md", []byte(test.src))
			i := slices.IndexFunc(d.Nodes, func(n Node) bool { return n.ID == "h" })
			if i < 0 || d.LineCount != test.lines || d.Nodes[i].Lines.Start != test.heading {
				t.Errorf("%d lines, nodes %+v; want %d lines, the heading on line %d", d.LineCount, d.Nodes, test.lines, test.heading)
			}
		})
	}
}
