// Package compilers prepares stand-ins for the compilers that programs on the CUDA driver API run: ptxas, NVRTC, libnvvm
// and nvJitLink. Programs ask these for machine code; the stand-ins answer with PTX, which the driver library of
// package shim loads. A program that finds no toolkit gets one with a libnvvm that runs LLVM (toolkit.go), and a HIP program
// a libhiprtc that runs clang. The nvcc of a program is asked for PTX (nvcc.go).
//
// Input: a folder of the user's cache, and the path of the crosslane program.
// Output: an Environment, the variables that a program needs.
// Invariant: nothing outside the cache is written. Libraries that are installed compile; only what is asked of them
// changes.
// Example: a program that calls dlopen("/a/libnvrtc.so.13") gets the stand-in for it, which passes the option
// --gpu-architecture=sm_80 on as compute_80, and nvrtcGetCUBIN returns PTX.
//
// The redirection is that of rtld-audit(7); src/audit.c describes it.
package compilers

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.org/crosslane/internal/driver/shim"
)

//go:embed src
var sources embed.FS

// A library is one that is replaced when a program loads it: each of its versions has a soname and a stand-in.
type library struct {
	source  string
	sonames []string
	// versioned reports that symbols have a version, which is the soname.
	versioned bool
}

// libraries are the libraries of the toolkits 11 to 13.
var libraries = []library{
	{"nvrtc.c", []string{"libnvrtc.so.11.2", "libnvrtc.so.12", "libnvrtc.so.13"}, true},
	{"nvvm.c", []string{"libnvvm.so.4"}, false},
	{"nvjitlink.c", []string{"libnvJitLink.so.12", "libnvJitLink.so.13"}, true},
}

// auditLibrary is the file of src/audit.c.
const auditLibrary = "crosslane-audit.so"

// minors is how many minor versions of a toolkit have names of their own in nvJitLink.
const minors = 20

// Prepare compiles the libraries into a folder below cache, if they are not there yet, and writes the commands. crosslane
// is the path of the crosslane program, which the commands run; runtime is the folder of the runtime libraries, of
// which the toolkit has one.
func Prepare(cache, crosslane, runtime string) (Environment, error) {
	r, err := recipe()
	if err != nil {
		return Environment{}, err
	}
	folder, err := shim.Compile(cache, r)
	if err != nil {
		return Environment{}, err
	}
	tools, err := commands(cache, crosslane)
	if err != nil {
		return Environment{}, err
	}
	home, err := toolkit(tools, folder, crosslane, runtime)
	if err != nil {
		return Environment{}, err
	}
	lib, err := hiprtc(tools, folder, crosslane)
	if err != nil {
		return Environment{}, err
	}
	ptxas := filepath.Join(tools, "ptxas")
	// Compilers keep what they have made. What is made here is no machine code, so it has folders of its own.
	kept := func(name string) string { return filepath.Join(cache, "compiled", name) }
	return Environment{
		Audit: filepath.Join(folder, auditLibrary),
		Home:  home,
		// A HIP program finds libhiprtc here.
		Libraries: lib,
		NVCC:      filepath.Join(tools, "nvcc"),
		Set: map[string]string{
			"TRITON_PTXAS_PATH":           ptxas,
			"TRITON_PTXAS_BLACKWELL_PATH": ptxas, // for devices of 10.0 and newer
			"TRITON_CACHE_DIR":            kept("triton"),
			"NUMBA_CACHE_DIR":             kept("numba"),
			"CUPY_CACHE_DIR":              kept("cupy"),
		},
	}, nil
}

// recipe returns how the libraries are compiled.
func recipe() (shim.Recipe, error) {
	r := shim.Recipe{Name: "compilers", What: "the stand-ins for compilers", Files: map[string]string{}, Product: auditLibrary}
	if err := shim.ReadSources(sources, r.Files); err != nil {
		return r, err
	}
	r.Files["empty.c"] = "extern int crosslane_real;\n"
	r.Files["versions.h"] = versions()
	for _, l := range libraries {
		object := strings.TrimSuffix(l.source, ".c") + ".o"
		r.Steps = append(r.Steps, []string{"-c", "-fPIC", "-O2", "-pthread", l.source})
		for _, soname := range l.sonames {
			// The stand-in needs a library of an invented name; the auditing library gives the real one for it.
			needed := "crosslane-real-" + soname
			args := []string{"-shared", "-o", soname, "-Wl,-soname," + soname, object, "-Wl,--no-as-needed", needed, "-Wl,--as-needed", "-pthread", "-ldl"}
			if l.versioned {
				script := soname + ".map"
				r.Files[script] = fmt.Sprintf("%s { global: nv*; __nv*; local: *; };\n", soname)
				args = append(args, "-Wl,--version-script,"+script)
			}
			r.Steps = append(r.Steps, []string{"-shared", "-nostdlib", "-o", needed, "-Wl,-soname," + needed, "empty.c"}, args)
		}
	}
	r.Steps = append(r.Steps, toolkitSteps...)
	r.Steps = append(r.Steps, []string{"-shared", "-fPIC", "-O2", "-o", auditLibrary, "audit.c", "-ldl"})
	return r, nil
}

// versions returns the aliases of nvJitLink's functions under their names with a version.
func versions() string {
	var b strings.Builder
	for major := 12; major <= 13; major++ {
		for minor := range minors {
			fmt.Fprintf(&b, "ALIASES(_%d_%d)\n", major, minor)
		}
	}
	return b.String()
}

// commands writes scripts that run crosslane by the names of NVIDIA's tools, and returns their folder.
func commands(cache, crosslane string) (folder string, err error) {
	crosslane, err = filepath.Abs(crosslane)
	if err != nil {
		return "", err
	}
	// Several versions of Crosslane may share a cache.
	sum := sha256.Sum256([]byte(crosslane))
	folder = filepath.Join(cache, "tools-"+hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	for _, name := range []string{"ptxas", "nvcc"} {
		if err := replaceFile(filepath.Join(folder, name), script(crosslane, name)); err != nil {
			return "", err
		}
	}
	return folder, nil
}

// script returns a program of a shell that runs a command of crosslane.
func script(crosslane, command string) string {
	return "#!/bin/sh\nexec '" + strings.ReplaceAll(crosslane, "'", `'\''`) + "' " + command + " \"$@\"\n"
}

// replaceFile writes a program. Another process sees the old file or the whole new one.
func replaceFile(name, text string) error {
	if old, err := os.ReadFile(name); err == nil && string(old) == text {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(name), "writing-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return err
	}
	if err := f.Chmod(0o755); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
