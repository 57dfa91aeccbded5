package correlate_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"shelfd/correlate"
)

func TestACycleOfShelvesIsNamed(t *testing.T) {
	for _, c := range []struct {
		parents map[string][]string
		want    string
	}{
		{map[string][]string{"A": {"B"}, "B": {"A"}}, "cycle: A → B → A"},
		{map[string][]string{"A": {"A"}}, "cycle: A → A"},
		{map[string][]string{"X": {"A"}, "A": {"B", "C"}, "C": {"D"}, "D": {"A"}}, "cycle: A → C → D → A"},
	} {
		_, err := correlate.NewHierarchy(c.parents)
		if cycle := new(correlate.CycleError); !errors.As(err, &cycle) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.parents, err, c.want)
		}
	}
}

func TestAncestorsAreFoundThroughParents(t *testing.T) {
	h, err := correlate.NewHierarchy(map[string][]string{"client": {"region", "standard"}, "region": {"standard"}, "standard": {"base"}, "lone": nil})
	if err != nil {
		t.Fatal(err)
	}
	for shelf, want := range map[string][]string{
		"client": {"base", "region", "standard"}, "region": {"base", "standard"}, "standard": {"base"}, "base": nil, "lone": nil, "unknown": nil,
	} {
		if got := h.Ancestors(shelf); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", shelf, got, want)
		}
	}
}

func TestScopesAreParsedAsWritten(t *testing.T) {
	for _, scope := range []correlate.Scope{correlate.ScopeShelf, correlate.ScopeShelfWithParents, correlate.ScopeCrossShelf} {
		if got, err := correlate.ParseScope(scope.String()); err != nil || got != scope {
			t.Errorf("%v: %v, %v", scope, got, err)
		}
	}
	if _, err := correlate.ParseScope("everywhere"); err == nil {
		t.Error("everywhere is no scope")
	}
}

// TestClientVariantPointsToTheStandard is the story of the feature: the same page in a client's shelf and in the
// standard it extends.
func TestClientVariantPointsToTheStandard(t *testing.T) {
	h, err := correlate.NewHierarchy(map[string][]string{"client": {"standard"}})
	if err != nil {
		t.Fatal(err)
	}
	page := correlate.Source{Path: "valves.md", Title: "Boiler valves", Headings: []string{"Safety", "Cleaning"}, Body: "pressure gauge burner"}
	other := correlate.Source{Path: "valves-2.md", Title: "Boiler valves", Headings: []string{"Safety", "Cleaning"}, Body: "pressure gauge chimney"}
	ix := correlate.NewIndex(h)
	for id, place := range []struct {
		shelf  string
		source correlate.Source
	}{{"standard", page}, {"client", page}, {"client", other}, {"stranger", page}} {
		ix.Put(int64(id), place.shelf, place.shelf+"/"+place.source.Path, correlate.Extract(place.source))
	}
	links := ix.Links(1, nil, correlate.DefaultParams())
	if len(links) != 2 || links[0].Target != 0 || links[0].Relation != correlate.RelationExtendsStandard ||
		links[1].Target != 2 || links[1].Relation != correlate.RelationReferencesCustom {
		t.Errorf("client: %+v", links)
	}
	if want := "same title; 2 headings; 3 keywords; same folder"; links[0].Rationale != want {
		t.Errorf("rationale %q, want %q", links[0].Rationale, want)
	}
	if links := ix.Links(0, nil, correlate.DefaultParams()); len(links) != 0 {
		t.Errorf("standard to client: %+v", links)
	}
	across := correlate.DefaultParams()
	across.Scope = correlate.ScopeCrossShelf
	if links := ix.Links(0, nil, across); len(links) != 1 || links[0].Target != 3 {
		t.Errorf("standard across shelves: %+v", links)
	}
}
