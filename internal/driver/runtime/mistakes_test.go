//go:build linux && amd64

package runtime_test

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

	"example.org/crosslane/internal/driver/runtime"
)

// A mistake is a function of testdata/mistakes and what its comment expects: see mistakes.cu.
type mistake struct {
	name, file string
	codes      []string // sorted
	texts      []string
	labels     []string
	options    []string
	ends       bool
	here       []sourceLine // the calls of the host
}

// A sourceLine is a line of a source, by the name of its file.
type sourceLine struct {
	file string
	line int
}

// labelOf finds the label of a line.
var labelOf = regexp.MustCompile(`// \[([\w ]+)\]$`)

// readMistakes reads the sources. The labels are those of all files.
func readMistakes(t *testing.T) (list []mistake, labels map[string]sourceLine) {
	t.Helper()
	files, err := filepath.Glob("testdata/mistakes/*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	labels = map[string]sourceLine{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var next mistake
		inside := false
		base := filepath.Base(file)
		for i, line := range strings.Split(string(text), "\n") {
			at := sourceLine{base, i + 1}
			if m := labelOf.FindStringSubmatch(line); m != nil {
				if _, ok := labels[m[1]]; ok {
					t.Fatalf("%s:%d: the label %s is there twice", file, i+1, m[1])
				}
				labels[m[1]] = at
			}
			rest, isComment := strings.CutPrefix(line, "//")
			name, isMistake := strings.CutPrefix(line, "MISTAKE(")
			switch {
			case inside && strings.HasSuffix(line, "// here"):
				next.here = append(next.here, at)
			case inside && line == "}":
				if len(next.codes) == 0 || len(next.here) == 0 {
					t.Fatalf("%s:%d: %s expects no finding, or names no call", file, i+1, next.name)
				}
				list = append(list, next)
				inside, next = false, mistake{}
			case isMistake:
				next.name, next.file, inside = strings.TrimSuffix(name, ")"), base, true
			case isComment && len(rest) > 2:
				switch v := rest[2:]; rest[:2] {
				case "! ":
					next.codes = strings.Fields(v)
					slices.Sort(next.codes)
				case "= ":
					next.texts = append(next.texts, v)
				case "< ":
					next.labels = append(next.labels, v)
				case "- ":
					next.options = append(next.options, strings.Fields(v)...)
				case "~ ":
					next.ends = true
				}
			}
		}
	}
	return list, labels
}

// found is a finding in the report of exec.
type found struct {
	Code    string
	File    string
	Line    int
	Related []struct {
		File string
		Line int
	}
}

// inspect runs a program under exec --check and returns its findings, the text of both outputs and its exit status.
func inspect(t *testing.T, crosslane string, env []string, program string, options []string, args ...string) (list []found, text string, status int) {
	t.Helper()
	var out bytes.Buffer
	report := filepath.Join(t.TempDir(), "report.json")
	cmd := exec.Command(crosslane, slices.Concat([]string{"exec", "--device", "sm_80", "--check", "--show", "note", "--json", report}, options, []string{"--", program}, args)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &out, &out
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(report)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	var r struct{ Findings []found }
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r.Findings, out.String(), cmd.ProcessState.ExitCode()
}

// command builds the crosslane command, and returns it with an environment whose cache is a folder of the test.
func command(t *testing.T) (crosslane string, env []string) {
	t.Helper()
	work := t.TempDir()
	crosslane = filepath.Join(work, "crosslane")
	if out, err := exec.Command("go", "build", "-o", crosslane, "example.org/crosslane/cmd/crosslane").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return crosslane, append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(work, "cache"))
}

