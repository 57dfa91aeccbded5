package indexer

import (
	"strings"

	"shelfd/correlate"
	"shelfd/store"
)

// Part is a folder of a shelf and what is below it, as far as no part with a longer path speaks of it.
type Part struct {
	Path     string // inside the shelf, "" = all of it
	Readers  string // documents with the same readers are seen by the same people; "" = by those only who see everything
	ByFolder bool   // each folder directly below has readers of its own
}

// parts are those of shelves that not everybody sees, by name.
type parts map[string][]Part

func (r *run) parts() parts {
	all := parts{}
	for name, s := range r.shelves {
		if len(s.Parts) > 0 {
			all[name] = s.Parts
		}
	}
	return all
}

// readers tells apart who sees a document; "" = those only who see everything.
func (p parts) readers(docPath string) string {
	shelf, inside, _ := strings.Cut(docPath, "/")
	var part Part
	for _, other := range p[shelf] {
		if len(other.Path) >= len(part.Path) && (other.Path == "" || strings.HasPrefix(inside, other.Path+"/")) {
			part = other
		}
	}
	if !part.ByFolder || part.Readers == "" {
		return part.Readers
	}
	if part.Path != "" {
		inside = inside[len(part.Path)+1:]
	}
	folder, _, below := strings.Cut(inside, "/")
	if !below {
		return "" // in nobody's folder
	}
	return part.Readers + "/" + folder
}

// apart are the best links of a source, and those of the others that a reader needs in place of links to documents he
// does not see: the best to the documents of each kind of reader. all are those that pass, the best first; most = 0 is no
// limit.
func (c *correlation) apart(all []correlate.Link, most int) (best, spare []correlate.Link) {
	if most <= 0 || len(all) <= most {
		return all, nil
	}
	kept := map[string]int{}
	for i, l := range all {
		_, path, _ := c.index.Place(l.Target)
		readers := c.parts.readers(path)
		kept[readers]++
		if i >= most && readers != "" && kept[readers] <= most {
			spare = append(spare, l)
		}
	}
	return all[:most], spare
}

// crowdedOut says whether a source has as many links as it may, all of them surely better than l: of those to documents
// that the same readers see.
func (c *correlation) crowdedOut(tx *store.Tx, l correlate.Link) (bool, error) {
	shelf, path, _ := c.index.Place(l.Source)
	p, _ := c.orders.of(shelf, path)
	if p.MaxLinks <= 0 {
		return false, nil
	}
	own, err := tx.LinksOf(l.Source, store.Out, []store.Origin{store.OriginHeuristic})
	if err != nil || len(own) < p.MaxLinks || own[len(own)-1].Confidence <= l.Confidence {
		return false, err
	}
	_, target, _ := c.index.Place(l.Target)
	readers := c.parts.readers(target)
	if readers == "" {
		return true, nil
	}
	kept, last := 0, 0.0
	keep := func(path string, confidence float64) {
		if c.parts.readers(path) == readers {
			kept, last = kept+1, confidence
		}
	}
	for _, o := range own {
		keep(o.Target, o.Confidence)
	}
	spare, err := tx.SpareLinks(l.Source)
	for _, o := range spare {
		keep(o.TargetPath, o.Confidence)
	}
	return kept >= p.MaxLinks && last > l.Confidence, err
}
