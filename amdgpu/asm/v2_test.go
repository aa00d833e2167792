package asm_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane/amdgpu/asm"
	"example.org/crosslane/codeobject"
	"example.org/crosslane/internal/short"
)

//go:generate sh testdata/v2/gen.sh

func v2Files(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/v2/*.s")
	if err != nil || len(files) < 2 {
		t.Fatal("no files", err)
	}
	return files
}

// sameELF compares all sections and symbols of two finished files, byte for byte except for LLVM's
// mark in .comment.
func sameELF(t *testing.T, name string, got, want []byte) {
	t.Helper()
	g, err := elf.NewFile(bytes.NewReader(got))
	if err != nil {
		t.Fatal(err)
	}
	w, err := elf.NewFile(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	if g.Type != w.Type || g.OSABI != w.OSABI || g.ABIVersion != w.ABIVersion || !bytes.Equal(got[48:52], want[48:52]) {
		t.Errorf("%s: header %+v %x, expected %+v %x", name, g.FileHeader, got[48:52], w.FileHeader, want[48:52])
	}
	for _, s := range w.Sections {
		switch s.Name {
		case "", ".comment", ".symtab", ".strtab", ".shstrtab":
			continue
		}
		x := g.Section(s.Name)
		if x == nil || x.Type != s.Type || x.Flags != s.Flags || x.Addr != s.Addr || x.Size != s.Size || x.Addralign != s.Addralign {
			t.Errorf("%s: section %s is %+v, expected %+v", name, s.Name, x, s)
			continue
		}
		if s.Type == elf.SHT_NOBITS {
			continue
		}
		a, err := x.Data()
		if err != nil {
			t.Fatal(err)
		}
		b, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		for i := range b {
			if a[i] != b[i] {
				t.Errorf("%s: byte %#x of section %s is %#x, expected %#x", name, i, s.Name, a[i], b[i])
				break
			}
		}
	}
	gs, err := g.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	ws, err := w.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(gs) != fmt.Sprint(ws) {
		t.Errorf("%s: symbols\n%v, expected\n%v", name, gs, ws)
	}
}

// TestAssembleV2LikeLLVM compares Crosslane with LLVM 14 on files of code object version 2:
// compiler output, and a hand-written file with every field of .amd_kernel_code_t under both its
// names.
func TestAssembleV2LikeLLVM(t *testing.T) {
	t.Parallel()
	for _, name := range v2Files(t) {
		sameELF(t, name, assemble(t, readFile(t, name), name), readFile(t, linkedName(name)))
	}
}

// TestV2FixturesAreLLVMs checks, if LLVM 14 is installed, that the committed files are its output.
func TestV2FixturesAreLLVMs(t *testing.T) {
	t.Parallel()
	mc, err := exec.LookPath("llvm-mc-14")
	if err != nil {
		t.Skip("llvm-mc-14 is not installed")
	}
	dir := t.TempDir()
	for _, name := range v2Files(t) {
		rel, fin := filepath.Join(dir, "a.o"), filepath.Join(dir, "a.co")
		if out, err := exec.Command(mc, "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx803", "--amdhsa-code-object-version=2", "-filetype=obj", name, "-o", rel).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		runLLVM(t, "ld.lld", "-shared", rel, "-o", fin)
		sameELF(t, name, readFile(t, fin), readFile(t, linkedName(name)))
	}
}

// TestDisassembleAssembleV2 checks that the text of a version-2 file, by Crosslane or by LLVM, has
// the directives of version 2 and gives exactly the same file.
func TestDisassembleAssembleV2(t *testing.T) {
	t.Parallel()
	name := "testdata/v2/compiled.s"
	for who, linked := range map[string][]byte{"Crosslane": assemble(t, readFile(t, name), name), "LLVM": readFile(t, linkedName(name))} {
		text := objectOf(t, linked).Text()
		for _, want := range []string{"\t.hsa_code_object_version 2,1\n", "\t.amdgpu_hsa_kernel saxpy\n", "two:\n\t.amd_kernel_code_t\n", "\t\tfloat_mode = 240\n", "\t.end_amd_kernel_code_t\n",
			"\t.amd_amdgpu_hsa_metadata\n---\nVersion:         [ 1, 0 ]\n", "\t\tcall_convention = -1\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", who, want, text)
			}
		}
		if strings.Contains(text, "amdgcn_target") || strings.Contains(text, ".amdhsa") {
			t.Errorf("%s: directives of version 3 in\n%s", who, text)
		}
		if again := assemble(t, []byte(text), name+" disassembled"); !bytes.Equal(again, linked) {
			t.Errorf("%s: the disassembly assembles to another file", who)
		}
	}
	// Structures that no loader accepts are printed, too.
	name = "testdata/v2/fields.s"
	o, l := asm.Assemble(readFile(t, name), name, asm.Options{})
	if o == nil {
		t.Fatal(l)
	}
	text := o.Text()
	again, l := asm.Assemble([]byte(text), name, asm.Options{})
	if again == nil {
		t.Fatal(l)
	}
	if strings.Count(text, "\t.amd_kernel_code_t\n") != 4 {
		t.Errorf("not every structure is printed:\n%s", text)
	}
	for i := range o.Sections {
		found := false
		for k := range again.Sections {
			found = found || o.Sections[i].Name == again.Sections[k].Name && bytes.Equal(o.Sections[i].Data, again.Sections[k].Data)
		}
		if !found {
			t.Errorf("section %s is another one", o.Sections[i].Name)
		}
	}
}

// TestOddV2 checks that structures and notes that the directives cannot express remain bytes, and
// that the file stays the same.
func TestOddV2(t *testing.T) {
	t.Parallel()
	const begin = ".hsa_code_object_version 2,1\n.text\n.p2align 8\n.globl k\n.amdgpu_hsa_kernel k\nk:\n"
	const block = ".amd_kernel_code_t\nis_ptr64 = 1\n.end_amd_kernel_code_t\n"
	blocks := map[string]int{"two kernels in one place": 1, "one at its end": 1, "structures that overlap": 0, "no version note": 1, "a note of another name": 1,
		"notes in another order": 1, "a structure at the very end": 1, "a function behind": 1}
	for name, src := range map[string]string{
		"two kernels in one place":    strings.Replace(begin, "k:\n", "k:\n.amdgpu_hsa_kernel k2\nk2:\n", 1) + block + "s_endpgm\n",
		"a symbol in the structure":   begin + block + "s_endpgm\nx = k + 64\n",
		"one at its end":              begin + block + "y:\ns_endpgm\n",
		"structures that overlap":     begin + ".amdgpu_hsa_kernel k2\nk2 = k + 128\n" + block + "s_endpgm\n.zero 256\n",
		"reserved bits":               begin + ".long 1, 2, 0x00080001, 0x30000, 256\n.zero 36\n.long 0xffffffff\n.zero 196\n.byte 6\ns_endpgm\n",
		"no version note":             ".amdhsa_code_object_version 2\n" + strings.TrimPrefix(begin, ".hsa_code_object_version 2,1\n") + block + "s_endpgm\n.hsa_code_object_isa\n",
		"a note of another name":      begin + block + "s_endpgm\n.version \"x\"\n",
		"notes in another order":      begin + block + "s_endpgm\n.amd_amdgpu_isa \"amdgcn-amd-amdhsa-opencl-gfx803\"\n.hsa_code_object_isa 8, 0, 4, \"AMD\", \"AMDGPU\"\n",
		"a structure at the very end": begin + "s_endpgm\n.p2align 8\n.amdgpu_hsa_kernel k2\nk2:\n" + block,
		"a function behind":           begin + block + "s_endpgm\n.type f,@function\nf:\ns_setpc_b64 s[30:31]\n.size f, 4\n",
	} {
		o, l := asm.Assemble([]byte(src), name, asm.Options{})
		if o == nil {
			t.Errorf("%s: %v", name, l)
			continue
		}
		want, err := codeobject.Build(specOf(t, o))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text := o.Text()
		again, l := asm.Assemble([]byte(text), name, asm.Options{})
		if again == nil {
			t.Errorf("%s: %v\n%s", name, l, text)
			continue
		}
		if n := strings.Count(text, "\t.amd_kernel_code_t\n"); n != blocks[name] {
			t.Errorf("%s: %d structures are printed, expected %d:\n%s", name, n, blocks[name], text)
		}
		if got, err := codeobject.Build(specOf(t, again)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: another file, %v, by\n%s", name, err, text)
		}
	}
}

// TestManyKernelsV2 checks that any number of symbols of one structure, and of structures that
// overlap, takes little time and memory.
func TestManyKernelsV2(t *testing.T) {
	t.Parallel()
	n := short.Of(50000, 5000)
	for _, step := range []uint64{0, 4} {
		o := &asm.Object{CodeObjectVersion: 2, Sections: []asm.Section{{Name: ".text", Type: 1, Flags: 6, Align: 256, Data: make([]byte, n*4+256)}}}
		head, l := asm.Assemble([]byte(".hsa_code_object_version 2,1\n.amd_kernel_code_t\n.end_amd_kernel_code_t\n"), "f", asm.Options{})
		if head == nil {
			t.Fatal(l)
		}
		copy(o.Sections[0].Data, head.Sections[0].Data)
		for i := range n {
			o.Symbols = append(o.Symbols, asm.Symbol{Name: fmt.Sprint("k", i), Value: uint64(i) * step, Type: 10, Bind: 1})
		}
		text := o.Text()
		if got := strings.Count(text, "\t.amd_kernel_code_t\n"); step == 0 && got != 1 || got > 1 {
			t.Errorf("%d structures are printed", got)
		}
		if len(text) > 100*n {
			t.Errorf("%d bytes of text", len(text))
		}
		again, l := asm.Assemble([]byte(text), "f", asm.Options{})
		if again == nil || !bytes.Equal(again.Sections[0].Data, o.Sections[0].Data) {
			t.Error("other bytes", l)
		}
	}
}

// TestOracleKernelCode compares blocks of random fields with LLVM 22, which supports them on
// systems other than HSA.
func TestOracleKernelCode(t *testing.T) {
	t.Parallel()
	fields := asm.CodeFieldNames()
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&b, ".amd_kernel_code_t\n%s = %d\n.end_amd_kernel_code_t\n", f.Name, uint64(1)<<min(f.Bits, 63)-1)
	}
	for range 60 {
		b.WriteString(".amd_kernel_code_t\n")
		for _, f := range fields {
			if r.IntN(3) > 0 {
				fmt.Fprintf(&b, "\t%s = %d\n", f.Name, r.Uint64()>>(64-min(f.Bits, 63)))
			}
		}
		b.WriteString(".end_amd_kernel_code_t\n")
	}
	src := b.String()
	o, l := asm.Assemble([]byte(".hsa_code_object_version 2,1\n"+src), "random", asm.Options{})
	if o == nil {
		t.Fatal(l)
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "a.s"), filepath.Join(dir, "a.o")
	if err := os.WriteFile(in, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	runLLVM(t, "llvm-mc", "-triple=amdgcn", "-mcpu=fiji", "-filetype=obj", in, "-o", out)
	f, err := elf.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	got := o.Sections[0].Data
	if len(got) != len(want) || len(got) != 256*(len(fields)+60) {
		t.Fatalf("%d bytes, LLVM's %d", len(got), len(want))
	}
	for i := 0; i < len(got); i += 256 {
		if !bytes.Equal(got[i:][:256], want[i:][:256]) {
			t.Fatalf("block %d: %x, LLVM's %x", i/256, got[i:][:256], want[i:][:256])
		}
	}
}

// TestKernelCodeBytes checks the places of some fields, found by hand (AMDKernelCodeT.h).
func TestKernelCodeBytes(t *testing.T) {
	t.Parallel()
	o, l := asm.Assemble([]byte(".hsa_code_object_version 2,1\n.amd_kernel_code_t\nuser_sgpr_count = 9\nenable_vgpr_workitem_id = 2\nkernarg_segment_byte_size = 40\n"+
		"max_scratch_backing_memory_byte_size = later\nwavefront_sgpr_count = 100\nis_ptr64 = 1\nprivate_element_size = 1\n.end_amd_kernel_code_t\nlater = 77\n"), "f", asm.Options{})
	if o == nil {
		t.Fatal(l)
	}
	want := make([]byte, 256)
	le := binary.LittleEndian
	for at, v := range map[int]uint32{0: 1, 4: 2, 8: 8<<16 | 1, 12: 3 << 16, 16: 256, 40: 77, 52: 9<<1 | 2<<11, 56: 1<<19 | 1<<17, 72: 40, 84: 100, 100: 0x06040404, 104: 0xffffffff} {
		le.PutUint32(want[at:], v)
	}
	if !bytes.Equal(o.Sections[0].Data, want) {
		t.Errorf("%x, expected\n%x", o.Sections[0].Data, want)
	}
}

// TestV2Options checks that .option.machine_version_* exist in sources of version 2 only, so that
// one source for both versions can test for them.
func TestV2Options(t *testing.T) {
	t.Parallel()
	const ask = `
.ifdef .option.machine_version_major
	.byte .option.machine_version_major, .option.machine_version_minor, .option.machine_version_stepping
.else
	.byte 255
.endif
`
	for _, c := range []struct {
		src  string
		want []byte
	}{
		{ask, []byte{255}},
		{".hsa_code_object_version 2,1\n" + ask, []byte{8, 0, 3}},
		{".hsa_code_object_isa 8,0,3,\"AMD\",\"AMDGPU\"\n" + ask + ".hsa_code_object_version 2,1\n", []byte{8, 0, 3}},
		{".amdhsa_code_object_version 4\n.set .option.machine_version_major, .amdgcn.gfx_generation_number\n.byte .option.machine_version_major\n", []byte{8}},
	} {
		o, l := asm.Assemble([]byte(c.src), "f", asm.Options{Relocatable: true})
		if o == nil {
			t.Errorf("%s%v", c.src, l)
			continue
		}
		for _, s := range o.Sections {
			if s.Name == ".text" && !bytes.Equal(s.Data, c.want) {
				t.Errorf("%sgives % x, expected % x", c.src, s.Data, c.want)
			}
		}
	}
}
