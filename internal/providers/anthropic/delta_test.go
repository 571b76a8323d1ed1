package anthropic

import "testing"

func TestAPieceOfTextIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" token"}}`:      " token",
		`{"type":"content_block_delta","index":12,"delta":{"type":"text_delta","text":"ä"}        }`:  "ä",
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":""} } `:          "",
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\n\"b\""}}`:    "a\n\"b\"",
		`{"index":0,"delta":{"text":"turned","type":"text_delta"},"type":"content_block_delta"}`:      "turned",
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a","more":1}}`:  "a",
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"},"more":[]}`: "a",
	} {
		if text, ok := plainDelta([]byte(data)); !ok || text != want {
			t.Errorf("%s: %q, %v", data, text, ok)
		}
	}
	for _, data := range []string{
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"a"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":`,
		`{"type":"message_stop"}`, `{`, ``,
	} {
		if text, ok := plainDelta([]byte(data)); ok {
			t.Errorf("%s is taken for %q", data, text)
		}
	}
}
