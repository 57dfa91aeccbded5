package bridge

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Codes of the bridge's own errors. -32000 and -32001 lie in the range that JSON-RPC leaves to servers.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoDaemon       = -32000 // the daemon says it too, without an id, when it serves nobody over a connection
	codeLost           = -32001
)

// message is what the bridge needs to know of a line. Ids stay as they were written: 1 and "1" differ.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`      // of a tool
		URI       string          `json:"uri"`       // of a resource
		RequestID json.RawMessage `json:"requestId"` // of a cancellation
	} `json:"params"`
}

// parse finds the fields by their exact names, as the daemon does.
func parse(line []byte) (message, bool) {
	var m message
	var fields map[string]json.RawMessage
	if json.Unmarshal(line, &fields) != nil || fields == nil {
		return m, false
	}
	if m.ID = fields["id"]; bytes.Equal(m.ID, []byte("null")) {
		m.ID = nil
	}
	_ = json.Unmarshal(fields["method"], &m.Method) // what is no method or
	_ = json.Unmarshal(fields["params"], &m.Params) // has other params is the daemon's to judge
	return m, true
}

func (m message) isRequest() bool { return m.ID != nil && m.Method != "" }
func (m message) isAnswer() bool  { return m.ID != nil && m.Method == "" }
func (m message) cancels() string { return string(m.Params.RequestID) }

// turnsAway is why the daemon serves nobody over this connection, "" when the line says no such thing: it is not for this
// user, or there are too many. Faults of a line have other codes.
func turnsAway(m message, line []byte) string {
	if m.ID != nil || m.Method != "" {
		return ""
	}
	var answer struct {
		Error struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(line, &answer) != nil || answer.Error.Code != codeNoDaemon {
		return ""
	}
	return answer.Error.Message
}

// safe says that a request may be sent again: it reads, or doing it twice is doing it once.
func (m message) safe() bool {
	if m.Method != "tools/call" {
		return true
	}
	switch m.Params.Name {
	case "browse_documents", "get_document", "get_document_structure", "get_node_content", "search_documents",
		"get_chunk", "related_documents", "sync":
		return true
	}
	return false
}

// refuse answers the client with an error of the bridge's own.
func (b *bridge) refuse(id []byte, code int, text string) {
	if id == nil {
		id = []byte("null")
	}
	quoted, _ := json.Marshal(text) // a string always encodes
	b.answers = append(b.answers, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quoted))
}
