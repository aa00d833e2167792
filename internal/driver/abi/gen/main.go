// Command gen makes the table of package abi from the headers of the CUDA driver API.
// Run it with go generate ./internal/driver/abi; it needs a C compiler and the headers of the Python
// package nvidia-cuda-runtime, version 13.5.37 (see CONTRIBUTING.md, Oracles).
//
//	Input      cuda.h, the headers of GL, EGL and VDPAU, and their Typedefs headers.
//	Output     ztable.go: one Symbol for each exported function.
//	Invariant  Each PFN type of the Typedefs headers names one ABI; each ABI is one exported symbol.
//	           The two declare the same parameters.
//	Example    PFN_cuMemAlloc_v2000 and PFN_cuMemAlloc_v3020 are two ABIs of cuMemAlloc. The header
//	           declares cuMemAlloc and cuMemAlloc_v2. The older ABI is the symbol without suffix:
//	           {"cuMemAlloc", "cuMemAlloc_v2", 3020, Legacy, "pq"}.
package main

import (
	"bytes"
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"flag"
	"fmt"
	"go/format"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	include := flag.String("include", Headers(), "the folder of cuda.h and cudaTypedefs.h")
	flag.Parse()
	src, err := Generate(*include)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("ztable.go", src, 0o644); err != nil {
		log.Fatal(err)
	}
}

// Headers returns the folder of the headers: CROSSLANE_CUDA_INCLUDE, or the one that .ci/run makes.
func Headers() string {
	if dir := os.Getenv("CROSSLANE_CUDA_INCLUDE"); dir != "" {
		return dir
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "crosslane-oracles", "cuda-13.5.37", "nvidia", "cu13", "include")
}

// headers is the C text that includes all declarations. The macro makes the headers declare old
// ABIs, too.
const headers = `#define __CUDA_API_VERSION_INTERNAL
#include <cudaTypedefs.h>
#include <cudaProfilerTypedefs.h>
#include <cudaGLTypedefs.h>
#include <cudaEGLTypedefs.h>
#include <cudaVDPAUTypedefs.h>
`

// foreign are the headers that the ones of CUDA include and that its package lacks, reduced to the
// types that a prototype uses. The profiler's header is in a package of its own.
var foreign = map[string]string{
	"GL/gl.h":       "typedef unsigned GLuint, GLenum;\n",
	"EGL/egl.h":     "typedef int EGLint;\ntypedef void *EGLStreamKHR, *EGLImageKHR, *EGLSyncKHR;\n",
	"EGL/eglext.h":  "\n",
	"vdpau/vdpau.h": "typedef unsigned VdpDevice, VdpVideoSurface, VdpOutputSurface;\ntypedef int VdpGetProcAddress(void);\n",
	"cudaProfiler.h": `typedef enum { CU_OUT = 0 } CUoutput_mode;
CUresult CUDAAPI cuProfilerInitialize(const char *, const char *, CUoutput_mode);
CUresult CUDAAPI cuProfilerStart(void);
CUresult CUDAAPI cuProfilerStop(void);
`,
}

// A function is one declaration: of an exported symbol, or of a PFN type.
type function struct {
	text    string // the name in the header
	base    string // the name without suffixes
	stream  string // "Legacy" or "PerThread"
	version int    // of a PFN type: the number after _v; of a symbol: the number after _v, or 1
	params  string // the kinds of the parameters
}

var (
	symbolName = regexp.MustCompile(`\bCUresult\s+(cu[A-Z]\w*)\s*\(`)
	typedef    = regexp.MustCompile(`\bPFN_(cu[A-Z]\w*)\b`)
	suffixes   = regexp.MustCompile(`^(\w+?)(?:_v(\d+))?(_pt[ds][sz])?$`)
)