// checkMistakes runs each mistake and its twin.
func checkMistakes(t *testing.T, crosslane string, env []string, program string) {
	list, labels := readMistakes(t)
	if len(list) < 100 {
		t.Fatalf("only %d mistakes", len(list))
	}
	for _, m := range list {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			list, text, status := inspect(t, crosslane, env, program, m.options, m.name)
			var codes []string
			named := map[sourceLine]bool{}
			for _, f := range list {
				codes = append(codes, f.Code)
				named[sourceLine{filepath.Base(f.File), f.Line}] = true
				for _, r := range f.Related {
					named[sourceLine{filepath.Base(r.File), r.Line}] = true
				}
				if strings.HasSuffix(f.File, ".h") && !filepath.IsAbs(f.File) {
					t.Errorf("the folder of %s is not known", f.File)
				}
			}
			slices.Sort(codes)
			if !slices.Equal(codes, m.codes) {
				t.Errorf("found %q, want %q", codes, m.codes)
			}
			for _, want := range m.texts {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not in the text", want)
				}
			}
			want := slices.Clone(m.here)
			for _, label := range m.labels {
				want = append(want, labels[label])
			}
			for _, at := range want {
				if !named[at] {
					t.Errorf("no finding names %s:%d", at.file, at.line)
				}
			}
			if strings.Contains(text, "libcudart") {
				t.Error("a finding names a call of the runtime")
			}
			// A signal ends the program, or it prints a word at its end.
			if strings.Contains(text, "done\n") == m.ends {
				t.Errorf("the program ends with status %d", status)
			}
			if t.Failed() {
				t.Log(text)
			}
			list, text, status = inspect(t, crosslane, env, program, m.options, m.name, "right")
			if len(list) > 0 || status != 0 || !strings.Contains(text, "done\n") {
				t.Errorf("the twin: status %d, %d findings\n%s", status, len(list), text)
			}
		})
	}
}

// A clangWorkshop is clang with the folder that crosslane toolchain has written.
type clangWorkshop struct {
	clang, crosslane, cuda string
	env                    []string
}

// workshop makes one; the test is skipped where clang is absent.
func workshop(t *testing.T) (w clangWorkshop) {
	t.Helper()
	var err error
	if w.clang, err = exec.LookPath("clang++-22"); err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") != "" {
			t.Fatal(err)
		}
		t.Skip("no clang: ", err)
	}
	w.crosslane, w.env = command(t)
	w.cuda = filepath.Join(t.TempDir(), "cuda")
	build(t, w.env, w.crosslane, "toolchain", w.cuda)
	return w
}

// compile compiles a program of testdata.
func (w clangWorkshop) compile(t *testing.T, source, program string, options ...string) {
	t.Helper()
	build(t, w.env, w.clang, slices.Concat([]string{"-x", "cuda", "--cuda-path=" + w.cuda, "--offload-arch=sm_80", "-O1", "-gline-tables-only", "-fno-optimize-sibling-calls", "-Wall", "-Werror"},
		options, []string{source, "-o", program, "-L", w.cuda + "/lib64", "-lcudart"})...)
}

// compileNVCC compiles a program of testdata with nvcc, with the shared or the static runtime of CUDA 13.
func compileNVCC(t *testing.T, env []string, nvcc, kind, source, program string, options ...string) {
	t.Helper()
	args := append(options, "-cudart", kind, "-std=c++17", "-g", "-lineinfo", "-gencode", "arch=compute_80,code=compute_80", "-o", program, source)
	if kind == "shared" {
		versions, link := runtime.Versions(), t.TempDir()
		if err := os.Symlink(filepath.Join(libraries(t).runtime, versions[len(versions)-1].Soname), filepath.Join(link, "libcudart.so")); err != nil {
			t.Fatal(err)
		}
		args = append(args, "-L"+link)
	}
	build(t, env, nvcc, args...)
}

// Mistakes in CUDA C++ that clang compiles are named, with their lines and with the calls of the host; the twins without them
// have no finding.
func TestMistakesClang(t *testing.T) {
	t.Parallel()
	libraries(t) // there is a C compiler
	w, program := workshop(t), filepath.Join(t.TempDir(), "mistakes")
	w.compile(t, "mistakes/mistakes.cu", program)
	checkMistakes(t, w.crosslane, w.env, program)
}

// The same mistakes are named when nvcc compiles them, with the shared and with the static runtime.
func TestMistakesNVCC(t *testing.T) {
	t.Parallel()
	nvcc := os.Getenv(nvccVariable)
	if nvcc == "" {
		t.Skip(nvccVariable + " names no nvcc; its packages have 125 MB")
	}
	crosslane, env := command(t)
	for _, kind := range []string{"shared", "static"} {
		t.Run(kind, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "mistakes")
			compileNVCC(t, env, nvcc, kind, "mistakes/mistakes.cu", program)
			checkMistakes(t, crosslane, env, program)
		})
	}
}

// build runs a command in testdata.
func build(t *testing.T, env []string, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = "testdata", env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
}
