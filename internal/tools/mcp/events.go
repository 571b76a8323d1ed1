package mcp

// Channel is where everything about servers is heard.
const Channel = "tools"

// ServerAdded: a workspace has one more server.
type ServerAdded struct {
	Server string `json:"server"`
}

// Kind names the event.
func (ServerAdded) Kind() string { return "tools.server_added" }

// ServerChanged: a server is defined differently.
type ServerChanged struct {
	Server string `json:"server"`
}

// Kind names the event.
func (ServerChanged) Kind() string { return "tools.server_changed" }

// ServerRemoved: a server is gone, and so are its secrets.
type ServerRemoved struct {
	Server string `json:"server"`
}

// Kind names the event.
func (ServerRemoved) Kind() string { return "tools.server_removed" }

// ServerStateChanged: a server was reached, lost or stopped. It is only told live.
type ServerStateChanged struct {
	Server string `json:"server"`
	State  State  `json:"state"`
	Reason string `json:"reason,omitempty"`
}

// Kind names the event.
func (ServerStateChanged) Kind() string { return "tools.server_state_changed" }

// PinChanged: a server offers other tools than were agreed to, or a person agreed.
type PinChanged struct {
	Server  string   `json:"server"`
	Waiting []string `json:"waiting"` // tools that wait for consent, as the server calls them
}

// Kind names the event.
func (PinChanged) Kind() string { return "tools.pin_changed" }
