package vector

import (
	"errors"
	"sync"
	"unsafe"
)

// ErrDimension says that a vector has another number of components than those of the set.
var ErrDimension = errors.New("vector: another number of components than before")

// Entry is a vector under the key of its text.
type Entry struct {
	Key    uint64
	Vector Vector
}

// Near is a text with how alike its vector is to that of a query.
type Near struct {
	Key    uint64
	Cosine float32
}

// Set holds the vectors of one model. Its methods may be called from any goroutine.
type Set struct {
	path     string
	model    string
	readOnly bool

	mu    sync.RWMutex // guards the rest
	file  file
	dims  int
	epoch int              // how often all was thrown away
	slots map[uint64]int32 // key → place in the file
	keys  []uint64         // by place
}

// Open opens the set that stands at path. Vectors of another model, and a file that is none of ours, count as none and
// are gone with the first Add. readOnly never writes; what another process adds later is not seen.
func Open(path, model string, readOnly bool) (*Set, error) {
	s := &Set{path: path, model: model, readOnly: readOnly, slots: map[uint64]int32{}}
	if err := s.load(); err != nil {
		s.file.close()
		return nil, err
	}
	return s, nil
}

// Len is how many vectors there are.
func (s *Set) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.keys)
}

// Dims is the number of components of each vector, 0 before the first.
func (s *Set) Dims() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.dims
}

// Epoch changes when vectors are thrown away for those of another model. A query of an earlier epoch finds nothing.
func (s *Set) Epoch() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.epoch
}

// Has says whether there is a vector for a key.
func (s *Set) Has(key uint64) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.slots[key]
	return ok
}

// Missing are those of the keys that have no vector, in their order.
func (s *Set) Missing(keys []uint64) []uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var missing []uint64
	for _, key := range keys {
		if _, ok := s.slots[key]; !ok {
			missing = append(missing, key)
		}
	}
	return missing
}

// Add writes vectors. Keys that have one keep it. ErrDimension: nothing was written.
func (s *Set) Add(entries []Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var fresh []Entry
	dims := s.dims
	for _, e := range entries {
		if dims == 0 {
			dims = len(e.Vector.Steps)
		}
		if len(e.Vector.Steps) != dims {
			return ErrDimension
		}
	}
	for _, e := range entries {
		if _, ok := s.slots[e.Key]; !ok {
			s.slots[e.Key] = -1 // taken; a second one of the same key is left out
			fresh = append(fresh, e)
		}
	}
	if err := s.write(dims, fresh); err != nil {
		for _, e := range fresh {
			delete(s.slots, e.Key)
		}
		return err
	}
	s.dims = dims
	for _, e := range fresh {
		s.slots[e.Key] = int32(len(s.keys))
		s.keys = append(s.keys, e.Key)
	}
	return nil
}

// at is the vector at a place of the file.
func (s *Set) at(slot int) Vector {
	record := s.file.record(slot)
	steps := record[recordHead : recordHead+s.dims]
	return Vector{Steps: unsafe.Slice((*int8)(unsafe.Pointer(&steps[0])), len(steps)), Scale: scaleOf(record)}
}

// Among compares a vector with those of keys, in their order; keys without one are left out.
func (s *Set) Among(q Vector, keys []uint64) []Near {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(q.Steps) != s.dims || q.Epoch != s.epoch {
		return nil
	}
	out := make([]Near, 0, len(keys))
	for _, key := range keys {
		if slot, ok := s.slots[key]; ok {
			out = append(out, Near{key, Cosine(q, s.at(int(slot)))})
		}
	}
	return out
}

// Rank compares a vector with all there are.
func (s *Set) Rank(q Vector) *Ranking {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(q.Steps) != s.dims || q.Epoch != s.epoch {
		return &Ranking{}
	}
	r := &Ranking{keys: s.keys[:len(s.keys):len(s.keys)], cosines: make([]float32, len(s.keys)), heap: make([]int32, len(s.keys))}
	for i := range r.cosines {
		r.cosines[i], r.heap[i] = Cosine(q, s.at(i)), int32(i)
	}
	for i := len(r.heap)/2 - 1; i >= 0; i-- {
		r.sink(i)
	}
	return r
}

// Ranking hands out vectors, the nearest first, those at the same distance in the order of their keys. Sorting all of
// them would take longer than to compare them: a heap sorts as many as are asked for.
type Ranking struct {
	keys    []uint64
	cosines []float32
	heap    []int32
}

// Next are the n that follow, fewer at the end.
func (r *Ranking) Next(n int) []Near {
	out := make([]Near, 0, min(n, len(r.heap)))
	for len(out) < n && len(r.heap) > 0 {
		first := r.heap[0]
		out = append(out, Near{r.keys[first], r.cosines[first]})
		last := len(r.heap) - 1
		r.heap[0], r.heap = r.heap[last], r.heap[:last]
		r.sink(0)
	}
	return out
}

// sink puts the entry at i in its place among those below it.
func (r *Ranking) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(r.heap) {
			return
		}
		if right := child + 1; right < len(r.heap) && r.before(r.heap[right], r.heap[child]) {
			child = right
		}
		if !r.before(r.heap[child], r.heap[i]) {
			return
		}
		r.heap[i], r.heap[child] = r.heap[child], r.heap[i]
		i = child
	}
}

func (r *Ranking) before(a, b int32) bool {
	if r.cosines[a] != r.cosines[b] {
		return r.cosines[a] > r.cosines[b]
	}
	return r.keys[a] < r.keys[b]
}
