package indexer_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shelfd/indexer"
	"shelfd/internal/shelftest"
	"shelfd/store"
)

// Whatever part of the database is damaged, and whoever meets it: it is said, and built anew without a restart. Ids stay
// where they could be read.
func TestADamagedDatabaseIsMendedWhoeverMeetsIt(t *testing.T) {
	damages := map[string]func(*shelftest.Library){
		"rows of the full text": func(l *shelftest.Library) { spoil(l, `DELETE FROM chunk_fts_data WHERE id > 10`) },
		"rows of the names":     func(l *shelftest.Library) { spoil(l, `DELETE FROM document_fts_data WHERE id > 10`) },
	}
	for _, percent := range []int{15, 50, 95} {
		damages[fmt.Sprintf("pages at %d %%", percent)] = func(l *shelftest.Library) { overwrite(l, percent) }
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := library200(t, func(x *indexer.Indexer) { x.Rest(time.Hour) })
			id := l.ID("notes/7.md")
			damage(l)
			met := false
			l.Eventually("everything is found again", func() bool {
				met = met || !searches(l)
				return met && allFound(l)
			}, func() string { return fmt.Sprintf("met %t", met) })
			saidDamage(t, l)
			if now := l.ID("notes/7.md"); strings.HasPrefix(name, "rows") && now != id {
				t.Errorf("id %d, was %d", now, id)
			}
			l.Sync()
			l.Matches()
		})
	}
}

// Damage that nobody meets is found by reading the database through once after the start.
func TestDamageThatStoodThereIsFoundAtRest(t *testing.T) {
	for _, percent := range []int{20, 45, 80} {
		t.Run(fmt.Sprint(percent), func(t *testing.T) {
			t.Parallel()
			l := library200(t, func(x *indexer.Indexer) { x.Rest(time.Millisecond) })
			l.Stop()
			overwrite(l, percent)
			l.Start()
			l.Eventually("it is said", func() bool { return l.Notice != "" || len(l.Indexer.Status().Notices) > 0 }, func() string { return "" })
			l.Sync()
			if !allFound(l) {
				t.Error("not everything is found")
			}
			l.Matches()
		})
	}
}

// A sound database is not given up, and only the newest of those that were is kept.
func TestOnlyTheNewestDamagedFileIsKept(t *testing.T) {
	l := library200(t, func(x *indexer.Indexer) { x.Rest(time.Hour) })
	old := filepath.Join(l.State, "index.db.unreadable-1")
	if err := os.WriteFile(old, []byte("old text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		searches(l)
	}
	l.Sync()
	if n := l.Indexer.Status().Notices; len(n) > 0 || !l.Exists(old) && len(aside(t, l)) != 1 {
		t.Fatalf("%v, %v", n, aside(t, l))
	}
	spoil(l, `DELETE FROM chunk_fts_data WHERE id > 10`)
	l.Eventually("it is mended", func() bool { return searches(l) && allFound(l) }, func() string { return "" })
	if kept := aside(t, l); len(kept) != 1 || !strings.Contains(kept[0], ".damaged-") {
		t.Errorf("kept: %v", kept)
	}
}

// aside lists the main files that were moved out of the way.
func aside(t *testing.T, l *shelftest.Library) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(l.State, "index.db.*-*[0-9]"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func library200(t *testing.T, made func(*indexer.Indexer)) *shelftest.Library {
	t.Helper()
	l := shelftest.New(t, shelftest.Options{Made: made, Quiet: true})
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		var text strings.Builder
		fmt.Fprintf(&text, "# Paper %d\n\nprobe%d\n\n", n, n)
		for range 300 {
			fmt.Fprintf(&text, "w%d ", random.IntN(5000))
		}
		l.Write(fmt.Sprintf("notes/%d.md", n), text.String())
	}
	l.Sync()
	if _, err := l.Store.Checkpoint(context.Background()); err != nil {
		t.Fatal(err)
	}
	return l
}

// searches says whether searches by text, by names and by spans of documents all end without an error.
func searches(l *shelftest.Library) bool {
	return l.Store.View(context.Background(), func(v *store.View) error {
		for n := range 200 {
			answer, err := v.Search(store.Query{Text: fmt.Sprintf("probe%d", n), Limit: 5, Mode: store.ModeFTS})
			if err != nil {
				return err
			}
			for _, h := range answer.Hits {
				if _, err := v.Content(h.Document.ID); err != nil {
					return err
				}
			}
		}
		_, err := v.Search(store.Query{Text: "paper w17 w18", Limit: 50})
		return err
	}) == nil
}

func allFound(l *shelftest.Library) bool {
	found := 0
	err := l.Store.View(context.Background(), func(v *store.View) error {
		for n := range 200 {
			answer, err := v.Search(store.Query{Text: fmt.Sprintf("probe%d", n), Limit: 5, Mode: store.ModeFTS})
			if err != nil {
				return err
			}
			if len(answer.Hits) > 0 && answer.Hits[0].Document.Path == fmt.Sprintf("notes/%d.md", n) { // else one that is merely like it
				found++
			}
		}
		return nil
	})
	return err == nil && found == 200
}

func saidDamage(t *testing.T, l *shelftest.Library) {
	t.Helper()
	for _, n := range l.Indexer.Status().Notices {
		if strings.Contains(n.Text, "damaged") && strings.Contains(n.Text, "index.db") {
			return
		}
	}
	t.Errorf("nothing was said: %v", l.Indexer.Status().Notices)
}

// spoil changes the database as another program would.
func spoil(l *shelftest.Library, statement string) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(l.State, "index.db")+"?_pragma=busy_timeout(5000)")
	if err == nil {
		_, err = db.Exec(statement)
		db.Close()
	}
	if err != nil {
		panic(err)
	}
}

// overwrite writes rubbish over 30 pages of the file.
func overwrite(l *shelftest.Library, percent int) {
	path := filepath.Join(l.State, "index.db")
	stat, err := os.Stat(path)
	if err != nil {
		panic(err)
	}
	at := stat.Size() * int64(percent) / 100 / 4096 * 4096
	rubbish := make([]byte, min(30*4096, stat.Size()-at))
	random := rand.NewChaCha8([32]byte{byte(percent)})
	_, _ = random.Read(rubbish) // it never fails
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		_, err = f.WriteAt(rubbish, at)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		panic(err)
	}
}

// A sound database is not called damaged by readers that saw an older state of it.
func TestASoundDatabaseIsNotGivenUp(t *testing.T) {
	l := library200(t, func(x *indexer.Indexer) { x.Rest(time.Hour) })
	for round := range 8 {
		searches(l)
		for n := range 70 {
			l.Save(fmt.Sprintf("notes/%d.md", n), fmt.Sprintf("# Paper %d\n\nprobe%d round%d\n", n, n, round))
		}
		l.Sync()
		if err := errors.Join(l.Store.Inspect(context.Background(), time.Minute), l.Store.Damage()); err != nil {
			t.Fatal(err)
		}
	}
}
