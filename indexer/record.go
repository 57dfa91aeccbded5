package indexer

import (
	"errors"

	"shelfd/chunker"
	"shelfd/store"
)

// stageSpecial is the stage of problems with what is no plain file or folder.
const stageSpecial = "special"

var stageRead = stages[chunker.StageRead]

// textStages are those of problems that go with their document. What the disk said of the path stays: the same look
// may have said it that found the document gone.
func textStages() []string {
	return []string{
		stages[chunker.StageSize], stages[chunker.StageDecode], stages[chunker.StageFrontMatter], stages[chunker.StageParse],
		stages[chunker.StageName], stages[chunker.StageBlocks],
	}
}

// record writes what a look says of the shelf itself: folders that could not be read, the reconcile, the state.
func (w *writing) record(tx *store.Tx) error {
	s := w.shelf
	if err := tx.SetSecondLooks(s.id, len(s.looks)); err != nil {
		return err
	}
	s.looksWritten = len(s.looks)
	if w.listing != nil {
		if err := w.recordFaults(tx); err != nil {
			return err
		}
	}
	if s.complete() {
		if err := tx.SetReconciled(s.id, s.lookedAtDevice); err != nil {
			return err
		}
	}
	state, reason := w.stateAfter(s)
	return tx.SetShelfState(s.id, state, reason)
}

// stateAfter is the state of a shelf when the transaction under way has ended.
func (r *run) stateAfter(s *shelf) (store.ShelfState, string) {
	after := *s
	after.reconciled = s.reconciled || s.complete()
	return r.state(&after)
}

// recordFaults stores what could not be looked at, and clears what can be again.
func (w *writing) recordFaults(tx *store.Tx) error {
	s := w.shelf
	faulty := map[string]bool{}
	for _, f := range w.listing.Faults {
		faulty[f.Path] = true
		if err := w.addProblem(tx, f.Path, stageRead, f.Err, stageSpecial); err != nil {
			return err
		}
	}
	for _, f := range w.listing.Skipped {
		faulty[f.Path] = true
		if err := w.addProblem(tx, f.Path, stageSpecial, f.Err, append(textStages(), stageRead)...); err != nil { // no document stands there
			return err
		}
	}
	if !s.problems {
		return nil
	}
	for _, o := range w.outcomes {
		faulty[o.change.Entry.Path] = true // what is known of it was written with it
	}
	under := w.listing.Under
	if under == nil {
		under = []string{""}
	}
	for _, path := range under {
		files, err := tx.ProblemFiles(s.id, path)
		if err != nil {
			return err
		}
		if path == "" {
			s.problems = len(files) > 0
		}
		for _, file := range files {
			if !faulty[file] && !hidden(file, w.listing.Faults) {
				if err := w.clearProblems(tx, file); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// clearProblems removes those of a file that could be looked at: all when it is not there, those of looking when it is.
func (w *writing) clearProblems(tx *store.Tx, file string) error {
	if hasEntry(w.listing.Entries, file) {
		return tx.ClearProblems(w.shelf.id, file, stageRead, stageSpecial)
	}
	return tx.SetProblems(w.shelf.id, file, "", nil)
}

// addProblem stores why a path could not be looked at, in place of what was said about it in other stages.
func (w *writing) addProblem(tx *store.Tx, file, stage string, reason error, others ...string) error {
	s := w.shelf
	s.problems = true
	return errors.Join(tx.ClearProblems(s.id, file, others...),
		tx.AddProblems(s.id, file, s.docPath(file), []store.Problem{{Stage: stage, Reason: reason.Error()}}))
}
