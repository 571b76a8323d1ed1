package compat

import (
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/fluxway/fluxway/internal/providers"
)

// dataURL reads "data:image/png;base64,…"; ok is false for any other address.
func dataURL(address string) (mediaType string, data []byte, ok bool, err error) {
	rest, ok := strings.CutPrefix(address, "data:")
	if !ok {
		return "", nil, false, nil
	}
	kind, body, found := strings.Cut(rest, ",")
	if !found {
		return "", nil, true, bad("url", "A data URL has no comma.").WithHint("It looks like data:image/png;base64,iVBOR….")
	}
	mediaType, _, _ = strings.Cut(kind, ";")
	if strings.HasSuffix(kind, ";base64") {
		data, err = base64Data(body)
		return mediaType, data, true, err
	}
	text, err := url.PathUnescape(body)
	if err != nil {
		return "", nil, true, bad("url", "A data URL cannot be read.").Because(err)
	}
	return mediaType, []byte(text), true, nil
}

func base64Data(text string) ([]byte, error) {
	text = strings.TrimRight(text, "=")
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	data, err := encoding.DecodeString(text)
	if err != nil {
		return nil, bad("data", "What should be base64 is not.").Because(err)
	}
	return data, nil
}

// atAddress makes a part of something that is given by its address or as a data URL.
func atAddress(kind providers.PartKind, address string) (providers.Part, error) {
	mediaType, data, inline, err := dataURL(address)
	switch {
	case err != nil:
		return providers.Part{}, err
	case inline:
		return providers.Part{Kind: kind, MediaType: mediaType, Data: data}, nil
	case address == "":
		return providers.Part{}, bad("url", "An address is empty.")
	}
	return providers.Part{Kind: kind, URL: address}, nil
}

// fileData is a data URL or, as some clients send it, bare base64 of a PDF.
func fileData(text, name string) (providers.Part, error) {
	mediaType, data, inline, err := dataURL(text)
	if err == nil && !inline {
		mediaType = "application/pdf"
		data, err = base64Data(text)
	}
	kind := providers.PartDocument
	if strings.HasPrefix(mediaType, "image/") {
		kind = providers.PartImage
	}
	return providers.Part{Kind: kind, MediaType: mediaType, Data: data, Name: name}, err
}

// kindOf sorts inline data by its media type.
func kindOf(mediaType string) providers.PartKind {
	switch {
	case strings.HasPrefix(mediaType, "image/"):
		return providers.PartImage
	case strings.HasPrefix(mediaType, "audio/"):
		return providers.PartAudio
	}
	return providers.PartDocument
}

// thread puts messages together; parts of one role in a row become one message.
type thread struct {
	req   *providers.Request
	names map[string]string // of calls, by id
}

func newThread(req *providers.Request) *thread {
	return &thread{req: req, names: make(map[string]string)}
}

func (t *thread) add(role providers.Role, parts ...providers.Part) {
	if len(parts) == 0 {
		return
	}
	for i := range parts {
		switch p := &parts[i]; p.Kind {
		case providers.PartToolCall:
			t.names[p.ID] = p.Name
		case providers.PartToolResult:
			if p.Name == "" {
				p.Name = t.names[p.ID]
			}
		}
	}
	if n := len(t.req.Messages); n > 0 && t.req.Messages[n-1].Role == role {
		t.req.Messages[n-1].Parts = append(t.req.Messages[n-1].Parts, parts...)
		return
	}
	t.req.Messages = append(t.req.Messages, providers.Message{Role: role, Parts: parts})
}

// check refuses a request without anything to answer.
func (t *thread) check(param string) error {
	if len(t.req.Messages) == 0 {
		return bad(param, "There is nothing to answer: %q has no message of a user.", param)
	}
	return nil
}

func effort(text string) (providers.Effort, error) {
	switch e := providers.Effort(text); e {
	case "", providers.EffortNone, providers.EffortMinimal, providers.EffortLow, providers.EffortMedium, providers.EffortHigh, providers.EffortMax:
		return e, nil
	case "xhigh":
		return providers.EffortMax, nil
	}
	return "", bad("reasoning_effort", "There is no effort %q.", text).WithHint("Use none, minimal, low, medium, high or xhigh.")
}
