package store

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlainDropsMarkdownMarksAndKeepsText(t *testing.T) {
	for _, c := range []struct{ markdown, want string }{
		{"## Valves ##\nEach *valve* has a **seat**.", "Valves ## Each valve has a seat."},
		{"- [x] one\n- two\n1. three", "one two three"},
		{"> quoted\n> > deeper", "quoted deeper"},
		{"see [the manual](a.md#x \"t\") and ![logo](l.png) and [ref][r]", "see the manual and logo and ref"},
		{"[[page|shown]] and [[page]]", "shown and page"},
		{"[r]: http://x.y", ""},
		{"use `a*b_c` and ``x ` y``", "use a*b_c and x ` y"},
		{"snake_case_name and _emph_ 2 * 3 * 4 ~~old~~ ~5", "snake_case_name and emph 2 * 3 * 4 old ~5"},
		{"| a | b |\n|---|:-:|\n| c | d |", "a | b c | d"},
		{"```go\nx := <-c\n```", "x := <-c"},
		{"a <b>bold</b> <!-- no --> 1 < 2", "a bold 1 < 2"},
		{`\*not\* emphasis`, "*not* emphasis"},
		{"`unclosed [x", "unclosed [x"},
		{"Title\n=====\ntext\n---", "Title text"},
		{"array[0](1) ![", "array0 !["},
		{"日本**語**", "日本語"},
	} {
		if got := plain(c.markdown); got != c.want {
			t.Errorf("plain(%q)\ngot  %q\nwant %q", c.markdown, got, c.want)
		}
	}
}

func marksFor(query string) *scorer {
	var wanted []*wish
	for _, c := range parse(query) {
		wanted = append(wanted, &wish{clause: c})
	}
	return newScorer(wanted, make([]float64, len(wanted)), true)
}

func TestSnippetShowsTheBestWindowInWholeWords(t *testing.T) {
	filler := strings.Repeat("lorem ipsum dolor ", 30)
	body := "# Valves\n" + filler + "the boiler has a valve here " + filler + "a boiler " + filler
	got := snippet(body, marksFor("boiler valve"))
	if !strings.Contains(got, "boiler has a valve") {
		t.Errorf("snippet %q misses the place with both words", got)
	}
	if n := utf8.RuneCountInString(got); n > snippetLength+2 {
		t.Errorf("snippet has %d characters", n)
	}
	for _, word := range strings.Fields(strings.Trim(got, "…")) {
		if !strings.Contains(" "+plain(body)+" ", " "+word+" ") {
			t.Errorf("snippet %q cuts the word %q", got, word)
		}
	}
	if got := snippet("short *text*", marksFor("nothing")); got != "short text" {
		t.Errorf("short text became %q", got)
	}
}

func TestSnippetOfCJKAndOfOneEndlessWord(t *testing.T) {
	body := strings.Repeat("这是一个很长的段落。", 60) + "部署方案在这里。" + strings.Repeat("后面还有很多文字。", 60)
	if got := snippet(body, marksFor("部署方案")); !strings.Contains(got, "部署方案") || utf8.RuneCountInString(got) > snippetLength+2 {
		t.Errorf("snippet %q", got)
	}
	if got := snippet(strings.Repeat("x", 5000), marksFor("y")); utf8.RuneCountInString(got) > snippetLength+2 {
		t.Errorf("snippet has %d characters", utf8.RuneCountInString(got))
	}
}
