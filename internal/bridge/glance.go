package bridge

import "bytes"

// glance reads the id and the method of a line of the daemon, as far as they tell what it is. It looks at the first
// fields only: results are long, and the daemon writes them last. What looks unusual is parsed as a whole.
func glance(line []byte) message {
	var m message
	rest, ok := bytes.CutPrefix(line, []byte(`{"jsonrpc":"2.0",`))
	for ok {
		var key, value []byte
		if key, rest, ok = stringAt(rest); !ok || len(rest) == 0 || rest[0] != ':' {
			break
		}
		rest = rest[1:]
		switch string(key) {
		case `"result"`, `"error"`:
			if m.ID != nil {
				return m
			}
			ok = false
		case `"id"`:
			if value, rest, ok = scalarAt(rest); ok {
				m.ID = value
			}
		case `"method"`:
			if value, _, ok = stringAt(rest); ok && bytes.IndexByte(value, '\\') < 0 {
				m.Method = string(value[1 : len(value)-1])
				return m
			}
			ok = false
		default:
			ok = false
		}
		if ok {
			rest, ok = bytes.CutPrefix(rest, []byte(","))
		}
	}
	m, _ = parse(line)
	return m
}

// stringAt is the string literal at the beginning of b, quotes included.
func stringAt(b []byte) (literal, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, b, false
	}
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return b[:i+1], b[i+1:], true
		}
	}
	return nil, b, false
}

// scalarAt is the string or number at the beginning of b.
func scalarAt(b []byte) (literal, rest []byte, ok bool) {
	if literal, rest, ok = stringAt(b); ok {
		return literal, rest, true
	}
	n := bytes.IndexByte(b, ',')
	if n <= 0 || len(bytes.TrimLeft(b[:n], "-0123456789")) > 0 {
		return nil, b, false
	}
	return b[:n], b[n:], true
}
