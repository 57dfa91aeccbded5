package mapview_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"shelfd/indexer"
	"shelfd/internal/mapview"
	"shelfd/internal/shelftest"
	"shelfd/store"
)

// linkedLibrary is a library with links of every origin, inside a shelf and between shelves.
func linkedLibrary(t *testing.T) *shelftest.Library {
	l := shelftest.New(t, shelftest.Options{Stopped: true, Shelves: []indexer.Shelf{
		{ShelfSpec: store.ShelfSpec{Name: "product", Description: "The standard"}},
		{ShelfSpec: store.ShelfSpec{Name: "client"}, Parents: []string{"product"}},
		{ShelfSpec: store.ShelfSpec{Name: "other"}},
	}})
	valves := "# Boiler valves\n\n## Safety\n\nRelief valves open at three bar.\n\n## Upkeep\n\nYearly.\n"
	l.Write("product/heat/valves.md", valves)
	l.Write("product/heat/pumps.md", "# Pumps\n\nBeside the [valves](valves.md), and [again](valves.md).\n")
	l.Write("client/heat/valves.md", valves)
	l.Write("client/visit.md", "# Visit\n\nSee [[pumps]].\n")
	l.Write("client/alone.md", "# Alone\n")
	l.Write("other/far.md", "# Far\n")
	l.Start()
	l.Sync()
	if _, err := l.Indexer.AddLinks(t.Context(), store.ManualLink{
		Source: "client/visit.md", Target: "other/far.md", Relation: "paid_by", Confidence: 0.75, Label: "the bill", Rationale: "says so",
	}); err != nil {
		t.Fatal(err)
	}
	l.Sync()
	return l
}

func gather(t *testing.T, l *shelftest.Library, shelf string) (m mapview.Map) {
	t.Helper()
	l.View(func(v *store.View) error {
		var err error
		m, err = mapview.Gather(v, shelf)
		return err
	})
	return m
}

func page(t *testing.T, m mapview.Map) string {
	t.Helper()
	var b bytes.Buffer
	if err := mapview.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// inside reads the map back out of a page, as its script does.
func inside(t *testing.T, page string) (m mapview.Map) {
	t.Helper()
	_, rest, _ := strings.Cut(page, `<script type="application/json" id="map">`)
	text, _, found := strings.Cut(rest, "</script>")
	if err := json.Unmarshal([]byte(text), &m); err != nil || !found {
		t.Fatalf("%v in %.200s", err, text)
	}
	return m
}

// storedLines writes the links with an end in a shelf as the store tells them, in order.
func storedLines(v *store.View, shelf string) (lines []string, err error) {
	links, _, err := v.Find(store.LinkQuery{})
	for _, l := range links {
		if !strings.HasPrefix(l.Source, shelf+"/") && !strings.HasPrefix(l.Target, shelf+"/") {
			continue
		}
		places := []int(nil)
		for _, m := range l.Mentions {
			places = append(places, m.Line)
		}
		lines = append(lines, fmt.Sprint(l.Source, l.Target, l.Relation, l.Origin, l.Confidence, l.Label, l.Rationale, places))
	}
	return lines, err
}

func TestThePageHoldsTheLinksOfTheStore(t *testing.T) {
	l := linkedLibrary(t)
	for _, shelf := range []string{"client", "product", "other"} {
		m := inside(t, page(t, gather(t, l, shelf)))
		path := func(i int) string { return m.Shelves[m.Documents[i].Shelf].Name + "/" + m.Documents[i].Path }
		var got, want []string
		for _, k := range m.Links {
			got = append(got, fmt.Sprint(path(k.Source), path(k.Target), k.Relation, k.Origin, k.Confidence, k.Label, k.Rationale, k.Lines))
		}
		l.View(func(v *store.View) (err error) {
			want, err = storedLines(v, shelf)
			return err
		})
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", shelf, got, want)
		}
	}
	m := gather(t, l, "client")
	origins := map[string]int{}
	for _, k := range m.Links {
		origins[k.Origin]++
	}
	if origins["text"] != 1 || origins["manual"] != 1 || origins["heuristic"] == 0 {
		t.Errorf("%v", origins)
	}
}