// parse splits a name into its base, version and form.
func parse(name string) (function, error) {
	m := suffixes.FindStringSubmatch(name)
	if m == nil {
		return function{}, fmt.Errorf("%s is not a name with the suffixes _vN and _ptds or _ptsz", name)
	}
	f := function{text: name, base: m[1], stream: "Legacy", version: 1}
	if m[2] != "" {
		v, err := strconv.Atoi(m[2])
		if err != nil {
			return f, fmt.Errorf("%s: the version: %w", name, err)
		}
		f.version = v
	}
	if m[3] != "" {
		f.stream = "PerThread"
	}
	return f, nil
}

// Generate returns the text of ztable.go for the headers in the folder include.
func Generate(include string) ([]byte, error) {
	if _, err := os.Stat(filepath.Join(include, "cudaTypedefs.h")); err != nil {
		return nil, fmt.Errorf("the headers of CUDA 13.5: %w; install the Python package nvidia-cuda-runtime==13.5.37 and name its folder include by -include or CROSSLANE_CUDA_INCLUDE", err)
	}
	dir, err := os.MkdirTemp("", "crosslane-abi")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for name, text := range foreign {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	c := compiler{dir: dir, include: include}
	names, err := c.run("names.c", headers, "-E", "-P")
	if err != nil {
		return nil, err
	}
	symbols, err := c.declared(names, symbolName, "__typeof__(&%s) ")
	if err != nil {
		return nil, err
	}
	abis, err := c.declared(names, typedef, "PFN_%s ")
	if err != nil {
		return nil, err
	}
	return table(symbols, abis)
}

// A compiler runs cc in a folder.
type compiler struct{ dir, include string }

// run compiles a text and returns the output file's bytes.
func (c compiler) run(name, text string, args ...string) ([]byte, error) {
	in, out := filepath.Join(c.dir, name), filepath.Join(c.dir, name+".out")
	if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
		return nil, err
	}
	args = append(args, "-w", "-I", c.dir, "-I", c.include, "-o", out, in)
	if msg, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("cc %s: %w\n%s", name, err, msg)
	}
	return os.ReadFile(out)
}

// declared finds the names that a pattern matches, and their parameters. The format makes the C type
// of a pointer to the function from the name; the debug information of a variable of that type has
// the parameters with all typedefs resolved.
func (c compiler) declared(text []byte, pattern *regexp.Regexp, ctype string) ([]function, error) {
	var list []function
	src := bytes.NewBufferString(headers)
	for _, m := range pattern.FindAllSubmatch(text, -1) {
		f, err := parse(string(m[1]))
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b function) int { return cmp.Compare(a.text, b.text) })
	list = slices.CompactFunc(list, func(a, b function) bool { return a.text == b.text })
	for i, f := range list {
		fmt.Fprintf(src, ctype+"crosslane_%d;\n", f.text, i)
	}
	obj, err := c.run("types.c", src.String(), "-c", "-g")
	if err != nil {
		return nil, err
	}
	file, err := elf.NewFile(bytes.NewReader(obj))
	if err != nil {
		return nil, err
	}
	debug, err := file.DWARF()
	if err != nil {
		return nil, err
	}
	found := 0
	for r := debug.Reader(); ; {
		e, err := r.Next()
		if err != nil {
			return nil, err
		}
		if e == nil {
			break
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		number, ok := strings.CutPrefix(name, "crosslane_")
		if !ok || e.Tag != dwarf.TagVariable {
			continue
		}
		i, err := strconv.Atoi(number)
		if err != nil {
			return nil, err
		}
		t, err := debug.Type(e.Val(dwarf.AttrType).(dwarf.Offset))
		if err != nil {
			return nil, err
		}
		if list[i].params, err = kinds(t); err != nil {
			return nil, fmt.Errorf("%s: %w", list[i].text, err)
		}
		found++
	}
	if found != len(list) {
		return nil, fmt.Errorf("the debug information has %d of %d declarations", found, len(list))
	}
	return list, nil
}

