package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// vectors measures what the corpus model costs: the same library and the same searches without it and with it.
func vectors(ctx context.Context, work string, arguments []string) error {
	d, c, err := daemonOver(ctx, work, arguments)
	if err != nil {
		return err
	}
	defer d.stop()
	list, err := c.queries(queries)
	if err != nil {
		return err
	}
	fmt.Printf("library              %d files, %.1f MB; %s\n", len(c.files), megabytes(c.bytes), load())
	for _, provider := range []string{"none", "corpus"} {
		state := filepath.Join(work, "state-"+provider)
		d.database, d.config = filepath.Join(state, "index.db"), filepath.Join(state, "config.yaml")
		if err := os.MkdirAll(state, 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(d.config, []byte("embedding: {provider: "+provider+"}\n"), 0o600); err != nil {
			return err
		}
		if err := d.costs(ctx, provider, list); err != nil {
			return err
		}
		d.stop()
	}
	fmt.Println(load())
	return nil
}

// costs prints what it took until everything is ready, and what searches take then.
func (d *daemon) costs(ctx context.Context, provider string, list []string) error {
	took, err := d.start(ctx)
	if err != nil {
		return err
	}
	if provider != "none" {
		n, waited, err := d.vectorsReady(ctx)
		if err != nil {
			return err
		}
		took.whole += waited
		fmt.Printf("%-20s %d, %.1f MB on disk, the model %.1f MB\n", "vectors", n, megabytes(sizeOf(d.database+".vectors")), megabytes(sizeOf(d.database+".corpus")))
	}
	pid := d.command.Process.Pid
	if ticks, err := ticksOf(pid); err == nil {
		fmt.Printf("%-20s ready after %.1f s, %.1f s of processor time, RSS %s, at most %s\n", "provider: "+provider, took.whole.Seconds(), float64(ticks)/100, memory(pid, "VmRSS"), d.peak())
	}
	return d.latencies(ctx, "  search", list, nil)
}

func sizeOf(file string) int64 {
	stat, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return stat.Size()
}
