package bridge

import (
	"bytes"
	"encoding/json"
	"slices"
)

// replayPrefix begins the ids of replayed requests. A client that uses it for its own would lose those answers; the
// colon and the name make that a deliberate act.
const replayPrefix = "shelfd-connect:"

// replayed is the raw id of a replayed request.
func replayed(name string) string {
	id, _ := json.Marshal(replayPrefix + name) // a string always encodes
	return string(id)
}

// session is what a new connection must be told so that the client does not notice the change.
type session struct {
	initialize    []byte // the client's line
	openID        string // its raw id
	opened        bool   // it was answered
	initialized   []byte
	level         []byte             // logging/setLevel, the last one
	subscriptions map[string][]byte  // resources/subscribe by uri
	streams       map[string]*stream // subscriptions/listen by raw id
	protocol      string             // agreed on
	told          string             // version of a daemon that the person was told of
}

func newSession() session {
	return session{subscriptions: map[string][]byte{}, streams: map[string]*stream{}}
}

// lasts says that the daemon may have something to tell without being asked: a lost connection is taken up at once.
func (s *session) lasts() bool { return s.opened || len(s.streams) > 0 }

// note remembers a line of the client that shapes its session.
func (s *session) note(m message, line []byte) {
	switch m.Method {
	case "initialize":
		streams, told := s.streams, s.told
		*s = newSession()
		s.initialize, s.openID, s.streams, s.told = line, string(m.ID), streams, told
	case "notifications/initialized":
		s.initialized = line
	case "logging/setLevel":
		s.level = line
	case "resources/subscribe":
		s.subscriptions[m.Params.URI] = line
	case "resources/unsubscribe":
		delete(s.subscriptions, m.Params.URI)
	case "subscriptions/listen":
		if m.ID != nil {
			s.streams[string(m.ID)] = &stream{}
		}
	}
}

// answered notes that the client got an answer.
func (s *session) answered(id string) {
	if s.initialize != nil && id == s.openID {
		s.opened = true
	}
	delete(s.streams, id)
}

func (s *session) cancelled(id string) { delete(s.streams, id) }

// replayed says that an id is one of a replayed request.
func (s *session) replayed(id string) bool {
	return bytes.HasPrefix([]byte(id), []byte(`"`+replayPrefix))
}

// replay are the lines that open the session again; none before it was opened.
func (s *session) replay() []line {
	if !s.opened {
		return nil
	}
	lines := []line{renamed(s.initialize, "initialize")}
	if s.initialized != nil {
		lines = append(lines, line{s.initialized, ""})
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
func renamed(text []byte, name string) line {
	id := replayed(name)
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return line{text, id}
	}
	fields["id"] = json.RawMessage(id)
	again, err := json.Marshal(fields)
	if err != nil {
		return line{text, id}
	}
	return line{again, id}
}

// news are the notifications that follow from the answer to a replayed request: changes while there was no daemon were
// told to nobody.
func (s *session) news(id string) [][]byte {
	if id == replayed("initialize") && s.initialized != nil {
		return [][]byte{notification("notifications/resources/list_changed", "", "")}
	}
	for uri := range s.subscriptions {
		if id == replayed("subscribe "+uri) {
			return [][]byte{notification("notifications/resources/updated", "", uri)}
		}
	}
	return nil
}

func sortedKeys(m map[string][]byte) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
