package driver

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane/api"
)

// Calls of compiled code are named by the symbol table, and have lines if the program has debugging information. A file
// that is none, is damaged or is missing leaves what the client has said.
func TestSymbols(t *testing.T) {
	t.Parallel()
	cc, err := exec.LookPath("cc")
	if err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") != "" {
			t.Fatal(err)
		}
		t.Skip("no C compiler: ", err)
	}
	work := t.TempDir()
	source := filepath.Join(work, "p.c")
	if err := os.WriteFile(source, []byte("int g;\n\nstatic __attribute__((noinline)) void hidden(void)\n{\n\tg++;\n}\n\nint main(void)\n{\n\thidden();\n\treturn g;\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{{"-g"}, {"-g", "-no-pie"}, {"-g", "-gz"}, {}} {
		program := filepath.Join(work, "p"+strings.Join(flags, ""))
		if out, err := exec.Command(cc, append(flags, "-O0", "-o", program, source)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		o := readObject(program)
		if o == nil {
			t.Fatal(program)
		}
		var s symbols
		for _, f := range o.functions {
			if f.Name != "hidden" && f.Name != "main" {
				continue
			}
			got := s.frames([]codeAddress{{program, f.Value - o.base + f.Size/2, "other"}})
			if len(got) != 1 || got[0].Func != f.Name {
				t.Errorf("%v: %+v, want %s", flags, got, f.Name)
			}
			first, last := 3, 6
			if f.Name == "main" {
				first, last = 8, 12
			}
			if len(flags) > 0 && (filepath.Base(got[0].File) != "p.c" || got[0].Line < first || got[0].Line > last) {
				t.Errorf("%v: %s at %s:%d, want lines %d to %d", flags, f.Name, got[0].File, got[0].Line, first, last)
			}
			if len(flags) == 0 && (got[0].File != program || got[0].Line != 0) {
				t.Errorf("without lines: %+v", got[0])
			}
		}
	}
	whole, err := os.ReadFile(filepath.Join(work, "p-g"))
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(work, "damaged")
	for cut := 0; cut < len(whole); cut += 997 {
		if err := os.WriteFile(damaged, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		var s symbols
		if got := s.frames([]codeAddress{{damaged, 0x1130, "said"}}); len(got) != 1 {
			t.Errorf("cut at %d: %+v", cut, got)
		}
	}
	var s symbols
	got := s.frames([]codeAddress{{"/nosuch", 1, "f"}, {work, 1, ""}, {"/lib/libc.so.6", 1, "__libc_start_main@GLIBC"}, {"/nosuch/libc.so.6", 1, ""}})
	if len(got) != 2 || got[0].Func != "f" || got[1].Func != "?" {
		t.Errorf("%+v", got)
	}
}

// A call that the compiler has inlined is a frame of its own, also in main, which has a section of its own at -O2.
func TestInlined(t *testing.T) {
	t.Parallel()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler: ", err)
	}
	work := t.TempDir()
	source, program := filepath.Join(work, "p.c"), filepath.Join(work, "p")
	const text = `extern char __executable_start;
int printf(const char *, ...);
__attribute__((noinline)) void mark(void) { printf("%lx\n", (long)((char *)__builtin_return_address(0) - &__executable_start)); }
static inline __attribute__((always_inline)) void inner(int n)
{
	if (n > 0)
		mark();
	__asm__ volatile("");
}
static inline __attribute__((always_inline)) void outer(int n)
{
	inner(n);
}
int main(int n, char **v)
{
	outer(n);
	return v == 0;
}
`
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-O2", "-g", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	var off uint64
	if _, err := fmt.Sscanf(string(out), "%x", &off); err != nil {
		t.Fatal(err)
	}
	var s symbols
	got := fmt.Sprint(s.frames([]codeAddress{{program, off - 1, ""}}))
	if want := fmt.Sprint([]api.Frame{{File: source, Line: 7, Func: "inner"}, {File: source, Line: 12, Func: "outer"}, {File: source, Line: 16, Func: "main"}}); got != want {
		t.Errorf("the frames are %s, want %s", got, want)
	}
}

// The functions that nvcc makes for the launch of a kernel are no frames. A function with a name like that of a kernel is
// one if no stub called it.
func TestStubs(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"_ZL25__cudaLaunchKernel_helperP9CUkern_st _Z22__device_stub__Z3revPiPi _Z3revPi _ZL2goPi main", "_ZL2goPi main"},
		{"_Z20__device_stub__rev_cPi rev_c main", "main"},
		{"_Z22__device_stub__Z3revPiPi main", "main"},
		{"_Z3revPi main", "_Z3revPi main"},
		{"_Z22__device_stub__Z3revPiPi _Z4otherv _Z3revPi", "_Z4otherv _Z3revPi"},
		{"_ZL10cudaMallocIiE9cudaErrorPPT_m _Z6memoryv main", "_Z6memoryv main"},
		{"_Z9hipMallocIiE10hipError_tPPT_m main", "main"},
		{"_Z6memoryv _ZL10cudaMallocIiE9cudaErrorPPT_m main", "_Z6memoryv _ZL10cudaMallocIiE9cudaErrorPPT_m main"},
		{"_Z10cudaBufferi main", "_Z10cudaBufferi main"},
	} {
		var list []codeAddress
		for _, name := range strings.Fields(c[0]) {
			list = append(list, codeAddress{"/nosuch", 1, name})
		}
		var s symbols
		var got []string
		for _, f := range s.frames(list) {
			got = append(got, f.Func)
		}
		if strings.Join(got, " ") != c[1] {
			t.Errorf("%s: the frames are %s, want %s", c[0], got, c[1])
		}
	}
}

// Debugging information names a stub of clang that is inlined as its kernel.
func TestInlinedStubs(t *testing.T) {
	t.Parallel()
	o := &object{functions: []elf.Symbol{{Name: "_Z18__device_stub__addPii"}, {Name: "_ZN2ns20__device_stub__scaleIfEEvPT_S1_"}, {Name: "__device_stub__plain"}}}
	for name, want := range map[string]bool{
		"add": true, "scale<float>": true, "scale": true, "plain": true,
		"ad": false, "addP": false, "addPii": false, "plai": false, "scaleI": false, "": false, "<lambda>": false,
	} {
		if o.isStub(name) != want {
			t.Errorf("%q: %t", name, !want)
		}
	}
	if (*object)(nil).isStub("add") {
		t.Error("a file that cannot be read has a stub")
	}
}
