package compilers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The variables of nvcc: the command that programs like CuPy run, and for the stand-in the command that compiles.
const (
	nvccVariable = "NVCC"
	RealNVCC     = "CROSSLANE_REAL_NVCC"
)

// realNVCC returns the command that a program with the variables of env runs as nvcc; "": it finds none. standIn is the
// command of Crosslane.
func realNVCC(env map[string]string, standIn string) string {
	switch env[nvccVariable] {
	case standIn:
		return env[RealNVCC] // an exec within an exec
	case "":
	default:
		return env[nvccVariable]
	}
	var folders []string
	for _, name := range homes[:2] {
		if env[name] != "" {
			folders = append(folders, filepath.Join(env[name], "bin"))
		}
	}
	folders = append(folders, filepath.SplitList(env["PATH"])...)
	folders = append(folders, filepath.Join(installed[0], "bin"))
	for _, f := range folders {
		if file := filepath.Join(f, "nvcc"); filepath.IsAbs(f) {
			if _, err := exec.LookPath(file); err == nil {
				return file
			}
		}
	}
	return ""
}

// nvccSettings are the variables by which a program runs the stand-in for its nvcc; none if it has no nvcc. Programs split
// the value at blanks, so a stand-in with blanks in its name is of no use.
func (e Environment) nvccSettings(env []string) [][2]string {
	values := map[string]string{}
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		values[name] = value
	}
	real := realNVCC(values, e.NVCC)
	if e.NVCC == "" || real == "" || len(strings.Fields(e.NVCC)) != 1 {
		return nil
	}
	return [][2]string{{nvccVariable, e.NVCC}, {RealNVCC, real}}
}

// NVCCCommand is the command that compiles, with the arguments args of the stand-in: one word if there is such a file, or
// several with blanks between them.
func NVCCCommand(real string, args []string) []string {
	words := []string{real}
	if _, err := os.Stat(real); err != nil {
		words = strings.Fields(real)
	}
	return append(words, NVCCArguments(args)...)
}

// NVCCArguments returns arguments with which nvcc writes PTX where args asks for machine code:
//
//	-cubin FILE.cu                           -ptx FILE.cu -o FILE.cubin
//	-gencode arch=compute_80,code=sm_80      -gencode arch=compute_80,code=compute_80
//	-arch=compute_80 -code=sm_80,sm_86       -arch=compute_80 -code=compute_80
//
// These options are documented. A command that links device code (-dlink) stays as it is: its inputs decide.
func NVCCArguments(args []string) []string {
	words := make([]string, 0, len(args)+2)
	cubin, output, input, arch := false, false, "", ""
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		takes := joined
		if !joined && i+1 < len(args) && takesValue(name) {
			value, takes = args[i+1], true
			i++
		}
		switch name {
		case "-dlink", "--device-link":
			return args
		case "-cubin", "--cubin":
			cubin, name = true, "-ptx"
		case "-o", "--output-file":
			output = true
		case "-arch", "--gpu-architecture":
			arch = value
		case "-gencode", "--generate-code":
			value = generated(value)
		default:
			if !takes && !strings.HasPrefix(name, "-") {
				input = name
			}
		}
		switch {
		case takes && joined:
			words = append(words, name+"="+value)
		case takes:
			words = append(words, name, value)
		default:
			words = append(words, name)
		}
	}
	if strings.HasPrefix(arch, virtual) {
		for i, w := range words {
			name, value, joined := strings.Cut(w, "=")
			if name != "-code" && name != "--gpu-code" {
				continue
			}
			if joined {
				words[i] = name + "=" + onlyPTX(value, arch)
			} else if i+1 < len(words) {
				words[i+1] = onlyPTX(words[i+1], arch)
			}
		}
	}
	if cubin && !output && input != "" {
		base := filepath.Base(input)
		words = append(words, "-o", strings.TrimSuffix(base, filepath.Ext(base))+".cubin")
	}
	return words
}

// virtual is how the names of architectures begin for which PTX is written.
const virtual = "compute_"

// valued are options of nvcc whose value may be the next word, beside those that begin with -X.
var valued = []string{
	"-o", "--output-file", "-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code",
	"-I", "--include-path", "-isystem", "--system-include", "-D", "--define-macro", "-U", "--undefine-macro", "-include", "--pre-include",
	"-L", "--library-path", "-l", "--library", "-ccbin", "--compiler-bindir", "-std", "--std", "-x", "--x", "-O", "--optimize",
	"-maxrregcount", "--maxrregcount", "-odir", "--output-directory", "-MF", "--dependency-output", "-MT", "--dependency-target-name",
	"-t", "--threads", "-cudart", "--cudart", "-optf", "--options-file", "-rdc", "--relocatable-device-code", "-m", "--machine",
	"-default-stream", "--default-stream", "-keep-dir", "--keep-dir", "-diag-suppress", "--diag-suppress", "-diag-error", "--diag-error",
	"-diag-warn", "--diag-warn", "-Werror", "--Werror", "-time", "--time", "-ftz", "--ftz", "-fmad", "--fmad", "-prec-div", "--prec-div",
	"-prec-sqrt", "--prec-sqrt", "--compiler-options", "--linker-options", "--ptxas-options", "--nvlink-options", "--archive-options",
}

func takesValue(name string) bool {
	if strings.HasPrefix(name, "-X") {
		return true
	}
	for _, v := range valued {
		if v == name {
			return true
		}
	}
	return false
}

// generated rewrites the value of -gencode: arch=compute_80,code=[sm_80,sm_86].
func generated(value string) string {
	head, code, ok := strings.Cut(value, ",code=")
	arch, isArch := strings.CutPrefix(head, "arch=")
	if !ok || !isArch || !strings.HasPrefix(arch, virtual) {
		return value
	}
	return head + ",code=" + onlyPTX(code, arch)
}

// onlyPTX is the code of a list like sm_80,sm_86: arch for machine code; code for optimisation at link time stays.
func onlyPTX(list, arch string) string {
	for _, c := range strings.Split(strings.Trim(list, `[]"\`), ",") {
		if !strings.HasPrefix(c, "sm_") && !strings.HasPrefix(c, virtual) {
			return list
		}
	}
	return arch
}
