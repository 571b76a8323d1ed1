package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/wire"
)

// maxAudio is the vendor's limit for one recording.
const maxAudio = 25 << 20

// Embed makes one vector per text.
func (m *Model) Embed(ctx context.Context, req providers.EmbedRequest) (providers.Embeddings, error) {
	in := map[string]any{"model": req.Model, "input": req.Texts, "encoding_format": "float"}
	if req.Dimensions > 0 {
		in["dimensions"] = req.Dimensions
	}
	var out struct {
		Model string `json:"model"`
		Data  []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
		Usage struct {
			Prompt int64 `json:"prompt_tokens"`
		} `json:"usage"`
	}
	if err := m.client.JSON(ctx, wire.Call{Path: "/embeddings", Model: req.Model}, in, &out); err != nil {
		return providers.Embeddings{}, err
	}
	e := providers.Embeddings{Model: cmp.Or(out.Model, req.Model), Vectors: make([][]float32, len(req.Texts)), Usage: providers.Usage{Input: out.Usage.Prompt}}
	for _, d := range out.Data {
		if d.Index < 0 || d.Index >= len(e.Vectors) {
			return e, providers.Broken(ctx, m.vendor, fmt.Errorf("a vector for text %d of %d", d.Index, len(e.Vectors)))
		}
		e.Vectors[d.Index] = d.Embedding
	}
	for i, v := range e.Vectors {
		if len(v) == 0 {
			return e, providers.Broken(ctx, m.vendor, fmt.Errorf("no vector for text %d", i))
		}
	}
	return e, nil
}

// Transcribe turns a recording into text.
func (m *Model) Transcribe(ctx context.Context, req providers.TranscribeRequest) (providers.Transcript, error) {
	body, contentType, err := m.recording(req)
	if err != nil {
		return providers.Transcript{}, err
	}
	var out struct {
		Text     string  `json:"text"`
		Language string  `json:"language"`
		Duration float64 `json:"duration"`
		Usage    struct {
			Type      string  `json:"type"` // tokens or duration
			Seconds   float64 `json:"seconds"`
			Input     int64   `json:"input_tokens"`
			Output    int64   `json:"output_tokens"`
			InputMore struct {
				Text  int64 `json:"text_tokens"`
				Audio int64 `json:"audio_tokens"`
			} `json:"input_token_details"`
		} `json:"usage"`
	}
	path := "/audio/transcriptions"
	if req.English {
		path = "/audio/translations"
	}
	resp, err := m.client.Do(ctx, wire.Call{Path: path, Body: body, Type: contentType, Accept: "application/json", Model: req.Model})
	if err != nil {
		return providers.Transcript{}, err
	}
	defer resp.Body.Close()
	if err := m.client.Decode(ctx, resp.Body, &out); err != nil {
		return providers.Transcript{}, err
	}
	audio := out.Usage.InputMore.Audio
	return providers.Transcript{
		Text: out.Text, Language: cmp.Or(out.Language, req.Language), Seconds: cmp.Or(out.Usage.Seconds, out.Duration),
		Usage: providers.Usage{Input: out.Usage.Input - audio, AudioInput: audio, Output: out.Usage.Output},
	}, nil
}

func (m *Model) recording(req providers.TranscribeRequest) ([]byte, string, error) {
	var buf bytes.Buffer
	form := multipart.NewWriter(&buf)
	file, err := form.CreateFormFile("file", cmp.Or(req.FileName, "audio.wav"))
	if err != nil {
		return nil, "", fmt.Errorf("encoding a recording: %w", err)
	}
	n, err := io.Copy(file, io.LimitReader(req.Audio, maxAudio+1))
	if err != nil {
		return nil, "", fmt.Errorf("reading a recording: %w", err)
	}
	if n > maxAudio {
		return nil, "", fault.New(fault.TooLarge, "audio_too_large", "The recording is larger than 25 MB.").WithHint("Cut or compress it.")
	}
	fields := [][2]string{{"model", req.Model}, {"response_format", "json"}}
	if req.Language != "" && !req.English {
		fields = append(fields, [2]string{"language", req.Language})
	}
	if req.Prompt != "" {
		fields = append(fields, [2]string{"prompt", req.Prompt})
	}
	for _, f := range fields {
		if err := form.WriteField(f[0], f[1]); err != nil {
			return nil, "", fmt.Errorf("encoding a recording: %w", err)
		}
	}
	if err := form.Close(); err != nil {
		return nil, "", fmt.Errorf("encoding a recording: %w", err)
	}
	return buf.Bytes(), form.FormDataContentType(), nil
}

// Speak reads a text aloud.
func (m *Model) Speak(ctx context.Context, req providers.SpeakRequest) (*providers.Speech, error) {
	in := map[string]any{"model": req.Model, "voice": cmp.Or(req.Voice, "alloy"), "input": req.Text, "response_format": cmp.Or(req.Format, "mp3")}
	if req.Speed > 0 {
		in["speed"] = req.Speed
	}
	if req.Instructions != "" {
		in["instructions"] = req.Instructions
	}
	body, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("encoding a text to speak: %w", err)
	}
	resp, err := m.client.Do(ctx, wire.Call{Method: http.MethodPost, Path: "/audio/speech", Body: body, Model: req.Model})
	if err != nil {
		return nil, err
	}
	mediaType, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	return &providers.Speech{Audio: resp.Body, MediaType: cmp.Or(mediaType, "audio/mpeg")}, nil
}
