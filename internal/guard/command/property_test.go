package command

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"
	"pgregory.net/rapid"
)

func quoted(text string) string {
	q, err := syntax.Quote(text, syntax.LangBash)
	if err != nil {
		return "''"
	}
	return q
}

// wrappings hide a command without changing what it does.
var wrappings = map[string]func(string) string{
	"sudo":         func(c string) string { return "sudo sh -c " + quoted(c) },
	"env":          func(c string) string { return "env A=1 bash -c " + quoted(c) },
	"bash -c":      func(c string) string { return "bash -c " + quoted(c) },
	"bash -lc":     func(c string) string { return "bash -lc " + quoted(c) },
	"eval":         func(c string) string { return "eval " + quoted(c) },
	"nohup":        func(c string) string { return "nohup sh -c " + quoted(c) + " &" },
	"timeout":      func(c string) string { return "timeout 5 sh -c " + quoted(c) },
	"nice":         func(c string) string { return "nice -n 5 sh -c " + quoted(c) },
	"stdbuf":       func(c string) string { return "stdbuf -oL sh -c " + quoted(c) },
	"watch":        func(c string) string { return "watch " + quoted(c) },
	"ssh":          func(c string) string { return "ssh host " + quoted(c) },
	"docker exec":  func(c string) string { return "docker exec web sh -c " + quoted(c) },
	"kubectl exec": func(c string) string { return "kubectl exec p -- sh -c " + quoted(c) },
	"find -exec":   func(c string) string { return "find . -exec sh -c " + quoted(c) + ` \;` },
	"xargs":        func(c string) string { return "echo x | xargs sh -c " + quoted(c) },
	"parallel":     func(c string) string { return "parallel ::: " + quoted(c) },
	"pipe":         func(c string) string { return "printf %s " + quoted(c) + " | sh" },
	"echo pipe":    func(c string) string { return "cat <<'E_O_F' | bash\n" + c + "\nE_O_F\n" },
	"heredoc":      func(c string) string { return "bash <<'E_O_F'\n" + c + "\nE_O_F\n" },
	"herestring":   func(c string) string { return "sh <<< " + quoted(c) },
	"base64": func(c string) string {
		return "echo " + base64.StdEncoding.EncodeToString([]byte(c)) + " | base64 -d | sh"
	},
	"hex":             func(c string) string { return "echo " + hex.EncodeToString([]byte(c)) + " | xxd -r -p | sh" },
	"printf escapes":  func(c string) string { return "printf " + quoted(octal(c)) + " | sh" },
	"ansi":            func(c string) string { return "bash -c $'" + octal(c) + "'" },
	"variable":        func(c string) string { return "X=" + quoted(c) + "; eval \"$X\"" },
	"variable sh":     func(c string) string { return "X=" + quoted(c) + "; sh -c \"$X\"" },
	"substitution":    func(c string) string { return "echo \"$(\n" + c + "\n)\"" },
	"subshell":        func(c string) string { return "(\n" + c + "\n)" },
	"group":           func(c string) string { return "{ \n" + c + "\n}" },
	"if":              func(c string) string { return "if true; then\n" + c + "\nfi" },
	"else":            func(c string) string { return "if false; then :; else\n" + c + "\nfi" },
	"while":           func(c string) string { return "while true; do\n" + c + "\ndone" },
	"for":             func(c string) string { return "for i in 1 2; do\n" + c + "\ndone" },
	"function":        func(c string) string { return "f_n() {\n" + c + "\n}\nf_n" },
	"list":            func(c string) string { return "ls -la\n" + c },
	"prefix variable": func(c string) string { return "FOO=bar bash -c " + quoted(c) },
	"process":         func(c string) string { return "bash <(printf %s " + quoted(c) + ")" },
	"source":          func(c string) string { return "source <(printf %s " + quoted(c) + ")" },
	"file":            func(c string) string { return "printf %s " + quoted(c) + " > /tmp/f.sh; sh /tmp/f.sh" },
	"trap":            func(c string) string { return "trap " + quoted(c) + " EXIT" },
	"python":          func(c string) string { return "python3 -c " + quoted("import os; os.system("+pyString(c)+")") },
	"node": func(c string) string {
		return "node -e " + quoted("require('child_process').execSync("+pyString(c)+")")
	},
	"perl":      func(c string) string { return "perl -e " + quoted("system("+pySingle(c)+")") },
	"git alias": func(c string) string { return "git -c " + quoted("alias.zz=!"+c) + " zz" },
	"npx":       func(c string) string { return "npx -c " + quoted(c) },
	"flock":     func(c string) string { return "flock /tmp/l -c " + quoted(c) },
	"su":        func(c string) string { return "su -c " + quoted(c) },
	"tmux":      func(c string) string { return "tmux send-keys " + quoted(c) + " Enter" },
	"cron": func(c string) string {
		return "echo " + quoted("@daily "+strings.ReplaceAll(c, "\n", " ; ")) + " | crontab -"
	},
	"coproc": func(c string) string { return "coproc {\n" + c + "\n}" },
}

