package matrix

import (
	"fmt"
	"slices"
)

// Products of Tensor Memory (tcgen05.mma, PTX ISA 9.7.17.10): D = A*B + D with D in Tensor Memory. The instruction says the
// kind; a register, the instruction descriptor, says the types and the shape.

// TensorKind is the kind of a product of Tensor Memory: a family of types.
type TensorKind uint8

// The kinds.
const (
	KindF16 TensorKind = iota
	KindTF32
	KindF8F6F4
	KindI8
	KindMXF8F6F4 // and the later ones: with scale factors
	KindMXF4
	KindMXF4NVF4
	kindCount
)

var (
	tensorKinds = [kindCount]string{"f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4"}
	smallTypes  = []Elem{0: E4M3, 1: E5M2, 3: E2M3, 4: E3M2, 5: E2M1}
	// tensorTypes holds the types of A and B by their codes.
	tensorTypes = [kindCount][]Elem{{F16, BF16}, {2: TF32}, smallTypes, {U8, S8}, smallTypes, {1: E2M1P}, {1: E2M1P}}
)

// ParseTensorKind returns the kind of a name: "f16"; ok is false if there is none.
func ParseTensorKind(name string) (k TensorKind, ok bool) {
	i := slices.Index(tensorKinds[:], name)
	return TensorKind(max(i, 0)), i >= 0
}

// String returns the name.
func (k TensorKind) String() string { return tensorKinds[k] }

// Scaled reports whether A and B have scale factors.
func (k TensorKind) Scaled() bool { return k >= KindMXF8F6F4 }

// four reports whether the elements have 4 bits, two in a byte of shared memory.
func (k TensorKind) four() bool { return k >= KindMXF4 }

// A TensorForm holds the qualifiers of a product of Tensor Memory.
type TensorForm struct {
	Kind       TensorKind
	Pair       bool // .cta_group::2: two blocks of the cluster together
	Sparse     bool // half of the elements of A are stored
	Stationary bool // .ws
	SharedA    bool // A is in shared memory, not in Tensor Memory
	ScaleVec   int  // scale factors of a row: 1, 2 or 4; 0: none
}

// A TensorOp is a product of Tensor Memory with its shape and types.
//
// Input: the qualifiers and the 32 bits of the instruction descriptor (TensorForm.Decode).
// Output: the places of elements in Tensor Memory (Place, CellA, CellE, CellFactor), and the product (Run).
// Invariant: the fields are ones that PTX 9.7.17.4.2 and 9.7.17.10.2 allow together.
// Example: 0x08200910 for tf32 is M = 128, N = 128, K = 8 with f32 sums: layout D, so row m is lane m.
type TensorOp struct {
	TensorForm
	M, N, K        int
	A, B, D        Elem
	NegA, NegB     bool
	TransA, TransB bool // the elements of a column of A, or of a row of B, are adjacent in shared memory
	Sat            bool
	Scale          Elem // type of the scale factors
	Selector       uint8
	FactorA        uint8 // first byte of the scale factors of A in each word, and of B
	FactorB        uint8
	MaxShift       uint8 // .ws: number of columns that a column mask may move

	Layout byte // layout of D, 'A' to 'G' (PTX 9.7.17.10.5)
	rows   int  // rows of D in one block
	groups int  // the columns are cut into groups, which lie in other lanes
	stride int  // lanes from one group to the next
	spread bool // 16 rows in each 32 lanes
}

