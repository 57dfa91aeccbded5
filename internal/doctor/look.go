package doctor

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"shelfd/internal/config"
	"shelfd/watcher"
)

// Limits of the look at one shelf: who has more waits too long for an answer that no longer changes.
const (
	manyFolders = 1 << 20
	fewNamed    = 3
)

// Look gathers the facts about the program's files, the shelves and the machine. home is where clients keep their
// configurations.
func Look(ctx context.Context, paths config.Paths, shelves []config.Shelf, home string) Facts {
	f := Facts{
		Now: time.Now(), Built: built(), UID: os.Getuid(),
		State:  folder(filepath.Dir(paths.Database)),
		Socket: Socket{Path: paths.Socket, Folder: folder(filepath.Dir(paths.Socket)), TooLong: config.CheckSocketPath(paths.Socket)},
	}
	if f.Socket.TooLong == nil {
		var d net.Dialer
		if c, err := d.DialContext(ctx, "unix", paths.Socket); err == nil {
			c.Close()
			f.Socket.Answers = true
		}
	}
	for _, s := range shelves {
		f.Shelves = append(f.Shelves, root(ctx, s))
	}
	f.Watches = systemWatches()
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) == nil {
		f.Files = files.Max // The Go runtime raises what is granted to what may be.
	}
	if home != "" {
		f.Clients = clients(home)
	}
	return f
}

// built is the time of the commit that the program was made of.
func built() time.Time {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return time.Time{}
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			at, _ := time.Parse(time.RFC3339, s.Value)
			return at
		}
	}
	return time.Time{}
}

// folder looks at a folder, or at the nearest one above that is there: the daemon makes the rest.
func folder(path string) Folder {
	f := Folder{Path: path, There: path}
	stat, err := os.Stat(f.There)
	for errors.Is(err, fs.ErrNotExist) && f.There != filepath.Dir(f.There) {
		f.There = filepath.Dir(f.There)
		stat, err = os.Stat(f.There)
	}
	if err == nil && !stat.IsDir() {
		err = &fs.PathError{Op: "enter", Path: f.There, Err: syscall.ENOTDIR}
	}
	if err != nil {
		f.Err = err
		return f
	}
	if owner, ok := stat.Sys().(*syscall.Stat_t); ok {
		f.Owner = int(owner.Uid)
	}
	f.Mode = modeOf(stat.Mode())
	f.Writable = unix.Access(f.There, unix.W_OK|unix.X_OK) == nil
	f.FileSystem, f.Remote = watcher.OS{}.Remote(f.There)
	var room unix.Statfs_t
	if unix.Statfs(f.There, &room) == nil {
		f.Free = room.Bavail * uint64(room.Bsize)
	}
	return f
}

// root walks a shelf: folders to watch, bytes to index, and what cannot be read.
func root(ctx context.Context, s config.Shelf) Shelf {
	found := Shelf{Name: s.Name, Root: s.Root, Polled: s.Watch == "poll"}
	found.FileSystem, found.Remote = watcher.OS{}.Remote(s.Root)
	err := filepath.WalkDir(s.Root, func(path string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if path == s.Root {
				return err
			}
			found.deny(s.Root, path, err)
			return nil
		}
		if path != s.Root && ignored(entry.Name()) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() {
			found.Folders++
			if found.Cut = found.Folders >= manyFolders; found.Cut {
				return fs.SkipAll
			}
			return nil
		}
		found.Files++
		if entry.Type().IsRegular() && document(entry.Name()) {
			found.document(s.Root, path, entry)
		}
		return nil
	})
	found.Err = err
	return found
}

func (s *Shelf) document(root, path string, entry fs.DirEntry) {
	stat, err := entry.Info()
	if err != nil {
		return // It vanished, which is no fault.
	}
	s.Bytes += uint64(stat.Size())
	if stat.ModTime().After(s.Newest) {
		s.Newest = stat.ModTime()
	}
	if err := unix.Access(path, unix.R_OK); err != nil {
		s.deny(root, path, err)
	}
}

// deny notes a path that is there and may not be read.
func (s *Shelf) deny(root, path string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	s.Denied++
	if inside, err := filepath.Rel(root, path); err == nil && len(s.Unreadable) < fewNamed {
		s.Unreadable = append(s.Unreadable, inside)
	}
}

// ignored are the names that no shelf has by default. The rules of a shelf may say more; for a count this will do.
func ignored(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || name == "__pycache__"
}

func document(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".md", ".markdown", ".mdx":
		return true
	}
	return false
}

// clients are the configuration files of MCP clients below home, where they are.
func clients(home string) []Client {
	var found []Client
	for _, c := range []struct{ name, path string }{
		{"claude-code", ".claude.json"},
		{"claude-desktop", ".config/Claude/claude_desktop_config.json"},
		{"claude-desktop", "Library/Application Support/Claude/claude_desktop_config.json"},
		{"cursor", ".cursor/mcp.json"},
		{"vscode", ".config/Code/User/mcp.json"},
		{"vscode", "Library/Application Support/Code/User/mcp.json"},
		{"zed", ".config/zed/settings.json"},
		{"codex", ".codex/config.toml"},
	} {
		path := filepath.Join(home, c.path)
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		found = append(found, read(Client{Name: c.name, Path: path}, string(text)))
	}
	return found
}

// entry and command find shelfd's part of such a file, JSON or TOML, and the command nearest below it. Some clients
// allow comments in their JSON, which is why no decoder is asked.
var (
	entry   = regexp.MustCompile(`"shelfd"\s*:\s*\{|mcp_servers\.shelfd\]`)
	command = regexp.MustCompile(`"?command"?\s*[:=]\s*"((?:[^"\\]|\\.)*)"`)
)

// entryBytes is how far below its name a command is looked for.
const entryBytes = 600

func read(c Client, text string) Client {
	c.Mentions = strings.Contains(text, "shelfd")
	at := entry.FindStringIndex(text)
	if at == nil {
		return c
	}
	part := text[at[1]:]
	if m := command.FindStringSubmatch(part[:min(len(part), entryBytes)]); m != nil {
		c.Command = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(m[1])
		if filepath.IsAbs(c.Command) {
			_, err := os.Stat(c.Command)
			c.Missing = errors.Is(err, fs.ErrNotExist)
		}
	}
	return c
}
