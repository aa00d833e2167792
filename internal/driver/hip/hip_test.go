//go:build linux && amd64

package hip_test

import (
	"context"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/driver/compilers"
	"example.org/crosslane/internal/driver/hip"
	"example.org/crosslane/internal/driver/hiprtc"
	"example.org/crosslane/internal/driver/host"
	"example.org/crosslane/internal/driver/recognise"
)

// tool is the name of a program; the test is skipped where it is absent.
func tool(t *testing.T, name string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") != "" {
			t.Fatal(err)
		}
		t.Skipf("no %s: %v", name, err)
	}
	return name
}

// cache is the folder that keeps the libraries of all tests.
var cache = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "crosslane-hip-") })

// TestMain removes the libraries. libhiprtc runs this program in place of crosslane.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "hiprtc" {
		if err := hiprtc.Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if folder, err := cache(); err == nil {
		os.RemoveAll(folder)
	}
	os.Exit(code)
}

// library is the folder of the runtime.
func library(t *testing.T) string {
	t.Helper()
	tool(t, "cc")
	folder, err := cache()
	if err == nil {
		folder, err = hip.Build(folder)
	}
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// exported returns the names that a library defines, as name@version.
func exported(t *testing.T, file string) (list []string) {
	t.Helper()
	f, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && s.Section != elf.SHN_ABS {
			list = append(list, s.Name+"@"+s.Version)
		}
	}
	slices.Sort(list)
	return list
}

// The library exports the names of the list, each with its version, and no other name.
func TestNames(t *testing.T) {
	t.Parallel()
	folder := library(t)
	var want []string
	for _, n := range hip.Names() {
		want = append(want, n.Name+"@"+n.Version)
	}
	slices.Sort(want)
	for _, m := range hip.Majors() {
		got := exported(t, filepath.Join(folder, fmt.Sprint("libamdhip64.so.", m)))
		if !slices.Equal(got, want) {
			t.Errorf("the library has %d names, the list %d; they differ", len(got), len(want))
		}
	}
	if len(slices.Compact(slices.Clone(want))) != len(want) || len(want) < 500 {
		t.Errorf("%d names, some of them twice", len(want))
	}
}

// AMD's own library of ROCm 5.2 has no name, and no version of a name, that ours lacks.
func TestNamesOfAMD(t *testing.T) {
	t.Parallel()
	const amd = "/usr/lib/x86_64-linux-gnu/libamdhip64.so.5"
	if _, err := os.Stat(amd); err != nil {
		t.Skip("AMD's library is not installed (libamdhip64-5): ", err)
	}
	got := exported(t, filepath.Join(library(t), "libamdhip64.so.5"))
	for _, name := range exported(t, amd) {
		if _, ok := slices.BinarySearch(got, name); !ok {
			t.Errorf("%s is missing", name)
		}
	}
}

// compile compiles a program of testdata with clang, which also writes the calls that register its kernels.
func compile(t *testing.T, name string, major int, options ...string) string {
	t.Helper()
	return compileWith(t, name, major, nil, options...)
}

