package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file lowers wmma.load and wmma.store whose address is the same in all lanes and whose stride
// is known.
//
// Input: an ir.Collective with a tile, its uniform address, and registers of fragments.
// Output: one range check, then gathers or stores at constant distances from the address.
// Invariant: the distances of all elements from the address are known at translation time, so one
// check covers them, and the exit comes before any effect.
// Example: a row-major tile of f16 with a stride of 16 elements: element (row, col) is at p +
// row·32 + col·2.

// A tileMap has the places of the elements of a fragment.
type tileMap struct {
	off   [][32][2]int32 // by register and lane: the first element, and the second one of pairs, in bytes from the address
	words bool           // the elements of a register are consecutive in memory
	// bytes is the distance from the address to the end of the last element.
	bytes uint64
	align uint64 // the alignment of the address: the bytes of a lane's fragment
}

// maxTileStride bounds strides, in elements, so that distances fit in 32 bits.
const maxTileStride = 1 << 16

// tileMap computes the map of operation i. ok is false if the stride is not known, if the layout
// has another form, or if the manual leaves the operation undefined (see sim.Wave.checkTile).
func (g *facts) tileMap(i int) (m tileMap, ok bool) {
	in := &g.f.Code[i]
	c := &g.f.Collectives[in.Imm]
	t := c.Tile
	stride, known := uint64(c.Stride), true
	if in.Args[1] != 0 {
		stride, known = g.known1(g.s.Ops[i].Args[1])
	}
	bits := uint64(t.Elem.Bits())
	if !known || t.RegBits != 32 || t.Blocks != 1 || bits < 8 || stride < uint64(c.Stride) || stride > maxTileStride {
		return m, false
	}
	// The default stride of the manual need not be a multiple of the fragment's bytes.
	bytes := bits / 8
	m.align = 4 * uint64(t.Regs())
	if stride != uint64(c.Stride) && stride*bytes%m.align != 0 {
		return m, false
	}
	per := t.PerReg()
	m.off, m.words = make([][32][2]int32, t.Regs()), true
	for r := range m.off {
		for lane := range 32 {
			for e := range per {
				_, row, col := t.At(lane, r*per+e)
				at := uint64(col)*stride + uint64(row)
				if c.Matrix.RowMajor {
					at = uint64(row)*stride + uint64(col)
				}
				at *= bytes
				if e < 2 {
					m.off[r][lane][e] = int32(at)
				}
				m.words = m.words && int32(at) == m.off[r][lane][0]+int32(e)*int32(bytes)
				m.bytes = max(m.bytes, at+bytes)
			}
		}
	}
	// Elements that are not consecutive are only accessed as pairs.
	return m, m.words || per == 2
}

// tileCan reports whether machine code does operation i: a known map, an address that is uniform or
// constant, and generic, global or shared memory.
func tileCan(g *facts, i int) bool {
	in, w := &g.f.Code[i], g.s.Ops[i].Args[0]
	if _, ok := g.tileMap(i); !ok || in.Space > ir.Shared || int64(int32(g.f.Collectives[in.Imm].Offset)) != g.f.Collectives[in.Imm].Offset {
		return false
	}
	return g.f.Val(in.Args[0]).Kind == ir.Const || !g.s.Has(w, webs.Aliased) && g.sh.Web(w).Uniform()
}

// tileAt checks the address of a fragment's matrix and returns it in a register. The check is that
// of a load of all the matrix's bytes, so the operation in hand is replaced by one for that long.
func (g *access) tileAt(c *collective, m *tileMap) x64.Reg {
	was := g.in
	in := *was
	in.Op, in.Imm = ir.Load, uint64(c.Offset)
	g.in = &in
	a := g.address()
	g.emit(x64.Inst{Op: x64.TESTImm, Len: 4, B: a, Imm: int64(m.align) - 1})
	g.jump(x64.JNE, c.aside)
	p := g.base(g.inside(a, m.bytes, c.aside))
	g.in = was
	return p
}

// wordTable is a function of the lanes of vector register u of a register of m, as a constant.
func (m *tileMap) wordTable(g *access, r, u int, f func(off [2]int32) int32) x64.Reg {
	return g.laneTable(u, func(lane int) uint32 { return uint32(f(m.off[r][lane])) })
}

// loadTile is wmma.load.
func (g *access) loadTile(c *collective) {
	m, _ := g.tileMap(g.at)
	o := offsets{base: g.tileAt(c, &m), e: 4}
	n := g.perReg()
	gather := func(idx x64.Reg) x64.Reg { return g.gatherChunk(4, o, idx, 0, uint8(n), 4, 0, 0) }
	for r, w := range c.dst {
		for u := range 32 / n {
			if w == 0 {
				continue
			}
			var x x64.Reg
			if m.words {
				x = gather(m.wordTable(g, r, u, func(off [2]int32) int32 { return off[0] }))
			} else {
				// Load the word that ends with the element, because the bytes after the last
				// element may not exist. Only the first element of the matrix has no bytes before
				// it.
				var half [2]x64.Reg
				for e := range half {
					y := gather(m.wordTable(g, r, u, func(off [2]int32) int32 { return max(off[e]-2, 0) }))
					shift := m.wordTable(g, r, u, func(off [2]int32) int32 {
						if off[e] < 2 {
							return 0
						}
						return 16
					})
					half[e] = g.and(g.v2(x64.VPSRLVD, y, shift), g.c32(0xffff))
				}
				x = g.or(half[0], g.vi(x64.VPSLLDImm, half[1], 16))
			}
			g.defineUnit(w, int32(u), x, len(g.fn.Code), 1<<30)
		}
	}
}

// storeTile is wmma.store. No two elements share a place, so the order of the stores does not
// matter.
func (g *access) storeTile(c *collective) {
	m, _ := g.tileMap(g.at)
	p := g.tileAt(c, &m)
	g.emit(x64.Inst{Op: x64.MOVStImm, Len: 8, Imm: 1, HasMem: true, M: g.ctl(abi.CtlChanged)})
	n := g.perReg()
	for r, w := range c.src {
		for u := range 32 / n {
			x := g.value(w, int32(u), ir.B32)
			// With AVX-512: one scatter under a mask of all lanes.
			if m.words && g.avx512 {
				k := g.kreg()
				g.emit(x64.Inst{Op: x64.KXNORQ, Len: 8, Dst: k, A: k, B: k})
				idx := m.wordTable(g, r, u, func(off [2]int32) int32 { return off[0] })
				g.emit(x64.Inst{Op: x64.VPSCATTERDDSt, Len: g.len, B: x, HasMem: true, M: x64.Mem{Base: p, Index: idx, Scale: 1}, K: k})
				continue
			}
			// Without: through the scratch area, one lane at a time.
			from := g.ctl(abi.CtlScratch + int32(r*128+u*int(g.w))%abi.ScratchSize)
			g.layOut(from, x, g.len)
			for lane := range n {
				off := m.off[r][u*n+lane]
				d := g.gpr(8)
				if m.words {
					g.load(4, d, at(from, int32(4*lane)))
					g.store(4, x64.Mem{Base: p, Disp: off[0]}, d)
					continue
				}
				for e := range off {
					d := g.gpr(8)
					g.emit(x64.Inst{Op: x64.MOVZXW, Len: 4, Dst: d, HasMem: true, M: at(from, int32(4*lane+2*e))})
					g.store(2, x64.Mem{Base: p, Disp: off[e]}, d)
				}
			}
		}
	}
}
