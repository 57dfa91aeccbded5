package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"shelfd/mcp"
	"shelfd/store"
)

func (p *program) checkCommand() *cobra.Command {
	var repair, links bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Compare index, full text and disk",
		Long: `Compare index, full text and disk; one line a difference, exit code 1 when there is one.

A daemon that runs may be about to read what differs from the disk: 'shelfd sync' first.

--repair has the daemon cut the documents again that differ, and build the whole index anew where that cannot mend it;
then what still differs is listed.`,
		Example: `  shelfd check
  shelfd check --repair
  shelfd check --links`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if links {
				return p.checkLinks(c.Context())
			}
			if repair {
				if _, err := p.sync(c.Context(), "", map[string]any{mcp.RepairIndex: true}); err != nil {
					return err
				}
			}
			return p.check(c.Context())
		},
	}
	c.Flags().BoolVar(&repair, "repair", false, "let the daemon mend what differs, then check again")
	c.Flags().BoolVar(&links, "links", false, "list links of the text that are dead or ambiguous instead")
	c.MarkFlagsMutuallyExclusive("repair", "links")
	return c
}

func (p *program) check(ctx context.Context) error {
	differences := 0
	report := func(d store.Difference) {
		differences++
		fmt.Fprintln(p.out, d)
	}
	err := p.database(ctx, func(s *store.Store) error {
		if err := s.Check(ctx, report); err != nil {
			return err
		}
		return s.View(ctx, func(v *store.View) error { return p.checkDisk(ctx, v, report) })
	})
	return p.verdict(err, differences, "difference")
}

// verdict is exit code 1 when something was found, and a word either way.
func (p *program) verdict(err error, found int, word string) error {
	if err != nil {
		return err
	}
	if found > 0 {
		return &exit{exitWrong, fmt.Errorf("%s", count(found, word))}
	}
	fmt.Fprintln(p.err, "shelfd: no", word+"s")
	return nil
}

func (p *program) checkLinks(ctx context.Context) error {
	found := 0
	err := p.view(ctx, func(v *store.View) error {
		list, err := v.Unresolved("")
		found = len(list)
		for _, u := range list {
			fmt.Fprintln(p.out, unresolvedLine(u))
		}
		return err
	})
	return p.verdict(err, found, "unresolved link")
}

// unresolvedLine is path:line: what is wrong, as editors can jump to it.
func unresolvedLine(u store.Unresolved) string {
	target := u.Raw
	if u.Fragment != "" {
		target += "#" + u.Fragment
	}
	line := fmt.Sprintf("%s:%d: dead link to %q", u.Source, u.Line, target)
	if len(u.Candidates) > 0 {
		line = fmt.Sprintf("%s:%d: ambiguous link to %q:", u.Source, u.Line, target)
		for _, c := range u.Candidates {
			line += " " + c
		}
	}
	return line
}
