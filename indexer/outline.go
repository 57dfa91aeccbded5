package indexer

import (
	"context"
	"encoding/hex"
	"errors"
	"reflect"

	"go.uber.org/zap"

	"shelfd/chunker"
	"shelfd/store"
)

// SavedOutline is what SaveOutline wrote.
type SavedOutline struct {
	Version          string
	DocumentSummary  bool
	Sections         int // of the document, with a summary or not: the set replaces what was said about each
	SectionSummaries int
	KeyFacts         int
	SummaryChunks    int // searchable summaries
}

// SaveOutline makes o all that is said about the document at path, through the ledger. An *OutlineRefused lists
// everything that is wrong with it, the faults its caller found included; then nothing was changed.
func (x *Indexer) SaveOutline(ctx context.Context, path string, o store.Outline, faults ...Rejection) (SavedOutline, error) {
	return ask(ctx, x, func(ctx context.Context, r *run) (SavedOutline, error) {
		return r.saveOutline(ctx, path, tidy(o), faults)
	})
}

func (r *run) saveOutline(ctx context.Context, path string, o store.Outline, faults []Rejection) (SavedOutline, error) {
	var d outlined
	err := r.store.View(ctx, func(v *store.View) (err error) {
		d, err = openOutlined(v, path)
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return SavedOutline{}, err
	}
	if faults = append(faults, missingFrom(judge(d, o), faults)...); len(faults) > 0 {
		return SavedOutline{}, &OutlineRefused{faults}
	}
	records := []store.Record{{Op: store.OpSummary, Source: path, Outline: &o}}
	if r.ledger.Said().IDs[path] != d.document.ID {
		records = append(records, store.Record{Op: store.OpDocumentID, Source: path, ID: d.document.ID})
	}
	if err := r.ledger.Append(records...); err != nil {
		return SavedOutline{}, err
	}
	err = r.update(ctx, func(tx *store.Tx) error { return tx.PutOutline(d.document.ID, store.OutlineSaved, o) })
	r.log.Info("outline saved", zap.String("document", path), zap.Int("sections", len(o.Sections)))
	return counted(o, d), err
}

// missingFrom are the rejections of fields that no fault of the caller speaks of, the fields inside those included: what
// could not be read as a list or text was judged as if it were not there.
func missingFrom(found, faults []Rejection) []Rejection {
	known := map[string]bool{}
	for _, f := range faults {
		known[f.Field] = true
	}
	var rest []Rejection
	for _, f := range found {
		spoken := known[f.Field]
		for i, r := range f.Field {
			spoken = spoken || (r == '.' || r == '[') && known[f.Field[:i]]
		}
		if !spoken {
			rest = append(rest, f)
		}
	}
	return rest
}

func counted(o store.Outline, d outlined) SavedOutline {
	s := SavedOutline{
		Version: o.Version, DocumentSummary: true, Sections: len(d.nodes),
		SectionSummaries: len(o.Sections), SummaryChunks: 1 + len(o.Sections),
	}
	for _, section := range o.Sections {
		s.KeyFacts += len(section.KeyFacts)
	}
	return s
}

// putOutline brings what is said about a document that was just written in line with the ledger, or with its text.
func (w *writing) putOutline(tx *store.Tx, id int64, o outcome, known bool) error {
	if said := w.ledger.Said().Outlines[o.prepared.Path]; said != nil {
		return tx.PutOutline(id, store.OutlineSaved, *said)
	}
	if o.gist != "" {
		return tx.PutOutline(id, store.OutlineExtractive, store.Outline{SourceHash: hex.EncodeToString(o.file.Hash[:]), Summary: o.gist})
	}
	if known {
		return tx.DropOutline(id)
	}
	return nil
}

// restoreOutlines brings the outlines of a database in line with a ledger that may have grown, or been replaced, while
// nobody looked.
func (r *run) restoreOutlines(tx *store.Tx) error {
	said := r.ledger.Said().Outlines
	have, err := tx.Outlined(store.OutlineSaved)
	if err != nil {
		return err
	}
	for path, id := range have {
		if said[path] == nil {
			if err := r.unsay(tx, id); err != nil {
				return err
			}
		}
	}
	for path, o := range said {
		d, err := tx.Document(path)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if err := sayOutline(tx, d.ID, *o); err != nil {
			return err
		}
	}
	return nil
}

// sayOutline writes an outline unless it is there.
func sayOutline(tx *store.Tx, id int64, o store.Outline) error {
	have, err := tx.Outline(id)
	if err != nil || have.Kind == store.OutlineSaved && reflect.DeepEqual(tidy(have.Outline), tidy(o)) {
		return err
	}
	return tx.PutOutline(id, store.OutlineSaved, o)
}

// unsay takes away what is said about a document; its own words stand in for it where that is wanted.
func (r *run) unsay(tx *store.Tx, id int64) error {
	if !r.extractive {
		return tx.DropOutline(id)
	}
	d, err := tx.DocumentByID(id)
	if err != nil {
		return err
	}
	content, err := tx.Content(id)
	if err != nil {
		return err
	}
	gist := chunker.Gist(chunker.Parse(d.File, []byte(content), chunker.Options{}))
	if gist == "" {
		return tx.DropOutline(id)
	}
	return tx.PutOutline(id, store.OutlineExtractive, store.Outline{SourceHash: d.Hash, Summary: gist})
}

// extractiveVersion is added to the content version of documents that were cut while summaries were worked out of the
// text: where that is not what is wanted now, they are cut again.
const extractiveVersion = 1 << 16

// cutVersion is the version that documents should be of.
func cutVersion(extractive bool) int {
	if extractive {
		return store.ContentVersion + extractiveVersion
	}
	return store.ContentVersion
}

// asCut gives known files the present content version when they are of the wanted one, and none else.
func (r *run) asCut(known []store.File) {
	for i := range known {
		known[i].Version = asWanted(known[i].Version, r.extractive)
	}
}

func asWanted(version int, extractive bool) int {
	if version == cutVersion(extractive) {
		return store.ContentVersion
	}
	return 0
}
