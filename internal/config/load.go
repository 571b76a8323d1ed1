package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Sources are the places settings are read from; later ones win over earlier
// ones: defaults, File, DotEnv, Env, Flags.
type Sources struct {
	Dir    string            // where fluxway.yaml and .env are looked for first
	File   string            // the file to read; "": the first found in Dir, FLUXWAY_HOME and the XDG folder
	DotEnv string            // the .env file; "": the one in Dir, if there is one
	Env    []string          // NAME=value, as os.Environ gives them; a variable without text does not count
	Flags  map[string]string // by path, as in "log.level"
}

// System is the sources of this process: its folder and its environment.
func System() (Sources, error) {
	dir, err := os.Getwd()
	if err != nil {
		return Sources{}, fmt.Errorf("finding the working folder: %w", err)
	}
	return Sources{Dir: dir, Env: os.Environ()}, nil
}

// The kinds of places a value can come from.
const (
	FromDefault = "default"
	FromFile    = "file"
	FromDotEnv  = "dotenv"
	FromEnv     = "env"
	FromFlag    = "flag"
)

// Origin says where a value came from.
type Origin struct {
	Source string `json:"source"`          // one of the From constants
	Where  string `json:"where,omitempty"` // fluxway.yaml:12:3, .env:4, FLUXWAY_LISTEN, --listen
}

// String is the origin for people.
func (o Origin) String() string {
	if o.Where == "" {
		return o.Source
	}
	return o.Source + " " + o.Where
}

// Loaded is the settings and all that is known about where they came from.
type Loaded struct {
	Config   Config
	Home     string            // the home folder, where other programs keep their sign-ins; "" if there is none
	Path     string            // the file that was read, or that Save would make
	ETag     string            // of the file as it was read; "" if there is none
	Origins  map[string]Origin // by path, for every field
	Warnings []Problem         // what is odd but does no harm, such as a variable with a misspelt name
}

// file is a settings file as it was read.
type file struct {
	path   string // "" if there is no place for one
	text   []byte
	exists bool
}

func (f file) etag() string {
	if !f.exists {
		return ""
	}
	sum := sha256.Sum256(f.text)
	return hex.EncodeToString(sum[:16])
}

// Load reads all sources. Its error is Problems with everything that is wrong.
func Load(src Sources) (*Loaded, error) {
	env, problems := readEnvironment(src)
	f, more := findFile(src, env)
	return load(src, env, f, append(problems, more...))
}

// Check is Load with text in place of what the file holds. The name of the file
// decides between YAML and JSON; "" takes the one that Load would read.
func Check(src Sources, name string, text []byte) (*Loaded, error) {
	env, problems := readEnvironment(src)
	if name == "" {
		f, _ := findFile(src, env)
		name = f.path
	}
	return load(src, env, file{path: name, text: text, exists: true}, problems)
}

func load(src Sources, env environment, f file, problems Problems) (*Loaded, error) {
	l := newLoader(src, env, f.path)
	l.problems = problems
	l.defaults()
	if f.exists {
		l.file(f)
	}
	l.variables()
	l.flags(src.Flags)
	l.settle()
	if len(l.problems) > 0 {
		return nil, l.problems
	}
	return &Loaded{Config: l.config, Home: env.home(), Path: f.path, ETag: f.etag(), Origins: l.origins, Warnings: l.warnings}, nil
}

// findFile reads the named file, or the first of the usual ones.
func findFile(src Sources, env environment) (file, Problems) {
	named, where := src.File, "--config"
	if v, ok := env.get("FLUXWAY_CONFIG"); named == "" && ok && v.value != "" {
		named, where = v.value, v.where("FLUXWAY_CONFIG")
	}
	if named != "" {
		f, err := readFile(absolute(named, env.home(), src.Dir))
		switch {
		case err != nil:
			return f, Problems{{Where: f.path, File: f.path, Message: err.Error()}}
		case !f.exists:
			return f, Problems{{Where: where, File: f.path, Message: "there is no file " + f.path}}
		}
		return f, nil
	}
	dirs := env.dirs(src.Dir)
	for _, dir := range dirs {
		f, problems := findIn(dir)
		if f.exists || len(problems) > 0 {
			return f, problems
		}
	}
	if len(dirs) == 0 {
		return file{}, nil
	}
	return file{path: filepath.Join(dirs[len(dirs)-1], "fluxway.yaml")}, nil
}

// findIn reads the settings file of a folder; two of them are one too many.
func findIn(dir string) (file, Problems) {
	var found file
	for _, name := range []string{"fluxway.yaml", "fluxway.yml", "fluxway.json"} {
		f, err := readFile(filepath.Join(dir, name))
		if err != nil {
			return f, Problems{{Where: f.path, File: f.path, Message: err.Error()}}
		}
		if !f.exists {
			continue
		}
		if found.exists {
			return found, Problems{{
				Where: f.path, File: f.path, Message: "there is also " + found.path,
				Hint: "Keep one of the two, or name one with --config.",
			}}
		}
		found = f
	}
	return found, nil
}

// readFile reads a regular file of bounded size; a missing one is no error.
func readFile(path string) (file, error) {
	f := file{path: path}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, errors.New("cannot be read: " + unwrapped(err))
	}
	if !info.Mode().IsRegular() {
		return f, errors.New("is not a regular file")
	}
	r, err := os.Open(path)
	if err != nil {
		return f, errors.New("cannot be read: " + unwrapped(err))
	}
	defer r.Close()
	f.text, err = io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return f, errors.New("cannot be read: " + unwrapped(err))
	}
	f.exists = true
	return f, nil
}

// unwrapped is the reason inside a path error, without the path.
func unwrapped(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}

// at is a place in a file as editors understand it.
func at(name string, p position) string { return fmt.Sprintf("%s:%d:%d", name, p.line, p.column) }

// shortPath is path as seen from dir, if it lies within.
func shortPath(path, dir string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && dir != "" && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}
