//go:build !race

package indexer_test

// raced says that the race detector is on.
const raced = false
