package store

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func small(t *testing.T) *library {
	l := newLibrary(t)
	l.put(
		page{
			path: "Manual/guides/boiler.md", title: "Boiler", tags: []string{"heating", "Hot Water"}, language: "en", front: map[string]any{"status": "draft", "priority": 3},
			body: "# Boiler\nThe boiler heats water.\n\n# Valves\nEach valve has a seat. Valves close slowly.\n\n# Pump\nUse C++ or foo_bar.baz with --dry-run.\n",
		},
		page{
			path: "Manual/pump.md", title: "Pump station", aliases: []string{"pumping house"}, language: "en", front: map[string]any{"status": "done", "priority": 12},
			body: "# Pump station\nA pump moves water to the boiler room.\n\n# Parts\nfoo bar baz and dry run in c.\n",
		},
		page{path: "Manuale/caldaia.markdown", title: "Caldaia", language: "it", body: "# Caldaia\nLa caldaia riscalda l'acqua perché serve calore. Le valvole.\n"},
		page{path: "手册/部署.md", title: "部署方案", language: "zh", body: "# 部署方案\n今天讨论了部署方案和数据库。\n\n# 测试\n用 C++ 写的数据测试\n"},
	)
	return l
}

func TestQueriesFindWhatTheyMean(t *testing.T) {
	l := small(t)
	for _, c := range []struct {
		query string
		want  string // doc_paths in order
		match Match
	}{
		{`boiler`, "Manual/guides/boiler.md Manual/pump.md", MatchExact},
		{`BOILER water`, "Manual/guides/boiler.md Manual/pump.md", MatchExact},
		{`"boiler heats"`, "Manual/guides/boiler.md", MatchExact},
		{`"heats boiler"`, "", ""},
		{`boil*`, "Manual/guides/boiler.md Manual/pump.md", MatchExact},
		{`water -pump`, "Manual/guides/boiler.md", MatchExact},
		{`seat OR station`, "Manual/pump.md Manual/guides/boiler.md", MatchExact},
		{`perche`, "Manuale/caldaia.markdown", MatchExact},
		{`C++`, "手册/部署.md Manual/guides/boiler.md", MatchExact},
		{`--dry-run`, "Manual/guides/boiler.md Manual/pump.md", MatchExact},
		{`foo_bar.baz`, "Manual/guides/boiler.md Manual/pump.md", MatchExact},
		{`部署`, "手册/部署.md", MatchExact},
		{`部署方案`, "手册/部署.md", MatchExact},
		{`库`, "手册/部署.md", MatchExact},
		{`valvola`, "Manuale/caldaia.markdown", MatchRelaxed},
		{`heating boilers`, "Manual/guides/boiler.md", MatchRelaxed},
		{`oile`, "Manual/guides/boiler.md Manual/pump.md", MatchSubstring},
		{`pumping`, "Manual/pump.md", MatchExact},
		{`water tag:heating`, "Manual/guides/boiler.md", MatchExact},
		{`water tag:"hot water"`, "Manual/guides/boiler.md", MatchExact},
		{`water status:done`, "Manual/pump.md", MatchExact},
		{`water priority:>3`, "Manual/pump.md", MatchExact},
		{`water priority:<=3`, "Manual/guides/boiler.md", MatchExact},
		{`kind:markdown`, "Manuale/caldaia.markdown", MatchExact},
		{`shelf:manual water`, "Manual/guides/boiler.md Manual/pump.md", MatchExact},
		{`path:guides water`, "Manual/guides/boiler.md", MatchExact},
		{`path:*/p*.md water`, "Manual/pump.md", MatchExact},
		{`title:station`, "Manual/pump.md", MatchExact},
		{`heading:parts foo`, "Manual/pump.md", MatchExact},
		{`-path:guides shelf:Manual`, "Manual/pump.md", MatchExact},
		{`???`, "", ""},
		{``, "", ""},
	} {
		t.Run(c.query, func(t *testing.T) {
			a := l.search(Query{Text: c.query})
			got := slices.Compact(foundPaths(a))
			if len(got) > len(strings.Fields(c.want)) {
				got = got[:max(1, len(strings.Fields(c.want)))]
			}
			if strings.Join(got, " ") != c.want || len(a.Hits) > 0 && a.Hits[0].Match != c.match {
				t.Errorf("got %v, want %s %s", got, c.want, c.match)
				for _, h := range a.Hits {
					t.Logf("%.2f %s %s#%s %v %q", h.Score, h.Match, h.Document.Path, h.NodeID, h.Terms, h.Snippet)
				}
				t.Log(a.Queries, a.Total)
			}
		})
	}
}

