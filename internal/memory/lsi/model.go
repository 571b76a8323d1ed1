package lsi

import (
	"bytes"
	"compress/flate"
	"encoding/gob"
	"fmt"
	"io"
	"math"

	"github.com/fluxway/fluxway/internal/kit/words"
	"github.com/fluxway/fluxway/internal/memory"
)

// model is what words mean by the texts of one owner.
type model struct {
	at   map[string]int32
	idf  []float32
	rows matrix
}

// Dimensions has two more than there are directions: texts of unknown words lie along the one, questions of unknown
// words along the other, so that neither is near to anything.
const Dimensions = directions + 2

// embed projects a text.
func (m *model) embed(text string, kind memory.TextKind) []float32 {
	v := make([]float32, Dimensions)
	if m != nil {
		for _, e := range weighted(words.Cut(text), m.at, m.idf) {
			add(v[:directions], m.rows.row(int(e.word)), e.weight)
		}
	}
	length := math.Sqrt(dot(v, v))
	if length < 1e-6 {
		clear(v)
		v[directions+int(kind)] = 1
		return v
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
	return v
}

// packed is a model as it is kept: eight bits for each number, and a scale for each word.
type packed struct {
	Words  []string
	IDF    []float32
	Scales []float32
	Steps  []int8
}

func pack(c corpus, rows matrix) ([]byte, error) {
	p := packed{Words: c.words, IDF: c.idf, Steps: make([]int8, len(rows.rows))}
	for i := range c.words {
		row, most := rows.row(i), float32(1e-12)
		for _, x := range row {
			most = max(most, float32(math.Abs(float64(x))))
		}
		p.Scales = append(p.Scales, most/127)
		for j, x := range row {
			p.Steps[i*directions+j] = int8(math.Round(float64(x / most * 127)))
		}
	}
	var b bytes.Buffer
	z, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := gob.NewEncoder(z).Encode(p); err != nil {
		return nil, fmt.Errorf("packing the meanings of words: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// largestModel is what a packed one can be unpacked to.
const largestModel = 64 << 20

func unpack(name string, body []byte) (*model, error) {
	var p packed
	if err := gob.NewDecoder(io.LimitReader(flate.NewReader(bytes.NewReader(body)), largestModel)).Decode(&p); err != nil {
		return nil, fmt.Errorf("reading the meanings of words: %w", err)
	}
	n := len(p.Words)
	if len(p.IDF) != n || len(p.Scales) != n || len(p.Steps) != n*directions {
		return nil, fmt.Errorf("the meanings of words in %s are damaged", name)
	}
	m := &model{at: make(map[string]int32, n), idf: p.IDF, rows: newMatrix(n, directions)}
	for i, w := range p.Words {
		m.at[w] = int32(i)
		row := m.rows.row(i)
		for j := range row {
			row[j] = float32(p.Steps[i*directions+j]) * p.Scales[i]
		}
	}
	return m, nil
}
