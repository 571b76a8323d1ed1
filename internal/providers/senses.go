package providers

import (
	"context"
	"io"
)

// Embedder turns texts into vectors.
type Embedder interface {
	Embed(ctx context.Context, req EmbedRequest) (Embeddings, error)
}

// EmbedRequest asks for one vector per text.
type EmbedRequest struct {
	Model      string
	Texts      []string
	Dimensions int    // 0: the model's own
	Purpose    string // "query" or "document" where the vendor tells them apart
}

// Embeddings are vectors in the order of the texts.
type Embeddings struct {
	Model   string
	Vectors [][]float32
	Usage   Usage
}

// Transcriber turns speech into text.
type Transcriber interface {
	Transcribe(ctx context.Context, req TranscribeRequest) (Transcript, error)
}

// TranscribeRequest is one recording.
type TranscribeRequest struct {
	Model    string
	Audio    io.Reader
	FileName string // its ending tells the vendor the format
	Language string // ISO 639-1, or empty to detect
	Prompt   string // words likely to occur
	English  bool   // translate into English instead
}

// Transcript is what was said.
type Transcript struct {
	Text     string
	Language string
	Seconds  float64 // length of the recording, 0 when not told
	Usage    Usage
}

// Speaker turns text into speech.
type Speaker interface {
	Speak(ctx context.Context, req SpeakRequest) (*Speech, error)
}

// SpeakRequest is one text to read aloud.
type SpeakRequest struct {
	Model        string
	Voice        string
	Text         string
	Format       string // mp3, opus, aac, flac, wav, pcm; empty: mp3
	Speed        float64
	Instructions string
}

// Speech is sound being received; close Audio.
type Speech struct {
	Audio     io.ReadCloser
	MediaType string
}
