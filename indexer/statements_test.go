package indexer_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"shelfd/correlate"
	"shelfd/indexer"
	"shelfd/internal/shelftest"
	"shelfd/store"
)

// heating is a small library of three shelves: the product's, and two clients' that may extend it.
func heating(t *testing.T, shelves ...indexer.Shelf) *shelftest.Library {
	t.Helper()
	for _, name := range []string{"client", "product", "other"} {
		if !slices.ContainsFunc(shelves, func(s indexer.Shelf) bool { return s.Name == name }) {
			shelves = append(shelves, indexer.Shelf{ShelfSpec: store.ShelfSpec{Name: name}})
		}
	}
	p := correlate.DefaultParams()
	p.MinConfidence = 0.5
	l := shelftest.New(t, shelftest.Options{Shelves: shelves, Correlate: &p, Stopped: true})
	l.Write("product/boiler.md", "---\ntags: [heat, water]\n---\n# Boiler pressure\n\n## Filling\n\nOpen the valve and fill water until the gauge shows two bar.\n\n## Venting\n\nLet air out of the pump.\n")
	l.Write("product/pump.md", "---\ntags: [heat, water]\n---\n# Pump pressure\n\n## Filling\n\nOpen the valve and fill water until the gauge shows two bar.\n\n## Venting\n\nLet air out.\n")
	l.Write("product/chimney.md", "---\ntags: [heat]\n---\n# Chimney\n\n## Sweeping\n\nOnce a year, with a brush of steel.\n")
	l.Write("client/boiler.md", "---\ntags: [heat, water]\n---\n# Boiler pressure\n\n## Filling\n\nHere the valve is in the cellar; fill water until the gauge shows one bar.\n\n## Venting\n\nLet air out of the pump.\n")
	l.Write("other/notes.md", "# Meeting notes\n\nNothing of interest was said.\n")
	l.Start()
	l.Sync()
	return l
}

func linksOf(l *shelftest.Library, q store.LinkQuery) (links []store.Link) {
	l.View(func(v *store.View) (err error) {
		links, _, err = v.Find(q)
		return err
	})
	return links
}

func heuristic(l *shelftest.Library, path string) (targets []string) {
	for _, link := range linksOf(l, store.LinkQuery{Source: l.ID(path), Origin: store.OriginHeuristic}) {
		targets = append(targets, link.Target+" "+link.Relation)
	}
	slices.Sort(targets)
	return targets
}

func expect(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := sprint(got), sprint(want); g != w {
		t.Errorf("%s: %s, want %s", what, g, w)
	}
}

func TestAParentMakesItsChildrenLinkToIt(t *testing.T) {
	l := heating(t)
	expect(t, "before", heuristic(l, "client/boiler.md"), []string(nil))
	for _, changed := range []int{1, 0} {
		n, err := l.Indexer.AddParent(t.Context(), "client", "product")
		if err != nil || n != changed {
			t.Fatalf("%d %v, want %d", n, err, changed)
		}
	}
	l.Sync()
	if got := heuristic(l, "client/boiler.md"); !slices.Contains(got, "product/boiler.md extends_standard") {
		t.Errorf("%v", got)
	}
	if got := heuristic(l, "product/boiler.md"); slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "client/") }) {
		t.Errorf("a parent links to its child: %v", got)
	}
	l.Matches()
	if n, err := l.Indexer.RemoveParent(t.Context(), "client", "product"); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	l.Sync()
	expect(t, "after", heuristic(l, "client/boiler.md"), []string(nil))
	l.Matches()
}

