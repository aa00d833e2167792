// Package nvvm compiles NVVM IR to PTX with the tools of LLVM, where NVIDIA's libnvvm is not installed.
//
// Input: modules of NVVM IR, as text or as bitcode, and options of nvvmCompileProgram.
// Output: PTX, or an Error with the result that libnvvm would return and a log.
// Invariant: an option or an intrinsic that is not understood is refused by name. The tools run with an environment of
// their own, so that nothing a host program has set reaches them.
// Example: a module that calls llvm.nvvm.vote.sync, which LLVM does not have, is linked with a definition of it that
// calls llvm.nvvm.vote.all.sync, and so on (intrinsics.ll).
//
// Functions of libdevice stay calls: Crosslane has them as builtins.
package nvvm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Results of functions of libnvvm (nvvmResult) that an Error can have.
const (
	invalidInput  = 4
	invalidIR     = 6
	invalidOption = 7
	noModule      = 8
	compilation   = 9
)

// An Error holds the log of a program and the nvvmResult.
type Error struct {
	Result int
	Log    string
}

func (e *Error) Error() string { return e.Log }

func failf(result int, format string, args ...any) *Error {
	return &Error{result, fmt.Sprintf(format, args...)}
}

// A Module is one module of a program. Of a lazy module only the functions that other modules need are kept.
type Module struct {
	Name string
	Data []byte
	Lazy bool
}

// bitcode is how bitcode begins.
var bitcode = []byte("BC\xc0\xde")

// Compile compiles a program, whose modules are linked. The result is PTX without a zero byte at its end.
func Compile(ctx context.Context, modules []Module, options []string) ([]byte, error) {
	return run(ctx, modules, options, (*program).compile)
}

// Verify tests whether the modules are valid.
func Verify(ctx context.Context, modules []Module, options []string) error {
	_, err := run(ctx, modules, options, (*program).verify)
	return err
}

// A program is a compilation under way.
type program struct {
	ctx     context.Context
	folder  string // of temporary files
	options Options
	tools   tools
	eager   []string // the files of modules
	lazy    []string
}

func run(ctx context.Context, modules []Module, words []string, do func(*program) ([]byte, error)) ([]byte, error) {
	o, err := ParseOptions(words)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(modules, func(m Module) bool { return !m.Lazy }) {
		return nil, failf(noModule, "crosslane: the program has no module")
	}
	p := &program{ctx: ctx, options: o}
	if p.folder, err = os.MkdirTemp("", "crosslane-nvvm-"); err != nil {
		return nil, failf(compilation, "crosslane: %s", err)
	}
	defer os.RemoveAll(p.folder)
	if err := p.write(modules); err != nil {
		return nil, err
	}
	return do(p)
}

// write chooses the tools and writes the modules to files. A module without a function is left out: so is the module
// that stands for libdevice.
func (p *program) write(modules []Module) error {
	opaque, typed := false, false
	for _, m := range modules {
		if !bytes.HasPrefix(m.Data, bitcode) {
			opaque, typed = opaque || opaquePointer.Match(m.Data), typed || typedPointer.Match(m.Data)
		}
	}
	if opaque && typed {
		return failf(invalidIR, "crosslane: some modules have typed pointers and others have opaque ones; no version of LLVM reads both")
	}
	var err error
	if p.tools, err = findTools(packages, opaque); err != nil {
		return err
	}
	var all []byte
	for i, m := range modules {
		text := m.Data
		if len(text) == len(bitcode) { // the module in place of libdevice
			continue
		}
		if bytes.HasPrefix(text, bitcode) {
			if text, err = p.tool("llvm-dis", text, "-o", "-"); err != nil {
				return err
			}
		}
		if text, err = p.options.prepare(m.Name, text); err != nil {
			return err
		}
		if !bytes.Contains(text, []byte("\ndefine ")) && (m.Lazy || !bytes.Contains(text, []byte("\n@"))) {
			continue
		}
		list := &p.eager
		if m.Lazy {
			list = &p.lazy
		}
		if err := p.file(list, fmt.Sprintf("module%d.ll", i), text); err != nil {
			return err
		}
		all = append(all, text...)
	}
	if definitions := definitionsFor(all); definitions != nil {
		return p.file(&p.lazy, "intrinsics.ll", definitions)
	}
	return nil
}

func (p *program) file(list *[]string, name string, text []byte) error {
	name = filepath.Join(p.folder, name)
	*list = append(*list, name)
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return failf(compilation, "crosslane: %s", err)
	}
	return nil
}

func (p *program) verify() ([]byte, error) {
	for _, name := range p.eager {
		if _, err := p.tool("opt", nil, "-passes=verify", "-disable-output", name); err != nil {
			return nil, &Error{invalidIR, err.Error()}
		}
	}
	return nil, nil
}

// compile links the modules, optimises them and writes PTX.
func (p *program) compile() ([]byte, error) {
	if len(p.eager) == 0 {
		return nil, failf(compilation, "crosslane: the modules define nothing")
	}
	linked := p.eager[0]
	if len(p.eager) > 1 {
		linked = filepath.Join(p.folder, "linked.bc")
		if _, err := p.tool("llvm-link", nil, append([]string{"-o", linked}, p.eager...)...); err != nil {
			return nil, err
		}
	}
	if len(p.lazy) > 0 {
		needed := filepath.Join(p.folder, "needed.bc")
		if _, err := p.tool("llvm-link", nil, append([]string{"-o", needed, "-only-needed", linked}, p.lazy...)...); err != nil {
			return nil, err
		}
		linked = needed
	}
	machine, err := p.machine()
	if err != nil {
		return nil, err
	}
	optimised := filepath.Join(p.folder, "optimised.bc")
	if _, err := p.tool("opt", nil, slices.Concat(machine, []string{"-mtriple=" + triple, p.options.level(), "-o", optimised, linked})...); err != nil {
		return nil, err
	}
	ptx, err := p.tool("llc", nil, slices.Concat(machine, p.options.generator(), []string{"-mtriple=" + triple, p.options.level(), "-o", "-", optimised})...)
	if err != nil {
		return nil, err
	}
	if names := unknownIntrinsics(ptx); len(names) > 0 {
		return nil, failf(compilation, "crosslane: LLVM %d does not have %s, which the program calls", p.tools.major, strings.Join(names, ", "))
	}
	return ptx, nil
}

// unknownIntrinsic is a function that LLVM has left a call because it does not know the intrinsic.
var unknownIntrinsic = regexp.MustCompile(`\.extern \.func[^;]*?\b(llvm\.[\w.$]+)`)

func unknownIntrinsics(ptx []byte) (names []string) {
	for _, m := range unknownIntrinsic.FindAllSubmatch(ptx, -1) {
		names = append(names, string(m[1]))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// environment is that of the tools.
func (p *program) environment() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TMPDIR=" + p.folder}
}

// tool runs a tool and returns its output.
func (p *program) tool(name string, input []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(p.ctx, p.tools.path(name), args...)
	cmd.Env = p.environment()
	var out, log bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &log
	if err := cmd.Run(); err != nil {
		text := strings.ReplaceAll(strings.TrimSpace(log.String()), p.folder+string(filepath.Separator), "")
		text, _, _ = strings.Cut(text, "\nPLEASE submit a bug report") // and a list of addresses
		var exit *exec.ExitError
		if text == "" || !errors.As(err, &exit) {
			text = strings.TrimSpace(err.Error() + "\n" + text)
		}
		return nil, failf(compilation, "crosslane: %s of LLVM %d: %s", name, p.tools.major, text)
	}
	return out.Bytes(), nil
}
