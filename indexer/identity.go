package indexer

import (
	"slices"
	"time"

	"shelfd/store"
)

// recent remembers documents that vanished or appeared a moment ago, so that a move whose two halves come in different
// batches keeps its id.
type recent struct {
	gone []passing
	made []passing
}

// passing is a document that was deleted or made a moment ago.
type passing struct {
	shelf string
	file  store.File
	path  string // doc_path
	at    time.Time
}

func (m *recent) forget(now time.Time) {
	old := func(p passing) bool { return now.Sub(p.at) > identityWindow }
	m.gone, m.made = slices.DeleteFunc(m.gone, old), slices.DeleteFunc(m.made, old)
}

// take finds the one document of the list that f can have been: by inode and content, else by content alone if that is
// unique; and removes it from the list.
func take(list []passing, f store.File) (passing, []passing, bool) {
	found := -1
	for i, p := range list {
		if p.file.Hash != f.Hash {
			continue
		}
		if p.file.Inode == f.Inode && p.file.Device == f.Device {
			return p, slices.Delete(list, i, i+1), true
		}
		if found >= 0 {
			return passing{}, list, false
		}
		found = i
	}
	if found < 0 {
		return passing{}, list, false
	}
	return list[found], slices.Delete(list, found, found+1), true
}

type inode struct{ device, number uint64 }

// movedByInode pairs what is gone with new files of the same inode, size and time: document → new path. An inode
// alone proves nothing, since a file system hands the number of a deleted file to the next one made.
func movedByInode(p Plan) map[int64]string {
	moved := map[int64]string{}
	if len(p.Gone) == 0 {
		return moved
	}
	gone := map[inode]store.File{}
	for _, g := range p.Gone {
		gone[inode{g.Device, g.Inode}] = g
	}
	for _, c := range p.Read {
		g, ok := gone[inode{c.Entry.Device, c.Entry.Inode}]
		if _, taken := moved[g.Document]; ok && !taken && c.Known == nil && g.Size == c.Entry.Size && g.ModTime == c.Entry.ModTime {
			moved[g.Document] = c.Entry.Path
		}
	}
	return moved
}

// identify gives new files the ids of documents that are gone: by inode, by inode and likeness, by content where that
// is unique on both sides, among this batch and the last two seconds. It returns what is gone indeed.
func (r *run) identify(v *store.View, s *shelf, outcomes []outcome, gone []store.File) (ids map[int]int64, left []store.File, err error) {
	ids = map[int]int64{}
	taken := map[int64]bool{}
	claim := func(i int, g store.File) { ids[i], taken[g.Document] = g.Document, true }
	byInode, byHash := map[inode]store.File{}, map[[32]byte][]store.File{}
	for _, g := range gone {
		byInode[inode{g.Device, g.Inode}] = g
		byHash[g.Hash] = append(byHash[g.Hash], g)
	}
	fresh := map[[32]byte]int{}
	for i, o := range outcomes {
		if o.prepared == nil || o.change.Known != nil {
			continue
		}
		fresh[o.file.Hash]++
		g, ok := byInode[inode{o.file.Device, o.file.Inode}]
		if !ok || taken[g.Document] {
			continue
		}
		alike := g.Hash == o.file.Hash
		if !alike {
			if alike, err = resembles(v, g.Document, o); err != nil {
				return nil, nil, err
			}
		}
		if alike {
			claim(i, g)
		}
	}
	for i, o := range outcomes {
		if _, done := ids[i]; done || o.prepared == nil || o.change.Known != nil {
			continue
		}
		if list := byHash[o.file.Hash]; len(list) == 1 && fresh[o.file.Hash] == 1 && !taken[list[0].Document] {
			claim(i, list[0])
		}
	}
	for _, g := range gone {
		if !taken[g.Document] {
			left = append(left, g)
		}
	}
	return ids, left, nil
}

// resembles says whether a new file says something that a document said: the same title, or one chunk the same.
func resembles(v *store.View, document int64, o outcome) (bool, error) {
	d, err := v.DocumentByID(document)
	if err != nil {
		return false, err
	}
	if d.Title == o.prepared.Document.Title {
		return true, nil
	}
	chunks, err := v.Chunks(document)
	if err != nil {
		return false, err
	}
	hashes := map[uint64]bool{}
	for _, c := range chunks {
		hashes[c.Key.Hash] = true
	}
	for _, c := range o.prepared.Document.Chunks {
		if hashes[c.Key.Hash] {
			return true, nil
		}
	}
	return false, nil
}
