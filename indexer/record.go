package indexer

import (
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"shelfd/chunker"
	"shelfd/internal/text"
	"shelfd/store"
	"shelfd/watcher"
)

// record writes what a look says of the shelf itself: folders that could not be read, the reconcile, the state.
func (w *writing) record(tx *store.Tx, outcomes []outcome) error {
	if err := tx.SetSecondLooks(w.shelf.id, len(w.shelf.looks)); err != nil {
		return err
	}
	w.shelf.looksWritten = len(w.shelf.looks)
	if w.listing == nil {
		return nil
	}
	if err := w.recordFaults(tx, outcomes); err != nil {
		return err
	}
	if w.listing.Under == nil && w.shelf.waiting == 0 {
		return w.run.recordReconciled(tx, w.shelf)
	}
	return nil
}

// recordFaults stores what could not be looked at, and clears what can be again.
func (w *writing) recordFaults(tx *store.Tx, outcomes []outcome) error {
	standing := map[string]bool{}
	for _, o := range outcomes {
		standing[o.change.Entry.Path] = true
	}
	for _, e := range w.listing.Entries {
		standing[e.Path] = true
	}
	for _, f := range w.listing.Faults {
		standing[f.Path] = true
		if err := w.setProblem(tx, f.Path, stages[chunker.StageRead], f.Err.Error()); err != nil {
			return err
		}
	}
	for _, f := range w.listing.Skipped {
		standing[f.Path] = true
		if err := w.setProblem(tx, f.Path, "special", f.Err.Error()); err != nil {
			return err
		}
	}
	files, err := tx.ProblemFiles(w.shelf.id)
	if err != nil {
		return err
	}
	w.shelf.problems = len(files) > 0
	for _, file := range files {
		if standing[file] || !w.lookedAt(file) || w.hidden(file) {
			continue
		}
		if err := tx.SetProblems(w.shelf.id, file, "", nil); err != nil {
			return err
		}
	}
	return nil
}

func (w *writing) setProblem(tx *store.Tx, file, stage, reason string) error {
	w.shelf.problems = true
	return tx.SetProblems(w.shelf.id, file, w.shelf.docPath(file), []store.Problem{{Stage: stage, Reason: reason}})
}

// lookedAt says whether the look covered a path.
func (w *writing) lookedAt(file string) bool {
	if w.listing.Under == nil {
		return true
	}
	for _, under := range w.listing.Under {
		if below(file, under) {
			return true
		}
	}
	return false
}

// hidden says whether a path lies below one that could not be read.
func (w *writing) hidden(file string) bool {
	for _, f := range w.listing.Faults {
		if f.Path != file && below(file, f.Path) {
			return true
		}
	}
	return false
}

// recordReconciled notes that the whole shelf was compared.
func (r *run) recordReconciled(tx *store.Tx, s *shelf) error {
	s.reconciled, r.returning = true, true
	if err := tx.SetReconciled(s.id, s.lookedAtDevice); err != nil {
		return err
	}
	state, reason := r.state(s)
	return tx.SetShelfState(s.id, state, reason)
}

// docPath is the path under which a file is shown: NFC, odd bytes as %XX, and a number where two come to one.
func (s *shelf) docPath(file string) string {
	if shown, ok := s.collisions[file]; ok {
		return shown
	}
	if isPlain(file) {
		return s.Name + "/" + file
	}
	return s.Name + "/" + text.Path(file)
}

// isPlain says whether a path is ASCII and so its own normal form.
func isPlain(path string) bool {
	for i := range len(path) {
		if path[i] >= 0x80 {
			return false
		}
	}
	return true
}

// collide works out which files come to one path: the bytewise smaller keeps it, the others get ~2, ~3 before the
// extension. It returns the files whose shown path is another than before.
func (s *shelf) collide(entries []watcher.Entry) (moved map[string]bool) {
	groups := map[string][]string{}
	for _, e := range entries {
		if !isPlain(e.Path) {
			shown := text.Path(e.Path)
			groups[shown] = append(groups[shown], e.Path)
		}
	}
	collisions := map[string]string{}
	for shown, group := range groups {
		if isPlain(shown) && hasEntry(entries, shown) { // %XX for odd bytes can spell a name that is there
			group = append(group, shown)
		}
		if len(group) < 2 {
			continue
		}
		sort.Strings(group)
		for i, file := range group {
			collisions[file] = s.Name + "/" + numbered(shown, i+1)
		}
	}
	moved = map[string]bool{}
	for file, shown := range collisions {
		if before, ok := s.collisions[file]; ok && before != shown || !ok && shown != s.Name+"/"+text.Path(file) {
			moved[file] = true
		}
	}
	for file, before := range s.collisions {
		if _, still := collisions[file]; !still && before != s.Name+"/"+text.Path(file) {
			moved[file] = true
		}
	}
	s.collisions = collisions
	return moved
}

func hasEntry(entries []watcher.Entry, path string) bool {
	_, found := slices.BinarySearchFunc(entries, path, func(e watcher.Entry, p string) int { return strings.Compare(e.Path, p) })
	return found
}

// numbered is a path with ~n before its extension; the first keeps its name.
func numbered(shown string, n int) string {
	if n == 1 {
		return shown
	}
	ext := path.Ext(shown)
	return strings.TrimSuffix(shown, ext) + "~" + strconv.Itoa(n) + ext
}

// touchesCollision says whether files may come to one path with others: then the whole shelf must be looked at.
func (s *shelf) touchesCollision(entries []watcher.Entry) bool {
	for _, e := range entries {
		if !isPlain(e.Path) && text.Path(e.Path) != e.Path {
			return true
		}
	}
	return len(s.collisions) > 0
}
