package asm

import (
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/short"
)

// headlines returns file:line:col: message [code] for each diagnostic.
func headlines(l diag.List) string {
	var b strings.Builder
	for _, d := range l {
		fmt.Fprintf(&b, "%v: %s [%s]\n", d.Pos, d.Message, d.Code)
	}
	return b.String()
}

// TestAssembleErrors checks that each file gives exactly these diagnostics, at these places.
func TestAssembleErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ src, want string }{
		{"  s_nop 0\n\tv_add_f33 v1, v2, v3 ; c\n", "f:2:2: v_add_f33 is no GCN3 instruction [unknown-instruction]\n"},
		{"s_branch nowhere\n", "f:1:10: expected a label: symbol nowhere is undefined [bad-symbol]\n"},
		{"s_branch 1f\n", "f:1:10: expected a label: local label 1 is undefined [bad-symbol]\n"},
		{"s_branch far\n.zero 200000\nfar: s_endpgm\n", "f:1:10: the branch target is 200000 bytes away, expected a multiple of 4 from -131072 to 131068 [bad-symbol]\n"},
		{"s_nop later\nlater = 1\n", "f:1:7: expected a number that is known here: symbol later is undefined [bad-operand]\n"},
		{"a: a:\n", "f:1:4: symbol a is defined twice [bad-symbol]\n"},
		{".if 1\ns_nop 0\n", "f:1:1: .if without .endif [bad-directive]\n"},
		{".if 1\ns_nop 0\n.end\n.endif\n", "f:1:1: .if without .endif [bad-directive]\n"},
		{".macro m\n.if 1\n.error \"no\"\n.end\n.endif\n.endm\n.if 1\nm\n.endif\n", "f:3:1: no [bad-directive]\n"},
		{"\n.else\n", "f:2:1: .else without .if [bad-directive]\n"},
		{".macro m a:req\n.byte \\a\n.endm\n m 300\nm\n", "f:2:7: .byte: 300 does not fit 1 byte [bad-directive]\nf:5:1: macro m: no argument for parameter a, which is required [bad-directive]\n"},
		{".rept 3\n.foo\n.endr\n", "f:2:1: directive .foo is not supported [unknown-directive]\n"},
		{".macro r\n r\n.endm\nr\n", "f:2:2: macros are nested more than 64 deep [too-large]\n"},
		{".rept 2000000\n.endr\n", "f:1:1: .rept: the count 2000000 is more than 524288 [too-large]\n"},
		{".irp x,1\n.byte \\x\n", "f:1:1: .irp without .endr [bad-directive]\n"},
		{"a = b\nb = a\n.quad a\n", "f:1:5: symbol a: symbol b is defined by itself [bad-symbol]\nf:2:5: symbol b: symbol a is defined by itself [bad-symbol]\nf:3:7: symbol a is defined by itself [bad-symbol]\n"},
		{".short 1/0\n", "f:1:9: division by zero [bad-symbol]\n"},
		{".long (1\n", "f:1:9: .long: expected ) [bad-directive]\n"},
		{".quad a-b\n.data\na: .byte 0\n.section .x,\"a\"\nb: .byte 0\n", "f:1:8: the difference of addresses in two sections is not known [bad-symbol]\n"},
		{".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"\nbad\n", "f:1:16: target \"amdgcn-amd-amdhsa--gfx900\" is not supported, only \"amdgcn-amd-amdhsa--gfx803\" [unsupported-target]\n"},
		{".amdhsa_code_object_version 1\n", "f:1:29: code object version 1 is not supported, only 2 to 6 [unsupported-target]\n"},
		{".include \"x.s\"\n", "f:1:10: .include \"x.s\": files cannot be included here [unknown-directive]\n"},
		{"k:\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 300\n.amdhsa_wavefront_size32 1\n.amdhsa_ieee_mode 2\n.amdhsa_ieee_mode 1\n.end_amdhsa_kernel\n",
			"f:3:24: .amdhsa_next_free_vgpr is 300, but there are 256 VGPRs [bad-directive]\n" +
				"f:4:1: .amdhsa_wavefront_size32 is not a directive of amdgcn-amd-amdhsa--gfx803 [bad-directive]\n" +
				"f:5:19: .amdhsa_ieee_mode: 2 is outside 0..1 [bad-directive]\n" +
				"f:6:1: .amdhsa_ieee_mode stands twice in one .amdhsa_kernel block [bad-directive]\n" +
				"f:7:1: .amdhsa_kernel k: .amdhsa_next_free_sgpr is required [bad-directive]\n"},
		{".amdhsa_kernel k\n.amdhsa_next_free_vgpr 3\n.amdhsa_next_free_sgpr 3\n.amdhsa_user_sgpr_queue_ptr 1\n.amdhsa_user_sgpr_count 1\n.end_amdhsa_kernel\n",
			"f:1:16: kernel k has no label of its name [bad-symbol]\nf:5:25: .amdhsa_user_sgpr_count is 1, but the enabled user SGPRs take 2 [bad-directive]\n"},
		{".zero 67108864\n.section a\n.zero 67108860\n.section b\n.zero 4\n.byte 1\n", "f:6:1: the sections have more than 134217728 bytes together [too-large]\n"},
		{".zero 100000000\n", "f:1:1: .zero: the count 100000000 is more than 67108864 [too-large]\n"},
		{".bss\ns_nop 0\n", "f:2:1: an instruction in section .bss, which holds no bytes [bad-operand]\n"},
		{".amdgpu_metadata\n---\n", "f:1:1: .amdgpu_metadata without .end_amdgpu_metadata [bad-directive]\n"},
		{"s_nop 0\n/* x\n", "f:2:1: /* without */ [syntax]\n"},
		{"s_mov_b32 s0, a\na = 3\nb: c = a+\n", "f:3:10: expected an expression, found the end of the line [syntax]\n"},
	} {
		o, l := Assemble([]byte(c.src), "f", Options{})
		if got := headlines(l); got != c.want || o != nil {
			t.Errorf("%s\ngives\n%sexpected\n%s", c.src, got, c.want)
		}
	}
}

