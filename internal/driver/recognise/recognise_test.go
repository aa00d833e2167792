//go:build linux && amd64

package recognise

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/internal/fatbin"
	"example.org/crosslane/internal/fatbin/fatbintest"
)

// build compiles a program that registers fat binaries, each of them a list of entries, in a section. With static it
// defines the functions of the runtime.
func build(t *testing.T, section string, binaries [][]fatbintest.Entry, static bool, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") != "" {
			t.Fatal(err)
		}
		t.Skip("no C compiler: ", err)
	}
	folder := t.TempDir()
	source := "int main(void) { return 0; }\n"
	if len(binaries) > 0 {
		var all [][]byte
		for _, b := range binaries {
			all = append(all, fatbintest.Write(b...))
		}
		image := filepath.Join(folder, "image")
		if err := os.WriteFile(image, fatbintest.Join(all...), 0o600); err != nil {
			t.Fatal(err)
		}
		source += fmt.Sprintf("__asm__(\".section %s,\\\"a\\\"\\n.p2align 3\\nimage: .incbin \\\"%s\\\"\\n\"\n"+
			"\".section .nvFatBinSegment,\\\"aw\\\"\\n.p2align 3\\n.long 0x466243b1, 1\\n.quad image, 0\\n.text\\n\");\n", section, image)
		source += "void *__cudaRegisterFatBinary(void *);\n__attribute__((constructor)) void start(void) { __cudaRegisterFatBinary(0); }\n"
	}
	if static {
		source += "__attribute__((visibility(\"hidden\"))) void *__cudaRegisterFatBinary(void *p) { return p; }\n"
	}
	file, program := filepath.Join(folder, "program.c"), filepath.Join(folder, "program")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", append([]string{"-w", "-o", program, file}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return program
}

// library makes a library with a soname and the function that takes code, and returns its file.
func library(t *testing.T, soname string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), soname)
	if out, err := exec.Command("cc", "-shared", "-o", file, "-Wl,-soname,"+soname, "-Wl,--defsym,__cudaRegisterFatBinary=0", "-xc", "/dev/null").CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return file
}

// clangMade returns the options of cc for a program that looks as if clang had made it. registers: with clang's function that
// registers code; without it, nvcc may have called clang.
func clangMade(t *testing.T, registers bool) []string {
	t.Helper()
	header := filepath.Join(t.TempDir(), "clang.h")
	text := `__asm__(".section .comment,\"MS\",@progbits,1\n.asciz \"Debian clang version 22.1.8\"\n.text\n");` + "\n"
	if registers {
		text += "static __attribute__((used)) void __cuda_module_ctor(void) {}\n"
	}
	if err := os.WriteFile(header, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"-include", header}
}

