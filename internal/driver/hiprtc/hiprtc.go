// Package hiprtc compiles HIP C++ while a program runs, with the clang that is installed, where AMD's libhiprtc is not.
//
// Input: a source, its headers, options of hiprtcCompileProgram and name expressions.
// Output: a code object, the log of clang and the lowered names; or an Error with the result that libhiprtc would return.
// Invariant: nothing of AMD's is needed. If the device libraries of ROCm are installed, the functions of the mathematics
// library are theirs; else there are those that clang compiles by itself. A name that is missing is an error of clang.
// Example: the expression my::k<float, 3> is lowered to _ZN2my1kIfLi3EEEvPT_.
//
// The header runtime.h is own: the declarations of HIP for kernels without an include.
package hiprtc

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.org/crosslane/internal/driver/request"
)

// Results of functions of libhiprtc (hiprtcResult) that an Error can have.
const (
	invalidInput   = 3
	invalidOption  = 5
	compilation    = 6
	nameIsNotValid = 10
)

// An Error holds the log of a program and the hiprtcResult.
type Error struct {
	Result int
	Log    string
}

func (e *Error) Error() string { return e.Log }

func failf(result int, format string, args ...any) *Error {
	return &Error{result, fmt.Sprintf(format, args...)}
}

// A Header is a file that the source may include.
type Header struct{ Name, Text string }

// A Program is a program that hiprtc compiles.
type Program struct {
	Target      string // the device of the program, for example gfx803: the architecture if no option names one
	Name        string // of the source, for messages; "": none
	Source      string
	Headers     []Header
	Options     []string
	Expressions []string
}

// A Compiled is a compiled program.
type Compiled struct {
	Code    []byte
	Log     string   // warnings of clang
	Lowered []string // of each expression
}

//go:embed runtime.h
var runtimeHeader string

// Compile compiles a program.
func Compile(ctx context.Context, p Program) (c Compiled, err error) {
	words, arch, err := translate(p.Options, p.Target)
	if err != nil {
		return c, err
	}
	clang, libraries, err := findClang()
	if err != nil {
		return c, err
	}
	folder, err := os.MkdirTemp("", "crosslane-hiprtc-")
	if err != nil {
		return c, failf(compilation, "crosslane: %s", err)
	}
	defer os.RemoveAll(folder)
	if err := write(folder, p); err != nil {
		return c, err
	}
	words = slices.Concat(own(folder, arch, libraries), words)
	run := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, clang, slices.Concat(words, args)...)
		cmd.Dir = folder
		out, err := cmd.CombinedOutput()
		log := strings.ReplaceAll(string(out), folder+string(filepath.Separator), "")
		if err == nil {
			return log, nil
		}
		if log == "" {
			log = "crosslane: " + clang + ": " + err.Error()
		}
		if libraries == "" {
			log += "crosslane: the device libraries of ROCm are not installed, so few functions of the mathematics library exist: apt-get install rocm-device-libs\n"
		}
		return log, failf(compilation, "%s", log)
	}
	if c.Log, err = run("-o", "code", "source.hip"); err != nil {
		return c, err
	}
	if c.Code, err = os.ReadFile(filepath.Join(folder, "code")); err != nil {
		return c, failf(compilation, "crosslane: %s", err)
	}
	if len(p.Expressions) > 0 {
		if _, err := run("-O0", "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-w", "-o", "names.ll", "names.hip"); err != nil {
			return c, err
		}
		text, err := os.ReadFile(filepath.Join(folder, "names.ll"))
		if err != nil {
			return c, failf(compilation, "crosslane: %s", err)
		}
		if c.Lowered, err = lowered(text, p.Expressions); err != nil {
			return c, err
		}
	}
	return c, nil
}

