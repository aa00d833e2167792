package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
)

// A compiler makes PTX of a file of CUDA C++. It is installed by the user: Crosslane itself needs
// none.
type compiler struct {
	program string   // as it is called; further names end in -22, -21 and so on
	args    []string // FILE is the file, OUT the output
	sdk     bool     // it needs NVIDIA's CUDA as well
}

// cudaCompilers are tried in this order.
var cudaCompilers = [...]compiler{
	{"nvcc", []string{"-ptx", "-lineinfo", "-o", "OUT", "FILE"}, false},
	{"clang++", []string{"-x", "cuda", "--cuda-device-only", "-O2", "-gline-tables-only", "-S", "-o", "OUT", "FILE"}, true},
}

// The versions of a compiler that are looked for where the plain name is not installed,
// the newest first.
const newestCompiler, oldestCompiler = 29, 14

// isCUDA reports whether a file holds CUDA C++, by its name.
func isCUDA(file string) bool { return strings.EqualFold(filepath.Ext(file), ".cu") }

// noCompiler is the --compiler that compiles nothing.
const noCompiler = "none"

// hasCUDA reports whether NVIDIA's CUDA is where clang looks for it.
func hasCUDA() bool {
	if os.Getenv("CUDA_PATH") != "" {
		return true
	}
	st, err := os.Stat("/usr/local/cuda")
	return err == nil && st.IsDir()
}

// findCompiler is the program that compiles CUDA C++, with its arguments: the program that the user
// names in command, or else the first one that is installed; "" if none is.
func findCompiler(command string) (program string, args []string, err error) {
	if command == noCompiler {
		return "", nil, nil
	}
	if words := strings.Fields(command); len(words) > 0 {
		base := strings.TrimSuffix(filepath.Base(words[0]), ".exe")
		for _, c := range cudaCompilers {
			if base == c.program || strings.HasPrefix(base, c.program+"-") {
				return words[0], append(words[1:len(words):len(words)], c.args...), nil
			}
		}
		var known []string
		for _, c := range cudaCompilers {
			known = append(known, c.program)
		}
		return "", nil, usage("--compiler for CUDA C++ is %s, with flags of it; found %s", strings.Join(known, " or "), input.Quoted(words[0]))
	}
	for _, c := range cudaCompilers {
		if c.sdk && !hasCUDA() {
			continue
		}
		if _, err := exec.LookPath(c.program); err == nil {
			return c.program, c.args, nil
		}
		for v := newestCompiler; v >= oldestCompiler; v-- {
			name := fmt.Sprintf("%s-%d", c.program, v)
			if _, err := exec.LookPath(name); err == nil {
				return name, c.args, nil
			}
		}
	}
	return "", nil, nil
}

// compilerFlag adds --compiler and --link to a command that reads a program.
func (a *app) compilerFlag(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&a.linked, "link", nil, "PTX: link the module in `FILE` with the program; may be repeated")
	a.fatbinFlags(cmd)
	cmd.Flags().StringVar(&a.compiler, "compiler", "", "the compiler for files of CUDA C++, with its flags: `COMMAND` such as 'nvcc -arch=sm_90a -Iinclude', or none; default: the one that is installed")
}

// readProgram reads the program that a kernel is run or checked from: PTX, GCN3, or a file that an
// installed compiler translates to PTX. shown is the name of the translated program.
func (a *app) readProgram(name string) (data []byte, shown string, err error) {
	if !isCUDA(name) {
		return a.readInput(name)
	}
	if st, err := os.Stat(name); err != nil || !st.Mode().IsRegular() {
		return a.readInput(name) // the error names the kind of the file
	}
	program, args, err := findCompiler(a.compiler)
	if err != nil {
		return nil, name, err
	}
	if program == "" {
		return a.readInput(name) // loading it names the language and its compiler
	}
	dir, err := os.MkdirTemp("", "crosslane-compile-")
	if err != nil {
		return nil, name, ioError(diag.Pos{File: name}, "no folder for what %s writes: %s", program, err)
	}
	defer os.RemoveAll(dir)
	shown = name + ".ptx"
	out := filepath.Join(dir, filepath.Base(shown))
	if err := a.compile(program, args, name, out); err != nil {
		return nil, name, err
	}
	if data, err = readFile(out, maxInput); err != nil {
		return nil, name, err
	}
	// The compiler names the file by its whole path; findings name it as it was given.
	if whole, err := filepath.Abs(name); err == nil {
		data = bytes.ReplaceAll(data, []byte(strconv.Quote(whole)), []byte(strconv.Quote(name)))
	}
	a.remember(shown, data)
	return data, shown, nil
}

// compile runs a compiler.
func (a *app) compile(program string, args []string, file, out string) error {
	args = append([]string{}, args...)
	for i, w := range args {
		switch w {
		case "FILE":
			if args[i] = file; strings.HasPrefix(file, "-") {
				args[i] = "./" + file
			}
		case "OUT":
			args[i] = out
		}
	}
	ctx := a.ctx
	if a.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, a.limit)
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.WaitDelay = time.Second
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	switch {
	case a.ctx.Err() != nil:
		return a.ctx.Err()
	case ctx.Err() != nil:
		d := diag.Errorf(diag.Pos{File: file}, diag.Timeout, "timeout", "the time limit of %s was reached while %s compiled the file", a.limit, program)
		d.Remedy = "raise --timeout"
		return d
	case err != nil:
		text := shortened(said.String())
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
			text = err.Error()
		}
		d := diag.Errorf(diag.Pos{File: file}, diag.Input, "not-compiled", "%s does not compile this CUDA C++:\n%s", program, text)
		d.Remedy = fmt.Sprintf("pass flags to %s with --compiler '%s FLAGS', or compile the file yourself: %s %s", program, program, program, strings.Join(args, " "))
		d.Remedy = strings.ReplaceAll(d.Remedy, out, filepath.Base(out))
		return d
	}
	return nil
}

// The part of a compiler's messages that is shown.
const maxCompilerLines, maxCompilerLine = 24, 400

// shortened is the beginning of a compiler's message: one that crashes prints pages.
func shortened(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > maxCompilerLines {
		lines = append(lines[:maxCompilerLines:maxCompilerLines], fmt.Sprintf("… and %d more lines", len(lines)-maxCompilerLines))
	}
	for i, l := range lines {
		if r := []rune(l); len(r) > maxCompilerLine {
			lines[i] = string(r[:maxCompilerLine]) + "…"
		}
	}
	return strings.Join(lines, "\n")
}
