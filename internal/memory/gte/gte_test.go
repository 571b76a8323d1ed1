package gte

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/fluxway/fluxway/internal/memory"
)

// reference is what onnxruntime 1.21 and the published tokenizer make of a text
// with the published weights of 32 bits.
type reference struct {
	Text   string    `json:"text"`
	IDs    []int32   `json:"ids"`
	Vector []float32 `json:"vector"`
}

func references(t *testing.T) []reference {
	t.Helper()
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []reference
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// needWeights skips a test in a checkout without weights, but not in CI.
func needWeights(t testing.TB) {
	t.Helper()
	if Included() {
		return
	}
	if os.Getenv("FLUXWAY_TEST_WEIGHTS") == "require" {
		t.Fatal("the weights are not there; run scripts/model-weights")
	}
	t.Skip("the weights are not there (scripts/model-weights)")
}

func TestWeightsAreTheOnesWeKnow(t *testing.T) {
	t.Parallel()
	needWeights(t)
	f, err := embedded().Open(weightsFile)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != WeightsSHA256 {
		t.Errorf("SHA-256 of %s = %s, want %s", weightsFile, got, WeightsSHA256)
	}
}

func TestTokensAreThoseOfThePublishedTokenizer(t *testing.T) {
	t.Parallel()
	needWeights(t)
	e, err := openEmbedded(portable())
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range references(t) {
		if got := e.tokens.encode(ref.Text, maxTokens); !slices.Equal(got, ref.IDs) {
			t.Errorf("encode(%q)\n got %v\nwant %v", ref.Text, got, ref.IDs)
		}
	}
}

func dot(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestVectorsAreThoseOfThePublishedModel(t *testing.T) {
	t.Parallel()
	needWeights(t)
	refs := references(t)
	for _, k := range available() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			refs := refs
			if k.name == "portable" {
				refs = refs[4:6] // slow, and the other kernels are compared with it
			}
			e, err := openEmbedded(k)
			if err != nil {
				t.Fatal(err)
			}
			var got [][]float32
			for _, ref := range refs {
				v, err := e.encode([][]int32{ref.IDs}, new(scratch))
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, v[0])
				if cos := dot(v[0], ref.Vector); cos < 0.99 {
					t.Errorf("cosine of %q with the published model's = %.4f, want at least 0.99", ref.Text, cos)
				}
			}
			for i := range refs {
				for j := range i {
					ours, theirs := dot(got[i], got[j]), dot(refs[i].Vector, refs[j].Vector)
					if d := ours - theirs; d < -0.015 || d > 0.015 {
						t.Errorf("similarity of %q and %q = %.4f, the published model says %.4f", refs[i].Text, refs[j].Text, ours, theirs)
					}
				}
			}
		})
	}
}

func TestTextsTogetherGiveWhatEachGivesAlone(t *testing.T) {
	t.Parallel()
	needWeights(t)
	e := New()
	var texts []string
	for _, ref := range references(t) {
		texts = append(texts, ref.Text)
	}
	together, err := e.Embed(t.Context(), texts, memory.PassageText)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		alone, err := e.Embed(t.Context(), []string{text}, memory.QueryText)
		if err != nil {
			t.Fatal(err)
		}
		if cos := dot(alone[0], together[i]); cos < 0.99999 {
			t.Errorf("cosine of %q alone and among others = %.6f", text, cos)
		}
	}
}

func BenchmarkEmbed(b *testing.B) {
	needWeights(b)
	for _, k := range available() {
		e, err := openEmbedded(k)
		if err != nil {
			b.Fatal(err)
		}
		for _, n := range []int{8, 32, 128, 254} {
			b.Run(k.name+"/"+map[int]string{8: "8", 32: "32", 128: "128", 254: "254"}[n], func(b *testing.B) {
				seq := make([]int32, n)
				for i := range seq {
					seq[i] = int32(2000 + 37*i%20000)
				}
				s := new(scratch)
				for b.Loop() {
					if _, err := e.encode([][]int32{seq}, s); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
