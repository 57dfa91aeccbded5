package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"shelfd/internal/client"
	"shelfd/store"
)

func (p *program) exportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "export SHELF",
		Short: "Print a shelf's manifest: its documents, and the links and summaries that people stated",
		Long: `Print a shelf's manifest: what it holds, by paths inside it, and the summaries of its documents and links from them that
people stated. It names no ids and no folders of this machine, so that 'shelfd import' takes it elsewhere.`,
		Example: "  shelfd export manuals > manuals.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return p.view(c.Context(), func(v *store.View) error {
				m, err := v.Manifest(args[0])
				if errors.Is(err, store.ErrNotFound) {
					return fmt.Errorf("no shelf %q; 'shelfd shelves' lists them", args[0])
				}
				if err != nil {
					return err
				}
				text, err := m.Encode()
				if err != nil {
					return err
				}
				_, err = p.out.Write(text)
				return err
			})
		},
	}
}

// importReport is the data of the action import.
type importReport struct {
	Shelf     string   `json:"shelf"`
	DryRun    bool     `json:"dry_run"`
	Total     int      `json:"total"` // links in the manifest
	Changed   int      `json:"changed"`
	Summaries int      `json:"summaries"` // taken over
	Warnings  []string `json:"warnings"`
}

func (p *program) importCommand() *cobra.Command {
	var asJSON, dry bool
	var shelf string
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Take over the links and summaries of a manifest that 'shelfd export' wrote",
		Long: `Take over the links and summaries of a manifest that 'shelfd export' wrote. Its paths are looked for in the shelf of the
same name, or in --shelf; what is not there is a warning. A summary is taken over where the document has the same bytes
and nobody has summarised it; else that is a warning. Nothing else changes, and importing twice is importing once.`,
		Example: `  shelfd import manuals.json --dry-run
  shelfd import manuals.json --shelf standard`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			m, err := p.readManifest(args[0])
			if err != nil {
				return err
			}
			report, err := p.importAll(c.Context(), m, shelf, dry)
			if err != nil {
				return err
			}
			if asJSON {
				return p.printJSON(report)
			}
			p.printImport(report)
			return nil
		},
	}
	jsonFlag(c, &asJSON)
	c.Flags().BoolVar(&dry, "dry-run", false, "only say what would change")
	c.Flags().StringVar(&shelf, "shelf", "", "`NAME` of the shelf to import into (else the manifest's)")
	return c
}

// readManifest reads a file, or standard input for "-".
func (p *program) readManifest(file string) (store.Manifest, error) {
	var text []byte
	var err error
	if file == "-" {
		text, err = io.ReadAll(p.in)
	} else {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return store.Manifest{}, fmt.Errorf("import: %w", err)
	}
	m, err := store.ParseManifest(text)
	if err != nil {
		return m, fmt.Errorf("import %q: %w", file, err)
	}
	return m, nil
}

// atOnce is how many links or summaries one call takes: the warnings about all of them fit one answer.
const atOnce = 40

// importAll has the daemon take over links and summaries, some at a time. Documents without a summary stay here: only
// paths matter.
func (p *program) importAll(ctx context.Context, m store.Manifest, shelf string, dry bool) (importReport, error) {
	total := importReport{Warnings: []string{}}
	c, err := p.dial(ctx)
	if err != nil {
		return total, err
	}
	defer c.Close()
	links := m.Links
	documents := slices.DeleteFunc(m.Documents, func(d store.ManifestDocument) bool { return d.Summary == "" })
	for first := true; first || len(links)+len(documents) > 0; first = false {
		n, d := min(len(links), atOnce), min(len(documents), atOnce)
		if n > 0 {
			d = 0
		}
		m.Links, links = links[:n:n], links[n:]
		m.Documents, documents = documents[:d:d], documents[d:]
		report, err := importSome(ctx, c, m, shelf, dry)
		if err != nil {
			return total, err
		}
		total.Shelf, total.DryRun = report.Shelf, report.DryRun
		total.Total += report.Total
		total.Changed += report.Changed
		total.Summaries += report.Summaries
		total.Warnings = append(total.Warnings, report.Warnings...)
	}
	return total, nil
}

func importSome(ctx context.Context, c *client.Client, m store.Manifest, shelf string, dry bool) (report importReport, err error) {
	arguments := map[string]any{"action": "import", "dry_run": dry}
	if shelf != "" {
		arguments["shelf"] = shelf
	}
	if m.Links == nil {
		m.Links = []store.ManifestLink{}
	}
	if m.Documents == nil {
		m.Documents = []store.ManifestDocument{}
	}
	text, err := m.Encode()
	if err != nil {
		return report, err
	}
	arguments["manifest"] = json.RawMessage(text)
	return report, c.Call(ctx, client.Request{Tool: "docs_management", Arguments: arguments}, &report)
}

func (p *program) printImport(r importReport) {
	for _, w := range r.Warnings {
		fmt.Fprintln(p.err, "warning:", w)
	}
	would, taken := "are", ""
	if r.DryRun {
		would = "would be"
	}
	if r.Summaries > 0 {
		taken = fmt.Sprintf(", summaries: %d", r.Summaries)
	}
	p.screen().line("%s: %s in the manifest, %d %s new or changed%s, %d left out", r.Shelf, count(r.Total, "link"), r.Changed, would, taken, len(r.Warnings))
}
