package semantic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"shelfd/chunker"
	"shelfd/internal/embed"
	"shelfd/store"
)

// provider is an embedding server whose vectors are functions of the texts. Faults are put in front of it.
type provider struct {
	*httptest.Server
	fault atomic.Pointer[http.HandlerFunc] // nil = it answers
	dims  atomic.Int32

	mu   sync.Mutex
	seen []string // texts, in the order they were asked for
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{}
	p.dims.Store(256)
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if fault := p.fault.Load(); fault != nil {
		(*fault)(w, r)
		return
	}
	p.answer(w, r)
}

// hang reads the request, without which the end of the connection would not be seen, and waits for that.
func hang(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func (p *provider) answer(w http.ResponseWriter, r *http.Request) {
	var q struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if slices.ContainsFunc(q.Input, func(s string) bool { return strings.Contains(s, "poison") }) {
		http.Error(w, "no poison", http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	p.seen = append(p.seen, q.Input...)
	p.mu.Unlock()
	type embedding struct {
		Embedding []float32 `json:"embedding"`
	}
	var answer struct {
		Data []embedding `json:"data"`
	}
	for _, s := range q.Input {
		answer.Data = append(answer.Data, embedding{meaning(s, int(p.dims.Load()))})
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// meaning counts words by a hash of them.
func meaning(s string, dims int) []float32 {
	v := make([]float32, dims)
	v[0] = 0.5
	for word := range strings.FieldsSeq(strings.ToLower(s)) {
		at := 7
		for _, b := range []byte(word) {
			at = (at*31 + int(b)) % (dims - 1)
		}
		v[1+at]++
	}
	return v
}

func (p *provider) fails(f http.HandlerFunc) { p.fault.Store(&f) }
func (p *provider) works()                   { p.fault.Store(nil) }

func (p *provider) texts() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.seen)
}

func (p *provider) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = nil
}

// library is a store with an index of vectors over it.
type library struct {
	t     *testing.T
	dir   string
	store *store.Store
	shelf int64
	o     Options
	index *Index
	end   func() // Run and the index; once
	clock int64  // modification time of the next document
}

func newLibrary(t *testing.T, o Options) *library {
	t.Helper()
	l := &library{t: t, dir: t.TempDir()}
	s, _, err := store.Open(t.Context(), filepath.Join(l.dir, "index.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	l.store = s
	l.update(func(tx *store.Tx) (err error) {
		l.shelf, err = tx.PutShelf(store.ShelfSpec{Name: "S", Root: "/s", Origin: "config"})
		return err
	})
	o.Store, o.Vectors, o.Model = s, filepath.Join(l.dir, "index.db.vectors"), filepath.Join(l.dir, "index.db.model")
	o.Pause = time.Millisecond
	o.Provider.Backoff, o.Provider.Interval, o.Provider.Attempts = time.Millisecond, -1, 1
	o.Fusion = store.Nearness{Candidates: 200, RRFK: 60, FTSWeight: 1, VectorWeight: 1, Floor: 3}
	l.o = o
	return l
}

func remoteLibrary(t *testing.T) (*library, *provider) {
	p := newProvider(t)
	return newLibrary(t, Options{Provider: embed.Options{URL: p.URL, Model: "m"}}), p
}

func (l *library) update(f func(*store.Tx) error) {
	l.t.Helper()
	if err := l.store.Update(context.Background(), f); err != nil {
		l.t.Fatal(err)
	}
}

// put writes a document, and tells the index when it runs.
func (l *library) put(name, text string) {
	l.t.Helper()
	l.clock++
	l.update(func(tx *store.Tx) error {
		id := int64(0)
		if d, err := tx.Document("S/" + name); err == nil {
			id = d.ID
		}
		d := chunker.Parse(name, []byte(text), chunker.Options{})
		_, err := tx.PutDocument(l.shelf, id, store.Prepare("S", "S/"+name, d, []byte{}), store.File{File: name, ModTime: l.clock})
		return err
	})
	if l.index != nil {
		l.index.Changed([]string{"S/" + name}, false)
	}
}

func (l *library) remove(name string) {
	l.t.Helper()
	l.update(func(tx *store.Tx) error {
		d, err := tx.Document("S/" + name)
		if err != nil {
			return err
		}
		return tx.DeleteDocument(d.ID)
	})
	l.index.Changed(nil, true)
}

// run opens the index and runs it.
func (l *library) run() {
	l.t.Helper()
	index, err := Open(l.o)
	if err != nil {
		l.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- index.Run(ctx) }()
	l.index = index
	l.end = sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(<-ended, index.Close()); err != nil {
			l.t.Error(err)
		}
	})
	l.t.Cleanup(l.end)
}

// await waits until the status is as wanted.
func (l *library) await(what string, wanted func(Status) bool) Status {
	l.t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		s := l.index.Status()
		if wanted(s) {
			return s
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			l.t.Fatalf("not %s: %+v", what, s)
		}
	}
}

func (l *library) whole() Status {
	l.t.Helper()
	return l.await("whole", func(s Status) bool { return s.Coverage == 1 && s.State == StateIdle })
}

func (l *library) hits(query string) []string {
	l.t.Helper()
	n, warning := l.index.Near(l.t.Context(), Question{Words: query, Insists: true})
	if n == nil {
		l.t.Fatalf("%q: %s", query, warning)
	}
	var paths []string
	err := l.store.View(l.t.Context(), func(v *store.View) error {
		a, err := v.Search(store.Query{Text: query, Limit: 5, Mode: store.ModeHybrid, Near: n})
		for _, h := range a.Hits {
			paths = append(paths, h.Document.Path)
		}
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return paths
}

func TestEveryChunkGetsAVectorTheNewestFirst(t *testing.T) {
	l, p := remoteLibrary(t)
	for i := range 40 {
		l.put(fmt.Sprintf("d%02d.md", i), fmt.Sprintf("# Title %d\n\nText of number %d.\n\n## Part\n\nMore of %d.\n", i, i, i))
	}
	l.run()
	s := l.whole()
	if s.Chunks != 80 || s.Vectors != 80 || s.Dims != 256 {
		t.Errorf("%+v", s)
	}
	if texts := p.texts(); !strings.Contains(texts[0], "Title 39") || !strings.Contains(texts[79], "Title 0") {
		t.Errorf("first %q, last %q", texts[0], texts[len(texts)-1])
	}
	if hits := l.hits("Text of number 17."); hits[0] != "S/d17.md" {
		t.Error(hits)
	}
}

func TestAnUnchangedChunkIsNeverEmbeddedAgain(t *testing.T) {
	l, p := remoteLibrary(t)
	l.put("a.md", "# A\n\nFirst text.\n\n## B\n\nSecond text.\n")
	l.run()
	l.whole()
	p.forget()
	l.put("a.md", "# A\n\nFirst text.\n\n## B\n\nSecond text, edited.\n") // an edit of one section
	l.await("edited", func(s Status) bool { return s.Vectors == 3 && s.State == StateIdle })
	if texts := p.texts(); len(texts) != 1 || !strings.Contains(texts[0], "edited") {
		t.Errorf("asked for %q", texts)
	}
	p.forget()
	l.remove("a.md")
	l.put("moved/b.md", "# A\n\nFirst text.\n\n## B\n\nSecond text, edited.\n") // a rename
	l.whole()
	l.end()
	l.store.Close()
	again := newLibrary(t, l.o) // another database: a rebuild
	again.o.Vectors = l.o.Vectors
	again.put("a.md", "# A\n\nFirst text.\n\n## B\n\nSecond text.\n")
	again.run()
	again.whole()
	if texts := p.texts(); len(texts) != 0 {
		t.Errorf("asked again for %q", texts)
	}
}

func TestWhatWasMadeBeforeTheEndIsKept(t *testing.T) {
	l, p := remoteLibrary(t)
	for i := range 100 {
		l.put(fmt.Sprintf("d%d.md", i), fmt.Sprintf("Text number %d.\n", i))
	}
	second := make(chan struct{})
	var asked atomic.Int32
	p.fails(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			p.answer(w, r)
			return
		}
		close(second)
		hang(r)
	})
	l.run()
	<-second
	l.end()
	made := len(p.texts())
	p.works()
	l.run()
	l.whole()
	texts := p.texts()
	if made == 0 || made == 100 || len(texts) != 100 {
		t.Errorf("%d before the end, %d in all", made, len(texts))
	}
	slices.Sort(texts)
	if unique := slices.Compact(texts); len(unique) != 100 {
		t.Errorf("%d different texts were asked for", len(unique))
	}
}

func TestAProviderThatIsDownIsWaitedFor(t *testing.T) {
	for name, fault := range map[string]http.HandlerFunc{
		"500":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"429":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) },
		"401":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"garbage": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"fewer":   func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[]}`) },
	} {
		t.Run(name, func(t *testing.T) {
			l, p := remoteLibrary(t)
			p.fails(fault)
			l.put("a.md", "Some text.\n")
			l.run()
			s := l.await("paused", func(s Status) bool { return s.State == StatePaused })
			if s.Reason == "" || s.RetryAt.IsZero() || s.Coverage != 0 {
				t.Errorf("%+v", s)
			}
			for _, insists := range []bool{true, false} {
				if n, warning := l.index.Near(t.Context(), Question{Words: "some", Insists: insists}); n != nil || !strings.Contains(warning, "no passage has a vector yet") {
					t.Errorf("insists %v: %v, %q", insists, n, warning)
				}
			}
			l.put("b.md", "Written meanwhile.\n")
			p.works()
			s = l.await("whole", func(s Status) bool { return s.Chunks == 2 && s.Coverage == 1 && s.State == StateIdle })
			if s.Reason != "" {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestAChunkThatTheProviderRefusesHoldsUpNoOther(t *testing.T) {
	l, _ := remoteLibrary(t)
	for i := range 50 {
		l.put(fmt.Sprintf("d%d.md", i), fmt.Sprintf("Text number %d.\n", i))
	}
	l.put("bad.md", "This is poison.\n")
	l.run()
	s := l.await("done", func(s Status) bool { return s.State == StateIdle && s.Vectors == 50 })
	if s.Refused != 1 || s.Missing != 1 || s.Chunks != 51 {
		t.Errorf("%+v", s)
	}
	l.put("bad.md", "This is harmless.\n")
	l.whole()
}

func TestAnotherNumberOfComponentsStartsOver(t *testing.T) {
	l, p := remoteLibrary(t)
	l.put("a.md", "First text.\n")
	l.run()
	l.whole()
	p.dims.Store(48)
	if n, _ := l.index.Near(t.Context(), Question{Words: "text", Insists: true}); n == nil || len(n.Vector.Steps) != 48 {
		t.Fatal("the query is of the old model")
	}
	l.put("b.md", "Second text.\n")
	s := l.await("all anew", func(s Status) bool { return s.Coverage == 1 && s.Dims == 48 })
	if s.Vectors != 2 {
		t.Errorf("%+v", s)
	}
	if hits := l.hits("Second text."); hits[0] != "S/b.md" {
		t.Error(hits)
	}
}

func TestAnotherModelStartsOver(t *testing.T) {
	l, p := remoteLibrary(t)
	l.put("a.md", "First text.\n")
	l.run()
	l.whole()
	l.end()
	p.forget()
	l.o.Provider.Model = "other"
	l.run()
	l.whole()
	if len(p.texts()) != 1 {
		t.Errorf("asked for %q", p.texts())
	}
}

func TestAQueryWaitsForTheBudgetOnlyAndIsRememberedLater(t *testing.T) {
	l, p := remoteLibrary(t)
	l.o.Budget = 30 * time.Millisecond
	l.put("a.md", "First text.\n")
	l.run()
	l.whole()
	slow := make(chan struct{})
	p.fails(func(w http.ResponseWriter, r *http.Request) {
		<-slow
		p.answer(w, r)
	})
	start := time.Now()
	n, warning := l.index.Near(t.Context(), Question{Words: "first", Insists: true})
	if n != nil || !strings.Contains(warning, "within 30ms") {
		t.Errorf("%v, %q", n, warning)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it waited %v", took)
	}
	for range queriesAtOnce { // as many as there may be hang; the rest does not wait at all
		n, warning = l.index.Near(t.Context(), Question{Words: "first", Insists: true})
	}
	if n != nil || !strings.Contains(warning, "earlier queries") {
		t.Errorf("%v, %q", n, warning)
	}
	close(slow)
	l.await("remembered", func(Status) bool {
		n, _ := l.index.Near(t.Context(), Question{Words: "first", Insists: true})
		return n != nil
	})
	asked := len(p.texts())
	if n, _ := l.index.Near(t.Context(), Question{Words: "first", Insists: true}); n == nil || len(p.texts()) != asked {
		t.Error("a remembered query was asked for again")
	}
	s := l.index.Status()
	if s.Unanswered < 1+queriesAtOnce || s.Queries <= s.Unanswered {
		t.Errorf("%+v", s)
	}
}

func TestAHangingProviderHoldsUpNeitherEndNorSearch(t *testing.T) {
	l, p := remoteLibrary(t)
	p.fails(func(_ http.ResponseWriter, r *http.Request) { hang(r) })
	l.put("a.md", "First text.\n")
	l.run()
	l.await("begun", func(s Status) bool { return s.Chunks == 1 || s.State == StateWaiting })
	start := time.Now()
	l.index.Near(t.Context(), Question{Words: "text", Insists: true})
	l.end()
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestNothingIsBegunBeforeTheIndexIsWhole(t *testing.T) {
	l, p := remoteLibrary(t)
	var ready atomic.Bool
	var asked atomic.Int32
	l.o.Ready = func() bool { asked.Add(1); return ready.Load() }
	l.put("a.md", "First text.\n")
	l.run()
	l.await("asked thrice", func(s Status) bool { return asked.Load() > 2 && s.State == StateWaiting })
	if len(p.texts()) != 0 {
		t.Error("it has begun")
	}
	ready.Store(true)
	l.whole()
}

func TestVectorsOfWhatIsGoneAreKeptWithinBounds(t *testing.T) {
	l, p := remoteLibrary(t)
	l.put("a.md", "First text.\n")
	l.put("b.md", "Second text.\n")
	l.run()
	l.whole()
	l.remove("b.md")
	l.await("counted", func(s Status) bool { return s.Chunks == 1 })
	p.forget()
	l.put("b.md", "Second text.\n")
	l.await("whole", func(s Status) bool { return s.Chunks == 2 && s.Coverage == 1 })
	if len(p.texts()) != 0 {
		t.Error("what came back was embedded again")
	}
}

func TestWhoOnlyReadsAsksTheSameVectors(t *testing.T) {
	l, _ := remoteLibrary(t)
	l.put("a.md", "First text.\n")
	l.put("b.md", "Second one.\n")
	l.run()
	l.whole()
	beside := l.o
	beside.ReadOnly = true
	index, err := Open(beside)
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	if n, warning := index.Near(t.Context(), Question{Words: "second", Insists: true}); n == nil || n.Set.Len() != 2 {
		t.Errorf("%v, %s", n, warning)
	}
}
