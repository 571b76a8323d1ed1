package builtin

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
)

const (
	maxListed   = 1000
	maxSearched = 2 << 20 // of one file
)

type listArgs struct {
	Path    string `json:"path"`
	Depth   int    `json:"depth"`
	Ignored bool   `json:"ignored"`
}

func listFiles() tools.Tool {
	return define(tools.Spec{Name: "list_files", Title: "List files", Level: tools.Public, ReadOnly: true, Repeatable: true, Means: paths("path")},
		`{"path":{"type":"string","description":"the project folder if not given"},"depth":{"type":"integer","minimum":1,"maximum":8},
		  "ignored":{"type":"boolean","description":"also what .gitignore names"}}`, nil,
		func(ctx context.Context, call tools.Call, a listArgs) (tools.Result, error) {
			return inFolder(call, a.Path, func(f *folder, rel string) (tools.Result, error) { return f.list(ctx, rel, a) })
		})
}

// inFolder opens the project and resolves a path that may be left out.
func inFolder(call tools.Call, name string, do func(*folder, string) (tools.Result, error)) (tools.Result, error) {
	f, err := openFolder(call)
	if err != nil {
		return tools.Result{}, err
	}
	defer f.Close()
	rel, err := f.rel(name)
	if err != nil {
		return tools.Result{}, err
	}
	return do(f, rel)
}

