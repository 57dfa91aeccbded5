package mcp

import "fmt"

// readObjects reads a list of objects; a fault names its place: links[2].target.
func (p param) readObjects(value any) (any, []rejected) {
	entries, reason := p.entriesOf(value)
	if reason != "" {
		return nil, []rejected{{Field: p.name, Reason: reason, Expected: p.expected()}}
	}
	list := make([]values, len(entries))
	var faults []rejected
	for i, entry := range entries {
		place := fmt.Sprintf("%s[%d]", p.name, i)
		members, ok := entry.(map[string]any)
		if !ok {
			faults = append(faults, rejected{Field: place, Reason: "it is " + describe(entry) + ", not an object", Expected: p.expected()})
			continue
		}
		v, found := inspect(p.entries, members)
		for _, f := range found {
			f.Field = place + "." + f.Field
			faults = append(faults, f)
		}
		list[i] = v
	}
	return list, faults
}

// entriesOf are the entries of a list that is as long as it may be.
func (p param) entriesOf(value any) (entries []any, reason string) {
	entries, ok := value.([]any)
	if !ok {
		return nil, "it is " + describe(value) + ", not a list"
	}
	if n := len(entries); n < p.min || n > p.max {
		return nil, "it has " + count(n, "entry", "entries")
	}
	return entries, ""
}
