package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"shelfd/indexer"
	"shelfd/store"
)

// ways are how a client can come: over lines or HTTP on a Unix socket, with a handshake or without.
func (s *served) ways(t *testing.T) map[string]func(asked) string {
	line, site := s.dial(t), s.webOnSocket(t)
	line.handshake()
	session := site.session()
	return map[string]func(asked) string{
		"line":         func(q asked) string { return line.raw(q.frame()) },
		"line, modern": func(q asked) string { return line.raw(q.modern().frame()) },
		"HTTP":         func(q asked) string { return site.post(q.frame(), session...).body },
		"HTTP, modern": func(q asked) string {
			q = q.modern()
			params := string(encode(q.params))
			return site.post(q.frame(), modernHeaders(q.method, params[1:len(params)-1])...).body
		},
	}
}

// webOnSocket serves HTTP on a Unix socket, as which its peers are known.
func (s *served) webOnSocket(t *testing.T) *site {
	t.Helper()
	path := filepath.Join(filepath.Dir(s.path), "http")
	l, err := ListenWeb("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}
	return s.webOn(t, l, WebOptions{}, &http.Transport{DialContext: dial}, "http://shelfd")
}

func (q asked) frame() string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, q.method, encode(q.params))
}

// modern is the same question as 2026-07-28 asks it.
func (q asked) modern() asked {
	p := fields{"_meta": fields{mcp.MetaKeyProtocolVersion: "2026-07-28", mcp.MetaKeyClientCapabilities: fields{}}}
	for key, value := range q.params.(fields) {
		p[key] = value
	}
	return asked{q.method, p}
}

// TestWhatIsHiddenDoesNotExistOnAnyWay asks over each transport and in each era what the test over lines asks, and for
// what only they have.
func TestWhatIsHiddenDoesNotExistOnAnyWay(t *testing.T) {
	c := newComparison(t, 0)
	questions := append(c.a.questions(c.r), asked{"server/discover", fields{}}, asked{"tools/list", fields{}}, asked{"prompts/list", fields{}},
		asked{"resources/templates/list", fields{}}, asked{"no/such", fields{}})
	for _, path := range append(slices.Clone(c.a.all), "Closed/never.md") {
		questions = append(questions, asked{"prompts/get", fields{"name": "summarise_document", "arguments": fields{"doc_path": path}}})
	}
	hiding, lacking := c.hiding.ways(t), c.lacking.ways(t)
	delete(hiding, "line") // what that test asks
	for way := range hiding {
		t.Run(way, func(t *testing.T) { c.compare(t, questions, hiding[way], lacking[way]) })
	}
}

// listening is a stream of notifications, whatever it comes over.
type listening interface{ receive() reply }

// listeners open the ways on which something is heard of the documents with those URIs and of the list. The first
// message of those of 2026-07-28 says what they will hear of.
func (s *served) listeners(t *testing.T, uris []string) (old, modern map[string]listening) {
	line, streamed, site := s.dial(t), s.dial(t), s.webOnSocket(t)
	line.handshake()
	session := site.session()
	for _, uri := range uris {
		q := asked{"resources/subscribe", fields{"uri": uri}}
		line.raw(q.frame()) // refused where hidden, which is compared elsewhere
		site.post(q.frame(), session...)
	}
	listen := asked{listenMethod, fields{"notifications": fields{"resourcesListChanged": true, "resourceSubscriptions": uris}}}.modern().frame()
	streamed.send(listen)
	old = map[string]listening{"line": line, "HTTP": site.events(http.MethodGet, "", session...)}
	return old, map[string]listening{
		"line, modern": streamed,
		"HTTP, modern": site.events(http.MethodPost, listen, modernHeaders(listenMethod, "")...),
	}
}

