package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
)

// commonest is how many words count as very common ones.
const commonest = 40

// searchesAtScale asks for one to three words: from texts, very common ones, in a folder.
func searchesAtScale(ctx context.Context, d *daemon, c corpus) error {
	list, common, err := c.bothQueries()
	if err != nil {
		return err
	}
	for _, each := range []struct {
		name   string
		list   []string
		folder bool
	}{{"search", list, false}, {"  very common words", common, false}, {"  in a folder", common, true}} {
		var took []time.Duration
		for n, query := range each.list {
			arguments := map[string]any{"query": query}
			if each.folder {
				arguments["folder"] = c.folder(n * 37 % len(c.files))
			}
			one, err := d.timed(ctx, arguments)
			if err != nil {
				return fmt.Errorf("%v: %w", arguments, err)
			}
			took = append(took, one)
		}
		percentiles(each.name, took)
	}
	return nil
}

// bothQueries are words from texts, and very common ones.
func (c *corpus) bothQueries() (list, common []string, err error) {
	if list, err = c.queries(queries); err == nil {
		common, err = c.commonQueries(queries)
	}
	return list, common, err
}

// searchesMeanwhile asks while thousands of files that changed are taken in.
func searchesMeanwhile(ctx context.Context, d *daemon, c corpus) error {
	list, common, err := c.bothQueries()
	if err != nil {
		return err
	}
	list = append(list, common...)
	for n := range checkoutFiles {
		file := c.files[(n*19+7)%len(c.files)]
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, append(text, "\nanother line\n"...), 0o600); err != nil {
			return err
		}
	}
	var took []time.Duration
	for n := 0; ; n++ {
		if n%20 == 0 {
			pending, err := d.queue(ctx)
			if err != nil {
				return err
			}
			if pending == 0 && n > 0 {
				percentiles("  beside a checkout", took)
				return nil
			}
		}
		one, err := d.timed(ctx, map[string]any{"query": list[n*7%len(list)]})
		if err != nil {
			return err
		}
		took = append(took, one)
	}
}

func (d *daemon) timed(ctx context.Context, arguments map[string]any) (time.Duration, error) {
	start := time.Now()
	_, err := d.find(ctx, arguments)
	return time.Since(start), err
}

// folder is the doc_path of the folder of a file.
func (c *corpus) folder(n int) string {
	inside, err := filepath.Rel(c.root, filepath.Dir(c.files[n]))
	if err != nil {
		panic(err) // all files are below the root
	}
	return path.Join(filepath.Base(c.root), filepath.ToSlash(inside))
}

// commonQueries are one to three of the words that stand in the most of some files.
func (c *corpus) commonQueries(n int) ([]string, error) {
	in := map[string]int{}
	for i := 0; i < len(c.files); i += max(1, len(c.files)/1000) {
		content, err := os.ReadFile(c.files[i])
		if err != nil {
			return nil, err
		}
		words := strings.FieldsFunc(strings.ToLower(string(content)), func(r rune) bool { return !unicode.IsLetter(r) })
		slices.Sort(words)
		for _, word := range slices.Compact(words) {
			in[word]++
		}
	}
	words := slices.SortedFunc(maps.Keys(in), func(a, b string) int { return cmp.Or(in[b]-in[a], strings.Compare(a, b)) })
	words = words[:min(len(words), commonest)]
	random := rand.New(rand.NewPCG(7, 8))
	list := make([]string, n)
	for i := range list {
		random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		list[i] = strings.Join(words[:1+random.IntN(3)], " ")
	}
	return list, nil
}