// Each program is recognised. Of each that is refused there is a twin that runs.
func TestRefusal(t *testing.T) {
	t.Parallel()
	ptx := func(sm int) fatbintest.Entry { return fatbintest.Text(sm, "//") }
	cubin := func(sm int) fatbintest.Entry {
		return fatbintest.Entry{Kind: fatbintest.Cubin, SM: sm, Data: []byte("\x7fELF")}
	}
	type units = [][]fatbintest.Entry
	runtime, hip, other := library(t, "libcudart.so.13"), library(t, "libamdhip64.so.6"), library(t, "libother.so.1")
	needed := func(file string) []string { return []string{"-Wl,--no-as-needed", file} }
	const fat, rdc = ".nv_fatbin", "__nv_relfatbin"
	for _, c := range []struct {
		name    string
		section string
		units   units
		static  bool
		args    []string
		sm      int
		runtime Runtime
		refusal string // of message and remedy; "" if the program runs
	}{
		{"plain", fat, nil, false, nil, 89, None, ""},
		{"static", fat, units{{ptx(80)}}, true, nil, 89, Static, ""},
		{"stripped", fat, units{{ptx(80)}}, true, []string{"-s"}, 89, Stripped, "without its symbols, and that runtime works with NVIDIA's driver only; link it with nvcc -cudart shared, or keep its symbols"},
		{"shared", fat, units{{ptx(80)}}, false, needed(runtime), 89, Shared, ""},
		{"shared and stripped", fat, units{{ptx(80)}}, false, append(needed(runtime), "-s"), 89, Shared, ""},
		{"runtime of another library", fat, units{{ptx(80)}}, false, append(needed(other), "-s"), 89, Shared, ""},
		{"machine code", fat, units{{cubin(80)}, {cubin(90)}}, true, nil, 89, Static, "machine code for sm_80 and sm_90 and no PTX; it was built without PTX: add -gencode arch=compute_80,code=compute_80 to the flags of nvcc"},
		{"machine code of clang", fat, units{{cubin(80)}}, true, clangMade(t, true), 89, Static, "built without PTX: add --offload-arch=sm_80 --cuda-include-ptx=sm_80 to the flags of clang"},
		{"machine code of clang, or of nvcc with clang", fat, units{{cubin(80)}}, true, clangMade(t, false), 89, Static,
			"built without PTX: add -gencode arch=compute_80,code=compute_80 to the flags of nvcc, or --offload-arch=sm_80 --cuda-include-ptx=sm_80 to those of clang"},
		{"newer than all, of clang", fat, units{{ptx(150)}}, true, clangMade(t, true), 120, Static, "compile it for the device: add --offload-arch=sm_120 --cuda-include-ptx=sm_120 to the flags of clang"},
		{"machine code and PTX", fat, units{{cubin(80)}, {cubin(80), ptx(80)}}, true, nil, 89, Static, ""},
		{"linked code", rdc, units{{cubin(80), ptx(80)}}, true, nil, 89, Static, ""},
		{"linked machine code", rdc, units{{cubin(80)}}, true, nil, 89, Static, "no PTX"},
		{"newer", fat, units{{ptx(120), ptx(121)}}, true, nil, 89, Static, "PTX for sm_120 and sm_121, which a device sm_89 does not run; run it on a newer device: --device sm_120"},
		{"newer on a newer device", fat, units{{ptx(120)}}, true, nil, 120, Static, ""},
		{"newer than all", fat, units{{ptx(150)}}, true, nil, 120, Static, "PTX for sm_150, which a device sm_120 does not run; compile it for the device: add -gencode arch=compute_120,code=compute_120"},
		{"newer and older", fat, units{{ptx(120)}, {ptx(75)}}, true, nil, 89, Static, ""},
		{"on AMD", fat, units{{ptx(120)}}, true, nil, 0, Static, ""},
		{"HIP", fat, nil, false, needed(hip), 89, None, "HIP program (libamdhip64.so.6), and the device is sm_89; give an AMD device"},
		{"HIP on AMD", fat, nil, false, needed(hip), 0, None, ""},
		{"alone", fat, units{{ptx(80)}}, true, []string{"-static"}, 89, Static, "loads no libraries, so it cannot find the driver library; link it without -static"},
		{"alone without CUDA", fat, nil, false, []string{"-static"}, 89, None, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := Read(build(t, c.section, c.units, c.static, c.args...))
			if err != nil || p == nil {
				t.Fatal(p, err)
			}
			if p.Runtime != c.runtime || len(p.Binaries) != len(c.units) {
				t.Errorf("runtime %d with %d fat binaries, want %d with %d", p.Runtime, len(p.Binaries), c.runtime, len(c.units))
			}
			d := p.Refusal(c.sm, []int{80, 89, 120, 121})
			got := ""
			if d != nil {
				got = d.Message + "; " + d.Remedy
			}
			if c.refusal == "" && got != "" || !strings.Contains(got, c.refusal) {
				t.Errorf("got %q, want %q", got, c.refusal)
			}
		})
	}
}

// Files that are no programs are passed.
func TestNoProgram(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"script": "#!/bin/sh\n", "empty": "", "short": "\x7fELF", "other": string(fatbintest.ELF(fatbintest.AArch64))} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := Read(file); p != nil || err != nil {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("a file that is absent is no error")
	}
}

// A library of another programming model is named.
func TestOther(t *testing.T) {
	t.Parallel()
	p, err := Read(build(t, "", nil, false, "-Wl,--no-as-needed", library(t, "libOpenCL.so.1")))
	if err != nil || p == nil || p.Other != "OpenCL (libOpenCL.so.1)" {
		t.Errorf("%+v, %v", p, err)
	}
}

