package api

import (
	"context"
	"encoding/json"
)

// Settings is the part of the configuration that routes need; app has it stand
// on config, which is above this package.
type Settings interface {
	Config(ctx context.Context) (Config, error)
	ChangeConfig(ctx context.Context, change ConfigChange) (ConfigSaved, error)
	CheckConfig(ctx context.Context, text string) (ConfigChecked, error)
	ConfigFile(ctx context.Context) (ConfigFile, error)
	SaveConfigFile(ctx context.Context, text, etag string) (ConfigSaved, error)
	ConfigSchema() json.RawMessage
}

// Config is every setting, with where it came from.
type Config struct {
	File     string          `json:"file,omitempty" doc:"The file that was read, or that saving would make."`
	ETag     string          `json:"etag,omitempty" doc:"Of the file; send it back with a change."`
	Values   []ConfigValue   `json:"values"`
	Pending  []ConfigDiff    `json:"pending" doc:"What a restart would bring."`
	Problems []ConfigProblem `json:"problems" doc:"Why the file as it is now is not in effect."`
	Warnings []ConfigProblem `json:"warnings"`
}

// ConfigValue is one setting.
type ConfigValue struct {
	Key     string       `json:"key"`
	Value   string       `json:"value" doc:"Secrets are masked."`
	Default string       `json:"default"`
	Origin  ConfigOrigin `json:"origin"`
	Live    bool         `json:"live" doc:"A change needs no restart."`
	Secret  bool         `json:"secret"`
	Type    string       `json:"type"`
	Env     string       `json:"env" doc:"The variable that sets it."`
	Doc     string       `json:"doc"`
}

// ConfigOrigin is where a value came from.
type ConfigOrigin struct {
	Source string `json:"source"`
	Where  string `json:"where,omitempty" doc:"Such as fluxway.yaml:12:3 or FLUXWAY_LISTEN."`
}

// ConfigProblem is one thing that is wrong with the settings.
type ConfigProblem struct {
	Where   string `json:"where"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Key     string `json:"key,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// ConfigDiff is one setting that changed; secrets are masked.
type ConfigDiff struct {
	Key    string       `json:"key"`
	Old    string       `json:"old"`
	New    string       `json:"new"`
	Origin ConfigOrigin `json:"origin"`
}

// ConfigChange is settings to write into the file.
type ConfigChange struct {
	Set  map[string]any `json:"set" required:"true" min:"1" max:"500" doc:"By key; null takes a setting out of the file."`
	ETag string         `json:"etag" max:"128" doc:"Refuses the change if the file is another by now."`
}

// ConfigSaved is what came of a change.
type ConfigSaved struct {
	ETag     string                  `json:"etag"`
	Change   ConfigEffect            `json:"change"`
	Shadowed map[string]ConfigOrigin `json:"shadowed" doc:"Saved, but a variable or flag says otherwise."`
}

// ConfigEffect is what differs between the settings before and after.
type ConfigEffect struct {
	Live         []ConfigDiff `json:"live" doc:"In effect now."`
	NeedsRestart []ConfigDiff `json:"needs_restart" doc:"In effect after a restart."`
}

// ConfigFile is the file as people edit it.
type ConfigFile struct {
	File string `json:"file"`
	Text string `json:"text" doc:"Secrets are masked; leave the mask to keep one."`
	ETag string `json:"etag" doc:"Send it back when saving."`
}

// ConfigChecked is whether a text would be accepted.
type ConfigChecked struct {
	Valid    bool            `json:"valid"`
	Problems []ConfigProblem `json:"problems"`
}

// configAPI is the settings.
type configAPI struct{ settings Settings }

func (a configAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/config", "config:read", "Every setting, with where it came from; secrets are masked.", handler(a.get)},
		{"PATCH", "/api/v1/config", "config:write", "Change settings in the file, keeping its comments.", handler(a.change)},
		{"GET", "/api/v1/config/file", "config:read", "The settings file as a text; secrets are masked.", handler(a.file)},
		{"PUT", "/api/v1/config/file", "config:write", "Replace the settings file by a text; masked secrets stay as they are.", handler(a.saveFile)},
		{"GET", "/api/v1/config/schema", "config:read", "The JSON Schema of the file.", handler(a.schema)},
		{"POST", "/api/v1/config/validate", "config:read", "Whether a text would be accepted as the file.", handler(a.validate, quiet)},
	}
}

func (a configAPI) get(ctx context.Context, _ none) (Config, error) { return a.settings.Config(ctx) }

type configRequest struct{ ConfigChange }

func (a configAPI) change(ctx context.Context, in configRequest) (ConfigSaved, error) {
	return a.settings.ChangeConfig(ctx, in.ConfigChange)
}

func (a configAPI) schema(context.Context, none) (json.RawMessage, error) {
	return a.settings.ConfigSchema(), nil
}

type configTextRequest struct {
	Text string `json:"text" required:"true" doc:"The whole file, YAML or JSON."`
}

func (a configAPI) validate(ctx context.Context, in configTextRequest) (ConfigChecked, error) {
	return a.settings.CheckConfig(ctx, in.Text)
}

func (a configAPI) file(ctx context.Context, _ none) (ConfigFile, error) {
	return a.settings.ConfigFile(ctx)
}

type configFileRequest struct {
	Text string `json:"text" max:"1048576" doc:"The whole file."`
	ETag string `json:"etag" max:"128" doc:"Of the file that was edited; another one by now is not written over."`
}

func (a configAPI) saveFile(ctx context.Context, in configFileRequest) (ConfigSaved, error) {
	return a.settings.SaveConfigFile(ctx, in.Text, in.ETag)
}
