package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/rawjson/rawjsontest"
	"github.com/fluxway/fluxway/internal/tools"
)

func TestResultsAreWrittenAsEver(t *testing.T) {
	t.Parallel()
	rawjsontest.Same(t, (*tools.Result).AppendJSON)
	for _, r := range []tools.Result{{}, tools.Says("a <b>\n\"c\""), {Parts: []tools.Part{}, IsError: true, Code: "x", Truncated: true}} {
		want, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.AppendJSON(nil); err != nil || string(got) != string(want) {
			t.Errorf("%+v is written as %s, %v; want %s", r, got, err, want)
		}
	}
}
