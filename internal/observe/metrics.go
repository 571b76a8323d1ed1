package observe

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// maxLabels and maxSeries bound what one instrument can cost: behind maxSeries
// distinct label values everything is counted as "other".
const (
	maxLabels = 4
	maxSeries = 1000
	other     = "other"
)

// Buckets for the two base units that are measured most.
var (
	secondBuckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}
	byteBuckets   = []float64{256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20}
)

// MetricsHandler serves the metrics in Prometheus' text format.
func (o *Observe) MetricsHandler() http.Handler {
	if o == nil {
		return http.NotFoundHandler()
	}
	return promhttp.HandlerFor(o.registry, promhttp.HandlerOpts{Registry: o.registry, MaxRequestsInFlight: 4})
}

func (o *Observe) registerProcess() {
	o.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	o.Gauge("build_info", "Always 1; the labels say what runs.", "version").Set(1, o.opts.Version)
}

// Count is one series of a counter; keep it where the labels are known beforehand.
type Count interface {
	Inc()
	Add(float64)
}

// Counter only goes up. Its name ends in _total.
type Counter struct{ set *series[prometheus.Counter] }

// Counter makes, or finds, a counter. The prefix fluxway_ is added. A name or
// label that breaks the rules is a mistake in the program and panics.
func (o *Observe) Counter(name, help string, labels ...string) *Counter {
	return instrument(o, name, "counter", labels, func(full string) (*Counter, prometheus.Collector) {
		vec := prometheus.NewCounterVec(prometheus.CounterOpts{Name: full, Help: help}, labels)
		return &Counter{newSeries(labels, vec.WithLabelValues)}, vec
	})
}

// Inc adds one to the series with these label values.
func (c *Counter) Inc(values ...string) { c.set.get(values).Inc() }

// Add adds n, which is not negative, to the series with these label values.
func (c *Counter) Add(n float64, values ...string) { c.set.get(values).Add(n) }

// With is the series with these label values.
func (c *Counter) With(values ...string) Count { return c.set.get(values) }

// Gauge goes up and down.
type Gauge struct{ set *series[prometheus.Gauge] }

// Gauge makes, or finds, a gauge; the rules are those of Counter.
func (o *Observe) Gauge(name, help string, labels ...string) *Gauge {
	return instrument(o, name, "gauge", labels, func(full string) (*Gauge, prometheus.Collector) {
		vec := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: full, Help: help}, labels)
		return &Gauge{newSeries(labels, vec.WithLabelValues)}, vec
	})
}

// Set makes v the value of the series with these label values.
func (g *Gauge) Set(v float64, values ...string) { g.set.get(values).Set(v) }

// Add changes the value of the series with these label values by n.
func (g *Gauge) Add(n float64, values ...string) { g.set.get(values).Add(n) }

// GaugeFunc is a gauge whose value is asked for when the metrics are read. The
// first function given for a name stays.
func (o *Observe) GaugeFunc(name, help string, value func() float64) {
	instrument(o, name, "gauge func", nil, func(full string) (struct{}, prometheus.Collector) {
		return struct{}{}, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: full, Help: help}, value)
	})
}

// Histogram counts values by size.
type Histogram struct{ set *series[prometheus.Observer] }

// Histogram makes, or finds, a histogram; the rules are those of Counter. Its
// buckets follow from the unit at the end of the name: _seconds or _bytes.
func (o *Observe) Histogram(name, help string, labels ...string) *Histogram {
	buckets := secondBuckets
	if strings.HasSuffix(name, "_bytes") {
		buckets = byteBuckets
	}
	return o.HistogramOf(name, help, buckets, labels...)
}

// HistogramOf is Histogram with the upper bounds of its buckets.
func (o *Observe) HistogramOf(name, help string, buckets []float64, labels ...string) *Histogram {
	return instrument(o, name, "histogram", labels, func(full string) (*Histogram, prometheus.Collector) {
		vec := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: full, Help: help, Buckets: buckets}, labels)
		return &Histogram{newSeries(labels, vec.WithLabelValues)}, vec
	})
}

// Observe counts v in the series with these label values.
func (h *Histogram) Observe(v float64, values ...string) { h.set.get(values).Observe(v) }

// With is the series with these label values.
func (h *Histogram) With(values ...string) prometheus.Observer { return h.set.get(values) }

// instrument makes an instrument once per name and registers it. Asking again
// with another kind or other labels panics.
func instrument[T any](o *Observe, name, kind string, labels []string, build func(full string) (T, prometheus.Collector)) T {
	if problem := nameProblem(name, kind, labels); problem != "" {
		panic(fmt.Sprintf("observe: metric %q %s", name, problem))
	}
	full := "fluxway_" + strings.TrimPrefix(name, "fluxway_")
	if o == nil {
		made, _ := build(full)
		return made
	}
	type entry struct {
		shape string
		made  T
	}
	shape := kind + " " + strings.Join(labels, ",")
	o.mu.Lock()
	defer o.mu.Unlock()
	if known, ok := o.instruments[full]; ok {
		if e, same := known.(entry); same && e.shape == shape {
			return e.made
		}
		panic(fmt.Sprintf("observe: metric %q exists with another kind or other labels", full))
	}
	made, collector := build(full)
	o.registry.MustRegister(collector)
	o.instruments[full] = entry{shape, made}
	return made
}

// nameProblem says what is wrong with a metric's name or labels, or "".
func nameProblem(name, kind string, labels []string) string {
	for _, word := range append([]string{name}, labels...) {
		if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			return fmt.Sprintf("has a name or label %q that is not snake_case", word)
		}
	}
	if len(labels) > maxLabels {
		return fmt.Sprintf("has more than %d labels", maxLabels)
	}
	if total := strings.HasSuffix(name, "_total"); total != (kind == "counter") {
		return "must end in _total exactly if it is a counter"
	}
	unit := strings.TrimSuffix(name, "_total")
	for _, bad := range []string{"_ms", "_millis", "_milliseconds", "_us", "_microseconds", "_minutes", "_hours", "_kb", "_mb", "_kilobytes", "_megabytes", "_percent"} {
		if strings.HasSuffix(unit, bad) {
			return "must be in a base unit: seconds, bytes or a ratio"
		}
	}
	return ""
}

// series finds the metric of some label values without allocating.
type series[M any] struct {
	labels int
	build  func(values ...string) M

	mu   sync.RWMutex // guards the field below
	made map[[maxLabels]string]M
}

func newSeries[M any](labels []string, build func(values ...string) M) *series[M] {
	return &series[M]{labels: len(labels), build: build, made: map[[maxLabels]string]M{}}
}

func (s *series[M]) get(values []string) M {
	if len(values) != s.labels {
		panic(fmt.Sprintf("observe: %d label values for %d labels", len(values), s.labels))
	}
	var key [maxLabels]string
	copy(key[:], values)
	s.mu.RLock()
	m, ok := s.made[key]
	s.mu.RUnlock()
	if ok {
		return m
	}
	return s.add(key)
}

func (s *series[M]) add(key [maxLabels]string) M {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m, ok := s.made[key]; ok {
		return m
	}
	if len(s.made) >= maxSeries {
		for i := range s.labels {
			key[i] = other
		}
		if m, ok := s.made[key]; ok {
			return m
		}
	}
	// A label value of the outside may hold bytes that are not UTF-8, which the library refuses.
	values := make([]string, s.labels)
	for i := range values {
		values[i] = strings.ToValidUTF8(strings.Clone(key[i]), "?")
		key[i] = strings.Clone(key[i])
	}
	m := s.build(values...)
	s.made[key] = m
	return m
}