func TestACycleIsRefusedWhereverItComesFrom(t *testing.T) {
	l := heating(t, indexer.Shelf{ShelfSpec: store.ShelfSpec{Name: "product"}, Parents: []string{"client"}, ParentsAt: "config.yaml:7"})
	if _, err := l.Indexer.AddParent(t.Context(), "client", "other"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		shelf  string
		parent []string
		cycle  string
	}{
		{"other", []string{"product"}, "cycle: client → other → product → client"},
		{"client", []string{"product"}, "cycle: client → product → client"},
		{"client", []string{"client"}, "cycle: client → client"},
	} {
		_, err := l.Indexer.SetParents(t.Context(), c.shelf, c.parent)
		var cycle *correlate.CycleError
		if !errors.As(err, &cycle) || !strings.Contains(err.Error(), c.cycle) {
			t.Errorf("%s extends %v: %v, want %q", c.shelf, c.parent, err, c.cycle)
		}
	}
	expect(t, "parents", l.Shelf("client").Parents, []string{"other"})
}

func TestWhatTheConfigurationDeclaresIsChangedThere(t *testing.T) {
	l := heating(t, indexer.Shelf{ShelfSpec: store.ShelfSpec{Name: "client"}, Parents: []string{"product"}, Declared: "config.yaml:3", ParentsAt: "config.yaml:7"})
	_, err := l.Indexer.RemoveParent(t.Context(), "client", "product")
	expect(t, "remove_parent", err, `indexer: parent "product" of shelf "client" is declared in config.yaml:7; change it there`)
	_, err = l.Indexer.SetParents(t.Context(), "client", []string{"other"})
	expect(t, "set_parents", err, `indexer: parent "product" of shelf "client" is declared in config.yaml:7; change it there`)
	expect(t, "remove", l.Indexer.RemoveShelf(t.Context(), "client"), `indexer: shelf "client" is declared in config.yaml:3; change it there`)
	_, err = l.Indexer.ForgetShelf(t.Context(), "client")
	expect(t, "forget", err, `indexer: shelf "client" is declared in config.yaml:3; change it there`)
	n, err := l.Indexer.AddParent(t.Context(), "client", "product")
	expect(t, "what is declared already", []any{n, err}, []any{0, nil})
	n, err = l.Indexer.SetParents(t.Context(), "client", []string{"product", "other"})
	expect(t, "set_parents with it", []any{n, err}, []any{1, nil})
	origins, err := l.Indexer.ParentOrigins(t.Context())
	expect(t, "origins", []any{origins, err}, []any{[]indexer.ParentOrigin{{"client", "other", "manual", ""}, {"client", "product", "config", "config.yaml:7"}}, nil})
}

// TestAConfigurationThatContradictsTheLedgerWins: the daemon starts, and the parent from the ledger waits.
func TestAConfigurationThatContradictsTheLedgerWins(t *testing.T) {
	l := heating(t)
	if _, err := l.Indexer.AddParent(t.Context(), "client", "product"); err != nil {
		t.Fatal(err)
	}
	shelves := l.Shelves()
	for i := range shelves {
		if shelves[i].Name == "product" {
			shelves[i].Parents = []string{"client"}
		}
	}
	l.Declare(shelves...)
	l.Sync()
	expect(t, "client", l.Shelf("client").Parents, []string(nil))
	expect(t, "product", l.Shelf("product").Parents, []string{"client"})
	l.Restart()
	l.Sync()
	l.Matches()
	for i := range shelves {
		shelves[i].Parents = nil
	}
	l.Declare(shelves...)
	l.Sync()
	expect(t, "client again", l.Shelf("client").Parents, []string{"product"})
	l.Matches()
}

func TestUnknownShelvesAreRefused(t *testing.T) {
	l := heating(t)
	ctx := t.Context()
	for name, err := range map[string]error{
		"shelf":      second(l.Indexer.AddParent(ctx, "nonesuch", "product")),
		"parent":     second(l.Indexer.AddParent(ctx, "client", "nonesuch")),
		"parents":    second(l.Indexer.SetParents(ctx, "client", []string{"product", "nonesuch"})),
		"correlate":  second(l.Indexer.Correlate(ctx, indexer.Correlation{Shelf: "nonesuch"}, nil)),
		"forget":     second(l.Indexer.ForgetShelf(ctx, "nonesuch")),
		"import":     second(l.Indexer.Import(ctx, store.Manifest{Shelf: store.ManifestShelf{Name: "nonesuch"}}, "", false, nil)),
		"import to":  second(l.Indexer.Import(ctx, store.Manifest{Shelf: store.ManifestShelf{Name: "client"}}, "nonesuch", true, nil)),
		"remove all": l.Indexer.RemoveShelf(ctx, "nonesuch"),
	} {
		if !errors.Is(err, indexer.ErrUnknownShelf) {
			t.Errorf("%s: %v", name, err)
		}
	}
	expect(t, "nothing was said", len(l.Ledger.Said().Records()), 0)
}

