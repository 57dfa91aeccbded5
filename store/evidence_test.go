package store

import (
	"bufio"
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"shelfd/chunker"
)

// evidenceFor reads a whole text for a query.
func evidenceFor(markdown, query string, trail ...string) Evidence {
	var wanted []*wish
	for _, c := range parse(query) {
		wanted = append(wanted, &wish{clause: c})
	}
	idf := make([]float64, len(wanted))
	for i := range idf {
		idf[i] = 1
	}
	m := marks{newScorer(wanted, idf, true)}
	return m.evidence(markdown, chunker.Span{End: len(markdown)}, trail)
}

// lit are the characters of the highlight that its ranges name.
func lit(e Evidence) string {
	var parts []string
	characters := []rune(e.Highlight)
	for _, r := range e.Ranges {
		parts = append(parts, string(characters[r[0]:r[1]]))
	}
	return strings.Join(parts, "|")
}

func TestQuoteIsTheProseThatAnswers(t *testing.T) {
	const boiler = "## Boiler valves\n\nThe boiler stands in the cellar. Its *relief valve* opens at [three bar](v.md).\n\n- Descale every winter\n\n| valve | bar |\n|---|---|\n| drain valve | 2 |\n\n```\nvalve --open\n```\n"
	for _, c := range []struct{ name, text, query, quote, highlight, lit string }{
		{"the sentence with the words", boiler, "relief valve", "Its relief valve opens at three bar.", "Its relief valve opens at three bar.", "relief|valve"},
		{"a list item", boiler, "winter", "Descale every winter", "Descale every winter", "winter"},
		{"a cell", boiler, "drain", "drain valve", "drain valve", "drain"},
		{"a heading is shown, not quoted", "# Pump\n\nIt turns clockwise all day long.\n", "pump", "It turns clockwise all day long.", "Pump", "Pump"},
		{"code is shown, prose quoted", boiler, "--open", "Its relief valve opens at three bar.", "valve --open", "--open"},
		{"a phrase", boiler, `"opens at three bar"`, "Its relief valve opens at three bar.", "Its relief valve opens at three bar.", "opens at three bar"},
		{"nothing lights up", "# Pump\n\nIt turns clockwise all day long.\n", "zebra", "It turns clockwise all day long.", "", ""},
		{"code only", "```\nx := 1\n```\n", "x", "x := 1", "x := 1", "x"},
		{"heading only", "# Pump\n", "pump", "", "Pump", "Pump"},
		{"Chinese", "# 部署\n\n今天讨论了部署方案。明天🎉再讨论部署方案的细节。\n", "细节", "明天🎉再讨论部署方案的细节。", "明天🎉再讨论部署方案的细节。", "细节"},
		{"Chinese phrase in parts", "今天讨论了部署方案。\n", "部署方案", "今天讨论了部署方案。", "今天讨论了部署方案。", "部署方案"},
		{"emoji before", "🎉👩‍👩‍👧 party at the café, bring cake.\n", "cafe cake", "🎉👩‍👩‍👧 party at the café, bring cake.", "🎉👩‍👩‍👧 party at the café, bring cake.", "café|cake"},
		{"accents apart", "Il perche\u0301 della cosa resta.\n", "perché", "Il perche\u0301 della cosa resta.", "Il perche\u0301 della cosa resta.", "perche\u0301"},
		{"identifier", "Set `server.max_open_files` before start. Files stay open.\n", "max_open_files", "Set server.max_open_files before start.", "Set server.max_open_files before start.", "max_open_files"},
	} {
		e := evidenceFor(c.text, c.query)
		if e.Quote != c.quote || e.Highlight != c.highlight || lit(e) != c.lit {
			t.Errorf("%s: quote %q highlight %q lit %q\nwant quote %q highlight %q lit %q", c.name, e.Quote, e.Highlight, lit(e), c.quote, c.highlight, c.lit)
		}
		if (e.Paragraph >= 0) != (e.Quote != "") || e.Quote != "" && !strings.Contains(e.Paragraphs[e.Paragraph], e.Quote) {
			t.Errorf("%s: quote %q is not in paragraph %d of %q", c.name, e.Quote, e.Paragraph, e.Paragraphs)
		}
	}
}

