package chunker

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const (
	// maxDuplicates bounds the problems of one block.
	maxDuplicates = 10
	// maxKeys bounds the keys of one block: the parser copies all that it has read at each one.
	maxKeys = 2_000
	// maxFrontDepth bounds nested collections. The parser is quadratic in them: 16 KiB of '[' take 60 ms, of "- " 400 ms.
	maxFrontDepth = 64
	// maxFrontNodes bounds what aliases may unfold to. A bomb of nine levels of nine stands for 387 million nodes.
	maxFrontNodes = 20_000
)

// decodeYAML decodes one YAML 1.2 mapping. Of a key that stands twice the first value is kept, with a Problem whose line
// counts from the first line of raw.
func decodeYAML(raw []byte) (any, []Problem, error) {
	if reason := tooCostly(raw); reason != "" {
		return nil, nil, &lineError{1, reason}
	}
	var file *ast.File
	var err error
	if fault := survive(func() { file, err = parser.ParseBytes(raw, 0, parser.AllowDuplicateMapKey()) }); fault != nil {
		err = fault
	}
	if err != nil {
		return nil, nil, yamlError(err)
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil, nil, nil
	}
	d := yamlDecoder{anchors: map[string]ast.Node{}, left: maxFrontNodes}
	value := d.value(file.Docs[0].Body, 0)
	if d.err != nil {
		return nil, nil, d.err
	}
	return value, d.problems, nil
}

func yamlError(err error) error {
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil {
		return &lineError{at.GetToken().Position.Line, firstLineOf(at.GetMessage())}
	}
	return errors.New(firstLineOf(err.Error()))
}

// tooCostly says why raw isn't given to the parser, "" when it is: it is quadratic in nested brackets, runs of dashes
// and documents, that of TOML in nested brackets and dotted keys. Those inside quotes count too, which no real block minds.
func tooCostly(raw []byte) string {
	depth, dashes, dots := 0, 0, 0
	if bytes.Count(raw, []byte("\n---")) > 16 {
		return "more than one YAML document"
	}
	if bytes.Count(raw, []byte(": "))+bytes.Count(raw, []byte(":\n")) > maxKeys {
		return fmt.Sprintf("more than %d keys", maxKeys)
	}
	for _, c := range raw {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		case '-', '?':
			dashes++
		case '.':
			dots++
		case '\n':
			dashes, dots = 0, 0
		case ' ':
		default:
			dashes = 0
		}
		if depth > maxFrontDepth || dashes > 1024 || dots > 1024 {
			return fmt.Sprintf("collections nested more than %d deep", maxFrontDepth)
		}
	}
	return ""
}

// yamlDecoder turns a syntax tree into plain Go values. goccy's own decoder reads 007 as octal and 1_000 as a number,
// which YAML 1.2 doesn't, and gives up at a duplicate key.
type yamlDecoder struct {
	anchors  map[string]ast.Node
	left     int
	problems []Problem
	err      error
}

func (d *yamlDecoder) fail(n ast.Node, reason string) any {
	if d.err == nil {
		d.err = &lineError{lineOf(n), reason}
	}
	return nil
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}

func (d *yamlDecoder) value(n ast.Node, depth int) any {
	d.left--
	if d.err != nil || n == nil {
		return nil
	}
	if d.left < 0 || depth > maxFrontDepth {
		return d.fail(n, "aliases unfold to too many values, or collections nest too deep")
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return d.mapping(n.Values, depth)
	case *ast.MappingValueNode:
		return d.mapping([]*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		list := make([]any, 0, len(n.Values))
		for _, v := range n.Values {
			list = append(list, d.value(v, depth+1))
		}
		return list
	case *ast.AnchorNode:
		d.anchors[n.Name.GetToken().Value] = n.Value
		return d.value(n.Value, depth+1)
	case *ast.AliasNode:
		target, ok := d.anchors[n.Value.GetToken().Value]
		if !ok {
			return d.fail(n, fmt.Sprintf("unknown alias %q", n.Value.GetToken().Value))
		}
		return d.value(target, depth+1)
	case *ast.TagNode:
		return d.tagged(n, depth)
	}
	return scalar(n)
}

// tagged honours !!str and reads any other tag as if it weren't there.
func (d *yamlDecoder) tagged(n *ast.TagNode, depth int) any {
	if leaf, ok := n.Value.(ast.ScalarNode); ok && n.Start.Value == "!!str" {
		return leaf.GetToken().Value
	}
	return d.value(n.Value, depth+1)
}

func (d *yamlDecoder) mapping(pairs []*ast.MappingValueNode, depth int) any {
	m := make(map[string]any, len(pairs))
	var merges []ast.Node
	for _, p := range pairs {
		if p.Key.IsMergeKey() {
			merges = append(merges, p.Value)
			continue
		}
		key := d.key(p.Key)
		value := d.value(p.Value, depth+1)
		if _, twice := m[key]; twice && len(d.problems) >= maxDuplicates {
			continue
		} else if twice {
			d.problems = append(d.problems, Problem{
				StageFrontMatter, fmt.Sprintf("duplicate key %q; the first value is kept", key), lineOf(p.Key),
			})
			continue
		}
		m[key] = value
	}
	for _, n := range merges {
		d.merge(m, n, depth)
	}
	return m
}

func (d *yamlDecoder) merge(m map[string]any, n ast.Node, depth int) {
	from, ok := d.value(n, depth+1).(map[string]any)
	if !ok {
		d.fail(n, "a merge key needs a mapping")
	}
	for k, v := range from {
		if _, own := m[k]; !own {
			m[k] = v
		}
	}
}

func (d *yamlDecoder) key(n ast.MapKeyNode) string {
	switch k := n.(type) {
	case *ast.StringNode:
		return k.Value
	case *ast.MappingKeyNode:
		if k.Value != nil {
			return k.Value.GetToken().Value
		}
	}
	return n.GetToken().Value
}

// scalar resolves a leaf by the core schema of YAML 1.2.
func scalar(n ast.Node) any {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value
	case *ast.LiteralNode:
		return n.Value.Value
	case *ast.BoolNode:
		return n.Value
	case *ast.NullNode:
		return nil
	case *ast.IntegerNode, *ast.FloatNode:
		return number(n.GetToken())
	}
	// Infinity and NaN stay the words they are: JSON has no number for them.
	if t := n.GetToken(); t != nil {
		return t.Value
	}
	return nil
}

func number(t *token.Token) any {
	s := strings.TrimSpace(t.Value)
	digits := strings.TrimLeft(s, "+-")
	base := 10
	switch {
	case strings.HasPrefix(digits, "0x"), strings.HasPrefix(digits, "0o"):
		base = 0
	}
	if i, err := strconv.ParseInt(s, base, 64); err == nil {
		return i
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && !strings.ContainsAny(s, "_xX") {
		return f
	}
	return s
}
