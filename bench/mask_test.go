package main

import "testing"

func TestMaskHidesQueriesInEveryFormOfLink(t *testing.T) {
	queries := map[string]bool{queryText("The Pump"): true, queryText("`a[0]` list"): true, queryText("Straße"): true}
	for in, want := range map[string]string{
		"see [the *pump*](pump.md).":        "see [link](pump.md).",
		"see [The\n  pump][p] and [pump][]": "see [link][p] and [pump][]",
		"[the pump][] [THE PUMP]":           "[link][] [link]",
		"[the pump]: pump.md":               "[the pump]: pump.md",
		"[[pump|the pump]] [[pump|other]]":  "[[pump|link]] [[pump|other]]",
		"[`a[0]` list](x.md)":               "[link](x.md)",
		"[x [the pump] y](z.md)":            "[x [the pump] y](z.md)",
		"[open [the pump](p.md)":            "[open [link](p.md)",
		"[STRASSE](x) [Straße](x)":          "[link](x) [link](x)",
		"no link, the pump":                 "no link, the pump",
		"日本[the pump](p)語[":                 "日本[link](p)語[",
	} {
		if got := mask(in, queries); got != want {
			t.Errorf("mask(%q)\ngot  %q\nwant %q", in, got, want)
		}
	}
}

func TestScoresCountTheFirstTenWithoutSources(t *testing.T) {
	q := question{Relevant: []string{"a", "b"}, AlsoOK: []string{"c"}, Sources: []string{"s"}, Translations: []string{"t"}}
	var s scores
	s.add(q, ranking{"s", "x", "t", "a"})
	if s.mrr != 0.5 || s.recall != 0.5 || s.empty != 0 {
		t.Errorf("%+v", s)
	}
	s = scores{}
	s.add(q, ranking{"a", "c"})
	if s.mrr != 1 || s.recall != 1 || s.ndcg != 1 {
		t.Errorf("%+v", s)
	}
	s = scores{}
	s.add(q, ranking{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "a"})
	s.add(q, ranking{"s"})
	if s.mrr != 0 || s.recall != 0 || s.ndcg != 0 || s.empty != 1 || s.n != 2 {
		t.Errorf("%+v", s)
	}
}
