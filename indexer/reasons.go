package indexer

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"syscall"

	"shelfd/store"
	"shelfd/watcher"
)

// rootFault is why the root itself could not be looked at, nil when it could.
func rootFault(l watcher.Listing) error {
	for _, f := range l.Faults {
		if f.Path == "" {
			return f.Err
		}
	}
	return nil
}

// offlineReason says why what the listing shows is not to be believed, "" when it is.
func (r *run) offlineReason(s *shelf, g *sight, known []store.File, device uint64) string {
	l := g.listing
	if err := rootFault(l); err != nil {
		return faultReason(s, err, len(known))
	}
	if len(known) == 0 || device == store.OtherRoot {
		return ""
	}
	if len(l.Entries) == 0 && g.bare() {
		return emptyReason(s, g.noRoot, len(known))
	}
	if device != 0 && l.RootDevice != device && 2*present(known, l.Entries) < len(known) {
		return fmt.Sprintf("%s is on another device than before and most of its %d documents are not there; mount it again; %s", s.Root.Path, len(known), waiting(s, len(known)))
	}
	return ""
}

// passes says whether a read that failed so may work in a moment.
func passes(err error) bool {
	for _, errno := range []syscall.Errno{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EINTR, syscall.EAGAIN, syscall.EIO, syscall.ESTALE, syscall.ETIMEDOUT,
	} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// faultReason is what is said of a root that cannot be looked at, while n documents of it are kept.
func faultReason(s *shelf, err error, n int) string {
	remedy := "put the folder back"
	switch {
	case errors.Is(err, fs.ErrPermission):
		remedy = permit(runtime.GOOS)
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		remedy = "allow more (ulimit -n, or LimitNOFILE= in the unit)"
	}
	if n == 0 {
		return fmt.Sprintf("%s: %v; no documents of it are kept; %s and it is indexed, or remove the shelf", s.Root.Path, err, remedy)
	}
	return fmt.Sprintf("%s: %v; %s; %s", s.Root.Path, err, remedy, waiting(s, n))
}

// permit is how a user is given the right to read a folder. macOS refuses some folders to whoever was not let in by the
// user, whatever their mode.
func permit(system string) string {
	if system == "darwin" {
		return "let this program read it: System Settings, Privacy & Security, Full Disk Access (or chmod u+rx)"
	}
	return "give the daemon's user the right to read it (chmod u+rx)"
}

// emptyReason is what is said of a root without an entry, while n documents of it are kept; err is why it could not be
// looked into.
func emptyReason(s *shelf, err error, n int) string {
	if err != nil {
		return faultReason(s, err, n)
	}
	return fmt.Sprintf("%s is empty, where %s stood; mount it or put them back; %s", s.Root.Path, plural(n, "document"), waiting(s, n))
}

// waiting says that nothing is lost before it names what removes documents.
func waiting(s *shelf, n int) string {
	kept := plural(n, "document") + " are"
	if n == 1 {
		kept = "1 document is"
	}
	return fmt.Sprintf("its %s kept and searched meanwhile, and waiting is safe: all comes back with the folder. Only to remove it from the index: shelfd sync --accept-deletions %s", kept, s.Name)
}
