//go:build noembedder

package gte

import (
	"testing"

	"github.com/fluxway/fluxway/internal/memory"
)

// A binary that was built without the weights says so, and whoever wants vectors looks elsewhere.
func TestWithoutTheEmbedder(t *testing.T) {
	t.Parallel()
	if Included() {
		t.Error("the weights are said to be included")
	}
	if vectors, err := New().Embed(t.Context(), []string{"a text"}, memory.PassageText); err == nil {
		t.Errorf("a text got the vector %v", vectors)
	}
}
