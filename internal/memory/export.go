package memory

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
)

// Record is one line of an export.
type Record struct {
	Type     string         `json:"type"` // fact, entity, relation or profile
	Fact     *Fact          `json:"fact,omitempty"`
	Entity   *Node          `json:"entity,omitempty"`
	Relation *Relation      `json:"relation,omitempty"`
	Fields   map[string]any `json:"fields,omitempty"`
}

// Export writes what someone may see as JSON lines: facts, their graph and their profile.
func (m *Mind) Export(ctx context.Context, o Owner, out io.Writer) error {
	enc := json.NewEncoder(out)
	for _, state := range []State{Active, Review, Past} {
		f := FactFilter{Query: page.Query{Limit: page.MaxLimit}, State: state}
		for {
			list, err := m.Facts(ctx, o, f)
			if err != nil {
				return err
			}
			for _, fact := range list.Data {
				if err := enc.Encode(Record{Type: "fact", Fact: &fact}); err != nil {
					return err
				}
			}
			if !list.HasMore {
				break
			}
			f.Cursor = list.NextCursor
		}
	}
	graph, err := m.ReadGraph(ctx, GraphOf{Owner: o})
	if err != nil {
		return err
	}
	for _, n := range graph.Entities {
		if err := enc.Encode(Record{Type: "entity", Entity: &n}); err != nil {
			return err
		}
	}
	for _, r := range graph.Relations {
		if err := enc.Encode(Record{Type: "relation", Relation: &r}); err != nil {
			return err
		}
	}
	p, err := m.Profile(ctx, o)
	if err != nil || len(p.Fields) == 0 {
		return err
	}
	return enc.Encode(Record{Type: "profile", Fields: p.Fields})
}

// Imported says what came of an import.
type Imported struct {
	Facts     map[Outcome]int `json:"facts"`
	Entities  int             `json:"entities"`
	Relations int             `json:"relations"`
	Fields    int             `json:"fields"`
	Refused   []Refusal       `json:"refused"`
}

// Refusal is a line that was not taken over, and why.
type Refusal struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

const (
	longestLine  = 1 << 20
	mostRefusals = 1000
)

// Import takes over an export, or one fact per line as {"text":…}. What was of a user becomes the importer's own;
// history is left behind. Lines that are refused are told and do not stop the others.
func (m *Mind) Import(ctx context.Context, o Owner, in io.Reader) (Imported, error) {
	out := Imported{Facts: map[Outcome]int{}, Refused: []Refusal{}}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), longestLine)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		err := m.importLine(ctx, o, lines.Bytes(), &out)
		var f *fault.Fault
		switch {
		case errors.As(err, &f):
			if len(out.Refused) < mostRefusals {
				out.Refused = append(out.Refused, Refusal{n, f.Message})
			}
		case err != nil:
			return out, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return out, fault.New(fault.Invalid, "bad_import", "The file cannot be read as JSON lines.").Because(err)
	}
	return out, nil
}

func (m *Mind) importLine(ctx context.Context, o Owner, line []byte, out *Imported) error {
	var r struct {
		Record
		Text string `json:"text"`
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return fault.New(fault.Invalid, "bad_line", "This is not JSON.").Because(err)
	}
	g := GraphOf{Owner: o}
	switch {
	case r.Text != "":
		return m.importFact(ctx, o, Fact{Text: r.Text, Scope: Scope{User: o.User}, Confidence: sureEnough}, out)
	case r.Fact != nil && r.Fact.State == Past:
		return nil
	case r.Fact != nil:
		f := *r.Fact
		if f.User != "" {
			f.User = o.User
		}
		return m.importFact(ctx, o, f, out)
	case r.Entity != nil:
		made, err := m.CreateEntities(ctx, g, []Node{*r.Entity})
		if err == nil && len(made) == 0 {
			_, err = m.AddObservations(ctx, g, []Observations{{r.Entity.Name, r.Entity.Observations}})
		}
		out.Entities += len(made)
		return err
	case r.Relation != nil:
		made, err := m.CreateRelations(ctx, g, []Relation{*r.Relation})
		out.Relations += len(made)
		return err
	case len(r.Fields) > 0:
		merge, err := m.MergeProfile(ctx, o, r.Fields)
		out.Fields += len(merge.Added) + len(merge.Updated)
		return err
	}
	return fault.New(fault.Invalid, "bad_line", "This is no fact, entity, relation or profile.")
}

func (m *Mind) importFact(ctx context.Context, o Owner, f Fact, out *Imported) error {
	added, err := m.Add(ctx, o, NewFact{Scope: f.Scope, Text: f.Text, Confidence: f.Confidence, Origin: FromImport, Pinned: f.Pinned, Source: f.Source})
	if err == nil {
		out.Facts[added.Outcome]++
	}
	return err
}
