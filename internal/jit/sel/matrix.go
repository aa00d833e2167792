package sel

import (
	"slices"
	"strings"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
	"example.org/crosslane/internal/matrix"
	"example.org/crosslane/num"
)

// This file lowers products of matrices (mma, wmma), and dispatches the other operations of the
// wave on the registers of matrices.
//
// Input: an ir.Collective: fragments, that is, registers of which each lane holds some elements.
// Output: for a product, the vectors of A and the elements of B in the scratch area of the frame,
// and multiply-adds of a vector of A with one broadcast element of B.
// Invariant: sums go through the columns of A in order, so results have the bits of package matrix.
// If not all lanes come together, or anything has to be reported, package sim does the operation.
// Example: D = A·B + C with f16 A: sum[col] = fma(A[rows, k], B[k, col], sum[col]) for ascending k.
// Literature: Goto and van de Geijn, anatomy of high-performance matrix multiplication (TOMS 2008).

// collectiveCost is the number of instructions that a collective takes from the budget: see
// sim.Wave.collective.
const collectiveCost = 32

// collectiveOwns is the rule for all collectives.
var collectiveOwns = map[ir.Op]*own{ir.Collective: {can: collectiveCan, wants: collectiveWants, emit: emitCollective}}

// tileSize is the size of the scratch area for A and B; the rest is for conversions of f16.
const tileSize = abi.ScratchSize - 64

// collectives are the kinds of collectives with machine code.
var collectives = map[matrix.Kind]struct {
	can  func(g *facts, i int) bool
	emit func(g *access, c *collective)
}{
	matrix.Multiply:  {multiplyCan, (*access).multiply},
	matrix.Transpose: {func(*facts, int) bool { return true }, (*access).movmatrix},
	matrix.LoadRows:  {matrixRowsCan, (*access).ldmatrix},
	matrix.StoreRows: {matrixRowsCan, (*access).stmatrix},
	matrix.LoadTile:  {tileCan, (*access).loadTile},
	matrix.StoreTile: {tileCan, (*access).storeTile},
}

// A collective is the operation in hand.
type collective struct {
	*ir.CollectiveInfo
	src, dst []webs.Web // the webs of Src and Dst
	aside    x64.Label  // the exit by which package sim does the operation
}

// collectiveCan reports whether machine code does operation i: a kind with a rule, waves of 32
// lanes, no shadows, no missing sources, and a membermask in one register.
func collectiveCan(g *facts, i int) bool {
	in := &g.f.Code[i]
	c := &g.f.Collectives[in.Imm]
	rule, ok := collectives[c.Matrix.Kind]
	return ok && g.f.Lanes == 32 && c.DstShadow == nil && c.SrcShadow == nil && c.OwnShadow == 0 && !slices.Contains(c.Src, 0) &&
		g.inOne(g.s.Ops[i].Args[3]) && rule.can(g, i)
}

// collectiveWants asks for fragments in vector registers. An address is a general register if it is
// uniform (tiles), else a vector (rows). Stride and membermask are general registers.
func collectiveWants(g *facts, i int, wants, defs []want) {
	ops := &g.s.Ops[i]
	if g.f.Collectives[g.f.Code[i].Imm].Tile != nil {
		wants[ops.Args[0]] |= wantG
	} else {
		wants[ops.Args[0]] |= wantV
	}
	wants[ops.Args[1]] |= wantG
	if _, ok := g.known1(ops.Args[3]); !ok {
		wants[ops.Args[3]] |= wantG
	}
	x := &g.s.Ext[ops.Ext-1]
	for _, w := range x.Uses {
		wants[w] |= wantV
	}
	for _, w := range x.Defs {
		defs[w] |= wantV
	}
}

