package guard

import (
	"time"

	"github.com/fluxway/fluxway/internal/ids"
)

// The channels this part says its facts on. Those on ApprovalsChannel wait for an acknowledgement.
const (
	Channel          = "guard"
	ApprovalsChannel = "approvals"
)

type (
	// Asked: a call waits for a person.
	Asked struct {
		About
		Code      string    `json:"code"`
		Question  string    `json:"question"`
		Command   string    `json:"command,omitempty"`
		Rule      string    `json:"rule"`
		Severity  string    `json:"severity,omitempty"`
		TwoPerson bool      `json:"two_person"`
		Deadline  time.Time `json:"deadline"`
	}
	// Answered: a person approved or denied.
	Answered struct {
		About
		State State    `json:"state"`
		Scope Scope    `json:"scope,omitempty"`
		By    ids.User `json:"by"`
		Via   string   `json:"via,omitempty"`
		Words string   `json:"words,omitempty"`
	}
	// Expired: nobody answered in time, or an approval was not used in time.
	Expired struct {
		About
	}
	// Withdrawn: whoever asked needs no answer any more.
	Withdrawn struct {
		About
		Words string `json:"words"` // why
	}
	// Refused: a rule stopped a call before anything ran.
	Refused struct {
		About
		Rule   string `json:"rule"`
		Reason string `json:"reason"`
		Door   string `json:"door,omitempty"`
	}
	// Allowed: calls like this are not asked about any more.
	Allowed struct {
		Allowance ids.Allowance `json:"allowance"`
		Tool      string        `json:"tool"`
		By        ids.User      `json:"by"`
		Expires   time.Time     `json:"expires_at"`
	}
	// Disallowed: they are asked about again.
	Disallowed struct {
		Allowance ids.Allowance `json:"allowance"`
		By        ids.User      `json:"by"`
	}
	// PolicyChanged: the workspace has another policy; without a mode, that of the settings.
	PolicyChanged struct {
		By   ids.User `json:"by"`
		Mode Mode     `json:"mode,omitempty"`
	}
)

// About is the call a fact is about.
type About struct {
	Approval     ids.Approval     `json:"approval,omitempty"`
	Tool         string           `json:"tool"`
	Agent        string           `json:"agent,omitempty"`
	Run          ids.Run          `json:"run,omitempty"`
	Conversation ids.Conversation `json:"conversation,omitempty"`
	User         ids.User         `json:"user,omitempty"` // who asked for the work
}

// Kind names the fact.
func (Asked) Kind() string { return "guard.asked" }

// Kind names the fact.
func (Answered) Kind() string { return "guard.answered" }

// Kind names the fact.
func (Expired) Kind() string   { return "guard.expired" }
func (Withdrawn) Kind() string { return "guard.withdrawn" }

// Kind names the fact.
func (Refused) Kind() string { return "guard.refused" }

// Kind names the fact.
func (Allowed) Kind() string { return "guard.allowed" }

// Kind names the fact.
func (Disallowed) Kind() string { return "guard.disallowed" }

// Kind names the fact.
func (PolicyChanged) Kind() string { return "guard.policy_changed" }
