package store

import "shelfd/chunker"

// pastChunks is how many chunks that went are remembered. Who follows an older citation is not shown its section.
const pastChunks = 20_000

// remember notes where the chunks stood that an edit takes away, so that their citations lead to what stands there now.
// It is memory and no index: a rebuild begins without it, and no answer of a search depends on it.
func (tx *Tx) remember(id int64, p *Prepared, old documentRow) error {
	if old.path == "" || old.chunks == 0 {
		return nil
	}
	stays := map[chunker.Key]bool{}
	for _, c := range p.Document.Chunks {
		stays[c.Key] = true
	}
	before, err := tx.Chunks(id)
	if err != nil {
		return err
	}
	var nodes []Node
	for _, c := range before {
		if stays[c.Key] {
			continue
		}
		if nodes == nil {
			if nodes, err = tx.Nodes(id); err != nil {
				return err
			}
		}
		if err := tx.putPast(c, nodes); err != nil {
			return err
		}
	}
	if nodes == nil {
		return nil
	}
	_, err = tx.exec(`DELETE FROM past_chunks WHERE id <= (SELECT max(id) FROM past_chunks) - ?`, pastChunks)
	return err
}

func (tx *Tx) putPast(c Chunk, nodes []Node) error {
	node := ""
	if c.Node < len(nodes) {
		node = nodes[c.Node].ID
	}
	_, err := tx.exec(`INSERT INTO past_chunks (key_hash, key_seq, document_id, node_id, line) VALUES (?, ?, ?, ?, ?)`,
		int64(c.Key.Hash), c.Key.Seq, c.DocumentID, node, c.Lines.Start)
	return err
}
