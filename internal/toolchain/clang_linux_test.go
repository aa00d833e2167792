package toolchain_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// workshop is a crosslane program, and a toolchain that it has written.
type workshop struct {
	clang, crosslane, folder, work, programs string
	env                                      []string
}

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	clang, err := exec.LookPath("clang++-22")
	if err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatal("clang++-22 is not installed, but CROSSLANE_REQUIRE_ORACLES is 1")
		}
		t.Skip("clang++-22 is not installed")
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("host programs run on amd64")
	}
	programs, err := filepath.Abs("../../examples/hosts/clang")
	if err != nil {
		t.Fatal(err)
	}
	w := &workshop{clang: clang, work: t.TempDir(), programs: programs}
	w.crosslane, w.folder = filepath.Join(w.work, "crosslane"), filepath.Join(w.work, "cuda")
	w.env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(w.work, "cache"), "PATH="+w.folder+"/bin:"+os.Getenv("PATH"))
	if out, err := exec.Command("go", "build", "-o", w.crosslane, "example.org/crosslane/cmd/crosslane").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, status := w.run(w.crosslane, "toolchain", w.folder); status != 0 || !strings.Contains(out, "--cuda-path="+w.folder) {
		t.Fatalf("status %d\n%s", status, out)
	}
	return w
}

// cccl is the folder of the headers of CUB, Thrust and libcu++ of a version.
func cccl(t *testing.T, version, folder string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "crosslane-oracles", "cccl-"+version, "nvidia", folder)
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatalf("%v, but CROSSLANE_REQUIRE_ORACLES is 1; .ci/run install_tools installs it", err)
		}
		t.Skip("the headers of CCCL are not installed; .ci/run install_tools installs them")
	}
	return dir
}

// run runs a command among the programs.
func (w *workshop) run(name string, args ...string) (output string, status int) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = w.programs, w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out) + err.Error(), max(cmd.ProcessState.ExitCode(), 1)
	}
	return string(out), 0
}

// compile calls clang, which may say nothing.
func (w *workshop) compile(t *testing.T, args ...string) {
	t.Helper()
	if out, status := w.run(w.clang, append(args, "-L", w.folder+"/lib64", "-lcudart")...); status != 0 || out != "" {
		t.Fatalf("clang++ %q: status %d\n%.3000s", args, status, out)
	}
}

