package cli

import (
	"bufio"
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

//go:generate go run ./gen

// WriteReference writes the reference page of the commands, in Markdown.
func WriteReference(w io.Writer) error {
	root := Commands()
	var b strings.Builder
	b.WriteString("<!-- Generated from package internal/cli by go generate ./internal/cli. Do not edit. -->\n# Commands\n\n```\n" +
		strings.TrimSpace(root.Long) + "\n```\n\nEvery command takes `--color auto|always|never`; NO_COLOR is heeded.\n")
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			describe(&b, c)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Commands returns the tree of the commands, for pages and completions that are made of it. The
// commands are not for running: they read and write nothing.
func Commands() *cobra.Command {
	a := &app{ctx: context.Background(), api: realBackend(), out: bufio.NewWriter(io.Discard), err: io.Discard}
	return a.root()
}

func describe(b *strings.Builder, c *cobra.Command) {
	b.WriteString("\n## " + c.Name() + "\n\n" + c.Short + ".\n\n```\n")
	if c.Runnable() && c.Name() != "completion" {
		b.WriteString("crosslane " + strings.ReplaceAll(c.Use, " | ", "\ncrosslane ") + "\n\n")
	} else {
		b.WriteString("crosslane completion bash|zsh|fish|powershell\n\n")
	}
	b.WriteString(strings.TrimSpace(c.Long) + "\n")
	if c.Example != "" {
		b.WriteString("\nExamples:\n" + strings.TrimRight(c.Example, "\n") + "\n")
	}
	if f := strings.TrimRight(c.LocalFlags().FlagUsages(), "\n"); f != "" {
		b.WriteString("\nFlags:\n" + f + "\n")
	}
	b.WriteString("```\n")
}
