package matrix

import (
	"math"
	"math/bits"
	"unsafe"

	"example.org/crosslane/num"
)

// A Product is a prepared Multiply, with its layouts as tables. It is immutable.
//
// Input: the registers of A, B and C in all lanes, as lane vectors (Run).
// Output: the registers of D; a Fault if the manual leaves the result undefined.
// Invariant: posA[i] is the index in a row-major array of element i, counted by register, lane and place in
// the register; decode and encode go through registers in that order.
// Example: m8n8k4 with f64: posB[5] = 9, because lane 5 holds row 1, column 1 of the 4 by 8 matrix B.
type Product struct {
	Op
	A, B, C, D *Layout
	SrcA, SrcB int // first registers of A and B among the sources
	SrcC, SrcE int // first register of C; the metadata or the scale factors after it

	rows                   int // of one warp: M, or 16 of the 64 rows of a warpgroup
	posA, posB, posC, posD []uint16
	meta                   []metaAt // sparse: for each row and chunk of A
}

// metaAt is the place of the metadata of one chunk of a sparse A: the lane and the lowest bit.
type metaAt struct{ owner, bit uint8 }

// NewProduct makes a Product; nil if the manual does not have the combination.
func NewProduct(o Op) *Product {
	if o.Kind == WarpgroupMultiply {
		return newWarpgroupProduct(o)
	}
	p := &Product{Op: o, A: o.Layout('A'), B: o.Layout('B'), C: o.Layout('C'), D: o.Layout('D')}
	if p.A == nil || p.B == nil || p.C == nil || p.D == nil {
		return nil
	}
	p.SrcA, p.SrcB = 0, p.A.Regs()
	p.SrcC = p.SrcB + p.B.Regs()
	p.SrcE = p.SrcC + p.C.Regs()
	p.posA, p.posB, p.posC, p.posD = p.A.positions(), p.B.positions(), p.C.positions(), p.D.positions()
	// If a fragment of wmma holds several copies of an element, the first copy counts.
	p.posA, p.posB = p.posA[:p.A.Blocks*p.A.Rows*p.A.Cols], p.posB[:p.B.Blocks*p.B.Rows*p.B.Cols]
	p.rows = o.M
	p.placeMetadata()
	return p
}

// placeMetadata lists where the metadata of a sparse A is.
func (p *Product) placeMetadata() {
	if !p.Sparse {
		return
	}
	for row := range p.rows {
		for c := range p.chunks() {
			owner, bit := p.MetadataOwner(row, c)
			// The lanes of a group of four hold row and row+8.
			p.meta = append(p.meta, metaAt{uint8(row%8*4 + owner), uint8(bit)})
		}
	}
}

// Scratch is the memory of a Run. Later runs reuse it.
type Scratch struct {
	a, b, c    []float32
	fa, fb     []float64
	ia, ib, ic []int32
	at         []uint8
}

// A Fault is a set of operands for which the manual leaves the result undefined.
type Fault uint8

// The faults.
const (
	BadMetadata Fault = 1 << iota // sparsity indices that are equal, not ascending or not meaningful
	BadSelector                   // byte-id or thread-id outside their ranges
	BadCopies                     // scale factors whose copies in Tensor Memory differ
)

// grow returns a slice of n elements, from memory that later calls reuse.
func grow[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	return (*s)[:n]
}

// Run computes D. src and dst are the lane vectors of the registers in the order of the
// instruction: A, B, C, then further operands; dst entries may be nil. Lanes outside mask keep
// their destinations. Sources may be destinations.
func (p *Product) Run(src, dst []unsafe.Pointer, mask uint32, s *Scratch) Fault {
	switch {
	case p.Op.A == F64:
		return p.runF64(src, dst, mask, s)
	case p.Op.A == B1:
		return p.runBits(src, dst, mask, s)
	case p.Op.A.integer():
		return p.runInt(src, dst, mask, s)
	}
	return p.runFloat(src, dst, mask, s)
}

