package indexer_test

import (
	"slices"
	"strings"
	"testing"

	"shelfd/correlate"
	"shelfd/internal/shelftest"
	"shelfd/store"
)

// citing lists the documents whose text cites one, by path.
func citing(l *shelftest.Library, target string) (paths []string) {
	l.View(func(v *store.View) error {
		d, err := v.Document(target)
		if err != nil {
			return err
		}
		all, err := v.DocumentsBelow("")
		for _, other := range all {
			mentioned, err := v.Mentions(other.ID)
			if err != nil {
				return err
			}
			if slices.Contains(mentioned, d.ID) {
				paths = append(paths, other.Path)
			}
		}
		return err
	})
	return paths
}

// TestANewNameFindsItsMentionsInOldTexts: wherever it stands, also between two chunks, which no index of chunks shows;
// and a name that the old text bears itself is no mention.
func TestANewNameFindsItsMentionsInOldTexts(t *testing.T) {
	p := correlate.DefaultParams()
	p.MinConfidence = 0.05
	l := shelftest.New(t, shelftest.Options{Correlate: &p})
	long := strings.Repeat("Water runs round and round in the pipes of the old house. ", 60)
	l.Write("notes/short.md", "# Short\n\nThe feed pump leaks.\n")
	l.Write("notes/apart.md", "# Apart\n\nThe feed of the pump.\n")
	l.Write("notes/inside.md", "# Inside\n\n"+long+"\n\n## More\n\nThe feed pump leaks. "+long+"\n")
	l.Write("notes/between.md", "# Between\n\n"+long+" At the end stands the feed\n\n## Pump leaks\n\n"+long+"\n")
	l.Write("notes/scattered.md", "# Scattered\n\n"+long+" A feed.\n\n## More\n\nA pump. "+long+"\n")
	l.Write("notes/same/feed-pump.md", "# Feed pump\n\nIt leaks.\n")
	l.Write("notes/one.md", "# One\n\nThe condensate drains.\n")
	l.Sync()
	l.Write("notes/new.md", "# Feed pump\n\nWhat it is.\n")
	l.Write("notes/word.md", "# Condensate\n\nWhat it is.\n")
	l.Sync()
	if got, want := citing(l, "notes/new.md"), []string{"notes/between.md", "notes/inside.md", "notes/short.md"}; !slices.Equal(got, want) {
		t.Errorf("cited by %q, want %q", got, want)
	}
	if got, want := citing(l, "notes/word.md"), []string{"notes/one.md"}; !slices.Equal(got, want) {
		t.Errorf("cited by %q, want %q", got, want)
	}
	l.Matches()
	l.Write("notes/new.md", "# Feeding pumps\n\nWhat it is.\n")
	l.Remove("notes/word.md")
	l.Sync()
	if got := citing(l, "notes/new.md"); got != nil {
		t.Errorf("cited by %q after its name changed", got)
	}
	l.Matches()
}
