//go:build linux && amd64

package compilers

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/crosslane/internal/driver"
	"example.org/crosslane/internal/driver/runtime"
	"example.org/crosslane/internal/driver/shim"
)

// prepared makes the environment once for all tests; a test is skipped where there is no C compiler.
func prepared(t *testing.T) (e Environment, work string) {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") != "" {
			t.Fatal(err)
		}
		t.Skip("no C compiler: ", err)
	}
	work, err := folder()
	if err != nil {
		t.Fatal(err)
	}
	e, err = Prepare(filepath.Join(work, "cache"), "/a/cross'lane", work)
	if err != nil {
		t.Fatal(err)
	}
	return e, work
}

// folder makes a folder with a cache, the driver library, the libraries of testdata in the place of NVIDIA's (real) and
// the programs that load them.
var folder = sync.OnceValues(func() (string, error) {
	work, err := os.MkdirTemp("", "crosslane-compilers-")
	if err != nil {
		return "", err
	}
	if err := os.Mkdir(filepath.Join(work, "real"), 0o700); err != nil {
		return work, err
	}
	node := filepath.Join(work, "node")
	if err := os.WriteFile(node, []byte("libnvrtc.so.13 { *; };\n"), 0o600); err != nil {
		return work, err
	}
	real := func(name string) string { return filepath.Join(work, "real", name) }
	if err := os.Symlink("libnvrtc.so.13", real("libnvrtc.so")); err != nil {
		return work, err
	}
	for _, args := range [][]string{
		{"-shared", "-fPIC", "-o", real("libnvrtc-builtins.so"), "-xc", "/dev/null"},
		{"-shared", "-fPIC", "-o", real("libnvrtc.so.13"), "-Wl,-soname,libnvrtc.so.13,--version-script," + node + ",-rpath,$ORIGIN,--disable-new-dtags", "testdata/fake_nvrtc.c", "-ldl"},
		{"-shared", "-fPIC", "-o", real("libnvvm.so.4"), "-Wl,-soname,libnvvm.so.4", "testdata/fake_nvvm.c"},
		{"-shared", "-fPIC", "-o", real("libnvJitLink.so.13"), "-Wl,-soname,libnvJitLink.so.13", "testdata/fake_nvjitlink.c"},
		{"-w", "-o", filepath.Join(work, "client"), "testdata/client.c", "-ldl"},
		{"-o", filepath.Join(work, "linked"), "testdata/linked.c", real("libnvrtc.so.13"), "-Wl,-rpath-link," + filepath.Join(work, "real")},
	} {
		if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
			return work, &failed{args, string(out), err}
		}
	}
	return work, nil
})

type failed struct {
	args []string
	out  string
	err  error
}

func (f *failed) Error() string {
	return strings.Join(f.args, " ") + ": " + f.err.Error() + "\n" + f.out
}

// TestMain removes the folder.
func TestMain(m *testing.M) {
	asCommand()
	code := m.Run()
	if work, _ := folder(); work != "" {
		os.RemoveAll(work)
	}
	os.Exit(code)
}

// output runs a program with the stand-ins and returns its output.
func output(t *testing.T, e Environment, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = e.Apply(append(os.Environ(), env...))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s %q: %v", name, args, err)
	}
	return string(out)
}

func compare(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(strings.TrimSpace(got), "\n"), strings.Split(strings.TrimSpace(want), "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			t.Fatalf("line %d differs:\n%s\nwant:\n%s", i+1, got, want)
		}
	}
}

const nvrtcWant = `
loaded early: 0; found by its name: 1
version 13.5
compile -DX --gpu-architecture=compute_90a -G (builtins)
nvrtcGetCUBIN: 4 PTX
nvrtcGetLTOIR: 6 LTOIR
nvrtcGetPTX: 4 PTX
compile -arch compute_80 -arch=compute_70 (builtins)
nvrtcGetCUBIN: 4 PTX
nvrtcGetLTOIR: 6 LTOIR
nvrtcGetPTX: 4 PTX
compile --gpu-architecture=compute_80 (builtins)
nvrtcGetCUBIN: 6 CUBIN
nvrtcGetLTOIR: 6 LTOIR
nvrtcGetPTX: 4 PTX
compile --relocatable-device-code=true -arch=compute_80 (builtins)
nvrtcGetCUBIN: 6 CUBIN
nvrtcGetLTOIR: 4 PTX
nvrtcGetPTX: 4 PTX
compile -rdc=true -arch=compute_80 (builtins)
nvrtcGetCUBIN: 6 CUBIN
nvrtcGetLTOIR: 4 PTX
nvrtcGetPTX: 4 PTX
compile (builtins)
nvrtcGetCUBIN: 6 CUBIN
nvrtcGetLTOIR: 6 LTOIR
nvrtcGetPTX: 4 PTX
nvrtcGetLTOIR: 6 LTOIR
`

