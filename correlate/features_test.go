package correlate_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelfd/correlate"
)

func TestNamesThatAMentionCanHave(t *testing.T) {
	for _, c := range []struct {
		path, title string
		aliases     []string
		want        []string
	}{
		{"a/boiler-valves.md", "Boiler Valves", nil, []string{"boiler valves"}},
		{"a/perche.md", "Città È Così", []string{"Le RAGIONI"}, []string{"citta e cosi", "le ragioni"}},
		{"README.md", "Overview", nil, nil},
		{"index.md", "The C++ Guide", nil, []string{"the c guide"}},
		{"ls.md", "Vue", []string{"x", "2024", "how to"}, nil},
		{"2024-01-05.md", "Diary", nil, []string{"diary"}},
		{"阀门.md", "锅炉的阀门", nil, []string{"锅炉 炉的 的阀 阀门", "阀门"}},
		{"概述.md", "炉", []string{"快速开始"}, nil},
	} {
		f := correlate.Extract(correlate.Source{Path: c.path, Title: c.title, Aliases: c.aliases})
		if !slices.Equal(f.Names, c.want) {
			t.Errorf("%s %q: names %q, want %q", c.path, c.title, f.Names, c.want)
		}
	}
}

func TestMentionsAreWholeWordsInTheText(t *testing.T) {
	ix := correlate.NewIndex(nil)
	for i, title := range []string{"Boiler Valves", "Boiler", "锅炉", "Città così", "kube-apiserver"} {
		ix.Put(int64(i+1), "s", fmt.Sprint("s/", i), correlate.Extract(correlate.Source{Path: fmt.Sprint(i, ".md"), Title: title}))
	}
	for _, c := range []struct {
		text string
		want []int64
	}{
		{"See BOILER  valves, then go on.", []int64{1, 2}},
		{"read [this](../boiler-valves.md)", []int64{1, 2}},
		{"Boilers and valves", nil},
		{"the boiler\nvalves wrap", []int64{1, 2}},
		{"关于锅炉的说明", []int64{3}},
		{"锅和炉", nil},
		{"citta COSI", []int64{4}},
		{"start `kube-apiserver --x`", []int64{5}},
		{"", nil},
	} {
		if got := ix.Mentioned(0, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q mentions %v, want %v", c.text, got, c.want)
		}
	}
}

func TestExtractLooksPastNumbersStopWordsAndSpelling(t *testing.T) {
	a := correlate.Extract(correlate.Source{
		Path: "x/a.md", Title: "The Valves of the Boiler", Tags: []string{"#Heat", "C++"},
		Headings: []string{"1. Safety First", "2.1 Perché"}, Body: strings.Repeat("the valve opens 42 ", 3),
	})
	b := correlate.Extract(correlate.Source{
		Path: "x/b.md", Title: "boiler: VALVES", Tags: []string{"heat", "c++ "},
		Headings: []string{"safety first", "PERCHE"}, Body: "Valve opens, and 17 s.",
	})
	got := correlate.Compare(a, b, true, correlate.DefaultParams().Weights)
	if want := (correlate.Signals{Title: 1, Heading: 1, Tag: 1, Keyword: 1, Path: 1, Mention: 1}); got.Signals != want {
		t.Errorf("%+v", got.Signals)
	}
	if got.Confidence < 0.999 || got.Score < 0.999 {
		t.Errorf("score %v confidence %v", got.Score, got.Confidence)
	}
}

func TestKeywordsAreTheThirtyMostFrequent(t *testing.T) {
	var body strings.Builder
	for i := range 60 {
		body.WriteString(strings.Repeat(fmt.Sprintf("word%c%c ", 'a'+i/26, 'a'+i%26), 1+i/2))
	}
	all := correlate.Extract(correlate.Source{Body: body.String()}).Keywords
	if len(all) != 30 || !slices.IsSorted(all) {
		t.Fatalf("%d keywords", len(all))
	}
	only := correlate.Extract(correlate.Source{Body: "wordbe wordch"}).Keywords // numbers 30 and 59
	rare := correlate.Extract(correlate.Source{Body: "wordbd"}).Keywords
	if !slices.Contains(all, only[0]) || !slices.Contains(all, only[1]) || slices.Contains(all, rare[0]) {
		t.Errorf("wrong keywords kept")
	}
	if got := correlate.Extract(correlate.Source{Body: "锅炉。锅炉阀"}).Keywords; len(got) != 2 {
		t.Errorf("keywords of Chinese text: %d, want 锅炉 and 炉阀", len(got))
	}
}

