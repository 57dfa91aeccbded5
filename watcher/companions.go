package watcher

import "strings"

const (
	derivedExt = ".md"          // what the text of a source adds to its name
	blocksExt  = ".blocks.json" // what the list of blocks of a source adds to its name
)

// sourceOf is the path whose text a document would be by its name: "a/report.pdf" for "a/report.pdf.md". Another document
// is nobody's source.
func (f *filter) sourceOf(path string) (string, bool) {
	source, ok := strings.CutSuffix(path, derivedExt)
	if !ok || strings.LastIndexByte(lastName(source), '.') < 1 || f.file(source) {
		return "", false
	}
	return source, true
}

// companions looks for the sources of the documents that are named like the text of one.
func (l *Listing) companions(disk Disk, f *filter, root string) {
	for i := range l.Entries {
		e := &l.Entries[i]
		source, ok := f.sourceOf(e.Path)
		if !ok {
			continue
		}
		st, err := disk.Lstat(join(root, source))
		e.Derived = err == nil && (st.Kind == KindFile || st.Kind == KindLink)
		if st, err := disk.Lstat(join(root, source+blocksExt)); err == nil {
			e.Blocks = st
			e.Derived = true // the source may be kept elsewhere; somebody read its pages
		}
	}
}

// hearCompanion looks at the text of a source when the source comes or goes, and when its list of blocks changes.
func (r *rootWatcher) hearCompanion(above *node, path string, h hint) {
	source, isList := strings.CutSuffix(path, blocksExt)
	if !isList && h.op&structural == 0 {
		return
	}
	document := source + derivedExt
	if of, ok := r.filter.sourceOf(document); !ok || of != source {
		return
	}
	if st, err := r.options.Disk.Lstat(join(above.real, lastName(document))); err == nil && (st.Kind == KindFile || st.Kind == KindLink) {
		r.dirtyFile(above, document, h)
	}
}
