// Package correlate says which documents belong together, and why.
//
// It is pure: Features of documents in, Links with their signals out. Every feature is a function of one document;
// corpus statistics may order and prune candidates and never change a score, so the result equals the comparison of
// all pairs by brute force. It refuses to read files or tables.
package correlate

import "fmt"

// Version is the heuristic_version of the links. It rises when Extract, the comparison or the routing give other links from
// the same documents and parameters. History:
//
//	1: the six signals, damping by (1 + signals)/4.
//	2: what repeats the title carries no confidence.
//	3: a heading goes by the id that its author gave it.
//	4: the confidence is rounded to four places.
const Version = "4"

// Weights says how much each signal counts. None is negative.
type Weights struct{ Title, Heading, Tag, Keyword, Path, Mention float64 }

// defaultWeights are those of docs/correlation.md.
func defaultWeights() Weights {
	return Weights{Title: 0.25, Heading: 0.20, Tag: 0.20, Keyword: 0.15, Path: 0.10, Mention: 0.10}
}

// Signals is what two documents have in common, each in [0,1].
type Signals struct{ Title, Heading, Tag, Keyword, Path, Mention float64 }

// Count is the number of signals above 0.
func (s Signals) Count() int {
	n := 0
	for _, v := range [...]float64{s.Title, s.Heading, s.Tag, s.Keyword, s.Path, s.Mention} {
		if v > 0 {
			n++
		}
	}
	return n
}

// Map gives the signals by the names they have in reports and in metadata_json; all six, zeros included.
func (s Signals) Map() map[string]float64 {
	return map[string]float64{
		"title": s.Title, "heading": s.Heading, "tag": s.Tag,
		"keyword": s.Keyword, "path": s.Path, "mention": s.Mention,
	}
}

// Scope says in which shelves the targets of a document are looked for.
type Scope uint8

// The scopes. Within one shelf links are always allowed, from a parent to a child never.
const (
	ScopeShelfWithParents Scope = iota // its own shelf and the shelves that this one extends
	ScopeShelf                         // its own shelf
	ScopeCrossShelf                    // every shelf that does not extend its own
)

var scopeNames = [...]string{"shelf_with_parents", "shelf", "cross_shelf"}

func (s Scope) String() string {
	if int(s) < len(scopeNames) {
		return scopeNames[s]
	}
	return fmt.Sprintf("Scope(%d)", uint8(s))
}

// ParseScope reads what String writes.
func ParseScope(s string) (Scope, error) {
	for i, name := range scopeNames {
		if s == name {
			return Scope(i), nil
		}
	}
	return 0, fmt.Errorf("correlate: parse scope %q: want shelf, shelf_with_parents or cross_shelf", s)
}

// Params are the settings of a correlation.
type Params struct {
	Weights       Weights
	Scope         Scope
	MinConfidence float64
	MinSignals    int // signals above 0 that a link needs, unless its relation is RelationMentions
	MaxLinks      int // links kept for one source; 0 or less = all
}

// DefaultParams are the settings of a configuration that says nothing.
func DefaultParams() Params {
	return Params{Weights: defaultWeights(), MinConfidence: 0.6, MinSignals: 2, MaxLinks: 8}
}

// Looser are the parameters that let pass what p or other lets pass; the weights are those of p.
func (p Params) Looser(other Params) Params {
	if wideness(other.Scope) > wideness(p.Scope) {
		p.Scope = other.Scope
	}
	p.MinConfidence, p.MinSignals = min(p.MinConfidence, other.MinConfidence), min(p.MinSignals, other.MinSignals)
	if other.MaxLinks <= 0 || p.MaxLinks > 0 && other.MaxLinks > p.MaxLinks {
		p.MaxLinks = other.MaxLinks
	}
	return p
}

// wideness orders scopes: each holds what those of less hold.
func wideness(s Scope) int {
	switch s {
	case ScopeShelf:
		return 0
	case ScopeShelfWithParents:
		return 1
	}
	return 2
}

// The relations of heuristic links, in the order in which they are tried.
const (
	RelationExtendsStandard    = "extends_standard"    // to an ancestor shelf, titles alike by half
	RelationReferencesStandard = "references_standard" // to an ancestor shelf
	RelationMentions           = "mentions"            // a mention is all there is, the folder aside
	RelationReferencesCustom   = "references_custom"   // to a shelf that extends another
	RelationRelated            = "related"
)

// Link is a heuristic link from Source to Target.
type Link struct {
	Source, Target int64
	Relation       string
	Score          float64
	Confidence     float64
	Signals        Signals
	Rationale      string // what they share, "same title; 2 headings; 14 keywords; same folder"
}
