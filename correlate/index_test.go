package correlate_test

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelfd/correlate"
)

// shelfDocument is a document as the tests keep it beside the Index.
type shelfDocument struct {
	shelf, path string
	source      correlate.Source
	features    correlate.Features
}

// library is a set of documents and hierarchy, and the definition of the right links: all pairs by brute force.
type library struct {
	documents map[int64]shelfDocument
	parents   map[string][]string
}

func (l library) extends(shelf, ancestor string) bool {
	for _, parent := range l.parents[shelf] {
		if parent == ancestor || l.extends(parent, ancestor) {
			return true
		}
	}
	return false
}

func (l library) allowed(a, b string, scope correlate.Scope) bool {
	switch {
	case a == b:
		return true
	case l.extends(b, a):
		return false
	case l.extends(a, b):
		return scope != correlate.ScopeShelf
	}
	return scope == correlate.ScopeCrossShelf
}

func (l library) relation(a, b string, s correlate.Signals) string {
	switch {
	case l.extends(a, b) && s.Title >= 0.5:
		return "extends_standard"
	case l.extends(a, b):
		return "references_standard"
	case s.Mention > 0 && s.Title+s.Heading+s.Tag+s.Keyword == 0:
		return "mentions"
	case len(l.parents[b]) > 0:
		return "references_custom"
	}
	return "related"
}

func (l library) pair(source, target int64, p correlate.Params) (correlate.Link, bool) {
	a, b := l.documents[source], l.documents[target]
	if source == target || !l.allowed(a.shelf, b.shelf, p.Scope) {
		return correlate.Link{}, false
	}
	c := correlate.Compare(a.features, b.features, names(a.source.Body, otherThan(a.features.Names, b.features.Names)), p.Weights)
	if mention := names(a.source.Body, b.features.Names); mention != (c.Signals.Mention == 1) {
		panic(fmt.Sprintf("%q mentions %q: %v", a.source.Body, b.features.Names, c.Signals.Mention))
	}
	relation := l.relation(a.shelf, b.shelf, c.Signals)
	passes := c.Confidence >= p.MinConfidence && (c.Signals.Count() >= p.MinSignals || relation == "mentions")
	return correlate.Link{
		Source: source, Target: target, Relation: relation, Score: c.Score, Confidence: c.Confidence, Signals: c.Signals,
	}, passes
}

// otherThan are the names of a target that its source has not as well.
func otherThan(own, all []string) (names []string) {
	for _, name := range all {
		if !slices.Contains(own, name) {
			names = append(names, name)
		}
	}
	return names
}

// names looks for each name in the words of a text, one after the other.
func names(body string, all []string) bool {
	for _, name := range all {
		if strings.Contains(" "+body+" ", " "+name+" ") {
			return true
		}
	}
	return false
}

func (l library) links(source int64, p correlate.Params) (links []correlate.Link) {
	for target := range l.documents {
		if link, ok := l.pair(source, target, p); ok {
			links = append(links, link)
		}
	}
	slices.SortFunc(links, func(a, b correlate.Link) int {
		up := func(link correlate.Link) int {
			if strings.HasSuffix(link.Relation, "_standard") {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(up(a), up(b)), cmp.Compare(b.Score, a.Score),
			cmp.Compare(l.documents[a.Target].path, l.documents[b.Target].path))
	})
	if p.MaxLinks > 0 && len(links) > p.MaxLinks {
		links = links[:p.MaxLinks]
	}
	return links
}

func (l library) suitors(target int64, p correlate.Params) (links []correlate.Link) {
	for source := range l.documents {
		if link, ok := l.pair(source, target, p); ok {
			links = append(links, link)
		}
	}
	slices.SortFunc(links, func(a, b correlate.Link) int {
		return cmp.Compare(l.documents[a.Source].path, l.documents[b.Source].path)
	})
	return links
}

// bare leaves out the rationale, which brute force does not write.
func bare(links []correlate.Link) []correlate.Link {
	out := make([]correlate.Link, 0, len(links))
	for _, link := range links {
		link.Rationale = ""
		out = append(out, link)
	}
	return out
}

var words = []string{"boiler", "valve", "pressure", "gauge", "burner", "chimney"}

func someWords(low, high int) *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(words), low, high), func(w []string) string { return strings.Join(w, " ") })
}