func TestCompareWeighsWhatBothCanShow(t *testing.T) {
	w := correlate.DefaultParams().Weights
	base := correlate.Features{Title: []uint64{1, 2}, Folder: "a/b"}
	for _, c := range []struct {
		name      string
		other     correlate.Features
		mentioned bool
		want      correlate.Signals
		score     float64
		certainty float64
	}{
		{"nothing", correlate.Features{Title: []uint64{3}, Folder: "x"}, false, correlate.Signals{}, 0, 0},
		{"one signal is worth half", correlate.Features{Title: []uint64{1, 2}, Folder: "x"}, false, correlate.Signals{Title: 1}, 0.25, 0.25 / 0.45 * 0.5},
		{"two three quarters", correlate.Features{Title: []uint64{1, 2, 3, 4}, Folder: "a/c"}, false, correlate.Signals{Title: 0.5, Path: 0.5}, 0.175, 0.175 / 0.45 * 0.75},
		{"three all", correlate.Features{Title: []uint64{1, 2}, Folder: "a/b"}, true, correlate.Signals{Title: 1, Path: 1, Mention: 1}, 0.45, 1},
		{"tags of one side are not missed", correlate.Features{Tags: []uint64{1}, Folder: "a/b"}, false, correlate.Signals{Path: 1}, 0.1, 0.1 / 0.45 * 0.5},
	} {
		got := correlate.Compare(base, c.other, c.mentioned, w)
		if got.Signals != c.want || !near(got.Score, c.score) || got.Confidence != places(c.certainty) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	if got := correlate.Compare(base, base, true, correlate.Weights{}); got.Confidence != 0 {
		t.Errorf("no weights: confidence %v", got.Confidence)
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

func TestGenericTitleLeavesTheWordToTheFileName(t *testing.T) {
	extract := func(p, title string) correlate.Features {
		return correlate.Extract(correlate.Source{Path: p, Title: title})
	}
	for _, c := range []struct {
		a, b correlate.Features
		want float64
	}{
		{extract("x/scoped-threads.md", "Summary"), extract("y/raw-dylib.md", "Summary"), 0},
		{extract("x/scoped-threads.md", "Summary"), extract("y/other.md", "Scoped Threads"), 1},
		{extract("x/README.md", "Overview"), extract("y/index.md", "Overview"), 1},
	} {
		if got := correlate.Compare(c.a, c.b, false, correlate.DefaultParams().Weights).Signals.Title; got != c.want {
			t.Errorf("%v, %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestLongBodiesAreSortedByFrequencyToo(t *testing.T) {
	var body strings.Builder
	for i := range 400 { // the rare ones come first in term order
		fmt.Fprintf(&body, "aa%c%c ", 'a'+i/26, 'a'+i%26)
	}
	for i := range 100 {
		body.WriteString(strings.Repeat(fmt.Sprintf("zz%c%c ", 'a'+i/26, 'a'+i%26), 2+i))
	}
	var best strings.Builder
	for i := 70; i < 100; i++ {
		fmt.Fprintf(&best, "zz%c%c ", 'a'+i/26, 'a'+i%26)
	}
	got, want := correlate.Extract(correlate.Source{Body: body.String()}), correlate.Extract(correlate.Source{Body: best.String()})
	if !slices.Equal(got.Keywords, want.Keywords) {
		t.Errorf("%d of %d keywords are the most frequent", len(got.Keywords), len(want.Keywords))
	}
}

func TestPathSignal(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"x.md", "y.md", 1},
		{"a/x.md", "a/y.md", 1},
		{"a/b/x.md", "a/c/y.md", 0.5},
		{"a/x.md", "b/y.md", 0.5},
		{"x.md", "a/y.md", 0},
		{"a/x.md", "a/b/y.md", 0},
		{"a/b/x.md", "c/b/y.md", 0},
	} {
		got := correlate.Compare(correlate.Extract(correlate.Source{Path: c.a}), correlate.Extract(correlate.Source{Path: c.b}), false, correlate.DefaultParams().Weights)
		if got.Signals.Path != c.want {
			t.Errorf("%s, %s: %v, want %v", c.a, c.b, got.Signals.Path, c.want)
		}
	}
}

func TestDecodeReadsWhatAppendWrote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := correlate.Extract(correlate.Source{
			Path: rapid.String().Draw(t, "path"), Title: rapid.String().Draw(t, "title"), Body: rapid.String().Draw(t, "body"),
			Aliases:  rapid.SliceOf(rapid.String()).Draw(t, "aliases"),
			Tags:     rapid.SliceOf(rapid.String()).Draw(t, "tags"),
			Headings: rapid.SliceOf(rapid.String()).Draw(t, "headings"),
		})
		b := f.Append(nil)
		got, err := correlate.Decode(b)
		if err != nil || !slices.Equal(got.Append(nil), b) || !reflect.DeepEqual(bareFeatures(got), bareFeatures(f)) {
			t.Fatalf("%+v: %+v, %v", f, got, err)
		}
		for cut := range b {
			if _, err := correlate.Decode(b[:cut]); err == nil {
				t.Fatalf("no error for %d of %d bytes", cut, len(b))
			}
		}
	})
}

// bareFeatures makes empty lists alike.
func bareFeatures(f correlate.Features) string { return fmt.Sprintf("%v", f) }

func FuzzDecode(f *testing.F) {
	f.Add(correlate.Extract(correlate.Source{Path: "a/b.md", Title: "Boiler", Body: "valve"}).Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if features, err := correlate.Decode(b); err == nil {
			again, err := correlate.Decode(features.Append(nil))
			if err != nil || bareFeatures(again) != bareFeatures(features) {
				t.Fatalf("%+v: %+v, %v", features, again, err)
			}
		}
	})
}

