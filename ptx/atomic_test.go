package ptx

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// half and bhalf encode small integers by hand: they are exact in both formats.
func half(n int) uint32 {
	if n == 0 {
		return 0
	}
	s := uint32(0)
	if n < 0 {
		s, n = 0x8000, -n
	}
	e := 0
	for n>>(e+1) != 0 {
		e++
	}
	return s | uint32(e+15)<<10 | uint32(n)<<10>>e&0x3ff
}

func bhalf(n int) uint32 { return math.Float32bits(float32(n)) >> 16 }

// TestAtomicFloats runs additions, minima and maxima of every small type. Several threads use the
// same place, and neighbouring places.
func TestAtomicFloats(t *testing.T) {
	t.Parallel()
	for _, typ := range []string{"f16", "bf16"} {
		enc := half
		if typ == "bf16" {
			enc = bhalf
		}
		for _, space := range []string{"global", "shared", ""} {
			// Every thread adds its number to halfword tid%2 of one word; 8 threads.
			addr := map[string]string{"global": "mov.u64 %rd5, g;", "shared": "mov.u64 %rd5, s;", "": "cvta.shared.u64 %rd5, s;"}[space]
			dot := map[string]string{"global": ".global", "shared": ".shared", "": ""}[space]
			src := body(".shared .align 8 .b32 s[4]; .global .align 8 .b32 g[4];", fmt.Sprintf(`
	%s
	mov.b32 %%r7, %#x;
	and.b32 %%r2, %%r1, 1;
	mul.wide.u32 %%rd6, %%r2, 2;
	add.s64 %%rd6, %%rd5, %%rd6;
	cvt.rn.%[3]s.u32 %%h1, %%r1;
	atom%[4]s.add.noftz.%[3]s %%h2, [%%rd6], %%h1;
	red%[4]s.add.noftz.%[3]sx2 [%%rd5], %%r7;
	bar.sync 0;
	ld%[4]s.u32 %%r9, [%%rd5];`, addr, enc(1)<<16|enc(2), typ, dot))
			got := launchKernel(t, src, "k", 8, 8, 0)
			// 0+2+4+6 in the low half, 1+3+5+7 in the high one; 8 times 2 and 1.
			want := enc(16+8)<<16 | enc(12+16)
			for i := range got {
				if got[i] != want {
					t.Errorf("%s %q: thread %d sees %#x, want %#x", typ, space, i, got[i], want)
					break
				}
			}
		}
		// Vectors: element i of 8 gets its operation from every thread.
		for _, op := range []struct {
			name string
			want func(i int) int // the result for the values tid+i, tid = 0 … 7, and the initial 3
		}{
			{"add", func(i int) int { return 3 + 28 + 8*i }},
			{"min", func(i int) int { return min(3, i) }},
			{"max", func(i int) int { return max(3, 7+i) }},
		} {
			var conv, regs []string
			init := make([]string, 8)
			for i := range 8 {
				conv = append(conv, fmt.Sprintf("add.u32 %%r2, %%r1, %d;\n\tcvt.rn.%s.u32 %%h%d, %%r2;", i, typ, i))
				regs = append(regs, fmt.Sprintf("%%h%d", i))
				init[i] = fmt.Sprint(enc(3))
			}
			v := strings.Join(regs, ", ")
			src := body(fmt.Sprintf(".global .align 16 .b16 g[8] = {%s};", strings.Join(init, ", ")), strings.Join(conv, "\n\t")+fmt.Sprintf(`
	mov.u64 %%rd5, g;
	atom.global.v8.%[1]s.%[2]s.noftz {%[3]s}, [%%rd5], {%[3]s};
	bar.sync 0;
	and.b32 %%r3, %%r1, 3;
	mul.wide.u32 %%rd6, %%r3, 4;
	add.s64 %%rd6, %%rd5, %%rd6;
	ld.global.u32 %%r9, [%%rd6];`, typ, op.name, v))
			got := launchKernel(t, src, "k", 8, 8, 0)
			for i := range 4 {
				if want := enc(op.want(2*i+1))<<16 | enc(op.want(2*i)); got[i] != want {
					t.Errorf("%s.v8 %s: word %d is %#x, want %#x", typ, op.name, i, got[i], want)
				}
			}
		}
	}
}

// TestAtomicVectorReturns checks that a vector atomic returns the old elements, even into the
// registers that it reads.
func TestAtomicVectorReturns(t *testing.T) {
	t.Parallel()
	src := body(".global .align 16 .f32 g[4] = {1.0, 2.0, 3.0, 4.0};", `
	.reg .f32 %f<9>;
	cvt.rn.f32.u32 %f1, %r1;
	mov.f32 %f2, 0f41200000;
	mov.u64 %rd5, g;
	atom.global.v4.f32.add {%f2, %f1, %f3, _}, [%rd5], {%f1, %f2, %f1, %f1};
	// The old elements 0 and 1, as they were before the thread.
	mad.rn.f32 %f4, %f2, 0f447A0000, %f1;
	cvt.rzi.u32.f32 %r9, %f4;`)
	got := launchKernel(t, strings.Replace(src, "mad.rn.f32", "fma.rn.f32", 1), "k", 8, 8, 0)
	sum := 0
	for i := range got {
		// Element 0 has grown by 0 … i-1, element 1 by 10 for each thread before.
		if want := uint32(1000*(1+sum) + 2 + 10*i); got[i] != want {
			t.Errorf("thread %d: got %d, want %d", i, got[i], want)
		}
		sum += i
	}
}

