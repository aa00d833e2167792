package ptx

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/diag"
)

// TestOldForms checks that instructions of PTX 1.0 to 1.3 without modifiers act as the default
// forms in the manual (PTX 9.7.3.7 to 9.7.3.21).
func TestOldForms(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 3))
	for old, now := range map[string]string{
		"div.f32": "div.approx.ftz.f32", "div.f64": "div.rn.f64", "rcp.f32": "rcp.approx.ftz.f32", "rcp.f64": "rcp.rn.f64",
		"sqrt.f32": "sqrt.approx.ftz.f32", "sqrt.f64": "sqrt.rn.f64", "rsqrt.f32": "rsqrt.approx.ftz.f32", "rsqrt.f64": "rsqrt.approx.f64",
		"sin.f32": "sin.approx.ftz.f32", "cos.f32": "cos.approx.ftz.f32", "lg2.f32": "lg2.approx.ftz.f32", "ex2.f32": "ex2.approx.ftz.f32",
		"mad.f64": "mad.rn.f64",
	} {
		args := "a"
		switch old[:3] {
		case "div":
			args = "a, b"
		case "mad":
			args = "a, b, c"
		}
		typ := F32
		if strings.HasSuffix(old, "64") {
			typ = F64
		}
		set := map[string][]uint64{}
		for _, n := range []string{"a", "b", "c"} {
			for range 32 {
				set[n] = append(set[n], pickOperand(r, typ))
			}
		}
		out := runTry(t, fmt.Sprintf("%s d, %s; %s e, %s", old, args, now, args), set)
		for i := range 32 {
			if out["d"][i] != out["e"][i] {
				t.Errorf("%s and %s of %#x: %#x and %#x", old, now, set["a"][i], out["d"][i], out["e"][i])
			}
		}
	}
}

// TestApproximateForms runs every approximate instruction on moderate operands and checks the
// manual's bound against Go's functions. The tests of package num cover the functions themselves,
// on all operands.
func TestApproximateForms(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 4))
	rcp := func(a, _ float64) float64 { return 1 / a }
	rsqrt := func(a, _ float64) float64 { return 1 / math.Sqrt(a) }
	div := func(a, b float64) float64 { return a / b }
	one := func(f func(float64) float64) func(a, _ float64) float64 {
		return func(a, _ float64) float64 { return f(a) }
	}
	const ulp = 0x1p-23
	for _, c := range []struct {
		op            string
		f             func(a, b float64) float64
		abs, relative float64
	}{
		{"div.approx.f32 d, a, b", div, 0, 2 * ulp}, {"div.approx.ftz.f32 d, a, b", div, 0, 2 * ulp}, {"div.full.f32 d, a, b", div, 0, 2 * ulp}, {"div.full.ftz.f32 d, a, b", div, 0, 2 * ulp},
		{"rcp.approx.f32 d, a", rcp, 0, ulp}, {"sqrt.approx.f32 d, a", one(math.Sqrt), 0, 0x1p-23}, {"sqrt.approx.ftz.f32 d, a", one(math.Sqrt), 0, 0x1p-23},
		{"rsqrt.approx.f32 d, a", rsqrt, 0, 0x1.13p-23}, {"sin.approx.f32 d, a", one(math.Sin), 0x1.6ap-21, 0}, {"cos.approx.f32 d, a", one(math.Cos), 0x1.6ap-21, 0},
		{"lg2.approx.f32 d, a", one(math.Log2), 0x1p-22, 0x1p-22}, {"ex2.approx.f32 d, a", one(math.Exp2), 0, 2.5 * ulp}, {"tanh.approx.f32 d, a", one(math.Tanh), 0, 0x1p-11},
		{"tanh.approx.f16 d, a", one(math.Tanh), 0x1.03p-11, 0}, {"tanh.approx.f16x2 d, a", one(math.Tanh), 0x1.03p-11, 0}, {"tanh.approx.bf16 d, a", one(math.Tanh), 0x1p-8, 0}, {"tanh.approx.bf16x2 d, a", one(math.Tanh), 0x1p-8, 0},
		{"ex2.approx.f16 d, a", one(math.Exp2), 0, 0x1.13p-10}, {"ex2.approx.f16x2 d, a", one(math.Exp2), 0, 0x1.13p-10}, {"ex2.approx.ftz.bf16 d, a", one(math.Exp2), 0, 0x1p-7}, {"ex2.approx.ftz.bf16x2 d, a", one(math.Exp2), 0, 0x1p-7},
		// The manual states no bound for these. The expected one follows from the operand and the
		// result, which both have 20 bits of significand.
		{"rcp.approx.ftz.f64 d, a", rcp, 0, 0x1p-19}, {"rsqrt.approx.ftz.f64 d, a", rsqrt, 0, 0x1p-19}, {"rsqrt.approx.f64 d, a", rsqrt, 0, 0x1p-50},
	} {
		op, _, _ := strings.Cut(c.op, " ")
		typ, isPacked := strings.CutSuffix(op[strings.LastIndexByte(op, '.')+1:], "x2")
		var x [2][]float64
		set := map[string][]uint64{}
		for i, n := range []string{"a", "b"} {
			for range 32 {
				v := math.Exp2(r.Float64()*4-2) + 0x1p-10
				var bits uint64
				switch typ {
				case "f32":
					bits = uint64(math.Float32bits(float32(v)))
				case "f64":
					bits = math.Float64bits(v)
				case "bf16":
					bits = uint64(math.Float32bits(float32(v)) >> 16)
				case "f16":
					bits = half16(v)
				}
				x[i] = append(x[i], number(bits, typ, false))
				if isPacked {
					bits |= bits << 16
				}
				set[n] = append(set[n], bits)
			}
		}
		for i, bits := range runTry(t, c.op, set)["d"] {
			parts := []uint64{bits}
			if isPacked {
				parts = []uint64{bits & 0xffff, bits >> 16}
			}
			for _, p := range parts {
				got, want := number(p, typ, false), c.f(x[0][i], x[1][i])
				if e := math.Abs(got - want); !(e <= c.abs || e <= c.relative*math.Abs(want)) {
					t.Errorf("%s of %g, %g: %g, want %g", c.op, x[0][i], x[1][i], got, want)
				}
			}
		}
	}
}

