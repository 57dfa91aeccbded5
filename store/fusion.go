package store

import (
	"cmp"
	"database/sql"
	"slices"

	"shelfd/internal/vector"
)

// Nearness is what retrieval by vectors adds to a query.
type Nearness struct {
	Set      *vector.Set
	Vector   vector.Vector // of the query's words
	Coverage float64       // share of the chunks that have a vector: the vector weight is scaled by it
	OwnWords bool          // the model knows words of the library only: none of others, whatever it makes of them

	Candidates   int // of each kind that are fused
	RRFK         int
	FTSWeight    float64
	VectorWeight float64
	Floor        int // so many of the best full-text hits stand among the first five, whatever vectors say
}

// Fusion is how a hit came to its place where vectors were asked as well.
type Fusion struct {
	Retrieval   Retrieval
	Reason      string  // ReasonFloor, else ""
	FTSRank     int     // among the full-text hits, from 1; 0 = it is none of them, or behind the candidates
	VectorRank  int     // among the nearest chunks, from 1; 0 = it is none of them
	RRFScore    float64 // the weighted reciprocal ranks, added
	FTSScore    float64
	VectorScore float64 // cosine
}

// Retrieval says what found a hit, or ran for an answer.
type Retrieval string

// The retrievals.
const (
	RetrievedByText   Retrieval = "fts"
	RetrievedByVector Retrieval = "vector"
	RetrievedByBoth   Retrieval = "hybrid" // both
)

// ReasonFloor says that a hit stands among the first for its rank among the full-text hits alone.
const ReasonFloor = "fts-floor"

// fewChunks is how many chunks a scope may leave for their vectors to be looked up one by one instead of ranking all.
const fewChunks = 5000

// fused answers with full text and vectors, or with vectors alone.
func (s *search) fused() (Answer, error) {
	near, err := s.nearest()
	if err != nil {
		return Answer{}, err
	}
	var text []placed
	if s.query.Mode != ModeVector {
		if text, err = s.ranking(max(s.query.Near.Candidates, s.query.Offset+s.query.Limit+len(near))); err != nil {
			return Answer{}, err
		}
	}
	list := s.withFloor(s.fuse(text, near))
	ids := make(postings, len(near))
	for i, p := range near {
		ids[i] = p.id
	}
	s.seen = union(s.seen, sorted(ids))
	s.countAlong(list)
	a := Answer{Total: s.shown(), Queries: s.ran, Suggestions: s.suggestions(), Retrieval: RetrievedByBoth}
	if s.query.Mode == ModeVector {
		a.Retrieval, a.Suggestions = RetrievedByVector, nil
	}
	page := list[min(s.query.Offset, len(list)):min(s.query.Offset+s.query.Limit, len(list))]
	for _, p := range page {
		a.Relaxed = a.Relaxed || p.group.match != MatchExact
		if p.fusion.Reason == ReasonFloor {
			a.FloorReplacements++
		}
	}
	a.Hits, err = s.hits(page)
	return a, err
}

// fuse orders what both found by weighted reciprocal ranks (Cormack, Clarke, Büttcher 2009): a hit is worth
// weight / (k + rank) in each list that holds it. What full text found behind the candidates follows in its own order:
// so the order does not depend on how far it was worked out.
func (s *search) fuse(text, near []placed) []placed {
	n := s.query.Near
	at := map[int64]*Fusion{}
	list := slices.Clone(near)
	for i := range list {
		list[i].fusion = &Fusion{
			Retrieval: RetrievedByVector, VectorRank: i + 1, VectorScore: list[i].score,
			RRFScore: n.VectorWeight * n.Coverage / float64(n.RRFK+i+1),
		}
		at[list[i].id] = list[i].fusion
	}
	for i, p := range text[:min(len(text), n.Candidates)] {
		f := at[p.id]
		if f == nil {
			f = &Fusion{Retrieval: RetrievedByText}
			p.fusion = f
			list = append(list, p)
		} else {
			f.Retrieval = RetrievedByBoth
		}
		f.FTSRank, f.FTSScore = i+1, p.score
		f.RRFScore += n.FTSWeight / float64(n.RRFK+i+1)
		at[p.id] = f
	}
	text = text[min(len(text), n.Candidates):]
	s.adopt(list)
	slices.SortStableFunc(list, func(a, b placed) int {
		return cmp.Or(cmp.Compare(b.fusion.RRFScore, a.fusion.RRFScore), cmp.Compare(rankOr(a.fusion.FTSRank), rankOr(b.fusion.FTSRank)), a.fusion.VectorRank-b.fusion.VectorRank)
	})
	for i, p := range text {
		if at[p.id] == nil {
			rank := n.Candidates + i + 1
			p.fusion = &Fusion{Retrieval: RetrievedByText, FTSRank: rank, FTSScore: p.score, RRFScore: n.FTSWeight / float64(n.RRFK+rank)}
			list = append(list, p)
		}
	}
	for i := range list {
		list[i].score = list[i].fusion.RRFScore
	}
	return s.capFused(list)
}

// rankOr puts hits without a rank behind all others.
func rankOr(rank int) int {
	if rank == 0 {
		return int(^uint(0) >> 1)
	}
	return rank
}

// adopt gives what vectors found the group in which full text found it: its match and its words.
func (s *search) adopt(list []placed) {
	for i := range list {
		for g := range s.groups {
			if s.groups[g].ids.has(list[i].id) {
				list[i].group = &s.groups[g]
				break
			}
		}
	}
}

