package main

import (
	"math/rand/v2"
	"strings"
)

// further makes a second set that is reported and was never used to choose anything: short notes of a team, code, questions that
// hardly share a word with what they ask for, and two more languages.
func further() corpus {
	r := rand.New(rand.NewPCG(77, 77))
	var c corpus
	c.pairs(notes)
	c.sources(furtherSources)
	c.exchanges = append(c.exchanges, lunch...)
	for line := range strings.Lines(lunchAsked) {
		if asks, wants, ok := strings.Cut(strings.TrimSpace(line), "|"); ok {
			c.questions = append(c.questions, question{asks, []string{wants}})
		}
	}
	c.said(r, []phrases{
		{"Agnieszka Bartek Czesław Danuta Edyta Grzegorz", "{who} naprawia {what} w starej stodole", "rowery|traktory|radia|pianina", "Co {who} reperuje w stodole?"},
		{"Astrid Birger Ebba Folke Gunilla Hjalmar", "{who} bakar {what} till marknaden varje lördag", "limpor|bullar|kakor|pepparkakor", "Vad gör {who} inför marknaden?"},
	})
	return c
}

const notes = `
Nobody may merge to main without two reviews|How many approvals does a change need?
The demo for Norvik Shipping is on the ninth of May|When do we present to the shipping company?
Customer Halden pays in Norwegian crowns|Which currency does Halden use?
Priya is on call during the first week of July|Who carries the pager in early July?
The printer on the second floor jams with thick paper|Why does the machine upstairs get stuck?
Build agents have sixteen cores and 64 GB of memory|How powerful are the CI machines?
Production logs are deleted after thirty days|How long do we keep what production writes?
The office plants are watered by Oskar|Who looks after the greenery?
The old billing service is written in Perl|Which language is the legacy invoice program in?
Secrets are rotated every ninety days|How often do credentials change?
Lunch is ordered from the Thai place on Thursdays|What do we eat on Thursday?
The design team sits in Porto|Where do the designers work?
Feature flags are kept in the file flags.toml|Where are switches for new functions defined?
Retro notes belong in the wiki under Rituals|Where do I write down what went well in the sprint?
The payment provider charges 1.4 percent|What fee is taken for each transaction?
Mobile releases go out every second Wednesday|How often does the app get an update?
The parking garage closes at midnight|Until when can I fetch my car?
Our office dog is a beagle named Pixel|Which animal lives in the office?
Load tests run against the cluster called anvil|Which environment is used for performance tests?
Interview candidates get an answer within a week|How soon do applicants hear from us?
The emergency exit is behind the server room|How do we leave the building in a fire?
Maximum upload size is 250 megabytes|How large may a file be that someone sends?
Invoice numbers begin with the year|What does the number of a bill start with?
Nadia negotiates the contracts with suppliers|Who talks to vendors about terms?
Search uses trigram indexes on the titles|How does looking up titles work?
The espresso machine needs descaling monthly|How often is the coffee maker cleaned?
Travel above 500 euros needs approval by Ingrid|Who has to agree to an expensive trip?
The staging site uses basic authentication|How is the test website protected?
Error budgets reset at the start of each quarter|When does the allowance for failures begin anew?
The company was founded in a bicycle shed in 2011|How did the firm begin?
French translations are done by Agence Mirabeau|Who puts our texts into French?
Desk booking opens at six in the morning|From what time on can I reserve a place to work?
Tickets labelled P1 wake somebody up|What happens with the most urgent issues?
The mascot is an orange octopus|What does our mascot look like?
GPU nodes are switched off over the weekend|When are the graphics machines not available?
Refunds take five working days|How long until a customer gets money back?`

const furtherSources = `
compare two version numbers|func newer(a, b [3]int) bool { for i := range a { if a[i] != b[i] { return a[i] > b[i] } }; return false }
split text into words|def tokens(s): return re.findall(r"\w+", s.lower())
where do we retry when the database is busy|func withRetry(db *sql.DB, f func() error) error { for i := range 5 { if err := f(); !isLocked(err) { return err }; time.Sleep(10 << i) }; return errBusy }
sum of squares|def sq(xs): return sum(x * x for x in xs)
is a string the same backwards|func palindrome(s string) bool { for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 { if s[i] != s[j] { return false } }; return true }
send an email|def mail(to, subject, body): smtp.sendmail(SENDER, to, f"Subject: {subject}\n\n{body}")
make a thumbnail of a picture|def shrink(path): im = Image.open(path); im.thumbnail((128, 128)); im.save(path + ".small")
find the shortest route in a graph|func dijkstra(g Graph, from int) []int { q := newHeap(from); for q.Len() > 0 { relax(g, q.Pop()) }; return q.dist }
what is clampVolume for|func clampVolume(v int) int { return max(0, min(100, v)) }
convert roman numerals|def roman(s): return sum(-V[a] if V[a] < V[b] else V[a] for a, b in zip(s, s[1:] + s[-1]))
stop the program on control-c|func main() { ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt); defer stop(); serve(ctx) }
estimate pi by throwing darts|def pi(n): return 4 * sum(random.random()**2 + random.random()**2 < 1 for _ in range(n)) / n
escape text for HTML|func safe(s string) string { return strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;").Replace(s) }
watch a folder for changes|def observe(path): o = Observer(); o.schedule(Handler(), path, recursive=True); o.start()`

var lunch = [][2]string{
	{"Where shall we celebrate Mirko's retirement?", "The rooftop bar by the canal would be lovely."},
	{"Did Saskia's thesis get accepted?", "With honours, the committee was impressed by the chapter on glaciers."},
	{"What did the vet say about Bruno?", "Just a splinter in the paw, he may run again tomorrow."},
	{"How was the concert with Ottilie?", "We left at the interval, the acoustics were dreadful."},
	{"Is Ramon still building that boat?", "He gave up when the glue ran out in autumn."},
	{"What is Tamsin doing with the inheritance?", "She wants to turn the barn into a cinema."},
	{"Any news from Jasper's expedition?", "They turned back two hundred metres below the summit."},
	{"Why was Leif late again?", "The drawbridge was stuck open for an hour."},
	{"Has Noemi decided about the offer?", "She turned it down, the commute was too long."},
	{"How did Viggo get that scar?", "A goose bit him when he was six."},
}

const lunchAsked = `
Where will Mirko's farewell party be?|The rooftop bar by the canal would be lovely.
How was Saskia's dissertation received?|With honours, the committee was impressed by the chapter on glaciers.
What was wrong with Bruno's leg?|Just a splinter in the paw, he may run again tomorrow.
Why did they leave early when Ottilie was along?|We left at the interval, the acoustics were dreadful.
Why did Ramon stop working on his boat?|He gave up when the glue ran out in autumn.
What are Tamsin's plans for the money?|She wants to turn the barn into a cinema.
Did Jasper reach the top of the mountain?|They turned back two hundred metres below the summit.
What held Leif up?|The drawbridge was stuck open for an hour.
Did Noemi take the new job?|She turned it down, the commute was too long.
Which animal injured Viggo?|A goose bit him when he was six.`
