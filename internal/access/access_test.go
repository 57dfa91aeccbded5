package access

import (
	"slices"
	"strings"
	"testing"

	"shelfd/store"
)

func company() Rules {
	return Rules{
		Shelves: []Shelf{
			{Name: "Handbook", Access: People{Groups: []string{"staff"}}, Scopes: []Scope{
				{Path: "departments", Kind: Department}, {Path: "people", Kind: Personal}, {Path: "departments/hr/forms", Kind: Global},
			}},
			{Name: "Ledgers", Access: People{Users: []string{"ada"}, Groups: []string{"77"}}},
			{Name: "Drafts", Scopes: []Scope{{Path: "", Kind: Personal}}},
		},
		Departments: map[string]string{"sales-emea": "sales", "sales-italy": "sales-emea", "sales": "board", "hr": "board"},
		Admins:      People{Users: []string{"root-of-it"}},
	}
}

func viewing(who Who) Viewer {
	a := &Access{owner: 1000, disk: func(Who) store.Readable { return nil }}
	a.Set(company())
	return Viewer{a, who}
}

// TestWhoSeesWhat asks for each kind of user and each kind of place.
func TestWhoSeesWhat(t *testing.T) {
	for _, c := range []struct {
		who          Who
		kind         string
		sees, misses string
	}{
		{Who{UID: 1}, "", "", "Handbook/a.md Ledgers/a.md Drafts/a.md"},
		{Who{UID: 1, Groups: []string{"staff"}}, "", "Handbook/a.md Handbook/x/y.md Handbook/departments/hr/forms/leave.md", "Ledgers/a.md Drafts/a.md Handbook/departments/hr/a.md Handbook/departments/a.md Handbook/people/a.md Handbook/people/ada/a.md Handbook2/a.md Handbook"},
		{Who{UID: 1, Groups: []string{"staff", "sales-emea"}}, "", "Handbook/departments/sales-emea/a.md Handbook/departments/sales/deep/a.md Handbook/departments/board/a.md Handbook/departments/sales-italy/a.md", "Handbook/departments/hr/a.md Handbook/departments/sales-emeA/a.md Handbook/departments/sales-emea.md"},
		{Who{UID: 1, Groups: []string{"staff", "board"}}, "", "Handbook/departments/hr/a.md Handbook/departments/sales-italy/a.md", "Handbook/people/ada/a.md"},
		{Who{UID: 1, Name: "ada", Groups: []string{"staff"}}, "", "Handbook/people/ada/a.md Ledgers/a.md", "Handbook/people/adam/a.md Drafts/ada/a.md"},
		{Who{UID: 1, GIDs: []int{5, 77}}, "", "Ledgers/a.md", "Handbook/a.md"},
		{Who{UID: 1, Name: "ada", Groups: []string{"staff", "hr"}}, "global", "Handbook/a.md Ledgers/a.md Handbook/departments/hr/forms/a.md", "Handbook/people/ada/a.md Handbook/departments/hr/a.md"},
		{Who{UID: 1, Name: "ada", Groups: []string{"staff", "hr"}}, "department", "Handbook/departments/hr/a.md Handbook/departments/board/a.md", "Handbook/a.md Handbook/departments/sales/a.md Handbook/departments/hr/forms/a.md Ledgers/a.md"},
		{Who{UID: 1, Name: "ada", Groups: []string{"staff", "hr"}}, "personal", "Handbook/people/ada/a.md", "Handbook/a.md Handbook/people/bob/a.md Drafts/ada/a.md"},
		{Who{UID: 1000}, "", "Handbook/people/ada/a.md Drafts/x.md Added/later.md", ""},
		{Who{UID: 0}, "", "Drafts/x.md", ""},
		{Who{UID: 7, Name: "root-of-it"}, "", "Drafts/x.md", ""},
		{Who{UID: 1000}, "personal", "Handbook/people/ada/a.md Drafts/ada/x.md", "Handbook/a.md Added/later.md"},
		{Who{UID: 1000}, "global", "Handbook/a.md Added/later.md Ledgers/x.md", "Handbook/people/ada/a.md Drafts/ada/x.md"},
	} {
		sight := viewing(c.who).Sight(c.kind)
		for _, path := range strings.Fields(c.sees) {
			if !sight.Sees(path) {
				t.Errorf("%+v %q does not see %s", c.who, c.kind, path)
			}
		}
		for _, path := range strings.Fields(c.misses) {
			if sight.Sees(path) {
				t.Errorf("%+v %q sees %s", c.who, c.kind, path)
			}
		}
	}
}

func TestOnlyWhoSeesSomethingIsServed(t *testing.T) {
	for _, c := range []struct {
		who             Who
		served, manages bool
	}{
		{Who{UID: 1}, false, false},
		{Who{UID: 1, Name: "ada"}, true, false},
		{Who{UID: 1, Groups: []string{"staff"}}, true, false},
		{Who{UID: 1000}, true, true},
		{Who{UID: 0}, true, true},
		{Who{UID: 7, Name: "root-of-it"}, true, true},
	} {
		if v := viewing(c.who); v.Served() != c.served || v.Manages() != c.manages {
			t.Errorf("%+v: served %v manages %v", c.who, v.Served(), v.Manages())
		}
	}
}

func TestAPeerWithoutCredentialsActsForTheDaemonsUser(t *testing.T) {
	a := New()
	if v := a.Viewer(Peer{}); !v.Manages() || v.Sight("") != nil {
		t.Errorf("%+v", v)
	}
	if v := a.Viewer(Peer{UID: -1, GID: -1, Known: true}); v.Served() { // asked for and not told
		t.Errorf("%+v is served", v)
	}
}

// TestSightsAreKeptAsLongAsTheRules: a search keeps what it worked out with its Sight.
func TestSightsAreKeptAsLongAsTheRules(t *testing.T) {
	v := viewing(Who{UID: 1, Name: "ada"})
	first := v.Sight("")
	if v.access.Set(company()); v.Sight("") != first {
		t.Error("the same rules made another Sight")
	}
	if v.Sight("") == (Viewer{v.access, Who{UID: 1, Name: "ada", Groups: []string{"staff"}}}).Sight("") {
		t.Error("the same user with another group has the same Sight")
	}
	changed := company()
	changed.Shelves = slices.DeleteFunc(changed.Shelves, func(s Shelf) bool { return s.Name == "Ledgers" })
	if v.access.Set(changed); v.Sight("").Sees("Ledgers/a.md") || v.Served() {
		t.Error("the old rules hold")
	}
}
