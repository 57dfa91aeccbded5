package correlate_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelfd/correlate"
)

// plain is a document compared word by word, as docs/correlation.md says it in prose: no hashes, no index, nothing left
// out early, nothing shared with the package but the last sum.
type plain struct {
	id          int64
	shelf, path string
	source      correlate.Source

	title, headings, tags, keywords set
	echo                            string // the heading that is the title again
	folder                          string
	names                           set
	body                            string
}

type set map[string]bool

func setOf(all ...string) set {
	s := set{}
	for _, one := range all {
		if one != "" {
			s[one] = true
		}
	}
	return s
}

func (s set) shared(other set) (n int) {
	for one := range s {
		if other[one] {
			n++
		}
	}
	return n
}

func (s set) jaccard(other set) float64 {
	n := s.shared(other)
	if n == 0 {
		return 0
	}
	return float64(n) / float64(len(s)+len(other)-n)
}

// The words of the test's texts: stop words, what says nothing in a text, what has two spellings, what names no one
// document. The Chinese ones are pairs, which stay whole.
var (
	stop     = setOf("the", "of", "della", "perche", "getting")
	silent   = setOf("the", "of", "della", "perche", "getting", "7", "2024", "x")
	common   = []string{"boiler", "valve", "pressure", "gauge"}
	spelt    = map[string]string{"Boiler": "boiler", "VALVE": "valve", "Perché": "perche", "Città": "citta", "GAUGE": "gauge"}
	nameless = setOf("overview", "readme", "index", "getting started", "guide")
)

func foldWords(s string) []string {
	var all []string
	for _, w := range strings.Fields(strings.ReplaceAll(s, "-", " ")) {
		if folded, ok := spelt[w]; ok {
			w = folded
		}
		all = append(all, w)
	}
	return all
}

func telling(w string) bool { return !silent[w] }

func plainOf(id int64, shelf string, s correlate.Source) plain {
	d := plain{id: id, shelf: shelf, path: fmt.Sprintf("%s/%s~%d", shelf, s.Path, id), source: s, title: set{}, headings: set{}, tags: set{}, names: set{}}
	stem := strings.TrimSuffix(s.Path[strings.LastIndexByte(s.Path, '/')+1:], ".md")
	d.folder = s.Path[:max(0, strings.LastIndexByte(s.Path, '/'))]
	for _, name := range append([]string{s.Title, stem}, s.Aliases...) {
		if phrase := strings.Join(foldWords(name), " "); mayName(phrase) {
			d.names[phrase] = true
		}
	}
	title := foldWords(s.Title)
	if nameless[strings.Join(title, " ")] && mayName(strings.Join(foldWords(stem), " ")) {
		title = foldWords(stem)
	}
	for _, w := range title {
		if !stop[w] {
			d.title[w] = true
		}
	}
	for i, h := range s.Headings {
		normal := heading(h)
		if normal == "" {
			continue
		}
		name := normal
		if s.Anchors != nil && strings.Trim(s.Anchors[i], "-_") != "" {
			name = heading(s.Anchors[i])
		}
		d.headings[name] = true
		if normal == heading(s.Title) {
			d.echo = name
		}
	}
	for _, tag := range s.Tags {
		d.tags[strings.Join(foldWords(strings.TrimPrefix(tag, "#")), " ")] = true
	}
	d.body = " " + strings.Join(foldWords(s.Body), " ") + " "
	d.keywords = frequentest(foldWords(s.Body), 30)
	return d
}

// heading is a heading without the numbers that count it, unless it is nothing else.
func heading(s string) string {
	all := foldWords(s)
	for i, w := range all {
		if strings.Trim(w, "0123456789") != "" {
			return strings.Join(all[i:], " ")
		}
	}
	return strings.Join(all, " ")
}

// mayName says whether a name can be told from ordinary words.
func mayName(phrase string) bool {
	letters, tells := 0, false
	for _, w := range strings.Fields(phrase) {
		tells = tells || !stop[w] && strings.Trim(w, "0123456789") != ""
		if w == "锅炉" || w == "阀门" {
			letters += 4
		} else {
			letters += len([]rune(w))
		}
	}
	return tells && letters > 3 && !nameless[phrase]
}

// frequentest are the n commonest telling words, those of one count in the order of the alphabet.
func frequentest(words []string, n int) set {
	counts := map[string]int{}
	for _, w := range words {
		if telling(w) {
			counts[w]++
		}
	}
	all := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	return setOf(all[:min(n, len(all))]...)
}

// parent is the folder above, the root's being the root.
func parent(folder string) string { return folder[:max(0, strings.LastIndexByte(folder, '/'))] }

