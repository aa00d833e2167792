package asm_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/amdgpu/asm"
	"example.org/crosslane/codeobject"
)

// objectFiles returns the code objects of the repository.
func objectFiles(t testing.TB) []string {
	t.Helper()
	var files []string
	for _, glob := range []string{"../../examples/gcn3/*.hsaco", "../../examples/gcn3/*.o", "../../examples/gcn3/*.co", "../../codeobject/testdata/*.co", "../../codeobject/testdata/*.o", "testdata/*.co", "testdata/v2/compiled.co"} {
		l, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range l {
			if filepath.Base(f) != "undefined.o" { // it does not link
				files = append(files, f)
			}
		}
	}
	if len(files) < 20 {
		t.Fatalf("only %d objects", len(files))
	}
	return files
}

// sameObject disassembles an object, assembles the text, and compares code, data,
// descriptors and metadata. Relocations are applied on both sides.
func sameObject(t *testing.T, name string, file []byte) {
	t.Helper()
	o := objectOf(t, file)
	linked, err := codeobject.Build(specOf(t, o))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	text := o.Text()
	again, diags := asm.Assemble([]byte(text), name, asm.Options{})
	if again == nil {
		t.Errorf("%s: the disassembly does not assemble: %v", name, diags)
		return
	}
	b, err := codeobject.Build(specOf(t, again))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if !bytes.Equal(b, linked) {
		t.Errorf("%s: the disassembly assembles to another file", name)
		compareMemory(t, name, b, linked)
	}
	if len(o.Relocs) > 0 {
		return
	}
	// No code was moved: it is that of the file itself.
	want, got := codeOf(t, file), codeOf(t, b)
	if !bytes.Equal(want, got) {
		t.Errorf("%s: the code is not that of the file: %d and %d bytes", name, len(got), len(want))
	}
}

func codeOf(t testing.TB, file []byte) []byte {
	t.Helper()
	o, err := codeobject.Load(file, "object")
	if err != nil {
		t.Fatal(err)
	}
	_, code := o.Text()
	return code
}

// TestRoundTripObjects checks that dis, then asm, reproduces every object of the repository.
func TestRoundTripObjects(t *testing.T) {
	t.Parallel()
	for _, name := range objectFiles(t) {
		sameObject(t, name, readFile(t, name))
	}
}

// clangObjects compiles OpenCL at several levels for several versions of code
// objects.
func clangObjects(t testing.TB) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	objects := map[string][]byte{}
	levels, versions := []string{"-O0", "-O3"}, []string{"5"}
	if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
		levels, versions = []string{"-O0", "-O3"}, []string{"4", "5", "6"}
	}
	sources, err := filepath.Glob("testdata/cl/*.cl")
	if err != nil || len(sources) == 0 {
		t.Fatal("no sources", err)
	}
	for _, src := range append(sources, "../../codeobject/testdata/args.cl", "../../codeobject/testdata/calls.cl", "../../codeobject/testdata/scan.cl") {
		for _, level := range levels {
			for _, version := range versions {
				out := filepath.Join(dir, "a.co")
				runLLVM(t, "clang", "--target=amdgcn-amd-amdhsa", "-mcpu=gfx803", "-nogpulib", "-w", "-x", "cl", "-cl-std=CL2.0", level, "-mcode-object-version="+version, src, "-o", out)
				objects[filepath.Base(src)+" "+level+" v"+version] = readFile(t, out)
			}
		}
	}
	return objects
}

