package memory

import (
	"context"
	"regexp"
	"strings"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/words"
	"github.com/fluxway/fluxway/internal/memory/entities"
)

// Exchange is what was said in one run, to learn from.
type Exchange struct {
	Workspace    ids.Workspace    `json:"workspace"`
	User         ids.User         `json:"user"`
	Agent        string           `json:"agent,omitempty"`
	Project      string           `json:"project,omitempty"`
	Conversation ids.Conversation `json:"conversation,omitempty"`
	Run          ids.Run          `json:"run,omitempty"`
	Message      ids.Message      `json:"message,omitempty"` // what the user said
	Asked        string           `json:"asked"`
	Reply        ids.Message      `json:"reply,omitempty"` // what the agent said
	Answered     string           `json:"answered,omitempty"`
	Recalled     []string         `json:"recalled,omitempty"` // ids of what Recall gave before it
}

// Guess is a fact that was found in what someone said.
type Guess struct {
	Text       string
	Confidence float64
}

// Extracted is what a model found in what was said, in one call.
type Extracted struct {
	Facts     []Guess
	Entities  []Node
	Relations []Relation
}

// Extractor finds facts, and the things they are about, in what was said, usually with a model.
type Extractor interface {
	// Extract finds what is worth remembering about the user or their work.
	Extract(ctx context.Context, exchanges []Exchange) (Extracted, error)
}

// pattern finds a fact that someone states about themselves.
type pattern struct {
	expr       func() *regexp.Regexp
	confidence float64
	rest       bool // the fact is what the first group holds, not the sentence
}

var patterns = []pattern{
	{onUse(`(?i)^(?:please |can you |could you )?(?:remember|note|keep in mind|don't forget|do not forget|memori[sz]e)(?: that|:|,)? (.{4,})$`), 0.95, true},
	{onUse(`(?i)^(?:for (?:future )?reference|fyi|from now on|in (?:the )?future)[,:]? (.{4,})$`), 0.85, false},
	{onUse(`(?i)^(?:my|our) (?:[\w'’]+ ){0,4}(?:name|birthday|email|address|phone|job|title|role|company|employer|team|wife|husband|partner|dog|cat|pet|son|daughter|brother|sister|mother|father|boss|manager|car|city|country|hometown|time ?zone|language|editor|stack|database|server|repo|repository|project|branch|deadline|budget|hobby|diet|allergy|allergies|goal|team|office|school|university|favou?rite(?: \w+){1,3})s? (?:is|are|was|will be) .{1,200}$`), 0.9, false},
	{onUse(`(?i)^(?:my|our) (?:[\w'’]+ ){1,4}(?:is|are) (?:called |named )?.{1,200}$`), 0.75, false},
	{onUse(`(?i)^(?:i am|i'm|i go by|people call me|call me|i am called|i'm called) (?:called |named )?[A-Z]\w+(?: [A-Z]\w+)*$`), 0.85, false},
	{onUse(`(?i)^i (?:really |always |usually |generally |strongly |mostly |absolutely |definitely |never )*(?:prefer|like|love|enjoy|hate|dislike|adore|avoid|can't stand|cannot stand|don't like|do not like|don't eat|do not eat|don't drink|do not drink|use|speak|own|drive|play|teach|study|collect|drink|eat|write in|code in|program in) .{2,200}$`), 0.8, false},
	{onUse(`(?i)^i (?:now |currently |recently |just |also )*(?:live|lives|moved|work|worked|grew up|was born|come from|studied|graduated|started (?:working|a)|have (?:a|an|two|three|four|five|\d+)|got (?:a|an|married|engaged)|adopted|bought|run a|founded|lead|manage|maintain) .{2,200}$`), 0.8, false},
	{onUse(`(?i)^(?:i am|i'm) (?:a|an|the|allergic|vegan|vegetarian|married|single|divorced|left-handed|colou?r-?blind|from|based in|located in|originally from|responsible for|in charge of|\d{1,3} years old)\b.{0,200}$`), 0.8, false},
	{onUse(`(?i)^(?:we|our team|the team) (?:always |usually |never |only )*(?:use|deploy|run|host|release|ship|prefer|follow|write|test|agreed|decided|moved|switched) .{3,200}$`), 0.75, false},
	{onUse(`(?i)^the (?:\w+ ){1,5}(?:is|are|lives|runs|rotates|expires|starts|happens|must) .{2,200}$`), 0.55, false},
	{onUse(`(?i)^(?:ich heiße|mein name ist|ich wohne in|ich arbeite (?:bei|für|als)|ich bevorzuge|ich mag|merk dir,?(?: dass)?|me llamo|mi nombre es|vivo en|trabajo (?:en|para|como)|prefiero|recuerda que|je m'appelle|j'habite|je travaille|je préfère|souviens-toi que) .{2,200}$`), 0.85, false},
	{onUse(`^(?:我叫|我的名字是|我住在|我喜欢|我在.{1,20}工作|请记住|记住|私の名前は|私は).{1,100}$`), 0.85, false},
}

var leadIn = onUse(`(?i)^(?:(?:hi|hello|hey|ok|okay|so|well|btw|by the way|also|and|but|oh|yes|no|sure|thanks|thank you|actually|anyway|great|hello there|just so you know)[,!.: ]+)+`)

// extractByRules finds facts by plain patterns, without a model.
func extractByRules(said string) []Guess {
	var found []Guess
	for _, sentence := range entities.Split(said) {
		if g, ok := guess(sentence); ok {
			found = append(found, g)
		}
	}
	return found
}

func guess(sentence string) (Guess, bool) {
	sentence = tidy(leadIn().ReplaceAllString(tidy(sentence), ""))
	if len(sentence) < 4 || len(sentence) > 400 {
		return Guess{}, false
	}
	for _, p := range patterns {
		m := p.expr().FindStringSubmatch(sentence)
		if m == nil {
			continue
		}
		if p.rest {
			sentence = m[1]
		}
		if words.Guess(sentence) == words.English {
			sentence = aboutUser(sentence)
		}
		return Guess{Text: strings.TrimRight(sentence, " .!,"), Confidence: p.confidence}, true
	}
	return Guess{}, false
}
