// Command gen writes docs/reference/diagnostics.md from the registry of codes. Run
// it with go generate ./diag.
package main

import (
	"bytes"
	"log"
	"os"
	"path/filepath"

	"example.org/crosslane/diag"
)

func main() {
	var b bytes.Buffer
	if err := diag.WriteReference(&b); err != nil {
		log.Fatal(err)
	}
	name := filepath.Join("..", "docs", "reference", "diagnostics.md")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}
