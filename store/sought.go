package store

import (
	"path"
	"strings"

	"shelfd/internal/text"
)

// Names are looked up by kind, so that a title never stands in for a path.
const (
	byPath = "p:" // doc_path, with and without its extension; of a README or index also its folder
	byFile = "f:" // file name without extension, folded
	byName = "t:" // title or alias, folded
)

// LinkNames are the names that a document answers to in links.
func LinkNames(docPath, title string, aliases []string) []Name {
	bare := strings.TrimSuffix(docPath, path.Ext(docPath))
	file := text.Fold(path.Base(bare))
	names := []Name{{Kind: NamePath, Text: byPath + docPath}, {Kind: NamePath, Text: byPath + bare}, {Kind: NameFile, Text: byFile + file}}
	if file == "readme" || file == "index" || file == "_index" {
		names = append(names, Name{Kind: NamePath, Text: byPath + path.Dir(docPath)})
	}
	names = append(names, Name{Kind: NameTitle, Text: byName + text.Fold(title)})
	for _, alias := range aliases {
		names = append(names, Name{Kind: NameAlias, Text: byName + text.Fold(alias)})
	}
	return names
}

// Sought are the names that a link looks for, in order: paths, file name, title.
func Sought(docPath, raw string) []string {
	shelf, _, _ := strings.Cut(docPath, "/")
	target := strings.TrimSuffix(raw, "/")
	if target == "" {
		return nil
	}
	var sought []string
	add := func(name string) {
		for _, have := range sought {
			if have == name {
				return
			}
		}
		sought = append(sought, name)
	}
	fromRoot := shelf + "/" + strings.TrimPrefix(path.Clean("/"+target), "/")
	if !strings.HasPrefix(target, "/") {
		if joined := path.Join(path.Dir(docPath), target); strings.HasPrefix(joined, shelf+"/") {
			add(byPath + joined)
		}
	}
	add(byPath + fromRoot)
	if bare, isPage := strings.CutSuffix(fromRoot, ".html"); isPage {
		add(byPath + bare)
		if joined := path.Join(path.Dir(docPath), strings.TrimSuffix(target, ".html")); strings.HasPrefix(joined, shelf+"/") {
			add(byPath + joined)
		}
	}
	base := path.Base(target)
	add(byFile + text.Fold(strings.TrimSuffix(base, markdownExt(base))))
	if !strings.Contains(raw, "/") {
		add(byName + text.Fold(raw))
	}
	return sought
}

// markdownExt is the extension of a Markdown file name, "" of any other: a dot in a page's name is not one.
func markdownExt(name string) string {
	switch ext := path.Ext(name); strings.ToLower(ext) {
	case ".md", ".markdown", ".mdx", ".html":
		return ext
	}
	return ""
}

// Targets are the documents that a link can mean: by path, then by file name, then by title or alias; those of the
// link's own shelf before those of others. The first step that finds any decides.
func (v *View) Targets(docPath, raw string) ([]Named, error) { return targets(docPath, raw, v.Named) }

func targets(docPath, raw string, named func(name string) ([]Named, error)) ([]Named, error) {
	shelf, _, _ := strings.Cut(docPath, "/")
	for _, name := range Sought(docPath, raw) {
		found, err := named(name)
		if err != nil {
			return nil, err
		}
		if found = ownFirst(eachOnce(found), shelf, strings.TrimPrefix(name, byPath)); len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}

// eachOnce keeps each document once; the list is in path order.
func eachOnce(list []Named) []Named {
	kept := make([]Named, 0, len(list))
	for i, n := range list {
		if i == 0 || n.Document != list[i-1].Document {
			kept = append(kept, n)
		}
	}
	return kept
}

// ownFirst narrows documents of one name: one whose whole path is the name, else those of the shelf, else all.
func ownFirst(list []Named, shelf, exact string) []Named {
	var own []Named
	for _, n := range list {
		if n.Path == exact {
			return []Named{n}
		}
		if strings.HasPrefix(n.Path, shelf+"/") {
			own = append(own, n)
		}
	}
	if len(own) > 0 {
		return own
	}
	return list
}
