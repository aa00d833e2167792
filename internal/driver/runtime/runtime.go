// Package runtime holds the source of the CUDA runtime libraries in C: libcudart.so.11.0, libcudart.so.12 and
// libcudart.so.13. They are compiled on the machine of the user: see Build.
//
//	Input      The folder of the driver library, which the runtime libraries call by its public functions.
//	Output     A folder with the three libraries. Each exports all names of NVIDIA's library of that soname.
//	Invariant  One set of sources makes all three. A name that Crosslane lacks returns 801 (cudaErrorNotSupported) and is
//	           said once.
//	Example    A program that nvcc 12 has linked with -cudart shared needs libcudart.so.12. It finds this library in the
//	           folder that crosslane exec puts into LD_LIBRARY_PATH.
//
// src/cudart.c describes the library. ztable.go has the names.
package runtime

import (
	"bytes"
	"embed"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"example.org/crosslane/internal/driver/abi"
	"example.org/crosslane/internal/driver/shim"
)

//go:generate go run example.org/crosslane/internal/driver/runtime/gen

//go:embed src
var sources embed.FS

// A Version is one of the libraries.
type Version struct {
	Major  int
	Soname string // the name of the file, and the version of each of its symbols
}

// Versions are the libraries, the oldest first.
var versions = []Version{{11, "libcudart.so.11.0"}, {12, "libcudart.so.12"}, {13, "libcudart.so.13"}}

// Versions returns the libraries, the oldest first.
func Versions() []Version { return versions[:len(versions):len(versions)] }

// Names returns the names that the library of a version exports, sorted.
func Names(major int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, n := range table {
			if n.majors&(1<<(major-versions[0].Major)) != 0 && !yield(n.name) {
				return
			}
		}
	}
}

// Build returns a folder with the libraries. It compiles them if the folder of the cache does not have them yet. driver is
// the folder of the driver library (shim.Build), which they load if no other one is found.
func Build(cache, driver string) (folder string, err error) {
	r, err := recipe(driver)
	if err != nil {
		return "", err
	}
	return shim.Compile(cache, r)
}

// Files returns the C source without the names: cudart.c is compiled, and includes the rest.
func Files() (map[string]string, error) {
	var header bytes.Buffer
	if err := abi.WriteDeclarations(&header); err != nil {
		return nil, err
	}
	files := map[string]string{"cuda_driver.h": header.String()}
	return files, shim.ReadSources(sources, files)
}

// recipe returns how the libraries are compiled.
func recipe(driver string) (shim.Recipe, error) {
	last := versions[len(versions)-1].Soname
	r := shim.Recipe{Name: "runtime", What: "the runtime library", Product: last, Links: map[string]string{"libcudart.so": last}}
	var err error
	if r.Files, err = Files(); err != nil {
		return r, err
	}
	// The linker is given an empty library of the driver's name: the symbols are found when a program starts.
	r.Files["empty.c"] = "extern int crosslane_driver;\n"
	r.Steps = append(r.Steps, []string{"-shared", "-nostdlib", "-o", "libcuda.so.1", "-Wl,-soname,libcuda.so.1", "empty.c"})
	for _, v := range versions {
		major := strconv.Itoa(v.Major)
		script, names := "cudart"+major+".map", "names"+major+".c"
		r.Files[script] = fmt.Sprintf("%s { global: cuda*; __cuda*; local: *; };\n", v.Soname)
		r.Files[names] = stubs(v.Major)
		r.Steps = append(r.Steps, []string{
			"-shared", "-fPIC", "-O1", "-fvisibility=hidden", "-fno-strict-aliasing", "-pthread", "-DCUDART_MAJOR=" + major, "-Wl,-soname," + v.Soname,
			"-Wl,--version-script," + script, "-Wl,-Bsymbolic", "-Wl,--enable-new-dtags", "-Wl,-rpath," + driver, "-o", v.Soname,
			"cudart.c", names, "-Wl,--no-as-needed", "libcuda.so.1",
		})
	}
	return r, nil
}

// stubs returns the C source with a weak function for each name of a version. A function of cudart.c takes its place.
func stubs(major int) string {
	var b strings.Builder
	b.WriteString("/* The names of the CUDA runtime API. Crosslane writes this file from its table. */\n" +
		"int crosslane_missing(const char *name, int *reported);\n" +
		"#define STUB(name) __attribute__((weak, visibility(\"default\"))) int name(void) { static int reported; return crosslane_missing(#name, &reported); }\n")
	for name := range Names(major) {
		fmt.Fprintf(&b, "STUB(%s)\n", name)
	}
	return b.String()
}
