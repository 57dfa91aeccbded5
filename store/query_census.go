package store

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"
	"sync"

	"shelfd/internal/text"
)

// census is what searches want to know of the index as a whole. It is never changed.
//
// The stamp is the structure records of chunk_fts and document_fts, which FTS5 writes anew with every change of the index:
// equal stamps mean the same chunks with the same text and the same names, so a census is never older than the picture it
// is used with.
type census struct {
	stamp     string
	documents extents  // by id; those without chunks may be missing
	places    extents  // by first chunk
	firsts    postings // the first chunks of all documents
	chunks    int      // how many there are
	speakers  [256]int // documents with chunks by language
	languages []uint8  // those that any document has, by their place in text.Stemmed() from 1
	usual     uint8    // what documents whose language nobody can tell are taken to speak: what most others do, else English
	common    *commonPostings
	seen      postings // all chunks, of a View with a Sight; nil without

	mu     sync.Mutex
	scopes map[string]extents // the documents of scopes that were asked for
}

// maxScopes is how many scopes are remembered.
const maxScopes = 64

// scope are the documents of a scope.
func (c *census) scope(v *View, scope string) (extents, error) {
	c.mu.Lock()
	known, ok := c.scopes[scope]
	c.mu.Unlock()
	if ok {
		return known, nil
	}
	documents, err := v.documentPostings(scope)
	if err != nil {
		return nil, err
	}
	found := c.of(documents)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.scopes == nil || len(c.scopes) >= maxScopes {
		c.scopes = map[string]extents{}
	}
	c.scopes[scope] = found
	return found, nil
}

// structureRecord is the id of the structure record in the table behind an FTS5 index (FTS5_STRUCTURE_ROWID).
const structureRecord = 10

const stampQuery = `SELECT (SELECT hex(block) FROM chunk_fts_data WHERE id = ?1) || (SELECT hex(block) FROM document_fts_data WHERE id = ?1)`

// censuses keeps the last census and what was committed since, so that a search beside a writer needs not take it anew.
type censuses struct {
	telling chan struct{} // holds one from before a commit until follow knows of it

	mu   sync.Mutex
	last *census  // nil before the first search
	news []change // in order, each from the stamp of the one before; the first follows last, if there is one
	head string   // stamp of the index after the last commit, "" before the first
	told int64    // Store.commits when follow or forget was last called
}

// change is what one transaction did.
type change struct {
	before, stamp string           // of the index
	documents     map[int64]extent // as they are now
	drops         postings         // chunks whose terms went
	nameDrops     postings         // documents whose names went
	gains         map[commonTerm]postings
}

// census is that of this picture, which stays as it is. What a write transaction sees changes under its hands.
func (v *View) census() (*census, error) {
	if v.counted != nil {
		return v.counted, nil
	}
	c, err := v.takeCensus()
	if err == nil && !v.writer {
		v.counted = c
	}
	return c, err
}

func (v *View) takeCensus() (*census, error) {
	stamp, err := v.stamp()
	if err != nil {
		return nil, err
	}
	if v.sight != nil {
		return v.seenCensus(stamp)
	}
	if !v.writer {
		if c := v.s.censuses.at(v.ctx, stamp, v.commits); c != nil {
			return c, nil
		}
	}
	documents, err := v.extents()
	if err != nil {
		return nil, err
	}
	c := newCensus(stamp, documents, &commonPostings{})
	if !v.writer { // what a write transaction sees may never come to be
		v.s.censuses.keep(c, v.commits, !v.s.readOnly)
	}
	return c, nil
}

func (v *View) stamp() (stamp string, err error) {
	err = v.queryRow(stampQuery, []any{structureRecord}, &stamp)
	return stamp, err
}

func newCensus(stamp string, documents extents, common *commonPostings) *census {
	c := &census{stamp: stamp, documents: documents, places: documents.inPlace(), common: common}
	c.count(c.places, 1)
	c.list()
	return c
}

// count takes documents in, or with -1 out again.
func (c *census) count(documents extents, times int) {
	for _, x := range documents {
		c.chunks += times * x.n
		c.speakers[x.language] += times
	}
}

// list fills in what places and speakers come to.
func (c *census) list() {
	c.firsts = c.places.heads()
	for language := 1; language < noLanguage; language++ {
		if c.speakers[language] > 0 {
			c.languages = append(c.languages, uint8(language))
		}
	}
	c.usual = languageNumber("en")
	for _, language := range c.languages {
		if c.speakers[language] > c.speakers[c.usual] {
			c.usual = language
		}
	}
	if c.speakers[noLanguage] > 0 && !slices.Contains(c.languages, c.usual) {
		c.languages = append(c.languages, c.usual)
	}
}

// at is the census with that stamp, if it is the last one or follows from it. A picture that shows a commit which is not
// told of yet waits until it is: that takes less than to take the census anew. commits is how many the picture shows at
// least.
func (k *censuses) at(ctx context.Context, stamp string, commits int64) *census {
	c, unheard := k.known(stamp, commits)
	if !unheard {
		return c
	}
	select {
	case k.telling <- struct{}{}:
		<-k.telling
		c, _ = k.known(stamp, commits)
	case <-ctx.Done():
	}
	return c
}

