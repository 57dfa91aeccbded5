package main

import (
	"bufio"

	"github.com/spf13/cobra"

	"shelfd/store"
)

func (p *program) dumpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "dump",
		Short: "Print the index as canonical JSON lines",
		Long: `Print the index as canonical JSON lines, sorted, without ids and times: two indexes of the same folders and
statements dump the same bytes.`,
		Example: "  shelfd dump | sha256sum",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			out := bufio.NewWriter(p.out)
			if err := p.view(c.Context(), func(v *store.View) error { return v.Dump(out) }); err != nil {
				return err
			}
			return out.Flush()
		},
	}
}
