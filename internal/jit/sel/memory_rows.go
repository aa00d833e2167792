package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/x64"
)

// This file selects accesses with addresses that are affine inside tile rows.
//
// Input: an access in form formRows: a block is narrower than a wave, so a wave has
// several tile rows of 1<<Tile lanes.
// Output: one check per tile row, or one for all if the rows are a constant distance
// apart; then one instruction per row, or gathers.
// Invariant: inside a tile row the distance between lanes is constant
// (shape.Shape.Tile); the check covers inactive lanes too.
// Example: blocks of 16 by 16: a[y][x] is two pieces of 64 bytes per 32 lanes, one for
// each y.

// If the rows are not a constant distance apart, each has an address of its own.

// maxRows is the largest number of rows that are accessed one by one.
const maxRows = 8

// inRows reports whether this file selects access i, which has its lanes in tile rows.
// Distances must fit maxStride and be multiples of the alignment, and each lane must
// access a whole element of 4 or 8 bytes.
func (g *facts) inRows(i int) bool {
	in := &g.f.Code[i]
	sh := g.sh.Web(g.s.Ops[i].Args[0])
	data := in.Dst
	if in.Op != ir.Load {
		data = in.Args[1]
	}
	known := sh.Kind == shape.Affine
	if in.Op == ir.Atomic || in.Size < 4 || g.f.Val(data).Type.Bytes() != uint32(in.Size) {
		return false
	}
	size := typeBits(g.f.Val(in.Args[0]).Type)
	// The lanes of a row, and the rows, must be close to each other, for distances in
	// 32 bits.
	steps := sh.Steps()
	first, last := shape.Steps{Stride: steps.Stride}.Ends(size, 2)
	least, greatest := shape.Steps{Stride: steps.Step}.Ends(size, 2)
	if min(first, least) < -maxStride || max(last, greatest) > maxStride {
		return false
	}
	if in.Align > 1 && (steps.Stride|steps.Step)&(uint64(in.Align)-1) != 0 {
		return false
	}
	return g.byRow(i) || known && (in.Op == ir.Load || g.avx512)
}

// typeBits is a mask of the bits of type t.
func typeBits(t ir.Type) uint64 {
	if t == ir.B64 {
		return 1<<64 - 1
	}
	return 1<<(8*t.Bytes()) - 1
}

// byRow reports whether the rows of access i are gapless pieces of memory, or one
// element for all lanes of a row, and large enough to be worth an instruction each.
func (g *facts) byRow(i int) bool {
	in := &g.f.Code[i]
	sh := g.sh.Web(g.s.Ops[i].Args[0])
	// A row has no gaps, or is one element, which only loads may use.
	if sh.Stride != uint64(in.Size) && (sh.Stride != 0 || in.Op == ir.Store) {
		return false
	}
	return uint32(in.Size)<<sh.Tile >= 16 && g.f.Lanes>>sh.Tile <= maxRows
}

// rows checks the addresses of all lanes, active or not, for n pieces, and returns the
// memory operand of each row; it jumps to l if a lane is outside.
func (g *access) rows(n int, l x64.Label) []x64.Mem {
	w := g.ops.Args[0]
	sh, t := g.sh.Web(w), g.f.Val(g.in.Args[0]).Type
	list := make([]x64.Mem, g.f.Lanes>>sh.Tile)
	piece := uint64(n) * uint64(g.in.Size)
	if sh.Kind == shape.Affine {
		m, least := g.allRows(sh, n, l)
		for r := range list {
			list[r] = at(m, int32(g.lane(sh, r<<sh.Tile)-least))
		}
		return list
	}
	// Each row has an address of its own: check them one by one.
	span := sh.Stride<<sh.Tile - sh.Stride + piece
	var c x64.Mem
	var p x64.Reg // the host address of the region, for all rows
	if g.in.Space != ir.Shared {
		c = g.cache(0, span)
	}
	per := g.w / int32(t.Bytes()) // lanes of a register
	for r := range list {
		first := int32(r << sh.Tile)
		a := g.gpr(8)
		// The first lane of the row is in a general register, or is taken out of a
		// vector.
		if p := &g.places[w]; p.rows > 0 {
			g.move(a, p.bases+x64.Reg(r))
		} else {
			g.emit(x64.Inst{Op: fromVec(t), Len: uint8(t.Bytes()), Dst: a, B: g.piece8(g.unit(w, first/per, t), int32(t.Bytes()), first%per)})
		}
		g.addOffset(a, t)
		g.aligned(a, l)
		if g.in.Space == ir.Shared {
			list[r] = g.inside(a, span, l)
			continue
		}
		g.offsetIn(a, c, l)
		// All rows are in one region, so its host address is loaded once.
		if r == 0 {
			p = g.gpr(8)
			g.load(8, p, at(c, abi.CachePtr))
		}
		list[r] = x64.Mem{Base: p, Index: a, Scale: 1}
	}
	return list
}

// lane is the distance of lane i of the access in hand from lane 0.
func (g *access) lane(sh shape.Shape, i int) int64 {
	d := sh.Steps().At(i)
	if g.f.Val(g.in.Args[0]).Type == ir.B32 {
		return int64(int32(d))
	}
	return int64(d)
}

