package chunker

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

func blocksFrom(t *testing.T, src string) []SourceBlock {
	t.Helper()
	blocks, problems := ReadBlocks([]byte(src))
	if len(problems) > 0 {
		t.Fatalf("problems %v", problems)
	}
	return blocks
}

// shown writes the boxes of each chunk as "node: index@page …".
func shown(d *Document, boxes [][]Box) string {
	var b strings.Builder
	for i, list := range boxes {
		fmt.Fprintf(&b, "%s:", d.Nodes[d.Chunks[i].Node].ID)
		for _, x := range list {
			fmt.Fprintf(&b, " %d@%d", x.BlockIndex, x.Page)
			if x.Approximate {
				b.WriteByte('~')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

const report = `# Annual report

The year was good for the company.

## Figures

| Quarter | Revenue |
|---|---|
| First | 12,000 |

Total revenue rose.

## Outlook

The year was good for the company.

Hyphen-
ation and **bold text** with [a link](x.md) stay one text.
`

func TestBlocksAreFoundInTheTextThatWasMadeOfThem(t *testing.T) {
	d := check(t, "report.pdf.md", []byte(report))
	for _, c := range []struct{ name, blocks, want string }{
		{
			"in order",
			`[{"page":1,"bbox":[0,0,1,0.1],"text":"Annual report","type":"title"},
			  {"page":1,"bbox":[0,0.1,1,0.2],"text":"The year was\ngood for the company."},
			  {"page":2,"bbox":[0,0,1,0.3],"text":"<table><tr><td>Quarter</td><td>Revenue</td></tr><tr><td>First</td><td>12,000</td></tr></table>","type":"table"},
			  {"page":2,"bbox":[0,0.3,1,0.4],"text":"Total revenue rose."},
			  {"page":3,"bbox":[0,0,1,0.1],"text":"The year was good for the company."}]`,
			"annual-report: 0@1 1@1\nannual-report/figures: 2@2 3@2\nannual-report/outlook: 4@3\n",
		},
		{
			"only the second occurrence is listed, counted from 1",
			`[{"page":3,"bbox":[0,0,1,0.1],"text":"The year was good for the company.","occurrence":2}]`,
			"annual-report:\nannual-report/figures:\nannual-report/outlook: 0@3\n",
		},
		{
			"occurrences counted from 0",
			`[{"page":3,"bbox":[0,0,1,0.1],"text":"The year was good for the company.","occurrence":1},
			  {"page":1,"bbox":[0,0,1,0.1],"text":"The year was good for the company.","occurrence":0}]`,
			"annual-report: 1@1\nannual-report/figures:\nannual-report/outlook: 0@3\n",
		},
		{
			"columns out of order",
			`[{"page":2,"bbox":[0.5,0,1,1],"text":"Total revenue rose."},{"page":1,"bbox":[0,0,0.5,1],"text":"Annual report"},
			  {"page":2,"bbox":[0.5,0,1,1],"text":"Outlook"}]`,
			"annual-report: 1@1\nannual-report/figures: 0@2\nannual-report/outlook: 2@2\n",
		},
		{
			"marks, links and line ends may differ",
			`[{"page":3,"bbox":[0,0,1,1],"text":"Hyphenation and bold text with a link"},{"page":3,"bbox":[0,0,1,1],"text":"stay one text"}]`,
			"annual-report:\nannual-report/figures:\nannual-report/outlook: 0@3 1@3\n",
		},
		{
			"a word is not part of another",
			`[{"page":1,"bbox":[0,0,1,1],"text":"port"},{"page":1,"bbox":[0,0,1,1],"text":"12"},{"page":1,"bbox":[0,0,1,1],"text":"000"}]`,
			"annual-report:\nannual-report/figures: 1@1 2@1\nannual-report/outlook:\n",
		},
		{
			"a long text that was read otherwise in the middle is approximate",
			`[{"page":1,"bbox":[0,0,1,1],"text":"Annual report The year was good for the com pany. Figures Quarter Revonue First 12,000 Total revenue rose."}]`,
			"annual-report: 0@1~\nannual-report/figures: 0@1~\nannual-report/outlook:\n",
		},
		{
			"low confidence is approximate",
			`[{"page":1,"bbox":[0,0,1,1],"text":"Annual report","confidence":0.4},{"page":2,"bbox":[0,0,1,1],"text":"Outlook","confidence":0.95},{"page":2,"bbox":[0,0,1,1],"text":"Figures","confidence":40}]`,
			"annual-report: 0@1~\nannual-report/figures: 2@2~\nannual-report/outlook: 1@2\n",
		},
		{
			"pictures and strangers are left out",
			`[{"page":1,"bbox":[0,0,1,1],"text":"","type":"image"},{"page":1,"bbox":[0,0,1,1],"text":"Page 1 of 3"}]`,
			"annual-report:\nannual-report/figures:\nannual-report/outlook:\n",
		},
	} {
		if got := shown(d, Locate(d, blocksFrom(t, c.blocks))); got != c.want {
			t.Errorf("%s:\n%swant:\n%s", c.name, got, c.want)
		}
	}
}

func TestABlockOverSeveralChunksIsABoxOfEach(t *testing.T) {
	paragraph := strings.Repeat("The pressure valve opens at three bar when the boiler is hot. ", 60)
	d := check(t, "x.md", []byte("# Long\n\n"+paragraph+"\n\n# Other\n\nShort.\n"))
	boxes := Locate(d, []SourceBlock{{Box: Box{Page: 7}, Text: paragraph}})
	for i, list := range boxes[:len(boxes)-1] {
		if len(list) != 1 || list[0].Page != 7 {
			t.Errorf("chunk %d has %v", i, list)
		}
	}
	if len(d.Chunks) < 3 || len(boxes[len(boxes)-1]) != 0 {
		t.Errorf("%d chunks, the last has %v", len(d.Chunks), boxes[len(boxes)-1])
	}
}

func TestBlocksOfChineseText(t *testing.T) {
	d := check(t, "合同.pdf.md", []byte("---\ntitle: 合同\n---\n# 合同\n\n第一条　甲方应当付款。\n\n第二条　乙方应当交货。\n"))
	boxes := Locate(d, blocksFrom(t, `[{"page":1,"bbox":[0,0,1,1],"text":"第 一 条 甲方应当付款。"},{"page":2,"bbox":[0,0,1,1],"text":"乙方应当交货"}]`))
	if got, want := shown(d, boxes), "合同:\n合同/第一条: 0@1\n合同/第二条: 1@2\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestUnionIsOneRectangleAPage(t *testing.T) {
	got := UnionBoxes([]Box{
		{Page: 2, BBox: [4]float64{10, 20, 30, 40}, Space: SpacePoints},
		{Page: 1, BBox: [4]float64{0.1, 0.2, 0.3, 0.4}, Space: SpaceNormalized, PageWidth: 100, PageHeight: 200},
		{Page: 2, BBox: [4]float64{5, 25, 20, 50}, Space: SpacePoints, Approximate: true},
		{Page: 1, BBox: [4]float64{20, 20, 60, 160}, Space: SpacePoints, PageWidth: 100, PageHeight: 200},
		{Page: 3, BBox: [4]float64{1, 1, 2, 2}, Space: SpacePoints},
		{Page: 3, BBox: [4]float64{0, 0, 1, 1}, Space: SpaceNormalized},
	})
	want := []Box{
		{Page: 1, BBox: [4]float64{0.1, 0.1, 0.6, 0.8}, Space: SpaceNormalized, PageWidth: 100, PageHeight: 200},
		{Page: 2, BBox: [4]float64{5, 20, 30, 50}, Space: SpacePoints, Approximate: true},
		{Page: 3, BBox: [4]float64{1, 1, 2, 2}, Space: SpacePoints, Approximate: true},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if UnionBoxes(nil) != nil {
		t.Error("boxes out of nothing")
	}
}

func TestReadBlocksTellsWhatItCannotUse(t *testing.T) {
	for _, c := range []struct {
		src    string
		blocks int
		reason string
	}{
		{`[]`, 0, ""},
		{`{"blocks":[],"coord_space":"points"}`, 0, ""},
		{`{"page_size":[595,842],"coordSpace":"points","blocks":[{"page":1,"bbox":[0,0,1,1],"text":"x"}]}`, 1, ""},
		{`[{"page":1,"bbox":[0,0,1,1],"text":"x","blockIndex":7,"pageWidth":595,"pageHeight":842,"coordSpace":"normalized","extra":[1]}]`, 1, ""},
		{"\ufeff[]", 0, ""},
		{``, 0, "unexpected end of JSON input"},
		{`[{"page":1`, 0, "unexpected end of JSON input"},
		{`{"pages":[]}`, 0, `there is no list under "blocks"`},
		{`null`, 0, "it is null, not a list"},
		{`7`, 0, "unexpected number"},
		{`[7]`, 0, "1 of 1 blocks cannot be used; block 0: unexpected number"},
		{`[{"bbox":[0,0,1,1],"text":"x"},{"page":1,"bbox":[0,0,1,1],"text":"x"}]`, 1, "1 of 2 blocks cannot be used; block 0: no page"},
		{`[{"page":-1,"bbox":[0,0,1,1],"text":"x"}]`, 0, "page -1"},
		{`[{"page":1,"text":"x"}]`, 0, "bbox has 0 numbers, not 4"},
		{`[{"page":1,"bbox":[1,1,0,0],"text":"x"}]`, 0, "ends before it begins"},
		{`[{"page":1,"bbox":[0,0,1,1]}]`, 0, "no text"},
		{`[{"page":1,"bbox":["a",0,1,1],"text":"x"}]`, 0, "unexpected string"},
		{`[{"page":1,"bbox":[0,0,1e999,1],"text":"x"}]`, 0, "unexpected number 1e999"},
		{`[{"page":1,"bbox":[0,0,1e300,1],"text":"x"}]`, 0, "is on no page"},
		{`[{"page":1,"bbox":[-1e300,0,1,1],"text":"x"}]`, 0, "is on no page"},
		{`[{"page":1,"bbox":[0,0,1,1],"text":"x","page_size":[` + strings.Repeat("1,", 600) + `1]}]`, 0, "a few numbers belong"},
		{`[` + strings.Repeat("0,", maxSourceBlocks) + `0]`, 0, "more than 200000 blocks; the first 200000 are used"},
		{`{"blocks":[{"page":1}],"blocks":[]}`, 0, ""},
		{`{"blocks":[],"blocks":null}`, 0, `there is no list under "blocks"`},
		{"[{\"page\":1,\"bbox\":[0,0,1,1],\"text\":\"x\xff\"}]", 1, "not UTF-8"},
		{`[{"page":1,"bbox":[0,0,1,1],"text":"x","coord_space":"miles"}]`, 0, `"miles" is neither`},
		{`[{"page":1,"bbox":[0,0,1,1],"text":"x","confidence":-2}]`, 0, "confidence is outside 0-1"},
	} {
		blocks, problems := ReadBlocks([]byte(c.src))
		reason := ""
		for _, p := range problems {
			if p.Stage != StageBlocks {
				t.Errorf("%s: stage %v", c.src, p.Stage)
			}
			reason += p.Reason
		}
		if len(blocks) != c.blocks || (reason == "") != (c.reason == "") || !strings.Contains(reason, c.reason) {
			t.Errorf("%s: %d blocks, %q", c.src, len(blocks), reason)
		}
	}
	blocks := blocksFrom(t, `[{"page":1,"bbox":[0,0,1,1],"text":"x","block_index":7,"page_width":595,"page_height":842}]`)
	if b := blocks[0]; b.BlockIndex != 7 || b.PageWidth != 595 || b.PageHeight != 842 || b.Space != SpaceNormalized {
		t.Errorf("block %+v", b)
	}
}

// However a list is made, reading it takes a few times its size, and an answer shows what is finite and short.
func TestHostileBlocksStaySmall(t *testing.T) {
	const size = 32 << 20
	for name, src := range map[string]string{
		"nothings":         "[" + strings.Repeat("0,", size/2) + "0]",
		"under their name": `{"blocks":[` + strings.Repeat("0,", size/2) + "0]}",
		"one long box":     `[{"bbox":[` + strings.Repeat("0,", size/2) + "0]}]",
		"open lists":       strings.Repeat("[", size),
	} {
		var before, after runtime.MemStats
		list := []byte(src)
		runtime.ReadMemStats(&before)
		blocks, problems := ReadBlocks(list)
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 8*size || len(blocks) != 0 || len(problems) == 0 {
			t.Errorf("%s: %d MiB for %d blocks, %v", name, taken>>20, len(blocks), problems)
		}
	}
	d := Parse("x.md", []byte("# A\n\nword\n"), Options{})
	one := fmt.Sprintf(`{"page":1,"bbox":[1e7,1e7,1e7,1e7],"page_size":[1e-320,1e300],"coord_space":"points","occurrence":1,"type":%q,"text":"word"},`, strings.Repeat("名", 1000))
	other := `{"page":1,"bbox":[1e7,1e7,1e7,1e7],"page_size":[1e-7,1e7],"coord_space":"normalized","occurrence":1,"text":"word"}`
	boxes := Locate(d, blocksFrom(t, "["+strings.Repeat(one, 2*boxesAChunk)+other+"]"))
	if len(boxes[0]) != boxesAChunk {
		t.Errorf("%d boxes on a chunk", len(boxes[0]))
	}
	union := UnionBoxes(append(boxes[0], blocksFrom(t, "["+other+"]")[0].Box))
	if raw, err := json.Marshal(union); err != nil || len(raw) > 1000 || len(boxes[0][0].Type) > maxTypeLength || !utf8.ValidString(boxes[0][0].Type) {
		t.Errorf("%s %v", raw, err)
	}
}

// A list that never matches looks through a large document a bounded number of times.
func TestHostileBlocksEndInTime(t *testing.T) {
	const (
		paragraphs = 4_000
		hostile    = 5_000
		// looks is how often one block may be looked for: as it is and by its ends, in front and behind.
		looks = 8
	)
	var text strings.Builder
	for i := range paragraphs {
		fmt.Fprintf(&text, "Paragraph %d about aaaa aaaa aaaa aaaa aaaa aaaa aaaa aaaa aaaa aaaa.\n\n", i)
	}
	d := Parse("x.md", []byte(text.String()), Options{})
	for name, needle := range map[string]string{"missing": "aaaa aaaa aaaa aaab", "parts of words": "aaa", "everywhere": "aaaa"} {
		blocks := make([]SourceBlock, hostile)
		far := 1 << 30
		for i := range blocks {
			blocks[i] = SourceBlock{Text: needle}
			if i%2 == 0 {
				blocks[i].Occurrence = &far
			}
		}
		l := newLocator(d, blocks)
		for _, b := range blocks {
			before := l.scan
			l.place(b)
			if before > 0 {
				continue // the budget is there to be spent
			}
			if scanned := before - l.scan; scanned > looks*(scanNear+probesNear*probeCost+len(needle)) {
				t.Fatalf("%s: one block was looked for in %d bytes", name, scanned)
			}
		}
		if l.scan == scanBudget {
			t.Errorf("%s: nothing was paid for", name)
		}
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add("# A\n\nSome text here.\n", `[{"page":1,"bbox":[0,0,1,1],"text":"Some text"}]`)
	f.Add("合同\n", `{"blocks":[{"page":1,"bbox":[0,0,1,1],"text":"合","occurrence":0}]}`)
	f.Add("<b>x</b> <", `[{"page":1,"bbox":[0,0,1,1],"text":"<b"}]`)
	f.Fuzz(func(t *testing.T, text, list string) {
		d := Parse("x.md", []byte(text), Options{})
		blocks, _ := ReadBlocks([]byte(list))
		boxes := Locate(d, blocks)
		if len(boxes) != len(d.Chunks) {
			t.Fatalf("boxes for %d of %d chunks", len(boxes), len(d.Chunks))
		}
		for _, list := range boxes {
			if len(list) > len(blocks) {
				t.Fatalf("%d boxes of %d blocks", len(list), len(blocks))
			}
			UnionBoxes(list)
		}
	})
}
