package latent

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"shelfd/internal/text"
)

// Source calls yield for each text of a library, in any order.
type Source func(yield func(Text) error) error

// Train makes a model of the texts of a library, which it goes through twice; nil when there is too little to learn from.
func Train(ctx context.Context, source Source) (*Model, error) {
	m := &Model{}
	keys, err := m.survey(ctx, source)
	if err != nil || len(m.idf) <= Dims || len(keys) <= Dims {
		return nil, err
	}
	rows, err := m.rows(ctx, source, keys)
	if err != nil {
		return nil, err
	}
	basis, err := subspace(ctx, rows, len(m.idf))
	if err != nil {
		return nil, err
	}
	m.quantise(basis)
	return m, nil
}

// survey chooses the vocabulary and the texts to be learnt from, by their keys.
func (m *Model) survey(ctx context.Context, source Source) (keys map[uint64]bool, err error) {
	in := map[string]int{}
	languages := map[string]bool{}
	var all []uint64
	err = source(func(t Text) error {
		for _, c := range textBag(t) {
			in[strings.Clone(c.term)]++
		}
		all = append(all, t.Key)
		languages[t.Language] = true
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	m.texts = len(all)
	for _, language := range text.Stemmed() {
		if languages[language] {
			m.languages = append(m.languages, language)
		}
	}
	m.choose(in)
	slices.Sort(all) // keys are hashes: the smallest are as good as drawn
	keys = map[uint64]bool{}
	for _, key := range all[:min(len(all), mostTexts)] {
		keys[key] = true
	}
	return keys, nil
}

// choose takes the terms in the most texts, those in too many or too few left out.
func (m *Model) choose(in map[string]int) {
	type term struct {
		term  string
		texts int
	}
	var list []term
	for t, n := range in {
		if n >= fewestTexts && float64(n) <= max(commonShare*float64(m.texts), fewestTexts) {
			list = append(list, term{t, n})
		}
	}
	slices.SortFunc(list, func(a, b term) int { return cmp.Or(b.texts-a.texts, strings.Compare(a.term, b.term)) })
	list = list[:min(len(list), mostTerms)]
	m.terms = make(map[string]int32, len(list))
	for i, t := range list {
		m.terms[t.term] = int32(i)
		m.idf = append(m.idf, float32(math.Log(float64(m.texts)/float64(t.texts))))
	}
}

// sparse is a row of the matrix: the weights of the terms of one text, of length 1.
type sparse struct {
	at     []int32
	weight []float32
}

// rows are the bags of the chosen texts, in the order of their keys: the model must not depend on that of the source.
func (m *Model) rows(ctx context.Context, source Source, keys map[uint64]bool) ([]sparse, error) {
	type keyed struct {
		key uint64
		row sparse
	}
	var list []keyed
	err := source(func(t Text) error {
		if !keys[t.Key] {
			return ctx.Err()
		}
		delete(keys, t.Key)
		var r sparse
		square := 0.0
		for _, c := range textBag(t) {
			if at, ok := m.terms[c.term]; ok {
				w := termWeight(c.count, m.idf[at])
				r.at, r.weight = append(r.at, at), append(r.weight, w)
				square += float64(w) * float64(w)
			}
		}
		for i := range r.weight {
			r.weight[i] /= float32(math.Sqrt(square))
		}
		list = append(list, keyed{t.Key, r})
		return ctx.Err()
	})
	slices.SortFunc(list, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	out := make([]sparse, len(list))
	for i, k := range list {
		out[i] = k.row
	}
	return out, err
}

// quantise stores a row of the basis for each term in a byte a component, as they are all that is kept.
func (m *Model) quantise(basis []float32) {
	m.steps = make([]int8, len(m.idf)*Dims)
	m.scales = make([]float32, len(m.idf))
	for i := range m.idf {
		row := basis[i*wide : i*wide+Dims]
		largest := float32(0)
		for _, x := range row {
			largest = max(largest, x, -x)
		}
		if largest == 0 {
			continue
		}
		m.scales[i] = largest / 127
		for k, x := range row {
			m.steps[i*Dims+k] = int8(math.Round(float64(x / m.scales[i])))
		}
	}
}
