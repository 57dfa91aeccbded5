package watcher

import "os"

// mark is a file of its own that is under watch beside the folders, so that an event can be caused at will.
type mark struct {
	source Source
	name   string
}

func newMark(s Source) (*mark, error) {
	f, err := os.CreateTemp("", "shelfd-mark-")
	if err != nil {
		return nil, err
	}
	_ = f.Close()
	m := &mark{s, f.Name()}
	if err := s.Add(m.name); err != nil {
		_ = os.Remove(m.name)
		return nil, err
	}
	return m, nil
}

// strike causes the event.
func (m *mark) strike() error { return os.Chmod(m.name, 0o400) }

func (m *mark) close() {
	_ = m.source.Remove(m.name)
	_ = os.Remove(m.name)
}
