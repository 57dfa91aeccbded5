package watcher

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// flaky passes the events of a real Source on after its own fashion.
type flaky struct {
	Source
	events chan fsnotify.Event
}

// An event without a name is a pause.
func newFlaky(t *testing.T, pass func(e fsnotify.Event, out func(fsnotify.Event))) *flaky {
	t.Helper()
	source, err := NewSource()
	if err != nil {
		t.Fatal(err)
	}
	f := &flaky{source, make(chan fsnotify.Event, 1<<16)}
	go func() {
		defer close(f.events)
		pause := time.NewTicker(5 * time.Millisecond)
		defer pause.Stop()
		for {
			select {
			case e, ok := <-source.Events():
				if !ok {
					return
				}
				pass(e, func(e fsnotify.Event) { f.events <- e })
			case <-pause.C:
				pass(fsnotify.Event{}, func(e fsnotify.Event) { f.events <- e })
			}
		}
	}()
	return f
}

func (f *flaky) Events() <-chan fsnotify.Event { return f.events }

func TestDoubledDelayedAndReorderedEventsChangeNothing(t *testing.T) {
	for name, source := range map[string]func(*rand.Rand) func(fsnotify.Event, func(fsnotify.Event)){
		"doubled": func(*rand.Rand) func(fsnotify.Event, func(fsnotify.Event)) {
			return func(e fsnotify.Event, out func(fsnotify.Event)) { out(e); out(e) }
		},
		"delayed": func(r *rand.Rand) func(fsnotify.Event, func(fsnotify.Event)) {
			return func(e fsnotify.Event, out func(fsnotify.Event)) {
				<-time.After(time.Duration(r.IntN(5)) * time.Millisecond)
				out(e)
			}
		},
		"reordered": func(r *rand.Rand) func(fsnotify.Event, func(fsnotify.Event)) {
			var held []fsnotify.Event // until there are three, or a pause
			return func(e fsnotify.Event, out func(fsnotify.Event)) {
				held = append(held, e)
				if len(held) > 2 || e.Name == "" {
					r.Shuffle(len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
					for _, e := range held {
						out(e)
					}
					held = held[:0]
				}
			}
		},
	} {
		for i := range 5 {
			t.Run(fmt.Sprint(name, i), func(t *testing.T) {
				t.Parallel()
				seed := rand.Uint64()
				e, root := newEditing(t, seed)
				m := startMirror(t, Options{Source: newFlaky(t, source(rand.New(rand.NewPCG(seed, 2))))}, root)
				for range 3 {
					for range 8 {
						e.step()
					}
					m.matches()
				}
			})
		}
	}
}

func TestDroppedEventsAreRepairedByTheNextLookEverywhere(t *testing.T) {
	for i := range 10 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			e, root := newEditing(t, seed)
			r := rand.New(rand.NewPCG(seed, 2))
			m := startMirror(t, Options{Source: newFlaky(t, func(e fsnotify.Event, out func(fsnotify.Event)) {
				if r.IntN(2) == 0 {
					out(e)
				}
			})}, root)
			for range 3 {
				for range 8 {
					e.step()
				}
				m.watcher.Ask("")
				m.matches()
			}
		})
	}
}

func newEditing(t *testing.T, seed uint64) (*editing, Root) {
	t.Helper()
	dir := tempDir(t)
	e := &editing{rand: rand.New(rand.NewPCG(seed, 1)), root: filepath.Join(dir, "R"), away: filepath.Join(dir, "away")}
	write(t, dir, "R/a/c.md", "R/a/sub/d.md", "R/b/c.md", "away/0/c.md")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d\n%s", seed, strings.Join(e.log, "\n"))
		}
	})
	return e, Root{Path: e.root}
}

// A process that is stopped while 20,000 files are written finds a full queue when it goes on.
func TestRealOverflowIsRepaired(t *testing.T) {
	if testing.Short() {
		t.Skip("many files")
	}
	root := tempDir(t)
	for i := range 10 {
		write(t, root, fmt.Sprintf("d%d/a.md", i))
	}
	stopped, goOn := make(chan struct{}, 1), make(chan struct{})
	m := startMirror(t, Options{Source: newFlaky(t, func(e fsnotify.Event, out func(fsnotify.Event)) {
		if e.Name != "" {
			select {
			case stopped <- struct{}{}:
			default:
			}
			<-goOn
		}
		out(e)
	})}, Root{Path: root})
	write(t, root, "first.md")
	<-stopped
	for i := range 20_000 {
		write(t, root, fmt.Sprintf("d%d/%d.md", i%10, i))
	}
	close(goOn)
	m.eventually("all", func() bool { return len(m.entries) == 20_011 })
	m.matches()
	m.eventually("the overflow is counted", func() bool { return m.state().Overflows == 1 && m.state().Watches == 11 })
	write(t, root, "d7/later.md")
	m.has("d7/later.md")
}
