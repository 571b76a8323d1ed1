package guard

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/observe"
	"github.com/fluxway/fluxway/internal/store"
)

// State is where an approval stands.
type State string

// The states of an approval.
const (
	StateAsked     State = "asked"
	StateApproved  State = "approved"
	StateDenied    State = "denied"
	StateExpired   State = "expired"
	StateUsed      State = "used"
	StateWithdrawn State = "withdrawn" // whoever asked needs no answer any more
)

// Move is what can happen to an approval.
type Move string

// The moves.
const (
	MoveApprove  Move = "approve"
	MoveDeny     Move = "deny"
	MoveExpire   Move = "expire"
	MoveUse      Move = "use"
	MoveWithdraw Move = "withdraw"
)

var moves = map[State]map[Move]State{
	StateAsked:    {MoveApprove: StateApproved, MoveDeny: StateDenied, MoveExpire: StateExpired, MoveWithdraw: StateWithdrawn},
	StateApproved: {MoveUse: StateUsed, MoveExpire: StateExpired, MoveWithdraw: StateWithdrawn},
}

// Move is the state that a move leads to; false: it is not possible.
func (s State) Move(m Move) (State, bool) {
	next, ok := moves[s][m]
	return next, ok
}

// The kinds of approval.
const (
	KindAsk       = "ask"       // the call waits
	KindException = "exception" // the call was refused; a person may let the next one like it through
	KindBudget    = "budget"    // a run waits at the limit of a budget; a yes lets all of the run spend beyond it
)

// Approval is a question to a person about one exact call.
type Approval struct {
	ID           ids.Approval     `db:"id" json:"id"`
	Workspace    ids.Workspace    `db:"workspace_id" json:"-"`
	Code         string           `db:"code" json:"code"`
	Kind         string           `db:"kind" json:"kind"`
	State        State            `db:"state" json:"state"`
	Hash         string           `db:"hash" json:"hash"`
	Anywhere     string           `db:"anywhere" json:"-"`
	RunsCommand  bool             `db:"runs_command" json:"-"`
	Tool         string           `db:"tool" json:"tool"`
	Args         string           `db:"args" json:"args"`
	Command      string           `db:"command" json:"command,omitempty"`
	Folder       string           `db:"folder" json:"folder,omitempty"`
	Dir          string           `db:"dir" json:"dir,omitempty"` // where the command runs
	Agent        string           `db:"agent" json:"agent,omitempty"`
	Run          ids.Run          `db:"run_id" json:"run,omitempty"`
	Conversation ids.Conversation `db:"conversation_id" json:"conversation,omitempty"`
	Call         string           `db:"call_id" json:"call,omitempty"`
	Door         string           `db:"door" json:"door,omitempty"`
	Unattended   bool             `db:"unattended" json:"unattended"`
	RequestedBy  ids.User         `db:"requested_by" json:"requested_by,omitempty"`
	Rule         string           `db:"rule" json:"rule"`
	Severity     string           `db:"severity" json:"severity,omitempty"`
	Reason       string           `db:"reason" json:"reason"`
	Alternative  string           `db:"alternative" json:"alternative,omitempty"`
	TwoPerson    bool             `db:"two_person" json:"two_person"`
	AskedAt      time.Time        `db:"asked_at" json:"asked_at"`
	Deadline     time.Time        `db:"deadline" json:"deadline"`
	AnsweredBy   ids.User         `db:"answered_by" json:"answered_by,omitempty"`
	AnsweredVia  string           `db:"answered_via" json:"answered_via,omitempty"`
	AnsweredAt   time.Time        `db:"answered_at" json:"answered_at,omitzero"`
	Scope        Scope            `db:"scope" json:"scope,omitempty"`
	Words        string           `db:"words" json:"words,omitempty"`
	UsedAt       time.Time        `db:"used_at" json:"used_at,omitzero"`
}

// Dangerous says whether a yes lets a command run, or something as grave.
func (a Approval) Dangerous() bool {
	return a.RunsCommand || a.Severity == "high" || a.Severity == "critical"
}

func (a Approval) about() About {
	return About{Approval: a.ID, Tool: a.Tool, Agent: a.Agent, Run: a.Run, Conversation: a.Conversation, User: a.RequestedBy}
}

// expired is the approval as it is at a moment: a deadline that has passed counts
// before anybody has noted it.
func (a Approval) expired(now time.Time) bool {
	_, open := a.State.Move(MoveExpire)
	return open && !now.Before(a.Deadline)
}

