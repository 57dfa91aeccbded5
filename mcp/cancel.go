package mcp

import (
	"context"
	"encoding/json"
	"sync"
)

// running knows the calls of one session by the key of their id. A call is entered before anything else is read, so
// that a cancellation sent right behind it finds it; mcp-go enters it too late.
type running struct {
	mu    sync.Mutex
	calls map[string]*entry // guarded by mu
}

type entry struct {
	cancel    context.CancelFunc
	cancelled bool // by the client: nothing is answered
}

// begin enters a call. false: the id is in use.
func (r *running) begin(key string, cancel context.CancelFunc) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.calls[key]; taken {
		return false
	}
	if r.calls == nil {
		r.calls = map[string]*entry{}
	}
	r.calls[key] = &entry{cancel: cancel}
	return true
}

// end takes a call out and says whether its answer is wanted.
func (r *running) end(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.calls[key]
	delete(r.calls, key)
	e.cancel()
	return !e.cancelled
}

// cancel ends a call without an answer. Unknown ids are ignored: the answer may be on its way.
func (r *running) cancel(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.calls[key]; ok {
		e.cancelled = true
		e.cancel()
	}
}

// cancelledKey is the key of the call that a notifications/cancelled names, "" when it names none.
func cancelledKey(params json.RawMessage) string {
	var p map[string]json.RawMessage
	if json.Unmarshal(params, &p) != nil {
		return ""
	}
	key, err := idKey(p["requestId"])
	if err != nil {
		return ""
	}
	return key
}
