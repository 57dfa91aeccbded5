package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Op says what a Record of the ledger states.
type Op string

// The statements. Paths are doc_paths; a later statement wins over an earlier one.
const (
	OpShelfAdd     Op = "shelf_add"     // Shelf, Root, Description
	OpShelfRemove  Op = "shelf_remove"  // Shelf
	OpShelfRename  Op = "shelf_rename"  // Shelf, To
	OpParentAdd    Op = "parent_add"    // Shelf, To
	OpParentRemove Op = "parent_remove" // Shelf, To
	OpLinkAdd      Op = "link_add"      // Links: one
	OpLinkRemove   Op = "link_remove"   // Links: one; an empty Relation means every relation
	OpLinksReplace Op = "links_replace" // Source, Links: all that it has from now on
	OpDocumentID   Op = "document_id"   // Source, ID
	OpSummary      Op = "summary"       // Source, Outline: all that is said about it from now on
	OpDocumentMove Op = "document_move" // Moves
	OpDocumentGone Op = "document_gone" // Source, Hash: of its last bytes, by which it is known when it comes back elsewhere
	OpCorrelate    Op = "correlate"     // Shelf or Source, Settings: those given now; the others stay as they were said before
	OpPairsRefuse  Op = "pairs_refuse"  // Source, Targets: no heuristic link from the one to the others, ever
	OpShelfForget  Op = "shelf_forget"  // Shelf: it and all that was said about it and its documents
)

// Record is one statement.
type Record struct {
	Op          Op                `json:"op"`
	At          int64             `json:"at"` // unix nanoseconds
	Shelf       string            `json:"shelf,omitempty"`
	To          string            `json:"to,omitempty"`
	Root        string            `json:"root,omitempty"`
	Description string            `json:"description,omitempty"`
	Source      string            `json:"source,omitempty"`
	ID          int64             `json:"id,omitempty"`
	Links       []ManualLink      `json:"links,omitempty"`
	Outline     *Outline          `json:"outline,omitempty"`
	Moves       map[string]string `json:"moves,omitempty"` // all at once, so that two documents may change places
	Hash        string            `json:"hash,omitempty"`  // SHA-256, hex
	Settings    *Settings         `json:"settings,omitempty"`
	Targets     []string          `json:"targets,omitempty"`
	Sum         string            `json:"sum,omitempty"` // CRC-32 of the line without it; may be absent in a line written by hand
}

// Ledger is the append-only file of everything that cannot be recomputed from the folders.
// Its methods may be called from any goroutine.
type Ledger struct {
	path string

	mu    sync.Mutex
	file  *os.File // nil when read only
	said  *Said
	size  int64     // of what is known to be in the file
	sum   uint32    // CRC-32 of that
	mtime time.Time // of the file when it was written or looked at last
	told  []string  // what befell the file and nobody has asked for yet
	lines int       // statements in the file
	last  int64     // when the last one was made, unix nanoseconds
	newer bool      // some are of a newer program
}

// OpenLedger reads the ledger at path and, unless read only, opens it for appending, making it (0600) when absent.
// What is damaged is named in the warnings: a torn last line is dropped, a damaged line in the middle is moved to
// <path>.damaged, and the rest is used. Read only, the file stays as it is.
func OpenLedger(path string, readOnly bool) (*Ledger, []string, error) {
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("store: read ledger %q: %w", path, err)
	}
	records, damaged, warnings := readRecords(raw)
	l := &Ledger{path: path, said: newSaid(), size: int64(len(raw)), lines: len(records)}
	for _, r := range records {
		l.newer = !l.said.apply(r) || l.newer
		l.last = max(l.last, r.At)
	}
	if readOnly {
		return l, warnings, nil
	}
	if len(damaged) > 0 {
		if err := l.quarantine(records, damaged); err != nil {
			return nil, warnings, err
		}
	}
	if l.file, err = openForAppending(path); err == nil {
		err = l.takeIn()
	}
	if err != nil {
		return nil, warnings, errors.Join(fmt.Errorf("store: open ledger %q: %w", path, err), l.Close())
	}
	if err := l.Compact(); err != nil {
		warnings = append(warnings, fmt.Sprintf("ledger: it stays longer than it need be: %v", err))
	}
	return l, warnings, nil
}