func documentOf(shelves []string) *rapid.Generator[shelfDocument] {
	return rapid.Custom(func(t *rapid.T) shelfDocument {
		folder := rapid.SampledFrom([]string{"", "a/", "a/x/", "a/y/", "b/"}).Draw(t, "folder")
		d := shelfDocument{
			shelf: rapid.SampledFrom(shelves).Draw(t, "shelf"),
			source: correlate.Source{
				Path:     folder + strings.ReplaceAll(someWords(1, 2).Draw(t, "file"), " ", "-") + ".md",
				Title:    someWords(0, 3).Draw(t, "title"),
				Tags:     rapid.SliceOfN(rapid.SampledFrom([]string{"heat", "safety"}), 0, 2).Draw(t, "tags"),
				Headings: rapid.SliceOfN(someWords(1, 1), 0, 3).Draw(t, "headings"),
				Body:     someWords(0, 9).Draw(t, "body"),
			},
		}
		d.path = d.shelf + "/" + d.source.Path
		d.features = correlate.Extract(d.source)
		return d
	})
}

func paramsOf() *rapid.Generator[correlate.Params] {
	return rapid.Custom(func(t *rapid.T) correlate.Params {
		p := correlate.DefaultParams()
		p.Scope = rapid.SampledFrom([]correlate.Scope{correlate.ScopeShelf, correlate.ScopeShelfWithParents, correlate.ScopeCrossShelf}).Draw(t, "scope")
		p.MaxLinks = rapid.IntRange(0, 4).Draw(t, "max links")
		if rapid.Bool().Draw(t, "own thresholds") {
			p.MinConfidence = rapid.SampledFrom([]float64{0, 0.05, 0.2, 0.4, 0.5, 0.7, 1}).Draw(t, "confidence")
			p.MinSignals = rapid.IntRange(0, 5).Draw(t, "signals")
		}
		if rapid.Bool().Draw(t, "own weights") {
			weight := rapid.SampledFrom([]float64{0, 0.1, 0.3, 1})
			p.Weights = correlate.Weights{
				Title: weight.Draw(t, "title"), Heading: weight.Draw(t, "heading"), Tag: weight.Draw(t, "tag"),
				Keyword: weight.Draw(t, "keyword"), Path: weight.Draw(t, "path"), Mention: weight.Draw(t, "mention"),
			}
		}
		return p
	})
}

// hierarchyOf draws parents without a cycle: a shelf extends later ones only.
func hierarchyOf(shelves []string) *rapid.Generator[map[string][]string] {
	return rapid.Custom(func(t *rapid.T) map[string][]string {
		parents := map[string][]string{}
		for i, shelf := range shelves {
			for _, parent := range shelves[i+1:] {
				if rapid.IntRange(0, 2).Draw(t, "extends") == 0 {
					parents[shelf] = append(parents[shelf], parent)
				}
			}
		}
		return parents
	})
}

func hierarchy(t *rapid.T, parents map[string][]string) *correlate.Hierarchy {
	h, err := correlate.NewHierarchy(parents)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// mentionedBy asks the Index about every text, as a caller does through its search.
func (l library) mentionedBy(ix *correlate.Index, target int64) (ids []int64) {
	for id, d := range l.documents {
		if slices.Contains(ix.Mentioned(id, d.source.Body), target) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (l library) change(t *rapid.T, ix *correlate.Index, shelves []string, id int64) {
	if rapid.IntRange(0, 3).Draw(t, "remove") == 0 {
		delete(l.documents, id)
		ix.Remove(id)
		return
	}
	d := documentOf(shelves).Draw(t, "document")
	d.path += fmt.Sprint("~", id) // doc_paths are unique
	l.documents[id] = d
	ix.Put(id, d.shelf, d.path, d.features)
}

func TestLinksAreThoseOfBruteForce(t *testing.T) {
	shelves := []string{"north", "east", "south", "west"}
	rapid.Check(t, func(t *rapid.T) {
		l := library{documents: map[int64]shelfDocument{}, parents: hierarchyOf(shelves).Draw(t, "parents")}
		ix := correlate.NewIndex(hierarchy(t, l.parents))
		for range rapid.IntRange(1, 25).Draw(t, "changes") {
			l.change(t, ix, shelves, rapid.Int64Range(1, 12).Draw(t, "id"))
		}
		p := paramsOf().Draw(t, "params")
		if ix.Len() != len(l.documents) {
			t.Fatalf("%d documents, want %d", ix.Len(), len(l.documents))
		}
		for id, d := range l.documents {
			got, want := bare(ix.Links(id, ix.Mentioned(id, d.source.Body), p)), bare(l.links(id, p))
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("links of %d:\n got %+v\nwant %+v", id, got, want)
			}
			got, want = bare(ix.Suitors(id, l.mentionedBy(ix, id), p, alike(p))), bare(l.suitors(id, p))
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("suitors of %d:\n got %+v\nwant %+v", id, got, want)
			}
		}
	})
}

// alike are the same parameters for every source.
func alike(p correlate.Params) func(string, string) (correlate.Params, bool) {
	return func(string, string) (correlate.Params, bool) { return p, true }
}
