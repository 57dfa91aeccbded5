package watcher

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// ReadDir implements Disk.
func (OS) ReadDir(path string, pick func(name string, kind Kind) Pick) (Stat, []Dirent, error) {
	fd, err := openFolder(path)
	if err != nil {
		return Stat{}, nil, err
	}
	f := os.NewFile(uintptr(fd), path)
	defer func() { _ = f.Close() }()
	self, err := statFolder(fd)
	if err != nil {
		return Stat{}, nil, err
	}
	var out []Dirent
	for {
		names, err := f.ReadDir(1024)
		for _, name := range names {
			if d, ok := pickAt(fd, name.Name(), kindOfFileMode(name.Type()), pick); ok {
				out = append(out, d)
			}
		}
		if errors.Is(err, io.EOF) {
			return self, out, nil
		}
		if err != nil {
			return self, out, err
		}
	}
}

func kindOfFileMode(mode fs.FileMode) Kind {
	switch mode & fs.ModeType {
	case 0:
		return KindFile
	case fs.ModeDir:
		return KindFolder
	case fs.ModeSymlink:
		return KindLink
	}
	return KindSpecial
}

// dataless is SF_DATALESS of sys/stat.h.
const dataless = 0x40000000

func isPlaceholder(st *unix.Stat_t) bool { return st.Flags&dataless != 0 }
