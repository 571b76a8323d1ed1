package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// mixed is a set to choose weights on: the same sorts of text as the one that is reported, with nothing of its content. Turns,
// manuals that differ in little but a name, code itself and notes about it, short facts, and facts in four other languages.
func mixed() corpus {
	r := rand.New(rand.NewPCG(31, 31))
	var c corpus
	c.pairs(shortFacts)
	c.chats(r)
	c.leaflets(r)
	c.sources(draftSources)
	c.said(r, []phrases{
		{"Giulia Matteo Chiara Davide Elisa Franco Ginevra Luca", "{who} colleziona {what} da quando era bambino", "francobolli|conchiglie|monete|cartoline", "Che cosa raccoglie {who} fin da piccolo?"},
		{"João Beatriz Rui Catarina Duarte Leonor Tiago Matilde", "{who} vende {what} no mercado da praça", "queijo|flores|peixe|mel", "O que {who} oferece na feira?"},
		{"Sanne Bram Femke Joost Lotte Maarten Niek Roos", "{who} schildert 's avonds {what} op zolder", "portretten|landschappen|schepen|molens", "Wat maakt {who} boven in huis?"},
		{"田中 佐藤 鈴木 高橋 伊藤 渡辺 山本 中村", "{who}さんは毎朝{what}を飲みます", "緑茶|牛乳|紅茶|豆乳", "{who}さんは朝に何を飲みますか？"},
	})
	return c
}

// pairs are lines of a fact, a bar and a question about it.
func (c *corpus) pairs(lines string) {
	for line := range strings.Lines(lines) {
		says, asks, ok := strings.Cut(strings.TrimSpace(line), "|")
		if !ok {
			continue
		}
		c.texts = append(c.texts, says)
		c.questions = append(c.questions, question{asks, []string{says}})
	}
}

const shortFacts = `
Prefers window seats on trains|Where does the user like to sit when travelling by rail?
Vegetarian since 2014|Does the user eat meat?
Blood type is AB negative|Which blood group does the user have?
Staging database lives on host pg-stage-3|On which machine is the staging database?
Deploys are frozen on Fridays|On which weekday must nothing be released?
The cat is called Mister Whiskers|What is the pet's name?
Speaks Basque at home|Which tongue is used in the family?
The fuse box is behind the hall mirror|Where can I switch the electricity off?
Reads science fiction before going to sleep|What does the user read in bed?
Owns a red canoe|Which boat does the user have?
Works remotely from a village in Galicia|Where is the user's home office?
Wears glasses only for driving|When does the user need spectacles?
Jira project key is ORC|What prefix do tickets have?
Coffee without sugar, with oat milk|How does the user take their coffee?
Sister studies veterinary medicine in Bologna|What does the sibling learn at university?
Runs a half marathon every autumn|Which race does the user take part in each year?
Allergic to penicillin|Which antibiotic must not be given?
Uses tabs instead of spaces in Go code|How is code indented?
Birthday falls on the third of February|When was the user born?
Has a standing desk at the office|What furniture does the user have at work?
Pays rent on the fifteenth of each month|When is the rent due?
Invoices go to accounting@lumen.example|Where should bills be sent?
Favourite composer is Erik Satie|Whose music does the user love most?
Never schedules meetings before ten|From what hour on may appointments be made?
Backup disks are kept in a bank vault|Where are the copies stored?
Car insurance expires in November|When does the vehicle policy run out?
Learned to sail on Lake Constance|Where did the user learn sailing?
Mother tongue is Slovene|What is the user's native language?
Left-handed|Which hand does the user write with?
Grandfather was a watchmaker in Besançon|What was the trade of the user's ancestor?
Listens to podcasts while cooking|What does the user do in the kitchen?
The garage code is 7741|How do I open the garage?
Keeps receipts for seven years|How long are proofs of purchase stored?
Flight home leaves from gate B22|From where does the plane depart?
Prefers answers in bullet points|In what form should replies be given?
The API gateway times out after 29 seconds|How long may a request take?
Plays chess on Tuesdays in the library|Which game does the user play weekly?
Switched from Vim to Helix last winter|Which editor does the user use now?
Doctor's name is Amara Okafor|Who is the user's physician?
Shoe size is 43|What size of footwear fits?`

// chats are exchanges where the name stands in one turn and what is asked for in the next.
func (c *corpus) chats(r *rand.Rand) {
	people := strings.Fields("Valentin Wilma Yannick Zelda Arvid Bettina Corentin Delphine Emil Friederike Gaspard Hedwig")
	topics := []struct{ opens, says, asks, what string }{
		{"{who} finally sold the house.", "Good price? I heard {what}.", "How much did {who} get for the property?", "three hundred thousand|half a million|less than hoped|twice the estimate"},
		{"Which course did {who} choose in the end?", "It is {what}, two evenings a week.", "What is {who} being trained in?", "pottery|bookkeeping|welding|sign language"},
		{"Have you seen {who}'s new flat?", "Only pictures, it has {what}.", "What is special about where {who} lives now?", "a roof terrace|a sauna|no kitchen|a view of the river"},
		{"{who} had an accident with the van.", "Nothing serious, just {what}.", "What was damaged when {who} crashed?", "a broken mirror|a dented door|a flat tyre|a cracked windscreen"},
	}
	for i, who := range people {
		for j, t := range topics {
			fill := strings.NewReplacer("{who}", who, "{what}", pickOf(r, t.what))
			opens, says := fill.Replace(t.opens), fill.Replace(t.says)
			c.exchanges = append(c.exchanges, [2]string{opens, says})
			if (i+j)%2 == 1 {
				c.questions = append(c.questions, question{fill.Replace(t.asks), []string{says}})
			}
		}
	}
}

