package cli

import (
	"github.com/spf13/cobra"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/driver/hiprtc"
	"example.org/crosslane/internal/input"
)

// hiprtcCommand is the command that the library libhiprtc runs: see package compilers. The request is its standard
// input, and the answer its standard output.
func (a *app) hiprtcCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "hiprtc",
		Short:  "Stand in for libhiprtc: compile HIP C++ with clang",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   a.command(a.hiprtc),
	}
}

func (a *app) hiprtc([]string) error {
	if err := hiprtc.Serve(a.ctx, a.in, a.out); err != nil {
		return ioError(diag.Pos{}, "cannot answer: %s", input.Reason(err))
	}
	return nil
}
