package runs

import (
	"testing"

	"github.com/fluxway/fluxway/internal/kit/rawjson/rawjsontest"
)

func TestFactsAreWrittenAsEver(t *testing.T) {
	t.Parallel()
	rawjsontest.Same(t, func(f *TurnFinished, to []byte) ([]byte, error) { return f.AppendJSON(to) })
	rawjsontest.Same(t, func(d *TextDelta, to []byte) ([]byte, error) { return d.AppendJSON(to) })
	rawjsontest.Same(t, func(d *ReasoningDelta, to []byte) ([]byte, error) { return d.AppendJSON(to) })
	rawjsontest.Same(t, func(f *ToolStarted, to []byte) ([]byte, error) { return f.AppendJSON(to) })
	rawjsontest.Same(t, func(f *ToolFinished, to []byte) ([]byte, error) { return f.AppendJSON(to) })
	rawjsontest.Same(t, (*answered).appendJSON)
}