// runFloat computes a product of floats with f32 accumulators.
func (p *Product) runFloat(src, dst []unsafe.Pointer, mask uint32, s *Scratch) (f Fault) {
	a, b := grow(&s.a, len(p.posA)), grow(&s.b, p.B.Blocks*p.B.Rows*p.B.Cols)
	c := grow(&s.c, p.C.Blocks*p.C.Rows*p.C.Cols)
	decode(a, src[p.SrcA:], p.posA, p.Op.A)
	decode(b, src[p.SrcB:], p.posB, p.Op.B)
	decode(c, src[p.SrcC:], p.posC, p.Op.C)
	m, n, k := p.M, p.N, p.A.Cols
	narrow := narrow(p.Op.A)
	var at []uint8
	if p.Sparse {
		at, f = p.indices(src[p.SrcE], s)
	}
	switch {
	case p.ScaleVec > 0:
		f |= p.factors(src, s)
		productScaled(c, a, b, s.fa, s.fb, at, p.ScaleVec, m, n, k, p.K)
	case p.Sparse && (narrow || exact(a, b)):
		productAt(c, a, b, at, m, n, k)
	case p.Sparse:
		productFusedAt(c, a, b, at, m, n, k)
	case narrow || exact(a, b):
		for i := range p.A.Blocks {
			product(c[i*m*n:], a[i*m*k:], b[i*k*n:], m, n, k)
		}
	default:
		productFused(c, a, b, m, n, k)
	}
	p.encode(c, dst, mask)
	return f
}

// encode rounds the elements to D's type and writes them.
func (p *Product) encode(c []float32, dst []unsafe.Pointer, mask uint32) {
	pos := p.posD
	for r := range p.D.Regs() {
		if dst[r] == nil {
			pos = pos[32*p.D.PerReg():]
			continue
		}
		d := (*[32]uint32)(dst[r])
		if p.Op.D == F32 {
			for i := range d {
				if mask>>i&1 != 0 {
					d[i] = math.Float32bits(num.CanonF32(c[pos[i]]))
				}
			}
			pos = pos[32:]
			continue
		}
		for i := range d {
			if mask>>i&1 != 0 {
				d[i] = uint32(num.CvtF16FromF32(c[pos[2*i]])) | uint32(num.CvtF16FromF32(c[pos[2*i+1]]))<<16
			}
		}
		pos = pos[64:]
	}
}

// decode converts the elements of registers to f32 and puts them into their places.
func decode(v []float32, src []unsafe.Pointer, pos []uint16, e Elem) {
	for r := 0; len(pos) > 0; r++ {
		s := (*[32]uint32)(src[r])
		switch e {
		case F32:
			for i, x := range s {
				v[pos[i]] = math.Float32frombits(x)
			}
			pos = pos[32:]
		case TF32:
			// PTX 5.2.3: the 13 low bits are ignored.
			for i, x := range s {
				v[pos[i]] = math.Float32frombits(x &^ 0x1fff)
			}
			pos = pos[32:]
		case F16:
			q := (*[64]uint16)(pos)
			for i, x := range s {
				v[q[2*i]] = half(x & 0xffff)
				v[q[2*i+1]] = half(x >> 16)
			}
			pos = pos[64:]
		case BF16:
			q := (*[64]uint16)(pos)
			for i, x := range s {
				v[q[2*i]] = math.Float32frombits(x << 16)
				v[q[2*i+1]] = math.Float32frombits(x &^ 0xffff)
			}
			pos = pos[64:]
		case E2M1P:
			t := small[e]
			for i, x := range s {
				for j := range 8 {
					v[pos[8*i+j]] = t[x>>(4*j)&15]
				}
			}
			pos = pos[256:]
		default:
			t := small[e]
			q := (*[128]uint16)(pos)
			for i, x := range s {
				v[q[4*i]] = t[x&255]
				v[q[4*i+1]] = t[x>>8&255]
				v[q[4*i+2]] = t[x>>16&255]
				v[q[4*i+3]] = t[x>>24]
			}
			pos = pos[128:]
		}
	}
}

// half is num.CvtF32FromF16 except for the bits of NaNs. It is small enough to be inlined, and
// avoids the f32 subnormals, with which processors are slow.
func half(h uint32) float32 {
	u := h & 0x7fff << 13
	f := math.Float32bits(float32(int32(u)) * 0x1p-37) // subnormal: a multiple of 2^-24
	switch {
	case u >= 0x7c00<<13:
		f = u | 0x7f800000
	case u >= 1<<23:
		f = u + 112<<23
	}
	return math.Float32frombits(f | h>>15<<31)
}

