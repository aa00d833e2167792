package asm_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane/amdgpu/asm"
	"example.org/crosslane/codeobject"
)

// relocatableFiles returns sources of several origins: compiler output for each version, and
// sources of this repository.
func relocatableFiles(t testing.TB) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"testdata/*.s", "../../examples/gcn3/*.s", "../../examples/programs/*/*.s", "../../examples/programs/*.s"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, files...)
	}
	if len(all) < 20 {
		t.Fatal("too few files:", all)
	}
	return all
}

func relocatable(t testing.TB, src []byte, file string) []byte {
	t.Helper()
	o, diags := asm.Assemble(src, file, asm.Options{Relocatable: true})
	if o == nil {
		t.Fatal(diags)
	}
	b, err := codeobject.BuildRelocatable(specOf(t, o))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// withoutAddrsig leaves out the section .llvm_addrsig, which only advises a linker.
func withoutAddrsig(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, ".llvm_addrsig ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// TestRelocatableLikeLLVM checks that a relocatable file has the same sections, with their notes
// and descriptors, symbols and relocations as the file from llvm-mc. LLVM's tools must read it
// without a warning, and LLVM's linker must give the same result for both files.
func TestRelocatableLikeLLVM(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ours, theirs, linked, expected := filepath.Join(dir, "ours.o"), filepath.Join(dir, "theirs.o"), filepath.Join(dir, "ours.co"), filepath.Join(dir, "theirs.co")
	files := relocatableFiles(t)
	for i, name := range files {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") != "1" && i%8 != 0 {
			continue
		}
		src := readFile(t, name)
		if !bytes.Contains(src, []byte("amdgcn_target")) && !bytes.Contains(src, []byte("amdhsa_kernel")) {
			continue // PTX
		}
		data := relocatable(t, src, name)
		if err := os.WriteFile(ours, data, 0o644); err != nil {
			t.Fatal(err)
		}
		runLLVM(t, "llvm-mc", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx803", "-filetype=obj", name, "-o", theirs)
		got, err := likeLLVM(data)
		if err != nil {
			t.Fatal(name, err)
		}
		want, err := likeLLVM(readFile(t, theirs))
		if err != nil {
			t.Fatal(name, err)
		}
		if want = withoutAddrsig(want); got != want {
			t.Errorf("%s:\n%.3000s\nexpected\n%.3000s", name, got, want)
			continue
		}
		for tool, args := range map[string][]string{"llvm-readelf": {"-a"}, "llvm-objdump": {"-d", "-r", "-t"}} {
			cmd := exec.Command(llvm(t, tool), append(args, ours)...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil || stderr.Len() > 0 || strings.Contains(stdout.String(), "<unknown") {
				t.Errorf("%s: %s: %v\n%s%.1000s", name, tool, err, stderr.Bytes(), stdout.Bytes())
			}
		}
		runLLVM(t, "ld.lld", "-shared", ours, "-o", linked)
		runLLVM(t, "ld.lld", "-shared", theirs, "-o", expected)
		compareMemory(t, name, readFile(t, linked), readFile(t, expected))
	}
}

// TestRelocatableLinks checks that Crosslane's own linker makes the finished file from the
// relocatable file.
func TestRelocatableLinks(t *testing.T) {
	t.Parallel()
	for _, name := range asmFiles(t) {
		src := readFile(t, name)
		got, err := codeobject.Link(relocatable(t, src, name), name)
		if err != nil {
			t.Error(err)
			continue
		}
		compareMemory(t, name, got, assemble(t, src, name))
	}
}
