// Package semantic keeps a vector for every chunk and turns queries into vectors.
//
// Invariant: whatever the provider does, indexing is not delayed, a search is delayed by the budget at most, and no
// vector is compared with that of another model. It refuses to answer searches: that is the store's.
package semantic

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"shelfd/internal/embed"
	"shelfd/internal/latent"
	"shelfd/internal/vector"
	"shelfd/store"
)

// Corpus is the provider that needs no other: vectors from the library's own text.
const Corpus = "corpus"

// Options say what an Index works with. Store, Vectors and Model are required.
type Options struct {
	Store    *store.Store
	Vectors  string        // path of the file of vectors
	Model    string        // path of the file of the corpus model
	Provider embed.Options // whose Provider may be Corpus as well
	Fusion   store.Nearness
	Ready    func() bool // whether the index holds all documents; nil = it does. Before that nothing is begun.
	Log      *zap.Logger // nil = silent
	ReadOnly bool        // only ask; Run is not called

	Budget time.Duration // for the vector of a query: 300 ms
	Pause  time.Duration // after the first failure of the provider, twice as long after each other: 1 s
}

const (
	longestPause = time.Minute
	// queryLimit is how long a query is waited for in the background once its search went on without it: a provider that
	// is slow at first (it loads its model) has the answer for the next search of the same words.
	queryLimit = 10 * time.Second
	// queriesAtOnce bounds those. When all of them hang, searches go on without waiting.
	queriesAtOnce = 4
	// queriesKept is how many vectors of queries are remembered: 400 KB of 1,536 components.
	queriesKept = 256
)

// State says what an Index is doing.
type State string

// The states.
const (
	StateWaiting   State = "waiting"   // for the index to be whole
	StateTraining  State = "training"  // the corpus model
	StateEmbedding State = "embedding" // chunks that have no vector
	StateIdle      State = "idle"      // all have one
	StatePaused    State = "paused"    // the provider or the disk failed; Reason says how
)

// Status is how an Index stands.
type Status struct {
	Provider, Model     string
	State               State
	Reason              string    // of a pause
	RetryAt             time.Time // end of a pause
	Dims, Vectors       int
	Chunks, Missing     int // Missing = without a vector
	Refused             int // of those, chunks that the provider will not take or that have no words
	Queries, Unanswered int // searches that asked for a vector since the start, and that went on without
	Coverage            float64
}

// Index is the vectors of a store. Its methods may be called from any goroutine.
type Index struct {
	o      Options
	log    *zap.Logger
	set    *vector.Set
	ctx    context.Context // of queries in the background
	cancel context.CancelFunc
	asking sync.WaitGroup
	slots  chan struct{} // one for each query in the background
	wake   chan struct{} // holds one while there is news

	mu      sync.Mutex // guards the rest
	model   model      // nil while there is none
	epoch   int        // of the set when model became the one
	status  Status
	failing string   // why the last try failed, "" when it did not
	changed []string // doc_paths, in order
	gone    bool     // some are there no longer
	kept    *recent
}

// model turns texts into vectors.
type model interface {
	name() string
	embed(ctx context.Context, texts []store.ChunkText) ([][]float32, error)
	query(ctx context.Context, words string) ([]float32, error)
}

// Open opens the vectors. Run makes those that are missing.
func Open(o Options) (*Index, error) {
	x := &Index{o: o, log: o.Log, slots: make(chan struct{}, queriesAtOnce), wake: make(chan struct{}, 1), kept: newRecent(queriesKept)}
	if x.log == nil {
		x.log = zap.NewNop()
	}
	if x.o.Budget <= 0 {
		x.o.Budget = 300 * time.Millisecond
	}
	if x.o.Pause <= 0 {
		x.o.Pause = time.Second
	}
	if x.o.Ready == nil {
		x.o.Ready = func() bool { return true }
	}
	if err := x.loadModel(); err != nil {
		return nil, err
	}
	name := ""
	if x.model != nil {
		name = x.model.name()
	}
	var err error
	if x.set, err = vector.Open(o.Vectors, name, o.ReadOnly); err != nil {
		return nil, fmt.Errorf("semantic: %w", err)
	}
	x.ctx, x.cancel = context.WithCancel(context.Background())
	x.status = Status{Provider: o.Provider.Provider, Model: name, State: StateWaiting}
	return x, nil
}

// loadModel finds the model; there is none yet where it has to be made of the library first.
func (x *Index) loadModel() error {
	if x.o.Provider.Provider != Corpus {
		client, err := embed.New(x.o.Provider)
		x.model = remote{client}
		return err
	}
	m, err := latent.Load(x.o.Model)
	if m != nil {
		x.model = newCorpus(m)
	}
	return err
}

