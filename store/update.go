package store

import (
	"errors"

	"shelfd/chunker"
)

// File is what a reconcile knows of a document's file.
type File struct {
	Document   int64
	File       string // exact bytes of the path below the root
	Size       int64
	ModTime    int64 // unix nanoseconds
	ChangeTime int64 // unix nanoseconds
	Inode      uint64
	Device     uint64
	ReadAt     int64 // unix nanoseconds
	Hash       [32]byte
	Version    int
	Number     int  // 2, 3 …: another file comes to the same doc_path, which has ~Number; 0 and 1: it has its own
	Derived    bool // it is the text of the file of its name without the extension, which stands beside it
	Blocks     BlocksFile
}

// PutDocument writes a document with its chunks, FTS rows, nodes, features and file row. id 0 makes a new document, or
// gives a path its reserved id back; another id keeps that document, wherever its file and path were before.
func (tx *Tx) PutDocument(shelf, id int64, p *Prepared, f File) (int64, error) {
	var err error
	old := documentRow{}
	if id == 0 {
		id, err = tx.claimID(p.Path)
	} else {
		old, err = tx.documentRow(id)
	}
	if err != nil {
		return 0, err
	}
	if err := tx.remember(id, p, old); err != nil {
		return 0, err
	}
	first, err := tx.chunkRange(old, len(p.chunks))
	if err != nil {
		return 0, err
	}
	if id, err = tx.putRow(shelf, id, first, p, f); err != nil {
		return 0, err
	}
	tx.placed(extent{id, first, len(p.chunks), languageNumber(p.Document.Language)})
	scope := scopeTerms(p.Shelf, p.Path, p.Document.Language, id)
	if err := tx.putChunks(id, first, p, scope, f.Version, old); err != nil {
		return 0, err
	}
	if old.path != "" {
		tx.dropDocumentTerms(id)
	}
	tx.putNames(id, p.names)
	if err := tx.putNodes(id, p, old); err != nil {
		return 0, err
	}
	if err := tx.putFeatures(id, p.Features, old); err != nil {
		return 0, err
	}
	if err := tx.putBoxes(id, p.Boxes, old); err != nil {
		return 0, err
	}
	return id, tx.putFile(shelf, id, f, old)
}

// deletedChunks is the number of chunks of a document that was deleted.
const deletedChunks = -1

// placed notes where the chunks of a document are now.
func (tx *Tx) placed(x extent) {
	if tx.change.documents == nil {
		tx.change.documents = map[int64]extent{}
	}
	tx.change.documents[x.document] = x
}

func (tx *Tx) putFeatures(id int64, features []byte, old documentRow) error {
	if old.path == "" {
		_, err := tx.exec(`INSERT INTO features (document_id, features) VALUES (?, ?)`, id, features)
		return err
	}
	_, err := tx.exec(`UPDATE features SET features = ? WHERE document_id = ?`, features, id)
	return err
}

// documentRow is what the writing of a document needs to know of the one before.
type documentRow struct {
	shelf, path, language string
	firstChunk            int64
	chunks                int
	content               string
	version               int // that cut it; 0 = it was put down to be cut again
}

func (tx *Tx) documentRow(id int64) (documentRow, error) {
	var r documentRow
	err := tx.queryRow(`SELECT s.name, d.file_path, d.language, d.first_chunk, d.chunk_count, d.content,
			coalesce((SELECT version FROM files f WHERE f.document_id = d.id), 0)
		FROM documents d JOIN shelves s ON s.id = d.shelf_id WHERE d.id = ?`, []any{id},
		&r.shelf, &r.path, &r.language, &r.firstChunk, &r.chunks, &r.content, &r.version)
	return r, err
}

// claimID is the id reserved for a path, which is then reserved no longer; 0 without one, or when a document has it.
func (tx *Tx) claimID(path string) (int64, error) {
	if !tx.reservedKnown {
		tx.reservedKnown = true
		if err := tx.queryRow(`SELECT EXISTS (SELECT 1 FROM reserved_ids)`, nil, &tx.reserved); err != nil {
			return 0, err
		}
	}
	if !tx.reserved {
		return 0, nil
	}
	var id int64
	var taken bool
	err := tx.queryRow(`DELETE FROM reserved_ids WHERE file_path = ? RETURNING id, EXISTS (SELECT 1 FROM documents WHERE documents.id = reserved_ids.id)`, []any{path}, &id, &taken)
	if errors.Is(err, ErrNotFound) || taken {
		return 0, nil
	}
	return id, err
}

