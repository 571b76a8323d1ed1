package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/words"
)

// longestFact is what still is a fact; more is a document.
const longestFact = 2000

// tidy makes one line of a text.
func tidy(text string) string { return strings.Join(strings.Fields(text), " ") }

// refuse says why a text is not worth or not fit to be remembered.
func (m *Mind) refuse(text string, origin Origin) error {
	switch {
	case text == "":
		return fault.New(fault.Invalid, "fact_empty", "There is nothing to remember.").WithParam("text")
	case utf8.RuneCountInString(text) > longestFact:
		return fault.New(fault.TooLarge, "fact_too_long", "A fact has at most %d characters.", longestFact).WithParam("text").
			WithHint("Add longer texts as knowledge.")
	}
	if what := sensitive(text); what != "" {
		return fault.New(fault.Invalid, "fact_sensitive", "This holds %s, which is never remembered.", what).WithParam("text").
			WithHint("Keep secrets in the settings of what needs them.")
	}
	if word, ok := denied(text, m.rules.Deny); ok {
		return fault.New(fault.Invalid, "fact_denied", "%q is on the list of what is never remembered.", word).WithParam("text").
			WithHint("An administrator keeps the list in memory.deny.")
	}
	if why := junk(text, origin); why != "" {
		return fault.New(fault.Invalid, "fact_junk", "%s", why).WithParam("text").WithHint("Remember what will still be true and useful next week.")
	}
	return nil
}

var (
	greeting = onUse(`(?i)^(?:(?:hi|hello|hey|yo|good (?:morning|afternoon|evening|night)|thanks?(?: you)?(?: (?:so|very) much| a lot)?|thx|ok(?:ay)?|sure|yes|no|yep|nope|great|cool|nice|perfect|awesome|got it|sounds good|bye|goodbye|see you(?: later)?|you'?re welcome|no problem|please|lol|haha|hmm+|hallo|danke|hola|gracias|bonjour|merci|ciao|there|all|everyone|again|how are you(?: doing)?(?: today)?)[\s,.!?…:)\-]*)+$`)
	chatter  = onUse(`(?i)^(?:\[?tool\b|calling tool|running (?:command|tool|tests?)\b|exit (?:code|status) ?\d|command (?:finished|failed|exited)|traceback \(most recent|panic: |error: exit|stdout:|stderr:|\$ \w|> ?\w+@|https?://\S+$|[\[{].*[\]}]$|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|\d+ (?:passed|failed|files? changed)|total \d+$)`)
	passing  = onUse(`(?i)\b(?:right now|at the moment|at this moment|just now|currently (?:running|waiting|building|loading|typing|looking|working on|reading|downloading|installing)|is (?:still )?(?:running|loading|building|compiling|downloading)\b|(?:i'm|i am|the user is) (?:about to|going to bed|on (?:a|my|the) (?:call|phone|train|bus)|at lunch|back in|waiting|hungry|tired|busy)\b|in a (?:minute|second|moment)|brb|(?:a few|five|ten|\d+) (?:minutes?|seconds?) ago|this (?:very )?(?:minute|second))`)
	question = onUse(`(?i)^(?:what|who|whom|whose|where|when|why|how|which|is|are|was|were|do|does|did|can|could|would|will|should|may|shall|have|has)\b[^.!]*\?$`)
)

// junk says why nobody would want to be reminded of a text; "" if they may.
func junk(text string, origin Origin) string {
	letters := 0
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			letters++
		}
	}
	switch {
	case letters < 2:
		return "This says nothing."
	case greeting().MatchString(text):
		return "This is a greeting, not a fact."
	case chatter().MatchString(text):
		return "This is the output of a program, not a fact."
	case passing().MatchString(text):
		return "This is about a passing moment, not a lasting fact."
	case origin != FromAPI && origin != FromImport && question().MatchString(text):
		return "This is a question, not a fact."
	}
	return ""
}

// denied finds a word of the list in a text; an entry of several words is looked for in their order.
func denied(text string, list []string) (string, bool) {
	if len(list) == 0 {
		return "", false
	}
	have := " " + words.Join(text) + " "
	for _, entry := range list {
		if w := words.Join(entry); w != "" && strings.Contains(have, " "+w+" ") {
			return entry, true
		}
	}
	return "", false
}

// fingerprint is equal for texts that differ in case, endings, punctuation and words such as "the".
// Order, numbers and negations stay: "A manages B" is not "B manages A".
func fingerprint(text string) string {
	var list []string
	for _, field := range strings.Fields(strings.ToLower(text)) {
		plain := strings.TrimFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
		if filler[plain] {
			continue
		}
		for _, w := range words.Cut(plain) {
			if synonym, ok := synonyms[w]; ok {
				w = synonym
			}
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		return strings.ToLower(text)
	}
	return strings.Join(list, " ")
}

var (
	filler   = map[string]bool{"a": true, "an": true, "the": true, "that": true, "is": true, "are": true, "really": true, "very": true, "just": true, "also": true, "please": true, "actually": true}
	synonyms = map[string]string{"favourit": "favorit", "colour": "color", "dont": "not", "doesnt": "not", "isnt": "not", "arent": "not", "wont": "not", "cant": "cannot"}
)
