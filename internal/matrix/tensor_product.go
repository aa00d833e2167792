package matrix

import (
	"math"

	"example.org/crosslane/num"
)

// A TensorPlane is the Tensor Memory of a block: 32 bits for each lane and column.
type TensorPlane = [128][512]uint32

// A TensorInput holds the operands of a product of Tensor Memory.
type TensorInput struct {
	Planes               [2]*TensorPlane // of the block, or of the two blocks of the pair
	A, B                 [2]*Panel       // in shared memory; A is nil if it is in Tensor Memory
	AtD, AtA, AtE        uint32          // addresses in Tensor Memory of D, A and the metadata
	AtFA, AtFB           uint32          // addresses of the scale factors
	Keep                 bool            // enable-input-d: D is an addend
	Halve                int             // scale-input-d: D is divided by 2 to this power first
	Off                  [2][4]uint32    // lanes of D that are not written, a bit each
	Zero                 []bool          // columns of B that count as zeros, if not nil
	RowsUndef, ColsUndef []bool          // RunUndefined: rows of A and columns of B in shared memory with undefined bits
}

// Run computes D (PTX 9.7.17.10). All addresses have to lie in Tensor Memory, with all that Extent says.
//
// Input: the planes and panels; one set for each block of a pair.
// Output: D in the planes, in lanes that are not off; a Fault if the manual leaves the result undefined.
// Invariant: the arithmetic is that of mma: see product.go.
// Example: M = 64 without .ws: row 17 of D is in lane 33 of the plane, or 49 if the address begins at lane 16.
func (o *TensorOp) Run(x *TensorInput, s *Scratch) (f Fault) {
	k := o.TileA(0).K
	_, cols := o.Groups()
	c, a, b := grow(&s.c, o.rows*cols), grow(&s.a, o.rows*k), grow(&s.b, o.K*cols)
	var sums []int32
	if o.D == S32 {
		sums = grow(&s.ic, o.rows*cols)
	}
	for p := range o.Blocks() {
		plane := x.Planes[p]
		for g := range o.groups {
			o.loadB(b, x, g*cols)
			o.loadA(a, x, p, g)
			var at []uint8
			if o.Sparse {
				at = o.metadata(x, p, g, s, &f)
			}
			o.each(x, func(row, n, lane, column int) {
				i, v := row*cols+n, uint32(0)
				if x.Keep {
					v = plane[lane][column]
				}
				switch o.D {
				case F32:
					c[i] = math.Float32frombits(v)
				case F16:
					c[i] = half(v & 0xffff)
				default:
					sums[i], c[i] = int32(v), 0
				}
				if x.Halve > 0 {
					c[i] = float32(math.Ldexp(float64(c[i]), -x.Halve))
				}
			}, g)
			o.multiply(c, a, b, at, x, p, g, k, cols, s, &f)
			o.each(x, func(row, n, lane, column int) {
				if x.Off[p][lane/32]>>(lane%32)&1 != 0 {
					return
				}
				i := row*cols + n
				v := uint32(0)
				switch o.D {
				case F32:
					v = math.Float32bits(num.CanonF32(c[i]))
				case F16:
					v = uint32(num.CvtF16FromF32(c[i]))
				default:
					// At most 64 products of 16 bits: exact in f32.
					w := int64(sums[i]) + int64(c[i])
					if o.Sat {
						w = min(max(w, math.MinInt32), math.MaxInt32)
					}
					v = uint32(w)
				}
				plane[lane][column] = v
			}, g)
		}
	}
	return f
}

// multiply adds the products to the sums.
func (o *TensorOp) multiply(c, a, b []float32, at []uint8, x *TensorInput, p, g, k, cols int, s *Scratch, f *Fault) {
	fine := narrow(o.A) && narrow(o.B) || o.D == S32 || exact(a, b)
	switch {
	case o.Kind.Scaled():
		o.factors(x, p, g, s, f)
		productScaled(c, a, b, s.fa, s.fb, at, o.ScaleVec, o.rows, cols, k, o.K)
	case o.Sparse && fine:
		productAt(c, a, b, at, o.rows, cols, k)
	case o.Sparse:
		productFusedAt(c, a, b, at, o.rows, cols, k)
	case fine:
		product(c, a, b, o.rows, cols, k)
	default:
		productFused(c, a, b, o.rows, cols, k)
	}
}

