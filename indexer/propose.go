package indexer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"shelfd/correlate"
	"shelfd/store"
)

// Correlation asks which heuristic links the documents of a shelf, or one document, have or would have.
type Correlation struct {
	Document string         // doc_path, "" = those of Shelf
	Shelf    string         // name
	Settings store.Settings // in place of what holds at present; what is absent stays as it is
	Apply    bool           // say so: in the ledger, and in the links from now on
}

// Proposal is the answer to a Correlation.
type Proposal struct {
	Params     correlate.Params // that hold for the shelf or document, those asked for in place
	Candidates int              // pairs that were compared
	Proposed   int              // links that pass, standing already or not
	Written    int              // of those, new or other than they stood; 0 unless applied
	Removed    int              // links that stood and do not pass; 0 unless applied
	Links      []ProposedLink   // the best of those that pass, best first, at most maxSample
}

// ProposedLink is a heuristic link with its ends named.
type ProposedLink struct {
	correlate.Link
	SourcePath, TargetPath string
	Stored                 bool // it stands in the index now
}

// maxSample is how many links a Proposal shows: more than an answer to an agent holds.
const maxSample = 200

// Correlate works out the heuristic links of a shelf or a document after everything else has come to rest, and applies
// them when asked. ErrUnknownShelf and store.ErrNotFound when they are not there. progress may be nil; it is told how
// many documents of how many are done.
func (x *Indexer) Correlate(ctx context.Context, c Correlation, progress func(Progress)) (Proposal, error) {
	if err := x.settle(ctx, nil); err != nil {
		return Proposal{}, err
	}
	ids, err := x.sources(ctx, c)
	if err != nil {
		return Proposal{}, err
	}
	steps := newSteps(progress, len(ids), c.Apply)
	p, err := x.proposeAll(ctx, c, ids, steps)
	if err != nil {
		return Proposal{}, err
	}
	if !c.Apply {
		p.Written, p.Removed = 0, 0
		return p, x.markStored(ctx, p.Links)
	}
	if err := x.do(ctx, func(ctx context.Context, r *run) error { return r.sayCorrelate(ctx, c, ids) }); err != nil {
		return Proposal{}, err
	}
	if err := x.settle(ctx, steps.writing); err != nil {
		return Proposal{}, err
	}
	return p, x.markStored(ctx, p.Links)
}

// steps turn two passes over the same documents into one count that only rises.
type steps struct {
	tell  func(Progress)
	n     int
	total int
}

func newSteps(tell func(Progress), n int, twice bool) steps {
	s := steps{tell, n, n}
	if twice {
		s.total = 2 * n
	}
	return s
}

func (s steps) comparing(done int) {
	if s.tell != nil {
		s.tell(Progress{State: "comparing", Done: done, Total: s.total})
	}
}

func (s steps) writing(left int) {
	if s.tell != nil {
		s.tell(Progress{State: "writing", Done: max(s.n, s.total-left), Total: s.total})
	}
}

// sources are the documents whose links are asked for, in id order.
func (x *Indexer) sources(ctx context.Context, c Correlation) (ids []int64, err error) {
	err = x.store.View(ctx, func(v *store.View) error {
		if c.Document != "" {
			d, err := v.Document(c.Document)
			ids = []int64{d.ID}
			return err
		}
		s, err := v.Shelf(c.Shelf)
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("indexer: correlate %q: %w", c.Shelf, ErrUnknownShelf)
		}
		if err != nil {
			return err
		}
		files, err := v.Files(s.ID, "")
		for _, f := range files {
			ids = append(ids, f.Document)
		}
		slices.Sort(ids)
		return err
	})
	return ids, err
}

// under are the orders as they would be with what is asked.
func (c Correlation) under(o orders) orders {
	if c.Document != "" {
		return o.with(c.Document, c.Settings)
	}
	return o.with(c.Shelf, c.Settings)
}

// params are those that would hold for the shelf or the document.
func (c Correlation) params(o orders) correlate.Params {
	shelf := c.Shelf
	if c.Document != "" {
		shelf = shelfOf(c.Document)
	}
	p, _ := c.under(o).of(shelf, c.Document)
	return p
}

