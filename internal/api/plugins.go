package api

import (
	"context"
	"encoding/json"
	"time"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/plugins"
)

// pluginsAPI is the plugins of this server as a workspace has them.
type pluginsAPI struct{ plugins *plugins.Manager }

// pluginTime is how long installing and enabling may take: files are copied and read.
const pluginTime = 2 * time.Minute

func (a pluginsAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/plugins", "plugins:read", "The plugins of this server, what they contribute and how they stand in the workspace.", handler(a.list)},
		{"POST", "/api/v1/plugins", "plugins:write", "Install a folder of the server's machine as a plugin. It gives nothing until it is enabled.", handler(a.install, status(201), timeout(pluginTime))},
		{"GET", "/api/v1/plugins/removed", "plugins:read", "Plugins that were removed and can be restored, the newest first.", handler(a.removed)},
		{"GET", "/api/v1/plugins/{plugin}", "plugins:read", "One plugin.", handler(a.get)},
		{"DELETE", "/api/v1/plugins/{plugin}", "plugins:write", "Remove a plugin; it is kept for 30 days and can be restored.", handler(a.remove)},
		{"POST", "/api/v1/plugins/{plugin}/enable", "plugins:write", "Agree to the files of a plugin and let it give the workspace what it contributes.", handler(a.enable, timeout(pluginTime))},
		{"POST", "/api/v1/plugins/{plugin}/disable", "plugins:write", "Take back what a plugin gives the workspace; its settings stay.", handler(a.disable, timeout(pluginTime))},
		{"PATCH", "/api/v1/plugins/{plugin}/settings", "plugins:write", "Set some of a plugin's settings: null goes back to the default, an empty secret is forgotten.", handler(a.configure, timeout(pluginTime))},
		{"POST", "/api/v1/plugins/{plugin}/restore", "plugins:write", "Bring back the plugin of this name that was removed last. It has to be enabled again.", handler(a.restore)},
	}
}

func (a pluginsAPI) list(ctx context.Context, in listQuery) (page.Page[plugins.Plugin], error) {
	all, err := a.plugins.List(ctx, workspaceOf(ctx))
	return pieceOf(in, all, err, func(p plugins.Plugin) string { return p.Name })
}

type pluginPath struct {
	Plugin string `path:"plugin" max:"64"`
}

func (a pluginsAPI) get(ctx context.Context, in pluginPath) (plugins.Plugin, error) {
	return a.plugins.Get(ctx, workspaceOf(ctx), in.Plugin)
}

type installPluginRequest struct {
	Folder string `json:"folder" required:"true" max:"4096" doc:"The path of a folder with a plugin.yaml on the server's machine."`
	Link   bool   `json:"link" doc:"Leave the files where they are, for whoever works on them; otherwise they are copied."`
}

func (a pluginsAPI) install(ctx context.Context, in installPluginRequest) (plugins.Plugin, error) {
	way := plugins.Copy
	if in.Link {
		way = plugins.Link
	}
	name, err := a.plugins.Install(ctx, workspaceOf(ctx), in.Folder, way)
	if err != nil {
		return plugins.Plugin{}, err
	}
	return a.plugins.Get(ctx, workspaceOf(ctx), name)
}

func (a pluginsAPI) removed(context.Context, none) (page.Page[plugins.Binned], error) {
	return whole(a.plugins.Bin())
}

func (a pluginsAPI) remove(ctx context.Context, in pluginPath) (nothing, error) {
	return nothing{}, a.plugins.Remove(ctx, workspaceOf(ctx), in.Plugin)
}

type enablePluginRequest struct {
	pluginPath
	Digest string `json:"digest" required:"true" max:"100" doc:"Of the files that the person looked at. If they are others by now, nothing is enabled."`
}

// after shows a plugin as it is after something was done to it.
func (a pluginsAPI) after(ctx context.Context, in pluginPath, err error) (plugins.Plugin, error) {
	if err != nil {
		return plugins.Plugin{}, err
	}
	return a.plugins.Get(ctx, workspaceOf(ctx), in.Plugin)
}

func (a pluginsAPI) enable(ctx context.Context, in enablePluginRequest) (plugins.Plugin, error) {
	return a.after(ctx, in.pluginPath, a.plugins.Enable(ctx, workspaceOf(ctx), identity.From(ctx).User, in.Plugin, in.Digest))
}

func (a pluginsAPI) disable(ctx context.Context, in pluginPath) (plugins.Plugin, error) {
	return a.after(ctx, in, a.plugins.Disable(ctx, workspaceOf(ctx), in.Plugin))
}

type configurePluginRequest struct {
	pluginPath
	Settings map[string]json.RawMessage `json:"settings" required:"true" doc:"By name. A secret is text, kept encrypted and never shown again, or ${NAME} for a variable of the server."`
}

func (a pluginsAPI) configure(ctx context.Context, in configurePluginRequest) (plugins.Plugin, error) {
	return a.after(ctx, in.pluginPath, a.plugins.Configure(ctx, workspaceOf(ctx), in.Plugin, in.Settings))
}

func (a pluginsAPI) restore(ctx context.Context, in pluginPath) (plugins.Plugin, error) {
	return a.after(ctx, in, a.plugins.Restore(ctx, workspaceOf(ctx), in.Plugin))
}
