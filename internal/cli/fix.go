package cli

import (
	"github.com/spf13/cobra"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

func (a *app) fixCommand() *cobra.Command {
	var output string
	var o crosslane.FixOptions
	cmd := &cobra.Command{
		Use:   "fix FILE [-o FILE] [--minimal]",
		Short: "Insert the missing s_nop and s_waitcnt into GCN3 assembly; propose changes of PTX",
		Long: `Insert the s_nop and s_waitcnt that GCN3 assembly lacks on any path: right before the
instruction that comes too early, or before its loop. If a wait is already there, it is
made longer. Nothing else in the text changes. The text goes to standard output, or with
-o to a file, which may be FILE itself; the changes are listed on standard error. "-" is
standard input.

Included files are read but not changed; missing waits in them are reported.

Needless s_nop and s_waitcnt are reported, too; --minimal removes them.

For PTX it makes proposals, taken from the findings of check --static: lanes of a
membermask, the operand c of a shuffle, .sync forms, halves of shf. They are printed as a
unified diff for patch, and nothing is changed; with -o they are made in the text that is
written. Check whether they match your intention.`,
		Example: `  crosslane fix kernel.s -o fixed.s
  crosslane fix --minimal kernel.s | diff kernel.s -
  crosslane fix kernel.ptx > kernel.patch`,
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the text to `FILE`")
	cmd.Flags().BoolVar(&o.Minimal, "minimal", false, "remove needless waits, too")
	a.includeFlags(cmd)
	cmd.RunE = a.command(func(args []string) error {
		src, shown, err := a.readInput(args[0])
		if err != nil {
			return err
		}
		lo, err := a.loadOptions(shown, "auto")
		if err != nil {
			return err
		}
		o.Include, o.Symbols = lo.Include, lo.Symbols
		r, err := a.api.Fix(src, shown, o)
		if err != nil {
			return err
		}
		if r.Proposed {
			return a.propose(src, shown, output, r)
		}
		for _, e := range r.Edits {
			d := diag.Errorf(diag.Pos{File: shown, Line: e.Line}, diag.Finding, "fixed", "%s", e)
			d.Severity = diag.Note
			a.report(d)
		}
		a.report(r.Needless...)
		a.report(r.Left...)
		return a.writeResult("", output, r.Text)
	})
	return cmd
}

// propose writes the changes of PTX text that findings propose.
func (a *app) propose(src []byte, shown, output string, r *crosslane.FixResult) error {
	for _, e := range r.Edits {
		d := diag.Errorf(diag.Pos{File: shown, Line: e.Line}, diag.Finding, "proposed", "%s: %s", e.Why, e.New)
		d.Severity, d.Source = diag.Note, e.Old
		a.report(d)
	}
	for _, d := range r.Left {
		// A finding that is left does not make fix fail: check is the command that judges.
		x := *d
		if x.Class == diag.Finding {
			x.Severity = min(x.Severity, diag.Warning)
		}
		a.report(&x)
	}
	if output == "" || output == "-" {
		writeDiff(a.out, shown, string(src), string(r.Text))
		return nil
	}
	return a.writeResult("", output, r.Text)
}
