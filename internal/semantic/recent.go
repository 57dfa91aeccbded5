package semantic

import (
	"container/list"

	"shelfd/internal/vector"
)

// recent keeps the vectors of the queries asked last.
type recent struct {
	most  int
	order *list.List // of query, the last one asked first
	at    map[string]*list.Element
}

type query struct {
	words  string
	vector vector.Vector
}

func newRecent(most int) *recent {
	return &recent{most: most, order: list.New(), at: map[string]*list.Element{}}
}

func (r *recent) get(words string) (vector.Vector, bool) {
	e, ok := r.at[words]
	if !ok {
		return vector.Vector{}, false
	}
	r.order.MoveToFront(e)
	return e.Value.(query).vector, true
}

func (r *recent) put(words string, v vector.Vector) {
	if e, ok := r.at[words]; ok {
		e.Value = query{words, v}
		r.order.MoveToFront(e)
		return
	}
	r.at[words] = r.order.PushFront(query{words, v})
	if r.order.Len() > r.most {
		oldest := r.order.Remove(r.order.Back()).(query)
		delete(r.at, oldest.words)
	}
}