// oddObjects returns sections that no compiler writes.
func oddObjects() map[string]string {
	code := func(words ...uint32) string {
		var b strings.Builder
		for _, w := range words {
			fmt.Fprintf(&b, "\t.long 0x%x\n", w)
		}
		return b.String()
	}
	return map[string]string{
		"data in the code":               "s_branch over\n.long 1, 2, 0xffffffff, 0xc0000000\nover:\ns_endpgm\n",
		"words that are no instruction":  code(0xffffffff, 0xbf8c0000, 0xc8000000, 0xbf810000, 0x7e0004ff),
		"an instruction that is cut off": code(0xbf810000, 0xd1000000),
		"a literal that is cut off":      code(0x7e0002ff),
		"an odd number of bytes":         "s_endpgm\n.byte 1, 2, 3\n",
		"a label in an instruction":      "s_mov_b32 s0, 0x12345678\nmiddle = . - 4\ns_branch middle\n",
		"a symbol in an instruction":     code(0xbe8000ff) + "inside:\n" + code(0xbf810000, 0xbf820000),
		"a symbol at an odd place":       ".byte 0x80, 0\nodd:\n.byte 0x80, 0xbe\ns_nop 0\ns_branch odd+2\ns_endpgm\n",
		"branches out of the code":       code(0xbf820000|100, 0xbf82ff00, 0xbf820001, 0xbf810000),
		"a branch to the end":            "s_branch end\ns_nop 1\nend:\n",
		"a branch over functions":        "f:\ns_branch h\ng:\ns_branch f\n.globl h\nh:\ns_branch g\ns_cbranch_scc0 h\ns_endpgm\n",
		"symbols with registers' names":  ".long 0xbf820001\ns0:\n.long 0xbf820001\nvcc:\n.long 0xbf82fffd\nv1:\ns_endpgm\n",
		"symbols with strange names":     "\"a b\":\ns_branch \"a b\"\n\"+\":\ns_branch \"+\"\n",
		"symbols with our labels' names": ".globl .L0_0\n.L0_0:\ns_branch .L0_0\ns_endpgm\n",
		"a weak symbol":                  ".weak w\nw:\ns_branch w\ns_endpgm\n",
		"padding":                        "s_endpgm\n.p2align 8\ns_nop 3\n.zero 100\ns_nop 4\n",
		"every special text":             "s_waitcnt 0xffff\ns_waitcnt 0\n.long 0xbf8cffff, 0xbf8c8f7f\n.long 0xbf90ffff, 0xbf900012\n.long 0xd87a8100, 0x00000100\n.long 0xd87affff, 0x00000100\nv_add_u16 v0, 0xffff, v1\nv_add_u16 v0, lit(0x12345), v1\nv_add_f16 v0, lit(0x13c00), v1\nv_ceil_f64 v[0:1], lit(5)\nv_ceil_f64 v[0:1], lit(1.0)\nv_nop_e64\n",
		"several sections of code":       "s_branch a\na:\ns_endpgm\n.section .text.more,\"ax\",@progbits\nb:\ns_branch b\n.data\n.quad b\n.long a-.\n",
		"no code":                        ".data\n.long 1\n",
	}
}

// TestRoundTripOdd checks the same for sections that no compiler writes.
func TestRoundTripOdd(t *testing.T) {
	t.Parallel()
	for name, src := range oddObjects() {
		sameObject(t, name, assemble(t, []byte(src), name))
	}
}

// TestTextOfOddSymbols checks that symbols with any name at any place do not change the code of the
// text.
func TestTextOfOddSymbols(t *testing.T) {
	t.Parallel()
	// s_branch to the next instruction, four times; s_endpgm.
	code := []byte{0, 0, 0x82, 0xbf, 0, 0, 0x82, 0xbf, 0, 0, 0x82, 0xbf, 0, 0, 0x82, 0xbf, 0, 0, 0x81, 0xbf}
	for _, names := range [][]string{
		{".L0_8", ".L0_4", ".L0_c_"},
		{"same", "same", "same.2"},
		{"", "", "nameless"},
		{`a"b`, `a\b`, "a\nb"},
		{"a;b", "a//b", "a/*b"},
		{"vcc", "s5", "s[0:1]"},
		{".", "..", "1"},
		{"\xff\xfe", "naïve", "名"},
		{"s_endpgm", ".text", "x = y"},
		{"lit", "hwreg", "sendmsg"},
		{"a", "a.kd", "b.kd"},
		{"-1", "1f", "0x4"},
	} {
		o := &asm.Object{Sections: []asm.Section{{Name: ".text", Type: 1, Flags: 6, Align: 4, Data: code, Size: uint64(len(code))}}}
		for bind := range uint8(3) {
			o.Symbols = nil
			for i, n := range names {
				o.Symbols = append(o.Symbols, asm.Symbol{Name: n, Value: uint64(4*i + 4), Bind: bind})
			}
			text := o.Text()
			again, diags := asm.Assemble([]byte(text), "odd", asm.Options{})
			if again == nil {
				t.Errorf("%q: %v\n%s", names, diags, text)
				break
			}
			if !bytes.Equal(again.Sections[0].Data, code) {
				t.Errorf("%q: % x, want % x\n%s", names, again.Sections[0].Data, code, text)
			}
			if n := strings.Count(text, "s_branch"); n != 4 {
				t.Errorf("%q: %d branches are printed\n%s", names, n, text)
			}
		}
	}
	// Instructions continue after a symbol in the middle of one.
	o := &asm.Object{Sections: []asm.Section{{Name: ".text", Type: 1, Flags: 6, Align: 4, Data: code, Size: uint64(len(code))}},
		Symbols: []asm.Symbol{{Name: "odd", Value: 6, Bind: 1}}}
	if text := o.Text(); strings.Count(text, "s_branch") != 3 || !strings.Contains(text, "s_endpgm") {
		t.Errorf("after a symbol in an instruction:\n%s", text)
	}
}

