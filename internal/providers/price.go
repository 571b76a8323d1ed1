package providers

import (
	"fmt"
	"time"
)

// Day is a date at midnight UTC; in JSON 2026-07-30.
type Day struct{ time.Time }

// UnmarshalJSON reads a date.
func (d *Day) UnmarshalJSON(b []byte) error {
	t, err := time.Parse(`"`+time.DateOnly+`"`, string(b))
	if err != nil {
		return fmt.Errorf("reading a day: %w", err)
	}
	d.Time = t
	return nil
}

// MarshalJSON writes a date.
func (d Day) MarshalJSON() ([]byte, error) { return []byte(d.Format(`"` + time.DateOnly + `"`)), nil }

// Rates are micro-dollars per million tokens; nil means unknown, 0 means free.
type Rates struct {
	Input          *int64 `json:"input,omitempty"`
	CacheRead      *int64 `json:"cache_read,omitempty"`
	CacheWrite     *int64 `json:"cache_write,omitempty"`
	CacheWriteLong *int64 `json:"cache_write_long,omitempty"`
	AudioInput     *int64 `json:"audio_input,omitempty"`
	ImageInput     *int64 `json:"image_input,omitempty"` // nil: as Input
	Output         *int64 `json:"output,omitempty"`
	Reasoning      *int64 `json:"reasoning,omitempty"` // nil: as Output
	AudioOutput    *int64 `json:"audio_output,omitempty"`
	ImageOutput    *int64 `json:"image_output,omitempty"`
}

// Price is what a model costs from a day on.
type Price struct {
	From Day `json:"from,omitzero"`
	Rates
	Long *LongRates `json:"long,omitempty"`
}

// LongRates replace the rates for a whole request whose input is longer.
type LongRates struct {
	Above int64 `json:"above"`
	Rates
}

// Free is the price of a model that costs nothing.
func Free() Price {
	zero := new(int64)
	return Price{Rates: Rates{zero, zero, zero, zero, zero, zero, zero, zero, zero, zero}}
}

// Cost is the price of a usage in micro-dollars, rounded up, so that nothing is
// ever too small to count. It is unknown when a kind that was used has no rate.
func (p Price) Cost(u Usage) (micros int64, known bool) {
	rates := p.Rates
	if p.Long != nil && u.TotalInput() > p.Long.Above {
		rates = p.Long.Rates
	}
	return rates.cost(u)
}

// perMillion is what rates are quoted for.
const perMillion = 1_000_000

func (r Rates) cost(u Usage) (int64, bool) {
	var sum int64
	for _, k := range []struct {
		tokens   int64
		rate     *int64
		fallback *int64
	}{
		{u.Input, r.Input, nil}, {u.CacheRead, r.CacheRead, nil}, {u.CacheWrite, r.CacheWrite, nil},
		{u.CacheWriteLong, r.CacheWriteLong, nil}, {u.AudioInput, r.AudioInput, nil}, {u.ImageInput, r.ImageInput, r.Input},
		{u.Output, r.Output, nil}, {u.Reasoning, r.Reasoning, r.Output}, {u.AudioOutput, r.AudioOutput, nil}, {u.ImageOutput, r.ImageOutput, nil},
	} {
		if k.tokens == 0 {
			continue
		}
		rate := k.rate
		if rate == nil {
			rate = k.fallback
		}
		if rate == nil {
			return 0, false
		}
		sum += k.tokens * *rate
	}
	return (sum + perMillion - 1) / perMillion, true
}
