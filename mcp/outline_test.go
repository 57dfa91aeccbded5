package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"shelfd/indexer"
	"shelfd/store"
)

const valves = "Standard/boiler/valves.md"

// hash is the content_hash of a document.
func (l *library) hash(path string) string {
	l.t.Helper()
	var card documentCard
	l.ok("get_document", fields{"doc_path": path}, &card)
	return card.ContentHash
}

// outlineOf is an outline that passes.
func (l *library) outlineOf(path string) fields {
	return fields{
		"doc_path": path, "source_hash": l.hash(path), "summary_version": "v1",
		"summary": "How the valves of the heating are set, tightened and kept dry, for the fitter.",
		"sections": []any{
			fields{"node_id": "valves/torque", "summary": "Which force the flange wants and what it is measured with.", "key_facts": []any{"Forty newton metres", "A wrench is needed"}},
			fields{"node_id": "valves/leaks", "summary": "What to do when water drips from the seat."},
		},
	}
}

// keyOf is the key of the first passage that a query finds.
func (l *library) keyOf(query, path string) string {
	l.t.Helper()
	var f found
	l.ok("search_documents", fields{"query": query, "doc_path": path, "detail": "evidence"}, &f)
	if len(f.Hits) == 0 {
		l.t.Fatalf("%s: nothing found", query)
	}
	return f.Hits[0].ChunkKey
}

