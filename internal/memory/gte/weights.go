package gte

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// The shape of gte-small.
const (
	hidden    = 384
	heads     = 12
	headSize  = hidden / heads
	inner     = 1536
	layers    = 12
	maxTokens = 512
	vocabSize = 30522
)

// panelWidth is how many outputs of a matrix are computed together. The weights
// of a panel lie as [input/4][output][4], which is what the kernels read.
const panelWidth = 16

// magic starts a file of weights; the number changes with the layout.
const magic = "FLUXGTE1"

// Matrix is a linear layer with weights rounded to eight bits: for each output
// a scale, so that the largest weight is 127 steps from zero.
type Matrix struct {
	In, Out int
	Weights []int8 // in panels
	Scale   []float32
	Bias    []float32
}

// Layer is one block of the encoder.
type Layer struct {
	QKV, Out, Up, Down           Matrix
	Norm1, Shift1, Norm2, Shift2 []float32
}

// Weights is everything the model knows.
type Weights struct {
	Words       []int8    // a row per word piece
	WordScale   []float32 // of each row
	Positions   []float32 // a row per position; the embedding of the only segment is in it
	Norm, Shift []float32
	Layers      []Layer
	Vocabulary  []string // in the order of Words
}

// NewMatrix rounds a matrix of [out][in] to eight bits and lays it out in panels.
func NewMatrix(w, bias []float32, in, out int) Matrix {
	rows, scale := roundRows(w, out, in)
	m := Matrix{In: in, Out: out, Weights: make([]int8, in*out), Scale: scale, Bias: bias}
	for o := range out {
		panel := m.Weights[o/panelWidth*in*panelWidth:]
		for i := range in {
			panel[i/4*4*panelWidth+o%panelWidth*4+i%4] = rows[o*in+i]
		}
	}
	return m
}

// NewWords rounds the embeddings of word pieces to eight bits.
func NewWords(w []float32) (rows []int8, scale []float32) { return roundRows(w, len(w)/hidden, hidden) }

func roundRows(w []float32, out, in int) ([]int8, []float32) {
	rows, scale := make([]int8, out*in), make([]float32, out)
	for o := range out {
		var largest float32
		for _, v := range w[o*in : (o+1)*in] {
			largest = max(largest, v, -v)
		}
		scale[o] = largest / 127
		if largest == 0 {
			scale[o] = 1
		}
		for i, v := range w[o*in : (o+1)*in] {
			rows[o*in+i] = int8(math.RoundToEven(float64(v / scale[o])))
		}
	}
	return rows, scale
}

// WriteTo writes the file that is embedded into the binary; the same weights
// give the same bytes.
func (w *Weights) WriteTo(out io.Writer) (int64, error) {
	f := &file{out: out}
	f.magic()
	w.visit(f)
	text := []byte(strings.Join(w.Vocabulary, "\n"))
	f.bytes(text)
	return f.at, f.err
}

// readWeights reads the file, except for the rows of words, which are left where they are.
func readWeights(in io.ReaderAt, size int64) (w *Weights, words int64, err error) {
	f := &file{in: in}
	f.magic()
	w = &Weights{Layers: make([]Layer, layers)}
	words = f.at
	w.visit(f)
	if f.err != nil {
		return nil, 0, fmt.Errorf("reading the weights of gte-small: %w", f.err)
	}
	text := make([]byte, max(0, size-f.at))
	if f.bytes(text); f.err != nil {
		return nil, 0, fmt.Errorf("reading the vocabulary of gte-small: %w", f.err)
	}
	w.Vocabulary = strings.Split(string(text), "\n")
	if len(w.Vocabulary) != vocabSize {
		return nil, 0, fmt.Errorf("the vocabulary of gte-small has %d word pieces instead of %d", len(w.Vocabulary), vocabSize)
	}
	return w, words, nil
}

// visit walks through the file in its order, reading or writing.
func (w *Weights) visit(f *file) {
	f.words(&w.Words)
	f.floats(&w.WordScale, vocabSize)
	f.floats(&w.Positions, maxTokens*hidden)
	f.floats(&w.Norm, hidden)
	f.floats(&w.Shift, hidden)
	for i := range w.Layers {
		l := &w.Layers[i]
		f.matrix(&l.QKV, hidden, 3*hidden)
		f.matrix(&l.Out, hidden, hidden)
		f.matrix(&l.Up, hidden, inner)
		f.matrix(&l.Down, inner, hidden)
		for _, v := range []*[]float32{&l.Norm1, &l.Shift1, &l.Norm2, &l.Shift2} {
			f.floats(v, hidden)
		}
	}
}

// file is the cursor of one pass over the file: out is set to write, in to read.
type file struct {
	out io.Writer
	in  io.ReaderAt
	at  int64
	err error
}

var errShape = errors.New("a part has the wrong size")

// bytes moves one piece.
func (f *file) bytes(b []byte) {
	if f.err != nil {
		return
	}
	if f.out != nil {
		_, f.err = f.out.Write(b)
	} else if n, err := f.in.ReadAt(b, f.at); n < len(b) {
		f.err = err
	}
	f.at += int64(len(b))
}

func (f *file) magic() {
	b := []byte(magic)
	if f.bytes(b); f.err == nil && string(b) != magic {
		f.err = fmt.Errorf("the file does not start with %q", magic)
	}
}

func (f *file) words(v *[]int8) {
	if f.out == nil {
		f.at += vocabSize * hidden
		return
	}
	f.int8s(v, vocabSize*hidden)
}

func (f *file) int8s(v *[]int8, n int) {
	b := make([]byte, n)
	if f.out != nil {
		if len(*v) != n {
			f.err = errShape
			return
		}
		for i, x := range *v {
			b[i] = byte(x)
		}
		f.bytes(b)
		return
	}
	f.bytes(b)
	*v = asInt8(b)
}

func (f *file) floats(v *[]float32, n int) {
	b := make([]byte, 4*n)
	if f.out != nil {
		if len(*v) != n {
			f.err = errShape
			return
		}
		for i, x := range *v {
			binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(x))
		}
		f.bytes(b)
		return
	}
	f.bytes(b)
	*v = make([]float32, n)
	for i := range *v {
		(*v)[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
}

func (f *file) matrix(m *Matrix, in, out int) {
	m.In, m.Out = in, out
	f.int8s(&m.Weights, in*out)
	f.floats(&m.Scale, out)
	f.floats(&m.Bias, out)
}
