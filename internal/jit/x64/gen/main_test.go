package main

import (
	"bytes"
	"os"
	"testing"
)

func TestCurrent(t *testing.T) {
	t.Parallel()
	ops, table, err := Generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{"../zops.go": ops, "../ztable.go": table} {
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the rows say; run go generate ./internal/jit/x64", name)
		}
	}
}
