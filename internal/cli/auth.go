package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
)

// onModels runs f on the providers of the chosen workspace.
type onModels func(cmd *cobra.Command, f func(ctx context.Context, m api.Models, ws ids.Workspace) error) error

func (e *env) onModels(cmd *cobra.Command) onModels {
	var workspace string
	cmd.PersistentFlags().StringVar(&workspace, "workspace", "", "the workspace, by id or name (default: the oldest)")
	return func(cmd *cobra.Command, f func(ctx context.Context, m api.Models, ws ids.Workspace) error) error {
		return e.models(cmd.Context(), workspace, f)
	}
}

func (e *env) authCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "auth",
		Short: "Show which model providers are ready, and give them keys",
		Long: "Shows every provider that has a key, a sign-in or settings, what state it is in, and what to do.\n" +
			"Keys come from the settings, from the provider's usual variable, or are stored here, encrypted.",
		Example: "  fluxway auth\n  fluxway auth add openai --key-file key.txt\n  fluxway auth test openai\n  fluxway auth login copilot",
		Args:    cobra.ArbitraryArgs,
	}
	on := e.onModels(cmd)
	var every bool
	cmd.Flags().BoolVar(&every, "all", false, "also providers that nothing is known of")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		return on(cmd, func(ctx context.Context, m api.Models, ws ids.Workspace) error {
			return e.authStatus(ctx, m, ws, every)
		})
	}
	cmd.AddCommand(e.authAdd(on), e.authRemove(on), e.authTest(on), e.authLogin(on))
	return cmd
}

func (e *env) authStatus(ctx context.Context, m api.Models, ws ids.Workspace, every bool) error {
	all, err := m.Providers(ctx, ws)
	if err != nil {
		return err
	}
	p := e.printer()
	return p.value(map[string]any{"providers": all}, func() {
		var rows [][]string
		var hints []string
		for _, provider := range all {
			if !provider.Configured && !every {
				continue
			}
			if provider.Hint != "" && provider.Configured {
				hints = append(hints, provider.Title+": "+provider.Hint)
			}
			if len(provider.Accounts) == 0 {
				rows = append(rows, []string{provider.Provider, provider.State, "", "", ""})
			}
			for _, a := range provider.Accounts {
				rows = append(rows, []string{provider.Provider, a.State, a.Name, kept(a), accountNote(a)})
			}
		}
		p.table([]string{"provider", "state", "account", "kept in", "note"}, rows)
		for _, hint := range hints {
			p.line("%s %s", p.paint(yellow, "!"), hint)
		}
		if len(rows) <= 1 {
			p.line("\nOnly the demonstration is ready. Set a provider's variable (OPENAI_API_KEY, ANTHROPIC_API_KEY, …),\nor store a key: fluxway auth add PROVIDER. fluxway auth --all lists all providers.")
		}
	})
}

// kept is where a credential is.
func kept(a api.ProviderAccount) string {
	if a.Source == "stored" {
		return "stored " + string(a.ID)
	}
	return strings.TrimSpace(a.Source + " " + a.Where)
}

// accountNote is why an account is not ready, and until when.
func accountNote(a api.ProviderAccount) string {
	if a.Until.IsZero() {
		return a.Reason
	}
	return fmt.Sprintf("%s Tried again at %s.", a.Reason, a.Until.Local().Format("15:04:05"))
}

func (e *env) authAdd(on onModels) *cobra.Command {
	var in api.NewAccount
	var keyFile string
	var untested bool
	cmd := &cobra.Command{
		Use:   "add PROVIDER",
		Short: "Store a key, encrypted, after asking the provider whether it works",
		Long: "Stores a key for one workspace. The key is read from --key-file (- for standard input), or asked for on a terminal;\n" +
			"it is never shown again.",
		Example: "  fluxway auth add anthropic --key-file - < key.txt",
		Args:    oneArg("the provider, such as openai"),
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := e.readKey(keyFile)
			if err != nil {
				return err
			}
			in.Provider, in.Key, in.Test = args[0], key, !untested
			return on(cmd, func(ctx context.Context, m api.Models, ws ids.Workspace) error {
				added, err := m.AddAccount(ctx, ws, in)
				if err != nil {
					return err
				}
				p := e.printer()
				return p.value(added, func() {
					p.line("%s Stored as %q (%s).", p.paint(green, "✓"), added.Account.Name, added.Account.ID)
					if added.Test != nil {
						p.line("%s", added.Test.Message)
					}
				})
			})
		},
	}
	cmd.Flags().StringVar(&in.Name, "name", "", "what to show for it (default: key)")
	cmd.Flags().StringVar(&keyFile, "key-file", "", "the file with the key; - reads standard input")
	cmd.Flags().BoolVar(&untested, "untested", false, "store it without asking the provider")
	return cmd
}

