package memory_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/memory"
)

func TestExportAndImport(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.add(w.anna, "The user's hat is blue")
		w.add(w.anna, "The user's hat is red")
		w.add(w.bert, "The user's hat is grey")
		_, err := w.CreateEntities(ctx, memory.GraphOf{Owner: w.anna}, []memory.Node{{Name: "Hat", EntityType: "thing", Observations: []string{"is felt"}}})
		must(t, err)
		_, err = w.MergeProfile(ctx, w.anna, map[string]any{"size": "XL"})
		must(t, err)
		var out bytes.Buffer
		must(t, w.Export(ctx, w.anna, &out))
		if strings.Contains(out.String(), "grey") || !strings.Contains(out.String(), "blue") {
			t.Errorf("exported:\n%s", out.String())
		}
		must(t, w.ForgetUser(ctx, w.anna))
		in := out.String() + `{"text":"The user's scarf is long"}` + "\n" + `{"text":"hello!"}` + "\nnonsense\n"
		got, err := w.Import(ctx, w.anna, strings.NewReader(in))
		must(t, err)
		if got.Facts[memory.Added] != 2 || got.Entities != 1 || got.Fields != 1 || len(got.Refused) != 2 {
			t.Errorf("imported %+v", got)
		}
		if got := first(w.find(w.anna, "hat colour")); got != "The user's hat is red" {
			t.Errorf("found %q", got)
		}
	})
}