func (tx *Tx) putRow(shelf, id, first int64, p *Prepared, f File) (int64, error) {
	d := p.Document
	date, dated := f.ModTime, 0
	if !d.Date.IsZero() {
		date, dated = nanoseconds(d.Date), 1
	}
	var idArg any
	if id != 0 {
		idArg = id
	}
	err := tx.queryRow(`INSERT INTO documents (id, shelf_id, title, file_path, description, headings, tags, aliases,
			frontmatter, language, date, dated, bytes, body_start, lines, tokens, first_chunk, chunk_count, created_at, updated_at, content)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
		ON CONFLICT (id) DO UPDATE SET shelf_id = excluded.shelf_id, title = excluded.title, file_path = excluded.file_path,
			description = excluded.description, headings = excluded.headings, tags = excluded.tags,
			aliases = excluded.aliases, frontmatter = excluded.frontmatter, language = excluded.language, date = excluded.date,
			dated = excluded.dated, bytes = excluded.bytes, body_start = excluded.body_start, lines = excluded.lines,
			tokens = excluded.tokens, first_chunk = excluded.first_chunk, chunk_count = excluded.chunk_count,
			updated_at = excluded.updated_at, content = excluded.content
		RETURNING id`,
		[]any{
			idArg, shelf, d.Title, p.Path, d.Description, p.headings, p.tags, p.aliases,
			p.frontmatter, d.Language, date, dated, len(d.Text), d.Body.Start, d.LineCount, d.Tokens, first, len(p.chunks), tx.now, f.ModTime, d.Text,
		},
		&id)
	return id, err
}

// chunkRange is where n chunks go: the place of the old ones when they fit, else the end.
func (tx *Tx) chunkRange(old documentRow, n int) (int64, error) {
	if n == 0 || n <= old.chunks {
		return old.firstChunk, nil
	}
	if tx.nextChunk == 0 {
		if err := tx.queryRow(`SELECT coalesce(max(id), 0) + 1 FROM chunks`, nil, &tx.nextChunk); err != nil {
			return 0, err
		}
	}
	first := tx.nextChunk
	tx.nextChunk += int64(n)
	return first, nil
}

// putChunks replaces the chunks of a document. In place, a chunk whose indexed text stayed the same keeps its FTS row.
func (tx *Tx) putChunks(id, first int64, p *Prepared, scope string, version int, old documentRow) error {
	n := len(p.chunks)
	var kept []bool
	if n > 0 && n <= old.chunks && version == old.version { // else what is indexed may not be what this program makes of the text
		var err error
		if kept, err = tx.unchangedChunks(id, p, old); err != nil {
			return err
		}
	}
	if err := tx.dropChunks(old, kept); err != nil {
		return err
	}
	for i, c := range p.Document.Chunks {
		if err := tx.putChunk(id, first+int64(i), c); err != nil {
			return err
		}
		if i < len(kept) && kept[i] {
			continue
		}
		tx.putChunkTerms(first+int64(i), p.chunks[i], scope)
	}
	return nil
}

func (tx *Tx) putChunk(document, id int64, c chunker.Chunk) error {
	_, err := tx.exec(`INSERT INTO chunks (id, document_id, node, line_start, line_end, byte_start, byte_end, prefix_start, prefix_end, key_hash, key_seq)
		VALUES (?,?,?,?,?,?,?,?,?,?,?)`, id, document, c.Node, c.Lines.Start, c.Lines.End,
		c.Span.Start, c.Span.End, c.Prefix.Start, c.Prefix.End, int64(c.Key.Hash), c.Key.Seq)
	return err
}

// unchangedChunks says of each new chunk whether the old one in its place indexes the same text in the same scope.
func (tx *Tx) unchangedChunks(id int64, p *Prepared, old documentRow) ([]bool, error) {
	kept := make([]bool, len(p.chunks))
	if old.path != p.Path || old.shelf != p.Shelf || old.language != p.Document.Language {
		return kept, nil
	}
	before, err := tx.Chunks(id)
	if err != nil {
		return nil, err
	}
	if len(before) != old.chunks {
		return kept, nil
	}
	for i, c := range p.Document.Chunks {
		b := before[i]
		kept[i] = b.Key.Hash == c.Key.Hash && old.content[b.Span.Start:b.Span.End] == p.Document.Text[c.Span.Start:c.Span.End] &&
			old.content[b.Prefix.Start:b.Prefix.End] == p.Document.Text[c.Prefix.Start:c.Prefix.End]
	}
	return kept, nil
}

// dropChunks removes the chunk rows of a document and their FTS rows, but for those that are kept.
func (tx *Tx) dropChunks(old documentRow, kept []bool) error {
	for i := range old.chunks {
		if i < len(kept) && kept[i] {
			continue
		}
		tx.dropChunkTerms(old.firstChunk + int64(i))
	}
	if old.chunks == 0 {
		return nil
	}
	_, err := tx.exec(`DELETE FROM chunks WHERE id BETWEEN ? AND ?`, old.firstChunk, old.firstChunk+int64(old.chunks)-1)
	return err
}

