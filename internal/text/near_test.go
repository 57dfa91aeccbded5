package text

import (
	"slices"
	"testing"
)

func TestNearestNamesComeFirst(t *testing.T) {
	paths := []string{"docs/boiler.md", "docs/guides/pump.md", "docs/guides/pumps.markdown", "it/caldaia.md", "notes/2024/valve-list.md", "zh/供热站.md"}
	for _, c := range []struct {
		want string
		near []string // close ones
		all  string   // the first of those that are always given
	}{
		{"docs/guides/pump.md", []string{"docs/guides/pump.md", "docs/guides/pumps.markdown"}, "docs/guides/pump.md"},
		{"pump.md", []string{"docs/guides/pump.md", "docs/guides/pumps.markdown"}, "docs/guides/pump.md"},
		{"docs/Boyler.md", []string{"docs/boiler.md"}, "docs/boiler.md"},
		{"docs/boiler.txt", []string{"docs/boiler.md"}, "docs/boiler.md"},
		{"valve", []string{"notes/2024/valve-list.md"}, "notes/2024/valve-list.md"},
		{"manuale/la caldaia murale.md", []string{}, "it/caldaia.md"},
		{"zh/供热", []string{"zh/供热站.md"}, "zh/供热站.md"},
	} {
		if got := Near(c.want, paths, 5); !slices.Equal(got, c.near) {
			t.Errorf("near %q: %q, want %q", c.want, got, c.near)
		}
		if got := Nearest(c.want, paths, 4); len(got) != 4 || got[0] != c.all {
			t.Errorf("nearest %q: %q, want %s first of four", c.want, got, c.all)
		}
	}
	if got := Nearest("", paths, 4); len(got) > 0 {
		t.Errorf("near nothing: %q", got)
	}
}
