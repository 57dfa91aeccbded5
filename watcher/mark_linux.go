package watcher

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// mark is a file in memory that is under watch beside the folders, so that an event can be caused at will which nothing on
// any disk shows.
type mark struct {
	source Source
	file   int
	name   string
}

func newMark(s Source) (*mark, error) {
	file, err := unix.MemfdCreate("mark", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	m := &mark{s, file, fmt.Sprintf("/proc/self/fd/%d", file)}
	if err := s.Add(m.name); err != nil {
		_ = unix.Close(file)
		return nil, err
	}
	return m, nil
}

// strike causes the event.
func (m *mark) strike() error { return unix.Fchmod(m.file, 0o600) }

func (m *mark) close() {
	_ = m.source.Remove(m.name)
	_ = unix.Close(m.file)
}