// compare gives the signals from a to b, and those that carry confidence.
func (d plain) compare(to plain) (all, carried correlate.Signals) {
	all = correlate.Signals{Title: d.title.jaccard(to.title), Heading: d.headings.jaccard(to.headings), Tag: d.tags.jaccard(to.tags)}
	if n := d.keywords.shared(to.keywords); n > 0 {
		all.Keyword = float64(n) / float64(min(len(d.keywords), len(to.keywords)))
	}
	switch {
	case d.folder == to.folder:
		all.Path = 1
	case d.folder != "" && to.folder != "" && parent(d.folder) == parent(to.folder):
		all.Path = 0.5
	}
	carried = all
	n := d.headings.shared(to.headings)
	for echo := range setOf(d.echo, to.echo) {
		if d.headings[echo] && to.headings[echo] {
			n--
		}
	}
	if all.Heading > 0 {
		carried.Heading = float64(n) / float64(len(d.headings)+len(to.headings)-d.headings.shared(to.headings))
	}
	for name := range to.names {
		if strings.Contains(d.body, " "+name+" ") {
			all.Mention = 1
			if !d.names[name] {
				carried.Mention = 1
			}
		}
	}
	return all, carried
}

// shows says whether a document has headings beside its title.
func (d plain) showsHeadings() bool {
	return len(d.headings) > 1 || len(d.headings) == 1 && d.echo == ""
}

// worth is the score and the confidence, by the words of the manual.
func (d plain) worth(to plain, all, carried correlate.Signals, w correlate.Weights) (score, confidence float64) {
	sum := func(s correlate.Signals) float64 {
		return w.Title*s.Title + w.Heading*s.Heading + w.Tag*s.Tag + w.Keyword*s.Keyword + w.Path*s.Path + w.Mention*s.Mention
	}
	possible := w.Title + w.Path + w.Mention
	if d.showsHeadings() && to.showsHeadings() {
		possible += w.Heading
	}
	if len(d.tags) > 0 && len(to.tags) > 0 {
		possible += w.Tag
	}
	if len(d.keywords) > 0 && len(to.keywords) > 0 {
		possible += w.Keyword
	}
	if possible == 0 {
		return sum(all), 0
	}
	damping := []float64{0.25, 0.5, 0.75, 1, 1, 1, 1}[carried.Count()]
	return sum(all), min(1, sum(carried)/possible) * damping
}

// places has four decimal places.
func places(x float64) float64 {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'f', 4, 64), 64)
	return x
}

// plainLinks compares a source with every other document.
func plainLinks(t *rapid.T, l library, documents map[int64]plain, source plain, p correlate.Params) (links []correlate.Link) {
	for _, target := range documents {
		if target.id == source.id || !l.allowed(source.shelf, target.shelf, p.Scope) {
			continue
		}
		all, carried := source.compare(target)
		score, confidence := source.worth(target, all, carried, p.Weights)
		exactScore, exact := correlate.Worth(p.Weights, all, carried, source.showsHeadings() && target.showsHeadings(),
			len(source.tags) > 0 && len(target.tags) > 0, len(source.keywords) > 0 && len(target.keywords) > 0)
		const half = 0.5e-4                                                                                          // of the last place of a confidence
		if math.Abs(score-exactScore) > 1e-12 || math.Abs(confidence-exact) > half+1e-12 || exact != places(exact) { // rounding is left to the package: order hangs on it
			t.Fatalf("%+v: score %v and confidence %v, want %v and %v", all, exactScore, exact, score, confidence)
		}
		relation := l.relation(source.shelf, target.shelf, all)
		if exact >= p.MinConfidence && (all.Count() >= p.MinSignals || relation == "mentions") {
			links = append(links, correlate.Link{Source: source.id, Target: target.id, Relation: relation, Score: exactScore, Confidence: exact, Signals: all})
		}
	}
	slices.SortFunc(links, func(a, b correlate.Link) int {
		up := func(link correlate.Link) int { return -strings.Count(link.Relation, "_standard") }
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), up(a)-up(b), cmp.Compare(b.Score, a.Score),
			strings.Compare(documents[a.Target].path, documents[b.Target].path))
	})
	if p.MaxLinks > 0 {
		links = links[:min(len(links), p.MaxLinks)]
	}
	return links
}

func phraseOf(low, high int) *rapid.Generator[string] {
	words := append(slices.Clone(common), "the", "of", "7", "2024", "x", "锅炉", "阀门", "Boiler", "VALVE", "Perché", "Città", "della")
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(words), low, high), func(w []string) string { return strings.Join(w, " ") })
}

