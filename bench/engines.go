package main

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	_ "modernc.org/sqlite" // the driver of the baselines

	"shelfd/internal/client"
	"shelfd/store"
)

// engine answers queries with documents.
type engine interface {
	// rank returns at least wanted documents, if there are so many.
	rank(ctx context.Context, query string, wanted int) (ranking, error)
}

// served is shelfd over MCP: the daemon on its socket, passages collapsed to documents.
type served struct {
	d     *daemon
	shelf string
	mode  string // "" = auto
}

func (s served) rank(ctx context.Context, query string, wanted int) (ranking, error) {
	var r ranking
	seen := map[string]bool{}
	for offset := 0; ; {
		var page struct {
			Hits []struct {
				DocPath string `json:"doc_path"`
			}
			HasMore    bool `json:"has_more"`
			NextOffset int  `json:"next_offset"`
		}
		args := map[string]any{"query": query, "limit": 50, "offset": offset, "mode": cmp.Or(s.mode, "auto")}
		if err := s.d.client.Call(ctx, client.Request{Tool: "search_documents", Arguments: args}, &page); err != nil {
			return nil, fmt.Errorf("%q: %w", query, err)
		}
		for _, h := range page.Hits {
			if path := strings.TrimPrefix(h.DocPath, s.shelf+"/"); !seen[path] {
				seen[path] = true
				r = append(r, path)
			}
		}
		if len(r) >= wanted || !page.HasMore {
			return r, nil
		}
		offset = page.NextOffset
	}
}

// bm25 is plain FTS5: porter over unicode61, the words of the query joined by OR.
type bm25 struct{ db *sql.DB }

func newBM25(ctx context.Context) (*bm25, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(ctx, `CREATE VIRTUAL TABLE text USING fts5(path UNINDEXED, body, tokenize = 'porter unicode61')`)
	return &bm25{db}, err
}

func (b *bm25) add(ctx context.Context, path, body string) error {
	_, err := b.db.ExecContext(ctx, `INSERT INTO text (path, body) VALUES (?, ?)`, path, body)
	return err
}

func (b *bm25) rank(ctx context.Context, query string, wanted int) (ranking, error) {
	words := strings.FieldsFunc(query, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_'
	})
	if len(words) == 0 {
		return nil, nil
	}
	rows, err := b.db.QueryContext(ctx, `SELECT path FROM text WHERE text MATCH ? ORDER BY rank, path`, `"`+strings.Join(words, `" OR "`)+`"`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var r ranking
	seen := map[string]bool{}
	for rows.Next() && len(r) < wanted {
		var path string
		if err := rows.Scan(&path); err != nil {
			return nil, err
		}
		if !seen[path] {
			seen[path] = true
			r = append(r, path)
		}
	}
	return r, rows.Err()
}

// wholeDocuments is BM25 over the files.
func wholeDocuments(ctx context.Context, root string, files []string) (*bm25, error) {
	b, err := newBM25(ctx)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return nil, err
		}
		if err := b.add(ctx, file, string(content)); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// ourChunks is BM25 over the chunks of the daemon, their bare text.
func ourChunks(ctx context.Context, database, shelf string, files []string) (*bm25, error) {
	b, err := newBM25(ctx)
	if err != nil {
		return nil, err
	}
	s, _, err := store.Open(ctx, database, store.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	err = s.View(ctx, func(v *store.View) error {
		for _, file := range files {
			if err := b.addChunks(ctx, v, shelf, file); err != nil {
				return err
			}
		}
		return nil
	})
	return b, err
}

func (b *bm25) addChunks(ctx context.Context, v *store.View, shelf, file string) error {
	d, err := v.Document(shelf + "/" + file)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	content, err := v.Content(d.ID)
	if err != nil {
		return err
	}
	chunks, err := v.Chunks(d.ID)
	for _, c := range chunks {
		if err := b.add(ctx, file, content[c.Span.Start:c.Span.End]); err != nil {
			return err
		}
	}
	return err
}