// TestATranslatedHeadingIsKnownByItsID: the id that an author gives a heading outlives translation, and is the same as
// the heading that it was made of.
func TestATranslatedHeadingIsKnownByItsID(t *testing.T) {
	page := func(title string, headings, ids []string) correlate.Features {
		return correlate.Extract(correlate.Source{Path: "guide/valves.md", Title: title, Headings: headings, Anchors: ids})
	}
	ids := []string{"boiler-valves", "safety-first", ""}
	english := page("Boiler valves", []string{"Boiler valves", "Safety first", "Prices"}, ids)
	italian := page("Valvole", []string{"Valvole", "La sicurezza", "Prezzi"}, ids)
	plain := page("Boiler valves", []string{"Boiler valves", "Safety first", "Parts"}, nil)
	w := correlate.DefaultParams().Weights
	if got := correlate.Compare(italian, english, false, w); got.Signals.Heading != 0.5 || got.Confidence != places((0.1+0.2*0.25)/0.65*0.75) {
		t.Errorf("translated: %+v, want two of four headings, of which that of the title carries nothing", got)
	}
	if got := correlate.Compare(plain, english, false, w).Signals.Heading; got != 0.5 {
		t.Errorf("with ids and without: %v", got)
	}
	if got := correlate.Compare(italian, plain, false, w).Signals.Heading; got != 0.5 {
		t.Errorf("translated, with ids and without: %v", got)
	}
}

// TestWhatRepeatsTheTitleCarriesNoConfidence: a heading and a mention that are the title again are signals, and no
// reasons of their own to believe in a link.
func TestWhatRepeatsTheTitleCarriesNoConfidence(t *testing.T) {
	extract := func(folder, body string, headings ...string) correlate.Features {
		return correlate.Extract(correlate.Source{Path: folder + "/boiler-valves.md", Title: "Boiler valves", Headings: headings, Body: body})
	}
	w := correlate.DefaultParams().Weights
	a, b := extract("a/x", "Boiler valves hold.", "Boiler Valves"), extract("b/y", "About boiler valves.", "Boiler valves")
	got := correlate.Compare(a, b, false, w)
	if s := got.Signals; s.Title != 1 || s.Heading != 1 || s.Mention != 1 {
		t.Errorf("%+v", s)
	}
	if want := (0.25 + 0.15*got.Signals.Keyword) / 0.6 * 0.75; got.Confidence != places(want) {
		t.Errorf("confidence %v, want %v: that of title and keywords", got.Confidence, want)
	}
	if cited := correlate.Compare(a, b, true, w); cited.Score != got.Score || cited.Confidence <= got.Confidence {
		t.Errorf("cited by a name of its own: %+v, before %+v", cited, got)
	}
	c, d := extract("a/x", "", "Boiler valves", "Safety", "Parts"), extract("b/y", "", "Boiler valves", "Safety", "Prices")
	got = correlate.Compare(c, d, false, w)
	if want := (0.25 + 0.2*0.25) / 0.65 * 0.75; got.Signals.Heading != 0.5 || got.Confidence != places(want) {
		t.Errorf("%+v, want a confidence of %v: one of four headings besides the title", got, want)
	}
}

// TestAMentionAloneIsALinkBelowTheUsualConfidence: the relation is exempt from the number of signals, not from the
// least confidence, which no mention reaches alone.
func TestAMentionAloneIsALinkBelowTheUsualConfidence(t *testing.T) {
	ix := correlate.NewIndex(nil)
	body := "Call the feed pump service."
	for id, s := range []correlate.Source{{Path: "a/visit.md", Title: "Visit", Body: body}, {Path: "a/feed-pump.md", Title: "Feed pump", Body: "Steam."}} {
		ix.Put(int64(id), "s", "s/"+s.Path, correlate.Extract(s))
	}
	p := correlate.DefaultParams()
	p.MinSignals = 3
	for _, c := range []struct {
		least float64
		want  int
	}{{0.25, 1}, {0.26, 0}, {0.6, 0}} {
		p.MinConfidence = c.least
		links := ix.Links(0, ix.Mentioned(0, body), p)
		if len(links) != c.want {
			t.Errorf("at %v: %+v", c.least, links)
		}
		if len(links) == 1 && (links[0].Relation != correlate.RelationMentions || !near(links[0].Confidence, 0.25)) {
			t.Errorf("%+v", links[0])
		}
	}
}
