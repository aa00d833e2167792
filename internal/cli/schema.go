package cli

import (
	_ "embed" // the schema
	"strings"

	"github.com/spf13/cobra"
)

// LaunchSchema is the JSON Schema of launch files; docs/schema has a copy of it.
//
//go:embed schema/launch.json
var LaunchSchema string

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "launch-schema",
		Short: "Print the JSON Schema of launch files",
		Long: `Print the JSON Schema of launch files, for editors and validators. A launch file may
name it as "$schema".`,
		Example: `  crosslane launch-schema > launch.schema.json`,
		Args:    cobra.NoArgs,
		RunE: a.command(func([]string) error {
			a.out.WriteString(strings.TrimSpace(LaunchSchema) + "\n")
			return nil
		}),
	}
}