// emitCollective emits the operation in hand. It exits before any effect if not all lanes are
// active, or if the lanes are not the members; then it emits the code of the kind.
func emitCollective(g *access) {
	c := &collective{CollectiveInfo: &g.f.Collectives[g.in.Imm]}
	x := &g.s.Ext[g.ops.Ext-1]
	// Defs only has the results that are not discarded, so they are counted separately.
	c.src = x.Uses[:len(c.Src)]
	next := 0
	for _, r := range c.Dst {
		w := webs.Web(0)
		if r != 0 {
			w = x.Defs[next]
			next++
		}
		c.dst = append(c.dst, w)
	}
	for i, w := range c.dst {
		if slices.Contains(c.dst[i+1:], w) { // the last write to a register counts
			c.dst[i] = 0
		}
	}
	// The code may exit if lanes are missing, or if a check of memory fails.
	memory := g.ops.Args[0] != 0
	c.aside = g.label()
	// Compare the active lanes with all lanes, and with the membermask unless it names all.
	if !g.allMeet() {
		m, _ := g.writeMask()
		g.emit(x64.Inst{Op: x64.CMPImm, Len: 4, B: m, Imm: -1})
		g.jump(x64.JNE, c.aside)
		if members, ok := g.known1(g.ops.Args[3]); !ok || uint32(members) != 1<<32-1 {
			g.apartFrom(m, c.aside)
		}
	}
	if !g.allMeet() || memory {
		g.cold(c.aside, func() { g.exitAt(g.block) })
	}
	// All lanes take part, so writes to the destination need no mask.
	g.every = true
	collectives[c.Matrix.Kind].emit(g, c)
	g.every = false
	g.rm(x64.SUB, 8, abi.Counter, x64.Mem{Pool: g.number(collectiveCost << 32)})
}

// quads transposes four vector registers, of which each holds four words of a row in 16 bytes:
// vector i of the result holds word i of all rows. It is its own inverse.
func (g *arithmetic) quads(z [4]x64.Reg) [4]x64.Reg {
	// The usual transposition of 4x4 words: pairs of words, then pairs of pairs.
	t0, t1 := g.v2(x64.VPUNPCKLDQ, z[0], z[1]), g.v2(x64.VPUNPCKHDQ, z[0], z[1])
	t2, t3 := g.v2(x64.VPUNPCKLDQ, z[2], z[3]), g.v2(x64.VPUNPCKHDQ, z[2], z[3])
	return [4]x64.Reg{
		g.v2(x64.VPUNPCKLQDQ, t0, t2), g.v2(x64.VPUNPCKHQDQ, t0, t2),
		g.v2(x64.VPUNPCKLQDQ, t1, t3), g.v2(x64.VPUNPCKHQDQ, t1, t3),
	}
}

// band loads a band of a fragment, transposed by quads. raw allows any NaNs.
func (g *lowering) band(b *band, regs []webs.Web, raw bool) [4]x64.Reg {
	// Elements of A and B are converted, so the bits of their NaNs matter. C as f32 may keep any NaNs,
	// because putBand makes those of the sums canonical.
	var z [4]x64.Reg
	for i, f := range b.from {
		if raw {
			z[i] = g.unit(regs[f.reg], f.unit, ir.B32)
		} else {
			z[i] = g.value(regs[f.reg], f.unit, ir.B32)
		}
	}
	return g.quads(z)
}

// pairs takes the half-words of words apart and converts them from f16: the f32 of the lower ones,
// then those of the upper ones.
func (g *arithmetic) pairs(x x64.Reg) []x64.Reg {
	x = g.v2(x64.VPSHUFB, x, g.halfOrder(func(i int) int { return i%4*2 + i/4 }))
	return g.f16s(g.eights(x, func(i, n int) int { return i*2%n + i*2/n }))
}

// f16s converts a vector of f16 to two vectors of f32, in order. It goes through memory, because
// the conversion of a memory operand needs no shuffle.
func (g *arithmetic) f16s(x x64.Reg) []x64.Reg {
	m := g.ctl(abi.CtlScratch + tileSize)
	g.layOut(m, x, g.len)
	out := []x64.Reg{g.vec(), g.vec()}
	for i, r := range out {
		g.emit(x64.Inst{Op: x64.VCVTPH2PS, Len: g.len, Dst: r, HasMem: true, M: at(m, int32(i)*g.w/2)})
	}
	return out
}

