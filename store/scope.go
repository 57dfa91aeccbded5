package store

import (
	"hash/fnv"
	"strconv"
	"strings"
)

// Scope terms stand in the scope column of both FTS tables, so that a filter by shelf, folder, document or language is
// one more term of the MATCH. They begin with a sign that no term of a text holds, so that words are looked for in all
// columns at once: naming the columns costs FTS5 a third more. A letter says the kind; names are hashed, since a term
// may hold neither spaces nor quotes.

const scopeSign = "~"

// shelfTerm is the term of a shelf: its top folder.
func shelfTerm(shelf string) string { return folderTerm(shelf) }

// folderTerm is the term of a folder: "shelf" or "shelf/folder/…".
func folderTerm(folder string) string { return scopeSign + "f" + nameTerm(folder) }

func documentTerm(id int64) string { return scopeSign + "d" + strconv.FormatInt(id, 36) }

func languageTerm(language string) string { return scopeSign + "l" + language }

func nameTerm(name string) string {
	h := fnv.New64a()
	h.Write([]byte(name))
	return strconv.FormatUint(h.Sum64(), 36)
}

// scopeTerms is the content of the scope column for a document: itself, each ancestor folder, its language.
func scopeTerms(shelf, path, language string, id int64) string {
	var b strings.Builder
	b.WriteString(documentTerm(id))
	for i := len(shelf); i < len(path); i++ {
		if path[i] == '/' {
			b.WriteString(" " + folderTerm(path[:i]))
		}
	}
	if language != "" {
		b.WriteString(" " + languageTerm(language))
	}
	return b.String()
}

// shelfOf is the shelf in a doc_path.
func shelfOf(path string) string {
	shelf, _, _ := strings.Cut(path, "/")
	return shelf
}
