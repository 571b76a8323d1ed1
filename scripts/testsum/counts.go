package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// Counts is how many tests ended in which way.
type Counts struct {
	Passed, Failed, Skipped int
}

func (c *Counts) add(o Counts) {
	c.Passed += o.Passed
	c.Failed += o.Failed
	c.Skipped += o.Skipped
}

// String is the line people read.
func (c Counts) String() string {
	s := fmt.Sprintf("%d passed, %d failed", c.Passed, c.Failed)
	if c.Skipped > 0 {
		s += fmt.Sprintf(", %d skipped", c.Skipped)
	}
	return s
}

func (c Counts) verdict() error {
	switch {
	case c.Failed > 0:
		return fmt.Errorf("%d failed", c.Failed)
	case c.Passed == 0:
		return errors.New("no test passed, because none ran")
	}
	return nil
}

// Outcome is what became of the tests of a step.
type Outcome struct {
	Counts
	Why []string // of what failed, the name and the beginning of what it said
}

// because keeps why a test failed, short enough to be read at the end of everything.
func (o *Outcome) because(name, said string) {
	const most = 12
	lines := strings.Split(strings.TrimRight(said, "\n"), "\n")
	if len(lines) > most {
		lines = append(lines[:most], "…")
	}
	o.Why = append(o.Why, name+"\n\t"+strings.Join(lines, "\n\t")+"\n")
}

func (o Outcome) encode() string {
	return fmt.Sprintf("%d %d %d\n%s", o.Passed, o.Failed, o.Skipped, strings.Join(o.Why, ""))
}

func decode(text string) (Outcome, error) {
	var o Outcome
	if _, err := fmt.Sscanf(text, "%d %d %d\n", &o.Passed, &o.Failed, &o.Skipped); err != nil {
		return Outcome{}, fmt.Errorf("reading counts from %q: %w", text, err)
	}
	if _, why, ok := strings.Cut(text, "\n"); ok && why != "" {
		o.Why = []string{why}
	}
	return o, nil
}

var (
	tapLine = regexp.MustCompile(`^(not )?ok\b(.*)$`)
	tapSkip = regexp.MustCompile(`(?i)#\s*(skip|todo)\b`)
	tapSum  = regexp.MustCompile(`^# (pass|fail|cancelled|skipped|todo) (\d+)$`)
	// What of a failure's details tells nothing.
	tapDull   = regexp.MustCompile(`^\s*(---|\.\.\.|(duration_ms|type|failureType|code|name):.*|(stack|error): \|-|)$|^1\.\.|^# `)
	tapNumber = regexp.MustCompile(`^ \d+ - `)
)

// countTAP counts the top-level lines of a report, or takes the summary that
// node:test ends with, which also knows its nested tests.
func countTAP(r io.Reader) (Outcome, error) {
	var lines, sums Outcome
	var summed bool
	var failed string // the test whose details are being read
	var said strings.Builder
	tell := func() {
		if failed != "" {
			lines.because(failed, said.String())
		}
		failed = ""
		said.Reset()
	}
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, 16<<20)
	for scan.Scan() {
		line := scan.Text()
		if m := tapSum.FindStringSubmatch(line); m != nil {
			summed = true
			n, err := strconv.Atoi(m[2])
			if err != nil {
				return Outcome{}, err
			}
			switch m[1] {
			case "pass":
				sums.Passed += n
			case "fail", "cancelled":
				sums.Failed += n
			default:
				sums.Skipped += n
			}
			continue
		}
		m := tapLine.FindStringSubmatch(line)
		switch {
		case m == nil:
			if failed != "" && !tapDull.MatchString(line) {
				said.WriteString(line + "\n")
			}
			continue
		case tapSkip.MatchString(m[2]):
			lines.Skipped++
			continue
		}
		tell()
		if m[1] == "" {
			lines.Passed++
			continue
		}
		lines.Failed++
		failed = tapNumber.ReplaceAllString(m[2], "")
	}
	tell()
	if summed {
		lines.Counts = sums.Counts
	}
	return lines, scan.Err()
}

// countVitest reads Vitest's JSON report. A file that does not even load has no
// failed tests, only a report without success.
func countVitest(r io.Reader) (Outcome, error) {
	var report struct {
		Success         bool
		NumPassedTests  int
		NumFailedTests  int
		NumPendingTests int
		NumTodoTests    int
		TestResults     []struct {
			Name, Status, Message string
			AssertionResults      []struct {
				FullName, Status string
				FailureMessages  []string
			}
		}
	}
	if err := json.NewDecoder(r).Decode(&report); err != nil {
		return Outcome{Counts: Counts{Failed: 1}}, fmt.Errorf("reading the report: %w", err)
	}
	o := Outcome{Counts: Counts{report.NumPassedTests, report.NumFailedTests, report.NumPendingTests + report.NumTodoTests}}
	for _, file := range report.TestResults {
		if file.Status == "failed" && file.Message != "" {
			o.because(file.Name, file.Message)
		}
		for _, test := range file.AssertionResults {
			if test.Status == "failed" {
				o.because(test.FullName, strings.Join(test.FailureMessages, "\n"))
			}
		}
	}
	if !report.Success && o.Failed == 0 {
		o.Failed = 1
	}
	return o, nil
}
