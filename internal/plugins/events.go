package plugins

import "github.com/fluxway/fluxway/internal/ids"

// Channel is where everything about plugins is heard.
const Channel = "plugins"

// Installed: a folder became a plugin of this server; it gives nothing yet.
type Installed struct {
	Plugin  string `json:"plugin"`
	Version string `json:"version"`
}

// Kind names the event.
func (Installed) Kind() string { return "plugins.installed" }

// Enabled: a person agreed to exactly these files.
type Enabled struct {
	Plugin  string `json:"plugin"`
	Version string `json:"version"`
	Digest  string `json:"digest"`
}

// Kind names the event.
func (Enabled) Kind() string { return "plugins.enabled" }

// Disabled: the plugin gives the workspace nothing any more.
type Disabled struct {
	Plugin string `json:"plugin"`
}

// Kind names the event.
func (Disabled) Kind() string { return "plugins.disabled" }

// Configured: some of its settings are others.
type Configured struct {
	Plugin   string   `json:"plugin"`
	Settings []string `json:"settings"` // their names
}

// Kind names the event.
func (Configured) Kind() string { return "plugins.configured" }

// Changed: its files are not those that were agreed to, so it gives nothing until a person looks.
type Changed struct {
	Plugin string       `json:"plugin"`
	Files  []FileChange `json:"files"` // the first of them
}

// Kind names the event.
func (Changed) Kind() string { return "plugins.changed" }

// Removed: the folder went to the bin.
type Removed struct {
	Plugin string `json:"plugin"`
}

// Kind names the event.
func (Removed) Kind() string { return "plugins.removed" }

// Restored: the folder came back from the bin.
type Restored struct {
	Plugin string `json:"plugin"`
}

// Kind names the event.
func (Restored) Kind() string { return "plugins.restored" }

// Vetoed: a hook stopped something.
type Vetoed struct {
	Plugin string  `json:"plugin"`
	Hook   string  `json:"hook"`
	Reason string  `json:"reason"`
	Run    ids.Run `json:"run,omitempty"`
	Tool   string  `json:"tool,omitempty"`
}

// Kind names the event.
func (Vetoed) Kind() string { return "plugins.vetoed" }

// Failed: a hook, or something else of the plugin, did not work.
type Failed struct {
	Plugin  string `json:"plugin"`
	Hook    string `json:"hook,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Kind names the event.
func (Failed) Kind() string { return "plugins.failed" }