// capFused leaves out what is beyond perDocument of a document. The hits of the floor count first, so that they stay.
func (s *search) capFused(list []placed) []placed {
	if s.query.Path != "" {
		return list
	}
	taken := map[int64]int{}
	for _, p := range list {
		if s.isFloor(p) {
			taken[p.document]++
		}
	}
	kept := list[:0:0]
	for _, p := range list {
		if !s.isFloor(p) {
			if taken[p.document]++; taken[p.document] > perDocument {
				continue
			}
		}
		kept = append(kept, p)
	}
	return kept
}

// isFloor says whether a hit must keep a place among the first.
func (s *search) isFloor(p placed) bool {
	return p.fusion.FTSRank > 0 && p.fusion.FTSRank <= min(s.query.Near.Floor, s.floorPage())
}

// floorPage is how many of the first hits the floor is kept among: as few as make a page, so that the order is one for
// pages of every length from there on.
func (s *search) floorPage() int { return min(s.query.Limit, enough) }

// withFloor moves the best full-text hits that are behind the first page to its end. What they displace follows it.
func (s *search) withFloor(list []placed) []placed {
	page := min(s.floorPage(), len(list))
	var raised []placed
	rest := slices.DeleteFunc(slices.Clone(list[page:]), func(p placed) bool {
		if s.isFloor(p) {
			p.fusion.Reason = ReasonFloor
			raised = append(raised, p)
			return true
		}
		return false
	})
	if len(raised) == 0 {
		return list
	}
	slices.SortFunc(raised, func(a, b placed) int { return a.fusion.FTSRank - b.fusion.FTSRank })
	var displaced []placed
	first := slices.Clone(list[:page])
	for i := page - 1; i >= 0 && len(displaced) < len(raised); i-- {
		if !s.isFloor(first[i]) {
			displaced = append(displaced, first[i])
			first = slices.Delete(first, i, i+1)
		}
	}
	slices.Reverse(displaced)
	return slices.Concat(first, raised, displaced, rest)
}

// countAlong notes of each hit the how manieth of its document it is.
func (s *search) countAlong(list []placed) {
	if s.query.Path != "" {
		return
	}
	nth := map[int64]int{}
	for i := range list {
		nth[list[i].document]++
		list[i].nth = nth[list[i].document]
	}
}

// nearest are the chunks nearest to the query that it allows, the nearest first; those at one distance in the order of
// their keys, then of their ids.
func (s *search) nearest() ([]placed, error) {
	all, err := s.all()
	if err != nil {
		return nil, err
	}
	allowed := s.left(all.chunks())
	for _, w := range s.wanted {
		if isLiteral(w.clause) {
			allowed = intersect(allowed, w.typed.answers())
		}
	}
	if len(allowed) <= fewChunks {
		return s.nearestOf(allowed)
	}
	return s.nearestIn(allowed)
}

// isLiteral says whether a clause asks for phrases only: these are never relaxed, so nothing without them is a hit.
func isLiteral(c clause) bool {
	return !slices.ContainsFunc(c, func(u unit) bool { return u.kind != unitPhrase })
}

// nearestIn goes through the vectors, the nearest first, until enough of them are of allowed chunks.
func (s *search) nearestIn(allowed postings) ([]placed, error) {
	n := s.query.Near
	ranking := n.Set.Rank(n.Vector)
	var out []placed
	for len(out) < n.Candidates {
		if err := s.v.ctx.Err(); err != nil {
			return nil, err
		}
		next := positive(ranking.Next(2 * n.Candidates))
		if len(next) == 0 {
			break
		}
		holders, err := s.holders(`SELECT c.key_hash, c.id FROM json_each(?) j JOIN chunks c ON c.key_hash = j.value`, keysOf(next))
		if err != nil {
			return nil, err
		}
		out = s.place(out, next, holders, allowed)
	}
	return out[:min(len(out), n.Candidates)], nil
}

// nearestOf compares the vectors of a few chunks.
func (s *search) nearestOf(allowed postings) ([]placed, error) {
	n := s.query.Near
	holders, err := s.holders(`SELECT c.key_hash, c.id FROM json_each(?) j JOIN chunks c ON c.id = j.value`, allowed)
	if err != nil {
		return nil, err
	}
	keys := make([]uint64, 0, len(holders))
	for key := range holders {
		keys = append(keys, key)
	}
	near := n.Set.Among(n.Vector, keys)
	slices.SortFunc(near, func(a, b vector.Near) int { return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Key, b.Key)) })
	out := s.place(nil, positive(near), holders, allowed)
	return out[:min(len(out), n.Candidates)], nil
}

// positive are those that have anything in common with the query; the nearest come first.
func positive(near []vector.Near) []vector.Near {
	end := slices.IndexFunc(near, func(n vector.Near) bool { return n.Cosine <= 0 })
	if end < 0 {
		return near
	}
	return near[:end]
}

func keysOf(near []vector.Near) []int64 {
	keys := make([]int64, len(near))
	for i, n := range near {
		keys[i] = int64(n.Key)
	}
	return keys
}

// holders reads which chunks have which key.
func (s *search) holders(query string, numbers []int64) (map[uint64]postings, error) {
	holders := map[uint64]postings{}
	err := s.v.each(query, []any{jsonNumbers(numbers)}, func(rows *sql.Rows) error {
		var key, id int64
		err := rows.Scan(&key, &id)
		holders[uint64(key)] = append(holders[uint64(key)], id)
		return err
	})
	return holders, err
}

// place appends the allowed chunks of keys in their order.
func (s *search) place(out []placed, near []vector.Near, holders map[uint64]postings, allowed postings) []placed {
	byWord := &group{match: MatchRelaxed, wishes: s.wanted, sets: s.wide()}
	for _, n := range near {
		for _, id := range sorted(holders[n.Key]) {
			if allowed.has(id) {
				out = append(out, placed{ranked: ranked{id: id, document: s.index.document(id), score: float64(n.Cosine)}, group: byWord})
			}
		}
	}
	return out
}
