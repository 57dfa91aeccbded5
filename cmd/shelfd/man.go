package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func (p *program) manCommand() *cobra.Command {
	var folder string
	c := &cobra.Command{
		Use:   "man",
		Short: "Print the manual page, or write one for each command",
		Example: `  shelfd man | man -l -
  shelfd man --output ~/.local/share/man/man1`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return p.man(c.Root(), folder) },
	}
	c.Flags().StringVarP(&folder, "output", "o", "", "write the pages of all commands into `FOLDER`")
	return c
}

func (p *program) man(root *cobra.Command, folder string) error {
	root.DisableAutoGenTag = true
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	header := &doc.GenManHeader{Title: "SHELFD", Section: "1", Source: "shelfd " + release, Manual: "shelfd", Date: p.pageDate()}
	if folder == "" {
		return doc.GenMan(root, header, p.out)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("man: %w", err)
	}
	header.Title = "" // That of each page is its command.
	return doc.GenManTree(root, header, folder)
}

// pageDate is what stands at the foot of a page: the time of the source, as builds that can be repeated say it, else now.
func (p *program) pageDate() *time.Time {
	now := time.Now()
	if epoch, err := strconv.ParseInt(p.getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		now = time.Unix(epoch, 0).UTC()
	}
	return &now
}