// known is nil when there is no census yet, or when it is not known how to come from the last one to the stamp: unheard
// when that may be told soon.
func (k *censuses) known(stamp string, commits int64) (c *census, unheard bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.last != nil && k.last.stamp == stamp {
		return k.last, false
	}
	n := slices.IndexFunc(k.news, func(c change) bool { return c.stamp == stamp })
	if k.last == nil || n < 0 {
		return nil, commits >= k.told
	}
	k.last = k.last.after(k.news[:n+1])
	k.news = slices.Clone(k.news[n+1:])
	return k.last, false
}

// keep makes a census the last one, if all that was committed after it is known. commits is how many its picture shows at
// least; followed says whether what is committed will be told.
func (k *censuses) keep(c *census, commits int64, followed bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.head == "" && commits >= k.told || k.head == c.stamp {
		if k.last, k.news = c, nil; followed {
			k.head = c.stamp
		}
		return
	}
	n := slices.IndexFunc(k.news, func(one change) bool { return one.before == c.stamp })
	if k.last == nil && n >= 0 {
		k.last, k.news = c, k.news[n:]
	}
}

// follow takes in what a transaction did, and stamp, that of the index after it. commits counts it in.
func (k *censuses) follow(c change, stamp string, commits int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.told = commits
	c.before, c.stamp, k.head = k.head, stamp, stamp
	switch {
	case c.before == c.stamp:
		return
	case c.before == "": // it is taken anew
		k.last, k.news = nil, nil
		return
	case len(k.news) >= changesMost && k.last != nil:
		k.last, k.news = k.last.after(k.news), nil
	case len(k.news) >= changesMost: // nobody asks
		k.news = nil
	}
	k.news = append(k.news, c)
}

// forget makes the next search take the census anew, from a picture that shows so many commits.
func (k *censuses) forget(commits int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last, k.news, k.head, k.told = nil, nil, "", commits
}

// gains are the rows of chunks and of documents that hold terms whose postings are kept.
func (k *censuses) gains(written [2][]ftsRow) map[commonTerm]postings {
	k.mu.Lock()
	last := k.last
	k.mu.Unlock()
	if last == nil {
		return nil
	}
	return last.common.gains(written)
}

// after is the census with changes. It costs little more than a copy, however many documents there are.
func (c *census) after(changes []change) *census {
	now := map[int64]extent{}
	for _, one := range changes {
		maps.Copy(now, one.documents)
	}
	ids := sorted(slices.Collect(maps.Keys(now)))
	old, come := c.of(ids), make(extents, 0, len(ids))
	for _, id := range ids {
		if now[id].n != deletedChunks {
			come = append(come, now[id])
		}
	}
	next := &census{stamp: changes[len(changes)-1].stamp, chunks: c.chunks, speakers: c.speakers, common: c.common.after(changes)}
	next.documents = c.documents.with(old, come, byDocument)
	old, come = old.inPlace(), come.inPlace()
	next.places = c.places.with(old, come, byFirst)
	next.count(old, -1)
	next.count(come, 1)
	next.list()
	return next
}

func byDocument(a, b extent) int { return cmp.Compare(a.document, b.document) }

// extents reads where the chunks of each document are.
func (v *View) extents() (extents, error) {
	var numbers []int64
	var list sql.RawBytes
	table := `documents INDEXED BY documents_chunks`
	if v.sight != nil {
		table = `documents` // a view, which has no index by itself
	}
	err := v.each(`SELECT group_concat(id || ',' || first_chunk || ',' || chunk_count || ',' || iif(language = '', ?, instr(?, ' ' || language || ' ')))
		FROM `+table, []any{noLanguage, languageNumbers()}, func(rows *sql.Rows) error {
		err := rows.Scan(&list)
		parsePostings(list, func(n int64) { numbers = append(numbers, n) })
		return err
	})
	out := make(extents, 0, len(numbers)/4)
	for i := 0; i+3 < len(numbers); i += 4 {
		out = append(out, extent{numbers[i], numbers[i+1], int(numbers[i+2]), languageAt(numbers[i+3])})
	}
	slices.SortFunc(out, byDocument)
	return out, err
}

// languageNumbers are the languages with a stemmer, two letters each, in order.
func languageNumbers() string { return " " + strings.Join(text.Stemmed(), " ") + " " }

// noLanguage is the number of the language that could not be told.
const noLanguage = 255

// languageAt turns a place in languageNumbers, from 1, into a number from 1; 0, a language without a stemmer, and
// noLanguage stay.
func languageAt(place int64) uint8 {
	if place == 0 || place == noLanguage {
		return uint8(place)
	}
	return uint8(1 + (place-1)/3)
}

// languageNumber is the number of a language, noLanguage of none, 0 when it has no stemmer.
func languageNumber(language string) uint8 {
	if language == "" {
		return noLanguage
	}
	if len(language) != 2 {
		return 0
	}
	return languageAt(int64(1 + strings.Index(languageNumbers(), " "+language+" ")))
}
