//go:build race

package indexer_test

// raced says that the race detector is on: it makes SQLite ten times slower, so random tests take fewer rounds then, and
// all of them without it.
const raced = true
