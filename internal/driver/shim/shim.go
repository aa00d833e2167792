// Package shim holds the source of the driver library in C. It is compiled on the machine of the user: see Build.
package shim

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
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
	list, err := sources.ReadDir("src")
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		data, err := sources.ReadFile("src/" + f.Name())
		if err != nil {
			return nil, err
		}
		files[f.Name()] = string(data)
	}
	return files, nil
}

// compilers are the commands that are tried.
var compilers = []string{"cc", "gcc", "clang"}

// Build returns a folder with libcuda.so.1 and libcuda.so. It compiles the library if the folder of the cache does not
// have this version of it yet. The variable CC of the environment names another compiler.
func Build(cache string) (folder string, err error) {
	files, err := Files()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(files[name]), files[name])
	}
	folder = filepath.Join(cache, "driver-"+hex.EncodeToString(sum.Sum(nil))[:16])
	if _, err := os.Stat(filepath.Join(folder, "libcuda.so.1")); err == nil {
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
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{
		{"-c", "-fPIC", "-O0", "cuda_names.c"}, // there is nothing to optimise
		{"-shared", "-fPIC", "-O2", "-pthread", "-Wl,-soname,libcuda.so.1", "-o", "libcuda.so.1", "libcuda.c", "cuda_names.o", "-ldl"},
	} {
		cmd := exec.Command(cc, args...)
		cmd.Dir = work
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s cannot compile the driver library: %v\n%s", cc, err, strings.TrimSpace(string(out)))
		}
	}
	if err := os.Symlink("libcuda.so.1", filepath.Join(work, "libcuda.so")); err != nil {
		return "", err
	}
	if err := os.Rename(work, folder); err != nil {
		if _, missing := os.Stat(filepath.Join(folder, "libcuda.so.1")); missing != nil {
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
	return "", errors.New("no C compiler was found, and the driver library has to be compiled once: install gcc or clang, or set CC")
}