// readKey reads a key from a file, standard input or a terminal.
func (e *env) readKey(file string) (secret.Text, error) {
	var text string
	var err error
	switch {
	case file == "-":
		text, err = bufio.NewReader(io.LimitReader(e.streams.In, maxPassword)).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
	case file != "":
		var body []byte
		if body, err = os.ReadFile(file); err != nil {
			return secret.Text{}, usageError{fmt.Errorf("reading the key: %w", err)}
		}
		text = string(body)
	case onTerminal(e.streams.In):
		fmt.Fprint(e.streams.Err, "Key: ")
		var body []byte
		body, err = term.ReadPassword(int(e.streams.In.(*os.File).Fd()))
		fmt.Fprintln(e.streams.Err)
		text = string(body)
	default:
		return secret.Text{}, usageError{errors.New("--key-file is needed when there is no terminal to ask on")}
	}
	if err != nil {
		return secret.Text{}, fmt.Errorf("reading the key: %w", err)
	}
	if text = strings.TrimSpace(text); text == "" || len(text) >= maxPassword || strings.ContainsAny(text, "\r\n") {
		return secret.Text{}, usageError{errors.New("that is not a key: it is one line of text")}
	}
	return secret.New(text), nil
}

func (e *env) authRemove(on onModels) *cobra.Command {
	return &cobra.Command{
		Use:   "remove PROVIDER [ACCOUNT]",
		Short: "Forget a stored account, by its name or id",
		Args:  providerAndAccount,
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(cmd, func(ctx context.Context, m api.Models, ws ids.Workspace) error {
				a, err := storedAccount(ctx, m, ws, args)
				if err != nil {
					return err
				}
				if err := m.RemoveAccount(ctx, ws, args[0], a.ID); err != nil {
					return err
				}
				p := e.printer()
				return p.value(map[string]any{"removed": a.ID}, func() { p.line("%s %q of %s is forgotten.", p.paint(green, "✓"), a.Name, args[0]) })
			})
		},
	}
}

func providerAndAccount(cmd *cobra.Command, args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return usageError{errors.New(cmd.CommandPath() + " takes the provider and, if it has several, the account")}
	}
	return nil
}

// storedAccount finds the account that is meant: the one named, or the only one.
func storedAccount(ctx context.Context, m api.Models, ws ids.Workspace, args []string) (api.ProviderAccount, error) {
	all, err := m.Providers(ctx, ws)
	if err != nil {
		return api.ProviderAccount{}, err
	}
	var stored []api.ProviderAccount
	for _, p := range all {
		for _, a := range p.Accounts {
			if p.Provider == args[0] && a.ID != "" && (len(args) == 1 || a.Name == args[1] || string(a.ID) == args[1]) {
				stored = append(stored, a)
			}
		}
	}
	switch len(stored) {
	case 1:
		return stored[0], nil
	case 0:
		return api.ProviderAccount{}, fault.New(fault.NotFound, "account_not_found", "%s has no such stored account.", args[0]).
			WithHint("fluxway auth lists them; a key in the settings or in a variable is removed there.")
	}
	return api.ProviderAccount{}, usageError{errors.New(args[0] + " has several accounts; say which, by name or id")}
}

func (e *env) authTest(on onModels) *cobra.Command {
	return &cobra.Command{
		Use:   "test PROVIDER [ACCOUNT]",
		Short: "Ask a provider something small and say what came of it",
		Args:  providerAndAccount,
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(cmd, func(ctx context.Context, m api.Models, ws ids.Workspace) error {
				account := ""
				if len(args) == 2 {
					account = args[1]
				}
				test, err := m.TestProvider(ctx, ws, args[0], account)
				if err != nil {
					return err
				}
				p := e.printer()
				if err := p.value(test, func() {
					if test.OK {
						p.line("%s %s %d models, %d ms.", p.paint(green, "✓"), test.Message, test.Models, test.TookMS)
						return
					}
					p.line("%s %s %s", p.paint(red, "✗"), test.Message, test.Hint)
				}); err != nil {
					return err
				}
				if !test.OK {
					return problemsError{1}
				}
				return nil
			})
		},
	}
}

func (e *env) authLogin(on onModels) *cobra.Command {
	return &cobra.Command{
		Use:   "login PROVIDER",
		Short: "Sign in with a code on the provider's page (copilot)",
		Args:  oneArg("the provider: copilot"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(cmd, func(ctx context.Context, m api.Models, ws ids.Workspace) error {
				code, err := m.BeginSignIn(ctx, ws, args[0])
				if err != nil {
					return err
				}
				fmt.Fprintf(e.streams.Err, "Open %s and type %s (good until %s).\n", code.URL, code.Code, code.Expires.Local().Format("15:04"))
				for time.Now().Before(code.Expires) {
					state, err := m.PollSignIn(ctx, ws, args[0], code.SignIn)
					if err != nil {
						return err
					}
					if state.Done {
						p := e.printer()
						return p.value(state, func() { p.line("%s Signed in; stored as %q.", p.paint(green, "✓"), state.Account.Name) })
					}
				}
				return fault.New(fault.Timeout, "sign_in_expired", "Nobody typed the code in time.").WithHint("Start again.")
			})
		},
	}
}
