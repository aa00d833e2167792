package cli

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/launchspec"
	"example.org/crosslane/internal/results"
	"example.org/crosslane/internal/value"
)

// tryFlags are the flags of try and explain as written.
type tryFlags struct {
	isa, exec, as, format string
	set, show             []string
	timeout               string
	trace                 bool
}

const setHelp = `REG is a register as the instruction names it; TYPE is u32 unless said (u64 for
register pairs); INIT is iota, iota:START, fill:V, zero, rand:SEED, V,V,... or
@FILE, for every lane, or one value for all of them.`

func (a *app) tryCommand() *cobra.Command {
	var f tryFlags
	cmd := &cobra.Command{
		Use:   "try [--isa ptx|gcn3] [--set REG[:TYPE]=INIT]... 'INSTR; INSTR; ...'",
		Short: "Run a few instructions on registers, lane by lane",
		Long: `A scratchpad: run instructions without a kernel and print the registers they wrote,
lane by lane. Registers are declared by use; those not --set are uninitialised and
shown as "?"; with --as hex, the digits with undefined bits are. "-" reads the
instructions from standard input.

` + setHelp,
		Example: `  crosslane try --set %r1=iota 'shfl.sync.bfly.b32 %r2|%p1, %r1, 16, 0x1f, 0xffffffff;'
  crosslane try --isa gcn3 --set v0:f32=fill:1 'v_add_f32 v1, v0, v0 row_shr:1 bound_ctrl:0'`,
		Args: cobra.ExactArgs(1),
	}
	f.register(cmd)
	cmd.Flags().StringArrayVar(&f.show, "show", nil, "show register `REG` (default: all written)")
	cmd.Flags().BoolVar(&f.trace, "trace", false, "show the registers after each instruction too")
	cmd.Flags().StringVar(&f.as, "as", "", "read 32-bit registers as f32, u32, s32 or hex")
	cmd.Flags().StringVar(&f.timeout, "timeout", "10s", "stop after `DURATION`")
	complete(cmd, "as", "f32", "u32", "s32", "hex")
	formatFlag(cmd, &f.format, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check("text", "json"); err != nil {
			return err
		}
		if f.as != "" {
			if err := input.OneOf("--as", f.as, "f32", "u32", "s32", "hex"); err != nil {
				return err
			}
		}
		return a.command(func(args []string) error { return a.try(&f, args[0]) })(cmd, args)
	}
	return cmd
}

func (f *tryFlags) register(cmd *cobra.Command) {
	isaFlag(cmd, &f.isa)
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "give a register its value, `REG[:TYPE]=INIT`")
	cmd.Flags().StringVar(&f.exec, "exec", "", "the active lanes, `MASK` (default: all)")
}

func (f *tryFlags) check(formats ...string) error {
	if err := input.OneOf("--format", f.format, formats...); err != nil {
		return err
	}
	return input.OneOf("--isa", f.isa, "auto", "ptx", "gcn3")
}

// options turns the flags into sets and the EXEC mask.
func (f *tryFlags) options(isa crosslane.ISA) (sets []crosslane.TrySet, exec *uint64, err error) {
	for _, s := range f.set {
		t, err := input.ParseSet(s, isa, input.Values(""))
		if err != nil {
			return nil, nil, err
		}
		sets = append(sets, t)
	}
	if f.exec == "" {
		return sets, nil, nil
	}
	typ := value.Type("u64")
	if isa == crosslane.PTX {
		typ = "u32"
	}
	m, err := value.Parse(typ, f.exec)
	if err != nil {
		return nil, nil, diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "--exec: %s", err)
	}
	return sets, &m, nil
}

// instructions are the command's argument, or standard input for "-".
func (a *app) instructions(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	data, _, err := a.readInput(arg)
	return string(data), err
}

func (a *app) try(f *tryFlags, arg string) error {
	out := results.Try{Schema: "crosslane.try/1"}
	err := a.tryText(f, arg, &out)
	if f.format != "json" {
		return err
	}
	if out.Findings = append(out.Findings, diag.Of(err)...); out.Findings == nil {
		out.Findings = diag.List{}
	}
	if jerr := a.writeJSON(out); err == nil {
		return jerr
	}
	return err
}

func (a *app) tryText(f *tryFlags, arg string, out *results.Try) error {
	src, err := a.instructions(arg)
	if err != nil {
		return err
	}
	a.remember("try", []byte(src))
	isa := input.GuestISA(f.isa, src)
	sets, exec, err := f.options(isa)
	if err != nil {
		return err
	}
	limit, err := launchspec.ParseTimeout(f.timeout)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(a.ctx, limit)
	defer cancel()
	res, err := a.api.Try(ctx, src, crosslane.TryOptions{ISA: isa, Set: sets, Exec: exec, Show: f.show, Trace: f.trace})
	if err != nil && ctx.Err() != nil && a.ctx.Err() == nil {
		err = diag.Errorf(diag.Pos{}, diag.Timeout, "timeout", "the time limit of %s was reached", limit)
	}
	if res == nil {
		return err
	}
	for _, d := range res.Findings {
		d.Kernel, d.Blocks = "", 0 // there is one wave, and no kernel
	}
	out.ISA, out.Lanes, out.Findings = res.ISA, res.Lanes, res.Findings
	if f.format == "json" {
		out.Registers = results.Registers{List: res.Registers, As: f.as}
		for _, s := range res.Steps {
			out.Steps = append(out.Steps, results.Step{Text: s.Text, Registers: results.Registers{List: s.Registers, As: f.as}})
		}
	} else {
		a.out.WriteString(results.TryText(res, f.as))
	}
	a.report(res.Findings...)
	return err
}
