package ir

import "example.org/crosslane/internal/matrix"

// CollectiveInfo describes one Collective operation. Its instruction's Args[0] is the
// address and Args[1] the stride (B32), of those that have them; Space, Align and Size
// of the instruction are those of the memory accesses, Size the bytes of one.
type CollectiveInfo struct {
	Matrix  matrix.Op
	Product *matrix.Product // of Matrix.Kind Multiply
	Tile    *matrix.Layout  // of LoadTile and StoreTile
	// Dst and Src are registers of every lane, in the instruction's order: fragment
	// after fragment. A Dst may be 0: not wanted.
	Dst, Src []Ref
	Offset   int64  // added to the address, as Type.Sum does
	Stride   uint32 // if it is not in a register

	// DstShadow, SrcShadow and OwnShadow belong to instrumentation, as Inst.Shadow
	// does: marks of Dst and Src, and of address, stride and guard. nil: none.
	DstShadow, SrcShadow []Ref
	OwnShadow            Ref
}