// letters are those that nobody mistakes for another.
const letters = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"

const codeLength = 6

func newCode() string {
	code := make([]byte, 0, codeLength)
	var b [1]byte
	for len(code) < codeLength {
		if _, err := rand.Read(b[:]); err != nil {
			panic(err) // never: see crypto/rand
		}
		if n := int(b[0]); n < len(letters)*8 { // what is above would make some letters likelier
			code = append(code, letters[n%len(letters)])
		}
	}
	return string(code)
}

// digest binds an answer to what exactly it is about.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// exact is the call as far as it matters: of a command the text and whether it may talk to others; of another
// tool all arguments, whatever their order.
func (j *judging) exact() (string, error) {
	if j.runs && understood(j.spec.Origin) {
		return exactCommand(j.command, j.network), nil
	}
	var v any
	if err := json.Unmarshal(j.call.Args, &v); err != nil {
		return "", err
	}
	text, err := json.Marshal(v)
	return string(text), err
}

// hashes are what an approval (exactly this call) and an entry of the list (wherever it is made) are found by.
func (j *judging) hashes() (here, anywhere string, err error) {
	exact, err := j.exact()
	if err != nil {
		return "", "", fmt.Errorf("reading the arguments of %s: %w", j.spec.Name, err)
	}
	anywhere = wherever(j.call.Workspace, j.spec.Name, exact)
	return digest("call", anywhere, j.call.Folder, j.dir, j.call.Agent), anywhere, nil
}

func exactCommand(text string, network bool) string {
	return digest("command", text, fmt.Sprint(network))
}

const (
	maxShown = 64 << 10 // of a command or arguments kept for people
	maxWords = 2000
)

func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && text[limit]&0xC0 == 0x80 {
		limit--
	}
	return text[:limit] + "…"
}

// shown is a text that may be kept: without secrets and not too long.
func shown(text string, limit int) string { return cut(observe.Redact(text), limit) }

// Approval is one approval, by its id.
func (g *Guard) Approval(ctx context.Context, ws ids.Workspace, id ids.Approval) (Approval, error) {
	a, err := store.One[Approval](ctx, g.db.Read(), selectApproval, ws, id)
	if errors.Is(err, store.ErrNoRows) {
		return Approval{}, noApproval(string(id))
	}
	if err != nil {
		return Approval{}, fmt.Errorf("reading an approval: %w", err)
	}
	return a, g.asOfNow(ctx, ws, &a)
}

// asOfNow makes an approval be as it is at this moment: a deadline that has passed counts before anybody has noted it, and
// the rule of two persons does not where it was turned off since.
func (g *Guard) asOfNow(ctx context.Context, ws ids.Workspace, list ...*Approval) error {
	policy, err := g.Policy(ctx, ws)
	if err != nil {
		return err
	}
	for _, a := range list {
		a.asOf(policy, g.now())
	}
	return nil
}

func (a *Approval) asOf(policy Policy, now time.Time) {
	if a.expired(now) {
		a.State = StateExpired
	}
	if a.State == StateAsked {
		a.TwoPerson = a.TwoPerson && policy.TwoPerson
	}
}

func noApproval(ref string) error {
	return fault.New(fault.NotFound, "approval_not_found", "There is no approval %s.", ref).
		WithHint("A code is good only while it is asked; fluxway guard pending lists those.")
}

// ApprovalFilter narrows a list of approvals.
type ApprovalFilter struct {
	page.Query
	State State
	Kind  string // KindAsk is all that waits, KindBudget included
	Run   ids.Run
}

// Approvals lists approvals, the newest first.
func (g *Guard) Approvals(ctx context.Context, ws ids.Workspace, f ApprovalFilter) (page.Page[Approval], error) {
	after, _, err := page.Decode[string](f.Cursor)
	if err != nil {
		return page.Page[Approval]{}, err
	}
	rows, err := store.All[Approval](ctx, g.db.Read(), listApprovals, ws, f.State, f.State, f.Kind, f.Kind, f.Kind, f.Run, f.Run, after, after, f.Size()+1)
	if err != nil {
		return page.Page[Approval]{}, fmt.Errorf("listing approvals: %w", err)
	}
	list := make([]*Approval, len(rows))
	for i := range rows {
		list[i] = &rows[i]
	}
	if err := g.asOfNow(ctx, ws, list...); err != nil {
		return page.Page[Approval]{}, err
	}
	return page.Of(f.Query, rows, func(a Approval) string { return string(a.ID) }), nil
}
