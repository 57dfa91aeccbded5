package indexer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"shelfd/watcher"
)

// Folder is an open root from which files are read.
type Folder interface {
	// Open opens a regular file for reading, without waiting and without leaving the root.
	Open(path string) (*os.File, error)
	// Empty says whether the root has no entry of any kind.
	Empty() (bool, error)
	Close() error
}

// systemDisk is the disk as the operating system shows it; the watcher lists, since it paces polling by how long that takes.
type systemDisk struct{ Lister }

// Lister lists what stands below a root.
type Lister interface {
	List(ctx context.Context, root watcher.Root, under []string) (watcher.Listing, error)
}

func (systemDisk) Open(root watcher.Root) (Folder, error) {
	real, err := filepath.EvalSymlinks(root.Path)
	if err != nil {
		return nil, err
	}
	// Where a FIFO took the place of the folder, opening it would wait for somebody who writes.
	if stat, err := os.Stat(real); err == nil && !stat.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: real, Err: syscall.ENOTDIR}
	}
	r, err := os.OpenRoot(real)
	if err != nil {
		return nil, err
	}
	return systemFolder{r, root.FollowSymlinks}, nil
}

// systemFolder opens files through a root without links of its own.
type systemFolder struct {
	root   *os.Root
	follow bool
}

// readOnly has O_NONBLOCK: a FIFO that took the place of the file must not hold us.
const readOnly = os.O_RDONLY | syscall.O_NONBLOCK

func (f systemFolder) Open(path string) (*os.File, error) {
	file, err := f.root.OpenFile(path, readOnly, 0)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	// os.Root takes an absolute link for one that leaves, also where it leads to a file inside.
	real, resolveErr := filepath.EvalSymlinks(filepath.Join(f.root.Name(), filepath.FromSlash(path)))
	if resolveErr != nil {
		return nil, resolveErr
	}
	if f.follow {
		return os.OpenFile(real, readOnly, 0)
	}
	inside, relErr := filepath.Rel(f.root.Name(), real)
	if relErr != nil || inside == path {
		return nil, err
	}
	return f.root.OpenFile(inside, readOnly, 0)
}

func (f systemFolder) Empty() (bool, error) {
	dir, err := f.root.Open(".")
	if err != nil {
		return false, err
	}
	defer dir.Close()
	_, err = dir.Readdirnames(1)
	if errors.Is(err, io.EOF) {
		return true, nil
	}
	return false, err
}

func (f systemFolder) Close() error { return f.root.Close() }

// content is a file as it was read, with the times that belong to exactly these bytes.
type content struct {
	bytes  []byte
	stat   watcher.Stat
	readAt int64
}

// errTooLarge says that a file exceeds max_file_size.
var errTooLarge = errors.New("larger than max_file_size")

// errSpecial says that a FIFO, socket, device or folder took the place of a file.
var errSpecial = errors.New("not a regular file any more")

// errUnsettled says that a file changed while it was read, more than once.
var errUnsettled = errors.New("changes while it is read")

// readFile reads a file whole; the file must show the same size and times before and after.
func readFile(folder Folder, path string, limit int64) (content, error) {
	for range 3 {
		c, settled, err := readOnce(folder, path, limit)
		if err != nil || settled {
			return c, err
		}
	}
	return content{}, errUnsettled
}

func readOnce(folder Folder, path string, limit int64) (c content, settled bool, err error) {
	file, err := folder.Open(path)
	if err != nil {
		return c, false, err
	}
	defer file.Close()
	c.readAt = time.Now().UnixNano()
	before, err := watcher.StatFile(file)
	if err != nil {
		return c, false, err
	}
	if before.Kind != watcher.KindFile {
		return c, false, errSpecial
	}
	if before.Size > limit {
		return c, false, fmt.Errorf("%w (%d bytes, %d allowed)", errTooLarge, before.Size, limit)
	}
	buffer := make([]byte, before.Size+1)
	n, err := io.ReadFull(file, buffer)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return c, false, err
	}
	after, err := watcher.StatFile(file)
	if err != nil {
		return c, false, err
	}
	c.bytes, c.stat = buffer[:n], after
	return c, before == after && int64(n) == after.Size, nil
}
