package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/x64"
)

// This file lowers ldmatrix, stmatrix and movmatrix.
//
// Input: registers of matrices of 8 by 8 half-words. Lane 4r+c of a register has elements 2c and
// 2c+1 of row r (PTX 9.7.15.5.15).
// Output: loads and stores of rows of 16 bytes; permutes for transposed matrices.
// Invariant: the lanes of a row are consecutive, so a vector register holds some rows of 16 bytes
// each.
// Example: ldmatrix.x1 with AVX2 loads rows 0 and 1 into one register by vmovdqu and vinserti128.

// movmatrix transposes a matrix: lane 4r+c gets the elements 2c and 2c+1 of column r (PTX
// 9.7.15.5.17).
func (g *access) movmatrix(c *collective) {
	if out := g.transposed(g.sources(c.src[0])); c.dst[0] != 0 {
		g.defineAll(c.dst[0], out)
	}
}

// transposed returns the matrix in the registers src, transposed. Element e of lane 4r+c comes from
// row 2c+e, so from lane 4(2c+e) + r/2, and from its upper half if r is odd.
func (g *access) transposed(src []x64.Reg) []x64.Reg {
	var from [2][]int // the lanes that have the two elements
	var odd []int     // the lanes that need the upper halves, else fromAny
	for lane := range 32 {
		r, col := lane/4, lane%4
		for e := range from {
			from[e] = append(from[e], 4*(2*col+e)+r/2)
		}
		o := fromAny
		if r%2 != 0 {
			o = lane
		}
		odd = append(odd, o)
	}
	first, second := g.permute(src, from[0]), g.permute(src, from[1])
	out := make([]x64.Reg, len(first))
	n := g.perReg()
	for u := range out {
		// even has the lower halves of the two words; the blend takes the upper halves for the odd
		// rows.
		upper := g.c32(0xffff0000)
		even := g.or(g.andn(upper, first[u]), g.vi(x64.VPSLLDImm, second[u], 16))
		out[u] = g.blendLanes(even, g.or(g.vi(x64.VPSRLDImm, first[u], 16), g.and(second[u], upper)), odd[u*n:(u+1)*n])
	}
	return out
}

// matrixRowsCan reports whether machine code does an ldmatrix or stmatrix: those of half-words, at
// addresses of shared memory.
func matrixRowsCan(g *facts, i int) bool {
	in := &g.f.Code[i]
	c := &g.f.Collectives[in.Imm]
	return in.Space == ir.Shared && in.Args[1] == 0 && !c.Matrix.Bytes && c.Matrix.Pack == 0 && !c.Matrix.AllAddresses &&
		int64(int32(c.Offset)) == c.Offset
}

// rowsAt checks the addresses of rows of 16 bytes that the first n lanes give, and returns a
// function for the place of each row. The check is that of a load of 16 bytes by these lanes.
func (g *access) rowsAt(c *collective, n int) func(row int) x64.Mem {
	was := g.in
	in := *was
	in.Op, in.Imm, in.Size = ir.Load, uint64(c.Offset), 16
	g.in = &in
	bits := uint64(1)<<n - 1
	o := g.reach(1, g.constOf(constKey{bits: bits, size: 4, len: 4, gpr: true}), c.aside)
	g.keepOffsets(o)
	g.in = was
	return func(row int) x64.Mem {
		d := g.gpr(8)
		g.load(o.e, d, g.ctl(abi.CtlScratch+int32(row)*int32(o.e)))
		return x64.Mem{Base: o.base, Index: d, Scale: 1, Disp: o.disp}
	}
}

// ldmatrix loads matrices: matrix j from the addresses of lanes 8j to 8j+7.
func (g *access) ldmatrix(c *collective) {
	n := int(g.w) / 16 // rows in a vector register
	insert := x64.VINSERTI128
	if g.avx512 {
		insert = x64.VINSERTI32X4
	}
	at := g.rowsAt(c, 8*c.Matrix.Num)
	for j, w := range c.dst {
		var regs []x64.Reg
		for u := range 8 / n {
			x := g.reg(x64.Vec, 16)
			g.emit(x64.Inst{Op: x64.VMOVDQU, Len: 16, Dst: x, HasMem: true, M: at(8*j + u*n)})
			for k := 1; k < n; k++ {
				d := g.vec()
				g.emit(x64.Inst{Op: insert, Len: g.len, Dst: d, A: x, HasMem: true, M: at(8*j + u*n + k), Imm: int64(k)})
				x = d
			}
			regs = append(regs, x)
		}
		if c.Matrix.Trans {
			regs = g.transposed(regs)
		}
		if w != 0 {
			g.defineAll(w, regs)
		}
	}
}

// stmatrix stores matrices, in the order of the lanes that give the addresses: if rows overlap, the
// last one stays.
func (g *access) stmatrix(c *collective) {
	n := int(g.w) / 16
	extract := x64.VEXTRACTI128St
	if g.avx512 {
		extract = x64.VEXTRACTI32X4St
	}
	at := g.rowsAt(c, 8*c.Matrix.Num)
	g.emit(x64.Inst{Op: x64.MOVStImm, Len: 8, Imm: 1, HasMem: true, M: g.ctl(abi.CtlChanged)})
	for j, w := range c.src {
		regs := g.sources(w)
		if c.Matrix.Trans {
			regs = g.transposed(regs)
		}
		for u, x := range regs {
			g.emit(x64.Inst{Op: x64.VMOVDQUSt, Len: 16, B: x, HasMem: true, M: at(8*j + u*n)})
			for k := 1; k < n; k++ {
				g.emit(x64.Inst{Op: extract, Len: g.len, B: x, HasMem: true, M: at(8*j + u*n + k), Imm: int64(k)})
			}
		}
	}
}
