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
	codeNoDaemon       = -32000
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

func parse(line []byte) (message, bool) {
	var m message
	var envelope struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal(line, &envelope) != nil {
		return m, false
	}
	m.ID, m.Method = envelope.ID, envelope.Method
	if bytes.Equal(m.ID, []byte("null")) {
		m.ID = nil
	}
	// Params of another shape are the daemon's to judge.
	_ = json.Unmarshal(envelope.Params, &m.Params)
	return m, true
}

func (m message) isRequest() bool { return m.ID != nil && m.Method != "" }
func (m message) isAnswer() bool  { return m.ID != nil && m.Method == "" }
func (m message) cancels() string { return string(m.Params.RequestID) }

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

// answer sends the client an error of the bridge's own.
func (b *bridge) answer(id []byte, code int, text string) error {
	if id == nil {
		id = []byte("null")
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return fmt.Errorf("bridge: %w", err)
	}
	return b.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quoted))
}
