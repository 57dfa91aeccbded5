package store

import (
	"cmp"
	"database/sql"
	"slices"
	"strings"
	"sync"

	"shelfd/internal/text"
)

// catalogue is what filters and lists want to know of every document. Reading it costs about a microsecond a document, so
// it is kept until something is written.
type catalogue struct {
	commits int64        // of the picture it was read from, at least
	rows    []catalogued // by doc_path
	at      map[int64]int

	mu    sync.Mutex
	front map[string][]frontValue // by key of the front matter, once asked for
}

// catalogued is one document.
type catalogued struct {
	id     int64
	folded string // doc_path without case
	path   string
	date   int64
	day    bool // the date names a day and no moment
}

// frontValue is a scalar below a key of a document's front matter.
type frontValue struct {
	document int64
	value    string
}

// maxFront is how many keys are remembered.
const maxFront = 64

// catalogue is that of this picture, or of one as old that others read.
func (v *View) catalogue() (*catalogue, error) {
	shared := v.sight == nil && !v.writer && !v.s.readOnly // else nobody counts the commits that it sees
	if last := v.s.catalogue.Load(); shared && last != nil && last.commits == v.commits {
		return last, nil
	}
	c := &catalogue{commits: v.commits, at: map[int64]int{}}
	err := v.each(`SELECT id, file_path, date, dated = 1 AND date % 86400000000000 = 0 FROM documents`, nil, func(rows *sql.Rows) error {
		var x catalogued
		err := rows.Scan(&x.id, &x.path, &x.date, &x.day)
		x.folded = text.Fold(x.path)
		c.rows = append(c.rows, x)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(c.rows, func(a, b catalogued) int { return strings.Compare(a.path, b.path) })
	for i, x := range c.rows {
		c.at[x.id] = i
	}
	if shared {
		v.s.catalogue.Store(c)
	}
	return c, nil
}

// where are the documents that fit.
func (c *catalogue) where(fits func(catalogued) bool) postings {
	var documents postings
	for _, x := range c.rows {
		if fits(x) {
			documents = append(documents, x.id)
		}
	}
	return sorted(documents)
}

// before orders documents by doc_path. Those that are not in the catalogue come last.
func (c *catalogue) before(a, b int64) int {
	i, known := c.at[a]
	j, other := c.at[b]
	switch {
	case known && other:
		return i - j
	case known:
		return -1
	case other:
		return 1
	}
	return cmp.Compare(a, b)
}

// values lists the scalars that stand below a key of the front matter, whatever its case.
func (c *catalogue) values(v *View, key string) ([]frontValue, error) {
	key = strings.ToLower(key)
	c.mu.Lock()
	values, ok := c.front[key]
	c.mu.Unlock()
	if ok {
		return values, nil
	}
	err := v.each(`SELECT d.id, CASE WHEN e.type IN ('true', 'false') THEN e.type ELSE e.atom END FROM documents d, json_each(d.frontmatter) k, json_tree(d.frontmatter, k.fullkey) e
		WHERE d.frontmatter <> '{}' AND lower(k.key) = ? AND e.atom IS NOT NULL`, []any{key}, func(rows *sql.Rows) error {
		var f frontValue
		err := rows.Scan(&f.document, &f.value)
		values = append(values, f)
		return err
	})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.front == nil || len(c.front) >= maxFront {
		c.front = map[string][]frontValue{}
	}
	c.front[key] = values
	return values, nil
}
