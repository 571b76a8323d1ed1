package agents

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/ids"
)

// Projects says whether a person trusts a folder's own files to instruct agents.
type Projects interface {
	Trusted(ctx context.Context, ws ids.Workspace, folder string) (bool, error)
}

// BrieferOptions are what a Briefer needs.
type BrieferOptions struct {
	Projects Projects // nil: no folder is trusted
	MaxFile  int      // bytes of one instruction file; 0: 32 KiB
	// Shelf is skills that a workspace has for all its projects; nil: none.
	Shelf func(ctx context.Context, ws ids.Workspace) []Shelved
}

// Briefer reads what a project's own files tell its agents.
type Briefer struct{ opts BrieferOptions }

// NewBriefer makes a briefer.
func NewBriefer(opts BrieferOptions) *Briefer {
	if opts.MaxFile <= 0 {
		opts.MaxFile = 32 << 10
	}
	return &Briefer{opts}
}

// instructionFiles are read from a project's root, in this order.
var instructionFiles = []string{"AGENTS.md", "CLAUDE.md"}

// Guidance is the instruction files of a project and the list of its skills, for
// the system prompt of its agents; "" if there are none. Files of a folder that
// nobody trusts are not even opened.
func (b *Briefer) Guidance(ctx context.Context, ws ids.Workspace, folder string) (string, error) {
	root, err := b.enter(ctx, ws, folder)
	if err != nil {
		return "", err
	}
	if root == nil {
		return skillList(b.shelved(ctx, ws, nil)), nil
	}
	defer root.Close()
	var texts []string
	seen := map[[sha256.Size]byte]bool{}
	for _, name := range instructionFiles {
		text, err := readText(root, name, b.opts.MaxFile)
		if err != nil {
			return "", fmt.Errorf("reading %s of %s: %w", name, folder, err)
		}
		sum := sha256.Sum256([]byte(text))
		if strings.TrimSpace(text) == "" || seen[sum] { // one is often a copy of the other, or a link to it
			continue
		}
		seen[sum] = true
		texts = append(texts, "# Instructions of this project ("+name+")\n\n"+strings.TrimSpace(text))
	}
	skills, err := skillsIn(root)
	if err != nil {
		return "", fmt.Errorf("reading the skills of %s: %w", folder, err)
	}
	if skills = append(skills, b.shelved(ctx, ws, skills)...); len(skills) > 0 {
		texts = append(texts, skillList(skills))
	}
	return strings.Join(texts, "\n\n"), nil
}

// shelved is the workspace's skills of names that its project does not have.
func (b *Briefer) shelved(ctx context.Context, ws ids.Workspace, have []Skill) []Skill {
	if b.opts.Shelf == nil {
		return nil
	}
	var list []Skill
	for _, s := range b.opts.Shelf(ctx, ws) {
		if !slices.ContainsFunc(have, func(o Skill) bool { return o.Name == s.Name }) {
			list = append(list, s.Skill)
		}
	}
	return list
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
