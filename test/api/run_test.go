package api_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// header opens a PTX kernel with two buffers a, b and a count n in %rd1, %rd2, %r1,
// and the thread's number in %r0.
const header = `.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 .ptr .global .align 4 a, .param .u64 .ptr .global .align 4 b, .param .u32 n)
{
	.reg .b32 %r<16>;
	.reg .b64 %rd<16>;
	.reg .pred %p<8>;
	ld.param.u64 %rd1, [a];
	ld.param.u64 %rd2, [b];
	ld.param.u32 %r1, [n];
	mov.u32 %r0, %tid.x;
	mul.wide.u32 %rd3, %r0, 4;
	add.s64 %rd4, %rd1, %rd3;
	add.s64 %rd5, %rd2, %rd3;
`

// start loads a text and runs its only kernel on two buffers of 32 words.
func start(t *testing.T, src string, isa crosslane.ISA, edit func(*crosslane.Launch)) (a, b []uint32, res *crosslane.Result, err error) {
	t.Helper()
	m, err := crosslane.Load([]byte(src), "k", isa)
	if err != nil {
		return nil, nil, nil, err
	}
	k, err := m.Kernel("")
	if err != nil {
		return nil, nil, nil, err
	}
	a, b = make([]uint32, 32), make([]uint32, 32)
	for i := range a {
		a[i] = uint32(i)
	}
	l := crosslane.Launch{Block: crosslane.Dim3{X: 32}, Timeout: 20 * time.Second,
		Args: []crosslane.Arg{crosslane.Slice("a", a), crosslane.Slice("b", b), crosslane.Int(32)}}
	if edit != nil {
		edit(&l)
	}
	res, err = k.Run(context.Background(), l)
	return a, b, res, err
}

