package vectors

import (
	"encoding/binary"
	"math"
)

// A row is how a vector is kept: a scale, and each number as a whole number of
// steps of it, at most 2047 from zero: twelve bits, the upper eight of all
// numbers first, then the lower four in pairs. Cosines of rows are right to four
// digits, which eight bits alone are not: neighbours lie closer than that.
const (
	rowHead  = 4 // bytes of the scale
	rowSteps = 2047
)

func rowSize(dimensions int) int { return rowHead + dimensions + (dimensions+1)/2 }

// roundEven rounds a number to the nearest whole one.
func roundEven(x float32) float32 {
	const nearest = 3 << 22
	return float32(x+nearest) - nearest
}

// absolute clears the sign of a number, as bits; those of larger numbers are larger.
const absolute = 1<<31 - 1

// largest is the distance from zero of the number farthest from it.
func largest(v []float32) float32 {
	var most uint32
	for _, x := range v {
		most = max(most, math.Float32bits(x)&absolute)
	}
	return math.Float32frombits(most)
}

// toSteps rounds a vector into steps and answers their scale.
func toSteps(steps []int16, v []float32) (scale float32) {
	if scale = largest(v) / rowSteps; scale == 0 {
		scale = 1
	}
	by := 1 / scale
	for i, x := range v {
		steps[i] = int16(roundEven(x * by))
	}
	return scale
}

func packRow(steps []int16, scale float32) []byte {
	n := len(steps)
	row := make([]byte, rowSize(n))
	binary.LittleEndian.PutUint32(row, math.Float32bits(scale))
	high, low := row[rowHead:rowHead+n], row[rowHead+n:]
	for i := 0; i+1 < n; i += 2 {
		a, b := steps[i], steps[i+1]
		high[i], high[i+1] = byte(a>>4), byte(b>>4)
		low[i/2] = byte(a&15) | byte(b&15)<<4
	}
	if n%2 == 1 {
		high[n-1], low[n/2] = byte(steps[n-1]>>4), byte(steps[n-1]&15)
	}
	return row
}

// unpackRow fills steps from a row of their length.
func unpackRow(steps []int16, row []byte) (scale float32) {
	n := len(steps)
	high, low := row[rowHead:rowHead+n], row[rowHead+n:]
	for i := 0; i+1 < n; i += 2 {
		l := low[i/2]
		steps[i] = int16(int8(high[i]))<<4 | int16(l&15)
		steps[i+1] = int16(int8(high[i+1]))<<4 | int16(l>>4)
	}
	if n%2 == 1 {
		steps[n-1] = int16(int8(high[n-1]))<<4 | int16(low[n/2]&15)
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(row))
}

// toValues is the vector that steps stand for, made of length one again.
func toValues(steps []int16) []float32 {
	v := make([]float32, len(steps))
	var squares float64
	for i, s := range steps {
		v[i] = float32(s)
		squares += float64(s) * float64(s)
	}
	if squares > 0 {
		by := float32(1 / math.Sqrt(squares))
		for i := range v {
			v[i] *= by
		}
	}
	return v
}

// question is a vector to compare rows with.
type question struct {
	values []float32
	steps  []int16
	scale  float32 // of a step
}

// newQuestion rounds a vector as finely as sums of products of 32 bits allow:
// neither side is longer than its steps times the root of their number.
func newQuestion(v []float32) question {
	q := question{values: v, steps: make([]int16, len(v)), scale: 1}
	most := largest(v)
	if most == 0 {
		return q
	}
	by := min(math.MaxInt16/most, float32(0.99*math.MaxInt32/(rowSteps*math.Sqrt(float64(len(v))))))
	for i, x := range v {
		q.steps[i] = int16(math.RoundToEven(float64(x * by)))
	}
	q.scale = 1 / by
	return q
}

// score is the cosine with a row.
func (q question) score(scale float32, steps []int16) float32 {
	return float32(dot(q.steps, steps)) * scale * q.scale
}

func dotGo(a, b []int16) int32 {
	var s0, s1, s2, s3 int32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += int32(a[i]) * int32(b[i])
		s1 += int32(a[i+1]) * int32(b[i+1])
		s2 += int32(a[i+2]) * int32(b[i+2])
		s3 += int32(a[i+3]) * int32(b[i+3])
	}
	for ; i < len(a); i++ {
		s0 += int32(a[i]) * int32(b[i])
	}
	return s0 + s1 + s2 + s3
}
