package indexer

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"path"
	"strings"

	"shelfd/chunker"
	"shelfd/internal/text"
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
	if e.Blocks == (watcher.Stat{}) {
		return nil
	}
	o.file.Blocks = blocksFile(e.Blocks)
	if e.Blocks.Kind != watcher.KindFile {
		o.blocksProblem("it is " + kindOf(e.Blocks.Kind) + ", not a list of blocks; the text stays, without boxes")
		return nil
	}
	read, err := readFile(j.folder, blocksPath(e.Path), blocksTimes*j.limit)
	if errors.Is(err, fs.ErrNotExist) {
		o.file.Blocks = store.BlocksFile{} // gone since it was listed
		return nil
	}
	if err != nil {
		o.blocksProblem("the list of blocks cannot be read (" + err.Error() + "); the text stays, without boxes")
		return nil
	}
	o.file.Blocks = blocksFile(read.stat)
	o.file.Blocks.Hash = sha256.Sum256(read.bytes)
	return read.bytes
}

// blocksPath is where the list of blocks of a derived document stands.
func blocksPath(document string) string { return strings.TrimSuffix(document, ".md") + blocksExt }

// kindOf names what is no file. A link is none: nothing at its own place tells when what it leads to changes.
func kindOf(k watcher.Kind) string {
	switch k {
	case watcher.KindFolder:
		return "a folder"
	case watcher.KindLink:
		return "a link"
	}
	return "a special file"
}

// blocksProblem notes what is wrong with the list under the name of the list, which stands beside the document.
func (o *outcome) blocksProblem(reason string) {
	name := text.Path(path.Base(blocksPath(o.file.File)))
	o.problems = append(o.problems, store.Problem{Stage: stages[chunker.StageBlocks], Reason: name + ": " + reason})
}

func blocksFile(st watcher.Stat) store.BlocksFile {
	return store.BlocksFile{Size: st.Size, ModTime: st.ModTime, ChangeTime: st.ChangeTime, Inode: st.Inode}
}

// unread says whether there is a list that could not be read.
func unread(b store.BlocksFile) bool { return b.Hash == [32]byte{} && b != store.BlocksFile{} }

// sameSource says whether a document was made with the same source beside it and the same list of blocks.
func sameSource(k, f store.File) bool {
	return k.Derived == f.Derived && k.Blocks.Hash == f.Blocks.Hash && unread(k.Blocks) == unread(f.Blocks)
}

// sameCompanions says whether an entry shows the source and the list of blocks that were read. A list that could not be
// is tried at every look, like a text; one that is larger than a limit which was lowered since counts as changed.
func sameCompanions(k store.File, e watcher.Entry, limit int64) bool {
	if k.Derived != e.Derived || e.Blocks == (watcher.Stat{}) {
		return k.Derived == e.Derived && k.Blocks == store.BlocksFile{}
	}
	shown := blocksFile(e.Blocks)
	shown.Hash = k.Blocks.Hash
	readable := e.Blocks.Kind == watcher.KindFile && e.Blocks.Size <= blocksTimes*limit
	return k.Blocks == shown && shown.ModTime < k.ReadAt-racy && readable != unread(k.Blocks)
}

// attach finds the blocks in the text.
func (o *outcome) attach(d *chunker.Document, list []byte) {
	if list == nil {
		return
	}
	blocks, problems := chunker.ReadBlocks(list)
	for _, p := range problems {
		o.blocksProblem(p.Reason)
	}
	if len(blocks) > 0 {
		o.prepared.Boxes = chunker.Locate(d, blocks)
	}
}