func TestASavedOutlineIsShownAndLeadsToItsSections(t *testing.T) {
	l := newLibrary(t, manual())
	key := l.keyOf("flange", valves)
	args := l.outlineOf(valves)
	args["sections"].([]any)[0].(fields)["chunk_keys"] = []any{key}
	var saved savedOutline
	l.ok("save_outline", args, &saved)
	want := savedOutline{valves, "v1", "llm", writtenOutline{true, 5, 2, 2, 3}}
	if saved != want {
		t.Errorf("saved %+v, want %+v", saved, want)
	}

	var card documentCard
	l.ok("get_document", fields{"doc_path": valves}, &card)
	if card.Summary != args["summary"] || card.SummaryStatus != "ready" || card.SummaryKind != "llm" || card.SummaryVersion != "v1" || !slices.Equal(card.SourceChunkKeys, []string{key}) {
		t.Errorf("card %+v", card)
	}

	var o outline
	l.ok("get_document_structure", fields{"doc_path": valves, "node_id": "valves"}, &o)
	torque, leaks := o.Nodes[0].Nodes[0], o.Nodes[0].Nodes[1]
	if torque.SummaryStatus != "ready" || !strings.Contains(torque.Summary, "flange") || len(torque.KeyFacts) != 2 || !slices.Equal(torque.SourceChunkKeys, []string{key}) {
		t.Errorf("torque %+v", torque)
	}
	if leaks.SummaryStatus != "ready" || leaks.KeyFacts == nil || leaks.SourceChunkKeys == nil || o.Nodes[0].SummaryStatus != "none" {
		t.Errorf("leaks %+v, valves %q", leaks, o.Nodes[0].SummaryStatus)
	}

	var f found
	l.ok("search_documents", fields{"query": "water drips", "detail": "evidence"}, &f)
	if len(f.RelatedSections) == 0 {
		t.Fatalf("no related sections: %+v", f)
	}
	if r := f.RelatedSections[0]; r.DocPath != valves || r.NodeID != "valves/leaks" || r.Kind != "section_summary" || strings.Join(r.TitlePath, ">") != "Valves>Leaks" || r.Score <= 0 {
		t.Errorf("related %+v", r)
	}
	raw, _ := l.Call(t.Context(), "search_documents", fields{"query": "water drips"})
	var e struct {
		Data struct {
			RelatedSections []map[string]any `json:"related_sections"`
		} `json:"data"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		t.Fatal(err)
	}
	for _, r := range e.Data.RelatedSections {
		if _, cites := r["citation"]; cites {
			t.Errorf("a summary carries a citation: %v", r)
		}
	}

	l.ok("search_documents", fields{"query": "torque wrench", "detail": "evidence", "doc_path": valves}, &f)
	if h := f.Hits[0]; h.NodeID != "valves/torque/tools" || !strings.Contains(h.SectionSummary, "flange") || h.DocSummary != args["summary"] || h.SummaryStatus != "ready" {
		t.Errorf("hit %+v", h)
	}
	l.ok("search_documents", fields{"query": "torque wrench"}, &f)
	for _, h := range f.Hits {
		if strings.Contains(h.Snippet, "drips") {
			t.Errorf("a summary became evidence: %+v", h)
		}
	}
}

func TestSavingAgainReplacesTheWholeSet(t *testing.T) {
	l := newLibrary(t, manual())
	l.ok("save_outline", l.outlineOf(valves), nil)
	args := l.outlineOf(valves)
	args["sections"], args["summary"] = []any{}, "Another text about the same pipes and how they are looked after."
	delete(args, "summary_version")
	var saved savedOutline
	l.ok("save_outline", args, &saved)
	if saved.Version != "" || saved.Written.SectionSummaries != 0 || saved.Written.SummaryChunks != 1 {
		t.Errorf("saved %+v", saved)
	}
	var f found
	l.ok("search_documents", fields{"query": "water drips"}, &f)
	if len(f.RelatedSections) != 0 {
		t.Errorf("replaced summaries are found: %+v", f.RelatedSections)
	}
}

func TestAnOutlineIsStaleWhenTheFileChangesAndReadyWhenItIsAsBefore(t *testing.T) {
	l := newLibrary(t, manual())
	l.ok("save_outline", l.outlineOf(valves), nil)
	status := func() (document, section string, related int) {
		var card documentCard
		var o outline
		var f found
		l.sync()
		l.ok("get_document", fields{"doc_path": valves}, &card)
		l.ok("get_document_structure", fields{"doc_path": valves, "node_id": "valves/torque"}, &o)
		l.ok("search_documents", fields{"query": "water drips"}, &f)
		return card.SummaryStatus, o.Nodes[0].SummaryStatus, len(f.RelatedSections)
	}
	before := manual()["boiler/valves.md"]
	l.write("boiler/valves.md", before+"\n## More\n\nSomething new.\n")
	if document, section, related := status(); document != "stale" || section != "stale" || related != 0 {
		t.Errorf("after an edit: %s %s, %d related", document, section, related)
	}
	l.write("boiler/valves.md", before)
	if document, section, related := status(); document != "ready" || section != "ready" || related == 0 {
		t.Errorf("after the edit was undone: %s %s, %d related", document, section, related)
	}
}

func TestOutlinesGoAlongWithMovesAndComeBack(t *testing.T) {
	l := newLibrary(t, manual())
	l.ok("save_outline", l.outlineOf(valves), nil)
	path := filepath.Join(l.root, "boiler", "valves.md")
	moved := filepath.Join(l.root, "zh", "moved.md")
	if err := os.Rename(path, moved); err != nil {
		t.Fatal(err)
	}
	l.sync()
	var card documentCard
	l.ok("get_document", fields{"doc_path": "Standard/zh/moved.md"}, &card)
	if card.SummaryStatus != "ready" {
		t.Errorf("moved: %s", card.SummaryStatus)
	}
	var f found
	l.ok("search_documents", fields{"query": "water drips", "folder": "Standard/zh"}, &f)
	if len(f.RelatedSections) != 1 || f.RelatedSections[0].DocPath != "Standard/zh/moved.md" {
		t.Errorf("related %+v", f.RelatedSections)
	}
	if err := os.Remove(moved); err != nil {
		t.Fatal(err)
	}
	l.sync()
	l.ok("search_documents", fields{"query": "water drips"}, &f)
	if len(f.RelatedSections) != 0 {
		t.Errorf("found of a file that is gone: %+v", f.RelatedSections)
	}
	l.write("zh/moved.md", manual()["boiler/valves.md"])
	l.sync()
	id := card.DocID
	l.ok("get_document", fields{"doc_path": "Standard/zh/moved.md"}, &card)
	if card.SummaryStatus != "ready" || card.DocID != id {
		t.Errorf("back: %s, id %d, was %d", card.SummaryStatus, card.DocID, id)
	}
}

// dump is the index as dump writes it.
func (l *library) dump() string {
	l.t.Helper()
	l.sync()
	var b bytes.Buffer
	if err := l.options.Store.View(l.t.Context(), func(v *store.View) error { return v.Dump(&b) }); err != nil {
		l.t.Fatal(err)
	}
	return b.String()
}

// rebuilt is the same folder with the same ledger and a new database.
func (l *library) rebuilt(o indexer.Options) *library {
	l.t.Helper()
	again := &library{t: l.t, root: l.root}
	state := l.t.TempDir()
	ledger, err := os.ReadFile(filepath.Join(l.state, "ledger.jsonl"))
	if err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(state, "ledger.jsonl"), ledger, 0o600); err != nil {
		l.t.Fatal(err)
	}
	again.open(state, o)
	return again
}

// reopen ends the daemon and starts it again over the same state.
func (l *library) reopen(o indexer.Options) {
	l.t.Helper()
	l.stop()
	l.wait(l.t)
	l.close()
	l.open(l.state, o)
}

func TestARebuiltDatabaseShowsTheSameSummaries(t *testing.T) {
	l := newLibrary(t, manual())
	l.ok("save_outline", l.outlineOf(valves), nil)
	pump := "Standard/boiler/pump.md"
	l.ok("save_outline", fields{"doc_path": pump, "source_hash": l.hash(pump), "summary": "Which way the machine turns and how tight its bolts are.", "sections": []any{}}, nil)
	l.write("boiler/pump.md", "# Pump\n\nAnother text.\n")
	want := l.dump()
	if strings.Count(want, `"kind":"outline"`) != 2 || !strings.Contains(want, `"status":"stale"`) {
		t.Fatalf("dump:\n%s", want)
	}
	again := l.rebuilt(indexer.Options{})
	if got := again.dump(); got != want {
		t.Errorf("rebuilt:\n%s\nwas:\n%s", got, want)
	}
	for _, path := range []string{valves, pump} {
		for _, tool := range []string{"get_document", "get_document_structure"} {
			before, _ := l.Call(t.Context(), tool, fields{"doc_path": path})
			after, _ := again.Call(t.Context(), tool, fields{"doc_path": path})
			if !bytes.Equal(before, after) {
				t.Errorf("%s %s\nrebuilt %s\nwas     %s", tool, path, after, before)
			}
		}
	}
	before, _ := l.Call(t.Context(), "search_documents", fields{"query": "water drips"})
	after, _ := again.Call(t.Context(), "search_documents", fields{"query": "water drips"})
	if !bytes.Equal(before, after) {
		t.Errorf("search\nrebuilt %s\nwas     %s", after, before)
	}
}

func TestExtractiveSummariesStandInUntilSomeoneWritesOne(t *testing.T) {
	l := newLibrary(t, manual())
	l.ok("save_outline", l.outlineOf(valves), nil)
	l.reopen(indexer.Options{Extractive: true})
	extractive := l.dump()
	var card documentCard
	l.ok("get_document", fields{"doc_path": "Standard/it/valvole.md"}, &card)
	if card.SummaryKind != "extractive" || card.SummaryStatus != "ready" || card.Summary != "La valvola di sicurezza si apre perché la pressione supera tre bar." {
		t.Errorf("card %+v", card)
	}
	l.ok("get_document", fields{"doc_path": valves}, &card)
	if card.SummaryKind != "llm" || card.Summary != l.outlineOf(valves)["summary"] {
		t.Errorf("a written summary was replaced: %+v", card)
	}
	if got := l.rebuilt(indexer.Options{Extractive: true}).dump(); got != extractive {
		t.Errorf("rebuilt:\n%s\nwas:\n%s", got, extractive)
	}
	path := "Standard/it/valvole.md"
	l.ok("save_outline", fields{"doc_path": path, "source_hash": l.hash(path), "summary": "Quando la caldaia scarica e a quale pressione.", "sections": []any{}}, nil)
	l.ok("get_document", fields{"doc_path": path}, &card)
	if card.SummaryKind != "llm" {
		t.Errorf("card %+v", card)
	}
	l.write("it/valvole.md", "# Valvole\n\nUn altro testo che parla della caldaia.\n")
	l.sync()
	card = documentCard{}
	l.ok("get_document", fields{"doc_path": path}, &card)
	if card.SummaryKind != "llm" || card.SummaryStatus != "stale" {
		t.Errorf("a written summary gave way to an extractive one: %+v", card)
	}
	l.write("it/valvole.md", manual()["it/valvole.md"])
	l.reopen(indexer.Options{})
	if got := l.dump(); strings.Contains(got, `"extractive"`) || strings.Count(got, `"outline"`) != 2 {
		t.Errorf("extractive summaries stay:\n%s", got)
	}
}

// The refusals of save_outline: every fault of a call, with what would pass.
func TestRefusedOutlines(t *testing.T) {
	l := newLibrary(t, manual())
	foreign := l.keyOf("clockwise", "Standard/boiler/pump.md")
	other := l.keyOf("seat", valves)
	section := func(members fields) fields {
		s := fields{"node_id": "valves/torque", "summary": "Which force the flange wants."}
		for name, value := range members {
			if value == nil {
				delete(s, name)
				continue
			}
			s[name] = value
		}
		return fields{"sections": []any{s}}
	}
	facts := make([]any, 11)
	for i := range facts {
		facts[i] = fmt.Sprintf("Fact number %d", i)
	}
	before := l.dump()
	var b strings.Builder
	for _, c := range []struct {
		name string
		args fields
	}{
		{"unknown document", fields{"doc_path": "Standard/boiler/valve.md"}},
		{"no document", fields{"doc_path": nil}},
		{"stale hash", fields{"source_hash": strings.Repeat("0", 64)}},
		{"no hash", fields{"source_hash": nil}},
		{"document summary too short", fields{"summary": "Valves and torque."}},
		{"document summary only spaces", fields{"summary": strings.Repeat(" ", 30)}},
		{"document summary too long", fields{"summary": strings.Repeat("w", 2001)}},
		{"document summary repeats the title", fields{"summary": "The valves of the boiler. Boiler valves."}},
		{"document summary without words", fields{"summary": strings.Repeat("- ", 15)}},
		{"document summary not a string", fields{"summary": 5}},
		{"version too long", fields{"summary_version": strings.Repeat("1", 65)}},
		{"sections missing", fields{"sections": nil}},
		{"sections not a list", fields{"sections": "valves"}},
		{"a section that is no object", fields{"sections": []any{"valves"}}},
		{"unknown node", section(fields{"node_id": "valves/torqe"})},
		{"node by its last step", section(fields{"node_id": "torque"})},
		{"no node", section(fields{"node_id": nil})},
		{"node twice", fields{"sections": []any{section(nil)["sections"].([]any)[0], section(nil)["sections"].([]any)[0]}}},
		{"section summary too short", section(fields{"summary": "Forty."})},
		{"section summary too long", section(fields{"summary": strings.Repeat("力", 801)})},
		{"section summary repeats the heading", section(fields{"summary": "Torque of the valves"})},
		{"too many facts", section(fields{"key_facts": facts})},
		{"a fact too long", section(fields{"key_facts": []any{strings.Repeat("f", 301), "Good one"}})},
		{"a fact too short", section(fields{"key_facts": []any{"x"}})},
		{"facts not a list", section(fields{"key_facts": "forty"})},
		{"a chunk of another document", section(fields{"chunk_keys": []any{foreign}})},
		{"a chunk of another section", section(fields{"chunk_keys": []any{other}})},
		{"a chunk that is none", section(fields{"chunk_keys": []any{"0000000000000000"}})},
		{"a chunk twice", section(fields{"chunk_keys": []any{l.keyOf("flange", valves), l.keyOf("flange", valves)}})},
		{"unknown member", section(fields{"sumary": "x"})},
		{"unknown argument", fields{"hash": "x"}},
		{"everything at once", fields{"doc_path": valves, "source_hash": "x", "summary": "short", "sections": []any{
			fields{"node_id": "nowhere", "summary": "Torque", "key_facts": []any{"x"}}, fields{"summary": "No node, but a long summary."},
		}}},
	} {
		args := l.outlineOf(valves)
		for name, value := range c.args {
			if value == nil {
				delete(args, name)
				continue
			}
			args[name] = value
		}
		e := l.refused(InvalidInput, "save_outline", args)
		fmt.Fprintf(&b, "%s\n", c.name)
		for _, r := range e.Details.Rejected {
			fmt.Fprintf(&b, "  %s: %s\n    expected: %s\n", r.Field, r.Reason, r.Expected)
			if r.Field == "" || r.Reason == "" || r.Expected == "" {
				t.Errorf("%s: a rejection says too little: %+v", c.name, r)
			}
		}
		for _, near := range e.Details.Nearest {
			fmt.Fprintf(&b, "  nearest: %s\n", near)
		}
	}
	golden(t, "testdata/outline_refusals.golden.txt", b.String())
	if l.dump() != before {
		t.Error("a refused call changed the index")
	}
	if ledger, err := os.ReadFile(filepath.Join(l.state, "ledger.jsonl")); err != nil || len(ledger) > 0 {
		t.Errorf("a refused call is in the ledger: %s %v", ledger, err)
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("differs from %s; if that is meant, run the test with -update:\n%s", file, got)
	}
}

// A document of many sections with many faults: as many as fit are told, and how many there are.
func TestManyRejectionsFitAnAnswer(t *testing.T) {
	l := newLibrary(t, manual())
	args := l.outlineOf(valves)
	var sections []any
	for i := range 500 {
		sections = append(sections, fields{"node_id": strings.Repeat("nowhere/", 100) + fmt.Sprint(i), "summary": "x"})
	}
	args["sections"] = sections
	e := l.refused(InvalidInput, "save_outline", args)
	if n := len(e.Details.Rejected); n < 10 {
		t.Errorf("%d rejections are told", n)
	}
}

// An outline whose nodes carry the longest summaries is shown in parts that fit, each summary once.
func TestLongSummariesAreShownInParts(t *testing.T) {
	var b strings.Builder
	var sections []any
	id := ""
	for depth := 1; depth <= 6; depth++ {
		for n := range 6 {
			fmt.Fprintf(&b, "%s Level %d part %d\n\nText of it.\n\n", strings.Repeat("#", depth), depth, n)
		}
	}
	l := newLibrary(t, map[string]string{"deep.md": b.String()})
	path := "Standard/deep.md"
	var o outline
	l.ok("get_document_structure", fields{"doc_path": path, "depth": 10}, &o)
	var collect func([]outlineNode)
	collect = func(nodes []outlineNode) {
		for _, n := range nodes {
			id = n.NodeID
			facts := make([]any, 10)
			for i := range facts {
				facts[i] = strings.Repeat("事", 299) + fmt.Sprint(i)
			}
			sections = append(sections, fields{"node_id": id, "summary": strings.Repeat("要", 700) + fmt.Sprint(len(sections)), "key_facts": facts})
			collect(n.Nodes)
		}
	}
	collect(o.Nodes)
	l.ok("save_outline", fields{"doc_path": path, "source_hash": l.hash(path), "summary": "A document that is nested deep, for a test.", "sections": sections}, nil)
	seen := map[string]int{}
	for part := 1; ; part++ {
		o = outline{}
		l.ok("get_document_structure", fields{"doc_path": path, "depth": 10, "part": part}, &o)
		var note func([]outlineNode)
		note = func(nodes []outlineNode) {
			for _, n := range nodes {
				if n.Summary != "" {
					seen[n.Summary]++
				}
				note(n.Nodes)
			}
		}
		note(o.Nodes)
		if !o.Pagination.HasMore {
			break
		}
	}
	for summary, n := range seen {
		if n != 1 {
			t.Errorf("%s is shown %d times", summary[len(summary)-6:], n)
		}
	}
	if len(seen) != len(sections) {
		t.Errorf("%d of %d summaries are shown", len(seen), len(sections))
	}
}

func TestPromptsLeadThroughTheTools(t *testing.T) {
	l := newLibrary(t, manual())
	p := l.dial(t)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", p.receive().Result)
	for _, call := range []string{
		`{"name":"summarise_document","arguments":{"doc_path":"Standard/boiler/valves.md"}}`,
		`{"name":"answer_with_citations","arguments":{"question":"How tight is the flange?"}}`,
		`{"name":"answer_with_citations","arguments":{"question":"How tight is the flange?","folder":"Standard/boiler"}}`,
	} {
		p.send(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":` + call + `}`)
		var result struct {
			Messages []struct {
				Role    string `json:"role"`
				Content struct {
					Text string `json:"text"`
				} `json:"content"`
			} `json:"messages"`
		}
		r := p.receive()
		if err := json.Unmarshal(r.Result, &result); err != nil || len(result.Messages) != 1 {
			t.Fatalf("%s: %+v %v", call, r, err)
		}
		fmt.Fprintf(&b, "\n%s\n%s\n", call, result.Messages[0].Content.Text)
	}
	golden(t, "testdata/prompts.golden.txt", b.String())
	for _, call := range []string{`{"name":"summarise_document"}`, `{"name":"summarise_document","arguments":{"doc_path":""}}`, `{"name":"nothing"}`, `{"name":"answer_with_citations","arguments":{"question":"x","colour":"red"}}`} {
		p.send(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":` + call + `}`)
		if r := p.receive(); r.Error == nil || r.Error.Code != codeInvalidParams {
			t.Errorf("%s: %s %+v", call, r.Result, r.Error)
		}
	}
}
