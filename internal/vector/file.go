package vector

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The file is a head and records of one length, little endian:
//
//	head, 256 bytes: magic, components uint32, checksum uint32 of what follows, length uint16 and name of the model
//	record: key uint64, scale float32, checksum uint32 of all else in it, a byte a component, padded to 8 bytes
//
// Records are appended and never changed. One that is not whole ends the file: what stands behind it counts as lost and
// is made again.
const (
	magic      = "shelfdv1"
	headBytes  = 256
	recordHead = 16
	// remapFrom is how many bytes of records wait in memory before the file is mapped anew.
	remapFrom = 1 << 20
	// mostDims bounds what a head may claim; models have a few thousand components.
	mostDims = 1 << 16
)

// file is the records of a set: those that were there when it was mapped, and those that came since.
type file struct {
	*os.File
	stride int
	mapped []byte // head and records
	tail   []byte // records behind them
}

func strideOf(dims int) int { return (recordHead + dims + 7) &^ 7 }

func (f *file) record(slot int) []byte {
	start := headBytes + slot*f.stride
	if start < len(f.mapped) {
		return f.mapped[start : start+f.stride]
	}
	start -= max(len(f.mapped), headBytes)
	return f.tail[start : start+f.stride]
}

func (f *file) close() error {
	if f.File == nil {
		return nil
	}
	err := errors.Join(f.unmap(), f.File.Close())
	*f = file{}
	return err
}

func (f *file) unmap() error {
	if f.mapped == nil {
		return nil
	}
	mapped := f.mapped
	f.mapped = nil
	return unix.Munmap(mapped)
}

// remap maps the first size bytes of the file. The pages are the kernel's: they count as memory only while it has some
// to spare.
func (f *file) remap(size int) error {
	mapped, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return err // the mapping before and the tail still hold everything
	}
	err = f.unmap()
	f.mapped, f.tail = mapped, nil
	return err
}

// load reads the file at the path, if it is one of this model.
func (s *Set) load() error {
	flag := os.O_RDWR
	if s.readOnly {
		flag = os.O_RDONLY
	}
	f, err := os.OpenFile(s.path, flag, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("vector: open %q: %w", s.path, err)
	}
	s.file.File = f
	stat, err := f.Stat()
	if err != nil {
		return fmt.Errorf("vector: open %q: %w", s.path, err)
	}
	if stat.Size() < headBytes {
		return s.file.close()
	}
	if err := s.file.remap(int(stat.Size())); err != nil {
		return fmt.Errorf("vector: map %q: %w", s.path, err)
	}
	model, dims, ok := readHead(s.file.mapped)
	if !ok || model != named(s.model) {
		return s.file.close()
	}
	s.dims, s.file.stride = dims, strideOf(dims)
	return s.index(int(stat.Size()))
}

// index notes the keys of all whole records and cuts off what is behind them.
func (s *Set) index(size int) error {
	n := 0
	for ; headBytes+(n+1)*s.file.stride <= size; n++ {
		record := s.file.record(n)
		if binary.LittleEndian.Uint32(record[12:]) != checksum(record) {
			break
		}
		key := binary.LittleEndian.Uint64(record)
		s.slots[key] = int32(n)
		s.keys = append(s.keys, key)
	}
	whole := headBytes + n*s.file.stride
	if whole == size || s.readOnly {
		return nil
	}
	if err := s.file.Truncate(int64(whole)); err != nil {
		return fmt.Errorf("vector: cut %q: %w", s.path, err)
	}
	return s.file.remap(whole)
}

// write appends records, to a new file when there is none of this model.
func (s *Set) write(dims int, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	if s.readOnly {
		return fmt.Errorf("vector: write %q: it was opened for reading", s.path)
	}
	if s.file.File == nil {
		if err := s.create(dims); err != nil {
			return err
		}
	}
	records := make([]byte, 0, len(entries)*s.file.stride)
	for _, e := range entries {
		records = appendRecord(records, e, s.file.stride)
	}
	size := headBytes + len(s.keys)*s.file.stride
	if _, err := s.file.WriteAt(records, int64(size)); err != nil {
		_ = s.file.Truncate(int64(size)) // What was written in part is cut off with the next opening otherwise.
		return fmt.Errorf("vector: write %q: %w", s.path, err)
	}
	s.file.tail = append(s.file.tail, records...)
	if len(s.file.tail) < remapFrom {
		return nil
	}
	if err := s.file.remap(size + len(records)); err != nil {
		s.file.tail = s.file.tail[:max(0, len(s.file.tail)-len(records))] // they count as not written
		return fmt.Errorf("vector: map %q: %w", s.path, err)
	}
	return nil
}

// create makes the file anew. One that stands there is put out of the way, not cut: others may have it mapped.
func (s *Set) create(dims int) error {
	if dims < 1 || dims > mostDims {
		return fmt.Errorf("vector: create %q: %d components", s.path, dims)
	}
	if err := os.Remove(s.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("vector: create %q: %w", s.path, err)
	}
	f, err := newFile(s.path, s.model, dims)
	if err != nil {
		return err
	}
	s.file = file{File: f, stride: strideOf(dims)}
	return nil
}