func second[T any](_ T, err error) error { return err }

func TestManualLinksAreStatedOnceAndTakenBack(t *testing.T) {
	l := heating(t)
	ctx := t.Context()
	link := store.ManualLink{Source: "client/boiler.md", Target: "product/pump.md", Relation: "needs", Confidence: 0.9, Label: "here", Rationale: "the pump is theirs"}
	for _, want := range []int{1, 0} {
		n, err := l.Indexer.AddLinks(ctx, link)
		expect(t, "add", []any{n, err}, []any{want, nil})
	}
	link.Label = "there"
	n, err := l.Indexer.AddLinks(ctx, link)
	expect(t, "another label", []any{n, err}, []any{1, nil})
	other := link
	other.Relation = "cites"
	n, err = l.Indexer.AddLinks(ctx, other)
	expect(t, "another relation", []any{n, err}, []any{1, nil})
	links := linksOf(l, store.LinkQuery{Origin: store.OriginManual})
	if len(links) != 2 || links[1].Label != "there" || links[1].Rationale != "the pump is theirs" || links[1].Confidence != 0.9 {
		t.Errorf("%+v", links)
	}
	n, err = l.Indexer.RemoveLinks(ctx, link.Source, link.Target, "cites")
	expect(t, "remove one", []any{n, err}, []any{1, nil})
	n, err = l.Indexer.RemoveLinks(ctx, link.Source, link.Target, "cites")
	expect(t, "remove it again", []any{n, err}, []any{0, nil})
	n, err = l.Indexer.RemoveLinks(ctx, link.Source, link.Target, "")
	expect(t, "remove the rest", []any{n, err}, []any{1, nil})
	expect(t, "left", len(linksOf(l, store.LinkQuery{Origin: store.OriginManual})), 0)
	l.Matches()
}

func TestReplacingLinksSaysWhatChanged(t *testing.T) {
	l := heating(t)
	ctx := t.Context()
	to := func(target, relation string) store.ManualLink {
		return store.ManualLink{Source: "client/boiler.md", Target: target, Relation: relation, Confidence: 1}
	}
	for _, c := range []struct {
		links []store.ManualLink
		want  int
	}{
		{[]store.ManualLink{to("product/pump.md", "needs"), to("product/boiler.md", "extends")}, 2},
		{[]store.ManualLink{to("product/boiler.md", "extends"), to("product/pump.md", "needs")}, 0},
		{[]store.ManualLink{to("product/boiler.md", "extends"), to("product/chimney.md", "needs")}, 2},
		{nil, 2},
	} {
		n, err := l.Indexer.ReplaceLinks(ctx, "client/boiler.md", c.links, nil)
		expect(t, "replace", []any{n, err}, []any{c.want, nil})
		expect(t, "links", len(linksOf(l, store.LinkQuery{Origin: store.OriginManual})), len(c.links))
	}
}