// Bad programs and bad launches: an error with a code, a class and a remedy. None panics or hangs.
func TestBadInput(t *testing.T) {
	t.Parallel()
	args := func(list ...crosslane.Arg) func(*crosslane.Launch) {
		return func(l *crosslane.Launch) { l.Args = list }
	}
	buf := crosslane.NewBuffer("x", crosslane.U32, 32)
	for _, c := range []struct {
		name  string
		src   string
		edit  func(*crosslane.Launch)
		class diag.Class
		want  string
	}{
		{"empty", "", nil, diag.Input, "neither PTX"},
		{"binary rubbish", "\x00\x01\x02", nil, diag.Input, "neither PTX"},
		{"truncated ELF", "\x7fELF\x02\x01", nil, diag.Input, "k"},
		{"no kernel", ".version 7.0\n.target sm_70\n.address_size 64\n", nil, diag.Input, "no kernel"},
		{"truncated text", header + "add.u32 %r2, %r0", nil, diag.Input, `k:16`},
		{"unknown instruction", header + "frob.u32 %r2, %r0;\nret;\n}\n", nil, diag.Input, `frob\.u32`},
		{"wrong type", header + "add.u32 %rd2, %r0, %r1;\nret;\n}\n", nil, diag.Input, `k:16:\d+: error: .*%rd2`},
		{"undeclared", header + "add.u32 %r2, %q0, %r1;\nret;\n}\n", nil, diag.Input, `%q0`},
		{"removed instruction", header + "shfl.up.b32 %r2, %r0, 1, 0;\nret;\n}\n", nil, diag.Input, `shfl.*sm_70`},
		{"too few arguments", header + "ret;\n}\n", args(buf, buf), diag.Input, "too few arguments: 2 given, 3 expected"},
		{"too many arguments", header + "ret;\n}\n", args(buf, buf, crosslane.Int(1), crosslane.Int(1)), diag.Input, "too many arguments: 4 given, 3 expected"},
		{"no arguments", header + "ret;\n}\n", args(), diag.Input, "too few"},
		{"nil argument", header + "ret;\n}\n", args(buf, nil, crosslane.Int(1)), diag.Input, `argument 2 \(b\): it is missing`},
		{"scalar too large", header + "ret;\n}\n", args(buf, buf, crosslane.Int(1<<40)), diag.Input, `argument 3 \(n\)`},
		{"float for an integer", header + "ret;\n}\n", args(buf, buf, crosslane.Float(1.5)), diag.Input, `argument 3 \(n\)`},
		{"buffer for a scalar", header + "ret;\n}\n", args(buf, buf, buf), diag.Input, `argument 3 \(n\): a buffer where a scalar`},
		{"wrong size", header + "ret;\n}\n", args(buf, buf, crosslane.Typed(crosslane.U64, 1)), diag.Input, "8 bytes, the parameter 4"},
		{"shared argument", header + "ret;\n}\n", args(buf, buf, crosslane.SharedBytes(4)), diag.Input, "shared memory where none"},
		{"block too large", header + "ret;\n}\n", func(l *crosslane.Launch) { l.Block = crosslane.Dim3{X: 64, Y: 64} }, diag.Input, "4096 lanes; at most 1024"},
		{"grid too large", header + "ret;\n}\n", func(l *crosslane.Launch) { l.Grid = crosslane.Dim3{X: 1, Y: 70000} }, diag.Input, "at most 65535"},
		{"shared too large", header + "ret;\n}\n", func(l *crosslane.Launch) { l.Shared = 1 << 30 }, diag.Input, "shared memory"},
		{"engine", header + "ret;\n}\n", func(l *crosslane.Launch) { l.Engine = "warp9" }, diag.Unsupported, "warp9"},
		{"policy", header + "ret;\n}\n", func(l *crosslane.Launch) { l.Undefined = "maybe" }, diag.Input, "maybe"},
		{"reqntid", strings.Replace(header, "n)\n{", "n)\n.reqntid 64\n{", 1) + "ret;\n}\n", nil, diag.Input, `the block is 32,1,1; the kernel requires 64,1,1`},
		{"maxntid", strings.Replace(header, "n)\n{", "n)\n.maxntid 4, 4\n{", 1) + "ret;\n}\n", nil, diag.Input, `a block of 32 lanes; at most 16 fit, as the kernel declares`},
		{"out of bounds", header + "ld.global.u32 %r2, [%rd4+4];\nret;\n}\n", nil, diag.Fault, `k:16.*lane 31 of wave 0.*just past the end of "a" \(128 bytes\)`},
		{"null pointer", header + "mov.u64 %rd4, 0;\nld.global.u32 %r2, [%rd4];\nret;\n}\n", nil, diag.Fault, "out-of-bounds"},
		{"misaligned", header + "st.global.u32 [%rd4+2], %r0;\nret;\n}\n", nil, diag.Fault, "misaligned"},
		{"shared out of bounds", header + ".shared .b8 s[8];\nmov.u32 %r2, s;\nst.shared.u32 [%r2+8], %r0;\nret;\n}\n", nil, diag.Fault, "shared memory of the block has 8 bytes"},
		{"trap", header + "trap;\n}\n", nil, diag.Fault, "trap"},
		{"infinite loop", header + "L: bra L;\n}\n", func(l *crosslane.Launch) { l.Timeout = 20 * time.Millisecond }, diag.Timeout, "k:16.*time limit of 20ms"},
		{"time is up between blocks", header + "ret;\n}\n", func(l *crosslane.Launch) {
			l.Workers, l.Grid, l.Timeout = 1, crosslane.Dim3{X: 1<<31 - 1, Y: 1000}, 50*time.Millisecond
		}, diag.Timeout, `^k: error: the time limit of 50ms was reached; \d+ of 2147483647000 blocks had ended`},
		{"too many workers", header + "ret;\n}\n", func(l *crosslane.Launch) { l.Workers = 1025 }, diag.Input, "1025 workers were requested; at most 1024"},
		{"barriers not all reach", header + "setp.lt.u32 %p1, %r0, 7;\n@%p1 bra L;\nbar.sync 0;\nret;\nL: bar.sync 1;\nret;\n}\n", nil, diag.Fault, `deadlock.*lanes 7-31 of wave 0 wait at barrier 0`},
		{"masks that never meet", header + "setp.lt.u32 %p1, %r0, 7;\n@%p1 bra L;\nbar.warp.sync 0xffffffff;\nret;\nL: bar.warp.sync 0x7fffffff;\nret;\n}\n", nil, diag.Fault, `deadlock.*lanes 7-31 of wave 0 wait for lanes 0-6`},
		{"write to constant", ".version 7.8\n.target sm_80\n.address_size 64\n.const .align 4 .u32 c = 5;\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) { .reg .b64 %rd<4>; mov.u64 %rd1, c; cvta.const.u64 %rd1, %rd1; st.u32 [%rd1], 1; ret; }\n", nil, diag.Fault, "constant memory"},
		{"private memory", header + ".local .b8 x[1000000000];\nst.local.u8 [x], 1;\nret;\n}\n", nil, diag.Input, "private memory per lane; at most 524288"},
		{"GCN3 text", "k:\n  v_frob_b32 v0, v1\n", nil, diag.Input, `k:2:\d+.*v_frob_b32`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, _, _, err := start(t, c.src, crosslane.Auto, c.edit)
			if err == nil {
				t.Fatal("no error")
			}
			d := diag.Of(err)[0]
			if d.Class != c.class || d.Code == "" || d.Code == "error" {
				t.Errorf("class %s, code %q, want class %s: %v", d.Class, d.Code, c.class, err)
			}
			if !regexp.MustCompile(c.want).MatchString(err.Error()) {
				t.Errorf("%q does not match %q", err, c.want)
			}
		})
	}
}

