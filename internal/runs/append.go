package runs

import (
	"encoding/json"
	"strconv"

	"github.com/fluxway/fluxway/internal/kit/rawjson"
	"github.com/fluxway/fluxway/internal/providers"
)

// The facts of every turn write their own JSON, as json.Marshal would: encoding them was a tenth of what a turn cost.

func (s *subject) append(to []byte) []byte {
	to = rawjson.AppendString(append(to, `{"run":`...), s.Run)
	to = rawjson.AppendString(rawjson.AppendKey(to, "conversation"), s.Conversation)
	return rawjson.AppendString(rawjson.AppendKey(to, "agent"), s.Agent)
}

// appendFields adds the fields of a call to the object at the end of to.
func (c *CallShown) appendFields(to []byte) (_ []byte, err error) {
	to = rawjson.AppendString(rawjson.AppendKey(to, "call"), c.Call)
	to = rawjson.AppendString(rawjson.AppendKey(to, "tool"), c.Tool)
	to = rawjson.AppendText(to, "title", c.Title)
	if len(c.Args) > 0 {
		to, err = rawjson.AppendRaw(rawjson.AppendKey(to, "args"), c.Args)
	}
	return to, err
}

// AppendJSON writes the delta.
func (d TextDelta) AppendJSON(to []byte) ([]byte, error) {
	to = rawjson.AppendString(append(to, `{"run":`...), d.Run)
	to = rawjson.AppendString(rawjson.AppendKey(to, "message"), d.Message)
	to = number(to, "attempt", int64(d.Attempt))
	to = number(to, "turn", int64(d.Turn))
	to = number(to, "seq", int64(d.Seq))
	return append(rawjson.AppendString(rawjson.AppendKey(to, "text"), d.Text), '}'), nil
}

// AppendJSON writes the delta.
func (d ReasoningDelta) AppendJSON(to []byte) ([]byte, error) { return TextDelta(d).AppendJSON(to) }

// AppendJSON writes the fact.
func (f TurnFinished) AppendJSON(to []byte) (_ []byte, err error) {
	to = number(f.subject.append(to), "step", int64(f.Step))
	to = number(to, "turn", int64(f.Turn))
	to = rawjson.AppendString(rawjson.AppendKey(to, "message"), f.Message)
	to = rawjson.AppendText(to, "text", f.Text)
	to = rawjson.AppendText(to, "reasoning", f.Reasoning)
	to = rawjson.AppendTrue(to, "cut", f.Cut)
	for i := range f.Calls {
		if i == 0 {
			to = append(rawjson.AppendKey(to, "calls"), '[')
		} else {
			to = append(to, ',')
		}
		if to, err = f.Calls[i].appendFields(append(to, '{')); err != nil {
			return to, err
		}
		to = append(to, '}')
	}
	if len(f.Calls) > 0 {
		to = append(to, ']')
	}
	to = f.Usage.AppendJSON(rawjson.AppendKey(to, "usage"))
	to = rawjson.AppendString(rawjson.AppendKey(to, "model"), f.Model)
	to = rawjson.AppendString(rawjson.AppendKey(to, "stop"), f.Stop)
	to = rawjson.AppendNumber(to, "ttft_ms", f.FirstMs)
	return append(number(to, "took_ms", f.TookMs), '}'), nil
}

// AppendJSON writes the fact.
func (f ToolStarted) AppendJSON(to []byte) (_ []byte, err error) {
	to = number(f.subject.append(to), "step", int64(f.Step))
	if to, err = f.CallShown.appendFields(number(to, "turn", int64(f.Turn))); err != nil {
		return to, err
	}
	to = rawjson.AppendText(to, "origin", f.Origin)
	return append(strconv.AppendBool(rawjson.AppendKey(to, "safe"), f.Safe), '}'), nil
}

// AppendJSON writes the fact.
func (f ToolFinished) AppendJSON(to []byte) (_ []byte, err error) {
	to = number(f.subject.append(to), "step", int64(f.Step))
	to = number(to, "turn", int64(f.Turn))
	to = rawjson.AppendString(rawjson.AppendKey(to, "call"), f.Call)
	to = rawjson.AppendString(rawjson.AppendKey(to, "tool"), f.Tool)
	to = rawjson.AppendText(to, "title", f.Title)
	to = strconv.AppendBool(rawjson.AppendKey(to, "ok"), f.OK)
	to = rawjson.AppendText(to, "code", f.Code)
	to = rawjson.AppendString(rawjson.AppendKey(to, "preview"), f.Preview)
	to = rawjson.AppendTrue(to, "truncated", f.Truncated)
	to = number(to, "took_ms", f.TookMs)
	to = rawjson.AppendText(to, "body", f.Body)
	if len(f.Images) > 0 {
		images, err := json.Marshal(f.Images)
		if err != nil {
			return to, err
		}
		to = append(rawjson.AppendKey(to, "images"), images...)
	}
	if len(f.Meta) > 0 {
		to, err = rawjson.AppendRaw(rawjson.AppendKey(to, "meta"), f.Meta)
	}
	return append(to, '}'), err
}

// number adds a field, also if it holds 0.
func number(to []byte, key string, n int64) []byte {
	return strconv.AppendInt(rawjson.AppendKey(to, key), n, 10)
}

// appendJSON adds what json.Marshal makes of the output of a model step.
func (a *answered) appendJSON(to []byte) (_ []byte, err error) {
	if to, err = providers.AppendParts(append(to, `{"parts":`...), a.Parts); err != nil {
		return to, err
	}
	return append(rawjson.AppendString(rawjson.AppendKey(to, "stop"), a.Stop), '}'), nil
}
