package sel

import (
	"strings"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file selects operations on lane vectors.
//
// Input: a pure operation with the way byVector or bySplat.
// Output: the rule's instructions, once for each chunk of lanes, and the write of each
// vector register of the result.
// Invariant: inactive lanes of a result keep their old value if another fragment may
// read it (lanesToWrite); a rule never writes to its arguments.
// Example: CvtF64FromF32 on 32 lanes with 64-byte registers: 4 chunks of 8 lanes, each
// from half a register of f32.

// A vrule does an operation for one chunk: as many lanes as a vector register holds of
// the widest type among the arguments and the result. fn gets a vector register for
// each argument, with the chunk's lanes from its start on; lanes of a narrower type do
// not fill it. A B1 argument is a mask of the chunk: a mask register, or with AVX2 a
// vector of ones and zeros as wide as the widest type. fn returns the result in the
// same form. g.len is the length of the widest vector. fn may write only registers that
// it made itself, with g.vec and similar functions.
type vrule struct {
	fn func(g *lowering, a [4]x64.Reg) x64.Reg
	// rawIn has a bit for each argument that may be a float with any NaN. rawOut is 32
	// or 64 if the result is a float of that size with NaNs that the machine made,
	// which have to become the canonical NaN nan.
	rawIn  uint8
	rawOut uint8
	nan    uint64
	// carries has a bit for each argument that may be the result unchanged, if the
	// result is always one of these. keeps has a bit for each argument if the bits of
	// its NaN show only in the bits of a NaN result.
	carries, keeps uint8
	// number: the result is an f32 that is not a NaN, or is PTX's canonical one.
	number bool
	// payloads: the bits of an f16 argument's NaN show in the result.
	payloads bool
	// flushed: the result is an f32 that is never subnormal.
	flushed bool
	// commutes: the first two arguments may be exchanged.
	commutes bool
	// screened: fn may call g.hard, once; the interpreter does the operation if an
	// active lane is hard.
	screened bool
	// quick is nil, or a faster variant of fn of a screened rule with more hard lanes.
	// If a lane is hard, fn is tried next. Results of quick are never NaNs.
	quick func(g *lowering, a [4]x64.Reg) x64.Reg
}

// hard marks the lanes in k as possibly wrong; k is a mask of the chunk, as comparisons
// make it.
func (g *lowering) hard(k x64.Reg) { g.hards = append(g.hards, k) }

// vector does the pure operation in hand for all lanes, or for one chunk that stands
// for all (splat).
func (g *lowering) vector(splat bool) {
	if k, ok := g.stepsOn(g.at); ok {
		g.stepOn(k)
		return
	}
	// Some rules work on all registers of a value at once.
	if !splat && g.byWholeRule() {
		return
	}
	in, ops := g.in, g.ops
	info := &ir.Ops[in.Op]
	rule := &vrules()[in.Op]
	// e is the number of bytes of the widest type; a chunk has n bytes and l lanes of
	// it.
	e := int32(1)
	if info.Res != ir.B1 {
		e = int32(info.Res.Bytes())
	}
	for _, t := range info.Args {
		if t != ir.B1 {
			e = max(e, int32(t.Bytes()))
		}
	}
	// A wave of 32 lanes with bytes does not fill the largest registers.
	n := min(g.w, int32(g.f.Lanes)*e)
	l := n / e
	chunks := int32(g.f.Lanes) / l
	if splat || g.places[ops.Dst].affine { // the other lanes of an affine value follow from the first one
		chunks = 1
	} else if p := &g.places[ops.Dst]; p.n > 0 && e == 4 && info.Res == ir.B32 {
		chunks = min(chunks, p.n)
	}
	g.len = uint8(n)
	g.payloads = rule.payloads
	defer func() { g.len, g.payloads = uint8(g.w), false }()
	res := int32(info.Res.Bytes())
	var parts, whole []x64.Reg
	// If the result may stay raw, so may arguments that only pass through.
	raw := rule.rawIn
	if g.places[ops.Dst].raw {
		raw |= rule.carries | rule.keeps
	}
	g.hards = g.hards[:0]
	do := func(a [4]x64.Reg) x64.Reg {
		r := rule.fn(g, a)
		if rule.rawOut != 0 && !g.places[ops.Dst].raw {
			r = g.canonical(r, rule.rawOut, rule.nan)
		}
		return r
	}
	var args [][4]x64.Reg // the arguments, for fn after quick
	for c := range chunks {
		var a [4]x64.Reg
		for k, t := range info.Args {
			a[k] = g.argument(ops.Args[k], t, l, e, c, raw>>k&1 != 0)
		}
		start := len(g.fn.Code)
		first := x64.Virtual + x64.Reg(len(g.fn.VRegs))
		var r x64.Reg
		// First try for ordinary arguments; fn is done in cold code if a lane is hard.
		if rule.quick != nil {
			args = append(args, a)
			r = rule.quick(g, a)
		} else {
			r = do(a)
		}
		switch {
		// Results of screened rules are written after the test of hard lanes, because
		// the interpreter must find the old values.
		case rule.screened && info.Res != ir.B1:
			whole = append(whole, r)
		case info.Res == ir.B1:
			parts = append(parts, r)
		case splat:
			if l*res < g.w { // only the low part of the register holds it
				r = g.vl(broadcastOp(uint8(res)), uint8(g.w), r, 0)
			}
			g.defineSplat(ops.Dst, r)
		// The result fills the register; a narrower one is joined with those of further
		// chunks.
		case res == e:
			g.defineUnit(ops.Dst, c, r, start, first)
		default:
			parts = append(parts, r)
			if int32(len(parts))*l*res == g.w || c == chunks-1 {
				g.defineUnit(ops.Dst, (c+1)*l*res/g.w-b2i((c+1)*l*res%g.w == 0), g.join(parts, l*res), len(g.fn.Code), first)
				parts = parts[:0]
			}
		}
	}
	if len(g.hards) > 0 {
		var again func()
		if args != nil {
			again = func() {
				g.hards = g.hards[:0]
				for c, a := range args {
					g.move(whole[c], do(a))
				}
			}
		}
		back := g.screen(uint8(l), uint8(e), again)
		known := g.known()
		defer func() {
			g.bind(back)
			g.both(known)
		}()
	}
	for c, r := range whole { // all results have the widest type
		if splat {
			g.defineSplat(ops.Dst, r)
		} else {
			g.defineUnit(ops.Dst, int32(c), r, len(g.fn.Code), 1<<30)
		}
	}
	if info.Res != ir.B1 {
		return
	}
	if splat {
		// A uniform predicate: the first lane's bit, for all lanes.
		m := g.bitsOf(parts, uint8(l), uint8(e))
		d := g.gpr(g.maskBytes())
		g.move(d, m)
		g.ri(x64.ANDImm, 4, d, 1)
		if g.in.Scalar {
			g.defineGPR(ops.Dst, d)
			return
		}
		g.emit(x64.Inst{Op: x64.NEG, Len: g.maskBytes(), Dst: d})
		g.defineLanes(ops.Dst, d, nil, 0, 0)
		return
	}
	g.defineLanes(ops.Dst, g.bitsOf(parts, uint8(l), uint8(e)), parts, uint8(l), uint8(e))
}

// screen lets the interpreter do the operation in hand if an active lane is hard;
// g.hards are masks of l lanes with e bytes each. Nothing may have been written before.
// The path of the interpreter joins at the label that screen returns. If again is not
// nil, it is tried first, and then the lanes count that are hard in it.
func (g *lowering) screen(l, e uint8, again func()) x64.Label {
	some, none, back := g.label(), g.label(), g.label()
	g.anyHard()
	g.jump(x64.JNE, some)
	g.cold(some, func() {
		g.noneHard(l, e, none)
		if again != nil {
			again()
			g.anyHard()
			g.jump(x64.JE, none)
			g.noneHard(l, e, none)
		}
		g.callOut()
		g.jump(x64.JMP, back)
	})
	g.bind(none)
	return back
}

// anyHard sets the flags to "not equal" if a lane is hard.
func (g *lowering) anyHard() {
	any := g.hards[0]
	for _, k := range g.hards[1:] {
		any = g.maskOr(any, k)
	}
	if g.avx512 {
		g.emit(x64.Inst{Op: x64.KORTESTW, Len: 8, A: any, B: any})
	} else {
		g.emit(x64.Inst{Op: x64.VPTEST, Len: g.len, A: any, B: any})
	}
}

// noneHard jumps to none if no active lane is hard.
func (g *lowering) noneHard(l, e uint8, none x64.Label) {
	m, all := g.writeMask()
	bits := g.bitsOf(g.hards, l, e)
	switch {
	case all:
	case len(g.hards) == 1: // one mask may stand for all lanes, or has them all
	default:
		g.emit(x64.Inst{Op: x64.TEST, Len: g.maskBytes(), A: bits, B: m})
		g.jump(x64.JE, none)
	}
}

// b2i is 1 if b is true, else 0.
func b2i(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// argument is an argument of type t for a rule: chunk c of l lanes, if the widest type
// has e bytes. raw allows NaNs that are not canonical.
func (g *lowering) argument(w webs.Web, t ir.Type, l, e, c int32, raw bool) x64.Reg {
	if t == ir.B1 {
		m := g.lanesOf(w)
		if v := g.s.Value(w); v.Scalar && v.Type == ir.B1 { // 0 or 1: all lanes or none
			d := g.gpr(g.maskBytes())
			g.move(d, m)
			g.emit(x64.Inst{Op: x64.NEG, Len: g.maskBytes(), Dst: d})
			m, c = d, 0
		} else if _, ok := g.bitsIn(m); !ok && !g.in.Scalar && g.f.Exec == 0 && g.sh.Result(g.at).Kind != shape.Varying {
			// One chunk stands for all lanes, and a predicate may be right in active
			// lanes only.
			m, c = g.exes[1][0].flag(m).reg, 0
			g.emit(x64.Inst{Op: x64.NEG, Len: g.maskBytes(), Dst: m})
		}
		under := g.ops.Guard // the result is irrelevant in other lanes
		if g.in.GuardNot || !g.isExec(under) {
			under = 0
		}
		return g.chunkUnder(m, uint8(l), uint8(e), c, under)
	}
	p := &g.places[w]
	s := int32(t.Bytes())
	n := l * s
	// The chunk is piece j of vector register u.
	u, j := c*n/g.w, c*n%g.w/n
	if s == e {
		u, j = c, 0
	}
	if g.alike(w) {
		u, j = 0, 0
	}
	r := g.unit(w, u, t)
	if p.raw && !raw {
		bits := uint8(8 * s)
		was := g.len
		g.len = uint8(g.w)
		r = g.canonical(r, bits, canonicalNaN(bits))
		g.len = was
	}
	return g.piece8(r, n, j)
}

// canonicalNaN is the NaN of raw webs after canonicalisation: all rules with raw
// results agree on it (PTX: single precision NaN is canonical 0x7fffffff; doubles keep
// the machine's).
func canonicalNaN(bits uint8) uint64 {
	if bits == 64 {
		return 0x7ff8000000000000
	}
	return 0x7fffffff
}

// canonical replaces the NaNs of a vector of floats by nan.
func (g *arithmetic) canonical(r x64.Reg, bits uint8, nan uint64) x64.Reg {
	cmp, to, blend := x64.VCMPPS, x64.VCMPPSK, x64.VBLENDVPS
	if bits == 64 {
		cmp, to, blend = x64.VCMPPD, x64.VCMPPDK, x64.VBLENDVPD
	}
	const unordered = 3
	c := g.constant(nan, bits/8)
	if g.avx512 {
		k := g.kreg()
		g.emit(x64.Inst{Op: to, Len: g.len, Dst: k, A: r, B: r, Imm: unordered})
		return g.blend(k, r, c, bits/8)
	}
	k := g.v2i(cmp, r, r, unordered)
	d := g.vec()
	g.emit(x64.Inst{Op: blend, Len: g.len, Dst: d, A: r, B: c, C: k})
	return d
}

// lanesToWrite is a general register with the lanes in which the operation in hand
// writes w; 0: it may write all lanes.
func (g *lowering) lanesToWrite(w webs.Web) x64.Reg {
	need := g.mk.NeedMask(g.at)
	merge := g.ops.Merge
	if w == g.ops.Dst2 && w != g.ops.Dst {
		merge = g.ops.Merge2
	}
	switch {
	// No lane needs the old value.
	case !merge && !need || g.every:
		return 0
	case g.leadsOthers(w) && g.in.Guard != 0 && g.sh.Guard(g.at).Uniform() && !need && g.f.Exec == 0:
		return g.allOrNone() // the guard may be right in active lanes only
	// Another fragment may read the web, so exactly the active lanes are written.
	case need || g.in.GuardNot || g.in.Guard == 0 || g.f.Exec != 0 && g.actsForAll(g.at):
		m, all := g.writeMask()
		if all {
			return 0
		}
		return m
	}
	return g.lanesOf(g.ops.Guard)
}

// leadsOthers reports whether other lanes of web w are computed from the first lane of
// the wave or of a tile row, which may be inactive.
func (g *lowering) leadsOthers(w webs.Web) bool {
	sh := g.sh.Web(w)
	return sh.Kind != shape.Varying || sh.Tile > 0
}

// defineUnit writes vector register u of web w from r. An affine web gets only its base,
// from lane 0. first is the first register that the rule made, start the index at which
// its code begins: see retarget.
func (g *lowering) defineUnit(w webs.Web, u int32, r x64.Reg, start int, first x64.Reg) {
	p := &g.places[w]
	t := g.typ(w)
	if p.affine {
		if u == 0 {
			b := g.gpr(uint8(t.Bytes()))
			g.emit(x64.Inst{Op: fromVec(t), Len: uint8(t.Bytes()), Dst: b, B: r})
			g.defineGPR(w, b)
		}
		return
	}
	if p.rows > 0 {
		g.defineBase(w, u, r)
		return
	}
	m := g.lanesToWrite(w)
	if p.slot {
		g.storeSlot(w, u, r, m)
		return
	}
	d := p.units + x64.Reg(u)
	e := uint8(t.Bytes())
	// A constant mask: no lane, all lanes, or a blend by an immediate.
	bits, all, fixed := g.fixedChunk(m, uint8(g.w)/e, u)
	if fixed && bits != 0 {
		// In the lanes of keepsValue the operation does not change the old value, so
		// they may be written too.
		if e == 4 && bits != all {
			bits |= g.keepsValue(g.at) >> (uint(u) * uint(g.w) / 4 % 64) & all
		}
		if bits == all {
			m = 0
		}
	}
	if m == 0 {
		if !g.retarget(d, r, start, first, 0, 0) {
			g.move(d, r)
		}
		g.widerToo(r, d, false)
		return
	}
	switch {
	case !fixed:
	case bits == 0:
		return
	case !g.avx512 && e >= 4:
		g.blendFixed(d, r, bits, e)
		return
	}
	k := g.chunk(m, uint8(g.w)/e, e, u)
	if !g.avx512 {
		g.emit(x64.Inst{Op: x64.VPBLENDVB, Len: uint8(g.w), Dst: d, A: d, B: r, C: k})
		return
	}
	if g.retarget(d, r, start, first, k, e) {
		return
	}
	op := [9]x64.Op{1: x64.VMOVDQU8, 2: x64.VMOVDQU16, 4: x64.VMOVDQU32, 8: x64.VMOVDQU64}[e]
	g.emit(x64.Inst{Op: op, Len: uint8(g.w), Dst: d, B: r, K: k})
}

// fromVec is the instruction that moves the first element to a general register.
func fromVec(t ir.Type) x64.Op {
	if t == ir.B64 {
		return x64.VMOVQToGPR
	}
	return x64.VMOVDToGPR
}

// retarget changes the last instruction of a rule, which made r, so that it writes d:
// under mask k unless that is 0, with elements of e bytes. It reports whether that is
// possible. It saves a move for most results.
func (g *lowering) retarget(d, r x64.Reg, start int, first, k x64.Reg, e uint8) bool {
	n := len(g.fn.Code)
	// A mask may have been made after the rule's code.
	at := n - 1
	for at >= start && g.fn.Code[at].Dst != r {
		at--
	}
	// Only an instruction of the rule itself may be changed: other registers have more
	// readers.
	if r < first || at < start || g.vlen(r) != g.vlen(d) {
		return false
	}
	in := &g.fn.Code[at]
	info := in.Op.Info()
	// An instruction has one mask only.
	if in.K != 0 && !(info.Chooses && k == 0) {
		return false
	}
	if k != 0 && maskElem(info) != e {
		return false
	}
	if k != 0 && at != n-1 {
		// The mask must come first.
		op := *in
		copy(g.fn.Code[at:], g.fn.Code[at+1:])
		at = n - 1
		g.fn.Code[at] = op
		in = &g.fn.Code[at]
	}
	if info.DstRead {
		// The instruction also reads its destination: the move that fills it must go to
		// d too.
		j := at - 1
		for j >= start && g.fn.Code[j].Dst != r {
			j--
		}
		if j < start || g.fn.Code[j].Op != x64.VMOVDQU || g.fn.Code[j].K != 0 {
			return false
		}
		if f, c := fusedForms(in.Op), g.fn.Code[j].B; f[0] != 0 && c != d && c != 0 && !in.HasMem && (in.A == d || in.B == d) {
			// The destination is a factor: use the form that overwrites it.
			if in.A == d {
				in.Op, in.A = f[0], c
			} else {
				in.Op, in.B = f[1], c
			}
			g.fn.Code[j] = x64.Inst{Op: x64.NOP}
		} else if c != d {
			if k != 0 {
				return false
			}
			for _, in := range g.fn.Code[j+1 : at+1] {
				if in.A == d || in.B == d || in.C == d {
					return false
				}
			}
			g.fn.Code[j].Dst = d
		} else {
			g.fn.Code[j] = x64.Inst{Op: x64.NOP}
		}
	}
	in.Dst = d
	if k != 0 {
		in.K = k
	}
	return true
}

// fusedForms are the other forms of a fused multiply-add that adds to its destination:
// the forms that overwrite the first and the second factor; 0: none. All three choose
// the same one of several NaNs (Intel SDM volume 1, 14.5.1).
func fusedForms(op x64.Op) [2]x64.Op {
	switch op {
	case x64.VFMADD231PS:
		return [2]x64.Op{x64.VFMADD132PS, x64.VFMADD213PS}
	case x64.VFMADD231PD:
		return [2]x64.Op{x64.VFMADD132PD, x64.VFMADD213PD}
	case x64.VFNMADD231PS:
		return [2]x64.Op{x64.VFNMADD132PS, x64.VFNMADD213PS}
	case x64.VFNMADD231PD:
		return [2]x64.Op{x64.VFNMADD132PD, x64.VFNMADD213PD}
	}
	return [2]x64.Op{}
}

// maskElem is the element size for which an instruction's mask counts; 0: it has no
// mask, or the size is unknown.
func maskElem(info *x64.Info) uint8 {
	switch {
	case !info.Maskable || info.MaskNeeded || info.DstMem:
		return 0
	case info.Bcst != 0:
		return info.Bcst
	}
	name := info.Name
	if info.EVEXName != "" {
		name = info.EVEXName
	}
	switch {
	// Names of masked instructions show the element size.
	case strings.HasSuffix(name, "32"):
		return 4
	case strings.HasSuffix(name, "64"):
		return 8
	}
	return 0
}

// defineSplat writes a uniform value from a vector register that holds it in every
// element, or at least in the first one.
func (g *lowering) defineSplat(w webs.Web, r x64.Reg) {
	p := &g.places[w]
	t := g.typ(w)
	if t == ir.B1 && !g.s.Value(w).Scalar { // two scalar registers that are used as a mask of lanes
		d := g.gpr(8)
		g.emit(x64.Inst{Op: fromVec(ir.B64), Len: 8, Dst: d, B: r})
		g.defineGPR(w, d)
		return
	}
	if p.slot {
		v := g.f.Val(g.s.Webs[w].Ref)
		if v.Scalar {
			d := g.gpr(uint8(t.Bytes()))
			g.emit(x64.Inst{Op: fromVec(t), Len: uint8(t.Bytes()), Dst: d, B: r})
			g.defineGPR(w, d)
			return
		}
		for u := range g.unitsOf(t) {
			g.storeSlot(w, u, r, g.lanesToWrite(w))
		}
		return
	}
	if g.guarded(w) {
		if p.splat != 0 {
			// A uniform guard: all elements are written, or none.
			k := g.chunk(g.allOrNone(), uint8(g.w)/uint8(t.Bytes()), uint8(t.Bytes()), 0)
			if g.avx512 {
				op := [9]x64.Op{1: x64.VMOVDQU8, 2: x64.VMOVDQU16, 4: x64.VMOVDQU32, 8: x64.VMOVDQU64}[uint8(t.Bytes())]
				g.emit(x64.Inst{Op: op, Len: uint8(g.w), Dst: p.splat, B: r, K: k})
			} else {
				g.emit(x64.Inst{Op: x64.VPBLENDVB, Len: uint8(g.w), Dst: p.splat, A: p.splat, B: r, C: k})
			}
		}
	} else if p.splat != 0 {
		g.emit(x64.Inst{Op: x64.VMOVDQU, Len: uint8(g.w), Dst: p.splat, B: r})
	}
	if p.n > 0 { // the web counts as varying because of other definitions
		for u := range p.n {
			g.defineUnit(w, u, r, len(g.fn.Code), 1<<30)
		}
	}
	if p.gpr != 0 {
		d := g.gpr(uint8(t.Bytes()))
		g.emit(x64.Inst{Op: fromVec(t), Len: uint8(t.Bytes()), Dst: d, B: r})
		g.mirror(w, g.writeGPR(w, p.gpr, d))
	}
}

// storeSlot writes vector register u of a web that lives in its frame slot, for the
// lanes of m.
func (g *lowering) storeSlot(w webs.Web, u int32, r, m x64.Reg) {
	v := g.f.Val(g.s.Webs[w].Ref)
	mem := g.frame(v.Off + uint32(u*g.w))
	e := uint8(v.Type.Bytes())
	n := g.unitLen(v.Type)
	switch {
	case m == 0:
		g.emit(x64.Inst{Op: x64.VMOVDQUSt, Len: n, B: r, HasMem: true, M: mem})
	case g.avx512:
		g.emit(x64.Inst{Op: maskedStore(e), Len: n, B: r, HasMem: true, M: mem, K: g.chunk(m, uint8(g.w)/e, e, u)})
	default:
		k := g.chunk(m, uint8(g.w)/e, e, u)
		// AVX2 has no masked stores of all sizes: load, blend, store. The slot belongs
		// to this wave, so no other access interferes.
		t := g.reg(x64.Vec, n)
		g.emit(x64.Inst{Op: x64.VMOVDQU, Len: n, Dst: t, HasMem: true, M: mem})
		d := g.reg(x64.Vec, n)
		g.emit(x64.Inst{Op: x64.VPBLENDVB, Len: n, Dst: d, A: t, B: r, C: k})
		g.emit(x64.Inst{Op: x64.VMOVDQUSt, Len: n, B: d, HasMem: true, M: mem})
	}
}