// A kernel runs although another one of the file contains an unsupported instruction.
func TestUnsupportedElsewhere(t *testing.T) {
	t.Parallel()
	src := header + "st.global.u32 [%rd5], %r0;\nret;\n}\n.visible .entry other() { .reg .b32 %r<2>; .reg .b64 %rd<2>; .reg .f32 %f<4>; tex.2dms.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd1, {%r1, %r1, %r1, %r1}]; ret; }\n"
	m, err := crosslane.Load([]byte(src), "k", crosslane.PTX)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	b := make([]uint32, 32)
	if _, err := k.Run(context.Background(), crosslane.Launch{Block: crosslane.Dim3{X: 32},
		Args: []crosslane.Arg{crosslane.Slice("a", make([]uint32, 32)), crosslane.Slice("b", b), crosslane.Int(1)}}); err != nil || b[31] != 31 {
		t.Errorf("%v, %v", err, b)
	}
	if k, err = m.Kernel("other"); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Run(context.Background(), crosslane.Launch{}); err == nil || diag.Of(err).ExitCode() != 3 || !strings.Contains(err.Error(), "tex.2dms.v4.f32.s32") {
		t.Errorf("got %v, want tex.2dms.v4.f32.s32 named as unsupported", err)
	}
}

// Modules of 32-bit addresses get memory below 4 GB.
func TestAddressSize32(t *testing.T) {
	t.Parallel()
	src := ".version 3.0\n.target sm_30\n.address_size 32\n.visible .entry k(.param .u32 a, .param .u32 b, .param .u32 n)\n{\n.reg .b32 %r<8>;\n" +
		"ld.param.u32 %r1, [a];\nld.param.u32 %r2, [b];\nmov.u32 %r3, %tid.x;\nshl.b32 %r4, %r3, 2;\nadd.u32 %r1, %r1, %r4;\nadd.u32 %r2, %r2, %r4;\nld.global.u32 %r5, [%r1];\nadd.u32 %r5, %r5, 7;\nst.global.u32 [%r2], %r5;\nret;\n}\n"
	a, b, _, err := start(t, src, crosslane.PTX, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a {
		if b[i] != a[i]+7 {
			t.Fatalf("element %d is %d, want %d", i, b[i], a[i]+7)
		}
	}
}

// PTX 6.4.1: a .const variable is reached by a 32-bit register, too, as compilers do
// with short pointers; by a 64-bit one and by a generic address it is the same.
func TestShortConstantAddresses(t *testing.T) {
	t.Parallel()
	const constants = `.const .align 4 .u32 first[4] = {1, 2, 3, 4};
.const .align 4 .u32 table[32] = {100, 99, 98, 97};
.visible .entry`
	body := `	mov.u32 %r2, table;
	shl.b32 %r3, %r0, 2;
	add.u32 %r2, %r2, %r3;
	ld.const.u32 %r4, [%r2];
	mov.u64 %rd6, table;
	add.u64 %rd6, %rd6, %rd3;
	ld.const.u32 %r5, [%rd6];
	cvta.const.u64 %rd7, %rd6;
	ld.u32 %r6, [%rd7];
	ld.const.u32 %r7, [first+4];
	mad.lo.u32 %r4, %r4, 1000, %r5;
	mad.lo.u32 %r4, %r4, 1000, %r6;
	add.u32 %r4, %r4, %r7;
	st.global.u32 [%rd5], %r4;
	ret;
}`
	_, b, _, err := start(t, strings.Replace(header, ".visible .entry", constants, 1)+body, crosslane.PTX, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range b {
		v := uint32(0)
		if i < 4 {
			v = 100 - uint32(i)
		}
		if want := v*1001001 + 2; got != want {
			t.Errorf("b[%d] = %d, want %d", i, got, want)
		}
	}
}

// Division by zero is defined by the machine, not by Go: no panic, all ones.
func TestDivisionByZero(t *testing.T) {
	t.Parallel()
	_, b, _, err := start(t, header+"sub.u32 %r2, %r0, %r0;\ndiv.u32 %r3, %r0, %r2;\nst.global.u32 [%rd5], %r3;\nret;\n}\n", crosslane.PTX, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range b {
		if v != 0xffffffff {
			t.Errorf("%d/0 = %#x", i, v)
		}
	}
}

// Results, findings and figures are the same for every number of workers.
func TestWorkersAgree(t *testing.T) {
	t.Parallel()
	m, err := crosslane.LoadFile("examples/ptx/histogram.ptx")
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("histogram")
	if err != nil {
		t.Fatal(err)
	}
	in := make([]uint32, 5000)
	for i := range in {
		in[i] = uint32(i) * 2654435761
	}
	var first []uint32
	var stats crosslane.Stats
	for _, n := range []int{1, 2, 3, 8, 64} {
		bins := make([]uint32, 64)
		r, err := k.Run(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 20}, Block: crosslane.Dim3{X: 256}, Workers: n,
			Args: []crosslane.Arg{crosslane.Slice("in", in), crosslane.Slice("bins", bins), crosslane.Int(5000)}})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first, stats = bins, r.Stats
		}
		for i := range bins {
			if bins[i] != first[i] {
				t.Fatalf("%d workers: bin %d is %d, want %d", n, i, bins[i], first[i])
			}
		}
		if r.Stats.WarpInstructions != stats.WarpInstructions || r.Stats.LaneInstructions != stats.LaneInstructions {
			t.Errorf("%d workers: %+v, want %+v", n, r.Stats, stats)
		}
	}
}

