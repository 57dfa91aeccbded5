package shelftest

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"shelfd/correlate"
	"shelfd/store"
)

// linksAreThoseOfEveryPair compares the links that stand with what comes of the files and statements when each two
// documents are put beside each other alone: no store, no queue, no neighbours that crowd a link out.
func (s *speaker) linksAreThoseOfEveryPair() {
	s.t.Helper()
	var got []string
	s.View(func(v *store.View) error {
		links, _, err := v.Find(store.LinkQuery{Origin: store.OriginHeuristic})
		for _, l := range links {
			got = append(got, fmt.Sprint(l.Source, l.Target, l.Relation, l.Score, l.Confidence, l.Rationale))
		}
		return err
	})
	var want []string
	sources := s.sources()
	for path := range sources {
		for _, l := range s.everyPair(path, sources) {
			want = append(want, fmt.Sprint(path, l.path, l.Relation, l.Score, l.Confidence, l.Rationale))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		s.t.Errorf("links that stand:\n%s\nlinks of every pair:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// sources are the documents on the disk, by doc_path, as speaker.text writes them.
func (s *speaker) sources() map[string]correlate.Source {
	all := map[string]correlate.Source{}
	for _, shelf := range speakerShelves {
		for _, file := range append([]string{"keep.md"}, speakerFiles...) {
			text, err := os.ReadFile(s.Path(shelf + "/" + file))
			if err == nil {
				all[shelf+"/"+file] = sourceOf(file, string(text))
			}
		}
	}
	return all
}

func sourceOf(path, text string) correlate.Source {
	source := correlate.Source{Path: path}
	if front, body, found := strings.Cut(strings.TrimPrefix(text, "---\ntags: ["), "]\n---\n"); found {
		source.Tags, text = strings.Split(front, ", "), body
	}
	source.Body = text
	for line := range strings.Lines(text) {
		if mark, heading, found := strings.Cut(strings.TrimSpace(line), " "); found && strings.Trim(mark, "#") == "" {
			source.Headings = append(source.Headings, heading)
		}
	}
	source.Title = source.Headings[0]
	return source
}

type pairLink struct {
	path string
	correlate.Link
}

// everyPair are the links of the document at a path, best first, as many as it may have.
func (s *speaker) everyPair(path string, sources map[string]correlate.Source) (links []pairLink) {
	said, shelf := s.Ledger.Said(), speakerShelf(path)
	_, ofShelf := said.Settings[shelf]
	_, ofDocument := said.Settings[path]
	if s.options.OnlyAsked && !ofShelf && !ofDocument {
		return nil
	}
	p := said.Settings[path].Over(said.Settings[shelf].Over(*s.options.Correlate))
	most := p.MaxLinks
	p.MaxLinks = 0
	parents := map[string][]string{}
	for child, above := range said.Parents {
		parents[child] = slices.Collect(maps.Keys(above))
	}
	hierarchy, err := correlate.NewHierarchy(parents)
	s.must(err)
	for other, target := range sources {
		if other == path || said.Refused[path][other] {
			continue
		}
		pair := correlate.NewIndex(hierarchy)
		pair.Put(1, shelf, path, correlate.Extract(sources[path]))
		pair.Put(2, speakerShelf(other), other, correlate.Extract(target))
		for _, l := range pair.Links(1, pair.Mentioned(1, sources[path].Body), p) {
			links = append(links, pairLink{other, l})
		}
	}
	slices.SortFunc(links, func(a, b pairLink) int {
		up := func(l pairLink) int { return strings.Count(l.Relation, "_standard") }
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), up(b)-up(a), cmp.Compare(b.Score, a.Score), strings.Compare(a.path, b.path))
	})
	if most > 0 {
		links = links[:min(len(links), most)]
	}
	return links
}

func speakerShelf(path string) string {
	shelf, _, _ := strings.Cut(path, "/")
	return shelf
}
