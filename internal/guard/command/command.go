package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// FS is what the analyser may look at: names are absolute, with slashes.
type FS interface {
	Lstat(name string) (fs.FileInfo, error)
	ReadFile(name string, limit int) ([]byte, error) // no more than limit bytes
	ReadDir(name string, limit int) ([]fs.DirEntry, error)
}

// Options configure an Analyser.
type Options struct {
	Packs []Pack // the packs to judge by; none: the built-in ones
	FS    FS     // nil: nothing on disk is looked at, so scripts named are asked
	Home  string // the home folder of who runs the commands; "": /home/user
	Steps int    // the most steps one command may take; 0: 30000
}

// Command is what somebody wants to run.
type Command struct {
	Text  string
	Dir   string            // absolute; "": unknown
	Shell string            // bash, sh, zsh or mksh; "": bash
	Env   map[string]string // variables whose values are known
}

// Span is a part of a command's text, in bytes.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Step is one thing the analyser understood on its way to a ruling.
type Step struct {
	Depth int    `json:"depth"`
	Span  Span   `json:"span"`
	Says  string `json:"says"`
}

// Simple is one program call found in a command, however deep.
type Simple struct {
	Argv    []string `json:"argv"` // … stands for what cannot be known
	Span    Span     `json:"span"`
	Verdict Verdict  `json:"verdict"`
	Rule    string   `json:"rule,omitempty"`
}

// Ruling is the answer to a command.
type Ruling struct {
	Verdict     Verdict  `json:"verdict"`
	Rule        string   `json:"rule,omitempty"`
	Family      string   `json:"family,omitempty"`
	Severity    Severity `json:"severity,omitempty"`
	Span        Span     `json:"span"`
	Match       string   `json:"match,omitempty"`  // the text of Span
	Effect      string   `json:"effect,omitempty"` // what would happen, a sentence
	Alternative string   `json:"alternative,omitempty"`
	Trail       []Step   `json:"trail,omitempty"`
	Commands    []Simple `json:"commands,omitempty"`
}

// Analyser judges commands; it is safe for use by several goroutines.
type Analyser struct {
	rules    *ruleset
	handlers map[string]handler
	programs map[string]*program
	fs       FS
	home     string
	steps    int
	runs     sync.Pool // of *run, with what they can use again
}

const (
	maxText   = 128 << 10 // longer commands are asked
	maxNested = 40 << 10  // of text found inside the text
	maxDepth  = 24
	maxScript = 128 << 10
)

// New checks the packs and builds an analyser.
func New(opts Options) (*Analyser, error) {
	packs := opts.Packs
	if packs == nil {
		var err error
		if packs, err = Builtin(); err != nil {
			return nil, err
		}
	}
	rules, err := compile(packs)
	if err != nil {
		return nil, err
	}
	if opts.Home != "" && !path.IsAbs(opts.Home) {
		return nil, fmt.Errorf("command: Options.Home %q is not absolute", opts.Home)
	}
	if opts.Steps < 0 {
		return nil, errors.New("command: Options.Steps is negative")
	}
	a := &Analyser{rules: rules, handlers: newHandlers(), programs: map[string]*program{}, fs: opts.FS, home: opts.Home, steps: opts.Steps}
	a.index()
	if a.home == "" {
		a.home = "/home/user"
	}
	if a.steps == 0 {
		a.steps = 30000
	}
	return a, nil
}

// program is all that is known of a program, so that a call needs one look.
type program struct {
	handler handler
	tool    *tool
	rules   *ruleList
}

func (a *Analyser) index() {
	of := func(name string) *program {
		if a.programs[name] == nil {
			a.programs[name] = new(program)
		}
		return a.programs[name]
	}
	for name, h := range a.handlers {
		of(name).handler = h
	}
	for name, t := range a.rules.tools {
		of(name).tool = t
	}
	for name, l := range a.rules.rules {
		of(name).rules = l
	}
}

// find is what is known of a program; of one nobody knows, nothing.
func (a *Analyser) find(name string) *program {
	if p := a.programs[name]; p != nil {
		return p
	}
	return new(program)
}