// TestAssembleErrorTexts checks the full texts of the diagnostics for bad sources of many kinds. A
// person reviews the texts: go test -run TestAssembleErrorTexts -update-errors.
func TestAssembleErrorTexts(t *testing.T) {
	t.Parallel()
	const file = "testdata/errors.txt"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	n := 0
	for part := range strings.SplitSeq(strings.TrimPrefix(string(data), "=== \n"), "\n=== \n") {
		src, _, _ := strings.Cut(strings.TrimSuffix(part, "\n")+"\n", "~~~\n")
		n++
		o, l := Assemble([]byte(src), "k.s", Options{})
		if o != nil || l.Err() == nil {
			t.Errorf("%sis assembled, expected an error", src)
		}
		fmt.Fprintf(&b, "=== \n%s~~~\n", src)
		if err := l.WriteText(&b, diag.TextOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if n < 200 {
		t.Errorf("%d sources, expected at least 200", n)
	}
	if *updateErrors {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got := b.String(); got != strings.ReplaceAll(string(data), "\r", "") {
		t.Errorf("the texts of errors differ:\n%s", firstDifference(got, string(data)))
	}
}

var updateErrors = flag.Bool("update-errors", false, "write the texts of the assembler's errors to testdata/errors.txt")

// firstDifference returns the place where two texts begin to differ, with the lines before it.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			return strings.Join(g[max(0, i-5):i+1], "\n") + "\nexpected\n" + strings.Join(w[min(len(w), max(0, i-5)):min(len(w), i+1)], "\n")
		}
	}
	return "the expected text goes on after it"
}

// TestAssembleTwentyErrors checks that the assembler stops after 20 errors.
func TestAssembleTwentyErrors(t *testing.T) {
	t.Parallel()
	_, l := Assemble([]byte(strings.Repeat("wrong 1\n", 500)), "f", Options{})
	if len(l) != 20 {
		t.Errorf("%d diagnostics, expected 20", len(l))
	}
}

