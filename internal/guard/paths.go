package guard

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// realPath is where a path leads once every link is followed; what does not
// exist yet keeps its name below what does.
func realPath(p string) string {
	p = filepath.Clean(p)
	rest := ""
	for dir := p; ; {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return filepath.Join(real, rest)
		}
		// A link to nowhere leads to where its target would be.
		if target, err := os.Readlink(dir); err == nil && len(rest) < 4096 {
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(dir), target)
			}
			if target != dir {
				return realPathOnce(target, rest)
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return p
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = parent
	}
}

// realPathOnce follows the target of a dangling link no further than its folder.
func realPathOnce(target, rest string) string {
	if real, err := filepath.EvalSymlinks(filepath.Dir(target)); err == nil {
		return filepath.Join(real, filepath.Base(target), rest)
	}
	return filepath.Join(target, rest)
}

// within compares by element: /a/bc is not within /a/b.
func within(root, p string) bool {
	rel, err := filepath.Rel(root, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func withinAny(roots []string, p string) bool {
	for _, root := range roots {
		if within(root, p) {
			return true
		}
	}
	return false
}

// judgePaths is the path policy: cleaned, links followed, compared by element.
func (g *Guard) judgePaths(j *judging) finding {
	if len(j.paths) == 0 {
		return finding{}
	}
	if g.confined(j) {
		return finding{}
	}
	folder := ""
	if j.call.Folder != "" {
		folder = realPath(j.call.Folder)
	}
	worst := finding{}
	for i, p := range j.paths {
		real := realPath(p)
		j.paths[i] = real
		switch {
		case g.offLimits(folder, real) || withinAny(realPaths(j.policy.Paths.Deny), real):
			return final("guard.path_denied", p+" is off limits for tools.", "Leave it alone; work inside the project.")
		case folder != "" && within(folder, real), withinAny(realPaths(j.policy.Paths.Allow), real) && j.spec.Origin != builtin:
			continue
		case j.spec.Origin == builtin: // it could not go there, whoever approved
			return final("guard.path_outside", p+" is outside the project folder.", "Use a path below the project folder, such as src/main.go; list_files shows what there is.")
		}
		worst = worst.or(finding{action: j.policy.Paths.Outside, rule: "guard.path_outside", reason: j.spec.Name + " would touch " + p + ", which is outside the project folder."})
	}
	return worst
}

// confined reports whether nothing needs to be looked up: a tool of our own that only looks opens files through the
// folder, which no link leads out of, and nothing in the folder is off limits.
func (g *Guard) confined(j *judging) bool {
	if j.spec.Origin != builtin || !j.spec.ReadOnly || j.call.Folder == "" || len(j.policy.Paths.Deny) > 0 {
		return false
	}
	for _, p := range j.paths {
		if !within(j.call.Folder, p) {
			return false
		}
	}
	return g.harmless(j.call.Folder)
}

// harmless reports whether a folder holds nothing that is off limits and is not itself. It is looked up
// again after a while, since links can be turned.
func (g *Guard) harmless(folder string) bool {
	now := g.now()
	g.mu.RLock()
	known, ok := g.folders[folder]
	g.mu.RUnlock()
	if ok && now.Before(known.until) {
		return known.harmless
	}
	real, fine := realPath(folder), true
	for _, root := range g.protected {
		fine = fine && real != root && !within(real, root)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.folders) >= maxFolders {
		clear(g.folders)
	}
	g.folders[folder] = knownFolder{fine, now.Add(policyLife)}
	return fine
}

const maxFolders = 1000

type knownFolder struct {
	harmless bool
	until    time.Time
}

// offLimits reports whether a path is protected. A folder that was given to an agent may lie below something protected,
// as the files of a workspace lie in our own data; then what is in it may be touched, and nothing beside it.
func (g *Guard) offLimits(folder, real string) bool {
	for _, root := range g.protected {
		given := folder != "" && folder != root && within(root, folder) && within(folder, real)
		if within(root, real) && !given {
			return true
		}
	}
	return false
}

func realPaths(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = realPath(p)
	}
	return out
}
