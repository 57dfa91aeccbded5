// Package chunker turns the bytes of one Markdown file into a Document: sections, chunks with exact spans, links.
//
// It is pure: no files, no clock, no logging; the same bytes give the same Document.
// Invariants: chunk spans are ordered, disjoint and cover every non-blank line of the body, and
// doc.Text[c.Span.Start:c.Span.End] is exactly the text cited for c.
// It refuses nothing: what cannot be read as it should becomes a Problem beside the best reading there is.
package chunker

import "time"

// Span is a half-open range of byte offsets into Document.Text.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Lines is a closed range of 1-based line numbers of the file on disk, byte order mark and front matter included.
type Lines struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Document is everything that one file says about itself.
type Document struct {
	// Text is the file as valid UTF-8. It equals the file byte for byte (byte order mark and CRLF included)
	// unless a Problem of StageDecode says otherwise; every Span points into it.
	Text string

	Title       string   // front matter title, else first H1, else first heading, else the file name in words
	Description string   // front matter description, else ""
	Aliases     []string // front matter aliases/alias, as written
	Tags        []string // front matter tags/tag/keywords, then inline #tags; without '#', first spelling kept, unique under case folding
	Language    string   // BCP 47 primary subtag of a language we know as front matter has it, else guessed from the text ("en", "it", "zh", …); "" when unsure

	// Date is front matter date|updated|lastmod|created (the first that parses), else the zero time.
	Date time.Time
	// FrontMatter holds every key that parsed, as decoded by a YAML 1.2 decoder: string, bool, int64, float64,
	// []any, map[string]any, nil. Dates stay strings. Nil without front matter.
	FrontMatter map[string]any
	// Body is the part of Text below the front matter block (all of Text, less a byte order mark, without one).
	Body Span

	Nodes    []Node  // in document order; a parent stands before its children
	Chunks   []Chunk // in document order
	Links    []Link  // in document order
	Problems []Problem

	LineCount int // lines of the file; a last line without a newline counts
	Tokens    int // text.Tokens of the whole Text
}

// Node is a section: a heading and all below it up to the next heading of the same or a higher level.
type Node struct {
	ID     string // path of slugs from the document's top heading, "boiler/valves"; "~" for the text before the first heading
	Title  string // plain text of the heading, Markdown removed; "" for "~"
	Anchor string // the id that the author gave the heading, as in {#id}, "" = none
	Level  int    // depth in the outline, 1 = top. Of Markdown headings 1–6; structure headings nest below; 0 for "~"
	Parent int    // index in Document.Nodes, -1 at the top
	Span   Span   // from the first byte of the heading line to the end of the section, subsections included
	Lines  Lines
}

// Chunk is the unit of retrieval: a run of blocks inside one section.
type Chunk struct {
	Node   int   // index in Document.Nodes of the innermost section
	Span   Span  // the cited text
	Lines  Lines // lines of Span
	Prefix Span  // text indexed before Span but not cited: the overlap with the chunk before, or the repeated header of a split table; empty otherwise
	Key    Key
}

// Key names a chunk by what it says: Hash over (heading trail, normalised text), Seq 1 for the first chunk of a
// document with that hash, 2, 3 … for later ones. It survives reindexing, renames and edits elsewhere.
type Key struct {
	Hash uint64
	Seq  int
}

// Link is one reference to another document (or to a heading in this one) as the author wrote it.
// Links with a URL scheme other than file paths, and mail addresses, are left out.
type Link struct {
	Kind     LinkKind
	Text     string // what the reader sees, Markdown removed
	Target   string // destination without fragment and query, percent decoded; the page name of a wiki link; "" = this document
	Fragment string // after '#', percent decoded; "" without
	Line     int    // line of the file
}

// LinkKind says how a link was written.
type LinkKind uint8

// The kinds of link.
const (
	LinkInline    LinkKind = iota // [text](target)
	LinkReference                 // [text][ref], [ref]
	LinkAuto                      // <other.md>
	LinkWiki                      // [[page|text]], [[page#heading]]
	LinkEmbed                     // ![[page]], ![text](page.md)
)

// Problem is what could not be read as it should.
type Problem struct {
	Stage  Stage
	Reason string // one sentence, lower case, says what was done instead
	Line   int    // line of the file, 0 = the file as a whole
}

// Stage says in which step of reading a Problem arose.
type Stage uint8

// The stages of reading a file. StageRead and StageSize belong to the caller that opens files.
const (
	StageRead        Stage = iota // open, stat, read
	StageSize                     // larger than max_file_size
	StageDecode                   // not UTF-8, NUL bytes
	StageFrontMatter              // malformed block, duplicate key
	StageParse                    // nesting or time budget exceeded; cut as plain text
	StageName                     // the file name collides or is not UTF-8
	StageBlocks                   // the list of blocks of its source
)

// Options bounds the cutting. The zero value is the default.
type Options struct {
	Target  int // units a chunk aims at; default 425, in the middle of 350–500
	Min     int // units below which a chunk is joined with its neighbour in the section; default 150
	Max     int // units above which a block is split; default 800
	Overlap int // characters of overlap inside one section; default 60
}
