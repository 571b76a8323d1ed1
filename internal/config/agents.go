package config

import (
	"maps"
	"slices"
	"strings"
)

// settleAgents reads the files of instructions.
func (l *loader) settleAgents() {
	for _, name := range slices.Sorted(maps.Keys(l.config.Agents)) {
		a := l.config.Agents[name]
		if a.InstructionsFile == "" {
			continue
		}
		key := "agents." + name + ".instructions_file"
		if a.Instructions != "" {
			l.complain(key, "is given beside instructions; take one of the two out", "")
			continue
		}
		f, err := readFile(a.InstructionsFile)
		switch {
		case err != nil:
			l.complain(key, err.Error(), "")
			continue
		case !f.exists:
			l.complain(key, "there is no file "+a.InstructionsFile, "")
			continue
		}
		if a.Instructions = strings.TrimSpace(string(f.text)); a.Instructions == "" {
			l.complain(key, "is a file without text", "")
			continue
		}
		l.config.Agents[name] = a
		l.origins["agents."+name+".instructions"] = l.origins[key]
	}
}
