package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
)

// Flags are what a person said on the command line; "" = not said.
type Flags struct{ Config, Database, Socket string }

// Paths says where the program's own files stand.
type Paths struct {
	Config   string // the configuration file, as it was named; "" when none was and the usual place holds none
	Database string
	Ledger   string // what people said, beside the database
	Lock     string // held by the daemon, beside the database
	Socket   string
}

// Locate finds the program's files: flag, then environment, then the folders of the XDG base directory specification.
// All paths but that of the configuration, which stands in messages as it was named, come back absolute.
func Locate(flags Flags, getenv func(string) string) (Paths, error) {
	l := locator{getenv: getenv}
	p := Paths{
		Config:   l.config(flags.Config),
		Database: l.first(flags.Database, getenv("SHELFD_DB_PATH"), func() string { return l.state("index.db") }),
	}
	p.Socket = l.first(flags.Socket, getenv("SHELFD_SOCKET"), l.socket)
	if l.err != nil {
		return Paths{}, fmt.Errorf("config: %w", l.err)
	}
	p.Ledger = filepath.Join(filepath.Dir(p.Database), "ledger.jsonl")
	p.Lock = p.Database + ".lock"
	return p, nil
}

// locator keeps the first error, so that Locate reads as a list.
type locator struct {
	getenv func(string) string
	err    error
}

func (l *locator) first(flag, env string, usual func() string) string {
	said := cmp.Or(flag, env)
	if said == "" {
		return usual()
	}
	abs, err := expandAbs(said)
	l.note(err)
	return abs
}

func (l *locator) config(flag string) string {
	if named := cmp.Or(flag, l.getenv("SHELFD_CONFIG")); named != "" {
		expanded, err := expandHome(named)
		l.note(err)
		return expanded
	}
	file := l.base("XDG_CONFIG_HOME", ".config", "config.yaml")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return file
}

// note keeps the first error.
func (l *locator) note(err error) {
	if l.err == nil {
		l.err = err
	}
}

func (l *locator) state(name string) string { return l.base("XDG_STATE_HOME", ".local/state", name) }

// base is name in the shelfd folder of an XDG base directory. The specification says to ignore a relative one.
func (l *locator) base(variable, usual, name string) string {
	if dir := l.getenv(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, "shelfd", name)
	}
	home, err := homeOf(l.getenv)
	if err != nil {
		l.note(fmt.Errorf("find the home folder: %w; set HOME or $%s", err, variable))
	}
	return filepath.Join(home, usual, "shelfd", name)
}

// socket is in the folder for run time files. Without XDG_RUNTIME_DIR (cron, su, a container) the daemon and its
// clients must still meet: the same folder by its systemd name when it is there, else the state folder, which is
// private as well.
func (l *locator) socket() string {
	if dir := l.getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "shelfd", "mcp.sock")
	}
	usual := fmt.Sprintf("/run/user/%d", os.Getuid())
	if runtime.GOOS == "darwin" {
		usual = l.getenv("TMPDIR")
	}
	if filepath.IsAbs(usual) && ours(usual) == nil {
		return filepath.Join(usual, "shelfd", "mcp.sock")
	}
	return l.state("mcp.sock")
}

func homeOf(getenv func(string) string) (string, error) {
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return home, nil
	}
	u, err := user.Current()
	if err != nil {
		return "", err
	}
	return u.HomeDir, nil
}

// Expand replaces a leading ~ by the home folder of the user.
func Expand(path string) (string, error) {
	if path != "~" && !strings.HasPrefix(path, "~/") {
		if strings.HasPrefix(path, "~") {
			return "", fmt.Errorf("%q: only ~ and ~/… are understood; write the folder out", path)
		}
		return path, nil
	}
	home, err := homeOf(os.Getenv)
	if err != nil {
		return "", fmt.Errorf("%q: %w", path, err)
	}
	return filepath.Join(home, path[1:]), nil
}

// expandHome is Expand of what a shell has seen already: a file named ~x is meant as it stands.
func expandHome(path string) (string, error) {
	if strings.HasPrefix(path, "~/") {
		return Expand(path)
	}
	return path, nil
}

func expandAbs(path string) (string, error) {
	expanded, err := expandHome(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(expanded)
}

// Resolve is path with the symlinks of its longest existing part resolved, so that a root that is missing now compares
// as it will when it comes.
func Resolve(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	above := filepath.Dir(path)
	if above == path {
		return path
	}
	return filepath.Join(Resolve(above), filepath.Base(path))
}

// Inside says whether path lies below folder, or is it. Both are absolute and clean.
func Inside(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}
