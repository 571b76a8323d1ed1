package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/fluxway/fluxway/internal/guard/packs"
)

// Pack is a file of knowledge about programs.
type Pack struct {
	ID     string `yaml:"id" json:"id"`
	Family string `yaml:"family" json:"family"`
	About  string `yaml:"about" json:"about"`
	// Programs are known and harmless whatever their arguments, unless a rule says otherwise.
	Programs []string `yaml:"programs" json:"programs,omitempty"`
	Tools    []Tool   `yaml:"tools" json:"tools,omitempty"`
	Rules    []Rule   `yaml:"rules" json:"rules"`

	source  string // the file, for errors
	text    []byte
	builtin bool
}

// Tool says how a program's command line is read, and what it does when no rule matches.
type Tool struct {
	Names     List   `yaml:"names" json:"names"`
	Values    List   `yaml:"values" json:"values,omitempty"`       // flags whose value is the next word
	Long      bool   `yaml:"long" json:"long,omitempty"`           // -flag is one flag, not four
	Numbers   bool   `yaml:"numbers" json:"numbers,omitempty"`     // -9 is an operand
	Allow     List   `yaml:"allow" json:"allow,omitempty"`         // harmless subcommands
	Warn      List   `yaml:"warn" json:"warn,omitempty"`           // subcommands that run with a word about them
	Otherwise string `yaml:"otherwise" json:"otherwise,omitempty"` // allow or ask; "": ask if Allow is given
	Leads     string `yaml:"leads" json:"leads,omitempty"`         // the first operand is no path: mode or owner
}

// Rule describes commands that are dangerous. All conditions given must hold.
type Rule struct {
	ID       string `yaml:"id" json:"id"`
	Severity string `yaml:"severity" json:"severity"`
	Verdict  string `yaml:"verdict" json:"verdict,omitempty"` // instead of what the severity says
	Match    Match  `yaml:"match" json:"match"`

	Effect      string   `yaml:"effect" json:"effect"`
	Alternative string   `yaml:"alternative" json:"alternative"`
	Dangerous   []string `yaml:"dangerous" json:"dangerous"`
	Harmless    []string `yaml:"harmless" json:"harmless"`
}

// Match is what a rule looks for in one simple command.
type Match struct {
	Program  List   `yaml:"program" json:"program"`
	Sub      List   `yaml:"sub" json:"sub,omitempty"`             // any of these starts the operands; a|b and * stand for words
	Flags    List   `yaml:"flags" json:"flags,omitempty"`         // each given; a|b: one of them
	NotFlags List   `yaml:"not_flags" json:"not_flags,omitempty"` // none given
	Args     List   `yaml:"args" json:"args,omitempty"`           // an operand is like one of these globs
	NotArgs  List   `yaml:"not_args" json:"not_args,omitempty"`
	Values   List   `yaml:"values" json:"values,omitempty"` // the value of a flag is like one of these globs
	Paths    List   `yaml:"paths" json:"paths,omitempty"`   // an operand points to one of these kinds of places
	Writes   List   `yaml:"writes" json:"writes,omitempty"` // the file written is in one of these kinds of places
	Mentions List   `yaml:"mentions" json:"mentions,omitempty"`
	Stdin    string `yaml:"stdin" json:"stdin,omitempty"`   // secret or network
	SQL      List   `yaml:"sql" json:"sql,omitempty"`       // kinds of statements
	Dashes   bool   `yaml:"dashes" json:"dashes,omitempty"` // operands stand behind --
	Least    int    `yaml:"least" json:"least,omitempty"`   // operands after the subcommand
	Most     *int   `yaml:"most" json:"most,omitempty"`
}

// List is one text or several.
type List []string

// UnmarshalYAML takes a text or a list of texts.
func (l *List) UnmarshalYAML(n ast.Node) error {
	nodes := []ast.Node{n}
	if seq, ok := n.(*ast.SequenceNode); ok {
		nodes = seq.Values
	}
	for _, v := range nodes {
		if _, ok := v.(ast.ScalarNode); !ok {
			return Problem{Line: v.GetToken().Position.Line, Says: "this is neither a text nor a list of texts"}
		}
		*l = append(*l, v.GetToken().Value)
	}
	return nil
}

// Problem is one thing wrong in a pack.
type Problem struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Says string `json:"says"`
}

// Error is file:line: what is wrong.
func (p Problem) Error() string { return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Says) }

// Builtin reads the packs that come with the program.
func Builtin() ([]Pack, error) {
	var list []Pack
	if err := json.Unmarshal(packs.Compiled, &list); err != nil {
		return nil, fmt.Errorf("reading the built-in packs: %w", err)
	}
	for i := range list {
		list[i].builtin, list[i].source = true, list[i].ID
	}
	return list, nil
}

// ReadPacks reads the packs of a folder; a folder that does not exist has none.
func ReadPacks(dir string) ([]Pack, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return readPacks(os.DirFS(dir), dir)
}

func readPacks(files fs.FS, dir string) ([]Pack, error) {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("listing packs in %s: %w", dir, err)
	}
	var list []Pack
	var wrong []error
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("reading pack %s: %w", name, err)
		}
		p, err := ParsePack(filepath.Join(dir, name), text)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		list = append(list, p)
	}
	return list, errors.Join(wrong...)
}

