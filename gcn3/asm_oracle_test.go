package gcn3_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"crosslane/codeobject"
	"crosslane/diag"
	"crosslane/gcn3"
)

// llvm is the path of an LLVM tool. A test that needs one that is not installed is
// skipped, or fails if CROSSLANE_REQUIRE_ORACLES is 1.
func llvm(t testing.TB, name string) string {
	t.Helper()
	for _, dir := range []string{"", "/usr/lib/llvm-22/bin/"} {
		for _, n := range []string{name + "-22", name} {
			if p, err := exec.LookPath(dir + n); err == nil {
				return p
			}
		}
	}
	if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
		t.Fatalf("%s-22 is not installed, but CROSSLANE_REQUIRE_ORACLES is 1", name)
	}
	t.Skipf("%s-22 is not installed", name)
	return ""
}

func runLLVM(t testing.TB, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(llvm(t, name), args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, stderr.Bytes())
	}
	return out
}

// specOf is an assembled object as the linker takes it.
func specOf(t testing.TB, o *gcn3.Object) *codeobject.Spec {
	t.Helper()
	s := &codeobject.Spec{Name: o.File, Version: o.CodeObjectVersion}
	for _, x := range o.Sections {
		s.Sections = append(s.Sections, codeobject.SpecSection(x))
	}
	for _, x := range o.Symbols {
		s.Symbols = append(s.Symbols, codeobject.SpecSymbol(x))
	}
	for _, x := range o.Relocs {
		s.Relocs = append(s.Relocs, codeobject.SpecReloc{Section: x.Section, Offset: x.Offset, Kind: codeobject.RelocKind(x.Type), Symbol: x.Symbol, Addend: x.Addend})
	}
	if o.Metadata != "" {
		m, err := codeobject.ParseMetadataYAML([]byte(o.Metadata), diag.Pos{File: o.File, Line: o.MetadataLine})
		if err != nil {
			t.Fatal(err)
		}
		s.Metadata = m
	}
	return s
}

// objectOf is a linked object as the disassembler takes it.
func objectOf(t testing.TB, file []byte) *gcn3.Object {
	t.Helper()
	c, err := codeobject.Load(file, "linked")
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Spec()
	if err != nil {
		t.Fatal(err)
	}
	o := &gcn3.Object{CodeObjectVersion: s.Version}
	for _, x := range s.Sections {
		o.Sections = append(o.Sections, gcn3.Section(x))
	}
	for _, x := range s.Symbols {
		o.Symbols = append(o.Symbols, gcn3.Symbol(x))
	}
	for _, x := range s.Relocs {
		o.Relocs = append(o.Relocs, gcn3.Reloc{Section: x.Section, Offset: x.Offset, Type: uint32(x.Kind), Symbol: x.Symbol, Addend: x.Addend})
	}
	if s.Metadata != nil {
		o.Metadata = s.Metadata.YAML()
	}
	return o
}

func assemble(t testing.TB, src []byte, file string) []byte {
	t.Helper()
	o, diags := gcn3.Assemble(src, file, gcn3.Options{})
	if o == nil {
		t.Fatal(diags)
	}
	b, err := codeobject.Build(specOf(t, o))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The files are what a compiler writes for the kernels of package codeobject.
//
//go:generate clang-22 --target=amdgcn-amd-amdhsa -mcpu=gfx803 -nogpulib -x cl -cl-std=CL2.0 -O2 -w -mcode-object-version=6 -S ../codeobject/testdata/args.cl -o testdata/asm/args.s
//go:generate clang-22 --target=amdgcn-amd-amdhsa -mcpu=gfx803 -nogpulib -x cl -cl-std=CL2.0 -O2 -w -mcode-object-version=4 -S ../codeobject/testdata/scan.cl -o testdata/asm/scan4.s
//go:generate clang-22 --target=amdgcn-amd-amdhsa -mcpu=gfx803 -nogpulib -x cl -cl-std=CL2.0 -O2 -w -mcode-object-version=5 -S ../codeobject/testdata/scan.cl -o testdata/asm/scan5.s
//go:generate clang-22 --target=amdgcn-amd-amdhsa -mcpu=gfx803 -nogpulib -x cl -cl-std=CL2.0 -O2 -w -mcode-object-version=5 -S ../codeobject/testdata/calls.cl -o testdata/asm/calls.s

// TestAssembleLikeLLVM assembles and links each file with LLVM and with
// Crosslane: all bytes in memory are the same. Then the linked object is
// disassembled and assembled again, which gives the same file.
func TestAssembleLikeLLVM(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/asm/*.s")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		rel, fin := filepath.Join(dir, "a.o"), filepath.Join(dir, "a.co")
		runLLVM(t, "llvm-mc", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx803", "-filetype=obj", name, "-o", rel)
		runLLVM(t, "ld.lld", "-shared", rel, "-o", fin)
		want, err := os.ReadFile(fin)
		if err != nil {
			t.Fatal(err)
		}
		got := assemble(t, src, name)
		compareMemory(t, name, got, want)
		for who, linked := range map[string][]byte{"Crosslane": got, "LLVM": want} {
			text := objectOf(t, linked).Text()
			again := assemble(t, []byte(text), name+" disassembled")
			if !bytes.Equal(again, linked) {
				t.Errorf("%s, linked by %s: the disassembly assembles to another file", name, who)
			}
			compareMemory(t, name+" disassembled, linked by "+who, again, linked)
		}
	}
}

// compareMemory compares all that a loader sees.
func compareMemory(t *testing.T, name string, got, want []byte) {
	t.Helper()
	g, err := codeobject.Load(got, "got")
	if err != nil {
		t.Fatal(err)
	}
	w, err := codeobject.Load(want, "want")
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Segments) != len(w.Segments) {
		t.Errorf("%s: %d segments, expected %d", name, len(g.Segments), len(w.Segments))
		return
	}
	for i := range w.Segments {
		a, b := g.Segments[i], w.Segments[i]
		if i == 0 { // offset and number of section headers, which are not in memory
			a.Data, b.Data = bytes.Clone(a.Data), bytes.Clone(b.Data)
			for _, d := range [][]byte{a.Data, b.Data} {
				clear(d[40:48])
				clear(d[60:64])
			}
		}
		if a.Addr != b.Addr || a.Size != b.Size || a.Read != b.Read || a.Write != b.Write || a.Exec != b.Exec {
			t.Errorf("%s: segment %d is %#x+%#x, expected %#x+%#x", name, i, a.Addr, a.Size, b.Addr, b.Size)
		}
		for k := range min(len(a.Data), len(b.Data)) {
			if a.Data[k] != b.Data[k] {
				t.Errorf("%s: byte at address %#x is %#x, expected %#x", name, a.Addr+uint64(k), a.Data[k], b.Data[k])
				break
			}
		}
	}
}
