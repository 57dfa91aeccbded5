package mcp

import (
	"context"
	"fmt"

	"shelfd/store"
)

// Near is how a search asks for what it needs to ask vectors; nil, with the reason to tell, when it has to do without.
type Near func(context.Context, VectorQuestion) (*store.Nearness, string)

// VectorQuestion is what a search asks vectors for.
type VectorQuestion struct {
	Words    string // without filters and what is not wanted
	Insists  bool   // the caller named a mode that wants vectors
	Alone    bool   // it is the one that asks nothing else
	Narrowed bool   // the caller does not see all of the library
}

// WantsVectors says whether a query is one to ask vectors for: by its mode, and because it has words.
func WantsVectors(q store.Query) bool {
	return (insists(q.Mode) || q.Mode == store.ModeAuto) && store.Words(q.Text) != ""
}

// insists says whether a mode asks for vectors by name.
func insists(m store.Mode) bool { return m == store.ModeVector || m == store.ModeHybrid }

// AskVectors lets a query ask vectors as well, if it is one for that, and says why not when it should and cannot. near is
// nil without a provider; narrowed: who searches does not see all of the library.
func AskVectors(ctx context.Context, near Near, q *store.Query, narrowed bool) (warning string) {
	switch {
	case !WantsVectors(*q):
		return ""
	case near != nil:
		q.Near, warning = near(ctx, VectorQuestion{
			Words: store.Words(q.Text), Insists: insists(q.Mode), Alone: q.Mode == store.ModeVector, Narrowed: narrowed,
		})
	case insists(q.Mode):
		warning = fmt.Sprintf("mode %s needs an embedding provider and none is configured; this is the full-text answer", q.Mode)
	}
	if q.Near == nil {
		q.Mode = store.ModeFTS
	}
	return warning
}
