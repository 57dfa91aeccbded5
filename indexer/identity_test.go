package indexer

import (
	"testing"
	"time"

	"shelfd/store"
)

// A document put back a moment after it was deleted is that document, whichever others went with it.
func TestEachPassingDocumentIsTakenForItself(t *testing.T) {
	now := time.Now()
	var list []passing
	for n := range 5 {
		list = append(list, passing{path: string(rune('a' + n)), file: store.File{Document: int64(n), Inode: uint64(10 + n), Hash: [32]byte{byte(n)}}, at: now})
	}
	for n := range 5 {
		var p passing
		var ok bool
		p, list, ok = take(list, store.File{Inode: 99, Hash: [32]byte{byte(n)}}, traits{}, true)
		if !ok || p.file.Document != int64(n) {
			t.Fatalf("bytes of document %d: took %d, %t", n, p.file.Document, ok)
		}
	}
	if len(list) != 0 {
		t.Errorf("%d are left", len(list))
	}
}