// kinds returns one letter for each parameter of a pointer to a function.
func kinds(t dwarf.Type) (string, error) {
	p, ok := resolved(t).(*dwarf.PtrType)
	if !ok {
		return "", fmt.Errorf("%v is not a pointer to a function", t)
	}
	f, ok := resolved(p.Type).(*dwarf.FuncType)
	if !ok {
		return "", fmt.Errorf("%v is not a function", p.Type)
	}
	var letters []byte
	for _, param := range f.ParamType {
		if _, ok := param.(*dwarf.VoidType); ok {
			continue // debug information of f(void)
		}
		letter, err := kind(resolved(param))
		if err != nil {
			return "", err
		}
		letters = append(letters, letter)
	}
	return string(letters), nil
}

// resolved removes names and qualifiers from a type.
func resolved(t dwarf.Type) dwarf.Type {
	for {
		switch x := t.(type) {
		case *dwarf.TypedefType:
			t = x.Type
		case *dwarf.QualType:
			t = x.Type
		default:
			return t
		}
	}
}

// kind returns the letter of abi.Kind for a type.
func kind(t dwarf.Type) (byte, error) {
	type size struct {
		class string
		bytes int64
	}
	class := ""
	switch t.(type) {
	case *dwarf.PtrType:
		class = "pointer"
	case *dwarf.EnumType, *dwarf.UintType, *dwarf.UcharType:
		class = "unsigned"
	case *dwarf.IntType:
		class = "signed"
	case *dwarf.FloatType:
		class = "float"
	case *dwarf.StructType:
		class = "struct"
	}
	letter, ok := map[size]byte{
		{"pointer", 8}: 'p', {"signed", 4}: 'i', {"unsigned", 1}: 'b', {"unsigned", 2}: 'h', {"unsigned", 4}: 'u',
		{"unsigned", 8}: 'q', {"float", 4}: 'f', {"struct", 8}: 's', {"struct", 64}: 'S',
	}[size{class, t.Size()}]
	if !ok {
		return 0, fmt.Errorf("no kind for the type %v of %d bytes", t, t.Size())
	}
	return letter, nil
}

// table joins ABIs with symbols and returns the Go text.
func table(symbols, abis []function) ([]byte, error) {
	type form struct{ base, stream string }
	bySymbol, byABI := map[form][]function{}, map[form][]function{}
	for _, s := range symbols {
		k := form{s.base, s.stream}
		bySymbol[k] = append(bySymbol[k], s)
	}
	for _, a := range abis {
		k := form{a.base, a.stream}
		byABI[k] = append(byABI[k], a)
	}
	var forms []form
	for k := range bySymbol {
		forms = append(forms, k)
	}
	slices.SortFunc(forms, func(a, b form) int {
		return cmp.Or(cmp.Compare(a.base, b.base), cmp.Compare(a.stream, b.stream))
	})
	var out bytes.Buffer
	out.WriteString("// Code generated by go generate ./internal/driver/abi; DO NOT EDIT.\n\npackage abi\n\nvar table = []Symbol{\n")
	for _, k := range forms {
		older := func(a, b function) int { return cmp.Compare(a.version, b.version) }
		syms, list := bySymbol[k], byABI[k]
		slices.SortFunc(syms, older)
		slices.SortFunc(list, older)
		if len(syms) != len(list) {
			return nil, fmt.Errorf("%s, %s: %d symbols %v, but %d ABIs %v", k.base, k.stream, len(syms), syms, len(list), list)
		}
		for i, s := range syms {
			if s.params != list[i].params {
				return nil, fmt.Errorf("%s has the parameters %q, but PFN_%s has %q", s.text, s.params, list[i].text, list[i].params)
			}
			fmt.Fprintf(&out, "\t{%q, %q, %d, %s, %q},\n", s.base, s.text, list[i].version, k.stream, s.params)
		}
		delete(byABI, k)
	}
	for k, list := range byABI {
		return nil, fmt.Errorf("%s, %s: no symbol for the ABIs %v", k.base, k.stream, list)
	}
	out.WriteString("}\n")
	return format.Source(out.Bytes())
}
