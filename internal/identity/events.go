package identity

import (
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
)

// Channel is where everything identity says is heard.
const Channel = "identity"

// Event is a fact about users, keys, sessions and workspaces.
type Event = events.Event

// SetUp: the first administrator and workspace were made.
type SetUp struct {
	User ids.User `json:"user"`
}

// WorkspaceCreated: there is a new workspace.
type WorkspaceCreated struct {
	Workspace ids.Workspace `json:"workspace"`
	Name      string        `json:"name"`
}

// WorkspaceRenamed: a workspace has another name.
type WorkspaceRenamed struct {
	Workspace ids.Workspace `json:"workspace"`
	Name      string        `json:"name"`
}

// WorkspaceDeleted: a workspace is gone; parts remove what they keep of it.
type WorkspaceDeleted struct {
	Workspace ids.Workspace `json:"workspace"`
}

// UserAdded: someone belongs to the workspace now.
type UserAdded struct {
	User  ids.User `json:"user"`
	Login string   `json:"login"`
	Role  Role     `json:"role"`
}

// UserChanged: a name, address, password or second factor changed.
type UserChanged struct {
	User   ids.User `json:"user"`
	Fields []string `json:"fields"`
}

// RoleChanged: someone may do more or less than before.
type RoleChanged struct {
	User ids.User `json:"user"`
	From Role     `json:"from"`
	To   Role     `json:"to"`
}

// UserRemoved: someone no longer belongs to the workspace.
type UserRemoved struct {
	User ids.User `json:"user"`
}

// SignedIn: a session began.
type SignedIn struct {
	User    ids.User    `json:"user"`
	Session ids.Session `json:"session"`
	How     string      `json:"how"` // password, totp, recovery_code, device, oidc, setup
}

// SignedOut: a session ended, by its user or by someone who may end it.
type SignedOut struct {
	User    ids.User    `json:"user"`
	Session ids.Session `json:"session"`
}

// KeyCreated: there is a new API key.
type KeyCreated struct {
	Key  ids.Key  `json:"key"`
	User ids.User `json:"user"`
	Name string   `json:"name"`
}

// KeyRotated: an API key has a new text.
type KeyRotated struct {
	Key ids.Key `json:"key"`
}

// KeyRevoked: an API key is no longer good.
type KeyRevoked struct {
	Key ids.Key `json:"key"`
}

// Kind names the fact.
func (SetUp) Kind() string            { return "identity.set_up" }
func (WorkspaceCreated) Kind() string { return "identity.workspace_created" }
func (WorkspaceRenamed) Kind() string { return "identity.workspace_renamed" }
func (WorkspaceDeleted) Kind() string { return "identity.workspace_deleted" }
func (UserAdded) Kind() string        { return "identity.user_added" }
func (UserChanged) Kind() string      { return "identity.user_changed" }
func (RoleChanged) Kind() string      { return "identity.role_changed" }
func (UserRemoved) Kind() string      { return "identity.user_removed" }
func (SignedIn) Kind() string         { return "identity.signed_in" }
func (SignedOut) Kind() string        { return "identity.signed_out" }
func (KeyCreated) Kind() string       { return "identity.key_created" }
func (KeyRotated) Kind() string       { return "identity.key_rotated" }
func (KeyRevoked) Kind() string       { return "identity.key_revoked" }
