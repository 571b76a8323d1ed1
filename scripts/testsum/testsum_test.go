package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFollow(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		events string
		want   Counts
		prints []string
		hides  []string
	}{
		"a test with subtests counts as its subtests": {
			events: `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestA/x"}
{"Action":"output","Package":"p","Test":"TestA/x","Output":"chatter\n"}
{"Action":"pass","Package":"p","Test":"TestA/x"}
{"Action":"run","Package":"p","Test":"TestA/y"}
{"Action":"pass","Package":"p","Test":"TestA/y"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Elapsed":0.1}`,
			want: Counts{Passed: 2}, prints: []string{"ok    p"}, hides: []string{"chatter"},
		},
		"a failing subtest is one failure and prints its output": {
			events: `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestA/x"}
{"Action":"output","Package":"p","Test":"TestA/x","Output":"got 1, want 2\n"}
{"Action":"fail","Package":"p","Test":"TestA/x"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p","Elapsed":0.1}`,
			want: Counts{Failed: 1}, prints: []string{"FAILED p TestA/x", "got 1, want 2", "FAIL  p"},
		},
		"a parent that fails by itself counts": {
			events: `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestA/x"}
{"Action":"pass","Package":"p","Test":"TestA/x"}
{"Action":"output","Package":"p","Test":"TestA","Output":"left a goroutine\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}`,
			want: Counts{Passed: 1, Failed: 1}, prints: []string{"left a goroutine"},
		},
		"a build that breaks is a failure with the compiler's words": {
			events: `{"ImportPath":"p [p.test]","Action":"build-output","Output":"a.go:1: undefined: x\n"}
{"ImportPath":"p [p.test]","Action":"build-fail"}
{"Action":"fail","Package":"p","FailedBuild":"p [p.test]"}`,
			want: Counts{Failed: 1}, prints: []string{"undefined: x"},
		},
		"a panic shows the test that did not finish": {
			events: `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"panic: boom\n"}
{"Action":"output","Package":"p","Output":"exit status 2\n"}
{"Action":"fail","Package":"p"}`,
			want: Counts{Failed: 1}, prints: []string{"UNFINISHED p TestA", "panic: boom", "exit status 2"},
		},
		"a panic told of a test that is over is not lost": {
			events: `{"Action":"pass","Package":"p","Test":"TestB"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"panic: test timed out\n"}
{"Action":"fail","Package":"p"}`,
			want: Counts{Passed: 1, Failed: 1}, prints: []string{"panic: test timed out"},
		},
		"a package that never ends is a failure": {
			events: `{"Action":"run","Package":"p","Test":"TestA"}`,
			want:   Counts{Failed: 1}, prints: []string{"did not end"},
		},
		"skips are listed by reason": {
			events: `{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:9: no server here\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: no server here\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- SKIP: TestA (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}`,
			want: Counts{Skipped: 2}, prints: []string{"skip  2: no server here (p TestB, …)"},
		},
		"a package without tests is not mentioned": {
			events: `{"Action":"output","Package":"p","Output":"?   p [no test files]\n"}
{"Action":"skip","Package":"p"}`,
			hides: []string{"p"},
		},
		"lines that are not events pass through": {
			events: "go: something\n", prints: []string{"go: something"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			f := newFollower(&out)
			if err := f.read(strings.NewReader(tt.events)); err != nil {
				t.Fatal(err)
			}
			f.summary()
			if f.sum.Counts != tt.want {
				t.Errorf("counts = %v, want %v", f.sum.Counts, tt.want)
			}
			for _, s := range tt.prints {
				if !strings.Contains(out.String(), s) {
					t.Errorf("output has no %q:\n%s", s, out.String())
				}
			}
			for _, s := range tt.hides {
				if strings.Contains(out.String(), s) {
					t.Errorf("output has %q:\n%s", s, out.String())
				}
			}
		})
	}
}