// TestAtomicSubnormals checks that atom.add.f32 flushes in global memory only, and that f64 and f16
// flush nowhere (PTX 9.7.14.5).
func TestAtomicSubnormals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		decl, addr, instr string
		want              uint32
	}{
		{".global .f32 x = 0f00000003;", "mov.u64 %rd5, x;", "red.global.add.f32 [%rd5], %f1;", 0},
		{".global .f32 x = 0f00000003;", "cvta.global.u64 %rd5, x;", "red.add.f32 [%rd5], %f1;", 0},
		{".global .align 8 .f32 x[2] = {0f00000003, 0f00000003};", "mov.u64 %rd5, x;", "red.global.add.v2.f32 [%rd5], {%f1, %f1};", 0},
		{".shared .f32 x;", "mov.u64 %rd5, x;", "st.shared.u32 [%rd5], 3; red.shared.add.f32 [%rd5], %f1;", 8},
		{".shared .f32 x;", "cvta.shared.u64 %rd5, x;", "st.u32 [%rd5], 3; red.add.f32 [%rd5], %f1;", 8},
		{".global .align 4 .b32 x = 3;", "mov.u64 %rd5, x;", "red.global.add.noftz.f16x2 [%rd5], %r5;", 8},
	} {
		load := "ld.global"
		if strings.Contains(c.decl, "shared") {
			load = "ld.shared"
		}
		if strings.Contains(c.addr, "cvta") {
			load = "ld"
		}
		got := launchKernel(t, body(c.decl, `
	.reg .f32 %f<3>;
	mov.b32 %f1, 5;
	mov.u32 %r5, 5;
	`+c.addr+"\n\t"+c.instr+"\n\t"+load+".u32 %r9, [%rd5];"), "k", 1, 1, 0)
		if got[0] != c.want {
			t.Errorf("%s: got %#x, want %#x", c.instr, got[0], c.want)
		}
	}
}

// TestAtomicWidths checks that a cas of 16 bits leaves the neighbouring halfword alone, and that
// exch and cas of 128 bits move both halves.
func TestAtomicWidths(t *testing.T) {
	t.Parallel()
	got := launchKernel(t, body(".global .align 16 .b16 g[2] = {0x1111, 0x2222};", `
	mov.u64 %rd5, g;
	and.b32 %r2, %r1, 1;
	mul.wide.u32 %rd6, %r2, 2;
	add.s64 %rd6, %rd5, %rd6;
	mov.b16 %h1, 0x2222;
	mov.b16 %h2, 0xabcd;
	atom.global.cas.b16 %h3, [%rd6], %h1, %h2;
	ld.global.u32 %r9, [%rd5];
	cvt.u32.u16 %r3, %h3;
	shl.b32 %r3, %r3, 16;
	xor.b32 %r9, %r9, %r3;`), "k", 2, 2, 0)
	for i, old := range []uint32{0x1111, 0x2222} {
		if want := uint32(0xabcd1111) ^ old<<16; got[i] != want {
			t.Errorf("cas.b16, thread %d: got %#x, want %#x", i, got[i], want)
		}
	}
	for _, space := range []string{"global", "shared"} {
		got = launchKernel(t, body("."+space+" .align 16 .b64 g[2];", strings.ReplaceAll(`
	.reg .b128 %q<5>;
	mov.u64 %rd5, g;
	setp.eq.u32 %p1, %r1, 0;
	mov.b64 %rd7, 100;
	mov.b64 %rd8, 200;
	@%p1 st.SPACE.v2.b64 [%rd5], {%rd7, %rd8};
	mov.b128 %q1, {%rd7, %rd8};
	cvt.u64.u32 %rd7, %r1;
	mov.b128 %q2, {%rd8, %rd7};
	// Threads in order: thread 0 finds {100, 200} and leaves {200, 0}; the others find
	// something else.
	atom.SPACE.cas.b128 %q3, [%rd5], %q1, %q2;
	bar.sync 0;
	mov.b128 {%rd7, %rd8}, %q3;
	add.s64 %rd7, %rd7, %rd8;
	cvt.u32.u64 %r9, %rd7;
	atom.SPACE.exch.b128 %q3, [%rd5], %q2;
	mov.b128 {%rd7, %rd8}, %q3;
	mad.lo.u64 %rd7, %rd8, 1000, %rd7;
	cvt.u32.u64 %r2, %rd7;
	mul.lo.u32 %r2, %r2, 1000;
	add.u32 %r9, %r9, %r2;`, "SPACE", space)), "k", 3, 3, 0)
		// cas sees 300, then 200+0; exch sees {200,0}, {200,0}, {200,1}.
		for i, want := range []uint32{300 + 200_000, 200 + 200_000, 200 + 1_200_000} {
			if got[i] != want {
				t.Errorf("b128 in %s memory, thread %d: got %d, want %d", space, i, got[i], want)
			}
		}
	}
}
