package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"shelfd/mcp"
	"shelfd/store"
)

// tool prints the data of one of the tools that agents have, so that --json is what they see.
func (p *program) tool(ctx context.Context, name string, arguments map[string]any) error {
	var ask mcp.Near
	if name == "search_documents" {
		var done func()
		ask, done = p.readVectors()
		defer done()
	}
	return p.database(ctx, func(s *store.Store) error {
		raw, failed := mcp.New(mcp.Options{Store: s, Version: release, Near: ask}).Call(ctx, name, arguments)
		var envelope struct {
			Data  json.RawMessage `json:"data"`
			Error string          `json:"error"`
		}
		if err := json.Unmarshal(raw, &envelope); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if failed {
			return errors.New(envelope.Error)
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, envelope.Data, "", "  "); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintln(p.out, indented.String())
		return nil
	})
}
