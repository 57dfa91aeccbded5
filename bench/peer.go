package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
)

// peer is an MCP client that knows no more than lines, so that what is measured is the daemon and the way to it.
type peer struct {
	in     *bufio.Reader
	out    io.WriteCloser
	end    func() error
	lastID int
}

// answerBytes has room for the longest answer: 24,000 UTF-16 units, written twice, with escapes.
const answerBytes = 512 << 10

// dialPeer speaks to the daemon over its socket.
func dialPeer(socket string) (*peer, error) {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return nil, err
	}
	p := &peer{in: bufio.NewReaderSize(conn, answerBytes), out: conn, end: conn.Close}
	if err := p.open(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return p, nil
}

// bridgePeer speaks to it through shelfd connect, as clients do that start a program. It also returns the process.
func bridgePeer(ctx context.Context, binary, socket string) (*peer, *exec.Cmd, error) {
	command := exec.CommandContext(ctx, binary, "--socket", socket, "connect")
	out, err := command.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	in, err := command.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := command.Start(); err != nil {
		return nil, nil, err
	}
	end := func() error {
		out.Close()
		return command.Wait()
	}
	p := &peer{in: bufio.NewReader(in), out: out, end: end}
	if err := p.open(); err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return p, command, nil
}

func (p *peer) open() error {
	_, err := p.call("initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": struct{}{}, "clientInfo": map[string]string{"name": "bench", "version": "1"},
	})
	if err != nil {
		return err
	}
	return p.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

func (p *peer) send(message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = p.out.Write(append(text, '\n'))
	return err
}

// request sends a request and returns its id.
func (p *peer) request(method string, params any) (int, error) {
	p.lastID++
	return p.lastID, p.send(map[string]any{"jsonrpc": "2.0", "id": p.lastID, "method": method, "params": params})
}

// call sends a request and waits for the result.
func (p *peer) call(method string, params any) (json.RawMessage, error) {
	id, err := p.request(method, params)
	if err != nil {
		return nil, err
	}
	for {
		text, err := p.in.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		var m struct {
			ID            int
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(text, &m); err != nil {
			return nil, err
		}
		switch {
		case m.ID != id:
		case m.Error != nil:
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		default:
			return m.Result, nil
		}
	}
}

// tool calls a tool and returns the text of its answer.
func (p *peer) tool(name string, arguments map[string]any) (string, error) {
	raw, err := p.call("tools/call", map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		return "", err
	}
	var result struct {
		IsError bool
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return "", err
	}
	if len(result.Content) == 0 || result.IsError {
		return "", fmt.Errorf("%s: %.300s", name, raw)
	}
	return result.Content[0].Text, nil
}
