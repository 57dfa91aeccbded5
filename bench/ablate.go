package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// ablation is a part of the ranking or an attempt that a build goes without.
type ablation struct {
	name string
	// weights are constants of store/rank_needles.go that become 0, attempts are methods in other files of store that
	// return at once.
	weights  []string
	attempts map[string]string // method → file
}

// ablations are what docs/search.md has a row for.
func ablations() []ablation {
	return []ablation{
		{name: "title", weights: []string{"weightTitle", "titleShare"}},
		{name: "aliases", weights: []string{"weightAlias"}},
		{name: "file name", weights: []string{"weightFile", "fileShare"}},
		{name: "folders", weights: []string{"weightFolder"}},
		{name: "tags", weights: []string{"weightTag"}},
		{name: "inbound link text", weights: []string{"weightLink", "linkShare"}},
		{name: "section heading", weights: []string{"weightHeading", "headingShare"}},
		{name: "length of the chunk", weights: []string{"lengthShare"}},
		{name: "proximity", weights: []string{"proximityShare"}},
		{name: "spread over the document", weights: []string{"spreadShare"}},
		{name: "documents that link there", weights: []string{"popularShare"}},
		{name: "fits of whole names", weights: []string{"titleShare", "fileShare", "linkShare", "headingShare"}},
		{name: "stems", attempts: map[string]string{"byStem": "search_attempts.go"}},
		{name: "some of the words", attempts: map[string]string{"someWords": "search_attempts.go"}},
		{name: "inside words", attempts: map[string]string{"insideWords": "search_attempts.go"}},
		{name: "corrections", attempts: map[string]string{"fuzzily": "fuzzy.go"}},
	}
}

// ablate measures MRR@10 of builds that go without one part each. The sources are not touched: the compiler is given
// changed copies of them.
func ablate(ctx context.Context, work string, only []string) error {
	names, binaries := []string{"everything"}, []string{""}
	for i, a := range ablations() {
		binary, err := a.build(ctx, filepath.Join(work, fmt.Sprint("without", i)))
		if err != nil {
			return fmt.Errorf("without %s: %w", a.name, err)
		}
		names, binaries = append(names, "– "+a.name), append(binaries, binary)
	}
	var corpora []string
	table := make([][]float64, len(binaries))
	err := eachTruth(ctx, work, only, func(m measurement, ctx context.Context, truth string) error {
		corpora, binaries[0] = append(corpora, m.name), m.binary
		return m.without(ctx, truth, binaries, table)
	})
	if err != nil {
		return err
	}
	printAblations(names, corpora, table)
	return nil
}

// without adds the MRR@10 of each binary on one corpus to its row.
func (m measurement) without(ctx context.Context, truth string, binaries []string, table [][]float64) error {
	questions, root, _, err := m.masked(truth)
	if err != nil {
		return err
	}
	for i, binary := range binaries {
		d := newDaemon(binary, m.work, root) // all of them share one index
		if _, err := d.start(ctx); err != nil {
			return err
		}
		tables, err := ask(ctx, []named{{"shelfd", served{d: d, shelf: m.name}}}, questions)
		d.stop()
		if err != nil {
			return err
		}
		s := tables[everything][0]
		table[i] = append(table[i], s.mean(s.mrr))
	}
	return nil
}

func printAblations(names, corpora []string, table [][]float64) {
	fmt.Printf("| | %s | mean |\n|---|%s---:|\n", strings.Join(corpora, " | "), strings.Repeat("---:|", len(corpora)))
	for i, row := range table {
		fmt.Printf("| %s |", names[i])
		sum := 0.0
		for k, mrr := range row {
			if i > 0 {
				mrr -= table[0][k]
			}
			sum += mrr
			fmt.Printf(" %s |", signed(mrr, i > 0))
		}
		fmt.Printf(" %s |\n", signed(sum/float64(max(1, len(row))), i > 0))
	}
}

func signed(x float64, difference bool) string {
	if difference {
		return fmt.Sprintf("%+.3f", x)
	}
	return fmt.Sprintf("%.3f", x)
}

// build builds the program without the part.
func (a ablation) build(ctx context.Context, into string) (string, error) {
	if err := os.MkdirAll(into, 0o700); err != nil {
		return "", err
	}
	changes := map[string][]edited{}
	for _, weight := range a.weights {
		changes["rank_needles.go"] = append(changes["rank_needles.go"], edited{`(?m)^(\t` + weight + `\s*= )[0-9.]+`, "${1}0"})
	}
	for method, file := range a.attempts {
		changes[file] = append(changes[file], edited{`(?m)^(func \(s \*search\) ` + method + `\(\) error \{\n)`, "${1}\tif true {\n\t\treturn nil\n\t}\n"})
	}
	overlay, err := overlayOf(changes, into)
	if err != nil {
		return "", err
	}
	binary := filepath.Join(into, "shelfd")
	command := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", binary, "./cmd/shelfd")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return binary, nil
}

// edited replaces what a regular expression matches, which must be there.
type edited struct{ pattern, replacement string }

// overlayOf writes changed copies of files of store and what tells the compiler to take them.
func overlayOf(changes map[string][]edited, into string) (string, error) {
	replace := map[string]string{}
	for file, list := range changes {
		path, err := filepath.Abs(filepath.Join("store", file))
		if err != nil {
			return "", err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		for _, e := range list {
			re := regexp.MustCompile(e.pattern)
			if !re.Match(source) {
				return "", fmt.Errorf("%s: nothing matches %s", file, e.pattern)
			}
			source = re.ReplaceAll(source, []byte(e.replacement))
		}
		replace[path] = filepath.Join(into, file)
		if err := os.WriteFile(replace[path], source, 0o600); err != nil {
			return "", err
		}
	}
	overlay := filepath.Join(into, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, text, 0o600)
}
