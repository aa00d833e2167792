// Package gcntest holds helpers for the tests of the AMD front end: it assembles short texts and finds
// the compiled kernels of the examples.
package gcntest

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane/amdgpu"
)

// Assemble turns lines with labels ("name:") into bytes.
func Assemble(t testing.TB, text string) []byte {
	t.Helper()
	labels := map[string]int64{}
	var code []byte
	for pass := range 2 {
		code = code[:0]
		for _, line := range strings.Split(text, "\n") {
			line, _, _ = strings.Cut(line, "//")
			line = strings.TrimSpace(line)
			if name, ok := strings.CutSuffix(line, ":"); ok {
				labels[name] = int64(len(code))
				continue
			}
			if line == "" {
				continue
			}
			in, err := amdgpu.ParseInst(line, amdgpu.ParseOptions{PC: int64(len(code)), Eval: func(e string) (amdgpu.Value, error) {
				v, ok := labels[e]
				if !ok && pass == 1 {
					return amdgpu.Value{}, fmt.Errorf("no label %s", e)
				}
				return amdgpu.Value{Int: v, Label: true}, nil
			}})
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			b, err := amdgpu.Encode(&in)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			code = append(code, b...)
		}
	}
	return code
}

// root returns the folder of the module.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("the tests run outside the module")
	return ""
}

// KernelFiles returns the code objects of the examples, which compilers made.
func KernelFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(t), "examples/gcn3/*.hsaco"))
	if err != nil || len(files) < 10 {
		t.Fatalf("examples: %v, %d files", err, len(files))
	}
	return files
}

// EachKernel calls fn for every kernel of a code object: its name, the text section and the offset of
// the entry in it.
func EachKernel(t testing.TB, file string, fn func(name string, text []byte, entry int64)) {
	t.Helper()
	f, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	syms, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	text, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range syms {
		name, ok := strings.CutSuffix(s.Name, ".kd")
		if !ok {
			continue
		}
		sec := f.Sections[s.Section]
		d, err := sec.Data()
		if err != nil {
			t.Fatal(err)
		}
		kd := d[s.Value-sec.Addr:][:64]
		entry := int64(s.Value) + int64(binary.LittleEndian.Uint64(kd[16:])) - int64(f.Section(".text").Addr)
		fn(name, text, entry)
	}
}

// PrefixSum is from the document "AMD GCN3 cross-lane operations": the prefix sum of a wavefront in
// seven DPP instructions.
const PrefixSum = `
	v_add_f32 v1, v0, v0 row_shr:1 bound_ctrl:0
	v_add_f32 v1, v0, v1 row_shr:2 bound_ctrl:0
	v_add_f32 v1, v0, v1 row_shr:3 bound_ctrl:0
	v_nop
	v_nop
	v_add_f32 v1, v1, v1 row_shr:4 bank_mask:0xe
	v_nop
	v_nop
	v_add_f32 v1, v1, v1 row_shr:8 bank_mask:0xc
	v_nop
	v_nop
	v_add_f32 v1, v1, v1 row_bcast:15 row_mask:0xa
	v_nop
	v_nop
	v_add_f32 v1, v1, v1 row_bcast:31 row_mask:0xc`
