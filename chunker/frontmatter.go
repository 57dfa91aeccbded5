package chunker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/adrg/frontmatter"
)

// maxFront bounds a front matter block. The YAML decoder is quadratic in the number of keys: 64 KiB of them take 20 ms,
// 1 MiB takes seconds. Real blocks stay below 20 KiB.
const maxFront = 64 << 10

// front is what the head of a file says about it.
type front struct {
	values   map[string]any // nil without front matter
	end      int            // offset below the block; start of the search without one
	broken   bool           // the block is body, yet it isn't Markdown: no heading is looked for in it
	problems []Problem      // lines count from the first line of the search
}

// frontKind is one of the three ways to write front matter.
type frontKind struct {
	name, fence, sep string
	decode           func([]byte) (any, []Problem, error)
}

func frontKinds() []frontKind {
	return []frontKind{
		{"YAML", "---", ":", decodeYAML},
		{"TOML", "+++", "=", decodeTOML},
		{"JSON", ";;;", ":", decodeJSON},
	}
}

// readFront finds and decodes the front matter of src, which begins below the byte order mark.
func readFront(src []byte) front {
	kind, ok := opening(src)
	if !ok {
		return front{}
	}
	head := src
	if len(head) > maxFront {
		head = head[:bytes.LastIndexByte(head[:maxFront], '\n')+1]
	}
	var raw []byte
	capture := func(b []byte, _ any) error { raw = bytes.Clone(b); return nil }
	rest, err := frontmatter.MustParse(bytes.NewReader(head), &raw, frontmatter.NewFormat(kind.fence, kind.fence, capture))
	if errors.Is(err, frontmatter.ErrNotFound) {
		return tooLarge(kind, src, head)
	}
	if err != nil {
		return front{}
	}
	f := front{end: len(head) - len(rest)}
	firstLine := bytes.Count(head[:bytes.Index(head, []byte(kind.fence))], []byte("\n")) + 2
	return f.decode(kind, raw, firstLine)
}

// opening says which fence stands alone on the first line that isn't blank.
func opening(src []byte) (frontKind, bool) {
	line := bytes.TrimLeft(src[:min(len(src), maxFront)], " \t\r\n\v\f")
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	line = bytes.TrimSpace(line)
	for _, k := range frontKinds() {
		if string(line) == k.fence {
			return k, true
		}
	}
	return frontKind{}, false
}

// decode fills f from the raw text between the fences, whose first line is firstLine.
func (f front) decode(kind frontKind, raw []byte, firstLine int) front {
	value, problems, err := kind.decode(raw)
	for i := range problems {
		problems[i].Line += firstLine - 1
	}
	if values, ok := value.(map[string]any); ok && err == nil {
		f.values, f.problems = values, problems
		return f
	}
	if value == nil && err == nil { // an empty block, or one of comments only
		f.values = map[string]any{}
		return f
	}
	if !meantAsFront(kind, raw, err) {
		return front{}
	}
	f.broken, f.values = true, rescue(kind, raw)
	f.problems = []Problem{malformed(kind, err, firstLine)}
	return f
}

func malformed(kind frontKind, err error, firstLine int) Problem {
	reason, line := "it isn't a list of keys and values", firstLine
	var at *lineError
	switch {
	case errors.As(err, &at):
		reason, line = at.reason, firstLine+max(at.line, 1)-1
	case err != nil:
		reason = firstLineOf(err.Error())
	}
	return Problem{
		Stage: StageFrontMatter, Line: line,
		Reason: fmt.Sprintf("malformed %s front matter (%s); read as body, the keys that parse are kept", kind.name, reason),
	}
}

