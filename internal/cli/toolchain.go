package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"example.org/crosslane/diag"
	cudart "example.org/crosslane/internal/driver/runtime"
	"example.org/crosslane/internal/driver/shim"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/toolchain"
)

func (a *app) toolchainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "toolchain DIR",
		Short: "Write a folder with which clang compiles CUDA C++",
		Long: `Write a folder that clang takes for an installation of CUDA: stand-ins for ptxas, fatbinary
and nvlink, which run this program, small own headers, and the CUDA runtime library of
exec. clang, tested with version 22, compiles CUDA C++ with it, without NVIDIA's toolkit; -fgpu-rdc
links units. The programs hold PTX and run under exec. The commands are printed.

The headers declare the part of the runtime API that is common in programs, and what kernels use:
shuffles, votes, atomics, mathematics, printf, assert, cooperative groups, numbers of 16 and 8 bits, managed
variables. They do not have textures, CUB and the other libraries of CUDA.`,
		Example: `  crosslane toolchain cuda
  clang++ -x cuda --cuda-path=cuda --offload-arch=sm_80 k.cu -o k -L cuda/lib64 -lcudart
  crosslane exec -- ./k`,
		Args: cobra.ExactArgs(1),
		RunE: a.command(func(args []string) error { return a.toolchain(args[0]) }),
	}
}

func (a *app) toolchain(dir string) error {
	if runtime.GOOS == "windows" {
		return diag.Errorf(diag.Pos{File: dir}, diag.Unsupported, "unsupported", "the tools of the folder are scripts of a POSIX shell, which Windows does not run")
	}
	command, err := os.Executable()
	if err != nil {
		return ioError(diag.Pos{File: dir}, "the path of this program is not known: %s", err)
	}
	var l toolchain.Libraries
	if hosts := runtime.GOOS == "linux" && runtime.GOARCH == "amd64"; hosts {
		cache := cacheFolder()
		driver, err := shim.Build(cache)
		if err != nil {
			return ioError(diag.Pos{File: dir}, "the driver library cannot be compiled: %s", err)
		}
		folder, err := cudart.Build(cache, driver)
		if err != nil {
			return ioError(diag.Pos{File: dir}, "the runtime library cannot be compiled: %s", err)
		}
		l = toolchain.Libraries{Runtime: filepath.Join(folder, toolchain.Soname), Driver: filepath.Join(driver, "libcuda.so.1")}
	}
	err = toolchain.Write(dir, command, l)
	if errors.Is(err, toolchain.ErrForeign) {
		d := ioError(diag.Pos{File: dir}, "%s", err)
		d.Remedy = "give a new folder"
		return d
	}
	if err != nil {
		return ioError(diag.Pos{File: dir}, "cannot write: %s", input.Reason(err))
	}
	word := dir
	if strings.ContainsAny(word, " \t\"'$\\") {
		word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	link := " -L " + word + "/lib64 -lcudart"
	fmt.Fprintf(a.out, "# Compile, and run:\nclang++ -x cuda --cuda-path=%s --offload-arch=sm_80 k.cu -o k%s\ncrosslane exec -- ./k\n", word, link)
	fmt.Fprintf(a.out, "# Units of -fgpu-rdc that are linked by a command of their own need the tools in PATH:\nPATH=%s/bin:$PATH clang++ -fgpu-rdc --offload-link a.o b.o -o app%s\n", word, link)
	return nil
}
