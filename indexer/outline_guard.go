package indexer

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"shelfd/internal/text"
	"shelfd/store"
)

// What the texts of an outline may be, in characters without the space around them, and how many there may be.
const (
	SummaryMin, SummaryMax   = 20, 2000
	SectionMin, SectionMax   = 10, 800
	FactMin, FactMax         = 3, 300
	MaxFacts                 = 10 // of a section
	MaxChunkKeys             = 64 // of a section
	VersionMax               = 64
	maxRejections, maxQuoted = 200, 80
)

// Rejection is one thing about an outline that does not pass: where, why, and what would.
type Rejection struct {
	Field    string // "summary", "sections[2].node_id", …
	Reason   string
	Expected string
}

// OutlineRefused says everything that is wrong with an outline; nothing of it was saved.
type OutlineRefused struct {
	Rejections []Rejection
}

func (e *OutlineRefused) Error() string {
	texts := make([]string, len(e.Rejections))
	for i, r := range e.Rejections {
		texts[i] = r.Field + ": " + r.Reason
	}
	return "indexer: outline refused: " + strings.Join(texts, "; ")
}

// outlined is the document that an outline is to be about, empty when there is none.
type outlined struct {
	document store.Document
	nodes    []store.Node
	chunks   []store.Chunk
}

func (d outlined) missing() bool { return d.document.ID == 0 }

func openOutlined(v *store.View, path string) (outlined, error) {
	var d outlined
	var err error
	if d.document, err = v.Document(path); err != nil {
		return d, err
	}
	if d.nodes, err = v.Nodes(d.document.ID); err != nil {
		return d, err
	}
	d.chunks, err = v.Chunks(d.document.ID)
	return d, err
}

// tidy is an outline without what is around its texts.
func tidy(o store.Outline) store.Outline {
	trim := func(s string) string { return norm.NFC.String(strings.TrimSpace(s)) }
	o.SourceHash, o.Version, o.Summary = strings.TrimSpace(o.SourceHash), trim(o.Version), trim(o.Summary)
	sections := make([]store.OutlineSection, len(o.Sections))
	for i, s := range o.Sections {
		facts := make([]string, len(s.KeyFacts))
		for j, fact := range s.KeyFacts {
			facts[j] = trim(fact)
		}
		sections[i] = store.OutlineSection{NodeID: s.NodeID, Summary: trim(s.Summary), KeyFacts: facts, ChunkKeys: append([]string{}, s.ChunkKeys...)}
	}
	o.Sections = sections
	return o
}

// guard judges a whole outline. It is pure; the outline is tidy.
type guard struct {
	outlined
	rejections []Rejection
	byID       map[string]int // ordinals of nodes
	byKey      map[string]int // chunk key → ordinal of its node
	seen       map[string]int // node id → section that speaks of it
}

// judge lists all that keeps an outline from being saved.
func judge(d outlined, o store.Outline) []Rejection {
	g := guard{outlined: d, byID: map[string]int{}, byKey: map[string]int{}, seen: map[string]int{}}
	for _, n := range d.nodes {
		g.byID[n.ID] = n.Ordinal
	}
	for _, c := range d.chunks {
		g.byKey[store.KeyString(c.Key)] = c.Node
	}
	if d.missing() {
		g.reject("doc_path", "there is no such document", "a doc_path exactly as an answer gave it")
	} else {
		g.source(o.SourceHash)
	}
	g.version(o.Version)
	g.text("summary", o.Summary, SummaryMin, SummaryMax, d.document.Title)
	for i, s := range o.Sections {
		g.section(i, s)
	}
	return g.rejections
}

func (g *guard) reject(field, reason, expected string) {
	if len(g.rejections) < maxRejections {
		g.rejections = append(g.rejections, Rejection{field, reason, expected})
	}
}

func (g *guard) source(hash string) {
	if hash == g.document.Hash {
		return
	}
	reason := "the document has changed since it was read, or this is not a hash of it"
	if hash == "" {
		reason = "it is empty"
	}
	g.reject("source_hash", reason, fmt.Sprintf("the content_hash that get_document gives of %q now; read again what has changed, then summarise that", g.document.Path))
}

func (g *guard) version(version string) {
	if n := utf8.RuneCountInString(version); n > VersionMax {
		g.reject("summary_version", fmt.Sprintf("it has %d characters", n), fmt.Sprintf("at most %d characters, or none", VersionMax))
	}
}

