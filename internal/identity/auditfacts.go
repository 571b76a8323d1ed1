package identity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/observe"
)

// maxFacts bounds what is kept of before and after.
const maxFacts = 16 << 10

// redactedJSON is v as JSON with secrets masked; nil for nil.
func redactedJSON(v any) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(text) <= maxFacts && harmless(string(text)) {
		return text, nil
	}
	var plain any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&plain); err != nil {
		return nil, err
	}
	text, err = json.Marshal(masked(plain))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFacts {
		return json.RawMessage(fmt.Sprintf(`{"too_large":%d}`, len(text))), nil
	}
	return text, nil
}

func masked(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			v[name] = masked(value)
			switch value.(type) {
			case string, []any, map[string]any:
				if observe.SecretKey(name) && value != "" {
					v[name] = secret.Mask
				}
			}
		}
	case []any:
		for i := range v {
			v[i] = masked(v[i])
		}
	case string:
		return observe.Redact(v)
	}
	return v
}

// harmless says whether JSON as Marshal writes it has certainly nothing to mask,
// so that it need not be taken apart. Strings with escapes are not looked into.
func harmless(text string) bool {
	for {
		open := strings.IndexByte(text, '"')
		if open < 0 {
			return true
		}
		text = text[open+1:]
		end := strings.IndexByte(text, '"')
		word := text[:end]
		text = text[end+1:]
		if strings.IndexByte(word, '\\') >= 0 {
			return false
		}
		if strings.HasPrefix(text, ":") {
			if observe.SecretKey(word) {
				return false
			}
		} else if observe.Redact(word) != word {
			return false
		}
	}
}
