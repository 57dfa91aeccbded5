package watcher

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Disk is the file system as this package sees it: one edge, at which tests inject faults. Paths are absolute.
type Disk interface {
	// Lstat looks at the path itself, Stat at what it leads to.
	Lstat(path string) (Stat, error)
	Stat(path string) (Stat, error)
	// ReadDir reads a folder, not through a link: what it is itself, and its names in any order, as far as pick wants
	// them. What it read before an error is returned with the error.
	ReadDir(path string, pick func(name string, kind Kind) Pick) (Stat, []Dirent, error)
	// ReadRules reads an ignore file, which must be a regular one of at most a mebibyte.
	ReadRules(path string) ([]byte, error)
	// Resolve resolves every link in path.
	Resolve(path string) (string, error)
	// Readable returns an error when the folder can't be opened for reading.
	Readable(path string) error
	// Remote names the file system path is on, and says whether changes made elsewhere cause no events here.
	Remote(path string) (name string, remote bool)
}

// Kind is what stands under a name.
type Kind uint8

// The kinds.
const (
	KindUnknown Kind = iota
	KindFile
	KindFolder
	KindLink
	KindSpecial // FIFO, socket, device
)

// Pick says what is wanted of a name.
type Pick uint8

// The picks: nothing, the name and kind, these and the Stat.
const (
	PickNone Pick = iota
	PickName
	PickStat
)

// Stat is what the disk says about a path.
type Stat struct {
	Kind       Kind
	Size       int64
	ModTime    int64 // unix nanoseconds
	ChangeTime int64
	Inode      uint64
	Device     uint64
	Links      uint32
	Absent     bool // the name of a file whose contents are in a cloud: to read it would fetch it
}

// Dirent is one name of a folder.
type Dirent struct {
	Name string
	Kind Kind
	Stat Stat  // with PickStat
	Err  error // of the stat
}

// ident is what makes a folder the same folder, within one run of the program.
type ident struct{ device, inode uint64 }

func (s Stat) ident() ident { return ident{s.Device, s.Inode} }

// OS is the real file system.
type OS struct{}

// maxRules bounds an ignore file: real ones have a few kilobytes.
const maxRules = 1 << 20

var errNotRegular = errors.New("not a regular file")

// Lstat implements Disk.
func (OS) Lstat(path string) (Stat, error) {
	return statAt(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW)
}

// Stat implements Disk.
func (OS) Stat(path string) (Stat, error) { return statAt(unix.AT_FDCWD, path, 0) }

// Resolve implements Disk.
func (OS) Resolve(path string) (string, error) { return filepath.EvalSymlinks(path) }

// Readable implements Disk.
func (OS) Readable(path string) error {
	fd, err := openFolder(path)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// ReadRules implements Disk.
func (OS) ReadRules(path string) ([]byte, error) {
	// Not blocking: a FIFO of that name must not hold us up.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, errNotRegular
	}
	return io.ReadAll(io.LimitReader(f, maxRules))
}

// openFolder opens a folder to read its names; a link in the last place is refused with ELOOP or ENOTDIR.
func openFolder(path string) (int, error) {
	for {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

func statAt(dir int, name string, flags int) (Stat, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(dir, name, &st, flags)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return Stat{}, err
		}
		return newStat(&st), nil
	}
}

func statFolder(fd int) (Stat, error) {
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	return newStat(&st), err
}

func newStat(st *unix.Stat_t) Stat {
	return Stat{
		Kind: kindOfMode(uint32(st.Mode)), Size: st.Size,
		ModTime: st.Mtim.Nano(), ChangeTime: st.Ctim.Nano(),
		Inode: st.Ino, Device: uint64(st.Dev), Links: uint32(st.Nlink),
		Absent: isPlaceholder(st),
	}
}

func kindOfMode(mode uint32) Kind {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return KindFile
	case unix.S_IFDIR:
		return KindFolder
	case unix.S_IFLNK:
		return KindLink
	}
	return KindSpecial
}

// pickAt turns a name into a Dirent when it is wanted; ok is false where it is not, or has gone meanwhile.
func pickAt(dir int, name string, kind Kind, pick func(string, Kind) Pick) (d Dirent, ok bool) {
	d = Dirent{Name: name, Kind: kind}
	if kind == KindUnknown {
		d.Stat, d.Err = statAt(dir, name, unix.AT_SYMLINK_NOFOLLOW)
		d.Kind = d.Stat.Kind
		return d, !vanished(d.Err) && pick(name, d.Kind) != PickNone
	}
	want := pick(name, kind)
	if want != PickStat {
		return d, want == PickName
	}
	d.Stat, d.Err = statAt(dir, name, unix.AT_SYMLINK_NOFOLLOW)
	if d.Err == nil {
		d.Kind = d.Stat.Kind
	}
	return d, !vanished(d.Err)
}

// vanished says that err means that nothing stands at the path, which is no fault.
func vanished(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR)
}
