package ptx

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/sim"
)

// launchKernel runs a kernel whose first parameter is a buffer of words, with the
// module's variables in place, and returns the words.
func launchKernel(t *testing.T, src, kernel string, words, lanes int, params ...uint64) []uint32 {
	t.Helper()
	m, errs := Parse("k.ptx", src)
	if errs.Err() != nil {
		t.Fatal(errs)
	}
	k, err := Lift(m, kernel)
	if err != nil {
		t.Fatal(err)
	}
	mem := sim.NewMemory()
	if m.AddressSize == 32 {
		mem = sim.NewMemory32()
	}
	data := func(n uint64) []byte { return make([]byte, n+8)[:n] }
	out := data(uint64(4 * words))
	buf := mem.Add("out", out)
	l := &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{uint32(lanes), 1, 1}, Memory: mem, Workers: 1, Dynamic: 256, Stack: 1 << 16, Heap: 1 << 20, Limits: sim.Limits{Timeout: 5 * time.Second}}
	var allocs []*sim.Alloc
	for _, g := range k.Globals {
		d := data(g.Size)
		copy(d, g.Data)
		a := mem.Add
		if g.ReadOnly {
			a = mem.AddConstant
		}
		allocs = append(allocs, a(g.Name, d))
		l.Values = append(l.Values, allocs[len(allocs)-1].Base)
	}
	for i, g := range k.Globals {
		for _, r := range g.Relocs {
			binary.LittleEndian.PutUint64(allocs[i].Data[r.Offset:], allocs[r.Target].Base+uint64(r.Addend))
		}
	}
	layout, size := k.Entry.ParamLayout()
	l.Param = make([]byte, size+8)[:size]
	put := func(i int, v uint64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v)
		copy(l.Param[layout[i].Offset:][:layout[i].Size], b[:])
	}
	put(0, buf.Base)
	for i, v := range params {
		put(i+1, v)
	}
	l.Func = k.Func
	recordRun(t, k)
	if l.Program, err = (interp.Engine{}).Compile(k.Func); err != nil {
		t.Fatal(err)
	}
	_, found, err := sim.Run(context.Background(), l)
	found = slices.DeleteFunc(found, func(d *diag.Diagnostic) bool { return d.Code == sim.CodeNeedsCluster }) // the block works on its own memory
	if err != nil || len(found) > 0 {
		t.Fatalf("%v\n%v\n%s", err, found, k.Func.Print())
	}
	res := make([]uint32, words)
	for i := range res {
		res[i] = binary.LittleEndian.Uint32(out[4*i:])
	}
	return res
}

const head = ".version 8.5\n.target sm_90\n.address_size 64\n"

// body is a kernel that stores %r9 of each thread at out[tid].
func body(decls, code string) string {
	return head + decls + `
.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .pred %p<9>;
	.reg .b32 %r<20>;
	.reg .b64 %rd<20>;
	.reg .b16 %h<9>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd1, %rd1, %rd2;
` + code + `
	st.global.u32 [%rd1], %r9;
	ret;
}
`
}

