package matrix

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"unsafe"
)

// Products of a warpgroup (PTX ISA 9.7.16). Each of its four warps holds 16 rows of D, and of A if A is in
// registers; B is in shared memory. So the result of a warp depends on its own registers and on shared memory.
//
// Input: the registers of one warp, and panels: A and B of shared memory as arrays of numbers.
// Output: the registers of D of that warp.
// Invariant: the arithmetic is that of mma: see product.go.
// Example: m64n8k16 with f16: warp 2 computes rows 32 to 47; its lane 5 holds D at row 33, columns 2 and 3, and at
// row 41.

// WarpRows is the number of rows of D that one warp of a warpgroup holds.
const WarpRows = 16

// warpgroupLayout returns the layout of A or D over the 128 threads of a warpgroup: four fragments of mma, one below
// the other (PTX 9.7.16.5.1). D has the columns of N/8 such fragments. B has none.
func (o *Op) warpgroupLayout(operand byte) *Layout {
	const sec = "9.7.16.5.1"
	var l Layout
	switch operand {
	case 'A':
		k := o.K
		if o.Sparse {
			k /= 2
		}
		a := Find(fmt.Sprintf("m16n8k%d", k), 'A', o.A, true)
		if a == nil {
			return nil
		}
		l = *a
	case 'C', 'D':
		l = *(&layoutRow{shape: "m16n8k1", matrix: "C", lane: "c2 c4 r1 r2 r4", elem: "c1 r8 c8 c16 c32 c64 c128"}).compile(o.D)
		l.Cols, l.elems = o.N, o.N/2
	default:
		return nil
	}
	l.Rows, l.Section = o.M, sec
	l.lane = append(l.lane[:5:5], step{row: 16}, step{row: 32})
	return &l
}

// newWarpgroupProduct makes the Product of a wgmma.mma_async; nil if there is no such combination. Its sources are A
// (registers, or one descriptor), the descriptor of B, the metadata of a sparse A, the 32-bit truth of scale-d, and D.
func newWarpgroupProduct(o Op) *Product {
	p := &Product{Op: o, A: o.Layout('A'), D: o.Layout('D'), rows: WarpRows}
	if p.A == nil || o.M != 64 || o.N%8 != 0 || o.N < 8 || o.N > 256 {
		return nil
	}
	p.C = p.D
	p.SrcB = 1
	if !o.SharedA {
		p.SrcB = p.A.Regs()
		p.posA = p.A.positions()
	}
	p.SrcE = p.SrcB + 1
	p.SrcC = p.SrcE + 1
	if o.Sparse {
		p.SrcC++
	}
	p.posD = p.D.positions()
	p.posC = p.posD
	p.placeMetadata()
	return p
}

// TileA returns A in shared memory.
func (p *Product) TileA(descriptor uint64) SharedTile {
	return SharedTile{Descriptor: DecodeDescriptor(descriptor), MN: p.M, K: p.A.Cols, Bits: p.Op.A.Bits(), Major: p.TransA}
}

// TileB returns B in shared memory.
func (p *Product) TileB(descriptor uint64) SharedTile {
	return SharedTile{Descriptor: DecodeDescriptor(descriptor), MN: p.N, K: p.K, Bits: p.Op.B.Bits(), Major: p.TransB}
}

// A Panel holds a matrix of shared memory as numbers: A by rows, or B by rows. A matrix of single bits is held by its
// lines. It is converted again only if its bytes have changed.
type Panel struct {
	tile      SharedTile
	elem      Elem
	isB       bool
	raw, last []byte
	f         []float32
	i         []int32
	w         []uint32
	lo, hi    int // exponents of f
}

// Load reads a tile from the shared memory of a block, which has to hold all of it.
func (q *Panel) Load(t SharedTile, e Elem, isB bool, mem []byte) {
	lines, units := t.Lines()
	raw := grow(&q.raw, lines*units*unitBytes)
	at := 0
	for i := range lines {
		for u := range units {
			*(*[unitBytes]byte)(raw[at:]) = *(*[unitBytes]byte)(mem[t.Unit(i, u):])
			at += unitBytes
		}
	}
	if q.tile == t && q.elem == e && q.isB == isB && bytes.Equal(raw, q.last) {
		return
	}
	q.tile, q.elem, q.isB = t, e, isB
	q.raw, q.last = q.last, raw
	perLine := units * unitBytes * 8 / t.Bits
	// The distances in the panel between lines, and between the elements of a line.
	line, next := perLine, 1
	if isB != t.Major {
		line, next = 1, lines
	}
	n := lines * perLine
	switch {
	case e == B1:
		w := grow(&q.w, len(raw)/4)
		q.w = w
		for i := range w {
			w[i] = binary.LittleEndian.Uint32(raw[4*i:])
		}
	case e.integer():
		v := grow(&q.i, n)
		q.i = v
		for i := range lines {
			for j, x := range raw[i*perLine : (i+1)*perLine] {
				if e == S8 {
					v[i*line+j*next] = int32(int8(x))
				} else {
					v[i*line+j*next] = int32(x)
				}
			}
		}
	default:
		v := grow(&q.f, n)
		q.f = v
		for i := range lines {
			q.floats(v[i*line:], raw[i*units*unitBytes:(i+1)*units*unitBytes], next)
		}
		if !narrow(e) {
			q.lo, q.hi = exponents(v)
		}
	}
}

