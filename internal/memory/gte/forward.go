package gte

import (
	"fmt"
	"io"
	"math"
)

// batchTokens is how many tokens are worked on together: enough to use each
// weight often once it is read, and few enough to stay in the cache.
const batchTokens = 384

// encoder is the model, ready to run.
type encoder struct {
	kernels kernels
	weights *Weights
	tokens  *tokenizer
	file    io.ReaderAt // the rows of word pieces are read from here
	words   int64       // where they start
}

// open lays the weights out for the kernels.
func open(file io.ReaderAt, size int64, k kernels) (*encoder, error) {
	w, words, err := readWeights(file, size)
	if err != nil {
		return nil, err
	}
	tokens, err := newTokenizer(w.Vocabulary)
	if err != nil {
		return nil, err
	}
	w.Vocabulary = nil
	for i := range w.Layers {
		l := &w.Layers[i]
		for _, m := range []*Matrix{&l.QKV, &l.Out, &l.Up, &l.Down} {
			k.prepare(m)
		}
	}
	return &encoder{kernels: k, weights: w, tokens: tokens, file: file, words: words}, nil
}

// scratch is the room one pass needs; it is used again by the next.
type scratch struct {
	x, qkv, mixed, up, added      []float32
	query, keys, values, att, out []float32
	rounded                       rounded
	word                          [hidden]byte
}

func room(b *[]float32, n int) []float32 {
	if cap(*b) < n {
		*b = make([]float32, n)
	}
	*b = (*b)[:n]
	return *b
}

func upTo(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

// encode answers a vector of length one for each sequence of tokens.
func (e *encoder) encode(seqs [][]int32, s *scratch) ([][]float32, error) {
	n := 0
	for _, seq := range seqs {
		n += len(seq)
	}
	rows := upTo(n, rowBlock)
	x := room(&s.x, rows*hidden)
	clear(x[n*hidden:])
	if err := e.embed(x, seqs, s); err != nil {
		return nil, err
	}
	added := room(&s.added, rows*hidden)
	clear(added)
	e.kernels.norm(x[:n*hidden], added[:n*hidden], e.weights.Norm, e.weights.Shift)
	for i := range e.weights.Layers {
		e.layer(&e.weights.Layers[i], seqs, rows, n, s)
	}
	return pool(x, seqs), nil
}

// embed puts the embedding of each word piece and of its position into x.
func (e *encoder) embed(x []float32, seqs [][]int32, s *scratch) error {
	at := 0
	for _, seq := range seqs {
		for i, id := range seq {
			if _, err := e.file.ReadAt(s.word[:], e.words+int64(id)*hidden); err != nil {
				return fmt.Errorf("reading the embedding of word piece %d: %w", id, err)
			}
			scale, row := e.weights.WordScale[id], x[at:at+hidden]
			for j, p := range e.weights.Positions[i*hidden : (i+1)*hidden] {
				row[j] = float32(int8(s.word[j]))*scale + p
			}
			at += hidden
		}
	}
	return nil
}

// layer runs one block over the first n of rows of x.
func (e *encoder) layer(l *Layer, seqs [][]int32, rows, n int, s *scratch) {
	qkv, mixed := room(&s.qkv, rows*3*hidden), room(&s.mixed, rows*hidden)
	e.linear(qkv, s.x, &l.QKV, rows, s)
	clear(mixed[n*hidden:])
	at := 0
	for _, seq := range seqs {
		e.attend(at, len(seq), s)
		at += len(seq)
	}
	e.linear(s.added, mixed, &l.Out, rows, s)
	e.kernels.norm(s.x[:n*hidden], s.added[:n*hidden], l.Norm1, l.Shift1)

	up := room(&s.up, rows*inner)
	e.linear(up, s.x, &l.Up, rows, s)
	e.kernels.gelu(up)
	e.linear(s.added, up, &l.Down, rows, s)
	e.kernels.norm(s.x[:n*hidden], s.added[:n*hidden], l.Norm2, l.Shift2)
}

func (e *encoder) linear(dst, src []float32, w *Matrix, rows int, s *scratch) {
	e.kernels.round(&s.rounded, src, rows, w.In)
	e.kernels.linear(dst, &s.rounded, w, rows)
}

// attend mixes the values of one sequence, n tokens from row first on, into mixed.
func (e *encoder) attend(first, n int, s *scratch) {
	rows, wide := upTo(n, rowBlock), upTo(n, panelWidth)
	query, out := room(&s.query, rows*headSize), room(&s.out, rows*headSize)
	keys, values := room(&s.keys, wide*headSize), room(&s.values, wide*headSize)
	att := room(&s.att, rows*wide)
	clear(query[n*headSize:])
	clear(keys)
	clear(values)
	scale := float32(1 / math.Sqrt(headSize))
	for h := range heads {
		for t := range n {
			row := s.qkv[(first+t)*3*hidden+h*headSize:]
			copy(query[t*headSize:(t+1)*headSize], row)
			// Keys lie in panels of 16 tokens, values in panels of 16 numbers.
			panel := keys[t/panelWidth*headSize*panelWidth+t%panelWidth:]
			for i, v := range row[hidden : hidden+headSize] {
				panel[i*panelWidth] = v
			}
			for p := 0; p < headSize; p += panelWidth {
				copy(values[p*wide+t*panelWidth:][:panelWidth], row[2*hidden+p:])
			}
		}
		for p := 0; p < wide; p += panelWidth {
			e.kernels.panel(rows, headSize, query, headSize, keys[p*headSize:], att[p:], wide)
		}
		for t := range n {
			e.kernels.softmax(att[t*wide:(t+1)*wide], n, scale)
		}
		for p := 0; p < headSize; p += panelWidth {
			e.kernels.panel(rows, wide, att, wide, values[p*wide:], out[p:], headSize)
		}
		for t := range n {
			copy(s.mixed[(first+t)*hidden+h*headSize:][:headSize], out[t*headSize:])
		}
	}
}

// pool is the mean of the tokens of each sequence, made of length one.
func pool(x []float32, seqs [][]int32) [][]float32 {
	all := make([]float32, len(seqs)*hidden)
	vectors := make([][]float32, len(seqs))
	at := 0
	for i, seq := range seqs {
		v := all[i*hidden : (i+1)*hidden : (i+1)*hidden]
		for range seq {
			for j, y := range x[at : at+hidden] {
				v[j] += y
			}
			at += hidden
		}
		unit(v)
		vectors[i] = v
	}
	return vectors
}

func unit(v []float32) {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	if squares == 0 {
		return
	}
	by := float32(1 / math.Sqrt(squares))
	for i := range v {
		v[i] *= by
	}
}
