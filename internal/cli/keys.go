package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/internal/app"
	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
)

func (e *env) keysCommand() *cobra.Command {
	var workspace string
	cmd := group("keys", "Make, list and revoke API keys")
	cmd.PersistentFlags().StringVar(&workspace, "workspace", "", "the workspace, by id or name (default: the oldest)")
	as := func(cmd *cobra.Command, f func(ctx context.Context, l *app.Local) error) error {
		return e.local(cmd.Context(), func(ctx context.Context, l *app.Local) error {
			ctx, err := l.As(ctx, workspace)
			if err != nil {
				return err
			}
			return f(ctx, l)
		})
	}
	cmd.AddCommand(e.keysCreate(as), e.keysList(as), e.keysRevoke(as))
	return cmd
}

// asAdmin runs f on the local data as an administrator of the chosen workspace.
type asAdmin func(cmd *cobra.Command, f func(ctx context.Context, l *app.Local) error) error

func (e *env) keysCreate(as asAdmin) *cobra.Command {
	var in identity.NewKey
	var expires string
	cmd := &cobra.Command{
		Use:     "create",
		Short:   "Make a key; it is printed once",
		Example: "  fluxway keys create --name ci --json\n  fluxway keys create --name dashboard --scopes 'costs:read,runs:read' --expires 90d",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if in.Name == "" {
				return usageError{errors.New("--name is needed: what will use the key")}
			}
			if expires != "" {
				life, err := config.ParseDuration(expires)
				if err != nil || life <= 0 {
					return usageError{errors.New("--expires is a time from now, such as 12h or 90d")}
				}
				in.Expires = time.Now().Add(life.Std())
			}
			return as(cmd, func(ctx context.Context, l *app.Local) error {
				key, text, err := l.Identity.CreateKey(ctx, in)
				if err != nil {
					return err
				}
				p := e.printer()
				shown := struct {
					Key    string       `json:"key"`
					Record identity.Key `json:"record"`
				}{text.Reveal(), key}
				return p.value(shown, func() {
					p.line("%s", text.Reveal())
					p.line("%s", p.paint(dim, "Keep it now: it is not shown again. Revoke it with fluxway keys revoke "+string(key.ID)))
				})
			})
		},
	}
	cmd.Flags().StringVar(&in.Name, "name", "", "what will use the key")
	cmd.Flags().StringSliceVar(&in.Scopes, "scopes", nil, "what it may do, such as conversations:*,runs:read (default: all that an administrator may)")
	cmd.Flags().StringSliceVar(&in.Allow, "allow", nil, "addresses or networks it may be used from (default: anywhere)")
	cmd.Flags().StringVar(&expires, "expires", "", "how long it is good, such as 90d (default: until it is revoked)")
	return cmd
}

func (e *env) keysList(as asAdmin) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the keys of a workspace",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return as(cmd, func(ctx context.Context, l *app.Local) error {
				keys, err := l.Identity.Keys(ctx, page.Query{Limit: page.MaxLimit})
				if err != nil {
					return err
				}
				p := e.printer()
				return p.value(keys, func() {
					var rows [][]string
					for _, k := range keys.Data {
						rows = append(rows, []string{string(k.ID), k.Name, k.Hint + "…", strings.Join(k.Scopes, ","), when(k.UsedAt, "never"), when(k.ExpiresAt, "never"), state(k)})
					}
					if len(rows) == 0 {
						p.line("No keys yet. fluxway keys create --name NAME makes one.")
						return
					}
					p.table([]string{"id", "name", "key", "scopes", "used", "expires", "state"}, rows)
				})
			})
		},
	}
}

func (e *env) keysRevoke(as asAdmin) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke KEY-ID",
		Short: "Make a key useless at once",
		Args:  oneArg("the key's id, as fluxway keys list shows it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := ids.Parse[ids.Key](args[0])
			if err != nil {
				return err
			}
			return as(cmd, func(ctx context.Context, l *app.Local) error {
				if err := l.Identity.RevokeKey(ctx, id); err != nil {
					return err
				}
				p := e.printer()
				return p.value(map[string]any{"revoked": id}, func() { p.line("%s %s is revoked.", p.paint(green, "✓"), id) })
			})
		},
	}
}

func state(k identity.Key) string {
	switch {
	case !k.RevokedAt.IsZero():
		return "revoked"
	case !k.ExpiresAt.IsZero() && time.Now().After(k.ExpiresAt):
		return "expired"
	}
	return "good"
}

func when(t time.Time, never string) string {
	if t.IsZero() {
		return never
	}
	return t.Local().Format("2006-01-02 15:04")
}

// oneArg wants exactly one argument and says which.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usageError{errors.New(cmd.CommandPath() + " takes one argument: " + what)}
		}
		return nil
	}
}