// A device is chosen for all objects that a process has loaded. Each target decides by itself.
func TestChoose(t *testing.T) {
	t.Parallel()
	type units = [][]fatbintest.Entry
	ptx := func(sm int, target string) fatbintest.Entry {
		return fatbintest.Text(sm, ".version 9.0\n.target "+target+"\n.address_size 64\n")
	}
	cubin := fatbintest.Entry{Kind: fatbintest.Cubin, SM: 150, Data: []byte("\x7fELF")}
	object := func(name string, all units) *Program {
		p := &Program{File: name}
		for _, u := range all {
			list, err := fatbin.Parse(fatbintest.Write(u...), name, 0)
			if err != nil {
				t.Fatal(err)
			}
			p.Binaries = append(p.Binaries, list...)
		}
		return p
	}
	older, newest := object("older", units{{ptx(75, "sm_75"), ptx(150, "sm_150")}}), object("newest", units{{ptx(121, "sm_121")}})
	newer := object("newer", units{{ptx(120, "sm_120")}, {ptx(52, "sm_52")}})
	hip := &Program{File: "hip", HIP: "libamdhip64.so.6"}
	for _, c := range []struct {
		name     string
		programs []*Program
		sm       int // 0: AMD
		because  string
	}{
		{"nothing", nil, 89, ""},
		{"older", []*Program{older}, 89, ""},
		{"machine code", []*Program{object("code", units{{cubin}})}, 89, ""},
		{"newer", []*Program{older, newer}, 120, "newer"},
		{"newer and newest", []*Program{newer, newest}, 121, "newer"},
		{"hopper", []*Program{object("hopper", units{{ptx(90, "sm_90")}})}, 120, "hopper"},
		{"hopper alone", []*Program{object("hopper", units{{ptx(90, "sm_90a")}})}, 89, ""},
		{"hopper alone and older", []*Program{object("hopper", units{{ptx(90, "sm_90a"), ptx(80, "sm_80")}})}, 89, ""},
		{"family", []*Program{object("family", units{{ptx(120, "sm_120f")}})}, 120, "family"},
		{"another family", []*Program{object("family", units{{ptx(100, "sm_100f")}})}, 89, ""},
		{"newer and unreadable", []*Program{object("bad", units{{fatbintest.Text(120, "no module")}})}, 120, "bad"},
		{"newer than all", []*Program{newer, object("future", units{{ptx(150, "sm_150")}})}, 89, ""},
		{"HIP", []*Program{hip}, 0, ""},
		{"HIP and CUDA", []*Program{hip, newer}, 120, "newer"},
	} {
		sm, amd, because := Choose(c.programs, []int{89, 120, 121})
		got := ""
		if because != nil {
			got = because.File
		}
		if sm != c.sm || amd != (c.sm == 0) || got != c.because {
			t.Errorf("%s: sm_%d, %t, because of %q, want sm_%d because of %q", c.name, sm, amd, got, c.sm, c.because)
		}
	}
}

// The code of libraries that a process has opened so far is read, and not that of others. A file that is gone, and one that is
// no object, are left out.
func TestLoaded(t *testing.T) {
	t.Parallel()
	entry := func(sm int) [][]fatbintest.Entry {
		return [][]fatbintest.Entry{{fatbintest.Text(sm, fmt.Sprintf(".target sm_%d\n", sm))}}
	}
	folder := t.TempDir()
	source, program := filepath.Join(folder, "opener.c"), filepath.Join(folder, "opener")
	if err := os.WriteFile(source, []byte("#include <dlfcn.h>\n#include <unistd.h>\n"+
		"int main(int n, char **a) { char c; for (int i = 1; i < n; i++) { if (!dlopen(a[i], RTLD_NOW) || write(1, \"o\", 1) != 1 || read(0, &c, 1) != 1) return 1; } return 0; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	plugin := func(sm int) string {
		file := build(t, ".nv_fatbin", entry(sm), true, "-shared", "-fPIC")
		named := filepath.Join(folder, fmt.Sprintf("lib with blanks %d.so", sm))
		if err := os.Rename(file, named); err != nil {
			t.Fatal(err)
		}
		return named
	}
	first, second, gone := plugin(80), plugin(120), plugin(70)
	if out, err := exec.Command("cc", "-w", "-o", program, source, "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	cmd := exec.Command(program, first, gone, second)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close()
	var want []string
	for _, file := range []string{first, gone, second} {
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		if file == gone {
			if err := os.Remove(gone); err != nil {
				t.Fatal(err)
			}
		} else {
			want = append(want, file)
		}
		var got []string
		for _, p := range Loaded(cmd.Process.Pid) {
			if len(p.Binaries) != 1 {
				t.Errorf("%s has %d fat binaries", p.File, len(p.Binaries))
			}
			got = append(got, p.File)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("after %s: %q, want %q", file, got, want)
		}
		if _, err := in.Write([]byte{'g'}); err != nil {
			t.Fatal(err)
		}
	}
	if list := Loaded(1 << 30); len(list) != 0 {
		t.Errorf("a process that does not exist has %v", list)
	}
}
