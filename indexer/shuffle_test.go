package indexer_test

import (
	"fmt"
	"os"
	"path/filepath"
)

// Where documents go that are shuffled: some places are outside the shelves.
var shuffledPlaces = []string{
	"base/a.md", "base/b.md", "base/c.md", "base/sub/a.md", "custom/a.md", "custom/b.md", "away/1", "away/2", "away/3", "away/4",
}

// shuffle puts what stands at some places to others, and new documents at some.
func (e *editing) shuffle() {
	held := make([]string, len(shuffledPlaces))
	for i, place := range shuffledPlaces {
		held[i] = filepath.Join(e.Folder, fmt.Sprintf("held%d", i))
		_ = os.MkdirAll(filepath.Dir(e.Path(place)), 0o755)
		if os.Rename(e.Path(place), held[i]) != nil {
			_ = os.WriteFile(held[i], []byte(e.text()), 0o644)
		}
	}
	for i, j := range e.rand.Perm(len(held)) {
		switch place := shuffledPlaces[i]; e.rand.IntN(6) {
		case 0:
			e.note("new " + place)
			_ = os.WriteFile(e.Path(place), []byte(e.text()), 0o644)
		case 1, 2: // what came is lost, or held for another time
		default:
			e.note("move " + shuffledPlaces[j] + " to " + place)
			_ = os.Rename(held[j], e.Path(place))
		}
	}
}
