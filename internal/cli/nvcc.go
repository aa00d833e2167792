package cli

import (
	"github.com/spf13/cobra"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/driver/host"
)

// nvccCommand is the command that programs find as nvcc: see package compilers. NVIDIA's nvcc compiles; where machine code
// alone is asked for, it writes PTX.
func (a *app) nvccCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "nvcc [OPTIONS] FILE...",
		Short:              "Stand in for NVIDIA's compiler: ask it for PTX",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: a.command(func(args []string) error {
			status, ok, err := host.NVCC(args, a.in, a.outFile, a.err)
			if !ok {
				return usage("nvcc is for programs that crosslane exec starts, and that have an nvcc themselves")
			}
			if err != nil {
				return ioError(diag.Pos{}, "cannot run nvcc: %s", err)
			}
			a.status = status
			return nil
		}),
	}
}