// compileWith is compile with options of the linker.
func compileWith(t *testing.T, name string, major int, link []string, options ...string) string {
	t.Helper()
	tool(t, "clang-22")
	tool(t, "ld.lld-22")
	folder, work := library(t), t.TempDir()
	object, program := filepath.Join(work, name+".o"), filepath.Join(work, name)
	for _, cmd := range [][]string{
		slices.Concat([]string{"clang-22", "-x", "hip", "--offload-arch=gfx803", "-nogpuinc", "-nogpulib", "-O1", "-g", fmt.Sprint("-DMAJOR=", major), "-c", "testdata/" + name + ".hip", "-o", object}, options),
		slices.Concat([]string{"cc", "-g", "-rdynamic", object, "-o", program, "-L" + folder, fmt.Sprint("-l:libamdhip64.so.", major)}, link),
	} {
		if out, err := exec.Command(cmd[0], cmd[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", cmd, err, out)
		}
	}
	return program
}

// run runs a program on a device, and returns what it wrote and what was found.
func run(t *testing.T, device string, o api.DeviceOptions, program string, args ...string) (out, stderr string, found diag.List, err error) {
	t.Helper()
	folder, err := cache()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	s, err := host.Start(host.Options{Target: device, Device: o, Cache: folder, Report: func(_ host.Client, d *diag.Diagnostic) {
		mu.Lock()
		defer mu.Unlock()
		found = append(found, d)
	}})
	if err != nil {
		t.Fatal(err)
	}
	var text, errors strings.Builder
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = s.Environment(os.Environ()), &text, &errors
	err = cmd.Run()
	s.Close()
	mu.Lock()
	defer mu.Unlock()
	return text.String(), errors.String(), found, err
}

// Programs of HIP 5, 6 and 7 get from each call what the API promises, without checks and with checks.
func TestPrograms(t *testing.T) {
	t.Parallel()
	for _, major := range hip.Majors() {
		t.Run(fmt.Sprint(major), func(t *testing.T) {
			t.Parallel()
			program := compile(t, "host", major)
			for _, check := range []bool{false, true} {
				out, stderr, found, err := run(t, "gfx803", api.DeviceOptions{Check: check}, program)
				if err != nil || out != "right\n" || len(found) > 0 {
					t.Errorf("check %t: %v\n%s%s%v", check, err, out, stderr, found)
				}
				for _, want := range []string{"hipMipmappedArrayCreate is not implemented: it returns 801", "the number of threads is no multiple of the block"} {
					if strings.Count(stderr, want) != 1 {
						t.Errorf("%q is not once in\n%s", want, stderr)
					}
				}
			}
		})
	}
}

// A program compiles a kernel while it runs, with libhiprtc of each version, and with the functions in libamdhip64.
func TestRTC(t *testing.T) {
	t.Parallel()
	tool(t, "clang-22")
	tool(t, "ld.lld-22")
	folder := library(t)
	first, err := cache()
	if err != nil {
		t.Fatal(err)
	}
	e, err := compilers.Prepare(first, os.Args[0], folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{"libhiprtc.so.5", "libhiprtc.so.6", "libhiprtc.so.7", "libamdhip64.so.5"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "rtc")
			cmd := exec.Command("cc", "-g", "testdata/rtc.c", "-o", program, "-L"+e.Libraries, "-L"+folder, "-l:"+from, "-l:libamdhip64.so.6")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			out, stderr, found, err := run(t, "gfx803", api.DeviceOptions{Check: true}, program)
			if err != nil || out != "right\n" || len(found) > 0 {
				t.Errorf("%v\n%s%s%v", err, out, stderr, found)
			}
		})
	}
}

// Memory is mapped at addresses that the program reserves; a fill without the right to write is named.
func TestVirtualMemory(t *testing.T) {
	t.Parallel()
	folder := library(t)
	program := filepath.Join(t.TempDir(), "virtual")
	cmd := exec.Command("cc", "-g", "testdata/virtual.c", "-o", program, "-L"+folder, "-l:libamdhip64.so.6")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"", "no-access"} {
		out, stderr, found, err := run(t, "gfx803", api.DeviceOptions{Check: true}, program, strings.Fields(want)...)
		codes := ""
		for _, d := range found {
			codes += d.Code
		}
		if err != nil || out != "right\n" || codes != want {
			t.Errorf("%q: %v\n%s%s%v", want, err, out, stderr, found)
		}
	}
}

// Copies by parameters take arrays on either side, and the functions that HIP has from the driver API do what these do.
func TestArrays(t *testing.T) {
	t.Parallel()
	folder := library(t)
	for _, major := range hip.Majors() {
		t.Run(fmt.Sprint(major), func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "arrays")
			cmd := exec.Command("cc", "-g", "-Wall", "-Werror", fmt.Sprint("-DMAJOR=", major), "testdata/arrays.c", "-o", program, "-L"+folder, fmt.Sprint("-l:libamdhip64.so.", major))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, check := range []bool{false, true} {
				out, stderr, found, err := run(t, "gfx803", api.DeviceOptions{Check: check}, program)
				if err != nil || out != "right\n" || stderr != "" {
					t.Errorf("check %t: %v\n%s%s", check, err, out, stderr)
				}
				for _, d := range found {
					if d.Code != "refused-call" || !check { // the program makes some calls that are refused
						t.Errorf("check %t: %v", check, d)
					}
				}
			}
		})
	}
}

