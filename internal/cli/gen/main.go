// Command gen writes docs/reference/commands.md from the command line's own help, and
// docs/schema from its schemas.
// Run it with go generate ./internal/cli.
package main

import (
	"bytes"
	"log"
	"os"
	"path/filepath"

	"example.org/crosslane/internal/cli"
)

func main() {
	var b bytes.Buffer
	if err := cli.WriteReference(&b); err != nil {
		log.Fatal(err)
	}
	name := filepath.Join("..", "..", "docs", "reference", "commands.md")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
	for file, text := range map[string]string{"launch.json": cli.LaunchSchema, "output.json": cli.OutputSchema()} {
		name = filepath.Join("..", "..", "docs", "schema", file)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
