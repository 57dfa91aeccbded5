package store

import (
	"fmt"
	"strings"
	"testing"

	"shelfd/chunker"
)

// link makes the links of a document's author lead to one other document.
func (l *library) link(source, target string, texts ...string) {
	l.t.Helper()
	err := l.s.Update(l.t.Context(), func(tx *Tx) error {
		from, err := tx.Document(source)
		if err != nil {
			return err
		}
		to, err := tx.Document(target)
		if err != nil {
			return err
		}
		resolved := map[int64][]TextLink{}
		for i, s := range texts {
			resolved[to.ID] = append(resolved[to.ID], TextLink{Kind: chunker.LinkInline, Text: s, Line: i + 1, Place: i})
		}
		return tx.SetTextLinks(from.ID, resolved, nil)
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

// checked fails the test for whatever Check finds.
func (l *library) checked() {
	l.t.Helper()
	if err := l.s.Check(l.t.Context(), func(d Difference) { l.t.Error(d) }); err != nil {
		l.t.Fatal(err)
	}
}

func (l *library) called(path string) string {
	l.t.Helper()
	var in inbound
	err := l.s.View(l.t.Context(), func(v *View) error {
		d, err := v.Document(path)
		if err == nil {
			in, err = v.inbound(d.ID)
		}
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return fmt.Sprint(in.Links, " ", strings.Join(in.Texts, "|"))
}

func TestADocumentIsFoundByWhatOthersCallIt(t *testing.T) {
	l := newLibrary(t)
	l.put(page{path: "S/pump.md", body: "# Pump\nIt turns clockwise.\n"}, page{path: "S/a.md", body: "see there\n"}, page{path: "S/b.md", body: "see there too\n"})
	l.link("S/a.md", "S/pump.md", "circulation engine", "here", "Circulation Engine")
	l.link("S/b.md", "S/pump.md", "circulation engine", "the whirler")
	if got := l.called("S/pump.md"); got != "2 circulation engine|the whirler" {
		t.Errorf("called %q", got)
	}
	for _, query := range []string{"circulation engine", "whirler", `"circulation engine"`, "engine clockwise"} {
		if a := l.search(Query{Text: query}); len(a.Hits) == 0 || a.Hits[0].Document.Path != "S/pump.md" || a.Hits[0].Match != MatchExact {
			t.Errorf("%s: %v", query, foundPaths(a))
		}
	}
	l.checked()
	l.link("S/b.md", "S/pump.md")
	if a := l.search(Query{Text: "whirler"}); a.Total != 0 {
		t.Errorf("found by the text of a link that went: %v", foundPaths(a))
	}
	l.checked()
	l.remove("S/a.md")
	if got := l.called("S/pump.md"); got != "0 " {
		t.Errorf("called %q after its last link went", got)
	}
	l.checked()
}

func TestLinkTextsStayWhenTheirTargetIsEdited(t *testing.T) {
	l := newLibrary(t)
	l.put(page{path: "S/pump.md", body: "# Pump\nIt turns clockwise.\n"}, page{path: "S/a.md", body: "see there\n"})
	l.link("S/a.md", "S/pump.md", "circulation engine")
	l.edit("S/pump.md", "# Pump\nIt turns anticlockwise now.\n")
	if a := l.search(Query{Text: "circulation engine anticlockwise"}); a.Total != 1 {
		t.Errorf("found %v", foundPaths(a))
	}
	l.checked()
}

func TestOfManyLinkTextsThoseOfMostAreKept(t *testing.T) {
	said := map[string]*spelling{}
	for i := range 200 {
		count(said, []TextLink{{Text: "common"}, {Text: fmt.Sprintf("rare %d", i)}, {Text: strings.Repeat("long ", 40)}, {Kind: chunker.LinkEmbed, Text: "picture"}})
	}
	if said["common"].sources != 200 || len(said) != 201 || said["picture"] != nil {
		t.Errorf("%d texts, common %+v", len(said), said["common"])
	}
}
