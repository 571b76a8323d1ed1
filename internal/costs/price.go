package costs

import (
	"time"

	"github.com/fluxway/fluxway/internal/providers"
)

// catalogue is the part of providers.Catalogue that prices need.
type catalogue interface {
	Find(id string) (providers.Entry, bool)
}

// Bounds that keep a vendor's absurd count from overflowing a sum.
const (
	maxTokens  = 1 << 36
	maxPremium = 1 << 40
)

// sane bounds what a vendor claims.
func sane(u providers.Usage) providers.Usage {
	for _, n := range []*int64{
		&u.Input, &u.CacheRead, &u.CacheWrite, &u.CacheWriteLong, &u.AudioInput, &u.ImageInput,
		&u.Output, &u.Reasoning, &u.AudioOutput, &u.ImageOutput,
	} {
		*n = min(max(*n, 0), maxTokens)
	}
	u.PremiumMilli = min(max(u.PremiumMilli, 0), maxPremium)
	return u
}

// rated is a price that may be unknown.
type rated struct {
	price     providers.Price
	known     bool
	maxOutput int64
}

// rate looks the price of a provider's model up.
func rate(c catalogue, provider, model string, at time.Time) rated {
	if c == nil {
		return rated{}
	}
	entry, ok := c.Find(provider + "/" + model)
	if !ok {
		return rated{}
	}
	price, known := entry.PriceAt(at)
	return rated{price, known, entry.MaxOutput}
}

// cost is the price of a usage, rounded up to a whole micro-dollar; nil when it
// is not known.
func (r rated) cost(u providers.Usage) *Micros {
	if !r.known {
		return nil
	}
	n, known := r.price.Cost(sane(u))
	if !known {
		return nil
	}
	m := Micros(n)
	return &m
}

// worst is the most that a call can cost: every input token at the dearest rate
// an input token can have, a third more of them than we counted, and every output
// token that may come.
func (r rated) worst(input, output int64) (Micros, bool) {
	input += input/3 + 16
	var most Micros
	priced := false
	for _, in := range []providers.Usage{{Input: input}, {CacheWrite: input}, {CacheWriteLong: input}} {
		for _, out := range []providers.Usage{{Output: output}, {Reasoning: output}} {
			if m := r.cost(in.Plus(out)); m != nil {
				most, priced = max(most, *m), true
			}
		}
	}
	return most, priced
}
