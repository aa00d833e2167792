package cli

import (
	"github.com/spf13/cobra"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/driver/nvvm"
	"example.org/crosslane/internal/input"
)

// nvvmCommand is the command that the stand-in for libnvvm runs: see package compilers. The request is its standard
// input, and the answer its standard output.
func (a *app) nvvmCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "nvvm",
		Short:  "Stand in for libnvvm: compile NVVM IR to PTX with LLVM",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   a.command(a.nvvm),
	}
}

func (a *app) nvvm([]string) error {
	if err := nvvm.Serve(a.ctx, a.in, a.out); err != nil {
		return ioError(diag.Pos{}, "cannot answer: %s", input.Reason(err))
	}
	return nil
}
