package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"shelfd/internal/text"
)

// reader walks the tree of a YAML file. It collects every fault instead of stopping at the first, which the decoder
// of the library cannot do, and remembers where each value stood so that later checks can point at it.
type reader struct {
	file     string
	faults   Faults
	warnings []Warning
	at       map[string]*token.Position // path → where its key stands
	anchors  map[string]ast.Node
}

// field reads the value at path into its place.
type field func(path string, n ast.Node)

// fields are the keys that a mapping may have.
type fields map[string]field

func (r *reader) fault(path, format string, args ...any) {
	r.faults = append(r.faults, r.place(path, fmt.Sprintf(format, args...)))
}

func (r *reader) warn(path, format string, args ...any) {
	r.warnings = append(r.warnings, r.place(path, fmt.Sprintf(format, args...)))
}

// place finds where path stands, or the nearest mapping around it.
func (r *reader) place(path, reason string) Fault {
	f := Fault{File: r.file, Path: path, Reason: reason}
	for p := path; ; {
		if at := r.at[p]; at != nil {
			f.Line, f.Column = at.Line, at.Column
			return f
		}
		cut := strings.LastIndexAny(p, ".[")
		if cut < 0 {
			return f
		}
		p = p[:cut]
	}
}

// bare looks through anchors, aliases and tags.
func (r *reader) bare(n ast.Node) ast.Node {
	// An alias inside its own anchor would never end; eight steps are more than anyone writes.
	for range 8 {
		switch v := n.(type) {
		case *ast.AnchorNode:
			r.anchors[v.Name.String()] = v.Value
			n = v.Value
		case *ast.AliasNode:
			n = r.anchors[v.Value.String()]
		case *ast.TagNode:
			n = v.Value
		default:
			return n
		}
	}
	return nil
}

// absent says that a key stands there without a value: the default stays.
func absent(n ast.Node) bool {
	if n == nil {
		return true
	}
	_, null := n.(*ast.NullNode)
	return null
}

func (r *reader) wrong(path, want string, n ast.Node) {
	r.fault(path, "want %s, got %s", want, kind(n))
}

// kind names what stands in the file.
func kind(n ast.Node) string {
	switch v := n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.BoolNode:
		return "the truth value " + v.String()
	case *ast.IntegerNode:
		return "the number " + v.String()
	case *ast.FloatNode:
		return "the number " + v.String()
	case *ast.StringNode:
		return strconv.Quote(v.Value)
	case nil:
		return "nothing"
	}
	return strconv.Quote(n.String())
}

// pairs are the entries of a mapping; false when n is none.
func pairs(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch v := n.(type) {
	case *ast.MappingNode:
		return v.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{v}, true
	}
	return nil, false
}

// keyed calls f for each key of the mapping n, once a key, and reports keys that stand there twice.
func (r *reader) keyed(path string, n ast.Node, f func(key, path string, value ast.Node)) {
	entries, ok := pairs(r.bare(n))
	if !ok {
		r.wrong(path, "a mapping", n)
		return
	}
	seen := map[string]bool{}
	for _, entry := range entries {
		at := entry.Key.GetToken()
		key := at.Value
		inner := key
		if path != "" {
			inner = path + "." + key
		}
		if seen[key] {
			first := r.at[inner]
			r.faults = append(r.faults, Fault{
				File: r.file, Line: at.Position.Line, Column: at.Position.Column, Path: inner,
				Reason: fmt.Sprintf("stands twice; first in line %d", first.Line),
			})
			continue
		}
		seen[key] = true
		r.at[inner] = at.Position
		f(key, inner, r.bare(entry.Value))
	}
}

// mapping reads n key by key.
func (r *reader) mapping(path string, n ast.Node, among fields) {
	r.keyed(path, n, func(key, inner string, value ast.Node) {
		read, known := among[key]
		if !known {
			r.fault(inner, "unknown key%s", nearest(key, among))
			return
		}
		if !absent(value) {
			read(inner, value)
		}
	})
}

