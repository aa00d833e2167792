package sel

import (
	"math"

	"example.org/crosslane/internal/jit/x64"
	"example.org/crosslane/num"
)

// This file computes with f16 and bf16 in f32, on processors without instructions for them.
//
// Input: vectors of half-words, two per word.
// Output: the result as half-words, rounded once.
// Invariant: g.wides has, for results and operands of f16, the same values as f32. The next
// operation usually wants them as f32 again and then needs no conversion; peephole.List.EliminateDead
// removes the half-words, or the f32, that are not read.
// Example: c = a + b; e = c * d converts a, b and d to f32, and c only to round it.
// Literature: Figueroa, when is double rounding innocuous? (1995); Boldo and Melquiond (2008).

// A wideEntry is a vector register of half-words whose values are also known as f32.
type wideEntry struct {
	of  x64.Reg
	len uint8
	at  int // index in the list: `of` has not been written from that instruction on
	// f32 are the two vectors that widened returns.
	f32 [2]x64.Reg
	raw bool // the bits of NaNs differ
}

// widerToo records that d now holds the half-words of r; with raw, NaNs may have other bits.
func (g *lowering) widerToo(r, d x64.Reg, raw bool) {
	for i := len(g.wides) - 1; i >= 0; i-- {
		if w := g.wides[i]; w.of == r && g.stillHolds(&w) {
			w.of, w.at, w.raw = d, len(g.fn.Code), w.raw || raw
			g.wides = append(g.wides, w)
			return
		}
	}
}

// maxWide is how many instructions stillHolds searches.
const maxWide = 4096

