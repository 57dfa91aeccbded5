package semantic

import (
	"context"
	"fmt"
	"strings"

	"shelfd/internal/embed"
	"shelfd/internal/latent"
	"shelfd/internal/vector"
	"shelfd/store"
)

// remote is a model that is asked over HTTP.
type remote struct{ client *embed.Client }

func (r remote) name() string { return r.client.Model() }

func (r remote) query(ctx context.Context, words string) ([]float32, error) {
	return r.client.Query(ctx, words)
}

func (r remote) embed(ctx context.Context, texts []store.ChunkText) ([][]float32, error) {
	contents := make([]string, len(texts))
	for i, t := range texts {
		contents[i] = content(t)
	}
	return r.client.Embed(ctx, contents)
}

// content is a chunk under the titles around it, without which many say little.
func content(t store.ChunkText) string {
	if t.Trail == "" {
		return t.Body
	}
	return t.Trail + "\n\n" + t.Body
}

// corpus is a model of the library itself.
type corpus struct {
	*latent.Model
	called string
}

func newCorpus(m *latent.Model) corpus { return corpus{m, m.Name()} }

func (c corpus) name() string { return c.called }

func (c corpus) query(_ context.Context, words string) ([]float32, error) { return c.Query(words), nil }

func (c corpus) embed(_ context.Context, texts []store.ChunkText) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, t := range texts {
		vectors[i] = c.Vector(latentText(t))
	}
	return vectors, nil
}

// abstains says whether a query had better be left to full text: of a name with a number (EIP-155, v1.2, E21) the model
// knows no more than the words around it, and would put everything near those before what has the name.
func (c corpus) abstains(words string) bool { return strings.ContainsAny(words, "0123456789") }

func latentText(t store.ChunkText) latent.Text {
	return latent.Text{Key: t.Hash, Language: t.Language, Content: content(t)}
}

// trainGrowth is how much the library must have grown for its model to be made anew: half as many texts again.
const trainGrowth = 1.5

// tryGrowth is how much a library that was too small for a model must have grown for another try, which costs little.
const tryGrowth = 1.1

// outgrown says whether the corpus model has to be made, or made anew, for a library of so many chunks.
func (x *Index) outgrown(chunks int) bool {
	if x.o.Provider.Provider != Corpus {
		return false
	}
	c, ok := x.model.(corpus)
	return !ok || float64(chunks) > trainGrowth*float64(c.Texts())
}

// train makes a model of the library as it is, and its vectors, which take the place of those of the one before: until
// then these answer.
func (x *Index) train(ctx context.Context) (trained bool, err error) {
	m, err := latent.Train(ctx, func(yield func(latent.Text) error) error { return x.eachText(ctx, yield) })
	if err != nil || m == nil {
		return false, err
	}
	entries, err := x.vectorsOf(ctx, m)
	if err != nil {
		return false, err
	}
	if len(entries) == 0 {
		return false, nil
	}
	if err := m.Save(x.o.Model); err != nil {
		return false, err
	}
	return true, x.succeed(newCorpus(m), entries)
}

// vectorsOf are the vectors of all chunks, a hundred and some bytes each.
func (x *Index) vectorsOf(ctx context.Context, m *latent.Model) (entries []vector.Entry, err error) {
	err = x.eachText(ctx, func(t latent.Text) error {
		if v, err := vector.Quantise(m.Vector(t)); err == nil { // else it has no word that tells anything
			entries = append(entries, vector.Entry{Key: t.Key, Vector: v})
		}
		return nil
	})
	return entries, err
}

// succeed makes a model whose vectors there are the one that answers.
func (x *Index) succeed(m model, entries []vector.Entry) error {
	if err := x.set.Replace(m.name(), entries); err != nil {
		return fmt.Errorf("semantic: %w", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.model, x.epoch, x.status.Model = m, x.set.Epoch(), m.name()
	return nil
}

// adopt makes a model the one that vectors are to be from.
func (x *Index) adopt(m model) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.set.Reset(m.name()); err != nil {
		return fmt.Errorf("semantic: %w", err)
	}
	x.model, x.epoch, x.status.Model, x.status.Coverage = m, x.set.Epoch(), m.name(), 0
	return nil
}

// readAtOnce is how many documents are read in one picture of the store: a long one would hold up its checkpoints.
const readAtOnce = 64

// eachText calls yield for each chunk of the library.
func (x *Index) eachText(ctx context.Context, yield func(latent.Text) error) error {
	var documents []int64
	err := x.o.Store.View(ctx, func(v *store.View) (err error) {
		documents, err = v.NewestFirst()
		return err
	})
	for err == nil && len(documents) > 0 {
		some := documents[:min(readAtOnce, len(documents))]
		documents = documents[len(some):]
		var texts []store.ChunkText
		texts, err = x.texts(ctx, some)
		for _, t := range texts {
			if err == nil {
				err = yield(latentText(t))
			}
		}
	}
	return err
}

// texts reads the chunks of documents.
func (x *Index) texts(ctx context.Context, documents []int64) (texts []store.ChunkText, err error) {
	err = x.o.Store.View(ctx, func(v *store.View) error {
		for _, id := range documents {
			list, err := v.ChunkTexts(id)
			if err != nil {
				return err
			}
			texts = append(texts, list...)
		}
		return nil
	})
	return texts, err
}