// paired is the inverse of pairs: words of the f16 that are closest to two vectors of f32.
func (g *lowering) paired(lo, hi x64.Reg) x64.Reg {
	x := g.join([]x64.Reg{g.toHalf(lo, x64.Current), g.toHalf(hi, x64.Current)}, g.w/2)
	x = g.eights(f16.canonical(g, x), func(i, n int) int { return i/2 + i%2*n/2 })
	return g.v2(x64.VPSHUFB, x, g.halfOrder(func(i int) int { return i/2 + i%2*4 }))
}

// halfOrder is a pattern of vpshufb for the eight half-words of 16 bytes.
func (g *arithmetic) halfOrder(from func(i int) int) x64.Reg {
	data := make([]byte, g.w)
	for i := range data {
		data[i] = byte(from(i%16/2)*2 + i%2)
	}
	return g.table(data)
}

// eights permutes the n pieces of eight bytes of a vector register.
func (g *arithmetic) eights(x x64.Reg, from func(i, n int) int) x64.Reg {
	// AVX2 has a permute of four pieces by an immediate; with AVX-512 the pattern is a table.
	n := int(g.w) / 8
	if !g.avx512 {
		imm := int64(0)
		for i := range n {
			imm |= int64(from(i, n)) << (2 * i)
		}
		return g.vi(x64.VPERMQImm, x, imm)
	}
	return g.v2(x64.VPERMQ, g.order(8, int32(n), func(i int32) int32 { return int32(from(int(i), n)) }), x)
}

// elements unpacks words of elements into vectors. Floats give one vector of f32 for each element
// of a word. Integers give one vector of half-words for each two elements, the upper of which is in
// the upper half.
func (g *lowering) elements(e matrix.Elem, x x64.Reg) []x64.Reg {
	switch e {
	case matrix.F16:
		return g.pairs(x)
	case matrix.BF16:
		w := bf16.widened(g, x)
		return w[:]
	case matrix.TF32: // PTX 5.2.3: the 13 low bits are ignored
		return []x64.Reg{g.and(x, g.c32(^uint32(0x1fff)))}
	}
	var out []x64.Reg
	n := int64(e.Bits())
	if isInteger(e) {
		signed := e == matrix.S8 || e == matrix.S4
		// The lower half-word gets the element at bit low of the word, the upper one the element at
		// bit low+16.
		for low := int64(0); low < 16; low += n {
			y := x // the element moves to the top of its half-word and, with its sign or zeros, down again
			switch {
			case signed && low+n < 16:
				y = g.vi(x64.VPSRAWImm, g.vi(x64.VPSLLWImm, x, 16-n-low), 16-n)
			case signed:
				y = g.vi(x64.VPSRAWImm, x, 16-n)
			case low+n == 16:
				y = g.vi(x64.VPSRLWImm, x, low)
			default:
				if low > 0 {
					y = g.vi(x64.VPSRLWImm, x, low)
				}
				y = g.and(y, g.c16(1<<n-1))
			}
			out = append(out, y)
		}
		return out
	}
	// Floats of 8 bits and less: decode reads the element from the low bits of a word.
	f, skip := narrowOf(e)
	for low := int64(0); low < 32; low += n {
		y := x
		if low+skip > 0 {
			y = g.vi(x64.VPSRLDImm, x, low+skip)
		}
		out = append(out, f.decode(&g.arithmetic, y))
	}
	return out
}

// narrowOf is the format of floats of 8 bits and less, and the number of bits below an element in
// its place.
func narrowOf(e matrix.Elem) (f narrowFormat, skip int64) {
	f = narrowFormats[strings.ToUpper(e.String())]
	if e == matrix.E2M1 {
		skip = 2
	}
	return f, skip
}

// multiplyCan reports whether machine code does product i: dense, without block scales, rounded to
// nearest, not of bits or f64, and with layouts that have a tiling.
func multiplyCan(g *facts, i int) bool {
	p := g.f.Collectives[g.f.Code[i].Imm].Product
	switch {
	case p == nil || p.Sparse || p.ScaleVec > 0 || p.Op.A == matrix.B1 || p.Op.A == matrix.F64 || p.Op.Round != num.RN:
		return false
	}
	return g.tiling(p) != nil
}

