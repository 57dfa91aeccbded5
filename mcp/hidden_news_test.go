package mcp

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"

	"shelfd/indexer"
	"shelfd/store"
)

// changing is a viewer whose rules change while it is connected.
type changing struct{ sight *atomic.Pointer[store.Sight] }

func (c changing) Served() bool                   { return true }
func (c changing) Manages() bool                  { return false }
func (c changing) Sight(kind string) *store.Sight { return c.sight.Load() }

// only sees some folders of the shelf Standard.
func only(readable store.Readable, folders ...string) *store.Sight {
	return store.NewSight(store.Seen{Readable: readable, Shelves: []store.ShelfSight{{Name: "Standard", Blind: true, Rules: []store.PathSight{{Folders: folders}}}}})
}

// seeing narrows every peer of the socket to a Sight that a test changes.
func seeing(sight *atomic.Pointer[store.Sight]) func(Peer) Viewer {
	return func(p Peer) Viewer {
		if p.Known {
			return changing{sight}
		}
		return owner{true}
	}
}

// TestNothingIsHeardOfWhatIsHidden: neither that a document changed, nor that the list of documents did.
func TestNothingIsHeardOfWhatIsHidden(t *testing.T) {
	var sight atomic.Pointer[store.Sight]
	sight.Store(only(nil, "open"))
	l := &library{t: t, root: t.TempDir(), viewer: seeing(&sight)}
	l.write("open/a.md", "# A\n")
	l.write("closed/b.md", "# B\n")
	l.open(filepath.Join(t.TempDir(), "state"), indexer.Options{})
	p := l.dial(t)
	p.handshake()
	a, b := "shelf://Standard/open/a.md", "shelf://Standard/closed/b.md"
	p.request("resources/subscribe", uriParam(a), nil)
	p.fails(codeNoResource, "resources/subscribe", uriParam(b))

	tell := func(c indexer.Changed) { l.news.add(c); l.news.pass(); l.news.passing.Wait() }
	tell(indexer.Changed{Written: []string{"Standard/closed/b.md"}, Come: []string{"Standard/closed/c.md", "Other/x.md"}, Gone: []string{"Standard/closed/d.md"}})
	tell(indexer.Changed{Written: []string{"Standard/open/a.md"}})
	p.hears(heard{"", updated, a})
	tell(indexer.Changed{Come: []string{"Standard/open/n.md"}})
	p.hears(heard{"", listed, ""})

	sight.Store(only(nil, "closed")) // what was watched may not be seen any more
	tell(indexer.Changed{Written: []string{"Standard/open/a.md"}})
	sight.Store(only(nil, "open"))
	p.silent()
}

// TestNothingIsHeardOfWhatTheDiskHides: a file that the peer could not read is not told of, whatever the rules say, nor
// that it went.
func TestNothingIsHeardOfWhatTheDiskHides(t *testing.T) {
	hidden := atomic.Pointer[string]{}
	name := "/open/b.md"
	hidden.Store(&name)
	asDisk := func(_ context.Context, files []string) ([]bool, error) {
		readable := make([]bool, len(files))
		for i, file := range files {
			n := *hidden.Load()
			readable[i] = len(file) < len(n) || file[len(file)-len(n):] != n
		}
		return readable, nil
	}
	var sight atomic.Pointer[store.Sight]
	sight.Store(only(asDisk, "open"))
	l := &library{t: t, root: t.TempDir(), viewer: seeing(&sight)}
	l.write("open/a.md", "# A\n")
	l.write("open/b.md", "# B\n")
	l.open(filepath.Join(t.TempDir(), "state"), indexer.Options{})
	p := l.dial(t)
	p.handshake()
	a := "shelf://Standard/open/a.md"
	p.fails(codeNoResource, "resources/subscribe", uriParam("shelf://Standard/open/b.md"))
	p.request("resources/subscribe", uriParam(a), nil)
	tell := func(c indexer.Changed) { l.news.add(c); l.news.pass(); l.news.passing.Wait() }
	tell(indexer.Changed{Come: []string{"Standard/open/b.md"}})
	tell(indexer.Changed{Written: []string{"Standard/open/b.md"}, Gone: []string{"Standard/open/never.md"}})
	tell(indexer.Changed{Written: []string{"Standard/open/a.md"}})
	p.hears(heard{"", updated, a})
	p.silent()
}
