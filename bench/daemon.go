package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"shelfd/internal/client"
)

// daemon is the program under measurement.
type daemon struct {
	binary, root, socket, database string
	config                         string // file, "" = none
	command                        *exec.Cmd
	client                         *client.Client
}

// build builds the program into a folder and returns the path of the binary.
func build(ctx context.Context, into string) (string, error) {
	binary := filepath.Join(into, "shelfd")
	command := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/shelfd")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return binary, nil
}

// daemonOver is a daemon, not started yet, over a copy of the documents of the folder that the arguments name.
func daemonOver(ctx context.Context, work string, arguments []string) (*daemon, corpus, error) {
	c, err := newCorpus(ctx, work, arguments)
	if err != nil {
		return nil, c, err
	}
	binary, err := build(ctx, work)
	if err != nil {
		return nil, c, err
	}
	return newDaemon(binary, work, c.root), c, nil
}

// newDaemon is a daemon over root that keeps its files in work.
func newDaemon(binary, work, root string) *daemon {
	return &daemon{
		binary: binary, root: root,
		socket: filepath.Join(work, "s"), database: filepath.Join(work, "state", "index.db"),
	}
}

// built is how long the daemon took from its start.
type built struct {
	answering  time.Duration // until the first search was answered
	searchable time.Duration // until every document was in the index
	whole      time.Duration // until the links between them were worked out as well
}

// start starts the daemon and waits until the index equals the disk.
func (d *daemon) start(ctx context.Context) (built, error) {
	if err := os.MkdirAll(filepath.Dir(d.database), 0o700); err != nil {
		return built{}, err
	}
	settings := d.config
	if settings == "" { // the defaults, not what the user has at the usual place
		settings = filepath.Join(filepath.Dir(d.database), "config.yaml")
		if err := os.WriteFile(settings, nil, 0o600); err != nil {
			return built{}, err
		}
	}
	d.command = exec.Command(d.binary, "--config", settings, "--db", d.database, "--socket", d.socket, "serve", d.root)
	log, err := os.Create(d.database + ".log")
	if err != nil {
		return built{}, err
	}
	defer log.Close()
	d.command.Stderr = log
	begun := time.Now()
	if err := d.command.Start(); err != nil {
		return built{}, err
	}
	if err := d.dial(ctx); err != nil {
		text, _ := os.ReadFile(log.Name())
		return built{}, fmt.Errorf("%w\n%s", err, text)
	}
	if _, err := d.search(ctx, "the"); err != nil {
		return built{}, err
	}
	b := built{answering: time.Since(begun)}
	if err := d.ready(ctx); err != nil {
		return built{}, err
	}
	b.searchable = time.Since(begun)
	err = d.client.Call(ctx, client.Request{Tool: "sync"}, nil)
	b.whole = time.Since(begun)
	return b, err
}

// ready waits until the first comparison with the disk is through.
func (d *daemon) ready(ctx context.Context) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		s, err := d.status(ctx)
		if err != nil || s.Index.State == "ready" && s.Queue == 0 {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// status is how far the daemon has come.
type status struct {
	Index struct{ State string }
	Queue int
}

func (d *daemon) status(ctx context.Context) (s status, err error) {
	err = d.client.Ask(ctx, "shelfd/status", &s)
	return s, err
}

// queue is how many files wait to be looked at.
func (d *daemon) queue(ctx context.Context) (int, error) {
	s, err := d.status(ctx)
	return s.Queue, err
}

// dial waits for the socket.
func (d *daemon) dial(ctx context.Context) error {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	deadline := time.Now().Add(10 * time.Second)
	for {
		var err error
		if d.client, err = client.Dial(ctx, d.socket); !errors.Is(err, client.ErrNoDaemon) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// stop ends the daemon and waits for it.
func (d *daemon) stop() {
	if d.client != nil {
		d.client.Close()
	}
	if d.command == nil || d.command.ProcessState != nil || d.command.Process == nil {
		return
	}
	_ = d.command.Process.Signal(syscall.SIGTERM)
	_ = d.command.Wait()
}

// search says how many hits a query has.
func (d *daemon) search(ctx context.Context, query string) (int, error) {
	return d.find(ctx, map[string]any{"query": query})
}

// find says how many hits a search has.
func (d *daemon) find(ctx context.Context, arguments map[string]any) (int, error) {
	var data struct {
		Hits []struct{} `json:"hits"`
	}
	err := d.client.Call(ctx, client.Request{Tool: "search_documents", Arguments: arguments}, &data)
	return len(data.Hits), err
}

// databaseSize is what the database takes on disk once its log is folded in, which the daemon does after a quiet while.
func (d *daemon) databaseSize(ctx context.Context) (int64, error) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(10 * time.Second); ; {
		log, err := os.Stat(d.database + "-wal")
		switch {
		case err != nil && !errors.Is(err, os.ErrNotExist):
			return 0, err
		case err != nil || log.Size() == 0 || time.Now().After(deadline):
			stat, err := os.Stat(d.database)
			if err != nil {
				return 0, err
			}
			return stat.Size(), nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// peak is the most memory the process ever had.
func (d *daemon) peak() string { return memory(d.command.Process.Pid, "VmHWM") }

// memory is a line of proc_pid_status(5): VmRSS is what a process has now, VmHWM the most it ever had.
func memory(pid int, name string) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "unknown on this system"
	}
	for line := range strings.Lines(string(text)) {
		var kilobytes int64
		if _, err := fmt.Sscanf(line, name+": %d kB", &kilobytes); err == nil {
			return fmt.Sprintf("%.0f MB", float64(kilobytes)/1e3)
		}
	}
	return "unknown"
}
