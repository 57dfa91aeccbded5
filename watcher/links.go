package watcher

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"
)

var (
	errLinkLeaves  = errors.New("link leads out of the root")
	errLinkFolder  = errors.New("link to a folder is not followed")
	errLinkNowhere = errors.New("link leads nowhere")
	errLinkLoop    = errors.New("link leads to itself")
)

func isLoop(err error) bool { return errors.Is(err, unix.ELOOP) }

// link looks at a symbolic link and records it as what it leads to. It returns true for a folder to be followed.
func (w *walk) link(path, real string, out *found) (follow bool) {
	st, err := w.disk.Stat(real)
	switch {
	case vanished(err):
		out.skip(path, errLinkNowhere, w.filter.file(path))
	case isLoop(err):
		out.skip(path, errLinkLoop, w.filter.file(path))
	case err != nil:
		out.fault(path, err)
	case st.Kind == KindFolder:
		out.skip(path, errLinkFolder, !w.filter.follow && w.filter.folder(path))
		return w.filter.follow && w.filter.folder(path)
	case w.filter.file(path):
		w.fileLink(path, real, st, out)
	}
	return false
}

func (w *walk) fileLink(path, real string, st Stat, out *found) {
	if !w.filter.follow {
		target, err := w.disk.Resolve(real)
		if err != nil {
			out.fault(path, err)
			return
		}
		if !inside(w.root, target) {
			out.skip(path, errLinkLeaves, true)
			return
		}
	}
	out.file(path, st)
}

func (f *found) skip(path string, err error, really bool) {
	if really {
		f.skipped = append(f.skipped, Fault{path, err})
	}
}

// inside says whether the resolved path lies below root.
func inside(root, path string) bool {
	return root == "/" || strings.HasPrefix(path, root+"/")
}