// The programs of examples/hosts/clang compile without CUDA, and run. Each compares with its own computation on the host.
func TestClang(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	cuda := []string{"-x", "cuda", "--cuda-path=" + w.folder, "--offload-arch=sm_80", "-O1", "-gline-tables-only"}
	for _, name := range []string{"saxpy", "reduce", "tiles", "symbols", "printing", "templates", "managed", "lanes", "maths", "streams", "groups", "half", "matrices", "bytes", "variables"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(w.work, name)
			if args := append(slices.Clip(cuda), name+".cu", "-o", program); name != "groups" {
				w.compile(t, args...)
			} else if out, status := w.run(w.clang, append(args, "-L", w.folder+"/lib64", "-lcudart")...); status != 0 || strings.Contains(out, "error") {
				t.Fatalf("status %d\n%.3000s", status, out) // ptxas warns of the masks of coalesced_threads
			}
			out, status := w.run(w.crosslane, "exec", "--check", "--", program)
			if status != 0 || !strings.Contains(out, "right\n") || strings.Contains(out, "warning") || strings.Contains(out, "error") {
				t.Errorf("status %d\n%s", status, out)
			}
			if name == "printing" && !strings.HasPrefix(out, "block 0 of 1: 3 2.50 text z -1234567890123\n") {
				t.Errorf("printed %s", out)
			}
		})
	}
	// Numbers of 16 bits without instructions of their own, and with all of them.
	for _, device := range []string{"sm_60", "sm_90"} {
		t.Run("half on "+device, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(w.work, "half-"+device)
			w.compile(t, "-x", "cuda", "--cuda-path="+w.folder, "--offload-arch="+device, "-O1", "half.cu", "-o", program)
			if out, status := w.run(w.crosslane, "exec", "--device", device, "--", program); status != 0 || !strings.Contains(out, "right\n") {
				t.Errorf("status %d\n%s", status, out)
			}
		})
	}
	// Programs that nvcc compiles, too.
	for _, name := range []string{"cooperative", "graph_capture", "graph_conditional", "graph_nodes", "launches", "managed", "pools", "pitched", "virtuals"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(w.work, name)
			w.compile(t, append(slices.Clip(cuda), "-std=c++17", "../cuda/"+name+".cu", "-o", program)...)
			if out, status := w.run(w.crosslane, "exec", "--device", "sm_80", "--", program); status != 0 || !strings.HasPrefix(out, "0 wrong\n") {
				t.Errorf("status %d\n%s", status, out)
			}
		})
	}
	// CUB and Thrust, with the headers of wheels. Their loops that clang does not unroll are warnings.
	for version, folder := range map[string]string{"12.9.27": "cuda_cccl/include", "13.3.5.0.6": "cu13/include/cccl"} {
		t.Run("cub "+version, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(w.work, "cub-"+version)
			args := append(slices.Clip(cuda), "-std=c++17", "-isystem", cccl(t, version, folder), "cub.cu", "-o", program, "-L", w.folder+"/lib64", "-lcudart")
			if out, status := w.run(w.clang, args...); status != 0 {
				t.Fatalf("status %d\n%.3000s", status, out)
			}
			out, status := w.run(w.crosslane, "exec", "--check", "--", program)
			if status != 0 || !strings.Contains(out, "right\n") || strings.Contains(out, "warning") || strings.Contains(out, "error") {
				t.Errorf("status %d\n%s", status, out)
			}
		})
	}
	// Barriers and pipelines of libcu++.
	for version, folder := range map[string]string{"12.9.27": "cuda_cccl/include", "13.3.5.0.6": "cu13/include/cccl"} {
		t.Run("barrier "+version, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(w.work, "barrier-"+version)
			args := append(slices.Clip(cuda), "-std=c++17", "-isystem", cccl(t, version, folder), "../cuda/barrier.cu", "-o", program)
			w.compile(t, args...)
			out, status := w.run(w.crosslane, "exec", "--check", "--", program)
			if status != 0 || !strings.HasPrefix(out, "0 wrong\n") || !strings.Contains(out, "nothing found in 2 launches") {
				t.Errorf("status %d\n%s", status, out)
			}
		})
	}
	// The twin of tiles without a barrier.
	t.Run("race", func(t *testing.T) {
		t.Parallel()
		program := filepath.Join(w.work, "race")
		w.compile(t, append(cuda, "-DFORGET_BARRIER", "tiles.cu", "-o", program)...)
		out, status := w.run(w.crosslane, "exec", "--check", "--", program)
		if status != 1 || !strings.Contains(out, "[race-shared]") || !strings.Contains(out, "tiles.cu:") {
			t.Errorf("status %d\n%s", status, out)
		}
	})
	// The twin of variables that does not wait for the kernel, at addresses above and below 4 GB.
	for _, option := range []string{"-pie", "-no-pie"} {
		t.Run("variables "+option, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(w.work, "variables"+option)
			w.compile(t, append(slices.Clip(cuda), "-DFORGET_WAIT", option, "variables.cu", "-o", program)...)
			out, status := w.run(w.crosslane, "exec", "--check", "--", program)
			if status != 1 || !strings.Contains(out, "variables.cu:33: error: the host reads byte 0 of \"total\" (4 bytes), while kernel walk") || strings.Count(out, "error: ") != 1 {
				t.Errorf("status %d\n%s", status, out)
			}
		})
	}
	// A library with a managed variable is opened and closed.
	t.Run("library", func(t *testing.T) {
		t.Parallel()
		library, program := filepath.Join(w.work, "library.so"), filepath.Join(w.work, "opener")
		w.compile(t, append(slices.Clip(cuda), "-shared", "-fPIC", "library.cu", "-o", library)...)
		if out, status := w.run(w.clang, "opener.cpp", "-o", program); status != 0 || out != "" {
			t.Fatalf("status %d\n%s", status, out)
		}
		out, status := w.run(w.crosslane, "exec", "--check", "--leaks", "--", program, library)
		if status != 0 || !strings.Contains(out, "right\n") || !strings.Contains(out, "nothing found in 6 launches") {
			t.Errorf("status %d\n%s", status, out)
		}
		trace := filepath.Join(w.work, "library.trace")
		if out, status := w.run(w.crosslane, "exec", "--trace", trace, "--", program, library); status != 0 {
			t.Fatalf("status %d\n%s", status, out)
		}
		if out, status := w.run(w.crosslane, "replay", trace, "--launch", "4", "--check"); status != 0 || !strings.Contains(out, "nothing found in 1 launch") {
			t.Errorf("status %d\n%s", status, out)
		}
	})
	// Units that are linked: in one command, as objects, and from an archive.
	t.Run("units", func(t *testing.T) {
		t.Parallel()
		object := func(name string) string { return filepath.Join(w.work, name) }
		rdc := append(cuda, "-fgpu-rdc")
		w.compile(t, append(rdc, "units_main.cu", "units_lib.cu", "-o", object("units1"))...)
		for _, name := range []string{"units_main", "units_lib"} {
			if out, status := w.run(w.clang, append(rdc, "-c", name+".cu", "-o", object(name+".o"))...); status != 0 || out != "" {
				t.Fatalf("%s: status %d\n%s", name, status, out)
			}
		}
		if out, status := w.run("ar", "rcs", object("libunits.a"), object("units_lib.o")); status != 0 {
			t.Fatalf("status %d\n%s", status, out)
		}
		w.compile(t, "-fgpu-rdc", "--offload-link", object("units_main.o"), object("units_lib.o"), "-o", object("units2"))
		w.compile(t, "-fgpu-rdc", "--offload-link", object("units_main.o"), "-L", w.work, "-lunits", "-o", object("units3"))
		for _, name := range []string{"units1", "units2", "units3"} {
			if out, status := w.run(w.crosslane, "exec", "--check", "--", object(name)); status != 0 || !strings.Contains(out, "right\n") {
				t.Errorf("%s: status %d\n%s", name, status, out)
			}
		}
		// The units of an archive are linked before they are checked.
		if out, status := w.run("ar", "rcs", object("libboth.a"), object("units_main.o"), object("units_lib.o")); status != 0 {
			t.Fatalf("status %d\n%s", status, out)
		}
		if out, status := w.run("ar", "rcs", object("libmain.a"), object("units_main.o")); status != 0 {
			t.Fatalf("status %d\n%s", status, out)
		}
		if out, status := w.run(w.crosslane, "check", object("libboth.a")); status != 0 || !strings.Contains(out, "nothing found; 1 file") {
			t.Errorf("status %d\n%s", status, out)
		}
		if out, status := w.run(w.crosslane, "check", object("libmain.a")); status == 0 || !strings.Contains(out, "calls scale, which the file declares and does not define") {
			t.Errorf("status %d\n%s", status, out)
		}
		// One unit alone lacks what the other defines for kernels.
		if err := os.WriteFile(object("other.cpp"), []byte("int other() { return 21; }\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, status := w.run(w.clang, "-c", object("other.cpp"), "-o", object("other.o")); status != 0 {
			t.Fatalf("status %d\n%s", status, out)
		}
		out, status := w.run(w.clang, "-fgpu-rdc", "--offload-link", object("units_main.o"), object("other.o"), "-o", object("half"), "-L", w.folder+"/lib64", "-lcudart")
		if status == 0 || !strings.Contains(out, "calls _Z5scalei") {
			t.Errorf("half a program: status %d\n%s", status, out)
		}
	})
	// Several architectures: a device takes the PTX that it can run.
	t.Run("architectures", func(t *testing.T) {
		t.Parallel()
		program := filepath.Join(w.work, "several")
		w.compile(t, append(cuda, "--offload-arch=sm_90", "saxpy.cu", "-o", program)...)
		if out, status := w.run(w.crosslane, "extract", program); status != 0 || !strings.Contains(out, "sm_80") || !strings.Contains(out, "sm_90") || !strings.Contains(out, "extract: 2 ptx") {
			t.Errorf("status %d\n%s", status, out)
		}
		for device, want := range map[string]int{"sm_75": 1, "sm_86": 0, "sm_120": 0} {
			if out, status := w.run(w.crosslane, "exec", "--device", device, "--", program); (status != 0) != (want != 0) || strings.Contains(out, "right\n") != (want == 0) {
				t.Errorf("%s: status %d\n%s", device, status, out)
			}
		}
		// A static check of the program's kernels.
		if out, status := w.run(w.crosslane, "check", "--static", program); status != 0 || !strings.Contains(out, "nothing found") {
			t.Errorf("status %d\n%s", status, out)
		}
	})
	// What the headers lack is an error of the compiler.
	t.Run("absent", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(w.work, "absent.cu")
		for text, want := range map[string]string{"#include <curand_kernel.h>\n": "curand_kernel.h' file not found"} {
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			if out, status := w.run(w.clang, append(cuda, "-c", file, "-o", file+".o")...); status == 0 || !strings.Contains(out, want) {
				t.Errorf("status %d\n%s", status, out)
			}
		}
	})
}
