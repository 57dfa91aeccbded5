package watcher

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestSettling(t *testing.T) {
	start := time.Unix(0, 0)
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	type step struct {
		ms   int
		hint string // "" = ask what is due
		want []string
	}
	for _, c := range []struct {
		name  string
		steps []step
	}{
		{"one save", []step{{0, "a", nil}, {24, "", nil}, {25, "", []string{"a"}}, {50, "", nil}}},
		{"still being written", []step{{0, "a", nil}, {20, "a", nil}, {30, "", nil}, {45, "", []string{"a"}}}},
		{
			"two saves far apart don't wait for each other",
			[]step{{0, "a", nil}, {20, "b", nil}, {25, "", []string{"a"}}, {49, "", nil}, {50, "", []string{"b"}}},
		},
		{"two names of one rename go together", []step{{0, "a", nil}, {2, "b", nil}, {25, "", []string{"a", "b"}}, {60, "", nil}}},
		{"a folder stands for what is below", []step{{0, "d", nil}, {1, "d/a", nil}, {1, "dx", nil}, {26, "", []string{"d", "dx"}}, {60, "", nil}}},
		{"what was hinted at before its folder goes with it", []step{{0, "d/a", nil}, {1, "d", nil}, {26, "", []string{"d"}}, {60, "", nil}}},
		{
			"what doesn't rest below a folder that does is looked at again",
			[]step{{0, "d/a", nil}, {1, "d", nil}, {20, "d/a", nil}, {26, "", []string{"d"}}, {50, "", nil}, {51, "", []string{"d/a"}}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSettler(25*time.Millisecond, time.Second)
			for _, step := range c.steps {
				now := at(step.ms)
				if step.hint != "" {
					s.hint(step.hint, now, now)
					continue
				}
				b, ok := s.due(now)
				if ok != (step.want != nil) || !slices.Equal(b.Dirty, step.want) {
					t.Errorf("after %d ms: %+v", step.ms, b)
				}
				if ok {
					s.taken(b, now)
				}
			}
		})
	}
}

func TestPathThatNeverRestsIsHandedOutAtTheCeiling(t *testing.T) {
	s, now := newSettler(25*time.Millisecond, time.Second), time.Unix(0, 0)
	start := now
	for ; now.Sub(start) < time.Second; now = now.Add(10 * time.Millisecond) {
		if b, ok := s.due(now); ok {
			t.Fatalf("after %s: %+v", now.Sub(start), b)
		}
		s.hint("log.md", now, now)
	}
	if next, ok := s.next(now.Add(-time.Millisecond)); !ok || next.Sub(start) != time.Second {
		t.Errorf("next is %s", next.Sub(start))
	}
	b, ok := s.due(now)
	if !ok || !b.First.Equal(start) || !slices.Equal(b.Dirty, []string{"log.md"}) {
		t.Errorf("%+v", b)
	}
}

func TestManyPathsCollapse(t *testing.T) {
	now := time.Unix(0, 0)
	later := now.Add(time.Minute)
	wide := newSettler(time.Millisecond, time.Second)
	for i := range 5000 {
		wide.hint(fmt.Sprintf("top/folder%d/f%d", i%10, i), now, now)
	}
	wide.hint("top/x", now, now)
	b, ok := wide.due(later)
	if !ok || b.All || len(b.Dirty) != 11 || b.Dirty[0] != "top/folder0" {
		t.Errorf("%+v", b)
	}
	flat := newSettler(time.Millisecond, time.Second)
	for i := range 5000 {
		flat.hint(fmt.Sprintf("f%d", i), now, now)
	}
	flat.hint("another", now, now)
	b, ok = flat.due(later)
	if !ok || !b.All || b.Dirty != nil || b.Reason != reasonMany {
		t.Errorf("%+v", b)
	}
	flat.taken(b, later)
	if b, ok = flat.due(later); ok {
		t.Errorf("once more: %+v", b)
	}
}

func TestLookEverywhereDoesNotForgetWhatIsBeingWritten(t *testing.T) {
	s, now := newSettler(25*time.Millisecond, time.Second), time.Unix(0, 0)
	s.hint("rests.md", now, now)
	now = now.Add(30 * time.Millisecond)
	s.hint("busy.md", now, now)
	s.everywhere("overflow", now)
	s.everywhere("poll", now)
	b, ok := s.due(now)
	if !ok || !b.All || b.Reason != "overflow" || now.Sub(b.First) != 30*time.Millisecond {
		t.Fatalf("%+v", b)
	}
	s.taken(b, now)
	b, ok = s.due(now.Add(25 * time.Millisecond))
	if !ok || !slices.Equal(b.Dirty, []string{"busy.md"}) {
		t.Errorf("%+v", b)
	}
}

func TestRescansBackOff(t *testing.T) {
	var b backoff
	now := time.Unix(1_000_000, 0)
	rescans := 0
	for range 1000 { // for five minutes
		b.want("overflow", now)
		if passed(b.at, now) {
			b.done(now)
			rescans++
		}
		now = now.Add(300 * time.Millisecond)
	}
	if rescans > 10 || rescans < 5 {
		t.Errorf("%d rescans", rescans)
	}
	now = now.Add(time.Hour)
	if b.at = (time.Time{}); true {
		b.want("overflow", now)
	}
	if !passed(b.at, now) {
		t.Error("one overflow after an hour of rest waits")
	}
}
