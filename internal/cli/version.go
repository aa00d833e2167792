package cli

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"example.org/crosslane/internal/input"
	"example.org/crosslane/ptx"
)

// versionJSON is the result of version, schema crosslane.version/1.
type versionJSON struct {
	Schema  string   `json:"schema"`
	Version string   `json:"version"`
	Go      string   `json:"go"`
	OS      string   `json:"os"`
	Arch    string   `json:"arch"`
	Engines []string `json:"engines"`
	PTX     string   `json:"ptx"`
	GCN3    string   `json:"gcn3"`
}

func (a *app) versionCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, the engines and the instruction sets",
		Args:  cobra.NoArgs,
	}
	formatFlag(cmd, &format, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := input.OneOf("--format", format, "text", "json"); err != nil {
			return err
		}
		return a.command(func([]string) error {
			v := versionJSON{
				Schema: "crosslane.version/1", Version: a.api.Version(), Go: runtime.Version(),
				OS: runtime.GOOS, Arch: runtime.GOARCH, Engines: a.api.Engines(),
				PTX: "1.0 to " + ptx.NewestVersion.String(), GCN3: "gfx803",
			}
			if format == "json" {
				return a.writeJSON(v)
			}
			fmt.Fprintf(a.out, "crosslane %s\n%s %s/%s\nengines: %s\nptx: ISA %s\ngcn3: %s\n",
				v.Version, v.Go, v.OS, v.Arch, strings.Join(v.Engines, " "), v.PTX, v.GCN3)
			return nil
		})(cmd, args)
	}
	return cmd
}