// TestAssembleBounded checks that files that request much more than they contain end quickly.
func TestAssembleBounded(t *testing.T) {
	t.Parallel()
	var chain strings.Builder
	chain.WriteString("x0 = u\n")
	for i := 1; i < 200; i++ {
		fmt.Fprintf(&chain, "x%d = x%d+x%d-u\n", i, i-1, i-1)
	}
	for name, src := range map[string]string{
		"nested repetitions":  ".rept 100000\n.rept 100000\n.byte 0\n.endr\n.endr\n",
		"doubling text":       ".macro x n\nx \\n\\n\n.endm\nx 1\n",
		"doubling uses":       ".macro x n\nx \\n+u\nx \\n+u\n.endm\nx 1\n",
		"doubling symbols":    chain.String() + ".quad x199\n",
		"parentheses":         ".quad " + strings.Repeat("(", 1<<16),
		"signs":               ".quad " + strings.Repeat("-", 1<<16) + "1",
		"a long sum":          ".quad 1" + strings.Repeat("+u", 1<<17),
		"a long chain of =":   "a0 = u\n" + strings.Repeat("a0 = a0 == u\n", 1000),
		"fill":                ".fill 0x7fffffffffffffff, 8, 1\n",
		"alignments":          strings.Repeat(".p2align 16\n.byte 1\n", 5000),
		"sections":            strings.Repeat(".pushsection .data\n", 5000),
		"open conditions":     strings.Repeat(".if 1\n", 50000),
		"unfinished strings":  strings.Repeat(".ascii \"\n", 5000),
		"arguments that grow": ".macro g a:vararg\n.long 1\ng \\a, \\a\n.endm\ng 1\n",
	} {
		start := time.Now()
		o, _ := Assemble([]byte(src), "f", Options{})
		t.Log(name, time.Since(start))
		if o != nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestAssembleExpressions checks the values of LLVM's assembler, which differ from C: | ^ & bind
// stronger than + and -, comparisons give -1, and >> shifts in zeros.
func TestAssembleExpressions(t *testing.T) {
	t.Parallel()
	for x, want := range map[string]int64{
		"1==1": -1, "2>1": -1, "1&&2": 1, "3||0": 1, "!0": 1, "-8>>1": 0x7ffffffffffffffc, "10/3": 3, "-10/3": -3, "-10%3": -1,
		"1+2*3": 7, "1<<2+1": 5, "2*3&1": 0, "7&3==3": -1, "1+1<<2": 5, "6-2-1": 3, "5^3|4": 6, "3&1<<1": 2, "1 < 2 == 1": 0,
		"2 | 1 == 3": -1, "16/2*4": 32, "~0": -1, "1 <> 2": -1, "1 && 0 || 1": 1, "8%3<<1": 4, "-1 < 0": -1, "(1+2)*3": 9,
		"'a'": 97, "0x1F": 31, "0b101": 5, "017": 15, "max(1,7,3)": 7, "alignto(13, 4)": 16, "or(1,6)": 7, "totalnumvgprs(0, 5)": 5,
		"extrasgprs(1,0,0)": 2, "extrasgprs(1,1,0)": 6,
	} {
		o, l := Assemble([]byte(".quad "+x+"\n"), "f", Options{})
		if o == nil {
			t.Errorf("%s: %v", x, l)
			continue
		}
		var got int64
		for i, b := range o.Sections[0].Data {
			got |= int64(b) << (8 * i)
		}
		if got != want {
			t.Errorf("%s is %d, expected %d", x, got, want)
		}
	}
}

// TestHwRegFields checks the form of hwreg(…) with named fields; the bytes are those of llvm-mc.
func TestHwRegFields(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"{id: 1, offset: 4, size: 2}": "010980b8", "{size: 2, id: 1}": "010880b8", "{offset: 3}": "c0f880b8", "{}": "00f880b8", "{id: 1+1}": "02f880b8",
		"{id: 1, id: 2}": "id is given twice", "{id: 1,}": "the fields are id, offset and size", "{id: 64}": "a hardware register is 0..63, found 64",
		"{id:1, size:33}": "the number of bits is 1..32, found 33", "{id 1}": ": is expected after id", "{id:1": "a comma or } is expected", "{": "the fields are",
	} {
		o, l := Assemble([]byte("s_getreg_b32 s0, "+src+"\n"), "f", Options{})
		got := fmt.Sprint(l)
		if o != nil {
			got = fmt.Sprintf("%x", o.Sections[0].Data)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, expected %s", src, got, want)
		}
	}
}

// TestMergedSection checks that the text of a section of strings and other data assembles. Linkers
// give this section the flags of strings and no entry size.
func TestMergedSection(t *testing.T) {
	t.Parallel()
	o, l := Assemble([]byte(".section .rodata,\"aMS\",@progbits,1\n.asciz \"hi\"\n"), "f", Options{})
	if o == nil {
		t.Fatal(l)
	}
	i := slices.IndexFunc(o.Sections, func(s Section) bool { return s.Name == ".rodata" })
	o.Sections[i].EntSize = 0
	again, l := Assemble([]byte(o.Text()), "f", Options{})
	if again == nil {
		t.Fatalf("%v in\n%s", l, o.Text())
	}
	i = slices.IndexFunc(again.Sections, func(s Section) bool { return s.Name == ".rodata" })
	if got := string(again.Sections[i].Data); got != "hi\x00" {
		t.Errorf("got %q", got)
	}
}

// TestTextOffsets checks that the offsets stand after the instructions, as comments.
func TestTextOffsets(t *testing.T) {
	t.Parallel()
	src := "v_mov_b32 v0, 0x1234\nl: s_branch l\n.long far\ns_add_u32 s0, s1, far@rel32@lo\ns_endpgm\n"
	o, l := Assemble([]byte(src), "f", Options{Relocatable: true})
	if o == nil {
		t.Fatal(l)
	}
	text := o.TextOffsets()
	for _, want := range []string{"v_mov_b32_e32 v0, 0x1234\t// +0x0\n", "\ts_branch l\t// +0x8\n", "\t// +0x10\n", "\ts_endpgm\t// +0x18\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	again, l := Assemble([]byte(text), "f", Options{Relocatable: true})
	if again == nil {
		t.Fatal(l)
	}
	if again.Text() != o.Text() {
		t.Errorf("got\n%s\nexpected\n%s", again.Text(), o.Text())
	}
}

// TestAssembleLines checks that the line table leads from code to source.
func TestAssembleLines(t *testing.T) {
	t.Parallel()
	o, l := Assemble([]byte("s_nop 0\n a: s_mov_b32 s0, 0x12345 ; c\n.data\n.byte 1\n.text\ns_endpgm\n"), "f", Options{})
	if o == nil {
		t.Fatal(l)
	}
	want := []Line{{0, 0, 4, 1, 1, "s_nop 0", ""}, {0, 4, 8, 2, 2, "a: s_mov_b32 s0, 0x12345", ""}, {0, 12, 4, 6, 1, "s_endpgm", ""}}
	if fmt.Sprint(o.Lines) != fmt.Sprint(want) {
		t.Errorf("lines %v, expected %v", o.Lines, want)
	}
}

// TestAssembleIncludedLines checks that code of an included file, and of a macro defined in it,
// belongs to the line of the main file that includes it.
func TestAssembleIncludedLines(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a": "s_nop 1\n.include \"b\"\n", "b": ".macro m\ns_nop 2\n.endm\nm\n"}
	o, l := Assemble([]byte("s_nop 0\n.include \"a\"\n\n  m\n.macro own\n s_nop x\n.endm\n own\n"), "f", Options{
		Include: func(name string) ([]byte, error) { return []byte(files[name]), nil }, Symbols: map[string]int64{"x": 3},
	})
	if o == nil {
		t.Fatal(l)
	}
	want := []Line{{0, 0, 4, 1, 1, "s_nop 0", ""}, {0, 4, 4, 2, 0, "s_nop 1", "a:1"}, {0, 8, 4, 2, 0, "s_nop 2", "b:2"}, {0, 12, 4, 4, 0, "s_nop 2", "b:2"}, {0, 16, 4, 6, 2, "s_nop x", ""}}
	if fmt.Sprint(o.Lines) != fmt.Sprint(want) {
		t.Errorf("lines %v, expected %v", o.Lines, want)
	}
}

// TestAssembleInsts checks instructions on the command line. The bytes are those that llvm-mc
// prints.
func TestAssembleInsts(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"ds_swizzle_b32 v5, v2 offset:0x80F6":                    "f6807ad802000005",
		"s_nop 1; v_mov_b32 v1, v2\n s_endpgm":                   "010080bf 0203027e 000081bf",
		"x: s_branch x; s_branch y; y: s_nop 0 // the end; here": "ffff82bf 000082bf 000080bf",
	} {
		insts, l := AssembleInsts(src, "args")
		if l.Err() != nil {
			t.Errorf("%s: %v", src, l)
			continue
		}
		var got, code []string
		for _, i := range insts {
			got = append(got, hex.EncodeToString(i.Bytes))
			code = append(code, string(i.Bytes))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s is %v, expected %s", src, got, want)
		}
		back, err := amdgpu.DisassembleBytes([]byte(strings.Join(code, "")))
		if err != nil || len(back) != len(insts) {
			t.Errorf("%s: disassembled to %v, %v", src, back, err)
			continue
		}
		for i := range back {
			if back[i].Text != insts[i].Text || back[i].Offset != insts[i].Offset {
				t.Errorf("%s: instruction %d disassembled is %q at %d, expected %q at %d", src, i, back[i].Text, back[i].Offset, insts[i].Text, insts[i].Offset)
			}
		}
	}
	for _, src := range []string{"s_nop 0; .long 5", "s_branch nowhere", "v_foo", ".data; .byte 1", "s_mov_b32 s0, nowhere"} {
		if insts, l := AssembleInsts(src, "args"); l.Err() == nil || insts != nil {
			t.Errorf("%s: %v, expected an error", src, insts)
		}
	}
	if _, err := amdgpu.DisassembleBytes([]byte{0, 0, 0x80, 0xbf, 1}); err == nil {
		t.Error("half an instruction: no error")
	}
}

