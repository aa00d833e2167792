package ptx

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// lanes runs a scratchpad program in which each lane has its own registers a, b and c, and returns
// d.
func lanes(t *testing.T, src string, a, b, c []uint64) []uint64 {
	t.Helper()
	return runTry(t, src+";", map[string][]uint64{"a": a, "b": b, "c": c})["d"]
}

// TestMixedPrecision compares the instructions of PTX 9.7.5 with big numbers rounded to 24 bits.
func TestMixedPrecision(t *testing.T) {
	t.Parallel()
	// f16 and bf16 patterns of the same values.
	values := []struct {
		f16, bf16 uint64
		x         float64
	}{{0x3c00, 0x3f80, 1}, {0xbe00, 0xbfc0, -1.5}, {0x4240, 0x4048, 3.125}, {0x2e00, 0x3dc0, 0.09375}, {0x8000, 0x8000, math.Copysign(0, -1)}, {0x7800, 0x4700, 32768}}
	addends := []float64{0x1p-30, -0x1.000002p0, 0x1.fffffep3, 123456.7890625, -0x1p24}
	round := func(mode big.RoundingMode, x *big.Float) uint64 {
		f, _ := new(big.Float).SetPrec(24).SetMode(mode).Set(x).Float32()
		return uint64(math.Float32bits(f))
	}
	exact := func(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }
	modes := map[string]big.RoundingMode{"": big.ToNearestEven, ".rn": big.ToNearestEven, ".rz": big.ToZero, ".rm": big.ToNegativeInf, ".rp": big.ToPositiveInf}
	for name, mode := range modes {
		for _, typ := range []string{"f16", "bf16"} {
			var a, b, c []uint64
			var add, sub, fma []uint64
			for i := range 32 {
				x, y := values[i%len(values)], values[i*7/5%len(values)]
				z := float64(float32(addends[i%len(addends)]))
				pa, pb := x.f16, y.f16
				if typ == "bf16" {
					pa, pb = x.bf16, y.bf16
				}
				a, b, c = append(a, pa), append(b, pb), append(c, uint64(math.Float32bits(float32(z))))
				add = append(add, round(mode, new(big.Float).Add(exact(x.x), exact(z))))
				sub = append(sub, round(mode, new(big.Float).Sub(exact(x.x), exact(z))))
				p := new(big.Float).SetPrec(300).Mul(exact(x.x), exact(y.x))
				fma = append(fma, round(mode, p.Add(p, exact(z))))
			}
			try := func(src string, want []uint64) {
				t.Helper()
				for i, got := range lanes(t, src, a, b, c) {
					if got != want[i] {
						t.Fatalf("%s of %#x, %#x, %#x = %#x, want %#x", src, a[i], b[i], c[i], got, want[i])
					}
				}
			}
			try("add"+name+".f32."+typ+" d, a, c", add)
			try("sub"+name+".f32."+typ+" d, a, c", sub)
			if name != "" {
				try("fma"+name+".f32."+typ+" d, a, b, c", fma)
			}
		}
	}
	for src, want := range map[string]uint64{
		"add.sat.f32.f16 d, a, 0f40000000":                0x3f800000,
		"add.rz.f32.f16.sat d, a, 0fC0000000":             0,
		"sub.sat.f32.f16 d, a, 0f7FC00000":                0,
		"fma.rn.sat.f32.f16 d, a, a, 0fBF000000":          0x3f000000,
		"sub.f32.f16 d, a, 0f7FC00000":                    0x7fffffff,
		"mov.b16 h, 0x7e01; add.f32.f16 d, h, 0f3F800000": 0x7fffffff,
	} {
		if got := runTry(t, src+";", map[string][]uint64{"a": {0x3c00}})["d"][0]; got != want {
			t.Errorf("%s = %#x, want %#x", src, got, want)
		}
	}
}

// minMax transcribes PTX 9.7.3.11 and 9.7.3.12 on the bits of f32.
func minMax(greater, nan bool, x, y uint32) uint32 {
	num := func(v uint32) bool { return v&0x7fffffff <= 0x7f800000 }
	key := func(v uint32) int64 { // -0 before +0
		if v>>31 != 0 {
			return -int64(v&0x7fffffff) - 1
		}
		return int64(v)
	}
	switch {
	case !num(x) && !num(y), nan && !(num(x) && num(y)):
		return 0x7fffffff
	case !num(x):
		return y
	case !num(y):
		return x
	case (key(x) < key(y)) != greater:
		return x
	}
	return y
}

