package correlate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// binaryVersion begins the binary form of Features. History:
//
//	1: first.
//	2: Echo and Said.
const binaryVersion = 2

var errTruncated = errors.New("truncated")

// Append appends the compact binary form of f to b: a version byte, four lists of 8-byte hashes, the echo, folder,
// names, each before a byte that is 1 when it is said; each list and string behind its length as a varint.
func (f Features) Append(b []byte) []byte {
	b = append(b, binaryVersion)
	for _, hashes := range [...][]uint64{f.Title, f.Headings, f.Tags, f.Keywords} {
		b = binary.AppendUvarint(b, uint64(len(hashes)))
		for _, h := range hashes {
			b = binary.LittleEndian.AppendUint64(b, h)
		}
	}
	b = binary.LittleEndian.AppendUint64(b, f.Echo)
	b = appendString(b, f.Folder)
	b = binary.AppendUvarint(b, uint64(len(f.Names)))
	for _, name := range f.Names {
		b = append(appendString(b, name), byte(one(slices.Contains(f.Said, name))))
	}
	return b
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// Decode reads what Append wrote.
func Decode(b []byte) (Features, error) {
	if len(b) == 0 || b[0] != binaryVersion {
		return Features{}, fmt.Errorf("correlate: decode features of %d bytes: not version %d", len(b), binaryVersion)
	}
	d := decoder{rest: b[1:]}
	f := Features{Title: d.hashes(), Headings: d.hashes(), Tags: d.hashes(), Keywords: d.hashes(), Echo: d.hash(), Folder: d.string()}
	for n := d.length(2); n > 0; n-- {
		f.Names = append(f.Names, d.string())
		if d.flag() {
			f.Said = append(f.Said, f.Names[len(f.Names)-1])
		}
	}
	if d.err == nil && len(d.rest) > 0 {
		d.err = fmt.Errorf("%d bytes too many", len(d.rest))
	}
	if d.err != nil {
		return Features{}, fmt.Errorf("correlate: decode features of %d bytes: %w", len(b), d.err)
	}
	return f, nil
}

// decoder takes values off the front of rest; after an error it returns zero values.
type decoder struct {
	rest []byte
	err  error
}

// length reads a count of things that take size bytes each at least, so that no damage makes it allocate much.
func (d *decoder) length(size int) int {
	n, read := binary.Uvarint(d.rest)
	if d.err != nil || read <= 0 || n > uint64((len(d.rest)-read)/size) {
		d.err, d.rest = errTruncated, nil
		return 0
	}
	d.rest = d.rest[read:]
	return int(n)
}

func (d *decoder) hashes() []uint64 {
	n := d.length(8)
	if n == 0 {
		return nil
	}
	all := make([]uint64, n)
	for i := range all {
		all[i] = binary.LittleEndian.Uint64(d.rest[8*i:])
	}
	d.rest = d.rest[8*n:]
	return all
}

func (d *decoder) hash() (h uint64) {
	if b := d.take(8); b != nil {
		h = binary.LittleEndian.Uint64(b)
	}
	return h
}

func (d *decoder) flag() bool {
	b := d.take(1)
	return b != nil && b[0] != 0
}

// take is the next n bytes, nil when there are fewer.
func (d *decoder) take(n int) []byte {
	if d.err != nil || len(d.rest) < n {
		d.err, d.rest = errTruncated, nil
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) string() string {
	n := d.length(1)
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}
