package copilot

import "strings"

// multipliers are thousandths of a premium request per request, by the start of
// the model's name; the longest start wins. A model that is not here costs 1.
var multipliers = map[string]int64{
	"gpt-4o":           0,
	"gpt-4o-mini":      0,
	"gpt-4.1":          0,
	"gpt-5-mini":       0,
	"grok-code-fast":   250,
	"claude-haiku-4.5": 330,
	"gemini-2.0-flash": 330,
	"gemini-2.5-flash": 330,
	"gemini-3-flash":   330,
	"claude-opus-4.5":  3000,
	"claude-opus-4.6":  3000,
	"claude-opus-4.7":  7500,
	"gpt-5.4-mini":     330,
	"gpt-5.4-nano":     250,
	"raptor-mini":      0,
	"claude-opus-4.1":  10000,
	"claude-opus-4":    10000,
}

// Multiplier is what one request to a model costs, in thousandths of a premium
// request.
func Multiplier(model string) int64 {
	model = strings.ToLower(model)
	best, cost := 0, int64(1000)
	for start, m := range multipliers {
		if len(start) > best && (model == start || strings.HasPrefix(model, start+"-")) {
			best, cost = len(start), m
		}
	}
	return cost
}
