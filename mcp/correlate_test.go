package mcp

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"shelfd/correlate"
	"shelfd/indexer"
	"shelfd/internal/shelftest"
	"shelfd/store"
)

// plants serves a standard, a plant that extends it and a neighbour that has nothing to do with either; nothing is
// correlated unless somebody asks.
func plants(t *testing.T) (*library, *shelftest.Library) {
	t.Helper()
	p := correlate.DefaultParams()
	s := shelftest.New(t, shelftest.Options{Correlate: &p, OnlyAsked: true, Stopped: true, Shelves: []indexer.Shelf{
		{ShelfSpec: store.ShelfSpec{Name: "standard"}},
		{ShelfSpec: store.ShelfSpec{Name: "plant"}, Parents: []string{"standard"}},
		{ShelfSpec: store.ShelfSpec{Name: "neighbour"}},
	}})
	const page = "---\ntags: [%s]\n---\n# %s\n\n## %s\n\n%s\n"
	for path, text := range map[string]string{
		"standard/boiler.md":       fmt.Sprintf(page, "heat, water", "Boiler pressure", "Filling", "Open the valve until the gauge shows two bar."),
		"standard/parts/pump.md":   fmt.Sprintf(page, "water", "Pump pressure", "Filling", "Vent the pump, then open the valve."),
		"standard/parts/burner.md": fmt.Sprintf(page, "heat", "Burner", "Lighting", "Spark and flame, watched by an eye of glass."),
		"plant/boiler.md":          fmt.Sprintf(page, "heat, water", "Boiler pressure", "Filling", "Open the valve until the gauge shows one bar."),
		"plant/visit.md":           fmt.Sprintf(page, "visit", "Visit in May", "Seen", "Everything of the Burner was clean; a new pump comes. The flue map hangs there."),
		"plant/annex/flue-map.md":  fmt.Sprintf(page, "draft", "Chimney", "Bricks", "Red ones, laid in lime."), // named by its file alone
		"plant/pumps/pump.md":      fmt.Sprintf(page, "water", "Pump pressure of the annex", "Venting", "Vent the pump by the valve."),
		"neighbour/boiler.md":      fmt.Sprintf(page, "heat", "Boiler pressure", "Filling", "Open the valve until the gauge shows three bar."),
		"neighbour/pump.md":        fmt.Sprintf(page, "water", "Pump", "Venting", "Vent the pump."),
	} {
		s.Write(path, text)
	}
	s.Start()
	s.Sync()
	return &library{t: t, ix: s.Indexer, served: serve(t, Options{Store: s.Store, Indexer: s.Indexer})}, s
}

// proposals asks for the links of the plant.
func (l *library) proposals(args fields) correlated {
	l.t.Helper()
	ask := fields{"mode": "shelf", "shelf": "plant"}
	maps.Copy(ask, args)
	var c correlated
	l.manage(&c, "correlate", "", ask)
	if c.Proposed != len(c.Samples) {
		l.t.Fatalf("%v: %d proposed, %d shown", args, c.Proposed, len(c.Samples))
	}
	return c
}

// ends names links by what they join and say, without whether they stand.
func ends(links []sampleLink) (all []string) {
	for _, l := range links {
		all = append(all, fmt.Sprint(l.Source, " ", l.Target, " ", l.Relation, " ", l.Confidence))
	}
	slices.Sort(all)
	return all
}