// TestSectionsOfOneName checks that sections with the same name stay apart, for any contents.
func TestSectionsOfOneName(t *testing.T) {
	t.Parallel()
	end, nop := []byte{0, 0, 0x81, 0xbf}, []byte{5, 0, 0x80, 0xbf}
	o := &asm.Object{Sections: []asm.Section{
		{Name: ".text", Type: 1, Flags: 6, Align: 4, Data: end},
		{Name: ".text", Type: 1, Flags: 6, Align: 256, Data: nop},
		{Name: "x", Type: 1, Flags: 2, Align: 1, Data: []byte("abc")},
		{Name: "x", Type: 1, Flags: 0x32, EntSize: 1, Align: 1, Data: []byte("d\x00")},
		{Name: "x", Type: 8, Flags: 3, Align: 8, Size: 24},
		{Name: ".data", Type: 1, Flags: 3, Align: 1, Data: []byte{7}},
	}, Symbols: []asm.Symbol{{Name: "f", Section: 1, Bind: 1}, {Name: "v", Section: 4, Value: 8, Bind: 1}}}
	text := o.Text()
	again, diags := asm.Assemble([]byte(text), "f", asm.Options{})
	if again == nil {
		t.Fatalf("%v\n%s", diags, text)
	}
	if len(again.Sections) != len(o.Sections) {
		t.Fatalf("%d sections, want %d\n%s", len(again.Sections), len(o.Sections), text)
	}
	for i := range o.Sections {
		g, w := &again.Sections[i], &o.Sections[i]
		if g.Name != w.Name || g.Type != w.Type || g.Flags != w.Flags || g.EntSize != w.EntSize || g.Align != w.Align || !bytes.Equal(g.Data, w.Data) || w.Data == nil && g.Size != w.Size {
			t.Errorf("section %d is %+v, want %+v\n%s", i, g, w, text)
		}
	}
	for i, w := range o.Symbols {
		if g := &again.Symbols[i]; g.Name != w.Name || g.Section != w.Section || g.Value != w.Value {
			t.Errorf("symbol %d is %+v, want %+v", i, g, w)
		}
	}
}

// randomCode makes up to n pieces of code: most are instructions, and some are random words.
func randomCode(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 2))
	rows := amdgpu.Rows()
	var code []byte
	for range n {
		if r.IntN(8) == 0 {
			code = binary.LittleEndian.AppendUint32(code, r.Uint32())
			continue
		}
		in, ok := rows[r.IntN(len(rows))].Specimen(amdgpu.Enc(r.IntN(4)))
		if !ok {
			continue
		}
		b, err := amdgpu.Encode(&in)
		if err != nil {
			continue
		}
		for range 32 { // random bits that leave the row as it is
			c := slices.Clone(b)
			c[r.IntN(len(c))] ^= 1 << r.IntN(8)
			if d, size, err := amdgpu.Decode(c); err == nil && size == len(c) && d.Row == in.Row {
				b = c
			}
		}
		code = append(code, b...)
	}
	return code
}

// TestRoundTripRandomCode checks the same for random words, with symbols anywhere.
func TestRoundTripRandomCode(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		code := randomCode(seed, 400)
		var src strings.Builder
		for i := 0; i < len(code); i += 4 {
			if i%28 == 0 {
				fmt.Fprintf(&src, "sym%d:\n", i)
			}
			if i%52 == 0 {
				fmt.Fprintf(&src, ".globl far%d\nfar%d:\n", i, i)
			}
			fmt.Fprintf(&src, ".long 0x%x\n", binary.LittleEndian.Uint32(code[i:]))
		}
		name := fmt.Sprint("random code ", seed)
		sameObject(t, name, assemble(t, []byte(src.String()), name))
	}
}

