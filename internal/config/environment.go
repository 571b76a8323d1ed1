package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// environment is the variables of the process and of the .env file beneath them.
type environment map[string]setting

type setting struct {
	value  string
	source string // FromEnv or FromDotEnv
	file   string // of FromDotEnv
	line   int
}

func (s setting) where(name string) string {
	if s.source == FromDotEnv {
		return fmt.Sprintf("%s:%d", s.file, s.line)
	}
	return name
}

func (e environment) get(name string) (setting, bool) {
	s, ok := e[name]
	return s, ok
}

func (e environment) lookup(name string) (string, bool) {
	s, ok := e[name]
	return s.value, ok
}

func (e environment) home() string { return e["HOME"].value }

// dirs are the folders a settings file is looked for in, in order; the last is
// where a new one is made.
func (e environment) dirs(dir string) []string {
	var dirs []string
	if dir != "" {
		dirs = append(dirs, dir)
	}
	if home := e["FLUXWAY_HOME"].value; home != "" {
		return append(dirs, absolute(home, e.home(), dir))
	}
	if xdg := e["XDG_CONFIG_HOME"].value; filepath.IsAbs(xdg) {
		return append(dirs, filepath.Join(xdg, "fluxway"))
	}
	if e.home() != "" {
		dirs = append(dirs, filepath.Join(e.home(), ".config", "fluxway"))
	}
	return dirs
}

// dataDir is the default of the data folder, or "" when there is no home.
func (e environment) dataDir() string {
	if xdg := e["XDG_DATA_HOME"].value; filepath.IsAbs(xdg) {
		return filepath.Join(xdg, "fluxway")
	}
	if e.home() == "" {
		return ""
	}
	return filepath.Join(e.home(), ".local", "share", "fluxway")
}

// readEnvironment reads the .env file and puts the process' variables over it.
func readEnvironment(src Sources) (environment, Problems) {
	env := environment{}
	process := environment{}
	for _, line := range src.Env {
		if name, value, ok := strings.Cut(line, "="); ok {
			process[name] = setting{value: value, source: FromEnv}
		}
	}
	path := src.DotEnv
	if path == "" && src.Dir != "" {
		path = filepath.Join(src.Dir, ".env")
	}
	var problems Problems
	if path != "" {
		path = absolute(path, process.home(), src.Dir)
		problems = env.addDotEnv(path, shortPath(path, src.Dir), src.DotEnv != "")
	}
	for name, s := range process {
		// An empty variable is how shells and containers say "not set".
		if _, beneath := env[name]; !beneath || s.value != "" {
			env[name] = s
		}
	}
	return env, problems
}

func (e environment) addDotEnv(path, name string, required bool) Problems {
	f, err := readFile(path)
	switch {
	case err != nil:
		return Problems{{Where: name, File: name, Message: err.Error()}}
	case !f.exists && required:
		return Problems{{Where: name, File: name, Message: "there is no such file"}}
	}
	vars, problems := parseDotEnv(name, f.text)
	for key, v := range vars {
		e[key] = setting{value: v.value, source: FromDotEnv, file: name, line: v.line}
	}
	return problems
}