// Decode reads an instruction descriptor. text says what is wrong with it, or with it for this form; remedy what to do.
// text is "" if nothing is wrong.
func (f TensorForm) Decode(v uint32) (o TensorOp, text, remedy string) {
	o.TensorForm = f
	field := func(at, n int) uint32 { return v >> at & (1<<n - 1) }
	flag := func(at int) bool { return v>>at&1 != 0 }
	types := tensorTypes[f.Kind]
	elem := func(at, n int) Elem {
		if c := int(field(at, n)); c < len(types) {
			return types[c]
		}
		return None
	}
	reserved, bitsB := uint32(1<<6|1<<23|1<<29), 3
	o.N, o.M = int(field(17, 6))*8, int(field(24, 5))*16
	switch {
	case !f.Kind.Scaled():
		o.Selector, o.Sat, o.MaxShift = uint8(field(0, 2)), flag(3), uint8(field(30, 2))
		o.D = [4]Elem{F16, F32, S32}[field(4, 2)]
		if !f.Sparse {
			reserved |= 3
		}
		if f.Kind != KindI8 {
			reserved |= 1 << 3
		}
		if !f.Stationary {
			reserved |= 3 << 30
		}
	default:
		reserved, o.D = 3|1<<3|1<<6|7<<24, F32
		o.M = int(field(27, 2)) * 128
		o.FactorB, o.FactorA = uint8(field(4, 2)), uint8(field(29, 2))
		if o.Scale = UE4M3; flag(23) {
			o.Scale = UE8M0
		}
		if f.Kind.four() {
			reserved, bitsB = reserved|1<<12|1<<15|1<<16, 2
		} else {
			reserved |= 1 << 31
		}
	}
	o.A, o.B = elem(7, 3), elem(10, bitsB)
	o.NegA, o.NegB, o.TransA, o.TransB = flag(13), flag(14), flag(15), flag(16)
	if f.Kind == KindI8 {
		reserved |= 1<<13 | 1<<14
	}
	o.K = [kindCount]int{16, 8, 32, 32, 32, 64, 64}[f.Kind]
	if f.Sparse {
		o.K *= 2
	}
	text, remedy = o.problem(v, v&reserved)
	if text != "" {
		return o, fmt.Sprintf("the instruction descriptor %#08x: %s", v, text), remedy
	}
	o.arrange()
	return o, "", ""
}

// problem returns what is wrong with the fields, and the remedy.
func (o *TensorOp) problem(v, reserved uint32) (text, remedy string) {
	pair := 1
	if o.Pair {
		pair = 2
	}
	kind := o.Kind.String()
	m, n := o.M/pair, o.N
	step := 8 * pair
	if o.Kind == KindI8 && n > 32 || o.Kind == KindI8 && o.Pair {
		step = 16 * pair
	}
	switch {
	case o.Kind.four() && v>>31 != 0:
		return "bit 31 asks for K = 96, which is not supported", "use K = 64"
	case reserved != 0:
		return fmt.Sprintf("bits are set that have to be 0 for kind::%s (%#x)", kind, reserved), "set only the fields of table 45 for this kind"
	case (v>>2&1 != 0) != o.Sparse:
		return "bit 2 (sparse) does not agree with the instruction", "set bit 2 for tcgen05.mma.sp, and clear it for the others"
	case o.A == None || o.B == None:
		return fmt.Sprintf("the code of the type of A (%d) or of B (%d) does not exist for kind::%s", v>>7&7, v>>10&7, kind), "see table 45 for the codes of this kind"
	case !o.Kind.Scaled() && (o.D == None || (o.Kind == KindI8) != (o.D == S32) || o.D == F16 && (o.Kind == KindTF32 || o.A == BF16 || o.B == BF16)):
		return fmt.Sprintf("the code of the type of D, %d, does not agree with kind::%s and the types of A and B", v>>4&3, kind), "use 1 (f32), or 2 (s32) for kind::i8; 0 (f16) is for kind::f16 with f16, and for kind::f8f6f4"
	case n == 0 || n > 256:
		return fmt.Sprintf("N = %d is not between 8 and 256", n), "set N/8 in bits 17 to 22"
	case o.Stationary && (n != 64 && n != 128 && (n != 256 || o.Sparse)):
		return fmt.Sprintf("N = %d is none of 64, 128 and, if A is not sparse, 256, which .ws has", n), "change N, or use tcgen05.mma without .ws"
	case n%step != 0:
		return fmt.Sprintf("N = %d is no multiple of %d", n, step), "change N"
	case o.Stationary && m != 32 && m != 64 && m != 128:
		return fmt.Sprintf("M = %d is none of 32, 64 and 128, which .ws has", m), "set M/16 in bits 24 to 28"
	case !o.Stationary && (o.Kind.Scaled() && !o.Pair || o.Kind.Scaled() && o.Sparse) && m != 128, !o.Stationary && m != 64 && m != 128:
		return fmt.Sprintf("M = %d does not exist for this instruction", o.M), "use M = 128, or 256 with .cta_group::2; without scale factors also half of it"
	case o.TransB && o.B.Bits() == 8 && n%(16*pair) != 0:
		return fmt.Sprintf("a transposed B of 8-bit types with N = %d, no multiple of %d", n, 16*pair), "change N"
	case o.Kind.Scaled() && (o.Kind != KindMXF4NVF4 || o.ScaleVec == 2) && o.Scale != UE8M0:
		return "bit 23 says ue4m3, and the scale factors of this instruction are ue8m0", "set bit 23"
	case o.Kind.Scaled() && (int(max(o.FactorA, o.FactorB))+o.ScaleVec > 4 || o.ScaleVec > 1 && (o.FactorA|o.FactorB)&1 != 0):
		return fmt.Sprintf("the scale factors begin at byte %d (A) or %d (B), and a row has %d of them", o.FactorA, o.FactorB, o.ScaleVec), "use byte 0, or 0 and 2 for two factors"
	case o.Selector != 0:
		return fmt.Sprintf("the sparsity selector is %d, and only 0 is supported", o.Selector), "clear bits 0 and 1, and let the address of the metadata say where it begins"
	}
	return "", ""
}

