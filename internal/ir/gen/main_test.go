package main

import (
	"bytes"
	"os"
	"testing"
)

func TestCurrent(t *testing.T) {
	t.Parallel()
	want, err := Generate("../../../num")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../zops.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("zops.go is not what package num says; run go generate ./internal/ir")
	}
}
