package matrix

// Tensor Memory has 128 lanes of 512 columns of 32 bits (PTX 9.7.17.1). An address has the lane in the upper 16 bits and the
// column in the lower ones.
const (
	TensorLanes   = 128
	TensorColumns = 512
)

// Cells holds the qualifiers of operations of Tensor Memory.
type Cells struct {
	Piece CellShape // TensorLoad, TensorStore; RowTransfer.Num is the number of pieces
	Half  int       // Piece32x2: how many columns the second half lies after the first
	Pairs bool      // a register holds the low halves of two columns: .pack::16b, .unpack::16b
	Both  bool      // .cta_group::2: two blocks of the cluster together
	Lines CopyShape // TensorCopy; RowTransfer.Pack is the bits of an element in shared memory, if they are fewer than in Tensor Memory
}

// CellShape is the piece of Tensor Memory that one unit of a load or store moves (PTX 9.7.17.2.3).
type CellShape uint8

// The shapes.
const (
	Piece32   CellShape = iota // 32x32b: each lane has a column of its own lane of Tensor Memory
	Piece64                    // 16x64b
	Piece128                   // 16x128b
	Piece256                   // 16x256b
	Piece32x2                  // 16x32bx2
	pieceCount
)

// cellShapes holds the names of the shapes, and the registers of one piece.
var cellShapes = [pieceCount]struct {
	name string
	regs int
}{{"32x32b", 1}, {"16x64b", 1}, {"16x128b", 2}, {"16x256b", 4}, {"16x32bx2", 1}}

// ParseCellShape returns the shape of a name; ok is false if there is none.
func ParseCellShape(name string) (s CellShape, ok bool) {
	for i, c := range cellShapes {
		if c.name == name {
			return CellShape(i), true
		}
	}
	return 0, false
}

// String returns the name.
func (s CellShape) String() string { return cellShapes[s].name }

// Height is the number of lanes of Tensor Memory that the shape reaches.
func (s CellShape) Height() int {
	if s == Piece32 {
		return 32
	}
	return 16
}

// CellRegs returns the number of registers of a TensorLoad or TensorStore.
func (o *Op) CellRegs() int { return o.Num * cellShapes[o.Piece].regs }

// Cell returns the place of register r of a lane, as lanes and columns after the address of the operation. With Pairs, the
// register holds that column and the next.
//
// Input: a lane of the warp, and the number of a register.
// Output: the lane and the column of Tensor Memory (PTX 9.7.17.2.3, figures 183 to 187).
// Example: register 1 of lane 5 of 16x64b is at lane 9, column 2.
func (o *Op) Cell(l, r int) (row, column int) {
	switch o.Piece {
	case Piece32:
		row, column = l, r
	case Piece64:
		row, column = l/4+8*(l%2), 2*r+l/2%2
	case Piece128:
		row, column = l/4+8*(r%2), r/2*4+l%4
	case Piece256:
		row, column = l/4+8*(r/2%2), r/4*8+l%4*2+r%2
	case Piece32x2:
		row, column = l%16, r
	}
	if o.Pairs {
		column *= 2
	}
	if o.Piece == Piece32x2 {
		column += l / 16 * o.Half
	}
	return row, column
}

// Columns returns the number of columns that an operation reaches from its address on; of Piece32x2, each half.
func (o *Op) Columns() int {
	one := *o
	one.Half = 0
	_, last := one.Cell(31, o.CellRegs()-1)
	if o.Pairs {
		last++
	}
	return last + 1
}

// CopyShape is the shape of a copy from shared memory (PTX 9.7.17.9.2), with the warps that receive it.
type CopyShape uint8

// copyShapes holds the shapes: the lines of the matrix and the 16-byte units of each, and to which lanes line i goes: to the sum of
// the steps of its parts, and that plus each of the copies.
var copyShapes = [...]struct {
	name         string
	lines, units int
	low, high    int // lines below low follow each other; the lines from there on begin at lane high, those from 2*low on at 2*high
	copies       []int
}{
	{"128x256b", 128, 2, 128, 0, []int{0}},
	{"128x128b", 128, 1, 128, 0, []int{0}},
	{"4x256b", 4, 2, 1, 32, []int{0}},
	{"64x128b.warpx2::02_13", 64, 1, 64, 0, []int{0, 64}},
	{"64x128b.warpx2::01_23", 64, 1, 32, 64, []int{0, 32}},
	{"32x128b.warpx4", 32, 1, 32, 0, []int{0, 32, 64, 96}},
}

// ParseCopyShape returns the shape of a name: "64x128b.warpx2::02_13".
func ParseCopyShape(name string) (s CopyShape, ok bool) {
	for i := range copyShapes {
		if copyShapes[i].name == name {
			return CopyShape(i), true
		}
	}
	return 0, false
}

// String returns the name.
func (s CopyShape) String() string { return copyShapes[s].name }

// Source returns the matrix in shared memory that a descriptor names, as lines of bytes.
func (s CopyShape) Source(descriptor uint64) SharedTile {
	c := &copyShapes[s]
	return SharedTile{Descriptor: DecodeTensorDescriptor(descriptor), MN: c.lines, K: c.units * unitBytes, Bits: 8, Tensor: true}
}

// Targets returns the lanes, after that of the address, to which a line goes. Unit u of the line fills columns 4u to 4u+3.
func (s CopyShape) Targets(line int) []int {
	c := &copyShapes[s]
	to := make([]int, len(c.copies))
	for i, d := range c.copies {
		to[i] = line%c.low + line/c.low*c.high + d
	}
	return to
}

// Extent returns the lanes and columns that a copy reaches from its address on.
func (s CopyShape) Extent() (lanes, columns int) {
	for i := range copyShapes[s].lines {
		for _, l := range s.Targets(i) {
			lanes = max(lanes, l+1)
		}
	}
	return lanes, 4 * copyShapes[s].units
}
