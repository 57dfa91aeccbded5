// Package vector keeps one vector for each text in a file and finds those nearest to another by looking at all of them.
//
// Invariant: a record of the file is whole and its own, or as if it were not there; the answer of a search is exact for
// the vectors as they are stored. It refuses to know what a vector means and to mix those of two models.
package vector

import (
	"errors"
	"math"
)

// ErrNoDirection says that numbers make no vector whose direction could be compared: none, all 0, NaN or infinite.
var ErrNoDirection = errors.New("vector: it has no direction")

// levels is what the largest component is stored as.
const levels = 127

// Vector is a direction: a vector of length 1, whose components are Steps times Scale.
type Vector struct {
	Steps []int8
	Scale float32
	Epoch int // of the set that a query is meant for, see Set.Epoch
}

// Quantise stores a vector in a byte a component. The cosine of two such vectors of a few hundred components differs from
// that of the originals by a few thousandths.
func Quantise(components []float32) (Vector, error) {
	largest, square := 0.0, 0.0
	for _, x := range components {
		largest = max(largest, math.Abs(float64(x)))
		square += float64(x) * float64(x)
	}
	if !(largest > 0) || math.IsInf(square, 0) || math.IsNaN(square) {
		return Vector{}, ErrNoDirection
	}
	v := Vector{Steps: make([]int8, len(components))}
	sum := 0
	for i, x := range components {
		step := int(math.Round(float64(x) / largest * levels))
		v.Steps[i] = int8(step)
		sum += step * step
	}
	v.Scale = float32(1 / math.Sqrt(float64(sum))) // the length of the steps, so that a vector is at 1 from itself
	return v, nil
}

// Cosine is how alike two vectors of as many components are: 1 = the same direction, 0 = nothing in common.
func Cosine(a, b Vector) float32 { return float32(dot(a.Steps, b.Steps)) * a.Scale * b.Scale }

// plainDot is the product of two vectors of one length, where the processor offers nothing better. Sixteen components at
// a time, into four sums that do not wait for each other. 2^31 / 127² leaves room for 133,000 components.
func plainDot(a, b []int8) int32 {
	var s0, s1, s2, s3 int32
	b = b[:len(a)]
	for len(a) >= 16 {
		x, y := a[:16:16], b[:16:16]
		s0 += int32(x[0])*int32(y[0]) + int32(x[1])*int32(y[1]) + int32(x[2])*int32(y[2]) + int32(x[3])*int32(y[3])
		s1 += int32(x[4])*int32(y[4]) + int32(x[5])*int32(y[5]) + int32(x[6])*int32(y[6]) + int32(x[7])*int32(y[7])
		s2 += int32(x[8])*int32(y[8]) + int32(x[9])*int32(y[9]) + int32(x[10])*int32(y[10]) + int32(x[11])*int32(y[11])
		s3 += int32(x[12])*int32(y[12]) + int32(x[13])*int32(y[13]) + int32(x[14])*int32(y[14]) + int32(x[15])*int32(y[15])
		a, b = a[16:], b[16:]
	}
	for i, x := range a {
		s0 += int32(x) * int32(b[i])
	}
	return s0 + s1 + s2 + s3
}