func octal(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		fmt.Fprintf(&b, `\%03o`, text[i])
	}
	return b.String()
}

func pyString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}

func pySingle(text string) string {
	return `'` + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + `'`
}

func wrapNames() []string {
	var names []string
	for name := range wrappings {
		names = append(names, name)
	}
	return names
}

// dangers are the commands of the tables that are refused, and the examples of the rules that refuse.
func dangers(t testing.TB, a *Analyser) []string {
	var out []string
	for _, r := range readTables(t) {
		if r.want == Refuse {
			out = append(out, r.text)
		}
	}
	packs, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packs {
		for _, r := range p.Rules {
			for _, example := range r.Dangerous {
				if judge(a, example).Verdict == Refuse {
					out = append(out, example)
				}
			}
		}
	}
	return out
}

func TestWrappingNeverMakesARefusedCommandAllowed(t *testing.T) {
	t.Parallel()
	a := newAnalyser(t)
	refused := dangers(t, a)
	weak := 0
	for _, danger := range refused {
		for name, wrap := range wrappings {
			got := judge(a, wrap(danger))
			if got.Verdict < Ask {
				t.Errorf("%q in %s: %s: %q", danger, name, got.Verdict, wrap(danger))
			} else if got.Verdict == Ask {
				weak++
			}
		}
	}
	t.Logf("%d refused commands in %d wrappings; %d became ask", len(refused), len(wrappings), weak)
}

func TestNestedWrappings(t *testing.T) {
	t.Parallel()
	a := newAnalyser(t)
	refused, names := dangers(t, a), wrapNames()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(refused).Draw(t, "danger")
		for _, name := range rapid.SliceOfN(rapid.SampledFrom(names), 1, 4).Draw(t, "wrappings") {
			text = wrappings[name](text)
		}
		if got := judge(a, text); got.Verdict < Ask {
			t.Fatalf("%s: %q", got.Verdict, text)
		}
	})
}

// steps is how many the budget of one command leaves at most.
func bounded(t testing.TB, a *Analyser, text string) Ruling {
	t.Helper()
	got := a.Judge(context.Background(), Command{Text: text, Dir: project})
	if got.Rule == "analysis.broken" {
		t.Errorf("the analyser failed on %q", text)
	}
	if got.Span.Start < 0 || got.Span.End > len(text) || got.Span.Start > got.Span.End {
		t.Errorf("%q: span %v is outside", text, got.Span)
	}
	return got
}

func TestNothingBreaksIt(t *testing.T) {
	t.Parallel()
	a := newAnalyser(t)
	var pieces []string
	for _, r := range readTables(t) {
		pieces = append(pieces, strings.Fields(r.text)...)
	}
	pieces = append(pieces, "$(", "`", "((", "{", "}", ")", "<<EOF", "'", `"`, "\\", "\n", "\x00", "é", "$'", "${", "[[", "|", "&&", ";", "<(", "{1..99999}", "*", "~")
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "words"), rapid.SampledFrom([]string{" ", ""}).Draw(t, "between"))
		got := judge(a, text)
		if got.Rule == "analysis.broken" {
			t.Fatalf("failed on %q", text)
		}
	})
}

