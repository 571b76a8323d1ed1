package runs

import (
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
)

type subject struct {
	Run          ids.Run          `json:"run"`
	Conversation ids.Conversation `json:"conversation"`
	Agent        string           `json:"agent"`
}

type (
	// RunQueued: a request was accepted.
	RunQueued struct{ subject }
	// RunStarted: the agent began, or began again after the process died; the
	// text of an earlier attempt is void.
	RunStarted struct {
		subject
		Attempt int         `json:"attempt"`
		Message ids.Message `json:"message"` // the answer's id, once it is whole
	}
	// TextDelta: a piece of the answer; droppable. Seq counts from 0 within an
	// attempt: one missing means asking for the run's partial text.
	TextDelta struct {
		Run     ids.Run     `json:"run"`
		Message ids.Message `json:"message"`
		Attempt int         `json:"attempt"`
		Seq     int         `json:"seq"`
		Text    string      `json:"text"`
	}
	// RunFinished: the answer is whole.
	RunFinished struct {
		subject
		Message ids.Message     `json:"message"`
		Usage   providers.Usage `json:"usage"`
	}
	// RunFailed: it broke off; Message holds what came, if anything did.
	RunFailed struct {
		subject
		Message ids.Message `json:"message,omitempty"`
		Error   *Trouble    `json:"error"`
	}
	// RunCancelled: someone stopped it.
	RunCancelled struct {
		subject
		Message ids.Message `json:"message,omitempty"`
	}
)

// Kind names the fact.
func (RunQueued) Kind() string    { return "runs.queued" }
func (RunStarted) Kind() string   { return "runs.started" }
func (TextDelta) Kind() string    { return "runs.text_delta" }
func (RunFinished) Kind() string  { return "runs.finished" }
func (RunFailed) Kind() string    { return "runs.failed" }
func (RunCancelled) Kind() string { return "runs.cancelled" }