// tiling returns the tiling of a product, or nil. It is computed once per function.
func (g *facts) tiling(p *matrix.Product) *tiling {
	t, ok := g.tilings[p]
	if !ok {
		if g.tilings == nil {
			g.tilings = map[*matrix.Product]*tiling{}
		}
		t = tile(p, g.w, tileSize)
		g.tilings[p] = t
	}
	return t
}

// A multiplication is the product in hand.
type multiplication struct {
	*tiling
	p *matrix.Product
	// a, b, c and dst are the registers of the fragments.
	a, b, c []webs.Web
	dst     []webs.Web
	late    bool     // D is written at the end
	writes  []func() // the writes that are kept for the end
}

// multiply emits a product. The vectors of A, and the elements of B, go to the scratch area. The
// sums are one vector for each column of some rows; every vector of A adds its product with one
// element of B.
func (g *lowering) multiply(c *collective) {
	p := c.Product
	m := &multiplication{tiling: g.tiling(p), p: p, dst: c.dst}
	m.a, m.b, m.c = c.src[p.SrcA:p.SrcB], c.src[p.SrcB:p.SrcC], c.src[p.SrcC:p.SrcE]
	// Later passes over D read C, so D must not overwrite it before. A and B have been read by
	// then.
	for r, w := range m.dst {
		for i, c := range m.c { // a register may be there more than once
			m.late = m.late || w != 0 && w == c && (i != r || p.Op.C != p.Op.D || p.Sat)
		}
	}
	// A: transposed bands; each vector is one slice of a group of rows.
	for i := range m.tiling.a {
		b := &m.tiling.a[i]
		q := g.band(b, m.a, false)
		for k, x := range q {
			for e, v := range g.elements(p.Op.A, x) {
				s := int32(m.order[b.cols[k][e]])
				g.emit(x64.Inst{Op: x64.VMOVDQUSt, Len: g.len, B: v, HasMem: true, M: g.areaA(m, s, b.group)}) // loaded again as a whole
			}
		}
	}
	// B, element by element, so that each one can be broadcast from memory.
	for i, r := range m.regsB {
		for u := range 128 / g.w {
			x := g.value(m.b[r], u, ir.B32)
			// f16 stay in the order of the register: tile has the matching offsets.
			if p.Op.B == matrix.F16 {
				for e, v := range g.f16s(x) {
					g.layOut(g.ctl(abi.CtlScratch+m.atB+int32(i)*256+(2*u+int32(e))*g.w), v, g.len)
				}
				continue
			}
			for e, v := range g.elements(p.Op.B, x) {
				off := m.atB + int32(i*m.parts+e)*128 + u*g.w
				g.layOut(g.ctl(abi.CtlScratch+off), v, g.len)
			}
		}
	}
	for _, chunks := range m.passes {
		g.multiplyChunks(m, chunks)
	}
	for _, f := range m.writes {
		f()
	}
}

// areaA is the place of slice s of a group of rows of A.
func (g *arithmetic) areaA(m *multiplication, s int32, group int) x64.Mem {
	return g.ctl(abi.CtlScratch + (s*int32(m.groups)+int32(group))*g.w)
}

// cell is a column of a group of rows.
type cell struct{ group, col int }

// multiplyChunks computes some columns of D: it begins with C or zeros, adds the slices of A in
// order, and writes the columns.
func (g *lowering) multiplyChunks(m *multiplication, chunks []chunk) {
	acc := map[cell]x64.Reg{}
	var groups []int
	for i := range chunks {
		ch := &chunks[i]
		if !slices.Contains(groups, ch.group) {
			groups = append(groups, ch.group)
		}
		if m.p.Sat { // the sum is saturated once, so C is added last
			for _, col := range ch.cols {
				acc[cell{ch.group, col}] = g.v1(x64.VMOVDQU, g.zero())
			}
			continue
		}
		g.eachC(m, ch, func(at cell, x x64.Reg) { acc[at] = x })
	}
	for s := range m.slices {
		g.step(m, int32(s), chunks, groups, acc)
	}
	for i := range chunks {
		ch := &chunks[i]
		if m.p.Sat {
			g.eachC(m, ch, func(at cell, c x64.Reg) { acc[at] = g.addSat32(c, acc[at]) })
		}
		for _, i := range ch.d {
			g.putBand(m, &m.d[i], acc)
		}
	}
}