// TestEachArgumentOfCorrelateLeavesOutWhatItSays: the links that pass with it are those that pass without any limit,
// less those that it is about; nothing is written meanwhile.
func TestEachArgumentOfCorrelateLeavesOutWhatItSays(t *testing.T) {
	l, s := plants(t)
	before := s.Dump()
	loose := fields{"scope": "cross_shelf", "min_confidence": 0, "min_signal_count": 0, "max_links_per_document": 0}
	everything := l.proposals(loose)
	shelf := func(path string) string { return path[:strings.IndexByte(path, '/')] }
	type limit struct {
		name  string
		value any
		keeps func(l sampleLink, place int) bool // place of the link among those of its source, best first
	}
	limits := []limit{
		{"scope", "shelf", func(l sampleLink, _ int) bool { return shelf(l.Target) == "plant" }},
		{"scope", "shelf_with_parents", func(l sampleLink, _ int) bool { return shelf(l.Target) != "neighbour" }},
		{"scope", "cross_shelf", func(sampleLink, int) bool { return true }},
		{"min_confidence", 0.3, func(l sampleLink, _ int) bool { return l.Confidence >= 0.3 }},
		{"min_confidence", 0.7, func(l sampleLink, _ int) bool { return l.Confidence >= 0.7 }},
		{"min_confidence", 1, func(l sampleLink, _ int) bool { return l.Confidence >= 1 }},
		{"min_signal_count", 3, func(l sampleLink, _ int) bool { return l.SignalCount >= 3 || l.Relation == "mentions" }},
		{"min_signal_count", 6, func(l sampleLink, _ int) bool { return l.SignalCount >= 6 || l.Relation == "mentions" }},
		{"max_links_per_document", 1, func(_ sampleLink, place int) bool { return place < 1 }},
		{"max_links_per_document", 3, func(_ sampleLink, place int) bool { return place < 3 }},
	}
	weakest := slices.MinFunc(everything.Samples, func(a, b sampleLink) int { return cmp.Compare(a.Confidence, b.Confidence) }).Confidence
	for _, shown := range everything.Samples { // what is shown is what is compared
		if shown.Confidence > weakest {
			limits = append(limits, limit{"min_confidence", shown.Confidence, func(l sampleLink, _ int) bool { return l.Confidence >= shown.Confidence }})
		}
	}
	for _, c := range limits {
		var want []sampleLink
		places := map[string]int{}
		for _, link := range ranked(everything.Samples) {
			if c.keeps(link, places[link.Source]) {
				want = append(want, link)
			}
			places[link.Source]++
		}
		args := maps.Clone(loose)
		args[c.name] = c.value
		got := l.proposals(args)
		if !slices.Equal(ends(got.Samples), ends(want)) {
			t.Errorf("%s %v:\n got %q\nwant %q", c.name, c.value, ends(got.Samples), ends(want))
		}
		if c.name != "scope" && len(want) == len(everything.Samples) {
			t.Errorf("%s %v leaves nothing out", c.name, c.value)
		}
	}
	if s.Dump() != before {
		t.Error("without apply something was written")
	}
}

// ranked are links in the order in which a source keeps them.
func ranked(links []sampleLink) []sampleLink {
	links = slices.Clone(links)
	slices.SortStableFunc(links, func(a, b sampleLink) int {
		up := func(l sampleLink) int { return strings.Count(l.Relation, "_standard") }
		switch {
		case a.Confidence != b.Confidence:
			return int(math.Copysign(1, b.Confidence-a.Confidence))
		case up(a) != up(b):
			return up(b) - up(a)
		case a.Score != b.Score:
			return int(math.Copysign(1, b.Score-a.Score))
		}
		return strings.Compare(a.Target, b.Target)
	})
	return links
}