// arrange chooses the layout of D.
func (o *TensorOp) arrange() {
	o.rows, o.groups = o.M, 1
	if o.Pair {
		o.rows = o.M / 2
	}
	switch {
	case o.Pair && o.rows == 128:
		o.Layout = 'A'
	case o.Pair && o.Sparse:
		o.Layout, o.spread = 'C', true
	case o.Pair:
		o.Layout, o.groups, o.stride = 'B', 2, 64
	case o.rows == 128:
		o.Layout = 'D'
	case o.Stationary && o.rows == 64:
		o.Layout, o.groups, o.stride = 'E', 2, 64
	case o.Stationary:
		o.Layout, o.groups, o.stride = 'G', 4, 32
	default:
		o.Layout, o.spread = 'F', true
	}
}

// Blocks returns the number of blocks that hold the product: 1, or the 2 of a pair.
func (o *TensorOp) Blocks() int {
	if o.Pair {
		return 2
	}
	return 1
}

// Rows returns the number of rows of A and D in one block.
func (o *TensorOp) Rows() int { return o.rows }

// Groups returns the number of groups of columns of D, and the columns of one.
func (o *TensorOp) Groups() (n, columns int) { return o.groups, o.N / o.groups }

// Base reports whether addresses of D, A and metadata may begin at a lane. Layouts C and F use 16 of each 32 lanes, so
// they may begin at lane 16, too.
func (o *TensorOp) Base(lane int) bool { return lane == 0 || o.spread && lane == 16 }

// lane returns the lane of a row of a block for a group of columns, from the address on.
func (o *TensorOp) lane(row, group int) int {
	if o.spread {
		return row%16 + row/16*32
	}
	return row + group*o.stride
}

// Cell returns where element (row, n) of D is (PTX 9.7.17.10.5): the lane and the column from the address of D on. row
// counts the rows of one block.
func (o *TensorOp) Cell(row, n int) (lane, column int) {
	columns := o.N / o.groups
	return o.lane(row, n/columns), n % columns
}

// CellA returns where column k of a row of A is, if A is in Tensor Memory: the lane and the column from the address of A on,
// and the lowest bit. A of a sparse product has K/2 columns. Each group of columns of D has a copy.
func (o *TensorOp) CellA(row, k, group int) (lane, column, bit int) {
	at := k * o.A.Bits()
	return o.lane(row, group), at / 32, at % 32
}

// CellE returns where the four bits of metadata of a chunk of a row of a sparse A are. A row has 8 chunks, or 16 of types of
// at most 8 bits.
func (o *TensorOp) CellE(row, chunk, group int) (lane, column, bit int) {
	if o.chunks() == 8 {
		// Rows m and m+8 of a group of 16 share a word; the second half of K is in the lanes 8 further.
		lane := o.lane(row&^15+row%8+chunk/4*8, group)
		return lane, 0, row/8%2*16 + chunk%4*4
	}
	return o.lane(row, group), chunk / 8, chunk % 8 * 4
}

// chunks returns the number of four-bit pieces of metadata in a row.
func (o *TensorOp) chunks() int {
	w := Op{K: o.K, Operands: Operands{A: o.A}}
	return w.chunks()
}

