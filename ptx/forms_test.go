package ptx

import (
	"strings"
	"testing"
)

// TestInstructionForms parses and prints one instruction of each shape in the ISA's syntax lines.
// The text after -> is the print, if it differs.
func TestInstructionForms(t *testing.T) {
	t.Parallel()
	for _, form := range []string{
		"ret", "exit", "trap", "bar.sync 0", "bar.red.popc.u32 %r1, 0, !%p1", "barrier.cta.sync %r1, 64",
		"mov.u32 %r1, %clock", "mov.b64 {%r1, _}, %rd1", "mov.u32 %r1, -5", "mov.u32 %r1, +5 -> mov.u32 %r1, 5", "mov.u32 %r1, 0xffffffff -> mov.u32 %r1, 4294967295",
		"mov.u64 %rd1, 0xffffffffffffffff", "mov.u64 %rd1, 5U", "mov.f64 %rd1, 1.0 -> mov.f64 %rd1, 0d3FF0000000000000", "mov.f32 %f1, 0F7f800000 -> mov.f32 %f1, 0f7F800000",
		"mov.u64 %rd1, g", "mov.u64 %rd1, g+4", "mov.u64 %rd1, g+0", "mov.u64 %rd1, g+-4", "mov.u32 %r1, g[1]", "mov.u64 %rd1, k", "mov.pred %p1, 1",
		"shfl.sync.idx.b32 %r1, %r2, WARP_SZ, 31, -1", "shfl.sync.idx.b32 %r1|%p1, %r2, WARP_SZ - 1, 0x1f, -1 -> shfl.sync.idx.b32 %r1|%p1, %r2, 31, 31, -1",
		"elect.sync _|%p1, -1", "match.all.sync.b32 %r1|%p1, %r2, -1", "setp.lt.or.f32 %p1|%p2, %f1, %f2, !%p3", "vote.sync.ballot.b32 %r1, !%p1, -1",
		"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [g, {%f1, %f2}]", "tex.level.a2d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [g, g, {%r1, %f1, %f2, %f2}], %f3",
		"tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [g, {%f1, %f2}]", "sured.b.add.2d.u32.trap [g, {%r1, %r2}], %r3", "txq.width.b32 %r1, [g]",
		"ld.global.b32 %r1, [16]", "ld.global.b32 %r1, [%rd1+0] -> ld.global.b32 %r1, [%rd1]", "ld.b32 %r1, [%rd1+4*4-1] -> ld.b32 %r1, [%rd1+15]", "ld.b32 %r1, [g+-(2-6)] -> ld.b32 %r1, [g+4]",
		"ld.b32 %r1, g[%r2]", "ld.b32 %r1, g[%r2+-1]", "ld.volatile.shared::cta.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1]", "ld.b32 %r1, [-4]",
		"atom.global.cas.b32 %r1, [%rd1+4], %r2, 0", "red.async.relaxed.cluster.global.mbarrier::complete_tx::bytes.shared::cluster.inc.u32 [%r1], %r2, [%r3]",
		"createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd1, 0d3FF0000000000000", "prefetch.tensormap [a]", "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128",
		"mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2, 0x989680 -> mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2, 10000000",
		"cp.async.ca.shared.global [%r1+16], [%rd1], 16, %r2", "cp.async.bulk.commit_group", "setmaxnreg.inc.sync.aligned.u32 232", "griddepcontrol.wait",
		"cp.async.bulk.tensor.3d.im2col.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1, {%r1, %r2, %r3}], [%r2], {%r4}, %r5",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, -1, 0, 1", "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, {%r3, %r4, %r5, %r6}, %p1",
		"tcgen05.ld.sync.aligned.16x64b.x1.b32 {%r1}, [%r2]", "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2}, {%r1}, {%r2}, {%f1, %f2}, %r3, 0x0 -> mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2}, {%r1}, {%r2}, {%f1, %f2}, %r3, 0",
		"vadd4.u32.u32.u32.sat %r1, %r2.b7654, %r3.b3210, %r4", "vmad.s32.s32.u32 %r1, %r2.h1, -%r3, %r4", "prmt.b32.f4e %r1, %r2, %r3, 2", "lop3.b32 %r1, %r2, %r3, %r4, 0x80 -> lop3.b32 %r1, %r2, %r3, %r4, 128",
		"@%p1 bra.uni L", "@!%p1 bra L", "brx.idx %r1, T", "call F", "call.uni F, (%r1, 5)", "call (%r1), F, (%r2)", "call (_), F, (%r2)", "call (%r1), %rd1, (%r2), P", "call (%r1, %r2), F, ()",
		"pmevent.mask 0x8001 -> pmevent.mask 32769", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2}", "multimem.ld_reduce.global.add.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1]",
	} {
		src, want, ok := strings.Cut(form, " -> ")
		if !ok {
			want = src
		}
		_, f, l := parseSnippet("t", "L: T: P: {"+src+";}", func(o *Operand, _ *Instr) Decl {
			switch o.Name {
			case "g", "a":
				return &Var{Name: o.Name, Space: SpaceGlobal, Type: U32}
			case "F", "k":
				return &Func{Name: o.Name}
			}
			return &Reg{Name: o.Name, Decl: &Var{}}
		})
		if len(l) > 0 {
			t.Errorf("%s: %s", src, l.Error())
			continue
		}
		in := instrs(&f.Body().Block)
		if got := in[0].String(); len(in) != 1 || got != want {
			t.Errorf("%s: printed %q, want %q", src, got, want)
		}
		if name := strings.Join(in[0].Parts, "."); name != in[0].Op {
			t.Errorf("%s: parts %q", src, in[0].Parts)
		}
	}
}

