package indexer

import (
	"encoding/binary"
	"testing"
	"time"

	"shelfd/store"
)

func passingOf(n int) passing {
	p := passing{file: store.File{Document: int64(n), Inode: uint64(10 + n)}, at: time.Unix(int64(n), 0)}
	binary.LittleEndian.PutUint64(p.file.Hash[:], uint64(n))
	return p
}

// A document put back a moment after it was deleted is that document, whichever others went with it.
func TestEachPassingDocumentIsTakenForItself(t *testing.T) {
	var l passings
	for n := 1; n <= 5; n++ {
		l.add(passingOf(n))
	}
	for n := 1; n <= 5; n++ {
		p, ok := l.take(store.File{Inode: 99, Hash: passingOf(n).file.Hash}, traits{}, true)
		if !ok || p.file.Document != int64(n) {
			t.Fatalf("bytes of document %d: took %d, %t", n, p.file.Document, ok)
		}
		if _, again := l.take(p.file, traits{}, true); again {
			t.Errorf("document %d is there twice", n)
		}
	}
	l.drop(func(*passing) bool { return false })
	if len(l.list)+len(l.byID)+len(l.byHash)+len(l.byInode) != 0 {
		t.Errorf("%d are left, %d, %d, %d", len(l.list), len(l.byID), len(l.byHash), len(l.byInode))
	}
}

// A document that went twice is one document, as it was last: two files must not be taken for it.
func TestADocumentPassesAsItWasLast(t *testing.T) {
	var l passings
	first, last := passingOf(1), passingOf(2)
	last.file.Document = 1
	l.add(first)
	l.add(last)
	if p, ok := l.take(first.file, traits{}, true); ok {
		t.Errorf("as it was before: took %d", p.file.Document)
	}
	if p, ok := l.take(last.file, traits{}, true); !ok || p.file.Document != 1 {
		t.Errorf("as it was last: took %d, %t", p.file.Document, ok)
	}
	l.drop(func(*passing) bool { return false })
	if len(l.list)+len(l.byID)+len(l.byHash)+len(l.byInode) != 0 {
		t.Errorf("%d are left, %d, %d, %d", len(l.list), len(l.byID), len(l.byHash), len(l.byInode))
	}
}

func TestAPassingDocumentIsKnownByItsInodeOrByBytesThatAreItsAlone(t *testing.T) {
	titled := func(title string, n int) passing {
		p := passingOf(n)
		p.traits.title = title
		return p
	}
	for name, row := range map[string]struct {
		file   store.File
		traits traits
		unique bool
		want   int64
	}{
		"inode and title":           {store.File{Inode: 11}, traits{title: "Pump"}, true, 1},
		"inode of another":          {store.File{Inode: 11}, traits{title: "Valve"}, true, 0},
		"bytes":                     {store.File{Hash: passingOf(2).file.Hash}, traits{}, true, 2},
		"bytes of several new ones": {store.File{Hash: passingOf(2).file.Hash}, traits{}, false, 0},
		"bytes that two had":        {store.File{Hash: passingOf(3).file.Hash}, traits{}, true, 0},
		"inode among those two":     {store.File{Hash: passingOf(3).file.Hash, Inode: 13}, traits{}, false, 3},
	} {
		var l passings
		l.add(titled("Pump", 1))
		l.add(titled("Gauge", 2))
		l.add(passingOf(3))
		same := passingOf(4)
		same.file.Hash = passingOf(3).file.Hash
		l.add(same)
		if p, _ := l.take(row.file, row.traits, row.unique); p.file.Document != row.want {
			t.Errorf("%s: took %d, want %d", name, p.file.Document, row.want)
		}
	}
}

func TestTheOldestPassingDocumentsMakeRoom(t *testing.T) {
	var l passings
	for n := 1; n <= mostPassing+2; n++ {
		l.add(passingOf(n))
	}
	l.drop(func(p *passing) bool { return p.at.Before(time.Unix(5, 0)) })
	_, first := l.take(passingOf(4).file, traits{}, true)
	_, fifth := l.take(passingOf(5).file, traits{}, true)
	if first || !fifth || len(l.list) != mostPassing-2 || len(l.byHash) != mostPassing-3 {
		t.Errorf("%t, %t; %d, %d", first, fifth, len(l.list), len(l.byHash))
	}
}
