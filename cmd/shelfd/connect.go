package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"shelfd/internal/bridge"
	"shelfd/internal/config"
)

func (p *program) connectCommand() *cobra.Command {
	var print string
	var start bool
	c := &cobra.Command{
		Use:   "connect",
		Short: "Join an MCP client's standard streams to the daemon",
		Long: `Join an MCP client's standard streams to the daemon, for clients that start a program. The client's session outlives
restarts of the daemon.

--print shows the configuration for ` + strings.Join(clientNames(), ", ") + `.`,
		Example: `  shelfd connect --print claude-code
  shelfd connect --print codex >> ~/.codex/config.toml`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if print != "" {
				return p.printClient(print)
			}
			return p.connect(c.Context(), start)
		},
	}
	c.Flags().StringVar(&print, "print", "", "print the configuration for `CLIENT` and end")
	c.Flags().BoolVar(&start, "start", false, "start a daemon when none runs")
	return c
}

func (p *program) connect(ctx context.Context, start bool) error {
	paths, err := p.paths()
	if err != nil {
		return err
	}
	o := bridge.Options{
		Dial:    bridge.Dial(paths.Socket),
		Advice:  "start a daemon with: shelfd serve FOLDER",
		Gone:    clientGone(ctx, p.out),
		Rested:  letGo,
		Version: release,
		Tell:    func(text string) { fmt.Fprintln(p.err, "shelfd:", text) },
	}
	if start {
		o.Start = func() (<-chan error, error) { return p.startDaemon(paths) }
	}
	debug.SetGCPercent(25) // the little that lines leave may be collected often
	letGo()
	err = bridge.Run(ctx, p.in, p.out, o)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// letGo gives back the memory that is not needed at rest: a client may keep many bridges for weeks. What the packages of
// the daemon made at start is garbage here.
func letGo() {
	debug.FreeOSMemory()
	forgetCode()
}

// startDaemon starts serve in a session of its own, so that it outlives this client. What it logs goes to a file
// beside the database. ended says why it ended, should it do so while this program still runs.
func (p *program) startDaemon(paths config.Paths) (ended <-chan error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("start a daemon: %w", err)
	}
	folder := filepath.Dir(paths.Database)
	if err := config.MakeFolder(folder); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(folder, "serve.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start a daemon: %w", err)
	}
	defer log.Close()
	command := exec.Command(self, append([]string{"serve"}, p.pathFlags()...)...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start a daemon: %w", err)
	}
	reason := make(chan error, 1)
	go func() {
		_ = command.Wait() // the log says more than the code
		reason <- fmt.Errorf("the daemon that was started has ended: %s", lastLine(log.Name()))
	}()
	return reason, nil
}

// lastLine is the last line of a log, and where it stands.
func lastLine(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	tail := make([]byte, 4096)
	if end, err := f.Seek(0, io.SeekEnd); err == nil {
		n, _ := f.ReadAt(tail, max(0, end-int64(len(tail)))) // short at the end of the file
		tail = tail[:n]
	}
	lines := strings.Split(strings.TrimSpace(string(tail)), "\n")
	return lines[len(lines)-1] + " (" + path + ")"
}

// pathFlags are the common flags as they were given, for another run of the program.
func (p *program) pathFlags() []string {
	var flags []string
	for _, f := range []struct{ name, value string }{
		{"--config", p.flags.Config}, {"--db", p.flags.Database}, {"--socket", p.flags.Socket},
	} {
		if f.value == "" {
			continue
		}
		if abs, err := filepath.Abs(f.value); err == nil {
			f.value = abs
		}
		flags = append(flags, f.name, f.value)
	}
	return flags
}
