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
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/short"
)

// llvm returns the path of an LLVM tool. If the tool is not installed, the test is skipped; it
// fails if CROSSLANE_REQUIRE_ORACLES is 1.
func llvm(t testing.TB, name string) string {
	t.Helper()
	short.Skip(t, "LLVM is the oracle")
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

// specOf converts an assembled object to the linker's input.
func specOf(t testing.TB, o *asm.Object) *codeobject.Spec {
	t.Helper()
	s := &codeobject.Spec{Name: o.File, Version: o.CodeObjectVersion, Flags: codeobject.FlagsV2}
	for _, x := range o.Sections {
		s.Sections = append(s.Sections, codeobject.SpecSection(x))
	}
	for _, x := range o.Symbols {
		s.Symbols = append(s.Symbols, codeobject.SpecSymbol(x))
	}
	for _, x := range o.Relocs {
		s.Relocs = append(s.Relocs, codeobject.SpecReloc{Section: x.Section, Offset: x.Offset, Kind: codeobject.RelocKind(x.Type), Symbol: x.Symbol, Addend: x.Addend})
	}
	if o.Metadata != "" && s.Version > 2 {
		m, err := codeobject.ParseMetadataYAML([]byte(o.Metadata), diag.Pos{File: o.File, Line: o.MetadataLine})
		if err != nil {
			t.Fatal(err)
		}
		s.Metadata = m
	}
	return s
}

// objectOf converts a linked object to the disassembler's input.
func objectOf(t testing.TB, file []byte) *asm.Object {
	t.Helper()
	c, err := codeobject.Load(file, "linked")
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Spec()
	if err != nil {
		t.Fatal(err)
	}
	o := &asm.Object{CodeObjectVersion: s.Version}
	for _, x := range s.Sections {
		o.Sections = append(o.Sections, asm.Section(x))
	}
	for _, x := range s.Symbols {
		o.Symbols = append(o.Symbols, asm.Symbol(x))
	}
	for _, x := range s.Relocs {
		o.Relocs = append(o.Relocs, asm.Reloc{Section: x.Section, Offset: x.Offset, Type: uint32(x.Kind), Symbol: x.Symbol, Addend: x.Addend})
	}
	if s.Metadata != nil {
		o.Metadata = s.Metadata.YAML()
	}
	if len(s.Notes) > 0 {
		o.Sections = append(o.Sections, asm.Section{Name: ".note", Type: 7, Flags: 2, Align: 4, Data: s.Notes})
	}
	return o
}

func assemble(t testing.TB, src []byte, file string) []byte {
	t.Helper()
	o, diags := asm.Assemble(src, file, asm.Options{})
	if o == nil {
		t.Fatal(diags)
	}
	b, err := codeobject.Build(specOf(t, o))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

//go:generate sh testdata/gen.sh

// asmFiles returns the assembly files that have a form linked by LLVM next to them.
func asmFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.s")
	if err != nil || len(files) < 5 {
		t.Fatal("no files", err)
	}
	return files
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func linkedName(name string) string { return strings.TrimSuffix(name, ".s") + ".co" }

// TestAssembleLikeLLVM checks that the output of Crosslane's assembler and linker equals LLVM's
// output for the same file in memory, byte for byte: code, descriptors, metadata, data, symbols and
// relocations.
func TestAssembleLikeLLVM(t *testing.T) {
	t.Parallel()
	for _, name := range asmFiles(t) {
		compareMemory(t, name, assemble(t, readFile(t, name), name), readFile(t, linkedName(name)))
	}
}

// TestDisassembleAssemble checks that the text of an object linked by Crosslane or by LLVM
// assembles to exactly the same file again.
func TestDisassembleAssemble(t *testing.T) {
	t.Parallel()
	for _, name := range asmFiles(t) {
		for who, linked := range map[string][]byte{"Crosslane": assemble(t, readFile(t, name), name), "LLVM": readFile(t, linkedName(name))} {
			text := objectOf(t, linked).Text()
			if again := assemble(t, []byte(text), name+" disassembled"); !bytes.Equal(again, linked) {
				t.Errorf("%s, linked by %s: the disassembly assembles to another file", name, who)
				compareMemory(t, name+" disassembled", again, linked)
			}
		}
	}
}

// TestDisassemblyAssemblesWithLLVM checks that LLVM reads Crosslane's text and gives the same bytes
// for it.
func TestDisassemblyAssemblesWithLLVM(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range asmFiles(t) {
		linked := readFile(t, linkedName(name))
		if bytes.Contains(linked, []byte("\x00.got\x00")) {
			continue // LLVM's linker moves a .got that it did not make itself
		}
		src, rel, fin := filepath.Join(dir, "a.s"), filepath.Join(dir, "a.o"), filepath.Join(dir, "a.co")
		if err := os.WriteFile(src, []byte(objectOf(t, linked).Text()), 0o644); err != nil {
			t.Fatal(err)
		}
		runLLVM(t, "llvm-mc", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx803", "-filetype=obj", src, "-o", rel)
		runLLVM(t, "ld.lld", "-shared", rel, "-o", fin)
		compareMemory(t, name+" disassembled, assembled by LLVM", readFile(t, fin), linked)
	}
}

// TestFixturesAreLLVMs checks that the committed objects are those of the installed LLVM.
func TestFixturesAreLLVMs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range asmFiles(t) {
		rel, fin := filepath.Join(dir, "a.o"), filepath.Join(dir, "a.co")
		runLLVM(t, "llvm-mc", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx803", "-filetype=obj", name, "-o", rel)
		runLLVM(t, "ld.lld", "-shared", rel, "-o", fin)
		compareMemory(t, name, readFile(t, fin), readFile(t, linkedName(name)))
	}
}

// compareMemory compares everything that a loader sees.
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

// TestLinkedFilesAreAccepted checks that LLVM's tools read Crosslane's linked files without a
// warning, and that they find the code and metadata.
func TestLinkedFilesAreAccepted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.co")
	for _, name := range asmFiles(t) {
		if err := os.WriteFile(file, assemble(t, readFile(t, name), name), 0o644); err != nil {
			t.Fatal(err)
		}
		for tool, args := range map[string][]string{"llvm-readelf": {"-a"}, "llvm-objdump": {"-d", "-t", "-p"}} {
			cmd := exec.Command(llvm(t, tool), append(args, file)...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil || stderr.Len() > 0 {
				t.Errorf("%s: %s: %v\n%s", name, tool, err, stderr.Bytes())
			}
			if !strings.Contains(stdout.String(), ".text") || strings.Contains(stdout.String(), "<unknown") {
				t.Errorf("%s: %s prints\n%s", name, tool, stdout.Bytes())
			}
		}
	}
}

// BenchmarkAssemble assembles a compiler's file of 22 KB.
func BenchmarkAssemble(b *testing.B) {
	src := readFile(b, "testdata/args.s")
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if o, l := asm.Assemble(src, "args.s", asm.Options{}); o == nil {
			b.Fatal(l)
		}
	}
}

// TestDescriptorsAgree checks that the assembler and the loader read a descriptor's bytes in the
// same way.
func TestDescriptorsAgree(t *testing.T) {
	t.Parallel()
	for _, name := range asmFiles(t) {
		o, err := codeobject.Load(readFile(t, linkedName(name)), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range o.Kernels {
			b := k.Descriptor.Encode()
			d, entry, ok := asm.DecodeKernelDesc(k.Name, b[:])
			if !ok || entry != k.Descriptor.EntryOffset || d.Encode(entry) != b {
				t.Errorf("%s: kernel %s: the descriptor %x becomes %+v", name, k.Name, b, d)
			}
			c := k.Descriptor
			if d.GroupSegmentSize != c.GroupSegmentSize || d.KernargSize != c.KernargSize || d.UserSGPRCount != c.UserSGPRs ||
				int(d.NextFreeVGPR) != c.VGPRs() || d.SystemVGPRWorkitemID != c.WorkitemID || d.UserSGPRDispatchPtr != c.UseDispatchPtr ||
				d.IEEEMode != c.IEEEMode || d.ExceptionIntDivZero != c.ExceptIntDivZero || d.SystemSGPRWorkgroupInfo != c.WorkgroupInfo {
				t.Errorf("%s: kernel %s: %+v and %+v", name, k.Name, d, c)
			}
		}
	}
}
