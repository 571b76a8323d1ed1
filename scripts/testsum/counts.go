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

func (c Counts) encode() string {
	return fmt.Sprintf("%d %d %d\n", c.Passed, c.Failed, c.Skipped)
}

func decode(text string) (Counts, error) {
	var c Counts
	if _, err := fmt.Sscanf(text, "%d %d %d", &c.Passed, &c.Failed, &c.Skipped); err != nil {
		return Counts{}, fmt.Errorf("reading counts from %q: %w", text, err)
	}
	return c, nil
}

var (
	tapLine = regexp.MustCompile(`^(not )?ok\b(.*)$`)
	tapSkip = regexp.MustCompile(`(?i)#\s*(skip|todo)\b`)
	tapSum  = regexp.MustCompile(`^# (pass|fail|cancelled|skipped|todo) (\d+)$`)
)

// countTAP counts the top-level lines of a report, or takes the summary that
// node:test ends with, which also knows its nested tests.
func countTAP(r io.Reader) (Counts, error) {
	var lines, sums Counts
	var summed bool
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, 16<<20)
	for scan.Scan() {
		line := scan.Text()
		if m := tapSum.FindStringSubmatch(line); m != nil {
			summed = true
			n, err := strconv.Atoi(m[2])
			if err != nil {
				return Counts{}, err
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
		case tapSkip.MatchString(m[2]):
			lines.Skipped++
		case strings.TrimSpace(m[1]) == "not":
			lines.Failed++
		default:
			lines.Passed++
		}
	}
	if summed {
		return sums, scan.Err()
	}
	return lines, scan.Err()
}

// countVitest reads Vitest's JSON report. A file that does not even load has no
// failed tests, only a report without success.
func countVitest(r io.Reader) (Counts, error) {
	var report struct {
		Success         bool
		NumPassedTests  int
		NumFailedTests  int
		NumPendingTests int
		NumTodoTests    int
	}
	if err := json.NewDecoder(r).Decode(&report); err != nil {
		return Counts{Failed: 1}, fmt.Errorf("reading the report: %w", err)
	}
	c := Counts{report.NumPassedTests, report.NumFailedTests, report.NumPendingTests + report.NumTodoTests}
	if !report.Success && c.Failed == 0 {
		c.Failed = 1
	}
	return c, nil
}
