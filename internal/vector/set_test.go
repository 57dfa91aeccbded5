package vector

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func direction(r *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

func quantised(t testing.TB, components ...float32) Vector {
	t.Helper()
	v, err := Quantise(components)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}

func TestAByteAComponentKeepsTheCosine(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		a, b := direction(r, 384), direction(r, 384)
		got, want := float64(Cosine(quantised(t, a...), quantised(t, b...))), cosine(a, b)
		if math.Abs(got-want) > 0.01 {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

func TestWhatHasNoDirectionIsNoVector(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, components := range [][]float32{nil, {0, 0}, {nan, 1}, {1, nan}, {inf, 1}, {1, -inf}} {
		if _, err := Quantise(components); !errors.Is(err, ErrNoDirection) {
			t.Errorf("%v: %v", components, err)
		}
	}
}

func TestDotIsThatOfThePlainLoopForEveryLength(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 200 {
		a, b := make([]int8, n), make([]int8, n)
		want := int32(0)
		for i := range a {
			a[i], b[i] = int8(r.IntN(255)-127), int8(r.IntN(255)-127)
			want += int32(a[i]) * int32(b[i])
		}
		if dot(a, b) != want || plainDot(a, b) != want {
			t.Fatalf("%d components: %d and %d, want %d", n, dot(a, b), plainDot(a, b), want)
		}
	}
}

func open(t testing.TB, path, model string) *Set {
	t.Helper()
	s, err := Open(path, model, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func filled(t testing.TB, path string, n, dims int) *Set {
	t.Helper()
	s := open(t, path, "m")
	r := rand.New(rand.NewPCG(5, 6))
	for start := 0; start < n; start += 1000 {
		var entries []Entry
		for i := start; i < min(n, start+1000); i++ {
			entries = append(entries, Entry{uint64(i) * 2654435761, quantised(t, direction(r, dims)...)})
		}
		if err := s.Add(entries); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestVectorsAreThereAgainAfterReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v")
	s := filled(t, path, 2500, 48) // more than waits in memory
	q := quantised(t, direction(rand.New(rand.NewPCG(7, 8)), 48)...)
	before := s.Rank(q).Next(2500)
	s.Close()
	s = open(t, path, "m")
	if after := s.Rank(q).Next(3000); !slices.Equal(before, after) || len(after) != 2500 {
		t.Errorf("%d vectors, want the 2500 as before", len(after))
	}
	if !slices.IsSortedFunc(before, func(a, b Near) int {
		if a.Cosine > b.Cosine {
			return -1
		}
		return 1
	}) {
		t.Error("not the nearest first")
	}
	for _, n := range s.Among(q, []uint64{before[7].Key, 12345, before[3].Key}) {
		if n != before[7] && n != before[3] {
			t.Errorf("among some: %v", n)
		}
	}
}

func TestAnotherModelFindsNoVectorsAndReplacesThem(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v")
	filled(t, path, 10, 8).Close()
	s := open(t, path, "other")
	if s.Len() != 0 {
		t.Fatalf("%d vectors of another model", s.Len())
	}
	if err := s.Add([]Entry{{1, quantised(t, 1, 2, 3)}}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if s = open(t, path, "other"); s.Len() != 1 || s.Dims() != 3 {
		t.Errorf("%d vectors of %d components", s.Len(), s.Dims())
	}
}

func TestAnotherNumberOfComponentsIsRefused(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "v"), "m")
	err := s.Add([]Entry{{1, quantised(t, 1, 2)}, {2, quantised(t, 1, 2, 3)}})
	if !errors.Is(err, ErrDimension) || s.Len() != 0 {
		t.Errorf("%v, %d vectors", err, s.Len())
	}
	if len(s.Rank(quantised(t, 1)).Next(1)) != 0 {
		t.Error("a query of another length found something")
	}
}

func TestAQueryForVectorsThatWereThrownAwayFindsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v")
	s := filled(t, path, 10, 8)
	q := quantised(t, direction(rand.New(rand.NewPCG(7, 8)), 8)...)
	if err := s.Reset("other"); err != nil {
		t.Fatal(err)
	}
	if err := s.Add([]Entry{{1, quantised(t, 1, 2, 3, 4, 5, 6, 7, 8)}}); err != nil {
		t.Fatal(err)
	}
	if len(s.Rank(q).Next(1)) != 0 || len(s.Among(q, []uint64{1})) != 0 {
		t.Error("it was compared with those of another model")
	}
	if q.Epoch = s.Epoch(); len(s.Rank(q).Next(1)) != 1 || len(s.Among(q, []uint64{1})) != 1 {
		t.Error("nothing is found in the new epoch")
	}
	s.Close()
	if s = open(t, path, "other"); s.Len() != 1 {
		t.Errorf("%d vectors after reopening", s.Len())
	}
}

// Whatever was cut off or overwritten, what is left is right, and can be added to.
func TestADamagedRecordEndsTheFile(t *testing.T) {
	for _, at := range []int{headBytes - 1, headBytes + 5, headBytes + 3*strideOf(8) + 20, headBytes + 9*strideOf(8) + 1} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "v")
			s := filled(t, path, 10, 8)
			keys := slices.Clone(s.keys)
			s.Close()
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			content[at] ^= 0x40
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			whole := max(0, (at-headBytes)/strideOf(8))
			if s = open(t, path, "m"); s.Len() != whole || !slices.Equal(s.keys, keys[:whole]) {
				t.Fatalf("%d vectors are left, want %d", s.Len(), whole)
			}
			if err := s.Add([]Entry{{99, quantised(t, 1, 0, 0, 0, 0, 0, 0, 0)}}); err != nil {
				t.Fatal(err)
			}
			s.Close()
			if s = open(t, path, "m"); s.Len() != whole+1 || !s.Has(99) {
				t.Errorf("%d vectors after one more", s.Len())
			}
		})
	}
}

func TestATornWriteLosesItselfOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v")
	filled(t, path, 10, 8).Close()
	if err := os.Truncate(path, int64(headBytes+9*strideOf(8)+7)); err != nil {
		t.Fatal(err)
	}
	if s := open(t, path, "m"); s.Len() != 9 {
		t.Errorf("%d vectors, want 9", s.Len())
	}
}

func TestKeepThrowsTheOthersAway(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v")
	s := filled(t, path, 3000, 8)
	reader, err := Open(path, "m", true)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := s.Keep(func(key uint64) bool { return key/2654435761%3 == 0 }); err != nil {
		t.Fatal(err)
	}
	q := quantised(t, direction(rand.New(rand.NewPCG(7, 8)), 8)...)
	want := slices.DeleteFunc(reader.Rank(q).Next(3000), func(n Near) bool { return n.Key/2654435761%3 != 0 })
	if got := s.Rank(q).Next(3000); !slices.Equal(got, want) {
		t.Errorf("%d vectors, want %d", len(got), len(want))
	}
	s.Close()
	if s = open(t, path, "m"); s.Len() != 1000 {
		t.Errorf("%d after reopening", s.Len())
	}
	if _, err := os.Stat(path + ".new"); err == nil {
		t.Error("the file beside is still there")
	}
}

// Vectors of another model take the place of all, or, when they cannot be written, of none.
func TestVectorsOfAnotherModelComeAllAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v")
	s := filled(t, path, 100, 8)
	defer s.Close()
	epoch := s.Epoch()
	if err := os.Mkdir(path+".new", 0o700); err != nil { // no file can be made there
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path+".new", "stays"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	other := []Entry{{7, quantised(t, 1, 2)}, {8, quantised(t, 2, 1)}}
	if err := s.Replace("n", other); err == nil || s.Len() != 100 || s.Epoch() != epoch {
		t.Fatalf("%v, %d vectors, epoch %d", err, s.Len(), s.Epoch())
	}
	if err := os.RemoveAll(path + ".new"); err != nil {
		t.Fatal(err)
	}
	if err := s.Replace("n", other); err != nil || s.Len() != 2 || s.Dims() != 2 || s.Epoch() == epoch || !s.Has(7) {
		t.Fatalf("%v, %d vectors of %d components", err, s.Len(), s.Dims())
	}
	if err := s.Add([]Entry{{9, quantised(t, 3, 1)}}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if s = open(t, path, "n"); s.Len() != 3 {
		t.Errorf("%d after reopening", s.Len())
	}
}

func TestWhoOnlyReadsWritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v")
	s, err := Open(path, "m", true)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Add([]Entry{{1, quantised(t, 1)}}); err == nil {
		t.Error("it wrote")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("there is a file")
	}
}

// The promise of the project: 200,000 vectors of 384 components in 60 ms on one core.
func BenchmarkNearestOf200000(b *testing.B) {
	s := filled(b, filepath.Join(b.TempDir(), "v"), 200_000, 384)
	q := quantised(b, direction(rand.New(rand.NewPCG(7, 8)), 384)...)
	b.ReportMetric(float64(len(s.file.mapped))/1e6, "MB-mapped")
	b.ResetTimer()
	for b.Loop() {
		s.Rank(q).Next(200)
	}
	b.ReportMetric(float64(len(s.file.mapped))/1e6, "MB-mapped")
}

// What the same takes where the processor has no AVX2.
func BenchmarkPlainDot200000(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 9))
	all := make([]int8, 200_000*384)
	for i := range all {
		all[i] = int8(r.IntN(255) - 127)
	}
	for b.Loop() {
		for i := 0; i < len(all); i += 384 {
			plainDot(all[:384], all[i:i+384])
		}
	}
}
