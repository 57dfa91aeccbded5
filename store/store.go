// Package store is the only SQL: the cache and the ledger, reading, searching, checking.
//
// Invariant: the database is a function of the shelves' folders and the ledger; a reader sees a document whole or not
// at all. It refuses to open files below a shelf root.
package store

// Store is an open database.
type Store struct{}
