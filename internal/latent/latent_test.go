package latent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// topicCount is more than a model has components: it must make out what matters.
const topicCount = 300

// topics are words that stand together in texts. The first of each never stands beside the second.
func topics() [][]string {
	var list [][]string
	for t := range topicCount {
		var words []string
		for w := range 14 {
			words = append(words, fmt.Sprintf("%c%cword%c", 'a'+t/20, 'a'+t%20, 'a'+w))
		}
		list = append(list, words)
	}
	return list
}

// library is texts of one of the first n topics each.
func library(n int) []Text {
	r := rand.New(rand.NewPCG(1, 1))
	var texts []Text
	all := topics()
	for i := range 8 * n {
		topic := all[i%n]
		words := []string{topic[i/n%2]} // one of the two synonyms
		for range 8 {
			words = append(words, topic[2+r.IntN(12)])
		}
		texts = append(texts, Text{Key: r.Uint64(), Language: "en", Content: strings.Join(words, " ")})
	}
	return texts
}

func from(texts []Text) Source {
	return func(yield func(Text) error) error {
		for _, t := range texts {
			if err := yield(t); err != nil {
				return err
			}
		}
		return nil
	}
}

func train(t testing.TB, texts []Text) *Model {
	t.Helper()
	m, err := Train(t.Context(), from(texts))
	if err != nil || m == nil {
		t.Fatal(m, err)
	}
	return m
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}

func TestModel(t *testing.T) {
	m := train(t, library(topicCount))
	t.Run("words of one topic are near though they never meet", func(t *testing.T) {
		for i, topic := range topics() {
			here := m.Vector(Text{Language: "en", Content: topic[1]})
			same, other := cosine(m.Query(topic[0]), here), cosine(m.Query(topics()[(i+1)%topicCount][0]), here)
			if same < 0.5 || other > 0.3 {
				t.Fatalf("topic %d: %.2f to its own synonym, %.2f to the next topic", i, same, other)
			}
		}
	})
	t.Run("unknown words have no direction", func(t *testing.T) {
		for _, x := range m.Query("xylophone 12345 the") {
			if x != 0 {
				t.Fatal("there is one")
			}
		}
	})
	t.Run("it is the same after reading", func(t *testing.T) { savedAndRead(t, m) })
}

func savedAndRead(t *testing.T, m *Model) {
	path := filepath.Join(t.TempDir(), "model")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	again, err := Load(path)
	if err != nil || again == nil || again.Name() != m.Name() || again.Texts() != m.Texts() {
		t.Fatal(again, err)
	}
	if a, b := m.Query("aaworda"), again.Query("aaworda"); !slices.Equal(a, b) {
		t.Error("another vector")
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{nil, content[:10], content[:len(content)/2], slices.Concat(content[:100], []byte{content[100] ^ 1}, content[101:])} {
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if m, err := Load(path); m != nil || err != nil {
			t.Errorf("%d bytes of it: %v, %v", len(damaged), m, err)
		}
	}
	if m, err := Load(filepath.Join(t.TempDir(), "none")); m != nil || err != nil {
		t.Errorf("no file: %v, %v", m, err)
	}
}

func TestTheSameTextsInAnyOrderGiveTheSameModel(t *testing.T) {
	texts := library(40)
	first := train(t, texts).Name()
	slices.Reverse(texts)
	if again := train(t, texts).Name(); again != first {
		t.Errorf("%s, then %s", first, again)
	}
	texts[0].Content += " zirconium zirconium"
	texts[1].Content += " zirconium"
	if other := train(t, texts).Name(); other == first {
		t.Error("other texts have the same model")
	}
}

func TestTooLittleTextMakesNoModel(t *testing.T) {
	for _, n := range []int{0, 1, 20} {
		if m, err := Train(t.Context(), from(library(40)[:n])); m != nil || err != nil {
			t.Errorf("%d texts: %v, %v", n, m, err)
		}
	}
}

func TestTrainingEndsWhenItIsToldTo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	source := from(library(40))
	_, err := Train(ctx, func(yield func(Text) error) error { cancel(); return source(yield) })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestStemsOfEveryLanguageOfTheLibraryAreLookedUp(t *testing.T) {
	texts := library(40)
	for i := range texts {
		if strings.Contains(texts[i].Content, "aaworda") {
			texts[i].Language, texts[i].Content = "it", strings.ReplaceAll(texts[i].Content, "aaworda", "valvole")
		}
	}
	m := train(t, texts)
	if singular, plural := m.Query("valvola"), m.Query("valvole"); !slices.Equal(singular, plural) || cosine(singular, plural) < 0.9 {
		t.Error("the singular does not stand for the plural")
	}
}

func BenchmarkTrain(b *testing.B) {
	texts := library(topicCount)
	for b.Loop() {
		train(b, texts)
	}
}
