package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPageIsCurrent checks that the page is the output of go generate.
func TestPageIsCurrent(t *testing.T) {
	t.Parallel()
	have, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "reference", "ptx-matrix.md"))
	if err != nil || string(have) != page() {
		t.Errorf("docs/reference/ptx-matrix.md is not what go generate ./internal/matrix makes: %v", err)
	}
}
