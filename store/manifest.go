package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ManifestVersion is the format that Manifest has and ParseManifest reads.
const ManifestVersion = 2

// Manifest is a shelf as it travels: what it holds, by paths inside it and never by ids, and the links that someone
// stated from its documents. Links that authors wrote or that were worked out follow from the texts and stay at home.
type Manifest struct {
	FormatVersion int                `json:"format_version"`
	Shelf         ManifestShelf      `json:"shelf"`
	Documents     []ManifestDocument `json:"documents"`
	Links         []ManifestLink     `json:"document_links"`
}

// ManifestShelf is the shelf itself.
type ManifestShelf struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Parents     []string `json:"parents"`
}

// ManifestDocument is one document of the shelf.
type ManifestDocument struct {
	Path    string   `json:"relative_path"`
	Title   string   `json:"title"`
	Tags    []string `json:"tags"`
	Hash    string   `json:"content_hash"` // SHA-256, hex
	Summary string   `json:"summary,omitempty"`
}

// ManifestLink is one link. Confidence nil = 1.
type ManifestLink struct {
	Source     ManifestEnd `json:"source"`
	Target     ManifestEnd `json:"target"`
	Relation   string      `json:"relation"`
	Confidence *float64    `json:"confidence,omitempty"`
	Label      string      `json:"label,omitempty"`
	Rationale  string      `json:"rationale,omitempty"`
}

// ManifestEnd is a document at the end of a link.
type ManifestEnd struct {
	Path  string `json:"relative_path"`
	Shelf string `json:"shelf,omitempty"` // "" = the manifest's
}

// Manifest is what the shelf of that name exports, or ErrNotFound.
func (v *View) Manifest(shelf string) (Manifest, error) {
	row, err := v.Shelf(shelf)
	if err != nil {
		return Manifest{}, err
	}
	m := Manifest{
		FormatVersion: ManifestVersion, Shelf: ManifestShelf{row.Name, row.Description, some(row.Parents)},
		Documents: []ManifestDocument{}, Links: []ManifestLink{},
	}
	list, err := v.documents(`WHERE d.shelf_id = ? ORDER BY d.file_path`, row.ID)
	if err != nil {
		return m, err
	}
	for _, d := range list {
		outline, err := v.Outline(d.ID)
		if err != nil {
			return m, err
		}
		entry := ManifestDocument{Path: inside(d.Path), Title: d.Title, Tags: some(d.Tags), Hash: d.Hash}
		if outline.Kind == OutlineSaved && outline.Status == OutlineReady {
			entry.Summary = outline.Summary
		}
		m.Documents = append(m.Documents, entry)
	}
	links, _, err := v.Find(LinkQuery{Shelf: shelf, Origin: OriginManual})
	for _, l := range links {
		m.Links = append(m.Links, manifestLink(shelf, l))
	}
	m.sort()
	return m, err
}

func manifestLink(shelf string, l Link) ManifestLink {
	out := ManifestLink{
		Source: ManifestEnd{Path: inside(l.Source)}, Target: ManifestEnd{Path: inside(l.Target)},
		Relation: l.Relation, Confidence: &l.Confidence, Label: l.Label, Rationale: l.Rationale,
	}
	if other := shelfOf(l.Target); other != shelf {
		out.Target.Shelf = other
	}
	return out
}

// inside is a doc_path without its shelf.
func inside(path string) string { return strings.TrimPrefix(path, shelfOf(path)+"/") }

// some is list, never nil: in JSON an empty list, not null.
func some(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// sort brings documents and links into the order of their paths.
func (m *Manifest) sort() {
	slices.SortFunc(m.Documents, func(a, b ManifestDocument) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(m.Links, func(a, b ManifestLink) int {
		return cmp.Or(cmp.Compare(a.Source.Shelf, b.Source.Shelf), cmp.Compare(a.Source.Path, b.Source.Path),
			cmp.Compare(a.Target.Shelf, b.Target.Shelf), cmp.Compare(a.Target.Path, b.Target.Path), cmp.Compare(a.Relation, b.Relation))
	})
}

// Encode writes the manifest as text: the same one as the same bytes.
func (m Manifest) Encode() ([]byte, error) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	if err := out.Encode(m); err != nil {
		return nil, fmt.Errorf("store: encode manifest of %q: %w", m.Shelf.Name, err)
	}
	return b.Bytes(), nil
}

// ErrManifest says that a text is no manifest that this program reads.
var ErrManifest = errors.New("not a manifest of format_version 2")

// ParseManifest reads what Encode writes. Fields it does not know are left alone.
func ParseManifest(text []byte) (Manifest, error) {
	var m Manifest
	var version struct {
		FormatVersion any `json:"format_version"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return m, fmt.Errorf("store: manifest: %w (%w)", err, ErrManifest)
	}
	switch version.FormatVersion {
	case nil:
		return m, fmt.Errorf("store: manifest: there is no format_version in it, so it cannot be told how to read it; export the shelf again (%w)", ErrManifest)
	case float64(ManifestVersion):
	default:
		return m, fmt.Errorf("store: manifest: format_version %v is not one that this program reads (%w)", version.FormatVersion, ErrManifest)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("store: manifest: %w (%w)", err, ErrManifest)
	}
	return m, nil
}
