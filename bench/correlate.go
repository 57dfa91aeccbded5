package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"shelfd/correlate"
	"shelfd/store"
)

// correlateSpeed measures how long the links between documents take to be worked out: of a whole library of many
// shelves, and of one document that changed, in a library of one shelf.
func correlateSpeed(ctx context.Context, work string, arguments []string) error {
	c, err := newCorpus(ctx, work, arguments)
	if err != nil {
		return err
	}
	fmt.Printf("corpus               %d files, %.1f MB; %s\n", len(c.files), megabytes(c.bytes), load())
	roots, err := subfolders(c.root)
	if err != nil {
		return err
	}
	if err := wholeLibrary(ctx, filepath.Join(work, "many"), roots); err != nil {
		return err
	}
	fmt.Printf("one change in a shelf of %d, from what is down to the links committed, those of other documents to it included; %s\n", len(c.files), load())
	return oneChange(ctx, filepath.Join(work, "one"), c)
}

// load is how busy the machine is beside us, as far as it says so.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return "load unknown"
	}
	return fmt.Sprintf("load %s over 1 minute, %s over 5, on %d processors", fields[0], fields[1], runtime.NumCPU())
}

func subfolders(root string) ([]string, error) {
	entries, err := os.ReadDir(root)
	var roots []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), "_") {
			roots = append(roots, filepath.Join(root, e.Name()))
		}
	}
	if len(roots) == 0 {
		roots = []string{root}
	}
	return roots, err
}

// wholeLibrary tells how long after everything was read the links stood.
func wholeLibrary(ctx context.Context, state string, roots []string) error {
	l, err := openLibrary(ctx, state, roots, correlate.DefaultParams())
	if err != nil {
		return err
	}
	defer l.close()
	end := time.Now()
	var documents int64
	var took time.Duration
	for _, s := range l.heard.since() {
		documents += s.documents
		took += s.took
	}
	var links int
	err = l.store.View(ctx, func(v *store.View) error {
		_, links, err = v.Find(store.LinkQuery{Origin: store.OriginHeuristic, Limit: 1})
		return err
	})
	if err != nil {
		return err
	}
	if l.heard.read.IsZero() || documents == 0 {
		return errors.New("nothing was correlated: the folder is too small to measure")
	}
	fmt.Printf("whole library        %d shelves, %d documents correlated in %.1f s, %d links; %.1f s from the last file read to the last link, texts' own links included\n",
		len(roots), documents, took.Seconds(), links, end.Sub(l.heard.read).Seconds())
	return nil
}

// oneChange edits documents one at a time and tells how long their links took, and those of others to them.
func oneChange(ctx context.Context, state string, c corpus) error {
	l, err := openLibrary(ctx, state, []string{c.root}, correlate.DefaultParams())
	if err != nil {
		return err
	}
	defer l.close()
	l.heard.since()
	random := rand.New(rand.NewPCG(7, 8))
	for _, kind := range []struct {
		name string
		edit func(path string, i int) error
	}{
		{"a sentence added", func(path string, i int) error {
			return rewrite(path, func(s string) string { return s + fmt.Sprintf("\nOne more sentence, number %d.\n", i) })
		}},
		{"a new title", func(path string, i int) error {
			return rewrite(path, func(s string) string { return fmt.Sprintf("# Quite another title %d\n\n%s", i, s) })
		}},
		{"a new document", func(path string, i int) error {
			return rewrite(path, func(s string) string { return s }, filepath.Join(filepath.Dir(path), fmt.Sprintf("new-document-%d.md", i)))
		}},
		{"a document removed", func(path string, _ int) error { return os.Remove(path) }},
	} {
		var took []time.Duration
		for i := range min(edits, len(c.files)/2) {
			at := random.IntN(len(c.files))
			path := c.files[at]
			if err := kind.edit(path, i); err != nil {
				return err
			}
			if kind.name == "a document removed" {
				c.files = append(c.files[:at], c.files[at+1:]...)
			}
			one, err := l.settled(ctx)
			if err != nil {
				return err
			}
			took = append(took, one)
		}
		percentiles(kind.name, took)
	}
	return nil
}

func rewrite(path string, change func(string) string, to ...string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, other := range to {
		path = other
	}
	return os.WriteFile(path, []byte(change(string(content))), 0o600)
}

// settled waits until a change has been correlated and says how long that took, in all transactions together.
func (l *library) settled(ctx context.Context) (time.Duration, error) {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	begun := time.Now()
	var took time.Duration
	commits := l.indexer.Status().Commits
	for quiet := 0; ; {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-tick.C:
		}
		for _, s := range l.heard.since() {
			took += s.took
		}
		left, err := l.indexer.Uncorrelated(ctx)
		if err != nil {
			return 0, err
		}
		now := l.indexer.Status().Commits
		if quiet++; left > 0 || now != commits || took == 0 && time.Since(begun) < time.Second {
			quiet, commits = 0, now
		}
		if quiet > 20 {
			return took, nil
		}
	}
}
