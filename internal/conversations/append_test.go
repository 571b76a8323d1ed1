package conversations

import (
	"testing"

	"github.com/fluxway/fluxway/internal/kit/rawjson/rawjsontest"
)

func TestMessagesAreWrittenAsEver(t *testing.T) {
	t.Parallel()
	rawjsontest.Same(t, func(f *MessageAdded, to []byte) ([]byte, error) { return f.AppendJSON(to) })
	rawjsontest.Same(t, (*Message).append)
	rawjsontest.Same(t, (*CallNote).append)
}
