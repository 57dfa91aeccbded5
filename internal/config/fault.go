package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing wrong with a configuration file.
type Fault struct {
	File   string // as it was named
	Line   int    // 1-based, 0 = the file as a whole
	Column int    // 1-based
	Path   string // "shelves[1].root", "" = the file as a whole
	Reason string
}

// Warning has the form of a Fault and hinders nothing.
type Warning = Fault

func (f Fault) Error() string {
	var b strings.Builder
	if f.File != "" {
		b.WriteString(f.File)
		if f.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
		}
		b.WriteString(": ")
	}
	if f.Path != "" {
		b.WriteString(f.Path + ": ")
	}
	b.WriteString(f.Reason)
	return b.String()
}

// Faults are all things wrong with a configuration, in the order of the file. As an error it has one line a fault.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].Error()
	}
	return strings.Join(lines, "\n")
}

// err is f in file order, nil when there is none: a nil error, not an empty Faults.
func (f Faults) err() error {
	if len(f) == 0 {
		return nil
	}
	slices.SortStableFunc(f, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return f
}
