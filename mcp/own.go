package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
)

// statusMethod is not MCP: the command line asks a running daemon with it.
const statusMethod = "shelfd/status"

// ownMethod is a method that mcp-go cannot serve as it must be: it would hold all resources in memory, has one code for
// every failure of a read, and takes any URI for a subscription.
type ownMethod struct {
	run func(ctx context.Context, e *exchange, params json.RawMessage) (any, error)
	// until 2025-11-25: a modern request is left to mcp-go, which says that the method was removed.
	legacy bool
}

// errElsewhere leaves a request to mcp-go.
var errElsewhere = errors.New("not a document")

func ownMethods() map[string]ownMethod {
	return map[string]ownMethod{
		string(mcp.MethodResourcesList): {run: listDocuments},
		string(mcp.MethodResourcesRead): {run: readDocument},
		subscribeMethod:                 {run: subscribe, legacy: true},
		unsubscribeMethod:               {run: unsubscribe, legacy: true},
		statusMethod:                    {run: status},
	}
}

// eraOf says whether a request is one of 2026-07-28 or later, which has no handshake and brings what belongs to it in
// _meta. valid: it brings all; mcp-go has the answer to one that does not.
func eraOf(params json.RawMessage) (modern, valid bool) {
	var p struct {
		Meta *mcp.Meta `json:"_meta"`
	}
	if params == nil || json.Unmarshal(params, &p) != nil || !mcp.IsModernProtocol(p.Meta.ProtocolVersion()) {
		return false, true
	}
	return true, mcp.IsValidProtocolVersion(p.Meta.ProtocolVersion()) && p.Meta.ClientCapabilities() != nil
}

// own answers a request with a method of this server's. served is false when it is one for mcp-go after all.
func (e *exchange) own(ctx context.Context, m message) (frame []byte, served bool) {
	method, ok := e.server.ownMethods[m.method]
	if !ok || m.id == nil {
		return nil, false
	}
	modern, valid := eraOf(m.params)
	if !valid || modern && method.legacy {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, e.server.options.ReadDeadline)
	defer cancel()
	result, err := method.run(ctx, e, m.params)
	switch {
	case errors.Is(err, errElsewhere):
		return nil, false
	case err != nil:
		f := *faultOf(err)
		if f.id = m.id; f.code == codeNoResource && modern {
			f.code = codeInvalidParams // as that revision has it
		}
		return errorFrame(&f), true
	}
	if d, ok := result.(interface{ decorate(decoration) }); ok && modern {
		d.decorate(e.server.decoration(true))
	}
	return encodeResponse(mcp.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, Result: result}, m.id), true
}

// faultOf turns any error of an own method into a JSON-RPC error.
func faultOf(err error) *fault {
	var f *fault
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, context.DeadlineExceeded):
		return &fault{code: codeServer, text: "this call took too long and was stopped; try again in a moment"}
	case errors.Is(err, context.Canceled):
		return &fault{code: codeServer, text: "this call was cancelled"}
	}
	return &fault{code: codeInternal, text: clip(err.Error(), 400)}
}

func isFault(err error) bool {
	var f *fault
	return errors.As(err, &f)
}

// decoration is what results carry from 2026-07-28 on, and not before.
type decoration struct {
	ResultType string         `json:"resultType,omitempty"`
	TTL        *int           `json:"ttlMs,omitempty"`
	CacheScope string         `json:"cacheScope,omitempty"`
	Meta       map[string]any `json:"_meta,omitempty"`
}

func (d *decoration) decorate(with decoration) { *d = with }

// decoration of a list or of what was read says that it may change at any time and is this user's only.
func (s *Server) decoration(cacheable bool) decoration {
	d := decoration{ResultType: string(mcp.ResultTypeComplete), Meta: map[string]any{
		mcp.MetaKeyServerInfo: map[string]string{"name": serverName, "title": serverName, "version": s.options.Version},
	}}
	if cacheable {
		d.TTL, d.CacheScope = new(int), string(mcp.CacheScopePrivate)
	}
	return d
}

func status(ctx context.Context, e *exchange, _ json.RawMessage) (any, error) {
	if e.server.options.Status == nil || !e.viewer.Manages() {
		return nil, errElsewhere
	}
	return e.server.options.Status(ctx)
}