// A request for machine code is one for PTX, whether the library is loaded by its path, by its name, or with the program.
// Without the auditing library the same program gets machine code.
func TestNVRTC(t *testing.T) {
	t.Parallel()
	e, work := prepared(t)
	real := filepath.Join(work, "real")
	client := filepath.Join(work, "client")
	compare(t, output(t, e, nil, client, "nvrtc", filepath.Join(real, "libnvrtc.so.13")), nvrtcWant)
	// A developer's link, or a name with the whole version, is the same library.
	compare(t, output(t, e, nil, client, "nvrtc", filepath.Join(real, "libnvrtc.so")), strings.Replace(nvrtcWant, "name: 1", "name: 0", 1))
	path := []string{"LD_LIBRARY_PATH=" + real}
	compare(t, output(t, e, path, client, "nvrtc", "libnvrtc.so.13"), nvrtcWant)
	linked := filepath.Join(work, "linked")
	compare(t, output(t, e, path, linked), "compile -arch=compute_80 (builtins)\nversion 13.5, PTX")
	plain := exec.Command(linked)
	plain.Env = append(os.Environ(), path...)
	out, err := plain.CombinedOutput()
	if err != nil {
		t.Error(err)
	}
	compare(t, string(out), "compile -arch=sm_80 (builtins)\nversion 13.5, CUBIN")
}

func TestNVVM(t *testing.T) {
	t.Parallel()
	e, work := prepared(t)
	compare(t, output(t, e, nil, filepath.Join(work, "client"), "nvvm", filepath.Join(work, "real", "libnvvm.so.4")), `
loaded early: 0; found by its name: 1
version 2.0
verify -arch=compute_80 -opt=3
compile -arch=compute_80 -opt=3
`)
}

// nvJitLink links texts with Crosslane's linker, and says by name what it cannot link.
func TestNVJitLink(t *testing.T) {
	t.Parallel()
	e, work := prepared(t)
	library := filepath.Join(work, "real", "libnvJitLink.so.13")
	got := output(t, e, []string{"CROSSLANE_SOCKET=" + serve(t, "sm_80"), "LD_LIBRARY_PATH=" + driverLibrary(t)}, filepath.Join(work, "client"), "nvjitlink", library)
	for _, want := range []string{
		"version 13.5\ncreate: 2\ncomplete: 0\n",
		".visible .entry k()",
		"0 bytes too many\nerrors: \ninfos: crosslane: libcudadevrt.a is a library and is left out",
		".visible .entry k() .maxnreg 24 {",
		"complete: 0\n.version 8.0", // the undefined function is no error before the module is loaded
		"add k.cubin: 8\nadd k.fatbin: 8\nadd k.txt: 8\nreal create -arch=sm_80 -O3 -lto -ptx\nreal add 3 13 k.ltoir\ncomplete: 0\n",
		"errors: crosslane: k.cubin is machine code, which does not run here: compile it to PTX\n",
		"crosslane: k.fatbin is a fat binary",
		"crosslane: k.txt is no PTX\n",
		"complete: 5\nerrors: crosslane: the real nvJitLink cannot make PTX of code for link-time optimisation (error 5): two inputs\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if n := strings.Count(got, ".func f()"); n < 1 {
		t.Errorf("the function is not in the linked module:\n%s", got)
	}
	// Without the driver library of Crosslane the log says what to do.
	got = output(t, e, nil, filepath.Join(work, "client"), "nvjitlink", library)
	if !strings.Contains(got, "complete: 6\nerrors: crosslane: libcuda.so.1 is not that of Crosslane; run the program with crosslane exec\n") {
		t.Error(got)
	}
}

// driverLibrary returns the folder of libcuda.so.1.
func driverLibrary(t *testing.T) string {
	t.Helper()
	_, work := prepared(t)
	folder, err := shim.Build(filepath.Join(work, "cache"))
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// runtimeLibraries returns the folder of libcudart.so.11.0.
func runtimeLibraries(t *testing.T) string {
	t.Helper()
	_, work := prepared(t)
	folder, err := runtime.Build(filepath.Join(work, "cache"), driverLibrary(t))
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// serve starts a server of a device and returns its socket.
func serve(t *testing.T, target string) string {
	t.Helper()
	s, err := driver.NewServer(driver.Options{Target: target})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	t.Cleanup(func() {
		l.Close()
		s.Close()
	})
	return path
}

// Variables of the user are kept, except those that the stand-ins need.
func TestApply(t *testing.T) {
	t.Parallel()
	e := Environment{Audit: "/c/audit.so", Set: map[string]string{"B": "2"}}
	for _, tt := range []struct{ env, want []string }{
		{nil, []string{"B=2", "LD_AUDIT=/c/audit.so"}},
		{[]string{"A=1=1", "B=1", "LD_AUDIT="}, []string{"A=1=1", "B=2", "LD_AUDIT=/c/audit.so"}},
		{[]string{"LD_AUDIT=/x.so"}, []string{"B=2", "LD_AUDIT=/x.so:/c/audit.so"}},
		{[]string{"LD_AUDIT=/c/audit.so:/x.so"}, []string{"B=2", "LD_AUDIT=/c/audit.so:/x.so"}},
	} {
		if got := e.Apply(tt.env); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.env, got, tt.want)
		}
	}
}

// The command ptxas runs crosslane, also if its path has blanks or quotes.
func TestCommands(t *testing.T) {
	t.Parallel()
	e, work := prepared(t)
	if e.Set["TRITON_PTXAS_PATH"] != e.Set["TRITON_PTXAS_BLACKWELL_PATH"] {
		t.Errorf("%v", e.Set)
	}
	fake := filepath.Join(work, "it's $HOME")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\necho \"$#: $*\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	tools, err := commands(filepath.Join(work, "cache"), fake)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(filepath.Join(tools, "ptxas"), "-v", "a b").Output()
	if err != nil || string(out) != "3: ptxas -v a b\n" {
		t.Errorf("%q, %v", out, err)
	}
}
