package bridge

import (
	"encoding/json"
	"fmt"
)

// identity is what a daemon says of itself when a session is opened.
type identity struct {
	Protocol string `json:"protocolVersion"` // agreed on, "" from 2026-07-28 on
	Server   struct {
		Version string `json:"version"`
	} `json:"serverInfo"`
	Meta struct {
		Server struct {
			Version string `json:"version"`
		} `json:"io.modelcontextprotocol/serverInfo"`
	} `json:"_meta"`
}

// compare tells the person, once each, that the daemon is of another version than this program, or that a restarted
// one speaks another protocol than the client agreed on.
func (b *bridge) compare(method string, answer []byte) {
	if b.Tell == nil || method != "initialize" && method != "server/discover" {
		return
	}
	var a struct{ Result identity }
	if json.Unmarshal(answer, &a) != nil {
		return
	}
	version := a.Result.Server.Version
	if version == "" {
		version = a.Result.Meta.Server.Version
	}
	if version != "" && version != b.Version && version != b.session.told {
		b.session.told = version
		b.Tell(fmt.Sprintf("the daemon is version %s and this program %s; restart the daemon to use the same", version, b.Version))
	}
	switch protocol := a.Result.Protocol; {
	case protocol == "" || protocol == b.session.protocol:
	case b.session.protocol == "":
		b.session.protocol = protocol
	default:
		b.Tell(fmt.Sprintf("the daemon now speaks MCP %s, this session was opened with %s; restart the MCP client if something fails", protocol, b.session.protocol))
		b.session.protocol = protocol
	}
}
