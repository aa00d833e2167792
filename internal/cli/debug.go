package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/debug"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/recfile"
)

// debugFlags are the flags of debug as written.
type debugFlags struct {
	recordFlags
	script string
}

// registerRecorded registers the flags that choose a launch to record, with undefined bits and findings by default.
func (f *recordFlags) registerRecorded(a *app, cmd *cobra.Command) {
	f.registerLaunch(a, cmd)
	cmd.Flags().BoolVar(&f.check, "check", true, "also record undefined bits and the findings of check; false: the launch runs once")
}

func (a *app) debugCommand() *cobra.Command {
	var f debugFlags
	cmd := &cobra.Command{
		Use:   "debug FILE [the arguments of run] [-x FILE]",
		Short: "Step through a launch, forwards and backwards",
		Long: `Record a launch of FILE as record does, and read commands that move through it: step, back,
continue, reverse-continue, breakpoints with conditions over lanes, watches of a lane's
register or of an element of memory. help lists them.

FILE can also be a recording, or a trace of exec: --launch N is then a launch of it.
Without a terminal there is no prompt; -x reads the commands from a file, and the first one
that fails ends it.`,
		Example: `  crosslane debug examples/ptx/mistakes.ptx --kernel partial_reduce --grid 1 --block 32 \
    --arg in:s32[32]=fill:1 --arg out:s32[1] --arg 20 -x commands.txt`,
		Args: cobra.ExactArgs(1),
	}
	fl := cmd.Flags()
	f.registerRecorded(a, cmd)
	fl.StringVarP(&f.script, "execute", "x", "", "read commands from `FILE`")
	formatFlag(cmd, &f.format, "text", "json")
	cmd.RunE = a.command(func(args []string) error { return a.debug(&f, fl.Changed, args[0]) })
	return cmd
}

// debug is the command's body.
func (a *app) debug(f *debugFlags, changed func(string) bool, file string) error {
	if err := input.OneOf("--format", f.format, "text", "json"); err != nil {
		return err
	}
	if file == "-" && f.script == "" {
		return usage("debug reads commands from standard input: name a file, or give -x FILE")
	}
	commands, name := a.in, stdinName
	if f.script != "" {
		in, _, err := input.Open(f.script)
		if err != nil {
			return err
		}
		defer in.Close()
		commands, name = in, f.script
	}
	rec, err := a.anyRecording(&f.recordFlags, changed, file)
	if err != nil {
		return err
	}
	o := debug.Options{JSON: f.format == "json", Source: a.line, Stop: f.script != ""}
	if in, ok := commands.(*os.File); ok && !o.JSON && term.IsTerminal(int(in.Fd())) {
		o.Prompt = "(crosslane) "
	}
	err = debug.New(rec).Run(a.ctx, commands, flushing{a}, o)
	if err != nil && a.ctx.Err() == nil {
		return diag.Errorf(diag.Pos{File: name}, diag.Input, "usage", "%s", err)
	}
	return err
}

// flushing writes to standard output at once.
type flushing struct{ a *app }

func (w flushing) Write(b []byte) (int, error) {
	n, err := w.a.out.Write(b)
	w.a.out.Flush()
	return n, err
}

// anyRecording records a launch of a program or of a trace, or opens a recording.
func (a *app) anyRecording(f *recordFlags, changed func(string) bool, file string) (*crosslane.Recording, error) {
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	s := &recfile.Saved{Version: a.api.Version(), Options: o}
	switch start := startOf(file); {
	case recfile.Is(start):
		return a.openRecording(file)
	case isTrace(file):
		return a.recordTrace(f, changed, file, s)
	}
	return a.recordFile(f, changed, file, s)
}

func (a *app) dapCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dap",
		Short: "Serve an editor's debugger (Debug Adapter Protocol) on standard input and output",
		Long: `Serve an editor that speaks the Debug Adapter Protocol, on standard input and output. The request
launch has the members program, a file of debug, and args, a list of the arguments of run:

  {"program": "k.ptx", "args": ["--grid", "4", "--block", "256", "--arg", "in:s32[1024]=iota"]}

Further members: check (true: also undefined bits and findings) and stopOnEntry (true).`,
		Args: cobra.NoArgs,
	}
	cmd.RunE = a.command(func([]string) error { return debug.Serve(a.ctx, a.in, flushing{a}, a.launched, a.line) })
	return cmd
}

// launched makes the recording for a request of a debugger.
func (a *app) launched(_ context.Context, l debug.LaunchRequest) (*crosslane.Recording, error) {
	var f recordFlags
	cmd := &cobra.Command{Use: "launch", SilenceErrors: true, SilenceUsage: true}
	cmd.SetOut(io.Discard)
	f.registerRecorded(a, cmd)
	if err := cmd.ParseFlags(l.Args); err != nil {
		return nil, fmt.Errorf("args: %w", err)
	}
	if rest := cmd.Flags().Args(); len(rest) > 0 {
		return nil, fmt.Errorf("args: %s is no option of run; the file is the member program", input.Quoted(rest[0]))
	}
	if l.Check != nil {
		f.check = *l.Check
	}
	return a.anyRecording(&f, cmd.Flags().Changed, l.Program)
}
