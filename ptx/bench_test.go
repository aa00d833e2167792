package ptx

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/sim"
)

// bigKernel writes a kernel of about size bytes, in the shape of compiler output.
func bigKernel(size int) string {
	var b strings.Builder
	b.WriteString(`.version 7.8
.target sm_80
.address_size 64
.visible .entry big(
	.param .u64 .ptr .global .align 4 big_param_0,
	.param .u32 big_param_1
)
{
	.reg .pred 	%p<64>;
	.reg .b32 	%r<512>;
	.reg .f32 	%f<512>;
	.reg .b64 	%rd<64>;
	ld.param.u64 	%rd1, [big_param_0];
	ld.param.u32 	%r1, [big_param_1];
`)
	for i := 2; b.Len() < size-200; i++ {
		r := func(n int) int { return (i*7+n)%500 + 2 }
		fmt.Fprintf(&b, "\tmad.lo.s32 \t%%r%d, %%r%d, %%r1, %d;\n", r(0), r(1), i)
		fmt.Fprintf(&b, "\tfma.rn.f32 \t%%f%d, %%f%d, %%f%d, 0f3F800000;\n", r(2), r(3), r(4))
		fmt.Fprintf(&b, "\tsetp.ge.s32 \t%%p%d, %%r%d, -1;\n", i%64, r(0))
		fmt.Fprintf(&b, "\tld.global.v2.f32 \t{%%f%d, %%f%d}, [%%rd1+%d];\n", r(5), r(6), i*8)
		fmt.Fprintf(&b, "\tshfl.sync.bfly.b32 \t%%r%d|%%p%d, %%r%d, 1, 31, -1;\n", r(7), i%64, r(8))
		if i%8 == 0 {
			fmt.Fprintf(&b, "\t@%%p%d bra \t$L__BB0_%d;\n$L__BB0_%d:\n", i%64, i, i)
		}
	}
	b.WriteString("\tret;\n}\n")
	return b.String()
}

func BenchmarkParse64K(b *testing.B) {
	src := bigKernel(64 << 10)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, l := Parse("big.ptx", src); len(l) > 0 {
			b.Fatal(l)
		}
	}
}

// bigFile writes a module of about size bytes with funcs functions, in the shape of compiler
// output. One of the functions is a kernel that calls some of the rest.
func bigFile(size, funcs int) string {
	var b strings.Builder
	b.Grow(size + 4096)
	b.WriteString(".version 7.8\n.target sm_80\n.address_size 64\n\n")
	each := size / funcs
	for f := range funcs {
		end := b.Len() + each
		fmt.Fprintf(&b, ".visible .func  (.param .b32 func_retval0) _Z9device_fn%dPfi(\n\t.param .b64 _Z9device_fn%dPfi_param_0,\n\t.param .b32 _Z9device_fn%dPfi_param_1\n)\n{\n", f, f, f)
		b.WriteString("\t.reg .pred \t%p<64>;\n\t.reg .b32 \t%r<512>;\n\t.reg .f32 \t%f<512>;\n\t.reg .b64 \t%rd<64>;\n\n")
		fmt.Fprintf(&b, "\tld.param.u64 \t%%rd1, [_Z9device_fn%dPfi_param_0];\n\tld.param.u32 \t%%r1, [_Z9device_fn%dPfi_param_1];\n", f, f)
		for i := 2; b.Len() < end-120; i++ {
			r := func(n int) int { return (i*7+n)%500 + 2 }
			fmt.Fprintf(&b, "\tmad.lo.s32 \t%%r%d, %%r%d, %%r1, %d;\n", r(0), r(1), i)
			fmt.Fprintf(&b, "\tfma.rn.f32 \t%%f%d, %%f%d, %%f%d, 0f3F800000;\n", r(2), r(3), r(4))
			fmt.Fprintf(&b, "\tsetp.ge.s32 \t%%p%d, %%r%d, -1;\n", i%64, r(0))
			fmt.Fprintf(&b, "\tld.global.v2.f32 \t{%%f%d, %%f%d}, [%%rd1+%d];\n", r(5), r(6), i*8)
			fmt.Fprintf(&b, "\tshfl.sync.bfly.b32 \t%%r%d|%%p%d, %%r%d, 1, 31, -1;\n", r(7), i%64, r(8))
			if i%8 == 0 {
				fmt.Fprintf(&b, "\t@%%p%d bra \t$L__BB%d_%d;\n$L__BB%d_%d:\n", i%64, f, i, f, i)
			}
		}
		b.WriteString("\tst.param.b32 \t[func_retval0+0], %r1;\n\tret;\n\n}\n")
	}
	b.WriteString(".visible .entry k(.param .u64 out) { .reg .b64 %rd<2>; ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], 1; ret; }\n")
	return b.String()
}