func newFile(path, model string, dims int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("vector: create %q: %w", path, err)
	}
	if _, err := f.Write(head(model, dims)); err != nil {
		f.Close()
		return nil, fmt.Errorf("vector: create %q: %w", path, err)
	}
	return f, nil
}

// Reset throws all vectors away; those to come are of model.
func (s *Set) Reset(model string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.model, s.dims, s.slots, s.keys = model, 0, map[uint64]int32{}, nil
	s.epoch++
	if err := s.file.close(); err != nil {
		return fmt.Errorf("vector: close %q: %w", s.path, err)
	}
	if err := os.Remove(s.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("vector: remove %q: %w", s.path, err)
	}
	return nil
}

// Keep throws away the vectors that keep does not want, by a new file in the place of the old one. It is not to be
// called beside Add, Reset and Close.
func (s *Set) Keep(keep func(key uint64) bool) error {
	beside := s.path + ".new"
	shorter, err := s.copyTo(beside, keep)
	if err != nil || shorter == nil {
		return err
	}
	return s.become(shorter)
}

// become takes over the file and the places of a set beside.
func (s *Set) become(next *Set) error {
	if err := errors.Join(next.file.Sync(), os.Rename(next.path, s.path)); err != nil {
		next.file.close()
		return fmt.Errorf("vector: replace %q: %w", s.path, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.file
	if s.model != next.model {
		s.epoch++
	}
	s.model, s.file, s.dims, s.slots, s.keys = next.model, next.file, next.dims, next.slots, next.keys
	return old.close()
}

// addedAtOnce is how many vectors of many are written together.
const addedAtOnce = 1024

// Replace puts the vectors of another model in the place of all there are. Until it has them all the old ones are found,
// and they stay when it fails. There is one entry at least. It is not to be called beside Add, Reset, Keep and Close.
func (s *Set) Replace(model string, entries []Entry) error {
	next := &Set{path: s.path + ".new", model: model, slots: map[uint64]int32{}}
	for some := range slices.Chunk(entries, addedAtOnce) {
		if err := next.Add(some); err != nil {
			next.file.close()
			return fmt.Errorf("vector: replace %q: %w", s.path, err)
		}
	}
	return s.become(next)
}

// copyTo is a set of the vectors that are wanted, in a file of its own; nil when there are none at all.
func (s *Set) copyTo(path string, keep func(key uint64) bool) (*Set, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.dims == 0 {
		return nil, nil
	}
	f, err := newFile(path, s.model, s.dims)
	if err != nil {
		return nil, err
	}
	c := &Set{path: path, model: s.model, dims: s.dims, slots: map[uint64]int32{}, file: file{File: f, stride: s.file.stride}}
	entries := make([]Entry, 0, addedAtOnce)
	for i, key := range s.keys {
		if keep(key) {
			entries = append(entries, Entry{key, s.at(i)})
		}
		if len(entries) == addedAtOnce || i == len(s.keys)-1 {
			if err := c.Add(entries); err != nil {
				c.file.close()
				return nil, err
			}
			entries = entries[:0]
		}
	}
	return c, nil
}

// Close lets go of the file, which then holds all that was added.
func (s *Set) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if s.file.File != nil && !s.readOnly {
		err = s.file.Sync()
	}
	s.dims, s.slots, s.keys = 0, map[uint64]int32{}, nil
	return errors.Join(err, s.file.close())
}

// named is the name of a model as it fits into a head.
func named(model string) string {
	if len(model) <= 128 {
		return model
	}
	sum := sha256.Sum256([]byte(model))
	return hex.EncodeToString(sum[:])
}

func head(model string, dims int) []byte {
	b := make([]byte, headBytes)
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[8:], uint32(dims))
	name := named(model)
	binary.LittleEndian.PutUint16(b[16:], uint16(len(name)))
	copy(b[18:], name)
	binary.LittleEndian.PutUint32(b[12:], crc32.Checksum(b[16:], castagnoli()))
	return b
}

func readHead(b []byte) (model string, dims int, ok bool) {
	dims = int(binary.LittleEndian.Uint32(b[8:]))
	n := int(binary.LittleEndian.Uint16(b[16:]))
	if string(b[:8]) != magic || dims < 1 || dims > mostDims || 18+n > headBytes ||
		binary.LittleEndian.Uint32(b[12:]) != crc32.Checksum(b[16:headBytes], castagnoli()) {
		return "", 0, false
	}
	return string(b[18 : 18+n]), dims, true
}

func appendRecord(to []byte, e Entry, stride int) []byte {
	start := len(to)
	to = append(to, make([]byte, stride)...)
	record := to[start:]
	binary.LittleEndian.PutUint64(record, e.Key)
	binary.LittleEndian.PutUint32(record[8:], math.Float32bits(e.Vector.Scale))
	copy(record[recordHead:], unsafe.Slice((*byte)(unsafe.Pointer(&e.Vector.Steps[0])), len(e.Vector.Steps)))
	binary.LittleEndian.PutUint32(record[12:], checksum(record))
	return to
}

func scaleOf(record []byte) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(record[8:]))
}

// checksum is that of all of a record but the checksum itself.
func checksum(record []byte) uint32 {
	return crc32.Update(crc32.Checksum(record[:12], castagnoli()), castagnoli(), record[recordHead:])
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }
