package command

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

// BenchmarkJudge measures one decision over all rows of the tables, beside the bare parser on the same rows.
func BenchmarkJudge(b *testing.B) {
	a := newAnalyser(b)
	rows := readTables(b)
	p := syntax.NewParser()
	timed := func(f func(string)) (p50, p99 time.Duration) {
		times := make([]time.Duration, 0, len(rows)*b.N)
		for range b.N {
			for _, r := range rows {
				start := time.Now()
				f(r.text)
				times = append(times, time.Since(start))
			}
		}
		slices.Sort(times)
		return times[len(times)/2], times[len(times)*99/100]
	}
	bare50, bare99 := timed(func(text string) { _, _ = p.Parse(strings.NewReader(text), "") })
	b.ResetTimer()
	p50, p99 := timed(func(text string) { judge(a, text) })
	b.ReportMetric(float64(p50.Nanoseconds())/1e3, "p50-µs")
	b.ReportMetric(float64(p99.Nanoseconds())/1e3, "p99-µs")
	b.ReportMetric(float64(bare50.Nanoseconds())/1e3, "bare-p50-µs")
	b.ReportMetric(float64(bare99.Nanoseconds())/1e3, "bare-p99-µs")
	b.ReportMetric(float64(p50)/float64(bare50), "p50-x-bare")
}