func TestWithoutAQueryTheMostDistinctiveSentenceIsQuoted(t *testing.T) {
	text := "# Expansion vessel\n\nSee below. The vessel takes up what the water gains by heating, behind a bladder. Please note that it can be seen from here.\n"
	if e := evidenceFor(text, ""); e.Quote != "The vessel takes up what the water gains by heating, behind a bladder." {
		t.Errorf("quote %q", e.Quote)
	}
	if e := evidenceFor("第二十二条 违约责任\n\n甲方逾期付款的，应当支付违约金。\n", "", "第二十二条 违约责任"); e.Quote != "甲方逾期付款的，应当支付违约金。" {
		t.Errorf("quote %q", e.Quote)
	}
}

func TestALongSentenceIsQuotedInPart(t *testing.T) {
	text := strings.Repeat("and the water runs on ", 40) + "past the manometer " + strings.Repeat("and back into the pipe ", 40) + ".\n"
	e := evidenceFor(text, "manometer")
	if n := utf8.RuneCountInString(e.Quote); n > quoteLongest || !strings.Contains(e.Quote, "manometer") || !strings.Contains(text, e.Quote) {
		t.Errorf("%d characters: %q", n, e.Quote)
	}
}

// truthQueries are the queries of the ground truth for one folder of the work corpus.
func truthQueries(t testing.TB, archive, name string) []string {
	f, err := os.Open(filepath.Join(filepath.Dir(archive), "truth", name+".anchors.jsonl"))
	if err != nil {
		t.Skip("no ground truth beside the work corpus")
	}
	defer f.Close()
	var list []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var row struct{ Query string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		list = append(list, row.Query)
	}
	return list
}

var (
	linkTail  = regexp.MustCompile(`\]\((?:[^()\n]|\([^()\n]*\))*\)|\]\[[^\]\n]*\]`)
	entryMark = regexp.MustCompile(`(?m)^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]`)
)

// letters are the letters and digits of Markdown text, by a reading that shares nothing with ours: links lose their
// targets, HTML its tags, list items their numbers, quotes their signs.
func letters(markdown string) string {
	s := linkTail.ReplaceAllString(markdown, "]")
	s = regexp.MustCompile(`<[^<>\n]*>`).ReplaceAllString(s, "")
	s = entryMark.ReplaceAllString(s, "")
	s = html.UnescapeString(s)
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

func TestQuotesOfRealDocumentsStandInTheirSource(t *testing.T) {
	if testing.Short() {
		t.Skip("indexes the work corpus")
	}
	archive := workCorpus(t)
	l := newLibrary(t)
	folders := []string{"apisix", "vue-docs-it", "vue-docs-zh"}
	l.fill(t, archive, folders...)
	hits, missing := 0, 0
	for _, name := range folders {
		queries := truthQueries(t, archive, name)
		for i := 0; i < len(queries); i += 4 {
			a := l.search(Query{Text: queries[i], Folder: name, Evidence: true})
			for _, h := range a.Hits {
				source, err := l.chunkText(h)
				if err != nil {
					t.Fatal(err)
				}
				hits++
				if !checkEvidence(t, queries[i], h, source) {
					missing++
				}
			}
		}
	}
	if hits < 1000 || missing > 0 {
		t.Errorf("%d of %d quotes do not stand in their source", missing, hits)
	}
}

// checkEvidence states what must hold of the evidence of any hit.
func checkEvidence(t *testing.T, query string, h Hit, source string) bool {
	e := h.Evidence
	n := utf8.RuneCountInString(e.Highlight)
	last := 0
	for _, r := range e.Ranges {
		if r[0] < last || r[1] <= r[0] || r[1] > n {
			t.Errorf("%q: ranges %v in %q", query, e.Ranges, e.Highlight)
		}
		last = r[1]
	}
	if (e.Highlight == "") != (len(e.Ranges) == 0) {
		t.Errorf("%q: highlight %q with ranges %v", query, e.Highlight, e.Ranges)
	}
	if slices.Contains(h.TitlePath, e.Quote) {
		t.Errorf("%q: a heading is quoted: %q", query, e.Quote)
	}
	code := strings.NewReplacer("<", " ", ">", " ").Replace // what looks like a tag in code is none
	if !strings.Contains(letters(source), letters(e.Quote)) && !strings.Contains(letters(code(source)), letters(code(e.Quote))) {
		t.Logf("%q %s: quote %q", query, h.Document.Path, e.Quote)
		return false
	}
	return true
}
