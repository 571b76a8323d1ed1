package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/fluxway/fluxway/internal/app"
	"github.com/fluxway/fluxway/internal/identity"
)

func (e *env) setupCommand() *cobra.Command {
	var in identity.Setup
	var passwordFile string
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Make the first administrator without a browser",
		Long: "Makes the first administrator and workspace, before or while a server runs.\n" +
			"The password is read from --password-file (- for standard input), or asked for on a terminal.",
		Example: "  fluxway setup --user mira --password-file secret.txt",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if in.Login == "" {
				return usageError{errors.New("--user is needed: the name to sign in with")}
			}
			password, err := e.readPassword(passwordFile)
			if err != nil {
				return err
			}
			in.Password = password
			return e.local(cmd.Context(), func(ctx context.Context, l *app.Local) error {
				user, workspace, err := l.Identity.SetUpLocally(ctx, in)
				if err != nil {
					return err
				}
				p := e.printer()
				return p.value(map[string]any{"user": user, "workspace": workspace}, func() {
					p.line("%s %s is the administrator of the workspace %s.", p.paint(green, "✓"), user.Login, workspace.Name)
				})
			})
		},
	}
	cmd.Flags().StringVar(&in.Login, "user", "", "the name to sign in with")
	cmd.Flags().StringVar(&in.Name, "name", "", "the name to show (default: the same)")
	cmd.Flags().StringVar(&in.Email, "email", "", "an address to reach them")
	cmd.Flags().StringVar(&in.Workspace, "workspace", "", "the name of the first workspace (default: Home)")
	cmd.Flags().StringVar(&passwordFile, "password-file", "", "the file with the password; - reads standard input")
	return cmd
}

// local opens the data, runs f and closes it.
func (e *env) local(ctx context.Context, f func(ctx context.Context, l *app.Local) error) (err error) {
	loaded, _, err := e.load(nil)
	if err != nil {
		return err
	}
	l, err := app.OpenLocal(ctx, loaded.Config, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	return f(ctx, l)
}

// maxPassword is far beyond any password; it keeps a wrong file from being read whole.
const maxPassword = 4096

func (e *env) readPassword(file string) (string, error) {
	switch {
	case file == "-":
		line, err := bufio.NewReader(io.LimitReader(e.streams.In, maxPassword)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("reading the password: %w", err)
		}
		return strings.TrimRight(line, "\r\n"), nil
	case file != "":
		f, err := os.Open(file)
		if err != nil {
			return "", usageError{fmt.Errorf("reading the password: %w", err)}
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, maxPassword))
		if err != nil {
			return "", fmt.Errorf("reading the password: %w", err)
		}
		return strings.TrimRight(string(text), "\r\n"), nil
	case onTerminal(e.streams.In):
		return e.askPassword()
	}
	return "", usageError{errors.New("--password-file is needed when there is no terminal to ask on")}
}

func (e *env) askPassword() (string, error) {
	in := e.streams.In.(*os.File)
	read := func(question string) (string, error) {
		fmt.Fprint(e.streams.Err, question)
		text, err := term.ReadPassword(int(in.Fd()))
		fmt.Fprintln(e.streams.Err)
		return string(text), err
	}
	first, err := read("Password: ")
	if err != nil {
		return "", fmt.Errorf("reading the password: %w", err)
	}
	again, err := read("Again: ")
	if err != nil {
		return "", fmt.Errorf("reading the password: %w", err)
	}
	if first != again {
		return "", usageError{errors.New("the two passwords differ")}
	}
	return first, nil
}