// floats converts the elements of one line.
func (q *Panel) floats(v []float32, raw []byte, next int) {
	switch q.elem {
	case F16:
		for j := range len(raw) / 2 {
			v[j*next] = half(uint32(binary.LittleEndian.Uint16(raw[2*j:])))
		}
	case BF16:
		for j := range len(raw) / 2 {
			v[j*next] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(raw[2*j:])) << 16)
		}
	case TF32:
		for j := range len(raw) / 4 {
			v[j*next] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*j:]) &^ 0x1fff)
		}
	case E2M1P:
		for j, x := range raw {
			v[2*j*next], v[(2*j+1)*next] = small[E2M1P][x&15], small[E2M1P][x>>4]
		}
	case E2M1, E2M3, E3M2:
		// 16 elements in 16 bytes: bits without gaps, then zeros (PTX 9.7.17.10.4.4).
		e, n := q.elem, 6
		if e == E2M1 {
			e, n = E2M1P, 4
		}
		for j := range raw {
			unit, at := raw[j&^15:], j%16*n
			v[j*next] = small[e][uint8((uint(unit[at/8])|uint(unit[at/8+1])<<8)>>(at%8))]
		}
	default:
		t := small[q.elem]
		for j, x := range raw {
			v[j*next] = t[x]
		}
	}
}

// narrow reports whether f32 holds all products of two numbers of a type.
func narrow(e Elem) bool { return e == F16 || e.Bits() <= 8 }

// RunWarp computes the rows of D of one warp of the warpgroup, 0 to 3. a is nil if A is in registers. src and dst are as
// in Run. keep says for every lane whether D is an addend; it is ignored if Zero.
func (p *Product) RunWarp(warp int, a, b *Panel, src, dst []unsafe.Pointer, mask, keep uint32, s *Scratch) (f Fault) {
	if p.Zero {
		keep = 0
	}
	var at []uint8
	if p.Sparse {
		at, f = p.indices(src[p.SrcE], s)
	}
	size := WarpRows * p.A.Cols
	switch {
	case p.Op.A == B1:
		d := grow(&s.ic, WarpRows*p.N)
		p.sumBits(p.bitsOfA(warp, a, src), b.w, d)
		p.addWarp(d, src, dst, mask, keep)
	case p.Op.A.integer():
		d := grow(&s.ic, WarpRows*p.N)
		clear(d)
		var v []int32
		if a != nil {
			v = a.i[warp*size : (warp+1)*size]
		} else {
			v = grow(&s.ia, size)
			decodeInt(v, src[p.SrcA:], p.posA, p.Op.A)
		}
		if p.Sparse {
			productIntAt(d, v, b.i, at, WarpRows, p.N, p.A.Cols)
		} else {
			productInt(d, v, b.i, WarpRows, p.N, p.K)
		}
		p.addWarp(d, src, dst, mask, keep)
	default:
		v := grow(&s.a, size)
		if a != nil {
			copy(v, a.f[warp*size:(warp+1)*size])
		} else {
			decode(v, src[p.SrcA:], p.posA, p.Op.A)
		}
		if p.Negate {
			for i, x := range v {
				v[i] = -x
			}
		}
		c := grow(&s.c, WarpRows*p.N)
		p.startWarp(c, src, keep)
		fine := narrow(p.Op.A)
		if !fine {
			lo, hi := exponents(v)
			fine = exactRange(lo, hi, b.lo, b.hi)
		}
		switch {
		case p.Sparse && fine:
			productAt(c, v, b.f, at, WarpRows, p.N, p.A.Cols)
		case p.Sparse:
			productFusedAt(c, v, b.f, at, WarpRows, p.N, p.A.Cols)
		case fine:
			product(c, v, b.f, WarpRows, p.N, p.K)
		default:
			productFused(c, v, b.f, WarpRows, p.N, p.K)
		}
		p.encode(c, dst, mask)
	}
	return f
}

// startWarp sets the elements to D, or to 0 in lanes that do not keep it.
func (p *Product) startWarp(c []float32, src []unsafe.Pointer, keep uint32) {
	if keep == 0 {
		clear(c)
		return
	}
	decode(c, src[p.SrcC:], p.posC, p.Op.D)
	if keep != 1<<32-1 {
		per := p.D.PerReg()
		for i, at := range p.posC {
			if keep>>(i/per%32)&1 == 0 {
				c[at] = 0
			}
		}
	}
}

// addWarp adds D to the sums of products and writes D. Each register is read before it is written, and by the same
// lanes.
func (p *Product) addWarp(sums []int32, src, dst []unsafe.Pointer, mask, keep uint32) {
	for r, d := range dst {
		q := (*[32]uint16)(p.posD[32*r:])
		for l := range 32 {
			s := sums[q[l]]
			if keep>>l&1 != 0 {
				c := (*[32]int32)(src[p.SrcC+r])[l]
				w := int64(c) + int64(s)
				if s += c; p.Sat && w != int64(s) {
					s = math.MaxInt32
					if w < 0 {
						s = math.MinInt32
					}
				}
			}
			if d != nil && mask>>l&1 != 0 {
				(*[32]int32)(d)[l] = s
			}
		}
	}
}

// bitsOfA returns the rows of A of a warp, as words.
func (p *Product) bitsOfA(warp int, a *Panel, src []unsafe.Pointer) []uint32 {
	words := p.K / 32
	if a != nil {
		return a.w[warp*WarpRows*words : (warp+1)*WarpRows*words]
	}
	v := make([]uint32, WarpRows*words)
	for r := range p.A.Regs() {
		for lane, x := range (*[32]uint32)(src[p.SrcA+r]) {
			v[p.posA[(r*32+lane)*32]/32] = x
		}
	}
	return v
}

// sumBits counts the bits that a row of A and a column of B have in common. The columns of B are its lines.
func (p *Product) sumBits(a, b []uint32, d []int32) {
	words := p.K / 32
	for i := range WarpRows {
		for j := range p.N {
			n := 0
			for w := range words {
				n += bits.OnesCount32(a[i*words+w] & b[j*words+w])
			}
			d[i*p.N+j] = int32(n)
		}
	}
}