// BenchmarkModule10MB reads a module of 10 MB with 2,000 functions, checks every
// one of them, and lifts the one kernel.
func BenchmarkModule10MB(b *testing.B) {
	src := bigFile(10<<20, 2000)
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	m, l := Parse("big.ptx", src)
	if len(l) > 0 {
		b.Fatal(l)
	}
	run("parse", func() { Parse("big.ptx", src) })
	run("check", func() {
		if l := Check(m); len(l) > 0 {
			b.Fatal(l)
		}
	})
	run("both", func() {
		m, _ := Parse("big.ptx", src)
		Check(m)
	})
	run("lift", func() {
		if _, err := Lift(m, "k"); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkCalls measures calls of a function of two instructions: calls that are inlined, calls of
// code of its own, calls through a pointer, and recursive calls.
func BenchmarkCalls(b *testing.B) {
	const funcs = `
.func (.reg .u32 r) leaf(.reg .u32 a) { add.u32 r, a, 3; ret; }
.func (.param .b32 r) leafp(.param .b32 a) { .reg .b32 x; ld.param.b32 x, [a]; add.u32 x, x, 3; st.param.b32 [r], x; ret; }
.func (.reg .u32 r) deep(.reg .u32 n) { .reg .pred p; .reg .u32 m; mov.u32 r, 0; setp.eq.u32 p, n, 0; @p ret; sub.u32 m, n, 1; call (r), deep, (m); add.u32 r, r, n; ret; }
`
	for _, bb := range []struct {
		name, before, call string
		calls              int
	}{
		{"inlined", "", "call (%r9), leaf, (%r9);", 1},
		{"inlined, .param", "", "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r9; call (q), leafp, (p); ld.param.b32 %r9, [q]; }", 1},
		{"through a pointer", "mov.u64 %rd5, leaf;", "call (%r9), %rd5, (%r9), proto;", 1},
		{"through a pointer, .param", "mov.u64 %rd5, leafp;", "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r9; call (q), %rd5, (p), proto; ld.param.b32 %r9, [q]; }", 1},
		{"recursive", "", "call (%r9), deep, (20);", 21},
	} {
		b.Run(bb.name, func(b *testing.B) {
			const rounds = 100
			src := callBody(funcs, "\tproto: .callprototype (.param .b32 _) _ (.param .b32 _);\n\tmov.u32 %r9, %r1;\n\tmov.u32 %r2, 0;\n\t"+bb.before+"\nloop:\n\t"+
				bb.call+fmt.Sprintf("\n\tadd.u32 %%r2, %%r2, 1;\n\tsetp.lt.u32 %%p1, %%r2, %d;\n\t@%%p1 bra loop;", rounds))
			m, errs := Parse("k.ptx", src)
			if errs.Err() != nil {
				b.Fatal(errs)
			}
			k, err := Lift(m, "k")
			if err != nil {
				b.Fatal(err)
			}
			mem := sim.NewMemory()
			prog, err := interp.Engine{}.Compile(k.Func)
			if err != nil {
				b.Fatal(err)
			}
			param := binary.LittleEndian.AppendUint64(nil, mem.Add("out", make([]byte, 128)).Base)
			b.ResetTimer()
			for b.Loop() {
				l := &sim.Launch{Grid: [3]uint32{100, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: mem, Workers: 1, Stack: 1 << 16, Func: k.Func, Program: prog, Param: param}
				if _, _, err := sim.Run(context.Background(), l); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100/rounds/float64(bb.calls), "ns/call")
		})
	}
}
