package builtin

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

const (
	maxVisited = 200_000 // entries of one walk
	maxIgnore  = 256 << 10
)

var errEnough = errors.New("enough")

// walk visits what is below start in order, without .git and, unless ignored is set, without what .gitignore
// files name. It reports whether it saw everything.
func (f *folder) walk(ctx context.Context, start string, ignored bool, visit func(rel string, d fs.DirEntry) error) (all bool, err error) {
	rules := map[string][]ignoreRule{}
	if !ignored {
		for dir := start; ; dir = path.Dir(dir) { // rules of the folders above count too
			rules[dir] = f.ignoreRules(dir)
			if dir == "." {
				break
			}
		}
	}
	seen := 0
	err = fs.WalkDir(f.FS(), start, func(rel string, d fs.DirEntry, err error) error {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if err != nil {
			if rel == start {
				return explain(err, rel)
			}
			return nil // one folder that cannot be read does not spoil the rest
		}
		if seen++; seen > maxVisited {
			return errEnough
		}
		if rel == start && d.IsDir() {
			return nil
		}
		if d.Name() == ".git" || !ignored && isIgnored(rules, rel, d.IsDir()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() && !ignored {
			rules[rel] = f.ignoreRules(rel)
		}
		return visit(rel, d)
	})
	if errors.Is(err, errEnough) {
		return false, nil
	}
	return true, err
}

// ignoreRule is one line of a .gitignore.
type ignoreRule struct {
	match   *regexp.Regexp // over the path below the folder of the file
	keep    bool           // the line began with !
	folders bool           // the line ended with /
}

func (f *folder) ignoreRules(dir string) []ignoreRule {
	text, _, err := f.readAll(path.Join(dir, ".gitignore"), maxIgnore)
	if err != nil {
		return nil
	}
	var rules []ignoreRule
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	lines.Buffer(nil, maxIgnore+1)
	for lines.Scan() {
		if r, ok := parseIgnore(lines.Text()); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func parseIgnore(line string) (ignoreRule, bool) {
	var r ignoreRule
	line = strings.TrimRight(line, "\r")
	if !strings.HasSuffix(line, `\ `) {
		line = strings.TrimRight(line, " \t")
	}
	if line == "" || line[0] == '#' {
		return r, false
	}
	if line[0] == '!' {
		r.keep, line = true, line[1:]
	}
	line = strings.TrimPrefix(line, `\`)
	if strings.HasSuffix(line, "/") {
		r.folders, line = true, strings.TrimRight(line, "/")
	}
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return r, false
	}
	if !anchored {
		line = "**/" + line
	}
	expression, err := globRegexp(line)
	r.match = expression
	return r, err == nil
}

// isIgnored asks the rules from the outermost folder inwards; the last that speaks decides.
func isIgnored(rules map[string][]ignoreRule, rel string, dir bool) bool {
	ignored := false
	steps := strings.Split(rel, "/")
	for i := range steps {
		folder, below := ".", rel
		if i > 0 {
			folder, below = strings.Join(steps[:i], "/"), strings.Join(steps[i:], "/")
		}
		for _, r := range rules[folder] {
			if (!r.folders || dir) && r.match.MatchString(below) {
				ignored = !r.keep
			}
		}
	}
	return ignored
}

// globRegexp turns a glob into an expression: * and ? stay within a name, ** crosses folders, {a,b} chooses.
func globRegexp(glob string) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString("^")
	depth := 0
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case strings.HasPrefix(glob[i:], "**/"):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(glob[i:], "**"):
			b.WriteString(".*")
			i++
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		case c == '[':
			end := strings.IndexByte(glob[i+1:], ']')
			if end < 1 {
				b.WriteString(`\[`)
				continue
			}
			class := glob[i+1 : i+1+end]
			if class[0] == '!' {
				class = "^" + class[1:]
			}
			b.WriteString("[" + strings.ReplaceAll(class, `\`, `\\`) + "]")
			i += end + 1
		case c == '{':
			depth++
			b.WriteString("(?:")
		case c == '}' && depth > 0:
			depth--
			b.WriteString(")")
		case c == ',' && depth > 0:
			b.WriteString("|")
		case c == '\\' && i+1 < len(glob):
			i++
			b.WriteString(regexp.QuoteMeta(glob[i : i+1]))
		default:
			b.WriteString(regexp.QuoteMeta(glob[i : i+1]))
		}
	}
	b.WriteString("$")
	return regexp.Compile(b.String())
}
