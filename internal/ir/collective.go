package ir

import "example.org/crosslane/internal/matrix"

// CollectiveInfo describes one Collective operation. Its instruction's Args[0] is the address and
// Args[1] the stride (B32), if the operation has them. Space, Align and Size of the instruction
// describe the memory accesses; Size is the bytes of one access.
type CollectiveInfo struct {
	Matrix  matrix.Op
	Product *matrix.Product // for Matrix.Kind Multiply
	Tile    *matrix.Layout  // for LoadTile and StoreTile
	// Dst and Src are registers of every lane, in the instruction's order: fragment after fragment.
	// A Dst of 0 discards the result.
	Dst, Src []Ref
	Offset   int64  // added to the address with Type.Sum
	Stride   uint32 // the stride if it is not in a register

	// DstShadow, SrcShadow and OwnShadow belong to instrumentation, like Inst.Shadow: they mark Dst
	// and Src, and address, stride and guard. nil: none.
	DstShadow, SrcShadow []Ref
	OwnShadow            Ref
}

// RowBytes is how many bytes a row of ldmatrix and stmatrix has.
const RowBytes = 16

// Rows returns what an operation does to memory whose lanes give the addresses of rows: each of its first lanes loads or
// stores RowBytes at Args[0]+Offset. ok is false for any other operation. It is the one source of these accesses: of
// those that package sim makes and reports, and of those that a screening form compares.
func (c *CollectiveInfo) Rows() (lanes int, kind AccessKind, ok bool) {
	switch c.Matrix.Kind {
	case matrix.LoadRows:
		return c.Matrix.RowLanes() * c.Matrix.Num, AccessRead, true
	case matrix.StoreRows:
		return 8 * c.Matrix.Num, AccessWrite, true
	}
	return 0, 0, false
}
