package main

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"shelfd/internal/client"
	"shelfd/mcp"
)

// syncReport is the data of the tool sync.
type syncReport struct {
	Shelves []struct {
		Name      string `json:"name"`
		State     string `json:"state"`
		Documents int    `json:"documents"`
		Chunks    int    `json:"chunks"`
		Indexed   int    `json:"indexed"`
		Unchanged int    `json:"unchanged"`
		Removed   int    `json:"removed"`
		Problems  int    `json:"problems"`
	} `json:"shelves"`
	UpdatedAt string `json:"updated_at"`
}

func (p *program) syncCommand() *cobra.Command {
	var asJSON, accept bool
	c := &cobra.Command{
		Use:   "sync [SHELF]",
		Short: "Compare with the disk now and wait until the index equals it",
		Long: `Compare with the disk now and wait until the index equals it, settle times and second looks included.

A shelf whose folder is missing or empty keeps its documents, in case a disk is unplugged. --accept-deletions says
that they are gone indeed.`,
		Example: `  shelfd sync
  shelfd sync notes --accept-deletions`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			shelf := ""
			if len(args) == 1 {
				shelf = args[0]
			}
			var meta map[string]any
			if accept {
				meta = map[string]any{mcp.AcceptDeletions: true}
			}
			report, err := p.sync(c.Context(), shelf, meta)
			if err != nil {
				return err
			}
			if asJSON {
				return p.printJSON(report)
			}
			p.printSync(report)
			return nil
		},
	}
	jsonFlag(c, &asJSON)
	c.Flags().BoolVar(&accept, "accept-deletions", false, "remove the documents of folders that are missing or empty")
	return c
}

func (p *program) sync(ctx context.Context, shelf string, meta map[string]any) (syncReport, error) {
	var report syncReport
	c, err := p.dial(ctx)
	if err != nil {
		return report, err
	}
	defer c.Close()
	bar := newBar(p.err, "sync")
	defer bar.end()
	progress := func(at client.Progress) {
		if bar.redraw {
			bar.set(int(at.Done), int(at.Total))
		}
	}
	r := client.Request{Tool: "sync", Progress: progress, Meta: meta}
	if shelf != "" {
		r.Arguments = map[string]any{"shelf": shelf}
	}
	err = c.Call(ctx, r, &report)
	return report, err
}

func (p *program) printSync(r syncReport) {
	rows := [][]string{{"SHELF", "DOCUMENTS", "INDEXED", "UNCHANGED", "REMOVED", "PROBLEMS", "STATE"}}
	for _, s := range r.Shelves {
		rows = append(rows, []string{
			s.Name, strconv.Itoa(s.Documents), strconv.Itoa(s.Indexed), strconv.Itoa(s.Unchanged), strconv.Itoa(s.Removed),
			strconv.Itoa(s.Problems), s.State,
		})
	}
	p.screen().table(rows)
}
