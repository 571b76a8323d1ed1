package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// bench holds the settings and the results of one call of the program.
type bench struct {
	lane   string
	rounds int
	slice  time.Duration
	quick  bool
	// million adds the sizes that take minutes.
	million bool
	dir     string
	binary  string
	lines   []line
}

// line is one judged number.
type line struct {
	Lane     string  `json:"lane"`
	Metric   string  `json:"metric"`
	Ours     float64 `json:"ours"`
	Baseline float64 `json:"baseline,omitempty"`
	Ratio    float64 `json:"ratio,omitempty"`
	Bar      string  `json:"bar,omitempty"`
	Verdict  string  `json:"verdict"` // pass, fail, noisy or shown
	Spread   float64 `json:"spread,omitempty"`
	Unit     string  `json:"unit,omitempty"`
}

// spreadLimit is how far a baseline may scatter before its lane cannot judge.
const spreadLimit = 0.30

func newBench(quick bool, binary string) *bench {
	dir, err := os.MkdirTemp("", "fluxway-bench-")
	if err != nil {
		panic(err)
	}
	b := &bench{rounds: 7, slice: time.Second, quick: quick, dir: dir, binary: binary}
	if quick {
		b.rounds, b.slice = 3, 200*time.Millisecond
	}
	return b
}

func (b *bench) close() { os.RemoveAll(b.dir) }

// sample is what one slice measured.
type sample struct {
	ops  float64
	cpu  time.Duration
	wall time.Duration
}

// perSecond is the rate by the clock.
func (s sample) perSecond() float64 { return s.ops / s.wall.Seconds() }

// perOp is the CPU time of one operation in microseconds.
func (s sample) perOp() float64 { return float64(s.cpu.Nanoseconds()) / 1000 / s.ops }

// alternate measures baseline and ours in turn.
func (b *bench) alternate(ours, base func() (sample, error)) (o, n []sample, err error) {
	all, err := b.rotate(base, ours)
	if err != nil {
		return nil, nil, err
	}
	return all[1], all[0], nil
}

// rotate measures every side once a round, starting each round with the next
// one, so that a drift of the machine hits all.
func (b *bench) rotate(sides ...func() (sample, error)) ([][]sample, error) {
	all := make([][]sample, len(sides))
	for round := range b.rounds {
		for i := range sides {
			side := (round + i) % len(sides)
			s, err := sides[side]()
			if err != nil {
				return nil, err
			}
			all[side] = append(all[side], s)
		}
	}
	return all, nil
}

// judge compares the medians of a value of both sides with a bar: a ratio of at
// most or at least so much; 0: none.
func (b *bench) judge(metric, unit string, ours, base []sample, value func(sample) float64, atMost, atLeast float64) {
	b.compare(metric, unit, values(ours, value), values(base, value), atMost, atLeast)
}

// compare is judge for what was worked out from several samples.
func (b *bench) compare(metric, unit string, ours, base []float64, atMost, atLeast float64) {
	l := line{Lane: b.lane, Metric: metric, Unit: unit, Ours: median(ours), Baseline: median(base), Spread: spread(base)}
	l.Ratio = l.Ours / l.Baseline
	l.Verdict = "pass"
	if atMost > 0 {
		l.Bar = fmt.Sprintf("<= %.2fx", atMost)
		if l.Ratio > atMost {
			l.Verdict = "fail"
		}
	}
	if atLeast > 0 {
		l.Bar = fmt.Sprintf(">= %.2fx", atLeast)
		if l.Ratio < atLeast {
			l.Verdict = "fail"
		}
	}
	if l.Bar == "" {
		l.Verdict = "shown"
	} else if l.Verdict == "fail" && l.Spread > spreadLimit {
		l.Verdict = "noisy"
	}
	b.lines = append(b.lines, l)
}

// limit judges a number that does not depend on the machine's speed.
func (b *bench) limit(metric, unit string, ours, base, atMost float64) {
	l := line{Lane: b.lane, Metric: metric, Unit: unit, Ours: ours, Baseline: base, Bar: fmt.Sprintf("<= %g %s", atMost, unit), Verdict: "pass"}
	if base > 0 {
		l.Ratio = ours / base
	}
	if ours > atMost {
		l.Verdict = "fail"
	}
	b.lines = append(b.lines, l)
}

