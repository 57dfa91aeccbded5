package indexer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"shelfd/correlate"
	"shelfd/store"
)

// orders say how the heuristic links of each document are worked out: as was said of it, else as was said of its
// shelf, else as it is configured. They do not change.
type orders struct {
	base      correlate.Params
	onlyAsked bool
	said      *store.Said
}

// orders are those that hold at present.
func (r *run) orders() orders { return orders{r.params, r.onlyAsked, r.ledger.Said()} }

// of are the parameters of the document at a path in a shelf; false when it has no heuristic links.
func (o orders) of(shelf, path string) (correlate.Params, bool) {
	ofShelf, shelfAsked := o.said.Settings[shelf]
	ofDocument, documentAsked := o.said.Settings[path]
	if o.onlyAsked && !shelfAsked && !documentAsked {
		return correlate.Params{}, false
	}
	return ofDocument.Over(ofShelf.Over(o.base)), true
}

// asked says whether any document can have heuristic links.
func (o orders) asked() bool { return !o.onlyAsked || len(o.said.Settings) > 0 }

// loosest are parameters that let pass whatever passes for any document.
func (o orders) loosest() correlate.Params {
	loosest, first := o.base, o.onlyAsked
	for key := range o.said.Settings {
		p, _ := o.of(shelfOf(key), key)
		if first {
			loosest, first = p, false
			continue
		}
		loosest = loosest.Looser(p)
	}
	return loosest
}

// with are the orders as they would be if settings were said of a shelf or of the document at a path as well.
func (o orders) with(key string, settings store.Settings) orders {
	said := *o.said
	said.Settings = maps.Clone(said.Settings)
	said.Settings[key] = said.Settings[key].With(settings)
	o.said = &said
	return o
}

// shelfOf is the shelf of a doc_path.
func shelfOf(path string) string {
	shelf, _, _ := strings.Cut(path, "/")
	return shelf
}

// sealed is what the heuristic links of a shelf's documents depend on beside the documents themselves. Documents stand
// by their ids, so that a move changes nothing.
type sealed struct {
	Version   string
	Asked     bool
	OnlyAsked bool
	Base      correlate.Params
	Shelf     store.Settings
	Documents map[string]store.Settings
	Refused   map[string][]string
	Ancestors []string
	Parents   parents // of all shelves, when links may lead to any
	Parts     parts   // who sees what: of all shelves
}

// seals give each shelf a hash of its orders, by which a start knows whether the stored links obey them.
func (r *run) seals(v *store.View) (map[string]string, error) {
	all, err := r.sealed(v)
	if err != nil {
		return nil, err
	}
	o := r.orders()
	for key, settings := range o.said.Settings {
		if s := all[shelfOf(key)]; s != nil && !store.IsShelf(key) {
			s.Documents[o.name(key)] = settings
		}
	}
	for source, targets := range o.said.Refused {
		s := all[shelfOf(source)]
		if s == nil {
			continue
		}
		name := o.name(source)
		for target := range targets {
			s.Refused[name] = append(s.Refused[name], o.name(target))
		}
		slices.Sort(s.Refused[name])
	}
	hashes := map[string]string{}
	for name, s := range all {
		hashes[name] = s.hash()
	}
	return hashes, nil
}

// sealed is what the shelves as such contribute to their seals.
func (r *run) sealed(v *store.View) (map[string]*sealed, error) {
	above, err := parentsIn(v)
	if err != nil {
		return nil, err
	}
	hierarchy, err := correlate.NewHierarchy(above)
	if err != nil {
		return nil, err
	}
	o := r.orders()
	if !o.asked() || o.loosest().Scope != correlate.ScopeCrossShelf {
		above = nil
	}
	all := map[string]*sealed{}
	parts := r.parts()
	for name := range r.shelves {
		all[name] = &sealed{
			Version: correlate.Version, Asked: o.asked(), OnlyAsked: o.onlyAsked, Base: o.base, Shelf: o.said.Settings[name],
			Documents: map[string]store.Settings{}, Refused: map[string][]string{}, Ancestors: hierarchy.Ancestors(name), Parents: above, Parts: parts,
		}
	}
	return all, nil
}

// name is the id of a document that a statement names, or its path where the ledger was written by hand.
func (o orders) name(path string) string {
	if id, ok := o.said.IDs[path]; ok {
		return fmt.Sprint(id)
	}
	return path
}

func (s *sealed) hash() string {
	b, err := json.Marshal(s)
	if err != nil {
		return "" // never equal to what is stored: the links are worked out again
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// seal notes that the stored links obey the orders, or will when what is down has been worked off.
func (r *run) seal(tx *store.Tx) error {
	seals, err := r.seals(tx.View)
	if err != nil {
		return err
	}
	for name, seal := range seals {
		if err := tx.SetSeal(r.shelves[name].id, seal); err != nil {
			return err
		}
	}
	return nil
}

// checkSeals puts the documents of every shelf down again whose links were worked out under other orders: parents or
// the configuration changed, or the program was killed between a statement and its effect.
func (r *run) checkSeals(tx *store.Tx) error {
	seals, err := r.seals(tx.View)
	if err != nil {
		return err
	}
	for name, seal := range seals {
		s := r.shelves[name]
		stored, err := tx.Seal(s.id)
		if err != nil {
			return err
		}
		if stored == seal {
			continue
		}
		r.links.waiting, r.links.whole = true, false
		if err := errors.Join(tx.CallShelf(store.TaskCorrelate, s.id), tx.SetSeal(s.id, seal)); err != nil {
			return err
		}
	}
	return nil
}
