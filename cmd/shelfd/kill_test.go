package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// kills is how often the daemon is killed: a third of them while it builds from nothing, the others amid edits.
const kills = 36

// TestKilledAtAnyMoment: kill -9 costs nothing. Whatever was under way, the next start comes to a clean check and to the
// dump of a fresh index.
func TestKilledAtAnyMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a daemon many times")
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	h := newHouse(t, buildProgram(t))
	for n := range 160 {
		h.write(page(n), pageText(n, 0, random))
	}
	for n := range kills {
		if n < kills/3 && n%3 == 0 {
			removeIndex(t, h)
		}
		h.killedAfter(time.Duration(1+random.IntN(250))*time.Millisecond, func(edit int) {
			if n >= kills/3 {
				h.scribble(edit, random)
			}
		})
	}
	h.serve()
	h.must("sync")
	h.must("check")
	fresh := *h
	fresh.home = t.TempDir()
	fresh.socket = filepath.Join(h.home, "fresh", "s")
	fresh.serve()
	fresh.must("sync")
	if got, want := h.must("dump"), fresh.must("dump"); !bytes.Equal(got, want) {
		t.Errorf("the dump after %d kills is not that of a fresh index: %d bytes, want %d", kills, len(got), len(want))
	}
}

// killedAfter starts a daemon, disturbs it until the time is up, and kills it.
func (h *house) killedAfter(d time.Duration, disturb func(edit int)) {
	h.t.Helper()
	c := h.command("serve", h.root)
	if err := c.Start(); err != nil {
		h.t.Fatal(err)
	}
	end := time.NewTimer(d)
	pace := time.NewTicker(4 * time.Millisecond)
	defer pace.Stop()
	for edit := 0; ; edit++ {
		select {
		case <-end.C:
			_ = c.Process.Kill()
			_ = c.Wait()
			return
		case <-pace.C:
			disturb(edit)
		}
	}
}

// scribble edits, removes or renames a page.
func (h *house) scribble(edit int, random *rand.Rand) {
	n := random.IntN(200)
	path := filepath.Join(h.root, page(n))
	switch random.IntN(6) {
	case 0:
		_ = os.Remove(path)
	case 1:
		_ = os.Rename(path, filepath.Join(h.root, page(random.IntN(200))))
	default:
		h.write(page(n), pageText(n, edit, random))
	}
}

func page(n int) string { return fmt.Sprintf("part%d/page%d.md", n%5, n) }

func pageText(n, edit int, random *rand.Rand) string {
	return fmt.Sprintf("---\ntags: [plant, t%d]\n---\n# Page %d\n\nEdit %d. See [another](../%s) and [[page%d]].\n\n## Valves\n\nThe valve %d opens.\n",
		n%7, n, edit, page(random.IntN(200)), random.IntN(200), n)
}

func removeIndex(t *testing.T, h *house) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(h.home, "state")); err != nil {
		t.Fatal(err)
	}
}

// must runs a command that succeeds, and returns what it prints.
func (h *house) must(args ...string) []byte {
	h.t.Helper()
	c := h.command(args...)
	var complaint bytes.Buffer
	c.Stderr = &complaint
	out, err := c.Output()
	if err != nil {
		h.t.Fatalf("shelfd %v: %v\n%s%s", args, err, out, complaint.String())
	}
	return out
}