// indices reads the metadata of a sparse A: for each stored element the row of B.
func (p *Product) indices(e unsafe.Pointer, s *Scratch) (at []uint8, f Fault) {
	words := (*[32]uint32)(e)
	chunks := len(p.meta) / p.rows
	at = grow(&s.at, p.rows*p.A.Cols)[:0]
	for row := range p.rows {
		for c := range chunks {
			m := p.meta[row*chunks+c]
			v := words[m.owner] >> m.bit & 15
			if i, j := v&3, v>>2; i == j || p.Ordered && i > j {
				f = BadMetadata
			}
			at = chunkRows(at, p.Op.A, c, v, &f)
		}
	}
	return at, f
}

// chunkRows appends the rows of B that the stored elements of a chunk of A multiply. v is the metadata of the chunk.
func chunkRows(at []uint8, e Elem, chunk int, v uint32, f *Fault) []uint8 {
	i, j, c := uint8(v&3), uint8(v>>2), uint8(chunk)
	switch e {
	case TF32:
		// One of two; an element occupies two of the four places.
		if v != 0b0100 && v != 0b1110 {
			*f = BadMetadata
		}
		return append(at, 2*c+i>>1)
	case S4, U4, E2M1P:
		// Pairs of elements.
		return append(at, 8*c+2*i, 8*c+2*i+1, 8*c+2*j, 8*c+2*j+1)
	}
	return append(at, 4*c+i, 4*c+j)
}

// factors reads the scale factors (PTX 9.7.15.3). The selectors of lane 0 count.
func (p *Product) factors(src []unsafe.Pointer, s *Scratch) (f Fault) {
	at := p.SrcE
	if p.Sparse {
		at++
	}
	word := func(i int) *[32]uint32 { return (*[32]uint32)(src[at+i]) }
	dataA, byteA, threadA := word(0), word(1)[0]&0xffff, word(2)[0]&0xffff
	dataB, byteB, threadB := word(3), word(4)[0]&0xffff, word(5)[0]&0xffff
	last := uint32(4 - p.ScaleVec)
	if byteA > last || byteB > last || p.ScaleVec == 2 && (byteA|byteB)&1 != 0 || threadA > 1 || threadB > 3 {
		f = BadSelector
		byteA, byteB, threadA, threadB = 0, 0, 0, 0
	}
	v := p.ScaleVec
	s.fa, s.fb = grow(&s.fa, p.M*v), grow(&s.fb, p.N*v)
	for row := range p.M {
		// The lower of the pair of lanes holds rows 0 to 7 of A, the higher one rows 8 to 15.
		w := dataA[row%8*4+int(2*threadA)+row/8]
		for i := range v {
			s.fa[row*v+i] = scale(p.Scale, uint8(w>>(8*(int(byteA)+i))))
		}
	}
	for col := range p.N {
		w := dataB[col*4+int(threadB)]
		for i := range v {
			s.fb[i*p.N+col] = scale(p.Scale, uint8(w>>(8*(int(byteB)+i))))
		}
	}
	return f
}

// runF64 computes a product of f64.
func (p *Product) runF64(src, dst []unsafe.Pointer, mask uint32, s *Scratch) Fault {
	var a, b, c [256]float64
	for _, g := range []struct {
		v   *[256]float64
		pos []uint16
		src []unsafe.Pointer
	}{{&a, p.posA, src[p.SrcA:]}, {&b, p.posB, src[p.SrcB:]}, {&c, p.posC, src[p.SrcC:]}} {
		for r := 0; r*32 < len(g.pos); r++ {
			q := (*[32]uint16)(g.pos[r*32:])
			for i, x := range (*[32]float64)(g.src[r]) {
				g.v[q[i]&255] = x
			}
		}
	}
	productF64(c[:], a[:], b[:], p.M, p.N, p.K, p.Round)
	for i, at := range p.posD {
		if d := dst[i/32]; d != nil && mask>>(i%32)&1 != 0 {
			(*[32]float64)(d)[i%32] = c[at]
		}
	}
	return 0
}