// TestASampleLinkShowsWhatItsScoreIsMadeOf: the six signals by name, whose weighted sum is the score, and which are
// stored with the link once it is applied.
func TestASampleLinkShowsWhatItsScoreIsMadeOf(t *testing.T) {
	l, s := plants(t)
	everything := fields{"scope": "cross_shelf", "min_confidence": 0, "min_signal_count": 0, "max_links_per_document": 0}
	weights := map[string]float64{"title": 0.25, "heading": 0.20, "tag": 0.20, "keyword": 0.15, "path": 0.10, "mention": 0.10}
	seen := map[string]bool{}
	for _, link := range l.proposals(everything).Samples {
		score, n := 0.0, 0
		for name, weight := range weights {
			value, shown := link.Signals[name]
			if !shown || value < 0 || value > 1 {
				t.Errorf("%s of %+v", name, link)
			}
			score += weight * value
			if value > 0 {
				n++
				seen[name] = true
			}
		}
		if math.Abs(score-link.Score) > 0.002 || n != link.SignalCount || len(link.Signals) != len(weights) || link.Stored {
			t.Errorf("%+v: %v of %d signals", link, score, n)
		}
	}
	if len(seen) != len(weights) {
		t.Errorf("only %v were seen", seen)
	}
	everything["apply"] = true
	applied := l.proposals(everything)
	if applied.Written != applied.Proposed || applied.Removed != 0 || applied.Written == 0 {
		t.Errorf("%+v", applied)
	}
	for _, link := range applied.Samples {
		var n neighbourhood
		l.ok("related_documents", fields{"doc_path": link.Source, "direction": "out", "origins": []string{"heuristic"}, "limit": 50}, &n)
		at := slices.IndexFunc(n.Links, func(e linkEntry) bool { return e.Target == link.Target })
		if !link.Stored || at < 0 {
			t.Errorf("%+v was applied and does not stand", link)
			continue
		}
		for name, value := range link.Signals {
			if math.Abs(n.Links[at].Signals[name]-value) > 0.001 {
				t.Errorf("%s of %s → %s: %v stands, %v was shown", name, link.Source, link.Target, n.Links[at].Signals[name], value)
			}
		}
	}
	s.Matches()
}

// TestAParentMakesLinksAndTakesThemAlong: a change of the hierarchy correlates again, a statement does not go with it.
func TestAParentMakesLinksAndTakesThemAlong(t *testing.T) {
	l, s := plants(t)
	for _, shelf := range []string{"plant", "neighbour"} {
		l.manage(nil, "correlate", "", fields{"mode": "shelf", "shelf": shelf, "min_confidence": 0.3, "apply": true})
	}
	l.manage(nil, "manage_document_links", "add", fields{"source_document": "neighbour/boiler.md", "target_document": "standard/boiler.md", "relation": "extends_standard"})
	upward := func() (n map[string]int) {
		l.sync()
		var all linkList
		l.manage(&all, "manage_document_links", "list", fields{"shelf": "neighbour", "limit": 100})
		n = map[string]int{}
		for _, e := range all.Links {
			if strings.HasPrefix(e.Target, "standard/") {
				n[string(e.Origin)]++
			}
		}
		return n
	}
	if n := upward(); n["heuristic"] != 0 || n["manual"] != 1 {
		t.Errorf("strangers: %v", n)
	}
	l.manage(nil, "manage_shelf_links", "add_parent", fields{"shelf": "neighbour", "parent_shelf": "standard"})
	if n := upward(); n["heuristic"] == 0 || n["manual"] != 1 {
		t.Errorf("as a child: %v", n)
	}
	s.Matches()
	l.manage(nil, "manage_shelf_links", "set_parents", fields{"shelf": "neighbour", "parent_shelves": []string{}})
	if n := upward(); n["heuristic"] != 0 || n["manual"] != 1 {
		t.Errorf("strangers again: %v", n)
	}
	s.Matches()
}

