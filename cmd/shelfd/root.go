package main

import (
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
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: func(*cobra.Command, []string) error { p.entered = true; return nil },
	}
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
	add("read", p.searchCommand(), p.getCommand(), p.outlineCommand(), p.relatedCommand(), p.recentCommand(), p.shelvesCommand())
	add("look", p.statusCommand(), p.syncCommand(), p.checkCommand(), p.dumpCommand(), p.configCommand(), p.serviceCommand(), p.doctorCommand(), p.manCommand(), p.versionCommand())
	add("look", p.exportCommand(), p.importCommand(), p.ledgerCommand())
	root.SetHelpCommandGroupID("look")
	root.SetCompletionCommandGroupID("look")
	return root
}
