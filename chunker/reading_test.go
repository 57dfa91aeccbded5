package chunker

import (
	"fmt"
	"strings"
	"testing"
)

func readAll(s string) string {
	var b strings.Builder
	for _, block := range Read(s, Span{0, len(s)}) {
		fmt.Fprintf(&b, "%d %s\n", block.Kind, block.Text)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestBlocksAreReadWithoutTheirMarks(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"heading and prose", "# Valves ##\n\nEach *valve* has\na **seat**.\n", "5 Valves\n0 Each valve has a seat."},
		{"list", "- one\n- two [x](y.md)\n  1. three\n", "1 one\n1 two x\n1 three"},
		{"quote", "> quoted `a*b`\n", "0 quoted a*b"},
		{"table", "| a | b |\n|---|---|\n| c `d` | |\n", "2 a | b\n2 c d"},
		{"rest of a table", "| c | d |\n| e | f |\n", "2 c | d\n2 e | f"},
		{"code", "```go\nx := <-c\n\ny()\n```\n", "4 x := <-c y()"},
		{"html", "<div class=\"x\">said <b>here</b></div>\n", "3 said here"},
		{"reference", "See [the manual][m].\n\n[m]: a.md\n", "0 See the manual."},
		{"entity", "a &amp; b \\* c\n", "0 a & b * c"},
		{"image", "![a picture](p.png)\n", "0 a picture"},
		{"wiki", "[[page|shown]] and [[page]]\n", "0 shown and page"},
		{"nothing", "\n---\n", ""},
	} {
		if got := readAll(c.text); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestAPieceIsReadAsWhatItStandsIn(t *testing.T) {
	document := "Text with [a link][l].\n\n```sh\nfirst *line*\nsecond *line*\n```\n\nAfter *it*.\n\n[l]: x.md\n"
	at := strings.Index(document, "second")
	blocks := Read(document, Span{at, strings.Index(document, "[l]: x")})
	if len(blocks) != 2 || blocks[0].Kind != BlockCode || blocks[0].Text != "second *line*" || blocks[1].Text != "After it." {
		t.Errorf("%+v", blocks)
	}
	if blocks := Read(document, Span{0, 22}); len(blocks) != 1 || blocks[0].Text != "Text with a link." {
		t.Errorf("%+v", blocks)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("# a\n\n- b\n\n```\nc", 3, 9)
	f.Add("| a |\n|--|\n| b |", 0, 4)
	f.Fuzz(func(t *testing.T, s string, from, to int) {
		if from < 0 || to < from || to > len(s) || len(s) > 4096 {
			return
		}
		for _, b := range Read(s, Span{from, to}) {
			if b.Text == "" || b.Text != strings.Join(strings.Fields(b.Text), " ") {
				t.Errorf("block %+v of %q", b, s)
			}
			if joined := strings.Join(Sentences(b.Text), ""); strings.ReplaceAll(joined, " ", "") != strings.Join(strings.Fields(b.Text), "") {
				t.Errorf("sentences %q of %q", Sentences(b.Text), b.Text)
			}
		}
	})
}