// stillHolds reports whether the half-words of an entry have not been written since.
func (g *arithmetic) stillHolds(w *wideEntry) bool {
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

// widerOf returns the f32 of the half-words of a, if they are known. An entry with other NaNs does
// not serve a rule that shows the bits of NaNs.
func (g *lowering) widerOf(a x64.Reg) ([2]x64.Reg, bool) {
	for i := len(g.wides) - 1; i >= 0; i-- {
		w := &g.wides[i]
		if w.of != a || w.len != g.len || w.raw && g.payloads {
			continue
		}
		return w.f32, g.stillHolds(w)
	}
	return [2]x64.Reg{}, false
}

// widened converts half-words to f32, in two vectors. For bf16 the first has the even half-words
// and the second the odd ones; for f16 the first has the lower half of the vector and the second
// the upper half.
func (f half) widened(g *lowering, a x64.Reg) [2]x64.Reg {
	if f.brain {
		return [2]x64.Reg{g.vi(x64.VPSLLDImm, a, 16), g.and(a, g.c32(0xffff0000))}
	}
	// A constant that is no NaN is converted now.
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

// narrowed rounds two vectors of f32 to half-words, in the order of widened. It notes the f16 as
// f32, too.
func (f half) narrowed(g *lowering, x [2]x64.Reg, rc x64.Rounding) x64.Reg {
	if f.brain {
		even := g.vi(x64.VPSRLDImm, g.toBrain(x[0], rc), 16)
		return g.or(even, g.and(g.toBrain(x[1], rc), g.c32(0xffff0000)))
	}
	lo, hi := g.toHalf(x[0], rc), g.toHalf(x[1], rc)
	// The value as f32 is that of the rounded f16, not x.
	w := [2]x64.Reg{g.v1(x64.VCVTPH2PS, lo), g.v1(x64.VCVTPH2PS, hi)}
	r := g.join([]x64.Reg{lo, hi}, int32(g.len)/2)
	g.wides = append(g.wides, wideEntry{of: r, len: g.len, at: len(g.fn.Code), f32: w})
	return r
}

// arith does an operation of n arguments in f32, and rounds to the narrow format. Two roundings
// give the result of one if the first is directed like the second. They also do for sums and
// products if both are to nearest, because f32 has twice the bits of the narrow format and two
// more. (A product that is too small for f32 is less than half of the least bf16.) For other
// operations odd is set: then the first rounding is to odd.
func (f half) arith(g *lowering, a [4]x64.Reg, n int, rc x64.Rounding, odd bool, do func(b [4]x64.Reg, rc x64.Rounding) x64.Reg) x64.Reg {
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
	// Changing the rounding is slow here. Round to nearest first, and repeat only if a result is
	// critical.
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
	// Each instruction has a rounding of its own.
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

// rounds is the type of an operation with a rounding.
type rounds = func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg

// in returns do, an operation of n arguments on f32, as an operation on half-words: see arith.
func (f half) in(n int, odd bool, do rounds) rounds {
	return func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg {
		return f.arith(g, a, n, rc, odd, func(b [4]x64.Reg, rc x64.Rounding) x64.Reg { return do(g, b, rc) })
	}
}

// direct returns do, or the processor's instruction for f16, op, if there is one. The instruction
// treats NaNs, subnormal numbers and infinities as that for f32 does.
func (f half) direct(op x64.Op, n int, do rounds) rounds {
	if f.brain {
		return do
	}
	return func(g *lowering, a [4]x64.Reg, rc x64.Rounding) x64.Reg {
		if !g.avx512 || !g.s.Geom.Half {
			return do(g, a, rc)
		}
		in := x64.Inst{Op: op, A: a[0], B: a[1], Ordered: true}
		// The fused multiply-add reads its destination: the third argument.
		if n == 3 {
			in.Dst, in.Ordered = g.vec(), false
			g.move(in.Dst, a[2])
		}
		return g.round(rc, in)
	}
}

// fmaOfHalves corrects s, the f32 next to a*b + c for f16 a, b and c, so that it may be rounded
// again: if s is not exact, the result is rounded to odd (Boldo and Melquiond, 2008). It only needs
// the rounding to nearest, so MXCSR stays as it is. All sums are multiples of 2^-48 below 2^33, so
// rounding is the only loss.
//
// The product p is exact in f32. With the error d, s = p + c + d, and s-p is c + d rounded: either
// c, which is an f32, or a number on the side of d. So c - (s-p) is 0 or has the sign of -d, and so
// has p - (s-c). If
// p| >= |c| the former is -d itself, else the latter is (Dekker, 1971).
func (g *arithmetic) fmaOfHalves(a [4]x64.Reg, s x64.Reg) x64.Reg {
	less := g.v3(x64.VFMSUB231PS, g.v2(x64.VSUBPS, s, a[2]), a[0], a[1])
	more := g.v2(x64.VSUBPS, a[2], g.v3(x64.VFNMADD231PS, s, a[0], a[1]))
	// If s is not a number, neither is this, and no comparison holds.
	e := g.v2(x64.VMULPS, g.v2(x64.VADDPS, less, more), s)
	// The odd neighbour of the sum is the result: the one above an even s if |s| is less than the
	// sum, else the one below.
	down, some := g.cmpf(cmpfLT, e, g.zero()), g.cmpf(cmpfNE, e, g.zero())
	return g.or(g.v2(x64.VPADDD, s, down), g.vi(x64.VPSRLDImm, some, 31))
}

// onceMore is for roundings to nearest on processors that have to write MXCSR for another rounding,
// which is slow. The f32 in r may be rounded again unless they lie half way between two numbers of
// the narrow format, because then the first rounding may have moved them there. If any f32 does,
// all are computed again, rounded to odd.
func (f half) onceMore(g *lowering, r [2]x64.Reg, odd func(h int) x64.Reg) {
	cut := int64(16)
	if !f.brain {
		cut = 13
	}
	var k [2]x64.Reg
	for h, x := range r {
		// Half way: the highest bit that the rounding drops is 1, and the other ones are 0.
		k[h] = g.eqd(g.vi(x64.VPSLLDImm, x, 32-cut), g.c32(1<<31))
		if !f.brain { // below the least normal f16 more bits are dropped, so all of that range counts
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
