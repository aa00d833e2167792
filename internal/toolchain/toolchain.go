// Package toolchain writes the folder in which clang finds what it needs of CUDA to compile CUDA C++:
// stand-ins for NVIDIA's tools, own small headers, and a library to link with.
//
// Input: the path of the crosslane program, which the tools run, and the libraries of package runtime.
// Output: a folder for clang's option --cuda-path. Its programs hold PTX and run under crosslane exec.
// Invariant: nothing in it is NVIDIA's. The headers declare a part of CUDA; what they lack is an error of
// the compiler.
// Example: clang++ -x cuda --cuda-path=DIR --offload-arch=sm_80 k.cu -o k -L DIR/lib64 -lcudart
package toolchain

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed include
var headers embed.FS

// Version is the version of CUDA that clang sees, and Soname the runtime library of that version.
const (
	Version = "12.8"
	Soname  = "libcudart.so.12"
)

// Libraries are the files that programs are linked with; "" for none.
type Libraries struct {
	Runtime string // the library of the CUDA runtime
	Driver  string // libcuda.so.1
}

// marker is a file that only a folder of this package has.
const marker = "crosslane.txt"

// ErrForeign is the error that a folder has other contents.
var ErrForeign = errors.New("the folder is not empty, and no toolchain of Crosslane")

// Write writes the folder. One that it has written before is written anew. crosslane is the path of the
// crosslane program.
func Write(dir, crosslane string, l Libraries) error {
	if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
		if _, err := os.Stat(filepath.Join(dir, marker)); err != nil {
			return ErrForeign
		}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	put := func(name string, data []byte, mode fs.FileMode) error {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		// A program may be running that was loaded from the old file.
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return os.WriteFile(name, data, mode)
	}
	if err := put(marker, []byte("This folder was written by crosslane toolchain, and may be written anew.\n"), 0o666); err != nil {
		return err
	}
	err := fs.WalkDir(headers, "include", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := headers.ReadFile(name)
		if err != nil {
			return err
		}
		return put(name, data, 0o666)
	})
	if err != nil {
		return err
	}
	for name, options := range map[string]string{"ptxas": " --crosslane-image", "fatbinary": "", "nvlink": ""} {
		if err := put("bin/"+name, []byte("#!/bin/sh\nexec "+quoted(crosslane)+" "+name+options+" \"$@\"\n"), 0o777); err != nil {
			return err
		}
	}
	if err := put("version.json", fmt.Appendf(nil, "{\"cuda\": {\"name\": \"CUDA for clang, by Crosslane\", \"version\": \"%s.0\"}}\n", Version), 0o666); err != nil {
		return err
	}
	if err := put("nvvm/libdevice/libdevice.10.bc", emptyModule(), 0o666); err != nil {
		return err
	}
	for _, lib := range []struct{ from, name, link string }{{l.Runtime, Soname, "libcudart.so"}, {l.Driver, "libcuda.so.1", "libcuda.so"}} {
		if lib.from == "" {
			continue
		}
		data, err := os.ReadFile(lib.from)
		if err != nil {
			return err
		}
		if err := put("lib64/"+lib.name, data, 0o777); err != nil {
			return err
		}
		link := filepath.Join(dir, "lib64", lib.link)
		if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.Symlink(lib.name, link); err != nil {
			return err
		}
	}
	return nil
}

// quoted is a word of the shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
