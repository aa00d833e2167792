package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/fatbin"
	"example.org/crosslane/ptx"
)

// exitAssembler is the exit status of ptxas after errors.
const exitAssembler = 255

// assemblerRelease is the version that the stand-in reports. Triton chooses the .version of its modules by it: 13.0
// gives 9.0, which this repository knows. Clients compare it with the releases that they know, so it is that of a
// real toolkit.
const assemblerRelease = "13.0"

// assemblerValues are the options of ptxas that take a value as the next word. Other options, and --name=value, are
// one word.
var assemblerValues = []string{
	"-o", "--output-file", "-arch", "--gpu-name", "-m", "--machine", "-O", "--opt-level", "-maxrregcount", "--maxrregcount", "-e", "--entry",
	"-dlcm", "--def-load-cache", "-dscm", "--def-store-cache", "-flcm", "--force-load-cache", "-fscm", "--force-store-cache",
	"-split-compile", "--split-compile", "-compress-algo", "--compress-algo",
}

// ptxasCommand is the command that programs find as ptxas: see package compilers. It checks a module, and its output is
// the text, which the driver library loads as it loads machine code.
func (a *app) ptxasCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "ptxas [OPTIONS] FILE -o OUT",
		Short:              "Stand in for NVIDIA's assembler: check PTX and copy it",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE:               a.command(a.ptxas),
	}
}

func (a *app) ptxas(args []string) error {
	var input, gpu string
	output, verbose, image, relocatable := "elf.o", false, false, false
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		name, value, joined := strings.Cut(word, "=")
		if slices.Contains(assemblerValues, name) && !joined {
			if len(args) == 0 {
				return a.ptxasFatal("argument expected after '%s'", word)
			}
			value, args = args[0], args[1:]
		}
		switch {
		case name == "-o" || name == "--output-file":
			output = value
		case name == "--gpu-name" || name == "-arch":
			gpu = value
		case name == "-v" || name == "--verbose":
			verbose = true
		case name == imageFlag:
			image = true
		case name == "-c" || name == "--compile-only":
			relocatable = true
		case name == "-V" || name == "--version":
			fmt.Fprintf(a.out, "ptxas: the stand-in of Crosslane %s for the PTX assembler\nCuda compilation tools, release %s, V%s.0\n", a.api.Version(), assemblerRelease, assemblerRelease)
			return nil
		case strings.HasPrefix(word, "@"), name == "-optf", name == "--options-file":
			return a.ptxasFatal("Crosslane reads no file of options ('%s')", word)
		case strings.HasPrefix(word, "-") && word != "-":
			// Options of the code generator have no effect on text.
		case input != "":
			return a.ptxasFatal("more than one input file: '%s' and '%s'", input, word)
		default:
			input = word
		}
	}
	if input == "" {
		return a.ptxasFatal("no input file is given")
	}
	data, shown, err := a.readInput(input)
	if err != nil {
		return a.ptxasFatal("%s", diag.Of(err)[0].Message)
	}
	if bad := a.ptxasCheck(shown, string(data), gpu, verbose, relocatable); bad {
		return a.ptxasFatal("Ptx assembly aborted due to errors")
	}
	// Hosts pass the file's contents to the driver without its length: a zero byte ends the text.
	result := append(data[:ptx.TextEnd(data):ptx.TextEnd(data)], 0)
	if image {
		result = fatbin.Image(data)
	}
	if err := a.writeResult(input, output, result); err != nil {
		return a.ptxasFatal("%s", diag.Of(err)[0].Message)
	}
	return nil
}

// ptxasCheck reports what is wrong with a module, in the form of ptxas, and whether it is refused. An instruction that
// Crosslane does not run is a warning: the kernels without it run. Large modules have no such warnings, because
// their bodies are not kept, and relocatable ones have none, because other modules may define what they lack.
func (a *app) ptxasCheck(file, text, gpu string, verbose, relocatable bool) (bad bool) {
	m, list := ptx.Load(file, text)
	bad = list.Err() != nil
	if !bad && !m.Large() && !relocatable {
		for _, d := range ptx.Check(m) {
			if d.Class == diag.Unsupported {
				list = append(list, d)
			}
		}
	}
	for _, d := range list {
		severity := "error  "
		if d.Severity != diag.Error || !bad {
			severity = "warning"
		}
		fmt.Fprintf(a.err, "ptxas %s, line %d; %s : %s [%s]\n", file, max(d.Pos.Line, 1), severity, d.Message, d.Code)
	}
	if bad {
		return true
	}
	if t, ok := ptx.ParseTarget(gpu); gpu != "" && !ok {
		fmt.Fprintf(a.err, "ptxas fatal   : Value '%s' is not defined for option 'gpu-name'\n", gpu)
		return true
	} else if ok && !m.Target.RunsOn(t.SM) {
		fmt.Fprintf(a.err, "ptxas %s, line 1; error   : the module is for %s, which code for %s cannot be made from\n", file, m.Target, gpu)
		return true
	}
	if verbose {
		for _, it := range m.Items {
			if f, ok := it.(*ptx.Func); ok && f.Entry && f.Defined() {
				fmt.Fprintf(a.err, "ptxas info    : Compiling entry function '%s' for '%s'\n", f.Name, gpu)
			}
		}
	}
	return false
}

// ptxasFatal ends the command as ptxas ends.
func (a *app) ptxasFatal(format string, args ...any) error {
	fmt.Fprintf(a.err, "ptxas fatal   : "+format+"\n", args...)
	a.status = exitAssembler
	return nil
}
