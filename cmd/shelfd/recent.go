package main

import (
	"time"

	"github.com/spf13/cobra"

	"shelfd/store"
)

// recentDocument is how recent prints a document as JSON.
type recentDocument struct {
	Path    string    `json:"doc_path"`
	Title   string    `json:"title"`
	Shelf   string    `json:"shelf"`
	Updated time.Time `json:"updated_at"`
}

func (p *program) recentCommand() *cobra.Command {
	var asJSON bool
	var limit int
	c := &cobra.Command{
		Use:   "recent [FOLDER]",
		Short: "List the documents changed last",
		Example: `  shelfd recent
  shelfd recent -n 5 notes/journal`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if limit < 1 {
				return usage("-n %d: want at least 1", limit)
			}
			folder := ""
			if len(args) == 1 {
				folder = canonical(args[0])
			}
			return p.view(c.Context(), func(v *store.View) error {
				if err := folderExists(v, folder); err != nil {
					return err
				}
				documents, err := v.Recent(folder, limit)
				if err != nil {
					return err
				}
				return p.printRecent(documents, asJSON)
			})
		},
	}
	c.Flags().IntVarP(&limit, "limit", "n", 20, "at most so many `DOCUMENTS`")
	jsonFlag(c, &asJSON)
	return c
}

func (p *program) printRecent(documents []store.Document, asJSON bool) error {
	list := make([]recentDocument, 0, len(documents))
	rows := make([][]string, 0, len(documents))
	s := p.screen()
	for _, d := range documents {
		list = append(list, recentDocument{d.Path, d.Title, d.Shelf, d.Updated})
		rows = append(rows, []string{d.Updated.Local().Format("2006-01-02 15:04"), d.Path, s.paint(dim, d.Title)})
	}
	if asJSON {
		return p.printJSON(list)
	}
	s.table(rows)
	return nil
}
