package memory

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"

	"github.com/fluxway/fluxway/internal/ids"
)

// Kind is what sort of thing was found.
type Kind string

// The kinds of things that can be found.
const (
	KindFact      Kind = "fact"      // something remembered
	KindKnowledge Kind = "knowledge" // a passage of a document
	KindEntity    Kind = "entity"    // a node of the graph
	KindTurn      Kind = "turn"      // something said in a conversation
	KindProfile   Kind = "profile"   // a field of a profile
)

// letters end the word of a space, so that one index serves all kinds.
var letters = map[Kind]string{KindFact: "f", KindKnowledge: "k", KindEntity: "e", KindTurn: "t", KindProfile: "p"}

// allKinds is the order in which they are shown.
var allKinds = []Kind{KindFact, KindKnowledge, KindEntity, KindTurn, KindProfile}

// Scope says whom something is for. What is left empty is open to all: a fact
// with none of them belongs to the whole workspace.
type Scope struct {
	User    ids.User `json:"user,omitempty" db:"user_id"`
	Agent   string   `json:"agent,omitempty" db:"agent"`
	Project string   `json:"project,omitempty" db:"project"`
}

// Name is the narrowest of what a scope names.
func (s Scope) Name() string {
	switch {
	case s.Project != "":
		return "project"
	case s.Agent != "":
		return "agent"
	case s.User != "":
		return "user"
	}
	return "workspace"
}

var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// space is the workspace, the scope and the kind as one word. Texts of one space
// are searched together; texts of others are never looked at.
func space(ws ids.Workspace, s Scope, k Kind) string {
	h := sha256.New()
	for _, part := range []string{string(ws), string(s.User), s.Agent, s.Project} {
		var n [4]byte
		binary.BigEndian.PutUint32(n[:], uint32(len(part)))
		h.Write(n[:])
		h.Write([]byte(part))
	}
	return encoding.EncodeToString(h.Sum(nil)[:15]) + letters[k]
}

// scopes lists what someone sees: everything whose every part is open or theirs.
func (s Scope) scopes() []Scope {
	all := []Scope{{}}
	add := func(with func(Scope) Scope) {
		for _, have := range all[:len(all):len(all)] {
			all = append(all, with(have))
		}
	}
	if s.User != "" {
		add(func(o Scope) Scope { o.User = s.User; return o })
	}
	if s.Agent != "" {
		add(func(o Scope) Scope { o.Agent = s.Agent; return o })
	}
	if s.Project != "" {
		add(func(o Scope) Scope { o.Project = s.Project; return o })
	}
	return all
}

// spaces are the words of all that someone sees of some kinds.
func spaces(ws ids.Workspace, s Scope, kinds []Kind) []string {
	var list []string
	for _, k := range kinds {
		for _, o := range s.scopes() {
			list = append(list, space(ws, o, k))
		}
	}
	return list
}

// partitions are the same, as the index of vectors names them: those of the user and those that are open to all users apart.
func partitions(ws ids.Workspace, s Scope, kinds []Kind, embedder string) map[ids.User][]Partition {
	list := map[ids.User][]Partition{}
	for _, k := range kinds {
		for _, o := range s.scopes() {
			list[o.User] = append(list[o.User], Partition{Workspace: ws, Scope: space(ws, o, k), Embedder: embedder})
		}
	}
	return list
}
