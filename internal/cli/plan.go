package cli

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/launchspec"
	"example.org/crosslane/internal/value"
)

// planFlags are the flags of plan as written.
type planFlags struct {
	target, prefer, active, format, timeout string
}

func (a *app) planCommand() *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:   "plan GOAL --target sm_80|gfx803 [--prefer latency|throughput|no-lds|registers] [--active MASK]",
		Short: "Find the cheapest instructions for a lane map, a reduction or a scan, and prove them",
		Long: `Find the cheapest instructions with which every lane reads the lane that the goal names.
Each answer was assembled and run on values that show the lane they come from; the check
of all paths found no missing wait. An answer reads v0 or %r0 and writes v1 or %r1.

GOAL is one of:
  xor K, rotate K [in W], reverse [in W], broadcast L [in W], transpose RxC,
  shift K [in W] fill zero|keep|any, bits 2:0,5:3, identity
  a list of sources, one per lane: 1,0,3,2,z,=,*,... (z: zero, =: keep, *: any)
  a call: '__shfl_down_sync(m, v, 4, 16)', '__shfl_xor(v, 16)'
  an instruction of either instruction set with a lane map
  reduce [OP], scan [inclusive|exclusive|segmented] [OP], ballot-rank, argmax [TYPE]
  OP: add, min or max with u32, s32 or f32; and, or, xor (default: add u32)

Lane i of rotate K and shift K reads lane i + K. Cycles are weights that order the answers.`,
		Example: `  crosslane plan 'xor 16' --target gfx803
  crosslane plan 'ds_swizzle_b32 v1, v0 offset:swizzle(REVERSE,16)' --target sm_80
  crosslane plan 'rotate 4' --target gfx803 --prefer no-lds
  crosslane plan 'scan exclusive add f32' --target gfx803`,
		Args: cobra.ExactArgs(1),
	}
	fl := cmd.Flags()
	fl.StringVar(&f.target, "target", "", "the chip: `TARGET` is gfx803 or a target of PTX, such as sm_80")
	fl.StringVar(&f.prefer, "prefer", "latency", "what the first answer is best in: latency, throughput, no-lds or registers")
	fl.StringVar(&f.active, "active", "", "the active lanes, `MASK` (default: all)")
	fl.StringVar(&f.timeout, "timeout", "10s", "stop after `DURATION`")
	complete(cmd, "prefer", "latency", "throughput", "no-lds", "registers")
	formatFlag(cmd, &f.format, "text", "json", "svg")
	cmd.RunE = a.command(func(args []string) error { return planning{a}.plan(&f, args[0]) })
	return cmd
}

// planning makes plans for the command line.
type planning struct{ *app }

// plan is the command's body.
func (a planning) plan(f *planFlags, goal string) error {
	if err := input.OneOf("--format", f.format, "text", "json", "svg"); err != nil {
		return err
	}
	p, err := a.find(f, goal)
	if err != nil {
		if f.format == "json" {
			if jerr := a.writeJSON(failedJSON{"crosslane.plan/1", diag.Of(err)}); jerr != nil {
				return jerr
			}
		}
		return err
	}
	switch f.format {
	case "json":
		b, err := withSchema("crosslane.plan/1", p)
		if err != nil {
			return ioError(diag.Pos{}, "cannot write the plan: %s", err)
		}
		a.out.Write(b)
	case "svg":
		svg := p.SVG()
		if len(svg) == 0 {
			return usage("there is no picture of %s: it is no lane map; the formats are text and json", p.Goal)
		}
		a.out.Write(bytes.TrimRight(svg, "\n"))
		a.out.WriteByte('\n')
	default:
		a.out.WriteString(p.Text())
	}
	return nil
}

// find reads the flags and finds the answers.
func (a planning) find(f *planFlags, goal string) (*crosslane.PlanResult, error) {
	o := crosslane.PlanOptions{Target: f.target, Prefer: f.prefer}
	if f.target == "" {
		return nil, usage("--target is missing: gfx803, or a target of PTX such as sm_80")
	}
	if f.active != "" {
		m, err := value.Parse("u64", f.active)
		if err != nil {
			return nil, diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "--active: %s", err)
		}
		o.Active = &m
	}
	limit, err := launchspec.ParseTimeout(f.timeout)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(a.ctx, limit)
	defer cancel()
	goal, err = a.instructions(goal)
	if err != nil {
		return nil, err
	}
	return crosslane.Plan(ctx, goal, o)
}
