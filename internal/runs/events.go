package runs

import (
	"encoding/json"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/tools"
)

type subject struct {
	Run          ids.Run          `json:"run"`
	Conversation ids.Conversation `json:"conversation"`
	Agent        string           `json:"agent"`
}

type (
	// RunQueued: a request was accepted.
	RunQueued struct {
		subject
		Question ids.Message `json:"question,omitempty"`
	}
	// RunRouted: nobody named an agent, so one was picked.
	RunRouted struct {
		subject
		Step       int     `json:"step"`
		Why        string  `json:"why"`
		How        string  `json:"how"`
		Confidence float64 `json:"confidence"`
	}
	// RunStarted: the agent began, or began again after the process died or a
	// person answered; what was shown of Turn and later ones is void.
	RunStarted struct {
		subject
		Attempt int         `json:"attempt"`
		Message ids.Message `json:"message"` // the answer's id, once it is whole
		Turn    int         `json:"turn"`
		Model   string      `json:"model"`
	}
	// Recalled: what the agent remembers of the question was looked up.
	Recalled struct {
		subject
		Step  int                      `json:"step"`
		Facts []conversations.Recalled `json:"facts"`
	}
	// TextDelta: a piece of the answer; droppable. Seq counts from 0 within an
	// attempt: one missing means asking for the run's partial text.
	TextDelta struct {
		Run     ids.Run     `json:"run"`
		Message ids.Message `json:"message"`
		Attempt int         `json:"attempt"`
		Turn    int         `json:"turn"`
		Seq     int         `json:"seq"`
		Text    string      `json:"text"`
	}
	// ReasoningDelta: a piece of what the model thinks; droppable, with a Seq of its own.
	ReasoningDelta struct {
		Run     ids.Run     `json:"run"`
		Message ids.Message `json:"message"`
		Attempt int         `json:"attempt"`
		Turn    int         `json:"turn"`
		Seq     int         `json:"seq"`
		Text    string      `json:"text"`
	}
	// TurnFinished: a model call that is not the last one is whole.
	TurnFinished struct {
		subject
		Step      int                  `json:"step"`
		Turn      int                  `json:"turn"`
		Message   ids.Message          `json:"message"`
		Text      string               `json:"text,omitempty"`
		Reasoning string               `json:"reasoning,omitempty"`
		Cut       bool                 `json:"cut,omitempty"` // the texts are too long for an event
		Calls     []CallShown          `json:"calls,omitempty"`
		Usage     providers.Usage      `json:"usage"`
		Model     string               `json:"model"`
		Stop      providers.StopReason `json:"stop"`
		FirstMs   int64                `json:"ttft_ms,omitempty"`
		TookMs    int64                `json:"took_ms"`
	}
	// CallShown is a call as events and partial answers show it.
	CallShown struct {
		Call  string          `json:"call"`
		Tool  string          `json:"tool"`
		Title string          `json:"title,omitempty"`
		Args  json.RawMessage `json:"args,omitempty" doc:"Long texts are cut."`
	}
	// ToolStarted: a call is about to be made.
	ToolStarted struct {
		subject
		Step int `json:"step"`
		Turn int `json:"turn"`
		CallShown
		Origin string `json:"origin,omitempty"`
		Safe   bool   `json:"safe"` // looks only, or is harmless to repeat
	}
	// ToolProgress: how far a call is; droppable.
	ToolProgress struct {
		Run   ids.Run `json:"run"`
		Call  string  `json:"call"`
		Text  string  `json:"text,omitempty"`
		Done  float64 `json:"done,omitempty"`
		Total float64 `json:"total,omitempty"`
	}
	// ToolFinished: a call has its result.
	ToolFinished struct {
		subject
		Step      int             `json:"step"`
		Turn      int             `json:"turn"`
		Call      string          `json:"call"`
		Tool      string          `json:"tool"`
		Title     string          `json:"title,omitempty"`
		OK        bool            `json:"ok"`
		Code      string          `json:"code,omitempty"`
		Preview   string          `json:"preview"`
		Truncated bool            `json:"truncated,omitempty"`
		TookMs    int64           `json:"took_ms"`
		Body      ids.Body        `json:"body,omitempty"` // the whole output
		Images    []tools.Kept    `json:"images,omitempty"`
		Meta      json.RawMessage `json:"meta,omitempty"`
	}
	helping struct {
		subject
		Call        string  `json:"call"`
		Helper      ids.Run `json:"helper"`
		HelperAgent string  `json:"helper_agent"`
	}
	// HelperSpawned: a part of the work was handed to another agent.
	HelperSpawned struct {
		helping
		HelperModel string `json:"helper_model"`
		Task        string `json:"task"`
	}
	// HelperProgress: what a helper is at; droppable.
	HelperProgress struct {
		helping
		Turn  int    `json:"turn"`
		Tool  string `json:"tool,omitempty"`
		Chars int    `json:"chars,omitempty"` // of its answer so far
	}
	// HelperFinished: a helper has answered.
	HelperFinished struct {
		helping
		Preview string          `json:"preview"`
		Usage   providers.Usage `json:"usage"`
		TookMs  int64           `json:"took_ms"`
	}
	// HelperFailed: a helper could not answer; its parent goes on.
	HelperFailed struct {
		helping
		Error  *Trouble `json:"error"`
		TookMs int64    `json:"took_ms"`
	}
	// RunWaiting: a person has to answer before it goes on.
	RunWaiting struct {
		subject
		Message ids.Message `json:"message"`
		Needs   []Wait      `json:"needs"`
	}
	// RunAnswered: a person answered what a run waits for.
	RunAnswered struct {
		subject
		Call   string `json:"call"`
		Need   string `json:"need"` // the kind of need
		Answer string `json:"answer"`
	}
	// RunTold: a person said something to a helper alone; RunSteered follows when its model gets it.
	RunTold struct {
		subject
		Message ids.Message `json:"message"`
		Author  ids.User    `json:"author"`
		Text    string      `json:"text"` // cut in the middle when it is long
	}
	// RunSteered: the model gets what the person said meanwhile.
	RunSteered struct {
		subject
		Step     int           `json:"step"`
		Messages []ids.Message `json:"message_ids"`
	}
	// RunCompacted: older turns were replaced by a summary, to make room.
	RunCompacted struct {
		subject
		Step   int   `json:"step"`
		Before int64 `json:"before"` // tokens
		After  int64 `json:"after"`
	}
	// RunFinished: the answer is whole.
	RunFinished struct {
		subject
		Message ids.Message     `json:"message"`
		Usage   providers.Usage `json:"usage"`
		Turns   int             `json:"turns"`
		Calls   int             `json:"calls"`
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
	// Suggested: what one could ask next.
	Suggested struct {
		subject
		Message     ids.Message `json:"message"`
		Suggestions []string    `json:"suggestions"`
	}
)

// Kind names the fact.
func (RunQueued) Kind() string      { return "runs.queued" }
func (RunRouted) Kind() string      { return "runs.routed" }
func (RunStarted) Kind() string     { return "runs.started" }
func (Recalled) Kind() string       { return "runs.recalled" }
func (TextDelta) Kind() string      { return "runs.text_delta" }
func (ReasoningDelta) Kind() string { return "runs.reasoning_delta" }
func (TurnFinished) Kind() string   { return "runs.turn_finished" }
func (ToolStarted) Kind() string    { return "runs.tool_started" }
func (ToolProgress) Kind() string   { return "runs.tool_progress" }
func (ToolFinished) Kind() string   { return "runs.tool_finished" }
func (HelperSpawned) Kind() string  { return "runs.helper_spawned" }
func (HelperProgress) Kind() string { return "runs.helper_progress" }
func (HelperFinished) Kind() string { return "runs.helper_finished" }
func (HelperFailed) Kind() string   { return "runs.helper_failed" }
func (RunWaiting) Kind() string     { return "runs.waiting" }
func (RunAnswered) Kind() string    { return "runs.answered" }
func (RunTold) Kind() string        { return "runs.told" }
func (RunSteered) Kind() string     { return "runs.steered" }
func (RunCompacted) Kind() string   { return "runs.compacted" }
func (RunFinished) Kind() string    { return "runs.finished" }
func (RunFailed) Kind() string      { return "runs.failed" }
func (RunCancelled) Kind() string   { return "runs.cancelled" }
func (Suggested) Kind() string      { return "runs.suggested" }
