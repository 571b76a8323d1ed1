package push

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/ids"
)

// Kind is what a notification is about.
type Kind string

// The kinds.
const (
	KindApproval Kind = "approval" // somebody has to answer an approval
	KindQuestion Kind = "question" // an agent asks the person it works for
	KindFinished Kind = "finished" // a run of theirs is over
	KindBudget   Kind = "budget"   // a budget is used up
	KindOver     Kind = "over"     // takes the place of one that needs nobody any more
	KindTest     Kind = "test"
)

// Notification is what the browser gets; web/public/sw.js shows it.
type Notification struct {
	Kind  Kind      `json:"kind"`
	ID    string    `json:"id,omitempty"` // of the approval
	Tag   string    `json:"tag"`          // a later one with the same tag takes its place
	Title string    `json:"title"`
	Body  string    `json:"body"`
	URL   string    `json:"url"` // a path of ours
	At    time.Time `json:"at"`
}

// most of a text that is shown; push services take 4 kB in all, screens much less.
const (
	maxTitle = 100
	maxBody  = 600
)

// matter is a fact as far as it is for people: whom it concerns, and what they are told.
type matter struct {
	kind       Kind
	tag        string
	url        string
	approval   ids.Approval
	run        ids.Run
	permission string   // who is told has it
	only       ids.User // nobody else is told; "": all who may
	wanted     func(w Wishes) bool
	title      string
	text       string    // hidden from those who wish so
	instead    string    // is said instead of it
	deadline   time.Time // said as well; zero: there is none
	until      time.Time // after which it is worth nothing
}

// notification is what a person with these wishes is told.
func (m matter) notification(w Wishes, now time.Time) Notification {
	text := m.text
	if w.HideCommand {
		text = m.instead
	}
	body := []string{}
	if text = oneLine(text); text != "" {
		body = append(body, clip(text, maxBody))
	}
	if !m.deadline.IsZero() {
		body = append(body, fmt.Sprintf("Denied by itself at %s.", m.deadline.In(w.zone()).Format("15:04")))
	}
	return Notification{
		Kind: m.kind, ID: string(m.approval), Tag: m.tag, Title: clip(oneLine(m.title), maxTitle), Body: strings.Join(body, "\n"), URL: m.url, At: now.UTC().Truncate(time.Second),
	}
}

// oneLine is a text without what a screen would not show as it is: line breaks, and characters that turn the text around.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == utf8.RuneError:
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// clip cuts a text after so many bytes, between two characters.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

func called(title string) string { return cmp.Or(title, "An agent") }
