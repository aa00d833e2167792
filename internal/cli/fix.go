package cli

import (
	"io"

	"github.com/spf13/cobra"

	"crosslane/diag"
)

func (a *app) fixCommand() *cobra.Command {
	var output string
	var minimal bool
	cmd := &cobra.Command{
		Use:   "fix FILE.s [-o FILE] [--minimal]",
		Short: "Insert the missing s_nop and s_waitcnt into GCN3 assembly",
		Long: `Insert the s_nop and s_waitcnt that GCN3 assembly lacks on any path, right before the
instruction that comes too early, or in front of its loop; one that is there already is
made longer. Nothing else in the text changes. The text goes to standard output, or with
-o to a file; what was changed is told on standard error. "-" is standard input.

Which s_nop and s_waitcnt nothing needs is told, too; --minimal takes them out.`,
		Example: `  crosslane fix kernel.s -o fixed.s
  crosslane fix --minimal kernel.s | diff kernel.s -`,
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the text to `FILE`")
	cmd.Flags().BoolVar(&minimal, "minimal", false, "take out what nothing needs, too")
	cmd.RunE = a.command(func(args []string) error {
		src, shown, err := a.readInput(args[0])
		if err != nil {
			return err
		}
		r, err := a.api.Fix(src, shown, minimal)
		if err != nil {
			return err
		}
		for _, e := range r.Edits {
			d := diag.Errorf(diag.Pos{File: shown, Line: e.Line}, diag.Finding, "fixed", "%s", e)
			d.Severity = diag.Note
			a.report(d)
		}
		a.report(r.Needless...)
		a.report(r.Left...)
		if output == "" || output == "-" {
			a.out.Write(r.Text)
			return nil
		}
		return writeFile(output, true, func(w io.Writer) error {
			_, err := w.Write(r.Text)
			return err
		})
	})
	return cmd
}
