package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// event is one line of `go test -json` (go doc test2json).
type event struct {
	Action      string
	Package     string
	ImportPath  string // instead of Package, for what the compiler says
	Test        string
	Elapsed     float64
	Output      string
	FailedBuild string
}

// A follower turns the events of `go test -json` into one line per package, the
// full output of what failed, and counts. A test with subtests is not counted
// itself, unless it failed on its own account.
type follower struct {
	out      io.Writer
	sum      Outcome
	packages map[string]*pkg
	builds   map[string]*strings.Builder // what the compiler said, by import path
	skips    map[string][]string         // tests by the reason they were skipped for
}

type pkg struct {
	counts Counts
	tests  map[string]*test
	output strings.Builder // what no test said
}

type test struct {
	output      strings.Builder
	parent      bool // it has subtests
	childFailed bool
	done        bool
}

func newFollower(out io.Writer) *follower {
	return &follower{out: out, packages: map[string]*pkg{}, builds: map[string]*strings.Builder{}, skips: map[string][]string{}}
}

func (f *follower) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if jsonErr := json.Unmarshal(line, &e); jsonErr != nil || e.Action == "" {
				fmt.Fprintf(f.out, "%s", line) // not from the test runner: pass it on
			} else {
				f.handle(e)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading test events: %w", err)
		}
	}
}

func (f *follower) handle(e event) {
	switch e.Action {
	case "build-output":
		if f.builds[e.ImportPath] == nil {
			f.builds[e.ImportPath] = &strings.Builder{}
		}
		f.builds[e.ImportPath].WriteString(e.Output)
		return
	case "build-fail":
		return // the package's own fail event names the build
	}
	p := f.packages[e.Package]
	if p == nil {
		p = &pkg{tests: map[string]*test{}}
		f.packages[e.Package] = p
	}
	if e.Test == "" {
		f.packageEvent(p, e)
		return
	}
	t := p.test(e.Test)
	switch e.Action {
	case "output":
		if t.done { // go test gives what a dying process says to the test it named last, which may be over
			p.output.WriteString(e.Output)
			return
		}
		t.output.WriteString(e.Output)
	case "pass", "fail", "skip":
		f.testDone(p, t, e)
	}
}

// test finds or makes the record of a test and tells its parents that it is there.
func (p *pkg) test(name string) *test {
	if t := p.tests[name]; t != nil {
		return t
	}
	t := &test{}
	p.tests[name] = t
	for parent := range parents(name) {
		p.test(parent).parent = true
	}
	return t
}

// parents yields the names above a/b/c: a/b, then a.
func parents(name string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
			if !yield(name[:i]) {
				return
			}
		}
	}
}

func (f *follower) testDone(p *pkg, t *test, e event) {
	t.done = true
	switch {
	case e.Action == "fail":
		for parent := range parents(e.Test) {
			p.test(parent).childFailed = true
		}
		if t.childFailed {
			break // the child was counted and shown
		}
		p.counts.Failed++
		f.sum.because(short(e.Package)+" "+e.Test, t.output.String())
		fmt.Fprintf(f.out, "--- FAILED %s %s\n%s", short(e.Package), e.Test, t.output.String())
	case e.Action == "skip":
		p.counts.Skipped++
		why := reason(t.output.String())
		f.skips[why] = append(f.skips[why], short(e.Package)+" "+e.Test)
	case !t.parent:
		p.counts.Passed++
	}
	t.output.Reset()
}

func (f *follower) packageEvent(p *pkg, e event) {
	switch e.Action {
	case "output":
		p.output.WriteString(e.Output)
	case "skip":
		delete(f.packages, e.Package) // no test files
	case "pass":
		f.sum.add(p.counts)
		delete(f.packages, e.Package)
		fmt.Fprintf(f.out, "ok    %-40s %6.1fs  %s\n", short(e.Package), e.Elapsed, p.counts)
	case "fail":
		f.packageFailed(p, e)
		delete(f.packages, e.Package)
	}
}

// packageFailed also accounts for what no single test can: a build that broke, a
// panic, a timeout, a race found at exit.
func (f *follower) packageFailed(p *pkg, e event) {
	if build := f.builds[e.FailedBuild]; build != nil {
		fmt.Fprint(f.out, build.String())
	}
	for name, t := range p.tests {
		if !t.done && t.output.Len() > 0 {
			fmt.Fprintf(f.out, "--- UNFINISHED %s %s\n%s", short(e.Package), name, t.output.String())
		}
	}
	if p.counts.Failed == 0 {
		p.counts.Failed = 1
		f.sum.because(short(e.Package), p.output.String())
	}
	f.sum.add(p.counts)
	fmt.Fprintf(f.out, "%sFAIL  %-40s %6.1fs  %s\n", p.output.String(), short(e.Package), e.Elapsed, p.counts)
}

// summary says what was skipped and why, and fails packages that never ended.
func (f *follower) summary() {
	for name, p := range f.packages {
		p.counts.Failed++
		f.sum.add(p.counts)
		fmt.Fprintf(f.out, "FAIL  %s did not end\n%s", short(name), p.output.String())
	}
	for _, why := range slices.Sorted(maps.Keys(f.skips)) {
		tests := f.skips[why]
		fmt.Fprintf(f.out, "skip  %d: %s (%s", len(tests), why, tests[0])
		if len(tests) > 1 {
			fmt.Fprint(f.out, ", …")
		}
		fmt.Fprintln(f.out, ")")
	}
}

// short leaves the module's own path out of a package's name.
func short(pkg string) string {
	return strings.TrimPrefix(pkg, "github.com/fluxway/fluxway/")
}

// place is where t.Skip was called, which go test writes before the sentence.
var place = regexp.MustCompile(`^\S+\.go:\d+: `)

// reason finds the sentence given to t.Skip in a test's output.
func reason(output string) string {
	var last string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "===") {
			last = line
		}
	}
	return place.ReplaceAllString(last, "")
}
