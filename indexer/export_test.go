package indexer

import "time"

// Pace makes an Indexer that does not run yet hand more than few files to the bulk readers, so that small libraries
// exercise them, and take the second look at a mass deletion so much later.
func (x *Indexer) Pace(few int, deletionLook time.Duration) {
	x.few, x.deletionLook = few, deletionLook
}

// Rest makes an Indexer that does not run yet inspect the database after so long without work.
func (x *Indexer) Rest(after time.Duration) { x.rest = after }

// Remember makes an Indexer that does not run yet find the other half of a move for so long.
func (x *Indexer) Remember(moves time.Duration) { x.identityWindow = moves }

// CallSlow makes an Indexer that does not run yet call a listing slow after so long.
func (x *Indexer) CallSlow(after time.Duration) { x.slow = after }

// SystemDisk is the disk as the operating system shows it, for tests that put faults between.
func SystemDisk() Disk { return systemDisk{} }
