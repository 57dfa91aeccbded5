package metrics

import (
	"context"
	"testing"
	"time"
)

func TestTheCallsOfAllToolsAreSummedUp(t *testing.T) {
	m := New(func(context.Context) (Reading, error) { return Reading{}, nil })
	if c := m.Calls(); c != (Calls{}) {
		t.Errorf("before the first call: %+v", c)
	}
	for range 60 {
		m.Answered("search_documents", false, 4*time.Millisecond)
	}
	for range 38 {
		m.Answered("get_document", true, 700*time.Microsecond)
	}
	m.Answered("sync", false, 20*time.Second)
	m.Answered("sync", false, 20*time.Second)
	c := m.Calls()
	if c.Total != 100 || c.Median <= 3*time.Millisecond || c.Median > 5*time.Millisecond {
		t.Errorf("%+v, want a median in the bucket of 3 to 5 ms", c)
	}
	if c.P99 != 10*time.Second {
		t.Errorf("p99 %v, want the last bound for what took longer", c.P99)
	}
}
