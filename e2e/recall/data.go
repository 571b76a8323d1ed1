package main

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// corpus is things remembered, said and written, and questions about them.
type corpus struct {
	texts     []string    // facts
	exchanges [][2]string // what someone said in a conversation, and the answer
	documents []document
	questions []question
}

// question wants some of the texts.
type question struct {
	text  string
	wants []string
}

// subject is a thing that can be said of many people, and ways to ask for it: some with its words, some without.
type subject struct {
	says   string // {who}, {what}, {code}
	values []string
	asks   []string // {who}, {code}
}

// corpora are the sets: two the weights were chosen on, one that was looked at while they were, and the
// two that are reported, which were not.
func corpora() map[string]corpus {
	return map[string]corpus{
		"report":  heldOut(),
		"further": further(),
		"mixed":   mixed(),
		"tune": generate(1, names("Alma Boris Cleo Dario Edda Falk Greta Hugo Ines Jarl"), []subject{
			{"{who} has a dog called {what}", names("Rex Bello Luna Kira Balu"), []string{"What is the name of {who}'s dog?", "What does {who} call the pet at home?"}},
			{"{who} works as a {what} in the city", names("nurse baker lawyer teacher plumber"), []string{"What does {who} work as?", "What is {who}'s profession?"}},
			{"{who} is allergic to {what}", names("peanuts shellfish pollen latex eggs"), []string{"What is {who} allergic to?", "What must {who} never eat or touch?"}},
			{"{who} plays the {what} in a band on weekends", names("drums cello trumpet guitar piano"), []string{"Which instrument does {who} play?", "What kind of musician is {who}?"}},
			{"{who} moved to {what} two years ago", names("Lisbon Oslo Turin Ghent Malmo"), []string{"Where did {who} move to?", "In which town is {who} living these days?"}},
			{"{who} prefers {what} for breakfast", names("porridge toast muesli pancakes yogurt"), []string{"What does {who} prefer for breakfast?", "What is {who}'s favourite morning meal?"}},
			{"{who} drives an old {what}", names("Volvo Fiat Saab Skoda Opel"), []string{"What does {who} drive?", "Which car does {who} own?"}},
			{"Parcel {code} for {who} waits at the {what} depot", names("north south harbour airport central"), []string{"Where is parcel {code}?", "What happened to {code}?"}},
			{"{who} filed bug {code} about the {what} screen", names("login payment search profile help"), []string{"What is {code} about?", "Who reported {code}?"}},
			{"{who} is learning {what} in evening classes", names("Finnish Arabic Welsh Korean Greek"), []string{"What is {who} learning?", "Which language does {who} study after work?"}},
		}),
		"seen": generate(2, names("Kasimir Lotte Milo Nora Otis Pia Quentin Rosa Stefan Thea Ulla Viktor Wanda Xaver Yvonne Zeno Anton Berta Cyrus Dora"), []subject{
			{"{who} was born in {what}", names("March April June August October"), []string{"In which month was {who} born?", "When is {who}'s birthday?"}},
			{"{who} keeps bees and sells {what} honey", names("lavender chestnut heather linden acacia"), []string{"Which honey does {who} sell?", "What does {who} harvest from the hives?"}},
			{"{who} has been married to {what} since last summer", names("Agnes Bruno Carla Detlef Elias"), []string{"Who is {who} married to?", "What is the name of {who}'s spouse?"}},
			{"{who} collects {what} from the nineteenth century", names("stamps coins maps clocks teapots"), []string{"What does {who} collect?", "Which antiques does {who} gather as a hobby?"}},
			{"{who} runs a small {what} near the station", names("bookshop bakery pharmacy garage florist"), []string{"What does {who} run near the station?", "Which business does {who} own?"}},
			{"{who} broke a {what} while skiing", names("wrist ankle collarbone rib thumb"), []string{"What did {who} break while skiing?", "Which injury did {who} suffer in the mountains?"}},
			{"{who} is afraid of {what}", names("spiders heights thunder elevators needles"), []string{"What is {who} afraid of?", "Which phobia does {who} have?"}},
			{"{who} studied {what} at the university", names("chemistry history geology economics linguistics"), []string{"What did {who} study?", "What is {who}'s academic degree in?"}},
			{"{who} takes the {what} to the office", names("tram ferry bicycle bus scooter"), []string{"What does {who} take to the office?", "How does {who} commute?"}},
			{"Invoice {code} of {who} was paid by {what}", names("card transfer cheque cash voucher"), []string{"How was invoice {code} settled?", "Is {code} paid?"}},
			{"Server {code} is looked after by {who} and runs the {what}", names("mail database website backup firewall"), []string{"What does {code} do?", "Who is responsible for {code}?"}},
			{"{who} booked flight {code} to {what}", names("Madrid Athens Cairo Lima Seoul"), []string{"Where does {code} go?", "Who is a passenger of flight {code}?"}},
			{"The function parse{code}Header was written by {who} to read {what} files", names("audio video image archive font"), []string{"What is parse{code}Header for?", "Who is the author of parse{code}Header?"}},
			{"{who} never drinks {what}", names("coffee wine milk beer cola"), []string{"What does {who} never drink?", "Which beverage does {who} avoid?"}},
		}),
	}
}

// generate says something of every subject about every name, in an order of its own, and asks about all of it.
func generate(seed uint64, people []string, subjects []subject) corpus {
	r := rand.New(rand.NewPCG(seed, seed))
	var c corpus
	for _, s := range subjects {
		for i, who := range people {
			fill := strings.NewReplacer("{who}", who, "{what}", s.values[r.IntN(len(s.values))], "{code}", code(r))
			said := fill.Replace(s.says)
			c.texts = append(c.texts, said)
			ask := s.asks[i%len(s.asks)]
			c.questions = append(c.questions, question{fill.Replace(ask), []string{said}})
		}
	}
	r.Shuffle(len(c.texts), func(i, j int) { c.texts[i], c.texts[j] = c.texts[j], c.texts[i] })
	return c
}

// code is a name that means nothing: two letters and four digits.
func code(r *rand.Rand) string {
	return string(rune('A'+r.IntN(26))) + string(rune('A'+r.IntN(26))) + strconv.Itoa(1000+r.IntN(9000))
}

func names(list string) []string { return strings.Fields(list) }
