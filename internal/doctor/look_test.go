package doctor

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"shelfd/internal/config"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestLookCountsWhatWillBeWatchedAndIndexed(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/notes/a.md", "12345")
	write(t, dir+"/notes/sub/b.markdown", "678")
	write(t, dir+"/notes/sub/picture.png", "not counted")
	write(t, dir+"/notes/.git/c.md", "not counted")
	write(t, dir+"/notes/node_modules/d.md", "not counted")
	future := time.Now().Add(24 * time.Hour)
	if err := os.Chtimes(dir+"/notes/a.md", future, future); err != nil {
		t.Fatal(err)
	}
	paths := config.Paths{Database: dir + "/state/deep/index.db", Socket: dir + "/s"}
	facts := Look(context.Background(), paths, []config.Shelf{config.DefaultShelf("notes", dir+"/notes"), config.DefaultShelf("gone", dir+"/gone")}, "")
	s := facts.Shelves[0]
	if s.Folders != 2 || s.Files != 3 || s.Bytes != 8 || s.Err != nil || !s.Newest.After(facts.Now) {
		t.Errorf("%+v", s)
	}
	if facts.Shelves[1].Err == nil {
		t.Error("a root that is gone was not noticed")
	}
	if d := facts.State; d.There != dir || !d.Writable || d.Free == 0 || d.Err != nil {
		t.Errorf("%+v", d)
	}
	if _, err := os.Stat(dir + "/state"); err == nil {
		t.Error("looking made a folder")
	}
}

func TestClientsAreFoundAndTheirCommandIsTried(t *testing.T) {
	home := t.TempDir()
	here := filepath.Join(home, "shelfd")
	write(t, here, "")
	write(t, home+"/.claude.json", `{"mcpServers":{"shelfd":{"type":"stdio","command":"`+here+`","args":["connect"]}}}`)
	write(t, home+"/.cursor/mcp.json", `{"mcpServers":{"shelfd":{"command":"/nowhere/shelfd"}}}`)
	write(t, home+"/.config/zed/settings.json", "{ // comments are fine here\n \"context_servers\": {}}")
	write(t, home+"/.codex/config.toml", "[mcp_servers.shelfd]\ncommand = \"/nowhere/shelfd\"\n")
	want := map[string]Client{
		"claude-code": {Mentions: true, Command: here},
		"cursor":      {Mentions: true, Command: "/nowhere/shelfd", Missing: true},
		"zed":         {},
		"codex":       {Mentions: true, Command: "/nowhere/shelfd", Missing: true},
	}
	found := clients(home)
	if len(found) != len(want) {
		t.Errorf("%+v", found)
	}
	for _, c := range found {
		w := want[c.Name]
		w.Name, w.Path = c.Name, c.Path
		if c != w {
			t.Errorf("%+v, want %+v", c, w)
		}
	}
}
