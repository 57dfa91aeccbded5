package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelfd/internal/text"
)

func misspelled(t *testing.T) *library {
	l := newLibrary(t)
	l.put(
		page{path: "Heat/boiler.md", title: "Boiler", body: "# Boiler\nThe boiler heats the radiators of every floor.\n\n# Valves\nA thermostatic valve closes the radiator.\n"},
		page{path: "Heat/pump.md", title: "Circulator", body: "# Circulator\nIt moves the water through all pipes.\n"},
		page{path: "Cool/fan.md", body: "# Fan\nThe ventilator blows.\n"},
	)
	return l
}

func TestWordsThatAreNowhereAreCorrected(t *testing.T) {
	l := misspelled(t)
	for _, c := range []struct{ query, first, match, suggestions string }{
		{"boyler", "Heat/boiler.md", "fuzzy", "boiler"},
		{"thermostatik", "Heat/boiler.md", "fuzzy", "thermostatic"},
		{"vlave", "Heat/boiler.md", "fuzzy", "valve"},
		{"circualtor", "Heat/pump.md", "fuzzy", "circulator"},
		{"boyler radiatros", "Heat/boiler.md", "fuzzy", "boiler radiators|boiler radiator"},
		{"boyler floor", "Heat/boiler.md", "relaxed", "boiler floor"},
		{"boyler pipes", "Heat/pump.md", "relaxed", ""}, // they stand nowhere together
		{"boyler shelf:heat", "Heat/boiler.md", "fuzzy", "boiler shelf:heat"},
		{"boyler shelf:cool", "", "", ""},
		{`"boyler"`, "", "", ""},
		{"boyl*", "", "", ""},
		{"boy-ler", "", "", ""},
		{"xoiler", "Heat/boiler.md", "fuzzy", "boiler"}, // one edit, and one more for the first letter
		{"wxyzw", "", "", ""},
		{"fna", "Cool/fan.md", "fuzzy", "fan"},
		{"fa", "", "", ""},
	} {
		a := l.search(Query{Text: c.query})
		got, match := "", ""
		if len(a.Hits) > 0 {
			got, match = a.Hits[0].Document.Path, string(a.Hits[0].Match)
		}
		if got != c.first || match != c.match || strings.Join(a.Suggestions, "|") != c.suggestions {
			t.Errorf("%s: %s %s %q, want %s %s %q; ran %q", c.query, got, match, a.Suggestions, c.first, c.match, c.suggestions, a.Queries)
		}
		if a.Relaxed != (match != "" && match != "exact") {
			t.Errorf("%s: relaxed %v", c.query, a.Relaxed)
		}
	}
}

func TestACorrectionSaysWhatItFound(t *testing.T) {
	l := misspelled(t)
	a := l.search(Query{Text: "thermostatik", Evidence: true})
	h := a.Hits[0]
	if fmt.Sprint(h.Terms) != "[thermostatik]" || lit(*h.Evidence) != "thermostatic" || fmt.Sprint(a.Queries) != "[thermostatik thermostatic]" {
		t.Errorf("terms %q, lit %q, queries %q", h.Terms, lit(*h.Evidence), a.Queries)
	}
}

func TestTheVocabularyFollowsWhatIsWritten(t *testing.T) {
	l := misspelled(t)
	l.search(Query{Text: "boyler"}) // reads it
	for i := range 600 {
		l.put(page{path: fmt.Sprintf("Heat/more%d.md", i), body: fmt.Sprintf("# More\nManometer number%d.\n", i)})
	}
	if a := l.search(Query{Text: "manomter"}); len(a.Hits) == 0 || a.Hits[0].Match != MatchFuzzy {
		t.Errorf("a word written later: %+v", a.Queries)
	}
}

