package store

import (
	"context"
	"errors"
)

// ErrNotFound says that what was asked for is not there (or may not be seen).
var ErrNotFound = errors.New("not found")

// View is one consistent picture of the database: a read transaction.
type View struct{}

// View runs f on a consistent picture of the database. The picture ends with f.
func (s *Store) View(ctx context.Context, f func(*View) error) error { panic("stub") }

// Shelves lists all shelves in name order.
func (v *View) Shelves() ([]Shelf, error) { panic("stub") }

// Shelf is the shelf of that name, or ErrNotFound.
func (v *View) Shelf(name string) (Shelf, error) { panic("stub") }

// Document is the document at that doc_path, or ErrNotFound.
func (v *View) Document(path string) (Document, error) { panic("stub") }

// DocumentByID is the document with that id, or ErrNotFound.
func (v *View) DocumentByID(id int64) (Document, error) { panic("stub") }

// Content is the stored text of a document; line 1 is its first line.
func (v *View) Content(id int64) (string, error) { panic("stub") }

// Nodes are the sections of a document in document order.
func (v *View) Nodes(id int64) ([]Node, error) { panic("stub") }

// Folders lists the folders directly below folder ("" = the shelves), in name order. ErrNotFound when there is no such folder.
func (v *View) Folders(folder string) ([]Folder, error) { panic("stub") }

// Browse lists the documents directly inside folder and says how many there are.
func (v *View) Browse(folder string, order BrowseOrder, offset, limit int) ([]Document, int, error) {
	panic("stub")
}

// Recent lists the documents changed last, newest first, below folder ("" = everywhere).
func (v *View) Recent(folder string, limit int) ([]Document, error) { panic("stub") }

// NearPaths are up to n doc_paths that resemble path, closest first.
func (v *View) NearPaths(path string, n int) ([]string, error) { panic("stub") }

// NearFolders are up to n folders that resemble folder, closest first.
func (v *View) NearFolders(folder string, n int) ([]string, error) { panic("stub") }

// Links is the neighbourhood of a document, ranked (depth, then origin manual, text, heuristic, then confidence, then
// path), and how many links there are in all.
func (v *View) Links(q Related) ([]Link, int, error) { panic("stub") }

// LinkCounts counts the links that point to and come from a document.
func (v *View) LinkCounts(id int64) (in, out int, err error) { panic("stub") }

// Unresolved lists dead and ambiguous links below folder ("" = everywhere), in path order.
func (v *View) Unresolved(folder string) ([]Unresolved, error) { panic("stub") }

// Problems lists problems of a shelf ("" = all), in path order.
func (v *View) Problems(shelf string) ([]Problem, error) { panic("stub") }

// ProblemOf is the first problem of the document at that doc_path, nil without one.
func (v *View) ProblemOf(path string) (*Problem, error) { panic("stub") }

// Counts are the totals.
func (v *View) Counts() (Counts, error) { panic("stub") }
