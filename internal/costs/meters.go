package costs

import (
	"github.com/fluxway/fluxway/internal/observe"
)

// meters count what the ledger does.
type meters struct {
	calls    *observe.Counter
	dollars  observe.Count
	premium  observe.Count
	unpriced observe.Count
	refused  observe.Count
	groups   observe.Count
}

func newMeters(o *observe.Observe, l *Ledger) meters {
	count := func(name, help string) observe.Count { return o.Counter(name, help).With() }
	m := meters{
		calls:    o.Counter("costs_calls_total", "Attempts that ended.", "outcome"),
		dollars:  count("costs_dollars_total", "Price of attempts whose price is known."),
		premium:  count("costs_premium_requests_total", "Premium requests used."),
		unpriced: count("costs_unpriced_calls_total", "Attempts whose price is not known."),
		refused:  count("costs_refused_calls_total", "Calls that a budget refused."),
		groups:   count("costs_groups_total", "Transactions that the ledger wrote."),
	}
	o.GaugeFunc("costs_calls_in_flight", "Attempts that have not ended.", func() float64 { return float64(l.InFlight()) })
	return m
}

// count takes what a committed group did.
func (m *meters) count(k *book, group []*op) {
	m.groups.Inc()
	for _, o := range group {
		if o.settle != nil {
			m.calls.Inc(string(o.settle.to.Outcome))
		}
	}
	for _, u := range k.updates {
		m.dollars.Add(max(0, float64(u.Price)/float64(Dollar)))
		m.premium.Add(float64(u.Premium) / 1000)
		m.unpriced.Add(float64(u.Unpriced))
	}
	for _, n := range k.refused {
		m.refused.Add(float64(n))
	}
}