// each calls f for the elements of D of a group of columns: the row and the column within block and group, and their place in
// Tensor Memory.
func (o *TensorOp) each(x *TensorInput, f func(row, n, lane, column int), g int) {
	_, cols := o.Groups()
	at, first := int(x.AtD)&511, int(x.AtD>>16)&127
	for row := range o.rows {
		lane := first + o.lane(row, g)
		for n := range cols {
			f(row, n, lane, at+n)
		}
	}
}

// loadB fetches the columns of B from first on, as rows.
func (o *TensorOp) loadB(b []float32, x *TensorInput, first int) {
	_, cols := o.Groups()
	held := o.N / o.Blocks()
	for k := range o.K {
		for n := range cols {
			at := first + n
			v := float32(0)
			if x.Zero == nil || !x.Zero[at] {
				q := x.B[at/held]
				if o.D == S32 {
					v = float32(q.i[k*held+at%held])
				} else {
					v = q.f[k*held+at%held]
				}
			}
			b[k*cols+n] = v
		}
	}
}

// loadA fetches the rows of A of block p, for a group of columns of D.
func (o *TensorOp) loadA(a []float32, x *TensorInput, p, g int) {
	k := len(a) / o.rows
	for row := range o.rows {
		v := a[row*k : (row+1)*k]
		switch q := x.A[p]; {
		case q != nil && o.D == S32:
			for i := range v {
				v[i] = float32(q.i[row*k+i])
			}
		case q != nil:
			copy(v, q.f[row*k:])
		default:
			o.tensorRow(v, x, p, row, g)
		}
		if o.NegA != o.NegB {
			for i := range v {
				v[i] = -v[i]
			}
		}
	}
}

// tensorRow fetches a row of A from Tensor Memory.
func (o *TensorOp) tensorRow(v []float32, x *TensorInput, p, row, g int) {
	for k := range v {
		lane, column, bit := o.CellA(row, k, g)
		w := x.word(p, x.AtA, lane, column) >> bit
		switch o.A {
		case F16:
			v[k] = half(w & 0xffff)
		case BF16:
			v[k] = math.Float32frombits(w << 16)
		case TF32:
			v[k] = math.Float32frombits(w &^ 0x1fff)
		case U8:
			v[k] = float32(uint8(w))
		case S8:
			v[k] = float32(int8(w))
		default:
			v[k] = small[o.A][uint8(w)]
		}
	}
}

// word returns a word of Tensor Memory of block p. Bits of the address that name no lane and no column are ignored.
func (x *TensorInput) word(p int, at uint32, lane, column int) uint32 {
	return x.Planes[p][(int(at>>16)+lane)&127][(int(at)+column)&511]
}

// metadata reads the metadata of block p: for each stored element of A the row of B.
func (o *TensorOp) metadata(x *TensorInput, p, g int, s *Scratch, f *Fault) []uint8 {
	at := grow(&s.at, o.rows*o.K)[:0]
	for row := range o.rows {
		for c := range o.chunks() {
			lane, column, bit := o.CellE(row, c, g)
			v := x.word(p, x.AtE, lane, column) >> bit & 15
			if i, j := v&3, v>>2; i == j || i > j && v != 0b0110 {
				*f |= BadMetadata
			}
			bad := Fault(0)
			at = chunkRows(at, o.A, c, v, &bad)
			*f |= bad
		}
	}
	return at
}

// factors reads the scale factors of the rows of block p and of the columns of a group.
func (o *TensorOp) factors(x *TensorInput, p, g int, s *Scratch, f *Fault) {
	_, cols := o.Groups()
	v := o.ScaleVec
	s.fa, s.fb = grow(&s.fa, o.rows*v), grow(&s.fb, cols*v)
	read := func(isB bool, at uint32, i int, put func(j int, v float64)) {
		lane, column, first := o.CellFactor(isB, i, 0)
		w := x.word(p, at, lane, column) >> (8 * first)
		for c := 1; c < o.Copies(isB); c++ {
			lane, column, _ := o.CellFactor(isB, i, c)
			if (x.word(p, at, lane, column)>>(8*first)^w)&(1<<(8*v)-1) != 0 {
				*f |= BadCopies
			}
		}
		for j := range v {
			put(j, scale(o.Scale, uint8(w>>(8*j))))
		}
	}
	for row := range o.rows {
		read(false, x.AtFA, row, func(j int, y float64) { s.fa[row*v+j] = y })
	}
	for n := range cols {
		read(true, x.AtFB, g*cols+n, func(j int, y float64) { s.fb[j*cols+n] = y })
	}
}