// text judges a summary by its length, and by whether it says more than the titles above it.
func (g *guard) text(field, s string, least, most int, titles ...string) {
	expected := fmt.Sprintf("%d-%d characters that say what stands there", least, most)
	switch n := utf8.RuneCountInString(s); {
	case n < least || n > most:
		g.reject(field, "it has "+plural(n, "character"), expected)
	case len(terms(s)) == 0:
		g.reject(field, "it has no words", expected)
	case repeats(s, titles):
		g.reject(field, "it only repeats the title", expected+", in other words than "+quoteShort(titles[0]))
	}
}

func (g *guard) section(i int, s store.OutlineSection) {
	field := fmt.Sprintf("sections[%d].", i)
	ordinal, known := g.byID[s.NodeID]
	first, twice := g.seen[s.NodeID]
	switch {
	case g.missing():
	case !known:
		g.reject(field+"node_id", "the document has no section "+quoteShort(s.NodeID), "a node_id of get_document_structure, copied exactly"+g.close(s.NodeID))
	case twice:
		g.reject(field+"node_id", fmt.Sprintf("sections[%d] is about %s already", first, quoteShort(s.NodeID)), "each section once")
	default:
		g.seen[s.NodeID] = i
	}
	titles := []string{s.NodeID}
	if known {
		titles = append(g.titles(ordinal), g.document.Title)
	}
	g.text(field+"summary", s.Summary, SectionMin, SectionMax, titles...)
	g.facts(field, s.KeyFacts)
	if !g.missing() {
		g.keys(field, s, ordinal, known)
	}
}

// titles are those around a node, its own first.
func (g *guard) titles(ordinal int) []string {
	var titles []string
	for o := ordinal; o >= 0; o = g.nodes[o].Parent {
		titles = append(titles, g.nodes[o].Title)
	}
	return titles
}

func (g *guard) facts(field string, facts []string) {
	if len(facts) > MaxFacts {
		g.reject(field+"key_facts", "there are "+plural(len(facts), "fact"), fmt.Sprintf("at most %d", MaxFacts))
		facts = facts[:MaxFacts]
	}
	for j, fact := range facts {
		if n := utf8.RuneCountInString(fact); n < FactMin || n > FactMax {
			g.reject(fmt.Sprintf("%skey_facts[%d]", field, j), "it has "+plural(n, "character"), fmt.Sprintf("%d-%d characters", FactMin, FactMax))
		}
	}
}

// keys judges the chunks that a summary was drawn from: those of its section and the sections below.
func (g *guard) keys(field string, s store.OutlineSection, ordinal int, known bool) {
	if len(s.ChunkKeys) > MaxChunkKeys {
		g.reject(field+"chunk_keys", "there are "+plural(len(s.ChunkKeys), "key"), fmt.Sprintf("at most %d", MaxChunkKeys))
		return
	}
	seen := map[string]bool{}
	for j, key := range s.ChunkKeys {
		field := fmt.Sprintf("%schunk_keys[%d]", field, j)
		node, own := g.byKey[key]
		expected := "a chunk_key of this section, as search_documents with detail=evidence gives it; or leave it out"
		switch {
		case !own:
			g.reject(field, quoteShort(key)+" is no chunk of this document", expected)
		case known && !g.within(node, ordinal):
			g.reject(field, fmt.Sprintf("%s is a chunk of section %s", quoteShort(key), quoteShort(g.nodes[node].ID)), expected)
		case seen[key]:
			g.reject(field, quoteShort(key)+" stands there twice", "each key once")
		}
		seen[key] = true
	}
}

// within says whether a node is another or lies below it.
func (g *guard) within(node, above int) bool {
	for ; node >= 0; node = g.nodes[node].Parent {
		if node == above {
			return true
		}
	}
	return false
}

// close names the section whose id is most like id.
func (g *guard) close(id string) string {
	ids := make([]string, len(g.nodes))
	for i, n := range g.nodes {
		ids[i] = n.ID
	}
	for _, near := range text.Near(id, ids, 1) {
		return ", such as " + quoteShort(near)
	}
	return ""
}

// repeats says whether every word of s that means something stands in the titles.
func repeats(s string, titles []string) bool {
	known := map[string]bool{}
	for _, title := range titles {
		for _, term := range terms(title) {
			known[term] = true
		}
	}
	for _, term := range terms(s) {
		if !known[term] && !text.Stop(term) {
			return false
		}
	}
	return true
}

func terms(s string) []string {
	var list []string
	text.Segment(s, func(t text.Token) {
		if t.Kind != text.Ident {
			list = append(list, t.Term)
		}
	})
	return list
}

func quoteShort(s string) string {
	if utf8.RuneCountInString(s) > maxQuoted {
		s = string([]rune(s)[:maxQuoted]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