// meantAsFront separates a broken block from a plain document that begins with a rule and has another one below.
// A block begins with a key; or it is no text at all to the decoder and runs on from fence to fence without the blank
// lines that surround a rule in prose.
func meantAsFront(kind frontKind, raw []byte, err error) bool {
	if kind.fence != "---" {
		return true
	}
	first, _, _ := strings.Cut(strings.TrimLeft(string(raw), "\r\n"), "\n")
	if topKey(strings.TrimSpace(first), kind.sep) != "" {
		return true
	}
	return err != nil && !hasBlankLine(raw)
}

func hasBlankLine(raw []byte) bool {
	for line := range bytes.Lines(raw) {
		if len(bytes.TrimSpace(line)) == 0 {
			return true
		}
	}
	return false
}

// tooLarge tells a block that never ends, which is no front matter, from one that ends beyond maxFront.
func tooLarge(kind frontKind, src, head []byte) front {
	if len(head) == len(src) || !meantAsFront(kind, head[bytes.IndexByte(head, '\n')+1:], nil) {
		return front{}
	}
	end := len(head)
	for line := range bytes.Lines(src[len(head):]) {
		end += len(line)
		if string(bytes.TrimSpace(line)) != kind.fence {
			continue
		}
		raw := head[bytes.Index(head, []byte(kind.fence))+len(kind.fence):]
		reason := fmt.Sprintf("%s front matter of more than %d KiB; read as body, the keys that parse are kept", kind.name, maxFront>>10)
		return front{
			broken: true, end: end, values: rescue(kind, raw),
			problems: []Problem{{Stage: StageFrontMatter, Reason: reason, Line: 1}},
		}
	}
	return front{}
}

// rescue decodes each top-level key alone, with its continuation lines or else without, and keeps those that parse.
func rescue(kind frontKind, raw []byte) map[string]any {
	var values map[string]any
	keep := func(group []byte) bool {
		value, _, err := kind.decode(group)
		m, ok := value.(map[string]any)
		if err == nil && len(m) > 0 && values == nil {
			values = map[string]any{}
		}
		if err == nil {
			maps.Copy(values, m)
		}
		return ok && err == nil
	}
	start, at, first := 0, 0, 0 // of the group, of the line, behind the first line of the group
	flush := func() {
		if group := raw[start:at]; !keep(group) && first < at {
			keep(raw[start:first])
		}
	}
	for line := range bytes.Lines(raw) {
		if key := topKey(string(bytes.TrimRight(line, "\r\n")), kind.sep); key != "" {
			flush()
			start, first = at, at+len(line)
		}
		at += len(line)
	}
	flush()
	return values
}

// topKey is the key that a line begins with, "" when it begins with none.
func topKey(line, sep string) string {
	key, value, ok := strings.Cut(line, sep)
	key = strings.Trim(strings.TrimRight(key, " \t"), `"'`)
	if !ok || strings.HasPrefix(value, "//") {
		return ""
	}
	for i, r := range key {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80
		if !letter && (i == 0 || !strings.ContainsRune("0123456789-.", r)) {
			return ""
		}
	}
	return key
}

func firstLineOf(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSpace(line)
}

// lineError is a fault in a front matter block.
type lineError struct {
	line   int // of the block, 1 = the first below the fence
	reason string
}

func (e *lineError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.reason) }

func decodeTOML(raw []byte) (any, []Problem, error) {
	if reason := tooCostly(raw); reason != "" {
		return nil, nil, &lineError{1, reason}
	}
	var v map[string]any
	if _, err := toml.Decode(string(raw), &v); err != nil {
		var at toml.ParseError
		if errors.As(err, &at) {
			return nil, nil, &lineError{at.Position.Line, firstLineOf(at.Message)}
		}
		return nil, nil, err
	}
	return plainValue(v), nil, nil
}

func decodeJSON(raw []byte) (any, []Problem, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, nil, err
	}
	if d.More() {
		return nil, nil, &lineError{bytes.Count(raw[:d.InputOffset()], []byte("\n")) + 1, "text after the closing brace"}
	}
	return plainValue(v), duplicateJSONKeys(raw), nil
}
