package why

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
	"example.org/crosslane/lane"
)

// factors returns, for each source register of a matrix product, the lanes that the wanted elements
// were made of; nil means all lanes. An element of D is made of its row of A, its column of B and its
// element of C (PTX 9.7.15). The metadata of a sparse A and scale factors are not divided: all their
// lanes count.
func (h *History) factors(info *ir.CollectiveInfo, w *want) []lane.Mask {
	if info.Matrix.Kind != matrix.Multiply || info.Product == nil {
		return nil
	}
	p := info.Product
	type place struct{ block, row, col int }
	rows, cols, elems := map[place]bool{}, map[place]bool{}, map[place]bool{}
	for i, r := range info.Dst {
		if r == 0 {
			continue
		}
		for l := range w.regs.of(h.Plan.register(r)).Lanes() {
			for e := range p.D.PerReg() {
				b, row, col := p.D.At(l, i*p.D.PerReg()+e)
				rows[place{b, row, 0}], cols[place{b, 0, col}], elems[place{b, row, col}] = true, true, true
			}
		}
	}
	out := make([]lane.Mask, len(info.Src))
	fragment := func(l *matrix.Layout, first int, wanted func(place) bool) {
		for r := range l.Regs() {
			for i := range h.Plan.f.Lanes {
				for e := range l.PerReg() {
					if b, row, col := l.At(i, r*l.PerReg()+e); wanted(place{b, row, col}) && first+r < len(out) {
						out[first+r] |= lane.Lane(i)
						break
					}
				}
			}
		}
	}
	fragment(p.A, p.SrcA, func(x place) bool { return rows[place{x.block, x.row, 0}] })
	fragment(p.B, p.SrcB, func(x place) bool { return cols[place{x.block, 0, x.col}] })
	fragment(p.C, p.SrcC, func(x place) bool { return elems[x] })
	for r := p.SrcE; r < len(out); r++ {
		out[r] = lane.All(h.Plan.f.Lanes)
	}
	return out
}