func (f *folder) list(ctx context.Context, rel string, a listArgs) (tools.Result, error) {
	info, err := f.Stat(rel)
	if err != nil {
		return tools.Result{}, explain(err, rel)
	}
	if !info.IsDir() {
		return tools.Result{}, fault.New(fault.Invalid, "not_a_folder", "%s is a file.", rel).WithParam("path").WithHint("read_file reads it.")
	}
	deepest := strings.Count(rel, "/") + max(1, a.Depth)
	if rel == "." {
		deepest--
	}
	var lines []string
	all, err := f.walk(ctx, rel, a.Ignored, func(p string, d fs.DirEntry) error {
		if len(lines) >= maxListed {
			return errEnough
		}
		lines = append(lines, entryLine(p, d))
		if d.IsDir() && strings.Count(p, "/") >= deepest {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return tools.Result{}, err
	}
	if len(lines) == 0 {
		return tools.Says("[The folder is empty.]"), nil
	}
	return tools.Says(strings.Join(lines, "\n") + more(all, len(lines))), nil
}

func entryLine(p string, d fs.DirEntry) string {
	switch {
	case d.IsDir():
		return p + "/"
	case d.Type()&fs.ModeSymlink != 0:
		return p + " (link)"
	}
	info, err := d.Info()
	if err != nil {
		return p
	}
	return fmt.Sprintf("%s (%d bytes)", p, info.Size())
}

func more(all bool, n int) string {
	if all {
		return ""
	}
	return fmt.Sprintf("\n[Only the first %d; narrow it down.]", n)
}

type globArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
}

func globFiles() tools.Tool {
	return define(tools.Spec{Name: "glob", Title: "Find files", Level: tools.Public, ReadOnly: true, Repeatable: true, Means: paths("path")},
		`{"pattern":{"type":"string","minLength":1,"maxLength":1000},"path":{"type":"string","description":"where to look; the project folder if not given"}}`, []string{"pattern"},
		func(ctx context.Context, call tools.Call, a globArgs) (tools.Result, error) {
			return inFolder(call, a.Path, func(f *folder, rel string) (tools.Result, error) { return f.glob(ctx, rel, a.Pattern) })
		})
}

func (f *folder) glob(ctx context.Context, rel, pattern string) (tools.Result, error) {
	match, err := globRegexp(strings.TrimPrefix(pattern, "./"))
	if err != nil {
		return tools.Result{}, badPattern("pattern", err)
	}
	type found struct {
		path string
		at   time.Time
	}
	var list []found
	all, err := f.walk(ctx, rel, false, func(p string, d fs.DirEntry) error {
		if d.IsDir() || !match.MatchString(under(rel, p)) && !match.MatchString(p) {
			return nil
		}
		info, err := d.Info()
		if err == nil {
			list = append(list, found{p, info.ModTime()})
		}
		return nil
	})
	if err != nil {
		return tools.Result{}, err
	}
	slices.SortStableFunc(list, func(a, b found) int { return b.at.Compare(a.at) })
	if len(list) > maxListed {
		list, all = list[:maxListed], false
	}
	if len(list) == 0 {
		return tools.Says(fmt.Sprintf("[No file matches %s.]", pattern)), nil
	}
	var b strings.Builder
	for _, one := range list {
		b.WriteString(one.path + "\n")
	}
	return tools.Says(strings.TrimSuffix(b.String(), "\n") + more(all, len(list))), nil
}

func under(root, p string) string {
	if root == "." {
		return p
	}
	return strings.TrimPrefix(p, root+"/")
}

func badPattern(param string, err error) error {
	return fault.New(fault.Invalid, "bad_pattern", "The pattern cannot be read: %v.", err).WithParam(param).
		WithHint("Escape special characters with a backslash.")
}

type searchArgs struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`
	Glob       string `json:"glob"`
	IgnoreCase bool   `json:"ignore_case"`
	Context    int    `json:"context"`
	Limit      int    `json:"limit"`
}

func searchText() tools.Tool {
	return define(tools.Spec{Name: "search_text", Title: "Search in files", Level: tools.Public, ReadOnly: true, Repeatable: true, Means: paths("path")},
		`{"pattern":{"type":"string","minLength":1,"maxLength":2000},"path":{"type":"string"},
		  "glob":{"type":"string","description":"only files like this, such as *.go"},"ignore_case":{"type":"boolean"},
		  "context":{"type":"integer","minimum":0,"maximum":10,"description":"lines shown around each match"},
		  "limit":{"type":"integer","minimum":1,"maximum":1000,"description":"matches; 100 if not given"}}`, []string{"pattern"},
		func(ctx context.Context, call tools.Call, a searchArgs) (tools.Result, error) {
			return inFolder(call, a.Path, func(f *folder, rel string) (tools.Result, error) { return f.search(ctx, rel, a) })
		})
}

func (f *folder) search(ctx context.Context, rel string, a searchArgs) (tools.Result, error) {
	expression := "(?m)" + a.Pattern // lines are what is searched, also where a whole file is looked at first
	if a.IgnoreCase {
		expression = "(?i)" + expression
	}
	match, err := regexp.Compile(expression)
	if err != nil {
		return tools.Result{}, badPattern("pattern", err)
	}
	var only *regexp.Regexp
	if a.Glob != "" {
		if only, err = globRegexp(a.Glob); err != nil {
			return tools.Result{}, badPattern("glob", err)
		}
	}
	a.Limit = cmp.Or(a.Limit, 100)
	var b strings.Builder
	count := 0
	all, err := f.walk(ctx, rel, false, func(p string, d fs.DirEntry) error {
		if !d.Type().IsRegular() || only != nil && !only.MatchString(path.Base(p)) && !only.MatchString(p) {
			return nil
		}
		text, _, err := f.readAll(p, maxSearched)
		if err != nil || binary(text[:min(len(text), 8192)]) {
			return nil // too large, unreadable or not text
		}
		count += matches(&b, p, text, match, a.Context, a.Limit-count)
		if count >= a.Limit {
			return errEnough
		}
		return nil
	})
	if err != nil {
		return tools.Result{}, err
	}
	if count == 0 {
		return tools.Says("[No match.]"), nil
	}
	return tools.Says(strings.TrimSuffix(b.String(), "\n") + more(all, count)), nil
}

// matches writes the matching lines of one file, at most limit of them, and says how many.
func matches(b *strings.Builder, name string, text []byte, match *regexp.Regexp, around, limit int) int {
	// One look at the whole file saves cutting it up; it would miss what is bound to the ends of the text.
	if !match.Match(text) && bytes.IndexByte(text, '\r') < 0 && !strings.Contains(match.String(), `\A`) && !strings.Contains(match.String(), `\z`) {
		return 0
	}
	lines := strings.Split(strings.ToValidUTF8(string(text), "\uFFFD"), "\n")
	count, shown := 0, -1 // last line that was written
	for i, line := range lines {
		if !match.MatchString(strings.TrimSuffix(line, "\r")) || i == len(lines)-1 && line == "" {
			continue
		}
		for j := max(shown+1, i-around); j <= min(len(lines)-1, i+around); j++ {
			mark := "-"
			if match.MatchString(strings.TrimSuffix(lines[j], "\r")) {
				mark = ":"
			}
			fmt.Fprintf(b, "%s%s%d%s %s\n", name, mark, j+1, mark, clip(strings.TrimSuffix(lines[j], "\r"), 400))
			shown = j
		}
		if count++; count == limit {
			break
		}
	}
	return count
}
