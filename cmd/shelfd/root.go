package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// root is the command tree.
func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "shelfd",
		Short: "Keep folders of Markdown searchable for agents and people",
		Long: `shelfd watches folders of Markdown, keeps every section searchable, and answers agents over MCP.

The daemon serves; every other command reads its index or asks it.`,
		Example: `  shelfd serve ~/notes              # index a folder and serve it
  shelfd search "heat exchanger"    # search it from another terminal
  shelfd connect --print claude-code`,
		Version:       release,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			err := c.ValidateFlagGroups() // cobra does so only after this hook, when a fault would no longer be one of usage
			p.entered = err == nil
			return err
		},
	}
	root.SetVersionTemplate(theVersions().String() + "\n")
	flags := root.PersistentFlags()
	flags.StringVar(&p.flags.Config, "config", "", "configuration `FILE` (else $SHELFD_CONFIG, else ~/.config/shelfd/config.yaml)")
	flags.StringVar(&p.flags.Socket, "socket", "", "socket `PATH` (else $SHELFD_SOCKET, else $XDG_RUNTIME_DIR/shelfd/mcp.sock)")
	flags.StringVar(&p.flags.Database, "db", "", "database `FILE` (else $SHELFD_DB_PATH, else ~/.local/state/shelfd/index.db)")
	root.AddGroup(
		&cobra.Group{ID: "serve", Title: "Serving:"},
		&cobra.Group{ID: "read", Title: "Searching and reading:"},
		&cobra.Group{ID: "look", Title: "Looking after it:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("serve", p.serveCommand(), p.addCommand(), p.removeCommand(), p.renameCommand(), p.connectCommand())
	add("read", p.searchCommand(), p.getCommand(), p.outlineCommand(), p.relatedCommand(), p.recentCommand(), p.mapCommand(), p.shelvesCommand())
	add("look", p.statusCommand(), p.syncCommand(), p.checkCommand(), p.dumpCommand(), p.configCommand(), p.serviceCommand(), p.doctorCommand(), p.manCommand(), p.versionCommand())
	add("look", p.exportCommand(), p.importCommand(), p.ledgerCommand())
	root.SetHelpCommand(helpCommand())
	root.SetHelpCommandGroupID("look")
	root.SetCompletionCommandGroupID("look")
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil && c != root {
		c.Args, c.RunE = cobra.NoArgs, func(c *cobra.Command, _ []string) error { return c.Help() }
	}
	return root
}

// helpCommand is cobra's, which ends well when there is no such command: scripts and people must see the difference.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show the help of a command",
		Example: "  shelfd help search",
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usage("no command %q; shelfd --help lists them", strings.Join(args, " "))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
