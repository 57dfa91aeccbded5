package main

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"shelfd/store"
)

func (p *program) getCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "get DOC_PATH[#NODE_ID]",
		Short: "Print a document or one of its sections",
		Example: `  shelfd get manuals/boiler.md
  shelfd get manuals/boiler.md#boiler/valves
  shelfd get --json manuals/boiler.md`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if asJSON {
				path, nodeID, _ := strings.Cut(args[0], "#")
				if nodeID != "" {
					return p.tool(c.Context(), "get_node_content", map[string]any{"doc_path": path, "node_ids": []string{nodeID}})
				}
				return p.tool(c.Context(), "get_document", map[string]any{"doc_path": path})
			}
			return p.view(c.Context(), func(v *store.View) error {
				text, err := read(v, args[0])
				if err != nil {
					return err
				}
				_, err = io.WriteString(p.out, text)
				return err
			})
		},
	}
	jsonFlag(c, &asJSON)
	return c
}

// read is the text of a document or a section, with a newline at its end.
func read(v *store.View, reference string) (string, error) {
	d, nodeID, err := referenced(v, reference)
	if err != nil {
		return "", err
	}
	content, err := v.Content(d.ID)
	if err != nil {
		return "", err
	}
	if nodeID != "" {
		nodes, err := v.Nodes(d.ID)
		if err != nil {
			return "", err
		}
		n, err := node(nodes, d, nodeID)
		if err != nil {
			return "", err
		}
		content = content[n.Span.Start:n.Span.End]
	}
	if content != "" && !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	return content, nil
}

// referenced takes DOC_PATH#NODE_ID apart. A file name may hold a '#', so the whole is tried as a path first.
func referenced(v *store.View, reference string) (store.Document, string, error) {
	reference = canonical(reference)
	d, err := v.Document(reference)
	if !errors.Is(err, store.ErrNotFound) {
		return d, "", err
	}
	path, nodeID := reference, ""
	if cut := strings.LastIndexByte(reference, '#'); cut >= 0 {
		path, nodeID = reference[:cut], reference[cut+1:]
	}
	d, err = document(v, path)
	return d, nodeID, err
}
