package sel

import (
	"math"

	"example.org/crosslane/internal/jit/x64"
	"example.org/crosslane/num"
)

// This file computes with half-words in f32. What one operation has rounded the next one
// mostly wants as f32 again, so that is kept: code for what nobody wants is swept away.

// A wideEntry says that vector registers hold the f32 of the half-words in another one.
type wideEntry struct {
	of  x64.Reg
	len uint8
	at  int // index in the list: of has not been written since the instruction before
	f32 [2]x64.Reg
	raw bool // NaNs are other ones
}

// widerToo says that d holds what r does, now; with raw but for the bits of NaNs.
func (g *gen) widerToo(r, d x64.Reg, raw bool) {
	for i := len(g.wides) - 1; i >= 0; i-- {
		if w := g.wides[i]; w.of == r && g.stillHolds(&w) {
			w.of, w.at, w.raw = d, len(g.fn.Code), w.raw || raw
			g.wides = append(g.wides, w)
			return
		}
	}
}

// maxWide is how many instructions stillHolds looks through.
const maxWide = 4096

// stillHolds reports whether what an entry is of has not been written since.
func (g *gen) stillHolds(w *wideEntry) bool {
	code := g.fn.Code[w.at:]
	if len(code) > maxWide {
		return false
	}
	for j := range code {
		in := &code[j]
		if info := in.Op.Info(); in.Dst == w.of || info.AWrite && in.A == w.of || info.BWrite && in.B == w.of {
			return false
		}
	}
	return true
}

// widerOf are the f32 of the half-words of a, if they are known.
func (g *gen) widerOf(a x64.Reg) ([2]x64.Reg, bool) {
	for i := len(g.wides) - 1; i >= 0; i-- {
		w := &g.wides[i]
		if w.of != a || w.len != g.len || w.raw && g.payloads {
			continue
		}
		return w.f32, g.stillHolds(w)
	}
	return [2]x64.Reg{}, false
}

// widened are the f32 of half-words: two vectors. Of bf16 they are the even and the odd
// ones, of f16 the lower and the upper ones.
func (f half) widened(g *gen, a x64.Reg) [2]x64.Reg {
	if f.brain {
		return [2]x64.Reg{g.vi(x64.VPSLLDImm, a, 16), g.and(a, g.c32(0xffff0000))}
	}
	if k := g.fn.VRegs[a-x64.Virtual].Const; k != 0 {
		c := &g.fn.Pool[k-1]
		if h := uint16(c.Bits); c.Size == 2 && uint64(h&absF16) <= f.inf {
			x := g.c32(math.Float32bits(num.CvtF32FromF16(h)))
			return [2]x64.Reg{x, x}
		}
	}
	if w, ok := g.widerOf(a); ok {
		return w
	}
	lo, hi := g.halves(x64.VCVTPH2PS, a)
	w := [2]x64.Reg{lo, hi}
	g.wides = append(g.wides, wideEntry{of: a, len: g.len, at: len(g.fn.Code), f32: w})
	return w
}

// narrowed is the opposite.
func (f half) narrowed(g *gen, x [2]x64.Reg, rc x64.Rounding) x64.Reg {
	if f.brain {
		even := g.vi(x64.VPSRLDImm, g.toBrain(x[0], rc), 16)
		return g.or(even, g.and(g.toBrain(x[1], rc), g.c32(0xffff0000)))
	}
	lo, hi := g.toHalf(x[0], rc), g.toHalf(x[1], rc)
	w := [2]x64.Reg{g.v1(x64.VCVTPH2PS, lo), g.v1(x64.VCVTPH2PS, hi)}
	r := g.join([]x64.Reg{lo, hi}, int32(g.len)/2)
	g.wides = append(g.wides, wideEntry{of: r, len: g.len, at: len(g.fn.Code), f32: w})
	return r
}

// arith does an operation of n arguments in f32. Rounding twice is right if the first
// rounding is directed as the second; and if both are to nearest, of sums and products, for
// which f32 has twice the bits and two more. (A product that f32 does not hold is less than
// half of the least bf16.) Else odd rounds to odd first.
func (f half) arith(g *gen, a [4]x64.Reg, n int, rc x64.Rounding, odd bool, do func(b [4]x64.Reg, rc x64.Rounding) x64.Reg) x64.Reg {
	var w [4][2]x64.Reg
	for i := range n {
		w[i] = f.widened(g, a[i])
		for j := range i {
			if a[j] == a[i] {
				w[i] = w[j]
			}
		}
	}
	args := func(h int) [4]x64.Reg { return [4]x64.Reg{w[0][h], w[1][h], w[2][h], w[3][h]} }
	var r [2]x64.Reg
	switch {
	case odd && rc == x64.Current && !(g.avx512 && g.len == 64):
		for h := range 2 {
			r[h] = do(args(h), rc)
		}
		f.onceMore(g, r, func(h int) x64.Reg {
			if !g.avx512 && !f.brain {
				return g.fmaOfHalves(args(h), r[h])
			}
			return g.odd(do(args(h), x64.Down), do(args(h), x64.Up))
		})
	case odd && rc == x64.Current:
		var d, u [2]x64.Reg
		for h := range 2 {
			d[h] = do(args(h), x64.Down)
		}
		for h := range 2 {
			u[h] = do(args(h), x64.Up)
		}
		for h := range 2 {
			r[h] = g.odd(d[h], u[h])
		}
	default:
		for h := range 2 {
			r[h] = do(args(h), rc)
		}
	}
	return f.narrowed(g, r, rc)
}

