package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"
)

// Sizes of the large library.
const (
	scaleFiles    = 100_000
	checkoutFiles = 5_000
	scaleClients  = 16
)

// scale measures a library of 100,000 files, or of -files: that of FOLDER or the work corpus again and again, each copy
// with words of its own.
func scale(ctx context.Context, work string, arguments []string) error {
	files, folder, err := scaleArguments(arguments)
	if err != nil {
		return err
	}
	d, c, err := daemonOver(ctx, work, folder)
	if err != nil {
		return err
	}
	defer d.stop()
	if err := c.multiply(files); err != nil {
		return err
	}
	fmt.Printf("library              %d files, %.1f MB; %s\n", len(c.files), megabytes(c.bytes), load())
	cold, err := baseline(ctx, work, c)
	if err != nil {
		return err
	}
	if err := coldBuild(ctx, d, c, cold); err != nil {
		return err
	}
	if err := restart(ctx, d, c); err != nil {
		return err
	}
	if err := rest(ctx, d); err != nil {
		return err
	}
	for _, measure := range []func(context.Context, *daemon, corpus) error{searchesAtScale, manyClients, savesToSearchable, checkout, searchesMeanwhile} {
		if err := measure(ctx, d, c); err != nil {
			return err
		}
	}
	fmt.Println(load())
	return nil
}

// scaleArguments are the number of files and what is left.
func scaleArguments(arguments []string) (files int, rest []string, err error) {
	flags := flag.NewFlagSet("scale", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error says it
	flags.IntVar(&files, "files", scaleFiles, "")
	if err := flags.Parse(arguments); err != nil {
		return 0, nil, usageError("scale: " + err.Error())
	}
	if files < 2*checkoutFiles {
		return 0, nil, usageError(fmt.Sprintf("scale: -files %d: at least %d, since %d are checked out", files, 2*checkoutFiles, checkoutFiles))
	}
	return files, flags.Args(), nil
}

var latinWord = regexp.MustCompile(`[A-Za-z]{4,}`)

// dialect spells about half of the words of a text otherwise, always the same ones. Without it a library of copies would
// hold every title many times, which no library does. Words in links, names and keys stay.
func dialect(text []byte, letter byte) []byte {
	var out []byte
	done := 0
	for _, at := range latinWord.FindAllIndex(text, -1) {
		word := text[at[0]:at[1]]
		h := fnv.New32a()
		h.Write(bytes.ToLower(word))
		if h.Sum32()%2 == 0 || !plain(text, at[0]-1) || !plain(text, at[1]) {
			continue
		}
		out = append(append(out, text[done:at[1]]...), letter)
		done = at[1]
	}
	return append(out, text[done:]...)
}

// plain says whether what stands there ends a word of prose.
func plain(text []byte, at int) bool {
	return at < 0 || at >= len(text) || bytes.IndexByte([]byte(" \n,;"), text[at]) >= 0
}

// multiply makes copies of the corpus beside it until there are n files.
func (c *corpus) multiply(n int) error {
	originals := c.files
	for copies := 1; len(c.files) < n; copies++ {
		for _, file := range originals[:min(len(originals), n-len(c.files))] {
			inside, err := filepath.Rel(c.root, file)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			text = dialect(text, byte('a'+copies%26))
			to := filepath.Join(c.root, fmt.Sprintf("copy%02d", copies), inside)
			if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(to, text, 0o600); err != nil {
				return err
			}
			c.files = append(c.files, to)
			c.bytes += int64(len(text))
		}
	}
	return nil
}

// restart compares the reconcile of files that did not change with a bare walk that asks the same of each.
func restart(ctx context.Context, d *daemon, c corpus) error {
	d.stop()
	begun := time.Now()
	if err := exec.CommandContext(ctx, "find", c.root, "-type", "f", "-printf", "%s %T@ %C@ %i %p\n").Run(); err != nil {
		return fmt.Errorf("find: %w", err)
	}
	walk := time.Since(begun)
	took, err := d.start(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("restart, unchanged   first answer %.0f ms, compared with the disk %.0f ms (find -printf %.0f ms), peak RSS %s\n",
		took.answering.Seconds()*1e3, took.searchable.Seconds()*1e3, walk.Seconds()*1e3, d.peak())
	return nil
}

// manyClients lets clients search at once and compares with one.
func manyClients(_ context.Context, d *daemon, c corpus) error {
	list, err := c.queries(queries)
	if err != nil {
		return err
	}
	for _, clients := range []int{1, scaleClients} {
		peers, err := dialPeers(d.socket, clients)
		if err != nil {
			return err
		}
		took, err := together(peers, func(n int, p *peer) error {
			for i := range list {
				if _, err := p.tool("search_documents", map[string]any{"query": list[(i+n*7)%len(list)]}); err != nil {
					return err
				}
			}
			return nil
		})
		hangUp(peers)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%d clients", clients)
		fmt.Printf("%-20s %.0f searches/s\n", name, float64(clients*len(list))/took.Seconds())
	}
	return nil
}

// checkout replaces many files the way git does, by a new file of the same name, and saves single ones meanwhile.
func checkout(ctx context.Context, d *daemon, c corpus) error {
	random := rand.New(rand.NewPCG(5, 6))
	shuffled := random.Perm(len(c.files))
	last := ""
	begun := time.Now()
	for i, n := range shuffled[:checkoutFiles] {
		text, err := os.ReadFile(c.files[n])
		if err != nil {
			return err
		}
		last = fmt.Sprintf("checkout%dword%x", i, random.Uint32())
		if err := os.Remove(c.files[n]); err != nil {
			return err
		}
		if err := os.WriteFile(c.files[n], fmt.Appendf(text, "\n%s\n", last), 0o600); err != nil {
			return err
		}
	}
	written := time.Now()
	var saves []time.Duration
	for i := 0; ; i++ {
		pending, err := d.queue(ctx)
		if err != nil {
			return err
		}
		if pending == 0 {
			break
		}
		one, err := saveToSearchable(ctx, d, c.files[shuffled[checkoutFiles+i]], fmt.Sprintf("meanwhile%dword%x", i, random.Uint32()))
		if err != nil {
			return err
		}
		saves = append(saves, one)
	}
	switch n, err := d.search(ctx, last); {
	case err != nil:
		return err
	case n == 0:
		return fmt.Errorf("%q is not found after the checkout", last)
	}
	fmt.Printf("checkout of %d     written in %.2f s, all searchable %.2f s after the last write\n", checkoutFiles, written.Sub(begun).Seconds(), time.Since(written).Seconds())
	if len(saves) > 0 {
		percentiles("  a save meanwhile", saves)
	}
	return nil
}