// Nodes of graphs have the parameters that the program gave them, and each setter changes what the next launch does.
func TestGraphs(t *testing.T) {
	t.Parallel()
	program := compile(t, "graphs", 7)
	for _, check := range []bool{false, true} {
		out, stderr, found, err := run(t, "gfx803", api.DeviceOptions{Check: check}, program)
		if err != nil || out != "right\n" {
			t.Errorf("check %t: %v\n%s%s", check, err, out, stderr)
		}
		for _, d := range found {
			if d.Code != "refused-call" || !check { // the program makes some calls that are refused
				t.Errorf("check %t: %v", check, d)
			}
		}
		if want := "the mask of the wait leaves bits out"; strings.Count(stderr, want) != 1 {
			t.Errorf("%q is not once in\n%s", want, stderr)
		}
	}
}

// A HIP program is recognised. One without code for the device is refused by name on devices of AMD.
func TestRecognised(t *testing.T) {
	t.Parallel()
	p, err := recognise.Read(compile(t, "host", 6))
	if err != nil || p.HIP != "libamdhip64.so.6" || p.NoBundle(true) != nil {
		t.Errorf("%v: %+v: %v", err, p, p.NoBundle(true))
	}
	p, err = recognise.Read(compile(t, "other", 5, "--offload-arch=gfx900", "--no-offload-arch=gfx803"))
	if err != nil || p.HIP != "libamdhip64.so.5" || p.NoBundle(false) != nil {
		t.Errorf("%v: %+v", err, p)
	}
	if d := diag.Of(p.NoBundle(true)); len(d) != 1 || !strings.Contains(d[0].Message, `it has "hipv4-amdgcn-amd-amdhsa--gfx900"`) {
		t.Errorf("%v", d)
	}
}

// A bundle may be compressed. A program without code for the device gets the error for that, and the names of what it has.
func TestBundles(t *testing.T) {
	t.Parallel()
	program := compile(t, "host", 7, "--offload-compress", "--offload-compression-level=9")
	if out, stderr, _, err := run(t, "gfx803", api.DeviceOptions{}, program); err != nil || out != "right\n" {
		t.Errorf("%v\n%s%s", err, out, stderr)
	}
	for device, want := range map[string]string{
		"gfx803": `the bundle holds no code object for gfx803; it has "hipv4-amdgcn-amd-amdhsa--gfx900"`,
		"sm_89":  "gfx900",
	} {
		program := compile(t, "other", 7, "--offload-arch=gfx900", "--no-offload-arch=gfx803")
		out, stderr, _, err := run(t, device, api.DeviceOptions{}, program)
		if err != nil || out != "209 hipErrorNoBinaryForGpu\n" || !strings.Contains(stderr, want) {
			t.Errorf("%s: %v\n%s%s", device, err, out, stderr)
		}
	}
}

// A bundle may have more bytes than the driver takes at once, if the code for the device has fewer.
func TestLargeBundle(t *testing.T) {
	t.Parallel()
	program := compile(t, "large", 6, "--offload-arch=gfx900")
	if s, err := os.Stat(program); err != nil || s.Size() < 72<<20 {
		t.Fatalf("%v: the program is too small for the test", err)
	}
	if out, stderr, found, err := run(t, "gfx803", api.DeviceOptions{Check: true}, program); err != nil || out != "right\n" || len(found) > 0 {
		t.Errorf("%v\n%s%s%v", err, out, stderr, found)
	}
}

// printf of a kernel asks the host by the buffer of hostcalls. The text comes in the order of the blocks, and each lane gets
// the number of its characters; the program compares that with its own printf. Another service is a fault that names it.
func TestPrintf(t *testing.T) {
	t.Parallel()
	program := compile(t, "printf", 7)
	for _, check := range []bool{false, true} {
		for _, lanes := range []int{1, 70, 130} {
			var want strings.Builder
			for i := range lanes {
				fmt.Fprintf(&want, "lane %d: eight chars, %5.2f, %x, %%\n", i, float64(i)*0.25, 0x123456789ab+i)
			}
			out, stderr, found, err := run(t, "gfx803", api.DeviceOptions{Check: check}, program, fmt.Sprint(lanes))
			if err != nil || out != want.String()+"right\n" || len(found) > 0 {
				t.Errorf("%d lanes, check %t: %v\n%s%s%v", lanes, check, err, out, stderr, found)
			}
		}
	}
	out, _, found, err := run(t, "gfx803", api.DeviceOptions{Skip: []string{"leak"}}, program, "3", "7")
	if err != nil || out != "error 700\n" || len(found) != 1 || !strings.Contains(found[0].Message, "it asks the host for service 7") {
		t.Errorf("%v\n%s%v", err, out, found)
	}
}
