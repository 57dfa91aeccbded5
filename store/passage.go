package store

import (
	"math"
	"slices"
)

// Passage is one chunk with everything around it. Of its Hit, Score and Match are empty; Evidence is there.
type Passage struct {
	Hit
	Text           string // as it stands in the file
	Previous, Next *Chunk // neighbours in the document, nil at its ends
}

// Passage reads a chunk. The words of query, which may be "", light up in it.
func (v *View) Passage(c Chunk, query string) (Passage, error) {
	s, err := v.wordsOf(query, c.DocumentID)
	if err != nil {
		return Passage{}, err
	}
	r := reader{v: v, documents: map[int64]*document{}}
	h, body, err := r.hit(c.ID, c.DocumentID)
	if err != nil {
		return Passage{}, err
	}
	m := s.marks()
	h.Terms = s.terms(placed{ranked: ranked{id: c.ID, document: c.DocumentID}, group: &group{wishes: s.wanted, sets: s.wide()}})
	h.Snippet = snippet(body, m.scorer)
	if h.Evidence, err = r.evidence(h, m); err != nil {
		return Passage{}, err
	}
	p := Passage{Hit: h, Text: body}
	p.Previous, p.Next, err = v.neighbours(h)
	return p, err
}

// wordsOf looks the words of a query up in one document, by stem too. Filters in it are left aside.
func (v *View) wordsOf(query string, document int64) (*search, error) {
	index, err := v.census()
	if err != nil {
		return nil, err
	}
	s := &search{lookup: &lookup{v: v, index: index, scope: scopeMatch(documentTerm(document))}, query: Query{Text: query}}
	s.expression = slices.DeleteFunc(parse(query), func(c clause) bool { return !wantsWords(c) })
	if err := s.prepare(); err != nil {
		return nil, err
	}
	for _, w := range s.wanted {
		if err := s.widen(w); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// wide are the places of each wish, stems included.
func (s *search) wide() []found {
	var sets []found
	for _, w := range s.wanted {
		sets = append(sets, w.wide)
	}
	return sets
}

// marks are the words of the search as they light up in texts, the rarer the brighter.
func (s *search) marks() *marks {
	idf := make([]float64, len(s.wanted))
	for k, w := range s.wanted {
		n := float64(len(w.typed.in))
		idf[k] = math.Log(1 + float64(s.index.chunks)/(n+0.5))
	}
	return &marks{newScorer(s.wanted, idf, true)}
}

// evidence reads the chunk of a hit in its document.
func (r *reader) evidence(h Hit, m *marks) (*Evidence, error) {
	d := r.documents[h.Document.ID]
	if d.content == "" {
		var err error
		if d.content, err = r.v.Content(h.Document.ID); err != nil {
			return nil, err
		}
	}
	e := m.evidence(d.content, h.Chunk.Span, h.TitlePath)
	r.sheet(&e, h, m)
	return &e, nil
}

// neighbours are the chunks before and after that of a hit.
func (v *View) neighbours(h Hit) (previous, next *Chunk, err error) {
	chunks, err := v.chunksWhere(`WHERE c.id BETWEEN ? AND ? ORDER BY c.id`,
		max(h.Chunk.ID-1, h.Document.FirstChunk), min(h.Chunk.ID+1, h.Document.FirstChunk+int64(h.Document.Chunks)-1))
	for i := range chunks {
		switch {
		case chunks[i].ID < h.Chunk.ID:
			previous = &chunks[i]
		case chunks[i].ID > h.Chunk.ID:
			next = &chunks[i]
		}
	}
	return previous, next, err
}
