package tools

import (
	"encoding/json"

	"github.com/fluxway/fluxway/internal/kit/rawjson"
)

// AppendJSON adds what json.Marshal makes of the result; of one that holds texts and nothing else, as most do, for a
// fraction of its cost.
func (r *Result) AppendJSON(to []byte) ([]byte, error) {
	begun := len(to)
	to = append(to, `{"parts":`...)
	if r.Parts == nil {
		to = append(to, "null"...)
	} else {
		to = append(to, '[')
		for i := range r.Parts {
			p := &r.Parts[i]
			if p.Data != nil || p.JSON != nil || p.Kept != nil || p.MediaType != "" || p.Path != "" || p.URI != "" {
				return r.appendAny(to[:begun])
			}
			if i > 0 {
				to = append(to, ',')
			}
			to = rawjson.AppendString(append(to, `{"kind":`...), p.Kind)
			to = append(rawjson.AppendText(to, "text", p.Text), '}')
		}
		to = append(to, ']')
	}
	if r.Full != nil || r.Needs != nil || len(r.Meta) > 0 {
		return r.appendAny(to[:begun])
	}
	to = rawjson.AppendTrue(to, "is_error", r.IsError)
	to = rawjson.AppendText(to, "code", r.Code)
	return append(rawjson.AppendTrue(to, "truncated", r.Truncated), '}'), nil
}

func (r *Result) appendAny(to []byte) ([]byte, error) {
	text, err := json.Marshal(r)
	return append(to, text...), err
}
