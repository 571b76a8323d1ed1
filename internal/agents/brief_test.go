package agents_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
)

// trusting trusts the folders it lists.
type trusting map[string]bool

func (t trusting) Trusted(_ context.Context, _ ids.Workspace, folder string) (bool, error) {
	if folder == "broken" {
		return true, errors.New("the disk is on fire")
	}
	return t[folder], nil
}

// project writes files into a new folder.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func guidance(t *testing.T, b *agents.Briefer, folder string) string {
	t.Helper()
	text, err := b.Guidance(t.Context(), "", folder)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

const skill = "---\nname: release\ndescription: How to make a\n  release.\n---\n\nTag it, then read notes.md.\n"

func TestGuidance(t *testing.T) {
	t.Parallel()
	dir := project(t, map[string]string{
		"AGENTS.md": "Use tabs.\n", "CLAUDE.md": "Use tabs.\n", ".claude/skills/release/SKILL.md": skill, ".agents/skills/release/SKILL.md": skill,
		".claude/skills/broken/SKILL.md": "---\nname: [\n---\n", ".claude/skills/nameless/SKILL.md": "no head", ".claude/skills/README.md": "x",
	})
	trusted := agents.NewBriefer(agents.BrieferOptions{Projects: trusting{dir: true}})
	want := "# Instructions of this project (AGENTS.md)\n\nUse tabs.\n\n" +
		"# Skills\n\nInstructions for certain tasks. When one fits, read it with read_skill before you start.\n\n- release: How to make a release."
	if diff := cmp.Diff(want, guidance(t, trusted, dir)); diff != "" {
		t.Errorf("trusted: %s", diff)
	}
	for name, b := range map[string]*agents.Briefer{
		"not trusted": agents.NewBriefer(agents.BrieferOptions{Projects: trusting{}}),
		"nobody says": agents.NewBriefer(agents.BrieferOptions{}),
	} {
		if got := guidance(t, b, dir); got != "" {
			t.Errorf("%s, and still read: %s", name, got)
		}
	}
	if _, err := trusted.Guidance(t.Context(), "", "broken"); err == nil {
		t.Error("not knowing whether to trust passes for an answer")
	}
	if got := guidance(t, trusted, ""); got != "" {
		t.Errorf("without a folder: %s", got)
	}
}

func TestAHostileProject(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("SECRET"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := project(t, map[string]string{"AGENTS.md": strings.Repeat("all work and no play\n", 10_000)})
	for link, to := range map[string]string{"CLAUDE.md": secret, ".claude/skills/x/SKILL.md": secret, ".agents": filepath.Dir(secret)} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, link)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	b := agents.NewBriefer(agents.BrieferOptions{Projects: trusting{dir: true}})
	got := guidance(t, b, dir)
	if strings.Contains(got, "SECRET") {
		t.Error("a link led out of the project")
	}
	if len(got) > 40<<10 || !strings.Contains(got, "The file goes on; ") {
		t.Errorf("a long file gave %d bytes", len(got))
	}
}

func TestReadSkill(t *testing.T) {
	t.Parallel()
	dir := project(t, map[string]string{".agents/skills/release/SKILL.md": skill, ".agents/skills/release/notes.md": "Write notes.", "outside.md": "no"})
	tool := agents.NewBriefer(agents.BrieferOptions{Projects: trusting{dir: true}}).SkillTool()
	run := func(folder, args string) (string, error) {
		r, err := tool.Run(t.Context(), tools.Call{Folder: folder, Args: json.RawMessage(args)})
		if err != nil {
			return "", err
		}
		return r.Parts[0].Text, nil
	}
	if text, err := run(dir, `{"name":"release"}`); err != nil || text != "Tag it, then read notes.md.\n\nFiles of this skill, in .agents/skills/release:\n- notes.md" {
		t.Errorf("read %q (%v)", text, err)
	}
	if text, err := run(dir, `{"name":"release","file":"notes.md"}`); err != nil || text != "Write notes." {
		t.Errorf("read %q (%v)", text, err)
	}
	for args, code := range map[string]string{
		`{"name":"relaese"}`:                                   "skill_not_found",
		`{"name":"release","file":"../../../outside.md"}`:      "bad_path",
		`{"name":"release","file":"/etc/passwd"}`:              "bad_path",
		`{"name":"release","file":"x/../../../../outside.md"}`: "bad_path",
		`{"name":"release","file":"none.md"}`:                  "file_not_found",
	} {
		if _, err := run(dir, args); !fault.HasCode(err, code) {
			t.Errorf("%s: %v, want %s", args, err, code)
		}
	}
	if _, err := run(t.TempDir(), `{"name":"release"}`); !fault.HasCode(err, "skill_not_found") {
		t.Errorf("in a folder nobody trusts: %v", err)
	}
}