func TestImpossibleLinksAreRefusedWhole(t *testing.T) {
	l := heating(t)
	good := store.ManualLink{Source: "client/boiler.md", Target: "product/pump.md", Relation: "needs", Confidence: 1}
	for _, c := range []struct {
		change func(*store.ManualLink)
		says   string
	}{
		{func(l *store.ManualLink) { l.Target = l.Source }, "linked with itself"},
		{func(l *store.ManualLink) { l.Relation = "" }, "needs a relation"},
		{func(l *store.ManualLink) { l.Confidence = 1.5 }, "not between 0 and 1"},
		{func(l *store.ManualLink) { l.Confidence = -0.1 }, "not between 0 and 1"},
		{func(*store.ManualLink) {}, "given twice"},
	} {
		bad := good
		c.change(&bad)
		if _, err := l.Indexer.ReplaceLinks(t.Context(), good.Source, []store.ManualLink{good, bad}, nil); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
	expect(t, "links", len(linksOf(l, store.LinkQuery{Origin: store.OriginManual})), 0)
	expect(t, "statements", len(l.Ledger.Said().Records()), 0)
}

// TestAKillBetweenLedgerAndStoreLosesNothing: what the ledger has and the store not yet is done at the next start.
func TestAKillBetweenLedgerAndStoreLosesNothing(t *testing.T) {
	l := heating(t)
	least := 0.05
	l.Stop()
	ledger, _, err := store.OpenLedger(filepath.Join(l.State, "ledger.jsonl"), false)
	if err != nil {
		t.Fatal(err)
	}
	err = ledger.Append(
		store.Record{Op: store.OpLinkAdd, Links: []store.ManualLink{{Source: "client/boiler.md", Target: "product/pump.md", Relation: "needs", Confidence: 1}}},
		store.Record{Op: store.OpParentAdd, Shelf: "client", To: "product"},
		store.Record{Op: store.OpCorrelate, Source: "product/chimney.md", Settings: &store.Settings{MinConfidence: &least}},
		store.Record{Op: store.OpPairsRefuse, Source: "product/boiler.md", Targets: []string{"product/pump.md"}},
	)
	if err := errors.Join(err, ledger.Close()); err != nil {
		t.Fatal(err)
	}
	l.Start()
	l.Sync()
	expect(t, "manual", len(linksOf(l, store.LinkQuery{Origin: store.OriginManual})), 1)
	if got := heuristic(l, "product/chimney.md"); len(got) == 0 {
		t.Error("the document's own parameters are not obeyed")
	}
	if got := heuristic(l, "product/boiler.md"); slices.Contains(got, "product/pump.md related") {
		t.Error("a refused pair is linked")
	}
	l.Matches()
}

// TestACorrelationIsShownBeforeItIsApplied: every argument, first dry.
func TestACorrelationIsShownBeforeItIsApplied(t *testing.T) {
	l := heating(t)
	ctx := t.Context()
	number, count := func(f float64) *float64 { return &f }, func(n int) *int { return &n }
	for _, c := range []struct {
		name             string
		ask              indexer.Correlation
		proposed         int
		written, removed int // when applied
	}{
		{"as it is", indexer.Correlation{Shelf: "product"}, 2, 0, 0},
		{"one document", indexer.Correlation{Document: "product/boiler.md"}, 1, 0, 0},
		{"weaker", indexer.Correlation{Shelf: "product", Settings: store.Settings{MinConfidence: number(0.1)}}, 6, 4, 0},
		{"at most one each", indexer.Correlation{Shelf: "product", Settings: store.Settings{MaxLinks: count(1)}}, 3, 0, 3},
		{"all again", indexer.Correlation{Shelf: "product", Settings: store.Settings{MaxLinks: count(0)}}, 6, 3, 0},
		{"many signals", indexer.Correlation{Shelf: "product", Settings: store.Settings{MinSignals: count(5)}}, 2, 0, 4},
		{"its own for one", indexer.Correlation{Document: "product/chimney.md", Settings: store.Settings{MinSignals: count(1)}}, 2, 2, 0},
		{"everywhere", indexer.Correlation{Document: "client/boiler.md", Settings: store.Settings{Scope: "cross_shelf"}}, 2, 2, 0},
		{"at home", indexer.Correlation{Document: "client/boiler.md", Settings: store.Settings{Scope: "shelf"}}, 0, 0, 2},
		{"nothing passes", indexer.Correlation{Shelf: "product", Settings: store.Settings{MinConfidence: number(1)}}, 0, 0, 4},
	} {
		before := l.Dump()
		p, err := l.Indexer.Correlate(ctx, c.ask, nil)
		expect(t, c.name+", dry", []any{p.Proposed, p.Written, p.Removed, err}, []any{c.proposed, 0, 0, nil})
		if l.Dump() != before {
			t.Errorf("%s: a dry run changed the index", c.name)
		}
		stored := 0
		for _, link := range p.Links {
			if link.Stored {
				stored++
			}
		}
		expect(t, c.name+", stored already", stored, c.proposed-c.written)
		c.ask.Apply = true
		p, err = l.Indexer.Correlate(ctx, c.ask, nil)
		expect(t, c.name, []any{p.Proposed, p.Written, p.Removed, err}, []any{c.proposed, c.written, c.removed, nil})
		for _, link := range p.Links {
			if !link.Stored {
				t.Errorf("%s: %s → %s is not stored", c.name, link.SourcePath, link.TargetPath)
			}
		}
		l.Matches()
	}
}

func TestAProposalCountsWhatWasComparedAndTellsItsSignals(t *testing.T) {
	l := heating(t)
	p, err := l.Indexer.Correlate(t.Context(), indexer.Correlation{Document: "product/boiler.md"}, nil)
	if err != nil || len(p.Links) != 1 || p.Candidates < 1 || p.Candidates > 2 {
		t.Fatalf("%+v %v", p, err)
	}
	link := p.Links[0]
	if link.SourcePath != "product/boiler.md" || link.TargetPath != "product/pump.md" || link.Signals.Heading != 0.5 || link.Signals.Tag != 1 || link.Signals.Path != 1 {
		t.Errorf("%+v", link)
	}
	if err := second(l.Indexer.Correlate(t.Context(), indexer.Correlation{Document: "product/nonesuch.md"}, nil)); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%v", err)
	}
}