// runInt computes a product of integers.
func (p *Product) runInt(src, dst []unsafe.Pointer, mask uint32, s *Scratch) (f Fault) {
	a, b := grow(&s.ia, p.A.Rows*p.A.Cols), grow(&s.ib, p.B.Rows*p.B.Cols)
	d := grow(&s.ic, p.C.Rows*p.C.Cols)
	decodeInt(a, src[p.SrcA:], p.posA, p.Op.A)
	decodeInt(b, src[p.SrcB:], p.posB, p.Op.B)
	clear(d)
	if p.Sparse {
		var at []uint8
		at, f = p.indices(src[p.SrcE], s)
		productIntAt(d, a, b, at, p.M, p.N, p.A.Cols)
	} else {
		productInt(d, a, b, p.M, p.N, p.K)
	}
	p.addInt(d, src, dst, mask)
	return f
}

// addInt adds C to the sums of products and writes D; their layouts are the same.
func (p *Product) addInt(sums []int32, src, dst []unsafe.Pointer, mask uint32) {
	var all [8][32]int32 // a destination may be a register of C that is read later
	for r := range p.C.Regs() {
		q := (*[32]uint16)(p.posC[32*r:])
		out := &all[r]
		for i, c := range (*[32]int32)(src[p.SrcC+r]) {
			s := sums[q[i]]
			out[i] = c + s
			if p.Sat {
				// PTX 9.7.15.5.14: the accumulated value is clamped. The sum of the products always
				// fits in 32 bits, so one comparison at the end suffices.
				if w := int64(c) + int64(s); w != int64(out[i]) {
					out[i] = math.MaxInt32
					if w < 0 {
						out[i] = math.MinInt32
					}
				}
			}
		}
	}
	for r := range p.C.Regs() {
		if dst[r] == nil {
			continue
		}
		d := (*[32]int32)(dst[r])
		for i := range d {
			if mask>>i&1 != 0 {
				d[i] = all[r][i]
			}
		}
	}
}

// decodeInt converts the elements of registers to integers and puts them into their places.
func decodeInt(v []int32, src []unsafe.Pointer, pos []uint16, e Elem) {
	for r := 0; len(pos) > 0; r++ {
		s := (*[32]uint32)(src[r])
		switch e {
		case S8:
			q := (*[128]uint16)(pos)
			for i, x := range s {
				v[q[4*i]] = int32(int8(x))
				v[q[4*i+1]] = int32(int8(x >> 8))
				v[q[4*i+2]] = int32(int8(x >> 16))
				v[q[4*i+3]] = int32(x) >> 24
			}
			pos = pos[128:]
		case U8:
			q := (*[128]uint16)(pos)
			for i, x := range s {
				v[q[4*i]] = int32(x & 255)
				v[q[4*i+1]] = int32(x >> 8 & 255)
				v[q[4*i+2]] = int32(x >> 16 & 255)
				v[q[4*i+3]] = int32(x >> 24)
			}
			pos = pos[128:]
		default:
			for i, x := range s {
				for j := range 8 {
					n := int32(x<<(28-4*j)) >> 28
					if e == U4 {
						n &= 15
					}
					v[pos[8*i+j]] = n
				}
			}
			pos = pos[256:]
		}
	}
}

// runBits computes the product of single bits: xor or and, then a count. A register holds 32 bits
// of one row of A, or of one column of B.
func (p *Product) runBits(src, dst []unsafe.Pointer, mask uint32, s *Scratch) Fault {
	var a, b [16 * 8]uint32 // by row or column, and word
	d := grow(&s.ic, p.M*p.N)
	words := p.K / 32
	for r := range p.A.Regs() {
		for lane, x := range (*[32]uint32)(src[p.SrcA+r]) {
			a[p.posA[(r*32+lane)*32]/32] = x
		}
	}
	for r := range p.B.Regs() {
		for lane, x := range (*[32]uint32)(src[p.SrcB+r]) {
			at := int(p.posB[(r*32+lane)*32])
			b[at%p.N*words+at/p.N/32] = x
		}
	}
	for i := range p.M {
		for j := range p.N {
			n := 0
			for w := range words {
				x := a[i*words+w] ^ b[j*words+w]
				if p.And {
					x = a[i*words+w] & b[j*words+w]
				}
				n += bits.OnesCount32(x)
			}
			d[i*p.N+j] = int32(n)
		}
	}
	p.addInt(d, src, dst, mask)
	return 0
}
