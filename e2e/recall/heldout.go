package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/fluxway/fluxway/internal/memory"
)

// heldOut makes the set whose numbers are reported. It is of another kind than the one the weights were chosen on:
// turns of conversations, passages of documents under headings, notes about code, and facts in four languages. Its
// seed and its texts were written down once, before it was first asked, and are not changed afterwards.
func heldOut() corpus {
	r := rand.New(rand.NewPCG(20261115, 20261115))
	c := corpus{}
	c.talks(r)
	c.handbooks(r)
	c.codeNotes(r)
	c.languages(r)
	return c
}

func pickOf(r *rand.Rand, list string) string {
	all := strings.Split(list, "|")
	return all[r.IntN(len(all))]
}

// talks are exchanges: what is asked for was often said in the turn beside the one that has its words.
func (c *corpus) talks(r *rand.Rand) {
	people := strings.Fields("Aurelia Bastian Cosima Dorian Elif Fiona Gustav Henrike Isidor Jolanda Kilian Leona Marek Nadia Orlando Petra")
	topics := []struct{ opens, says, asks string }{
		{"Did you hear about {who}'s trip?", "Yes, they went hiking in {what} and got lost for half a day|Sure, it rained all week in {what}, they hardly left the hut", "Where did {who} go on holiday?"},
		{"How is {who}'s knee?", "The surgeon says it will take {what} until running is possible again|It still hurts, physiotherapy goes on for {what}", "How long until {who} has recovered?"},
		{"What should we give {who} for the party?", "Something for the kitchen, perhaps {what}|I thought of {what}, that always works", "Which present was suggested for {who}?"},
		{"{who} starts the new job on Monday.", "Right, as {what} at the city hall|Exactly, they were hired as {what}", "What will {who} be employed as?"},
		{"Is {who} coming on Saturday?", "No, there is {what} at the same time|Unfortunately not, because of {what}", "Why can't {who} attend?"},
	}
	values := []string{"the Pyrenees|the Tatra mountains|Lapland|Crete|the Azores", "three weeks|two months|half a year|ten days", "a copper pan|a set of knives|a pepper mill|a waffle iron", "a gardener|an archivist|a translator|a surveyor", "a funeral|a chess tournament|a choir rehearsal|a house move"}
	for i, who := range people {
		for j, t := range topics {
			fill := strings.NewReplacer("{who}", who, "{what}", pickOf(r, values[j]))
			opens, says := fill.Replace(t.opens), fill.Replace(pickOf(r, t.says))
			c.exchanges = append(c.exchanges, [2]string{opens, says})
			if (i+j)%2 == 0 {
				c.questions = append(c.questions, question{text: fill.Replace(t.asks), wants: []string{says}})
			}
		}
	}
}

// handbooks are documents whose passages are told apart by the headings above them.
func (c *corpus) handbooks(r *rand.Rand) {
	machines := strings.Fields("Orbit Pelican Quartz Raven Sirius Tundra Umbra Vesper")
	parts := []struct{ heading, body, ask string }{
		{"Cleaning", "Wipe the housing with {a} once a {b}. Never use solvents, they dull the surface.", "How often must the casing of the {m} be wiped?"},
		{"Power supply", "The unit draws {c} watts at full load. If the fuse blows, wait {d} minutes before switching it on again.", "How much electricity does the {m} consume?"},
		{"Transport", "Lock the drum with the {e} bolt first. Two people are needed to lift it.", "What has to be secured before moving the {m}?"},
		{"Warranty", "Defects are repaired free of charge for {f} years, provided that the seal is unbroken.", "For how long does the maker of the {m} fix faults at no cost?"},
		{"Noise", "At a distance of one metre it emits {g} decibels. Felt pads under the feet help.", "How loud is the {m}?"},
	}
	for _, m := range machines {
		var b strings.Builder
		fmt.Fprintf(&b, "# %s manual\n\n", m)
		for _, p := range parts {
			fill := strings.NewReplacer("{m}", m, "{a}", pickOf(r, "a damp cloth|a soft brush|warm water"), "{b}", pickOf(r, "week|month|quarter"), "{c}", fmt.Sprint(100+r.IntN(900)),
				"{d}", fmt.Sprint(2+r.IntN(20)), "{e}", pickOf(r, "red|blue|brass|left"), "{f}", fmt.Sprint(2+r.IntN(8)), "{g}", fmt.Sprint(30+r.IntN(50)))
			body := fill.Replace(p.body)
			fmt.Fprintf(&b, "## %s of the %s\n\n%s\n\n%s\n\n", p.heading, m, body, strings.Repeat("Keep this manual where everyone who works with the machine can find it, and read it before the first use. ", 6))
			c.questions = append(c.questions, question{text: fill.Replace(p.ask), wants: []string{body}})
		}
		c.documents = append(c.documents, document{m, b.String()})
	}
}