func TestProgressOnlyRisesAndEndsAtItsTotal(t *testing.T) {
	l := heating(t)
	for _, apply := range []bool{false, true} {
		var told []indexer.Progress
		if _, err := l.Indexer.Correlate(t.Context(), indexer.Correlation{Shelf: "product", Apply: apply}, func(p indexer.Progress) { told = append(told, p) }); err != nil {
			t.Fatal(err)
		}
		if len(told) == 0 {
			t.Fatal("nothing was told")
		}
		for i := range told[1:] {
			if told[i+1].Done < told[i].Done {
				t.Errorf("%+v", told)
			}
		}
		if last := told[len(told)-1]; last.Done > last.Total || !apply && last.Done != last.Total {
			t.Errorf("%+v", last)
		}
	}
}

// TestWithoutAutomaticLinksOnlyWhatIsAskedForHasAny: correlate.auto: false.
func TestWithoutAutomaticLinksOnlyWhatIsAskedForHasAny(t *testing.T) {
	p := correlate.DefaultParams()
	p.MinConfidence = 0.3
	l := shelftest.New(t, shelftest.Options{Correlate: &p, OnlyAsked: true})
	for _, name := range []string{"a", "b", "c"} {
		l.Write("notes/"+name+".md", "# The boiler "+name+"\n\n## Filling\n\nSee Boiler "+name+" for water.\n")
	}
	l.Sync()
	expect(t, "links", len(linksOf(l, store.LinkQuery{Origin: store.OriginHeuristic})), 0)
	dry, err := l.Indexer.Correlate(t.Context(), indexer.Correlation{Document: "notes/a.md"}, nil)
	if err != nil || dry.Proposed != 2 {
		t.Fatalf("%+v %v", dry, err)
	}
	expect(t, "links after a dry run", len(linksOf(l, store.LinkQuery{Origin: store.OriginHeuristic})), 0)
	applied, err := l.Indexer.Correlate(t.Context(), indexer.Correlation{Document: "notes/a.md", Apply: true}, nil)
	if err != nil || applied.Written != 2 {
		t.Fatalf("%+v %v", applied, err)
	}
	expect(t, "links", len(linksOf(l, store.LinkQuery{Origin: store.OriginHeuristic})), 2)
	l.Matches()
}

