// Package ids holds the typed identifiers of every noun, and nothing else.
//
// In:    nothing.
// Out:   identifiers such as run_01JB2Y…: a prefix that names the noun, then a
//
//	time-ordered ULID, so that ids sort by age and a foreign kind of id is
//	caught when it is parsed.
//
// Keeps: nothing. Says: nothing.
// Not here: what the nouns mean (their own parts).
package ids

import (
	"crypto/rand"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

type (
	// Workspace is a team's isolated space.
	Workspace string
	// User is a person.
	User string
	// Session is one signed-in browser.
	Session string
	// Key is an API key.
	Key string
	// Device is a browser trusted to skip the second factor.
	Device string
	// Event is a fact; its cursor, not its id, gives the order.
	Event string
	// Job is one piece of durable background work.
	Job string
	// Schedule starts a job again and again.
	Schedule string
	// Request is one HTTP request, for correlation.
	Request string
	// Audit is one row of the audit chain.
	Audit string
	// Body is a large text or blob kept apart from the rows that list it.
	Body string
	// Conversation is what was said, kept.
	Conversation string
	// Message is one thing said in a conversation.
	Message string
	// Attachment is a file that belongs to a message.
	Attachment string
	// Comment is a person's remark on a message.
	Comment string
	// Run is one request being worked on by an agent.
	Run string
	// Case is a request that is kept to be tried again.
	Case string
	// Agent is an agent's definition.
	Agent string
	// Usage is one row of the costs ledger.
	Usage string
	// Budget is a limit on spending.
	Budget string
	// Account is one credential of a model provider.
	Account string
	// Fact is one thing remembered.
	Fact string
	// Entity is a node of the graph of what is known.
	Entity string
	// Source is where knowledge is read from.
	Source string
	// File is one document of a source.
	File string
	// Passage is a piece of a file or conversation that can be found.
	Passage string
	// ToolCall is one row of the journal of tool calls.
	ToolCall string
	// Approval is a question to a person about a tool call.
	Approval string
	// Allowance is one entry of the list of calls that need not be asked.
	Allowance string
	// Project is a folder that agents work in.
	Project string
	// Snapshot is what a call was about to change.
	Snapshot string
	// Subscription is a browser that is told what happens while nobody looks.
	Subscription string
	// Passkey is a credential that a person's device or security key holds.
	Passkey string
)

// Prefix names the noun in front of each id.
func (Workspace) Prefix() string    { return "ws" }
func (User) Prefix() string         { return "usr" }
func (Session) Prefix() string      { return "ses" }
func (Key) Prefix() string          { return "key" }
func (Device) Prefix() string       { return "dev" }
func (Event) Prefix() string        { return "evt" }
func (Job) Prefix() string          { return "job" }
func (Schedule) Prefix() string     { return "sch" }
func (Request) Prefix() string      { return "req" }
func (Audit) Prefix() string        { return "aud" }
func (Body) Prefix() string         { return "body" }
func (Conversation) Prefix() string { return "conv" }
func (Message) Prefix() string      { return "msg" }
func (Attachment) Prefix() string   { return "att" }
func (Comment) Prefix() string      { return "cmt" }
func (Run) Prefix() string          { return "run" }
func (Case) Prefix() string         { return "case" }
func (Agent) Prefix() string        { return "agt" }
func (Usage) Prefix() string        { return "use" }
func (Budget) Prefix() string       { return "bud" }
func (Account) Prefix() string      { return "acc" }
func (Fact) Prefix() string         { return "fact" }
func (Entity) Prefix() string       { return "ent" }
func (Source) Prefix() string       { return "ksrc" }
func (File) Prefix() string         { return "kfil" }
func (Passage) Prefix() string      { return "pas" }
func (ToolCall) Prefix() string     { return "tcl" }
func (Approval) Prefix() string     { return "apr" }
func (Allowance) Prefix() string    { return "alw" }
func (Project) Prefix() string      { return "prj" }
func (Snapshot) Prefix() string     { return "snp" }
func (Subscription) Prefix() string { return "push" }
func (Passkey) Prefix() string      { return "pky" }

// Noun is any identifier type of this package.
type Noun interface {
	~string
	Prefix() string
}

// source makes ULIDs that rise even within one millisecond.
var source = struct {
	sync.Mutex // guards entropy
	entropy    *ulid.MonotonicEntropy
}{entropy: ulid.Monotonic(rand.Reader, 0)}

// New makes an id of the noun T: ids.New[ids.Run]().
func New[T Noun]() T {
	source.Lock()
	id, err := ulid.New(ulid.Timestamp(time.Now()), source.entropy)
	if err != nil { // the monotonic part overflowed within one millisecond
		source.entropy = ulid.Monotonic(rand.Reader, 0)
		id = ulid.MustNew(ulid.Timestamp(time.Now()), source.entropy)
	}
	source.Unlock()
	var noun T
	var room [40]byte
	text := append(append(room[:0], noun.Prefix()...), '_')
	end := len(text) + ulid.EncodedSize
	if err := id.MarshalTextTo(text[len(text):end]); err != nil {
		panic("ids: " + err.Error()) // there is room for it
	}
	return T(text[:end])
}

// Parse checks that text is an id of the noun T.
func Parse[T Noun](text string) (T, error) {
	var noun T
	if err := Check(noun.Prefix(), text); err != nil {
		return "", err
	}
	return T(text), nil
}

// Check is Parse where the noun is known only by its prefix.
func Check(prefix, text string) error {
	rest, ok := strings.CutPrefix(text, prefix)
	if !ok || len(rest) != ulid.EncodedSize+1 || rest[0] != '_' {
		return malformed(prefix, text)
	}
	if _, err := ulid.ParseStrict(rest[1:]); err != nil {
		return malformed(prefix, text)
	}
	return nil
}

// Time is the moment an id was made; the zero time if it is not one of ours.
func Time[T Noun](id T) time.Time {
	_, rest, _ := strings.Cut(string(id), "_")
	parsed, err := ulid.ParseStrict(rest)
	if err != nil {
		return time.Time{}
	}
	return ulid.Time(parsed.Time()).UTC()
}

func malformed(prefix, text string) error {
	if len(text) > 64 {
		text = text[:64] + "…"
	}
	return fault.New(fault.Invalid, "malformed_id", "%q is not an id of the form %s_….", text, prefix).
		WithHint("Copy the id from a list or an earlier answer.")
}
