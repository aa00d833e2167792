package cli

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/driver"
)

// deviceCommand serves a device to the process that started it, over a socket that it inherits. The Python package
// starts it. It is hidden: its messages are those of this version only.
func (a *app) deviceCommand() *cobra.Command {
	var fd int
	var target string
	var o crosslane.DeviceOptions
	cmd := &cobra.Command{
		Use:    "device --fd N",
		Short:  "Serve a device to the process that starts it",
		Args:   cobra.NoArgs,
		Hidden: true,
	}
	fl := cmd.Flags()
	fl.IntVar(&fd, "fd", -1, "the number of the file that is the socket")
	fl.StringVar(&target, "target", "sm_80", "the device")
	fl.BoolVar(&o.Check, "check", false, "check every launch and every copy")
	fl.BoolVar(&o.KeepGoing, "keep-going", false, "report a fault, and go on")
	fl.DurationVar(&o.Timeout, "timeout", 0, "the time of a launch")
	fl.Uint64Var(&o.MemoryBytes, "memory", 0, "the bytes of the device; 0: as usual")
	fl.StringVar(&o.Engine, "engine", "", "the engine")
	fl.IntVar(&o.Workers, "workers", 0, "blocks at a time; 0: chosen")
	cmd.RunE = a.command(func([]string) error {
		if fd < 3 {
			return usage("--fd must be the number of a socket")
		}
		if err := driver.ServeFile(os.NewFile(uintptr(fd), "the file of --fd"), target, o, a.err); err != nil {
			if list := (diag.List)(nil); errors.As(err, &list) {
				return err
			}
			return ioError(diag.Pos{}, "the device cannot be served: %s", err)
		}
		return nil
	})
	return cmd
}
