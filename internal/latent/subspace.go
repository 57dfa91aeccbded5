package latent

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// wide is the number of directions that are followed: a few more than are kept make the last of those good.
	wide = Dims + 16
	// turns of the iteration; after four the kept directions hardly move.
	turns = 4
	// evenness is how far strong directions are turned down to the weak ones: 0 keeps the lengths that texts have in them
	// (the classical analysis, where a few topics drown the rest), 1 makes all alike.
	evenness = 0.5
)

// subspace finds the directions in which rows differ most, as a matrix of terms × wide whose first Dims columns count,
// the strongest first.
func subspace(ctx context.Context, rows []sparse, terms int) ([]float32, error) {
	random := rand.New(rand.NewPCG(20, 11))
	basis := make([]float32, terms*wide)
	for i := range basis {
		basis[i] = float32(random.NormFloat64())
	}
	orthonormalise(basis)
	image := make([]float32, len(basis))
	for range turns {
		if err := apply(ctx, rows, basis, image); err != nil {
			return nil, err
		}
		basis, image = image, basis
		orthonormalise(basis)
	}
	if err := apply(ctx, rows, basis, image); err != nil {
		return nil, err
	}
	// In the subspace the matrix is small enough for all of its directions to be worked out (Rayleigh, Ritz).
	values, vectors := eigen(product(basis, image))
	turn(basis, image, values, vectors)
	return image, nil
}

// apply multiplies v by the rows and by their transpose.
func apply(ctx context.Context, rows []sparse, v, into []float32) error {
	clear(into)
	y := make([]float32, wide)
	for i, r := range rows {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		clear(y)
		for k, at := range r.at {
			addTo(y, v[int(at)*wide:int(at)*wide+wide], r.weight[k])
		}
		for k, at := range r.at {
			addTo(into[int(at)*wide:int(at)*wide+wide], y, r.weight[k])
		}
	}
	return nil
}

// addTo adds weight times from to to.
func addTo(to, from []float32, weight float32) {
	to, from = to[:wide:wide], from[:wide:wide]
	for i := 0; i < wide; i += 4 {
		to[i] += weight * from[i]
		to[i+1] += weight * from[i+1]
		to[i+2] += weight * from[i+2]
		to[i+3] += weight * from[i+3]
	}
}

// product is the transpose of a times b, wide × wide.
func product(a, b []float32) []float64 {
	out := make([]float64, wide*wide)
	for start := 0; start < len(a); start += wide {
		x, y := a[start:start+wide], b[start:start+wide]
		for i, xi := range x {
			if xi == 0 {
				continue
			}
			row := out[i*wide : i*wide+wide : i*wide+wide]
			for k, yk := range y {
				row[k] += float64(xi) * float64(yk)
			}
		}
	}
	return out
}

// orthonormalise makes the columns of a matrix of length 1 and at right angles to each other, by the Cholesky factor of
// their products. The columns come out of one multiplication of such ones, so the products are well conditioned enough.
func orthonormalise(a []float32) {
	l := cholesky(product(a, a))
	row := make([]float64, wide)
	for start := 0; start < len(a); start += wide {
		x := a[start : start+wide]
		for i := range row { // row · Lᵀ = x
			sum := float64(x[i])
			for k := range i {
				sum -= row[k] * l[i*wide+k]
			}
			row[i] = sum / l[i*wide+i]
		}
		for i, r := range row {
			x[i] = float32(r)
		}
	}
}

// cholesky is the lower triangle L with L·Lᵀ = a. Directions that are not there get a length of 1 instead of none.
func cholesky(a []float64) []float64 {
	l := make([]float64, wide*wide)
	for i := range wide {
		for j := range i + 1 {
			sum := a[i*wide+j]
			for k := range j {
				sum -= l[i*wide+k] * l[j*wide+k]
			}
			switch {
			case i != j:
				l[i*wide+j] = sum / l[j*wide+j]
			case sum > 1e-12*a[i*wide+i]:
				l[i*wide+i] = math.Sqrt(sum)
			default:
				l[i*wide+i] = 1
			}
		}
	}
	return l
}

// eigen are the values of a symmetric matrix and the vectors that belong to them as columns, by Jacobi's rotations.
func eigen(a []float64) (values, vectors []float64) {
	vectors = make([]float64, wide*wide)
	for i := range wide {
		vectors[i*wide+i] = 1
	}
	for range 12 { // sweeps; the rest is below what a byte shows
		for p := range wide {
			for q := p + 1; q < wide; q++ {
				rotate(a, vectors, p, q)
			}
		}
	}
	for i := range wide {
		values = append(values, a[i*wide+i])
	}
	return values, vectors
}

// rotate makes a[p][q] zero.
func rotate(a, vectors []float64, p, q int) {
	apq := a[p*wide+q]
	if math.Abs(apq) < 1e-12*math.Sqrt(math.Abs(a[p*wide+p]*a[q*wide+q])) || apq == 0 {
		return
	}
	theta := (a[q*wide+q] - a[p*wide+p]) / (2 * apq)
	t := math.Copysign(1/(math.Abs(theta)+math.Sqrt(theta*theta+1)), theta)
	c := 1 / math.Sqrt(t*t+1)
	s := t * c
	for k := range wide {
		x, y := a[k*wide+p], a[k*wide+q]
		a[k*wide+p], a[k*wide+q] = c*x-s*y, s*x+c*y
	}
	for k := range wide {
		x, y := a[p*wide+k], a[q*wide+k]
		a[p*wide+k], a[q*wide+k] = c*x-s*y, s*x+c*y
		x, y = vectors[k*wide+p], vectors[k*wide+q]
		vectors[k*wide+p], vectors[k*wide+q] = c*x-s*y, s*x+c*y
	}
}

// turn writes basis times vectors to into, the strongest direction first, each made as even as it is to be. A value is
// the square of the length that texts have in its direction.
func turn(basis, into []float32, values, vectors []float64) {
	order := make([]int, wide)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	weights := make([]float64, wide*wide) // transposed: a column of vectors a row, in order
	for n, column := range order {
		strength := math.Pow(max(values[column], 1e-9*values[order[0]]), -evenness/2)
		for i := range wide {
			weights[n*wide+i] = vectors[i*wide+column] * strength
		}
	}
	for start := 0; start < len(basis); start += wide {
		x := basis[start : start+wide]
		for n := range Dims {
			sum := 0.0
			for i, w := range weights[n*wide : n*wide+wide] {
				sum += w * float64(x[i])
			}
			into[start+n] = float32(sum)
		}
	}
}