// hostile inputs of 10 kB.
func hostile() map[string]string {
	fill := func(part string) string { return strings.Repeat(part, 10_000/len(part)) }
	return map[string]string{
		"open substitutions": fill("$("),
		"nested":             strings.Repeat("$(echo ", 190) + strings.Repeat(")", 190),
		"backticks":          fill("`"),
		"arithmetic":         fill("(("),
		"braces":             "echo " + fill("{a,b}"),
		"sequences":          "echo {1..999999999}",
		"nested braces":      "echo " + strings.Repeat("{a,", 150) + strings.Repeat("}", 150),
		"pipes":              fill("cat | "),
		"lists":              fill("ls;"),
		"ands":               fill("ls && ") + "ls",
		"redirects":          "ls" + fill(" >x"),
		"words":              "rm -rf " + fill("a "),
		"long word":          "rm -rf " + fill("a"),
		"eval bomb":          "x=" + quoted(fill("echo ")[:8000]) + "; " + strings.Repeat(`eval "$x";`, 180),
		"doubling":           "a=xxxxxxxxxx;" + strings.Repeat("a=$a$a;", 40) + "echo $a",
		"loops":              strings.Repeat("for i in 1 2 3 4 5 6 7 8 9 10; do ", 15) + "x=$i; ls" + strings.Repeat("; done", 15),
		"functions":          strings.Repeat("f(){ g; };g(){ f; f; };f;g;", 100),
		"quotes":             fill("'a'\"b\""),
		"heredocs":           fill("cat <<E\nE\n"),
		"sh -c":              strings.Repeat("sh -c ", 1600),
		"sudo":               strings.Repeat("sudo ", 1900) + "rm -rf /",
		"base64":             "echo " + fill("A") + " | base64 -d | sh",
		"python":             "python3 -c " + quoted(fill("os.system('ls');")),
		"python parens":      "python3 -c " + quoted(fill("f(")),
		"python lists":       "python3 -c " + quoted("subprocess.run("+fill("[")),
		"node strings":       "node -e " + quoted(fill("execSync('ls');")),
		"awk":                "awk " + quoted(fill(`{print | "ls"}`)),
		"sql":                "psql -c " + quoted(fill("select 1;")),
		"xargs":              "echo " + fill("a ") + " | xargs rm",
		"globs":              "rm " + fill("* "),
		"globstars":          "rm " + fill("*"),
		"tr":                 "echo " + fill("a") + strings.Repeat("| tr a-z b-za", 100) + " | sh",
		"printf":             "printf '%s' " + fill("a ") + " | sh",
		"assignments":        fill("a=1 ") + "ls",
		"case":               "case x in " + strings.Repeat("x) ls;; ", 1000) + "esac",
		"substitution words": fill("$(ls) "),
		"aliases":            strings.Repeat("alias a='a a';", 500) + "a",
		"find exec":          "find . " + strings.Repeat("-exec ls {} \\; ", 600),
		"unicode":            fill("é"),
		"binary":             fill("\x00\x01\xff"),
		"git":                "git " + strings.Repeat("-c a=b ", 1200) + "status",
		"deep eval":          strings.Repeat("eval ", 1900) + "ls",
		"deep quotes":        deepQuotes(),
	}
}

func deepQuotes() string {
	text := "rm -rf /"
	for range 11 {
		if next := "sh -c " + quoted(text); len(next) < 10_000 {
			text = next
		}
	}
	return text
}

// The limit is on processor time: a busy machine makes nothing slower that is ours.
func TestEveryInputIsBounded(t *testing.T) {
	a := newAnalyser(t)
	for name, text := range hostile() {
		bounded(t, a, text) // warm
		best := time.Hour
		for range 10 {
			start := processorTime()
			bounded(t, a, text)
			best = min(best, processorTime()-start)
		}
		t.Logf("%6d bytes %10v %s", len(text), best, name)
		if limit := most * slowdown; best > limit {
			t.Errorf("%s: %d bytes took %v, more than %v", name, len(text), best, limit)
		}
	}
}

// most is how long a command of up to 10 kB may take.
const most = 5 * time.Millisecond

// inTime judges a command again if it took too long: the first time pays for others too.
func inTime(t testing.TB, a *Analyser, text string) Ruling {
	t.Helper()
	var got Ruling
	took := time.Hour
	for range 5 {
		start := processorTime()
		got = bounded(t, a, text)
		if took = min(took, processorTime()-start); took <= most*slowdown*fuzzing() {
			return got
		}
	}
	t.Errorf("%d bytes took %v: %.200q", len(text), took, text)
	return got
}

// fuzzing is how much slower a fuzzed program is: it counts where it goes.
func fuzzing() time.Duration {
	for _, name := range []string{"test.fuzz", "test.fuzzworker"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" && f.Value.String() != "false" {
			return 4
		}
	}
	return 1
}

// FuzzJudge: it never breaks, what it marks stands in the text, it ends in time, and what it suggests is allowed.
func FuzzJudge(f *testing.F) {
	a := newAnalyser(f)
	for _, r := range readTables(f) {
		f.Add(r.text)
	}
	for _, text := range hostile() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 10_000 {
			text = text[:10_000]
		}
		got := inTime(t, a, text)
		if got.Alternative == "" {
			return
		}
		if back := bounded(t, a, got.Alternative); back.Verdict != Allow {
			t.Errorf("%q: suggests %q, which is %s by %s", text, got.Alternative, back.Verdict, back.Rule)
		}
	})
}

// FuzzWrapping: a refused command in any wrappings, one in another, is never allowed.
func FuzzWrapping(f *testing.F) {
	a := newAnalyser(f)
	refused, names := dangers(f, a), wrapNames()
	slices.Sort(names)
	for i := range refused {
		f.Add(uint16(i), []byte{byte(i), byte(i / 3)})
	}
	f.Fuzz(func(t *testing.T, which uint16, how []byte) {
		text := refused[int(which)%len(refused)]
		for _, h := range how[:min(len(how), 5)] {
			if text = wrappings[names[int(h)%len(names)]](text); len(text) > 10_000 {
				return
			}
		}
		if got := inTime(t, a, text); got.Verdict < Ask {
			t.Errorf("%s: %q", got.Verdict, text)
		}
	})
}
