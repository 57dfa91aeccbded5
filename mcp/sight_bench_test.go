package mcp

import (
	"fmt"
	"strings"
	"testing"

	"shelfd/indexer"
	"shelfd/internal/shelftest"
	"shelfd/store"
)

// BenchmarkTakingInASight is what a narrowed reader's first question costs after a change, where 20,000 links from hidden
// documents lead to 2,000 that he sees. It grows with the number of these: what each is called is worked out anew.
func BenchmarkTakingInASight(b *testing.B) {
	const pages, hidden, links = 2000, 1000, 20
	lib := shelftest.New(b, shelftest.Options{
		Shelves: []indexer.Shelf{{ShelfSpec: store.ShelfSpec{Name: "Open"}}, {ShelfSpec: store.ShelfSpec{Name: "Closed"}}}, OnlyAsked: true, Quiet: true,
	})
	for i := range pages {
		lib.Write(fmt.Sprintf("Open/p%d.md", i), fmt.Sprintf("# Page %d\n\nWords of it.\n", i))
	}
	for i := range hidden {
		var text strings.Builder
		for j := range links {
			fmt.Fprintf(&text, "See [page](../Open/p%d.md).\n", (links*i+j)%pages)
		}
		lib.Write(fmt.Sprintf("Closed/from%d.md", i), text.String())
	}
	lib.Sync()
	for i := 0; b.Loop(); i++ { // no two sights see the same, so each is taken in
		sight := store.NewSight(store.Seen{Shelves: []store.ShelfSight{{Name: "Open"}, {Name: fmt.Sprint("none", i)}}})
		err := lib.Store.ViewAs(b.Context(), sight, func(v *store.View) error {
			_, err := v.Shelves()
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
