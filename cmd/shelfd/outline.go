package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"shelfd/store"
)

func (p *program) outlineCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "outline DOC_PATH",
		Short:   "Show the sections of a document",
		Example: "  shelfd outline manuals/boiler.md",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if asJSON {
				return p.tool(c.Context(), "get_document_structure", map[string]any{"doc_path": args[0], "depth": 10})
			}
			return p.view(c.Context(), func(v *store.View) error {
				d, err := document(v, args[0])
				if err != nil {
					return err
				}
				nodes, err := v.Nodes(d.ID)
				if err != nil {
					return err
				}
				p.printOutline(d, nodes)
				return nil
			})
		},
	}
	jsonFlag(c, &asJSON)
	return c
}

func (p *program) printOutline(d store.Document, nodes []store.Node) {
	s := p.screen()
	s.line("%s  %s", s.paint(bold, d.Title), s.paint(dim, fmt.Sprintf("%d lines, about %d tokens", d.Lines, d.Tokens)))
	for _, n := range nodes {
		title := n.Title
		if n.ID == "~" {
			title = "(before the first heading)"
		}
		lines := fmt.Sprintf("L%d-%d", n.Lines.Start, n.Lines.End)
		s.line("%s%s  %s  %s", strings.Repeat("  ", max(n.Level, 1)), title, s.paint(cyan, lines), s.paint(dim, "#"+n.ID))
	}
}
