package main

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"shelfd/store"
)

// commonest is how many words count as very common ones.
const commonest = 40

// searchesAtScale asks for one, two and three words: from texts, very common ones, these in a folder.
func searchesAtScale(ctx context.Context, d *daemon, c corpus) error {
	chunks, err := d.chunks(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("searches over        %d chunks\n", chunks)
	list, common, err := c.bothQueries()
	if err != nil {
		return err
	}
	inFolder := func(n int) string { return c.folder(n * 37 % len(c.files)) }
	for _, each := range []struct {
		name   string
		list   []string
		folder func(int) string
	}{{"search", list, nil}, {"  common", common, nil}, {"  folder", common, inFolder}} {
		for words := range 3 {
			some := slices.Collect(ofWords(each.list, words+1))
			if err := d.latencies(ctx, fmt.Sprintf("%s, words: %d", each.name, words+1), some, each.folder); err != nil {
				return err
			}
		}
	}
	return nil
}

// ofWords are the queries of so many words.
func ofWords(list []string, words int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, query := range list {
			if len(strings.Fields(query)) == words && !yield(query) {
				return
			}
		}
	}
}

// chunks is how many the index holds.
func (d *daemon) chunks(ctx context.Context) (n int, err error) {
	s, _, err := store.Open(ctx, d.database, store.Options{ReadOnly: true})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	err = s.View(ctx, func(v *store.View) error {
		counts, err := v.Counts()
		n = counts.Chunks
		return err
	})
	return n, err
}

// bothQueries are words from texts, and very common ones.
func (c *corpus) bothQueries() (list, common []string, err error) {
	if list, err = c.queries(3 * queries); err == nil { // about as many of each number of words
		common, err = c.commonQueries(3 * queries)
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