// TestPruningTakesTheNamedShelfUpToTheConfidence and that confidence itself; what was refused stays away, whatever is
// edited, and whatever is applied later.
func TestPruningTakesTheNamedShelfUpToTheConfidence(t *testing.T) {
	l, s := plants(t)
	for _, shelf := range []string{"plant", "standard"} {
		l.manage(nil, "correlate", "", fields{"mode": "shelf", "shelf": shelf, "min_confidence": 0, "min_signal_count": 1, "max_links_per_document": 0, "apply": true})
	}
	l.manage(nil, "manage_document_links", "add", fields{"source_document": "plant/visit.md", "target_document": "standard/parts/burner.md", "relation": "mentions", "confidence": 0})
	list := func(shelf string) (links []linkEntry) {
		var all linkList
		l.manage(&all, "manage_document_links", "list", fields{"shelf": shelf, "origin": "heuristic", "limit": 100})
		return all.Links
	}
	plant, standard := list("plant"), list("standard")
	edge := plant[len(plant)/2].Confidence
	weak := 0
	for _, e := range plant {
		if e.Confidence <= edge {
			weak++
		}
	}
	before := s.Dump()
	var p pruning
	l.manage(&p, "manage_document_links", "prune_heuristic_links", fields{"shelf": "plant", "max_confidence": edge})
	if p.Apply || p.Removed != 0 || p.Total != weak || weak == 0 || weak == len(plant) || s.Dump() != before {
		t.Errorf("dry: %+v, want %d of %d", p, weak, len(plant))
	}
	if slices.ContainsFunc(p.Candidates, func(e linkEntry) bool { return !strings.HasPrefix(e.Source, "plant/") || e.Confidence > edge }) {
		t.Errorf("%+v", p.Candidates)
	}
	l.manage(&p, "manage_document_links", "prune_heuristic_links", fields{"shelf": "plant", "max_confidence": edge, "apply": true})
	if !p.Apply || p.Removed != weak || len(list("plant")) != len(plant)-weak || len(list("standard")) != len(standard) {
		t.Errorf("applied: %+v", p)
	}
	s.Append("plant/visit.md", "\nThe Burner again, and the Boiler pressure.\n")
	s.Sync()
	l.manage(nil, "correlate", "", fields{"mode": "shelf", "shelf": "plant", "min_confidence": 0, "min_signal_count": 0, "apply": true})
	for _, e := range list("plant") {
		if slices.ContainsFunc(p.Candidates, func(gone linkEntry) bool { return gone.Source == e.Source && gone.Target == e.Target }) {
			t.Errorf("%s → %s is back", e.Source, e.Target)
		}
	}
	var stated linkList
	l.manage(&stated, "manage_document_links", "list", fields{"origin": "manual"})
	if stated.Total != 1 {
		t.Errorf("%+v", stated)
	}
	s.Matches()
}

func TestCorrelateShowsAndApplies(t *testing.T) {
	l, s := heating(t)
	ask := func(args fields) (c correlated) {
		t.Helper()
		l.manage(&c, "correlate", "", args)
		for _, sample := range c.Samples {
			if len(sample.Signals) != 6 || sample.SignalCount == 0 || sample.Rationale == "" || sample.SourceID == 0 || sample.TargetID == 0 {
				t.Errorf("%+v", sample)
			}
		}
		return c
	}
	c := ask(fields{"mode": "shelf", "shelf": "product"})
	if c.Mode != "shelf" || c.Apply || c.Proposed != 2 || c.Written != 0 || len(c.Samples) != 2 || !c.Samples[0].Stored || c.Candidates < 2 {
		t.Errorf("%+v", c)
	}
	if c.Parameters != (parameters{"shelf_with_parents", 0.5, 2, 8}) {
		t.Errorf("%+v", c.Parameters)
	}
	before := s.Dump()
	c = ask(fields{"mode": "shelf", "shelf": "product", "min_confidence": 0.1, "min_signal_count": 1, "max_links_per_document": 1, "scope": "cross_shelf", "apply": false})
	if c.Proposed != 3 || c.Parameters != (parameters{"cross_shelf", 0.1, 1, 1}) || slices.ContainsFunc(c.Samples, func(l sampleLink) bool { return strings.HasPrefix(l.Target, "client/") }) {
		t.Errorf("%+v", c)
	}
	if s.Dump() != before {
		t.Error("a dry run changed something")
	}
	for _, by := range []fields{{"document": "client/boiler.md"}, {"document_id": s.ID("client/boiler.md")}} {
		by["mode"] = "document"
		c = ask(by)
		if c.Document != "client/boiler.md" || c.Proposed != 2 || c.Samples[0].Relation != "extends_standard" || c.Samples[0].Confidence < c.Samples[1].Confidence {
			t.Errorf("%+v", c)
		}
	}
	c = ask(fields{"mode": "document", "document": "client/boiler.md", "scope": "shelf", "apply": true})
	if c.Removed != 2 || c.Proposed != 0 || len(c.Samples) != 0 || c.Samples == nil {
		t.Errorf("%+v", c)
	}
	s.Matches()
	c = ask(fields{"mode": "document", "document": "client/boiler.md", "scope": "shelf_with_parents", "apply": true})
	if c.Written != 2 || !c.Samples[0].Stored {
		t.Errorf("%+v", c)
	}
	s.Matches()
	for _, bad := range []struct {
		args fields
		code Code
		says string
	}{
		{fields{"mode": "all"}, InvalidInput, "not a choice"},
		{fields{"mode": "shelf"}, InvalidInput, "shelf: mode shelf needs it"},
		{fields{"mode": "shelf", "shelf": "product", "document": "product/pump.md"}, InvalidInput, "mode shelf takes a shelf"},
		{fields{"mode": "document"}, InvalidInput, "document or document_id: one of the two is needed"},
		{fields{"mode": "document", "shelf": "product", "document": "product/pump.md"}, InvalidInput, "mode document takes a document"},
		{fields{"mode": "document", "document": "product/pomp.md"}, NotFound, "close: product/pump.md"},
		{fields{"mode": "shelf", "shelf": "prodct"}, NotFound, "close: product"},
		{fields{"mode": "shelf", "shelf": "product", "scope": "everything"}, InvalidInput, "scope"},
		{fields{"mode": "shelf", "shelf": "product", "min_confidence": -0.1}, InvalidInput, "too small"},
		{fields{"mode": "shelf", "shelf": "product", "min_signal_count": 7}, InvalidInput, "too large"},
		{fields{"mode": "shelf", "shelf": "product", "max_links_per_document": 1.5}, InvalidInput, "not an integer"},
		{fields{"mode": "shelf", "shelf": "product", "apply": "yes"}, InvalidInput, "not a boolean"},
	} {
		l.refusing(bad.code, bad.says, "correlate", "", bad.args)
	}
}

