package gte

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomMatrix has weights over the whole range of eight bits.
func randomMatrix(r *rand.Rand, in, out int) Matrix {
	m := Matrix{In: in, Out: out, Weights: make([]int8, in*out), Scale: make([]float32, out), Bias: make([]float32, out)}
	for i := range m.Weights {
		m.Weights[i] = int8(r.IntN(255) - 127)
	}
	for i := range m.Scale {
		m.Scale[i], m.Bias[i] = r.Float32()/100, r.Float32()-0.5
	}
	return m
}

func randomRow(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64() * 3)
	}
	return v
}

// near fails unless two results agree but for rounding.
func near(t *testing.T, what string, got, want []float32, within float64) {
	t.Helper()
	for i := range want {
		if d := math.Abs(float64(got[i] - want[i])); !(d <= within*max(1, math.Abs(float64(want[i])))) {
			t.Fatalf("%s: value %d = %g, plain Go says %g", what, i, got[i], want[i])
		}
	}
}

// compareLinear runs a linear layer with every kernel. The sums are of whole
// numbers, so only the scaling at the end may round differently.
func compareLinear(t *testing.T, src []float32, m Matrix, rows int) {
	t.Helper()
	plain := portable()
	var q rounded
	plain.round(&q, src, rows, m.In)
	want := make([]float32, rows*m.Out)
	plain.linear(want, &q, &m, rows)
	for _, k := range available() {
		own := m
		own.Weights = slices.Clone(m.Weights)
		k.prepare(&own)
		var q rounded
		k.round(&q, src, rows, m.In)
		got := make([]float32, rows*m.Out)
		k.linear(got, &q, &own, rows)
		near(t, k.name+" linear", got, want, 2e-5)
	}
}

func TestKernelsAgree(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	t.Run("linear layers of the model's sizes", func(t *testing.T) {
		for _, size := range [][2]int{{hidden, 3 * hidden}, {hidden, hidden}, {inner, hidden}} {
			compareLinear(t, randomRow(r, rowBlock*size[0]), randomMatrix(r, size[0], size[1]), rowBlock)
		}
	})
	t.Run("the largest numbers there are do not overflow", func(t *testing.T) {
		m := randomMatrix(r, inner, panelWidth)
		src := make([]float32, rowBlock*inner)
		for i := range src {
			src[i] = 1
			m.Weights[i%len(m.Weights)] = 127
		}
		compareLinear(t, src, m, rowBlock)
	})
	t.Run("rows of zeroes", func(t *testing.T) {
		compareLinear(t, make([]float32, rowBlock*hidden), randomMatrix(r, hidden, panelWidth), rowBlock)
	})
	for _, k := range available() {
		t.Run(k.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			for _, n := range []int{1, 7, 16, 33, 512} {
				wide := upTo(n, panelWidth)
				row := randomRow(r, wide)
				want := slices.Clone(row)
				softmaxGo(want, n, 0.17)
				k.softmax(row, n, 0.17)
				near(t, "softmax", row, want, 1e-6)
			}
			v := make([]float32, 4096)
			for i := range v {
				v[i] = float32(i-2048) / 200
			}
			want := slices.Clone(v)
			geluGo(want)
			k.gelu(v)
			near(t, "gelu", v, want, 2e-6)

			x, add, weight, shift := randomRow(r, 3*hidden), randomRow(r, 3*hidden), randomRow(r, hidden), randomRow(r, hidden)
			want = slices.Clone(x)
			normGo(want, add, weight, shift)
			k.norm(x, add, weight, shift)
			near(t, "norm", x, want, 1e-4)

			a, b := randomRow(r, 24*48), randomRow(r, 48*panelWidth)
			got, want := make([]float32, 24*32), make([]float32, 24*32)
			panelGo(24, 48, a, 48, b, want, 32)
			k.panel(24, 48, a, 48, b, got, 32)
			near(t, "panel", got, want, 1e-4)
		})
	}
}

// FuzzKernels looks for activations that some kernel rounds or adds differently.
func FuzzKernels(f *testing.F) {
	f.Add([]byte{0, 0, 128, 63}, uint64(1))
	f.Add([]byte{255, 255, 127, 127, 1, 0, 0, 0}, uint64(2))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		const in = 64
		src := make([]float32, rowBlock*in)
		for i := range src {
			if len(data) < 4 {
				break
			}
			v := math.Float32frombits(binary.LittleEndian.Uint32(data[i*4%(len(data)/4*4):]))
			if v != v || math.Abs(float64(v)) > 1e30 || v != 0 && math.Abs(float64(v)) < 1e-30 {
				v = 0 // the model has no such values
			}
			src[i] = v
		}
		r := rand.New(rand.NewPCG(seed, seed))
		m := randomMatrix(r, in, 2*panelWidth)
		var want rounded
		roundGo(&want, src, rowBlock, in)
		for _, k := range available() {
			var got rounded
			k.round(&got, src, rowBlock, in)
			for i, v := range want.narrow {
				if len(got.narrow) > 0 && got.narrow[i] != v || len(got.wide) > 0 && got.wide[i] != int16(v) {
					t.Fatalf("%s rounds %g of scale %g unlike plain Go, which says %d", k.name, src[i], want.scale[i/in], v)
				}
			}
			own := m
			own.Weights = slices.Clone(m.Weights)
			k.prepare(&own)
			a, b := make([]float32, rowBlock*m.Out), make([]float32, rowBlock*m.Out)
			k.linear(a, &got, &own, rowBlock)
			linearGo(b, &want, &m, rowBlock)
			for i := range b {
				largest := math.Abs(float64(want.scale[i/m.Out])) * in * 127 * 127 * 0.01
				if d := math.Abs(float64(a[i] - b[i])); !(d <= 1e-6*largest+1e-6) {
					t.Fatalf("%s: sum %d = %g, plain Go says %g", k.name, i, a[i], b[i])
				}
			}
		}
	})
}

// FuzzTokens: any text gives tokens of the vocabulary between the two marks.
func FuzzTokens(f *testing.F) {
	tok, err := newTokenizer([]string{"[UNK]", "[CLS]", "[SEP]", "a", "##b", "中", "e", "."})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", "ab ab.", "é中\x00", "a\u0301b", "\xff\xfe", "İI"} {
		f.Add(seed, 8)
	}
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = 2 + (limit&0x7fffffff)%64
		got := tok.encode(text, limit)
		if len(got) < 2 || len(got) > limit || got[0] != tok.start || got[len(got)-1] != tok.stop {
			t.Fatalf("encode(%q, %d) = %v", text, limit, got)
		}
	})
}