// One Kernel may run several launches at a time.
func TestConcurrentLaunches(t *testing.T) {
	t.Parallel()
	m, err := crosslane.LoadFile("examples/gcn3/wave_reduce.hsaco")
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		for _, k := range m.Kernels() {
			t.Run(k.Name(), func(t *testing.T) {
				t.Parallel()
				var args []crosslane.Arg
				for _, p := range k.Params() {
					if p.Kind == crosslane.ParamPointer {
						args = append(args, crosslane.Slice(p.Name, make([]int32, 4096)))
					} else {
						args = append(args, crosslane.Int(1))
					}
				}
				if _, err := k.Run(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 2}, Block: crosslane.Dim3{X: 64}, Args: args}); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// Disassembling a linked code object and assembling the text gives the file again,
// byte for byte.
func TestDisassembleAssemble(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("examples/gcn3/*.hsaco")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text, err := crosslane.Disassemble(data, name)
			if err != nil {
				t.Fatal(err)
			}
			again, diags := crosslane.Assemble([]byte(text), name, crosslane.AsmOptions{})
			if err := diags.Err(); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(again, data) {
				t.Errorf("%d bytes became %d other bytes", len(data), len(again))
			}
		})
	}
}

// A buffer given twice is one piece of memory; misaligned Go memory works.
func TestBuffers(t *testing.T) {
	t.Parallel()
	src := header + "ld.global.u32 %r2, [%rd4];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%rd4], %r2;\nld.global.u32 %r3, [%rd5];\nadd.u32 %r3, %r3, 10;\nst.global.u32 [%rd5], %r3;\nret;\n}\n"
	m, err := crosslane.Load([]byte(src), "k", crosslane.PTX)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("")
	if err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, 129)
	b := &crosslane.Buffer{Name: "x", Type: crosslane.U32, Data: raw[1:]}
	res, err := k.Run(context.Background(), crosslane.Launch{Block: crosslane.Dim3{X: 32}, Args: []crosslane.Arg{b, b, crosslane.Int(32)}})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Buffers) != 1 || !b.Written {
		t.Errorf("%d buffers, written %v", len(res.Buffers), b.Written)
	}
	for i := range b.Len() {
		if b.Bits(i) != 11 {
			t.Errorf("element %d is %d, want 11", i, b.Bits(i))
		}
	}
}
