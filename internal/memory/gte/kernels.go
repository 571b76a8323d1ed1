package gte

import (
	"math"
	"unsafe"
)

// rowBlock is what numbers of rows are rounded up to, so that no kernel needs a
// case for the rest.
const rowBlock = 12

// kernels is one way to do the heavy work; all ways give the same sums of whole
// numbers, and the same of others but for rounding.
type kernels struct {
	name string
	// lifted says that 128 is added to every weight, which makes them positive.
	lifted bool
	// round fills q from rows of src.
	round func(q *rounded, src []float32, rows, cols int)
	// linear is dst = q·w + bias, for a multiple of rowBlock rows.
	linear func(dst []float32, q *rounded, w *Matrix, rows int)
	// panel is c = a·b for a panel of b, [k][16], and a multiple of rowBlock rows.
	panel func(rows, k int, a []float32, lda int, b, c []float32, ldc int)
	// softmax turns the first n of a row, times scale, into shares of one and
	// the rest into zeroes. A row has a multiple of 16.
	softmax func(row []float32, n int, scale float32)
	// gelu is the activation, for a multiple of 16 values.
	gelu func(v []float32)
	// norm is x = norm(x + add), row by row.
	norm func(x, add, weight, shift []float32)
}

// rounded is a matrix of activations rounded to eight bits, a scale per row.
type rounded struct {
	narrow []int8
	wide   []int16 // the same, for kernels that want them wider
	lift   []int32 // 128 times the sum of a row: what lifted weights added
	scale  []float32
}

func (q *rounded) grow(rows, cols int) {
	if cap(q.narrow) < rows*cols {
		q.narrow = make([]int8, rows*cols)
	}
	q.narrow = q.narrow[:rows*cols]
	if cap(q.scale) < rows {
		q.lift, q.scale = make([]int32, rows), make([]float32, rows)
	}
	q.lift, q.scale = q.lift[:rows], q.scale[:rows]
}

func (q *rounded) growWide(rows, cols int) {
	if cap(q.wide) < rows*cols {
		q.wide = make([]int16, rows*cols)
	}
	q.wide = q.wide[:rows*cols]
	if cap(q.scale) < rows {
		q.lift, q.scale = make([]int32, rows), make([]float32, rows)
	}
	q.lift, q.scale = q.lift[:rows], q.scale[:rows]
}

// portable is plain Go: slow, and what the others are compared with.
func portable() kernels {
	return kernels{
		name: "portable", round: roundGo, linear: linearGo, panel: panelGo, softmax: softmaxGo, gelu: geluGo, norm: normGo,
	}
}

// steps is how many steps of a row's scale its largest value is from zero.
const steps = 127

// nearest added and taken away again rounds to the nearest whole number, to the
// even one of two.
const nearest = 3 << 22

func roundGo(q *rounded, src []float32, rows, cols int) {
	q.grow(rows, cols)
	for r := range rows {
		row := src[r*cols : (r+1)*cols]
		var largest float32
		for _, v := range row {
			largest = max(largest, v, -v)
		}
		if largest == 0 {
			largest = 1
		}
		by := steps / largest
		for i, v := range row {
			q.narrow[r*cols+i] = int8(float32(float32(v*by)+nearest) - nearest)
		}
		q.scale[r] = largest / steps
	}
}

func linearGo(dst []float32, q *rounded, w *Matrix, rows int) {
	for first := 0; first < w.Out; first += panelWidth {
		panel := w.Weights[first*w.In : (first+panelWidth)*w.In]
		for r := range rows {
			var sums [panelWidth]int32
			row := q.narrow[r*w.In : (r+1)*w.In]
			for i := 0; i < w.In; i += 4 {
				a, b := (*[4]int8)(row[i:]), (*[4 * panelWidth]int8)(panel[i*panelWidth:])
				a0, a1, a2, a3 := int32(a[0]), int32(a[1]), int32(a[2]), int32(a[3])
				for j := range sums {
					sums[j] += a0*int32(b[4*j]) + a1*int32(b[4*j+1]) + a2*int32(b[4*j+2]) + a3*int32(b[4*j+3])
				}
			}
			out := dst[r*w.Out+first:]
			for j, sum := range sums {
				out[j] = float32(sum)*q.scale[r]*w.Scale[first+j] + w.Bias[first+j]
			}
		}
	}
}

func panelGo(rows, k int, a []float32, lda int, b, c []float32, ldc int) {
	for r := range rows {
		var sums [panelWidth]float32
		for i, v := range a[r*lda : r*lda+k] {
			column := (*[panelWidth]float32)(b[i*panelWidth:])
			for j := range sums {
				sums[j] += v * column[j]
			}
		}
		copy(c[r*ldc:r*ldc+panelWidth], sums[:])
	}
}

func softmaxGo(row []float32, n int, scale float32) {
	largest := row[0]
	for _, v := range row[:n] {
		largest = max(largest, v)
	}
	var sum float32
	for i, v := range row[:n] {
		row[i] = float32(math.Exp(float64((v - largest) * scale)))
		sum += row[i]
	}
	for i := range row[:n] {
		row[i] /= sum
	}
	clear(row[n:])
}

func geluGo(v []float32) {
	for i, x := range v {
		v[i] = float32(0.5 * float64(x) * (1 + math.Erf(float64(x)/math.Sqrt2)))
	}
}

// epsilon keeps a row of equal values from being divided by zero.
const epsilon = 1e-12

func normGo(x, add, weight, shift []float32) {
	weight, shift = weight[:hidden], shift[:hidden]
	for o := 0; o < len(x); o += hidden {
		row := x[o : o+hidden]
		var sum float32
		for i, v := range add[o : o+hidden] {
			row[i] += v
			sum += row[i]
		}
		mean := sum / hidden
		var squares float32
		for _, v := range row {
			squares += (v - mean) * (v - mean)
		}
		by := float32(1 / math.Sqrt(float64(squares/hidden)+epsilon))
		for i, v := range row {
			row[i] = (v-mean)*by*weight[i] + shift[i]
		}
	}
}

// prepare makes a matrix what the kernels expect; it is called once.
func (k kernels) prepare(m *Matrix) {
	if !k.lifted {
		return
	}
	for i := range m.Weights {
		m.Weights[i] ^= -128 // adds 128, read as an unsigned number
	}
}

func asInt8(b []byte) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
}
