package watcher

import (
	"cmp"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"
)

// look finds single paths for a walk. It goes down from the root, because rules and links of the folders above decide
// whether a path counts, and remembers the folders it came through.
type look struct {
	walk    *walk
	folders map[string]*step
	names   map[string]map[string]bool // exact names of folders, where the file system folds names
}

// step is a folder on the way down; ok is false when nothing below it counts.
type step struct {
	folder folder
	ok     bool
}

func newLook(w *walk) *look {
	return &look{walk: w, folders: map[string]*step{}, names: map[string]map[string]bool{}}
}

// all looks at sorted paths. Folders are queued for the walk.
func (l *look) all(under []string) {
	for _, p := range newCover(under) {
		if l.walk.ctx.Err() != nil {
			return
		}
		if above := l.descend(parent(p)); above.ok {
			l.one(p, above.folder)
		}
	}
}

// parent is the folder a relative path stands in, "" = root.
func parent(p string) string { return p[:max(strings.LastIndexByte(p, '/'), 0)] }

// one looks at a path whose folder counts.
func (l *look) one(p string, above folder) {
	w, real := l.walk, join(above.real, lastName(p))
	if !w.filter.file(p) && !w.filter.folder(p) {
		return
	}
	st, err := l.lstat(p, real)
	if err != nil {
		w.found.fault(p, err)
		return
	}
	if w.filter.ignored(above.rules, p, st.Kind == KindFolder) {
		return
	}
	switch {
	case st.Kind == KindFolder:
		if w.filter.folder(p) {
			w.folders = append(w.folders, folder{p, real, above.rules})
		}
	case st.Kind == KindLink:
		w.link(p, real, &w.found)
	case w.filter.file(p):
		w.found.file(p, st)
	}
}

// descend returns the folder p with the rules in force in it.
func (l *look) descend(p string) *step {
	if s := l.folders[p]; s != nil {
		return s
	}
	s := &step{}
	l.folders[p] = s
	if p == "" {
		s.folder, s.ok = folder{real: l.walk.root}, true
		l.own(s)
		return s
	}
	above := l.descend(parent(p))
	if !above.ok || !l.walk.filter.folder(p) || l.walk.filter.ignored(above.folder.rules, p, true) {
		return s
	}
	s.folder = folder{p, join(above.folder.real, lastName(p)), above.folder.rules}
	st, err := l.lstat(p, s.folder.real)
	if err != nil {
		l.walk.found.fault(p, err)
		return s
	}
	s.ok = st.Kind == KindFolder // a link to a folder is not gone through
	l.own(s)
	return s
}

// own adds the ignore files of the folder itself.
func (l *look) own(s *step) {
	if !s.ok || !l.walk.filter.ignores {
		return
	}
	r, skipped, err := readRules(l.walk.disk, s.folder, [2]bool{true, true})
	l.walk.found.skipped = append(l.walk.found.skipped, skipped...)
	if err != nil {
		l.walk.found.fault(s.folder.path, err)
		s.ok = false
		return
	}
	s.folder.rules = r
}

// lstat looks at a path by its exact bytes. A file system that folds case (or Unicode forms) finds a file under names
// it doesn't bear: where the name with its case turned leads to the same file, the names of the folder decide.
func (l *look) lstat(p, real string) (Stat, error) {
	st, err := l.walk.disk.Lstat(real)
	if err != nil {
		return st, err
	}
	name := lastName(real)
	turned := strings.Map(turnCase, name)
	if turned == name {
		return st, nil
	}
	other, err := l.walk.disk.Lstat(real[:len(real)-len(name)] + turned)
	if err != nil || other.ident() != st.ident() {
		return st, nil
	}
	names, err := l.exactNames(parent(real))
	if err == nil && !names[name] {
		err = unix.ENOENT
	}
	return st, err
}

func turnCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}

func (l *look) exactNames(real string) (map[string]bool, error) {
	if known := l.names[real]; known != nil {
		return known, nil
	}
	_, names, err := l.walk.disk.ReadDir(cmp.Or(real, "/"), func(string, Kind) Pick { return PickName })
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool, len(names))
	for _, d := range names {
		known[d.Name] = true
	}
	l.names[real] = known
	return known, nil
}