// Judge gives the ruling on a command. It never fails: what cannot be judged is asked.
func (a *Analyser) Judge(ctx context.Context, c Command) Ruling {
	r, _ := a.runs.Get().(*run)
	if r == nil {
		r = &run{slab: make([]word, 0, slabWords), calls: make([]call, 0, slabCalls), spots: make([]resolved, 0, slabSpots)}
	}
	found := new(results)
	r.commands, r.argv, r.trail = found.commands[:0], found.argv[:0], found.trail[:0]
	r.a, r.ctx, r.text, r.budget, r.nested = a, ctx, c.Text, a.steps, maxNested
	r.judge(c)
	ruling := r.ruling()
	r.reset()
	a.runs.Put(r)
	return ruling
}

// reset forgets the command and keeps the room. It touches only what was used: most commands are small.
func (r *run) reset() {
	clear(r.slab)
	clear(r.calls)
	clear(r.spots)
	r.slab, r.calls, r.spots, r.text8 = r.slab[:0], r.calls[:0], r.spots[:0], r.text8[:0]
	for i := range r.recent[:min(r.resolved, len(r.recent))] {
		r.recent[i] = location{}
	}
	if r.best.by != nil {
		r.kept = matching{}
	}
	r.a, r.ctx, r.text, r.trail, r.commands, r.argv = nil, nil, "", nil, nil, nil
	r.written, r.made, r.active = nil, nil, nil
	r.best, r.first = finding{}, scope{}
	r.marked, r.looked, r.resolved = false, 0, 0
	r.input.Reset("")
}

// results is room for what most rulings hold.
type results struct {
	commands [1]Simple
	argv     [6]string
	trail    [1]Step
}

const (
	slabWords = 96
	slabSpots = 16
	slabCalls = 8
)

// words gives room for n words that is used again for another command; no ruling may refer to it.
func (r *run) words(n int) []word {
	used := len(r.slab)
	if used+n > cap(r.slab) {
		return make([]word, 0, n)
	}
	r.slab = r.slab[:used+n]
	return r.slab[used : used : used+n]
}

// room gives room for n paths, like words.
func (r *run) room(n int) []resolved {
	used := len(r.spots)
	if used+n > cap(r.spots) {
		return make([]resolved, 0, n)
	}
	r.spots = r.spots[:used+n]
	return r.spots[used : used : used+n]
}

// newCall is a call in room that is used again.
func (r *run) newCall(c call) *call {
	if len(r.calls) == cap(r.calls) {
		fresh := new(call)
		*fresh = c
		return fresh
	}
	r.calls = append(r.calls, c)
	return &r.calls[len(r.calls)-1]
}

// run is the work on one command.
type run struct {
	a        *Analyser
	ctx      context.Context
	text     string
	budget   int // steps left
	nested   int // bytes of nested text left
	best     finding
	trail    []Step
	commands []Simple
	argv     []string                       // room for the words of commands
	marked   bool                           // nested text holds marks of unknown parts
	written  map[string]value               // files this line writes, by absolute path
	made     map[string]bool                // folders this line makes
	looked   int                            // entries of the disk looked at to count
	active   map[*syntax.Stmt]map[Span]bool // functions being walked, and where they call themselves

	first  scope
	slab   []word
	calls  []call
	spots  []resolved
	input  strings.Reader
	kept   matching    // of best
	text8  []byte      // where texts for people are put together
	recent [4]location // paths resolved last, in turn

	resolved int // how many paths were
	parsers  [3]*syntax.Parser
	clean    string // a folder, cleaned
}

// location is where a word points in a scope.
type location struct {
	text, dir, root string
	flags           wordFlags
	remote          bool
	p               resolved
}

// finding is the strictest thing said so far.
type finding struct {
	verdict     Verdict
	severity    Severity
	rule        string
	family      string
	span        Span
	effect      string
	alternative string
	by          *rule     // instead of effect and alternative: the rule,
	of          *matching // and what it matched
}

// stop ends an analysis that must not go on; judge recovers it.
type stop struct{ why string }

func (r *run) judge(c Command) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case stop:
			r.ask("analysis.limit", Span{0, len(r.text)}, "This command is "+p.why+", so it cannot be judged.")
		default:
			r.ask("analysis.broken", Span{0, len(r.text)}, "This command made the analyser fail, so it cannot be judged.")
		}
	}()
	if len(c.Text) > maxText {
		panic(stop{"too long"})
	}
	if c.Text == "" || c.Text[0] <= ' ' && strings.TrimSpace(c.Text) == "" {
		return
	}
	s := &r.first
	*s = scope{dir: c.Dir, lang: language(c.Shell), env: c.Env, place: place{base: 0, exact: true}}
	if c.Dir != "" && c.Dir != r.clean { // the folder is mostly the one of the command before
		r.clean = path.Clean(c.Dir)
	}
	if c.Dir != "" {
		s.dir = r.clean
	}
	s.root = s.dir
	r.source(s, c.Text, value{})
}

