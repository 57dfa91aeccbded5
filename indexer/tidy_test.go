package indexer_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shelfd/indexer"
	"shelfd/internal/shelftest"
	"shelfd/store"
)

// What was removed leaves the file as well: neither its words nor its size stay, once nothing else is to be done.
func TestARemovedShelfLeavesTheFileToo(t *testing.T) {
	if raced {
		t.Skip("rewrites the whole index, which takes minutes under the race detector")
	}
	l := shelftest.New(t, shelftest.Options{
		Made:    func(x *indexer.Indexer) { x.Rest(time.Millisecond) },
		Shelves: []indexer.Shelf{{ShelfSpec: store.ShelfSpec{Name: "notes"}}, {ShelfSpec: store.ShelfSpec{Name: "wrong"}}},
	})
	fillShelf(l, 50)
	l.Sync()
	size := func() int64 {
		stat, err := os.Stat(filepath.Join(l.State, "index.db"))
		if err != nil {
			t.Fatal(err)
		}
		return stat.Size()
	}
	for n := range 400 {
		var text strings.Builder
		fmt.Fprintf(&text, "# Xylographic %d\n\nzanzibarite%d [link](%d.md)\n\n", n, n, (n+1)%400)
		for w := range 400 {
			fmt.Fprintf(&text, "qworld%d ", n*w%7919)
		}
		l.Write(fmt.Sprintf("wrong/%d.md", n), text.String())
	}
	l.Sync()
	// Paths stay, with their ids: a document that comes back is the same.
	secrets := []string{"zanzibarite7", "ylographic", "anzibarit", "qworld"}
	if left := inFile(t, l, secrets); len(left) != len(secrets) {
		t.Fatalf("before: only %v are in the file", left)
	}
	l.Declare(l.Shelves()[0])
	l.Eventually("nothing is left of it", func() bool { return len(inFile(t, l, secrets)) == 0 }, func() string { return fmt.Sprint(inFile(t, l, secrets)) })
	if now := size(); now > 1<<20 {
		t.Errorf("the file has %d bytes", now)
	}
	if l.Finds("valve") != 50 {
		t.Error("the other shelf is not whole")
	}
}

// inFile lists the words that stand anywhere in the database or its log, case aside.
func inFile(t *testing.T, l *shelftest.Library, words []string) (left []string) {
	t.Helper()
	var all []byte
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(filepath.Join(l.State, "index.db"+suffix))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		all = append(all, bytes.ToLower(b)...)
	}
	for _, w := range words {
		if bytes.Contains(all, []byte(w)) {
			left = append(left, w)
		}
	}
	return left
}