func TestTheMapHasTheShelfWholeAndOfOthersWhatIsLinked(t *testing.T) {
	l := linkedLibrary(t)
	m := gather(t, l, "client")
	var paths []string
	for _, d := range m.Documents {
		paths = append(paths, m.Shelves[d.Shelf].Name+"/"+d.Path)
	}
	want := []string{"client/alone.md", "client/heat/valves.md", "client/visit.md", "other/far.md", "product/heat/pumps.md", "product/heat/valves.md"}
	if !slices.Equal(paths, want) {
		t.Errorf("%q", paths)
	}
	if s := m.Shelves; len(s) != 3 || s[0].Name != "client" || !slices.Equal(s[0].Parents, []int{2}) || s[2].Description != "The standard" {
		t.Errorf("%+v", s)
	}
	if d := m.Documents[1]; d.Title != "Boiler valves" || !slices.Equal(d.Outline, []mapview.Heading{{1, "Boiler valves"}, {2, "Safety"}, {2, "Upkeep"}}) {
		t.Errorf("%+v", d)
	}
	if again := page(t, gather(t, l, "client")); again != page(t, m) {
		t.Error("two pages of one store differ")
	}
	l.View(func(v *store.View) error {
		if _, err := mapview.Gather(v, "none"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("no such shelf: %v", err)
		}
		return nil
	})
}

// hostile is a map whose every text would like to be something else.
func hostile() mapview.Map {
	texts := []string{
		`</script><script>window.hacked = 1</script>`, `"><img src=x onerror="window.hacked = 1">`, `{{script}}{{map}}`,
		"\u202etxt.exe\u2066", "a\u2028b\u2029c", `'; window.hacked = 1; '`, "<!--<script>", "\x00\x1b[31m", "",
	}
	m := mapview.Map{Shelf: `</title><script>window.hacked = 1</script>` + "\u202e", Shelves: []mapview.Shelf{{Name: texts[0], Description: texts[1]}}}
	for i, text := range texts {
		m.Documents = append(m.Documents, mapview.Document{Path: fmt.Sprint(text, i, "/x.md"), Title: text, Outline: []mapview.Heading{{1, text}}})
		m.Links = append(m.Links, mapview.Link{Source: i, Target: (i + 1) % len(texts), Relation: text, Origin: "manual", Confidence: 1, Label: text, Rationale: text})
	}
	return m
}

func TestNothingInTitlesBecomesMarkupOrCode(t *testing.T) {
	m := hostile()
	p := page(t, m)
	if n := strings.Count(p, "<script"); n != 2 {
		t.Errorf("%d scripts, want the map and the code", n)
	}
	if got := inside(t, p); !reflect.DeepEqual(got, m) {
		t.Errorf("got %+v\nwant %+v", got, m)
	}
	if head := p[:strings.Index(p, `id="map"`)]; strings.Contains(head, "\u202e") {
		t.Error("the heading turns the direction of what follows")
	}
	if !strings.Contains(p, "<title>Map of "+html.EscapeString(`</title><script>window.hacked = 1</script>`)+"</title>") {
		t.Error("the title is not the name of the shelf")
	}
}

// TestThePageAsksForNothing: its policy names its one script, and nothing in it names another place.
func TestThePageAsksForNothing(t *testing.T) {
	p := page(t, mapview.Map{Shelf: "s", Shelves: []mapview.Shelf{{Name: "s"}}})
	_, rest, _ := strings.Cut(p, `<script>`)
	script, _, _ := strings.Cut(rest, "</script>")
	hash := sha256.Sum256([]byte(script))
	if want := "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"; !strings.Contains(p, want) {
		t.Errorf("no policy %q", want)
	}
	if found := regexp.MustCompile(`https?://|//[a-z]+\.|url\(|@import|\bsrc=|\bhref=|fetch\(|XMLHttp|WebSocket|innerHTML|eval\(`).FindAllString(p, -1); found != nil {
		t.Errorf("%q", found)
	}
	if !mapview.Wrote([]byte(p)[:mapview.MarkLength]) || mapview.Wrote([]byte("<!DOCTYPE html>\n<html>")) || mapview.Wrote(nil) {
		t.Error("a map is not told from another page")
	}
}
