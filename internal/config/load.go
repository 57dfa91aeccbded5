package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Load reads the configuration file. Its error is a Faults when the file is there but wrong.
func Load(file string) (Config, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return Config{}, fmt.Errorf("config: %w", err)
	}
	return Parse(file, src)
}

// Parse is Load of bytes; file is what they are called in faults, and its folder is where relative paths begin.
func Parse(file string, src []byte) (Config, error) {
	r := &reader{file: file, at: map[string]*token.Position{}, anchors: map[string]ast.Node{}}
	c := Default()
	c.File = file
	if body, ok := r.body(src); ok {
		r.read(&c, body)
	}
	r.check(&c)
	c.Warnings = r.warnings
	if err := r.faults.err(); err != nil {
		return Config{}, err
	}
	return c, nil
}

// body is the tree of the one YAML document in src; false when there is nothing to read.
func (r *reader) body(src []byte) (ast.Node, bool) {
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	// Duplicate keys are reported by keyed, together with everything else.
	tree, err := parser.ParseBytes(src, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		r.faults = append(r.faults, r.syntax(err))
		return nil, false
	}
	var bodies []ast.Node
	for _, doc := range tree.Docs {
		if _, comment := doc.Body.(*ast.CommentGroupNode); !comment && !absent(doc.Body) {
			bodies = append(bodies, doc.Body)
		}
	}
	if len(bodies) == 0 {
		return nil, false
	}
	if len(bodies) > 1 {
		at := start(bodies[1])
		r.faults = append(r.faults, Fault{
			File: r.file, Line: at.Line, Column: at.Column, Reason: "a second YAML document begins here; want one",
		})
	}
	return bodies[0], true
}

// syntax says what the parser did not understand, in one line.
func (r *reader) syntax(err error) Fault {
	f := Fault{File: r.file, Reason: "not YAML: " + strings.Join(strings.Fields(err.Error()), " ")}
	var located yaml.Error
	if errors.As(err, &located) {
		f.Reason = "not YAML: " + located.GetMessage()
		if t := located.GetToken(); t != nil && t.Position != nil {
			f.Line, f.Column = t.Position.Line, t.Position.Column
		}
	}
	return f
}
