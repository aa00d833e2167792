package sim

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
	"example.org/crosslane/lane"
)

// matrixMarks holds the poisoned rows of A, columns of B and elements of C, by the index in all matrices of
// the operation.
type matrixMarks struct {
	rows, cols [64]bool
	elems      [512]bool
}

// shadowCollective marks the results of an operation of all lanes of a wave. An element of D depends on its
// row of A, its column of B and its element of C. A loaded element depends on its address. If a lane is
// missing, all results are undefined.
//
// Input: the marks of the sources (SrcShadow) and of each lane's own address (OwnShadow).
// Output: the marks of the destinations (DstShadow).
// Example: a poisoned element in row 3 of A marks row 3 of D.
func (o *collective) shadowCollective() {
	_, first := o.at(0)
	if first.DstShadow == nil {
		return
	}
	missing := o.full &^ o.all
	if o.Launch.Origins != nil {
		missing = 0
	}
	// Undefined bits of memory move first: they are exact per bit, while the marks below are per lane.
	wide := o.Launch.Track && o.shadowMemory()
	// source returns the marked lanes of source register r, over all instructions.
	source := func(r int) (m lane.Mask) {
		for i := range o.group {
			_, info := o.at(i)
			m |= o.marks(info.SrcShadow[r]) & o.group[i].lanes
		}
		return m
	}
	var own lane.Mask
	for i := range o.group {
		_, info := o.at(i)
		own |= o.marks(info.OwnShadow) & o.group[i].lanes
	}
	var bad []lane.Mask
	switch first.Matrix.Kind {
	case matrix.Multiply:
		bad = o.shadowProduct(first, source)
	case matrix.WarpgroupMultiply:
		bad = o.shadowWarpgroup(first, source)
	case matrix.Transpose:
		s, d := source(0), lane.Mask(0)
		for l := range 32 {
			if from := 8*(l%4) + l/8; s.Has(from) || s.Has(from+4) {
				d |= lane.Lane(l)
			}
		}
		bad = []lane.Mask{d}
	case matrix.LoadRows:
		if first.Matrix.Bytes {
			bad = shadowBytes(first, own)
			own = 0
			break
		}
		for j := range first.Matrix.Num {
			var d lane.Mask
			for l := range 32 {
				a, b := 8*j+l/4, 8*j+l/4
				if first.Matrix.Trans {
					a, b = 8*j+2*(l%4), 8*j+2*(l%4)+1
				}
				if own.Has(a) || own.Has(b) {
					d |= lane.Lane(l)
				}
			}
			bad = append(bad, d)
		}
		own = 0
	default:
		bad = make([]lane.Mask, len(first.Dst))
	}
	for i := range o.group {
		_, info := o.at(i)
		for r, s := range info.DstShadow {
			if s == 0 {
				continue
			}
			m := bad[r] | own
			if missing != 0 {
				m = o.full
			}
			if wide {
				// Memory has given the undefined bits. Other reasons add to them.
				o.setBits(s, m&o.group[i].lanes, m)
				continue
			}
			o.setBits(s, o.group[i].lanes, m)
		}
	}
}

// shadowMemory moves undefined bits to or from memory as the operation moved the bits. It reports whether
// the operation is a load, whose results then have the undefined bits of memory.
func (o *collective) shadowMemory() bool {
	_, first := o.at(0)
	kind := first.Matrix.Kind
	if kind == matrix.Multiply || kind == matrix.Transpose || kind.Warpgroup() || kind.TensorMemory() && kind != matrix.TensorLoad && kind != matrix.TensorStore {
		return false
	}
	ins, infos := make([]ir.Inst, len(o.group)), make([]ir.CollectiveInfo, len(o.group))
	for i := range o.group {
		in, info := o.at(i)
		ins[i], infos[i] = *in, *info
		ins[i].Flags |= ir.Undefined
		infos[i].Src, infos[i].Dst = info.SrcShadow, info.DstShadow
		infos[i].Matrix.AllAddresses = false
	}
	bits := collective{Wave: o.Wave, group: o.group, all: o.all, ins: ins, infos: infos}
	ok := true
	switch kind {
	case matrix.LoadRows:
		for i := range o.group {
			ok = ok && bits.readRows(&ins[i], &infos[i], o.group[i].lanes)
		}
		for i := range o.group {
			bits.spreadRows(&infos[i])
			bits.putResults(&infos[i], len(infos[i].Dst), o.group[i].lanes)
		}
	case matrix.StoreRows:
		bits.gatherSources()
		for i := range o.group {
			ok = ok && bits.writeRows(&ins[i], &infos[i], o.group[i].lanes)
		}
	case matrix.TensorLoad, matrix.TensorStore:
		ok = bits.tensorMove()
	default:
		for i := range o.group {
			ok = ok && bits.tile(&ins[i], &infos[i], o.group[i].lanes)
		}
	}
	return ok && (kind == matrix.LoadRows || kind == matrix.LoadTile || kind == matrix.TensorLoad)
}

// shadowProduct returns the poisoned lanes of every register of D.
func (o *collective) shadowProduct(info *ir.CollectiveInfo, source func(int) lane.Mask) []lane.Mask {
	p, m := info.Product, &o.coll.marks
	*m = matrixMarks{}
	// each calls f for every element of an operand that a marked lane holds.
	each := func(l *matrix.Layout, reg int, f func(block, row, col int)) {
		for r := range l.Regs() {
			for i := range source(reg + r).Lanes() {
				for e := range l.PerReg() {
					f(l.At(i, r*l.PerReg()+e))
				}
			}
		}
	}
	each(p.A, p.SrcA, func(b, row, _ int) { m.rows[b*p.M+row] = true })
	each(p.B, p.SrcB, func(b, _, col int) { m.cols[b*p.N+col] = true })
	each(p.C, p.SrcC, func(b, row, col int) { m.elems[(b*p.M+row)*p.N+col] = true })
	var rest lane.Mask // metadata and scale factors
	for r := p.SrcE; r < len(info.Src); r++ {
		rest |= source(r)
	}
	bad := make([]lane.Mask, p.D.Regs())
	for r := range bad {
		for l := range 32 {
			for e := range p.D.PerReg() {
				b, row, col := p.D.At(l, r*p.D.PerReg()+e)
				if rest != 0 || m.rows[b*p.M+row] || m.cols[b*p.N+col] || m.elems[(b*p.M+row)*p.N+col] {
					bad[r] |= lane.Lane(l)
				}
			}
		}
	}
	return bad
}

// shadowBytes returns the poisoned lanes of every register of ldmatrix with elements of 8 bits: the lanes
// with an element of a row whose address is poisoned.
func shadowBytes(info *ir.CollectiveInfo, own lane.Mask) []lane.Mask {
	t := info.Tile
	bad := make([]lane.Mask, info.Matrix.Num*t.Regs())
	for i := range bad {
		for l := range 32 {
			for e := range 4 {
				if _, row, _ := t.At(l, i%t.Regs()*4+e); own.Has(i/t.Regs()*t.Rows + row) {
					bad[i] |= lane.Lane(l)
				}
			}
		}
	}
	return bad
}
