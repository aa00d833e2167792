package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/internal/driver/abi"
)

// include returns the folder of the headers, or skips the test.
func include(t *testing.T) string {
	t.Helper()
	dir := Headers()
	if _, err := os.Stat(filepath.Join(dir, "cudaTypedefs.h")); err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatalf("the headers of CUDA are not installed, but CROSSLANE_REQUIRE_ORACLES is 1: %v; .ci/run install_tools installs them", err)
		}
		t.Skip("the headers of CUDA are not installed; .ci/run install_tools installs them")
	}
	return dir
}

func TestOracleCurrent(t *testing.T) {
	t.Parallel()
	dir := include(t)
	if _, err := exec.LookPath("cc"); err != nil || runtime.GOOS != "linux" {
		t.Skip("the generator needs cc on Linux")
	}
	want, err := Generate(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../ztable.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("ztable.go is not what the headers say; run go generate ./internal/driver/abi")
	}
}

// text returns a header without comments. A comment or a broken line counts as a space.
func text(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|\\\n`).ReplaceAllString(string(data), " ")
}

// TestOracleTypedefs reads the Typedefs headers as text, without the generator. It asks for the ABI of
// each PFN type, by name and version, and compares the number of parameters and their kinds.
func TestOracleTypedefs(t *testing.T) {
	t.Parallel()
	dir := include(t)
	params := map[string][]abi.Kind{}
	for s := range abi.Symbols() {
		params[s.Name] = s.Params()
	}
	one := regexp.MustCompile(`CUresult\s*\(CUDAAPI\s*\*PFN_(cu\w+?)_v(\d+)(_pt[ds][sz])?\)\s*\(([^;]*)\)\s*;`)
	var answered []string
	for _, header := range []string{"cudaTypedefs.h", "cudaProfilerTypedefs.h", "cudaGLTypedefs.h", "cudaEGLTypedefs.h", "cudaVDPAUTypedefs.h"} {
		linux := regexp.MustCompile(`(?s)#ifdef _WIN32.*?#endif`).ReplaceAllString(text(t, dir, header), "")
		for _, m := range one.FindAllStringSubmatch(linux, -1) {
			name, suffix := m[1], m[3]
			version := 0
			fmt.Sscan(m[2], &version)
			flags := uint64(abi.LegacyStream)
			if suffix != "" {
				flags = abi.PerThreadStream
			}
			symbol, status := abi.Lookup(name, version, flags, 13050)
			if status != abi.Success || !strings.HasPrefix(symbol, name) || !strings.HasSuffix(symbol, suffix) {
				t.Errorf("PFN_%s_v%d%s: the symbol is %q, %v", name, version, suffix, symbol, status)
				continue
			}
			answered = append(answered, symbol)
			// One version earlier another ABI is chosen, or none.
			if before, _ := abi.Lookup(name, version-1, flags, 13050); before == symbol {
				t.Errorf("%s was there before version %d", symbol, version)
			}
			compare(t, symbol, params[symbol], strings.TrimSpace(m[4]))
		}
	}
	slices.Sort(answered)
	if n := len(answered); n != len(slices.Compact(answered)) || n != len(params) {
		t.Errorf("the types choose %d symbols, the table has %d", n, len(params))
	}
}

// compare compares the kinds of a function with the text of its parameters, as far as the text says
// the type without the headers.
func compare(t *testing.T, symbol string, kinds []abi.Kind, text string) {
	t.Helper()
	var list []string
	if text != "void" {
		list = strings.Split(text, ",")
	}
	if len(list) != len(kinds) {
		t.Errorf("%s has %d parameters, want %d: %s", symbol, len(kinds), len(list), text)
		return
	}
	known := map[string]abi.Kind{
		"size_t": abi.U64, "unsigned long long": abi.U64, "cuuint64_t": abi.U64, "CUdeviceptr": abi.U64, "CUdeviceptr_v2": abi.U64,
		"unsigned int": abi.U32, "unsigned": abi.U32, "cuuint32_t": abi.U32, "CUdeviceptr_v1": abi.U32, "GLuint": abi.U32,
		"int": abi.I32, "CUdevice": abi.I32, "CUdevice_v1": abi.I32, "EGLint": abi.I32, "float": abi.F32,
		"unsigned char": abi.U8, "unsigned short": abi.U16,
		"CUstream": abi.Pointer, "CUcontext": abi.Pointer, "CUmodule": abi.Pointer, "CUfunction": abi.Pointer, "CUevent": abi.Pointer,
		"CUgraph": abi.Pointer, "CUgraphNode": abi.Pointer, "CUarray": abi.Pointer, "CUtexref": abi.Pointer, "CUhostFn": abi.Pointer,
		"CUipcMemHandle_v1": abi.Struct64, "CUmemLocation_v1": abi.Struct8,
	}
	for i, param := range list {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(param), "const "))
		ctype := strings.Join(words[:max(1, len(words)-1)], " ")
		want, ok := known[ctype]
		if strings.ContainsAny(param, "*[") {
			want, ok = abi.Pointer, true
		}
		if ok && kinds[i] != want {
			t.Errorf("%s: parameter %d is %c, want %c: %s", symbol, i, kinds[i], want, param)
		}
	}
}

// TestOracleMacros reads the macros of the headers. A program that was compiled against the headers
// of 13.5 links the symbol that a macro names; the newest ABI of the name is that symbol.
func TestOracleMacros(t *testing.T) {
	t.Parallel()
	dir := include(t)
	names := map[string]bool{}
	for s := range abi.Symbols() {
		names[s.Base] = true
	}
	// Names whose macro is not the newest ABI.
	different := map[string]string{
		// The function with flags has a name of its own. The driver answers the old name with the old
		// ABI, as its type PFN_cuGraphInstantiate_v11000 says.
		"cuGraphInstantiate": "cuGraphInstantiate_v2",
		// Later ABIs have no macro, or a macro of their symbol.
		"cuGraphAddNode":   "cuGraphAddNode_v3",
		"cuLaunchHostFunc": "cuLaunchHostFunc_v2",
		"cuStreamGetCtx":   "cuStreamGetCtx_v2",
	}
	found := 0
	for _, header := range []string{"cuda.h", "cudaGL.h", "cudaVDPAU.h"} {
		one := regexp.MustCompile(`(?m)^ *#define (cu[A-Z]\w*) +(?:__CUDA_API_(PTDS|PTSZ)\()?(cu\w+)\)?\s*$`)
		for _, m := range one.FindAllStringSubmatch(text(t, dir, header), -1) {
			name, form, symbol := m[1], m[2], m[3]
			if !names[name] {
				continue // cuStreamGetCtx_v2 is a symbol, not a name
			}
			found++
			if s, ok := different[name]; ok {
				symbol = s
			}
			if got, _ := abi.Lookup(name, abi.Driver, abi.DefaultStream, abi.Driver); got != symbol {
				t.Errorf("%s: Lookup finds %q, the macro says %q", name, got, symbol)
			}
			if form != "" {
				symbol += "_" + strings.ToLower(form)
			}
			if got, _ := abi.Lookup(name, abi.Driver, abi.PerThreadStream, abi.Driver); got != symbol {
				t.Errorf("%s per thread: Lookup finds %q, the macro says %q", name, got, symbol)
			}
		}
	}
	// cuda.h has 142 macros, cudaGL.h 4 and cudaVDPAU.h 1. Three of cuda.h map symbols.
	if found != 144 {
		t.Errorf("%d macros found, want 144", found)
	}
}
