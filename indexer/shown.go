package indexer

import (
	"maps"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"shelfd/internal/text"
	"shelfd/store"
)

// number is a file's place among those that come to one doc_path: 1 keeps the path, 2, 3 … are shown with it.
func (s *shelf) number(file string) int { return max(s.numbers[file], 1) }

// docPath is the path under which a file is shown: NFC, odd bytes as %XX, and a number where several come to one.
func (s *shelf) docPath(file string) string {
	return s.Name + "/" + numbered(shownPath(file), s.number(file))
}

func shownPath(file string) string {
	if isPlain(file) {
		return file
	}
	return text.Path(file)
}

// isPlain says whether a path is ASCII and so its own normal form.
func isPlain(path string) bool {
	for i := range len(path) {
		if path[i] >= 0x80 {
			return false
		}
	}
	return true
}

// numbered is a path with ~n before its extension; the first keeps its name.
func numbered(shown string, n int) string {
	if n == 1 {
		return shown
	}
	ext := path.Ext(shown)
	return strings.TrimSuffix(shown, ext) + "~" + strconv.Itoa(n) + ext
}

// collide works out which of all files of the shelf, sorted, come to one path: the bytewise smaller keeps it, the
// others get the next ~2, ~3 before the extension that no file has by itself.
func (s *shelf) collide(files []string) {
	groups := map[string][]string{}
	for _, file := range files {
		if !isPlain(file) {
			shown := text.Path(file)
			groups[shown] = append(groups[shown], file)
		}
	}
	plain := func(shown string) bool { // %XX for odd bytes can spell a name that is there
		_, found := slices.BinarySearch(files, shown)
		return found && isPlain(shown)
	}
	s.numbers, s.contested = map[string]int{}, map[string]bool{}
	for _, shown := range slices.Sorted(maps.Keys(groups)) {
		group := groups[shown]
		if plain(shown) {
			group = append(group, shown)
		}
		if len(group) < 2 {
			continue
		}
		s.contested[shown] = true
		sort.Strings(group)
		n := 1
		for _, file := range group[1:] {
			for n++; groups[numbered(shown, n)] != nil || plain(numbered(shown, n)); n++ {
				s.contested[numbered(shown, n)] = true
			}
			s.contested[numbered(shown, n)] = true
			s.numbers[file] = n
		}
	}
}

// touchesCollision says whether a plan brings or takes files that come to one path with others: then numbers change,
// which takes a look at the whole shelf.
func (s *shelf) touchesCollision(v *store.View, p Plan) (bool, error) {
	for _, g := range p.Gone {
		if s.contested[shownPath(g.File)] {
			return true, nil
		}
	}
	arriving := map[string]bool{}
	for _, c := range p.Read {
		if c.Known != nil {
			continue
		}
		shown := shownPath(c.Entry.Path)
		if s.contested[shown] || arriving[shown] {
			return true, nil
		}
		arriving[shown] = true
		holder, err := v.FileOf(s.Name + "/" + shown)
		if err != nil || holder != "" && holder != c.Entry.Path {
			return err == nil, err
		}
	}
	return false, nil
}