// readRecords parses a ledger. damaged are the lines that could not be used, a torn last one included.
func readRecords(raw []byte) (records []Record, damaged [][]byte, warnings []string) {
	for n := 1; len(raw) > 0; n++ {
		line, rest, complete := bytes.Cut(raw, []byte("\n"))
		raw = rest
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		r, err := readRecord(line)
		switch {
		case err == nil && complete:
			records = append(records, r)
			continue
		case err == nil:
			records = append(records, r)
			damaged = append(damaged, nil) // whole but for its newline: written again, nothing lost
		case !complete:
			warnings = append(warnings, fmt.Sprintf("ledger: line %d is torn (%d bytes) and was dropped: it was never confirmed", n, len(line)))
			damaged = append(damaged, line)
		default:
			warnings = append(warnings, fmt.Sprintf("ledger: line %d is damaged (%v); it was set aside and the rest is used", n, err))
			damaged = append(damaged, line)
		}
	}
	return records, damaged, warnings
}

func readRecord(line []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(line, &r); err != nil {
		return r, err
	}
	if r.Op == "" {
		return r, errors.New(`no "op"`)
	}
	if r.Sum != "" && !sumMatches(bytes.TrimSpace(line), r.Sum) {
		return r, errors.New("its sum does not match")
	}
	r.Sum = ""
	return r, nil
}

// sumMatches says whether sum is that of the line as it stands, but for the sum itself, which is its last member: the
// fields that a newer program wrote count too.
func sumMatches(line []byte, sum string) bool {
	said, ok := bytes.CutSuffix(line, sumMember(sum))
	return ok && lineSum(append(said[:len(said):len(said)], '}')) == sum
}

// sumMember is the end of a line with its sum.
func sumMember(sum string) []byte { return []byte(`,"sum":"` + sum + `"}`) }

func lineSum(line []byte) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE(line)) }

func appendRecord(b []byte, r Record) ([]byte, error) {
	r.Sum = ""
	line, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("store: ledger record: %w", err)
	}
	b = append(b, line[:len(line)-1]...)
	return append(append(b, sumMember(lineSum(line))...), '\n'), nil
}

// quarantine keeps the damaged lines beside the ledger and writes it again without them.
func (l *Ledger) quarantine(records []Record, damaged [][]byte) error {
	aside, err := os.OpenFile(l.path+".damaged", os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("store: set damaged ledger lines aside: %w", err)
	}
	defer aside.Close()
	for _, line := range damaged {
		if line == nil {
			continue
		}
		if _, err := aside.Write(append(line[:len(line):len(line)], '\n')); err != nil {
			return fmt.Errorf("store: set damaged ledger lines aside: %w", err)
		}
	}
	if err := aside.Sync(); err != nil {
		return fmt.Errorf("store: set damaged ledger lines aside: %w", err)
	}
	return l.rewrite(records)
}

// rewrite replaces the file by these records, atomically.
func (l *Ledger) rewrite(records []Record) error {
	b, err := AppendLines(nil, records)
	if err != nil {
		return err
	}
	return l.put(b)
}

// put makes the file hold exactly these bytes, atomically.
func (l *Ledger) put(b []byte) error {
	next := l.path + ".next"
	f, err := os.OpenFile(next, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("store: rewrite ledger: %w", err)
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("store: rewrite ledger: %w", err)
	}
	if err := os.Rename(next, l.path); err != nil {
		return fmt.Errorf("store: rewrite ledger: %w", err)
	}
	return syncFolder(filepath.Dir(l.path))
}

// Append writes records and returns after they are on the disk. A write that fails half way is taken back, so that the
// next one starts on a line of its own. A file that somebody deleted, replaced or cut meanwhile is put back whole first.
func (l *Ledger) Append(records ...Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return fmt.Errorf("store: append to ledger %q: opened read only", l.path)
	}
	for i := range records {
		if records[i].At == 0 {
			records[i].At = time.Now().UnixNano()
		}
	}
	b, err := AppendLines(nil, records)
	if err != nil {
		return err
	}
	if err := l.write(b); err != nil {
		return fmt.Errorf("store: append to ledger %q: %w", l.path, err)
	}
	l.lines += len(records)
	said := l.said.clone() // the one before is in others' hands
	for _, r := range records {
		said.apply(r)
		l.last = max(l.last, r.At)
	}
	l.said = said
	return nil
}

// Said is what the ledger says at present. It is not to be changed: others have it too.
func (l *Ledger) Said() *Said {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said
}

// Path is the file of the ledger.
func (l *Ledger) Path() string { return l.path }

// Close ends appending.
func (l *Ledger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("store: sync folder %q: %w", path, err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("store: sync folder %q: %w", path, err)
	}
	return nil
}
