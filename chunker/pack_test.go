package chunker

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelfd/internal/text"
)

// lorem is a paragraph of n words, 2n units.
func lorem(n int) string {
	return strings.TrimSuffix(strings.Repeat("lorem ", n), " ") + ".\n\n"
}

// sizes are the units of each chunk.
func sizes(d *Document) []int {
	var out []int
	for _, c := range d.Chunks {
		out = append(out, text.Units(d.Text[c.Span.Start:c.Span.End]))
	}
	return out
}

func TestBlocksArePackedIntoTheBand(t *testing.T) {
	for _, test := range []struct {
		name   string
		blocks []int // words of each paragraph
		want   []int // units of each chunk
	}{
		{"one small section stays alone", []int{10}, []int{20}},
		{"up to the upper end", []int{100, 100, 50, 80}, []int{500, 160}},
		{"no further than the upper end", []int{100, 100, 51, 100, 100}, []int{400, 502}},
		{"from below the band when that is closer", []int{100, 175}, []int{550}},
		{"else not", []int{160, 175}, []int{320, 350}},
		{"below the minimum whatever comes", []int{70, 320}, []int{780}},
		{"a small end joins the chunk before it", []int{200, 60}, []int{520}},
		{"unless that would be too much", []int{390, 60}, []int{780, 120}},
		{"a block up to the maximum stays whole", []int{400, 400}, []int{800, 800}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b strings.Builder
			for _, n := range test.blocks {
				b.WriteString(lorem(n))
			}
			if got := sizes(check(t, "x.md", []byte(b.String()))); fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

func TestAHeadingTravelsWithItsText(t *testing.T) {
	for _, below := range []string{
		lorem(399),
		lorem(400),
		strings.Repeat("lorem ipsum. ", 600) + "\n",
		"```\n" + strings.Repeat("lorem ipsum dolor\n", 400) + "```\n",
		strings.Repeat("- lorem ipsum dolor\n", 400),
		"|a|b|\n|-|-|\n" + strings.Repeat("|lorem|ipsum|\n", 400),
		strings.Repeat("x", 20_000) + "\n",
		"\n\n\n> " + strings.Repeat("lorem ", 500) + "\n",
		"- " + strings.Repeat("lorem ", 500) + "\n",
	} {
		d := check(t, "x.md", []byte("# One two three four\n"+below+"# Next\n"))
		first := d.Text[d.Chunks[0].Span.Start:d.Chunks[0].Span.End]
		if !strings.HasPrefix(first, "# One") || len(first) < 200 {
			t.Errorf("the first chunk above %.20q is %q", below, first)
		}
		if last := d.Chunks[len(d.Chunks)-1]; d.Nodes[last.Node].ID != "next" || last.Prefix != (Span{}) {
			t.Errorf("the last chunk is %+v", last)
		}
	}
}

func TestAnOversizedBlockIsSplitWhereItHurtsLeast(t *testing.T) {
	long := strings.Repeat("lorem ", 450)
	for _, test := range []struct {
		name, src string
		begins    string // every chunk but the first begins with this
	}{
		{"table at rows", "|a|\n|-|\n" + strings.Repeat("|row of words|\n", 300), "|row"},
		{"list at items", strings.Repeat("- item of words,\n  and more. Words.\n", 200), "- item"},
		{"ordered list at items", strings.Repeat("1. item of words\n", 300), "1. item"},
		{"item at nested items", "- top\n" + strings.Repeat("  - sub item of words. Words.\n", 200), "  - sub"},
		{"quote at blocks", strings.Repeat("> Block of words. Words.\n>\n", 200), "> Block"},
		{"fence at lines", "```\n" + strings.Repeat("line of words. Words\n", 300) + "```\n", "line"},
		{"indented code at lines", strings.Repeat("    line of words. Words\n", 300), "    line"},
		{"HTML at lines", "<div>\n" + strings.Repeat("<p>line of words. Words</p>\n", 300) + "</div>\n", "<p>line"},
		{"definitions at lines", strings.Repeat("[a b c d]: line.md\n", 300), "[a b"},
		{"paragraph at sentences", strings.Repeat("Sentence of, say, five words. ", 200), "Sentence"},
		{"Chinese at sentences", strings.Repeat("本句话有十个字左右。", 200), "本句"},
		{"words at spaces", strings.Repeat("word ", 3000), "word"},
		{"lines of a paragraph", strings.Repeat("word word word\n", 1000), "word"},
		{"row at sentences", "|a|\n|-|\n|" + strings.Repeat("Sentence of, say, five words. ", 200) + "|\n", "Sentence"},
		{"item at sentences", "- " + strings.Repeat("Sentence of, say, five words. ", 200), "Sentence"},
		{"quoted paragraph", "> " + long + "\n> " + long, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := check(t, "x.md", []byte(test.src))
			if len(d.Chunks) < 2 {
				t.Fatalf("%d chunks", len(d.Chunks))
			}
			for i, c := range d.Chunks {
				s := d.Text[c.Span.Start:c.Span.End]
				if n := text.Units(s); n > 800 || n < 300 && i+1 < len(d.Chunks) {
					t.Errorf("chunk %d has %d units", i, n)
				}
				if i > 0 && !strings.HasPrefix(s, test.begins) {
					t.Errorf("chunk %d begins with %.30q, want %q", i, s, test.begins)
				}
			}
		})
	}
}

func TestASplitTableRepeatsItsHeaderInThePrefixOnly(t *testing.T) {
	for _, indent := range []string{"", "- in an item\n\n  "} {
		pad := strings.Repeat(" ", len(indent)-len(strings.TrimRight(indent, " ")))
		src := indent + "| name | place |\n" + pad + "|------|-------|\n" + strings.Repeat(pad+"| the lamp | the hall |\n", 200)
		d := check(t, "x.md", []byte(src))
		for i, c := range d.Chunks {
			got := d.Text[c.Prefix.Start:c.Prefix.End]
			want := pad + "| name | place |\n" + pad + "|------|-------|"
			if i > 0 && got != want || i == 0 && got != "" {
				t.Errorf("chunk %d: prefix %q", i, got)
			}
		}
		if n := strings.Count(d.Text, "name"); n != 1 {
			t.Errorf("the header stands %d times in the text", n)
		}
	}
}

func TestTheOverlapStaysInsideTheSection(t *testing.T) {
	d := check(t, "x.md", []byte("# A\n\n"+lorem(240)+lorem(240)+"# B\n\n"+lorem(240)+strings.Repeat("汉", 400)+"\n\n"+lorem(100)))
	for i, c := range d.Chunks {
		prefix := d.Text[c.Prefix.Start:c.Prefix.End]
		follows := i > 0 && d.Chunks[i-1].Node == c.Node
		n := len([]rune(prefix))
		if follows != (n > 0) || n > 60 || follows && (n < 40 || c.Prefix.End != d.Chunks[i-1].Span.End) {
			t.Errorf("chunk %d: prefix %q", i, prefix)
		}
		if strings.HasPrefix(prefix, "orem") || strings.HasPrefix(prefix, " ") {
			t.Errorf("chunk %d: the prefix begins inside a word: %q", i, prefix)
		}
	}
}

func TestOptionsBoundTheCutting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{
			Target: rapid.IntRange(0, 1000).Draw(t, "target"), Min: rapid.IntRange(0, 1000).Draw(t, "min"),
			Max: rapid.IntRange(0, 2000).Draw(t, "max"), Overlap: rapid.IntRange(0, 100).Draw(t, "overlap"),
		}
		src := []byte("# A\n\n" + lorem(300) + strings.Repeat("- an item of some words\n", 100) + strings.Repeat("汉字。", 500))
		d := Parse("x.md", src, o)
		if fault := broken(src, d); fault != "" {
			t.Fatal(fault)
		}
		limit := max(o.withDefaults().maximum, 4)
		for i, n := range sizes(d) {
			if n > limit+2 { // a heading is never parted from its text for less
				t.Fatalf("chunk %d has %d units, at most %d", i, n, limit)
			}
		}
	})
}

func TestKeysNameWhatAChunkSays(t *testing.T) {
	key := func(src string) []Key {
		var keys []Key
		for _, c := range check(t, "x.md", []byte(src)).Chunks {
			keys = append(keys, c.Key)
		}
		return keys
	}
	base := key("# A\n\ntext\n\n# B\n\nother città\n")
	same := key("---\nx: y\n---\n# A\n\nchanged\n\n# B\r\n\r\nother   citta\u0300\r\n\r\n")
	if base[1] != same[1] {
		t.Error("edits elsewhere, white space and normalisation must not change a key")
	}
	if base[0] == same[0] {
		t.Error("another text must change the key")
	}
	if moved := key("# A\n\ntext\n\n## B\n\nother città\n"); moved[1] == base[1] {
		t.Error("another heading trail must change the key")
	}
	twice := key("# A\n\ntext\n\n# A\n\ntext\n\n# A\n\ntext\n")
	if twice[0].Hash != twice[2].Hash || twice[0].Seq != 1 || twice[1].Seq != 2 || twice[2].Seq != 3 {
		t.Errorf("the same text under the same headings: %v", twice)
	}
}
