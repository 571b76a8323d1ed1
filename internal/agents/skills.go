package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/suggest"
	"github.com/fluxway/fluxway/internal/tools"
)

// Skill is a folder with instructions for one kind of task. Agents see its name
// and description, and read the rest when they need it.
type Skill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Folder      string `json:"folder"` // below the project, or below the plugin's own folder
	Plugin      string `json:"plugin,omitempty"`
}

// skillFolders hold a folder for each skill; the first of a name wins.
var skillFolders = []string{".fluxway/skills", ".agents/skills", ".claude/skills"}

const (
	maxSkills     = 100
	maxSkill      = 64 << 10 // bytes of a SKILL.md
	maxSkillFiles = 200
	skillFile     = "SKILL.md"
	readSkillName = "read_skill"
)

// Skills lists the skills of a project that is trusted, and those that the workspace has for all.
func (b *Briefer) Skills(ctx context.Context, ws ids.Workspace, folder string) ([]Skill, error) {
	root, err := b.enter(ctx, ws, folder)
	if err != nil {
		return nil, err
	}
	skills := []Skill{}
	if root != nil {
		defer root.Close()
		if skills, err = skillsIn(root); err != nil {
			return nil, err
		}
	}
	return append(skills, b.shelved(ctx, ws, skills)...), nil
}

func skillsIn(root *os.Root) ([]Skill, error) {
	skills := []Skill{}
	for _, parent := range skillFolders {
		entries, err := fs.ReadDir(root.FS(), parent)
		if missing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if len(skills) == maxSkills {
				return skills, nil
			}
			s, ok, err := skillIn(root, path.Join(parent, e.Name()))
			if err != nil {
				return nil, err
			}
			if ok && !slices.ContainsFunc(skills, func(o Skill) bool { return o.Name == s.Name }) {
				skills = append(skills, s)
			}
		}
	}
	slices.SortFunc(skills, func(a, b Skill) int { return cmp.Compare(a.Name, b.Name) })
	return skills, nil
}

// skillIn reads the head of a SKILL.md; one without name or description is none.
func skillIn(root *os.Root, folder string) (s Skill, ok bool, err error) {
	text, err := readText(root, path.Join(folder, skillFile), maxSkill)
	if err != nil {
		return s, false, err
	}
	head, _, found := frontMatter(text)
	if !found {
		return s, false, nil
	}
	var said struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}
	if err := yaml.Unmarshal([]byte(head), &said); err != nil {
		return s, false, nil //nolint:nilerr // a skill that cannot be read is none
	}
	s = Skill{Name: cmp.Or(strings.TrimSpace(said.Name), path.Base(folder)), Description: oneLine(cut(said.Description, 1024)), Folder: folder}
	return s, s.Description != "" && len(s.Name) <= 64 && !strings.ContainsAny(s.Name, "\n\r\t"), nil
}

// frontMatter parts a Markdown file into the YAML between --- lines and the rest.
func frontMatter(text string) (head, body string, ok bool) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return "", text, false
	}
	head, body, ok = strings.Cut(rest, "\n---")
	if !ok {
		return "", text, false
	}
	_, body, _ = strings.Cut(body, "\n")
	return head, body, true
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func skillList(skills []Skill) string {
	if len(skills) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("# Skills\n\nInstructions for certain tasks. When one fits, read it with " + readSkillName + " before you start.\n")
	for _, s := range skills {
		fmt.Fprintf(&b, "\n- %s: %s", s.Name, s.Description)
	}
	return b.String()
}

// SkillTool lets agents read the skills of the project they work in.
func (b *Briefer) SkillTool() tools.Tool { return skillTool{b} }

type skillTool struct{ briefer *Briefer }

// Spec describes the tool.
func (skillTool) Spec() tools.Spec {
	return tools.Spec{
		Name: readSkillName, Title: "Read a skill", Level: tools.Public, ReadOnly: true, Repeatable: true, MaxOutput: 2 * maxSkill,
		Description: "Reads one of the skills: instructions for a certain kind of task. Give file to read one of the files that the skill mentions.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["name"],"properties":{` +
			`"name":{"type":"string","description":"the skill's name as listed"},` +
			`"file":{"type":"string","description":"a file of the skill, relative to its folder; left out: SKILL.md"}}}`),
	}
}

