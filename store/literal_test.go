package store

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLiteralAndRegexFindLinesOfTheStoredText(t *testing.T) {
	l := small(t)
	for _, c := range []struct {
		mode  Mode
		text  string
		want  string
		first string // of the first hit
	}{
		{ModeLiteral, "heats wat", "Manual/guides/boiler.md", "heats wat"},
		{ModeLiteral, "boiler heats", "Manual/guides/boiler.md", "boiler heats"},
		{ModeLiteral, "BOILER heats", "", ""},
		{ModeLiteral, "the boiler", "Manual/guides/boiler.md Manual/pump.md", "The boiler"},
		{ModeLiteral, "100%_", "", ""},
		{ModeLiteral, "bar.baz", "Manual/guides/boiler.md", "bar.baz"},
		{ModeLiteral, "perché", "Manuale/caldaia.markdown", "perché"},
		{ModeLiteral, "了部", "手册/部署.md", "了部"},
		{ModeLiteral, `"`, "", ""},
		{ModeRegex, `valve\w* close`, "", ""},
		{ModeRegex, `Valve\w* close`, "Manual/guides/boiler.md", "Valves close"},
		{ModeRegex, `(?i)^THE.*water`, "Manual/guides/boiler.md", "The boiler heats water"},
		{ModeRegex, `\.$`, "Manual/guides/boiler.md Manual/pump.md Manuale/caldaia.markdown", "."},
		{ModeRegex, `foo.bar(\.baz)?`, "Manual/guides/boiler.md Manual/pump.md", "foo_bar.baz"},
	} {
		a := l.search(Query{Text: c.text, Mode: c.mode})
		got := slices.Compact(foundPaths(a))
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %s: got %v, want %s", c.mode, c.text, got, c.want)
		} else if len(a.Hits) > 0 && (a.Hits[0].Terms[0] != c.first || !strings.Contains(a.Hits[0].Snippet, c.first)) {
			t.Errorf("%s %s: matched %q in %q, want %q", c.mode, c.text, a.Hits[0].Terms, a.Hits[0].Snippet, c.first)
		}
	}
}

func TestLiteralObeysFolderAndFilters(t *testing.T) {
	l := small(t)
	for _, q := range []Query{
		{Text: "boiler", Where: "status:done"},
		{Text: "boiler", Where: "-path:guides"},
		{Text: "boiler", Path: "Manual/pump.md"},
	} {
		q.Mode = ModeLiteral
		if got := slices.Compact(foundPaths(l.search(q))); !slices.Equal(got, []string{"Manual/pump.md"}) {
			t.Errorf("%+v found %v", q, got)
		}
	}
}

func TestBrokenRegexIsExplained(t *testing.T) {
	l := small(t)
	_, err := l.try(Query{Text: `valve(`, Mode: ModeRegex})
	var fault *QueryError
	if !errors.As(err, &fault) || !strings.Contains(fault.Reason, "missing closing )") {
		t.Errorf("error %v", err)
	}
}

func TestCancelledSearchEnds(t *testing.T) {
	l := small(t)
	for _, mode := range []Mode{ModeAuto, ModeLiteral, ModeRegex} {
		ctx, cancel := context.WithCancel(context.Background())
		err := l.s.View(ctx, func(v *View) error {
			cancel()
			_, err := v.Search(Query{Text: "boiler", Limit: 10, Mode: mode})
			return err
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

// TestLinesAreThoseOfANaiveLook compares totals and hits with a look at every line, filters, folders and paging included.
func TestLinesAreThoseOfANaiveLook(t *testing.T) {
	words := []string{"Kelvin", "skip", "ſkip", "valve", "VALVE", "a", "Zug", "数据", "é", "É", "foo_bar", "100%", "x.y"}
	rapid.Check(t, func(rt *rapid.T) {
		l := newLibrary(t)
		for i := range rapid.IntRange(1, 8).Draw(rt, "pages") {
			body := ""
			for range rapid.IntRange(1, 6).Draw(rt, "chunks") {
				body += strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 4).Draw(rt, "text"), rapid.SampledFrom([]string{" ", "\r\n", "\n"}).Draw(rt, "between")) + "\n\n"
			}
			l.put(page{path: fmt.Sprintf("%s/p%d.md", rapid.SampledFrom([]string{"A", "B"}).Draw(rt, "shelf"), i), body: body})
		}
		q := Query{Mode: ModeLiteral, Limit: 50, Text: rapid.SampledFrom(append(words, "k", "S", "lve", "ü", "据")).Draw(rt, "query")}
		if rapid.Bool().Draw(rt, "regex") {
			q.Mode, q.Text = ModeRegex, "(?i)"+regexp.QuoteMeta(q.Text)+rapid.SampledFrom([]string{"", "$", "+", "|z"}).Draw(rt, "tail")
		}
		q.Folder = rapid.SampledFrom([]string{"", "A"}).Draw(rt, "folder")
		if len(l.shelf) < 2 {
			q.Folder = ""
		}
		f, err := newFinder(q)
		if err != nil {
			rt.Fatal(err)
		}
		var want []string
		shown := map[string]int{}
		for _, x := range l.chunks {
			m := f.in(x.body)
			if shown[x.path] < perDocument && m.matches > 0 && strings.HasPrefix(x.path, q.Folder) {
				shown[x.path]++
				want = append(want, x.path+" "+m.line)
			}
		}
		a := l.search(q)
		var got []string
		for _, h := range a.Hits {
			got = append(got, h.Document.Path+" "+h.Snippet)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || a.Total != len(want) {
			rt.Fatalf("%+v\ngot  %q (%d)\nwant %q", q, got, a.Total, want)
		}
		l.s.Close()
	})
}
