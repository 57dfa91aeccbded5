package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// question is a query whose answers are known: an author's link text, and the pages that it points to.
type question struct {
	Query        string   `json:"query"`
	Relevant     []string `json:"relevant"`
	AlsoOK       []string `json:"also_ok"`
	Sources      []string `json:"sources"`      // pages that hold the link
	Translations []string `json:"translations"` // the answer in other languages, counted neither way
	TitleOverlap string   `json:"title_overlap"`
}

func readTruth(file string) ([]question, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []question
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list = append(list, q)
	}
	return list, lines.Err()
}

// maskedCopy writes a copy of a folder in which no link says a query, and lists its documents relative to it.
func maskedCopy(from, to string, questions []question) ([]string, error) {
	queries := map[string]bool{}
	for _, q := range questions {
		queries[queryText(q.Query)] = true
	}
	var files []string
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, inside), 0o700)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if utf8.Valid(content) {
			content = []byte(mask(string(content), queries))
		}
		if document(path) && !hidden(inside) {
			files = append(files, filepath.ToSlash(inside))
		}
		return os.WriteFile(filepath.Join(to, inside), content, 0o600)
	})
	if err == nil && len(files) == 0 {
		err = errors.New("no documents in " + from)
	}
	return files, err
}

// hidden says whether any step of a path begins with a dot.
func hidden(path string) bool {
	return strings.HasPrefix(path, ".") || strings.Contains(path, string(filepath.Separator)+".")
}

// ranking is what one engine answers: paths of documents, best first, each once.
type ranking []string

// depth is how far rankings are looked at.
const depth = 10

// scores add up what rankings were worth.
type scores struct {
	n                 int
	mrr, ndcg, recall float64
	empty             int
}

// add counts one answer. Sources and translations are as if they were not there.
func (s *scores) add(q question, r ranking) {
	right, aside := set(q.Relevant, q.AlsoOK), set(q.Sources, q.Translations)
	wanted := 0
	for path := range set(q.Relevant) {
		if !aside[path] {
			wanted++
		}
	}
	place, found := 0, 0
	gain, ideal := 0.0, 0.0
	for _, path := range r {
		if aside[path] {
			continue
		}
		if place++; place > depth {
			break
		}
		if !right[path] {
			continue
		}
		if found++; found == 1 {
			s.mrr += 1 / float64(place)
		}
		gain += 1 / math.Log2(float64(place)+1)
	}
	for i := 1; i <= min(max(wanted, 1), depth); i++ {
		ideal += 1 / math.Log2(float64(i)+1)
	}
	s.n++
	s.ndcg += min(1, gain/ideal)
	s.recall += min(1, float64(found)/float64(max(wanted, 1)))
	if place == 0 {
		s.empty++
	}
}

func set(lists ...[]string) map[string]bool {
	all := map[string]bool{}
	for _, list := range lists {
		for _, path := range list {
			all[path] = true
		}
	}
	return all
}

func (s scores) mean(sum float64) float64 { return sum / float64(max(s.n, 1)) }
