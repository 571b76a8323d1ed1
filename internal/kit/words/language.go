package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Language is what search needs to know of a text: how far a model that was
// trained on English can be believed about it.
type Language string

// The languages.
const (
	English Language = "english"
	Latin   Language = "latin" // others in Latin letters
	Han     Language = "han"   // Chinese and Japanese
	Other   Language = "other"
	Code    Language = "code"
)

// Guess tells the language of prose. Latin letters without a sign of another language are English.
func Guess(text string) Language {
	if len(text) > 4096 {
		text = text[:4096]
	}
	var latin, han, other int
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			if 'a' <= r|0x20 && r|0x20 <= 'z' {
				latin++
			}
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			han += 3 // a letter says as much as a short word
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.IsLetter(r):
			other++
		}
	}
	switch {
	case han > latin && han > other:
		return Han
	case other > latin:
		return Other
	}
	return latinLanguage(text)
}

func latinLanguage(text string) Language {
	english, foreign, accents := 0, 0, 0
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		if englishStops[word] {
			english++
		} else if foreignStops[word] {
			foreign++
		}
		for i := range len(word) {
			if word[i] >= utf8.RuneSelf {
				accents++
				break
			}
		}
	}
	// One word proves little: "hat" and "die" are English too.
	if foreign > english && (foreign > 1 || accents > 0) || english == 0 && accents > 0 {
		return Latin
	}
	return English
}

// Asked lists the words to look for a question by: each once, without those that say nothing in its
// language. A question of nothing else keeps them all.
func Asked(question string) []string {
	language := Guess(question)
	var kept, all []string
	seen := map[string]bool{}
	for _, piece := range strings.FieldsFunc(question, func(r rune) bool { return unicode.IsSpace(r) }) {
		plain := strings.ToLower(strings.TrimFunc(piece, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }))
		empty := Empty(plain, language)
		for _, w := range Cut(piece) {
			if seen[w] {
				continue
			}
			seen[w] = true
			all = append(all, w)
			if !empty {
				kept = append(kept, w)
			}
		}
	}
	if len(kept) == 0 {
		return all
	}
	return kept
}

// Empty says whether a lower-case word says nothing by itself in a language.
func Empty(word string, language Language) bool {
	word = strings.ReplaceAll(word, "’", "'")
	switch language {
	case Latin:
		return foreignStops[word]
	case Han, Other:
		return englishStops[word] && len(word) < 4
	}
	return englishStops[word] || englishStops[strings.TrimSuffix(word, "'s")]
}

func set(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

var englishStops = set(`a about above after again against all am an and any are aren't as at be because been before being below between both but by
	can cannot can't could couldn't did didn't do does doesn't doing don't down during each few for from further had hadn't has hasn't have haven't
	having he he'd he'll he's her here here's hers herself him himself his how how's i i'd i'll i'm i've if in into is isn't it it's its itself let's
	me more most mustn't my myself no nor not of off on once only or other ought our ours ourselves out over own same shan't she she'd she'll she's
	should shouldn't so some such than that that's the their theirs them themselves then there there's these they they'd they'll they're they've this
	those through to too under until up very was wasn't we we'd we'll we're we've were weren't what what's when when's where where's which while who
	who's whom why why's will with won't would wouldn't you you'd you'll you're you've your yours yourself yourselves please tell know many much ever
	also just get got shall may might must`)

var foreignStops = set(`der die das den dem des ein eine einer eines einem einen und oder aber ist sind war waren wird werden wurde wurden hat haben hatte
	ich du er sie es wir ihr sich mich mir mein meine dein deine nicht kein keine auf aus bei mit nach von vor zu zum zur im am an über unter für um als
	wie was wer wo wann warum welche welcher welches wenn dass auch noch nur
	el la los las un una unos unas y o pero es son era eran fue fueron ser está están ha han había yo tú él ella nosotros ellos se me te mi tu su sus no
	en de del al con por para sin sobre entre que qué quién cuándo dónde cómo cuál cuántos si como más
	le les une des et ou mais est sont était étaient été être a ont avait je tu il elle nous vous ils elles ne pas dans sur avec pour sans sous entre
	que qui quoi quand où comment pourquoi quel quelle quels quelles si plus au aux du ce cette ces son sa ses
	il lo gli uno ed ma sono era erano fu essere ha hanno aveva io lei noi voi loro si mi ti ci vi non di da in con su per tra fra che chi cosa quando dove
	come perché quale quali anche più
	o os as um uma e mas são foi foram ser está estão tem têm tinha eu ele ela nós eles se não em no na nos nas do da dos das com por para sem que quem
	quando onde como qual quais mais
	de het een en of maar zijn was waren wordt worden heeft hebben had ik jij hij zij wij jullie niet geen op uit bij met naar van voor te aan over onder
	om als wat wie waar wanneer waarom welke ook nog
	och att det som en ett är var på av för med till den inte om har de jag vi han hon vad vem när hur
	i w z na do się nie że jest są był była było być jak co kto gdzie kiedy dlaczego który która które oraz lub ale od po za
	ve bir bu için ile olarak olan da ne kim nerede nasıl hangi kaç mi mı
	și în la pe cu din este sunt care ce cine unde când cum nu un o al ale lui`)
