package runs_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/scripted"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/toolstest"
)

func aPNG(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// camera is a tool that gives a picture, a drawing that no model can be shown, and a word.
func camera(shot []byte) tools.Tool {
	return toolstest.Tool{Is: tools.Spec{Name: "shoot", Level: tools.Public, ReadOnly: true, Schema: json.RawMessage(`{"type":"object"}`)},
		Do: func(context.Context, tools.Call) (tools.Result, error) {
			return tools.Result{Parts: []tools.Part{
				{Kind: tools.PartText, Text: "Two pictures."},
				{Kind: tools.PartImage, Data: shot, MediaType: "image/jpeg"}, // which it is not
				{Kind: tools.PartImage, Data: []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), MediaType: "image/svg+xml"},
			}}, nil
		}}
}

func TestPicturesOfTools(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		shot := aPNG(t, 3, 2)
		held := newEffect(true)
		m := script(t, turn(calls("shoot", nil), calls("act", nil)))
		p := newPlant(t, db, setup{models: map[string]*scripted.Model{"assistant": m}, tools: []tools.Tool{camera(shot), held.tool("act")}})
		a := p.ask("What is on the screen?", "")
		stop := p.work()
		<-held.started
		stop() // what was seen has to survive the process

		m = script(t, turn(says("A grey field.")), turn(says("Still grey.")), turn(calls("calculator", map[string]any{"expression": "1"})), turn(says("One.")))
		p = newPlant(t, db, setup{who: p.who, models: map[string]*scripted.Model{"assistant": m}, tools: []tools.Tool{camera(shot), newEffect(false).tool("act")}})
		stop = p.work()
		defer stop()
		l := p.listen(conversations.Channel(a.Conversation.ID))
		l.until("runs.waiting")
		if _, err := p.Answer(t.Context(), p.who, a.Run.ID, runs.Answer{Reply: agents.Reply{Text: agents.AnswerSkip}}); err != nil {
			t.Fatal(err)
		}
		l.until("runs.finished")
		sees := func(parts []providers.Part) {
			t.Helper()
			var kinds []string
			for _, inner := range parts {
				kinds = append(kinds, string(inner.Kind)+inner.MediaType)
				if inner.Kind == providers.PartImage && !bytes.Equal(inner.Data, shot) {
					t.Errorf("the model saw %d other bytes", len(inner.Data))
				}
			}
			if got := strings.Join(kinds, " "); got != "text imageimage/png text" && got != "imageimage/png text" {
				t.Errorf("the model saw %s", got)
			}
		}
		sees(m.Requests()[0].Messages[2].Parts[0].Parts)

		var fact struct{ Images []tools.Kept }
		finished := l.until("runs.tool_finished")
		if err := json.Unmarshal(finished.Data, &fact); err != nil || len(fact.Images) != 2 {
			t.Fatalf("%s, %v", finished.Data, err)
		}
		png, svg := fact.Images[0], fact.Images[1]
		if png.MediaType != "image/png" || png.Size != int64(len(shot)) || png.Width != 3 || png.Height != 2 || svg.MediaType != "image/svg+xml" || svg.Width != 0 {
			t.Errorf("images %+v", fact.Images)
		}
		steps, err := p.Steps(t.Context(), p.who, a.Run.ID, page.Query{})
		if err != nil || len(steps.Data[1].Images) != 2 || steps.Data[1].Images[0] != png {
			t.Errorf("steps %+v, %v", steps.Data, err)
		}
		answer := p.said(a.Conversation.ID)[1]
		if r := answer.Parts[2]; r.Kind != providers.PartToolResult || !strings.HasPrefix(r.Text, "Two pictures.") || len(r.Parts) != 2 || r.Parts[0].URL != "attachment:"+string(png.ID) {
			t.Errorf("the answer has %+v", r)
		}
		written, err := json.Marshal([]any{steps, answer, l.all})
		if err != nil || bytes.Contains(written, []byte(base64.StdEncoding.EncodeToString(shot)[:40])) {
			t.Errorf("the picture is written out, or %v", err)
		}
		if file, content, err := p.book.Attachment(t.Context(), p.who, png.ID); err != nil || file.Name != "shoot.png" || !bytes.Equal(content, shot) {
			t.Errorf("%+v, %d bytes, %v", file, len(content), err)
		}
		for _, stranger := range []conversations.Asker{{Workspace: p.who.Workspace, User: ids.New[ids.User]()}, {Workspace: storetest.Workspace(), User: p.who.User}} {
			if _, _, err := p.book.Attachment(t.Context(), stranger, png.ID); !fault.HasCode(err, "attachment_not_found") {
				t.Errorf("a stranger reads it: %v", err)
			}
		}
		laterRuns(t, p, l, m, a.Conversation.ID, sees)
		theEndOfPictures(t, p, a.Conversation.ID, png.ID)
	})
}

// laterRuns see the pictures of the last answer, and a word about those before.
func laterRuns(t *testing.T, p *plant, l *listener, m *scripted.Model, c ids.Conversation, sees func([]providers.Part)) {
	t.Helper()
	next := p.ask("And now?", c)
	l.until("runs.finished", of(next.Run.ID))
	sees(m.Requests()[1].Messages[2].Parts[0].Parts)
	next = p.ask("Count", c)
	l.until("runs.finished", of(next.Run.ID))
	if r := m.Requests()[2].Messages[2].Parts[0]; len(r.Parts) != 0 || !strings.Contains(r.Text, "A picture was shown here") {
		t.Errorf("an old picture is shown again: %+v", r)
	}
}

// theEndOfPictures comes with the retention of runs, or with their conversation.
func theEndOfPictures(t *testing.T, p *plant, c ids.Conversation, id ids.Attachment) {
	t.Helper()
	count := func() int {
		t.Helper()
		n, err := store.One[int](t.Context(), p.db.Read(), `SELECT count(*) FROM store_bodies`)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n, err := p.book.PruneGiven(t.Context(), time.Now().Add(-time.Hour)); n != 0 || err != nil || count() != 2 {
		t.Errorf("pruned %d of today, %v; %d contents", n, err, count())
	}
	exported, err := p.book.Export(t.Context(), p.who, c)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := p.book.Import(t.Context(), p.who, exported)
	if err != nil || count() != 4 {
		t.Fatalf("%v; %d contents", err, count())
	}
	if n, err := p.book.PruneGiven(t.Context(), time.Now().Add(time.Hour)); n != 2 || err != nil || count() != 2 {
		t.Errorf("pruned %d, %v; %d contents", n, err, count())
	}
	if _, _, err := p.book.Attachment(t.Context(), p.who, id); !fault.HasCode(err, "attachment_not_found") {
		t.Errorf("a pruned picture: %v", err)
	}
	if err := p.book.Delete(t.Context(), p.who, copied.ID); err != nil || count() != 0 {
		t.Errorf("deleting the conversation: %v; %d contents", err, count())
	}
}
