package costs

import (
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
)

// Outcome is how an attempt ended.
type Outcome string

// The outcomes. Open is an attempt in flight.
const (
	Open      Outcome = "open"
	OK        Outcome = "ok"
	Cancelled Outcome = "cancelled" // by the caller; what had been received is counted
	Failed    Outcome = "failed"    // the vendor refused; nothing was received
	Broken    Outcome = "broken"    // the answer stopped midway, or our process did
)

// Abandoned is the error code of attempts whose process died.
const Abandoned = "abandoned"

// Tokens counts by kind; the kinds are disjoint.
type Tokens struct {
	Input          int64 `db:"input" json:"input"`
	CacheRead      int64 `db:"cache_read" json:"cache_read"`
	CacheWrite     int64 `db:"cache_write" json:"cache_write"`
	CacheWriteLong int64 `db:"cache_write_long" json:"cache_write_long"`
	AudioInput     int64 `db:"audio_input" json:"audio_input"`
	ImageInput     int64 `db:"image_input" json:"image_input"`
	Output         int64 `db:"output" json:"output"`
	Reasoning      int64 `db:"reasoning" json:"reasoning"`
	AudioOutput    int64 `db:"audio_output" json:"audio_output"`
	ImageOutput    int64 `db:"image_output" json:"image_output"`
}

// Record is one attempt.
type Record struct {
	ID ids.Usage `db:"id" json:"id"`
	Attribution
	Model       string  `db:"model" json:"model"`             // as asked of the vendor, after routing
	Served      string  `db:"served" json:"served,omitempty"` // as the vendor says
	Provider    string  `db:"provider" json:"provider"`
	Account     string  `db:"account" json:"account,omitempty"`
	Attempt     int     `db:"attempt" json:"attempt"` // counted from 1 over retries and fallbacks
	Unit        Unit    `db:"unit" json:"unit"`
	Price       *Micros `db:"price" json:"price"` // nil: unknown
	Priced      bool    `db:"priced" json:"priced"`
	Pretend     bool    `db:"pretend" json:"pretend,omitempty"` // of the demonstration: nobody is charged the price
	Premium     int64   `db:"premium" json:"premium"`           // thousandths of a premium request
	Tokens      `json:"tokens"`
	Estimated   bool      `db:"estimated" json:"estimated"`
	Latency     int64     `db:"latency" json:"latency_us"`         // microseconds
	FirstToken  int64     `db:"first_token" json:"first_token_us"` // microseconds; 0: none came
	Outcome     Outcome   `db:"outcome" json:"outcome"`
	ErrorCode   string    `db:"error_code" json:"error_code,omitempty"`
	Holds       string    `db:"holds" json:"-"`
	Process     string    `db:"process" json:"-"`
	PrefixPrint int64     `db:"prefix_print" json:"-"`
	PromptPrint int64     `db:"prompt_print" json:"-"`
	At          time.Time `db:"at" json:"at"`
}

// usage is the record's tokens in the words of providers.
func (r *Record) usage() providers.Usage {
	t := r.Tokens
	return providers.Usage{
		Input: t.Input, CacheRead: t.CacheRead, CacheWrite: t.CacheWrite, CacheWriteLong: t.CacheWriteLong,
		AudioInput: t.AudioInput, ImageInput: t.ImageInput, Output: t.Output, Reasoning: t.Reasoning,
		AudioOutput: t.AudioOutput, ImageOutput: t.ImageOutput, PremiumMilli: r.Premium, Estimated: r.Estimated,
	}
}
