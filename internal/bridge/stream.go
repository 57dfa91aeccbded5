package bridge

import (
	"encoding/json"
)

const (
	acknowledgedMethod = "notifications/subscriptions/acknowledged"
	subscriptionKey    = "io.modelcontextprotocol/subscriptionId"
)

// stream is a subscriptions/listen that stays open over restarts of the daemon.
type stream struct {
	acknowledged bool
	list         bool     // the daemon agreed to tell of changes of the list
	uris         []string // and of these resources
}

// acknowledged takes a daemon's acknowledgement. The first of a stream is the client's to see and gives nil; a later
// one comes from a daemon after a restart, and what the client is to see instead is returned: look again.
func (s *session) acknowledged(text []byte) [][]byte {
	var ack struct {
		Params struct {
			Meta          map[string]json.RawMessage `json:"_meta"`
			Notifications struct {
				List bool     `json:"resourcesListChanged"`
				URIs []string `json:"resourceSubscriptions"`
			} `json:"notifications"`
		} `json:"params"`
	}
	if json.Unmarshal(text, &ack) != nil {
		return nil
	}
	id := string(ack.Params.Meta[subscriptionKey])
	st := s.streams[id]
	if st == nil {
		return nil
	}
	again := st.acknowledged
	watched := st.uris
	st.acknowledged, st.list, st.uris = true, ack.Params.Notifications.List, ack.Params.Notifications.URIs
	if !again {
		return nil
	}
	news := [][]byte{}
	if st.list {
		news = append(news, notification("notifications/resources/list_changed", id, ""))
	}
	for _, uri := range watched {
		news = append(news, notification("notifications/resources/updated", id, uri))
	}
	return news
}

// holdsBack says that an answer is a daemon's way to end a stream because it ends itself. The stream goes on with the
// next daemon, and the client hears nothing of it. One that had nothing to tell ends for good.
func (s *session) holdsBack(id string, text []byte) bool {
	st := s.streams[id]
	if st == nil || !st.list && len(st.uris) == 0 {
		return false
	}
	var answer struct {
		Error json.RawMessage `json:"error"`
	}
	return json.Unmarshal(text, &answer) == nil && answer.Error == nil
}

// forgetStreams is for the end of the input: nobody can cancel a stream any more, so nobody waits for its end.
func (s *session) forgetStreams(flying map[string]request) {
	for id := range s.streams {
		delete(flying, id)
	}
	clear(s.streams)
}

// notification is one of the bridge's own; stream is the raw id of the one it belongs to, "" for none.
func notification(method, stream, uri string) []byte {
	type meta struct {
		Stream json.RawMessage `json:"io.modelcontextprotocol/subscriptionId"`
	}
	type params struct {
		Meta *meta  `json:"_meta,omitempty"`
		URI  string `json:"uri,omitempty"`
	}
	p := params{URI: uri}
	if stream != "" {
		p.Meta = &meta{json.RawMessage(stream)}
	}
	text, _ := json.Marshal(struct { // strings and a valid id always encode
		JSONRPC string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  params `json:"params"`
	}{"2.0", method, p})
	return text
}
