package observe

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestMetricsPage(t *testing.T) {
	t.Parallel()
	o := newTest(t, Options{Version: "1.2.3"})
	o.Counter("requests_total", "Requests.", "route", "status").Inc("/api", "200")
	o.Counter("requests_total", "Requests.", "route", "status").Add(2, "/api", "200")
	o.Gauge("fluxway_sockets", "Open sockets.").Add(5)
	o.Histogram("request_seconds", "How long.").Observe(0.02)
	o.Histogram("body_bytes", "How big.").With().Observe(2000)
	o.GaugeFunc("queue_depth", "Waiting.", func() float64 { return 42 })
	o.Counter("odd_total", "Odd values.", "v").Inc("\xff")
	page := metricsPage(t, o)
	for _, want := range []string{
		`fluxway_requests_total{route="/api",status="200"} 3`, "fluxway_sockets 5", `fluxway_request_seconds_bucket{le="0.025"} 1`,
		`fluxway_body_bytes_bucket{le="4096"} 1`, "fluxway_queue_depth 42", `fluxway_build_info{version="1.2.3"} 1`,
		"go_goroutines", "process_resident_memory_bytes", `fluxway_odd_total{v="?"} 1`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("metrics miss %s", want)
		}
	}
}

func TestLabelsAreBounded(t *testing.T) {
	t.Parallel()
	o := newTest(t, Options{})
	c := o.Counter("x_total", "X.", "id")
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 500 {
				c.Inc(fmt.Sprint(w, "-", i))
			}
		})
	}
	wg.Wait()
	page := metricsPage(t, o)
	if n := strings.Count(page, "fluxway_x_total{"); n != maxSeries+1 {
		t.Errorf("%d series, want %d", n, maxSeries+1)
	}
	if !strings.Contains(page, `fluxway_x_total{id="other"} 1000`) {
		t.Error("the rest was not counted as other")
	}
}

func TestMetricNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, kind string
		labels     []string
		ok         bool
	}{
		{"requests_total", "counter", nil, true},
		{"requests", "counter", nil, false},
		{"sockets_total", "gauge", nil, false},
		{"request_seconds", "histogram", []string{"route"}, true},
		{"request_ms", "histogram", nil, false},
		{"read_mb_total", "counter", nil, false},
		{"Requests_total", "counter", nil, false},
		{"x_total", "counter", []string{"a", "b", "c", "d", "e"}, false},
		{"x_total", "counter", []string{"bad-label"}, false},
		{"", "gauge", nil, false},
	}
	for _, tt := range tests {
		if got := nameProblem(tt.name, tt.kind, tt.labels); (got == "") != tt.ok {
			t.Errorf("nameProblem(%q, %s, %v) = %q, want ok %v", tt.name, tt.kind, tt.labels, got, tt.ok)
		}
	}
}

func TestMetricMistakesPanic(t *testing.T) {
	t.Parallel()
	o := newTest(t, Options{})
	c := o.Counter("a_total", "A.", "x")
	for name, f := range map[string]func(){
		"other labels":    func() { o.Counter("a_total", "A.", "y") },
		"other kind":      func() { o.Gauge("a", "A."); o.Histogram("a", "A.") },
		"too few values":  func() { c.Inc() },
		"a name off rule": func() { o.Counter("a", "A.") },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic, want one")
				}
			}()
			f()
		})
	}
}

func TestCountingAllocatesNothing(t *testing.T) {
	o := newTest(t, Options{})
	c := o.Counter("a_total", "A.", "x", "y")
	if n := testing.AllocsPerRun(100, func() { c.Inc("p", "q") }); n != 0 {
		t.Errorf("Inc costs %v allocations, want 0", n)
	}
}
