package command

import (
	"context"
	"fmt"
	"slices"
)

// Check runs the examples of packs: a dangerous one must be matched by its own
// rule, a harmless one must not, and what the rule suggests instead must be allowed.
func Check(a *Analyser, packs []Pack, dir string) []Problem {
	var wrong []Problem
	for i := range packs {
		p := &packs[i]
		for k, r := range p.Rules {
			at := fmt.Sprintf("$.rules[%d]", k)
			say := func(field string, n int, format string, args ...any) {
				wrong = append(wrong, Problem{p.source, p.line(fmt.Sprintf("%s.%s[%d]", at, field, n)), p.ID + "." + r.ID + ": " + fmt.Sprintf(format, args...)})
			}
			for n, example := range r.Dangerous {
				got := a.Judge(context.Background(), Command{Text: example, Dir: dir})
				if !got.used(p.ID + "." + r.ID) {
					say("dangerous", n, "does not match %q: %s by %q, %s", example, got.Verdict, got.Rule, got.Effect)
				}
				if alt := got.Alternative; alt != "" {
					if back := a.Judge(context.Background(), Command{Text: alt, Dir: dir}); back.Verdict > Allow {
						say("dangerous", n, "suggests %q for %q, which itself is not allowed: %s by %s", alt, example, back.Verdict, back.Rule)
					}
				}
			}
			for n, example := range r.Harmless {
				if got := a.Judge(context.Background(), Command{Text: example, Dir: dir}); got.used(p.ID + "." + r.ID) {
					say("harmless", n, "matches %q, which is harmless", example)
				}
			}
		}
	}
	return wrong
}

func (r Ruling) used(rule string) bool {
	return r.Rule == rule || slices.ContainsFunc(r.Commands, func(c Simple) bool { return c.Rule == rule })
}
