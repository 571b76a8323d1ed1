package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/client"
	"github.com/fluxway/fluxway/internal/app"
	"github.com/fluxway/fluxway/internal/plugins"
)

func (e *env) pluginsCommand() *cobra.Command {
	return group("plugins", "Folders that add servers, agents, skills and hooks", e.pluginsList(), e.pluginsShow(), e.pluginsInstall(), e.pluginsEnable(), e.pluginsDisable(),
		e.pluginsConfigure(), e.pluginsRemove(), e.pluginsRestore(), e.pluginsCheck(), e.pluginsNew())
}

func pluginURL(name string, more ...string) string {
	path := "/api/v1/plugins/" + url.PathEscape(name)
	for _, m := range more {
		path += "/" + m
	}
	return path
}

func (e *env) pluginsList() *cobra.Command {
	return &cobra.Command{Use: "list", Short: "Plugins and how they stand", Args: noArgs, RunE: e.onAPI(func(ctx context.Context, c *client.Client, _ []string) error {
		list, err := all[plugins.Plugin](ctx, c, "/api/v1/plugins")
		if err != nil {
			return err
		}
		p := e.printer()
		return p.value(map[string]any{"plugins": list}, func() {
			if len(list) == 0 {
				p.line("No plugins yet. fluxway plugins new NAME makes a folder to begin with.")
				return
			}
			var rows [][]string
			for _, one := range list {
				rows = append(rows, []string{one.Name, one.Version, pluginState(one), cutTo(one.Description, 70)})
			}
			p.table([]string{"plugin", "version", "state", ""}, rows)
		})
	})}
}

func pluginState(p plugins.Plugin) string {
	if p.State == plugins.StateEnabled && !p.Healthy {
		return "unhealthy"
	}
	return string(p.State)
}

func (e *env) pluginsShow() *cobra.Command {
	return &cobra.Command{
		Use: "show PLUGIN", Short: "What a plugin contributes and may do, its settings and failures", Args: oneArg("the plugin"),
		RunE: e.onAPI(func(ctx context.Context, c *client.Client, args []string) error {
			var one plugins.Plugin
			if err := c.Do(ctx, "GET", pluginURL(args[0]), nil, &one); err != nil {
				return err
			}
			p := e.printer()
			return p.value(one, func() { showPlugin(p, one) })
		}),
	}
}

func showPlugin(p printer, one plugins.Plugin) {
	p.line("%s %s, %s", one.Name, one.Version, pluginState(one))
	if one.Description != "" {
		p.line("%s", harmless(one.Description))
	}
	p.line("%s", p.paint(dim, fmt.Sprintf("%s (%s, %d files) %s", one.Folder, one.Source, one.Files, one.Digest)))
	showPowers(p, one)
	if len(one.Settings) > 0 {
		p.line("\nSettings:")
	}
	for _, s := range one.Settings {
		value := string(s.Value)
		if s.Type == plugins.TypeSecret && value == "" {
			value = map[bool]string{true: "•••", false: "not set"}[s.Set]
		}
		p.line("  %s = %s  %s", s.Name, harmless(value), p.paint(dim, harmless(s.Title)))
	}
	for _, problem := range one.Problems {
		p.line("problem: %s", harmless(problem.String()))
	}
	if len(one.Failures) > 0 {
		p.line("\nFailed lately:")
	}
	for _, f := range one.Failures[:min(len(one.Failures), 10)] {
		p.line("  %s %s %s", f.At.Local().Format("2006-01-02 15:04:05"), f.Hook, harmless(f.Message))
	}
}

// showPowers says what enabling agrees to, and what changed since it was agreed to.
func showPowers(p printer, one plugins.Plugin) {
	if len(one.Changes) > 0 {
		p.line("\nFiles that are not those that were agreed to:")
	}
	for _, c := range one.Changes {
		p.line("  %-8s %s", c.Change, harmless(c.Path))
	}
	if len(one.Powers) == 0 {
		p.line("\nIt contributes nothing.")
		return
	}
	p.line("\nWhat it may do:")
	for _, power := range one.Powers {
		p.line("  - %s", harmless(power.Text))
	}
}

