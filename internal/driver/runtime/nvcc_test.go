//go:build linux && amd64

package runtime_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/driver"
	"example.org/crosslane/internal/driver/runtime"
)

// nvccVariable names nvcc. Its Python packages are nvidia-cuda-nvcc, nvidia-nvvm, nvidia-cuda-crt, nvidia-cuda-runtime and
// nvidia-cuda-cccl.
const nvccVariable = "CROSSLANE_NVCC"

// directives returns the words behind a key in the first lines of a program.
func directives(source, key string) string {
	m := regexp.MustCompile(`(?m)^// ` + key + `: (.*)$`).FindStringSubmatch(source)
	if m == nil {
		return ""
	}
	return m[1]
}

// The programs of examples/hosts/cuda, compiled by nvcc and linked with the shared runtime, get the results that they
// compute on the host, without checks and with checks.
func TestNVCC(t *testing.T) {
	nvcc := os.Getenv(nvccVariable)
	if nvcc == "" {
		t.Skip(nvccVariable + " names no nvcc; its packages have 125 MB")
	}
	f := libraries(t)
	version, err := exec.Command(nvcc, "--version").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, version)
	}
	// The linker looks for libcudart.so.
	link := t.TempDir()
	for _, v := range runtime.Versions() {
		if strings.Contains(string(version), "release "+strings.TrimSuffix(strings.TrimPrefix(v.Soname, "libcudart.so."), ".0")+".") {
			if err := os.Symlink(filepath.Join(f.runtime, v.Soname), filepath.Join(link, "libcudart.so")); err != nil {
				t.Fatal(err)
			}
		}
	}
	const folder = "../../../examples/hosts/cuda"
	list, err := filepath.Glob(folder + "/*.cu")
	if err != nil || len(list) < 20 {
		t.Fatalf("%d programs: %v", len(list), err)
	}
	for _, file := range list {
		name := strings.TrimSuffix(filepath.Base(file), ".cu")
		if strings.HasSuffix(name, "_b") {
			continue // the second file of another program
		}
		t.Run(name, func(t *testing.T) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text, program := string(source), filepath.Join(t.TempDir(), name)
			args := []string{"-cudart", "shared", "-std=c++17", "-gencode", "arch=compute_80,code=compute_80", "-L" + link, "-o", program, name + ".cu"}
			cmd := exec.Command(nvcc, append(args, strings.Fields(directives(text, "nvcc"))...)...)
			cmd.Dir = folder
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			want := "0 wrong\n"
			if s := directives(text, "prints"); s != "" {
				want = strings.ReplaceAll(s, "|", "\n") + "\n"
			}
			if out, said := run(t, serve(t, f), program); out != want {
				t.Errorf("the program prints\n%s%s", out, said)
			}
			var mu sync.Mutex
			var found []string
			env := serveWith(t, f, driver.Options{Target: "sm_80", Device: api.DeviceOptions{Check: true, Skip: []string{"leak"}}, Report: func(_ driver.Client, d *diag.Diagnostic) {
				mu.Lock()
				defer mu.Unlock()
				if d.Severity != diag.Note && !slices.Contains(found, d.Code) {
					found = append(found, d.Code)
				}
			}})
			if out, said := run(t, env, program); out != want {
				t.Errorf("with checks the program prints\n%s%s", out, said)
			}
			mu.Lock()
			defer mu.Unlock()
			if got := strings.Join(found, " "); got != directives(text, "finds") {
				t.Errorf("the findings are %q, want %q", got, directives(text, "finds"))
			}
		})
	}
}

// nvcc without options makes a program with the static runtime and PTX for its oldest device; exec checks it, as the documentation
// shows.
func TestNVCCWithoutOptions(t *testing.T) {
	nvcc := os.Getenv(nvccVariable)
	if nvcc == "" {
		t.Skip(nvccVariable + " names no nvcc; its packages have 125 MB")
	}
	crosslane, env := command(t)
	program := filepath.Join(t.TempDir(), "reduce")
	build(t, env, nvcc, "../../../../examples/hosts/cuda/reduce.cu", "-o", program)
	cmd := exec.Command(crosslane, "exec", "--check", "--", program)
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	if said := string(out); err != nil || !strings.Contains(said, "0 wrong\n") || !strings.Contains(said, "exec: nothing found in 1 launch\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