// half16 converts a number from 2^-14 to 65504 to a half, and drops the bits that do not fit.
func half16(v float64) uint64 {
	frac, e := math.Frexp(v)
	return uint64(e+14)<<10 | uint64((frac*2-1)*1024)
}

// TestOtherForms runs forms that the remaining tests do not run.
func TestOtherForms(t *testing.T) {
	t.Parallel()
	// Votes without a membermask: lanes 3, 4 and 5 have the predicate, then none.
	for mode, want := range map[string][2]uint64{"all": {0, 0}, "any": {1, 0}, "uni": {0, 1}} {
		out := runTry(t, "vote."+mode+".pred p, q; vote."+mode+".pred s, z", map[string][]uint64{"q": append([]uint64{0, 0, 0, 1, 1, 1}, make([]uint64, 26)...)})
		for i := range 32 {
			if p, s := out["p"][i]&1, out["s"][i]&1; p != want[0] || s != want[1] {
				t.Errorf("vote.%s: %d and %d of lane %d", mode, p, s, i)
			}
		}
	}
	// redux of f32 (PTX 9.7.14.13): -3 is the least value, and the greatest in magnitude. A NaN
	// counts only with .NaN.
	a := make([]uint64, 32)
	for i := range a {
		a[i] = uint64(math.Float32bits(float32(i%4) - 3*float32(b01(i == 7))*2))
	}
	a[9] = 0x7fc00000
	for op, want := range map[string]uint64{
		"min": uint64(math.Float32bits(-3)), "max": uint64(math.Float32bits(3)), "min.abs": 0, "max.abs": uint64(math.Float32bits(3)),
		"min.NaN": 0x7fffffff, "max.abs.NaN": 0x7fffffff,
	} {
		src := "redux.sync." + op + ".f32 d, a, -1"
		for i, got := range runTry(t, src, map[string][]uint64{"a": a})["d"] {
			if got != want {
				t.Errorf("%s: lane %d has %#x, want %#x", src, i, got, want)
				break
			}
		}
	}
	// Memory-mapped and uniform loads, of the word that each thread has stored.
	got := launchKernel(t, body100(".global .align 16 .b32 g[8];", `
	mov.u64 %rd5, g;
	mul.wide.u32 %rd6, %r1, 4;
	add.s64 %rd6, %rd5, %rd6;
	add.u32 %r2, %r1, 40;
	st.mmio.relaxed.sys.global.u32 [%rd6], %r2;
	ld.mmio.relaxed.sys.global.u32 %r3, [%rd6];
	bar.sync 0;
	ldu.global.u32 %r4, [%rd5+8];
	mad.lo.u32 %r9, %r3, 1000, %r4;`), "k", 8, 8, 0)
	for i := range 8 {
		if want := uint32(40+i)*1000 + 42; got[i] != want {
			t.Errorf("mmio, thread %d: %d, want %d", i, got[i], want)
		}
	}
	// Copies with a cache policy, of 8 bytes of 16 and of 16.
	got = launchKernel(t, body100(".global .align 16 .b32 g[4] = {1, 2, 3, 4};", `
	.shared .align 16 .b32 s[8];
	mov.u64 %rd5, g;
	mov.b64 %rd6, 0;
	mov.u64 %rd7, s;
	createpolicy.fractional.L2::evict_last.b64 %rd8, 1.0;
	cp.async.cg.shared.global.L2::cache_hint [s], [%rd5], 16, %rd8;
	cp.async.ca.shared::cta.global.L2::cache_hint.L2::128B [s+16], [%rd5], 16, 8, %rd8;
	cp.async.wait_all;
	mul.wide.u32 %rd6, %r1, 4;
	add.s64 %rd7, %rd7, %rd6;
	ld.shared.u32 %r9, [%rd7];`), "k", 8, 8, 0)
	for i, want := range []uint32{1, 2, 3, 4, 1, 2, 0, 0} {
		if got[i] != want {
			t.Errorf("cp.async, word %d: %d, want %d", i, got[i], want)
		}
	}
	// Atomics on two half-words of 32 bits, on vectors of them, and an exchange of 64 bits.
	got = launchKernel(t, body100(".global .align 16 .b32 g[4] = {0x3c003c00, 0x40004000, 0x3c003c00, 0x40004000}; .global .align 8 .b64 x = 5;", `
	mov.u64 %rd5, g;
	mov.b32 %r2, 0x40003c00;
	mov.b32 %r3, 0x3c004000;
	atom.global.v2.f16x2.add.noftz {%r4, %r5}, [%rd5], {%r2, %r3};
	red.global.v2.f16x2.max.noftz [%rd5+8], {%r2, %r3};
	mov.b16 %h1, 0x3c00;
	mov.b16 %h2, 0x4200;
	red.global.v2.f16.add.noftz [%rd5+8], {%h1, %h2};
	mov.b64 %rd6, 77;
	mov.u64 %rd8, x;
	atom.global.exch.b64 %rd7, [%rd8], %rd6;
	ld.global.u32 %r6, [%rd5];
	ld.global.u32 %r7, [%rd5+8];
	cvt.u32.u64 %r8, %rd7;
	xor.b32 %r9, %r6, %r7;
	xor.b32 %r9, %r9, %r4;
	xor.b32 %r9, %r9, %r8;`), "k", 1, 1, 0)
	// 1+1, 1+2; max(1,1)+1 and max(1,2)+3: 2, 5; 1, 1 before; 5 before.
	if want := uint32(0x42004000 ^ 0x45004000 ^ 0x3c003c00 ^ 5); got[0] != want {
		t.Errorf("atomics: %#x, want %#x", got[0], want)
	}
	got = launchKernel(t, body100("", `
	.shared .align 8 .b64 s;
	.reg .b64 %generic;
	cvta.shared.u64 %generic, s;
	getctarank.u64 %r2, %generic;
	add.u32 %r9, %r2, 9;`), "k", 1, 1, 0)
	if got[0] != 9 {
		t.Errorf("getctarank: %d", got[0]-9)
	}
	// Reductions in shared memory that complete at an mbarrier, of words 5 by 3 and 12.
	got = launchKernel(t, body100("", `
	.shared .align 8 .b32 s[6];
	.shared .align 8 .b64 bar;
	mov.b64 %rd5, s;
	mbarrier.init.shared.b64 [bar], 1;
	st.shared.v4.u32 [s], {5, 5, 5, 5};
	st.shared.v2.u32 [s+16], {5, 5};
	mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
	mov.u32 %r2, 3;
	mov.u32 %r3, 12;
	red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%rd5], %r2, [bar];
	red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%rd5+4], %r3, [bar];
	red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.and.b32 [%rd5+8], %r3, [bar];
	red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.dec.u32 [%rd5+12], %r3, [bar];
wait:	mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
	@!%p1 bra wait;
	ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%rd5];
	mad.lo.u32 %r9, %r4, 1000, %r5;
	mad.lo.u32 %r9, %r9, 1000, %r6;
	mad.lo.u32 %r9, %r9, 10, %r7;`), "k", 1, 1, 0)
	if want := uint32((0*1000+12)*1000+5&12)*10 + 4; got[0] != want {
		t.Errorf("red.async: %d, want %d", got[0], want)
	}
	// Threads drop out with an expected transaction, and without completing a phase. One of 3
	// expected threads remains, and it completes the second phase alone.
	got = launchKernel(t, body100("", `
	.shared .align 8 .b64 bar;
	mbarrier.init.shared.b64 [bar], 3;
	mbarrier.arrive_drop.noComplete.shared.b64 %rd5, [bar], 1;
	mbarrier.arrive_drop.expect_tx.shared.b64 %rd6, [bar], 4;
	mbarrier.arrive.shared.b64 %rd7, [bar];
	mbarrier.test_wait.shared.b64 %p1, [bar], %rd7;
	mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [bar], 4;
	mbarrier.test_wait.shared.b64 %p2, [bar], %rd7;
	mbarrier.arrive.shared.b64 %rd8, [bar];
	mbarrier.test_wait.shared.b64 %p3, [bar], %rd8;
	selp.u32 %r2, 100, 0, %p1;
	selp.u32 %r3, 10, 0, %p2;
	selp.u32 %r4, 1, 0, %p3;
	add.u32 %r9, %r2, %r3;
	add.u32 %r9, %r9, %r4;`), "k", 1, 1, 0)
	if got[0] != 11 {
		t.Errorf("mbarrier.arrive_drop: %d, want 11", got[0])
	}
	if d := faultOf(t, body("", "brkpt;"), 1); d == nil || d.Class != diag.Fault {
		t.Errorf("brkpt: %v", d)
	}
	// Conversions to and from 8, 6 and 4 bits.
	const one = "mov.b32 w, 0x7f; cvt.u8.u32 s, w; "
	for src, want := range map[string]uint64{
		"mov.b32 w, 0x79; cvt.u8.u32 a, w; cvt.rn.bf16x2.e2m1x2 d, a":                          0x40c0bf00,
		"mov.b16 a, 0x1f28; mov.b16 s, 0x807f; cvt.rn.scaled::n2::ue8m0.bf16x2.e2m3x2 d, a, s": 0x4170bf80,
		// PTX 9.4, with a scale factor of 1.
		"mov.b16 a, 0x7880; cvt.rn.bf16x2.ue5m3x2 d, a":                                             0x3f804000,
		one + "mov.b32 a, 0xc0003f80; cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.bf16x2 d, a, s":     0xc038,
		one + "cvt.rn.satfinite.scaled::n1::ue8m0.e2m1x2.f32 d, " + fc(6) + ", " + fc(-0.5) + ", s": 0x79,
		one + "mov.b32 a, 0x40c0bf00; cvt.rz.satfinite.scaled::n1::ue8m0.e2m1x2.bf16x2 d, a, s":     0x79,
		one + "cvt.rn.satfinite.scaled::n1::ue8m0.e2m3x2.f32 d, " + fc(7.5) + ", " + fc(-1) + ", s": 0x1f28,
		one + "mov.b32 a, 0x4780bc00; cvt.rz.satfinite.scaled::n1::ue8m0.e2m3x2.f16x2 d, a, s":      0x1f28,
		one + "cvt.rn.scaled::n1::ue8m0.ue5m3x2.f32 d, " + fc(1) + ", " + fc(2) + ", s":             0x7880,
		"mov.b32 a, 0x3f80bf00; cvt.rn.satfinite.s2f6x2.bf16x2 d, a":                                0x40e0,
	} {
		if got := runTry(t, src, nil)["d"][0]; got != want {
			t.Errorf("%s: %#x, want %#x", src, got, want)
		}
	}
}