// The vocabulary finds what a look at every word finds.
func TestWordsLikeOneAreThoseOfANaiveLook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-e]{3,9}`)
		words := slices.Compact(slices.Sorted(slices.Values(rapid.SliceOfN(word, 1, 60).Draw(t, "words"))))
		asked := word.Draw(t, "asked")
		w, b := &vocabulary{}, []byte{'\n'}
		var want []string
		for _, s := range words {
			b = w.append(b, s, 1)
			d := text.Distance(asked, s, 2)
			if s[0] != asked[0] {
				d++
			}
			if d <= edits(asked) && s != asked {
				want = append(want, s)
			}
		}
		w.text = string(b)
		l := lexicon{base: w, known: w.set(), added: map[string]int32{}}
		found, err := l.like(nil, asked)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range found {
			got = append(got, f.term)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Fatalf("like %q: %q, want %q", asked, got, want)
		}
	})
}

// So does looking inside words, of any script.
func TestWordsThatHoldAPartAreThoseOfANaiveLook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := slices.Compact(slices.Sorted(slices.Values(rapid.SliceOfN(rapid.StringMatching(`[ab0é水]{1,9}`), 1, 60).Draw(t, "words"))))
		part := rapid.StringMatching(`[ab0é水]{1,4}`).Draw(t, "part")
		w, b := &vocabulary{}, []byte{'\n'}
		var want, got []string
		for _, s := range words {
			b = w.append(b, s, 1)
			if s != part && strings.Contains(s, part) {
				want = append(want, s)
			}
		}
		w.text = string(b)
		for _, f := range w.containing(part) {
			got = append(got, f.term)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("containing %q: %q, want %q", part, got, want)
		}
	})
}

func TestMergedVocabularyIsInOrder(t *testing.T) {
	w, b := &vocabulary{}, []byte{'\n'}
	for _, s := range []string{"b", "d", "f"} {
		b = w.append(b, s, 2)
	}
	w.text = string(b)
	m := w.with(map[string]int32{"a": 1, "c": 1, "e": 1, "g": 1})
	if m.text != "\na\nb\nc\nd\ne\nf\ng\n" || fmt.Sprint(m.rows) != "[1 2 1 2 1 2 1]" || m.term(6) != "g" {
		t.Errorf("%q %v", m.text, m.rows)
	}
	set := m.set()
	if set.add("c") || !set.add("h") || set.add("h") {
		t.Error("the set does not know its terms")
	}
}

// The words of every script are found by their stems and inside others, before the vocabulary has been read and after.
func TestVocabularyHoldsEveryScript(t *testing.T) {
	l := newLibrary(t)
	l.put(page{path: "S/ru.md", title: "Зал", body: "# Зал\n\nМы встретились с библиотеками города и долго говорили о книгах.\n"},
		page{path: "S/el.md", title: "Αίθουσα", body: "# Αίθουσα\n\nΗ βιβλιοθήκη είναι ανοιχτή.\n"})
	totals := func() (list []int) {
		for _, q := range []string{"библиотека", "ιβλιοθήκ"} {
			list = append(list, l.search(Query{Text: q}).Total)
		}
		return list
	}
	cold := totals()
	if !l.s.warmUp() {
		t.Fatal("not warm")
	}
	if warm := totals(); !slices.Equal(cold, warm) || warm[0] == 0 || warm[1] == 0 {
		t.Errorf("found %v before the vocabulary was read, %v after", cold, warm)
	}
}

// Of words that are as near, those in the most passages come first, as they stand now.
func TestCorrectionsCountWhatStandsThereNow(t *testing.T) {
	l := newLibrary(t)
	var many []page
	for n := range 6 {
		many = append(many, page{path: fmt.Sprintf("S/%d.md", n), title: "Note", body: "a gasket here"})
	}
	l.put(append(many, page{path: "S/typo.md", title: "Note", body: "a gaskex here"})...)
	l.search(Query{Text: "gaskez"}) // the vocabulary is read
	for n := range 30 {
		l.edit("S/typo.md", fmt.Sprintf("a gaskex here, saved %d times", n))
	}
	before := l.search(Query{Text: "gaskez", Limit: 20})
	for n := range many {
		l.edit(fmt.Sprintf("S/%d.md", n), "a gaskey here")
	}
	after := l.search(Query{Text: "gaskez", Limit: 20})
	if before.Hits[0].Document.Path == "S/typo.md" || after.Hits[0].Document.Path == "S/typo.md" || after.Total != before.Total {
		t.Errorf("first %s of %d, then %s of %d", before.Hits[0].Document.Path, before.Total, after.Hits[0].Document.Path, after.Total)
	}
}
