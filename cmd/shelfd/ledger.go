package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"shelfd/store"
)

func (p *program) ledgerCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "ledger",
		Short: "Show and check what people said",
		Long: `Show and check what people said: shelves added, which extends which, links stated, settings of correlation, refused
pairs, summaries. All of it stands in one file of JSON lines beside the database, which can be worked out again from
it and the folders.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	var asJSON bool
	list := p.ledgerPart("list", "List what holds at present", func(said *store.Said) error {
		if asJSON {
			return p.printJSON(append([]store.Record{}, said.Records()...))
		}
		p.printStatements(said.Records())
		return nil
	})
	jsonFlag(list, &asJSON)
	export := p.ledgerPart("export", "Print what holds at present as the lines of a ledger", func(said *store.Said) error {
		lines, err := store.AppendLines(nil, said.Records())
		if err != nil {
			return err
		}
		_, err = p.out.Write(lines)
		return err
	})
	export.Long = `Print what holds at present as the lines of a ledger, fewest and in order: the same statements print the same bytes.
Appended to another ledger while no daemon has it, they are said there as well.`
	c.AddCommand(list, export, p.ledgerVerifyCommand())
	return c
}

// ledgerPart is a command that reads what holds at present. What is damaged is told and left out.
func (p *program) ledgerPart(name, short string, run func(*store.Said) error) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs, Example: "  shelfd ledger " + name,
		RunE: func(*cobra.Command, []string) error {
			paths, err := p.paths()
			if err != nil {
				return err
			}
			ledger, warnings, err := store.OpenLedger(paths.Ledger, true)
			if err != nil {
				return &exit{exitDatabase, err}
			}
			for _, w := range warnings {
				fmt.Fprintln(p.err, "warning:", w)
			}
			return run(ledger.Said())
		},
	}
}

func (p *program) ledgerVerifyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "verify", Short: "Check every line of the ledger", Args: cobra.NoArgs, Example: "  shelfd ledger verify",
		Long: "Check every line of the ledger: one line is printed for each that is torn or damaged, and the exit code is 1.",
		RunE: func(*cobra.Command, []string) error {
			paths, err := p.paths()
			if err != nil {
				return err
			}
			if _, err := os.Stat(paths.Ledger); errors.Is(err, fs.ErrNotExist) {
				fmt.Fprintf(p.out, "%s: not there yet; nothing was said\n", paths.Ledger)
				return nil
			}
			ledger, warnings, err := store.OpenLedger(paths.Ledger, true)
			if err != nil {
				return &exit{exitDatabase, err}
			}
			for _, w := range warnings {
				fmt.Fprintln(p.out, w)
			}
			if len(warnings) > 0 {
				return &exit{exitWrong, fmt.Errorf("%s: %s damaged, %d sound; the daemon sets damaged lines aside at its next start and uses the rest",
					paths.Ledger, count(len(warnings), "line"), ledger.Len())}
			}
			fmt.Fprintf(p.out, "%s: %s, all sound\n", paths.Ledger, count(ledger.Len(), "line"))
			return nil
		},
	}
}

// printStatements prints one statement a line, its kind first.
func (p *program) printStatements(records []store.Record) {
	s := p.screen()
	rows := [][]string{}
	for _, r := range records {
		for _, text := range statement(r) {
			rows = append(rows, []string{s.paint(dim, string(r.Op)), text})
		}
	}
	if len(rows) == 0 {
		fmt.Fprintln(p.err, "shelfd: nothing was said yet")
	}
	s.table(rows)
}

// statement says a record in words; one of several links in several lines.
func statement(r store.Record) (lines []string) {
	switch r.Op {
	case store.OpShelfAdd:
		return []string{r.Shelf + ": " + r.Root}
	case store.OpParentAdd:
		return []string{r.Shelf + " extends " + r.To}
	case store.OpDocumentID:
		return []string{fmt.Sprintf("%s is document %d", r.Source, r.ID)}
	case store.OpDocumentGone:
		return []string{fmt.Sprintf("%s went with content %.12s", r.Source, r.Hash)}
	case store.OpCorrelate:
		return []string{r.Shelf + r.Source + ": " + settingsInWords(r.Settings)}
	case store.OpPairsRefuse:
		for _, target := range r.Targets {
			lines = append(lines, r.Source+" ↛ "+target)
		}
		return lines
	case store.OpLinksReplace:
		for _, l := range r.Links {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s → %s (%s, %.2f) %s", l.Source, l.Target, l.Relation, l.Confidence, l.Label)))
		}
		return lines
	case store.OpSummary:
		return []string{fmt.Sprintf("%s: %.80s", r.Source, r.Outline.Summary)}
	}
	return []string{r.Shelf + r.Source}
}

func settingsInWords(s *store.Settings) string {
	var words []string
	if s.Scope != "" {
		words = append(words, "scope "+s.Scope)
	}
	if s.MinConfidence != nil {
		words = append(words, fmt.Sprintf("min_confidence %g", *s.MinConfidence))
	}
	if s.MinSignals != nil {
		words = append(words, fmt.Sprintf("min_signal_count %d", *s.MinSignals))
	}
	if s.MaxLinks != nil {
		words = append(words, fmt.Sprintf("max_links_per_document %d", *s.MaxLinks))
	}
	if len(words) == 0 {
		return "as configured, also when links are not worked out by themselves"
	}
	return strings.Join(words, ", ")
}
