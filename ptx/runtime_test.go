package ptx

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/sim"
)

// TestRuntime runs clang's output for testdata/calls/runtime.c, which calls the memory and string
// functions of C. runtime.csv holds the output of the same source compiled for the host and linked
// with the GNU C library.
func TestRuntime(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("testdata/calls/runtime.ptx")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/calls/runtime.csv")
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := callRun{src: string(src), words: 12 * 32}.run(t)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Fields(string(want)) {
		for j, cell := range strings.Split(line, ",") {
			if got := strconv.Itoa(int(out[12*i+j])); got != cell {
				t.Errorf("lane %d, word %d: %s, want %s", i, j, got, cell)
			}
		}
	}
}

// runtimeDecls declares functions of the runtime, as compilers do.
const runtimeDecls = `
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.extern .func (.param .b64 r) memcpy(.param .b64 d, .param .b64 s, .param .b64 n);
.extern .func (.param .b64 r) strlen(.param .b64 s);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 fn, .param .b64 s) .noreturn;
.global .b8 msg[8] = {110, 32, 60, 32, 51, 0, 88, 88};
.global .b8 file[5] = {97, 46, 99, 117, 0};
.global .b8 fn[2] = {107, 0};
.global .b8 fmt[15] = {108, 97, 110, 101, 32, 37, 100, 58, 32, 37, 103, 37, 115, 10, 0};
.global .b8 noend[3] = {1, 2, 3};
`

func TestRuntimeFaults(t *testing.T) {
	t.Parallel()
	const get = "\tcvt.u64.u32 %rd3, %r1;\n\tadd.u64 %rd3, %rd3, 8;\n\tcall (%rd4), malloc, (%rd3);\n"
	for _, tt := range []struct{ name, code, want, lanes, text string }{
		{"past the end", get + "\tst.u32 [%rd4+8], 1;", sim.CodeOutOfBounds, "0-3", "just past the end of malloc#1 (8 bytes)"},
		{"half past the end", get + "\tst.u32 [%rd4+12], 1;", sim.CodeOutOfBounds, "0-7", "past the end of malloc#1"},
		{"after free", get + "\tcall free, (%rd4);\n\tst.global.u32 [%rd4], 1;", sim.CodeUseAfterFree, "0-31", "it is malloc#1 (8 bytes), which was freed"},
		{"used, freed, used", get + "\tst.u32 [%rd4], 1;\n\tsetp.eq.u32 %p1, %r1, 3;\n\t@%p1 call free, (%rd4);\n\tst.u32 [%rd4+4], 1;", sim.CodeUseAfterFree, "3", "4 bytes inside malloc#4 (11 bytes), which was freed"},
		{"freed twice", get + "\tcall free, (%rd4);\n\tsetp.gt.u32 %p1, %r1, 30;\n\t@%p1 call free, (%rd4);", sim.CodeBadFree, "31", "it is malloc#32 (39 bytes), which was freed"},
		{"free of the middle", get + "\tadd.u64 %rd4, %rd4, 4;\n\tcall free, (%rd4);", sim.CodeBadFree, "0", "4 bytes inside malloc#1"},
		{"free of a buffer", "\tcall free, (%rd1);", sim.CodeBadFree, "0", "no address of the heap"},
		{"a failed assertion", `
	setp.gt.u32 %p1, %r1, 4;
	mov.u64 %rd3, msg;
	mov.u64 %rd4, file;
	mov.u64 %rd5, fn;
	@%p1 call __assertfail, (%rd3, %rd4, 12, %rd5, 1);`, sim.CodeAssert, "5-31", "a.cu:12: k: block: [0,0,0], thread: [5,0,0] Assertion `n < 3` failed."},
		{"copy too much", "\tmov.u64 %rd3, msg;\n\tcall (%rd4), memcpy, (%rd1, %rd3, 9);", sim.CodeOutOfBounds, "0", `reads 9 bytes`},
		{"copy to a constant", "\tcall (%rd4), memcpy, (0, %rd1, 4);", sim.CodeOutOfBounds, "0", "writes 4 bytes at generic address 0x0"},
		{"text without end", "\tmov.u64 %rd3, noend;\n\tcall (%rd4), strlen, (%rd3);", sim.CodeOutOfBounds, "0", `"noend" (3 bytes)`},
		{"printing from nowhere", "\tcall (%r9), vprintf, (16, %rd1);", sim.CodeOutOfBounds, "0", "0x10"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := callRun{src: callBody(runtimeDecls, tt.code), words: 32}.run(t)
			d := diag.Of(err)
			if len(d) != 1 || d[0].Code != tt.want || d[0].Lanes != tt.lanes || !strings.Contains(d[0].Message, tt.text) {
				t.Errorf("%v (lanes %s), want %s of lanes %s: %s", err, d[0].Lanes, tt.want, tt.lanes, tt.text)
			}
		})
	}
}

