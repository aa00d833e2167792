package ptx

import (
	"strings"
	"testing"
)

// TestMemoryRules checks which vectors, priorities and hints each access may have.
func TestMemoryRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ instr, want string }{
		{"ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, _, %r7, %r8}, [%rd1];", ""},
		{"ld.v8.f32 {%f1, %f2, %f3, %f4, %f5, _, %f7, %f8}, [%rd1];", ""},
		{"ld.global.L1::evict_last.L2::evict_last.v4.u64 {%rd1, %rd2, %rd3, %rd4}, [%rd1];", ""},
		{"st.global.L2::evict_last.v8.f32 [%rd1], {%f1, _, %f3, %f4, %f5, %f6, %f7, %f8};", ""},
		{"st.global.v4.b64 [%rd1], {%rd1, _, %rd3, %rd4};", ""},
		{"st.global.v4.b32 [%rd1], {%r1, _, %r3, %r4};", "operand b of st.global.v4.b32 is _"},
		{"ld.shared.v8.b32 {%r1, %r2, %r3, %r4, %r5, _, %r7, %r8}, [%r1];", "accesses 256 bits, more than the 128"},
		{"ld.global.v8.b16 {%h1, %h2, %h3, %h4, %h1, %h2, %h3, %h4}, [%rd1];", ""},
		{"ld.global.v2.b128 {%q1, %q2}, [%rd1];", "accesses 256 bits"},
		{"ld.global.v8.b64 {%rd1, %rd2, %rd3, %rd4, %rd1, %rd2, %rd3, %rd4}, [%rd1];", "accesses 512 bits"},
		{"ld.global.L2::evict_last.b32 %r1, [%rd1];", "goes with accesses of 256 bits only"},
		{"ld.global.cg.L1::evict_last.b32 %r1, [%rd1];", "exclude each other"},
		{"ld.shared.L2::64B.b32 %r1, [%r1];", "goes with global memory only"},
		{"st.local.L2::cache_hint.b32 [%r1], %r1, %rd2;", "goes with global memory only"},
		{"ld.global.b32 %r1, [%rd1], %rd2;", "want 2: a cache policy goes with .L2::cache_hint"},
		{"ld.global.mmio.acquire.sys.u32 %r1, [%rd1];", ""},
		{"ld.volatile.local.u32 %r1, [%r1];", ""},
		{"ldu.global.b128 %q1, [%rd1];", ""},
		{"ld.global.f32 %f1, [%rd1].unified;", ""},
		{"mov.b128 %q1, {%r1, %r2, %r3, %r4};", ""},
		{"mov.b128 {%r1, _, %r3, %r4}, %q1;", ""},
		{"mov.b16 %h1, {%b1, %b2};", ""},
		{"mov.b32 {%b1, _, %b2, _}, %r1;", ""},
		{"mov.b64 {_, _}, %rd1;", "want at least one register"},
		{"atom.global.exch.sys.b128 %q1, [%rd1], %q2;", ""},
		{"mbarrier.init.layout::v1.shared.b64 [%r1], 1;", "not supported"},
		{"mbarrier.arrive.shared::cluster.b64 %rd1, [%r1];", "returns no state from .shared::cluster"},
		{"mbarrier.arrive.release.shared.b64 %rd1, [%r1];", "not a form of mbarrier"},
		{"cp.async.cg.shared.global [%r1], [%rd1], 8;", "want 4, 8 or 16"},
		{"cp.async.ca.shared.global [%r1], [%rd1], 8, 9;", "more than the size"},
		{"cp.async.ca.shared.global [%r1], [%rd1], 8, %p1;", ""},
		{"cp.async.ca.shared.global.L2::cache_hint [%r1], [%rd1], 8, %r2, %rd2;", ""},
		{"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 24;", "want a multiple of 16"},
		{"st.bulk.shared::cta [%r1], 12, 0;", "want a multiple of 8"},
		{"st.bulk.shared::cta [%r1], 16, 1;", "want 0"},
		{"discard.global.L2 [%rd1], 64;", "want 128"},
		{"setmaxnreg.inc.sync.aligned.u32 25;", "want a multiple of 8 from 24 to 256"},
		{"mapa.u32 %r1, sh, 0;", "a .u32 register"},
		{"mapa.shared::cluster.u32 %r1, gl, 0;", "a .u32 register, or with .shared::cluster a .shared variable"},
		{"st.async.mmio.release.gpu.u32 [%rd1], %r1;", "not a form of st"},
		{"red.async.relaxed.cluster.min.u64 [%rd1], %rd2, [%rd3];", "not a form of red"},
	} {
		src := ".version 9.3\n.target sm_100a\n.address_size 64\n.shared .b32 sh; .global .b32 gl;\n.entry k() {\n" +
			".reg .b8 %b<4>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .b128 %q<4>; .reg .pred %p<4>;\n" + c.instr + "\nret;\n}\n"
		m, errs := Parse("k.ptx", src)
		err := errs.Err()
		if err == nil {
			_, err = Lift(m, "k")
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.instr, err, c.want)
		}
	}
}

// TestWideMoves packs .b128 registers from 2 and 4 parts and unpacks them, and loads and stores 256
// bits with some parts left out.
func TestWideMoves(t *testing.T) {
	t.Parallel()
	got := launchKernel(t, strings.Replace(body(".global .align 32 .b32 g[8] = {1, 2, 3, 4, 5, 6, 7, 8};", `
	.reg .b128 %q<4>;
	.reg .b8 %b<5>;
	mov.u32 %r2, 0x11; mov.u32 %r3, 0x22; mov.u32 %r4, 0x33;
	mov.b128 %q1, {%r1, %r2, %r3, %r4};
	mov.b128 %q2, %q1;
	mov.b128 {%rd5, %rd6}, %q2;         // {r1 | 0x11<<32, 0x22 | 0x33<<32}
	mov.b64 {%r5, %r6}, %rd6;
	mov.b128 {%r7, _, _, %r8}, %q2;
	shl.b32 %r6, %r6, 8;
	or.b32 %r9, %r5, %r6;               // 0x3322
	shl.b32 %r8, %r8, 16;
	or.b32 %r9, %r9, %r8;               // 0x333322
	add.u32 %r9, %r9, %r7;
	mov.b32 {%b1, %b2, _, _}, %r9;
	mov.b16 %h1, {%b2, %b1};
	cvt.u32.u16 %r5, %h1;               // 0x2233 and r1
	add.u32 %r9, %r9, %r5;
	setp.eq.u32 %p1, %r1, 0;
	mov.u64 %rd7, g;
	@%p1 st.global.v8.u32 [%rd7], {%r3, _, %r3, _, %r4, _, _, %r4};
	bar.sync 0;
	ld.global.v4.u64 {%rd5, _, _, %rd6}, [%rd7];
	mov.b64 {%r5, %r6}, %rd5;           // 0x22, 2
	mov.b64 {%r7, %r8}, %rd6;           // 7, 0x33
	mul.lo.u32 %r5, %r5, %r8;
	mul.lo.u32 %r6, %r6, %r7;
	mad.lo.u32 %r9, %r5, 0x1000000, %r9;
	add.u32 %r9, %r9, %r6;`), head, ".version 9.3\n.target sm_100a\n.address_size 64\n", 1), "k", 4, 4, 0)
	for i := range got {
		a := uint32(0x333322 + i)
		want := a + (a&0xff<<8 | a>>8&0xff) + uint32(0x22*0x33&0xff)<<24 + 2*7
		if got[i] != want {
			t.Errorf("thread %d: got %#x, want %#x", i, got[i], want)
		}
	}
}
