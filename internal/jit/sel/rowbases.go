package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// Input: 64-bit addresses of lanes in tile rows, with rows at arbitrary addresses
// (shape.Shape.Tile).
// Output: g.rowBases: webs that live in one general register per row, the address of
// the row's first lane.
// Invariant: in loops this web is only an address of accesses by rows, and only
// uniform values are added to it; so all lanes of a row move together.
// Example: p[y] += 64 in a loop with two rows: two ADDs of general registers instead of
// vector adds and extractions.

// Without this form, each access by rows would extract the first lane of each row from
// a vector.

// maxRowBases is the largest number of rows of an address.
const maxRowBases = 4

// findRowBases finds the webs that are kept as the bases of their rows.
func (g *planner) findRowBases() {
	if g.s.Geom.Exact || g.s.TooLarge {
		return
	}
	var never []bool // by web; made when it is needed
	for b, blk := range g.f.Blocks {
		// Outside loops an extraction is cheap enough.
		if g.s.Depth[b] == 0 {
			continue
		}
		for i := blk.Start; i < blk.End; i++ {
			w := g.s.Ops[i].Dst
			if g.f.Code[i].Op != ir.Add64 || !g.mayBases(w) || g.rowStep(i, w) < 0 {
				continue
			}
			if never == nil {
				never = g.noBases()
			}
			if !never[w] {
				if g.rowBases == nil {
					g.rowBases = make([]bool, len(g.s.Webs))
				}
				g.rowBases[w] = true
			}
		}
	}
}

// mayBases reports whether web w has the type and shape for row bases.
func (g *planner) mayBases(w webs.Web) bool {
	info := &g.s.Webs[w]
	if w == 0 || info.Ref == 0 || info.Flags&(webs.Input|webs.Aliased|webs.Const) != 0 {
		return false
	}
	v, sh := g.f.Val(info.Ref), g.sh.Web(w)
	return v.Type == ir.B64 && !v.Scalar && sh.Kind == shape.Varying && sh.Tile > 0 &&
		8<<sh.Tile >= g.w && g.f.Lanes>>sh.Tile <= maxRowBases
}

// rowStep is the index of the uniform argument that operation i adds to w, its other
// argument and its result; -1 if the operation does anything else.
func (g *facts) rowStep(i int, w webs.Web) int {
	o := &g.s.Ops[i]
	if g.f.Code[i].Op != ir.Add64 || o.Dst != w {
		return -1
	}
	for k := range 2 {
		if o.Args[1-k] == w && o.Args[k] != w && g.sh.Web(o.Args[k]).Uniform() && !g.s.Has(o.Args[k], webs.Aliased) {
			return k
		}
	}
	return -1
}

// noBases are the webs that need all lanes in vectors: they are used in loops by other
// operations, or written by anything except a vector rule.
func (g *planner) noBases() []bool {
	never := make([]bool, len(g.s.Webs))
	for w := range never {
		if r := g.rep(webs.Web(w)); r != webs.Web(w) {
			never[w], never[r] = true, true // copies share one place
		}
	}
	for b, blk := range g.f.Blocks {
		for i := blk.Start; i < blk.End; i++ {
			in, o := &g.f.Code[i], &g.s.Ops[i]
			step := g.rowStep(i, o.Dst)
			for k, w := range o.Args {
				switch {
				// The web as the incremented operand, or a use outside loops, is
				// allowed.
				case step >= 0 && k == 1-step, g.s.Depth[b] == 0 && w != o.Dst:
				// So is the address of an access by rows.
				case k == 0 && (in.Op == ir.Load || in.Op == ir.Store) && accessCan(&g.facts, i) && g.form(i) == formRows:
				default:
					never[w] = true
				}
			}
			never[o.Guard], never[o.Dst2] = true, true
			if step < 0 && (g.s.Depth[b] > 0 || !in.Op.Pure() || g.pureHow(i) != byVector || vrules()[in.Op].screened) {
				never[o.Dst] = true
			}
			if o.Ext > 0 {
				for _, w := range g.s.Ext[o.Ext-1].Uses {
					never[w] = true
				}
			}
			for _, w := range g.lists(i) {
				never[w] = true
			}
		}
	}
	return never
}

// stepsOn reports whether operation i is an addition to row bases, and which argument
// is added.
func (g *facts) stepsOn(i int) (k int, ok bool) {
	w := g.s.Ops[i].Dst
	if g.rowBases == nil || !g.rowBases[w] {
		return 0, false
	}
	k = g.rowStep(i, w)
	return k, k >= 0
}

// stepOn emits an addition to row bases: argument k is added to the base of each row.
// Under a mask each base keeps its value if its lane is not active.
func (g *lowering) stepOn(k int) {
	p := &g.places[g.ops.Dst]
	by := g.scalarArg(g.ops.Args[k], ir.B64)
	_, all := g.writeMask()
	for r := range p.rows {
		b := p.bases + x64.Reg(r)
		if !g.guarded(g.ops.Dst) || all {
			g.apply(x64.ADD, x64.ADDImm, 8, b, by)
			g.forget(b)
			continue
		}
		d := g.gpr(8)
		g.move(d, b)
		g.apply(x64.ADD, x64.ADDImm, 8, d, by)
		g.writeGPR(g.ops.Dst, b, d)
	}
}

// baseOf is the register of the row in which lane i lies, and whether i is the row's
// first lane.
func (g *lowering) baseOf(p *place, i int32) (r x64.Reg, first bool) {
	row := p.steps.Tile
	return p.bases + x64.Reg(i>>row), i&(1<<row-1) == 0
}

// rowUnit is vector register u of a web that is kept as row bases.
func (g *lowering) rowUnit(p *place, u int32) x64.Reg {
	b, _ := g.baseOf(p, u*g.w/8)
	d := g.reg(x64.Vec, uint8(g.w))
	g.emit(x64.Inst{Op: x64.VPADDQ, Len: uint8(g.w), Dst: d, A: g.broadcast(b, ir.B64), B: g.steps(p.steps, ir.B64, u)})
	return d
}

// defineBase writes the base of the row that begins with vector register u, if a row
// does.
func (g *lowering) defineBase(w webs.Web, u int32, r x64.Reg) {
	b, first := g.baseOf(&g.places[w], u*g.w/8)
	if !first {
		return
	}
	d := g.gpr(8)
	g.emit(x64.Inst{Op: x64.VMOVQToGPR, Len: 8, Dst: d, B: r})
	g.writeGPR(w, b, d)
}
