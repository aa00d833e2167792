//go:build linux && amd64

package hip_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/api"
)

// headers names the variable with the folder usr of packages of Debian that were unpacked: libamdhip64-dev,
// rocm-device-libs, librocprim-dev, librocrand-dev and librocrand1. The step hip of .ci/run fetches them.
const headers = "CROSSLANE_HIP_HEADERS"

// programs are the programs of examples/hosts/hip: options of the compiler, and what checks find.
var programs = []struct {
	name    string
	options []string
	found   string // codes of findings, without notes
}{
	{name: "arrays"}, {name: "atomics"}, {name: "copies", found: "bad-handle"}, {name: "matmul"}, {name: "module"}, {name: "printf"}, {name: "reduce"},
	{name: "rocprim", options: []string{"-std=c++17"}}, {name: "rocrand"}, {name: "saxpy"}, {name: "streams"}, {name: "symbols"}, {name: "templates"},
}

// The programs of examples/hosts/hip run with the headers and libraries of ROCm 5.2, compiled by clang 22. Each compares its
// results with those of the host. Checks find nothing but the wrong handle that one program gives on purpose.
func TestROCmPrograms(t *testing.T) {
	t.Parallel()
	usr := os.Getenv(headers)
	if usr == "" {
		t.Skip(headers + " is not set: the headers of ROCm are 17 MB of packages")
	}
	tool(t, "clang++-22")
	tool(t, "ld.lld-22")
	folder, libraries := library(t), filepath.Join(usr, "lib/x86_64-linux-gnu")
	files, err := filepath.Glob("../../../examples/hosts/hip/*.cpp")
	if err != nil || len(files) != len(programs) {
		t.Errorf("%d files, %d programs: %v", len(files), len(programs), err)
	}
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			source, program := "../../../examples/hosts/hip/"+p.name+".cpp", filepath.Join(t.TempDir(), p.name)
			device := []string{"-x", "hip", "--offload-arch=gfx803", "-mcode-object-version=5", "-O2", "-g", "-include", "../../../examples/hosts/hip/clang.h",
				source, "--rocm-path=" + usr, "--rocm-device-lib-path=" + filepath.Join(libraries, "amdgcn/bitcode"), "-isystem", filepath.Join(usr, "include")}
			device = append(device, p.options...)
			commands := [][]string{slices.Concat(device, []string{"-c", "-o", program + ".o"}),
				{program + ".o", "-o", program, "-L" + folder, "-l:libamdhip64.so.5", "-Wl,-rpath," + libraries}}
			var args []string
			switch p.name {
			case "rocrand":
				commands[1] = append(commands[1], filepath.Join(libraries, "librocrand.so.1"))
			case "module":
				args = []string{program + ".co"}
				commands = append(commands, slices.Concat(device, []string{"--cuda-device-only", "-o", args[0]}))
			}
			for _, c := range commands {
				if out, err := exec.Command("clang++-22", c...).CombinedOutput(); err != nil {
					t.Fatalf("clang++-22 %q: %v\n%s", c, err, out)
				}
			}
			for _, check := range []bool{false, true} {
				out, stderr, found, err := run(t, "gfx803", api.DeviceOptions{Check: check}, program, args...)
				if err != nil || !strings.HasSuffix(out, p.name+": right\n") {
					t.Errorf("check %t: %v\n%s%s", check, err, out, stderr)
				}
				var codes []string
				for _, d := range found {
					if d.Severity.String() != "note" {
						codes = append(codes, d.Code)
					}
				}
				if got := fmt.Sprint(codes); got != fmt.Sprint(strings.Fields(p.found)) && check || !check && len(codes) > 0 && p.found == "" {
					t.Errorf("check %t: found %s, expected [%s]\n%v", check, got, p.found, found)
				}
			}
		})
	}
}
