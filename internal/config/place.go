package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// CheckPlacement refuses own files below a root: shelfd never writes there, and its own writes would wake the watcher.
func CheckPlacement(p Paths, roots []string) error {
	own := []struct{ what, path string }{{"database", p.Database}, {"ledger", p.Ledger}, {"socket", p.Socket}}
	for _, root := range roots {
		for _, o := range own {
			if o.path != "" && Inside(Resolve(o.path), root) {
				return fmt.Errorf("config: the %s %q is inside the shelf root %q, where shelfd never writes; move it with --%s",
					o.what, o.path, root, flagOf(o.what))
			}
		}
	}
	return nil
}

func flagOf(what string) string {
	if what == "socket" {
		return "socket"
	}
	return "db"
}

// MakeFolder makes the folder of one of the program's files private (0700). An existing folder keeps its mode if it is
// ours and nobody else may write to it; otherwise others could swap the file, and it is refused.
func MakeFolder(folder string) error {
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return fmt.Errorf("config: %w", err)
		}
		// The umask can only narrow 0700, and a folder of ours that we cannot enter helps nobody.
		if err := os.Chmod(folder, 0o700); err != nil {
			return fmt.Errorf("config: %w", err)
		}
		return nil
	}
	if err := ours(folder); err != nil {
		return fmt.Errorf("config: folder %q: %w", folder, err)
	}
	return nil
}

// ours says why a folder cannot be trusted with the program's files. A folder with the sticky bit passes: there others
// can add files and not touch ours.
func ours(folder string) error {
	stat, err := os.Stat(folder)
	if err != nil {
		return err
	}
	if !stat.IsDir() {
		return errors.New("is a file")
	}
	owner, known := stat.Sys().(*syscall.Stat_t)
	sticky := stat.Mode()&fs.ModeSticky != 0
	if known && int(owner.Uid) != os.Getuid() && !(sticky && owner.Uid == 0) {
		return fmt.Errorf("belongs to user %d, not to you; name another one", owner.Uid)
	}
	if stat.Mode().Perm()&0o022 != 0 && !sticky {
		return fmt.Errorf("others may write to it (mode %04o); chmod go-w it or name another one", stat.Mode().Perm())
	}
	return nil
}

// CheckEnterable says why users other than the daemon's could not reach a socket whose mode invites them.
func CheckEnterable(socket string, mode fs.FileMode) error {
	if mode&0o077 == 0 {
		return nil
	}
	var needed fs.FileMode // the x bits that whoever is invited needs on every folder above
	if mode&0o060 != 0 {
		needed |= 0o010
	}
	if mode&0o006 != 0 {
		needed |= 0o001
	}
	for folder := filepath.Dir(socket); ; folder = filepath.Dir(folder) {
		stat, err := os.Stat(folder)
		if err != nil {
			return fmt.Errorf("config: %w", err)
		}
		if missing := needed &^ stat.Mode().Perm(); missing != 0 {
			return fmt.Errorf("config: socket_mode %04o invites others, but they cannot enter %q (mode %04o); chmod it or move the socket with --socket",
				mode, folder, stat.Mode().Perm())
		}
		if folder == filepath.Dir(folder) {
			return nil
		}
	}
}

// CheckSocketPath says that a path is too long for the address of a Unix socket, which the kernel would only call an
// invalid argument. 107 bytes on Linux, 103 on macOS: the field less its closing zero.
func CheckSocketPath(socket string) error {
	const limit = len(syscall.RawSockaddrUnix{}.Path) - 1
	if len(socket) > limit {
		return fmt.Errorf("config: socket %q: the path has %d bytes, the system takes %d; name a shorter one with --socket or $SHELFD_SOCKET",
			socket, len(socket), limit)
	}
	return nil
}
