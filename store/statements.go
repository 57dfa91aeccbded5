package store

import (
	"fmt"
	"maps"
	"slices"
)

// Records are the fewest statements that come to the same, in the order of what they name.
func (s *Said) Records() []Record {
	var all []Record
	for _, name := range slices.Sorted(maps.Keys(s.Shelves)) {
		shelf := s.Shelves[name]
		all = append(all, Record{Op: OpShelfAdd, Shelf: name, Root: shelf.Root, Description: shelf.Description})
	}
	for _, child := range slices.Sorted(maps.Keys(s.Parents)) {
		for _, parent := range slices.Sorted(maps.Keys(s.Parents[child])) {
			all = append(all, Record{Op: OpParentAdd, Shelf: child, To: parent})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(s.IDs)) {
		all = append(all, Record{Op: OpDocumentID, Source: path, ID: s.IDs[path]})
	}
	for _, path := range slices.Sorted(maps.Keys(s.Gone)) {
		all = append(all, Record{Op: OpDocumentGone, Source: path, Hash: s.Gone[path]})
	}
	for _, path := range slices.Sorted(maps.Keys(s.Outlines)) {
		all = append(all, Record{Op: OpSummary, Source: path, Outline: s.Outlines[path]})
	}
	return append(all, s.linkRecords()...)
}

func (s *Said) linkRecords() []Record {
	var all []Record
	for _, source := range slices.Sorted(maps.Keys(s.Links)) {
		all = append(all, Record{Op: OpLinksReplace, Source: source, Links: s.Links[source]})
	}
	for _, key := range slices.Sorted(maps.Keys(s.Settings)) {
		settings := s.Settings[key]
		r := Record{Op: OpCorrelate, Settings: &settings, Source: key}
		if IsShelf(key) {
			r.Shelf, r.Source = key, ""
		}
		all = append(all, r)
	}
	for _, source := range slices.Sorted(maps.Keys(s.Refused)) {
		all = append(all, Record{Op: OpPairsRefuse, Source: source, Targets: slices.Sorted(maps.Keys(s.Refused[source]))})
	}
	return all
}

// IsShelf says whether a key of statements names a shelf, not a document in one.
func IsShelf(key string) bool { return shelfOf(key) == key }

// AppendLines appends records as lines of a ledger.
func AppendLines(b []byte, records []Record) ([]byte, error) {
	var err error
	for _, r := range records {
		if b, err = appendRecord(b, r); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// compactFrom is how many lines a ledger has at least before it is worth writing anew.
const compactFrom = 1000

// Compact writes the ledger anew when less than a quarter of its lines say something that still holds. The file is
// replaced in one step: it is the old one or the new one, whenever the power goes. Statements that this program does
// not know would be lost: a ledger with any stays as it is.
func (l *Ledger) Compact() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return fmt.Errorf("store: compact ledger %q: opened read only", l.path)
	}
	records := l.said.Records()
	if l.newer || l.lines < compactFrom || 4*len(records) > l.lines {
		return nil
	}
	return l.compact(records)
}

func (l *Ledger) compact(records []Record) error {
	for i := range records {
		records[i].At = l.last
	}
	if err := l.rewrite(records); err != nil {
		return err
	}
	if err := l.reopen(); err != nil {
		return fmt.Errorf("store: compact ledger: %w", err)
	}
	l.lines = len(records)
	return nil
}

// Len is how many statements the file holds, those that hold no longer included.
func (l *Ledger) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines
}