func TestMoreMatchedWordsComeFirst(t *testing.T) {
	l := newLibrary(t)
	l.put(
		page{path: "S/one.md", body: "zinc zinc zinc zinc\n"},
		page{path: "S/two.md", body: "some words zinc and then others and copper at the end\n"},
		page{path: "S/stop.md", body: "the of and\n"},
	)
	a := l.search(Query{Text: "the zinc copper unicorn"})
	if got := strings.Join(foundPaths(a), " "); got != "S/two.md S/one.md" {
		t.Errorf("got %s", got)
	}
	if !a.Relaxed || a.Hits[0].Match != MatchRelaxed || !slices.Equal(a.Hits[0].Terms, []string{"copper", "the", "zinc"}) {
		t.Errorf("relaxed %v, match %s, terms %v", a.Relaxed, a.Hits[0].Match, a.Hits[0].Terms)
	}
	if want := []string{"the zinc copper unicorn", "zinc OR copper OR unicorn"}; !slices.Equal(a.Queries, want) {
		t.Errorf("ran %q, want %q", a.Queries, want)
	}
}

func TestWordsInTheOrderOfTheQueryComeFirst(t *testing.T) {
	l := newLibrary(t)
	l.put(
		page{path: "S/a.md", body: "the seal gasket of the pump\n"},
		page{path: "S/b.md", body: "the gasket seal of the pump\n"},
		page{path: "S/c.md", body: "the gasket of the seal pump\n"},
	)
	if got := strings.Join(foundPaths(l.search(Query{Text: "gasket seal"})), " "); got != "S/b.md S/a.md S/c.md" {
		t.Errorf("got %s", got)
	}
}

// A note of a few words may not tell its language: then its words have the stems of what most documents speak, of English
// where none tells.
func TestANoteWithoutALanguageHasTheStemsOfTheOthers(t *testing.T) {
	l := newLibrary(t)
	l.put(page{path: "S/note.md", body: "contratti registrati, batteries charged\n"}, page{path: "S/zh.md", language: "zh", body: "电池 batteries\n"})
	found := func(query string) string {
		return strings.Join(foundPaths(l.search(Query{Text: query, Limit: 1})), " ")
	}
	if got := found("battery"); got != "S/note.md" {
		t.Errorf("English: %q", got)
	}
	l.put(page{path: "S/en.md", language: "en", body: "one\n"}, page{path: "S/it.md", language: "it", body: "due\n"}, page{path: "S/it2.md", language: "it", body: "tre\n"})
	a := l.search(Query{Text: "contratto"})
	if len(a.Hits) != 1 || a.Hits[0].Match != MatchRelaxed || a.Hits[0].Document.Path != "S/note.md" {
		t.Errorf("Italian: %v", foundPaths(a))
	}
}

func TestIdentifierAsTypedStandsAboveItsParts(t *testing.T) {
	l := newLibrary(t)
	l.put(
		page{path: "S/parts.md", title: "foo bar baz", body: "foo bar baz foo bar baz foo bar baz\n"},
		page{path: "S/typed.md", title: "other", body: strings.Repeat("many other words ", 50) + "foo_bar.baz\n"},
	)
	if got := strings.Join(foundPaths(l.search(Query{Text: "foo_bar.baz"})), " "); got != "S/typed.md S/parts.md" {
		t.Errorf("got %s", got)
	}
}

func TestThreeChunksOfADocumentAreShownAndTheRestCounted(t *testing.T) {
	l := newLibrary(t)
	l.put(
		page{path: "S/long.md", title: "Zinc", body: strings.Repeat("zinc zinc zinc\n\n", 200)},
		page{path: "S/short.md", body: "a little zinc\n"},
	)
	a := l.search(Query{Text: "zinc"})
	if got := strings.Join(foundPaths(a), " "); a.Total != 4 || a.Hits[2].More != 197 || a.Hits[3].More != 0 || got != "S/long.md S/long.md S/long.md S/short.md" {
		t.Errorf("total %d, hits %s", a.Total, got)
	}
	if a := l.search(Query{Text: "zinc", Path: "S/long.md", Limit: 50, Offset: 180}); len(a.Hits) != 20 || a.Total != 200 {
		t.Errorf("inside the document: %d hits of %d", len(a.Hits), a.Total)
	}
}

