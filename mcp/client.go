package mcp

import (
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// client is what mcp-go wants to know of a session. mcp-go calls it from any goroutine.
type client struct {
	id          string
	mu          sync.Mutex
	initialized bool                   // guarded by mu, like all below
	version     string                 // of the protocol, "" before initialize
	software    mcp.Implementation     // the client's name and version
	abilities   mcp.ClientCapabilities // the client's
}

func (c *client) SessionID() string { return c.id }

func (c *client) Initialize() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.initialized = true
}

func (c *client) Initialized() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.initialized
}

func (c *client) ProtocolVersion() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// handshaken says that the client has opened a session as revisions before 2026-07-28 do. Those hear of changes of the
// lists without asking.
func (c *client) handshaken() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.initialized && c.version != ""
}

func (c *client) SetProtocolVersion(version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version = version
}

func (c *client) GetClientInfo() mcp.Implementation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.software
}

func (c *client) SetClientInfo(software mcp.Implementation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.software = software
}

func (c *client) GetClientCapabilities() mcp.ClientCapabilities {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.abilities
}

func (c *client) SetClientCapabilities(abilities mcp.ClientCapabilities) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.abilities = abilities
}
