package why

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
)

// tiles follows the matrices that a product of a warpgroup reads from shared memory (PTX 9.7.16.5.1).
//
// Input: the wanted registers of D, with their lanes.
// Output: edges to the last stores of the rows of A and the columns of B that these elements depend on.
// Invariant: an element of D depends on its row of A and its column of B, and on nothing else of the two tiles. A tile is read
// in units of 16 bytes, so an edge may also lead to the store of a neighbour in a unit.
// Example: D[0,1] of a K-major product of K = 16 halves: 32 bytes of line 0 of A, and 32 bytes of line 1 of B.
func (s *slicer) tiles(t *task, info *ir.CollectiveInfo, w *want) {
	h, p := s.h, info.Product
	run := &h.waves[t.wave]
	d := p.D.Warp(p.N)
	per := d.PerReg()
	first := h.launch.RankOf(run.block) << ir.RankShift
	for i, r := range info.Dst {
		for l := range w.regs.of(h.Plan.register(r)).Lanes() {
			var items []Item
			add := func(tile matrix.SharedTile, mn int) {
				lines, units := tile.Lines()
				if tile.Major {
					for k := range lines {
						items = append(items, Item{Lane: l, Addr: first + uint64(tile.Unit(k, mn*tile.Bits/128)), Size: 16})
					}
					return
				}
				for u := range units {
					items = append(items, Item{Lane: l, Addr: first + uint64(tile.Unit(mn, u)), Size: 16})
				}
			}
			b, ok := s.eval(t, t.end, info.Src[p.SrcB], l)
			a := uint64(0)
			if p.SharedA && ok {
				a, ok = s.eval(t, t.end, info.Src[p.SrcA], l)
			}
			if !ok {
				s.end(t.node, Memory, 0, w.regs.of(h.Plan.register(r)), &Node{Kind: Unknown, Name: "the matrices in shared memory, whose descriptors the instruction computes from memory"})
				return
			}
			for e := range per {
				_, row, col := d.At(l, i*per+e)
				if p.SharedA {
					add(p.TileA(a), run.id%4*matrix.WarpRows+row)
				}
				add(p.TileB(b), col)
			}
			s.load(t, ir.Shared, items, t.time)
		}
	}
}

// cells follows the cells of Tensor Memory that a load reads to the operations that wrote them.
func (s *slicer) cells(t *task, in *ir.Inst, info *ir.CollectiveInfo, w *want) {
	h := s.h
	first := h.launch.RankOf(h.waves[t.wave].block)<<ir.RankShift + ir.TensorFirst
	var items []Item
	for i, r := range info.Dst {
		for l := range w.regs.of(h.Plan.register(r)).Lanes() {
			addr, ok := s.eval(t, t.end, in.Args[0], l)
			if !ok {
				s.end(t.node, Memory, 0, w.regs.of(h.Plan.register(r)), &Node{Kind: Unknown, Name: "an address of Tensor Memory"})
				return
			}
			addr += uint64(info.Offset)
			down, right := info.Matrix.Cell(l, i)
			x := Item{Lane: l, Addr: first + ir.TensorLane*(addr>>16&0xffff+uint64(down)) + 4*(addr&0xffff+uint64(right)), Size: 4}
			if info.Matrix.Pairs {
				x.Size = 8
			}
			items = append(items, x)
		}
	}
	s.load(t, ir.Shared, items, t.time)
}
