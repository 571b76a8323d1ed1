package providers

import "github.com/fluxway/fluxway/internal/ids"

// Channel is where everything this part says is heard.
const Channel = "providers"

// AccountAdded: there is one more account to ask with.
type AccountAdded struct {
	Account  ids.Account `json:"account"`
	Provider string      `json:"provider"`
	Name     string      `json:"name"`
}

// Kind names the event.
func (AccountAdded) Kind() string { return "providers.account_added" }

// AccountChanged: its secret was replaced, or it was switched off or on.
type AccountChanged struct {
	Account  ids.Account `json:"account"`
	Provider string      `json:"provider"`
	Disabled bool        `json:"disabled"`
}

// Kind names the event.
func (AccountChanged) Kind() string { return "providers.account_changed" }

// AccountRemoved: it is gone, and so is its secret.
type AccountRemoved struct {
	Account  ids.Account `json:"account"`
	Provider string      `json:"provider"`
}

// Kind names the event.
func (AccountRemoved) Kind() string { return "providers.account_removed" }
