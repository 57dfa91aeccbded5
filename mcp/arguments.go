package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"shelfd/internal/text"
)

// kind is the JSON type of an argument.
type kind string

// The kinds of argument.
const (
	aString  kind = "string"
	anInt    kind = "integer"
	aList    kind = "array" // of strings, or of objects where the param has entries
	aNumber  kind = "number"
	aBool    kind = "boolean"
	anObject kind = "object" // of any members
)

// param is one argument of a tool.
type param struct {
	name     string
	kind     kind
	about    string
	required bool
	min, max int      // characters of a string, value of an integer or number, entries of a list; max 0 = none
	choices  []string // of a string or of a list's entries; nil = any
	entries  []param  // the members of each object of a list; nil = a list of strings
	absent   any      // value when not given; nil = none
}

// expected says in words what the argument must be.
func (p param) expected() string {
	limits := fmt.Sprintf("%d-%d", p.min, p.max)
	switch {
	case p.kind == aNumber:
		return "a number " + limits
	case p.kind == aBool:
		return "true or false"
	case p.kind == anObject:
		return "an object"
	case p.kind == anInt && p.max == 0:
		return fmt.Sprintf("an integer from %d", p.min)
	case p.kind == anInt:
		return "an integer " + limits
	case p.kind == aList && p.choices != nil:
		return "a list of " + limits + " of: " + strings.Join(p.choices, ", ")
	case p.kind == aList && p.entries != nil:
		return "a list of " + limits + " objects"
	case p.kind == aList:
		return "a list of " + limits + " strings"
	case p.choices != nil:
		return "one of: " + strings.Join(p.choices, ", ")
	}
	return "a string of " + limits + " characters"
}

// rejected is an argument that was refused.
type rejected struct {
	Field    string `json:"field"`
	Reason   string `json:"reason"`
	Expected string `json:"expected,omitempty"`
	Nearest  string `json:"nearest,omitempty"`
}

// values are checked arguments: string, int, float64, bool, []string, []values or map[string]any by name.
type values map[string]any

func (v values) text(name string) string      { s, _ := v[name].(string); return s }
func (v values) number(name string) int       { n, _ := v[name].(int); return n }
func (v values) list(name string) []string    { l, _ := v[name].([]string); return l }
func (v values) objects(name string) []values { l, _ := v[name].([]values); return l }

// decodeArguments reads the arguments object; none at all is an empty one.
func decodeArguments(raw json.RawMessage) (map[string]any, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return map[string]any{}, nil
	}
	var fields map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil {
		return nil, invalid("arguments", "they are not an object", `an object such as {"folder": "Standard"}`)
	}
	return fields, nil
}

// check reads fields as params say. All faults are told at once.
func check(params []param, fields map[string]any) (values, error) {
	v, faults := inspect(params, fields)
	if len(faults) > 0 {
		return nil, refuseArguments(faults)
	}
	return v, nil
}

// inspect reads fields as params say, what cannot be read left out, and lists all faults.
func inspect(params []param, fields map[string]any) (values, []rejected) {
	v := values{}
	var faults []rejected
	for _, p := range params {
		value, given := fields[p.name]
		if given && value != nil { // null is how some clients leave an argument out
			parsed, found := p.read(value)
			faults = append(faults, found...)
			if parsed != nil {
				v[p.name] = parsed
			}
		} else if p.required {
			faults = append(faults, rejected{Field: p.name, Reason: "it is required", Expected: p.expected()})
		} else if p.absent != nil {
			v[p.name] = p.absent
		}
	}
	return v, append(faults, unknownFields(params, fields)...)
}

func unknownFields(params []param, fields map[string]any) []rejected {
	known := make([]string, len(params))
	for i, p := range params {
		known[i] = p.name
	}
	var faults []rejected
	for name := range fields {
		if !contains(known, name) {
			faults = append(faults, rejected{
				Field: clip(name, 80), Reason: "there is no such argument",
				Expected: "one of: " + strings.Join(known, ", "), Nearest: first(text.Near(name, known, 1)),
			})
		}
	}
	sort.Slice(faults, func(i, j int) bool { return faults[i].Field < faults[j].Field })
	return faults
}

