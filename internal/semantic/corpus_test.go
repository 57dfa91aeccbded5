package semantic

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"shelfd/internal/embed"
	"shelfd/store"
)

// word is the n-th word of a topic.
func word(topic, n int) string { return fmt.Sprintf("%c%ctopic%c", 'a'+topic/20, 'a'+topic%20, 'a'+n) }

// putTopics writes documents of one topic each, from the first to the last-1st.
func (l *library) putTopics(first, last int) {
	l.t.Helper()
	r := rand.New(rand.NewPCG(uint64(first), 1))
	for i := first; i < last; i++ {
		topic := i % 60
		words := []string{word(topic, i/60%2)} // one of two synonyms
		for range 8 {
			words = append(words, word(topic, 2+r.IntN(8)))
		}
		l.put(fmt.Sprintf("d%04d.md", i), fmt.Sprintf("%s n%dx.\n", strings.Join(words, " "), i))
	}
}

func TestTheCorpusModelIsMadeKeptAndMadeAnewWhenTheLibraryHasGrown(t *testing.T) {
	l := newLibrary(t, Options{Provider: embed.Options{Provider: Corpus}})
	l.put("a.md", "Too little text.\n")
	l.run()
	s := l.await("idle", func(s Status) bool { return s.State == StateIdle })
	if s.Model != "" || s.Reason == "" || s.Coverage != 0 {
		t.Errorf("%+v", s)
	}
	l.putTopics(0, 240)
	s = l.await("trained", func(s Status) bool { return s.State == StateIdle && s.Vectors >= 240 })
	first := s.Model
	if !strings.HasPrefix(first, "corpus ") {
		t.Fatalf("%+v", s)
	}
	if n, warning := l.index.Near(t.Context(), Question{Words: word(7, 0), Insists: false}); n == nil {
		t.Fatal(warning)
	}
	if n, warning := l.index.Near(t.Context(), Question{Words: "xylophone", Insists: true}); n != nil || !strings.Contains(warning, "no word") {
		t.Errorf("unknown words: %v, %s", n, warning)
	}
	if n, warning := l.index.Near(t.Context(), Question{Words: "xylophone", Insists: false}); n != nil || warning != "" {
		t.Errorf("unknown words, and nobody insists: %v, %s", n, warning)
	}
	if n, warning := l.index.Near(t.Context(), Question{Words: word(7, 0), Narrowed: true}); n != nil || warning != "" {
		t.Errorf("for who does not see all: %v, %s", n, warning)
	}
	if n, warning := l.index.Near(t.Context(), Question{Words: word(7, 0) + "-155", Insists: true}); n != nil || !strings.Contains(warning, "numbers") {
		t.Errorf("a name with a number: %v, %s", n, warning)
	}
	if n, warning := l.index.Near(t.Context(), Question{Words: word(7, 0) + "-155", Insists: true, Alone: true}); n == nil {
		t.Errorf("a name with a number, of vectors alone: %s", warning)
	}
	l.putTopics(240, 250) // folded in
	if s = l.await("folded in", func(s Status) bool { return s.State == StateIdle && s.Vectors >= 250 }); s.Model != first {
		t.Errorf("made anew: %+v", s)
	}
	l.end()
	l.run() // the model of before
	if s = l.await("again", func(s Status) bool { return s.State == StateIdle }); s.Model != first || s.Vectors < 250 {
		t.Errorf("after a restart: %+v", s)
	}
	l.putTopics(250, 420)
	least := 1.0
	l.await("made anew", func(s Status) bool {
		least = min(least, s.Coverage)
		return s.State == StateIdle && s.Model != first && s.Vectors >= 420
	})
	if least < 0.5 { // 250 of 420 had one before
		t.Errorf("while it was made anew only %.2f of the chunks had a vector", least)
	}
}

// What a model remembers of documents that are gone, and what it takes for words, brings no hits.
func TestWordsThatNoDocumentHoldsFindNothing(t *testing.T) {
	l := newLibrary(t, Options{Provider: embed.Options{Provider: Corpus}})
	l.putTopics(0, 300)
	l.run()
	l.await("trained", func(s Status) bool { return s.State == StateIdle && s.Vectors >= 300 })
	search := func(words string, mode store.Mode) (total int) {
		near, _ := l.index.Near(t.Context(), Question{Words: words})
		err := l.store.View(t.Context(), func(v *store.View) error {
			a, err := v.Search(store.Query{Text: words, Mode: mode, Near: near, Limit: 10})
			total = a.Total
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return total
	}
	// Two synonyms of topic 7 stand in two kinds of documents; vectors find one kind by the other's word.
	synonym := word(7, 1)
	if n := search(synonym, store.ModeHybrid); n <= 2 {
		t.Errorf("%d hits for %s while it is held", n, synonym)
	}
	for i := 67; i < 300; i += 120 {
		l.remove(fmt.Sprintf("d%04d.md", i))
	}
	for _, words := range []string{synonym, "xylophone", `"` + synonym + `"`, "xylophone zither"} {
		for _, mode := range []store.Mode{store.ModeHybrid, store.ModeVector} {
			want := search(words, store.ModeFTS)
			if got := search(words, mode); got != want {
				t.Errorf("%s by %s: %d hits, by full text %d", words, mode, got, want)
			}
		}
	}
}
