package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"shelfd/internal/client"
	"shelfd/internal/config"
	"shelfd/store"
)

func (p *program) addCommand() *cobra.Command {
	var name, description string
	c := &cobra.Command{
		Use:   "add FOLDER",
		Short: "Make a shelf of a folder",
		Long: `Make a shelf of a folder: at once when the daemon runs, else at its next start. What is added so stays until it is
removed; shelves of the configuration file are changed there.`,
		Example: `  shelfd add ~/notes
  shelfd add ~/docs/standard --name Standard --description "Product manual"`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			root, usual, err := config.Folder(args[0])
			if err != nil {
				return &exit{exitUsage, err}
			}
			if name == "" {
				name = usual
			}
			if err := config.CheckName(name); err != nil {
				return usage("--name: %v", err)
			}
			paths, err := p.paths()
			if err != nil {
				return err
			}
			if err := config.CheckPlacement(paths, []string{root}); err != nil {
				return &exit{exitUsage, err}
			}
			return p.change(c.Context(), change{
				record:    store.Record{Op: store.OpShelfAdd, Shelf: name, Root: root, Description: description},
				arguments: arguments("add", "name", name, "root", root, "description", description),
				done:      fmt.Sprintf("added %s: %s", name, root),
			})
		},
	}
	c.Flags().StringVar(&name, "name", "", "`NAME` of the shelf (else the folder's)")
	c.Flags().StringVar(&description, "description", "", "a `SENTENCE` that helps agents choose where to look")
	return c
}

func (p *program) removeCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "remove SHELF",
		Short:   "Forget a shelf that was added; its files stay",
		Example: "  shelfd remove notes",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return p.change(c.Context(), change{
				record:    store.Record{Op: store.OpShelfRemove, Shelf: args[0]},
				arguments: arguments("remove", "shelf", args[0]),
				done:      "removed " + args[0],
			})
		},
	}
}

func (p *program) renameCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "rename SHELF NEW_NAME",
		Short:   "Rename a shelf that was added; links and ids go along",
		Example: "  shelfd rename notes journal",
		Args:    cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			if err := config.CheckName(args[1]); err != nil {
				return usage("%v", err)
			}
			return p.change(c.Context(), change{
				record:    store.Record{Op: store.OpShelfRename, Shelf: args[0], To: args[1]},
				arguments: arguments("rename", "shelf", args[0], "new_name", args[1]),
				done:      fmt.Sprintf("renamed %s to %s", args[0], args[1]),
			})
		},
	}
}

// change is one change of the shelves, in the two forms it can take.
type change struct {
	record    store.Record   // for the ledger, without a daemon
	arguments map[string]any // for docs_management, with one
	done      string         // what to say
}

// arguments are those of manage_shelves; empty values are left out.
func arguments(operation string, pairs ...string) map[string]any {
	m := map[string]any{"action": "manage_shelves", "operation": operation}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			m[pairs[i]] = pairs[i+1]
		}
	}
	return m
}

// change asks the daemon, or without one writes to the ledger for its next start.
func (p *program) change(ctx context.Context, what change) error {
	paths, err := p.paths()
	if err != nil {
		return err
	}
	c, err := client.Dial(ctx, paths.Socket)
	if errors.Is(err, client.ErrNoDaemon) {
		return p.changeLedger(paths, what)
	}
	if err != nil {
		return err
	}
	defer c.Close()
	err = c.Call(ctx, client.Request{Tool: "docs_management", Arguments: what.arguments}, nil)
	if err == nil {
		fmt.Fprintln(p.out, what.done)
	}
	return err
}

// changeLedger writes a change that the next daemon will find. It holds the daemon's lock meanwhile: one that starts
// now would not see the line.
func (p *program) changeLedger(paths config.Paths, what change) error {
	if err := config.MakeFolder(filepath.Dir(paths.Ledger)); err != nil {
		return &exit{exitDatabase, err}
	}
	held, err := lockDatabase(paths.Lock)
	if errors.Is(err, errLocked) {
		return fmt.Errorf("%w; it does not answer on %q: is it another --socket?", err, paths.Socket)
	}
	if err != nil {
		return &exit{exitDatabase, err}
	}
	defer held.release()
	ledger, warnings, err := store.OpenLedger(paths.Ledger, false)
	if err != nil {
		return &exit{exitDatabase, err}
	}
	defer ledger.Close()
	for _, w := range warnings {
		fmt.Fprintln(p.err, "warning:", w)
	}
	c, err := p.config(paths)
	if err != nil {
		return err
	}
	if err := checkChange(what.record, c.All(), ledger.Said()); err != nil {
		return err
	}
	what.record.At = time.Now().UnixNano()
	if err := ledger.Append(what.record); err != nil {
		return err
	}
	fmt.Fprintln(p.out, what.done+"; no daemon runs, so it takes effect when one starts")
	return nil
}

// checkChange refuses what the daemon would refuse: it could only complain at its next start.
func checkChange(r store.Record, declared []config.Shelf, said *store.Said) error {
	for _, s := range declared {
		if s.Name == r.Shelf && r.Op != store.OpShelfAdd {
			return &exit{exitWrong, fmt.Errorf("shelf %q is declared in %s; change it there", s.Name, s.Origin)}
		}
	}
	existing := declared
	for name, s := range said.Shelves {
		existing = append(existing, config.Shelf{Name: name, Root: s.Root})
	}
	switch r.Op {
	case store.OpShelfAdd:
		return checkAdd(r, existing)
	case store.OpShelfRename:
		if err := nameFree(r.To, existing); err != nil {
			return err
		}
	}
	if _, known := said.Shelves[r.Shelf]; !known {
		return fmt.Errorf("no shelf %q was added", r.Shelf)
	}
	return nil
}

func checkAdd(r store.Record, existing []config.Shelf) error {
	if err := nameFree(r.Shelf, existing); err != nil {
		return err
	}
	for _, s := range existing {
		if reason := config.Overlap(r.Root, fmt.Sprintf("the root of shelf %q,", s.Name), s.Root); reason != "" {
			return errors.New(reason)
		}
	}
	return nil
}

func nameFree(name string, existing []config.Shelf) error {
	for _, s := range existing {
		if s.Name == name {
			return fmt.Errorf("there is a shelf %q already: %s; choose another name", name, s.Root)
		}
	}
	return nil
}
