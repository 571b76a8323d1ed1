package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

//go:embed all:templates/mcp
var serverTemplates embed.FS

// The libraries that a new server is written with.
const (
	goSDK         = "v1.8.0"
	typeScriptSDK = "^1.32.0"
)

// blueprint is a server that does not exist yet.
type blueprint struct {
	Name        string
	Language    string // go or typescript
	Folder      string
	Tool        string
	Description string

	GoSDK         string
	TypeScriptSDK string
}

var (
	serverName = regexp.MustCompile(`^[a-z]([a-z0-9-]{0,30}[a-z0-9])?$`)
	toolName   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,40}$`)
)

func (e *env) mcpNew() *cobra.Command {
	var b blueprint
	var alone, yes bool
	cmd := &cobra.Command{
		Use: "new [NAME]", Short: "Write a new MCP server in Go or TypeScript, build it, test it and add it",
		Long:    "Writes a small server with one tool and its test into a folder of its own, builds it, runs the test and adds it here.\nWhat is not given is asked for at a terminal; elsewhere, or with --yes, it has a default.",
		Example: "  fluxway mcp new\n  fluxway mcp new word-count --language go --tool count_words --description 'Counts words.'",
		Args:    cobra.MaximumNArgs(1),
	}
	cmd.Flags().StringVar(&b.Language, "language", "", "go or typescript")
	cmd.Flags().StringVar(&b.Folder, "folder", "", "where to write it; a folder of its name if left out")
	cmd.Flags().StringVar(&b.Tool, "tool", "", "what its tool is called")
	cmd.Flags().StringVar(&b.Description, "description", "", "what its tool does, for models")
	cmd.Flags().BoolVar(&alone, "no-add", false, "do not add it to the running server")
	cmd.Flags().BoolVar(&yes, "yes", false, "take the defaults for what is not given")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			b.Name = args[0]
		}
		if !yes && onTerminal(e.streams.In) {
			if err := b.ask(e.streams.In, e.streams.Err); err != nil {
				return err
			}
		}
		if err := b.complete(); err != nil {
			return err
		}
		return e.makeServer(cmd.Context(), b, alone)
	}
	return cmd
}

// ask asks for what was not given.
func (b *blueprint) ask(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	for _, q := range []struct {
		at       *string
		question string
		preset   string
	}{
		{&b.Name, "What is the server called?", "my-server"},
		{&b.Language, "Which language, go or typescript?", "go"},
		{&b.Tool, "What is its tool called?", "count_words"},
		{&b.Description, "What does the tool do?", "Counts the words and characters of a text."},
		{&b.Folder, "Which folder is it written into?", ""},
	} {
		if *q.at != "" {
			continue
		}
		preset := cmp.Or(q.preset, b.Name)
		fmt.Fprintf(out, "%s [%s] ", q.question, preset)
		if !lines.Scan() {
			return cmp.Or(lines.Err(), error(usageError{errors.New("there was no answer")}))
		}
		*q.at = cmp.Or(strings.TrimSpace(lines.Text()), preset)
	}
	return nil
}

// complete fills in the defaults and says what is wrong.
func (b *blueprint) complete() error {
	b.Language = cmp.Or(b.Language, "go")
	b.Tool = cmp.Or(b.Tool, "count_words")
	b.Description = cmp.Or(b.Description, "Counts the words and characters of a text.")
	b.GoSDK, b.TypeScriptSDK = goSDK, typeScriptSDK
	switch {
	case !serverName.MatchString(b.Name):
		return usageError{errors.New("a server's name is 1 to 32 small letters, digits and hyphens, a letter first")}
	case b.Language != "go" && b.Language != "typescript":
		return usageError{fmt.Errorf("the language is go or typescript, not %s", b.Language)}
	case !toolName.MatchString(b.Tool):
		return usageError{errors.New("a tool's name is small letters, digits and _, a letter first")}
	}
	folder, err := filepath.Abs(cmp.Or(b.Folder, b.Name))
	b.Folder = folder
	return err
}

// made is what is told of a new server.
type made struct {
	Name    string   `json:"name"`
	Folder  string   `json:"folder"`
	Command []string `json:"command"`
	Added   bool     `json:"added"`
	Tools   int      `json:"tools"`
}

func (e *env) makeServer(ctx context.Context, b blueprint, alone bool) error {
	p := e.printer()
	if err := b.write(); err != nil {
		return err
	}
	for _, step := range b.steps() {
		fmt.Fprintf(e.streams.Err, "%s\n", strings.Join(step, " "))
		if err := b.run(ctx, step); err != nil {
			return err
		}
	}
	out := made{Name: b.Name, Folder: b.Folder, Command: b.command()}
	if !alone {
		if err := e.register(ctx, b, &out); err != nil {
			return err
		}
	}
	return p.value(out, func() {
		p.line("Wrote %s, built and tested it.", b.Folder)
		if out.Added {
			p.line("Added %s; agents can use %s__%s now.", b.Name, b.Name, b.Tool)
			return
		}
		p.line("Add it with: fluxway mcp add %s -- %s", b.Name, quoted(out.Command))
	})
}

// quoted is a command as a shell reads it.
func quoted(command []string) string {
	var out []string
	for _, word := range command {
		if strings.ContainsAny(word, " '\"$") {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

// write writes the files of the template into a folder that must be new or empty.
func (b *blueprint) write() error {
	if there, err := os.ReadDir(b.Folder); err == nil && len(there) > 0 {
		return fault.New(fault.Conflict, "folder_not_empty", "The folder %s is not empty.", b.Folder).WithHint("Choose another with --folder.")
	}
	root := "templates/mcp/" + b.Language
	return fs.WalkDir(serverTemplates, root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := serverTemplates.ReadFile(path)
		if err != nil {
			return err
		}
		t, err := template.New(path).Parse(string(text))
		if err != nil {
			return err
		}
		var filled bytes.Buffer
		if err := t.Execute(&filled, b); err != nil {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, root+"/"), ".tmpl")
		if name == "gitignore" {
			name = ".gitignore"
		}
		to := filepath.Join(b.Folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, filled.Bytes(), 0o644)
	})
}

// steps are the commands that build and test it.
func (b *blueprint) steps() [][]string {
	if b.Language == "typescript" {
		return [][]string{{"npm", "install", "--no-fund", "--no-audit"}, {"npm", "run", "build"}, {"npm", "test"}}
	}
	return [][]string{{"go", "mod", "tidy"}, {"go", "build", "-o", "bin/", "."}, {"go", "test", "./..."}}
}

// command starts it.
func (b *blueprint) command() []string {
	if b.Language == "typescript" {
		return []string{"node", filepath.Join(b.Folder, "dist", "index.js")}
	}
	return []string{filepath.Join(b.Folder, "bin", b.Name)}
}

func (b *blueprint) run(ctx context.Context, step []string) error {
	cmd := exec.CommandContext(ctx, step[0], step[1:]...)
	cmd.Dir = b.Folder
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return fault.New(fault.Unavailable, "not_installed", "%s is not installed.", step[0]).WithHint("Install it, then run the steps in %s/README.md.", b.Folder)
	}
	if err != nil {
		return fault.New(fault.Unavailable, "step_failed", "%s did not succeed in %s:\n%s", strings.Join(step, " "), b.Folder, bytes.TrimSpace(out)).Because(err)
	}
	return nil
}

// register adds the server to the one that runs, and starts it; if none runs, it says so by leaving Added false.
func (e *env) register(ctx context.Context, b blueprint, out *made) error {
	c, err := e.api()
	if fault.HasCode(err, "not_running") {
		return nil
	}
	if err != nil {
		return err
	}
	command := b.command()
	body := map[string]any{"name": b.Name, "command": command[0], "args": command[1:]}
	if err := c.Do(ctx, "POST", "/api/v1/mcp/servers", body, nil); err != nil {
		return err
	}
	var s api.MCPServer
	if err := c.Do(ctx, "POST", serverURL(b.Name, "start"), nil, &s); err != nil {
		return err
	}
	out.Added, out.Tools = true, s.Tools
	return nil
}
