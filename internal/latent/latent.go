// Package latent makes vectors of texts out of the texts themselves: latent semantic analysis, without a download and
// without a network.
//
// A text is a bag of stems, weighted by tf-idf (1 + log of the count, times log of the share of texts without it). The
// model is the subspace of the weights in which the texts differ most, found by a randomised subspace iteration (Halko,
// Martinsson, Tropp 2011) with a fixed seed, so that the same texts give the same model. A text that comes later is
// folded in: its bag is projected into the subspace.
//
// Invariant: Train and Vector are functions of their arguments. It refuses to read files of its own accord.
package latent

import (
	"math"
	"slices"
	"strings"

	"shelfd/internal/text"
)

// Text is what a vector is made of.
type Text struct {
	Key      uint64 // decides which texts are learnt from where there are too many
	Language string // of its stems, "" = unknown
	Content  string
}

const (
	// Dims is the number of components of a vector: the literature's optimum for a few ten thousand texts.
	Dims = 128
	// mostTerms bounds the vocabulary: those in the most texts. 32,768 × 192 bytes are 6 MB.
	mostTerms = 32_768
	// mostTexts bounds what is learnt from; more tell hardly anything new about which stems go together.
	mostTexts = 20_000
	// fewest texts that hold a term: what stands in one goes together with nothing.
	fewestTexts = 2
	// commonShare of the texts: a term in more of them tells them apart no longer.
	commonShare = 0.3
)

// Model turns texts into vectors. It is never changed.
type Model struct {
	texts     int // in the library it was made for
	languages []string
	terms     map[string]int32
	idf       []float32
	steps     []int8    // a row of Dims for each term
	scales    []float32 // of the rows
}

// Texts is how many texts there were when the model was made.
func (m *Model) Texts() int { return m.texts }

// Vector folds a text in; all zero when it has no word that the model knows.
func (m *Model) Vector(t Text) []float32 {
	return m.fold(textBag(t))
}

// Query is the vector of words in an unknown language: each stands for its stems in all languages of the library.
func (m *Model) Query(words string) []float32 {
	return m.fold(bagOf(words, func(word string, add func(string)) {
		stems := []string{word}
		for _, language := range m.languages {
			stems = append(stems, text.Stem(language, word))
		}
		slices.Sort(stems)
		for _, stem := range slices.Compact(stems) {
			add(stem)
		}
	}))
}

func (m *Model) fold(b bag) []float32 {
	v := make([]float32, Dims)
	for _, t := range b {
		at, ok := m.terms[t.term]
		if !ok {
			continue
		}
		weight := termWeight(t.count, m.idf[at]) * m.scales[at]
		row := m.steps[int(at)*Dims : (int(at)+1)*Dims]
		for i, step := range row {
			v[i] += weight * float32(step)
		}
	}
	return v
}

func termWeight(count int, idf float32) float32 {
	return float32(1+math.Log(float64(count))) * idf
}

// counted is a term with how often it stands in a text.
type counted struct {
	term  string
	count int
}

// bag is the terms of a text in alphabetical order.
type bag []counted

// textBag is the bag of a text, stemmed in its own language.
func textBag(t Text) bag {
	return bagOf(t.Content, func(word string, add func(string)) { add(text.Stem(t.Language, word)) })
}

// bagOf counts the stems of the words, and pairs of CJK characters. Stop words and single letters say nothing.
func bagOf(content string, stems func(word string, add func(string))) bag {
	counts := map[string]int{}
	add := func(term string) { counts[term]++ }
	text.Segment(content, func(t text.Token) {
		switch {
		case t.Kind == text.Gram:
			add(t.Term)
		case t.Kind == text.Word && len(t.Term) > 1 && !text.Stop(t.Term) && !isNumber(t.Term):
			stems(t.Term, add)
		}
	})
	b := make(bag, 0, len(counts))
	for term, count := range counts {
		b = append(b, counted{term, count})
	}
	slices.SortFunc(b, func(x, y counted) int { return strings.Compare(x.term, y.term) })
	return b
}

func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
