package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/words"
	"github.com/fluxway/fluxway/internal/memory/entities"
	"github.com/fluxway/fluxway/internal/store"
)

// person is the node that stands for the one who speaks.
const person = "user"

// mostLearned bounds what talk adds to one node; what agents and people write down themselves is not bounded by it.
const mostLearned = 40

// drawing is what a conversation adds to a graph.
type drawing struct {
	nodes     []Node
	relations []Relation
}

// node gives the node of a name, adding it if need be.
func (d *drawing) node(name, kind string) *Node {
	for i := range d.nodes {
		if d.nodes[i].Name == name {
			if d.nodes[i].EntityType == entities.Unknown {
				d.nodes[i].EntityType = kind
			}
			return &d.nodes[i]
		}
	}
	d.nodes = append(d.nodes, Node{Name: name, EntityType: kind})
	return &d.nodes[len(d.nodes)-1]
}

func (d *drawing) relate(r Relation) {
	if r.From != r.To && !slices.Contains(d.relations, r) {
		d.relations = append(d.relations, r)
	}
}

// drawn finds what a person's own words say about things and how they relate, by rules. What must not be
// kept is left out, sentence by sentence.
func (m *Mind) drawn(said string) drawing {
	var d drawing
	for _, s := range entities.Find(said) {
		if sensitive(s.Text) != "" {
			continue
		}
		if _, bad := denied(s.Text, m.rules.Deny); bad {
			continue
		}
		seen := tidy(leadIn().ReplaceAllString(tidy(s.Text), ""))
		if words.Guess(seen) == words.English {
			seen = aboutUser(seen)
		}
		for _, e := range s.Entities {
			n := d.node(e.Name, e.Type)
			n.Observations = append(n.Observations, cut(seen, 500))
		}
		for _, r := range s.Relations {
			d.relate(Relation{r.From, r.To, r.Type})
		}
		if kind := ofSpeaker(s); kind != "" {
			d.node(person, "person")
			d.relate(Relation{person, s.Entities[0].Name, kind})
		}
	}
	return d
}

// speakers are what someone says of themselves before the first name of a sentence, and what it makes of the two.
var speakers = []struct {
	begin func(string) bool
	kind  string
}{
	{startsWith("i work for ", "i work at ", "i'm working for ", "i am working at "), "works for"},
	{startsWith("i work with ", "i'm working with ", "i am working with "), "works with"},
	{startsWith("i work on ", "i'm working on ", "i am working on "), "works on"},
	{startsWith("i live in ", "i live near "), "lives in"},
	{startsWith("i moved to ", "i have moved to ", "i've moved to "), "moved to"},
	{startsWith("i come from ", "i'm from ", "i am from "), "comes from"},
	{startsWith("i know ", "i met "), "knows"},
	{startsWith("i use ", "we use "), "uses"},
	{startsWith("i maintain ", "i look after "), "maintains"},
	{startsWith("i lead ", "i run ", "i manage "), "leads"},
	{startsWith("my wife ", "my husband ", "my partner ", "my spouse "), "is married to"},
	{startsWith("my boss ", "my manager "), "reports to"},
	{startsWith("my colleague ", "my coworker "), "works with"},
	{startsWith("my brother ", "my sister ", "my mother ", "my father ", "my son ", "my daughter ", "my cousin ", "my aunt ", "my uncle "), "is related to"},
	{startsWith("my friend "), "is a friend of"},
	{startsWith("my dog ", "my cat ", "my horse "), "has"},
}

func startsWith(list ...string) func(string) bool {
	return func(text string) bool {
		return slices.ContainsFunc(list, func(begin string) bool { return strings.HasPrefix(text, begin) })
	}
}

// ofSpeaker says how the speaker relates to the first thing a sentence names; "" where it does not say.
func ofSpeaker(s entities.Sentence) string {
	text := strings.ToLower(tidy(leadIn().ReplaceAllString(tidy(s.Text), "")))
	for _, p := range speakers {
		if p.begin(text) {
			return p.kind
		}
	}
	return ""
}

// draw adds what was said to the graph of a conversation's user, in the transaction that learns from it.
func (m *Mind) draw(ctx context.Context, tx *store.Tx, from Exchange, d drawing) error {
	g := GraphOf{Owner: Owner{from.Workspace, from.User}}
	if m.rules.Session {
		if from.Conversation == "" {
			return nil
		}
		g.Session = string(from.Conversation)
	}
	for _, n := range d.nodes {
		if m.checkName("name", n.Name) != nil || m.checkObservations(n.Observations) != nil {
			continue
		}
		if _, err := tx.Exec(ctx, insertEntity, ids.New[ids.Entity](), g.Workspace, g.User, g.Session, n.Name, n.EntityType, time.Now(), time.Now()); err != nil {
			return err
		}
		e, err := m.entity(ctx, tx, g, n.Name)
		if err != nil {
			return err
		}
		have, err := store.All[string](ctx, tx, selectObservations, e.ID)
		if err != nil {
			return err
		}
		if len(have) >= mostLearned {
			continue
		}
		if _, err := m.observe(ctx, tx, g, e, n.Observations); err != nil {
			return err
		}
	}
	for _, r := range d.relations {
		if m.checkName("from", r.From) != nil || m.checkName("to", r.To) != nil || m.checkName("relationType", r.RelationType) != nil {
			continue
		}
		if _, err := tx.Exec(ctx, insertRelation, g.Workspace, g.User, g.Session, r.From, r.To, r.RelationType, time.Now()); err != nil {
			return err
		}
	}
	return nil
}
