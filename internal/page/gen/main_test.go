package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The gallery in the repository is the one that the examples make.
func TestGalleryIsCurrent(t *testing.T) {
	out := filepath.Join(t.TempDir(), "gallery.json")
	if err := write("../../../examples", out); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../gallery.json")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("internal/page/gallery.json is not current (%v): run go generate ./internal/page", err)
	}
}
