package chunker

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	byteOrderMark = "\uFEFF"
	// binaryWindow is how far a NUL byte is taken as the sign of a binary file. Text never holds one; the first
	// block of an archive, an image or a database always does.
	binaryWindow = 8 << 10
)

// decode returns src as valid UTF-8. Valid UTF-8 comes back byte for byte; everything else with a Problem that says
// what was done. A binary file has no text.
func decode(src []byte) (string, []Problem) {
	text, problems := string(src), []Problem(nil)
	if order := utf16Order(src); order != nil {
		text = decodeUTF16(src[2:], order)
		problems = append(problems, Problem{Stage: StageDecode, Reason: "the file is UTF-16; it was decoded to UTF-8"})
	}
	if strings.IndexByte(text[:min(len(text), binaryWindow)], 0) >= 0 {
		return "", []Problem{{Stage: StageDecode, Reason: "NUL bytes in the first 8 KiB: a binary file, not read"}}
	}
	if at := firstInvalid(text); at >= 0 {
		line := strings.Count(text[:at], "\n") + 1
		text = strings.ToValidUTF8(text, string(utf8.RuneError))
		problems = append(problems, Problem{StageDecode, "not UTF-8; invalid bytes are shown as U+FFFD", line})
	}
	if n := strings.Count(text, "\x00"); n > 0 {
		text = strings.ReplaceAll(text, "\x00", string(utf8.RuneError))
		problems = append(problems, Problem{Stage: StageDecode, Reason: fmt.Sprintf("%d NUL bytes are shown as U+FFFD", n)})
	}
	return text, problems
}

func utf16Order(src []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(src, []byte{0xFF, 0xFE}):
		return binary.LittleEndian
	case bytes.HasPrefix(src, []byte{0xFE, 0xFF}):
		return binary.BigEndian
	}
	return nil
}

func decodeUTF16(src []byte, order binary.ByteOrder) string {
	units := make([]uint16, 0, (len(src)+1)/2)
	for ; len(src) >= 2; src = src[2:] {
		units = append(units, order.Uint16(src))
	}
	if len(src) == 1 { // half a character at the end
		units = append(units, uint16(utf8.RuneError))
	}
	return string(utf16.Decode(units))
}

// firstInvalid is the offset of the first byte that is not UTF-8, -1 when there is none.
func firstInvalid(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i := 0; ; {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
}