// TestRemarksOfWords checks that a word among instructions that is not an instruction has the
// reason on its own line. A word that is an instruction, and data elsewhere, have no remark. The
// words are made by hand from the manual's fields (GCN3 ISA 13).
func TestRemarksOfWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, words, line, remark string }{
		{"store with tfe", "0xe0700000, 0x80800000", ".long 0xe0700000", "buffer_store_dword: bits 55 must be 0 in 0x80800000e0700000; it has no TFE"},
		{"load to LDS with VDATA", "0xe0510000, 0x80000500", ".long 0xe0510000", "buffer_load_dword: VDATA must be 0"},
		{"odd pair of scalars", "0x86820301", ".long 0x86820301", "s_and_b64: SSRC0 is 1"},
		{"no encoding", "0xff000000", ".long 0xff000000", "no GCN3 encoding"},
		{"padding", "0", ".long 0x0", ""},
		{"store", "0xe0700000, 0x80000000", "buffer_store_dword v0, off, s[0:3], 0", ""},
		{"load to LDS", "0xe0510000, 0x80000000", "buffer_load_dword off, s[0:3], 0 lds", ""},
		{"even pair of scalars", "0x86820402", "s_and_b64 s[2:3], s[2:3], s[4:5]", ""},
		{"data", "0\n.data\n.long 0xff000000, 0xff000000, 0xff000000", ".long 0xff000000, 0xff000000, 0xff000000", ""},
	} {
		src := "f:\n\ts_nop 0\n\t.long " + c.words + "\n"
		file := assemble(t, []byte(src), c.name)
		text := objectOf(t, file).Text()
		found := false
		for _, l := range strings.Split(text, "\n") {
			code, remark, _ := strings.Cut(l, "//")
			if strings.TrimSpace(code) != c.line {
				continue
			}
			found = true
			if c.remark == "" && remark != "" || !strings.Contains(remark, c.remark) {
				t.Errorf("%s: remark %q, expected %q", c.name, remark, c.remark)
			}
		}
		if !found {
			t.Errorf("%s: no line %q in\n%s", c.name, c.line, text)
		}
		sameObject(t, c.name, file)
	}
}

var objdumpLine = regexp.MustCompile(`^\t(.*?)\s*// ([0-9A-F]{12}):((?: [0-9A-F]{8})+)(?: <.*>)?$`)

// TestCompiledObjects checks that dis, then asm, reproduces the output of the installed compiler,
// and that every instruction of this output and of the repository's objects has the text that
// llvm-objdump prints.
func TestCompiledObjects(t *testing.T) {
	t.Parallel()
	objects := clangObjects(t)
	for name, file := range objects {
		sameObject(t, name, file)
	}
	for _, f := range objectFiles(t) {
		objects[f] = readFile(t, f)
	}
	file := filepath.Join(t.TempDir(), "a.co")
	n, words := 0, 0
	for name, object := range objects {
		if err := os.WriteFile(file, object, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, l := range strings.Split(string(runLLVM(t, "llvm-objdump", "-d", "-z", "--triple=amdgcn-amd-amdhsa", "--mcpu=gfx803", file)), "\n") {
			m := objdumpLine.FindStringSubmatch(l)
			if m == nil {
				if strings.HasPrefix(l, "\ts_") || strings.HasPrefix(l, "\tv_") {
					t.Fatalf("%s: no address in %q", name, l)
				}
				continue
			}
			var b []byte
			for _, w := range strings.Fields(m[3]) {
				v, err := strconv.ParseUint(w, 16, 32)
				if err != nil {
					t.Fatal(err)
				}
				b = binary.LittleEndian.AppendUint32(b, uint32(v))
			}
			want := strings.Join(strings.Fields(m[1]), " ")
			in, size, err := amdgpu.Decode(b)
			if strings.HasPrefix(want, ".long") {
				if words++; err == nil {
					t.Errorf("%s: %s: LLVM has no instruction, we have %s", name, m[2], amdgpu.Print(&in))
				}
				continue
			}
			n++
			if got := amdgpu.Print(&in); err != nil || size != len(b) || got != want && !symbolic(got, want) {
				t.Errorf("%s: %s: %q (%d bytes, %v), llvm-objdump %q", name, m[2], got, size, err, want)
			}
		}
	}
	t.Logf("%d instructions, %d words that are none, of %d objects", n, words, len(objects))
	if n < 10_000 {
		t.Errorf("only %d instructions", n)
	}
}

// symbolic reports whether the texts differ only in the target of a branch, which llvm-objdump
// prints as a symbol.
func symbolic(got, want string) bool {
	g, w := strings.LastIndexByte(got, ' '), strings.LastIndexByte(want, ' ')
	_, err := strconv.Atoi(want[w+1:])
	return strings.Contains(got, "branch") && g >= 0 && w >= 0 && got[:g] == want[:w] && err != nil
}
