package builtin

import (
	"math/big"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

func TestCalculate(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"1+2*3": "7", "(1+2)*3": "9", "0.1+0.2": "0.3", "2^10": "1024", "2**3**2": "512", "-2^2": "-4", "(-2)^2": "4", "2^-2": "0.25",
		"1/3": "1/3 (about 0.333333333333333333333333333333)", "10 % 3": "1", "-7 % 3": "2", "1e3": "1000", "1_000*2": "2000",
		"sqrt(16)": "4", "sqrt(2)": "about 1.414213562373095048801688724210", "floor(-1.5)": "-2", "ceil(1.2)": "2", "round(2.5)": "3", "round(-2.5)": "-3",
		"min(3, 1, 2)": "1", "max(3,1,2)": "3", "abs(-4)": "4", "2^200": "1606938044258990275541962092341162602522202993782792835301376",
		".5*4": "2", "--3": "3", "9007199254740993 + 0": "9007199254740993",
	}
	for text, want := range tests {
		value, exact, err := calculate(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := format(value, exact)
		if got != want && !(strings.HasPrefix(want, "about") && strings.HasPrefix(got, want[:30])) {
			t.Errorf("%s = %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "1+", "1/0", "5%0", "(1", "1 2", "foo", "foo(1)", "2^0.5", "2^9999999", "9^9^9^9", "1e99999999", "sqrt(-1)", "1..2", "0^-1", "abs(1,2)", strings.Repeat("(", 1000), strings.Repeat("-", 1000) + "1"} {
		if v, _, err := calculate(text); !fault.HasCode(err, "bad_expression") {
			t.Errorf("%.20q = %v, %v", text, v, err)
		}
	}
}

// FuzzCalculate: any text has a value or an error, soon.
func FuzzCalculate(f *testing.F) {
	for _, s := range []string{"1+2", "2^3^4", "sqrt(2)/3", "max(1,2)%3", "1e9", "((1)", "-.5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 500 {
			return
		}
		value, exact, err := calculate(text)
		if err == nil && format(value, exact) == "" {
			t.Errorf("%q has no value and no error", text)
		}
		if err == nil && value.Cmp(new(big.Rat).Set(value)) != 0 {
			t.Errorf("%q is not itself", text)
		}
	})
}

// FuzzPatch: a patch that replaces one text by another does so, and no patch makes it fall over.
func FuzzPatch(f *testing.F) {
	f.Add("a\nb\n", "a\nc\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n")
	f.Add("", "x\n", "@@ -0,0 +1 @@\n+x\n")
	f.Add("x", "", "\\ No newline")
	f.Fuzz(func(t *testing.T, before, after, patch string) {
		if out, err := applyPatch(before, patch); err == nil && len(out) > len(before)+len(patch)*2+2+strings.Count(before, "\n") {
			t.Errorf("applyPatch(%q, %q) = %q", before, patch, out)
		}
		if strings.Contains(before+after, "\r") || !strings.HasSuffix(before, "\n") || !strings.HasSuffix(after, "\n") {
			return
		}
		var b strings.Builder
		b.WriteString("@@ -1,1 +1,1 @@\n")
		for line := range strings.Lines(before) {
			b.WriteString("-" + line)
		}
		for line := range strings.Lines(after) {
			b.WriteString("+" + line)
		}
		if got, err := applyPatch(before, b.String()); err != nil || got != after {
			t.Errorf("from %q to %q: %q, %v", before, after, got, err)
		}
	})
}

func TestHTMLText(t *testing.T) {
	t.Parallel()
	source := `<!doctype html><html><head><title>Hello &amp; bye</title><style>p{}</style><script>if (a < b) { "</p>" }</script></head>
<body><nav><a href="/">Home</a></nav><h1>Big <em>news</em></h1><p>One  two
three. See <a href="/docs?a=1&amp;b=2">the docs</a>, <a href="#top">top</a> or <a href="javascript:alert(1)">this</a>.</p>
<ul><li>first<li>second</ul><pre>x
  y</pre><table><tr><td>a<td>b</table><!-- <p>hidden --> 1 < 2<br>end<img alt="a > b" src=x></body></html>`
	want := `# Hello & bye

# Big news

One two three. See the docs (https://example.com/docs?a=1&b=2), top or this.

- first
- second

x
  y

a | b

1 < 2
end`
	if got := htmlText(source, "https://example.com/x"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// FuzzHTML: no page makes it fall over or grow without measure.
func FuzzHTML(f *testing.F) {
	for _, s := range []string{"<p>a<", "<a href='x", "<script>", "</a>", "<!--", "<pre><td>", "&#x;", "<title/>x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if out := htmlText(source, "https://example.com/"); len(out) > 40*len(source)+64 {
			t.Errorf("%q became %d bytes", source, len(out))
		}
	})
}

func FuzzGlob(f *testing.F) {
	f.Add("**/*.{go,ts}", "a/b.go")
	f.Add("[!a-z]?", "x")
	f.Fuzz(func(_ *testing.T, glob, name string) {
		if match, err := globRegexp(glob); err == nil {
			match.MatchString(name)
		}
		parseIgnore(glob)
	})
}