// proposeAll works the documents off a slice at a time, so that edits come in between.
func (x *Indexer) proposeAll(ctx context.Context, c Correlation, ids []int64, steps steps) (Proposal, error) {
	var p Proposal
	params, err := ask(ctx, x, func(_ context.Context, r *run) (correlate.Params, error) { return c.params(r.orders()), nil })
	if p.Params = params; err != nil {
		return p, err
	}
	for done := 0; done < len(ids); {
		err := x.withFeatures(ctx, func(r *run) error {
			n, err := r.proposeSome(ctx, c, ids[done:], &p)
			done += n
			return err
		})
		if err != nil {
			return p, err
		}
		p.best()
		steps.comparing(done)
	}
	return p, nil
}

// best keeps the best of the links.
func (p *Proposal) best() {
	slices.SortFunc(p.Links, func(a, b ProposedLink) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(b.Score, a.Score),
			cmp.Compare(a.SourcePath, b.SourcePath), cmp.Compare(a.TargetPath, b.TargetPath))
	})
	p.Links = p.Links[:min(len(p.Links), maxSample)]
}

// proposeSome takes as many of the documents as choreTime allows, and says how many these were.
func (r *run) proposeSome(ctx context.Context, c Correlation, ids []int64, p *Proposal) (n int, err error) {
	o := c.under(r.orders())
	start := time.Now()
	err = r.store.View(ctx, func(v *store.View) error {
		for n = 0; n < len(ids) && (n == 0 || time.Since(start) < choreTime); n++ {
			if err := r.proposeOne(v, o, ids[n], p); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

func (r *run) proposeOne(v *store.View, o orders, id int64, p *Proposal) error {
	mentioned, err := r.cited(v, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil // it went a moment ago
	}
	if err != nil {
		return err
	}
	stand, err := v.LinksOf(id, store.Out, []store.Origin{store.OriginHeuristic})
	if err != nil {
		return err
	}
	links, compared := r.links.propose(o, id, mentioned)
	written, removed := wouldWrite(stand, links)
	p.Candidates += compared
	p.Proposed += len(links)
	p.Written += written
	p.Removed += removed
	for _, l := range links {
		named := ProposedLink{Link: l}
		_, named.SourcePath, _ = r.links.index.Place(l.Source)
		_, named.TargetPath, _ = r.links.index.Place(l.Target)
		p.Links = append(p.Links, named)
	}
	return nil
}

// cited lists the documents that a document's text cites. They stand in the store as long as links are worked out.
func (r *run) cited(v *store.View, id int64) ([]int64, error) {
	if r.orders().asked() {
		return v.Mentions(id)
	}
	d, err := v.DocumentByID(id)
	if err != nil {
		return nil, err
	}
	content, err := v.Content(id)
	if err != nil {
		return nil, err
	}
	return r.links.index.Mentioned(id, content[d.Body:]), nil
}

// sayCorrelate records the settings and puts the documents down.
func (r *run) sayCorrelate(ctx context.Context, c Correlation, ids []int64) error {
	asked := r.orders().asked()
	settings := c.Settings
	record := store.Record{Op: store.OpCorrelate, Settings: &settings, Source: c.Document}
	named := []string{c.Document}
	if c.Document == "" {
		record.Shelf, named = c.Shelf, nil
	}
	if err := r.say(ctx, []store.Record{record}, named); err != nil {
		return err
	}
	r.links.waiting, r.links.whole = true, false
	return r.update(ctx, func(tx *store.Tx) error {
		if !asked { // the first: no text has been read for mentions yet
			if err := tx.CallAll(store.TaskCorrelate); err != nil {
				return err
			}
		}
		return errors.Join(tx.Call(store.TaskCorrelate, ids...), r.seal(tx))
	})
}

// markStored says of each link whether it stands in the index.
func (x *Indexer) markStored(ctx context.Context, links []ProposedLink) error {
	return x.store.View(ctx, func(v *store.View) error {
		for i := range links {
			l := &links[i]
			stand, _, err := v.Find(store.LinkQuery{Source: l.Source, Target: l.Target, Origin: store.OriginHeuristic})
			if err != nil {
				return err
			}
			l.Stored = slices.ContainsFunc(stand, func(s store.Link) bool { return s.Relation == l.Relation })
		}
		return nil
	})
}