// read checks one value; of a list of objects each member of each.
func (p param) read(value any) (any, []rejected) {
	var parsed any
	var reason string
	switch {
	case p.kind == anInt:
		parsed, reason = p.readInt(value)
	case p.kind == aNumber:
		parsed, reason = p.readNumber(value)
	case p.kind == aBool, p.kind == anObject:
		parsed, reason = p.readPlain(value)
	case p.kind == aList && p.entries != nil:
		return p.readObjects(value)
	case p.kind == aList:
		parsed, reason = p.readList(value)
	default:
		parsed, reason = p.readString(value, p.min)
	}
	if reason == "" {
		return parsed, nil
	}
	fault := rejected{Field: p.name, Reason: reason, Expected: p.expected()}
	if s, ok := value.(string); ok && p.choices != nil {
		fault.Nearest = first(text.Near(s, p.choices, 1))
	}
	return nil, []rejected{fault}
}

func (p param) readString(value any, min int) (any, string) {
	s, ok := value.(string)
	if !ok {
		return nil, "it is " + describe(value) + ", not a string"
	}
	if p.choices != nil {
		if !contains(p.choices, s) {
			return nil, quoted(s) + " is not a choice"
		}
		return s, ""
	}
	limit := maxArgument
	if p.kind == aString {
		limit = p.max
	}
	switch n := utf8.RuneCountInString(s); {
	case n == 0 && min > 0:
		return nil, "it is empty"
	case n < min, n > limit:
		return nil, fmt.Sprintf("it has %d characters", n)
	}
	return norm.NFC.String(s), "" // as doc_paths are
}

// readInt takes 10 and 10.0, which some clients write, and refuses "10": the schema says integer.
func (p param) readInt(value any) (any, string) {
	number, ok := value.(json.Number)
	if !ok {
		if s, isString := value.(string); isString && integerLiteral.MatchString(s) {
			return nil, fmt.Sprintf("it is the string %s; write %s without quotes", quoted(s), clip(s, 30))
		}
		return nil, "it is " + describe(value) + ", not an integer"
	}
	n, err := strconv.ParseInt(number.String(), 10, 64)
	if err != nil {
		f, err := number.Float64()
		if err != nil || f != math.Trunc(f) || math.Abs(f) > maxID {
			return nil, clip(number.String(), 30) + " is not an integer"
		}
		n = int64(f)
	}
	switch {
	case n < int64(p.min):
		return nil, fmt.Sprintf("%d is too small", n)
	case p.max != 0 && n > int64(p.max), n > math.MaxInt32:
		return nil, fmt.Sprintf("%d is too large", n)
	}
	return int(n), ""
}

func (p param) readList(value any) (any, string) {
	entries, reason := p.entriesOf(value)
	if reason != "" {
		return nil, reason
	}
	list := make([]string, len(entries))
	for i, entry := range entries {
		s, reason := p.readString(entry, 1)
		if reason != "" {
			return nil, fmt.Sprintf("entry %d: %s", i+1, reason)
		}
		list[i] = s.(string)
	}
	return list, ""
}

func describe(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case json.Number:
		return "the number " + clip(v.String(), 30)
	case string:
		return "the string " + quoted(v)
	case []any:
		return "a list"
	}
	return "an object"
}

// invalid refuses one argument.
func invalid(field, reason, expected string) *refusal {
	return refuseArguments([]rejected{{Field: field, Reason: reason, Expected: expected}})
}

// refuseArguments tells up to ten faults.
func refuseArguments(faults []rejected) *refusal {
	faults = faults[:min(len(faults), 10)]
	texts := make([]string, len(faults))
	options := make([]string, len(faults))
	for i, f := range faults {
		texts[i] = f.Field + ": " + f.Reason
		options[i] = f.Field + ": " + f.Expected
		if f.Nearest != "" {
			texts[i] += fmt.Sprintf("; did you mean %q?", f.Nearest)
			options[i] = fmt.Sprintf("Use %q instead of %q.", f.Nearest, f.Field)
			if f.Expected != "" && strings.Contains(f.Reason, "choice") {
				options[i] = fmt.Sprintf("%s: use %q.", f.Field, f.Nearest)
			}
		}
	}
	return &refusal{
		code: InvalidInput, text: strings.Join(texts, "; "), details: map[string]any{"rejected": faults},
		steps: next("Correct the arguments and call again.", options...),
	}
}

func contains(list []string, s string) bool {
	for _, c := range list {
		if c == s {
			return true
		}
	}
	return false
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
