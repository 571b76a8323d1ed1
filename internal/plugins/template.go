package plugins

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// template is a plugin to begin with; NAME is its name.
var template = map[string]string{
	ManifestFile: `name: NAME
version: 0.1.0
description: Says what this plugin is for.

settings:
  forbidden:
    type: text
    title: Forbidden word
    description: Calls whose arguments hold it are refused.
    default: rm -rf /

contributes:
  hooks:
    - event: before_tool
      command: [./check.sh]
      env: {FORBIDDEN: "${settings.forbidden}"}
  skills: [skills/example]
`,
	"check.sh": `#!/bin/sh
# Reads one JSON object: event, tool.name, tool.args, agent, run and more; the settings come last.
# Exit code 2 says no, with the reason on standard error; printing nothing says yes.
if sed 's/"settings":.*//' | grep -qF -- "$FORBIDDEN"; then
  echo "NAME does not allow it." >&2
  exit 2
fi
`,
	"skills/example/SKILL.md": `---
name: NAME-example
description: Says when an agent should read this.
---
What the agent should do then.
`,
	"README.md": `# NAME

    fluxway plugins check .
    fluxway plugins install --link .
    fluxway plugins enable NAME
`,
}

// Begin writes a plugin to begin with into a folder that does not exist yet.
func Begin(folder, name string) error {
	if !namePattern.MatchString(name) {
		return fault.New(fault.Invalid, "bad_name", "%q cannot be a plugin's name.", name).WithHint("Use 1 to 32 small letters, digits and hyphens.")
	}
	if err := os.Mkdir(folder, 0o755); errors.Is(err, fs.ErrExist) {
		return fault.New(fault.Conflict, "folder_exists", "%s exists already.", folder).WithHint("Choose another folder.")
	} else if err != nil {
		return fmt.Errorf("making the folder: %w", err)
	}
	for file, text := range template {
		full := filepath.Join(folder, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if strings.HasSuffix(file, ".sh") {
			mode = 0o755
		}
		if err := os.WriteFile(full, []byte(strings.ReplaceAll(text, "NAME", name)), mode); err != nil {
			return err
		}
	}
	return nil
}
