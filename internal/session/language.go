package session

import (
	"path/filepath"
	"regexp"
	"strings"

	"example.org/crosslane/diag"
)

// A language is a language for kernels that a compiler has to translate first.
type language struct {
	name  string
	ends  []string       // the endings of its file names
	marks *regexp.Regexp // matches only texts of the language
	how   string         // the command that compiles it, with the file's name for FILE
}

// languages are tried in this order: HIP is CUDA C++ with another header.
var languages = [...]language{
	{"HIP C++", []string{".hip"}, regexp.MustCompile(`(?m)^\s*#\s*include\s*[<"]hip/`), "hipcc --offload-arch=gfx803 --offload-device-only -S FILE, and check the .s file"},
	{"CUDA C++", []string{".cu", ".cuh"}, regexp.MustCompile(`\b__global__\b|\b__device__\b`), "nvcc -ptx -lineinfo FILE, or clang --cuda-device-only -S FILE, and check the PTX"},
	{"OpenCL C", []string{".cl"}, regexp.MustCompile(`\b__kernel\b|(?m)^\s*kernel\s+void\b|\bget_global_id\s*\(`), "clang --target=amdgcn-amd-amdhsa -mcpu=gfx803 -x cl -S FILE, or --target=nvptx64-nvidia-cuda -march=sm_80, and check the output"},
	{"LLVM IR", []string{".ll"}, regexp.MustCompile(`(?m)^(source_filename = |target (triple|datalayout) = |define .*\{\s*$)`), "llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_80 FILE, or -mtriple=amdgcn-amd-amdhsa -mcpu=gfx803, and check the output"},
	{"Python", []string{".py"}, regexp.MustCompile(`(?m)^(import \w|from [\w.]+ import |def \w+\(|@\w+(\.\w+)*(\(|\s*$)|#!.*python)`), "the compiler that its kernels are for and check the PTX: of Triton kernel[grid](...).asm[\"ptx\"], of Numba kernel.inspect_asm()"},
	{"C or C++", []string{".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"}, regexp.MustCompile(`(?m)^\s*#\s*include\s*[<"]`), "a compiler for a GPU, and check the PTX or the code object"},
}

// maxLook is how much of a text is looked at, in bytes.
const maxLook = 1 << 20

// inOtherLanguage explains why a text does not assemble as GCN3: it names a language that has to be
// compiled first, or reports that the text is no known language. It returns nil if the text looks
// like GCN3.
func inOtherLanguage(data []byte, file string) error {
	look := comments.ReplaceAll(data[:min(len(data), maxLook)], nil)
	end := strings.ToLower(filepath.Ext(file))
	for _, byName := range []bool{true, false} {
		for i := range languages {
			l := &languages[i]
			named := false
			for _, e := range l.ends {
				named = named || e == end
			}
			if named != byName || !named && !l.marks.Match(look) {
				continue
			}
			d := diag.Errorf(diag.Pos{File: file}, diag.Input, "unknown-kind", "this is %s; Crosslane checks and runs the output of its compiler", l.name)
			name := file
			if name == "" || strings.HasPrefix(name, "<") {
				name = "FILE"
			}
			d.Remedy = "compile it with " + strings.ReplaceAll(l.how, "FILE", name)
			return diag.List{d}
		}
	}
	if gcn3Line.Match(look) {
		return nil
	}
	return unknownKind(file)
}

// comments matches those of GCN3 assembly, which compilers fill with names of the source.
var comments = regexp.MustCompile(`(?m)(;|//).*$`)

// gcn3Line matches a line of GCN3 assembly: a directive, a label or an instruction.
var gcn3Line = regexp.MustCompile(`(?m)^\s*(\.\w+|[\w.$]+:|(s|v|ds|flat|buffer|tbuffer|image|global|scratch)_\w+)`)

func unknownKind(file string) error {
	d := diag.Errorf(diag.Pos{File: file}, diag.Input, "unknown-kind", "the file is neither PTX (no .version directive) nor a GCN3 code object nor GCN3 assembly")
	d.Remedy = "say which with --isa ptx or --isa gcn3"
	return diag.List{d}
}
