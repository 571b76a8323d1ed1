package gte

import "math"

// expQuick is exp(x) for x <= 0 in 32 bits: a power of two, by its exponent,
// times a polynomial of what is left.
func expQuick(x float32) float32 {
	x = max(x, -87)
	n := roundNearest(x * math.Log2E)
	r := x - n*0.693359375 + n*2.12194440e-4
	p := float32(1.9875691500e-4)
	for _, c := range [...]float32{1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1} {
		p = p*r + c
	}
	p = p*r*r + r + 1
	return p * math.Float32frombits(uint32(int32(n)+127)<<23)
}

func roundNearest(x float32) float32 { return float32(x+nearest) - nearest }

// softmaxQuick is softmaxGo in 32 bits.
func softmaxQuick(row []float32, n int, scale float32) {
	largest := row[0]
	for _, v := range row[:n] {
		if v > largest {
			largest = v
		}
	}
	var sum float32
	for i, v := range row[:n] {
		row[i] = expQuick((v - largest) * scale)
		sum += row[i]
	}
	by := 1 / sum
	for i := range row[:n] {
		row[i] *= by
	}
	clear(row[n:])
}

// geluQuick is geluGo in 32 bits: x·Φ(x) = max(x, 0) - |x|·tail(|x|), the tail
// of the normal distribution by a polynomial (Abramowitz and Stegun 7.1.26).
func geluQuick(v []float32) {
	for i, x := range v {
		size := math.Float32frombits(math.Float32bits(x) &^ (1 << 31))
		t := 1 / (1 + 0.2316418882*size)
		p := float32(1.061405429)
		for _, c := range [...]float32{-1.453152027, 1.421413741, -0.284496736, 0.254829592} {
			p = p*t + c
		}
		v[i] = max(x, 0) - 0.5*size*p*t*expQuick(-0.5*size*size)
	}
}
