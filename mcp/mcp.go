// Package mcp answers agents: the socket, one session a connection, tools, rendering.
//
// Invariant: what the client reads is one envelope within the budget, true of one picture of the store; one client's
// misbehaviour is nobody else's. It holds no SQL and opens no document.
package mcp

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"go.uber.org/zap"

	"shelfd/indexer"
	"shelfd/store"
)

// Options of a Server. The zero value of a field is the default named beside it.
type Options struct {
	Store   *store.Store
	Indexer *indexer.Indexer // nil: sync and changes of shelves answer UNAVAILABLE
	Version string           // "dev"
	Log     *zap.Logger      // silent

	MaxLine        int           // bytes of one message: 4 MiB
	MaxInFlight    int           // calls a connection may have running: 32
	MaxConnections int           // 512; further ones are told so and closed
	WriteDeadline  time.Duration // for a client to take what was written: 10 s
	ReadDeadline   time.Duration // for a call that only reads: 10 s
	Grace          time.Duration // for calls in flight when the daemon ends: 2 s

	// Viewer says who the peer of a connection is and may see, once a session. nil: this program's own user and root see
	// everything, others are not served.
	Viewer func(Peer) Viewer
	// Answered is told how long each call of a tool took. nil: nobody is.
	Answered func(tool string, failed bool, took time.Duration)
	// Near is how searches ask for vectors. nil: no provider is configured.
	Near Near
	// Status answers the method shelfd/status, which is not MCP: it is how the command line asks a running daemon.
	// nil: no such method.
	Status func(context.Context) (any, error)
}

const serverName = "shelfd"

// Server serves MCP sessions. Its methods may be called from any goroutine.
type Server struct {
	options  Options
	log      *zap.Logger
	tools    map[string]*tool
	protocol *server.MCPServer
	sessions atomic.Int64 // open now
	opened   atomic.Int64 // since start: names a session
	news     news

	ownMethods map[string]ownMethod
}

// New makes a Server. It serves nothing until Serve, ServeConn or Call.
func New(o Options) *Server {
	s := &Server{options: o.withDefaults(), tools: map[string]*tool{}}
	s.log = s.options.Log
	s.protocol = server.NewMCPServer(serverName, s.options.Version,
		server.WithTitle(serverName),
		server.WithInstructions(instructions),
		server.WithToolCapabilities(false), // the list of tools never changes while the program runs
		server.WithPromptCapabilities(false),
		server.WithResourceCapabilities(true, true),
		server.WithResourceCompletionProvider(completion{s}),
		server.WithPromptCompletionProvider(completion{s}),
		server.WithCompletions(),
	)
	s.protocol.AddResourceTemplate(documentTemplate())
	s.ownMethods = ownMethods()
	for _, t := range contract() {
		s.tools[t.name] = t
		s.protocol.AddTool(t.definition(), s.answerer(t))
	}
	addPrompts(s.protocol)
	s.addFixtures()
	return s
}

func (o Options) withDefaults() Options {
	o.MaxLine = positive(o.MaxLine, 4<<20)
	o.MaxInFlight = positive(o.MaxInFlight, 32)
	o.MaxConnections = positive(o.MaxConnections, 512)
	o.WriteDeadline = positive(o.WriteDeadline, 10*time.Second)
	o.ReadDeadline = positive(o.ReadDeadline, 10*time.Second)
	o.Grace = positive(o.Grace, 2*time.Second)
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Viewer == nil {
		o.Viewer = viewerWithoutRules
	}
	return o
}

func positive[T int | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// answerer connects a tool to mcp-go. Failures of the call are results with isError, never JSON-RPC errors: the model
// reads them and can act.
func (s *Server) answerer(t *tool) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var fresh map[string]any
		c := call{server: s, meta: r.Params.Meta, via: exchangeOf(ctx), fresh: &fresh}
		raw, failed := s.run(ctx, t, r.Params.RawArguments, c)
		if fresh == nil { // it was refused before it was looked for
			fresh = s.freshness(ctx)
		}
		var meta *mcp.Meta
		if fresh != nil {
			meta = mcp.NewMetaFromMap(fresh)
		}
		return &mcp.CallToolResult{
			Result:               mcp.Result{Meta: meta},
			Content:              []mcp.Content{mcp.NewTextContent(string(raw))},
			RawStructuredContent: raw,
			IsError:              failed,
		}, nil
	}
}
