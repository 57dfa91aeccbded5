package access_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"shelfd/indexer"
	"shelfd/internal/access"
	"shelfd/internal/shelftest"
	"shelfd/mcp"
	"shelfd/store"
)

// Users and groups that every Linux system has.
const (
	daemonUser = 1 // daemon
	binUser    = 2 // bin
	mailGroup  = 8 // mail
)

// served is a library on a socket that everybody can reach.
type served struct {
	*shelftest.Library
	access *access.Access
	server *mcp.Server
	socket string
}

func serve(t *testing.T, files map[string]string, r access.Rules) *served {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root, which alone can connect as other users")
	}
	var o shelftest.Options
	var names []string
	for path := range files {
		if shelf, _, _ := strings.Cut(path, "/"); !slices.Contains(names, shelf) {
			names = append(names, shelf)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		o.Shelves = append(o.Shelves, indexer.Shelf{ShelfSpec: store.ShelfSpec{Name: name}})
	}
	s := &served{Library: shelftest.New(t, o), access: access.New()}
	for path, text := range files {
		s.Write(path, text)
	}
	s.Sync()
	s.access.Set(r)
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, folder := range []string{dir, s.Folder, filepath.Dir(s.Folder)} {
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.socket = filepath.Join(dir, "s")
	l, err := mcp.Listen(s.socket)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.socket, 0o666); err != nil {
		t.Fatal(err)
	}
	server := mcp.New(mcp.Options{Store: s.Store, Indexer: s.Indexer, Viewer: func(p mcp.Peer) mcp.Viewer {
		return s.access.Viewer(access.Peer{UID: p.UID, GID: p.GID, Groups: p.Groups, Known: p.Known})
	}})
	s.server = server
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, l) }()
	t.Cleanup(func() { stop(); <-done })
	return s
}

// client is a connection that another user has made.
type client struct {
	t  *testing.T
	in *bufio.Reader
	c  net.Conn
}

// as connects as another user.
func (s *served) as(t *testing.T, uid, gid int, groups ...int) *client {
	t.Helper()
	c, err := dialAs(s.socket, uid, gid, groups...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &client{t, bufio.NewReaderSize(c, 1<<20), c}
}

// dialAs connects from a thread that has become the user: the kernel tells the server that one.
func dialAs(socket string, uid, gid int, groups ...int) (net.Conn, error) {
	type dialled struct {
		c   net.Conn
		err error
	}
	result := make(chan dialled)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		err := setThread(uid, gid, groups)
		var c net.Conn
		if err == nil {
			c, err = net.Dial("unix", socket)
		}
		result <- dialled{c, err}
	}()
	d := <-result
	return d.c, d.err
}

// setThread changes the calling thread only.
func setThread(uid, gid int, groups []int) error {
	raw := make([]uint32, len(groups)+1)
	for i, g := range groups {
		raw[i] = uint32(g)
	}
	defer runtime.KeepAlive(raw)
	for _, failed := range []error{
		rawCall(unix.SYS_SETGROUPS, uintptr(len(groups)), pointer(raw), 0),
		rawCall(unix.SYS_SETRESGID, uintptr(gid), uintptr(gid), uintptr(gid)),
		rawCall(unix.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid)),
	} {
		if failed != nil {
			return failed
		}
	}
	return nil
}