// TestDeclarationForms parses and prints declarations of each shape.
func TestDeclarationForms(t *testing.T) {
	t.Parallel()
	for _, form := range []string{
		".global .u32 x;", ".visible .global .align 16 .v4 .f32 x[4];", ".const .b8 x[3] = {1, 2, 3};", ".extern .shared .align 16 .b8 x[];",
		".global .b8 x[] = {0x41, 0102, 'A'};", ".weak .const .f64 x = 0d3FF0000000000000;", ".global .b64 x = (.s64)0x8000000000000000;", ".global .attribute(.managed) .u32 x;",
		".global .attribute(.unified(0x13, 0x5f)) .f32 x;", ".func f;", ".func f();", ".extern .func (.param .b32 _) f(.param .b64 _, .param .align 8 .b8 _[16]);", ".func (.reg .b32 r) f(.reg .pred p);",
		".entry e(.param .u64 .ptr.global.align 16 p) { }", ".entry e(.param .u64 .ptr .const p, .param .texref t) .maxntid 1, 2, 3 .pragma \"a\", \"b\"; { }",
		".pragma \"nounroll\";", ".file 1 \"a.cu\", 5, 6", ".section .debug_x { .b8 1 }", ".reg .b32 x<3>;", "x;", ".u32 x;", ".global .u32;", ".global .u32 x", ".func (.param .b32 r f;", ".global .u32 x = ;", ".global .u32 x = {1, 2;",
	} {
		m, l := Parse("t", ".version 8.0\n.target sm_90\n.address_size 64\n"+form)
		reject := map[string]bool{
			".global .b8 x[] = {0x41, 0102, 'A'};": true, ".reg .b32 x<3>;": true, "x;": true, ".u32 x;": true, ".global .u32;": true,
			".global .u32 x": true, ".func (.param .b32 r f;": true, ".global .u32 x = ;": true, ".global .u32 x = {1, 2;": true,
		}[form]
		if (len(l) > 0) != reject {
			t.Errorf("%s: %v", form, l)
		}
		if reject {
			continue
		}
		text := printed(t, m)
		again, l := Parse("printed", text)
		if len(l) > 0 || printed(t, again) != text {
			t.Errorf("%s: printed %s: %v", form, text, l)
		}
	}
}
