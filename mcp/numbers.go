package mcp

import "encoding/json"

func (v values) float(name string) float64         { f, _ := v[name].(float64); return f }
func (v values) flag(name string) bool             { b, _ := v[name].(bool); return b }
func (v values) object(name string) map[string]any { m, _ := v[name].(map[string]any); return m }

// has says whether an argument was given.
func (v values) has(name string) bool { _, ok := v[name]; return ok }

// readNumber takes numbers within the limits and refuses "0.5": the schema says number.
func (p param) readNumber(value any) (any, string) {
	number, ok := value.(json.Number)
	if !ok {
		return nil, "it is " + describe(value) + ", not a number"
	}
	f, err := number.Float64()
	switch {
	case err != nil:
		return nil, clip(number.String(), 30) + " is not a number"
	case f < float64(p.min):
		return nil, clip(number.String(), 30) + " is too small"
	case f > float64(p.max):
		return nil, clip(number.String(), 30) + " is too large"
	}
	return f, ""
}

// readPlain takes a boolean or an object as it is.
func (p param) readPlain(value any) (any, string) {
	var ok bool
	if p.kind == aBool {
		_, ok = value.(bool)
	} else {
		_, ok = value.(map[string]any)
	}
	if !ok {
		return nil, "it is " + describe(value) + ", not " + map[kind]string{aBool: "a boolean", anObject: "an object"}[p.kind]
	}
	return value, ""
}
