package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"shelfd/store"
)

func (p *program) outlineCommand() *cobra.Command {
	var asJSON bool
	var folder string
	c := &cobra.Command{
		Use:   "outline DOC_PATH",
		Short: "Show the sections of a document, or write outlines to files",
		Long: `Show the sections of a document with what is said about it.

With --write, an INDEX.md is written for each document named by path, shelf or folder, or for all: title, summary, the
tree of sections with their lines and summaries. Each stands in DIR in a folder named like its document. DIR must be
outside the shelves.`,
		Example: `  shelfd outline manuals/boiler.md
  shelfd outline --write ~/outlines manuals`,
		Args: func(c *cobra.Command, args []string) error {
			if folder != "" {
				return nil
			}
			return cobra.ExactArgs(1)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if folder != "" {
				return p.writeOutlines(c.Context(), folder, args)
			}
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
				o, err := v.Outline(d.ID)
				if err != nil {
					return err
				}
				p.printOutline(d, nodes, o)
				return nil
			})
		},
	}
	jsonFlag(c, &asJSON)
	c.Flags().StringVar(&folder, "write", "", "write an INDEX.md a document below `DIR`")
	return c
}

func (p *program) printOutline(d store.Document, nodes []store.Node, o store.IndexedOutline) {
	s := p.screen()
	s.line("%s  %s", s.paint(bold, d.Title), s.paint(dim, fmt.Sprintf("%d lines, about %d tokens", d.Lines, d.Tokens)))
	if o.Summary != "" {
		s.line("%s %s", o.Summary, s.paint(dim, fmt.Sprintf("(%s, %s)", o.Kind, o.Status)))
	}
	said := map[string]string{}
	for _, section := range o.Sections {
		said[section.NodeID] = section.Summary
	}
	for _, n := range nodes {
		title := n.Title
		if n.ID == "~" {
			title = "(before the first heading)"
		}
		lines := fmt.Sprintf("L%d-%d", n.Lines.Start, n.Lines.End)
		s.line("%s%s  %s  %s", strings.Repeat("  ", max(n.Level, 1)), title, s.paint(cyan, lines), s.paint(dim, "#"+n.ID))
		if said[n.ID] != "" {
			s.line("%s%s", strings.Repeat("  ", max(n.Level, 1)+1), said[n.ID])
		}
	}
}
