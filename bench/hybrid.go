package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// vectorWeights are those that are tried beside full text of weight 1.
func vectorWeights() []float64 { return []float64{1, 0.25, 0.1, 0.05} }

// hybrid measures what vectors of the corpus model add to full text.
func hybrid(ctx context.Context, work string, only []string) error {
	fmt.Println("corpus        title overlap    n  engine       MRR@10  nDCG@10  recall@10  empty")
	return eachTruth(ctx, work, only, measurement.runHybrid)
}

func (m measurement) runHybrid(ctx context.Context, truth string) error {
	questions, root, _, err := m.masked(truth)
	if err != nil {
		return err
	}
	names := []string{"fts", "vector"}
	tables := map[string][]scores{}
	var notes string
	for i, weight := range vectorWeights() {
		d := newDaemon(m.binary, m.work, root)
		d.config = filepath.Join(m.work, "config.yaml")
		config := fmt.Sprintf("embedding: {provider: corpus, vector_weight: %g}\n", weight)
		if err := os.WriteFile(d.config, []byte(config), 0o600); err != nil {
			return err
		}
		engines := []named{{fmt.Sprintf("hybrid %g", weight), served{d, m.name, "hybrid"}}}
		if i == 0 {
			engines = append([]named{{"fts", served{d, m.name, "fts"}}, {"vector", served{d, m.name, "vector"}}}, engines...)
		}
		names = append(names, engines[len(engines)-1].name)
		note, err := m.askHybrid(ctx, d, engines, questions, tables)
		if err != nil {
			return err
		}
		if i == 0 {
			notes = note
		}
	}
	m.printHybrid(names, tables, notes)
	return nil
}

// askHybrid asks a daemon whose vectors are complete, and adds its scores to the tables.
func (m measurement) askHybrid(ctx context.Context, d *daemon, engines []named, questions []question, tables map[string][]scores) (note string, err error) {
	defer d.stop()
	if _, err := d.start(ctx); err != nil {
		return "", err
	}
	n, waited, err := d.vectorsReady(ctx)
	if err != nil {
		return "", err
	}
	note = fmt.Sprintf("%d vectors in %.1f s, peak RSS %s", n, waited.Seconds(), d.peak())
	for _, e := range engines { // one after the other, for the times
		asked := time.Now()
		one, err := ask(ctx, []named{e}, questions)
		if err != nil {
			return "", err
		}
		note += fmt.Sprintf(", %s %.1f ms a question", e.name, time.Since(asked).Seconds()*1e3/float64(len(questions)))
		for overlap, s := range one {
			tables[overlap] = append(tables[overlap], s...)
		}
	}
	return note, nil
}

// vectorsWithin is how long vectors are waited for: a library of less than about two hundred passages gets none.
const vectorsWithin = 10 * time.Minute

// vectorsReady waits until every chunk has one that gets one, and says how many there are and how long it waited.
func (d *daemon) vectorsReady(ctx context.Context) (n int, waited time.Duration, err error) {
	begun := time.Now()
	ctx, stop := context.WithTimeoutCause(ctx, vectorsWithin, errors.New("no vectors in time; the library may be too small for a model"))
	defer stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		var status struct {
			Embedding struct {
				State    string
				Vectors  int
				Coverage float64
			}
		}
		if err := d.client.Ask(ctx, "shelfd/status", &status); err != nil {
			return 0, 0, err
		}
		if e := status.Embedding; e.State == "idle" && e.Coverage > 0 {
			return e.Vectors, time.Since(begun), nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return 0, 0, context.Cause(ctx)
		}
	}
}

func (m measurement) printHybrid(names []string, tables map[string][]scores, note string) {
	for _, overlap := range []string{everything, "exact", "partial", "none"} {
		for i, s := range tables[overlap] {
			name, part, n := "", "", ""
			if i == 0 {
				name, part, n = m.name, overlap, fmt.Sprint(s.n)
			}
			fmt.Printf("%-12s  %-13s %4s  %-12s %.3f   %.3f    %.3f      %d\n", name, part, n, names[i], s.mean(s.mrr), s.mean(s.ndcg), s.mean(s.recall), s.empty)
		}
	}
	fmt.Printf("%-12s  %s\n\n", m.name, note)
}
