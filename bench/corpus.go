package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// corpus is a copy of the documents that are measured.
type corpus struct {
	root  string
	files []string // absolute
	bytes int64
}

// newCorpus copies the documents of the folder named on the command line, or of the work corpus.
func newCorpus(ctx context.Context, work string, arguments []string) (corpus, error) {
	var source string
	switch len(arguments) {
	case 0:
		var err error
		if source, err = unpack(ctx, work); err != nil {
			return corpus{}, err
		}
	case 1:
		source = arguments[0]
		if stat, err := os.Stat(source); err != nil || !stat.IsDir() {
			return corpus{}, usageError(fmt.Sprintf("no such folder %q", source))
		}
	default:
		return corpus{}, usageError(fmt.Sprintf("one FOLDER at most, not %q", arguments))
	}
	c := corpus{root: filepath.Join(work, "corpus")}
	err := filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == source {
			return err
		}
		if strings.HasPrefix(entry.Name(), ".") {
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() || !document(path) {
			return nil
		}
		return c.copy(source, path)
	})
	if err == nil && len(c.files) == 0 {
		err = fmt.Errorf("no Markdown below %q", source)
	}
	return c, err
}

// unpack unpacks the work corpus, a folder a corpus, and returns where.
func unpack(ctx context.Context, work string) (string, error) {
	const archive = "../shared/corpora/work.tar.gz"
	if _, err := os.Stat(archive); err != nil {
		return "", errors.New("no " + archive + "; name a folder: go run ./bench FOLDER")
	}
	into := filepath.Join(work, "source")
	if err := os.Mkdir(into, 0o700); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, "tar", "xzf", archive, "-C", into).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tar: %w: %s", err, out)
	}
	return into, nil
}

// truths are the files of ../shared/corpora/truth that end so, by corpus: of all, or of those named.
func truths(ending string, only []string) (names, files []string, err error) {
	found, err := filepath.Glob("../shared/corpora/truth/*" + ending)
	if err != nil || len(found) == 0 {
		return nil, nil, errors.New("no ../shared/corpora/truth/*" + ending)
	}
	var known []string
	for _, file := range found {
		name := strings.TrimSuffix(filepath.Base(file), ending)
		known = append(known, name)
		if len(only) == 0 || slices.Contains(only, name) {
			names, files = append(names, name), append(files, file)
		}
	}
	for _, name := range only {
		if !slices.Contains(known, name) {
			return nil, nil, usageError(fmt.Sprintf("no such corpus %q; there are %s", name, strings.Join(known, ", ")))
		}
	}
	return names, files, nil
}

func document(path string) bool {
	switch filepath.Ext(path) {
	case ".md", ".markdown", ".mdx":
		return true
	}
	return false
}

func (c *corpus) copy(source, path string) error {
	inside, err := filepath.Rel(source, path)
	if err != nil {
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
	c.files = append(c.files, to)
	c.bytes += int64(len(content))
	return os.WriteFile(to, content, 0o600)
}

// queries are n searches of one to three neighbouring words, the same in every run.
func (c *corpus) queries(n int) ([]string, error) {
	random := rand.New(rand.NewPCG(3, 4))
	var list []string
	for len(list) < n {
		content, err := os.ReadFile(c.files[random.IntN(len(c.files))])
		if err != nil {
			return nil, err
		}
		words := strings.FieldsFunc(string(content), func(r rune) bool { return !unicode.IsLetter(r) })
		words = long(words)
		count := 1 + random.IntN(3)
		if len(words) < count {
			continue
		}
		at := random.IntN(len(words) - count + 1)
		list = append(list, strings.Join(words[at:at+count], " "))
	}
	return list, nil
}

// long leaves out what nobody searches for.
func long(words []string) []string {
	kept := words[:0]
	for _, w := range words {
		if n := len([]rune(w)); n >= 4 && n <= 20 {
			kept = append(kept, w)
		}
	}
	return kept
}
