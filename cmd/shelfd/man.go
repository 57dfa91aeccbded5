package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	if folder == "" {
		fmt.Fprint(p.out, manPage(root, p.pageDate()))
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("man: %w", err)
	}
	return writePages(root, folder, p.pageDate())
}

func writePages(c *cobra.Command, folder string, date time.Time) error {
	if !c.IsAvailableCommand() && c.HasParent() || c.IsAdditionalHelpTopicCommand() {
		return nil
	}
	for _, sub := range c.Commands() {
		if err := writePages(sub, folder, date); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(folder, pageName(c)+".1"), []byte(manPage(c, date)), 0o644); err != nil {
		return fmt.Errorf("man: %w", err)
	}
	return nil
}

// pageDate is what stands at the foot of a page: the time of the source, as builds that can be repeated say it, else now.
func (p *program) pageDate() time.Time {
	if epoch, err := strconv.ParseInt(p.getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		return time.Unix(epoch, 0).UTC()
	}
	return time.Now()
}

// exitStatus is the same for every command.
const exitStatus = `0 done; 1 ran and found something wrong; 2 usage or configuration; 3 no daemon; 4 the database cannot be used.`

// manPage is the page of a command in the macros of man(7).
func manPage(c *cobra.Command, date time.Time) string {
	var b strings.Builder
	name := pageName(c)
	fmt.Fprintf(&b, ".TH %q \"1\" %q %q \"shelfd\"\n", strings.ToUpper(name), date.Format("Jan 2006"), "shelfd "+release)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n.SH DESCRIPTION\n", roff(name), roff(c.Short), roff(c.UseLine()))
	about := c.Long
	if about == "" {
		about = c.Short + "."
	}
	fmt.Fprintf(&b, "%s\n", strings.ReplaceAll(roff(about), "\n\n", "\n.PP\n"))
	heading := ".SH COMMANDS\n"
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			fmt.Fprintf(&b, "%s.TP\n.B %s\n%s\n", heading, roff(sub.Name()), roff(sub.Short))
			heading = ""
		}
	}
	manFlags(&b, "OPTIONS", c.NonInheritedFlags())
	manFlags(&b, "COMMON OPTIONS", c.InheritedFlags())
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(c.Example))
	}
	fmt.Fprintf(&b, ".SH EXIT STATUS\n%s\n", roff(exitStatus))
	if related := seeAlso(c); related != "" {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", related)
	}
	return b.String()
}

func manFlags(b *strings.Builder, heading string, flags *pflag.FlagSet) {
	heading = ".SH " + heading + "\n"
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		names := `\fB` + roff("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			names = `\fB` + roff("-"+f.Shorthand) + `\fR, ` + names
		}
		if value != "" {
			names += ` \fI` + roff(value) + `\fR`
		}
		fmt.Fprintf(b, "%s.TP\n%s\n%s\n", heading, names, roff(usage))
		heading = ""
	})
}

func seeAlso(c *cobra.Command) string {
	var pages []string
	if c.HasParent() {
		pages = append(pages, pageName(c.Parent()))
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			pages = append(pages, pageName(sub))
		}
	}
	for i, page := range pages {
		pages[i] = `\fB` + roff(page) + `\fR(1)`
	}
	return strings.Join(pages, ", ")
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// roff escapes text: a backslash, hyphens that are meant as typed, and what at the start of a line would be a request.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
