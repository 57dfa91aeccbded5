package vector

import "golang.org/x/sys/cpu"

// dotAVX2 is dot for the first n components, a multiple of 32 and at least that.
//
//go:noescape
func dotAVX2(a, b *int8, n int) int32

func dot(a, b []int8) int32 {
	n := len(a) &^ 31
	if n == 0 || !cpu.X86.HasAVX2 {
		return plainDot(a, b)
	}
	_ = b[len(a)-1]
	return dotAVX2(&a[0], &b[0], n) + plainDot(a[n:], b[n:])
}
