package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
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