// nearest suggests a key that key may have been meant for, else lists all.
func nearest(key string, among fields) string {
	names := make([]string, 0, len(among))
	for name := range among {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range text.Near(key, names, 1) {
		return fmt.Sprintf("; did you mean %q?", name)
	}
	return "; known here: " + strings.Join(names, ", ")
}

// list calls each for every entry of the list n.
func (r *reader) list(path string, n ast.Node, each field) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		r.wrong(path, "a list", n)
		return
	}
	for i, value := range seq.Values {
		inner := fmt.Sprintf("%s[%d]", path, i)
		value = r.bare(value)
		if value == nil {
			r.fault(inner, "want a value, got nothing")
			continue
		}
		r.at[inner] = start(value)
		each(inner, value)
	}
}

// start is where n begins: for a mapping its first key, not the colon after it.
func start(n ast.Node) *token.Position {
	if entries, ok := pairs(n); ok && len(entries) > 0 {
		return entries[0].Key.GetToken().Position
	}
	return n.GetToken().Position
}

func (r *reader) text(to *string) field {
	return func(path string, n ast.Node) {
		switch v := n.(type) {
		case *ast.StringNode:
			*to = v.Value
		case *ast.LiteralNode:
			*to = v.Value.Value
		case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
			r.fault(path, "want a text, got %s; put it in quotes", kind(n))
		default:
			r.wrong(path, "a text", n)
		}
	}
}

func (r *reader) texts(to *[]string) field {
	return func(path string, n ast.Node) {
		*to = nil
		r.list(path, n, func(inner string, value ast.Node) {
			var s string
			r.text(&s)(inner, value)
			*to = append(*to, s)
		})
	}
}

func (r *reader) table(to *map[string]string) field {
	return func(path string, n ast.Node) {
		read := map[string]string{}
		r.keyed(path, n, func(key, inner string, value ast.Node) {
			var s string
			r.text(&s)(inner, value)
			read[key] = s
		})
		*to = read
	}
}

func (r *reader) choice(to *string, among ...string) field {
	return func(path string, n ast.Node) {
		s, ok := n.(*ast.StringNode)
		if !ok || !slices.Contains(among, s.Value) {
			r.wrong(path, "one of "+strings.Join(among, ", "), n)
			return
		}
		*to = s.Value
	}
}

func (r *reader) boolean(to *bool) field {
	return func(path string, n ast.Node) {
		v, ok := n.(*ast.BoolNode)
		if !ok {
			r.wrong(path, "true or false", n)
			return
		}
		*to = v.Value
	}
}

func (r *reader) integer(to *int, least, most int) field {
	return func(path string, n ast.Node) {
		v, ok := n.(*ast.IntegerNode)
		if !ok {
			r.wrong(path, "a whole number", n)
			return
		}
		i, err := strconv.Atoi(v.String())
		if err != nil || i < least || i > most {
			r.fault(path, "want a whole number from %d to %d, got %s", least, most, v.String())
			return
		}
		*to = i
	}
}

func (r *reader) number(to *float64, most float64) field {
	return func(path string, n ast.Node) {
		var x float64
		switch v := n.(type) {
		case *ast.FloatNode:
			x = v.Value
		case *ast.IntegerNode:
			i, err := strconv.Atoi(v.String())
			if err != nil {
				r.wrong(path, "a number", n)
				return
			}
			x = float64(i)
		default:
			r.wrong(path, "a number", n)
			return
		}
		if x < 0 || x > most {
			r.fault(path, "want a number from 0 to %g, got %g", most, x)
			return
		}
		*to = x
	}
}

func (r *reader) duration(to *time.Duration, least, most time.Duration) field {
	return func(path string, n ast.Node) {
		const form = `a duration such as 25ms, 30s, 10m`
		s, ok := n.(*ast.StringNode)
		if !ok {
			r.wrong(path, form, n)
			return
		}
		d, err := time.ParseDuration(s.Value)
		if err != nil {
			r.wrong(path, form, n)
			return
		}
		if d < least || d > most {
			r.fault(path, "want a duration from %v to %v, got %v", least, most, d)
			return
		}
		*to = d
	}
}
