package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// JSON-RPC error codes.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeMethodNotFound = -32601
	codeServer         = -32000 // refused by this server: too many connections, not admitted
)

// maxDepth bounds the nesting of a message. What MCP defines needs fewer than ten levels.
const maxDepth = 100

// maxID is the largest integer that every JSON reader keeps exactly: 2^53.
const maxID = 1 << 53

var integerLiteral = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// message is one JSON-RPC message. Its fields are found by their exact names; mcp-go would accept "ID" for "id".
type message struct {
	id       json.RawMessage // as the client wrote it; nil in notifications
	key      string          // id in a form in which 5 and "5" differ; "" in notifications
	method   string          // "" in responses
	params   json.RawMessage
	response bool // the answer to a request of ours; this server makes none
}

// inOrder says that a request is answered before the next message is read: what follows relies on it.
func (m message) inOrder() bool {
	switch m.method {
	case string(mcp.MethodInitialize), subscribeMethod, unsubscribeMethod:
		return true
	}
	return false
}

// fault is a message that cannot be served.
type fault struct {
	code int
	text string
	data any
	id   json.RawMessage // nil: unknown, answered as null
}

func (f *fault) Error() string { return fmt.Sprintf("%s (%d)", f.text, f.code) }

// parse reads one line.
func parse(line []byte) (message, error) {
	if err := checkForm(line); err != nil {
		return message{}, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		if json.Valid(line) {
			return message{}, &fault{code: codeInvalidRequest, text: "a message is a JSON object"}
		}
		return message{}, &fault{code: codeParse, text: "not valid JSON: " + err.Error()}
	}
	return assemble(fields)
}

// checkForm refuses what should not reach the JSON decoder.
func checkForm(line []byte) error {
	switch {
	case !utf8.Valid(line):
		return &fault{code: codeParse, text: "the line is not valid UTF-8"}
	case line[0] == '[' && json.Valid(line):
		return &fault{code: codeInvalidRequest, text: "batches are not served: send one message a line"}
	case deeper(line, maxDepth):
		return &fault{code: codeInvalidRequest, text: fmt.Sprintf("the message is nested deeper than %d levels", maxDepth)}
	}
	return nil
}

// deeper says whether JSON text nests brackets deeper than limit.
func deeper(text []byte, limit int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > limit {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

func assemble(fields map[string]json.RawMessage) (message, error) {
	m := message{params: fields["params"]}
	if raw, ok := fields["id"]; ok {
		key, err := idKey(raw)
		if err != nil {
			return m, &fault{code: codeInvalidRequest, text: err.Error()}
		}
		m.id, m.key = raw, key
	}
	if string(fields["jsonrpc"]) != `"2.0"` {
		return m, &fault{code: codeInvalidRequest, text: `"jsonrpc" must be "2.0"`, id: m.id}
	}
	if _, ok := fields["method"]; !ok && (fields["result"] != nil || fields["error"] != nil) {
		m.response = true
		return m, nil
	}
	if err := json.Unmarshal(fields["method"], &m.method); err != nil || m.method == "" {
		return m, &fault{code: codeInvalidRequest, text: `"method" must be a string`, id: m.id}
	}
	if p := m.params; p != nil && p[0] != '{' {
		return m, &fault{code: codeInvalidParams, text: `"params" must be an object`, id: m.id}
	}
	return m, nil
}

// idKey checks a request id: a string, or an integer that every JSON reader keeps exactly.
func idKey(raw json.RawMessage) (string, error) {
	if len(raw) > 0 && raw[0] == '"' {
		var s string
		err := json.Unmarshal(raw, &s)
		return "s" + s, err
	}
	if integerLiteral.Match(raw) {
		if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil && -maxID <= n && n <= maxID {
			return "n" + strconv.FormatInt(n, 10), nil
		}
	}
	return "", fmt.Errorf("an id must be a string or an integer between -2^53 and 2^53")
}

// encoded is the message as mcp-go shall read it: with these four fields and no others.
func (m message) encoded() json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"jsonrpc":"2.0"`)
	if m.id != nil {
		b.WriteString(`,"id":`)
		b.Write(m.id)
	}
	method, _ := json.Marshal(m.method) // a string always encodes
	b.WriteString(`,"method":`)
	b.Write(method)
	if m.params != nil {
		b.WriteString(`,"params":`)
		b.Write(m.params)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// errorFrame is an error response.
func errorFrame(f *fault) []byte {
	type detail struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    any    `json:"data,omitempty"`
	}
	id := f.id
	if id == nil {
		id = json.RawMessage("null")
	}
	frame, _ := json.Marshal(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   detail          `json:"error"`
	}{"2.0", id, detail{f.code, f.text, f.data}}) // id was valid JSON when it came
	return frame
}