func TestCountTAP(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		report string
		want   Counts
	}{
		"flat lines": {
			report: "TAP version 13\n1..3\nok 1 - a # time=1ms\nnot ok 2 - b\n    ---\n    ok: no\nok 3 - c # SKIP\n",
			want:   Counts{Passed: 1, Failed: 1, Skipped: 1},
		},
		"the summary of node:test knows nested tests": {
			report: "ok 1 - suite\n# tests 3\n# suites 1\n# pass 2\n# fail 0\n# cancelled 1\n# skipped 0\n# todo 0\n",
			want:   Counts{Passed: 2, Failed: 1},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := countTAP(strings.NewReader(tt.report))
			if err != nil || got.Counts != tt.want {
				t.Errorf("countTAP = %v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

func TestWhy(t *testing.T) {
	t.Parallel()
	report := "ok 1 - a\nnot ok 2 - the name\n  ---\n  duration_ms: 3\n  location: 'x.mjs:3'\n  error: |-\n    Timeout of 60 s.\n  ...\nok 3 - c\n"
	got, err := countTAP(strings.NewReader(report))
	if want := "2 1 0\nthe name\n\t  location: 'x.mjs:3'\n\t    Timeout of 60 s.\n"; err != nil || got.encode() != want {
		t.Errorf("of a TAP report: %q, %v; want %q", got.encode(), err, want)
	}
	report = `{"numFailedTests":1,"testResults":[{"assertionResults":[{"fullName":"the name","status":"failed","failureMessages":["got 1\nwant 2"]}]}]}`
	got, err = countVitest(strings.NewReader(report))
	if want := "0 1 0\nthe name\n\tgot 1\n\twant 2\n"; err != nil || got.encode() != want {
		t.Errorf("of Vitest's: %q, %v; want %q", got.encode(), err, want)
	}
	f := newFollower(new(bytes.Buffer))
	if err := f.read(strings.NewReader(`{"Action":"output","Package":"p","Test":"TestA","Output":"got 1\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}`)); err != nil {
		t.Fatal(err)
	}
	if want := "0 1 0\np TestA\n\tgot 1\n"; f.sum.encode() != want {
		t.Errorf("of go test: %q, want %q", f.sum.encode(), want)
	}
}

func TestCountVitest(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		report string
		want   Counts
		fails  bool
	}{
		"counts":                      {`{"success":true,"numPassedTests":3,"numFailedTests":0,"numPendingTests":1,"numTodoTests":1}`, Counts{Passed: 3, Skipped: 2}, false},
		"a file that does not load":   {`{"success":false,"numPassedTests":3}`, Counts{Passed: 3, Failed: 1}, false},
		"a report that was cut short": {`{"success":true,"numPas`, Counts{Failed: 1}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := countVitest(strings.NewReader(tt.report))
			if got.Counts != tt.want || (err != nil) != tt.fails {
				t.Errorf("countVitest = %v, %v; want %v, fails %v", got, err, tt.want, tt.fails)
			}
		})
	}
}

func TestTotal(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		files map[string]string
		line  string
		fails bool
	}{
		"sums up":              {map[string]string{"go": "10 0 1\n", "web": "5 0 0\n", "web.tap": "not counts"}, "15 passed, 0 failed, 1 skipped\n", false},
		"a failure fails":      {map[string]string{"go": "10 1 0\n"}, "10 passed, 1 failed\n", true},
		"and says why":         {map[string]string{"go": "10 1 0\nTestA\n\tgot 1\n"}, "go: TestA\n\tgot 1\n10 passed, 1 failed\n", true},
		"nothing at all fails": {nil, "0 passed, 0 failed\n", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range tt.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var out bytes.Buffer
			err := run([]string{"total", dir}, &out, &out)
			if out.String() != tt.line || (err != nil) != tt.fails {
				t.Errorf("total = %q, %v; want %q, fails %v", out.String(), err, tt.line, tt.fails)
			}
		})
	}
}

func TestRunGoDoesNotHideAFailingCommand(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "counts")
	var out, errs bytes.Buffer // written to at the same time, so not one
	if err := run([]string{"go", "-counts", file, "--", "sh", "-c", "echo broken; exit 3"}, &out, &errs); err == nil {
		t.Error("a command that exits with 3 was taken for success")
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "0 1 0\n" {
		t.Errorf("counts = %q, %v; want one failure", text, err)
	}
}
