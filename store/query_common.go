package store

import (
	"strings"
	"sync"
)

const (
	// commonFrom is the number of chunks from which the postings of a term are kept: reading them from FTS5 costs about
	// a tenth of a millisecond a thousand.
	commonFrom = 2000
	// commonRoom is how many ids are kept of all terms together: 24 MB.
	commonRoom = 3_000_000
)

// commonPostings are the postings of terms that stand in many chunks, as searches asked for them: words like "the" would
// take longer to read than all else. They belong to one census and go over to the next with what has changed.
type commonPostings struct {
	mu   sync.Mutex
	sets map[commonTerm]postings
	age  []commonTerm // what was put first comes first
	room int          // ids in sets
}

// commonTerm is a term, anywhere in a chunk or in its headings only.
type commonTerm struct {
	term    string
	heading bool
}

func (c *commonPostings) get(t commonTerm) (postings, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	set, ok := c.sets[t]
	return set, ok
}

func (c *commonPostings) put(t commonTerm, set postings) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.sets[t]; ok {
		return
	}
	if c.sets == nil {
		c.sets = map[commonTerm]postings{}
	}
	c.sets[t] = set
	c.age = append(c.age, t)
	for c.room += len(set); c.room > commonRoom && len(c.age) > 1; c.age = c.age[1:] {
		c.room -= len(c.sets[c.age[0]])
		delete(c.sets, c.age[0])
	}
}

// after are the postings when changes have been made.
func (c *commonPostings) after(changes []change) *commonPostings {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := &commonPostings{}
	for _, t := range c.age {
		set := c.sets[t]
		for _, one := range changes {
			gained, knew := one.gains[t]
			if set = union(subtract(set, one.drops), gained); !knew { // the set was kept after that change
				set = nil
				break
			}
		}
		if set != nil {
			next.put(t, set)
		}
	}
	return next
}

// gains are, for each set that is kept, the chunks among rows that hold its term, if any.
func (c *commonPostings) gains(rows []ftsRow) map[commonTerm]postings {
	c.mu.Lock()
	defer c.mu.Unlock()
	gains := make(map[commonTerm]postings, len(c.sets))
	for t := range c.sets {
		gains[t] = nil
	}
	if len(gains) == 0 {
		return gains
	}
	note := func(t commonTerm, id int64) {
		if _, kept := c.sets[t]; !kept {
			return
		}
		if ids := gains[t]; len(ids) == 0 || ids[len(ids)-1] != id {
			gains[t] = append(ids, id)
		}
	}
	for _, row := range rows {
		for column, terms := range row.columns[:len(row.columns)-1] { // the last one is the scope
			for term := range strings.SplitSeq(terms.(string), " ") {
				note(commonTerm{term, false}, row.id)
				if column == headingAt {
					note(commonTerm{term, true}, row.id)
				}
			}
		}
	}
	for t, ids := range gains {
		gains[t] = sorted(ids)
	}
	return gains
}

// headingAt is the place of heading among the columns of chunk_fts.
const headingAt = 1
