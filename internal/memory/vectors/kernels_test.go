package vectors

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func randomSteps(r *rand.Rand, n, most int) []int16 {
	v := make([]int16, n)
	for i := range v {
		v[i] = int16(r.IntN(2*most+1) - most)
	}
	return v
}

func TestRowsKeepTwelveBits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 7, 64, 384} {
		steps := randomSteps(r, n, rowSteps)
		got := make([]int16, n)
		scale := unpackRow(got, packRow(steps, 0.25))
		if !slices.Equal(got, steps) || scale != 0.25 {
			t.Errorf("%d numbers came back as %v, want %v", n, got, steps)
		}
	}
}

func TestDotAgreesWithPlainGo(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	for n := range 200 {
		a, b := randomSteps(r, n, 2000), randomSteps(r, n, rowSteps)
		if got, want := dot(a, b), dotGo(a, b); got != want {
			t.Errorf("dot of %d = %d, want %d", n, got, want)
		}
	}
}

func TestScoresOfLargeVectorsDoNotOverflow(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 16, 384, 1536, 3072, 4096} {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(1 / math.Sqrt(float64(n)))
		}
		steps := make([]int16, n)
		scale := toSteps(steps, v)
		if got := newQuestion(v).score(scale, steps); math.Abs(float64(got-1)) > 0.002 {
			t.Errorf("the cosine of a vector of %d equal numbers with itself = %f", n, got)
		}
	}
}

func TestEstimatesAreClose(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	const n = 384
	random := func() []float32 {
		v := make([]float32, n)
		var squares float64
		for i := range v {
			v[i] = float32(r.NormFloat64()) + 1
			squares += float64(v[i]) * float64(v[i])
		}
		for i := range v {
			v[i] /= float32(math.Sqrt(squares))
		}
		return v
	}
	centre := make([]float32, n)
	for i := range centre {
		centre[i] = float32(1 / math.Sqrt(2*n))
	}
	q := random()
	e, asked := newEstimator(q, centre), newQuestion(q)
	var worst, sum float64
	for range 1000 {
		steps, bits := make([]int16, n), make([]byte, codeBytes(n))
		scale := toSteps(steps, random())
		c := encode(bits, scale, steps, centre)
		d := float64(e.promise(e.sumOne(bits), c) - c.stretch*e.slack - asked.score(scale, steps))
		worst, sum = max(worst, math.Abs(d)), sum+d
	}
	if worst > 0.1 || math.Abs(sum/1000) > 0.005 {
		t.Errorf("estimates are off by up to %.3f and by %.4f on average", worst, sum/1000)
	}
}

// FuzzSums: looking codes up in groups is what looking them up one by one is.
func FuzzSums(f *testing.F) {
	f.Add(uint64(1), uint8(6))
	f.Add(uint64(2), uint8(1))
	f.Add(uint64(3), uint8(48))
	f.Fuzz(func(t *testing.T, seed uint64, words uint8) {
		r := rand.New(rand.NewPCG(seed, 1))
		size := (int(words)%48 + 1) * 8
		codes, e := make([]byte, group*size), &estimator{tables: make([]byte, size*32)}
		for i := range codes {
			codes[i] = byte(r.Uint32())
		}
		for i := range e.tables {
			e.tables[i] = byte(r.IntN(min(256, 65000/(size*2))))
		}
		arranged := make([]byte, len(codes))
		arrange(arranged, codes)
		for name, sums := range allSums() {
			var got [group]uint16
			sums(e.tables, arranged, &got)
			for i := range group {
				if one := e.sumOne(codes[i*size : (i+1)*size]); got[i] != one {
					t.Fatalf("%s: code %d is worth %d in a group, %d alone", name, i, got[i], one)
				}
			}
		}
	})
}
