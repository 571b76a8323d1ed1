// Command recall measures how well memory finds things again: by words alone,
// by meaning alone, and by both. Its data is generated; the weights were
// chosen on the sets "tune" and "mixed". The numbers that count are those of
// "report" and "further", which were written down once and never used to choose
// anything: conversations, documents, code and notes about it, short facts asked
// for in other words, and six languages.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/lifecycle"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/memory/gte"
	"github.com/fluxway/fluxway/internal/memory/lsi"
	"github.com/fluxway/fluxway/internal/memory/vectors"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/sqlite"
)

func main() {
	set := flag.String("set", "", "one set only: tune or mixed, which the weights were chosen on, seen, which was looked at meanwhile, report or further; empty: the last two")
	without := flag.Bool("without-model", false, "with the meanings that a binary without a model finds out by itself; nothing is judged")
	flag.Parse()
	sets := reported
	if *set != "" {
		sets = []string{*set}
	}
	for _, name := range sets {
		if err := measure(context.Background(), name, *without); err != nil {
			fmt.Fprintln(os.Stderr, "recall:", err)
			os.Exit(1)
		}
	}
}

// reported are the sets that nothing was chosen on.
var reported = []string{"report", "further"}

func measure(ctx context.Context, set string, without bool) (err error) {
	if !gte.Included() && !without {
		return gte.ErrLeftOut
	}
	corpus, ok := corpora()[set]
	if !ok {
		return fmt.Errorf("there is no set %q", set)
	}
	dir, err := os.MkdirTemp("", "fluxway-recall-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	g, err := openGround(dir, without)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.db.Close()) }()
	ctx, stop := context.WithCancel(ctx)
	group := lifecycle.Group{Grace: 10 * time.Second}
	group.Add("jobs", g.queue)
	group.Add("memory", g.mind)
	group.Add("measure", lifecycle.Func(func(ctx context.Context) error {
		defer stop()
		return g.run(ctx, set, corpus, !without && slices.Contains(reported, set))
	}))
	return group.Run(ctx)
}

// ground is a memory of its own.
type ground struct {
	db    *store.DB
	queue *jobs.Queue
	mind  *memory.Mind
	owner memory.Owner
}

func openGround(dir string, without bool) (*ground, error) {
	engine, err := sqlite.Open(filepath.Join(dir, "recall.db"))
	if err != nil {
		return nil, err
	}
	db, err := store.New(store.Options{Engine: engine})
	if err != nil {
		return nil, err
	}
	if err := db.Migrate(context.Background()); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	hub, err := events.New(events.Options{DB: db})
	if err != nil {
		return nil, err
	}
	queue, err := jobs.New(jobs.Options{DB: db, Hub: hub, Worker: "recall", Sole: true})
	if err != nil {
		return nil, err
	}
	index, err := vectors.New(vectors.Options{DB: db})
	if err != nil {
		return nil, err
	}
	opts := memory.Options{DB: db, Hub: hub, Jobs: queue, Index: index, Embedder: gte.New(), Rules: memory.Rules{Turns: true}}
	if without {
		learned, err := lsi.New(lsi.Options{DB: db})
		if err != nil {
			return nil, err
		}
		opts.Embedder, opts.Former = learned, learned.Version
	}
	mind, err := memory.New(opts)
	if err != nil {
		return nil, err
	}
	return &ground{db, queue, mind, memory.Owner{Workspace: ids.New[ids.Workspace](), User: ids.New[ids.User]()}}, nil
}

func (g *ground) run(ctx context.Context, set string, c corpus, judge bool) error {
	began := time.Now()
	if err := g.fill(ctx, c); err != nil {
		return err
	}
	for {
		s, err := g.mind.Stats(ctx, g.owner)
		if err != nil {
			return err
		}
		if s.Serving != "" && s.Waiting == 0 && s.Texts[memory.KindTurn] == int64(2*len(c.exchanges)) && s.Texts[memory.KindKnowledge] >= int64(len(c.documents)) {
			break
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(200 * time.Millisecond):
		}
	}
	fmt.Printf("%s: %d facts, %d turns, %d documents, %d questions; remembered and embedded in %.1f s\n\n", set, len(c.texts), 2*len(c.exchanges), len(c.documents), len(c.questions), time.Since(began).Seconds())
	out := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "found by\trecall@5\trecall@10\tnDCG@10\tms a question\t")
	var scores []score
	for _, by := range []memory.By{memory.ByWords, memory.ByMeaning, ""} {
		s, err := g.ask(ctx, c, by)
		if err != nil {
			return err
		}
		name := map[memory.By]string{memory.ByWords: "words", memory.ByMeaning: "meaning", "": "both"}[by]
		fmt.Fprintf(out, "%s\t%.3f\t%.3f\t%.3f\t%.1f\t\n", name, s.at5, s.at10, s.ndcg, s.took.Seconds()*1000)
		scores = append(scores, s)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fmt.Println()
	if judge && !(scores[2].beats(scores[0]) && scores[2].beats(scores[1])) {
		return fmt.Errorf("%s: both together find less than one alone", set)
	}
	return nil
}

// fill remembers facts, lets conversations be learned from, and has documents read.
func (g *ground) fill(ctx context.Context, c corpus) error {
	scope := memory.Scope{User: g.owner.User}
	for _, text := range c.texts {
		if _, err := g.mind.Add(ctx, g.owner, memory.NewFact{Scope: scope, Text: text}); err != nil {
			return fmt.Errorf("remembering %q: %w", text, err)
		}
	}
	conversation := ids.New[ids.Conversation]()
	for i, x := range c.exchanges {
		if i%8 == 0 {
			conversation = ids.New[ids.Conversation]()
		}
		err := g.mind.Observe(ctx, memory.Exchange{
			Workspace: g.owner.Workspace, User: g.owner.User, Conversation: conversation, Message: ids.New[ids.Message](), Asked: x[0], Reply: ids.New[ids.Message](), Answered: x[1],
		})
		if err != nil {
			return err
		}
	}
	for _, d := range c.documents {
		if _, err := g.mind.AddSource(ctx, g.owner, memory.NewSource{Scope: scope, Title: d.title, Text: d.text}); err != nil {
			return err
		}
	}
	return nil
}

// score is how well questions were answered, on average.
type score struct {
	at5, at10, ndcg float64
	took            time.Duration
}

// beats says whether more was found by every measure; all is as much as can be found.
func (s score) beats(other score) bool {
	more := func(a, b float64) bool { return a > b || a == 1 }
	return more(s.at5, other.at5) && more(s.at10, other.at10) && more(s.ndcg, other.ndcg)
}

func (g *ground) ask(ctx context.Context, c corpus, by memory.By) (score, error) {
	var sum score
	began := time.Now()
	for _, q := range c.questions {
		answer, err := g.mind.Search(ctx, memory.Query{Workspace: g.owner.Workspace, User: g.owner.User, Text: q.text, Limit: 10, By: by})
		if err != nil {
			return sum, err
		}
		var hits5, hits10, gain, best float64
		have := map[string]bool{}
		for i, f := range answer.Found {
			want, ok := holdsWanted(f, q.wants)
			if !ok || have[want] {
				continue
			}
			have[want] = true
			if i < 5 {
				hits5++
			}
			hits10++
			gain += 1 / math.Log2(float64(i)+2)
		}
		for i := range min(10, len(q.wants)) {
			best += 1 / math.Log2(float64(i)+2)
		}
		n := float64(len(q.wants))
		sum.at5, sum.at10, sum.ndcg = sum.at5+hits5/n, sum.at10+hits10/n, sum.ndcg+gain/best
	}
	n := float64(len(c.questions))
	return score{sum.at5 / n, sum.at10 / n, sum.ndcg / n, time.Since(began) / time.Duration(len(c.questions))}, nil
}
