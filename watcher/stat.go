package watcher

import (
	"fmt"
	"os"
)

// StatFile is what the disk says about an open file: the same facts that a Listing gives for its path.
func StatFile(f *os.File) (Stat, error) {
	st, err := statFolder(int(f.Fd()))
	if err != nil {
		return Stat{}, fmt.Errorf("watcher: stat %q: %w", f.Name(), err)
	}
	return st, nil
}