func TestPrunedPairsStayAwayAndTheNextBestMoveUp(t *testing.T) {
	l := heating(t)
	ctx := t.Context()
	least, most := 0.1, 1
	if _, err := l.Indexer.Correlate(ctx, indexer.Correlation{Shelf: "product", Apply: true, Settings: store.Settings{MinConfidence: &least, MaxLinks: &most}}, nil); err != nil {
		t.Fatal(err)
	}
	expect(t, "chimney", len(heuristic(l, "product/chimney.md")), 1)
	first := heuristic(l, "product/chimney.md")[0]
	dry, err := l.Indexer.Prune(ctx, "product", 0.4, false, nil)
	if err != nil || len(dry.Links) != 1 || dry.Removed != 0 || dry.Links[0].Source != "product/chimney.md" {
		t.Fatalf("%+v %v", dry, err)
	}
	if _, err := l.Indexer.AddLinks(ctx, store.ManualLink{Source: dry.Links[0].Source, Target: dry.Links[0].Target, Relation: "related", Confidence: 0.1}); err != nil {
		t.Fatal(err)
	}
	other, err := l.Indexer.Prune(ctx, "client", 1, true, nil)
	expect(t, "another shelf", []any{len(other.Links), other.Removed, err}, []any{0, 0, nil})
	done, err := l.Indexer.Prune(ctx, "product", 0.4, true, nil)
	expect(t, "pruned", []any{len(done.Links), done.Removed, done.Remaining, err}, []any{1, 1, 1, nil})
	if now := heuristic(l, "product/chimney.md"); len(now) != 1 || now[0] == first {
		t.Errorf("%v after %v", now, first)
	}
	expect(t, "manual links", len(linksOf(l, store.LinkQuery{Origin: store.OriginManual})), 1)
	l.Matches()
	l.Append("product/chimney.md", "\nMore about brushes.\n")
	l.Move("product/boiler.md", "product/kettle.md")
	l.Sync()
	if now := heuristic(l, "product/chimney.md"); slices.Contains(now, first) {
		t.Errorf("%v came back", first)
	}
	all, err := l.Indexer.Prune(ctx, "", 1, true, nil)
	if err != nil || all.Removed < 2 {
		t.Errorf("%+v %v", all, err)
	}
	l.Matches()
}

func TestStatementsFollowADocumentThatComesBack(t *testing.T) {
	for name, comeBack := range map[string]func(l *shelftest.Library, text string) string{
		"at its old path": func(l *shelftest.Library, text string) string {
			l.Write("product/pump.md", text+"\nChanged meanwhile.\n")
			return "product/pump.md"
		},
		"in another folder": func(l *shelftest.Library, text string) string {
			l.Write("product/archive/old pump.md", text)
			return "product/archive/old pump.md"
		},
		"in another shelf": func(l *shelftest.Library, text string) string { l.Write("other/pump.md", text); return "other/pump.md" },
	} {
		for _, restart := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				l := heating(t)
				link := store.ManualLink{Source: "client/boiler.md", Target: "product/pump.md", Relation: "needs", Confidence: 1}
				if _, err := l.Indexer.AddLinks(t.Context(), link); err != nil {
					t.Fatal(err)
				}
				id := l.ID("product/pump.md")
				text, err := os.ReadFile(l.Path("product/pump.md"))
				if err != nil {
					t.Fatal(err)
				}
				l.Remove("product/pump.md")
				l.Sync()
				expect(t, "links while it is gone", len(linksOf(l, store.LinkQuery{Origin: store.OriginManual})), 0)
				if restart { // as long a while as you like
					l.Restart()
					l.Sync()
				}
				path := comeBack(l, string(text))
				l.Sync()
				links := linksOf(l, store.LinkQuery{Origin: store.OriginManual})
				if len(links) != 1 || links[0].Target != path || l.ID(path) != id {
					t.Errorf("%+v; id %d, was %d", links, l.ID(path), id)
				}
				l.Matches()
			})
		}
	}
}

