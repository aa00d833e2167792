// Package shim holds the source of the driver library in C. It is compiled on the machine of the user: see Build.
package shim

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"example.org/crosslane/internal/driver/abi"
)

//go:embed src
var sources embed.FS

// Files returns the C source: names and contents. libcuda.c and cuda_names.c are compiled, the others included.
func Files() (map[string]string, error) {
	var names, source bytes.Buffer
	if err := errors.Join(abi.WriteHeader(&names), abi.WriteC(&source)); err != nil {
		return nil, err
	}
	files := map[string]string{"cuda_names.h": names.String(), "cuda_names.c": source.String()}
	return files, ReadSources(sources, files)
}

// ReadSources adds the files of the folder src of a file system: names and contents.
func ReadSources(fsys fs.ReadFileFS, files map[string]string) error {
	list, err := fs.ReadDir(fsys, "src")
	if err != nil {
		return err
	}
	for _, f := range list {
		data, err := fsys.ReadFile("src/" + f.Name())
		if err != nil {
			return err
		}
		files[f.Name()] = string(data)
	}
	return nil
}

// Build returns a folder with libcuda.so.1, libcuda.so, and for programs that call ptx_run libgpuocelot.so. It compiles the library if the folder of the cache does not
// have this version of it yet. The variable CC of the environment names another compiler.
func Build(cache string) (folder string, err error) {
	files, err := Files()
	if err != nil {
		return "", err
	}
	return Compile(cache, Recipe{
		Name: "driver", What: "the driver library", Files: files, Product: "libcuda.so.1",
		Links: map[string]string{"libcuda.so": "libcuda.so.1", "libgpuocelot.so": "libcuda.so.1"},
		Steps: [][]string{
			{"-c", "-fPIC", "-O0", "cuda_names.c"}, // there is nothing to optimise
			{"-shared", "-fPIC", "-O1", "-pthread", "-Wl,-soname,libcuda.so.1", "-Wl,-z,nodelete", "-o", "libcuda.so.1", "libcuda.c", "cuda_names.o", "-ldl"},
		},
	})
}

// A Recipe says how libraries are compiled from C.
type Recipe struct {
	Name    string            // how the name of the folder begins
	What    string            // what is compiled, for messages
	Files   map[string]string // the source: names and contents
	Steps   [][]string        // the arguments of the C compiler, one list a command
	Links   map[string]string // symbolic links, and where they lead
	Product string            // a file that is there if all is done
}

// compilers are the commands that are tried.
var compilers = []string{"cc", "gcc", "clang"}

// Compile carries out a recipe in a folder below cache and returns the folder, which is named after the contents of the
// recipe. A folder that is there already is not compiled again.
func Compile(cache string, r Recipe) (folder string, err error) {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(r.Files[name]), r.Files[name])
	}
	fmt.Fprintf(sum, "%q %v %s", r.Steps, r.Links, r.Product)
	folder = filepath.Join(cache, r.Name+"-"+hex.EncodeToString(sum.Sum(nil))[:16])
	if _, err := os.Stat(filepath.Join(folder, r.Product)); err == nil {
		return folder, nil
	}
	cc, err := compiler()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	// Another process may do the same: each makes a folder of its own, and one of them becomes the folder.
	work, err := os.MkdirTemp(cache, "building-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	for name, text := range r.Files {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	for _, args := range r.Steps {
		cmd := exec.Command(cc, args...)
		cmd.Dir = work
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s cannot compile %s: %v\n%s", cc, r.What, err, strings.TrimSpace(string(out)))
		}
	}
	for name, to := range r.Links {
		if err := os.Symlink(to, filepath.Join(work, name)); err != nil {
			return "", err
		}
	}
	if err := os.Rename(work, folder); err != nil {
		if _, missing := os.Stat(filepath.Join(folder, r.Product)); missing != nil {
			return "", err
		}
	}
	return folder, nil
}

// compiler finds a C compiler.
func compiler() (string, error) {
	if cc := os.Getenv("CC"); cc != "" {
		return cc, nil
	}
	for _, name := range compilers {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no C compiler was found, and the libraries that programs load have to be compiled once: install gcc or clang, or set CC")
}
