package main

import (
	"bytes"
	"os"
	"testing"
)

func TestCurrent(t *testing.T) {
	t.Parallel()
	src, err := Generate("../../../../num")
	if err != nil {
		t.Fatal(err)
	}
	asm, decl, err := GenerateAsm()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{"zops.go": src, "zasm_amd64.s": asm, "zasm_amd64.go": decl} {
		got, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the table says; run go generate ./internal/engine/interp", name)
		}
	}
}
