package main

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"shelfd/correlate"
	"shelfd/store"
)

// calibrate measures how well the links that are worked out foretell those that authors wrote: on copies of the corpora
// from which every link was taken, words included.
func calibrate(ctx context.Context, work string, only []string) error {
	names, files, err := truths(".links.tsv", only)
	if err != nil {
		return err
	}
	source, err := unpack(ctx, work)
	if err != nil {
		return err
	}
	var all reliability
	fmt.Println("corpus       links    engine      P@1    P@3    P@8    found   found, unmentioned")
	for i, name := range names {
		c := calibration{name: name, root: filepath.Join(work, name, name)}
		if err := c.run(ctx, filepath.Join(source, name), filepath.Join(work, name, "state"), files[i]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all.add(c.reliability)
	}
	all.print()
	return nil
}

// calibration is one corpus without its links.
type calibration struct {
	name, root string
	files      []string
	authors    authors
	reliability
}

// authors are the links that were taken out.
type authors struct {
	targets   map[string]map[string]bool // source → targets
	mentioned map[[2]string]bool         // pairs that the text without its links still gives away
	n         int
}

func (c *calibration) run(ctx context.Context, source, state, truth string) error {
	if err := c.copy(source); err != nil {
		return err
	}
	var err error
	if c.authors, err = readLinks(truth, c.files); err != nil {
		return err
	}
	usual := correlate.DefaultParams().MinConfidence
	l, err := openLibrary(ctx, state, []string{c.root}, downToLowest())
	if err != nil {
		return err
	}
	defer l.close()
	links, err := c.links(ctx, l.store)
	if err != nil {
		return err
	}
	c.reliability = c.authors.reliability(links)
	c.print("shelfd", c.authors.judge(rankings(links, 0)))
	c.print(fmt.Sprintf("  ≥ %.1f", usual), c.authors.judge(rankings(links, usual)))
	alike, err := moreLikeThis(ctx, c.root, c.files, c.authors)
	if err != nil {
		return err
	}
	c.print("BM25", c.authors.judge(alike))
	return nil
}

// lowest is the least confidence that is looked at: below it lies what nobody would call related.
const lowest = 0.2

// downToLowest are the usual parameters, but for the least confidence.
func downToLowest() correlate.Params {
	p := correlate.DefaultParams()
	p.MinConfidence = lowest
	return p
}

// copy makes the copy without links.
func (c *calibration) copy(source string) error {
	return filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !document(path) {
			return err
		}
		inside, err := filepath.Rel(source, path)
		if err != nil || hidden(inside) {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		to := filepath.Join(c.root, inside)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		c.files = append(c.files, filepath.ToSlash(inside))
		return os.WriteFile(to, strip(content), 0o600)
	})
}

// readLinks reads the links between files that are there.
func readLinks(file string, files []string) (authors, error) {
	a := authors{targets: map[string]map[string]bool{}, mentioned: map[[2]string]bool{}}
	text, err := os.ReadFile(file)
	if err != nil {
		return a, err
	}
	there := set(files)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	column := map[string]int{}
	for i, name := range strings.Split(lines[0], "\t") {
		column[name] = i
	}
	for _, line := range lines[1:] {
		row := strings.Split(line, "\t")
		source, target := row[column["source"]], row[column["target"]]
		if !there[source] || !there[target] || source == target {
			continue
		}
		if a.targets[source] == nil {
			a.targets[source] = map[string]bool{}
		}
		a.targets[source][target] = true
		a.n++
		for _, where := range []string{"title_outside_links", "filename_outside_links", "anchor_outside_links"} {
			if row[column[where]] != "0" {
				a.mentioned[[2]string{source, target}] = true
			}
		}
	}
	return a, nil
}

// workedOut is a link that was worked out, by paths inside the shelf.
type workedOut struct {
	source, target string
	confidence     float64
}

func (c *calibration) links(ctx context.Context, s *store.Store) ([]workedOut, error) {
	var list []workedOut
	err := s.View(ctx, func(v *store.View) error {
		links, _, err := v.Find(store.LinkQuery{Origin: store.OriginHeuristic})
		for _, l := range links {
			list = append(list, workedOut{strings.TrimPrefix(l.Source, c.name+"/"), strings.TrimPrefix(l.Target, c.name+"/"), l.Confidence})
		}
		return err
	})
	slices.SortStableFunc(list, func(a, b workedOut) int { return cmp.Compare(b.confidence, a.confidence) })
	return list, err
}

// rankings are the targets of each source, best first.
func rankings(links []workedOut, least float64) map[string]ranking {
	all := map[string]ranking{}
	for _, l := range links {
		if l.confidence >= least {
			all[l.source] = append(all[l.source], l.target)
		}
	}
	return all
}

// verdict is what rankings are worth. Precision is over the links that were named, so that naming none costs nothing
// but what is found.
type verdict struct {
	named, right             [3]int // at 1, 3, 8
	found, hidden, allHidden int    // of the authors' links; those that no mention gives away
}

func (a authors) judge(r map[string]ranking) verdict {
	var v verdict
	for source, targets := range a.targets {
		for i, target := range r[source][:min(len(r[source]), cutoffs[2])] {
			for k, cutoff := range cutoffs {
				if i < cutoff {
					v.named[k]++
					if targets[target] {
						v.right[k]++
					}
				}
			}
			if targets[target] {
				v.found++
				if !a.mentioned[[2]string{source, target}] {
					v.hidden++
				}
			}
		}
	}
	v.allHidden = a.n - len(a.mentioned)
	return v
}

// cutoffs are how many of the best links are looked at.
var cutoffs = [3]int{1, 3, 8}

func (c *calibration) print(engine string, v verdict) {
	name, n := "", ""
	if engine == "shelfd" {
		name, n = c.name, fmt.Sprint(c.authors.n)
	}
	fmt.Printf("%-12s %5s    %-10s", name, n, engine)
	for k := range cutoffs {
		fmt.Printf(" %5.3f ", share(v.right[k], v.named[k]))
	}
	fmt.Printf("  %5.3f   %5.3f of %d\n", share(v.found, c.authors.n), share(v.hidden, v.allHidden), v.allHidden)
}

func share(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }

// reliability says for each tenth of confidence how many links there are and how many of them authors wrote: of
// documents whose authors wrote any.
type reliability struct{ links, real [10]int }

func (a authors) reliability(links []workedOut) reliability {
	var r reliability
	for _, l := range links {
		targets := a.targets[l.source]
		if targets == nil {
			continue
		}
		bin := min(int(l.confidence*10), 9)
		r.links[bin]++
		if targets[l.target] {
			r.real[bin]++
		}
	}
	return r
}

func (r *reliability) add(other reliability) {
	for i := range r.links {
		r.links[i] += other.links[i]
		r.real[i] += other.real[i]
	}
}

func (r reliability) print() {
	fmt.Println("\nconfidence   links   written by an author")
	for bin := 9; bin >= int(lowest*10); bin-- {
		fmt.Printf("%.1f – %.1f    %6d   %.3f\n", float64(bin)/10, float64(bin+1)/10, r.links[bin], share(r.real[bin], r.links[bin]))
	}
	high := share(r.real[8]+r.real[9], r.links[8]+r.links[9])
	low := share(r.real[5], r.links[5])
	fmt.Printf("≥ 0.8 against 0.5 – 0.6: %.3f against %.3f, %.1f times\n", high, low, high/max(low, 0.001))
}
