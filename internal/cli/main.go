// Package cli is Crosslane's command line, one file a command: run, check, why, fix, try, explain, asm,
// dis, bench, exec and the small ones. It is a function of streams; only cmd/crosslane touches the
// process.
package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
)

// exitInterrupted is the shells' exit status for SIGINT.
const exitInterrupted = 130

// Main runs the command line args (without the program's name) and returns the exit
// status. Results go to stdout, diagnostics to stderr. When ctx is cancelled the
// command stops and the status is 130.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return run(ctx, realBackend(), args, stdin, stdout, stderr)
}

func run(ctx context.Context, api backend, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := bufio.NewWriterSize(stdout, 1<<16)
	a := &app{ctx: ctx, api: api, in: stdin, out: out, outFile: stdout, err: stderr}
	root := a.root()
	root.SetArgs(bareSweep(args))
	root.SetIn(stdin)
	root.SetOut(out)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil {
		text, _, _ := strings.Cut(err.Error(), "\n")
		d := diag.Errorf(diag.Pos{}, diag.Input, "usage", "%s", text)
		d.Remedy = suggestion(cmd, text) + "see " + cmd.CommandPath() + " --help"
		a.report(d)
	}
	if err := out.Flush(); err != nil {
		a.report(ioError(diag.Pos{}, "cannot write the results: %s", err))
	}
	if a.interrupted {
		return exitInterrupted
	}
	return max(a.reported.ExitCode(), a.status)
}

// suggestion names the commands or flags that a word resembles which is neither.
func suggestion(cmd *cobra.Command, text string) string {
	var names []string
	if word, ok := strings.CutPrefix(text, `unknown command "`); ok {
		word, _, _ = strings.Cut(word, `"`)
		names = cmd.Root().SuggestionsFor(word)
	} else if word, ok := strings.CutPrefix(text, "unknown flag: --"); ok {
		// cobra compares the names of commands only.
		flags := &cobra.Command{SuggestionsMinimumDistance: 2}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			flags.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		})
		for _, name := range flags.SuggestionsFor(word) {
			names = append(names, "--"+name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(names, " or ") + "? Else "
}

// app is one invocation.
type app struct {
	ctx     context.Context
	api     backend
	in      io.Reader
	out     *bufio.Writer
	outFile io.Writer // the writer below out
	err     io.Writer

	color     string // --color
	sourcesMu sync.Mutex
	members   map[string][]byte               // pieces of code in containers, by the names of files
	units     map[string][]crosslane.LinkFile // the units that are linked, by the name of the first one
	alone     map[string]bool                 // the units of groups that are too large to be linked
	sources   map[string]*sourceText          // the text files read, for diagnostics; empty: not readable
	reported  diag.List                       // all that was reported, for the exit status

	fellBack    sync.Once // for noteFallback
	interrupted bool
	limit       time.Duration // --timeout, for reading input; 0: none
	compiler    string        // --compiler
	status      int           // the least exit status, due to the findings of check
	skip        []string      // codes that check need not look for
	include     []string      // -I
	linked      []string      // --link
	fatbin, sm  int           // --fatbin, --sm
	defsym      []string      // --defsym
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "crosslane",
		Short: "Run, check and explain warp-level GPU code on any machine",
		Long: `Crosslane runs, checks and explains warp-level GPU code, NVIDIA PTX and AMD GCN3,
on any machine: no GPU, driver, CUDA, ROCm or LLVM is needed.

Results go to standard output, diagnostics to standard error. Exit status:
  0  done, nothing to report
  1  findings: undefined behaviour, hazards, a failed --expect
  2  bad usage or bad input
  3  something in the input is not supported; it is named
  4  the kernel trapped, faulted, deadlocked or livelocked
  5  --timeout reached
130  interrupted`,
		SilenceErrors:              true,
		SuggestionsMinimumDistance: 2,
		SilenceUsage:               true,
		Version:                    a.api.Version(),
		Args:                       cobra.NoArgs,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return input.OneOf("--color", a.color, "auto", "always", "never")
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("crosslane {{.Version}}\n")
	root.PersistentFlags().StringVar(&a.color, "color", "auto", "colour diagnostics: auto, always or never")
	complete(root, "color", "auto", "always", "never")
	root.AddCommand(a.runCommand(), a.checkCommand(), a.whyCommand(), a.recordCommand(), a.debugCommand(), a.webCommand(), a.dapCommand(), lspCommand(a), a.diffCommand(), a.fixCommand(), a.tryCommand(), a.explainCommand(), a.planCommand(), a.asmCommand(), a.disCommand(), a.benchCommand(), a.execCommand(), a.serveCommand(), a.replayCommand(), a.deviceCommand(), a.kernelsCommand(), a.extractCommand(), a.toolchainCommand(), a.initCommand(), a.schemaCommand(), a.versionCommand(), a.ptxasCommand(), a.nvccCommand(), a.fatbinaryCommand(), a.nvlinkCommand(), a.nvvmCommand(), a.hiprtcCommand())
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		switch c.Name() { // cobra answers an unknown argument with help, and status 0
		case "completion":
			c.RunE = func(*cobra.Command, []string) error { return errors.New("want bash, zsh, fish or powershell") }
		case "help":
			c.Run, c.RunE = nil, func(_ *cobra.Command, args []string) error {
				cmd, rest, err := root.Find(args)
				if err != nil || len(rest) > 0 {
					return errors.New("there is no command " + strings.Join(args, " "))
				}
				return cmd.Help()
			}
		}
	}
	return root
}

