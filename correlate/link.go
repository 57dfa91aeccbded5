package correlate

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Links finds the best links of a source, best first: those that brute force over all pairs would find. mentioned are
// the documents that its text names (see Mentioned). A source that is not in the Index has none.
//
// The order is confidence, then targets in shelves that the source's shelf extends, then score, then path.
func (ix *Index) Links(source int64, mentioned []int64, p Params) []Link {
	links, _ := ix.Propose(source, mentioned, nil, p)
	return links
}

// Propose is Links without those to a document whose path is refused: the next best move up. compared counts the
// documents that were looked at.
func (ix *Index) Propose(source int64, mentioned []int64, refused map[string]bool, p Params) (links []Link, compared int) {
	n, ok := ix.ordinals[source]
	if !ok {
		return nil, 0
	}
	links, compared = ix.search(n, mentioned, refused, p)
	slices.SortFunc(links, ix.compareLinks)
	if p.MaxLinks > 0 && len(links) > p.MaxLinks {
		links = links[:p.MaxLinks]
	}
	return slices.Clip(links), compared
}

// Suitors finds the links that sources may have to a target, in the order of their paths: every one that passes,
// without regard to MaxLinks. mentionedBy are the documents whose text names the target. own tells the parameters of the
// source at a path in a shelf, false when it has no links; loosest lets pass whatever any of them lets pass, and has
// their weights.
func (ix *Index) Suitors(target int64, mentionedBy []int64, loosest Params, own func(shelf, path string) (Params, bool)) []Link {
	n, ok := ix.ordinals[target]
	if !ok {
		return nil
	}
	links := ix.searchSources(n, mentionedBy, loosest, own)
	slices.SortFunc(links, func(a, b Link) int { return cmp.Compare(ix.pathOf(a.Source), ix.pathOf(b.Source)) })
	return links
}

func (ix *Index) pathOf(doc int64) string {
	if n, ok := ix.ordinals[doc]; ok {
		return ix.entries[n].path
	}
	return ""
}

// compareLinks orders the links of one source, best first.
func (ix *Index) compareLinks(a, b Link) int {
	return cmp.Or(
		compareWorth(a, b),
		cmp.Compare(ix.pathOf(a.Target), ix.pathOf(b.Target)),
		cmp.Compare(a.Target, b.Target),
	)
}

func compareWorth(a, b Link) int {
	return cmp.Or(
		cmp.Compare(b.Confidence, a.Confidence),
		cmp.Compare(upward(b.Relation), upward(a.Relation)),
		cmp.Compare(b.Score, a.Score),
	)
}

// upward is 1 for the relations that lead to a shelf which the source's shelf extends.
func upward(relation string) int {
	if relation == RelationExtendsStandard || relation == RelationReferencesStandard {
		return 1
	}
	return 0
}

// rationale says in few words what two documents share; it is stored with every link.
func rationale(s Signals, headings, tags, keywords int) string {
	var parts []string
	switch {
	case s.Title == 1:
		parts = append(parts, "same title")
	case s.Title > 0:
		parts = append(parts, "title "+strconv.Itoa(int(s.Title*100))+"%")
	}
	for _, part := range [...]struct {
		n         int
		one, many string
	}{{headings, "heading", "headings"}, {tags, "tag", "tags"}, {keywords, "keyword", "keywords"}} {
		switch {
		case part.n == 1:
			parts = append(parts, "1 "+part.one)
		case part.n > 1:
			parts = append(parts, strconv.Itoa(part.n)+" "+part.many)
		}
	}
	switch s.Path {
	case 1:
		parts = append(parts, "same folder")
	case 0.5:
		parts = append(parts, "sister folder")
	}
	if s.Mention > 0 {
		parts = append(parts, "mention")
	}
	return strings.Join(parts, "; ")
}