// TestPrint checks text in the order of the lanes, the number of arguments as the result, and a
// heap that runs out.
func TestPrint(t *testing.T) {
	t.Parallel()
	out, text, err := callRun{words: 32, heap: 40 * 16, src: callBody(runtimeDecls, `
	.local .align 8 .b8 args[24];
	cvt.rn.f64.u32 %fd1, %r1;
	mul.f64 %fd1, %fd1, 0d3FE0000000000000;
	st.local.u32 [args], %r1;
	st.local.f64 [args+8], %fd1;
	mov.u64 %rd3, fn;
	st.local.u64 [args+16], %rd3;
	mov.u64 %rd4, args;
	cvta.local.u64 %rd4, %rd4;
	mov.u64 %rd5, fmt;
	setp.gt.u32 %p1, %r1, 28;
	mov.u32 %r9, 77;
	@%p1 call (%r9), vprintf, (%rd5, %rd4);
	mov.u32 %r8, 0;
	call (%rd6), malloc, (20);
	setp.ne.u64 %p2, %rd6, 0;
	@%p2 add.u32 %r9, %r9, 100;`)}.run(t)
	if err != nil {
		t.Fatal(err)
	}
	if want := "lane 29: 14.5k\nlane 30: 15k\nlane 31: 15.5k\n"; text != want {
		t.Errorf("printed %q, want %q", text, want)
	}
	for i, got := range out {
		want := uint32(77)
		if i > 28 {
			want = 3
		}
		if i < 20 { // 20 allocations of 32 bytes fit
			want += 100
		}
		if got != want {
			t.Errorf("lane %d: %d, want %d", i, got, want)
		}
	}
}

// TestRuntimeDeclarations checks that a declaration that differs from the runtime's own is refused.
func TestRuntimeDeclarations(t *testing.T) {
	t.Parallel()
	for decl, want := range map[string]string{
		".extern .func (.param .b64 r) malloc(.param .b32 n);":              "parameter 1 of 4 bytes, want 8",
		".extern .func (.param .b32 r) malloc(.param .b64 n);":              "a result of 4 bytes, want 8",
		".extern .func (.param .b64 r) malloc(.param .b64 n, .reg .u32 m);": "2 parameters, want 1",
		".extern .func malloc(.param .b64 n);":                              "",
	} {
		call := "\tcall (%rd4), malloc, (%rd1);"
		switch {
		case want == "":
			call = "\tcall malloc, (%rd1);"
		case strings.Contains(decl, "b32 r"):
			call = "\tcall (%r4), malloc, (%rd1);"
		case strings.Contains(decl, "b32 n"):
			call = "\tcall (%rd4), malloc, (%r1);"
		case strings.Contains(decl, "m)"):
			call = "\tcall (%rd4), malloc, (%rd1, %r1);"
		}
		m, errs := Parse("k.ptx", callBody(decl+"\n", call))
		if errs.Err() != nil {
			t.Fatal(errs)
		}
		_, err := Lift(m, "k")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", decl, err, want)
		}
	}
}