// bodyOf is text of more different words than are kept as keywords, now and then.
func bodyOf() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		body := phraseOf(0, 12).Draw(t, "text")
		if rapid.Bool().Draw(t, "long") {
			first := rapid.IntRange(0, 40).Draw(t, "first")
			for i := range 45 {
				word := fmt.Sprintf(" w%c%c", 'a'+(first+i)/10, 'a'+(first+i)%10)
				body += strings.Repeat(word, 1+(first+i*7)%3)
			}
		}
		return body
	})
}

func sourceOf() *rapid.Generator[correlate.Source] {
	return rapid.Custom(func(t *rapid.T) correlate.Source {
		folder := rapid.SampledFrom([]string{"", "a/", "a/x/", "a/y/", "b/", "b/x/"}).Draw(t, "folder")
		title := rapid.OneOf(phraseOf(0, 3), rapid.SampledFrom([]string{"overview", "getting started", "boiler valve", "guide"})).Draw(t, "title")
		file := rapid.OneOf(phraseOf(1, 2), rapid.SampledFrom([]string{"readme", "index", "pressure gauge"})).Draw(t, "file")
		s := correlate.Source{
			Path: folder + strings.ReplaceAll(file, " ", "-") + ".md", Title: title,
			Aliases:  rapid.SliceOfN(phraseOf(1, 2), 0, 2).Draw(t, "aliases"),
			Tags:     rapid.SliceOfN(rapid.SampledFrom([]string{"heat", "#heat", "VALVE", "valve", "safety first"}), 0, 3).Draw(t, "tags"),
			Headings: rapid.SliceOfN(rapid.OneOf(phraseOf(1, 2), rapid.Just("2 Boiler valve")), 0, 4).Draw(t, "headings"),
			Body:     bodyOf().Draw(t, "body"),
		}
		if rapid.Bool().Draw(t, "the title stands above") {
			s.Headings = append([]string{title}, s.Headings...)
			s.Body = title + " " + s.Body
		}
		if rapid.Bool().Draw(t, "the author gave ids") {
			s.Anchors = rapid.SliceOfN(rapid.SampledFrom([]string{"", "", "-", "_", "gauge", "boiler-valve", "VALVE"}), len(s.Headings), len(s.Headings)).Draw(t, "ids")
		}
		return s
	})
}

// TestLinksAreThoseOfComparingEveryPairWordByWord: all six signals from the texts themselves, in shelves that extend each
// other, with limits that cut through ties.
func TestLinksAreThoseOfComparingEveryPairWordByWord(t *testing.T) {
	shelves := []string{"north", "east", "south", "west"}
	seen := map[string]int{}
	everyPair := func(t *rapid.T) {
		l := library{parents: hierarchyOf(shelves).Draw(t, "parents")}
		ix := correlate.NewIndex(hierarchy(t, l.parents))
		documents := map[int64]plain{}
		var last correlate.Source
		for id := range int64(rapid.IntRange(2, 16).Draw(t, "documents")) {
			if id == 0 || rapid.IntRange(0, 3).Draw(t, "twin") > 0 { // twins make ties
				last = sourceOf().Draw(t, "source")
			}
			d := plainOf(id, rapid.SampledFrom(shelves).Draw(t, "shelf"), last)
			documents[id] = d
			ix.Put(id, d.shelf, d.path, correlate.Extract(d.source))
		}
		p := paramsOf().Draw(t, "params")
		for _, d := range documents {
			got, want := bare(ix.Links(d.id, ix.Mentioned(d.id, d.source.Body), p)), bare(plainLinks(t, l, documents, d, p))
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("links of %d %+v with %+v:\n got %+v\nwant %+v", d.id, d.source, p, got, want)
			}
			for i, link := range want {
				seen[link.Relation]++
				for name, value := range link.Signals.Map() {
					if value > 0 {
						seen[name]++
					}
				}
				if i > 0 && link.Confidence == want[i-1].Confidence && link.Score == want[i-1].Score {
					seen["tie"]++
				}
				if p.MaxLinks == i+1 {
					seen["limit"]++
				}
			}
		}
	}
	for range 10 {
		rapid.Check(t, everyPair)
	}
	for _, what := range []string{
		"title", "heading", "tag", "keyword", "path", "mention", "extends_standard", "references_standard", "mentions", "references_custom", "related", "tie", "limit",
	} {
		if seen[what] == 0 {
			t.Errorf("no %s was ever compared: %v", what, seen)
		}
	}
	t.Log(seen)
}
