// Package correlate says which documents belong together, and why.
//
// It is pure: Features of documents in, Links with their signals out. Every feature is a function of one document;
// corpus statistics may order and prune candidates and never change a score, so the result equals the comparison of
// all pairs by brute force. It refuses to read files or tables.
package correlate

// Source is what Extract looks at.
type Source struct {
	Path     string // inside the root, slash separated, without the shelf
	Title    string
	Aliases  []string
	Tags     []string
	Headings []string // titles of the sections
	Body     string   // text below the front matter
}

// Features is what one document brings to every comparison.
// Hashes are FNV-1a 64 of folded text, sorted, unique.
type Features struct {
	Title    []uint64 // tokens of the title, stop words left out
	Headings []uint64 // whole normalised headings
	Tags     []uint64
	Keywords []uint64 // the 30 most frequent terms of the body, stop words left out, ties in term order
	Folder   string   // folder inside the root, "" at its top
	Names    []string // what a mention looks like: folded title, aliases and file name as space separated terms, generic and too short ones left out; sorted
}

// Extract computes the features of one document.
func Extract(s Source) Features { panic("stub") }

// Append appends the compact binary form of f to b.
func (f Features) Append(b []byte) []byte { panic("stub") }

// Decode reads what Append wrote.
func Decode(b []byte) (Features, error) { panic("stub") }
