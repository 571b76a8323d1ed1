package gte

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// available lists the kernels this processor can run, best first.
func available() []kernels {
	var all []kernels
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		avx2 := kernels{
			name: "avx2", round: roundAVX2, linear: linearAVX2, panel: panelAVX2, softmax: softmaxAVX2, gelu: geluAVX2, norm: normAVX2,
		}
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VNNI {
			vnni := avx2
			vnni.name, vnni.lifted = "avx512-vnni", true
			vnni.round, vnni.linear, vnni.panel = roundAVX512, linearVNNI, panelAVX512
			all = append(all, vnni)
		}
		all = append(all, avx2)
	}
	return append(all, portable())
}

//go:noescape
func tile2x16AVX2(k4 int, a *int16, lda uintptr, w *int8, scale, bias *float32, c *float32, ldc uintptr, by *float32)

//go:noescape
func tile12x16VNNI(k4 int, a *int8, lda uintptr, w *int8, scale, bias *float32, c *float32, ldc uintptr, lift *int32, by *float32)

//go:noescape
func dot6x16AVX2(k int, a *float32, lda uintptr, b *float32, c *float32, ldc uintptr)

//go:noescape
func dot12x16AVX512(k int, a *float32, lda uintptr, b *float32, c *float32, ldc uintptr)

//go:noescape
func largestAVX2(src *float32, n int) float32

//go:noescape
func roundRowAVX2(src *float32, dst *int16, n int, by float32)

//go:noescape
func roundRowAVX512(src *float32, dst *int8, n int, by float32) (sum int32)

//go:noescape
func softmaxRowAVX2(row *float32, n int, scale float32)

//go:noescape
func geluRowAVX2(v *float32, n int)

//go:noescape
func normRowAVX2(x, add, weight, shift *float32, n int, epsilon float32)

func roundAVX2(q *rounded, src []float32, rows, cols int) {
	q.growWide(rows, cols)
	for r := range rows {
		row := src[r*cols : (r+1)*cols]
		largest := largestAVX2(&row[0], cols)
		if largest == 0 {
			largest = 1
		}
		roundRowAVX2(&row[0], &q.wide[r*cols], cols, steps/largest)
		q.scale[r] = largest / steps
	}
}

func roundAVX512(q *rounded, src []float32, rows, cols int) {
	q.grow(rows, cols)
	for r := range rows {
		row := src[r*cols : (r+1)*cols]
		largest := largestAVX2(&row[0], cols)
		if largest == 0 {
			largest = 1
		}
		q.lift[r] = 128 * roundRowAVX512(&row[0], &q.narrow[r*cols], cols, steps/largest)
		q.scale[r] = largest / steps
	}
}

func linearAVX2(dst []float32, q *rounded, w *Matrix, rows int) {
	for first := 0; first < w.Out; first += panelWidth {
		panel := unsafe.SliceData(w.Weights[first*w.In:])
		for r := 0; r < rows; r += 2 {
			tile2x16AVX2(w.In/4, &q.wide[r*w.In], uintptr(2*w.In), panel,
				&w.Scale[first], &w.Bias[first], &dst[r*w.Out+first], uintptr(4*w.Out), &q.scale[r])
		}
	}
}

func linearVNNI(dst []float32, q *rounded, w *Matrix, rows int) {
	for first := 0; first < w.Out; first += panelWidth {
		panel := unsafe.SliceData(w.Weights[first*w.In:])
		for r := 0; r < rows; r += 12 {
			tile12x16VNNI(w.In/4, &q.narrow[r*w.In], uintptr(w.In), panel,
				&w.Scale[first], &w.Bias[first], &dst[r*w.Out+first], uintptr(4*w.Out), &q.lift[r], &q.scale[r])
		}
	}
}

func panelAVX2(rows, k int, a []float32, lda int, b, c []float32, ldc int) {
	for r := 0; r < rows; r += 6 {
		dot6x16AVX2(k, &a[r*lda], uintptr(4*lda), &b[0], &c[r*ldc], uintptr(4*ldc))
	}
}

func panelAVX512(rows, k int, a []float32, lda int, b, c []float32, ldc int) {
	for r := 0; r < rows; r += 12 {
		dot12x16AVX512(k, &a[r*lda], uintptr(4*lda), &b[0], &c[r*ldc], uintptr(4*ldc))
	}
}

func softmaxAVX2(row []float32, n int, scale float32) {
	for i := n; i < len(row); i++ {
		row[i] = -1e30
	}
	softmaxRowAVX2(&row[0], len(row), scale)
	clear(row[n:])
}

func geluAVX2(v []float32) { geluRowAVX2(&v[0], len(v)) }

func normAVX2(x, add, weight, shift []float32) {
	for o := 0; o < len(x); o += hidden {
		normRowAVX2(&x[o], &add[o], &weight[0], &shift[0], hidden, epsilon)
	}
}
