package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"shelfd/internal/client"
	"shelfd/internal/config"
	"shelfd/internal/doctor"
	"shelfd/internal/text"
	"shelfd/store"
	"shelfd/watcher"
)

func (p *program) doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what of this machine would bite, and what to do about it",
		Long: `Say what of this machine would bite, and what to do about it: configuration, file systems, permissions, free space, the
socket, the limits of watching, the clock, and the MCP clients found here. The folders are those of the configuration,
those added, and those that a running daemon serves besides. Nothing is changed.

Ends with 1 when something is wrong.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return p.doctor(c.Context(), asJSON) },
	}
	jsonFlag(c, &asJSON)
	return c
}

func (p *program) doctor(ctx context.Context, asJSON bool) error {
	paths, err := p.paths()
	if err != nil {
		return err
	}
	served, findings := servedShelves(ctx, paths.Socket)
	judged, shelves := p.judgeConfig(paths, served)
	findings = append(findings, judged...)
	facts := doctor.Look(ctx, paths, shelves, p.getenv("HOME"))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	findings = append(findings, doctor.Judge(facts)...)
	if asJSON {
		if err := p.printJSON(findings); err != nil {
			return err
		}
	} else {
		p.printFindings(findings)
	}
	if slices.ContainsFunc(findings, func(f doctor.Finding) bool { return f.Level == doctor.Wrong }) {
		return &exit{exitWrong, nil}
	}
	return nil
}

// servedShelves are those of a running daemon: folders of its command line stand nowhere else.
func servedShelves(ctx context.Context, socket string) ([]config.Shelf, []doctor.Finding) {
	if config.CheckSocketPath(socket) != nil {
		return nil, nil // which is judged elsewhere
	}
	l, err := askLive(ctx, socket)
	switch {
	case errors.Is(err, client.ErrNoDaemon):
		return nil, nil
	case err != nil:
		remedy := "run this as the daemon's own user"
		if errors.Is(err, errSilent) {
			remedy = "look at its log, or start it again"
		}
		return nil, []doctor.Finding{{
			Level: doctor.Note, About: "socket", Found: "the daemon does not say which shelves it serves: " + text.Plainly(err.Error()),
			Remedy: "folders of its command line were not looked at; " + remedy,
		}}
	}
	var served []config.Shelf
	for _, name := range slices.Sorted(maps.Keys(l.Watch)) {
		if root := l.Watch[name].Root; root != "" {
			served = append(served, config.DefaultShelf(name, root))
		}
	}
	return served, nil
}

// judgeConfig reads the configuration as serve would, and says which shelves there will be, those served already
// included.
func (p *program) judgeConfig(paths config.Paths, served []config.Shelf) ([]doctor.Finding, []config.Shelf) {
	const about = "configuration"
	c, err := p.config(paths)
	if err != nil {
		return []doctor.Finding{{Level: doctor.Wrong, About: about, Found: text.Plainly(err.Error()), Remedy: "mend it; shelfd config check shows all faults"}}, served
	}
	shelves := c.All()
	shelves = append(shelves, others(addedShelves(paths), shelves)...)
	shelves = append(shelves, others(served, shelves)...)
	var findings []doctor.Finding
	if err := config.CheckPlacement(paths, rootsOf(shelves)); err != nil {
		findings = append(findings, doctor.Finding{Level: doctor.Wrong, About: about, Found: text.Plainly(err.Error()), Remedy: "move it"})
	}
	for _, w := range c.Warnings {
		findings = append(findings, doctor.Finding{Level: doctor.Note, About: about, Found: text.Plainly(w.Error())})
	}
	if len(shelves) == 0 {
		findings = append(findings, doctor.Finding{Level: doctor.Note, About: about, Found: "no shelves", Remedy: "name a folder: shelfd add FOLDER"})
	}
	if len(findings) == 0 {
		from := paths.Config
		if from == "" {
			from = "no file, the defaults hold"
		}
		findings = append(findings, doctor.Finding{Level: doctor.Fine, About: about, Found: from + ", " + countShelves(len(shelves))})
	}
	return findings, shelves
}

// others are those whose roots known ones have not.
func others(shelves, known []config.Shelf) []config.Shelf {
	return slices.DeleteFunc(slices.Clone(shelves), func(s config.Shelf) bool {
		return slices.ContainsFunc(known, func(k config.Shelf) bool { return k.Root == s.Root })
	})
}

// addedShelves are those made at run time, as far as the ledger can be read: what is wrong with it, serve says.
func addedShelves(paths config.Paths) []config.Shelf {
	ledger, _, err := store.OpenLedger(paths.Ledger, true)
	if err != nil {
		return nil
	}
	var added []config.Shelf
	for name, s := range ledger.Said().Shelves {
		added = append(added, config.DefaultShelf(name, s.Root))
	}
	slices.SortFunc(added, func(a, b config.Shelf) int { return strings.Compare(a.Name, b.Name) })
	return added
}

func (p *program) printFindings(findings []doctor.Finding) {
	s := p.screen()
	colours := map[doctor.Level]string{doctor.Fine: dim, doctor.Note: yellow, doctor.Wrong: red}
	for _, f := range findings {
		s.line("%s  %-14s %s", s.paint(colours[f.Level], fmt.Sprintf("%-5s", f.Level)), f.About, f.Found)
		if f.Remedy != "" {
			s.line("%22s%s", "", s.paint(cyan, "→ "+f.Remedy))
		}
	}
}

// refuseRemote says why a database cannot stand in folder: SQLite's write-ahead log needs memory that all processes
// share, which network file systems only seem to give.
func refuseRemote(folder string, remote func(string) (string, bool)) error {
	name, is := remote(folder)
	if !doctor.NoWAL(name, is) {
		return nil
	}
	return fmt.Errorf("the folder %q of the database is on %s, where SQLite's write-ahead log would corrupt it; name a folder of a local disk with --db or $SHELFD_DB_PATH",
		folder, name)
}

// remoteDisk asks the system.
func remoteDisk(path string) (string, bool) { return watcher.OS{}.Remote(path) }
