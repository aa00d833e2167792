package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file does wmma.load and wmma.store whose address is the same in all lanes, and whose
// stride is known: where the elements are from there is known, too.

// A tileMap says where the elements of a fragment are.
type tileMap struct {
	off   [][32][2]int32 // by register and lane: the first element, and the second of pairs, in bytes from the address
	words bool           // the elements of a register follow each other in memory
	bytes uint64
	align uint64 // what the address has to be a multiple of: of the bytes of the fragment
}

// maxTileStride bounds strides, in elements.
const maxTileStride = 1 << 16

// tileMap finds it for operation i; ok is false if there is none, or if the manual leaves
// the operation undefined (see sim.Wave.checkTile).
func (g *gen) tileMap(i int) (m tileMap, ok bool) {
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
	return m, m.words || per == 2
}

func tileCan(g *gen, i int) bool {
	in, w := &g.f.Code[i], g.s.Ops[i].Args[0]
	if _, ok := g.tileMap(i); !ok || in.Space > ir.Shared || int64(int32(g.f.Collectives[in.Imm].Offset)) != g.f.Collectives[in.Imm].Offset {
		return false
	}
	return g.f.Val(in.Args[0]).Kind == ir.Const || !g.s.Has(w, webs.Aliased) && g.sh.Web(w).Uniform()
}

// tileAt checks the address of a fragment's matrix and says where that is.
func (g *gen) tileAt(c *collective, m *tileMap) x64.Reg {
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

// wordTable is a function of the lanes of vector register u of a register of m.
func (m *tileMap) wordTable(g *gen, r, u int, f func(off [2]int32) int32) x64.Reg {
	return g.laneTable(u, func(lane int) uint32 { return uint32(f(m.off[r][lane])) })
}

// loadTile is wmma.load.
func (g *gen) loadTile(c *collective) {
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
				// The words that end with an element, as what lies behind the last one may not be
				// there; only the first element has nothing in front of it.
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

// storeTile is wmma.store. No two elements are in one place.
func (g *gen) storeTile(c *collective) {
	m, _ := g.tileMap(g.at)
	p := g.tileAt(c, &m)
	g.emit(x64.Inst{Op: x64.MOVStImm, Len: 8, Imm: 1, HasMem: true, M: g.ctl(CtlChanged)})
	n := g.perReg()
	for r, w := range c.src {
		for u := range 32 / n {
			x := g.value(w, int32(u), ir.B32)
			if m.words && g.avx512 {
				k := g.kreg()
				g.emit(x64.Inst{Op: x64.KXNORQ, Len: 8, Dst: k, A: k, B: k})
				idx := m.wordTable(g, r, u, func(off [2]int32) int32 { return off[0] })
				g.emit(x64.Inst{Op: x64.VPSCATTERDDSt, Len: g.len, B: x, HasMem: true, M: x64.Mem{Base: p, Index: idx, Scale: 1}, K: k})
				continue
			}
			from := g.ctl(CtlScratch + int32(r*128+u*int(g.w))%ScratchSize)
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
