package config

import (
	"fmt"
	"strings"
)

const referenceHead = `# Configuration

Everything works without a configuration. What you want otherwise goes into ` + "`fluxway.yaml`" + ` (or ` + "`fluxway.json`" + `), looked for
in the working folder, then in ` + "`$FLUXWAY_HOME`" + `, or in ` + "`$XDG_CONFIG_HOME/fluxway`" + ` (` + "`~/.config/fluxway`" + `) if that is not set;
` + "`--config`" + ` or ` + "`FLUXWAY_CONFIG`" + ` name another file.

Each value is taken from the last of these that gives it: the default, the file, ` + "`.env`" + ` in the working folder, the
environment, a flag. ` + "`fluxway config show`" + ` says which one it was. ` + "`fluxway config validate`" + ` lists every problem with its line
and column. A variable without text does not count as given.

- ` + "`${NAME}`" + ` in a value is replaced by the variable; a missing one is an error. ` + "`${NAME:-text}`" + ` gives a default, ` + "`$${`" + ` stands for
  ` + "`${`" + ` itself.
- Durations: ` + "`500ms`, `30s`, `15m`, `12h`, `30d`, `2w`, `1h30m`" + `. Sizes: ` + "`512KB`, `10MB`" + ` (a million bytes each), ` + "`1GiB`" + `, or a number of bytes.
- In variables and flags a list is written ` + "`a,b`" + ` and a table ` + "`a=1,b=2`" + `.
- A secret can be read from a file: put its path into the variable with ` + "`_FILE`" + ` behind its name.
- "Live" values change when the file is saved or the program gets SIGHUP; the others are named as needing a restart.
- Editors complete and check the file with [config.schema.json](config.schema.json): put
  ` + "`# yaml-language-server: $schema=…/docs/config.schema.json`" + ` into its first line.

`

// Reference is the page that describes every setting, in Markdown.
func Reference() []byte {
	var b strings.Builder
	b.WriteString(referenceHead)
	tree := root()
	b.WriteString("## Top level\n\n")
	writeFields(&b, tree)
	writeSections(&b, tree, "", "##")
	writeRecords(&b, tree, "##")
	writeVendors(&b)
	return []byte(strings.TrimRight(b.String(), "\n") + "\n")
}

// writeSections describes the sections of a section, each with what is in it.
func writeSections(b *strings.Builder, tree *section, path, mark string) {
	for _, name := range tree.names {
		if s, ok := tree.sections[name]; ok {
			fmt.Fprintf(b, "%s %s\n\n%s\n\n", mark, path+name, s.doc)
			writeFields(b, s)
			writeSections(b, s, path+name+".", mark+"#")
			writeRecords(b, s, mark+"#")
		}
	}
}

// writeRecords describes the tables of settings of a section.
func writeRecords(b *strings.Builder, s *section, mark string) {
	for _, name := range s.names {
		if f, ok := s.fields[name]; ok && f.each != nil {
			fmt.Fprintf(b, "%s %s\n\n%s\n\n", mark, f.Path, f.Doc)
			writeFields(b, f.each)
		}
	}
}

// writeVendors lists the variables of other programs that count.
func writeVendors(b *strings.Builder) {
	b.WriteString("### Known providers\n\nThese variables give a provider without any file. A key can also be in the file that the variable with `_FILE` behind its name names.\n\n")
	b.WriteString("| provider | key | address |\n|---|---|---|\n")
	for _, v := range vendors {
		keys := make([]string, len(v.keys))
		for i, k := range v.keys {
			keys[i] = code(k)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", v.name, strings.Join(keys, ", "), code(v.base))
	}
	b.WriteString("\n")
}

func writeFields(b *strings.Builder, s *section) {
	b.WriteString("| key | type | default | live | variable | |\n|---|---|---|---|---|---|\n")
	for _, name := range s.names {
		f, ok := s.fields[name]
		if !ok || f.each != nil {
			continue
		}
		live := ""
		if f.Live {
			live = "live"
		}
		variables := code(f.Env)
		for _, also := range f.Also {
			also, _, _ = strings.Cut(also, "=")
			variables += ", `" + also + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s |\n", f.Path, f.typeText(), code(f.Default), live, variables, strings.ReplaceAll(f.Doc, "|", `\|`))
	}
	b.WriteString("\n")
}

func (f *Field) typeText() string {
	out := string(f.Type)
	if len(f.Enum) > 0 {
		out = strings.Join(f.Enum, ", ")
	}
	switch {
	case f.Min != "" && f.Max != "":
		out += ", " + f.Min + " to " + f.Max
	case f.Min != "":
		out += ", at least " + f.Min
	}
	if f.Secret {
		out += ", secret"
	}
	return out
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}
