package store

import (
	"slices"
	"strings"
	"testing"
)

func small(t *testing.T) *library {
	l := newLibrary(t)
	l.put(
		page{path: "Manual/guides/boiler.md", title: "Boiler", tags: []string{"heating", "Hot Water"}, language: "en", front: map[string]any{"status": "draft", "priority": 3},
			body: "# Boiler\nThe boiler heats water.\n\n# Valves\nEach valve has a seat. Valves close slowly.\n\n# Pump\nUse C++ or foo_bar.baz with --dry-run.\n"},
		page{path: "Manual/pump.md", title: "Pump station", aliases: []string{"pumping house"}, language: "en", front: map[string]any{"status": "done", "priority": 12},
			body: "# Pump station\nA pump moves water to the boiler room.\n\n# Parts\nfoo bar baz and dry run in c.\n"},
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
		{`C++`, "Manual/guides/boiler.md 手册/部署.md", MatchExact},
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
