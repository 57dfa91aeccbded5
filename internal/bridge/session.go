package bridge

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// replayPrefix begins the ids of replayed requests. A client that uses it for its own would lose those answers; the
// colon and the name make that a deliberate act.
const replayPrefix = `"shelfd-connect:`

// session is what a new connection must be told so that the client does not notice the change.
type session struct {
	initialize    []byte // the client's line
	openID        string // its raw id
	opened        bool   // it was answered
	initialized   []byte
	level         []byte            // logging/setLevel, the last one
	subscriptions map[string][]byte // resources/subscribe by uri
}

// note remembers a line of the client that shapes its session.
func (s *session) note(m message, line []byte) {
	switch m.Method {
	case "initialize":
		*s = session{initialize: line, openID: string(m.ID), subscriptions: map[string][]byte{}}
	case "notifications/initialized":
		s.initialized = line
	case "logging/setLevel":
		s.level = line
	case "resources/subscribe":
		s.subscriptions[m.Params.URI] = line
	case "resources/unsubscribe":
		delete(s.subscriptions, m.Params.URI)
	}
}

// answered looks at an answer of the daemon and says whether it is one to a replay, which the client must not see.
func (s *session) answered(m message) bool {
	if bytes.HasPrefix(m.ID, []byte(replayPrefix)) {
		return true
	}
	if s.initialize != nil && string(m.ID) == s.openID {
		s.opened = true
	}
	return false
}

// replay are the lines that open the session again; none before it was opened.
func (s *session) replay() [][]byte {
	if !s.opened {
		return nil
	}
	lines := [][]byte{renamed(s.initialize, "initialize")}
	if s.initialized != nil {
		lines = append(lines, s.initialized)
	}
	if s.level != nil {
		lines = append(lines, renamed(s.level, "level"))
	}
	for _, uri := range sortedKeys(s.subscriptions) {
		lines = append(lines, renamed(s.subscriptions[uri], "subscribe "+uri))
	}
	return lines
}

// renamed is a request under an id of the bridge's own.
func renamed(line []byte, name string) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(line, &fields) != nil {
		return line
	}
	id, err := json.Marshal(strings.Trim(replayPrefix, `"`) + name)
	if err != nil {
		return line
	}
	fields["id"] = id
	again, err := json.Marshal(fields)
	if err != nil {
		return line
	}
	return again
}

func sortedKeys(m map[string][]byte) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
