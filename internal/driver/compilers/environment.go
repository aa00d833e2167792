package compilers

import (
	"maps"
	"os"
	"slices"
	"strings"
)

// An Environment is the variables that a program needs, so that it finds the stand-ins.
type Environment struct {
	// Set holds variables that replace those of the program.
	Set map[string]string
	// Libraries is folders, with colons between, that come first in LD_LIBRARY_PATH; "": none.
	Libraries string
	// Audit is the auditing library, which comes last in LD_AUDIT.
	Audit string
	// Home is a folder with a toolkit. It is CUDA_HOME for a program that would find no toolkit otherwise; "": none.
	Home string
	// NVCC is the stand-in for nvcc. It is NVCC for a program that finds an nvcc.
	NVCC string
}

// The dynamic linker reads the first two variables; clients look for a toolkit by the third.
const searched, audited, home = "LD_LIBRARY_PATH", "LD_AUDIT", "CUDA_HOME"

// homes are variables that name a toolkit of the user. Numba reads the first two, and all of them before version 0.50.
var homes = []string{home, "CUDA_PATH", "NUMBAPRO_NVVM", "NUMBAPRO_LIBDEVICE", "NUMBAPRO_CUDALIB"}

// installed are places where clients find a toolkit without a variable: that of NVIDIA's installer, and that of the
// package nvidia-cuda-toolkit of Debian.
var installed = []string{"/usr/local/cuda", "/usr/lib/nvidia-cuda-toolkit"}

// Apply returns the variables of env, each NAME=VALUE, with those of the Environment.
func (e Environment) Apply(env []string) []string {
	var out []string
	audit, libraries, toolkit := e.Audit, e.Libraries, e.offered()
	compiler := e.nvccSettings(env)
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		if slices.Contains(homes, name) && value != "" {
			toolkit = ""
		}
		switch {
		case name == audited && slices.Contains(strings.Split(value, ":"), audit):
			audit = value
		case name == audited && value != "":
			audit = value + ":" + audit
		case name == searched && libraries != "":
			if value != "" {
				libraries += ":" + value
			}
		case name == audited || name == home && value == "" && e.Home != "":
		case compiler != nil && (name == nvccVariable || name == RealNVCC):
		default:
			if _, ours := e.Set[name]; !ours {
				out = append(out, v)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Set)) {
		out = append(out, name+"="+e.Set[name])
	}
	for _, v := range compiler {
		out = append(out, v[0]+"="+v[1])
	}
	if toolkit != "" {
		out = append(out, home+"="+toolkit)
	}
	if libraries != "" {
		out = append(out, searched+"="+libraries)
	}
	return append(out, audited+"="+audit)
}

// offered is Home, if the machine has no toolkit.
func (e Environment) offered() string {
	for _, folder := range installed {
		if _, err := os.Stat(folder); err == nil {
			return ""
		}
	}
	return e.Home
}

// Exports returns the commands of a POSIX shell that make its environment that of Apply.
func (e Environment) Exports() (list []string) {
	for _, name := range slices.Sorted(maps.Keys(e.Set)) {
		list = append(list, "export "+name+"="+quoted(e.Set[name]))
	}
	for _, v := range e.nvccSettings(os.Environ()) {
		list = append(list, "export "+v[0]+"="+quoted(v[1]))
	}
	if toolkit := e.offered(); toolkit != "" {
		list = append(list, `[ -n "${`+strings.Join(homes, `-}${`)+`-}" ] || export `+home+"="+quoted(toolkit))
	}
	return append(list, "export "+searched+"="+quoted(e.Libraries)+"${"+searched+":+:$"+searched+"}",
		"export "+audited+"=${"+audited+":+$"+audited+":}"+quoted(e.Audit))
}

// quoted is a word that a POSIX shell reads as s.
func quoted(s string) string {
	if !strings.ContainsAny(s, " \t\n'\"\\$`&;|<>()*?[]#~!{}") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
