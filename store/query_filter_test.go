package store

import "testing"

func TestValuesAreComparedByWhatTheyAre(t *testing.T) {
	for _, c := range []struct {
		value  string
		op     comparison
		wanted string
		holds  bool
	}{
		{"9", less, "10", true},
		{"9", less, "a", true},
		{"1e3", equal, "1000", true},
		{"v9", less, "v10", false},
		{"2024-10-01", greater, "2024-9-2", true},
		{"2024-05-31", less, "2024-06", true},
		{"2024-06-01", greaterOrEqual, "2024-06", true},
		{"2024-06-01", equal, "2024-06", false},
		{"Draft", equal, "draft", true},
		{"perché", equal, "PERCHE", true},
		{"Draft", notEqual, "draft", false},
		{"true", equal, "True", true},
	} {
		if got := compare(c.value, c.wanted, c.op); got != c.holds {
			t.Errorf("%s %s %s: %v", c.value, c.op, c.wanted, got)
		}
	}
}