// TestKernels runs whole kernels: memory, calls, control flow, variables.
func TestKernels(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, src string
		want      func(tid uint32) uint32
	}{
		{"call in .param space", body(`
.func (.param .b32 res) square_plus(.param .b32 x, .param .b64 y)
{
	.reg .b32 %r<5>;
	.reg .b64 %rd<3>;
	ld.param.b32 %r1, [x];
	ld.param.b64 %rd1, [y];
	cvt.u32.u64 %r2, %rd1;
	mad.lo.u32 %r3, %r1, %r1, %r2;
	st.param.b32 [res], %r3;
	ret;
}`, `
	{
		.param .b32 p0;
		.param .b64 p1;
		.param .b32 r0;
		st.param.b32 [p0], %r1;
		st.param.b64 [p1], 1000;
		call.uni (r0), square_plus, (p0, p1);
		ld.param.b32 %r9, [r0];
	}`), func(x uint32) uint32 { return x*x + 1000 }},
		{"call in registers, nested, guarded, early return", body(`
.func (.reg .u32 r) inner(.reg .u32 a, .reg .u32 b)
{
	.reg .pred p;
	mov.u32 r, 5;
	setp.lt.u32 p, a, 7;
	@p ret;
	add.u32 r, a, b;
	ret;
}
.func (.reg .u32 r) outer(.reg .u32 a)
{
	.reg .u32 t;
	call (t), inner, (a, 100);
	call (r), inner, (t, t);
	ret;
}`, `
	mov.u32 %r9, 77;
	setp.ne.u32 %p1, %r1, 3;
	@%p1 call (%r9), outer, (%r1);`), func(x uint32) uint32 {
			inner := func(a, b uint32) uint32 {
				if a < 7 {
					return 5
				}
				return a + b
			}
			if x == 3 {
				return 77
			}
			t := inner(x, 100)
			return inner(t, t)
		}},
		{"loop with divergent trip counts", body("", `
	mov.u32 %r9, 0;
	mov.u32 %r2, %r1;
loop:
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra.uni done;
	add.u32 %r9, %r9, %r2;
	sub.u32 %r2, %r2, 1;
	bra loop;
done:`), func(x uint32) uint32 { return x * (x + 1) / 2 }},
		{"brx.idx", body("", `
	and.b32 %r2, %r1, 3;
	mov.u32 %r9, 1;
	setp.lt.u32 %p1, %r1, 20;
ts:	.branchtargets a, b, c, d;
	@%p1 brx.idx %r2, ts;
	mov.u32 %r9, 99;
	bra d;
a:	add.u32 %r9, %r9, 10;
b:	add.u32 %r9, %r9, 100;
c:	add.u32 %r9, %r9, 1000;
d:`), func(x uint32) uint32 {
			if x >= 20 {
				return 99
			}
			return []uint32{1111, 1101, 1001, 1}[x&3]
		}},
		{"shared memory, static and dynamic, and a barrier", body(`
.shared .align 4 .b8 pad[12];
.shared .align 16 .u32 tile[64];
.extern .shared .align 8 .b32 dyn[];`, `
	mov.u64 %rd3, tile;
	mul.wide.u32 %rd4, %r1, 4;
	add.u64 %rd3, %rd3, %rd4;
	st.shared.u32 [%rd3], %r1;
	st.shared.u8 [pad+11], 255;
	mov.u32 %r3, dyn;
	shl.b32 %r4, %r1, 2;
	add.u32 %r3, %r3, %r4;
	st.shared.u32 [%r3], 3;
	bar.sync 0;
	xor.b32 %r5, %r1, 31;
	mul.wide.u32 %rd4, %r5, 4;
	mov.u64 %rd3, tile;
	cvta.shared.u64 %rd5, %rd3;
	add.u64 %rd5, %rd5, %rd4;
	ld.u32 %r9, [%rd5];
	ld.shared.u32 %r6, [%r3];
	add.u32 %r9, %r9, %r6;
	isspacep.shared %p1, %rd5;
	isspacep.global %p2, %rd5;
	selp.u32 %r7, 100, 0, %p1;
	selp.u32 %r8, 1000, 0, %p2;
	add.u32 %r9, %r9, %r7;
	add.u32 %r9, %r9, %r8;`), func(x uint32) uint32 { return (x ^ 31) + 3 + 100 }},
		{"local memory and vectors", body("", `
	.local .align 16 .v4 .u32 loc[2];
	mov.u32 %r2, 11;
	st.local.v4.u32 [loc+16], {%r1, %r2, 33, %r1};
	mov.u64 %rd3, loc;
	cvta.local.u64 %rd4, %rd3;
	ld.v2.u32 {%r3, %r4}, [%rd4+24];
	ld.local.u32 %r5, [loc+20];
	add.u32 %r9, %r3, %r4;
	add.u32 %r9, %r9, %r5;
	st.local.u32 [loc], -1;
	ld.local.s8 %r6, [loc+1];
	add.u32 %r9, %r9, %r6;
	ld.local.v2.u64 {%rd3, %rd5}, [%rd3+16];
	cvt.u32.u64 %r7, %rd3;
	add.u32 %r9, %r9, %r7;`), func(x uint32) uint32 { return 33 + x + 11 - 1 + x }},
		{"constants, globals and initialisers", body(`
.const .align 4 .u32 table[4] = {10, 20, 30};
.global .align 4 .u16 cells[4] = {0x1111, 0x2222, 0x3333, -1};
.global .align 8 .u64 pointers[2] = {cells+4, generic(cells)};
.global .align 4 .f32 f = 2.5;
.global .align 1 .b8 grid[2][3] = {{1, 2}, {4, 5, 6}};`, `
	and.b32 %r2, %r1, 3;
	mul.wide.u32 %rd3, %r2, 4;
	mov.u64 %rd4, table;
	add.u64 %rd4, %rd4, %rd3;
	ld.const.u32 %r9, [%rd4];
	ld.global.u64 %rd5, [pointers];
	ld.global.u16 %h1, [%rd5];
	cvt.u32.u16 %r3, %h1;
	add.u32 %r9, %r9, %r3;
	ld.global.u64 %rd6, [pointers+8];
	ld.u16 %r4, [%rd6+2];
	add.u32 %r9, %r9, %r4;
	ld.global.s16 %r5, [cells+6];
	add.u32 %r9, %r9, %r5;
	ld.global.b32 %r6, [f];
	add.u32 %r9, %r9, %r6;
	ld.global.u8 %r7, [grid+3];
	add.u32 %r9, %r9, %r7;
	ld.global.u8 %r8, [grid+2];
	add.u32 %r9, %r9, %r8;`), func(x uint32) uint32 {
			return []uint32{10, 20, 30, 0}[x&3] + 0x3333 + 0x2222 - 1 + 0x40200000 + 4
		}},
		{"atomics", body(".shared .u32 s; .global .u32 g = 5;", `
	setp.eq.u32 %p1, %r1, 0;
	@%p1 st.shared.u32 [s], 0;
	bar.sync 0;
	atom.shared.add.u32 %r2, [s], 2;
	bar.sync 0;
	ld.shared.u32 %r9, [s];
	red.global.max.u32 [g], %r1;
	atom.global.cas.b32 %r3, [g+0], 999, 1;
	bar.sync 0;
	ld.global.u32 %r4, [g];
	mad.lo.u32 %r9, %r4, 1000, %r9;
	setp.ge.u32 %p2, %r2, 64;
	@%p2 trap;`), func(x uint32) uint32 { return 31*1000 + 64 }},
		{"scopes that shadow", body("", `
	mov.u32 %r9, 1;
	{
		.reg .u32 %r9, t;
		mov.u32 %r9, 50;
		mov.u32 t, %r9;
		{ .reg .u32 t; mov.u32 t, 3; }
		mov.u32 %r2, t;
	}
	add.u32 %r9, %r9, %r2;`), func(x uint32) uint32 { return 51 }},
		{"rendezvous with a negated predicate and a special register", body("", `
	setp.lt.u32 %p1, %r1, 4;
	vote.sync.ballot.b32 %r9, !%p1, -1;
	mov.u32 %r10, %laneid;
	match.any.sync.b32 %r2, %r10, -1;
	add.u32 %r9, %r9, %r2;
	shfl.sync.idx.b32 %r3|%p2, %r10, 5, 31, -1;
	add.u32 %r9, %r9, %r3;
	bar.red.popc.u32 %r4, 0, !%p1;
	add.u32 %r9, %r9, %r4;`), func(x uint32) uint32 { return 0xfffffff0 + 1<<x + 5 + 28 }},
		{"parameters by name, element and offset", body("", `
	ld.param.u32 %r9, [n];
	ld.param.u8 %r2, [n+1];
	add.u32 %r9, %r9, %r2;
	mov.b64 %rd5, n;
	ld.param.u16 %r3, [%rd5];
	add.u32 %r9, %r9, %r3;`), func(x uint32) uint32 { return 0x01020304 + 3 + 0x0304 }},
		{"a guard that is written", body("", `
	setp.lt.u32 %p1, %r1, 16;
	mov.pred %p2, %p1;
	mov.pred %p3, 0;
	@%p1 setp.ge.u32 %p1|%p3, %r1, 8;
	@%p2 setp.lt.u32 %p4|%p2, %r1, 4;
	selp.u32 %r9, 1, 0, %p1;
	selp.u32 %r2, 2, 0, %p3;
	selp.u32 %r3, 4, 0, %p2;
	add.u32 %r9, %r9, %r2;
	add.u32 %r9, %r9, %r3;
	@%p1 ld.param.u32 %r9, [n];`), func(x uint32) uint32 {
			switch {
			case x >= 16:
				return 0
			case x >= 8:
				return 0x01020304
			case x >= 4:
				return 2 + 4
			}
			return 2
		}},
		{"copies from global to shared memory", body(".global .align 16 .b32 src[4] = {0x11223344, 2, 3, 4}; .shared .align 16 .b8 dst[64];", `
	cp.async.cg.shared.global [dst], [src], 16;
	cp.async.ca.shared.global [dst+16], [src], 4;
	cp.async.ca.shared.global [dst+24], [src], 8, 3;
	@!%p8 cp.async.ca.shared.global [dst+32], [src+4], 4, %r2;
	cp.async.commit_group;
	cp.async.wait_group 0;
	cp.async.wait_all;
	ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [dst];
	add.u32 %r9, %r3, %r4;
	add.u32 %r9, %r9, %r5;
	ld.shared.v2.u32 {%r3, %r4}, [dst+24];
	add.u32 %r9, %r9, %r3;
	add.u32 %r9, %r9, %r4;
	ld.shared.u32 %r3, [dst+32];
	add.u32 %r9, %r9, %r3;`), func(x uint32) uint32 { return 2 + 3 + 4 + 0x00223344 }},
		{"elements of arrays", body(".global .u32 a[4] = {10, 20, 30, 40}; .shared .align 8 .v2 .u32 b[3];", `
	and.b32 %r2, %r1, 1;
	ld.global.u32 %r9, a[3];
	st.shared.v2.u32 b[2], {%r1, 5};
	ld.shared.u32 %r3, [b+20];
	mov.u64 %rd3, a[1];
	ld.global.u32 %r4, [%rd3+4];
	add.u32 %r9, %r9, %r3;
	ld.global.u32 %r5, a[%r2];
	add.u32 %r9, %r9, %r4;
	add.u32 %r9, %r9, %r5;`), func(x uint32) uint32 { return 40 + 5 + 30 + 10 + x%2*10 }},
		{"operands of waiting lanes outlive other instructions", body("", `
	setp.lt.u32 %p1, %r1, 16;
	and.b32 %r2, %r1, 1;
	setp.eq.u32 %p2, %r2, 0;
	@%p1 bra other;
	vote.sync.ballot.b32 %r9, !%p2, -1;
	bra done;
other:
	setp.lt.and.u32 %p3|%p4, %r1, 8, %p2;
	not.pred %p5, %p2;
	vote.sync.ballot.b32 %r9, %p5, -1;
done:`), func(uint32) uint32 { return 0xaaaaaaaa }},
		{"private memory of a call that has ended", body(`
.func (.reg .u32 r) f(.reg .u32 x)
{
	.local .u32 big[100];
	st.local.u32 [big+396], x;
	ld.local.u32 r, [big+396];
	ret;
}`, `
	call (%r2), f, (%r1);
	{
		.local .u32 small;
		st.local.u32 [small], %r2;
		ld.local.u32 %r9, [small];
	}`), func(x uint32) uint32 { return x }},
		{"hints and fences", body("", `
	membar.gl;
	nanosleep.u32 100;
	prefetch.global.L2 [%rd1];
	fence.acq_rel.cta;
	pmevent 3;
	bar.warp.sync -1;
	mov.u32 %r9, %r1;`), func(x uint32) uint32 { return x }},
		{"vector registers and .b128", body("", `
	.reg .v2 .u32 V;
	.reg .b128 W;
	mov.u32 V.x, %r1;
	mov.u32 V.y, 7;
	mov.b64 %rd3, {V.x, V.y};
	mov.b128 W, {%rd3, %rd3};
	mov.b128 {%rd4, %rd5}, W;
	shr.u64 %rd5, %rd5, 32;
	cvt.u32.u64 %r2, %rd5;
	cvt.u32.u64 %r3, %rd4;
	add.u32 %r9, %r2, %r3;`), func(x uint32) uint32 { return x + 7 }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for i, got := range launchKernel(t, tt.src, "k", 32, 32, 0x01020304) {
				if want := tt.want(uint32(i)); got != want {
					t.Fatalf("thread %d: got %#x, want %#x", i, got, want)
				}
			}
		})
	}
}

