package api_test

import (
	"context"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// bundleOf writes a clang offload bundle: pairs of IDs and files.
func bundleOf(t *testing.T, list ...string) []byte {
	t.Helper()
	le := binary.LittleEndian
	head := 32
	for i := 0; i < len(list); i += 2 {
		head += 24 + len(list[i])
	}
	b := le.AppendUint64([]byte("__CLANG_OFFLOAD_BUNDLE__"), uint64(len(list)/2))
	var body []byte
	for i := 0; i < len(list); i += 2 {
		data, err := os.ReadFile(list[i+1])
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{head + len(body), len(data), len(list[i])} {
			b = le.AppendUint64(b, uint64(n))
		}
		b, body = append(b, list[i]...), append(body, data...)
	}
	return append(b, body...)
}

// A bundle loads as the kernels of all its code objects for gfx803.
func TestLoadBundle(t *testing.T) {
	t.Parallel()
	const dir = "codeobject/testdata/"
	m, err := crosslane.Load(bundleOf(t, "hipv4-amdgcn-amd-amdhsa--gfx900", dir+"args6.co", "hip-amdgcn-amd-amdhsa--gfx803", dir+"scan5.co",
		"openmp-amdgcn-amd-amdhsa--gfx803", dir+"calls5.co"), "b", crosslane.Auto)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, k := range m.Kernels() {
		names = append(names, k.Name())
	}
	if got := strings.Join(names, " "); got != "scan calls" {
		t.Errorf("kernels %s", got)
	}
	_, err = crosslane.Load(bundleOf(t, "hip-amdgcn-amd-amdhsa--gfx803", dir+"scan5.co", "openmp-amdgcn-amd-amdhsa--gfx803", dir+"scan4.co"), "b", crosslane.Auto)
	if err == nil || !strings.Contains(err.Error(), "two kernels scan: in hip-") {
		t.Errorf("two kernels of one name: %v", err)
	}
	whole, err := os.ReadFile(dir + "scan5.co")
	if err != nil {
		t.Fatal(err)
	}
	want, err := crosslane.Disassemble(whole, "a")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := crosslane.Disassemble(bundleOf(t, "hip-amdgcn-amd-amdhsa--gfx803", dir+"scan5.co"), "b"); err != nil || got != want {
		t.Errorf("the disassembly of a bundle differs from that of its entry: %v", err)
	}
}

// Files that are no code for gfx803 are refused with the name of their kind.
func TestLoadForeign(t *testing.T) {
	t.Parallel()
	elf := func(class byte, machine uint16, flags uint32) string {
		b := make([]byte, 64)
		copy(b, "\x7fELF")
		b[4], b[5], b[6], b[7], b[8] = class, 1, 1, 64, 3
		binary.LittleEndian.PutUint16(b[16:], 3)
		binary.LittleEndian.PutUint16(b[18:], machine)
		binary.LittleEndian.PutUint32(b[48-12*int(2-class):], flags)
		return string(b)
	}
	for _, c := range []struct{ file, want, remedy string }{
		{"BC\xc0\xde\x35\x14", "the file is LLVM bitcode", "-mcpu=gfx803"},
		{"\x03\x02\x23\x07\x00\x00\x01\x00", "a SPIR-V module", "compile"},
		{"!<arch>\nk.o/", "an archive", "crosslane extract"},
		{"MZ\x90\x00", "a Windows program", "GPU"},
		{"\x1f\x8b\x08\x00", "compressed with gzip", "uncompress"},
		{elf(2, 62, 0), "machine is EM_X86_64", "code for a processor"},
		{elf(2, 183, 0), "machine is EM_AARCH64", "code for a processor"},
		{elf(2, 190, 0), "this is a cubin", "PTX"},
		{elf(2, 224, 0x2c), "target is gfx900, expected gfx803", "-mcpu=gfx803"},
		{elf(2, 224, 0x36), "target is gfx1030, expected gfx803", "-mcpu=gfx803"},
		{elf(2, 224, 0xf3f), "target is gfx90a:sramecc+:xnack+, expected gfx803", "-mcpu=gfx803"},
		{elf(2, 224, 0), "target is no processor, expected gfx803", "-mcpu=gfx803"},
		{elf(1, 224, 0x0f), "target is cayman (32 bits), expected gfx803", "-mcpu=gfx803"},
		{"CCOB\x02\x00\x02\x00\x18\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "compressed with method 2", "clang-offload-bundler --unbundle"},
	} {
		_, err := crosslane.Load([]byte(c.file), "f", crosslane.Auto)
		list := diag.Of(err)
		if len(list) != 1 || list[0].Class != diag.Unsupported || !strings.Contains(err.Error(), c.want) || !strings.Contains(list[0].Remedy, c.remedy) {
			t.Errorf("error\n%v\nexpected\n%s, with what to do: %s", err, c.want, c.remedy)
		}
	}
}

// Code may stand in several sections, and constructors are named.
func TestSectionsOfCode(t *testing.T) {
	t.Parallel()
	kernel := func(name, section string) string {
		return "\t.section " + section + ",\"ax\",@progbits\n\t.globl " + name + "\n\t.p2align 8\n\t.type " + name + ",@function\n" + name + `:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	v_mov_b32 v2, ` + map[string]string{"a": "11", "b": "22"}[name] + `
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v0, s2
	v_mov_b32 v1, s3
	flat_store_dword v[0:1], v2
	s_endpgm
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel ` + name + `
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 8
	.end_amdhsa_kernel
`
	}
	src := "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n" + kernel("a", ".text") + kernel("b", "other")
	for _, c := range []struct {
		source string
		codes  int
	}{{src, 0}, {src + "\t.section .init_array,\"aw\",@init_array\n\t.p2align 3\n\t.quad a\n", 1}} {
		m, err := crosslane.Load([]byte(c.source), "k.s", crosslane.GCN3)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]uint32{"a": 11, "b": 22} {
			k, err := m.Kernel(name)
			if err != nil {
				t.Fatal(err)
			}
			out := make([]uint32, 1)
			res, err := k.Run(context.Background(), crosslane.Launch{Args: []crosslane.Arg{crosslane.Slice("out", out)}})
			if err != nil || out[0] != want {
				t.Errorf("kernel %s stores %d, want %d: %v", name, out[0], want, err)
				continue
			}
			if len(res.Findings) != c.codes || c.codes > 0 && res.Findings[0].Code != "not-initialized" {
				t.Errorf("kernel %s: findings %v", name, res.Findings)
			}
		}
	}
}

// TestEntryAlignment: a kernel that does not begin at a multiple of 256 is told of, once
// for each kernel, at its first instruction.
func TestEntryAlignment(t *testing.T) {
	t.Parallel()
	block := func(name string) string {
		return "\t.section .rodata,\"a\",@progbits\n\t.p2align 6\n\t.amdhsa_kernel " + name + "\n\t.amdhsa_next_free_vgpr 4\n\t.amdhsa_next_free_sgpr 8\n\t.end_amdhsa_kernel\n"
	}
	src := "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n\t.text\n\t.globl a\n\t.globl b\n\t.globl c\n\t.p2align 8\na:\n\ts_endpgm\nb:\n\ts_endpgm\n\t.p2align 8\nc:\n\ts_endpgm\n" +
		block("a") + block("b") + block("c")
	image, list := crosslane.Assemble([]byte(src), "k.s", crosslane.AsmOptions{})
	if image == nil {
		t.Fatal(list)
	}
	for file, data := range map[string][]byte{"k.s": []byte(src), "k.co": image} {
		m, err := crosslane.Load(data, file, crosslane.GCN3)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"a": "", "b": "it begins at address 0x1404, which is no multiple of 256; hardware would begin at 0x1400 [entry-alignment]", "c": ""} {
			k, err := m.Kernel(name)
			if err != nil {
				t.Fatal(err)
			}
			res, err := k.Run(context.Background(), crosslane.Launch{})
			if err != nil {
				t.Fatal(err)
			}
			got := res.Findings
			if want == "" && len(got) != 0 || want != "" && (len(got) != 1 || !strings.Contains(got[0].Error(), want)) {
				t.Errorf("%s, kernel %s: findings %v, want %s", file, name, got, want)
			}
			if want != "" && len(got) == 1 && file == "k.s" && got[0].Pos.Line != 10 {
				t.Errorf("line %d of the source, want 10", got[0].Pos.Line)
			}
		}
	}
}
