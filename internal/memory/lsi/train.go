package lsi

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// The size of a model.
const (
	directions = 128
	spare      = 16 // directions more while they are looked for, for precision
	powers     = 4  // times the differences between directions are sharpened
	mostWords  = 20_000
	mostTexts  = 20_000
	fewest     = 3
)

// entry is a word of a text with its weight.
type entry struct {
	word   int32
	weight float32
}

// corpus is texts as lists of weighted words, each of length one.
type corpus struct {
	words []string
	idf   []float32
	texts [][]entry
}

// gather weighs the words of texts. Words of one text alone say nothing about others.
func gather(texts [][]string) corpus {
	in := map[string]int{}
	for _, t := range texts {
		for w := range counted(t) {
			in[w]++
		}
	}
	maps.DeleteFunc(in, func(_ string, n int) bool { return n < 2 })
	c := corpus{words: slices.SortedFunc(maps.Keys(in), func(a, b string) int { return cmp.Or(cmp.Compare(in[b], in[a]), cmp.Compare(a, b)) })}
	c.words = c.words[:min(len(c.words), mostWords)]
	at := make(map[string]int32, len(c.words))
	for i, w := range c.words {
		at[w] = int32(i)
		c.idf = append(c.idf, float32(math.Log(1+float64(len(texts))/float64(in[w]))))
	}
	for _, t := range texts {
		if list := weighted(t, at, c.idf); len(list) > 0 {
			c.texts = append(c.texts, list)
		}
	}
	return c
}

func counted(words []string) map[string]int {
	m := make(map[string]int, len(words))
	for _, w := range words {
		m[w]++
	}
	return m
}

// weighted is the words of a text that are known, in their order, as a vector of length one.
func weighted(words []string, at map[string]int32, idf []float32) []entry {
	var list []entry
	var squares float64
	for w, n := range counted(words) {
		i, ok := at[w]
		if !ok {
			continue
		}
		x := (1 + float32(math.Log(float64(n)))) * idf[i]
		list = append(list, entry{i, x})
		squares += float64(x) * float64(x)
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.word, b.word) })
	by := float32(1 / math.Sqrt(max(squares, 1e-12)))
	for i := range list {
		list[i].weight *= by
	}
	return list
}

// matrix is rows of the same width, one after the other.
type matrix struct {
	width int
	rows  []float32
}

func newMatrix(height, width int) matrix { return matrix{width, make([]float32, height*width)} }

func (m matrix) row(i int) []float32 { return m.rows[i*m.width : (i+1)*m.width] }

// decompose finds the directions along which texts differ most: a row of so many numbers for each word.
func decompose(ctx context.Context, c corpus) (matrix, error) {
	width := min(directions+spare, len(c.words), len(c.texts))
	y := newMatrix(len(c.words), width)
	r := rand.New(rand.NewPCG(7, uint64(len(c.words))))
	guess := newMatrix(len(c.texts), width)
	for i := range guess.rows {
		guess.rows[i] = float32(r.NormFloat64())
	}
	c.spread(guess, y)
	orthonormal(y)
	for range powers {
		if err := context.Cause(ctx); err != nil {
			return y, err
		}
		c.collect(y, guess)
		c.spread(guess, y)
		orthonormal(y)
	}
	c.collect(y, guess)
	return rotate(y, guess), context.Cause(ctx)
}

// spread is y = A x: each word gets what its texts have.
func (c corpus) spread(x, y matrix) {
	clear(y.rows)
	for t, list := range c.texts {
		from := x.row(t)
		for _, e := range list {
			add(y.row(int(e.word)), from, e.weight)
		}
	}
}

// collect is x = Aᵀ y: each text gets what its words have.
func (c corpus) collect(y, x matrix) {
	clear(x.rows)
	for t, list := range c.texts {
		to := x.row(t)
		for _, e := range list {
			add(to, y.row(int(e.word)), e.weight)
		}
	}
}

