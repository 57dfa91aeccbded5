// Package client asks a running daemon over its socket, for the commands that need one.
//
// Invariant: one Client is one session; a call returns the daemon's answer or an error that says what to do. It
// refuses to start a daemon or to wait for one.
package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"syscall"
	"time"
)

// ErrNoDaemon says that nobody listens on the socket.
var ErrNoDaemon = errors.New("no daemon")

// Client is a session with a daemon. It is for one goroutine.
type Client struct {
	conn   net.Conn
	in     *bufio.Reader
	lastID int
}

// Dial opens a session. ErrNoDaemon when nobody listens.
func Dial(ctx context.Context, socket string) (*Client, error) {
	d := net.Dialer{Timeout: 2 * time.Second}
	conn, err := d.DialContext(ctx, "unix", socket)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, fmt.Errorf("client: dial %q: %w", socket, ErrNoDaemon)
	case err != nil:
		return nil, fmt.Errorf("client: dial %q: %w", socket, err)
	}
	c := &Client{conn: conn, in: bufio.NewReader(conn)}
	if err := c.open(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

// Close ends the session.
func (c *Client) Close() error { return c.conn.Close() }

func (c *Client) open(ctx context.Context) error {
	_, err := c.request(ctx, "initialize", map[string]any{
		"protocolVersion": "2025-11-25",
		"capabilities":    struct{}{},
		"clientInfo":      map[string]string{"name": "shelfd", "version": "1"},
	}, nil)
	if err != nil {
		return err
	}
	return c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

// Progress is how far a call has come.
type Progress struct {
	Done, Total float64
	Message     string
}

// Refusal is a call that the daemon understood and did not carry out.
type Refusal struct {
	Code    string // NOT_FOUND, INVALID_INPUT, …
	Text    string
	Details json.RawMessage
}

func (r *Refusal) Error() string { return r.Text }

// Request is a call of a tool.
type Request struct {
	Tool      string
	Arguments map[string]any
	Meta      map[string]any // what is no argument, by its key in _meta
	Progress  func(Progress) // nil = not wanted
}

// Call calls a tool and decodes the data of its answer into data (nil = not wanted). A *Refusal says what the daemon
// did not accept.
func (c *Client) Call(ctx context.Context, r Request, data any) error {
	meta := maps.Clone(r.Meta)
	if meta == nil {
		meta = map[string]any{}
	}
	if r.Progress != nil {
		meta["progressToken"] = "1"
	}
	if r.Arguments == nil {
		r.Arguments = map[string]any{}
	}
	raw, err := c.request(ctx, "tools/call", map[string]any{"name": r.Tool, "arguments": r.Arguments, "_meta": meta}, r.Progress)
	if err != nil {
		return err
	}
	envelope, err := unwrap(raw)
	if err != nil {
		return fmt.Errorf("client: call %s: %w", r.Tool, err)
	}
	if !envelope.Success {
		return &Refusal{Code: envelope.Code, Text: envelope.Error, Details: envelope.Details}
	}
	if data == nil {
		return nil
	}
	if err := json.Unmarshal(envelope.Data, data); err != nil {
		return fmt.Errorf("client: call %s: %w", r.Tool, err)
	}
	return nil
}

// Ask calls a method that is not a tool and decodes its result.
func (c *Client) Ask(ctx context.Context, method string, result any) error {
	raw, err := c.request(ctx, method, struct{}{}, nil)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return fmt.Errorf("client: %s: %w", method, err)
	}
	return nil
}

// envelope is what every tool answers.
type envelope struct {
	Success bool            `json:"success"`
	Data    json.RawMessage `json:"data"`
	Error   string          `json:"error"`
	Code    string          `json:"code"`
	Details json.RawMessage `json:"details"`
}

// unwrap takes the envelope out of a tool's result. What is no envelope is an error with its text.
func unwrap(raw json.RawMessage) (envelope, error) {
	var result struct {
		Structured json.RawMessage `json:"structuredContent"`
		Content    []struct{ Text string }
		IsError    bool
	}
	var e envelope
	if err := json.Unmarshal(raw, &result); err != nil {
		return e, err
	}
	text := result.Structured
	if text == nil && len(result.Content) > 0 {
		text = json.RawMessage(result.Content[0].Text)
	}
	if err := json.Unmarshal(text, &e); err != nil || result.IsError && e.Error == "" {
		return e, fmt.Errorf("an answer of unknown form: %.200s", text)
	}
	return e, nil
}

func (c *Client) send(message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	if _, err := c.conn.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("client: send: %w", err)
	}
	return nil
}

// request sends a request and waits for its answer; ctx ends the wait and with it the session.
func (c *Client) request(ctx context.Context, method string, params any, progress func(Progress)) (json.RawMessage, error) {
	defer context.AfterFunc(ctx, func() { c.conn.Close() })()
	c.lastID++
	if err := c.send(map[string]any{"jsonrpc": "2.0", "id": c.lastID, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for {
		line, err := c.in.ReadBytes('\n')
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("client: %s: the daemon closed the connection: %w", method, err)
		}
		var m incoming
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, fmt.Errorf("client: %s: not JSON: %w", method, err)
		}
		switch {
		case m.Method == "notifications/progress" && progress != nil:
			progress(Progress{m.Params.Progress, m.Params.Total, m.Params.Message})
		case m.Method != "" || m.ID != c.lastID:
		case m.Error != nil:
			return nil, fmt.Errorf("client: %s: %s", method, m.Error.Message)
		default:
			return m.Result, nil
		}
	}
}

// incoming is a line of the daemon.
type incoming struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
	Params struct {
		Progress float64 `json:"progress"`
		Total    float64 `json:"total"`
		Message  string  `json:"message"`
	} `json:"params"`
}
