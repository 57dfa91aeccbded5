package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"shelfd/internal/client"
	"shelfd/store"
)

// shelfLine is how shelves and status print a shelf as JSON.
type shelfLine struct {
	Name          string            `json:"name"`
	Root          string            `json:"root"`
	Description   string            `json:"description,omitempty"`
	Origin        string            `json:"origin"`
	State         store.ShelfState  `json:"state"`
	Reason        string            `json:"reason,omitempty"`
	Since         time.Time         `json:"since,omitzero"`
	Parents       []string          `json:"parents,omitempty"`
	Labels        map[string]string `json:"labels,omitempty"`
	Documents     int               `json:"documents"`
	Chunks        int               `json:"chunks"`
	Problems      int               `json:"problems"`
	LastReconcile *time.Time        `json:"last_reconcile,omitempty"`
	Watch         *watchLine        `json:"watch,omitempty"` // only from a running daemon
}

func shelfLines(v *store.View) ([]shelfLine, error) {
	shelves, err := v.CountedShelves()
	if err != nil {
		return nil, err
	}
	lines := make([]shelfLine, 0, len(shelves))
	for _, s := range shelves {
		line := shelfLine{
			Name: s.Name, Root: s.Root, Description: s.Description, Origin: s.Origin, State: s.State, Reason: s.Reason,
			Since: s.Since, Parents: s.Parents, Labels: s.Labels, Documents: s.Documents, Chunks: s.Chunks, Problems: s.Problems,
		}
		if !s.ReconciledAt.IsZero() {
			line.LastReconcile = &s.ReconciledAt
		}
		lines = append(lines, line)
	}
	return lines, nil
}

func (p *program) shelvesCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "shelves",
		Short:   "List the shelves",
		Example: "  shelfd shelves --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			shelves, err := p.allShelves(c.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return p.printJSON(shelves)
			}
			p.printShelves(shelves)
			return p.noteAbsence(c.Context())
		},
	}
	jsonFlag(c, &asJSON)
	return c
}

// allShelves are those of the index and those that the next daemon will make.
func (p *program) allShelves(ctx context.Context) ([]shelfLine, error) {
	paths, err := p.paths()
	if err != nil {
		return nil, err
	}
	var shelves []shelfLine
	missing := p.view(ctx, func(v *store.View) (err error) {
		shelves, err = shelfLines(v)
		return err
	})
	if e := (*exit)(nil); missing != nil && !(errors.As(missing, &e) && e.code == exitNoDaemon) {
		return nil, missing
	}
	waiting := addedShelves(paths)
	origins := map[string]string{}
	for _, s := range waiting {
		origins[s.Name] = "command"
	}
	if c, err := p.config(paths); err == nil { // what is wrong with it, serve says
		waiting = append(waiting, others(c.All(), waiting)...)
	}
	reason := "it waits for a daemon; start one with: shelfd serve"
	if p.answers(ctx, paths.Socket) {
		reason = "the daemon that runs has not taken it in; shelfd status says what it is doing"
	}
	for _, s := range waiting {
		if !slices.ContainsFunc(shelves, func(k shelfLine) bool { return k.Name == s.Name || k.Root == s.Root }) {
			shelves = append(shelves, shelfLine{
				Name: s.Name, Root: s.Root, Description: s.Description, Origin: cmp.Or(origins[s.Name], "config"), State: store.StateIndexing,
				Reason: reason,
			})
		}
	}
	if len(shelves) == 0 {
		return nil, missing
	}
	return shelves, nil
}

// answers says whether a daemon listens.
func (p *program) answers(ctx context.Context, socket string) bool {
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	c, err := client.Dial(ctx, socket)
	if err == nil {
		c.Close()
	}
	return err == nil
}

// noteAbsence says that the states are old when no daemon keeps them.
func (p *program) noteAbsence(ctx context.Context) error {
	paths, err := p.paths()
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	switch c, err := client.Dial(ctx, paths.Socket); {
	case err == nil:
		return c.Close()
	case errors.Is(err, client.ErrNoDaemon):
		fmt.Fprintln(p.err, "shelfd: no daemon runs; the states are as the last one left them")
	}
	return nil
}

// printShelves prints a table; the colour of a state is its last column's, where it cannot upset the alignment.
func (p *program) printShelves(shelves []shelfLine) {
	s := p.screen()
	rows := [][]string{{"SHELF", "DOCUMENTS", "CHUNKS", "PROBLEMS", "STATE", "ROOT"}}
	for _, shelf := range shelves {
		rows = append(rows, []string{
			shelf.Name, strconv.Itoa(shelf.Documents), strconv.Itoa(shelf.Chunks), strconv.Itoa(shelf.Problems),
			string(shelf.State), s.paint(dim, shelf.Root),
		})
	}
	s.table(rows)
	for _, shelf := range shelves {
		if shelf.Reason != "" {
			s.line("%s", s.paint(yellow, fmt.Sprintf("%s is %s: %s", shelf.Name, shelf.State, shelf.Reason)))
		}
	}
}