// ParsePack reads one pack; errors name the line.
func ParsePack(file string, text []byte) (Pack, error) {
	p := Pack{source: file, text: text}
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(&p); err != nil {
		return p, yamlProblem(file, err)
	}
	p.source, p.text = file, text
	if wrong := p.check(); len(wrong) > 0 {
		return p, errors.Join(wrong...)
	}
	return p, nil
}

func yamlProblem(file string, err error) error {
	line := 1
	var bad yaml.Error
	says := err.Error()
	var own Problem
	if errors.As(err, &own) {
		line, says = own.Line, own.Says
	} else if errors.As(err, &bad) {
		says = bad.GetMessage()
		if t := bad.GetToken(); t != nil {
			line = t.Position.Line
		}
	}
	return Problem{file, line, says}
}

// check looks for what can be told wrong without running an example.
func (p *Pack) check() []error {
	var wrong []error
	say := func(path, format string, args ...any) {
		wrong = append(wrong, Problem{p.source, p.line(path), fmt.Sprintf(format, args...)})
	}
	if p.ID == "" || strings.Trim(p.ID, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" {
		say("$", "the pack's id %q is not of lower-case letters, digits, - and .", p.ID)
	}
	if p.Family == "" {
		say("$", "the pack has no family")
	}
	if len(p.Rules)+len(p.Tools)+len(p.Programs) == 0 {
		say("$", "the pack says nothing: it has no rules, tools or programs")
	}
	for i, t := range p.Tools {
		if len(t.Names) == 0 {
			say(fmt.Sprintf("$.tools[%d]", i), "the tool has no names")
		}
		if l := t.Leads; l != "" && l != "mode" && l != "owner" {
			say(fmt.Sprintf("$.tools[%d].leads", i), "leads is mode or owner, not %q", l)
		}
		if o := t.Otherwise; o != "" && o != "allow" && o != "ask" {
			say(fmt.Sprintf("$.tools[%d].otherwise", i), "otherwise is %q; it is allow or ask", o)
		}
	}
	seen := map[string]bool{}
	for i := range p.Rules {
		at := fmt.Sprintf("$.rules[%d]", i)
		if seen[p.Rules[i].ID] {
			say(at+".id", "the rule %s is there twice", p.Rules[i].ID)
		}
		seen[p.Rules[i].ID] = true
		p.Rules[i].check(at, say)
	}
	return wrong
}

func (r *Rule) check(at string, say func(path, format string, args ...any)) {
	var s Severity
	var v Verdict
	m := r.Match
	if r.ID == "" {
		say(at, "the rule has no id")
	}
	if err := s.UnmarshalText([]byte(r.Severity)); err != nil || s == None {
		say(at+".severity", "severity %q is none of low, medium, high, critical", r.Severity)
	}
	if err := v.UnmarshalText([]byte(r.Verdict)); r.Verdict != "" && (err != nil || v == Allow) {
		say(at+".verdict", "verdict %q is none of warn, ask, refuse", r.Verdict)
	}
	if len(m.Program) == 0 {
		say(at, "the rule %s can never match: it names no program", r.ID)
	}
	if r.Effect == "" {
		say(at, "the rule %s does not say its effect", r.ID)
	}
	if len(r.Dangerous) == 0 || len(r.Harmless) == 0 {
		say(at, "the rule %s needs examples, dangerous and harmless", r.ID)
	}
	for _, group := range m.Flags {
		for f := range strings.SplitSeq(group, "|") {
			if !strings.HasPrefix(f, "-") {
				say(at+".match.flags", "%q is no flag: it does not start with -", f)
			} else if slices.Contains(m.NotFlags, group) {
				say(at+".match.not_flags", "the rule %s can never match: %s is both wanted and not", r.ID, group)
			}
		}
	}
	if m.Most != nil && *m.Most < m.Least {
		say(at+".match.most", "the rule %s can never match: most is below least", r.ID)
	}
	for field, list := range map[string]List{"paths": m.Paths, "writes": m.Writes, "mentions": m.Mentions} {
		for _, name := range list {
			if _, ok := classNames[name]; !ok {
				say(at+".match."+field, "%q is no kind of place", name)
			}
		}
	}
	for _, kind := range m.SQL {
		if !sqlKinds[kind] {
			say(at+".match.sql", "%q is no kind of statement", kind)
		}
	}
	if m.Stdin != "" && m.Stdin != "secret" && m.Stdin != "network" {
		say(at+".match.stdin", "stdin is %q; it is secret or network", m.Stdin)
	}
}

// line finds where a part of the pack is written.
func (p *Pack) line(at string) int {
	file, err := parser.ParseBytes(p.text, 0)
	if err != nil {
		return 1
	}
	for at != "" {
		if yp, err := yaml.PathString(at); err == nil {
			if node, err := yp.FilterFile(file); err == nil && node != nil {
				return cmp.Or(node.GetToken().Position.Line, 1)
			}
		}
		i := strings.LastIndexAny(at, ".[")
		if i <= 0 {
			break
		}
		at = at[:i]
	}
	return 1
}