// call calls a tool and returns its envelope.
func (c *client) call(tool string, args map[string]any) string {
	c.t.Helper()
	request, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args}})
	fmt.Fprintf(c.c, "%s\n", request)
	if err := c.c.SetReadDeadline(time.Now().Add(shelftest.Guard)); err != nil {
		c.t.Fatal(err)
	}
	line, err := c.in.ReadBytes('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	var r struct {
		Result struct {
			Structured json.RawMessage `json:"structuredContent"`
		} `json:"result"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(line, &r); err != nil {
		c.t.Fatal(err)
	}
	return string(r.Result.Structured) + string(r.Error)
}

// sees lists the doc_paths that a search finds, of a kind of documents or of all.
func (c *client) sees(word string, kind ...string) string {
	c.t.Helper()
	args := map[string]any{"query": word, "limit": 50}
	for _, k := range kind {
		args["scope"] = k
	}
	var e struct {
		Data struct {
			Total int `json:"total"`
			Hits  []struct {
				Path string `json:"doc_path"`
			} `json:"hits"`
		} `json:"data"`
	}
	answer := c.call("search_documents", args)
	if err := json.Unmarshal([]byte(answer), &e); err != nil {
		return answer
	}
	var paths []string
	for _, h := range e.Data.Hits {
		paths = append(paths, h.Path)
	}
	if e.Data.Total != len(paths) {
		c.t.Errorf("total %d, hits %v", e.Data.Total, paths)
	}
	slices.Sort(paths)
	return strings.Join(paths, " ")
}

func offices() map[string]string {
	return map[string]string{
		"Open/a.md": "# Sparrow\n\nplumage\n", "Mail/a.md": "# Wren\n\nplumage\n", "Own/a.md": "# Robin\n\nplumage\n",
		"Mail/people/daemon/a.md": "# Finch\n\nplumage\n", "Mail/people/bin/a.md": "# Crow\n\nplumage\n",
		"Mail/departments/mail/a.md": "# Gull\n\nplumage\n", "Mail/departments/news/a.md": "# Tern\n\nplumage\n",
	}
}

func officeRules() access.Rules {
	return access.Rules{Shelves: []access.Shelf{
		{Name: "Open", Access: access.People{Users: []string{"daemon", "bin"}}},
		{Name: "Mail", Access: access.People{Groups: []string{"mail"}}, Scopes: []access.Scope{{Path: "people", Kind: access.Personal}, {Path: "departments", Kind: access.Department}}},
	}}
}

// TestPeersSeeWhatTheKernelSaysTheyAre connects as several users at one time.
func TestPeersSeeWhatTheKernelSaysTheyAre(t *testing.T) {
	s := serve(t, offices(), officeRules())
	own := s.as(t, 0, 0)
	plain := s.as(t, binUser, binUser)
	mailer := s.as(t, daemonUser, daemonUser, mailGroup)
	if got, want := own.sees("plumage"), "Mail/a.md Mail/departments/mail/a.md Mail/departments/news/a.md Mail/people/bin/a.md Mail/people/daemon/a.md Open/a.md Own/a.md"; got != want {
		t.Errorf("the daemon's user sees %s", got)
	}
	if got := plain.sees("plumage"); got != "Open/a.md" {
		t.Errorf("bin sees %s", got)
	}
	if got := mailer.sees("plumage"); got != "Mail/a.md Mail/departments/mail/a.md Mail/people/daemon/a.md Open/a.md" {
		t.Errorf("daemon in the group mail sees %s", got)
	}
	for _, k := range []struct{ kind, own, mailer string }{
		{"global", "Mail/a.md Open/a.md Own/a.md", "Mail/a.md Open/a.md"},
		{"department", "Mail/departments/mail/a.md Mail/departments/news/a.md", "Mail/departments/mail/a.md"},
		{"personal", "Mail/people/bin/a.md Mail/people/daemon/a.md", "Mail/people/daemon/a.md"},
	} {
		if got := own.sees("plumage", k.kind); got != k.own {
			t.Errorf("the daemon's user sees %s documents %s", k.kind, got)
		}
		if got := mailer.sees("plumage", k.kind); got != k.mailer {
			t.Errorf("daemon sees %s documents %s", k.kind, got)
		}
	}
	stranger := s.as(t, 4242, 4242)
	if got := stranger.call("browse_documents", nil); !strings.Contains(got, "user 4242 is not served") {
		t.Errorf("a stranger is told %s", got)
	}
	if got := plain.call("docs_management", map[string]any{"action": "manage_shelves", "operation": "add", "root": "/etc"}); !strings.Contains(got, "FORBIDDEN") {
		t.Errorf("a reader adds a shelf: %s", got)
	}
}

// TestRulesChangeForThoseWhoAreConnected: a session that is open sees by the rules of the moment.
func TestRulesChangeForThoseWhoAreConnected(t *testing.T) {
	s := serve(t, offices(), officeRules())
	c := s.as(t, binUser, binUser)
	if got := c.sees("plumage"); got != "Open/a.md" {
		t.Fatalf("bin sees %s", got)
	}
	r := officeRules()
	r.Shelves[0].Access, r.Shelves[1].Access.Users = access.People{}, []string{"bin"}
	s.access.Set(r)
	if got := c.sees("plumage"); got != "Mail/a.md Mail/people/bin/a.md" {
		t.Errorf("bin sees %s", got)
	}
	s.access.Set(access.Rules{})
	if got := c.sees("plumage"); got != "" {
		t.Errorf("bin sees %s", got)
	}
	s.access.Set(access.Rules{Admins: access.People{Users: []string{"bin"}}})
	if got := c.sees("robin"); got != "Own/a.md" {
		t.Errorf("an administrator sees %s", got)
	}
}

// TestWhatAPeerCouldNotReadIsLeftOut: the rules let a user in, and the disk does not.
func TestWhatAPeerCouldNotReadIsLeftOut(t *testing.T) {
	files := map[string]string{"Open/a.md": "# A\n\nplumage\n", "Open/own.md": "# B\n\nplumage zqsecret\n", "Open/shut/c.md": "# C\n\nplumage\n", "Open/group.md": "# D\n\nplumage\n"}
	s := serve(t, files, officeRules())
	mode := func(path string, bits os.FileMode) {
		t.Helper()
		if err := os.Chmod(s.Path(path), bits); err != nil {
			t.Fatal(err)
		}
	}
	mode("Open/a.md", 0o644)
	mode("Open/own.md", 0o600)
	mode("Open/shut", 0o700)
	mode("Open/group.md", 0o640)
	if err := os.Chown(s.Path("Open/group.md"), 0, mailGroup); err != nil {
		t.Fatal(err)
	}
	if got := s.as(t, 0, 0).sees("plumage"); got != "Open/a.md Open/group.md Open/own.md Open/shut/c.md" {
		t.Errorf("the daemon's user sees %s", got)
	}
	if got := s.as(t, daemonUser, daemonUser, mailGroup).sees("plumage"); got != "Open/a.md Open/group.md" {
		t.Errorf("the group sees %s", got)
	}
	c := s.as(t, binUser, binUser)
	if got := c.sees("plumage"); got != "Open/a.md" {
		t.Errorf("bin sees %s", got)
	}
	if got := c.call("browse_documents", map[string]any{"folder": "Open"}); !strings.Contains(got, `"total":1`) || strings.Contains(got, "shut") {
		t.Errorf("bin browses %s", got)
	}
	if got := c.call("search_documents", map[string]any{"query": "zqsecrat"}); strings.Contains(got, "zqsecret") {
		t.Errorf("a word of a file that cannot be read is suggested: %s", got)
	}
	if got, want := c.call("get_document", map[string]any{"doc_path": "Open/own.md"}), c.call("get_document", map[string]any{"doc_path": "Open/owl.md"}); strings.ReplaceAll(got, "own", "owl") != want {
		t.Errorf("hidden: %s\nnever there: %s", got, want)
	}
	mode("Open/shut", 0o755)
	s.Eventually("the folder that was opened is seen", func() bool { return c.sees("plumage") == "Open/a.md Open/shut/c.md" }, func() string { return c.sees("plumage") })
	mode("Open/a.md", 0o600)
	s.Eventually("the file that was closed is not seen", func() bool { return c.sees("plumage") == "Open/shut/c.md" }, func() string { return c.sees("plumage") })
}
