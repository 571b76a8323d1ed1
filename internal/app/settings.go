package app

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/config"
)

// settings lets the api show and change the configuration, which stands above it.
type settings struct {
	reloader *config.Reloader
	sources  config.Sources
}

// Config lists every setting.
func (s settings) Config(context.Context) (api.Config, error) {
	state := s.reloader.State()
	out := api.Config{
		File: state.Loaded.Path, ETag: state.Loaded.ETag, Values: []api.ConfigValue{},
		Pending: diffs(state.Pending), Problems: problems(state.Problems), Warnings: problems(state.Loaded.Warnings),
	}
	for _, v := range state.Loaded.Values() {
		out.Values = append(out.Values, api.ConfigValue{
			Key: v.Key, Value: v.Value, Default: v.Default, Origin: api.ConfigOrigin(v.Origin), Live: v.Live, Secret: v.Secret,
			Type: string(v.Type), Env: v.Env, Doc: v.Doc,
		})
	}
	return out, nil
}

// ChangeConfig edits the file.
func (s settings) ChangeConfig(ctx context.Context, change api.ConfigChange) (api.ConfigSaved, error) {
	saved, err := s.reloader.Save(ctx, config.Patch{Set: change.Set, ETag: change.ETag})
	return savedSettings(saved, err)
}

// ConfigFile is the settings file as people edit it.
func (s settings) ConfigFile(context.Context) (api.ConfigFile, error) {
	doc, err := s.reloader.Document()
	return api.ConfigFile{File: doc.Path, Text: doc.Text, ETag: doc.ETag}, err
}

// SaveConfigFile replaces the settings file.
func (s settings) SaveConfigFile(ctx context.Context, text, etag string) (api.ConfigSaved, error) {
	saved, err := s.reloader.SaveDocument(ctx, text, etag)
	return savedSettings(saved, err)
}

func savedSettings(saved config.Saved, err error) (api.ConfigSaved, error) {
	if err != nil {
		return api.ConfigSaved{}, err
	}
	out := api.ConfigSaved{
		ETag:     saved.ETag,
		Change:   api.ConfigEffect{Live: diffs(saved.Change.Live), NeedsRestart: diffs(saved.Change.NeedsRestart)},
		Shadowed: make(map[string]api.ConfigOrigin, len(saved.Shadowed)),
	}
	for key, origin := range saved.Shadowed {
		out.Shadowed[key] = api.ConfigOrigin(origin)
	}
	return out, nil
}

// CheckConfig says whether a text would be accepted as the file.
func (s settings) CheckConfig(_ context.Context, text string) (api.ConfigChecked, error) {
	_, err := config.Check(s.sources, "", []byte(text))
	var found config.Problems
	if err != nil && !errors.As(err, &found) {
		return api.ConfigChecked{}, err
	}
	return api.ConfigChecked{Valid: err == nil, Problems: problems(found)}, nil
}

// ConfigSchema is the JSON Schema of the file.
func (s settings) ConfigSchema() json.RawMessage { return config.Schema() }

func problems(all []config.Problem) []api.ConfigProblem {
	out := make([]api.ConfigProblem, len(all))
	for i, p := range all {
		out[i] = api.ConfigProblem(p)
	}
	return out
}

func diffs(all []config.Diff) []api.ConfigDiff {
	out := make([]api.ConfigDiff, len(all))
	for i, d := range all {
		out[i] = api.ConfigDiff{Key: d.Key, Old: d.Old, New: d.New, Origin: api.ConfigOrigin(d.Origin)}
	}
	return out
}