// TestACopyIsNotTakenForTheDocumentThatWent unless it is the only one.
func TestACopyIsNotTakenForTheDocumentThatWent(t *testing.T) {
	l := heating(t)
	link := store.ManualLink{Source: "client/boiler.md", Target: "product/pump.md", Relation: "needs", Confidence: 1}
	if _, err := l.Indexer.AddLinks(t.Context(), link); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(l.Path("product/pump.md"))
	if err != nil {
		t.Fatal(err)
	}
	l.Write("other/a.md", string(text))
	l.Write("other/b.md", string(text))
	l.Sync()
	l.Restart() // so that nothing is a move of the last two seconds
	l.Sync()
	l.Remove("product/pump.md")
	l.Sync()
	expect(t, "links with two copies", len(linksOf(l, store.LinkQuery{Origin: store.OriginManual})), 0)
	l.Matches()
	l.Remove("other/a.md")
	l.Sync()
	links := linksOf(l, store.LinkQuery{Origin: store.OriginManual})
	if len(links) != 1 || links[0].Target != "other/b.md" {
		t.Errorf("%+v", links)
	}
	l.Matches()
}

func TestForgettingAShelfThatIsGone(t *testing.T) {
	l := heating(t)
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a.md", "# Alpha\n")
	ctx := context.Background()
	if _, err := l.Indexer.AddShelf(ctx, "usb", folder, ""); err != nil {
		t.Fatal(err)
	}
	l.Sync()
	if _, err := l.Indexer.AddLinks(ctx, store.ManualLink{Source: "client/boiler.md", Target: "usb/a.md", Relation: "cites", Confidence: 1}); err != nil {
		t.Fatal(err)
	}
	if err := second(l.Indexer.ForgetShelf(ctx, "usb")); err == nil || !strings.Contains(err.Error(), "is there") {
		t.Errorf("a folder that stands: %v", err)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	l.Sync()
	expect(t, "kept", l.Shelf("usb").Documents, 1)
	n, err := l.Indexer.ForgetShelf(ctx, "usb")
	expect(t, "forget", []any{n, err}, []any{1, nil})
	expect(t, "document", l.ID("usb/a.md"), 0)
	said := l.Ledger.Said()
	if len(said.Links) != 0 || len(said.Shelves) != 0 || said.Names("usb/a.md") {
		t.Errorf("%+v", said)
	}
	if err := second(l.Indexer.ForgetShelf(ctx, "usb")); !errors.Is(err, indexer.ErrUnknownShelf) {
		t.Errorf("again: %v", err)
	}
	l.Matches()
}

// TestStatementsAboutARemovedShelfWaitForItsReturn, until someone has them forgotten.
func TestStatementsAboutARemovedShelfWaitForItsReturn(t *testing.T) {
	l := heating(t)
	ctx := t.Context()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.md"), []byte("# Alpha\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	add := func() {
		if _, err := l.Indexer.AddShelf(ctx, "usb", folder, ""); err != nil {
			t.Fatal(err)
		}
		l.Sync()
	}
	add()
	if _, err := l.Indexer.AddLinks(ctx, store.ManualLink{Source: "usb/a.md", Target: "product/pump.md", Relation: "cites", Confidence: 1}); err != nil {
		t.Fatal(err)
	}
	if err := l.Indexer.RemoveShelf(ctx, "usb"); err != nil {
		t.Fatal(err)
	}
	l.Sync()
	add()
	expect(t, "links after its return", len(linksOf(l, store.LinkQuery{Origin: store.OriginManual})), 1)
	if err := l.Indexer.RemoveShelf(ctx, "usb"); err != nil {
		t.Fatal(err)
	}
	n, err := l.Indexer.ForgetShelf(ctx, "usb")
	expect(t, "forget what is left", []any{n, err}, []any{0, nil})
	add()
	expect(t, "links after forgetting", len(linksOf(l, store.LinkQuery{Origin: store.OriginManual})), 0)
	l.Matches()
}
