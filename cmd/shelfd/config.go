package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"shelfd/internal/config"
)

func (p *program) configCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Look at the configuration",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(&cobra.Command{
		Use:   "check",
		Short: "Report everything wrong with the configuration, with line and column",
		Example: `  shelfd config check
  shelfd --config new.yaml config check`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return p.checkConfig() },
	})
	return c
}

func (p *program) checkConfig() error {
	paths, err := p.paths()
	if err != nil {
		return err
	}
	if paths.Config == "" {
		fmt.Fprintln(p.out, "no configuration file; the defaults hold")
		return nil
	}
	c, err := p.config(paths)
	if err != nil {
		return err
	}
	for _, w := range c.Warnings {
		fmt.Fprintf(p.err, "warning: %v\n", w)
	}
	shelves := c.All()
	if err := config.CheckPlacement(paths, rootsOf(shelves)); err != nil {
		return &exit{exitUsage, err}
	}
	fmt.Fprintf(p.out, "%s: fine, %s\n", paths.Config, countShelves(len(shelves)))
	return nil
}

func countShelves(n int) string {
	if n == 1 {
		return "1 shelf"
	}
	return fmt.Sprintf("%d shelves", n)
}

func rootsOf(shelves []config.Shelf) []string {
	roots := make([]string, len(shelves))
	for i := range shelves {
		roots[i] = shelves[i].Root
	}
	return roots
}
