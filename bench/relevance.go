package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// relevance measures how well searches find the page that an author's link text names, beside two baselines.
func relevance(ctx context.Context, work string, only []string) error {
	fmt.Println("corpus        title overlap    n  engine     MRR@10  nDCG@10  recall@10  empty")
	return eachTruth(ctx, work, only, measurement.run)
}

// eachTruth measures the corpora of which the answers are known, or only some.
func eachTruth(ctx context.Context, work string, only []string, measure func(m measurement, ctx context.Context, truth string) error) error {
	names, files, err := truths(".anchors.jsonl", only)
	if err != nil {
		return err
	}
	source, err := unpack(ctx, work)
	if err != nil {
		return err
	}
	binary, err := build(ctx, work)
	if err != nil {
		return err
	}
	for i, name := range names {
		m := measurement{name: name, source: filepath.Join(source, name), work: filepath.Join(work, name), binary: binary}
		if err := measure(m, ctx, files[i]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// measurement is one corpus with its questions.
type measurement struct {
	name, source, work, binary string
}

// masked reads the questions and makes the copy of the corpus that does not give the answers away: its root and files.
func (m measurement) masked(truth string) (questions []question, root string, files []string, err error) {
	if questions, err = readTruth(truth); err != nil {
		return nil, "", nil, err
	}
	if err := os.MkdirAll(m.work, 0o700); err != nil {
		return nil, "", nil, err
	}
	root = filepath.Join(m.work, m.name)
	files, err = maskedCopy(m.source, root, questions)
	return questions, root, files, err
}

func (m measurement) run(ctx context.Context, truth string) error {
	questions, root, files, err := m.masked(truth)
	if err != nil {
		return err
	}
	d := newDaemon(m.binary, m.work, root)
	defer d.stop()
	if _, err := d.start(ctx); err != nil {
		return err
	}
	whole, err := wholeDocuments(ctx, root, files)
	if err != nil {
		return err
	}
	chunks, err := ourChunks(ctx, d.database, m.name, files)
	if err != nil {
		return err
	}
	engines := []named{{"shelfd", served{d: d, shelf: m.name}}, {"documents", whole}, {"chunks", chunks}}
	tables, err := ask(ctx, engines, questions)
	if err != nil {
		return err
	}
	m.print(engines, tables)
	return nil
}

// named is an engine under the name that tables show.
type named struct {
	name string
	engine
}

// everything is the key of the scores over all questions.
const everything = "all"

// ask asks every engine every question and adds up by title overlap and in all.
func ask(ctx context.Context, engines []named, questions []question) (map[string][]scores, error) {
	tables := map[string][]scores{everything: make([]scores, len(engines))}
	for _, q := range questions {
		if tables[q.TitleOverlap] == nil {
			tables[q.TitleOverlap] = make([]scores, len(engines))
		}
		for i, e := range engines {
			r, err := e.rank(ctx, q.Query, depth+len(q.Sources)+len(q.Translations))
			if err != nil {
				return nil, err
			}
			tables[everything][i].add(q, r)
			tables[q.TitleOverlap][i].add(q, r)
		}
	}
	return tables, nil
}

func (m measurement) print(engines []named, tables map[string][]scores) {
	for _, overlap := range []string{everything, "exact", "partial", "none"} {
		for i, s := range tables[overlap] {
			name, part, n := "", "", ""
			if i == 0 {
				name, part, n = m.name, overlap, fmt.Sprint(s.n)
			}
			fmt.Printf("%-12s  %-13s %4s  %-10s %.3f   %.3f    %.3f      %d\n", name, part, n, engines[i].name, s.mean(s.mrr), s.mean(s.ndcg), s.mean(s.recall), s.empty)
		}
	}
	all := tables[everything]
	best := max(all[1].mrr, all[2].mrr)
	fmt.Printf("%-12s  MRR@10 %+.0f %% over the better baseline\n\n", m.name, 100*(all[0].mrr/best-1))
}
