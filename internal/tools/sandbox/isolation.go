package sandbox

import "strings"

// Aspect is one thing a sandbox keeps a job from.
type Aspect struct {
	Name   string `json:"name"`
	Active bool   `json:"active"`
	By     string `json:"by,omitempty"`    // the mechanisms that do it
	Lacks  string `json:"lacks,omitempty"` // what is not covered, or why nothing is
}

// The aspects every Isolation speaks of.
const (
	Files      = "files"      // reading and writing outside the project
	Network    = "network"    // talking to other machines
	Processes  = "processes"  // seeing others, and their number
	Lifetime   = "lifetime"   // outliving the call
	Memory     = "memory"     // using it up
	CPU        = "cpu"        // using it up
	Disk       = "disk"       // filling it
	Privileges = "privileges" // gaining more rights
)

// Isolation says what really holds on this machine, and what does not.
type Isolation struct {
	Mechanism string   `json:"mechanism"` // Namespaces, Bubblewrap, Landlock or Unconfined
	Aspects   []Aspect `json:"aspects"`
}

// Aspect finds one aspect; one that is not listed is not active.
func (i Isolation) Aspect(name string) Aspect {
	for _, a := range i.Aspects {
		if a.Name == name {
			return a
		}
	}
	return Aspect{Name: name}
}

// Confined says whether a job is kept away from the files of others.
func (i Isolation) Confined() bool { return i.Aspect(Files).Active }

// Summary says in a sentence what a job is confined by, and from what it is not kept.
func (i Isolation) Summary() string {
	if !i.Confined() {
		return "Nothing confines it on this machine."
	}
	var open []string
	for _, a := range i.Aspects {
		if !a.Active {
			open = append(open, a.Name)
		}
	}
	if len(open) == 0 {
		return "It is confined by " + i.Mechanism + "."
	}
	return "It is confined by " + i.Mechanism + ", but not in: " + strings.Join(open, ", ") + "."
}

// Lacking lists what is missing, in a line; "" when nothing is.
func (i Isolation) Lacking() string {
	var out []string
	for _, a := range i.Aspects {
		if a.Lacks != "" {
			out = append(out, a.Name+": "+a.Lacks)
		}
	}
	return strings.Join(out, "; ")
}