// codeNotes are facts about functions; some questions have their names, some say what they do in other words.
func (c *corpus) codeNotes(r *rand.Rand) {
	verbs := []struct{ name, does, ask string }{
		{"flush%sBuffer", "writes pending %s records to disk and truncates the log", "Which function persists queued %s entries?"},
		{"retry%sUpload", "sends a failed %s transfer again with growing pauses", "What handles %s uploads that went wrong?"},
		{"parse%sHeader", "splits the first line of a %s message into name and value", "Where is the beginning of a %s packet decoded?"},
		{"evict%sCache", "drops the least recently used %s items when memory is short", "How are old %s objects removed from RAM?"},
		{"sign%sToken", "adds an HMAC to a %s credential so that it cannot be forged", "What protects %s credentials against tampering?"},
	}
	for _, kind := range strings.Fields("Invoice Sensor Avatar Ticket Route Invoice2 Payroll Telemetry") {
		for i, v := range verbs {
			name := fmt.Sprintf(v.name, kind)
			text := fmt.Sprintf("The function %s "+v.does+", added in commit %06x", name, strings.ToLower(kind), r.IntN(1<<24))
			c.texts = append(c.texts, text)
			ask := fmt.Sprintf(v.ask, strings.ToLower(kind))
			if i%2 == 1 {
				ask = "What does " + name + " do?"
			}
			c.questions = append(c.questions, question{text: ask, wants: []string{text}})
		}
	}
}

// languages are facts and questions in German, Spanish, French and Chinese.
func (c *corpus) languages(r *rand.Rand) {
	for _, l := range []struct{ people, says, values, ask string }{
		{"Annika Björn Carsten Dörte Eike Frauke Gerrit Heike", "{who} züchtet seit Jahren {what} im Garten hinter dem Haus", "Rosen|Tomaten|Kürbisse|Lavendel", "Was baut {who} im Garten an?"},
		{"Álvaro Beatriz Camila Diego Esteban Fátima Gonzalo Inés", "{who} repara {what} antiguos en su taller del centro", "relojes|violines|muebles|teléfonos", "¿Qué arregla {who} en el taller?"},
		{"Adèle Baptiste Clémence Damien Élodie Fabrice Gaëlle Hugo", "{who} enseigne {what} dans un lycée de la banlieue", "la chimie|l'histoire|le dessin|la musique", "Quelle matière {who} donne-t-elle au lycée ?"},
		{"王小明 李雪 张伟 刘洋 陈静 杨帆 赵磊 黄丽", "{who}每个周末都去{what}", "游泳|爬山|钓鱼|画画", "{who}周末做什么？"},
	} {
		for who := range strings.FieldsSeq(l.people) {
			fill := strings.NewReplacer("{who}", who, "{what}", pickOf(r, l.values))
			said := fill.Replace(l.says)
			c.texts = append(c.texts, said)
			c.questions = append(c.questions, question{text: fill.Replace(l.ask), wants: []string{said}})
		}
	}
}

// document is a text with headings.
type document struct{ title, text string }

// holdsWanted says whether something found is, or has in it, what a question wants.
func holdsWanted(f memory.Found, wants []string) (string, bool) {
	for _, want := range wants {
		if strings.Contains(f.Text, want) {
			return want, true
		}
	}
	return "", false
}
