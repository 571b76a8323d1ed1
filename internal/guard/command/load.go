package command

import (
	"errors"
	"strings"
)

// All reads the built-in packs and those of a folder; "": no folder.
func All(dir string) ([]Pack, error) {
	list, err := Builtin()
	if err != nil || dir == "" {
		return list, err
	}
	own, err := ReadPacks(dir)
	return append(list, own...), err
}

// Load builds an analyser from the built-in packs and those of a folder, and
// runs the examples of the latter: a rule that does not do what it says is an error.
func Load(opts Options, dir string) (*Analyser, error) {
	list, err := All(dir)
	if err != nil {
		return nil, err
	}
	opts.Packs = list
	a, err := New(opts)
	if err != nil {
		return nil, err
	}
	var own []Pack
	for _, p := range list {
		if !p.builtin {
			own = append(own, p)
		}
	}
	var wrong []error
	for _, p := range Check(a, own, "/home/user/project") {
		wrong = append(wrong, p)
	}
	return a, errors.Join(wrong...)
}

// Builtin reports whether the pack comes with the program.
func (p Pack) Builtin() bool { return p.builtin }

// Source is the file the pack was read from.
func (p Pack) Source() string { return p.source }

// ShellText writes an argument list as shell text that runs the same.
func ShellText(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = quote(word{text: a})
	}
	return strings.Join(words, " ")
}