// A rounds is an operation with a rounding.
type rounds = func(g *gen, a [4]x64.Reg, rc x64.Rounding) x64.Reg

// in is do, of n arguments, in f32: see arith.
func (f half) in(n int, odd bool, do rounds) rounds {
	return func(g *gen, a [4]x64.Reg, rc x64.Rounding) x64.Reg {
		return f.arith(g, a, n, rc, odd, func(b [4]x64.Reg, rc x64.Rounding) x64.Reg { return do(g, b, rc) })
	}
}

// direct is do, or where the processor has an instruction for half-words, that: op. It treats NaNs, subnormal numbers and infinities as those for f32 do.
func (f half) direct(op x64.Op, n int, do rounds) rounds {
	if f.brain {
		return do
	}
	return func(g *gen, a [4]x64.Reg, rc x64.Rounding) x64.Reg {
		if !g.avx512 || !g.s.Geom.Half {
			return do(g, a, rc)
		}
		in := x64.Inst{Op: op, A: a[0], B: a[1], Ordered: true}
		if n == 3 {
			in.Dst, in.Ordered = g.vec(), false
			g.move(in.Dst, a[2])
		}
		return g.round(rc, in)
	}
}

// fmaOfHalves is a*b + c of f16 as f32 that may be rounded again: to nearest, and if it is not
// exact then to odd (Boldo and Melquiond, 2008), which takes no other rounding than the one of
// MXCSR. All sums are multiples of 2^-48 below 2^33, so that nothing is lost but by rounding.
//
// The product p is exact in f32. Of s = p + c + d, with d the error, s-p is c + d rounded: c,
// which is a f32, or something on the side of d; so c - (s-p) is 0 or has the sign of -d. So has
// p - (s-c). If |p| >= |c|, the first is -d itself, else the second (Dekker, 1971).
func (g *gen) fmaOfHalves(a [4]x64.Reg, s x64.Reg) x64.Reg {
	less := g.v3(x64.VFMSUB231PS, g.v2(x64.VSUBPS, s, a[2]), a[0], a[1])
	more := g.v2(x64.VSUBPS, a[2], g.v3(x64.VFNMADD231PS, s, a[0], a[1]))
	// Where s is no number, that is none either, and no comparison is true.
	e := g.v2(x64.VMULPS, g.v2(x64.VADDPS, less, more), s)
	// The odd one of those next to the sum: up from an even s if |s| is less than that, else down.
	down, some := g.cmpf(cmpfLT, e, g.zero()), g.cmpf(cmpfNE, e, g.zero())
	return g.or(g.v2(x64.VPADDD, s, down), g.vi(x64.VPSRLDImm, some, 31))
}

// onceMore is for roundings to nearest where MXCSR has to be written for others, which takes
// long. What f32 are in r may be rounded again unless they lie half way between two of the
// narrow format, for then they have perhaps been rounded to there. If some do, all are done
// once more, rounded to odd.
func (f half) onceMore(g *gen, r [2]x64.Reg, odd func(h int) x64.Reg) {
	cut := int64(16)
	if !f.brain {
		cut = 13
	}
	var k [2]x64.Reg
	for h, x := range r {
		k[h] = g.eqd(g.vi(x64.VPSLLDImm, x, 32-cut), g.c32(1<<31))
		if !f.brain { // from half of the least f16 to what is normal
			const half, normal = 0x33000000, 0x38800000
			m := g.v2(x64.VPADDD, g.abs(x), g.c32(1<<31-half))
			k[h] = g.maskOr(k[h], g.gtd(g.c32(1<<31+normal-half), m))
		}
	}
	any := g.maskOr(k[0], k[1])
	if g.avx512 {
		g.emit(x64.Inst{Op: x64.KORTESTW, Len: 8, A: any, B: any})
	} else {
		g.emit(x64.Inst{Op: x64.VPTEST, Len: g.len, A: any, B: any})
	}
	some, back := g.label(), g.label()
	g.jump(x64.JNE, some)
	g.cold(some, func() {
		var o [2]x64.Reg
		for h := range o {
			o[h] = odd(h)
		}
		for h, x := range o {
			g.move(r[h], x)
		}
		g.jump(x64.JMP, back)
	})
	g.bind(back)
}
