package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

// The limits of a form: a recording, and the words beside it.
const (
	maxRecording = 50 << 20
	maxField     = 64 << 10
	maxFields    = 40
)

// recording is a form with sound, as OpenAI's clients send it.
type recording struct {
	fields map[string]string
	name   string
	sound  bytes.Buffer
}

func badForm(param, format string, args ...any) *fault.Fault {
	return fault.New(fault.Invalid, "invalid_request", format, args...).WithParam(param).
		WithHint("Send multipart/form-data with the fields file and model.")
}

// readRecording takes the form part by part; nothing beyond the limits is read.
func readRecording(c *call) (*recording, error) {
	kind, params, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return nil, badForm("Content-Type", "A recording comes as a form, not as %q.", cut(c.r.Header.Get("Content-Type")))
	}
	body := http.MaxBytesReader(c.w, c.r.Body, maxRecording+maxFields*maxField)
	form := multipart.NewReader(body, params["boundary"])
	r := &recording{fields: make(map[string]string)}
	for range maxFields {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return r, r.check()
		}
		if err != nil {
			return nil, formFault(err)
		}
		if err := r.take(part); err != nil {
			return nil, err
		}
	}
	return nil, badForm("body", "The form has more than %d fields.", maxFields)
}

func formFault(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return tooLarge(maxRecording)
	}
	return badForm("body", "The form cannot be read.").Because(err)
}

func (r *recording) take(part *multipart.Part) error {
	if part.FormName() == "file" {
		r.name = part.FileName()
		n, err := r.sound.ReadFrom(io.LimitReader(part, maxRecording+1))
		if err != nil {
			return formFault(err)
		}
		if n > maxRecording {
			return tooLarge(maxRecording)
		}
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(part, maxField+1))
	if err != nil {
		return formFault(err)
	}
	if len(text) > maxField {
		return badForm(cut(part.FormName()), "The field %q is longer than %s.", cut(part.FormName()), size(maxField))
	}
	r.fields[part.FormName()] = string(text)
	return nil
}

func (r *recording) check() error {
	switch {
	case r.sound.Len() == 0:
		return badForm("file", "The form has no recording in the field file.")
	case r.fields["model"] == "":
		return badForm("model", "The form names no model.")
	}
	switch r.fields["response_format"] {
	case "", "json", "text", "verbose_json":
		return nil
	}
	return badForm("response_format", "The format %q is not made here.", cut(r.fields["response_format"])).WithHint("Use json, text or verbose_json.")
}

func (a doorsAPI) transcribe(c *call) error {
	in, err := readRecording(c)
	if err != nil {
		return err
	}
	models, err := a.gateway.Router(c.ctx)
	if err != nil {
		return err
	}
	steady{c}.endless()
	english := strings.HasSuffix(c.e.route.Pattern, "/translations")
	out, err := models.Transcribe(c.charged("openai", in.fields["model"]), providers.TranscribeRequest{
		Model: in.fields["model"], Audio: &in.sound, FileName: in.name, Language: in.fields["language"], Prompt: in.fields["prompt"], English: english,
	})
	if err != nil {
		return err
	}
	if in.fields["stream"] == "true" {
		return a.transcriptEvents(c, out)
	}
	switch in.fields["response_format"] {
	case "text":
		c.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(c.w, out.Text+"\n") // the caller is gone, or has it
		return nil
	case "verbose_json":
		task := "transcribe"
		if english {
			task = "translate"
		}
		return c.foreignJSON(map[string]any{"task": task, "language": out.Language, "duration": out.Seconds, "text": out.Text, "segments": []any{}})
	}
	return c.foreignJSON(map[string]any{"text": out.Text, "usage": transcriptUsage(out)})
}

func transcriptUsage(out providers.Transcript) map[string]any {
	u := out.Usage
	if u.Zero() {
		return map[string]any{"type": "duration", "seconds": out.Seconds}
	}
	return map[string]any{
		"type": "tokens", "input_tokens": u.TotalInput(), "output_tokens": u.TotalOutput(), "total_tokens": u.Total(),
		"input_token_details": map[string]int64{"text_tokens": u.Input, "audio_tokens": u.AudioInput},
	}
}

// transcriptEvents is a stream for those who asked for one; the whole text is
// there at once.
func (a doorsAPI) transcriptEvents(c *call, out providers.Transcript) error {
	w := a.outlet(c, "text/event-stream; charset=utf-8")
	for _, event := range []map[string]any{
		{"type": "transcript.text.delta", "delta": out.Text},
		{"type": "transcript.text.done", "text": out.Text, "usage": transcriptUsage(out)},
	} {
		data, err := json.Marshal(event)
		if err != nil {
			return err
		}
		if err := w.write([]byte("data: " + string(data) + "\n\n")); err != nil {
			return nil //nolint:nilerr // the caller is gone
		}
	}
	return nil
}

func (a doorsAPI) speak(c *call) error {
	var in struct {
		Model        string          `json:"model"`
		Input        string          `json:"input"`
		Voice        json.RawMessage `json:"voice"`
		Format       string          `json:"response_format"`
		Speed        float64         `json:"speed"`
		Instructions string          `json:"instructions"`
		StreamFormat string          `json:"stream_format"`
	}
	if err := decodeForeign(c, &in); err != nil {
		return err
	}
	var voice string
	var named struct {
		ID string `json:"id"`
	}
	if len(in.Voice) > 0 && json.Unmarshal(in.Voice, &voice) != nil {
		if err := json.Unmarshal(in.Voice, &named); err != nil {
			return fault.New(fault.Invalid, "invalid_request", "The voice is a name, or an object with its id.").WithParam("voice")
		}
		voice = named.ID
	}
	if in.StreamFormat == "sse" {
		return fault.New(fault.Invalid, "not_translatable", "Speech is sent as sound, not as events.").WithParam("stream_format").WithHint("Leave stream_format out; the sound comes piece by piece.")
	}
	models, err := a.gateway.Router(c.ctx)
	if err != nil {
		return err
	}
	out, err := models.Speak(c.charged("openai", in.Model), providers.SpeakRequest{
		Model: in.Model, Voice: voice, Text: in.Input, Format: in.Format, Speed: in.Speed, Instructions: in.Instructions,
	})
	if err != nil {
		return err
	}
	defer out.Audio.Close()
	w := a.outlet(c, out.MediaType)
	buf := bursts.Get().(*[burstSize]byte)
	defer bursts.Put(buf)
	for {
		n, err := out.Audio.Read(buf[:])
		if failed := w.write(buf[:n]); failed != nil || errors.Is(err, io.EOF) {
			return nil //nolint:nilerr // the caller is gone, or has it all
		}
		if err != nil {
			panic(http.ErrAbortHandler) // half a speech must not look whole
		}
	}
}
