//go:build !amd64

package vector

func dot(a, b []int8) int32 { return plainDot(a, b) }
