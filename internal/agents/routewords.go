package agents

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// mentioned finds an agent that the text names: @coder, "ask the coder to …",
// or "coder: …" at its start. The first one named is it.
func mentioned(all []Agent, text string) (Choice, bool) {
	text = cut(text, maxRouted)
	best, at, as := "", len(text)+1, ""
	for _, a := range all {
		for _, name := range []string{a.Name, a.Title} {
			if name == "" {
				continue
			}
			if i, found := mention(text, name); i >= 0 && i < at {
				best, at, as = a.Name, i, found
			}
		}
	}
	if best == "" {
		return Choice{}, false
	}
	return Choice{best, ByMention, fmt.Sprintf("The message says %q.", strings.TrimSpace(as)), 1}, true
}

// mention is where text addresses someone of that name, and with which words; -1 if it does not.
func mention(text, name string) (int, string) {
	if !strings.Contains(strings.ToLower(text), strings.ToLower(name)) {
		return -1, ""
	}
	quoted := regexp.QuoteMeta(name)
	for _, pattern := range []string{
		`(?i)(?:^|[\s(,;:])(@` + quoted + `)(?:$|[^\p{L}\p{N}_/.-]|[.-](?:$|\s))`,
		`(?i)(?:^|[\s(,;:"'])((?:ask|tell|have|let)\s+(?:the\s+)?` + quoted + `)(?:$|[^\p{L}\p{N}_-])`,
		`(?i)(?:^|[\s(,;:"'])(use\s+(?:the\s+)?` + quoted + `\s+agent)(?:$|[^\p{L}\p{N}_-])`,
		`(?i)^\s*(` + quoted + `)[:,]\s`,
	} {
		if m := regexp.MustCompile(pattern).FindStringSubmatchIndex(text); m != nil {
			return m[2], text[m[2]:m[3]]
		}
	}
	return -1, ""
}

// The weights of where a word stands, and the constants of BM25.
const (
	weightName         = 4
	weightDescription  = 2
	weightInstructions = 0.5
	saturation         = 1.2
	lengthPenalty      = 0.5
)

// clearLead says how far ahead of the others the best must be.
const clearLead = 1.15

// byWords ranks agents by the words they share with the text, rare words
// counting most; ok is false when none stands out.
func byWords(all []Agent, text string) (Choice, bool) {
	wanted := words(cut(text, maxRouted))
	if len(wanted) == 0 {
		return Choice{}, false
	}
	docs, in, average := corpus(all)
	type ranked struct {
		agent string
		score float64
		words []string
	}
	ranking := make([]ranked, 0, len(all))
	for i, a := range all {
		r := ranked{agent: a.Name}
		length := 0.0
		for _, n := range docs[i] {
			length += n
		}
		for _, w := range slices.Sorted(slices.Values(unique(wanted))) {
			n := docs[i][w]
			if n == 0 {
				continue
			}
			rarity := math.Log(1 + (float64(len(all))-float64(in[w])+0.5)/(float64(in[w])+0.5))
			gain := rarity * n * (saturation + 1) / (n + saturation*(1-lengthPenalty+lengthPenalty*length/average))
			r.score += gain
			if gain > 0.3 {
				r.words = append(r.words, w)
			}
		}
		ranking = append(ranking, r)
	}
	slices.SortStableFunc(ranking, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	best, second := ranking[0], ranking[1]
	if best.score < 0.5 || best.score < second.score*clearLead {
		return Choice{}, false
	}
	if len(best.words) > 4 {
		best.words = best.words[:4]
	}
	why := fmt.Sprintf("Its description fits best: %s.", quoted(best.words))
	return Choice{best.agent, ByWords, why, round(best.score / (best.score + second.score) * best.score / (best.score + 1))}, true
}

func round(f float64) float64 { return math.Round(f*100) / 100 }

// corpus counts the words of each agent by weight, in how many agents each word
// is, and how long they are on average.
func corpus(all []Agent) (docs []map[string]float64, in map[string]int, average float64) {
	in = map[string]int{}
	for _, a := range all {
		doc := map[string]float64{}
		for _, part := range []struct {
			text   string
			weight float64
		}{{a.Name + " " + a.Title, weightName}, {a.Description, weightDescription}, {a.Instructions, weightInstructions}} {
			for _, w := range unique(words(part.text)) {
				doc[w] += part.weight
			}
		}
		for w, n := range doc {
			in[w]++
			average += n
		}
		docs = append(docs, doc)
	}
	return docs, in, max(1, average/float64(len(all)))
}

// words are the stems of a text's words that mean something.
func words(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len([]rune(w)) < 3 || common[w] {
			continue
		}
		out = append(out, stem(w))
	}
	return out
}

func unique(list []string) []string {
	out := slices.Clone(list)
	slices.Sort(out)
	return slices.Compact(out)
}

// stem cuts endings that do not change what an English word is about.
func stem(w string) string {
	for _, end := range []string{"ations", "ation", "ings", "ing", "ers", "ies", "ed", "er", "es", "s", "e", "y"} {
		if rest, ok := strings.CutSuffix(w, end); ok && len(rest) >= 4-min(1, len(end)-1) && len(rest) >= 3 {
			return rest
		}
	}
	return w
}

// common are words that every description and every question has.
var common = setOf(`the and for are was were with that this from into onto you your yours they them their what when where which who whom why how
	does did doing done have has had can could should would will shall may might must not nor but about above after again all any both each few more most
	other some such only own same than too very just now then there here please need want like make made use used using say says tell out over under
	let one two three get got give its it's his her our ours say said something thing things agent agents`)

func setOf(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}
