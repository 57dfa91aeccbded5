// Package mapview draws the documents of a shelf and the links between them as one HTML page that needs nothing else:
// no network, no file beside it. The page holds what the store holds, as JSON, and the code that draws it, which is our
// own: a page of force-directed layout does what is needed, where a graph library would be ten times the rest.
//
// Invariant: whatever titles, labels and paths hold, none of it becomes markup or code; the page's policy lets nothing
// run but the script that was written here, and nothing be fetched.
package mapview

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed model.js
	modelJS string
	//go:embed canvas.js
	canvasJS string
	//go:embed page.js
	pageJS string
	//go:embed legend.js
	legendJS string
)

// Map is what the page draws. Documents and shelves are named by their place in these lists.
type Map struct {
	Shelf     string     `json:"shelf"`
	Shelves   []Shelf    `json:"shelves"`   // in name order: the shelf, those that it extends or that extend it, and those of linked documents
	Documents []Document `json:"documents"` // in path order: those of the shelf, and those of others that are linked with them
	Links     []Link     `json:"links"`     // those with an end in the shelf, as the store ranks them
}

// Shelf is a shelf on the map.
type Shelf struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Parents     []int  `json:"parents,omitempty"` // the shelves that it extends
}

// Document is a document on the map.
type Document struct {
	Shelf   int       `json:"shelf"`
	Path    string    `json:"path"` // inside the shelf
	Title   string    `json:"title"`
	Outline []Heading `json:"outline,omitempty"` // the first maxOutline sections
}

// Heading is a section of a document.
type Heading struct {
	Level int    `json:"level"`
	Title string `json:"title"`
}

// Link is a link on the map.
type Link struct {
	Source     int     `json:"source"`
	Target     int     `json:"target"`
	Relation   string  `json:"relation"`
	Origin     string  `json:"origin"`
	Confidence float64 `json:"confidence"` // 0 for links of the text, which are sure
	Label      string  `json:"label,omitempty"`
	Rationale  string  `json:"rationale,omitempty"`
	Lines      []int   `json:"lines,omitempty"` // of the source, for links of the text
}

// mark begins every page, so that a later map may take its place unasked.
const mark = "<!DOCTYPE html>\n<!-- A map that shelfd drew. 'shelfd map' replaces it without asking. -->\n"

// Wrote says whether a file that begins so is a page of Write. It needs the first MarkLength bytes.
func Wrote(beginning []byte) bool { return bytes.HasPrefix(beginning, []byte(mark)) }

// MarkLength is how much of a file Wrote needs to see.
const MarkLength = len(mark)

// Write writes the page. The same map gives the same bytes.
func Write(w io.Writer, m Map) error {
	// json.Marshal writes < > & and the line separators as escapes: the data cannot end the element that holds it.
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("mapview: write %q: %w", m.Shelf, err)
	}
	script := strings.Join([]string{modelJS, canvasJS, legendJS, pageJS}, "\n")
	hash := sha256.Sum256([]byte(script))
	page := strings.NewReplacer( // in one pass: what is put in is not looked at again
		"{{policy}}", "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"'",
		"{{title}}", html.EscapeString(plain(m.Shelf)),
		"{{style}}", pageCSS,
		"{{map}}", string(text),
		"{{script}}", script,
	)
	if _, err = page.WriteString(w, mark+pageHTML); err != nil {
		return fmt.Errorf("mapview: write %q: %w", m.Shelf, err)
	}
	return nil
}

// plain leaves out what turns the direction of text or is not to be seen.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf) {
			return -1
		}
		return r
	}, s)
}
