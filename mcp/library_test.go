package mcp

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"shelfd/correlate"
	"shelfd/indexer"
	"shelfd/store"
	"shelfd/watcher"
)

// library is a served folder of Markdown: the real watcher, indexer and store.
type library struct {
	*served
	t     testing.TB
	root  string // of the shelf "Standard"
	state string // folder of database and ledger
	ix    *indexer.Indexer
	close func() // ends what serves and indexes; once

	viewer func(Peer) Viewer // nil: without rules
}

// newLibrary serves files (path → text) as the shelf Standard, indexed.
func newLibrary(t testing.TB, files map[string]string) *library {
	t.Helper()
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	l := &library{t: t, root: root}
	for name, text := range files {
		l.write(name, text)
	}
	l.open(filepath.Join(dir, "state"), indexer.Options{})
	return l
}

// open serves the root with database and ledger in the folder state, and waits until all of it is indexed.
func (l *library) open(state string, o indexer.Options) {
	l.t.Helper()
	l.state = state
	st, _, err := store.Open(l.t.Context(), filepath.Join(state, "index.db"), store.Options{})
	if err != nil {
		l.t.Fatal(err)
	}
	ledger, _, err := store.OpenLedger(filepath.Join(state, "ledger.jsonl"), false)
	if err != nil {
		l.t.Fatal(err)
	}
	w, err := watcher.Open(watcher.Options{Reconcile: -1})
	if err != nil {
		l.t.Fatal(err)
	}
	o.Store, o.Ledger, o.Watcher = st, ledger, w
	o.Correlate = &correlate.Params{MinConfidence: 0.3, MinSignals: 2, MaxLinks: 8}
	var announce atomic.Pointer[Server] // it is made after the indexer
	o.Changed = func(c indexer.Changed) {
		if s := announce.Load(); s != nil {
			s.Announce(c)
		}
	}
	l.ix = indexer.New(o)
	l.run(w, func() { ledger.Close(); st.Close() })
	err = l.ix.SetShelves(l.t.Context(), []indexer.Shelf{{
		ShelfSpec: store.ShelfSpec{Name: "Standard", Description: "Product manual", Root: l.root, Origin: "config"},
		Root:      watcher.Root{Shelf: "Standard", Path: l.root},
	}})
	if err != nil {
		l.t.Fatal(err)
	}
	l.served = serve(l.t, Options{Store: st, Indexer: l.ix, Viewer: l.viewer})
	announce.Store(l.Server)
	l.sync()
}

// run keeps watcher and indexer running until the test ends, then closes what they use.
func (l *library) run(w *watcher.Watcher, done func()) {
	ctx, stop := context.WithCancel(context.Background())
	batches := make(chan watcher.Batch)
	var running sync.WaitGroup
	running.Go(func() {
		if err := w.Run(ctx, batches); err != nil && ctx.Err() == nil {
			l.t.Errorf("watcher: %v", err)
		}
	})
	running.Go(func() {
		if err := l.ix.Run(ctx, batches); err != nil && ctx.Err() == nil {
			l.t.Errorf("indexer: %v", err)
		}
	})
	l.close = sync.OnceFunc(func() { stop(); running.Wait(); done() })
	l.t.Cleanup(l.close)
}

func (l *library) write(name, text string) {
	l.t.Helper()
	path := filepath.Join(l.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		l.t.Fatal(err)
	}
}

func (l *library) sync() {
	l.t.Helper()
	l.ok("sync", nil, nil)
}

// fields are arguments of a tool, or an answer's.
type fields = map[string]any

// envelope is what every tool answers.
type envelope struct {
	Success bool            `json:"success"`
	Data    json.RawMessage `json:"data"`
	Error   string          `json:"error"`
	Code    Code            `json:"code"`
	Details struct {
		Nearest  []string   `json:"nearest"`
		Rejected []rejected `json:"rejected"`
	} `json:"details"`
	Next steps `json:"next_steps"`
}

// ask calls a tool, checks that the answer keeps to the budget, and returns it.
func (l *library) ask(tool string, args fields) envelope {
	l.t.Helper()
	raw, failed := l.Call(l.t.Context(), tool, args)
	if n := units(raw); n > budget {
		l.t.Fatalf("%s %v: %d units", tool, args, n)
	}
	var e envelope
	if err := json.Unmarshal(raw, &e); err != nil {
		l.t.Fatal(err)
	}
	if e.Success == failed || e.Next.Summary == "" || e.Next.Options == nil {
		l.t.Errorf("%s %v: not an envelope: %s", tool, args, raw)
	}
	return e
}

// ok calls a tool and decodes its data; a refusal fails the test.
func (l *library) ok(tool string, args fields, data any) envelope {
	l.t.Helper()
	e := l.ask(tool, args)
	if !e.Success {
		l.t.Fatalf("%s %v: %s %s", tool, args, e.Code, e.Error)
	}
	if data != nil {
		if err := json.Unmarshal(e.Data, data); err != nil {
			l.t.Fatal(err)
		}
	}
	return e
}

// refused calls a tool that must refuse with that code.
func (l *library) refused(code Code, tool string, args fields) envelope {
	l.t.Helper()
	e := l.ask(tool, args)
	if e.Success || e.Code != code {
		l.t.Errorf("%s %v: success %v code %s, want %s", tool, args, e.Success, e.Code, code)
	}
	return e
}
