package latent

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// version numbers what the same texts come to; a model of another one is made anew. History:
//
//	1: first.
const version = 1

// errOther says that a file holds no model of this version.
var errOther = errors.New("latent: no model of this version")

// stored is a model as it stands in a file.
type stored struct {
	Version, Texts, Dims int
	Languages, Terms     []string
	IDF, Scales          []float32
	Steps                []int8
}

// Save writes the model to a file, whole or not at all.
func (m *Model) Save(path string) error {
	content, err := m.encode()
	if err != nil {
		return err
	}
	beside := path + ".new"
	f, err := os.OpenFile(beside, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("latent: save %q: %w", path, err)
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(beside, path)
	}
	if err != nil {
		return fmt.Errorf("latent: save %q: %w", path, err)
	}
	return nil
}

func (m *Model) encode() ([]byte, error) {
	s := stored{Version: version, Texts: m.texts, Dims: Dims, Languages: m.languages, Terms: make([]string, len(m.idf)), IDF: m.idf, Scales: m.scales, Steps: m.steps}
	for term, at := range m.terms {
		s.Terms[at] = term
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(s); err != nil {
		return nil, fmt.Errorf("latent: encode: %w", err)
	}
	sum := sha256.Sum256(b.Bytes())
	return slices.Concat(sum[:], b.Bytes()), nil
}

// Load reads a model that Save wrote; nil when there is none, or none that is whole and of this version.
func Load(path string) (*Model, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("latent: load: %w", err)
	}
	m, err := decode(content)
	if errors.Is(err, errOther) {
		return nil, nil
	}
	return m, err
}

func decode(content []byte) (*Model, error) {
	if len(content) < sha256.Size {
		return nil, errOther
	}
	if sum := sha256.Sum256(content[sha256.Size:]); !bytes.Equal(sum[:], content[:sha256.Size]) {
		return nil, errOther
	}
	var s stored
	if gob.NewDecoder(bytes.NewReader(content[sha256.Size:])).Decode(&s) != nil || s.Version != version || s.Dims != Dims ||
		len(s.Terms) != len(s.IDF) || len(s.Scales) != len(s.IDF) || len(s.Steps) != len(s.IDF)*Dims {
		return nil, errOther
	}
	m := &Model{texts: s.Texts, languages: s.Languages, terms: make(map[string]int32, len(s.Terms)), idf: s.IDF, scales: s.Scales, steps: s.Steps}
	for i, term := range s.Terms {
		m.terms[term] = int32(i)
	}
	return m, nil
}

// Name tells models apart: vectors of two of them are never compared.
func (m *Model) Name() string {
	h := sha256.New()
	fmt.Fprintln(h, version, m.texts, m.languages)
	terms := make([]string, len(m.idf))
	for term, at := range m.terms {
		terms[at] = term
	}
	row := make([]byte, Dims)
	for i, term := range terms {
		fmt.Fprintln(h, term, m.idf[i], m.scales[i])
		for k, step := range m.steps[i*Dims : (i+1)*Dims] {
			row[k] = byte(step)
		}
		h.Write(row)
	}
	return "corpus " + hex.EncodeToString(h.Sum(nil)[:8])
}
