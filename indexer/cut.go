package indexer

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"syscall"
	"time"
	"unicode/utf8"

	"shelfd/chunker"
	"shelfd/correlate"
	"shelfd/internal/text"
	"shelfd/store"
)

// outcome is what came of reading one file.
type outcome struct {
	change   Change
	file     store.File      // what was read; Hash is set when it was read
	prepared *store.Prepared // nil when equal, vanished or unreadable
	names    []store.Name    // in links
	citable  []string        // in running text
	gist     string          // summary in its own words, where that is wanted
	links    []chunker.Link
	problems []store.Problem
	vanished bool  // not there any more, or no file: the next look tells what is
	failed   error // could not be read; what is known stays
	tooLarge bool  // not to be kept: larger than max_file_size
	started  time.Time
}

// job is one file to be read, and the name it will have.
type job struct {
	shelf   *shelf // the owner's; readers leave it alone
	folder  Folder
	change  Change
	limit   int64 // max_file_size
	name    string
	docPath string
	number  int

	extractive bool
}

func (s *shelf) job(folder Folder, c Change) job {
	return job{s, folder, c, s.maxFileSize(), s.Name, s.docPath(c.Entry.Path), s.number(c.Entry.Path), s.extractive}
}

func (s *shelf) jobs(folder Folder, changes []Change) []job {
	jobs := make([]job, len(changes))
	for i, c := range changes {
		jobs[i] = s.job(folder, c)
	}
	return jobs
}

// cutFile reads one file and does everything that needs no transaction. It is safe to run in parallel.
func cutFile(j job) outcome {
	c := j.change
	o := outcome{change: c, started: time.Now()}
	read, err := readFile(j.folder, c.Entry.Path, j.limit)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, errSpecial):
		o.vanished = true
		return o
	case errors.Is(err, errTooLarge):
		o.tooLarge = true
		o.problems = []store.Problem{{Stage: stages[chunker.StageSize], Reason: err.Error() + "; raise max_file_size or exclude it"}}
		return o
	case err != nil:
		o.failed = err
		o.problems = []store.Problem{{Stage: stages[chunker.StageRead], Reason: err.Error()}}
		return o
	}
	o.file = store.File{
		File: c.Entry.Path, Size: read.stat.Size, ModTime: read.stat.ModTime, ChangeTime: read.stat.ChangeTime, Inode: read.stat.Inode,
		Device: read.stat.Device, ReadAt: read.readAt, Hash: sha256.Sum256(read.bytes), Version: cutVersion(j.extractive), Number: j.number,
	}
	blocks := o.readBlocks(j)
	if k := c.Known; k != nil && k.Hash == o.file.Hash && k.Version == store.ContentVersion && sameSource(*k, o.file) && len(o.problems) == 0 {
		o.file.Document = k.Document
		return o
	}
	o.cut(j, read.bytes, blocks)
	return o
}

// cut parses the bytes and prepares the rows.
func (o *outcome) cut(j job, bytes, blocks []byte) {
	path, docPath := o.file.File, j.docPath
	d := chunker.Parse(text.Path(path), bytes, chunker.Options{})
	headings, anchors := make([]string, 0, len(d.Nodes)), make([]string, 0, len(d.Nodes))
	for _, n := range d.Nodes {
		if n.Level > 0 {
			headings, anchors = append(headings, n.Title), append(anchors, n.Anchor)
		}
	}
	features := correlate.Extract(correlate.Source{
		Path: text.Path(path), Title: d.Title, Aliases: d.Aliases, Tags: d.Tags, Headings: headings, Anchors: anchors,
		Body: d.Text[d.Body.Start:d.Body.End],
	})
	o.prepared = store.Prepare(j.name, docPath, d, features.Append(nil))
	o.names, o.citable, o.links = store.LinkNames(docPath, d.Title, d.Aliases), features.Names, d.Links
	o.attach(d, blocks)
	if o.file.Version == cutVersion(true) {
		o.gist = chunker.Gist(d)
	}
	for _, p := range d.Problems {
		o.problems = append(o.problems, store.Problem{Stage: stages[p.Stage], Line: p.Line, Reason: p.Reason})
	}
	switch {
	case j.number > 1:
		o.problems = append(o.problems, store.Problem{Stage: stages[chunker.StageName], Reason: "another file comes to the same path; this one is shown with a number"})
	case !utf8.ValidString(path):
		o.problems = append(o.problems, store.Problem{Stage: stages[chunker.StageName], Reason: "the file name is not UTF-8; its odd bytes are shown as %XX"})
	}
}

// stages are the written forms of the stages of reading.
var stages = map[chunker.Stage]string{
	chunker.StageRead: "read", chunker.StageSize: "size", chunker.StageDecode: "decode",
	chunker.StageFrontMatter: "frontmatter", chunker.StageParse: "parse", chunker.StageName: "name", chunker.StageBlocks: "blocks",
}
