package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"shelfd/correlate"
	"shelfd/indexer"
	"shelfd/store"
)

// translations measures how many pages of a shelf are linked with the page that they translate, when the shelf of the
// translations extends that of the originals.
func translations(ctx context.Context, work string, _ []string) error {
	source, err := unpack(ctx, work)
	if err != nil {
		return err
	}
	fmt.Println("child            pairs   alike   relation               ≥ 0.6   ≥ 0.5   ≥ 0.4   ≥ 0.3   ≥ 0.2   elsewhere, ≥ 0.6   ≥ 0.2")
	for _, name := range []string{"vue-docs-it", "vue-docs-zh", "apisix"} {
		t := translated{child: filepath.Join(source, name), parent: filepath.Join(source, "vue-docs")}
		if name == "apisix" {
			t.child, t.parent = filepath.Join(source, name, "docs/zh/latest"), filepath.Join(source, name, "docs/en/latest")
			t.pairs, err = listedPairs("../shared/corpora/truth/apisix.translations.tsv")
		} else {
			t.pairs, err = samePaths(t.child, t.parent)
		}
		if err != nil {
			return err
		}
		if err := t.measure(ctx, name, filepath.Join(work, "state-"+name)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// translated is a shelf of translations and that of the originals.
type translated struct {
	child, parent string            // folders
	pairs         map[string]string // path of a translation → path of its original
}

// samePaths pairs the documents that stand at the same place in two folders.
func samePaths(child, parent string) (map[string]string, error) {
	pairs := map[string]string{}
	err := filepath.WalkDir(child, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !document(path) {
			return err
		}
		inside, err := filepath.Rel(child, path)
		if err != nil || hidden(inside) {
			return err
		}
		if _, missing := os.Stat(filepath.Join(parent, inside)); missing == nil {
			pairs[filepath.ToSlash(inside)] = filepath.ToSlash(inside)
		}
		return nil
	})
	return pairs, err
}

// listedPairs reads a table of key, path and language: the paths of one key are one page in two languages.
func listedPairs(file string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	byKey := map[string]map[string]string{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 || fields[0] == "key" {
			continue
		}
		key, path, language := fields[0], fields[1], fields[2]
		if byKey[key] == nil {
			byKey[key] = map[string]string{}
		}
		byKey[key][language] = strings.TrimPrefix(path, "docs/"+language+"/latest/")
	}
	pairs := map[string]string{}
	for _, paths := range byKey {
		if paths["zh"] != "" && paths["en"] != "" {
			pairs[paths["zh"]] = paths["en"]
		}
	}
	if len(pairs) == 0 {
		return nil, errors.New("no pairs in " + file)
	}
	return pairs, nil
}

// steps are the confidences that are told apart.
var steps = []float64{0.6, 0.5, 0.4, 0.3, 0.2}

func (t translated) measure(ctx context.Context, name, state string) error {
	l, err := openShelves(ctx, state, []indexer.Shelf{
		{ShelfSpec: store.ShelfSpec{Name: "parent", Root: t.parent, Origin: "config"}},
		{ShelfSpec: store.ShelfSpec{Name: "child", Root: t.child, Origin: "config"}, Parents: []string{"parent"}},
	}, downToLowest())
	if err != nil {
		return err
	}
	defer l.close()
	return l.store.View(ctx, func(v *store.View) error {
		links, _, err := v.Find(store.LinkQuery{Origin: store.OriginHeuristic})
		if err != nil {
			return err
		}
		alike, err := t.alike(v)
		if err != nil {
			return err
		}
		for _, relation := range []string{correlate.RelationExtendsStandard, correlate.RelationReferencesStandard} {
			t.print(name, alike, relation, links)
		}
		return nil
	})
}

// alike counts the pairs whose titles alone make them extends_standard: no others can be linked by it.
func (t translated) alike(v *store.View) (n int, err error) {
	hierarchy, err := correlate.NewHierarchy(map[string][]string{"child": {"parent"}})
	if err != nil {
		return 0, err
	}
	for child, parent := range t.pairs {
		titles := correlate.NewIndex(hierarchy)
		for id, place := range [][2]string{{"child", child}, {"parent", parent}} {
			d, err := v.Document(place[0] + "/" + place[1])
			if err != nil {
				return 0, err
			}
			f := correlate.Features{Title: correlate.Extract(correlate.Source{Path: place[1], Title: d.Title}).Title}
			titles.Put(int64(id), place[0], place[1], f)
		}
		for _, link := range titles.Links(0, nil, correlate.Params{Weights: correlate.Weights{Title: 1}}) {
			if link.Relation == correlate.RelationExtendsStandard {
				n++
			}
		}
	}
	return n, nil
}

// print counts the pairs that a relation links, and its links that lead to another page, by confidence.
func (t translated) print(name string, alike int, relation string, links []store.Link) {
	right, wrong := make([]int, len(steps)), make([]int, len(steps))
	for _, l := range links {
		source, translation := strings.CutPrefix(l.Source, "child/")
		target, upward := strings.CutPrefix(l.Target, "parent/")
		if !translation || !upward || l.Relation != relation || t.pairs[source] == "" {
			continue
		}
		for i, least := range steps {
			switch {
			case l.Confidence < least:
			case t.pairs[source] == target:
				right[i]++
			default:
				wrong[i]++
			}
		}
	}
	fmt.Printf("%-15s %6d  %6d   %-20s", name, len(t.pairs), alike, relation)
	for _, n := range right {
		fmt.Printf("  %6d", n)
	}
	fmt.Printf("  %16d  %6d\n", wrong[0], wrong[len(wrong)-1])
}