func add(to, from []float32, by float32) {
	from = from[:len(to)]
	for i := range to {
		to[i] += by * from[i]
	}
}

// orthonormal makes the columns of a matrix of length one and at right angles, by Gram and Schmidt, twice for precision.
func orthonormal(m matrix) {
	height := len(m.rows) / max(1, m.width)
	columns := newMatrix(m.width, height)
	for i := range height {
		for j, x := range m.row(i) {
			columns.rows[j*height+i] = x
		}
	}
	for j := range m.width {
		column := columns.row(j)
		for range 2 {
			for k := range j {
				before := columns.row(k)
				add(column, before, -float32(dot(column, before)))
			}
		}
		by := float32(0)
		if length := math.Sqrt(dot(column, column)); length > 1e-9 {
			by = float32(1 / length)
		}
		for i := range column {
			column[i] *= by
		}
	}
	for i := range height {
		row := m.row(i)
		for j := range row {
			row[j] = columns.rows[j*height+i]
		}
	}
}

func dot(a, b []float32) float64 {
	var sum float64
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

// rotate turns an orthonormal basis so that its first columns are those along which the texts differ most, and keeps
// them. texts is what each text has in the basis.
func rotate(basis, texts matrix) matrix {
	n := basis.width
	square := make([][]float64, n)
	for i := range square {
		square[i] = make([]float64, n)
	}
	for t := range len(texts.rows) / max(1, n) {
		row := texts.row(t)
		for i, x := range row {
			for j := i; j < n; j++ {
				square[i][j] += float64(x) * float64(row[j])
			}
		}
	}
	for i := range n {
		for j := range i {
			square[i][j] = square[j][i]
		}
	}
	values, turns := eigen(square)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	order = order[:min(n, keptOf(len(basis.rows)/max(1, n)))]
	out := newMatrix(len(basis.rows)/max(1, n), directions)
	for i := range len(basis.rows) / max(1, n) {
		from, to := basis.row(i), out.row(i)
		for k, column := range order {
			var sum float64
			for j, x := range from {
				sum += float64(x) * turns[j][column]
			}
			to[k] = float32(sum)
		}
	}
	return out
}

// keptOf is how many directions are kept: of few words only a part, for all of them together would tell every word
// from every other.
func keptOf(words int) int { return min(directions, max(fewest, words/6)) }

// eigen finds the eigenvalues of a symmetric matrix, which it spoils, and their vectors as columns, by the method of Jacobi.
func eigen(a [][]float64) (values []float64, vectors [][]float64) {
	n := len(a)
	vectors = make([][]float64, n)
	for i := range vectors {
		vectors[i] = make([]float64, n)
		vectors[i][i] = 1
	}
	for range 30 {
		var off float64
		for p := range n {
			for q := p + 1; q < n; q++ {
				off += a[p][q] * a[p][q]
				turn(a, vectors, p, q)
			}
		}
		if off < 1e-12 {
			break
		}
	}
	values = make([]float64, n)
	for i := range n {
		values[i] = a[i][i]
	}
	return values, vectors
}

// turn makes a[p][q] zero by a rotation.
func turn(a, vectors [][]float64, p, q int) {
	if math.Abs(a[p][q]) < 1e-15 {
		return
	}
	theta := (a[q][q] - a[p][p]) / (2 * a[p][q])
	t := math.Copysign(1, theta) / (math.Abs(theta) + math.Sqrt(theta*theta+1))
	c := 1 / math.Sqrt(t*t+1)
	s := t * c
	for i := range a {
		x, y := a[i][p], a[i][q]
		a[i][p], a[i][q] = c*x-s*y, s*x+c*y
	}
	for i := range a {
		x, y := a[p][i], a[q][i]
		a[p][i], a[q][i] = c*x-s*y, s*x+c*y
	}
	for i := range vectors {
		x, y := vectors[i][p], vectors[i][q]
		vectors[i][p], vectors[i][q] = c*x-s*y, s*x+c*y
	}
}
