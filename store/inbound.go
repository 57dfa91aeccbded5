package store

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"shelfd/chunker"
	"shelfd/internal/text"
)

// inbound is what the links of other documents call one: often what people look for it by.
type inbound struct {
	Links int      // documents that link here
	Texts []string // what they say, what most of them say first
}

const (
	// inboundTexts is how many texts of links are kept of a document, and inboundLongest how many characters of one:
	// a longer one is a sentence and no name.
	inboundTexts   = 48
	inboundLongest = 120
)

// names are the name terms of documents that a transaction writes, and the documents whose inbound links it touched.
// They come to FTS rows when it ends: what a document is called may change several times before.
type names struct {
	put     map[int64]documentTerms
	touched map[int64]bool
}

func (n *names) touch(ids ...int64) {
	if n.touched == nil {
		n.touched = map[int64]bool{}
	}
	for _, id := range ids {
		n.touched[id] = true
	}
}

func (n *names) drop(id int64) { delete(n.put, id) }

// putNames makes a document found by its names.
func (tx *Tx) putNames(id int64, t documentTerms) {
	if tx.names.put == nil {
		tx.names.put = map[int64]documentTerms{}
	}
	tx.names.put[id] = t
}

// settleNames writes what documents are called, in their order.
func (tx *Tx) settleNames() error {
	for _, id := range slices.Sorted(maps.Keys(tx.names.touched)) {
		if err := tx.settleInbound(id); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(tx.names.put)) {
		if err := tx.putNameTerms(id, tx.names.put[id]); err != nil {
			return err
		}
	}
	tx.names = names{}
	return nil
}

// settleInbound works out anew what others call a document. Its names are written again only if that has changed.
func (tx *Tx) settleInbound(id int64) error {
	now, err := tx.countInbound(id)
	if err != nil {
		return err
	}
	before, err := tx.inbound(id)
	if err != nil || before.Links == now.Links && slices.Equal(before.Texts, now.Texts) {
		return err
	}
	d, err := tx.DocumentByID(id)
	if errors.Is(err, ErrNotFound) {
		return nil // it went, and its row with it
	}
	if err != nil {
		return err
	}
	if err := tx.putInbound(id, now); err != nil || slices.Equal(before.Texts, now.Texts) {
		return err
	}
	if _, written := tx.names.put[id]; !written {
		tx.dropDocumentTerms(id)
		tx.putNames(id, nameTerms(d.Shelf, d.Path, namesOf(d)))
	}
	return nil
}

// namesOf is what the names of a document are cut from.
func namesOf(d Document) *chunker.Document {
	return &chunker.Document{Title: d.Title, Aliases: d.Aliases, Tags: d.Tags}
}

func (tx *Tx) putInbound(id int64, now inbound) error {
	if now.Links == 0 {
		_, err := tx.exec(`DELETE FROM inbound WHERE document_id = ?`, id)
		return err
	}
	_, err := tx.exec(`INSERT INTO inbound (document_id, links, texts) VALUES (?1, ?2, ?3)
		ON CONFLICT (document_id) DO UPDATE SET links = ?2, texts = ?3`, id, now.Links, jsonList(now.Texts))
	return err
}

// putNameTerms writes the FTS row of a document's names, the texts of inbound links among them.
func (tx *Tx) putNameTerms(id int64, t documentTerms) error {
	in, err := tx.inbound(id)
	if err != nil {
		return err
	}
	var shelf, docPath, language string
	err = tx.queryRow(`SELECT s.name, d.file_path, d.language FROM documents d JOIN shelves s ON s.id = d.shelf_id WHERE d.id = ?`, []any{id}, &shelf, &docPath, &language)
	if err != nil {
		return err
	}
	tx.putDocumentTerms(id, t.withLinks(in.Texts), scopeTerms(shelf, docPath, language, id))
	return nil
}

// withLinks adds the texts of inbound links.
func (t documentTerms) withLinks(texts []string) documentTerms {
	var words, idents []byte
	for _, s := range texts {
		words, idents = text.AppendTerms(words, idents, s)
	}
	t.link = string(words)
	t.ident += string(idents)
	return t
}

// inbound is what was last worked out.
func (v *View) inbound(id int64) (inbound, error) {
	var in inbound
	var texts string
	err := v.queryRow(`SELECT links, texts FROM inbound WHERE document_id = ?`, []any{id}, &in.Links, &texts)
	if errors.Is(err, ErrNotFound) {
		return in, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(texts), &in.Texts)
	}
	return in, err
}

// countInbound works out what others call a document, from the links as they are.
func (v *View) countInbound(id int64) (inbound, error) {
	var in inbound
	said := map[string]*spelling{}
	err := v.each(`SELECT l.metadata_json FROM document_links l JOIN documents d ON d.id = l.source_document_id
		WHERE l.target_document_id = ?1 AND l.source_document_id <> ?1 AND l.origin = 'text' ORDER BY d.file_path`, []any{id}, func(rows *sql.Rows) error {
		var metadata string
		if err := rows.Scan(&metadata); err != nil {
			return err
		}
		var m linkMetadata
		if err := json.Unmarshal([]byte(metadata), &m); err != nil {
			return fmt.Errorf("metadata of a link to document %d: %w", id, err)
		}
		in.Links++
		count(said, m.Links)
		return nil
	})
	spellings := slices.SortedFunc(maps.Values(said), func(a, b *spelling) int {
		return cmp.Or(b.sources-a.sources, cmp.Compare(a.folded, b.folded))
	})
	for _, s := range spellings[:min(len(spellings), inboundTexts)] {
		in.Texts = append(in.Texts, s.text)
	}
	return in, err
}

// spelling is a text of links as the first of them writes it.
type spelling struct {
	text, folded string
	sources      int
}

// count adds the texts of one document's links, each once. Pictures and bare paths call a document nothing.
func count(said map[string]*spelling, links []TextLink) {
	here := map[string]bool{}
	for _, l := range links {
		folded := text.Fold(l.Text)
		if l.Kind == chunker.LinkEmbed || l.Kind == chunker.LinkAuto || here[folded] || !isName(l.Text) {
			continue
		}
		here[folded] = true
		if said[folded] == nil {
			said[folded] = &spelling{text: l.Text, folded: folded}
		}
		said[folded].sources++
	}
}

func sayTheSame(a, b TextLink) bool { return a.Kind == b.Kind && a.Text == b.Text }

// isName says whether the text of a link says anything: more than stop words, and less than a sentence.
func isName(s string) bool {
	if utf8.RuneCountInString(s) > inboundLongest {
		return false
	}
	named := false
	text.Segment(s, func(t text.Token) { named = named || !text.Stop(t.Term) })
	return named
}