func TestFolderPathAndWhereRestrictBeforeCounting(t *testing.T) {
	l := small(t)
	for _, c := range []struct {
		query Query
		total int
	}{
		{Query{Text: "water"}, 2},
		{Query{Text: "water", Folder: "Manual"}, 2},
		{Query{Text: "water", Folder: "Manual/guides/"}, 1},
		{Query{Text: "water", Folder: "Manual/guides", Where: "status:done"}, 0},
		{Query{Text: "water", Path: "Manual/pump.md", Folder: "手册"}, 1},
		{Query{Text: "water", Path: "Manual/absent.md"}, 0},
		{Query{Text: "water OR kind:md", Folder: "手册"}, 1},
		{Query{Where: "priority:>=3"}, 2},
		{Query{Text: "water", Where: "tag:heating OR status:done"}, 2},
	} {
		if a := l.search(c.query); a.Total != c.total {
			t.Errorf("%+v: total %d, want %d: %v", c.query, a.Total, c.total, foundPaths(a))
		}
	}
}

func TestDatesAreDays(t *testing.T) {
	l := newLibrary(t)
	day := func(s string, zone *time.Location) time.Time {
		at, err := time.ParseInLocation("2006-01-02 15:04", s, zone)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	l.put(
		page{path: "S/day.md", date: day("2024-05-01 00:00", time.UTC), body: "dated\n"},
		page{path: "S/late.md", date: day("2024-05-01 23:30", time.Local), body: "dated\n"},
		page{path: "S/next.md", date: day("2024-05-02 00:10", time.Local), body: "dated\n"},
		page{path: "Far/ever.md", date: day("9999-12-31 00:00", time.UTC), body: "for ever\n"},
		page{path: "Far/old.md", date: day("1500-01-01 00:00", time.UTC), body: "long ago\n"},
	)
	for query, want := range map[string]string{
		"shelf:S after:2024-05-01":           "S/day.md S/late.md S/next.md",
		"shelf:S before:2024-05-01":          "",
		"shelf:S before:9999-12-31":          "S/day.md S/late.md S/next.md",
		"shelf:S after:2300-01-01":           "",
		"after:2300-01-01":                   "Far/ever.md",
		"before:1700-01-01":                  "Far/old.md",
		"after:2024-05-01 before:2024-05-02": "S/day.md S/late.md",
		"shelf:S after:2024-05-02":           "S/next.md",
		"after:2024 before:2025 dated":       "S/day.md S/late.md S/next.md",
		"shelf:S before:2024-05":             "",
	} {
		if got := strings.Join(foundPaths(l.search(Query{Text: query})), " "); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
}

func TestHitsSayWhereTheyStand(t *testing.T) {
	l := small(t)
	h := l.search(Query{Text: "valve seat"}).Hits[0]
	if h.NodeID != "valves" || !slices.Equal(h.TitlePath, []string{"Valves"}) || h.Context != "the guides" || h.Document.FrontMatter != nil {
		t.Errorf("node %s, titles %q, context %q, front matter %v", h.NodeID, h.TitlePath, h.Context, h.Document.FrontMatter)
	}
	if h.Snippet != "Valves Each valve has a seat. Valves close slowly." {
		t.Errorf("snippet %q", h.Snippet)
	}
	if h := l.search(Query{Text: "pump room"}).Hits[0]; h.Context != "about Manual" {
		t.Errorf("context %q", h.Context)
	}
}

func TestAnEditIsSeenByTheNextSearch(t *testing.T) {
	l := newLibrary(t)
	l.put(page{path: "S/a.md", body: "reinforced concrete\n"})
	if a := l.search(Query{Text: "oncret"}); a.Total != 1 || a.Hits[0].Match != MatchSubstring {
		t.Fatalf("%+v", a)
	}
	l.put(page{path: "S/b.md", body: "concretely said\n"})
	if a := l.search(Query{Text: "oncret"}); a.Total != 2 {
		t.Errorf("after an edit: %v", foundPaths(a))
	}
}

func TestAFewHitsAreExactWhenAFewAreWanted(t *testing.T) {
	l := newLibrary(t)
	l.put(
		page{path: "S/one.md", body: "a pump\n", language: "en"},
		page{path: "S/two.md", body: "the pump\n", language: "en"},
		page{path: "S/three.md", body: "many pumps\n", language: "en"},
	)
	for limit, relaxed := range map[int]bool{1: false, 2: false, 3: true, 10: true} {
		a := l.search(Query{Text: "pump", Limit: limit})
		if a.Relaxed != relaxed || (len(a.Queries) > 1) != relaxed || a.Hits[0].Match != MatchExact {
			t.Errorf("limit %d: relaxed %v, queries %q, first hit %s", limit, a.Relaxed, a.Queries, a.Hits[0].Match)
		}
	}
}