func TestPruneShowsAndRemoves(t *testing.T) {
	l, s := heating(t)
	l.manage(nil, "correlate", "", fields{"mode": "shelf", "shelf": "product", "min_confidence": 0.1, "apply": true})
	l.manage(nil, "manage_document_links", "add", fields{"source_document": "product/chimney.md", "target_document": "product/pump.md", "relation": "related", "confidence": 0.1})
	var p pruning
	l.manage(&p, "manage_document_links", "prune_heuristic_links", fields{"shelf": "product", "max_confidence": 0.4})
	weak := p.Total
	if p.Apply || weak == 0 || len(p.Candidates) != weak || p.Removed != 0 || p.Candidates[0].Origin != "heuristic" {
		t.Fatalf("%+v", p)
	}
	l.manage(&p, "manage_document_links", "prune_heuristic_links", fields{"max_confidence": 0.4, "apply": true})
	if !p.Apply || p.Removed != weak || p.Remaining != 0 {
		t.Errorf("%+v", p)
	}
	s.Matches()
	var left linkList
	l.manage(&left, "manage_document_links", "list", fields{"source": "product/chimney.md"})
	if left.Total != 1 || left.Links[0].Origin != "manual" {
		t.Errorf("%+v", left)
	}
	l.refusing(InvalidInput, "max_confidence: it is required", "manage_document_links", "prune_heuristic_links", nil)
	l.refusing(NotFound, "no shelf", "manage_document_links", "prune_heuristic_links", fields{"max_confidence": 0.4, "shelf": "x"})
}

func TestProgressOfCorrelateOverASession(t *testing.T) {
	l, _ := heating(t)
	p := l.dial(t)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"docs_management","arguments":{"action":"correlate","mode":"shelf","shelf":"product","min_confidence":0.2,"apply":true},"_meta":{"progressToken":"tok"}}}`)
	last := -1.0
	for {
		r := p.receive()
		if r.Method == "notifications/progress" {
			if at := r.Params["progress"].(float64); at <= last || r.Params["total"].(float64) < at {
				t.Errorf("%v after %v", r.Params, last)
			} else {
				last = at
			}
			continue
		}
		if out := r.tool(t); out.IsError {
			t.Errorf("%+v", out)
		}
		return
	}
}