// TestThreeAndXorsign checks min and max of f32 with three operands, with .abs and with .xorsign.
func TestThreeAndXorsign(t *testing.T) {
	t.Parallel()
	patterns := []uint32{0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x3f800000, 0xbf800000, 0x40000000, 0xc0400000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001}
	var sets [][3][]uint64
	n := len(patterns)
	for at := 0; at < n*n*n; at += 32 {
		var s [3][]uint64
		for i := at; i < at+32; i++ {
			s[0] = append(s[0], uint64(patterns[i%n]))
			s[1] = append(s[1], uint64(patterns[i/n%n]))
			s[2] = append(s[2], uint64(patterns[i/n/n%n]))
		}
		sets = append(sets, s)
	}
	flush := func(v uint32) uint32 {
		if v&0x7f800000 == 0 {
			return v & 0x80000000
		}
		return v
	}
	for _, greater := range []bool{false, true} {
		op := map[bool]string{false: "min", true: "max"}[greater]
		for _, ftz := range []bool{false, true} {
			for _, nan := range []bool{false, true} {
				mods := map[bool]string{true: ".ftz"}[ftz] + map[bool]string{true: ".NaN"}[nan]
				for k, s := range sets {
					if k%4 != 0 {
						continue
					}
					for _, form := range []string{".f32 d, a, b, c", ".abs.f32 d, a, b, c", ".xorsign.abs.f32 d, a, b"} {
						src := op + mods + form
						for i, got := range lanes(t, src, s[0], s[1], s[2]) {
							var x [3]uint32
							for j := range x {
								if x[j] = uint32(s[j][i]); ftz {
									x[j] = flush(x[j])
								}
							}
							sign := (x[0] ^ x[1]) & 0x80000000
							if form[1] != 'f' {
								for j := range x {
									x[j] &= 0x7fffffff
								}
							}
							want := minMax(greater, nan, x[0], x[1])
							if form[1] == 'x' {
								if want&0x7fffffff <= 0x7f800000 {
									want |= sign
								}
							} else {
								want = minMax(greater, nan, want, x[2])
							}
							if uint32(got) != want {
								t.Fatalf("%s of %#x = %#x, want %#x", src, [3]uint64{s[0][i], s[1][i], s[2][i]}, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// TestFlushingTargets checks that sm_1x flushes subnormal f32 with or without .ftz, and that
// instructions that had no modifiers before PTX 1.4 act as the default form did.
func TestFlushingTargets(t *testing.T) {
	t.Parallel()
	const tiny, big = "0f00400000", "0f3F800000"
	for _, c := range []struct {
		version, target, src string
		flushes              bool
	}{
		{"2.0", "sm_20", "add.f32 f, " + tiny + ", 0f00000000;", false},
		{"2.0", "sm_20", "add.ftz.f32 f, " + tiny + ", 0f00000000;", true},
		{"1.4", "sm_13", "add.f32 f, " + tiny + ", 0f00000000;", true},
		{"1.4", "sm_13", "min.f32 f, " + tiny + ", " + big + ";", true},
		{"1.4", "sm_13", "abs.f32 f, " + tiny + ";", true},
		{"1.3", "sm_13", "rcp.f32 f, 0f7F000000;", true},
		{"1.3", "sm_13", "div.f32 f, " + tiny + ", " + big + ";", true},
		{"1.4", "sm_13", "mad.f32 f, " + tiny + ", " + big + ", 0f00000000;", true},
		{"3.0", "sm_20", "mad.f32 f, " + tiny + ", " + big + ", 0f00000000;", false},
		{"1.4", "sm_13", "cvt.f32.f32 f, " + tiny + ";", true},
		{"2.0", "sm_20", "cvt.f32.f32 f, " + tiny + ";", false},
		{"2.0", "sm_13", "cvt.f64.f32 g, " + tiny + "; cvt.rn.f32.f64 f, g;", true},
		{"1.4", "sm_13", "cvt.f64.f32 g, " + tiny + "; cvt.rn.f32.f64 f, g;", false},
	} {
		m, errs := Parse("t.ptx", fmt.Sprintf(".version %s\n.target %s\n.entry k() {\n.reg .f32 f; .reg .f64 g;\n%s ret;\n}\n", c.version, c.target, c.src))
		if errs.Err() != nil {
			t.Fatal(errs)
		}
		k, err := Lift(m, "k")
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
			continue
		}
		got := inspect(t, k, "f")
		if (got == 0) != c.flushes {
			t.Errorf("%s %s %s: %#x, flushed: want %v", c.version, c.target, c.src, got, c.flushes)
		}
	}
}

// inspect runs a kernel without parameters and returns the value of a register in lane 0 at the
// end.
func inspect(t *testing.T, k *Kernel, name string) (value uint64) {
	t.Helper()
	recordRun(t, k)
	prog, err := interp.Engine{}.Compile(k.Func)
	if err != nil {
		t.Fatal(err)
	}
	l := &sim.Launch{
		Func: k.Func, Program: prog, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: sim.NewMemory(), Workers: 1,
		Hooks: sim.Hooks{
			Inspect: func(w *sim.Wave) {
				for r, v := range k.Func.Values {
					if v.Name == name {
						value = w.Get(ir.Ref(r), 0)
					}
				}
			},
		},
	}
	if _, _, err := sim.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	return value
}