// TestLiftRefuses checks that the message names the instruction that cannot be lifted, and that
// only the code that the kernel uses counts.
func TestLiftRefuses(t *testing.T) {
	t.Parallel()
	src := head + `
.extern .func ext();
.func loop1();
.func loop2() { call loop1; ret; }
.func loop1() { call loop2; ret; }
.entry a() { call loop1; ret; }
.entry b() { call ext; ret; }
.entry c() { .reg .b32 %r<2>; .reg .b64 %d; tex.2dms.v4.s32.s32 {%r1, _, _, _}, [%d, {%r1, %r1, %r1, %r1}]; ret; }
.entry good() { ret; }
` + deepCalls(40)
	m, errs := Parse("k.ptx", src)
	if errs.Err() != nil {
		t.Fatal(errs)
	}
	for name, want := range map[string]string{
		"a": "", "b": "declares and does not define", "c": "tex.2dms.v4.s32.s32", "good": "", "god": `did you mean "good"`, "loop1": "no kernel", "zdeep": "",
	} {
		_, err := Lift(m, name)
		text := ""
		if l := diag.Of(err); len(l) > 0 {
			text = l.Error() + l[0].Remedy
			if c := l[0].Class; name < "d" && c != diag.Unsupported {
				t.Errorf("%s: class %v", name, c)
			}
		}
		if (want == "") != (text == "") || !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q", name, text, want)
		}
	}
}

// deepCalls is a kernel zdeep whose calls make 2^n activations.
func deepCalls(n int) string {
	s := ".func z0() { ret; }\n"
	for i := 1; i <= n; i++ {
		s += fmt.Sprintf(".func z%d() { call z%d; call z%d; ret; }\n", i, i-1, i-1)
	}
	return s + fmt.Sprintf(".entry zdeep() { call z%d; ret; }\n", n)
}
