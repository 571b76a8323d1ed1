package agents

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
)

// Projects says whether a person trusts a folder's own files to instruct agents.
type Projects interface {
	Trusted(ctx context.Context, ws ids.Workspace, folder string) (bool, error)
}

// BrieferOptions are what a Briefer needs.
type BrieferOptions struct {
	Projects Projects // nil: no folder is trusted
	MaxFile  int      // bytes of one instruction file; 0: 32 KiB
}

// Briefer puts together what a model is told before the conversation begins.
type Briefer struct{ opts BrieferOptions }

// NewBriefer makes a briefer.
func NewBriefer(opts BrieferOptions) *Briefer {
	if opts.MaxFile <= 0 {
		opts.MaxFile = 32 << 10
	}
	return &Briefer{opts}
}

// BriefInput is what a briefing is made of.
type BriefInput struct {
	Workspace ids.Workspace
	Agent     Agent
	Folder    string    // root of the project; "": none
	Recalled  []string  // what is remembered and fits the question
	Person    string    // whom it answers; "": not told
	Now       time.Time // zero: not told
}

// instructionFiles are read from a project's root, in this order.
var instructionFiles = []string{"AGENTS.md", "CLAUDE.md"}

// System gives the parts of the system prompt, what changes least first, so that
// vendors can cache them: instructions, persona, the project's own files and its
// skills, then memories, then the hour. Files of a folder that nobody trusts are
// not even opened.
func (b *Briefer) System(ctx context.Context, in BriefInput) ([]providers.Part, error) {
	var parts []providers.Part
	add := func(text string) {
		if text != "" {
			parts = append(parts, providers.Text(text))
		}
	}
	add(strings.TrimSpace(in.Agent.Instructions))
	add(section("How you speak", in.Agent.Persona))
	project, err := b.project(ctx, in)
	if err != nil {
		return nil, err
	}
	for _, text := range project {
		add(text)
	}
	if len(parts) > 0 {
		parts[len(parts)-1].Cache = true
	}
	add(memories(in.Recalled))
	add(circumstances(in))
	return parts, nil
}

// project gives the instruction files and the list of skills of a trusted folder.
func (b *Briefer) project(ctx context.Context, in BriefInput) ([]string, error) {
	root, err := b.enter(ctx, in.Workspace, in.Folder)
	if err != nil || root == nil {
		return nil, err
	}
	defer root.Close()
	var texts []string
	seen := map[[sha256.Size]byte]bool{}
	for _, name := range instructionFiles {
		text, err := readText(root, name, b.opts.MaxFile)
		if err != nil {
			return nil, fmt.Errorf("reading %s of %s: %w", name, in.Folder, err)
		}
		sum := sha256.Sum256([]byte(text))
		if strings.TrimSpace(text) == "" || seen[sum] { // one is often a copy of the other, or a link to it
			continue
		}
		seen[sum] = true
		texts = append(texts, section("Instructions of this project ("+name+")", text))
	}
	skills, err := skillsIn(root)
	if err != nil {
		return nil, fmt.Errorf("reading the skills of %s: %w", in.Folder, err)
	}
	if in.Agent.Tools.Has(readSkillName) {
		texts = append(texts, skillList(skills))
	}
	return texts, nil
}

// enter opens a folder if it is trusted; nil if it is not, or is not there. The
// root keeps links in it from leading elsewhere.
func (b *Briefer) enter(ctx context.Context, ws ids.Workspace, folder string) (*os.Root, error) {
	if folder == "" || b.opts.Projects == nil {
		return nil, nil
	}
	trusted, err := b.opts.Projects.Trusted(ctx, ws, folder)
	if err != nil {
		return nil, fmt.Errorf("asking whether %s is trusted: %w", folder, err)
	}
	if !trusted {
		return nil, nil
	}
	root, err := os.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("opening the project's folder: %w", err)
	}
	return root, nil
}

// readText reads a file that may be missing, at most so many bytes of it, cut
// at the end of a line.
func readText(root *os.Root, name string, most int) (string, error) {
	f, err := root.Open(name)
	if missing(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err != nil {
		return "", err
	}
	cutOff := len(text) > most
	if cutOff {
		text = text[:most]
		if i := strings.LastIndexByte(string(text), '\n'); i > 0 {
			text = text[:i]
		}
	}
	clean := strings.ReplaceAll(string(text), "\x00", "")
	if !utf8.ValidString(clean) {
		clean = strings.ToValidUTF8(clean, "")
	}
	if cutOff {
		clean += fmt.Sprintf("\n\n(The file goes on; %d of %d bytes are shown.)", len(text), info.Size())
	}
	return clean, nil
}

// missing says whether there is no such file. A link that points outside of the
// project counts as none, so that it cannot stop a run either.
func missing(err error) bool {
	var perr *fs.PathError
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || (errors.As(err, &perr) && strings.Contains(perr.Err.Error(), "escapes"))
}

func section(title, text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	return "# " + title + "\n\n" + text
}

func memories(recalled []string) string {
	if len(recalled) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("# What you remember\n\nKnown from before, and possibly out of date. Use what fits; do not mention that you remember it unless asked.\n")
	for _, m := range recalled {
		b.WriteString("\n- " + strings.ReplaceAll(strings.TrimSpace(m), "\n", "\n  "))
	}
	return b.String()
}

func circumstances(in BriefInput) string {
	var lines []string
	if in.Person != "" {
		lines = append(lines, "You are talking with "+in.Person+".")
	}
	if in.Folder != "" {
		lines = append(lines, "You work in the project folder "+in.Folder+"; paths are relative to it.")
	}
	if !in.Now.IsZero() {
		lines = append(lines, "It is "+in.Now.Format("Monday, 2 January 2006, 15:04 MST")+".")
	}
	return strings.Join(lines, "\n")
}
