package store

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

const (
	// commonFrom is the number of rows from which the postings of a term are kept: reading them from FTS5 costs about a
	// tenth of a millisecond a thousand.
	commonFrom = 1000
	// commonRoom is how many bytes all kept postings take.
	commonRoom = 24 << 20
	// openMost is how many prefixes are kept: every word that is written is held against each.
	openMost = 32
	// changesMost is how many changes are kept until every set takes them in. A set that is asked for does so before.
	changesMost = 32
)

// stance is where a common term stands.
type stance uint8

const (
	anywhere  stance = iota // in a chunk
	inHeading               // in the headings of a chunk
	named                   // among the names of a document
	called                  // in the title or an alias of a document, or in what links call it
)

// commonTerm is a term in its place, or all terms that it begins.
type commonTerm struct {
	term  string
	where stance
	open  bool
}

// commonPostings are the postings of terms that stand in many rows, as searches asked for them: words like "the" would
// take longer to read than all else. They belong to one census and go over to the next with what has changed.
type commonPostings struct {
	mu      sync.Mutex
	sets    map[commonTerm]keptPostings
	changes []change     // since the oldest of the sets
	age     []commonTerm // what was put first comes first
	room    int          // bytes of sets
	open    int          // how many of them are of prefixes
}

// keptPostings hold when so many of the changes have been made.
type keptPostings struct {
	packed
	changes int
}

func (c *commonPostings) get(t commonTerm) (postings, bool) {
	c.mu.Lock()
	set, ok := c.current(t)
	c.mu.Unlock()
	return set.postings(), ok
}

// current is a set with all changes made; false when none is kept, or only from after a change that it would need.
func (c *commonPostings) current(t commonTerm) (packed, bool) {
	set, ok := c.sets[t]
	if !ok {
		return packed{}, false
	}
	now, ours := set.packed, false
	for _, one := range c.changes[set.changes:] {
		come, knew := one.gains[t]
		if !knew {
			c.forget(t)
			return packed{}, false
		}
		gone := one.drops
		if t.where >= named {
			gone = one.nameDrops
		}
		if !now.concerned(gone, come) {
			continue
		}
		if !ours { // until now searches may be reading it
			now.bits, ours = slices.Clone(now.bits), true
		}
		now.change(gone, come)
	}
	c.room += now.size() - set.size()
	c.sets[t] = keptPostings{now, len(c.changes)}
	return now, true
}

func (c *commonPostings) put(t commonTerm, set postings) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.sets[t]; ok || t.open && c.open >= openMost {
		return
	}
	if c.sets == nil {
		c.sets = map[commonTerm]keptPostings{}
	}
	if t.open {
		c.open++
	}
	p := pack(set)
	c.sets[t] = keptPostings{p, len(c.changes)}
	c.age = append(c.age, t)
	for c.room += p.size(); c.room > commonRoom && len(c.age) > 1; {
		c.forget(c.age[0])
	}
}

func (c *commonPostings) forget(t commonTerm) {
	if t.open {
		c.open--
	}
	c.room -= c.sets[t].size()
	delete(c.sets, t)
	c.age = slices.DeleteFunc(c.age, func(other commonTerm) bool { return other == t })
}

// full says whether more would push out what is kept.
func (c *commonPostings) full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.room > commonRoom*3/4
}

// after are the postings when changes have been made.
func (c *commonPostings) after(changes []change) *commonPostings {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := &commonPostings{sets: maps.Clone(c.sets), changes: slices.Clone(c.changes), age: slices.Clone(c.age), room: c.room, open: c.open}
	for _, one := range changes {
		next.changes = append(next.changes, change{drops: one.drops, nameDrops: one.nameDrops, gains: one.gains})
	}
	if len(next.changes) > changesMost {
		next.takeIn()
	}
	return next
}

// takeIn has every set make all changes, so that none need be kept.
func (c *commonPostings) takeIn() {
	for _, t := range slices.Clone(c.age) {
		if set, ok := c.current(t); ok {
			c.sets[t] = keptPostings{packed: set}
		}
	}
	c.changes = nil
}

// gains are, for each set that is kept, the rows of chunks and of documents that hold its term, if any.
func (c *commonPostings) gains(written [2][]ftsRow) map[commonTerm]postings {
	c.mu.Lock()
	defer c.mu.Unlock()
	gains := make(map[commonTerm]postings, len(c.sets))
	g := gaining{gains: gains}
	for t := range c.sets {
		gains[t] = nil
		if t.open {
			g.open = append(g.open, t)
		}
	}
	if len(gains) == 0 {
		return gains
	}
	for _, row := range written[0] {
		g.row(row, anywhere, inHeading, func(column int) bool { return column == headingAt })
	}
	for _, row := range written[1] {
		g.row(row, named, called, func(column int) bool { return column == titleAt || column == aliasAt || column == linkAt })
	}
	for t, ids := range gains {
		gains[t] = sorted(ids)
	}
	return gains
}

// The places of some columns in chunk_fts and in document_fts.
const (
	headingAt = 1
	titleAt   = 0
	aliasAt   = 1
	linkAt    = 4
)

// gaining adds rows to the terms that they hold.
type gaining struct {
	gains map[commonTerm]postings
	open  []commonTerm
}

// row takes in a row. Its terms stand in one place, those of some columns in a narrower one as well.
func (g *gaining) row(row ftsRow, wide, narrow stance, isNarrow func(column int) bool) {
	for column, terms := range row.columns[:len(row.columns)-1] { // the last one is the scope
		for term := range strings.SplitSeq(terms.(string), " ") {
			g.term(row.id, term, wide)
			if isNarrow(column) {
				g.term(row.id, term, narrow)
			}
		}
	}
}

func (g *gaining) term(id int64, term string, where stance) {
	g.note(commonTerm{term, where, false}, id)
	for _, t := range g.open {
		if t.where == where && strings.HasPrefix(term, t.term) {
			g.note(t, id)
		}
	}
}

func (g *gaining) note(t commonTerm, id int64) {
	ids, kept := g.gains[t]
	if kept && (len(ids) == 0 || ids[len(ids)-1] != id) {
		g.gains[t] = append(ids, id)
	}
}
