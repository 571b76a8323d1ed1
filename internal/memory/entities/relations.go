package entities

import (
	"regexp"
	"strings"
	"sync"
)

// verb is what stands between two names, and what it says of them.
type verb struct {
	expr *regexp.Regexp
	kind string
}

var verbs = sync.OnceValue(func() []verb {
	var list []verb
	for _, v := range [][2]string{
		{`(?:now |also |still |currently )?work(?:s|ed|ing)? (?:at|for)`, "works for"},
		{`(?:now |also |still |currently )?work(?:s|ed|ing)? with`, "works with"},
		{`(?:now |also |still |currently )?work(?:s|ed|ing)? on`, "works on"},
		{`(?:now |still |currently )?liv(?:es?|ed|ing) (?:in|at|near)`, "lives in"},
		{`(?:has |have )?moved (?:from \w+ )?to`, "moved to"},
		{`(?:is|was|comes|came) (?:originally )?from`, "comes from"},
		{`(?:is|was|are|were|got) (?:now )?married to`, "is married to"},
		{`(?:has |have )?married`, "is married to"},
		{`(?:manages|managed)`, "manages"},
		{`(?:leads|led|runs|ran|heads)`, "leads"},
		{`(?:owns|owned)`, "owns"},
		{`(?:uses|used|is using|are using|use)`, "uses"},
		{`(?:maintains|maintained|looks after)`, "maintains"},
		{`(?:knows|knew|has met|met)`, "knows"},
		{`(?:reports|reported) to`, "reports to"},
		{`(?:has )?(?:joined)`, "joined"},
		{`(?:has )?(?:founded|started|created|built|wrote|written|made)`, "made"},
		{`(?:depends|depended|relies|relied) on`, "depends on"},
		{`(?:is|was) (?:stored|kept|hosted|deployed|located|based) (?:in|at|on)`, "is located in"},
		{`(?:runs|ran) on`, "runs on"},
		{`(?:likes|loves|prefers|hates|avoids)`, "has an opinion of"},
	} {
		list = append(list, verb{regexp.MustCompile(`(?i)^(?:,? who |,? which |,? that )?` + v[0] + `(?: the| a| an| his| her| their| our)?$`), v[1]})
	}
	return list
})

// role is "X is Y's manager" and "X is the manager of Y".
var (
	ofRole = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:,? )?(?:is|was) (?:the |a |an )?([a-z]+(?: [a-z]+)?) (?:of|at|for|in)(?: the)?$`)
	})
	hisRole = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^['’]s ([a-z]+(?: [a-z]+)?),?(?: is| was)?(?: called| named)?$`)
	})
	isRoleOf = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^['’]s ([a-z]+(?: [a-z]+)?)$`) })
)

// relations reads what stands between neighbours; those of which nothing is said are mentioned together.
func relations(sentence string, found []Entity) []Relation {
	var list []Relation
	for i := 0; i+1 < len(found); i++ {
		a, b := found[i], found[i+1]
		if a.Name == b.Name {
			continue
		}
		list = append(list, between(sentence, a, b))
	}
	return list
}

func between(sentence string, a, b Entity) Relation {
	gap := strings.TrimSpace(sentence[a.end:b.start])
	for _, v := range verbs() {
		if v.expr.MatchString(gap) {
			return Relation{a.Name, b.Name, v.kind}
		}
	}
	if m := hisRole().FindStringSubmatch(gap); m != nil { // Anna's brother Paul
		return Relation{b.Name, a.Name, "is " + strings.ToLower(m[1]) + " of"}
	}
	if m := ofRole().FindStringSubmatch(gap); m != nil { // Paul is the brother of Anna
		return Relation{a.Name, b.Name, "is " + strings.ToLower(m[1]) + " of"}
	}
	if gap == "is" || gap == "was" { // Paul is Anna's brother
		if rest := sentence[b.end:]; isRoleOf().MatchString(rest) {
			return Relation{a.Name, b.Name, "is " + strings.ToLower(isRoleOf().FindStringSubmatch(rest)[1]) + " of"}
		}
	}
	return Relation{a.Name, b.Name, "is mentioned with"}
}

func set(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

var (
	particles = set(`of de van von der den la el al bin da di du`)
	titles    = set(`mr mrs ms dr prof sir president minister judge professor captain`)
	// organisations and places are told by their last word.
	organisations = set(`inc ltd llc gmbh corp corporation company university institute bank foundation team college school hospital ministry group labs ag`)
	places        = set(`street avenue road square city river lake mountain island county station airport park bridge`)

	common = set(`the a an i you he she it we they this that these those there here what which who whom whose when where why how and or but if so
		then than as at by for from in into of on onto to up with without is are was were be been being am do does did have has had will would shall
		should can could may might must not no yes ok okay my your his her its our their mine me him us them all any some each every both few more most
		other such only own same too very just also well now new old first last next many much one two three four five six seven eight nine ten after
		before during while since until about against between through over under again further once because although though however therefore
		meanwhile still yet even never always often sometimes usually perhaps maybe please thanks thank hello hi hey let get got make made take took see
		saw said say says told asked according despite whether another nobody nothing something everything someone everyone remember note tell show
		give find write read open run use try add fix check look explain list create delete change call send keep forget today yesterday tomorrow
		monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december
		don't doesn't didn't isn't aren't can't won't i'm i've i'd i'll it's that's there's user english`)
)