// write writes the source twice: with its expressions, so that templates are instantiated, and for their names.
func write(folder string, p Program) error {
	if err := os.Mkdir(filepath.Join(folder, "include"), 0o700); err != nil {
		return failf(compilation, "crosslane: %s", err)
	}
	for _, h := range p.Headers {
		name := filepath.Join(folder, "include", filepath.FromSlash(h.Name))
		if !filepath.IsLocal(filepath.FromSlash(h.Name)) {
			return failf(invalidInput, "crosslane: the header %q has a name outside the folder of headers", h.Name)
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(h.Text), 0o600)); err != nil {
			return failf(invalidInput, "crosslane: the header %q cannot be written: %s", h.Name, err)
		}
	}
	head := ""
	if p.Name != "" {
		head = "#line 1 " + strconv.Quote(p.Name) + "\n"
	}
	used, names := head+p.Source+"\n", head+p.Source+"\n"
	for i, e := range p.Expressions {
		if strings.ContainsAny(e, "\n;{}") {
			return failf(nameIsNotValid, "crosslane: %q is no name expression", e)
		}
		address := "&" + strings.TrimPrefix(strings.TrimSpace(e), "&")
		line := fmt.Sprintf("#line %d \"name expressions\"\n", i+1)
		used += fmt.Sprintf("%sstatic constexpr auto crosslane_used_%d = %s;\n", line, i, address)
		names += fmt.Sprintf("%sextern \"C\" __attribute__((device, used)) const auto crosslane_lowered_%d = %s;\n", line, i, address)
	}
	for name, text := range map[string]string{"source.hip": used, "names.hip": names, "include/hip/hip_runtime.h": "#pragma once\n", "hiprtc_runtime.h": runtimeHeader} {
		at := filepath.Join(folder, filepath.FromSlash(name))
		if _, err := os.Stat(at); err == nil {
			continue // a header of the program
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(text), 0o600)); err != nil {
			return failf(compilation, "crosslane: %s", err)
		}
	}
	return nil
}

// own returns the options that come before those of the program.
func own(folder, arch, libraries string) []string {
	words := []string{"-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "--offload-arch=" + arch, "-mcode-object-version=5", "-O3", "-std=c++17",
		"-fdeclspec", "-D__HIPCC_RTC__", "-D__HIP_PLATFORM_AMD__", "-nogpuinc", "-Wno-unused-command-line-argument",
		"-I" + filepath.Join(folder, "include"), "-I" + folder}
	if libraries == "" {
		words = append(words, "-nogpulib")
	} else {
		words = append(words, "--rocm-device-lib-path="+libraries, "-DCROSSLANE_DEVICE_LIBRARIES")
	}
	return append(words, "-include", "hiprtc_runtime.h")
}

// translate returns the options for clang, and the architecture.
func translate(options []string, target string) (words []string, arch string, err error) {
	for i := 0; i < len(options); i++ {
		o := options[i]
		name, value, has := strings.Cut(o, "=")
		if !has && i+1 < len(options) && (o == "--gpu-architecture" || o == "-arch" || o == "--offload-arch") {
			value, has = options[i+1], true
			i++
		}
		switch {
		case has && (name == "--offload-arch" || name == "--gpu-architecture" || name == "-arch"):
			arch = value
		case o == "-hip-pch" || o == "--save-temps" || o == "":
		case o == "-fgpu-rdc" || o == "-c" || o == "-S" || o == "-E" || o == "-emit-llvm" || o == "-o" || o == "--hip-link":
			return nil, "", failf(invalidOption, "crosslane: the option %s of hiprtc is not supported: the result is a code object that is linked", o)
		default:
			words = append(words, o)
		}
	}
	if arch == "" {
		arch = target
	}
	if !strings.HasPrefix(arch, "gfx") {
		return nil, "", failf(invalidOption, "crosslane: hiprtc compiles for chips of AMD, but the architecture is %q: give the option --offload-arch=gfx803, or run the program with crosslane exec --device gfx803", arch)
	}
	return words, arch, nil
}

// loweredName matches a variable that holds an address in LLVM IR.
var loweredName = regexp.MustCompile(`(?m)^@crosslane_lowered_(\d+) = .*?\bptr (?:addrspacecast \(ptr addrspace\(\d\) )?@("[^"]*"|[\w.$]+)`)

// lowered returns the names that the expressions mean.
func lowered(text []byte, expressions []string) ([]string, error) {
	names := make([]string, len(expressions))
	for _, m := range loweredName.FindAllSubmatch(text, -1) {
		if i, err := strconv.Atoi(string(m[1])); err == nil && i < len(names) {
			names[i] = strings.Trim(string(m[2]), `"`)
		}
	}
	for i, n := range names {
		if n == "" {
			return nil, failf(nameIsNotValid, "crosslane: the name expression %q names no kernel and no variable", expressions[i])
		}
	}
	return names, nil
}

// versions are those of clang that are looked for. 15 and 22 are tested.
var versions = []int{22, 21, 20, 19, 18, 17, 16, 15}

// libraryFolders are where packages of Debian and of AMD put the device libraries.
var libraryFolders = []string{"/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", "/usr/amdgcn/bitcode", "/opt/rocm/amdgcn/bitcode"}

// findClang returns the path of clang, which needs the linker lld, and the folder of the device libraries; "": there are none.
func findClang() (clang, libraries string, err error) {
	for _, v := range versions {
		for _, names := range [][2]string{
			{fmt.Sprintf("/usr/lib/llvm-%d/bin/clang", v), fmt.Sprintf("/usr/lib/llvm-%d/bin/ld.lld", v)},
			{fmt.Sprintf("clang-%d", v), fmt.Sprintf("ld.lld-%d", v)},
		} {
			c, errClang := exec.LookPath(names[0])
			if _, errLinker := exec.LookPath(names[1]); errClang == nil && errLinker == nil {
				return c, findLibraries(), nil
			}
		}
	}
	return "", "", failf(compilation, "crosslane: programs of hiprtc are compiled by clang and lld, and no pair of a version from %d to %d was found: apt-get install clang-%d lld-%[3]d",
		versions[len(versions)-1], versions[0], versions[0])
}

func findLibraries() string {
	for _, folder := range slices.Concat([]string{os.Getenv("HIP_DEVICE_LIB_PATH")}, libraryFolders) {
		if folder == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(folder, "ocml.bc")); err == nil {
			return folder
		}
	}
	return ""
}

// Serve answers one request of the library libhiprtc (package compilers): see package request.
//
// Input: the device, the name, the source; the number of headers, and of each one its name and its text; the number of
// options, and each one; the number of name expressions, and each one.
// Output: the hiprtcResult, the code and the log; if the result is 0, the lowered name of each expression.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	r := request.Reader{Data: data}
	texts := func() (list []string) {
		for n := r.Number(); n > 0 && !r.Bad; n-- {
			list = append(list, string(r.Text()))
		}
		return list
	}
	p := Program{Target: string(r.Text()), Name: string(r.Text()), Source: string(r.Text())}
	for n := r.Number(); n > 0 && !r.Bad; n-- {
		p.Headers = append(p.Headers, Header{string(r.Text()), string(r.Text())})
	}
	p.Options, p.Expressions = texts(), texts()
	var c Compiled
	if r.Bad || len(r.Data) > 0 {
		err = failf(invalidInput, "crosslane: the request is cut off")
	} else {
		c, err = Compile(ctx, p)
	}
	result := 0
	if err != nil {
		var e *Error
		if result, c = compilation, (Compiled{Log: err.Error()}); errors.As(err, &e) {
			result = e.Result
		}
	}
	answer := request.AppendText(request.AppendText(request.AppendNumber(nil, uint64(result)), string(c.Code)), c.Log)
	for _, name := range c.Lowered {
		answer = request.AppendText(answer, name)
	}
	_, err = out.Write(answer)
	return err
}
