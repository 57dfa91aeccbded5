package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"shelfd/store"
)

func (p *program) relatedCommand() *cobra.Command {
	var asJSON bool
	var limit, depth int
	var direction string
	c := &cobra.Command{
		Use:   "related DOC_PATH",
		Short: "Show which documents belong with one",
		Long: `Show which documents belong with one: links that its author wrote (text), that were worked out (heuristic),
and that someone declared (manual).`,
		Example: `  shelfd related manuals/boiler.md
  shelfd related --direction in --depth 2 manuals/boiler.md`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkRelated(direction, depth, limit); err != nil {
				return err
			}
			if asJSON {
				return p.tool(c.Context(), "related_documents", map[string]any{
					"doc_path": args[0], "direction": direction, "depth": depth, "limit": limit,
				})
			}
			return p.view(c.Context(), func(v *store.View) error {
				d, err := document(v, args[0])
				if err != nil {
					return err
				}
				links, total, err := v.Links(store.Related{
					Document: d.ID, Direction: store.Direction(direction), Depth: depth, Limit: limit,
				})
				if err != nil {
					return err
				}
				p.printLinks(d, links, total)
				return nil
			})
		},
	}
	flags := c.Flags()
	flags.StringVar(&direction, "direction", "both", "`WAY` of the links: both, in, out")
	flags.IntVar(&depth, "depth", 1, "`STEPS` away (1-3)")
	flags.IntVarP(&limit, "limit", "n", 20, "at most so many `LINKS` (1-50)")
	jsonFlag(c, &asJSON)
	return c
}

func checkRelated(direction string, depth, limit int) error {
	switch store.Direction(direction) {
	case store.Both, store.In, store.Out:
	default:
		return usage("--direction %q: want both, in or out", direction)
	}
	if depth < 1 || depth > 3 {
		return usage("--depth %d: want 1 to 3", depth)
	}
	if limit < 1 || limit > 50 {
		return usage("-n %d: want 1 to 50", limit)
	}
	return nil
}

func (p *program) printLinks(d store.Document, links []store.Link, total int) {
	s := p.screen()
	if len(links) == 0 {
		fmt.Fprintln(p.err, "shelfd: nothing is linked with", d.Path)
	}
	for _, l := range links {
		arrow, other, title := "→", l.Target, l.TargetTitle
		if l.TargetID == d.ID {
			arrow, other, title = "←", l.Source, l.SourceTitle
		}
		if l.Depth > 1 {
			other = l.Source + " → " + l.Target
			arrow = strings.Repeat("·", l.Depth-1)
		}
		s.line("%s %s  %s  %s", arrow, s.paint(bold, other), title, s.paint(dim, linkReason(l)))
	}
	if total > len(links) {
		fmt.Fprintf(p.err, "shelfd: %d of %s\n", len(links), count(total, "link"))
	}
}

// linkReason says why a link is there, in few words.
func linkReason(l store.Link) string {
	reason := fmt.Sprintf("%s, %s", l.Origin, l.Relation)
	switch {
	case l.Origin == store.OriginHeuristic:
		reason += fmt.Sprintf(", %.2f", l.Confidence)
	case len(l.Mentions) > 0:
		reason += fmt.Sprintf(", line %d", l.Mentions[0].Line)
	}
	return "(" + reason + ")"
}