// complete makes the shell offer the words of a flag.
func complete(cmd *cobra.Command, flag string, words ...string) {
	// The only error is an unknown flag, which the tests of completion would show.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// command wraps the body of a command. Its errors are reported as diagnostics; errors that cobra
// itself finds are bad usage.
func (a *app) command(body func(args []string) error) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) error {
		a.fail(body(args))
		return nil
	}
}

// fail reports an error, if there is one.
func (a *app) fail(err error) {
	if err == nil {
		return
	}
	if a.ctx.Err() != nil && (errors.Is(err, context.Canceled) || diag.Of(err)[0].Code == "cancelled") {
		a.interrupted = true
		list := diag.List{{Severity: diag.Error, Message: "interrupted"}}
		if !errors.Is(err, context.Canceled) {
			list = interrupted(diag.Of(err)) // with where the kernel was
		}
		a.show(list)
		return
	}
	a.report(diag.Of(err)...)
}

// interrupted returns diagnostics in which an interrupt is called by its name.
func interrupted(list diag.List) diag.List {
	list = slices.Clone(list)
	for i, d := range list {
		if d.Code == "cancelled" {
			c := *d
			c.Message = strings.Replace(c.Message, "the run was cancelled", "interrupted", 1)
			list[i] = &c
		}
	}
	return list
}

// report writes diagnostics to stderr and remembers them for the exit status.
func (a *app) report(l ...*diag.Diagnostic) {
	a.reported = append(a.reported, l...)
	a.show(l)
}

// show writes diagnostics to stderr.
func (a *app) show(l diag.List) {
	// Nothing can be done if stderr cannot be written.
	_ = readable(diag.Join(l)).WriteText(a.err, diag.TextOptions{Color: a.colored(), Line: a.line})
}

func (a *app) colored() bool { return a.coloredOn(a.err) }

func (a *app) coloredOn(w io.Writer) bool {
	switch a.color {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w)
}

// isTerminal reports whether the output is shown to a user. A substitute for a terminal implements
// IsTerminal itself.
func isTerminal(w io.Writer) bool {
	if t, ok := w.(interface{ IsTerminal() bool }); ok {
		return t.IsTerminal()
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func usage(format string, args ...any) error {
	return diag.Errorf(diag.Pos{}, diag.Input, "usage", format, args...)
}

func ioError(pos diag.Pos, format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(pos, diag.Input, "io", format, args...)
}