// CellFactor returns where the scale factors of a row of A, or of a column of B, are: the lane, the column from the address of
// the factors on, and the byte. copy chooses one of the copies: A has 4, B too, or 2 in layout B.
func (o *TensorOp) CellFactor(isB bool, i, copy int) (lane, column, byte int) {
	if !isB {
		return i%32 + 32*copy, i / 32, int(o.FactorA)
	}
	if o.groups == 2 {
		half := o.N / 2
		return i/half*64 + i%half%32 + 32*copy, i % half / 32, int(o.FactorB)
	}
	return i%32 + 32*copy, i / 32, int(o.FactorB)
}

// Copies returns how many copies of the scale factors CellFactor knows.
func (o *TensorOp) Copies(isB bool) int {
	if isB && o.groups == 2 {
		return 2
	}
	return 4
}

// TileA returns A in shared memory: the rows of one block.
func (o *TensorOp) TileA(descriptor uint64) SharedTile {
	k := o.K
	if o.Sparse {
		k /= 2
	}
	return SharedTile{Descriptor: DecodeTensorDescriptor(descriptor), MN: o.rows, K: k, Bits: o.A.Bits(), Major: o.TransA, Tensor: true}
}

// TileB returns B in shared memory: the columns that one block holds.
func (o *TensorOp) TileB(descriptor uint64) SharedTile {
	return SharedTile{Descriptor: DecodeTensorDescriptor(descriptor), MN: o.N / o.Blocks(), K: o.K, Bits: o.B.Bits(), Major: o.TransB, Tensor: true}
}

// Notes returns sentences about the shape, the types and the places of the operands in Tensor Memory.
func (o *TensorOp) Notes() (s []string) {
	say := func(format string, args ...any) { s = append(s, fmt.Sprintf(format, args...)) }
	sign := func(neg bool) string {
		if neg {
			return "-"
		}
		return ""
	}
	say("the instruction descriptor says M = %d, N = %d, K = %d: D is %s, %sA is %s, %sB is %s", o.M, o.N, o.K, o.D, sign(o.NegA), o.A, sign(o.NegB), o.B)
	where := map[byte]string{
		'A': "row m of D is lane m%128 of block m/128 of the pair; column n is column n",
		'B': fmt.Sprintf("row m of D is lane m%%64 of block m/64 of the pair, plus 64 for columns from %d on; column n is column n%%%[1]d", o.N/2),
		'C': "row m of D is lane m%16 + 32*(m%64/16) of block m/64 of the pair, from the lane of the address on; column n is column n",
		'D': "row m of D is lane m; column n is column n",
		'E': fmt.Sprintf("row m of D is lane m, plus 64 for columns from %d on; column n is column n%%%[1]d", o.N/2),
		'F': "row m of D is lane m%16 + 32*(m/16), from the lane of the address on; column n is column n",
		'G': fmt.Sprintf("row m of D is lane m + 32*(n/%d); column n is column n%%%[1]d", o.N/4),
	}[o.Layout]
	say("layout %c: %s of Tensor Memory, from the address on", o.Layout, where)
	if !o.SharedA {
		say("A is in the lanes of the rows of D: element k in column k/%d, from bit %d*(k%%%[1]d) on", 32/o.A.Bits(), o.A.Bits())
	}
	if o.Sparse {
		lane, column, bit := o.CellE(1, o.chunks()-1, 0)
		say("a row of A has %d chunks of 4 bits of metadata; the last one of row 1 is in lane %d, column %d, bits %d to %d", o.chunks(), lane, column, bit, bit+3)
	}
	if o.Kind.Scaled() {
		say("the scale factors (%s) of row m of A are in column m/32, lanes m%%32 + 32q for q from 0 to 3, from byte %d on; %d for %d elements of K each", o.Scale, o.FactorA, o.ScaleVec, o.K/o.ScaleVec)
		at := "column n/32, lanes n%32 + 32q for q from 0 to 3"
		if o.groups == 2 {
			at = fmt.Sprintf("column n%%%d/32, lanes 64*(n/%[1]d) + n%%%[1]d%%32 + 32q for q from 0 to 1", o.N/2)
		}
		say("those of column n of B are in %s, from byte %d on", at, o.FactorB)
	}
	return s
}
