package providers_test

import (
	"testing"

	"github.com/fluxway/fluxway/internal/kit/rawjson/rawjsontest"
	"github.com/fluxway/fluxway/internal/providers"
)

func TestPartsAreWrittenAsEver(t *testing.T) {
	t.Parallel()
	rawjsontest.Same(t, func(u *providers.Usage, to []byte) ([]byte, error) { return u.AppendJSON(to), nil })
	rawjsontest.Same(t, (*providers.Part).AppendJSON)
	rawjsontest.Same(t, func(list *[]providers.Part, to []byte) ([]byte, error) { return providers.AppendParts(to, *list) })
}
