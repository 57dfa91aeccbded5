package store

import (
	"errors"
	"strings"
	"testing"
)

func TestParseReadsOperatorsAndLeavesTheRestWords(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{`boiler valve`, `word(boiler) word(valve)`},
		{`"two words" x`, `phrase(two words) word(x)`},
		{`"not closed`, `word("not) word(closed)`},
		{`5" pipe`, `word(5") word(pipe)`},
		{`pre* *x x*y **`, `prefix(pre) word(*x) word(x*y) word(**)`},
		{`-not --flag - -`, `-word(not) word(--flag) word(-) word(-)`},
		{`-"a b" -p*`, `-phrase(a b) -prefix(p)`},
		{`a OR b c`, `word(a)|word(b) word(c)`},
		{`a OR b OR "c d"`, `word(a)|word(b)|phrase(c d)`},
		{`OR a`, `word(OR) word(a)`},
		{`a OR`, `word(a) word(OR)`},
		{`a or b`, `word(a) word(or) word(b)`},
		{`tag:x Tag:#y tag:"a b"`, `filter(tag = x) filter(tag = y) filter(tag = a b)`},
		{`-tag:x tag:!=y`, `-filter(tag = x) filter(tag != y)`},
		{`tag:<x`, `word(tag:<x)`},
		{`status:done n:>=3 n:<3 n!=4 n=5`, `filter(status = done) filter(n >= 3) filter(n < 3) filter(n != 4) filter(n = 5)`},
		{`after:2024-05-01 after:soon`, `filter(after = 2024-05-01) word(after:soon)`},
		{`kind:.MDX kind:`, `filter(kind = MDX) word(kind:)`},
		{`status: done`, `word(status:) word(done)`},
		{`std::vector http://x/y 12:30 :x`, `word(std::vector) word(http://x/y) word(12:30) word(:x)`},
		{`path:/guides path:"a b"`, `filter(path = /guides) filter(path = a b)`},
		{"a\x00b\tc", `word(a) word(b) word(c)`},
	} {
		if got := describe(parse(c.query)); got != c.want {
			t.Errorf("parse(%s)\ngot  %s\nwant %s", c.query, got, c.want)
		}
	}
}

func describe(e expression) string {
	kinds := map[unitKind]string{unitWord: "word", unitPhrase: "phrase", unitPrefix: "prefix", unitFilter: "filter"}
	var clauses []string
	for _, c := range e {
		var units []string
		for _, u := range c {
			sign := ""
			if u.not {
				sign = "-"
			}
			inside := u.text
			if u.kind == unitFilter {
				inside = u.key + " " + string(u.op) + " " + u.text
			}
			units = append(units, sign+kinds[u.kind]+"("+inside+")")
		}
		clauses = append(clauses, strings.Join(units, "|"))
	}
	return strings.Join(clauses, " ")
}

func TestWhereTakesFiltersAndExplainsTheRest(t *testing.T) {
	for _, c := range []struct {
		where    string
		want     string
		position int
	}{
		{`tag:x`, `filter(tag = x)`, 0},
		{`tag:x AND -kind:mdx`, `filter(tag = x) -filter(kind = mdx)`, 0},
		{`tag:x OR tag:y`, `filter(tag = x)|filter(tag = y)`, 0},
		{`priority > 3 status = "in work"`, `filter(priority > 3) filter(status = in work)`, 0},
		{`priority:>=3`, `filter(priority >= 3)`, 0},
		{`status in (draft, "in work") tag:x`, `filter(status = draft)|filter(status = in work) filter(tag = x)`, 0},
		{`-tag IN(x,y) kind:md`, `-filter(tag = x) -filter(tag = y) filter(kind = md)`, 0},
		{`-tag in (x,y) OR kind:md`, `can't be joined by OR`, 15},
		{`in in (1)`, `filter(in = 1)`, 0},
		{`status in (draft`, `never closed`, 12},
		{`status in ("draft" done)`, `a comma or a bracket is missing`, 20},
		{`after in (soon)`, `wants a day`, 11},
		{`status in ()`, `a value is missing`, 12},
		{``, ``, 0},
		{`tag:x boiler`, `"boiler" is no filter`, 7},
		{`è tag:`, `"è" is no filter`, 1},
		{`tag:`, `a value is missing after tag:`, 5},
		{`after:soon`, `wants a day`, 7},
		{`tag:>x`, `takes no >`, 6},
		{`tag:"x`, `never closed`, 5},
		{`OR tag:x`, `OR stands between two filters`, 1},
		{`tag:x OR`, `OR stands between two filters`, 9},
		{`(tag:x)`, `is no filter`, 1},
	} {
		e, err := parseWhere(c.where)
		var fault *QueryError
		switch {
		case c.position == 0 && err != nil:
			t.Errorf("where %s: %v", c.where, err)
		case c.position == 0 && describe(e) != c.want:
			t.Errorf("where %s: got %s, want %s", c.where, describe(e), c.want)
		case c.position > 0 && !errors.As(err, &fault):
			t.Errorf("where %s: no error, want %s", c.where, c.want)
		case c.position > 0 && (fault.Position != c.position || !strings.Contains(fault.Reason, c.want)):
			t.Errorf("where %s: character %d: %s, want character %d: %s", c.where, fault.Position, fault.Reason, c.position, c.want)
		}
	}
}
