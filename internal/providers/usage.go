package providers

// Usage counts tokens by what they cost. The kinds are disjoint: a cached
// token is not in Input, a reasoning token is not in Output, so a price is a
// plain sum and so is Total.
type Usage struct {
	Input          int64 `json:"input"`
	CacheRead      int64 `json:"cache_read,omitempty"`
	CacheWrite     int64 `json:"cache_write,omitempty"`
	CacheWriteLong int64 `json:"cache_write_long,omitempty"`
	AudioInput     int64 `json:"audio_input,omitempty"`
	ImageInput     int64 `json:"image_input,omitempty"`
	Output         int64 `json:"output"`
	Reasoning      int64 `json:"reasoning,omitempty"`
	AudioOutput    int64 `json:"audio_output,omitempty"`
	ImageOutput    int64 `json:"image_output,omitempty"`

	// PremiumMilli is thousandths of a premium request, for plans that count
	// requests instead of tokens.
	PremiumMilli int64 `json:"premium_milli,omitempty"`
	// Estimated says that the vendor did not tell and we counted ourselves.
	Estimated bool `json:"estimated,omitempty"`
}

// TotalInput is every token sent.
func (u Usage) TotalInput() int64 {
	return u.Input + u.CacheRead + u.CacheWrite + u.CacheWriteLong + u.AudioInput + u.ImageInput
}

// TotalOutput is every token received, reasoning included.
func (u Usage) TotalOutput() int64 {
	return u.Output + u.Reasoning + u.AudioOutput + u.ImageOutput
}

// Total is every token.
func (u Usage) Total() int64 { return u.TotalInput() + u.TotalOutput() }

// Zero says whether nothing was counted.
func (u Usage) Zero() bool { return u == Usage{} || u == Usage{Estimated: true} }

// Plus adds two counts; the sum is estimated if either is.
func (u Usage) Plus(v Usage) Usage {
	u.Input += v.Input
	u.CacheRead += v.CacheRead
	u.CacheWrite += v.CacheWrite
	u.CacheWriteLong += v.CacheWriteLong
	u.AudioInput += v.AudioInput
	u.ImageInput += v.ImageInput
	u.Output += v.Output
	u.Reasoning += v.Reasoning
	u.AudioOutput += v.AudioOutput
	u.ImageOutput += v.ImageOutput
	u.PremiumMilli += v.PremiumMilli
	u.Estimated = u.Estimated || v.Estimated
	return u
}

// EstimateText guesses the tokens of a text: a quarter of its bytes, at least
// one. It is cheap, steady and within about a third of the vendors' counts.
func EstimateText(s string) int64 {
	if s == "" {
		return 0
	}
	return int64(len(s)+3) / 4
}

// Flat guesses for what has no text.
const (
	estimatedImage    = 1100
	estimatedMessage  = 4
	bytesPerDocToken  = 6
	bytesPerAudioTok  = 320
	estimatedToolBase = 8
)

// EstimateRequest guesses the input tokens of a request, to reserve a price
// before the call and to account for one whose vendor never told.
func EstimateRequest(req *Request) int64 {
	n := estimateParts(req.System)
	for i := range req.Messages {
		n += estimatedMessage + estimateParts(req.Messages[i].Parts)
	}
	for i := range req.Tools {
		t := &req.Tools[i]
		n += estimatedToolBase + EstimateText(t.Name) + EstimateText(t.Description) + int64(len(t.Schema)+3)/4
	}
	if req.Format != nil {
		n += int64(len(req.Format.Schema)+3) / 4
	}
	return n
}

func estimateParts(parts []Part) int64 {
	var n int64
	for i := range parts {
		p := &parts[i]
		n += EstimateText(p.Text) + EstimateText(p.Name) + int64(len(p.Args)+3)/4 + estimateParts(p.Parts)
		switch p.Kind {
		case PartImage:
			n += estimatedImage
		case PartDocument:
			n += int64(len(p.Data)) / bytesPerDocToken
		case PartAudio:
			n += int64(len(p.Data)) / bytesPerAudioTok
		}
	}
	return n
}