// atLeast judges a rate that must be reached on any machine we support.
func (b *bench) atLeast(metric, unit string, ours, bar float64) {
	l := line{Lane: b.lane, Metric: metric, Unit: unit, Ours: ours, Bar: fmt.Sprintf(">= %g %s", bar, unit), Verdict: "pass"}
	if ours < bar {
		l.Verdict = "fail"
	}
	b.lines = append(b.lines, l)
}

// must counts correctness: anything but zero wrong answers fails.
func (b *bench) must(metric string, wrong int) {
	l := line{Lane: b.lane, Metric: metric, Unit: "wrong", Ours: float64(wrong), Bar: "= 0", Verdict: "pass"}
	if wrong != 0 {
		l.Verdict = "fail"
	}
	b.lines = append(b.lines, l)
}

// print writes the table and the JSON lines; it says whether anything failed.
func (b *bench) print(w io.Writer) (failed bool) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nlane\tmetric\tours\tbaseline\tratio\tbar\tverdict\tbaseline spread")
	var js bytes.Buffer
	enc := json.NewEncoder(&js)
	for _, l := range b.lines {
		base, ratio, scatter := "", "", ""
		if l.Baseline != 0 {
			base, ratio = number(l.Baseline)+" "+l.Unit, fmt.Sprintf("%.2fx", l.Ratio)
		}
		if l.Spread != 0 {
			scatter = fmt.Sprintf("%.0f %%", l.Spread*100)
		}
		fmt.Fprintf(t, "%s\t%s\t%s %s\t%s\t%s\t%s\t%s\t%s\n", l.Lane, l.Metric, number(l.Ours), l.Unit, base, ratio, l.Bar, l.Verdict, scatter)
		failed = failed || l.Verdict == "fail"
		if err := enc.Encode(l); err != nil {
			panic(err)
		}
	}
	t.Flush()
	fmt.Fprintf(w, "\n%s", js.Bytes())
	return failed
}

func number(v float64) string {
	switch {
	case v == math.Trunc(v) && v < 1e6:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 1e6:
		return fmt.Sprintf("%.2fM", v/1e6)
	case v >= 1000:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func values(all []sample, value func(sample) float64) []float64 {
	v := make([]float64, len(all))
	for i, s := range all {
		v[i] = value(s)
	}
	return v
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	if len(v) == 0 {
		return 0
	}
	return v[len(v)/2]
}

// spread is the middle half's width relative to the median.
func spread(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	if len(v) < 4 || median(v) == 0 {
		return 0
	}
	return (v[len(v)*3/4] - v[len(v)/4]) / median(v)
}

// ownCPU is the CPU time of this process so far.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// cpuOf is the CPU time of another process, in ticks of 10 ms.
func cpuOf(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+2:]))
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	if err != nil {
		return 0, err
	}
	return time.Duration(user+system) * 10 * time.Millisecond, nil
}

// preciseCPU is like cpuOf, by the scheduler's nanosecond counters of all threads.
func preciseCPU(pid int) (time.Duration, error) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(tasks) == 0 {
		return cpuOf(pid)
	}
	var sum int64
	for _, t := range tasks {
		text, err := os.ReadFile(t)
		if err != nil {
			continue // the thread ended
		}
		first, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			return cpuOf(pid)
		}
		sum += n
	}
	return time.Duration(sum), nil
}

// rss is the resident memory of a process in bytes.
func rss(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for l := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(l, "VmRSS:"); ok {
			n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("no VmRSS for %d", pid)
}

// product is the path of the binary under test, built once.
func (b *bench) product() (string, error) {
	if b.binary != "" {
		return b.binary, nil
	}
	to := filepath.Join(b.dir, "fluxway")
	cmd := exec.Command("scripts/build", to)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("building the binary: %w", err)
	}
	b.binary = to
	return to, nil
}

// mustDir is a fresh folder for a server.
func mustDir(b *bench) string {
	dir, err := os.MkdirTemp(b.dir, "server-")
	if err != nil {
		panic(err)
	}
	return dir
}