// Run reads the skill.
func (t skillTool) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	var args struct {
		Name string `json:"name"`
		File string `json:"file"`
	}
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return tools.Result{}, fault.New(fault.Invalid, "bad_arguments", "The arguments cannot be read: %v.", err)
	}
	skills, err := t.briefer.Skills(ctx, call.Workspace, call.Folder)
	if err != nil {
		return tools.Result{}, err
	}
	if len(skills) == 0 {
		return tools.Result{}, fault.New(fault.NotFound, "skill_not_found", "There are no skills here.").WithHint("Go on without.")
	}
	i := slices.IndexFunc(skills, func(s Skill) bool { return s.Name == args.Name })
	if i < 0 {
		return tools.Result{}, noSkill(skills, args.Name)
	}
	root, err := t.briefer.home(ctx, call, skills[i])
	if err != nil {
		return tools.Result{}, err
	}
	defer root.Close()
	text, err := skillText(root, skills[i], args.File)
	if err != nil {
		return tools.Result{}, err
	}
	return tools.Result{Parts: []tools.Part{{Kind: tools.PartText, Text: text}}}, nil
}

// home opens the folder that a skill's own is below.
func (b *Briefer) home(ctx context.Context, call tools.Call, s Skill) (*os.Root, error) {
	if s.Plugin != "" {
		for _, have := range b.opts.Shelf(ctx, call.Workspace) {
			if have.Skill == s {
				return os.OpenRoot(have.Root)
			}
		}
	} else if root, err := b.enter(ctx, call.Workspace, call.Folder); root != nil || err != nil {
		return root, err
	}
	return nil, fault.New(fault.NotFound, "skill_not_found", "The skill %s is gone.", s.Name).WithHint("Go on without.")
}

func noSkill(skills []Skill, name string) error {
	f := fault.New(fault.NotFound, "skill_not_found", "There is no skill called %q.", cut(name, 64)).WithParam("name")
	var names []string
	for _, s := range skills {
		names = append(names, s.Name)
	}
	if near, ok := suggest.Closest(name, names); ok {
		return f.WithHint("Did you mean %s?", near)
	}
	return f.WithHint("There are: %s.", strings.Join(names, ", "))
}

// skillText is the skill's instructions with the names of its other files, or
// one of those.
func skillText(root *os.Root, s Skill, file string) (string, error) {
	if file != "" && path.Clean(file) != skillFile {
		if !fs.ValidPath(path.Clean(file)) {
			return "", fault.New(fault.Invalid, "bad_path", "%q is not a file of this skill.", cut(file, 128)).WithParam("file").WithHint("Give a path below the skill's folder.")
		}
		text, err := readText(root, path.Join(s.Folder, path.Clean(file)), maxSkill)
		if err == nil && text == "" {
			err = fault.New(fault.NotFound, "file_not_found", "The skill %s has no file %q.", s.Name, cut(file, 128)).WithParam("file").WithHint("Read the skill itself; it lists them.")
		}
		return text, err
	}
	text, err := readText(root, path.Join(s.Folder, skillFile), maxSkill)
	if err != nil {
		return "", err
	}
	_, body, _ := frontMatter(text)
	return strings.TrimSpace(body) + otherFiles(root, s), nil
}

func otherFiles(root *os.Root, s Skill) string {
	var names []string
	_ = fs.WalkDir(root.FS(), s.Folder, func(p string, d fs.DirEntry, err error) error { // what cannot be listed is left out
		if err != nil || len(names) == maxSkillFiles {
			return fs.SkipDir
		}
		if d.Type().IsRegular() && path.Base(p) != skillFile {
			names = append(names, strings.TrimPrefix(p, s.Folder+"/"))
		}
		return nil
	})
	if len(names) == 0 {
		return ""
	}
	return "\n\nFiles of this skill, in " + s.Folder + ":\n- " + strings.Join(names, "\n- ")
}
