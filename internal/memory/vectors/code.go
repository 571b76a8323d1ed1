package vectors

import (
	"encoding/binary"
	"math"
)

// A code is one bit per number: on which side of the partition's centre it
// lies. With two numbers beside it a cosine can be estimated well enough to tell
// which rows are worth reading.
//
// With r = v - centre and b its signs, b·|r|²/Σ|r| is the multiple of b whose
// product with r is right, so for a question q
//
//	q·v ≈ q·centre + r·centre + stretch · (q - centre)·b, with stretch = |r|²/Σ|r|.
type code struct {
	stretch float32
	along   float32 // r·centre
}

// codeBytes is how many bytes the bits of a code take: whole words.
func codeBytes(dimensions int) int { return (dimensions + 63) / 64 * 8 }

// encode writes the bits of a vector and answers the rest of its code.
func encode(into []byte, scale float32, steps []int16, centre []float32) code {
	var squares, sum, along float32
	centre = centre[:len(steps)]
	for w := 0; w*64 < len(steps); w++ {
		var word uint64
		from := w * 64
		for i := from; i < min(from+64, len(steps)); i++ {
			r := float32(steps[i])*scale - centre[i]
			along += r * centre[i]
			squares += r * r
			bits := math.Float32bits(r)
			sum += math.Float32frombits(bits & absolute)
			word |= uint64(^bits>>31) << (i - from) // one where r is not negative
		}
		binary.LittleEndian.PutUint64(into[w*8:], word)
	}
	if sum == 0 {
		return code{along: along}
	}
	return code{stretch: squares / sum, along: along}
}

// group is how many codes are looked at together. The codes of a group lie by
// position: 16 bytes for each four bits of a code, those of vector i in the lower
// half of byte i, those of vector 16+i in the upper half.
const group = 32

// arrange puts the codes of a group, one after the other, in that order.
func arrange(into, codes []byte) {
	size := len(codes) / group
	for b := range size {
		even, odd := into[2*b*16:2*b*16+16], into[2*b*16+16:2*b*16+32]
		for i := range 16 {
			lo, hi := codes[i*size+b], codes[(16+i)*size+b]
			even[i] = lo&15 | hi<<4
			odd[i] = lo>>4 | hi&^15
		}
	}
}

// estimator estimates the cosines of codes with one question.
type estimator struct {
	offset float32 // q·centre
	base   float32 // what a code without any table entry is worth
	step   float32 // what one step of a table entry is worth
	// tables has 16 bytes for each four bits of a code: what they add, in steps.
	// All together a code cannot add up to more than 16 bits.
	tables []byte
	// slack times the stretch of a code is how far the estimate may be short.
	slack float32
}

// doubt is how many standard errors an estimate is given the benefit of.
const doubt = 1.8

func newEstimator(q, centre []float32) *estimator {
	positions := codeBytes(len(q)) * 2
	r := make([]float32, positions*4)
	e := &estimator{tables: make([]byte, positions*16)}
	var widest, all, squares float32
	for i, c := range centre {
		r[i] = q[i] - c
		e.offset += q[i] * c
		squares += r[i] * r[i]
	}
	// The signs of a random vector have a cosine of √(2/π) with it; what is
	// left of them points anywhere, and so adds that much of the question.
	e.slack = doubt * float32(math.Sqrt((1-2/math.Pi)*float64(squares)))
	for p := range positions {
		var width float32
		for _, x := range r[p*4 : p*4+4] {
			width += 2 * max(x, -x)
			e.base -= max(x, -x)
		}
		widest = max(widest, width)
		all += width
	}
	e.step = max(widest/255, all/65000)
	if e.step == 0 {
		e.step = 1
	}
	for p := range positions {
		e.fill(p, r[p*4:p*4+4])
	}
	return e
}

// fill tabulates what four bits add to the least they can be worth.
func (e *estimator) fill(position int, r []float32) {
	for b := range 16 {
		var worth float32
		for i, x := range r {
			if (x > 0) == (b>>i&1 == 1) {
				worth += 2 * max(x, -x)
			}
		}
		e.tables[position*16+b] = byte(worth/e.step + 0.5)
	}
}

// promise is the most that a code can be expected to score.
func (e *estimator) promise(sum uint16, c code) float32 {
	return e.offset + c.along + c.stretch*(e.base+e.slack+e.step*float32(sum))
}

// sumOne looks up the bits of a single code.
func (e *estimator) sumOne(bits []byte) uint16 {
	var sum uint16
	for b, v := range bits {
		sum += uint16(e.tables[b*32+int(v&15)]) + uint16(e.tables[b*32+16+int(v>>4)])
	}
	return sum
}

// sumsGo looks up the codes of one group.
func sumsGo(tables, codes []byte, sums *[group]uint16) {
	*sums = [group]uint16{}
	for p := 0; p < len(tables); p += 16 {
		table, column := (*[16]byte)(tables[p:]), (*[16]byte)(codes[p:])
		for i, b := range column {
			sums[i] += uint16(table[b&15])
			sums[16+i] += uint16(table[b>>4])
		}
	}
}
