package main

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"shelfd/indexer"
	"shelfd/internal/config"
	"shelfd/internal/embed"
	"shelfd/internal/metrics"
	"shelfd/internal/semantic"
	"shelfd/internal/text"
	"shelfd/mcp"
	"shelfd/store"
)

// providerKey names the environment variable of the provider's key: a secret has no place in a file that others back up.
const providerKey = "SHELFD_EMBEDDING_API_KEY"

const noProvider = "none"

func asking(x *semantic.Index) mcp.Near {
	return func(ctx context.Context, q mcp.VectorQuestion) (*store.Nearness, string) {
		return x.Near(ctx, semantic.Question(q))
	}
}

// failing answers every question with the reason why there are no vectors.
func failing(reason string) mcp.Near {
	return func(context.Context, mcp.VectorQuestion) (*store.Nearness, string) { return nil, reason }
}

// vectorOptions are those of a configuration. The files stand beside the database.
func vectorOptions(c config.Embedding, paths config.Paths, getenv func(string) string) semantic.Options {
	return semantic.Options{
		Vectors: paths.Database + ".vectors", Model: paths.Database + ".corpus",
		Provider: embed.Options{Provider: c.Provider, URL: c.URL, Model: c.Model, Key: getenv(providerKey)},
		Fusion: store.Nearness{
			Candidates: c.Candidates, RRFK: c.RRFK, FTSWeight: c.FTSWeight, VectorWeight: c.VectorWeight, Floor: c.Floor,
		},
	}
}

// openVectors opens the vectors, if there is a provider. A file that cannot be used costs searches by vectors and
// nothing else.
func (d *daemon) openVectors() {
	if d.config.Embedding.Provider == noProvider {
		return
	}
	o := vectorOptions(d.config.Embedding, d.paths, d.program.getenv)
	o.Store, o.Log = d.store, d.log
	o.Ready = func() bool { return d.declared.Load() && d.indexer.Progress().State == "ready" }
	var err error
	if d.vectors, err = semantic.Open(o); err != nil {
		d.log.Error("no vectors", zap.Error(err))
		d.noVectors = &embeddingLine{Provider: o.Provider.Provider, State: "failed", Reason: text.Plainly(err.Error())}
	}
}

// near asks the vectors; nil without a provider.
func (d *daemon) near() mcp.Near {
	switch {
	case d.vectors != nil:
		return asking(d.vectors)
	case d.noVectors != nil:
		return failing(d.noVectors.Reason)
	}
	return nil
}

func (d *daemon) runVectors(ctx context.Context) error {
	if d.vectors == nil {
		return nil
	}
	return d.vectors.Run(ctx)
}

// tellVectors passes on which documents a commit changed.
func (d *daemon) tellVectors(c indexer.Changed) {
	if d.vectors != nil {
		d.vectors.Changed(append(c.Come[:len(c.Come):len(c.Come)], c.Written...), len(c.Gone) > 0)
	}
}

// embeddingLine is how far the vectors have come.
type embeddingLine struct {
	Provider   string     `json:"provider"`
	Model      string     `json:"model,omitempty"`
	State      string     `json:"state"` // waiting | training | embedding | idle | paused | failed
	Reason     string     `json:"reason,omitempty"`
	RetryAt    *time.Time `json:"retry_at,omitempty"`
	Dims       int        `json:"dims"`
	Vectors    int        `json:"vectors"` // those of texts that are gone included
	Chunks     int        `json:"chunks"`
	Missing    int        `json:"missing"` // chunks without a vector
	Refused    int        `json:"refused"` // of those, chunks that get none
	Coverage   float64    `json:"coverage"`
	Queries    int        `json:"queries"`
	Unanswered int        `json:"unanswered"` // queries that were answered by full text alone
}

// embedding is the line of status; nil without a provider.
func (d *daemon) embedding() *embeddingLine {
	if d.vectors == nil {
		return d.noVectors
	}
	s := d.vectors.Status()
	l := &embeddingLine{
		Provider: s.Provider, Model: s.Model, State: string(s.State), Reason: s.Reason, Dims: s.Dims, Vectors: s.Vectors,
		Chunks: s.Chunks, Missing: s.Missing, Refused: s.Refused, Coverage: s.Coverage, Queries: s.Queries, Unanswered: s.Unanswered,
	}
	if !s.RetryAt.IsZero() {
		l.RetryAt = &s.RetryAt
	}
	return l
}

// embeddingReading is the same for metrics.
func (d *daemon) embeddingReading() *metrics.Embedding {
	l := d.embedding()
	if l == nil {
		return nil
	}
	return &metrics.Embedding{
		Coverage: l.Coverage, Vectors: l.Vectors, Missing: l.Missing, Paused: l.State == string(semantic.StatePaused) || l.State == "failed",
		Queries: l.Queries, Unanswered: l.Unanswered,
	}
}

func (l embeddingLine) String() string {
	if l.State == "failed" {
		return fmt.Sprintf("%s, failed: %s", l.Provider, l.Reason)
	}
	text := fmt.Sprintf("%s, %s, %.0f %% of the chunks have one", l.Provider, l.State, 100*l.Coverage)
	if l.Reason != "" {
		text += ": " + l.Reason
	}
	return text
}

// readVectors opens the vectors for a command that only reads, beside a daemon or without one. done lets go of them. A
// configuration that cannot be read names no provider: it is for the daemon and config check to complain.
func (p *program) readVectors() (ask mcp.Near, done func()) {
	done = func() {}
	paths, err := p.paths()
	if err != nil {
		return nil, done
	}
	c, err := p.config(paths)
	if err != nil || c.Embedding.Provider == noProvider {
		return nil, done
	}
	o := vectorOptions(c.Embedding, paths, p.getenv)
	o.ReadOnly = true
	x, err := semantic.Open(o)
	if err != nil {
		return failing(text.Plainly(err.Error())), done
	}
	return asking(x), func() { _ = x.Close() } // Nothing was written that closing could lose.
}

// askVectors lets a query ask vectors as well, as the tool does, and says on standard error why it cannot. done lets go
// of them once the query has been answered.
func (p *program) askVectors(ctx context.Context, q *store.Query) (done func()) {
	if !mcp.WantsVectors(*q) {
		return func() {}
	}
	ask, done := p.readVectors()
	if warning := mcp.AskVectors(ctx, ask, q, false); warning != "" {
		fmt.Fprintln(p.err, "shelfd:", warning)
	}
	return done
}