// allRows checks the addresses of all lanes, if rows are a constant distance apart, for
// n pieces. It returns the memory operand of the lowest lane and least, the distance of
// that lane from lane 0.
func (g *access) allRows(sh shape.Shape, n int, l x64.Label) (m x64.Mem, least int64) {
	least, greatest := sh.Steps().Ends(typeBits(g.f.Val(g.in.Args[0]).Type), g.f.Lanes)
	piece := uint64(n) * uint64(g.in.Size)
	// The distances of all lanes are constants, so one check of both ends is enough.
	if g.declared(g.at, piece) {
		return at(g.sharedPlace(), int32(least)), least
	}
	if x := g.walking(n); x != nil {
		return g.walked(x, n, l), least
	}
	a := g.address()
	g.aligned(a, l)
	if least != 0 {
		g.ri(x64.ADDImm, 8, a, least)
	}
	return g.inside(a, uint64(greatest-least)+piece, l), least
}

// loadRows loads n pieces. Inactive lanes load too, because all rows are inside.
func (g *access) loadRows(n int, l x64.Label) {
	sh, size := g.sh.Web(g.ops.Args[0]), g.in.Size
	if !g.byRow(g.at) {
		m, least := g.allRows(sh, n, l)
		p := g.base(m)
		for k := range n {
			g.piece(k, func() {
				per := g.w / int32(size)
				var parts []x64.Reg
				for c := range int32(g.f.Lanes) / per {
					parts = append(parts, g.gatherChunk(size, offsets{base: p, e: 4}, g.rowsOffsets(sh, c*per, per, least), 0, uint8(per), size, c, int32(k)*int32(size)))
				}
				g.defineParts(parts, per, int32(size))
			})
		}
		return
	}
	list := g.rows(n, l)
	for k := range n {
		g.piece(k, func() {
			for u := range g.unitsOf(g.f.Val(g.in.Dst).Type) {
				start := len(g.fn.Code)
				r := g.loadUnit(sh, list, u, int32(k)*int32(size))
				g.defineUnit(g.ops.Dst, u, r, start, r)
			}
		})
	}
}

// rowsOffsets is the vector of the distances of lanes first to first+n-1 from the
// lowest lane, 4 bytes each.
func (g *access) rowsOffsets(sh shape.Shape, first, n int32, least int64) x64.Reg {
	data := make([]byte, 4*n)
	for i := range n {
		v := uint32(g.lane(sh, int(first+i)) - least)
		for k := range int32(4) {
			data[4*i+k] = byte(v >> (8 * k))
		}
	}
	return g.table(data)
}

// loadUnit loads vector register u of the result; list has the memory operands of the
// rows.
func (g *access) loadUnit(sh shape.Shape, list []x64.Mem, u, disp int32) x64.Reg {
	size := int32(g.in.Size)
	lanes, row := g.w/size, int32(1)<<sh.Tile
	broadcast := [9]x64.Op{4: x64.VPBROADCASTD, 8: x64.VPBROADCASTQ}[size]
	load := func(op x64.Op, n int32, m x64.Mem) x64.Reg {
		r := g.reg(x64.Vec, uint8(n))
		g.emit(x64.Inst{Op: op, Len: uint8(n), Dst: r, HasMem: true, M: at(m, disp)})
		return r
	}
	first := u * lanes
	in := func(i int32) x64.Mem { return at(list[i>>sh.Tile], i&(row-1)*int32(sh.Stride)) }
	// A register has lanes of one row only.
	if row >= lanes {
		if sh.Stride == 0 {
			return load(broadcast, g.w, in(first))
		}
		return load(x64.VMOVDQU, g.w, in(first))
	}
	n := row * size
	if sh.Kind == shape.Affine && sh.Step == 0 { // all rows have the same addresses
		switch {
		case n == 32:
			return load(x64.VBROADCASTI64X4, g.w, in(first))
		case g.avx512:
			return load(x64.VBROADCASTI32X4, g.w, in(first))
		}
		return load(x64.VBROADCASTI128, g.w, in(first))
	}
	var parts []x64.Reg
	// A register has lanes of several rows: load each row and join them.
	for i := first; i < first+lanes; i += row {
		if sh.Stride == 0 {
			parts = append(parts, load(broadcast, n, in(i)))
		} else {
			parts = append(parts, load(x64.VMOVDQU, n, in(i)))
		}
	}
	return g.join(parts, n)
}

// storeRows stores n pieces, row after row: where rows overlap, the value of the last
// lane stays.
func (g *access) storeRows(n int, l x64.Label) {
	sh, size, t := g.sh.Web(g.ops.Args[0]), int32(g.in.Size), g.f.Val(g.in.Args[1]).Type
	mask, some := g.storeMask()
	if !g.byRow(g.at) {
		m, least := g.allRows(sh, n, l)
		p := g.base(m)
		g.changed()
		for k := range n {
			g.piece(k, func() {
				per := g.w / size
				for c := range int32(g.f.Lanes) / per {
					g.scatterChunk(t, offsets{base: p, e: 4}, g.rowsOffsets(sh, c*per, per, least), uint8(per), uint8(size), c, int32(k)*size)
				}
			})
		}
		return
	}
	list := g.rows(n, l)
	g.changed()
	lanes := min(g.w/size, int32(1)<<sh.Tile) // lanes of one store
	for k := range n {
		g.piece(k, func() {
			for i := int32(0); i < int32(g.f.Lanes); i += lanes {
				m := at(list[i>>sh.Tile], i&(1<<sh.Tile-1)*size+int32(k)*size)
				r := g.value(g.ops.Args[1], i*size/g.w, t)
				if lanes*size < g.w && !g.alike(g.ops.Args[1]) {
					r = g.piece8(r, lanes*size, i*size%g.w/(lanes*size))
				}
				kk := x64.Reg(0)
				if some {
					kk = g.chunk(mask, uint8(lanes), uint8(size), i/lanes)
				}
				g.storeUnit(m, r, kk, uint8(lanes*size), uint8(size))
			}
		})
	}
}
