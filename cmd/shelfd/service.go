package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"shelfd/internal/config"
	"shelfd/internal/service"
)

// serviceFlags say which manager is meant and how careful to be.
type serviceFlags struct {
	system  bool
	launchd bool
	root    string
	binary  string
	dryRun  bool
	force   bool
}

func (p *program) serviceCommand() *cobra.Command {
	var f serviceFlags
	c := &cobra.Command{
		Use:   "service",
		Short: "Have systemd or launchd run the daemon",
		Long: `Have systemd or launchd run the daemon: for you from login on, or with --system one for the machine, under a user of its
own. Installing again changes nothing; uninstalling removes what was installed and keeps what you edited.`,
		Example: `  shelfd service install --dry-run
  shelfd service install
  sudo shelfd service install --system`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.PersistentFlags().BoolVar(&f.system, "system", false, "one daemon for the machine")
	c.PersistentFlags().BoolVar(&f.launchd, "launchd", runtime.GOOS == "darwin", "speak of launchd")
	c.PersistentFlags().StringVar(&f.root, "root", "", "write below `FOLDER` as if it were /, and start nothing")
	c.PersistentFlags().StringVar(&f.binary, "binary", "", "`PATH` of the program to run (else this one)")
	part := func(use, short string, run func(context.Context, service.Installer) error) *cobra.Command {
		sub := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
			installer, err := p.installer(f)
			if err != nil {
				return err
			}
			return run(c.Context(), installer)
		}}
		c.AddCommand(sub)
		return sub
	}
	install := part("install", "Write the files, start the daemon now and at every login or boot", p.installService)
	uninstall := part("uninstall", "Stop the daemon and remove what install wrote", func(ctx context.Context, i service.Installer) error {
		return i.Uninstall(ctx)
	})
	for _, sub := range []*cobra.Command{install, uninstall} {
		sub.Flags().BoolVar(&f.dryRun, "dry-run", false, "say what would be done, and do nothing")
		sub.Flags().BoolVar(&f.force, "force", false, "replace or remove files that were edited, too")
	}
	part("status", "Show what the service manager says", p.serviceStatus)
	part("print", "Print the files that install would write", p.printService)
	return c
}

// installer gathers where things stand.
func (p *program) installer(f serviceFlags) (service.Installer, error) {
	paths, err := p.paths()
	if err != nil {
		return service.Installer{}, err
	}
	i := service.Installer{UID: os.Getuid(), Out: p.out, DryRun: f.dryRun, Force: f.force, Run: p.runProgram}
	switch {
	case f.system && f.launchd:
		return i, usage("--system is for systemd; launchd runs the daemon for you alone")
	case f.system:
		i.Manager = service.SystemdSystem
	case f.launchd:
		i.Manager = service.Launchd
	case f.root != "":
		return i, usage("--root needs --system or --launchd: systemctl cannot enable a user's units below another root")
	}
	i.Places = service.Places{
		Home: p.getenv("HOME"), Config: p.getenv("XDG_CONFIG_HOME"), Socket: paths.Socket, State: filepath.Dir(paths.Database),
		Program: f.binary, Arguments: p.serviceArguments(paths), OwnSocket: p.flags.Socket != "",
	}
	if f.root != "" {
		if i.Places.Root, err = filepath.Abs(f.root); err != nil {
			return i, err
		}
	}
	if !filepath.IsAbs(i.Places.Config) {
		i.Places.Config = filepath.Join(i.Places.Home, ".config")
	}
	if i.Places.Program == "" {
		if i.Places.Program, err = os.Executable(); err != nil {
			return i, fmt.Errorf("find this program: %w", err)
		}
	}
	if !filepath.IsAbs(i.Places.Program) {
		return i, usage("--binary %q: want an absolute path, service managers know no other", i.Places.Program)
	}
	if i.Places.Home == "" && !f.system {
		return i, usage("$HOME is not set")
	}
	return i, nil
}

// serviceArguments are the common flags as given, and what the environment says in their place: a service manager does
// not hand this shell's environment on.
func (p *program) serviceArguments(paths config.Paths) []string {
	said := *p
	if said.flags.Config == "" {
		said.flags.Config = p.getenv("SHELFD_CONFIG")
	}
	if said.flags.Database == "" && p.getenv("SHELFD_DB_PATH") != "" {
		said.flags.Database = paths.Database
	}
	return said.pathFlags()
}

// installService installs for a daemon that will find something to serve: one that ends at once is no service.
func (p *program) installService(ctx context.Context, i service.Installer) error {
	if i.Places.Root == "" && !i.DryRun {
		if _, err := exec.LookPath(i.Manager.Program()); err != nil {
			return fmt.Errorf("%s is not here: %w; see what to do by hand: shelfd service print", i.Manager, err)
		}
		if i.Manager == service.SystemdSystem && os.Getuid() != 0 {
			return usage("--system writes to /etc; type: sudo shelfd service install --system")
		}
		if err := p.anythingToServe(i.Manager); err != nil {
			return err
		}
	}
	if i.Manager == service.Launchd && !i.DryRun && i.Places.Root == "" {
		for _, folder := range []string{i.Places.State, filepath.Dir(i.Places.Socket)} { // launchd makes neither
			if err := config.MakeFolder(folder); err != nil {
				return err
			}
		}
	}
	if err := i.Install(ctx); err != nil {
		return err
	}
	if i.Manager == service.SystemdUser {
		fmt.Fprintln(p.err, "To have it run while you are not logged in: loginctl enable-linger")
	}
	return nil
}

func (p *program) anythingToServe(m service.Manager) error {
	if m == service.SystemdSystem {
		return nil // It has a configuration of its own, with a folder of shelves in it.
	}
	d := &daemon{program: p}
	var err error
	if d.paths, err = p.paths(); err != nil {
		return err
	}
	if d.config, err = p.config(d.paths); err != nil {
		return err
	}
	if len(d.config.Shelves)+len(d.config.ShelfFolders) == 0 && !d.anyAdded() {
		return usage("nothing to serve yet; first type: shelfd add FOLDER")
	}
	return nil
}

func (p *program) printService(_ context.Context, i service.Installer) error {
	files, err := service.Files(i.Manager, i.Places)
	if err != nil {
		return err
	}
	for n, f := range files {
		if n > 0 {
			fmt.Fprintln(p.out)
		}
		fmt.Fprintf(p.out, "==> %s\n%s", filepath.Join(i.Places.Root, f.Path), service.Signed(f))
	}
	return nil
}

func (p *program) serviceStatus(ctx context.Context, i service.Installer) error {
	err := i.Status(ctx)
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return &exit{exitWrong, nil} // The manager has said why.
	}
	return err
}

// runProgram runs a program of the service manager and shows what it says.
func (p *program) runProgram(ctx context.Context, name string, arguments ...string) error {
	c := exec.CommandContext(ctx, name, arguments...)
	c.Stdout, c.Stderr = p.out, p.err
	return c.Run()
}
