package mcp

import (
	"context"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"shelfd/store"
)

// maxCompletions is what the protocol allows.
const maxCompletions = 100

// completion offers names for what a person types: arguments of prompts and the variables of the resource template.
type completion struct{ server *Server }

// CompletePromptArgument goes by the name of the argument: it means the same in every prompt.
func (c completion) CompletePromptArgument(ctx context.Context, _ string, a mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	switch a.Name {
	case "doc_path":
		return c.documents(ctx, "", a.Value)
	case "folder":
		return c.folders(ctx, a.Value)
	case "shelf":
		return c.shelves(ctx, a.Value)
	}
	return &mcp.Completion{Values: []string{}}, nil
}

// CompleteResourceArgument completes the shelf, and the path inside a shelf that is already known.
func (c completion) CompleteResourceArgument(ctx context.Context, uri string, a mcp.CompleteArgument, known mcp.CompleteContext) (*mcp.Completion, error) {
	switch {
	case uri == uriTemplate && a.Name == "shelf":
		return c.shelves(ctx, a.Value)
	case uri == uriTemplate && a.Name == "path" && known.Arguments["shelf"] != "":
		return c.documents(ctx, known.Arguments["shelf"]+"/", a.Value)
	}
	return &mcp.Completion{Values: []string{}}, nil
}

// documents are those whose path begins with what was typed, then those that have it anywhere; prefix is left out.
func (c completion) documents(ctx context.Context, prefix, typed string) (*mcp.Completion, error) {
	return c.of(ctx, func(v *store.View) ([]string, int, error) {
		paths, total, err := v.CompletePaths(prefix, typed, maxCompletions)
		for i := range paths {
			paths[i] = strings.TrimPrefix(paths[i], prefix)
		}
		return paths, total, err
	})
}

func (c completion) folders(ctx context.Context, typed string) (*mcp.Completion, error) {
	return c.of(ctx, func(v *store.View) ([]string, int, error) { return v.CompleteFolders(typed, maxCompletions) })
}

func (c completion) shelves(ctx context.Context, typed string) (*mcp.Completion, error) {
	return c.of(ctx, func(v *store.View) ([]string, int, error) { return v.CompleteShelves(typed, maxCompletions) })
}

func (c completion) of(ctx context.Context, find func(*store.View) ([]string, int, error)) (*mcp.Completion, error) {
	ctx, cancel := context.WithTimeout(ctx, c.server.options.ReadDeadline)
	defer cancel()
	out := &mcp.Completion{}
	err := c.server.view(ctx, func(v *store.View) (err error) {
		out.Values, out.Total, err = find(v)
		return err
	})
	out.HasMore = out.Total > len(out.Values)
	return out, err
}
