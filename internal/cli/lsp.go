package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.org/crosslane"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/lsp"
)

func lspCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor's language client (Language Server Protocol) on standard input and output",
		Long: `Serve an editor that speaks the Language Server Protocol, on standard input and output: findings of
check --static while you type, their fixes, explanations of instructions with the lanes that read each
other, completion from the tables of instructions, definitions, references and renaming.

The languages are ptx, gcn3 and cuda-cpp, whose asm statements hold PTX. Settings, as initializationOptions or in workspace/didChangeConfiguration
below crosslane:
  pictures  SVG images in hovers (true)       hints   who reads whom, at the end of lines (true)
  lenses    Run and Check above kernels (true)  delay   milliseconds until a changed text is checked (120)`,
		Args: cobra.NoArgs,
	}
	cmd.RunE = a.command(func([]string) error {
		return lsp.Serve(a.ctx, a.in, flushing{a}, lsp.Options{
			Version: a.api.Version(),
			Include: func(file string) func(string) ([]byte, error) {
				if !filepath.IsAbs(file) {
					return nil
				}
				return crosslane.IncludeFrom(filepath.Dir(file))
			},
			Command: editorHost{a}.command,
			Plan: func(ctx context.Context, goal, target string) (string, error) {
				p, err := crosslane.Plan(ctx, goal, crosslane.PlanOptions{Target: target})
				if err != nil {
					return "", err
				}
				return p.Text(), nil
			},
		})
	})
	return cmd
}

// editorHost carries out the commands of an editor.
type editorHost struct{ *app }

// command runs or checks a kernel of a text that an editor shows, and returns the text of the command line.
func (a editorHost) command(ctx context.Context, name, file, text, kernel string, args []string) (string, error) {
	line := []string{name, "--color", "never"}
	program, stdin := file, ""
	if saved, err := os.ReadFile(file); err != nil || string(saved) != text {
		program, stdin = "-", text
	}
	line = append(line, program)
	if kernel != "" {
		line = append(line, "--kernel", kernel)
	}
	switch beside := launchBeside(file); {
	case len(args) > 0:
		line = append(line, args...)
	case beside != "":
		line = append(line, "--launch", beside)
	case name == "check":
		line = append(line, "--static")
	default:
		return "", usage("run needs a launch: give arguments, or write %s with crosslane init", filepath.Base(strings.TrimSuffix(file, filepath.Ext(file))+".launch.json"))
	}
	var out bytes.Buffer
	quoted := make([]string, len(line))
	for i, w := range line {
		quoted[i] = input.Quoted(w)
		if !strings.ContainsAny(w, " \t\"'\\$;&|<>()[]*?") && w != "" {
			quoted[i] = w
		}
	}
	out.WriteString("$ crosslane " + strings.Join(quoted, " ") + "\n")
	run(ctx, a.api, line, strings.NewReader(stdin), &out, &out)
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return out.String(), nil
}
