package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/kit/suggest"
	"github.com/fluxway/fluxway/internal/tools"
)

// Build says which binary this is.
type Build struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Date    string `json:"date"`
}

// env is what every command shares.
type env struct {
	streams Streams
	build   Build
	flags   struct {
		json   bool
		config string
		home   string
	}
}

// Main runs the command line and gives the exit code.
func Main(args []string, streams Streams, build Build) int {
	if handled, code := tools.SandboxMain(args); handled {
		return code
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	e := &env{streams: streams, build: build}
	root := e.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && !printed(err) {
		report(e.printer(), streams.Err, err)
	}
	return exitCode(err)
}

func (e *env) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "fluxway",
		Short: "Run, watch and guard a team of AI agents on your own machine",
		Long: "Fluxway runs, watches and guards a team of AI agents on your own machine.\n\n" +
			"  fluxway up        starts it; open the address it prints\n" +
			"  fluxway doctor    says what is wrong and how to mend it\n\n" + exitHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          holdOnly,
	}
	root.SetIn(e.streams.In)
	root.SetOut(e.streams.Out)
	root.SetErr(e.streams.Err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.PersistentFlags().BoolVar(&e.flags.json, "json", false, "print JSON for programs")
	root.PersistentFlags().StringVar(&e.flags.config, "config", "", "the settings file (default: fluxway.yaml here, in the data folder, or in the XDG folder)")
	root.PersistentFlags().StringVar(&e.flags.home, "home", "", "the data folder (or FLUXWAY_HOME)")
	root.CompletionOptions.HiddenDefaultCmd = false
	root.AddCommand(
		e.upCommand(), e.chatCommand(), e.runCommand(), e.agentsCommand(), e.setupCommand(), e.keysCommand(), e.configCommand(), e.doctorCommand(),
		e.backupCommand(), e.restoreCommand(), e.authCommand(), e.modelsCommand(), e.costsCommand(), e.memoryCommand(), e.knowledgeCommand(), e.guardCommand(), e.casesCommand(), e.jobsCommand(), e.mcpCommand(), e.pluginsCommand(), e.versionCommand(),
	)
	return root
}

func unknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	message := cmd.CommandPath() + " has no command " + name
	if near, ok := suggest.Closest(name, names); ok {
		return usageError{errors.New(message + "; did you mean " + near + "?")}
	}
	return usageError{errors.New(message + "; " + cmd.CommandPath() + " --help lists them")}
}

// group is a command that only holds others.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs, RunE: holdOnly}
	cmd.AddCommand(commands...)
	return cmd
}

func holdOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return unknownCommand(cmd, args[0])
}

func (e *env) printer() printer {
	return printer{out: e.streams.Out, json: e.flags.json, colour: onTerminal(e.streams.Out)}
}

// load reads the settings with this command line's flags on top.
func (e *env) load(flags map[string]string) (*config.Loaded, config.Sources, error) {
	src, err := config.System()
	if err != nil {
		return nil, src, err
	}
	src.File = e.flags.config
	src.Flags = map[string]string{}
	for path, value := range flags {
		if value != "" {
			src.Flags[path] = value
		}
	}
	if e.flags.home != "" {
		src.Flags["data"] = e.flags.home
	}
	loaded, err := config.Load(src)
	return loaded, src, err
}

// noArgs refuses arguments as a usage error.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{errors.New(cmd.CommandPath() + " takes no arguments; got " + strings.Join(args, " "))}
	}
	return nil
}
