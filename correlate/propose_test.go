package correlate_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"shelfd/correlate"
)

// drawLibrary makes an Index and the documents it holds.
func drawLibrary(t *rapid.T) (library, *correlate.Index) {
	shelves := []string{"north", "east", "south"}
	l := library{documents: map[int64]shelfDocument{}, parents: hierarchyOf(shelves).Draw(t, "parents")}
	ix := correlate.NewIndex(hierarchy(t, l.parents))
	for range rapid.IntRange(1, 25).Draw(t, "changes") {
		l.change(t, ix, shelves, rapid.Int64Range(1, 12).Draw(t, "id"))
	}
	return l, ix
}

// TestRefusedPairsLetTheNextBestMoveUp: the links are those of a library in which the refused documents are not.
func TestRefusedPairsLetTheNextBestMoveUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, ix := drawLibrary(t)
		p := paramsOf().Draw(t, "params")
		refused, left := map[string]bool{}, library{documents: map[int64]shelfDocument{}, parents: l.parents}
		for id, d := range l.documents {
			if rapid.IntRange(0, 3).Draw(t, "refuse") == 0 {
				refused[d.path] = true
			} else {
				left.documents[id] = d
			}
		}
		for id, d := range left.documents {
			links, compared := ix.Propose(id, ix.Mentioned(id, d.source.Body), refused, p)
			if got, want := bare(links), bare(left.links(id, p)); !reflect.DeepEqual(got, want) {
				t.Fatalf("links of %d:\n got %+v\nwant %+v", id, got, want)
			}
			if compared < len(links) || compared > len(left.documents)-1 {
				t.Fatalf("%d links among %d compared of %d", len(links), compared, len(left.documents))
			}
		}
	})
}

// TestSuitorsKeepToTheirOwnParameters: each source's, whatever those of the target and of other sources are.
func TestSuitorsKeepToTheirOwnParameters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, ix := drawLibrary(t)
		own := map[string]correlate.Params{}
		loosest, first := paramsOf().Draw(t, "params"), true
		weights := loosest.Weights
		for _, d := range l.sorted() {
			p := paramsOf().Draw(t, "own")
			p.Weights = weights
			if rapid.IntRange(0, 4).Draw(t, "none") == 0 {
				continue
			}
			own[d.path] = p
			if first {
				loosest, first = p, false
			}
			loosest = loosest.Looser(p)
		}
		of := func(_, path string) (correlate.Params, bool) { p, ok := own[path]; return p, ok }
		for target := range l.documents {
			var want []correlate.Link
			for _, d := range l.sorted() {
				if p, ok := own[d.path]; ok {
					if link, passes := l.pair(d.id, target, p); passes {
						want = append(want, link)
					}
				}
			}
			got := ix.Suitors(target, l.mentionedBy(ix, target), loosest, of)
			if !reflect.DeepEqual(bare(got), bare(want)) {
				t.Fatalf("suitors of %d:\n got %+v\nwant %+v", target, got, want)
			}
		}
	})
}

// TestCitesIsWhetherMentionedListsIt, for every document and text.
func TestCitesIsWhetherMentionedListsIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, ix := drawLibrary(t)
		for source, d := range l.documents {
			mentioned := ix.Mentioned(source, d.source.Body)
			for target := range l.documents {
				if got, want := ix.Cites(source, d.source.Body, target), slices.Contains(mentioned, target); got != want {
					t.Fatalf("%d cites %d: %v, want %v", source, target, got, want)
				}
			}
		}
	})
}

type numbered struct {
	id   int64
	path string
}

// sorted are the documents in path order.
func (l library) sorted() []numbered {
	var all []numbered
	for id, d := range l.documents {
		all = append(all, numbered{id, d.path})
	}
	slices.SortFunc(all, func(a, b numbered) int {
		if a.path < b.path {
			return -1
		}
		return 1
	})
	return all
}
