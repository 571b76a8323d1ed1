// Command testsum runs and counts tests, so that one line at the end can say
// how many there were.
//
//	testsum go -counts FILE -- go test -json …   run, follow and count Go tests
//	testsum tap -counts FILE REPORT              count a finished TAP report
//	testsum vitest -counts FILE REPORT           count a finished JSON report of Vitest
//	testsum total DIR                            say why tests failed and add up every counts file in DIR
//
// It exits with 1 when a test failed, when the command it ran failed, and when
// there was no test at all: a suite that ran nothing has shown nothing.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return errors.New("say what to do: go, tap, vitest or total")
	}
	mode := args[0]
	flags := flag.NewFlagSet(mode, flag.ContinueOnError)
	flags.SetOutput(stderr)
	file := flags.String("counts", "", "the `file` to write the counts to")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	switch mode {
	case "go":
		outcome, err := runGo(flags.Args(), stdout, stderr)
		return finish(*file, outcome, err)
	case "tap":
		outcome, err := readReport(flags.Arg(0), countTAP)
		return finish(*file, outcome, err)
	case "vitest":
		outcome, err := readReport(flags.Arg(0), countVitest)
		return finish(*file, outcome, err)
	case "total":
		return total(flags.Arg(0), stdout)
	}
	return fmt.Errorf("%q is not known: say go, tap, vitest or total", mode)
}

// finish writes the counts down even when there is an error to report.
func finish(file string, outcome Outcome, err error) error {
	if file != "" {
		if err := os.WriteFile(file, []byte(outcome.encode()), 0o644); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	return outcome.verdict()
}

func runGo(command []string, stdout, stderr io.Writer) (Outcome, error) {
	if len(command) == 0 {
		return Outcome{}, errors.New("no command to run")
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return Outcome{}, err
	}
	if err := cmd.Start(); err != nil {
		return Outcome{}, err
	}
	f := newFollower(stdout)
	readErr := f.read(pipe)
	f.summary()
	if err := cmd.Wait(); err != nil && f.sum.Failed == 0 {
		// Something went wrong that no test reported; it must not count as success.
		f.sum.Failed++
		return f.sum, fmt.Errorf("%s: %w", strings.Join(command[:min(2, len(command))], " "), err)
	}
	return f.sum, readErr
}

// readReport counts a report; one that is not there is a failure, since its tests never ended.
func readReport(report string, count func(io.Reader) (Outcome, error)) (Outcome, error) {
	file, err := os.Open(report)
	if err != nil {
		return Outcome{Counts: Counts{Failed: 1}}, err
	}
	defer file.Close()
	return count(file)
}

func total(dir string, stdout io.Writer) error {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return err
	}
	var sum Counts
	for _, file := range files {
		if filepath.Ext(file) != "" {
			continue // a report beside the counts
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		outcome, err := decode(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		sum.add(outcome.Counts)
		for _, why := range outcome.Why {
			fmt.Fprintf(stdout, "%s: %s", filepath.Base(file), why)
		}
	}
	fmt.Fprintln(stdout, sum)
	return sum.verdict()
}
