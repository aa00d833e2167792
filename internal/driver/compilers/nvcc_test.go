//go:build linux && amd64

package compilers

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The programs of examples/hosts/cuda, compiled by nvcc without an option for the runtime, so with the static one, get
// the results that they compute on the host, without checks and with checks. Without their symbols they are refused.
// CROSSLANE_NVCC names nvcc; TestNVCC of package runtime links the same programs with the shared runtime.
func TestNVCC(t *testing.T) {
	nvcc := os.Getenv("CROSSLANE_NVCC")
	if nvcc == "" {
		t.Skip("CROSSLANE_NVCC names no nvcc; its packages have 125 MB")
	}
	work := t.TempDir()
	crosslane := filepath.Join(work, "crosslane")
	if out, err := exec.Command("go", "build", "-o", crosslane, "example.org/crosslane/cmd/crosslane").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
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
			directive := func(key string) string {
				m := regexp.MustCompile(`(?m)^// ` + key + `: (.*)$`).FindSubmatch(source)
				if m == nil {
					return ""
				}
				return string(m[1])
			}
			program := filepath.Join(work, name)
			cmd := exec.Command(nvcc, append([]string{"-std=c++17", "-gencode", "arch=compute_80,code=compute_80", "-o", program, name + ".cu"}, strings.Fields(directive("nvcc"))...)...)
			cmd.Dir = folder
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			want := "0 wrong\n"
			if s := directive("prints"); s != "" {
				want = strings.ReplaceAll(s, "|", "\n") + "\n"
			}
			run := func(options ...string) (out, said string) {
				var stdout, stderr bytes.Buffer
				cmd := exec.Command(crosslane, slices.Concat([]string{"exec", "--device", "sm_80"}, options, []string{"--", program})...)
				cmd.Stdout, cmd.Stderr, cmd.Env = &stdout, &stderr, append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(work, "cache"))
				_ = cmd.Run() // the output tells; a program with findings has another status
				return stdout.String(), stderr.String()
			}
			if out, said := run(); out != want {
				t.Errorf("the program prints\n%s%s", out, said)
			}
			report := filepath.Join(work, name+".json")
			if out, said := run("--check", "--json", report); out != want {
				t.Errorf("with checks the program prints\n%s%s", out, said)
			}
			var r struct {
				Findings []struct{ Code, Severity string }
			}
			data, err := os.ReadFile(report)
			if err == nil {
				err = json.Unmarshal(data, &r)
			}
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, f := range r.Findings {
				if f.Severity != "note" && !slices.Contains(found, f.Code) {
					found = append(found, f.Code)
				}
			}
			if got := strings.Join(found, " "); got != directive("finds") {
				t.Errorf("the findings are %q, want %q", got, directive("finds"))
			}
			if out, err := exec.Command("strip", program).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if out, said := run(); out != "" || !strings.Contains(said, "-cudart shared") {
				t.Errorf("without symbols the program prints\n%s%s", out, said)
			}
		})
	}
}