// Close ends queries under way and lets go of the file. Run must have ended.
func (x *Index) Close() error {
	x.cancel()
	x.asking.Wait()
	return x.set.Close()
}

// Status says how the index stands.
func (x *Index) Status() Status {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.status
	s.Dims, s.Vectors = x.set.Dims(), x.set.Len()
	return s
}

// Changed tells which documents were written, by doc_path, and whether others went. It does not block.
func (x *Index) Changed(written []string, gone bool) {
	x.mu.Lock()
	x.changed = append(x.changed, written...)
	x.gone = x.gone || gone
	if len(x.changed) > surveyFrom { // looking at all is cheaper
		x.changed, x.gone = nil, true
	}
	x.mu.Unlock()
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// Question is what a search asks vectors for.
type Question struct {
	Words    string
	Insists  bool // vectors were asked for by name: that there are none (yet) is to be told
	Alone    bool // and full text is not asked
	Narrowed bool // whoever asks does not see all of the library
}

// Near is what a search needs to ask the vectors; nil, with the reason to tell, when it has to do without.
//
// A corpus model knows which words go together in documents that are hidden from some: those are not let ask it, by
// whatever mode, since even that it knows a word would tell of them.
func (x *Index) Near(ctx context.Context, q Question) (*store.Nearness, string) {
	if q.Narrowed && x.o.Provider.Provider == Corpus {
		return nil, toldIf(q.Insists, "vectors of the corpus model are not available to this connection")
	}
	x.mu.Lock()
	m, epoch, coverage := x.model, x.epoch, x.coverageLocked()
	failing := x.failing
	x.mu.Unlock()
	if failing != "" && coverage == 0 { // a provider that fails is always told, one that is at work only to who insists
		return nil, "no passage has a vector yet: " + failing
	}
	if m == nil || coverage == 0 {
		return nil, toldIf(q.Insists, "no passage has a vector yet")
	}
	if c, ok := m.(corpus); ok && !q.Alone && c.abstains(q.Words) {
		return nil, toldIf(q.Insists, "the corpus model cannot tell names with numbers apart")
	}
	v, err := x.vector(ctx, m, epoch, q.Words)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.status.Queries++
	if errors.Is(err, vector.ErrNoDirection) { // words that a model of this library has never seen
		return nil, toldIf(q.Insists, "no word of this query has a vector")
	}
	if err != nil {
		x.status.Unanswered++
		return nil, toldIf(true, err.Error())
	}
	n := x.o.Fusion
	n.Set, n.Vector, n.Coverage = x.set, v, coverage
	_, n.OwnWords = m.(corpus)
	return &n, ""
}

func toldIf(told bool, reason string) string {
	if !told {
		return ""
	}
	return reason + "; this is the full-text answer"
}

// coverageLocked is the share of chunks with a vector. Who only reads has not counted them and takes them for complete.
func (x *Index) coverageLocked() float64 {
	if x.o.ReadOnly && x.set.Len() > 0 {
		return 1
	}
	return x.status.Coverage
}

// vector is the vector of a query, within the budget.
func (x *Index) vector(ctx context.Context, m model, epoch int, words string) (vector.Vector, error) {
	key := fmt.Sprint(epoch, " ", words)
	if v, ok := x.remembered(key); ok {
		return v, nil
	}
	select {
	case x.slots <- struct{}{}:
	default:
		return vector.Vector{}, errors.New("the embedding provider still has earlier queries to answer")
	}
	type result struct {
		v   vector.Vector
		err error
	}
	done := make(chan result, 1)
	x.asking.Go(func() {
		defer func() { <-x.slots }()
		ctx, cancel := context.WithTimeout(x.ctx, queryLimit)
		defer cancel()
		v, err := queryVector(ctx, m, words)
		if v.Epoch = epoch; err == nil {
			x.remember(key, v)
		}
		done <- result{v, err}
	})
	budget := time.NewTimer(x.o.Budget)
	defer budget.Stop()
	select {
	case r := <-done:
		return r.v, r.err
	case <-budget.C:
		return vector.Vector{}, fmt.Errorf("the embedding provider did not answer within %v", x.o.Budget)
	case <-ctx.Done():
		return vector.Vector{}, ctx.Err()
	}
}

func queryVector(ctx context.Context, m model, words string) (vector.Vector, error) {
	components, err := m.query(ctx, words)
	if err != nil {
		return vector.Vector{}, err
	}
	return vector.Quantise(components)
}

func (x *Index) remembered(key string) (vector.Vector, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.kept.get(key)
}

func (x *Index) remember(key string, v vector.Vector) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.kept.put(key, v)
}
