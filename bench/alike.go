package main

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"
)

// likeTerms is how many terms of a document are looked for in others: what search servers take by default.
const likeTerms = 25

// moreLikeThis is the usual way to find documents alike: the terms of one that are frequent in it and rare in others,
// joined by OR, ranked by BM25.
func moreLikeThis(ctx context.Context, root string, files []string, a authors) (map[string]ranking, error) {
	b, err := wholeDocuments(ctx, root, files)
	if err != nil {
		return nil, err
	}
	defer b.db.Close()
	terms, err := b.tellingTerms(ctx)
	if err != nil {
		return nil, err
	}
	all := map[string]ranking{}
	for i, file := range files {
		if a.targets[file] == nil || len(terms[i+1]) == 0 {
			continue
		}
		rows, err := b.db.QueryContext(ctx, `SELECT path FROM text WHERE text MATCH ? ORDER BY rank, path LIMIT ?`, `"`+strings.Join(terms[i+1], `" OR "`)+`"`, cutoffs[2]+1)
		if err != nil {
			return nil, err
		}
		for rows.Next() {
			var path string
			if err := rows.Scan(&path); err != nil {
				return nil, err
			}
			if path != file {
				all[file] = append(all[file], path)
			}
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// tellingTerms are the best terms of each document, by rowid.
func (b *bm25) tellingTerms(ctx context.Context) (map[int][]string, error) {
	if _, err := b.db.ExecContext(ctx, `CREATE VIRTUAL TABLE counts USING fts5vocab(text, row); CREATE VIRTUAL TABLE places USING fts5vocab(text, instance)`); err != nil {
		return nil, err
	}
	var documents int
	if err := b.db.QueryRowContext(ctx, `SELECT count(*) FROM text`).Scan(&documents); err != nil {
		return nil, err
	}
	frequency := map[string]int{}
	err := each(ctx, b.db, `SELECT term, doc FROM counts`, func(term string, n int) { frequency[term] = n })
	if err != nil {
		return nil, err
	}
	within := map[int]map[string]int{}
	err = each(ctx, b.db, `SELECT term, doc FROM places WHERE col = 'body'`, func(term string, doc int) {
		if within[doc] == nil {
			within[doc] = map[string]int{}
		}
		within[doc][term]++
	})
	best := map[int][]string{}
	for doc, terms := range within {
		best[doc] = topTerms(terms, frequency, documents)
	}
	return best, err
}

func topTerms(terms, frequency map[string]int, documents int) []string {
	worth := func(term string) float64 {
		return float64(terms[term]) * math.Log(float64(documents+1)/float64(frequency[term]+1))
	}
	list := make([]string, 0, len(terms))
	for term := range terms {
		list = append(list, term)
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(worth(b), worth(a)), cmp.Compare(a, b)) })
	return list[:min(len(list), likeTerms)]
}

func each(ctx context.Context, db *sql.DB, query string, f func(string, int)) error {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		var n int
		if err := rows.Scan(&s, &n); err != nil {
			return err
		}
		f(s, n)
	}
	return rows.Err()
}