// Extent returns how many columns of Tensor Memory an operand takes from its address on: 'D', 'A', 'E' (metadata), 'S' and 'T'
// (scale factors of A and B).
func (o *TensorOp) Extent(operand byte) int {
	switch operand {
	case 'A':
		return o.TileA(0).K * o.A.Bits() / 32
	case 'E':
		return (o.chunks() + 7) / 8
	case 'S':
		return (o.rows + 31) / 32
	case 'T':
		return (o.N/max(o.groups, 1) + 31) / 32
	}
	return o.N / o.groups
}

// Runs calls run for the cells of an operand in one block, a lane at a time: the lane and the number of columns from the
// operand's address on. Operands are those of Extent. A lane may come twice.
func (o *TensorOp) Runs(operand byte, run func(lane, columns int)) {
	n := o.Extent(operand)
	switch operand {
	case 'S', 'T':
		for lane := range TensorLanes {
			run(lane, n)
		}
		return
	case 'E':
		for row := range o.rows {
			for g := range o.groups {
				for c := 0; c < o.chunks(); c += 4 {
					lane, _, _ := o.CellE(row, c, g)
					run(lane, n)
				}
			}
		}
		return
	}
	for row := range o.rows {
		for g := range o.groups {
			run(o.lane(row, g), n)
		}
	}
}

// RunUndefined marks the elements of D that depend on undefined bits, in planes of undefined bits. RowsUndef and ColsUndef are those
// of shared memory. An element depends on its row of A, with metadata and scale factors, on its column of B, and on itself if
// D is an addend.
func (o *TensorOp) RunUndefined(x *TensorInput) {
	_, cols := o.Groups()
	for p := range o.Blocks() {
		for g := range o.groups {
			rows, columns := make([]bool, o.rows), make([]bool, cols)
			for row := range rows {
				rows[row] = x.RowsUndef != nil && x.RowsUndef[p*o.rows+row] || o.undefinedRow(x, p, row, g)
			}
			for n := range columns {
				columns[n] = x.ColsUndef != nil && x.ColsUndef[g*cols+n]
				if o.Kind.Scaled() {
					lane, column, first := o.CellFactor(true, g*cols+n, 0)
					columns[n] = columns[n] || x.word(p, x.AtFB, lane, column)>>(8*first)&(1<<(8*o.ScaleVec)-1) != 0
				}
			}
			o.each(x, func(row, n, lane, column int) {
				if x.Off[p][lane/32]>>(lane%32)&1 != 0 {
					return
				}
				w := &x.Planes[p][lane][column]
				switch {
				case rows[row] || columns[n] || x.Keep && *w != 0:
					*w = math.MaxUint32
				default:
					*w = 0
				}
			}, g)
		}
	}
}

// undefinedRow reports whether a row of A in Tensor Memory, its metadata or its scale factors have undefined bits.
func (o *TensorOp) undefinedRow(x *TensorInput, p, row, g int) (bad bool) {
	if !o.SharedA {
		for column := range o.Extent('A') {
			bad = bad || x.word(p, x.AtA, o.lane(row, g), column) != 0
		}
	}
	if o.Sparse {
		for c := range o.chunks() {
			lane, column, bit := o.CellE(row, c, g)
			bad = bad || x.word(p, x.AtE, lane, column)>>bit&15 != 0
		}
	}
	if o.Kind.Scaled() {
		lane, column, first := o.CellFactor(false, row, 0)
		bad = bad || x.word(p, x.AtFA, lane, column)>>(8*first)&(1<<(8*o.ScaleVec)-1) != 0
	}
	return bad
}
