package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"shelfd/internal/client"
)

// Counts of the measure of changes.
const (
	changesEach = 50
	soakEdits   = 3000
	idleFor     = time.Minute
)

// changes measures how long changes take to be seen by a search, and what the daemon costs meanwhile and at rest.
func changes(ctx context.Context, work string, arguments []string) error {
	d, c, err := daemonOver(ctx, work, arguments)
	if err != nil {
		return err
	}
	defer d.stop()
	if _, err := d.start(ctx); err != nil {
		return err
	}
	fmt.Printf("library              %d files, %.1f MB\n", len(c.files), megabytes(c.bytes))
	if err := kindsOfChange(ctx, d, c); err != nil {
		return err
	}
	if err := manyEdits(ctx, d, c); err != nil {
		return err
	}
	return rest(ctx, d)
}

// kindsOfChange makes each kind of change many times and waits until a search shows it.
func kindsOfChange(ctx context.Context, d *daemon, c corpus) error {
	folder := filepath.Join(c.root, "bench changes")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	took := map[string][]time.Duration{}
	kinds := []string{"add", "edit", "rename", "rename of its folder", "delete"}
	for i := range changesEach {
		for _, kind := range kinds {
			one, err := changeOnce(ctx, d, folder, kind, i)
			if err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			}
			took[kind] = append(took[kind], one)
		}
	}
	for _, kind := range kinds {
		percentiles(kind, took[kind])
	}
	return nil
}

// changeOnce makes one change of document i and returns after how long a search shows it.
func changeOnce(ctx context.Context, d *daemon, folder, kind string, i int) (time.Duration, error) {
	word, box := fmt.Sprintf("zqprobe%dx", i), filepath.Join(folder, strconv.Itoa(i))
	first, second, moved := filepath.Join(box, "probe.md"), filepath.Join(box, "renamed.md"), filepath.Join(folder, fmt.Sprintf("%d moved", i))
	var err error
	want := ""
	if kind == "add" {
		err = os.Mkdir(box, 0o700)
	}
	start := time.Now()
	switch kind {
	case "add":
		err = errors.Join(err, os.WriteFile(first, []byte("# Probe\n\n"+word+" stands here.\n"), 0o600))
		want = "/probe.md"
	case "edit":
		word += "edited"
		err = os.WriteFile(first, []byte("# Probe\n\n"+strings.TrimSuffix(word, "edited")+" "+word+" stands here.\n"), 0o600)
		want = "/probe.md"
	case "rename":
		err, want = os.Rename(first, second), "/renamed.md"
	case "rename of its folder":
		err, want = os.Rename(box, moved), " moved/renamed.md"
	case "delete":
		err = os.Remove(filepath.Join(moved, "renamed.md"))
	}
	if err != nil {
		return 0, err
	}
	return d.shows(ctx, word, want, start)
}

// shows asks for a word until its only document has a path that ends so, or is none when want is "".
func (d *daemon) shows(ctx context.Context, word, want string, start time.Time) (time.Duration, error) {
	for {
		paths, err := d.paths(ctx, word)
		if err != nil {
			return 0, err
		}
		if len(paths) == 0 && want == "" || len(paths) == 1 && want != "" && strings.HasSuffix(paths[0], want) {
			return time.Since(start), nil
		}
		if time.Since(start) > 10*time.Second {
			return 0, fmt.Errorf("%q is in %v after 10 s, want %q", word, paths, want)
		}
	}
}

// paths are the documents that hold a word as it is written.
func (d *daemon) paths(ctx context.Context, word string) ([]string, error) {
	var data struct {
		Hits []struct {
			Path  string `json:"doc_path"`
			Match string `json:"match"`
		} `json:"hits"`
	}
	err := d.client.Call(ctx, client.Request{Tool: "search_documents", Arguments: map[string]any{"query": word, "mode": "fts"}}, &data)
	var paths []string
	for _, h := range data.Hits {
		if h.Match == "exact" && !slices.Contains(paths, h.Path) {
			paths = append(paths, h.Path)
		}
	}
	return paths, err
}

// manyEdits edits documents one after another, as many as a day has, and watches log and memory.
func manyEdits(ctx context.Context, d *daemon, c corpus) error {
	before := memory(d.command.Process.Pid, "VmRSS")
	var log int64
	lost := 0
	begun := time.Now()
	for i := range soakEdits {
		file := c.files[i%len(c.files)]
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		next := filepath.Join(filepath.Dir(file), ".next")
		if err := errors.Join(os.WriteFile(next, fmt.Appendf(text, "\nsoaked%dx\n", i), 0o600), os.Rename(next, file)); err != nil {
			return err
		}
		if i%20 == 0 {
			if _, err := d.shows(ctx, fmt.Sprintf("soaked%dx", i), filepath.Base(file), time.Now()); err != nil {
				return err
			}
		}
		if stat, err := os.Stat(d.database + "-wal"); err == nil {
			log = max(log, stat.Size())
		}
	}
	took := time.Since(begun)
	if err := d.client.Call(ctx, client.Request{Tool: "sync"}, nil); err != nil {
		return err
	}
	for i := range soakEdits {
		if paths, err := d.paths(ctx, fmt.Sprintf("soaked%dx", i)); err != nil || len(paths) != 1 {
			lost++
		}
	}
	fmt.Printf("%d edits           in %.1f s, %d lost; log at most %.1f MB; RSS %s before, %s after\n",
		soakEdits, took.Seconds(), lost, megabytes(log), before, memory(d.command.Process.Pid, "VmRSS"))
	return nil
}

// rest tells what the daemon does while nothing happens.
func rest(ctx context.Context, d *daemon) error {
	pid := d.command.Process.Pid
	if !pauseFor(ctx, 10*time.Second) { // the log is emptied, memory given back
		return ctx.Err()
	}
	ticks, err := ticksOf(pid)
	if err != nil {
		fmt.Println("idle                 unknown on this system")
		return nil
	}
	wakes := wakesOf(pid)
	if !pauseFor(ctx, idleFor) {
		return ctx.Err()
	}
	after, err := ticksOf(pid)
	if err != nil {
		return err
	}
	log := int64(0)
	if stat, err := os.Stat(d.database + "-wal"); err == nil {
		log = stat.Size()
	}
	fmt.Printf("idle                 %.2f wake-ups/s and %d ms of processor time in %.0f s, RSS %s, log %d bytes\n",
		float64(wakesOf(pid)-wakes)/idleFor.Seconds(), (after-ticks)*10, idleFor.Seconds(), memory(pid, "VmRSS"), log)
	return nil
}

// pauseFor waits; false when ctx ended.
func pauseFor(ctx context.Context, d time.Duration) bool {
	pause := time.NewTimer(d)
	defer pause.Stop()
	select {
	case <-pause.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// wakesOf is how often the threads of a process gave the processor up of their own accord, and so how often they woke.
func wakesOf(pid int) (wakes int64) {
	statuses, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, status := range statuses {
		text, err := os.ReadFile(status)
		if err != nil {
			continue // the thread ended
		}
		for line := range strings.Lines(string(text)) {
			var n int64
			if _, err := fmt.Sscanf(line, "voluntary_ctxt_switches: %d", &n); err == nil {
				wakes += n
			}
		}
	}
	return wakes
}
