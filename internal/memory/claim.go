package memory

import (
	"regexp"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/words"
)

// claim is a fact taken apart, where only one can be true of its subject.
type claim struct{ subject, value string }

var (
	attribute = onUse(`(?i)^(the user's|my|our|the|[A-Z][\w]+(?: [A-Z][\w]+)?'s) (.{1,80}?) (?:is|are|was|were|has been|will be|=) (?:now |currently |always )?(not )?(.+)$`)
	taste     = onUse(`(?i)^(the user|i|[A-Z]\w+) (?:really |absolutely |very much )?(like|love|enjoy|prefer|hate|dislike|adore|can't stand|cannot stand|don't like|do not like|doesn't like|does not like|don't enjoy|doesn't enjoy|no longer like|no longer enjoy|no longer eat|stopped liking)(?:s|es)? (.+)$`)
	states    = []struct {
		pattern func() *regexp.Regexp
		subject string
	}{
		{onUse(`(?i)^(the user|i|[A-Z]\w+) (?:live|lives|moved|reside|resides|have moved|has moved|now live|now lives)(?: in| to| at) (.+)$`), "lives in"},
		{onUse(`(?i)^(the user|i|[A-Z]\w+) (?:work|works|now work|now works)(?: at| for) (.+)$`), "works for"},
		{onUse(`(?i)^(the user|i|[A-Z]\w+) (?:am|is) (\d{1,3}) years old$`), "age"},
		{onUse(`(?i)^(the user|i|[A-Z]\w+) (?:was|were) born (?:in|on) (.+)$`), "born"},
		{onUse(`(?i)^(the user|i|[A-Z]\w+) (?:am|is) (?:called|named) (.+)$`), "name"},
		{onUse(`(?i)^(?:please )?call (me|the user) (.+)$`), "is called"},
	}
	// several of these can be true at once
	plural = map[string]bool{
		"friend": true, "colleagu": true, "brother": true, "sister": true, "child": true, "son": true, "daughter": true, "hobbi": true, "pet": true, "goal": true,
		"cousin": true, "neighbor": true, "neighbour": true, "task": true, "idea": true, "interest": true, "skill": true, "languag": true, "kid": true, "problem": true,
		"thing": true, "reason": true, "question": true, "issu": true, "plan": true, "exampl": true, "rule": true, "client": true, "custom": true,
	}
	negative = onUse(`(?i)hate|dislike|can't stand|cannot stand|not |n't |no longer|stopped`)
	trailing = []string{" now", " actually", " anymore", " any more", " these days", " instead"}
)

// parseClaim takes a sentence apart; most say nothing that only one fact could say.
func parseClaim(text string) claim {
	text = withoutTrailing(withoutTrailing(text))
	if strings.ContainsAny(text, "?;\n") || len(strings.Fields(text)) > 24 {
		return claim{}
	}
	for _, s := range states {
		if m := s.pattern().FindStringSubmatch(text); m != nil {
			return claim{who(m[1]) + ": " + s.subject, words.Join(m[2])}
		}
	}
	if m := taste().FindStringSubmatch(text); m != nil {
		value := "likes"
		if negative().MatchString(m[2]) {
			value = "dislikes"
		}
		return claim{who(m[1]) + " about " + words.Join(m[3]), value}
	}
	if m := attribute().FindStringSubmatch(text); m != nil {
		noun := words.Cut(m[2])
		if len(noun) == 0 || len(noun) > 6 || plural[noun[len(noun)-1]] {
			return claim{}
		}
		return claim{who(m[1]) + ": " + canonical(noun), words.Join(m[3] + m[4])}
	}
	return claim{}
}

// withoutTrailing takes the end of a sentence off, and one word there that says nothing.
func withoutTrailing(text string) string {
	text = strings.TrimRight(text, ".! \t\r\n")
	for _, word := range trailing {
		if n := len(text) - len(word); n >= 0 && strings.EqualFold(text[n:], word) {
			return strings.TrimSuffix(text[:n], ",")
		}
	}
	return text
}

// who makes one word of the ways to name whom a claim is about.
func who(text string) string {
	text = strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(text, "'s"), "'"))
	switch text {
	case "i", "my", "me", "the user":
		return "user"
	case "the", "our":
		return "we"
	}
	return words.Join(text)
}

func canonical(noun []string) string {
	for i, w := range noun {
		if s, ok := synonyms[w]; ok {
			noun[i] = s
		}
	}
	return strings.Join(noun, " ")
}

var (
	pronouns = onUse(`(?i)\b(i'm|i am|i've|i have|i'd|i'll|i was|i don't|i do not|i can't|i cannot|i can|i could|i will|i would|i should|i must|i may|i might|i had|i did|i|my|mine|me|myself)\b`)
	verb     = onUse(`(?i)^(\s+)((?:really|always|usually|often|never|also|still|mostly|currently|now|just|actually|absolutely|strongly|only)\s+)?([a-z]+)`)
	fixed    = map[string]string{
		"i'm": "the user is", "i am": "the user is", "i've": "the user has", "i have": "the user has", "i'd": "the user would", "i'll": "the user will",
		"i was": "the user was", "i don't": "the user doesn't", "i do not": "the user does not", "i can't": "the user can't", "i cannot": "the user cannot",
		"i can": "the user can", "i could": "the user could", "i will": "the user will", "i would": "the user would", "i should": "the user should",
		"i must": "the user must", "i may": "the user may", "i might": "the user might", "i had": "the user had", "i did": "the user did",
		"my": "the user's", "mine": "the user's", "me": "the user", "myself": "themselves",
	}
)

// aboutUser rewrites what someone says of themselves so that it can be read by another.
func aboutUser(sentence string) string {
	var b strings.Builder
	for {
		at := pronouns().FindStringIndex(sentence)
		if at == nil {
			b.WriteString(sentence)
			break
		}
		b.WriteString(sentence[:at[0]])
		word := strings.ToLower(sentence[at[0]:at[1]])
		sentence = sentence[at[1]:]
		if out, ok := fixed[word]; ok {
			b.WriteString(out)
			continue
		}
		b.WriteString("the user")
		if m := verb().FindStringSubmatchIndex(sentence); m != nil {
			b.WriteString(sentence[:m[6]])
			b.WriteString(thirdPerson(sentence[m[6]:m[7]]))
			sentence = sentence[m[7]:]
		}
	}
	return capital(b.String())
}

// thirdPerson conjugates a verb in the present; one in the past is left as it is.
func thirdPerson(verb string) string {
	lower := strings.ToLower(verb)
	switch {
	case strings.HasSuffix(lower, "ed"), past[lower]:
		return verb
	case lower == "do", lower == "go", strings.HasSuffix(lower, "ss"), strings.HasSuffix(lower, "sh"), strings.HasSuffix(lower, "ch"), strings.HasSuffix(lower, "x"), strings.HasSuffix(lower, "z"):
		return verb + "es"
	case strings.HasSuffix(lower, "y") && len(lower) > 1 && !strings.ContainsRune("aeiou", rune(lower[len(lower)-2])):
		return verb[:len(verb)-1] + "ies"
	}
	return verb + "s"
}

var past = map[string]bool{
	"was": true, "were": true, "had": true, "did": true, "went": true, "got": true, "made": true, "took": true, "came": true, "saw": true, "knew": true,
	"thought": true, "told": true, "said": true, "gave": true, "found": true, "bought": true, "left": true, "met": true, "grew": true, "wrote": true,
	"began": true, "became": true, "ran": true, "sold": true, "built": true, "spent": true, "lost": true, "won": true, "taught": true, "broke": true,
}

func capital(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
