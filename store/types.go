package store

import (
	"time"

	"shelfd/chunker"
)

// ShelfState is the state a person sees of a shelf.
type ShelfState string

// The states of a shelf.
const (
	StateIndexing ShelfState = "indexing"
	StateWatching ShelfState = "watching"
	StatePolling  ShelfState = "polling"
	StateDegraded ShelfState = "degraded"
	StateOffline  ShelfState = "offline"
)

// Stale says that what the shelf holds may not be what is on the disk.
func (s ShelfState) Stale() bool { return s == StateOffline || s == StateDegraded }

// Origin says who made a link between documents.
type Origin string

// The origins of links.
const (
	OriginText      Origin = "text"      // the author wrote it
	OriginHeuristic Origin = "heuristic" // worked out
	OriginManual    Origin = "manual"    // someone said so
)

// Shelf is a row of shelves with its counts.
type Shelf struct {
	ID           int64
	Name         string
	Description  string
	Root         string // absolute path
	Origin       string // config | command | ledger
	State        ShelfState
	Reason       string // why the state is not plainly watching
	Since        time.Time
	Device       uint64    // device of the root at the last complete listing, 0 = never
	ReconciledAt time.Time // zero = never
	Parents      []string  // names, sorted
	Labels       map[string]string
	Contexts     map[string]string // folder inside the shelf ("" = all) → sentence
	Documents    int               // this and the next two only where they were counted
	Chunks       int
	Problems     int // files that have any
}

// Document is a row of documents without its content.
type Document struct {
	ID          int64
	ShelfID     int64
	Shelf       string
	Path        string // doc_path
	File        string // exact bytes of the path below the root
	Title       string
	Description string
	Tags        []string
	Aliases     []string
	FrontMatter map[string]any
	Language    string
	Date        time.Time // front matter date, else the modification time
	Bytes       int64
	Body        int // byte offset of the body in the content
	Lines       int
	Tokens      int
	Hash        string    // SHA-256 of the file, hex
	Updated     time.Time // the file's modification time
	Chunks      int
	FirstChunk  int64
	Source      string // path of the file that it is the text of, as a doc_path is written; "" = it is its own source
}

// Ordinal is the place of a chunk of the document, from 0: those of one document are contiguous.
func (d Document) Ordinal(c Chunk) int { return int(c.ID - d.FirstChunk) }

// Node is a section of a document. ID and Title are those of chunker.Node.
type Node struct {
	Ordinal int
	Parent  int // ordinal, -1 at the top
	ID      string
	Title   string
	Level   int
	Lines   chunker.Lines
	Span    chunker.Span
}

// Chunk is a row of chunks.
type Chunk struct {
	ID         int64
	DocumentID int64
	Node       int // ordinal
	Lines      chunker.Lines
	Span       chunker.Span
	Prefix     chunker.Span
	Key        chunker.Key
}

// Folder is a shelf or a folder inside one that holds documents.
type Folder struct {
	Name      string
	Path      string // shelf or shelf/folder
	Documents int    // in it and below
}

// BrowseOrder is the order of documents in a listing.
type BrowseOrder string

// The orders of browsing. ByUpdated: newest first.
const (
	ByPath    BrowseOrder = "path"
	ByUpdated BrowseOrder = "updated"
	ByTitle   BrowseOrder = "title"
)

// Link is a row of document_links with both ends named.
type Link struct {
	ID          int64
	SourceID    int64
	TargetID    int64
	Source      string // doc_path
	Target      string // doc_path
	SourceTitle string
	TargetTitle string
	Relation    string
	Origin      Origin
	Score       float64
	Confidence  float64
	Version     string // heuristic_version
	Label       string
	Rationale   string
	Signals     map[string]float64 // of heuristic links
	Mentions    []TextLink         // of text links
	Depth       int                // 1 = touches the document asked about
}

// TextLink is one place in the source where its author refers to the target.
type TextLink struct {
	Kind     chunker.LinkKind `json:"kind"`
	Text     string           `json:"text"`
	Raw      string           `json:"raw"`
	Fragment string           `json:"fragment,omitempty"`
	Line     int              `json:"line"`
	Place    int              `json:"place"` // among all links of the text, from 0
}

// Direction says which links of a document are meant.
type Direction string

// The directions.
const (
	Both Direction = "both"
	In   Direction = "in"
	Out  Direction = "out"
)

// Related asks for the neighbourhood of a document.
type Related struct {
	Document  int64
	Direction Direction
	Origins   []Origin // nil = all
	Depth     int      // 1–3
	Limit     int
}

// Unresolved is a link of the text without exactly one target.
type Unresolved struct {
	Source string // doc_path
	TextLink
	Candidates []string // doc_paths; empty = dead
}

// Problem is a file that could not be read or parsed as it should.
type Problem struct {
	Shelf  string
	Path   string // doc_path as shown
	File   string // exact bytes below the root
	Stage  string // read, size, decode, frontmatter, parse, name
	Line   int
	Reason string
	Since  time.Time
}

// Counts are totals over all shelves.
type Counts struct {
	Shelves, Documents, Chunks, Problems, Links int
	ContentBytes, DatabaseBytes, WALBytes       int64
}

// Query asks for passages.
type Query struct {
	Text   string // the query language of the manual; 1–1,024 characters
	Where  string // filters only, same language; "" = none
	Folder string // shelf or shelf/folder; "" = everywhere
	Path   string // doc_path; wins over Folder
	Limit  int    // 1–50
	Offset int
	Mode   Mode

	Evidence bool      // fill Hit.Evidence
	Near     *Nearness // ask vectors as well, or with ModeVector alone; nil = full text only
}

// Mode says how to look.
type Mode string

// The modes of searching.
const (
	ModeAuto    Mode = "auto"
	ModeFTS     Mode = "fts"
	ModeVector  Mode = "vector"
	ModeHybrid  Mode = "hybrid"
	ModeLiteral Mode = "literal"
	ModeRegex   Mode = "regex"
)

// Match says how a hit answers the query. The order is the order of rank.
type Match string

// The matches.
const (
	MatchExact     Match = "exact"     // all words, as typed
	MatchRelaxed   Match = "relaxed"   // all words by their stem, or only some of the words
	MatchSubstring Match = "substring" // inside words
	MatchFuzzy     Match = "fuzzy"     // corrected
)

// Hit is one passage.
type Hit struct {
	Document  Document // without FrontMatter
	Chunk     Chunk
	NodeID    string
	TitlePath []string // titles from the top section to the chunk's own; empty for "~"
	Snippet   string   // one line of plain text, whole words
	Score     float64  // larger is better; comparable within one answer
	Terms     []string // words of the query that the document's names or the chunk hold, as typed, folded
	Match     Match
	Context   string // sentence configured for the folder, "" = none
	More      int    // of the last hit of its document: how many of its chunks were found and are not shown
	Evidence  *Evidence
	Fusion    *Fusion // nil where full text alone was asked
}

// Answer is what a Query found.
type Answer struct {
	Hits        []Hit
	Total       int      // hits on all pages together, the same on each
	Relaxed     bool     // some hit here does not hold all words as typed
	Queries     []string // what ran, in the query language, in order
	Suggestions []string

	Retrieval         Retrieval // "" = full text alone
	FloorReplacements int       // hits here whose Reason is ReasonFloor
}