func (tx *Tx) putFile(shelf, id int64, f File, old documentRow) error {
	if old.path != "" {
		if _, err := tx.exec(`DELETE FROM files WHERE document_id = ?`, id); err != nil {
			return err
		}
	}
	_, err := tx.exec(`INSERT INTO files (shelf_id, file, document_id, size, mtime, ctime, inode, device, read_at, hash, version, number, derived, blocks)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)`, shelf, []byte(f.File), id, f.Size, f.ModTime, f.ChangeTime, int64(f.Inode), int64(f.Device), f.ReadAt, f.Hash[:], f.Version, max(f.Number, 1), f.Derived, f.Blocks.pack())
	return err
}

// TouchFile records that a document's file was looked at again and holds the same bytes.
func (tx *Tx) TouchFile(f File) error {
	if _, err := tx.exec(`UPDATE files SET size = ?, mtime = ?, ctime = ?, inode = ?, device = ?, read_at = ?, blocks = ? WHERE document_id = ?`,
		f.Size, f.ModTime, f.ChangeTime, int64(f.Inode), int64(f.Device), f.ReadAt, f.Blocks.pack(), f.Document); err != nil {
		return err
	}
	_, err := tx.exec(`UPDATE documents SET updated_at = ?, date = CASE dated WHEN 1 THEN date ELSE ? END WHERE id = ? AND updated_at <> ?`,
		f.ModTime, f.ModTime, f.Document, f.ModTime)
	return err
}

// DeleteDocument removes a document and everything that hangs on it.
func (tx *Tx) DeleteDocument(id int64) error {
	old, err := tx.documentRow(id)
	if err != nil {
		return err
	}
	if err := tx.dropChunks(old, nil); err != nil {
		return err
	}
	tx.dropDocumentTerms(id)
	tx.names.drop(id)
	tx.placed(extent{document: id, n: deletedChunks})
	called, err := tx.ints(`SELECT target_document_id FROM document_links WHERE source_document_id = ? AND origin = 'text'`, id)
	if err != nil {
		return err
	}
	tx.names.touch(called...)
	if err := tx.DropOutline(id); err != nil {
		return err
	}
	if _, err = tx.exec(`DELETE FROM documents WHERE id = ?`, id); err != nil {
		return err
	}
	if tx.deleted++; tx.deleted == muchRemoved {
		return tx.callTidy()
	}
	return nil
}

// Reserve keeps an id for a path that is not there at present. A path has one reserved id, an id one path.
func (tx *Tx) Reserve(path string, id int64) error {
	tx.reservedKnown, tx.reserved = true, true
	if _, err := tx.exec(`DELETE FROM reserved_ids WHERE file_path = ? OR id = ?`, path, id); err != nil {
		return err
	}
	_, err := tx.exec(`INSERT INTO reserved_ids (file_path, id) VALUES (?, ?)`, path, id)
	return err
}

// Unreserve keeps no id for a path any longer.
func (tx *Tx) Unreserve(path string) error {
	_, err := tx.exec(`DELETE FROM reserved_ids WHERE file_path = ?`, path)
	return err
}

// reserve takes over the ids of an earlier database: shelves become rows at once, documents when their path appears.
func (tx *Tx) reserve(known ids) error {
	for name, id := range known.shelves {
		if _, err := tx.exec(`INSERT INTO shelves (id, name, commonRoot, origin, created_at, updated_at) VALUES (?, ?, '', 'reserved', ?, ?)`,
			id, name, tx.now, tx.now); err != nil {
			return err
		}
	}
	last := known.last
	for path, id := range known.documents {
		if err := tx.Reserve(path, id); err != nil {
			return err
		}
		last = max(last, id)
	}
	return tx.KeepIDsAbove(last)
}

// KeepIDsAbove makes the ids of new documents start above last.
func (tx *Tx) KeepIDsAbove(last int64) error {
	var seq int64
	err := tx.queryRow(`SELECT seq FROM sqlite_sequence WHERE name = 'documents'`, nil, &seq)
	if err == ErrNotFound {
		_, err = tx.exec(`INSERT INTO sqlite_sequence (name, seq) VALUES ('documents', ?)`, last)
		return err
	}
	if err != nil || seq >= last {
		return err
	}
	_, err = tx.exec(`UPDATE sqlite_sequence SET seq = ? WHERE name = 'documents'`, last)
	return err
}

// LastID is the greatest id that a document ever had.
func (v *View) LastID() (int64, error) {
	var seq int64
	err := v.queryRow(`SELECT seq FROM sqlite_sequence WHERE name = 'documents'`, nil, &seq)
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	return seq, err
}
