package indexer_test

import (
	"context"
	"testing"
	"time"

	"shelfd/indexer"
	"shelfd/store"
)

// What a check finds wrong is mended by a repair, be it a matter of some documents or of the whole database, and the
// documents keep their ids.
func TestARepairMendsWhatACheckFinds(t *testing.T) {
	for name, c := range map[string]struct {
		spoil string
		anew  bool
	}{
		"half of the full text":         {`DELETE FROM chunk_fts WHERE rowid % 2 = 0`, false},
		"half of the names":             {`DELETE FROM document_fts WHERE rowid % 2 = 0`, false},
		"other words":                   {`DELETE FROM chunk_fts WHERE rowid = 3; INSERT INTO chunk_fts (rowid, body) VALUES (3, 'strange')`, false},
		"words of no document":          {`INSERT INTO chunk_fts (rowid, body) VALUES (987654, 'strange')`, false},
		"chunks":                        {`DELETE FROM chunks WHERE document_id % 2 = 0`, false},
		"chunks of no document":         {`PRAGMA foreign_keys = 0; INSERT INTO chunks SELECT id + 90000, 90000, node, line_start, line_end, byte_start, byte_end, prefix_start, prefix_end, key_hash, key_seq FROM chunks WHERE id = 1`, true},
		"the rows behind the full text": {`DELETE FROM chunk_fts_data WHERE id > 10`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := library200(t, func(x *indexer.Indexer) { x.Rest(time.Hour) })
			id := l.ID("notes/7.md")
			spoil(l, c.spoil)
			if !differs(t, l.Store) {
				t.Fatal("the check finds nothing")
			}
			if _, err := l.Indexer.Repair(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			if differs(t, l.Store) || !allFound(l) || l.ID("notes/7.md") != id {
				t.Errorf("after the repair the check finds something, or not everything is found, or the id is %d, was %d", l.ID("notes/7.md"), id)
			}
			if anew := len(l.Indexer.Status().Notices) > 0; anew != c.anew {
				t.Errorf("built anew: %t", anew)
			}
			l.Matches()
		})
	}
}

func differs(t *testing.T, s *store.Store) bool {
	t.Helper()
	found := false
	err := s.Check(context.Background(), func(d store.Difference) {
		if found = true; testing.Verbose() {
			t.Log(d)
		}
	})
	if err != nil && !store.IsCorrupt(err) {
		t.Fatal(err)
	}
	return found || err != nil
}