// TestKernelDescText checks that a block of random fields is read back to the same bytes.
func TestKernelDescText(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		k := KernelDesc{Name: "k"}
		for _, r := range kernelRows() {
			*r.get(&k) = uint32(rng.Uint64() & (1<<r.width - 1))
		}
		k.NextFreeVGPR, k.NextFreeSGPR, k.ReserveXNACKMask = uint32(rng.IntN(257)), uint32(rng.IntN(103)), 0
		k.UserSGPRCount = k.impliedUserSGPRs() + uint32(rng.IntN(8))
		want := k.Encode(0x100)
		d, entry, ok := DecodeKernelDesc("k", want[:])
		if !ok || entry != 0x100 {
			t.Fatalf("%+v: not expressible", k)
		}
		src := ".text\n" + d.Text() + ".zero 192\nk: s_endpgm\n"
		o, l := Assemble([]byte(src), "f", Options{})
		if o == nil {
			t.Fatal(src, l)
		}
		if got := [64]byte(o.Sections[0].Data[:64]); got != want {
			t.Fatalf("%s\nis %x\nexpected %x", src, got, want)
		}
	}
}

// FuzzAssemble checks that no input makes the assembler panic, and that an assembled file can be
// disassembled and assembled again to the same sections.
func FuzzAssemble(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.s")
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(b) < 4096 { // small seeds: the fuzzer would spend its time shrinking large ones
			f.Add(string(b))
		}
	}
	f.Add(".macro m a,b=2\n.rept \\a\n.byte \\b\n.endr\n.endm\nm 3\nm 4,5\n1: s_branch 1b\n")
	f.Add(".if 1 ; x = 1\n.else\n.endif\n.irpc c,abc\n.ascii \"\\c\"\n.endr\n.quad x-., .-x\n")
	f.Add(".hsa_code_object_version 2,1\n.hsa_code_object_isa\n.amdgpu_hsa_kernel k\nk:\n.amd_kernel_code_t\nis_ptr64 = 1\ncall_convention = -1\n.end_amd_kernel_code_t\ns_endpgm\n" +
		".amd_amdgpu_isa \"amdgcn-amd-amdhsa--gfx803\"\n.amd_amdgpu_hsa_metadata\nVersion: [ 1, 0 ]\n.end_amd_amdgpu_hsa_metadata\n")
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 1<<14 || strings.Contains(src, "\\") && strings.Count(src, ".rep") > 1 {
			return // slow, not wrong: see TestAssembleBounded
		}
		o, l := Assemble([]byte(src), "f", Options{})
		if o == nil {
			if l.Err() == nil {
				t.Fatal("neither object nor error")
			}
			return
		}
		var size int
		for _, s := range o.Sections {
			size += len(s.Data)
		}
		if size > 1<<16 {
			return
		}
		text := o.Text()
		again, l := Assemble([]byte(text), "again", Options{})
		if again == nil {
			t.Fatalf("%q\ndisassembles to\n%s\nwhich does not assemble:\n%v", src, text, l)
		}
		for i, s := range o.Sections {
			if string(s.Data) != string(again.Sections[i].Data) || s.Size != again.Sections[i].Size {
				t.Fatalf("%q\ndisassembles to\n%s\nsection %s is %x, expected %x", src, text, s.Name, again.Sections[i].Data, s.Data)
			}
		}
	})
}

// TestLongSource checks that the number of statements in a source is not limited; only the size of
// the result is.
func TestLongSource(t *testing.T) {
	short.Skip(t, "the source has half a million instructions")
	t.Parallel()
	o, err := Assemble([]byte(strings.Repeat("s_nop 0\n", maxStatements+1000)), "f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(o.Sections[0].Data); n != 4*(maxStatements+1000) {
		t.Errorf("%d bytes", n)
	}
}
