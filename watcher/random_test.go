package watcher

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// editing makes random changes with few names, so that paths collide: a name is now a file, now a folder, now a link.
type editing struct {
	rand *rand.Rand
	root string // the shelf
	away string // a folder that isn't watched
	log  []string
}

func (e *editing) path() string {
	names := []string{"a", "b", "c.md", "d.md", "sub", "e.txt"}
	depth := 1 + e.rand.IntN(4)
	parts := make([]string, depth)
	for i := range parts {
		parts[i] = names[e.rand.IntN(len(names))]
	}
	return strings.Join(parts, "/")
}

// step makes one change. What can't be done is not done: only what the disk says afterwards counts.
func (e *editing) step() {
	p, q := filepath.Join(e.root, e.path()), filepath.Join(e.root, e.path())
	away := filepath.Join(e.away, fmt.Sprint(e.rand.IntN(3)))
	text := []byte(strings.Repeat("x", e.rand.IntN(50)))
	var what string
	switch e.rand.IntN(14) {
	case 0, 1, 2:
		what = "write " + p
		_ = os.MkdirAll(filepath.Dir(p), 0o750)
		_ = os.WriteFile(p, text, 0o600)
	case 3:
		what = "save " + p
		tmp := filepath.Join(filepath.Dir(p), ".tmp")
		if os.WriteFile(tmp, text, 0o600) == nil && os.Rename(tmp, p) != nil {
			_ = os.Remove(tmp)
		}
	case 4, 5, 6:
		what = "move " + p + " " + q
		_ = os.Rename(p, q)
	case 7:
		what = "remove " + p
		_ = os.RemoveAll(p)
	case 8:
		what = "out " + p
		_ = os.RemoveAll(away)
		_ = os.Rename(p, away)
	case 9:
		what = "in " + p
		_ = os.Rename(away, p)
	case 10:
		what = "late write in " + away
		_ = os.WriteFile(filepath.Join(away, "c.md"), text, 0o600)
	case 11:
		what = "link " + p + " " + q
		_ = os.Symlink(q, p)
	case 12:
		what = "rules in " + filepath.Dir(p)
		_ = os.WriteFile(filepath.Join(filepath.Dir(p), ".gitignore"), []byte([]string{"sub/", "c.md", "*.md\n!c.md"}[e.rand.IntN(3)]), 0o600)
	case 13:
		what = "no rules in " + filepath.Dir(p)
		_ = os.Remove(filepath.Join(filepath.Dir(p), ".gitignore"))
	}
	e.log = append(e.log, what)
}

func TestRandomEditingIsNeverMissed(t *testing.T) {
	rounds := uint64(60)
	if testing.Short() {
		rounds = 10
	}
	base := rand.Uint64()
	for round := range rounds {
		t.Run(fmt.Sprint(base+round), func(t *testing.T) {
			t.Parallel()
			e, root := newEditing(t, base+round)
			root.FollowSymlinks = round%4 == 3
			m := startMirror(t, Options{}, root)
			for range 5 {
				for range 8 {
					e.step()
				}
				m.matches()
				m.watchesAgree()
			}
		})
	}
}
