package sel

import (
	"encoding/binary"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// Input: an access at arbitrary addresses that come from lane numbers alone, for
// instance `(tid & -step) * 2 + (tid & (step-1))`, where only the running code has
// step.
// Output: a run-time test whether the lanes of each register have neighbouring
// elements; if they do, one load or store per register, else gathers or scatters.
// Invariant: both paths have the same effects; the code tests for runs and never
// assumes them.
// Example: distances {64, 68, 72, …} minus {0, 4, 8, …} are all 64: one VMOVDQU at
// base+64.

// The test takes a few instructions; a gather costs ten times as much, a scatter more.
// Addresses that come from memory or from other lanes rarely form runs, so they are not
// tested.

// runOps are the operations that usually keep neighbours neighbours. The bits are the
// arguments that may differ from lane to lane.
var runOps = map[ir.Op]uint8{
	ir.Add32: 3, ir.Sub32: 3, ir.And32: 3, ir.Or32: 3, ir.Xor32: 3, ir.Not32: 1, ir.Mov32: 1,
	ir.Add64: 3, ir.Sub64: 3, ir.And64: 3, ir.Or64: 3, ir.Xor64: 3, ir.Not64: 1, ir.Mov64: 1,
	ir.Shl32: 1, ir.ShrU32: 1, ir.ShrS32: 1, ir.ShlWrap32: 1, ir.ShrUWrap32: 1, ir.ShrSWrap32: 1,
	ir.Shl64: 1, ir.ShrU64: 1, ir.ShrS64: 1, ir.ShlWrap64: 1, ir.ShrUWrap64: 1, ir.ShrSWrap64: 1,
	ir.RemU32: 1, ir.RemS32: 1, ir.DivU32: 1, ir.DivS32: 1, ir.BfeU32: 1,
	ir.MinU32: 3, ir.MaxU32: 3, ir.MinS32: 3, ir.MaxS32: 3, ir.Sel32: 6, ir.Sel64: 6,
	ir.CvtU64FromU32: 1, ir.CvtS64FromU32: 1, ir.CvtS64FromS32: 1, ir.CvtU64FromS32: 1,
	ir.Pack64: 1, ir.Lo32: 1, ir.Hi32: 1, ir.Addc32: 7,
	// Products count if one factor is a constant: see keepsRuns.
	ir.Mul32: 3, ir.MulWideU32: 3, ir.MulWideS32: 3, ir.Mad32: 7, ir.MadWideU32: 7, ir.MadWideS32: 7,
}

// maxFactor bounds the constant factors of products that keep neighbours: hashes have
// larger ones.
const maxFactor = 1 << 12

// findRuns finds the webs that come from lane numbers and differ by them in an unknown
// way, and sets g.computed.
func (g *planner) findRuns() {
	g.computed = nil
	// Only functions with accesses at varying addresses are analysed.
	some := false
	for i := range g.f.Code {
		some = some || (g.f.Code[i].Op == ir.Load || g.f.Code[i].Op == ir.Store) && g.s.Ops[i].Args[0] != 0 && g.sh.Web(g.s.Ops[i].Args[0]).Kind == shape.Varying
	}
	if !some || g.s.Geom.Exact || g.s.TooLarge {
		return
	}
	g.computed = make([]bool, len(g.s.Webs))
	for i := range g.f.Code {
		if w := g.s.Ops[i].Dst; w != 0 && !g.s.Has(w, webs.Aliased) && g.sh.Web(w).Kind == shape.Varying {
			g.computed[w] = g.keepsRuns(i)
		}
	}
}

// keepsRuns reports whether the result of operation i comes from lane numbers. The
// arguments have been examined before, except a value from the previous iteration of a
// loop: it does not count.
func (g *planner) keepsRuns(i int) bool {
	in, o := &g.f.Code[i], &g.s.Ops[i]
	vary, ok := runOps[in.Op]
	if !ok {
		return false
	}
	factor := false
	for k, w := range o.Args {
		if w == 0 {
			continue
		}
		sh := g.sh.Arg(i, k)
		// A varying argument must come from lane numbers too, and be one that keeps
		// neighbours.
		if sh.Kind == shape.Varying && (vary>>k&1 == 0 || !g.computed[w]) && g.s.Value(w).Type != ir.B1 {
			return false
		}
		factor = factor || k < 2 && sh.IsConst() && sh.Base <= maxFactor
	}
	switch in.Op {
	case ir.Mul32, ir.MulWideU32, ir.MulWideS32, ir.Mad32, ir.MadWideU32, ir.MadWideS32:
		return factor
	}
	return true
}

// mayRun reports whether the lanes of the access in hand, at distances o, are worth a
// test for neighbouring elements of size bytes.
func (g *access) mayRun(o offsets, size uint8) bool {
	w := g.ops.Args[0]
	if x := g.baseIndexes[g.at]; x != nil && x.parts[0] == 0 {
		w = x.index
	}
	if g.computed == nil || o.e != 4 || size < 4 || size%max(o.scale, 1) != 0 || g.in.Space == ir.Local || int32(g.f.Lanes)*4 < g.w {
		return false
	}
	return g.sh.Web(w).Kind == shape.Varying && g.computed[w]
}

// findRun jumps to l unless in each register of elements of size bytes all lanes are
// neighbours. It returns the memory operand of each of these registers.
func (g *access) findRun(o offsets, size uint8, l x64.Label) []x64.Mem {
	was := g.len
	g.len = uint8(g.w)
	defer func() { g.len = was }()
	per := g.w / int32(size) // lanes of a register of elements
	n := g.w / 4             // lanes of a register of distances
	// steps: the distance of each lane from the first of its run. first: the lane with
	// which its run begins.
	var steps, first []byte
	for i := range n {
		steps = binary.LittleEndian.AppendUint32(steps, uint32(i%per*int32(size)/int32(max(o.scale, 1))))
		first = binary.LittleEndian.AppendUint32(first, uint32(i/per*per))
	}
	var bad, odd x64.Reg
	if o.disjoint && size > max(o.scale, 1) {
		// Disjoint lanes must be at multiples of their size.
		odd = g.c32(uint32(size/max(o.scale, 1)) - 1)
	}
	for _, r := range o.regs {
		// A lane's distance minus its position in the run must equal the distance of
		// the run's first lane.
		a := g.v2(x64.VPSUBD, r, g.table(steps))
		var b x64.Reg
		if per == n {
			b = g.v1(x64.VPBROADCASTD, r)
		} else {
			b = g.v2(x64.VPERMD, g.table(first), r)
		}
		if odd != 0 {
			if g.avx512 {
				bad = g.either(bad, g.nonzero(r, odd, 4, 0))
			} else {
				bad = g.either(bad, g.v2(x64.VPAND, r, odd))
			}
		}
		if g.avx512 {
			const notEqual = 4
			k := g.kreg()
			g.emit(x64.Inst{Op: x64.VPCMPUD, Len: g.len, Dst: k, A: a, B: b, Imm: notEqual})
			bad = g.either(bad, k)
		} else {
			bad = g.either(bad, g.v2(x64.VPXOR, a, b))
		}
	}
	if g.avx512 {
		g.emit(x64.Inst{Op: x64.KORTESTW, Len: 8, A: bad, B: bad})
	} else {
		g.emit(x64.Inst{Op: x64.VPTEST, Len: g.len, A: bad, B: bad})
	}
	g.jump(x64.JNE, l)
	var list []x64.Mem
	for _, r := range o.regs {
		for j := range n / per {
			// The distance of an inactive lane may be negative, so it is sign-extended.
			d := g.gpr(8)
			g.emit(x64.Inst{Op: x64.VMOVDToGPR, Len: 4, Dst: d, B: g.piece8(r, g.w/(n/per), j)})
			g.emit(x64.Inst{Op: x64.MOVSXD, Len: 8, Dst: d, B: d})
			list = append(list, o.mem(d, 0))
		}
	}
	return list
}

// loadRun loads count consecutive elements of size bytes for each lane of m, by one
// load per register if lanes are neighbours, else by gathers in cold code. Result k
// holds element k, in registers like those of gatherChunk.
func (g *access) loadRun(count int, size uint8, o offsets, m x64.Reg) [][]x64.Reg {
	per := g.w / int32(size)
	all := g.surelyAll()
	z := make([][]x64.Reg, count)
	for k := range z {
		for c := range int32(g.f.Lanes) / per {
			z[k] = append(z[k], g.reg(x64.Vec, uint8(g.w)))
			if k == 0 && !all && g.avx512 { // masks are needed on both paths
				g.chunk(m, uint8(per), size, c)
			}
		}
	}
	// Both paths write the same registers z.
	apart, back := g.label(), g.label()
	known := g.known()
	g.allOr(m, all, apart)
	places := g.findRun(o, size, apart)
	for k := range z {
		for c, p := range places {
			in := x64.Inst{Op: x64.VMOVDQU, Len: uint8(g.w), Dst: z[k][c], HasMem: true, M: at(p, int32(k)*int32(size))}
			if !all && g.avx512 {
				in.Op = [9]x64.Op{4: x64.VMOVDQU32, 8: x64.VMOVDQU64}[size]
				in.K, in.Z = g.chunk(m, uint8(per), size, int32(c)), true
			}
			g.emit(in)
		}
	}
	g.cold(apart, func() {
		for k := range z {
			for c, d := range z[k] {
				g.move(d, g.gatherChunk(size, o, g.offsetsOf(o, int32(c), size), m, uint8(per), size, int32(c), int32(k)*int32(size)))
			}
		}
		g.jump(x64.JMP, back)
	})
	g.bind(back)
	g.restore(known)
	return z
}

// storeRun stores elements of size bytes for the lanes of m, by one store per register
// if lanes are neighbours, else by apart. values[k] are the registers of all lanes for
// element k of a lane.
func (g *access) storeRun(values [][]x64.Reg, size uint8, o offsets, m x64.Reg, apart func()) {
	per := g.w / int32(size)
	all := g.surelyAll()
	far, back := g.label(), g.label()
	if !all && g.avx512 {
		for c := range values[0] {
			g.chunk(m, uint8(per), size, int32(c))
		}
	}
	known := g.known()
	g.allOr(m, all, far)
	places := g.findRun(o, size, far)
	for k, z := range values {
		for c, p := range places {
			mask := x64.Reg(0)
			if !all && g.avx512 {
				mask = g.chunk(m, uint8(per), size, int32(c))
			}
			g.storeUnit(at(p, int32(k)*int32(size)), z[c], mask, uint8(g.w), size)
		}
	}
	if g.avx512 {
		g.cold(far, func() {
			apart()
			g.jump(x64.JMP, back)
		})
	} else { // apart has cold code of its own, and cold regions do not nest
		g.jump(x64.JMP, back)
		g.bind(far)
		g.restore(known)
		apart()
	}
	g.bind(back)
	g.restore(known)
}

// allOr jumps to l, without mask registers, unless m has all lanes. There masks would
// take many vector registers, and masked stores are slow.
func (g *access) allOr(m x64.Reg, all bool, l x64.Label) {
	if !all && !g.avx512 {
		g.emit(x64.Inst{Op: x64.CMPImm, Len: g.maskBytes(), B: m, Imm: -1})
		g.jump(x64.JNE, l)
	}
}