func (e *env) pluginsInstall() *cobra.Command {
	var link bool
	cmd := &cobra.Command{
		Use: "install FOLDER", Short: "Install a folder of this machine; it gives nothing until it is enabled", Args: oneArg("the folder"),
		RunE: e.onAPI(func(ctx context.Context, c *client.Client, args []string) error {
			folder, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			var one plugins.Plugin
			if err := c.Do(ctx, "POST", "/api/v1/plugins", map[string]any{"folder": folder, "link": link}, &one); err != nil {
				return err
			}
			p := e.printer()
			return p.value(one, func() {
				p.line("Installed %s %s. It is disabled: fluxway plugins enable %s shows what it may do and enables it.", one.Name, one.Version, one.Name)
			})
		}),
	}
	cmd.Flags().BoolVar(&link, "link", false, "leave the files where they are, while you work on them")
	return cmd
}

func (e *env) pluginsEnable() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "enable PLUGIN", Short: "Look at what a plugin may do, and let it", Args: oneArg("the plugin"),
		RunE: e.onAPI(func(ctx context.Context, c *client.Client, args []string) error {
			var one plugins.Plugin
			if err := c.Do(ctx, "GET", pluginURL(args[0]), nil, &one); err != nil {
				return err
			}
			shown := printer{out: e.streams.Err}
			showPowers(shown, one)
			if err := e.confirm(yes, fmt.Sprintf("Enable %s %s?", one.Name, one.Version)); err != nil {
				return err
			}
			if err := c.Do(ctx, "POST", pluginURL(args[0], "enable"), map[string]string{"digest": one.Digest}, &one); err != nil {
				return err
			}
			p := e.printer()
			return p.value(one, func() { p.line("Enabled %s %s.", one.Name, one.Version) })
		}),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// pluginsDo is a command that posts to a plugin and says what it is then.
func (e *env) pluginsDo(verb, short, done string) *cobra.Command {
	return &cobra.Command{Use: verb + " PLUGIN", Short: short, Args: oneArg("the plugin"), RunE: e.onAPI(func(ctx context.Context, c *client.Client, args []string) error {
		var one plugins.Plugin
		if err := c.Do(ctx, "POST", pluginURL(args[0], verb), nil, &one); err != nil {
			return err
		}
		p := e.printer()
		return p.value(one, func() { p.line("%s %s.", done, one.Name) })
	})}
}

func (e *env) pluginsDisable() *cobra.Command {
	return e.pluginsDo("disable", "Take back what a plugin gives; its settings stay", "Disabled")
}

func (e *env) pluginsRestore() *cobra.Command {
	return e.pluginsDo("restore", "Bring back a plugin that was removed; it has to be enabled again", "Restored")
}

func (e *env) pluginsConfigure() *cobra.Command {
	var secretsFrom []string
	cmd := &cobra.Command{
		Use: "configure PLUGIN NAME=VALUE…", Short: "Set settings of a plugin; NAME= goes back to the default", Args: cobra.MinimumNArgs(1),
		Example: "  fluxway plugins configure house-rules forbidden=deploy,publish 'token=${WIKI_TOKEN}'\n  fluxway plugins configure house-rules --secret token=@token.txt",
		RunE: e.onAPI(func(ctx context.Context, c *client.Client, args []string) error {
			var one plugins.Plugin
			if err := c.Do(ctx, "GET", pluginURL(args[0]), nil, &one); err != nil {
				return err
			}
			change, err := settingsFrom(one, args[1:], secretsFrom)
			if err != nil {
				return err
			}
			if err := c.Do(ctx, "PATCH", pluginURL(args[0], "settings"), map[string]any{"settings": change}, &one); err != nil {
				return err
			}
			p := e.printer()
			return p.value(one, func() { p.line("Set %d settings of %s.", len(change), one.Name) })
		}),
	}
	cmd.Flags().StringArrayVar(&secretsFrom, "secret", nil, "NAME=@file: a secret from a file, so that it is not on the command line")
	return cmd
}

