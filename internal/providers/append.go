package providers

import (
	"encoding/base64"
	"strconv"

	"github.com/fluxway/fluxway/internal/kit/rawjson"
)

// AppendJSON adds what json.Marshal makes of the usage, for a fraction of its cost.
func (u *Usage) AppendJSON(to []byte) []byte {
	to = strconv.AppendInt(append(to, `{"input":`...), u.Input, 10)
	to = rawjson.AppendNumber(to, "cache_read", u.CacheRead)
	to = rawjson.AppendNumber(to, "cache_write", u.CacheWrite)
	to = rawjson.AppendNumber(to, "cache_write_long", u.CacheWriteLong)
	to = rawjson.AppendNumber(to, "audio_input", u.AudioInput)
	to = rawjson.AppendNumber(to, "image_input", u.ImageInput)
	to = strconv.AppendInt(rawjson.AppendKey(to, "output"), u.Output, 10)
	to = rawjson.AppendNumber(to, "reasoning", u.Reasoning)
	to = rawjson.AppendNumber(to, "audio_output", u.AudioOutput)
	to = rawjson.AppendNumber(to, "image_output", u.ImageOutput)
	to = rawjson.AppendNumber(to, "premium_milli", u.PremiumMilli)
	return append(rawjson.AppendTrue(to, "estimated", u.Estimated), '}')
}

// AppendJSON adds what json.Marshal makes of the part, for a fraction of its cost.
func (p *Part) AppendJSON(to []byte) (_ []byte, err error) {
	to = rawjson.AppendString(append(to, `{"kind":`...), p.Kind)
	to = rawjson.AppendText(to, "text", p.Text)
	to = rawjson.AppendText(to, "id", p.ID)
	to = rawjson.AppendText(to, "name", p.Name)
	if len(p.Args) > 0 {
		if to, err = rawjson.AppendRaw(rawjson.AppendKey(to, "args"), p.Args); err != nil {
			return to, err
		}
	}
	if len(p.Parts) > 0 {
		if to, err = AppendParts(rawjson.AppendKey(to, "parts"), p.Parts); err != nil {
			return to, err
		}
	}
	to = rawjson.AppendTrue(to, "is_error", p.IsError)
	if len(p.Data) > 0 {
		to = append(rawjson.AppendKey(to, "data"), '"')
		to = append(base64.StdEncoding.AppendEncode(to, p.Data), '"')
	}
	to = rawjson.AppendText(to, "url", p.URL)
	to = rawjson.AppendText(to, "media_type", p.MediaType)
	to = rawjson.AppendText(to, "signature", p.Signature)
	to = rawjson.AppendTrue(to, "redacted", p.Redacted)
	to = rawjson.AppendText(to, "vendor", p.Vendor)
	to = rawjson.AppendText(to, "model", p.Model)
	return append(rawjson.AppendTrue(to, "cache", p.Cache), '}'), nil
}

// AppendParts adds what json.Marshal makes of a list of parts.
func AppendParts(to []byte, parts []Part) (_ []byte, err error) {
	if parts == nil {
		return append(to, "null"...), nil
	}
	to = append(to, '[')
	for i := range parts {
		if i > 0 {
			to = append(to, ',')
		}
		if to, err = parts[i].AppendJSON(to); err != nil {
			return to, err
		}
	}
	return append(to, ']'), nil
}