// TestNothingIsHeardOfWhatIsHiddenOnAnyWay: the acknowledgement of a stream names no hidden document, and of changes of
// all documents a client hears what it would hear if those it doesn't see had never been.
func TestNothingIsHeardOfWhatIsHiddenOnAnyWay(t *testing.T) {
	var sight atomic.Pointer[store.Sight]
	sight.Store(only(nil, "open"))
	l := &library{t: t, root: t.TempDir(), viewer: seeing(&sight)}
	names := []string{"open/a.md", "closed/b.md", "open/c.md", "closed/d.md"}
	var uris []string
	for _, name := range names {
		l.write(name, "# "+name+"\n")
		uris = append(uris, "shelf://Standard/"+name)
	}
	l.open(filepath.Join(t.TempDir(), "state"), indexer.Options{})
	old, modern := l.listeners(t, append(uris, "shelf://Standard/open/never.md", "shelf://Other/x.md"))
	all := map[string]string{}
	for way := range old {
		all[way] = ""
	}
	for way, in := range modern {
		all[way] = "7"
		r := in.receive()
		agreed, _ := json.Marshal(r.Params["notifications"])
		if r.heard().method != "subscriptions/acknowledged" || strings.Contains(string(agreed), "closed") || strings.Count(string(agreed), "shelf://") != 2 {
			t.Errorf("%s: acknowledged %s", way, agreed)
		}
		old[way] = in
	}
	tell := func(c indexer.Changed) { l.news.add(c); l.news.pass(); l.news.passing.Wait() }
	tell(indexer.Changed{Written: []string{"Standard/closed/b.md"}, Come: []string{"Standard/closed/x.md"}, Gone: []string{"Standard/closed/d.md"}})
	tell(indexer.Changed{Written: []string{"Standard/open/c.md", "Standard/closed/b.md"}})
	tell(indexer.Changed{Written: []string{"Standard/closed/b.md"}, Come: []string{"Standard/open/n.md", "Standard/closed/y.md"}})
	for way, stream := range all {
		for _, want := range []heard{{stream, updated, "shelf://Standard/open/c.md"}, {stream, listed, ""}} {
			if got := old[way].receive().heard(); got != want {
				t.Errorf("%s: heard %+v, want %+v", way, got, want)
			}
		}
	}
}

// TestADiskThatHangsForOneKeepsNewsFromNobodyElse: who waits for the disk waits alone, and is told when it answers
// again; who listens to nothing has nothing asked.
func TestADiskThatHangsForOneKeepsNewsFromNobodyElse(t *testing.T) {
	hang, asking, idle := make(chan struct{}), make(chan struct{}, 100), atomic.Int32{}
	var hangs, gaveUp atomic.Bool
	yes := func(files []string) ([]bool, error) {
		readable := make([]bool, len(files))
		for i := range readable {
			readable[i] = true
		}
		return readable, nil
	}
	slow := func(ctx context.Context, files []string) ([]bool, error) {
		if hangs.Load() {
			asking <- struct{}{}
			select {
			case <-hang:
			case <-ctx.Done():
				gaveUp.Store(true)
				return nil, ctx.Err()
			}
		}
		return yes(files)
	}
	counted := func(_ context.Context, files []string) ([]bool, error) {
		idle.Add(1)
		return yes(files)
	}
	sights := []*store.Sight{only(slow, "open"), only(counted, "open"), only(nil, "open")}
	var opened atomic.Int32
	l := &library{t: t, root: t.TempDir(), viewer: func(p Peer) Viewer {
		if !p.Known {
			return owner{true}
		}
		return viewing{sights[opened.Add(1)-1]}
	}}
	l.write("open/a.md", "# A\n")
	l.open(filepath.Join(t.TempDir(), "state"), indexer.Options{})
	a := "shelf://Standard/open/a.md"
	var peers []*peer
	for range sights {
		peers = append(peers, l.dial(t))
		peers[len(peers)-1].silent() // the sessions are opened in this order
	}
	waiting, quick := peers[0], peers[2]
	for _, p := range []*peer{waiting, quick} {
		p.handshake()
		p.request("resources/subscribe", uriParam(a), nil)
	}
	before := idle.Load()
	hangs.Store(true)
	l.write("open/a.md", "# A\n\nnew\n")
	l.write("open/b.md", "# B\n") // the disk has not been asked about it yet
	l.sync()
	await(t, "the disk to be asked", asking)
	quick.hears(heard{"", updated, a}, heard{"", listed, ""})
	if gaveUp.Load() {
		t.Error("the others were told after the one who waits for the disk had given up")
	}
	hangs.Store(false)
	close(hang)
	waiting.hears(heard{"", updated, a}, heard{"", listed, ""})
	l.news.passing.Wait()
	if n := idle.Load(); n != before {
		t.Errorf("the disk was asked %d times for a session that listens to nothing", n-before)
	}
}