// leaflets are documents that say the same of several medicines, with other numbers.
func (c *corpus) leaflets(r *rand.Rand) {
	parts := []struct{ heading, body, ask string }{
		{"Dosage", "Adults take {a} tablets with a glass of water, {b}. Do not chew them.", "How many pills of {m} does a grown-up swallow?"},
		{"Storage", "Keep below {c} degrees, away from light and out of the reach of children.", "How warm may {m} be kept?"},
		{"Side effects", "Some people report {d}. Tell your doctor if it lasts longer than {a} days.", "What unpleasant reactions can {m} cause?"},
		{"Expiry", "After opening the bottle it can be used for {e} weeks.", "How long does {m} last once it was opened?"},
	}
	for _, m := range strings.Fields("Albutrin Bexolan Cortavil Doramet Elvanox Fenzitol Gastrulin") {
		var b strings.Builder
		fmt.Fprintf(&b, "# %s: information for patients\n\n", m)
		for _, p := range parts {
			fill := strings.NewReplacer("{m}", m, "{a}", fmt.Sprint(1+r.IntN(4)), "{b}", pickOf(r, "before meals|in the evening|after breakfast"), "{c}", fmt.Sprint(15+r.IntN(20)),
				"{d}", pickOf(r, "headaches|dizziness|a dry mouth|a rash"), "{e}", fmt.Sprint(2+r.IntN(10)))
			body := fill.Replace(p.body)
			fmt.Fprintf(&b, "## %s\n\n%s\n\n%s\n\n", p.heading, body, strings.Repeat("Read all of this leaflet carefully, because it holds important information for you, and keep it. ", 6))
			c.questions = append(c.questions, question{fill.Replace(p.ask), []string{body}})
		}
		c.documents = append(c.documents, document{m, b.String()})
	}
}

// sources are functions, each a line of Go or Python with a question in words before it.
func (c *corpus) sources(lines string) {
	for line := range strings.Lines(lines) {
		asks, body, ok := strings.Cut(strings.TrimSpace(line), "|")
		if !ok {
			continue
		}
		c.texts = append(c.texts, body)
		c.questions = append(c.questions, question{asks, []string{body}})
	}
}

const draftSources = `
how to reverse the order of a list|func flip(xs []int) []int { out := make([]int, len(xs)); for i, x := range xs { out[len(xs)-1-i] = x }; return out }
check whether a year has 366 days|def is_leap(y): return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)
where is the user's session removed|func (s *Store) Logout(id string) error { delete(s.sessions, id); return s.persist() }
turn Celsius into Fahrenheit|def c_to_f(c): return c * 9 / 5 + 32
remove duplicates from a slice|func uniq(in []string) []string { seen := map[string]bool{}; var out []string; for _, s := range in { if !seen[s] { seen[s] = true; out = append(out, s) } }; return out }
open a file and count its lines|def count(path): return sum(1 for _ in open(path))
what does backoffDelay compute|func backoffDelay(n int) time.Duration { return min(time.Minute, time.Second<<n) }
merge two dictionaries|def join(a, b): return {**a, **b}
generate a random password|func secret(n int) string { b := make([]byte, n); rand.Read(b); return base64.RawURLEncoding.EncodeToString(b) }
greatest common divisor|func gcd(a, b int) int { for b != 0 { a, b = b, a%b }; return a }
parse a date from text|def when(s): return datetime.strptime(s, "%Y-%m-%d")
download a web page|def grab(url): return requests.get(url, timeout=10).text
verify the signature of a webhook|func checkHook(body []byte, mac string, key []byte) bool { h := hmac.New(sha256.New, key); h.Write(body); return hmac.Equal([]byte(mac), h.Sum(nil)) }
limit how many workers run at the same time|func pool(n int, jobs <-chan func()) { for range n { go func() { for j := range jobs { j() } }() } }
shuffle cards|def mix(deck): random.shuffle(deck); return deck
compute the average of numbers|def mean(xs): return sum(xs) / len(xs)`

// phrases are a sentence about some people in a language, and a question.
type phrases struct{ people, says, values, ask string }

func (c *corpus) said(r *rand.Rand, list []phrases) {
	for _, l := range list {
		for who := range strings.FieldsSeq(l.people) {
			fill := strings.NewReplacer("{who}", who, "{what}", pickOf(r, l.values))
			said := fill.Replace(l.says)
			c.texts = append(c.texts, said)
			c.questions = append(c.questions, question{fill.Replace(l.ask), []string{said}})
		}
	}
}