// spend takes n steps from the budget and ends the analysis when none are left.
func (r *run) spend(n int) {
	if r.budget -= n; r.budget < 0 {
		panic(stop{"too long to follow"})
	}
	if r.budget&255 == 0 && r.ctx.Err() != nil {
		panic(stop{"interrupted"})
	}
}

// source parses text and walks it with standard input in.
func (r *run) source(s *scope, text string, in value) value {
	r.spend(1 + len(text)/4)
	if tooDeep(text) {
		panic(stop{"nested too deeply"})
	}
	file, err := r.parse(s.lang, text)
	if err != nil {
		r.ask("analysis.syntax", s.place.span(0, len(text)), "The shell text cannot be understood: "+err.Error()+".")
		return value{}
	}
	return r.list(s, file.Stmts, in)
}

// inner walks text that is run by a command at span: the text of sh -c, a script, a decoded pipe.
func (r *run) inner(s *scope, text string, at place, in value) value {
	if r.nested -= len(text); r.nested < 0 {
		panic(stop{"too large inside"})
	}
	if flags := flagsOf(text); flags != 0 {
		r.marked = true
		if flags&isWild != 0 {
			r.ask("analysis.unknown-text", at.span(0, len(text)), "Runs shell text that holds a part which cannot be known before.")
		}
	}
	c := s.child()
	c.place = at
	return r.source(c, text, in)
}

func (r *run) parse(lang syntax.LangVariant, text string) (*syntax.File, error) {
	p := &r.parsers[slotOf(lang)]
	if *p == nil {
		*p = syntax.NewParser(syntax.Variant(lang))
	}
	r.input.Reset(text)
	return (*p).Parse(&r.input, "")
}

func language(shell string) syntax.LangVariant {
	switch path.Base(shell) {
	case "zsh":
		return syntax.LangZsh
	case "mksh", "ksh", "ksh93":
		return syntax.LangMirBSDKorn
	}
	// Scripts for sh are read as bash: what only bash understands is judged too.
	return syntax.LangBash
}

// slotOf is the place of a shell's parser.
func slotOf(lang syntax.LangVariant) int {
	switch lang {
	case syntax.LangZsh:
		return 1
	case syntax.LangMirBSDKorn:
		return 2
	}
	return 0
}

// brackets says of a byte whether it opens or closes something.
var brackets = [256]byte{'(': '(', '{': '(', '[': '(', ')': ')', '}': ')', ']': ')', '`': '`'}

// tooDeep guards the parser's stack and time: it recurses on brackets.
func tooDeep(text string) bool {
	depth, ticks := 0, 0
	for i := 0; i < len(text); i++ {
		switch brackets[text[i]] {
		case 0:
		case '(':
			if depth++; depth > 200 {
				return true
			}
		case ')':
			depth--
		case '`':
			ticks++
		}
	}
	return ticks > 400
}

// found keeps the strictest finding.
func (r *run) found(f finding) {
	if f.verdict > r.best.verdict || f.verdict == r.best.verdict && f.severity > r.best.severity {
		r.best = f
	}
}

func (r *run) ask(rule string, at Span, effect string) {
	r.found(finding{verdict: Ask, severity: Medium, rule: rule, family: "analysis", span: at, effect: effect})
}

func (r *run) note(s *scope, at Span, says string) {
	if len(r.trail) < 200 {
		r.trail = append(r.trail, Step{Depth: s.depth, Span: at, Says: says})
	}
}

func (r *run) ruling() Ruling {
	b := r.best
	if b.by != nil {
		b.effect, b.alternative = b.of.fill(b.by.effect, false), b.of.fill(b.by.alternative, true)
	}
	b.span.Start = min(max(b.span.Start, 0), len(r.text))
	b.span.End = min(max(b.span.End, b.span.Start), len(r.text))
	out := Ruling{
		Verdict: b.verdict, Rule: b.rule, Family: b.family, Severity: b.severity, Span: b.span,
		Effect: b.effect, Alternative: b.alternative, Trail: r.trail, Commands: r.commands,
	}
	if b.rule != "" {
		out.Match = r.text[b.span.Start:b.span.End]
	}
	return out
}
