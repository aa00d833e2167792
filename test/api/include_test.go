package api_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane"
)

const includeKernel = `.include "registers.inc"
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl k
.p2align 8
.type k,@function
k:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v[value], number
.include "code/tail.inc"
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 8
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
`

// writeFiles makes a folder with files.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestLoadIncludes: a file is loaded with its includes, from its folder or from other folders, and
// with symbols from outside; without a way to read files it is refused by name.
func TestLoadIncludes(t *testing.T) {
	t.Parallel()
	tail := "  s_waitcnt lgkmcnt(0)\n  v_mov_b32 v2, s4\n  v_mov_b32 v3, s5\n  flat_store_dword v[2:3], v[value]\n  s_endpgm\n"
	dir := writeFiles(t, map[string]string{
		"k.s": includeKernel, "registers.inc": "value = 1\n.ifndef number\nnumber = 42\n.endif\n", "code/tail.inc": tail,
		"other/registers.inc": "\ufeffvalue = 5\n",
	})
	value := func(m *crosslane.Module, err error) uint32 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		out := crosslane.NewBuffer("out", crosslane.U32, 1)
		if _, err := k.Run(t.Context(), crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 1}, Args: []crosslane.Arg{out}}); err != nil {
			t.Fatal(err)
		}
		return uint32(out.Bits(0))
	}
	if v := value(crosslane.LoadFile(filepath.Join(dir, "k.s"))); v != 42 {
		t.Errorf("LoadFile: the kernel stores %d, want 42", v)
	}
	src := []byte(includeKernel)
	if v := value(crosslane.LoadWith(src, "k.s", crosslane.LoadOptions{Include: crosslane.IncludeFrom(filepath.Join(dir, "other"), dir), Symbols: map[string]int64{"number": -7}})); int32(v) != -7 {
		t.Errorf("LoadWith: the kernel stores %d, want -7", int32(v))
	}
	if _, err := crosslane.Load(src, "k.s", crosslane.Auto); err == nil || !strings.Contains(err.Error(), "registers.inc") {
		t.Errorf("Load: %v, want an error about registers.inc", err)
	}
	r, err := crosslane.FixWaits(src, "k.s", crosslane.FixOptions{Include: crosslane.IncludeFrom(dir)})
	if err != nil || string(r.Text) != includeKernel || len(r.Left) != 0 {
		t.Errorf("FixWaits: %v, left %v, of\n%s", err, r.Left, r.Text)
	}
	// A missing wait in the included file is reported but not fixed.
	bad := strings.Replace(tail, "  s_waitcnt lgkmcnt(0)\n", "", 1)
	dir = writeFiles(t, map[string]string{"registers.inc": "value = 1\nnumber = 42\n", "code/tail.inc": bad})
	r, err = crosslane.FixWaits(src, "k.s", crosslane.FixOptions{Include: crosslane.IncludeFrom(dir)})
	if err != nil || string(r.Text) != includeKernel || len(r.Edits) != 0 || len(r.Left) != 2 || !strings.Contains(r.Left[0].Message, "included file code/tail.inc:1") || r.Left[0].Pos.Line != 10 {
		t.Errorf("FixWaits: %v, edits %v, left %v, of\n%s", err, r.Edits, r.Left, r.Text)
	}
}

// TestIncludeHostile: files that are none, that never end or that include each other are errors.
func TestIncludeHostile(t *testing.T) {
	t.Parallel()
	dir := writeFiles(t, map[string]string{"self.inc": `.include "self.inc"`, "a.inc": `.include "b.inc"`, "b.inc": `.include "a.inc"`, "folder/x": ""})
	cases := map[string]string{
		`.include "missing.inc"`: "there is no such file", `.include "folder"`: "is a directory", `.include ""`: "is a directory",
		`.include "self.inc"`: "nested more than", `.include "a.inc"`: "nested more than", `.incbin "folder"`: "is a directory",
		".rept 1000\n.rept 1000\n.include \"folder/x\"\n.endr\n.endr": "more than",
	}
	if exec.Command("mkfifo", filepath.Join(dir, "pipe")).Run() == nil {
		cases[`.include "pipe"`] = "is no regular file"
	}
	for src, want := range cases {
		_, err := crosslane.LoadWith([]byte(src+"\n"), "k.s", crosslane.LoadOptions{ISA: crosslane.GCN3, Include: crosslane.IncludeFrom(dir)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", src, err, want)
		}
	}
	if _, err := crosslane.LoadWith([]byte(".include \"x\"\n"), "k.s", crosslane.LoadOptions{Include: crosslane.IncludeFrom()}); err == nil {
		t.Error("a file is found in no folder")
	}
}
