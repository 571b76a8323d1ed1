package gte

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// available lists the kernels this processor can run, best first.
func available() []kernels {
	neon := kernels{
		name: "neon", round: roundGo, linear: linearGo, panel: panelNEON, softmax: softmaxQuick, gelu: geluQuick, norm: normGo,
	}
	all := []kernels{neon, portable()}
	if cpu.ARM64.HasASIMDDP {
		dot := neon
		dot.name, dot.linear = "neon-dot", linearSDOT
		all = append([]kernels{dot}, all...)
	}
	return all
}

//go:noescape
func tile6x16SDOT(k4 int, a *int8, lda uintptr, w *int8, c *int32)

//go:noescape
func dot6x16NEON(k int, a *float32, lda uintptr, b *float32, c *float32, ldc uintptr)

func linearSDOT(dst []float32, q *rounded, w *Matrix, rows int) {
	var sums [6 * panelWidth]int32
	for first := 0; first < w.Out; first += panelWidth {
		panel := unsafe.SliceData(w.Weights[first*w.In:])
		scale, bias := w.Scale[first:first+panelWidth], w.Bias[first:first+panelWidth]
		for r := 0; r < rows; r += 6 {
			tile6x16SDOT(w.In/4, &q.narrow[r*w.In], uintptr(w.In), panel, &sums[0])
			for i := range 6 {
				out, by := dst[(r+i)*w.Out+first:][:panelWidth], q.scale[r+i]
				for j, sum := range sums[i*panelWidth : (i+1)*panelWidth] {
					out[j] = float32(sum)*by*scale[j] + bias[j]
				}
			}
		}
	}
}

func panelNEON(rows, k int, a []float32, lda int, b, c []float32, ldc int) {
	for r := 0; r < rows; r += 6 {
		dot6x16NEON(k, &a[r*lda], uintptr(4*lda), &b[0], &c[r*ldc], uintptr(4*ldc))
	}
}
