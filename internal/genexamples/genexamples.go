// Package genexamples compiles the kernels of the examples folder with clang. It only runs the
// compiler; the output is not changed.
package genexamples

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// CompilerFile names the file, inside the examples folder, that records the compiler of the
// committed outputs: the first line of `clang-22 --version`.
const CompilerFile = "COMPILER"

// The tools that a build needs on PATH. clang finds the linker of its own version.
const (
	clang = "clang-22"
	llc   = "llc-22"
)

// A Step makes one output file from one source file by one run of a tool.
// Paths are relative to the examples folder, with forward slashes.
type Step struct {
	Source string
	Output string
	Tool   string
	Args   []string // arguments without source and output
}

// Steps returns every build step, in a fixed order.
func Steps() []Step {
	var steps []Step
	for _, c := range []struct{ name, arch, version string }{
		{"block_scan", "sm_70", "ptx63"},
		{"funnel_modes", "sm_70", "ptx63"},
		{"mistakes", "sm_70", "ptx63"},
		{"shfl_gallery", "sm_90", "ptx85"},
		{"vote_match", "sm_70", "ptx63"},
		{"warp_reduce", "sm_80", "ptx78"},
	} {
		steps = append(steps, cuda(c.name, c.name, c.arch, c.version))
	}
	// The same kernel with line tables and debug sections.
	steps = append(steps, cuda("block_scan", "block_scan_debug", "sm_90", "ptx85",
		"-g", "-Xclang", "-debug-info-kind=constructor", "-fdebug-compilation-dir=examples"))
	steps = append(steps, Step{
		Source: "src/scan_step.ll", Output: "ptx/scan_step.ptx", Tool: llc,
		Args: []string{"-mtriple=nvptx64-nvidia-cuda", "-mcpu=sm_70", "-mattr=+ptx63"},
	})

	shared := []string{"arithmetic", "bits", "compact", "divergent", "dot", "histogram", "matmul", "saxpy", "sha256", "transpose"}
	for _, name := range shared {
		steps = append(steps, openclPTX(name))
	}
	for _, name := range append(shared, "dpp_gallery", "permute_gallery", "wave_reduce", "wave_scan") {
		steps = append(steps,
			openclGCN3(name, name+".s", "5", "-S"),
			openclGCN3(name, name+".hsaco", "5"))
	}
	// One kernel in the other code object versions, and unlinked.
	steps = append(steps,
		openclGCN3("saxpy", "saxpy_v4.s", "4", "-S"),
		openclGCN3("saxpy", "saxpy_v4.hsaco", "4"),
		openclGCN3("saxpy", "saxpy_v6.s", "6", "-S"),
		openclGCN3("saxpy", "saxpy_v6.hsaco", "6"),
		openclGCN3("saxpy", "saxpy.o", "5", "-c"),
		Step{
			Source: "gcn3/dpp_scan.s", Output: "gcn3/dpp_scan.hsaco", Tool: clang,
			Args: []string{"--target=amdgcn-amd-amdhsa", "-mcpu=gfx803", "-mcode-object-version=5", "-x", "assembler"},
		})
	return append(steps, programSteps()...)
}

// cuda compiles CUDA C++ without a CUDA toolkit. clang's default is the oldest PTX version that has
// the target, so the version is set explicitly.
func cuda(source, output, arch, version string, more ...string) Step {
	return Step{
		Source: "src/" + source + ".cu", Output: "ptx/" + output + ".ptx", Tool: clang,
		Args: append([]string{"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=" + arch,
			"-nocudainc", "-nocudalib", "--cuda-feature=+" + version, "-O2", "-S"}, more...),
	}
}

func openclPTX(name string) Step {
	return Step{
		Source: "src/" + name + ".cl", Output: "ptx/" + name + ".ptx", Tool: clang,
		Args: []string{"--target=nvptx64-nvidia-cuda", "-march=sm_70", "-Xclang", "-target-feature", "-Xclang", "+ptx63",
			"-x", "cl", "-cl-std=CL2.0", "-O2", "-S"},
	}
}

func openclGCN3(name, output, version string, more ...string) Step {
	return Step{
		Source: "src/" + name + ".cl", Output: "gcn3/" + output, Tool: clang,
		Args: append([]string{"--target=amdgcn-amd-amdhsa", "-mcpu=gfx803", "-nogpulib",
			"-x", "cl", "-cl-std=CL2.0", "-O2", "-mcode-object-version=" + version}, more...),
	}
}

// Compiler returns the first line of clang-22's version. The error wraps exec.ErrNotFound if there
// is no clang-22 or llc-22.
func Compiler(ctx context.Context) (string, error) {
	if _, err := exec.LookPath(llc); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, clang, "--version").Output()
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line), nil
}

// Build runs every step with sources below the folder examples and writes the outputs, and the
// compiler's version, below the folder out, which may be the same one. The tools run with examples
// as their working directory and get relative source names, so no output depends on the place of
// the build.
func Build(ctx context.Context, examples, out string) error {
	return BuildSteps(ctx, Steps(), examples, out)
}

// BuildSteps is Build for some of the steps.
func BuildSteps(ctx context.Context, steps []Step, examples, out string) error {
	version, err := Compiler(ctx)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, CompilerFile), []byte(version+"\n"), 0o644); err != nil {
		return err
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	var first error
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tickets := make(chan bool, runtime.GOMAXPROCS(0))
	for _, s := range steps {
		tickets <- true
		all.Go(func() {
			defer func() { <-tickets }()
			if err := s.run(ctx, examples, out); err != nil {
				mu.Lock()
				defer mu.Unlock()
				if first == nil {
					first = err
				}
				cancel()
			}
		})
	}
	all.Wait()
	return first
}

// run runs the tool and writes the output.
func (s Step) run(ctx context.Context, examples, out string) error {
	target, err := filepath.Abs(filepath.Join(out, filepath.FromSlash(s.Output)))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.Tool, append(append([]string(nil), s.Args...), s.Source, "-o", target)...)
	cmd.Dir = examples
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	// Warnings are dropped: clang warns of every shared variable of an OpenCL kernel, because of
	// the callable copy that it makes of each kernel.
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, said.Bytes())
	}
	return os.Chmod(target, 0o644) // the linker makes code objects executable
}
