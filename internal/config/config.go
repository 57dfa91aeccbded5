// Package config reads the configuration file strictly and says where the program's own files stand.
//
// Invariant: a Config that Load returns is whole and consistent; whatever is wrong with the file comes back as one
// Faults, all of it at once, each with its line and column. It refuses to guess: an unknown key is a fault, and no
// value is corrected silently. A root that is missing is a warning, since a disk may be plugged in later.
package config

import (
	"io/fs"
	"time"
)

// Config is a configuration. Default returns the one of an empty file.
type Config struct {
	File     string    // the file it was read from, "" = none
	Warnings []Warning // what does not hinder starting

	Shelves      []Shelf
	ShelfFolders []string          // absolute; every direct subfolder is a shelf
	Departments  map[string]string // code → parent code
	AccessAdmins Access

	Settle     time.Duration // a path is read when it has been quiet for so long
	SettleMax  time.Duration // … or, when it never rests, after so long
	Reconcile  time.Duration // between two whole comparisons with the disk
	SocketMode fs.FileMode   // permission bits of the socket
	HTTP       HTTP
	Summaries  string // written | extractive
	Correlate  Correlate
	Embedding  Embedding
	Log        Log
}

// Shelf is one configured shelf.
type Shelf struct {
	Name        string
	Root        string // absolute; symlinks resolved where the folder exists
	Description string
	Parents     []string
	Include     []string // doublestar patterns
	Exclude     []string // gitignore syntax
	Gitignore   bool
	Watch       string // auto | notify | poll

	PollInterval   time.Duration
	MaxFileSize    int64 // bytes
	FollowSymlinks bool
	Labels         map[string]string // language → display name
	Contexts       map[string]string // folder inside the root → sentence
	Access         Access
	Scopes         []Scope

	// Origin says who declares it: "config.yaml:3", or "" for a folder named on the command line.
	Origin string
	// ParentsOrigin says where its parents are declared, "" when they are not.
	ParentsOrigin string
}

// Access names who may see something.
type Access struct{ Users, Groups []string }

// Empty says that nobody is named.
func (a Access) Empty() bool { return len(a.Users) == 0 && len(a.Groups) == 0 }

// Scope gives a folder of a shelf a rule of visibility.
type Scope struct {
	Path string // inside the root, slash separated
	Kind string // global | department | personal
}

// HTTP is the optional second listener.
type HTTP struct {
	Listen    string // "" = off
	TokenFile string
}

// Correlate steers the automatic links between documents.
type Correlate struct {
	Auto                bool
	Scope               string // shelf | shelf_with_parents | cross_shelf
	MinConfidence       float64
	MinSignalCount      int
	MaxLinksPerDocument int
	Weights             Weights
}

// Weights weigh the signals of correlation.
type Weights struct{ Title, Heading, Tag, Keyword, Path, Mention float64 }

// corpusVectorWeight is the vector weight of provider corpus unless another is said: its order is much worse than that of
// full text, and with more weight it spoils the first places (docs/search.md has the figures).
const corpusVectorWeight = 0.1

// Embedding steers retrieval by vectors.
type Embedding struct {
	Provider     string // none | openai | ollama | corpus
	URL          string
	Model        string
	Candidates   int
	RRFK         int
	FTSWeight    float64
	VectorWeight float64
	Floor        int
}

// Log steers the log.
type Log struct {
	Level  string // debug | info | warn | error
	Format string // auto | json | console
}

// Default is the configuration of an empty file. Its values are those that config.example.yaml shows.
func Default() Config {
	return Config{
		Departments: map[string]string{},
		Settle:      25 * time.Millisecond,
		SettleMax:   time.Second,
		Reconcile:   10 * time.Minute,
		SocketMode:  0o600,
		Summaries:   "written",
		Correlate: Correlate{
			Auto:                true,
			Scope:               "shelf_with_parents",
			MinConfidence:       0.6,
			MinSignalCount:      2,
			MaxLinksPerDocument: 8,
			Weights:             Weights{Title: 0.25, Heading: 0.20, Tag: 0.20, Keyword: 0.15, Path: 0.10, Mention: 0.10},
		},
		Embedding: Embedding{
			Provider: "none", Candidates: 200, RRFK: 60, FTSWeight: 1, VectorWeight: 1, Floor: 3,
		},
		Log: Log{Level: "info", Format: "auto"},
	}
}

// DefaultShelf is a shelf of which only name and root are said.
func DefaultShelf(name, root string) Shelf {
	return Shelf{
		Name:         name,
		Root:         root,
		Include:      []string{"**/*.md", "**/*.markdown", "**/*.mdx"},
		Gitignore:    true,
		Watch:        "auto",
		PollInterval: 30 * time.Second,
		MaxFileSize:  8 << 20,
		Labels:       map[string]string{},
		Contexts:     map[string]string{},
	}
}
