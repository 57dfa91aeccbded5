package indexer

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"strings"

	"shelfd/chunker"
	"shelfd/store"
	"shelfd/watcher"
)

// blocksExt is what the list of blocks of a source adds to its name.
const blocksExt = ".blocks.json"

// blocksTimes is how much larger than a document the list of its blocks may be: it holds the text and as much again.
const blocksTimes = 4

// readBlocks reads the list of blocks of a derived document, where there is one. What cannot be read is a problem; the
// text stays.
func (o *outcome) readBlocks(j job) []byte {
	e := j.change.Entry
	o.file.Derived = e.Derived
	if e.Blocks.Kind != watcher.KindFile {
		return nil
	}
	o.file.Blocks = blocksFile(e.Blocks)
	read, err := readFile(j.folder, strings.TrimSuffix(e.Path, ".md")+blocksExt, blocksTimes*j.limit)
	if errors.Is(err, fs.ErrNotExist) {
		o.file.Blocks = store.BlocksFile{} // gone since it was listed
		return nil
	}
	if err != nil {
		o.problems = append(o.problems, store.Problem{Stage: stages[chunker.StageBlocks], Reason: "the list of blocks cannot be read (" + err.Error() + "); the text stays, without boxes"})
		return nil
	}
	o.file.Blocks = blocksFile(read.stat)
	o.file.Blocks.Hash = sha256.Sum256(read.bytes)
	return read.bytes
}

func blocksFile(st watcher.Stat) store.BlocksFile {
	return store.BlocksFile{Size: st.Size, ModTime: st.ModTime, ChangeTime: st.ChangeTime, Inode: st.Inode}
}

// sameSource says whether a document was made with the same source beside it and the same list of blocks.
func sameSource(k, f store.File) bool {
	return k.Derived == f.Derived && k.Blocks.Hash == f.Blocks.Hash
}

// sameCompanions says whether an entry shows the source and the list of blocks that were read.
func sameCompanions(k store.File, e watcher.Entry) bool {
	if k.Derived != e.Derived || e.Blocks.Kind != watcher.KindFile {
		return k.Derived == e.Derived && k.Blocks == store.BlocksFile{}
	}
	shown := blocksFile(e.Blocks)
	shown.Hash = k.Blocks.Hash
	return k.Blocks == shown && shown.ModTime < k.ReadAt-racy
}

// attach finds the blocks in the text.
func (o *outcome) attach(d *chunker.Document, list []byte) {
	if list == nil {
		return
	}
	blocks, problems := chunker.ReadBlocks(list)
	for _, p := range problems {
		o.problems = append(o.problems, store.Problem{Stage: stages[p.Stage], Reason: p.Reason})
	}
	if len(blocks) > 0 {
		o.prepared.Boxes = chunker.Locate(d, blocks)
	}
}