// eachC calls f with the columns of C in a chunk, as vectors of f32 or of integers.
func (g *lowering) eachC(m *multiplication, ch *chunk, f func(at cell, x x64.Reg)) {
	for _, i := range ch.c {
		b := &m.tiling.c[i]
		q := g.band(b, m.c, m.p.Op.C == matrix.F32)
		for k, x := range q {
			list := []x64.Reg{x}
			if m.p.Op.C == matrix.F16 {
				list = g.pairs(x)
			}
			for e, v := range list {
				f(cell{ch.group, b.cols[k][e]}, v)
			}
		}
	}
}

// step adds the products of slice s of A to the sums.
func (g *arithmetic) step(m *multiplication, s int32, chunks []chunk, groups []int, acc map[cell]x64.Reg) {
	// One vector of A per group of rows serves all columns.
	a := map[int]x64.Reg{}
	for _, group := range groups {
		a[group] = g.vec()
		g.emit(x64.Inst{Op: x64.VMOVDQU, Len: g.len, Dst: a[group], HasMem: true, M: g.areaA(m, s, group)})
	}
	integer := isInteger(m.p.Op.A)
	b := map[int]x64.Reg{}
	for i := range chunks {
		ch := &chunks[i]
		for _, col := range ch.cols {
			mem := g.ctl(abi.CtlScratch + m.atB + m.slices[s].at[col])
			sum, x := acc[cell{ch.group, col}], a[ch.group]
			// The broadcast is part of the multiply-add.
			if g.avx512 && !integer {
				mem.Bcst = true
				g.emit(x64.Inst{Op: x64.VFMADD231PS, Len: g.len, Dst: sum, A: x, HasMem: true, M: mem})
				continue
			}
			// Without that, a column's broadcast serves all groups of rows.
			if b[col] == 0 {
				b[col] = g.vec()
				g.emit(x64.Inst{Op: x64.VPBROADCASTD, Len: g.len, Dst: b[col], HasMem: true, M: mem})
			}
			if integer {
				g.emit(x64.Inst{Op: x64.VPADDD, Len: g.len, Dst: sum, A: sum, B: g.v2(x64.VPMADDWD, x, b[col])})
			} else {
				g.emit(x64.Inst{Op: x64.VFMADD231PS, Len: g.len, Dst: sum, A: x, B: b[col]})
			}
		}
	}
}

// addSat32 is a saturated sum of signed words.
func (g *arithmetic) addSat32(a, b x64.Reg) x64.Reg {
	sum := g.v2(x64.VPADDD, a, b)
	// The limit has the sign of a. The sum overflows if a and b have one sign and the sum has the
	// other one.
	limit := g.xor(g.vi(x64.VPSRADImm, a, 31), g.c32(1<<31-1))
	over := g.andn(g.xor(a, b), g.xor(a, sum))
	return g.pick32(g.gtd(g.zero(), over), sum, limit)
}

// putBand writes a band of D: it converts the columns to the type of D, transposes them back, and
// defines the registers.
func (g *lowering) putBand(m *multiplication, b *band, acc map[cell]x64.Reg) {
	var q [4]x64.Reg
	for k, cols := range b.cols {
		v := make([]x64.Reg, len(cols))
		for e, col := range cols {
			v[e] = acc[cell{b.group, col}]
		}
		switch m.p.Op.D {
		case matrix.F16:
			q[k] = g.paired(v[0], v[1])
		case matrix.F32:
			q[k] = g.canonical(v[0], 32, nanF32)
		default:
			q[k] = v[0]
		}
	}
	// The last instruction of quads may write the destination itself: see defineUnit.
	start, first := len(g.fn.Code), x64.Virtual+x64.Reg(len(g.fn.VRegs))
	for i, r := range g.quads(q) {
		f := b.from[i]
		switch w := m.dst[f.reg]; {
		case w == 0 || !b.some[i]:
		case m.late:
			m.writes = append(m.writes, func() { g.defineUnit(w, f.unit, r, len(g.fn.Code), 1<<30) })
		default:
			g.defineUnit(w, f.unit, r, start, first)
		}
	}
}
