// Package hip holds the source of the HIP runtime library, libamdhip64, in C. It is compiled on the machine of the user: see
// Build.
//
// Input: names.txt, the names of the API with their symbol versions, and the source in src.
// Output: one library with the names libamdhip64.so.5, .6 and .7, and the links by which it is found.
// Invariant: the library exports every name of the list, with the symbol version that AMD's library gives it. A name
// without a definition in src is a stub that returns 801 and prints its name once.
// Example: a program that hipcc of ROCm 5 linked needs hipMalloc@hip_4.2 of libamdhip64.so.5.
package hip

import (
	"bytes"
	"embed"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.org/crosslane/internal/driver/abi"
	"example.org/crosslane/internal/driver/shim"
)

//go:embed src
var sources embed.FS

//go:embed names.txt
var names string

// A Name is a name that the library exports.
type Name struct {
	Version string // its symbol version, for example hip_4.2
	Name    string
}

// Names returns the names in the order of their versions.
func Names() (list []Name) {
	for line := range strings.Lines(names) {
		version, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		list = append(list, Name{version, name})
	}
	return list
}

// Majors are the versions of the API for which there are libraries.
func Majors() []int { return []int{5, 6, 7} }

// definition matches the head of an exported function in src.
var definition = regexp.MustCompile(`(?m)^(?:HIP|HIP_TEXT)\((\w+)\)|^__attribute__\(\((?:weak, )?visibility\("default"\)\)\) [^(]*?(\w+)\(`)

// Files returns the C source: names and contents. libamdhip64.c and hip_stubs.c are compiled, and include the rest.
func Files() (map[string]string, error) {
	var header bytes.Buffer
	if err := abi.WriteHeader(&header); err != nil {
		return nil, err
	}
	files, defined := map[string]string{}, map[string]bool{}
	if err := shim.ReadSources(sources, files); err != nil {
		return nil, err
	}
	for _, text := range files {
		for _, m := range definition.FindAllStringSubmatch(text, -1) {
			defined[m[1]+m[2]] = true
		}
	}
	files["cuda_names.h"] = header.String()
	files["hip_stubs.c"], files["hip.map"] = stubs(defined), versions()
	for _, n := range Names() {
		delete(defined, n.Name)
	}
	if len(defined) > 0 {
		return nil, fmt.Errorf("package hip: names.txt lacks %v", slices.Sorted(maps(defined)))
	}
	return files, nil
}

// maps iterates over the keys of a set.
func maps(set map[string]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range set {
			if !yield(k) {
				return
			}
		}
	}
}

// stubs is the source of the functions that src does not define.
func stubs(defined map[string]bool) string {
	var b strings.Builder
	b.WriteString("/* The functions of HIP that Crosslane lacks. */\nint hip_missing(const char *name, int *said);\n" +
		"#define STUB(name) __attribute__((visibility(\"default\"))) int name(void) { static int said; return hip_missing(#name, &said); }\n")
	for _, n := range Names() {
		if !defined[n.Name] {
			fmt.Fprintf(&b, "STUB(%s)\n", n.Name)
		}
	}
	return b.String()
}

// versions is the version script of the linker. Each version builds on the one before.
func versions() string {
	var b strings.Builder
	before, now := "", ""
	end := func() {
		switch {
		case now == "":
		case before == "":
			b.WriteString("local: *;\n};\n")
		default:
			b.WriteString("} " + before + ";\n")
		}
	}
	for _, n := range Names() {
		if n.Version != now {
			end()
			before, now = now, n.Version
			b.WriteString(now + " {\nglobal:\n")
		}
		b.WriteString("\t" + n.Name + ";\n")
	}
	end()
	return b.String()
}

// product is the compiled file. Programs load it by other names.
const product = "libcrosslane-hip.so"

// Build returns a folder with libamdhip64.so.5, .6, .7 and libamdhip64.so. It compiles the library if the folder of the
// cache does not have this version of it yet. The library finds libcuda.so.1 where the dynamic linker finds it.
func Build(cache string) (folder string, err error) {
	files, err := Files()
	if err != nil {
		return "", errors.Join(errors.New("the HIP runtime cannot be compiled"), err)
	}
	links := map[string]string{"libamdhip64.so": product}
	for _, m := range Majors() {
		links[fmt.Sprint("libamdhip64.so.", m)] = product
	}
	return shim.Compile(cache, shim.Recipe{
		Name: "hip", What: "the HIP runtime", Files: files, Product: product, Links: links,
		Steps: [][]string{{"-shared", "-fPIC", "-O1", "-pthread", "-fvisibility=hidden", "-Wl,-Bsymbolic", "-Wl,-z,nodelete",
			"-Wl,--version-script=hip.map", "-o", product, "libamdhip64.c", "hip_stubs.c", "-ldl"}},
	})
}