// settingsFrom reads NAME=VALUE as the type that the plugin's setting has.
func settingsFrom(one plugins.Plugin, pairs, files []string) (map[string]json.RawMessage, error) {
	types := map[string]plugins.Type{}
	for _, s := range one.Settings {
		types[s.Name] = s.Type
	}
	change := map[string]json.RawMessage{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, usageError{fmt.Errorf("%s is not NAME=value", pair)}
		}
		var v any = value
		switch types[name] {
		case plugins.TypeNumber, plugins.TypeBoolean:
			if json.Valid([]byte(value)) {
				v = json.RawMessage(value)
			}
		case plugins.TypeList:
			v = strings.FieldsFunc(value, func(r rune) bool { return r == ',' })
		case plugins.TypeText, plugins.TypeChoice, plugins.TypeSecret:
		}
		if value == "" {
			v = nil
		}
		raw, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		change[name] = raw
	}
	for _, pair := range files {
		name, value, err := secretPair(pair)
		if err != nil {
			return nil, err
		}
		change[name] = value
	}
	if len(change) == 0 {
		return nil, usageError{errors.New("give at least one NAME=value")}
	}
	return change, nil
}

func (e *env) pluginsRemove() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "remove PLUGIN", Short: "Remove a plugin; it is kept for 30 days and can be restored", Args: oneArg("the plugin"),
		RunE: e.onAPI(func(ctx context.Context, c *client.Client, args []string) error {
			if err := e.confirm(yes, fmt.Sprintf("Remove the plugin %s?", args[0])); err != nil {
				return err
			}
			if err := c.Do(ctx, "DELETE", pluginURL(args[0]), nil, nil); err != nil {
				return err
			}
			p := e.printer()
			return p.value(map[string]string{"removed": args[0]}, func() { p.line("Removed %s. fluxway plugins restore %s brings it back.", args[0], args[0]) })
		}),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

var errPluginProblems = errors.New("the plugin has problems")

func (e *env) pluginsCheck() *cobra.Command {
	return &cobra.Command{Use: "check FOLDER", Short: "What is wrong with a plugin's files; needs no server", Args: oneArg("the folder"), RunE: func(_ *cobra.Command, args []string) error {
		folder, err := filepath.Abs(args[0])
		if err != nil {
			return err
		}
		m, problems := app.ReadPlugin(folder)
		if problems == nil {
			problems = []plugins.Problem{}
		}
		p := e.printer()
		err = p.value(map[string]any{"name": m.Name, "version": m.Version, "problems": problems}, func() {
			for _, problem := range problems {
				p.line("%s", harmless(problem.String()))
			}
			if len(problems) == 0 {
				p.line("%s %s is in order.", m.Name, m.Version)
			}
			if len(m.Workflows) > 0 {
				p.line("Its workflows are kept and not run yet.")
			}
		})
		if err == nil && len(problems) > 0 {
			err = errPluginProblems
		}
		return err
	}}
}

func (e *env) pluginsNew() *cobra.Command {
	return &cobra.Command{Use: "new FOLDER", Short: "Make a folder with a plugin to begin with", Args: oneArg("the folder"), RunE: func(_ *cobra.Command, args []string) error {
		folder, err := filepath.Abs(args[0])
		if err != nil {
			return err
		}
		name := filepath.Base(folder)
		if err := plugins.Begin(folder, name); err != nil {
			return err
		}
		p := e.printer()
		return p.value(map[string]string{"plugin": name, "folder": folder}, func() {
			p.line("Made %s. Then: fluxway plugins check %s, fluxway plugins install --link %s", folder, args[0], args[0])
		})
	}}
}

// secretPair reads NAME=@file.
func secretPair(pair string) (string, json.RawMessage, error) {
	name, file, ok := strings.Cut(pair, "=@")
	if !ok {
		return "", nil, usageError{fmt.Errorf("%s is not NAME=@file", pair)}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", nil, err
	}
	raw, err := json.Marshal(strings.TrimSpace(string(text)))
	return name, raw, err
}
