package matrix

import (
	"fmt"

	"example.org/crosslane/num"
)

// Kind is the kind of an Op.
type Kind uint8

// The kinds.
const (
	Multiply  Kind = iota // D = A*B + C
	LoadTile              // wmma.load
	StoreTile             // wmma.store
	LoadRows              // ldmatrix
	StoreRows             // stmatrix
	Transpose             // movmatrix

	WarpgroupMultiply // wgmma.mma_async: D = A*B + D
	WarpgroupFence    // wgmma.fence
	WarpgroupCommit   // wgmma.commit_group
	WarpgroupWait     // wgmma.wait_group: Num is the number of groups that need not be complete

	TensorAlloc      // tcgen05.alloc
	TensorFree       // tcgen05.dealloc
	TensorRelinquish // tcgen05.relinquish_alloc_permit
	TensorLoad       // tcgen05.ld: from Tensor Memory to registers
	TensorStore      // tcgen05.st
	TensorWait       // tcgen05.wait
	TensorCopy       // tcgen05.cp: from shared memory, by one lane
	TensorShift      // tcgen05.shift: by one lane
)

// Warpgroup reports whether the operation is one of a warpgroup.
func (k Kind) Warpgroup() bool { return WarpgroupMultiply <= k && k <= WarpgroupWait }

// TensorMemory reports whether the operation is one of Tensor Memory.
func (k Kind) TensorMemory() bool { return k >= TensorAlloc }

// OneLane reports whether one lane performs the operation, not the warp.
func (k Kind) OneLane() bool { return k >= TensorCopy }

// An Op is an operation with its qualifiers. Lanes with equal Ops meet.
type Op struct {
	Kind    Kind
	Wmma    bool
	M, N, K int // for Multiply, LoadTile and StoreTile

	Operands      // Multiply
	Sat      bool // integers: the result is clamped, not wrapped
	And      bool // b1: and, not xor
	Round    num.RoundMode
	Sparsity // Multiply

	ScaleVec int // 0: no block scale; 1, 2 or 4 factors in a row
	Scale    Elem

	Matrix      byte // LoadTile, StoreTile: 'A', 'B' or 'C'
	Elem        Elem
	RowMajor    bool // LoadTile, StoreTile: row-major memory
	RowTransfer      // LoadRows, StoreRows
	Shared           // WarpgroupMultiply
	Cells            // TensorAlloc and the kinds after it
}

// Shared holds the qualifiers of a product whose B, and often A, are in shared memory.
type Shared struct {
	SharedA        bool // A is in shared memory, too
	Negate         bool // the products are negated: one of imm-scale-a and imm-scale-b is -1
	TransA, TransB bool // in memory, the elements of a column of A, or of a row of B, are adjacent
	Zero           bool // D is not read: D = A*B
}

// Operands are the matrices of a product D = A*B + C: the types of their elements, and their order.
type Operands struct {
	A, B, C, D Elem
	ARow, BRow bool // row-major A and B: m8n8k4 with f16
}

// Sparsity says how a product stores A if half of its elements are zeros.
type Sparsity struct {
	Sparse   bool
	Ordered  bool  // indices of Sparse must ascend
	Selector uint8 // selects the lanes of four that hold the metadata
}

// RowTransfer holds the qualifiers of the operations that move matrices by their rows.
type RowTransfer struct {
	Num          int  // matrices
	Bytes        bool // elements of 8 bits in registers
	Pack         int  // LoadRows: bits of an element in memory, if fewer than in a register
	AllAddresses bool // LoadRows: every lane has to provide a valid address
	Trans        bool
}

// Shape returns the key of layouts: "m16n8k16", "wmma.m16n16k16".
func (o *Op) Shape() string { return o.shape(o.K) }

func (o *Op) shape(k int) string {
	s := fmt.Sprintf("m%dn%dk%d", o.M, o.N, k)
	if o.Wmma {
		s = "wmma." + s
	}
	return s
}

// Layout returns the layout of one operand of Multiply, 'A' to 'D', or of LoadTile and StoreTile;
// nil if the combination does not exist. The stored part of a sparse A has the layout of the dense
// A of half the depth (PTX 9.7.15.6.2).
func (o *Op) Layout(operand byte) *Layout {
	if o.Kind == LoadTile || o.Kind == StoreTile {
		return Find(o.Shape(), o.Matrix, o.Elem, o.RowMajor)
	}
	if o.Kind == WarpgroupMultiply {
		return o.warpgroupLayout(operand)
	}
	switch operand {
	case 'A':
		if o.Sparse {
			return Find(o.shape(o.K/2), 'A', o.A, o.ARow)
		}
		return Find(o.Shape(), 'A', o.A, o.ARow)
	case 'B':
		return Find(o.Shape(), 'B', o.B, o.BRow)
	case 'C':
		return Find(o.Shape(), 'C', o.C, false)
	}
	return Find(o.Shape(), 'C', o.D, false)
}

// MetadataOwner returns the lane of a group of four, and the bit of its register, that hold the
// four bits of metadata for a chunk of a row of the sparse A. chunk counts the chunks of four bits
// in the row. The layouts are the manual's figures 119, 122, 125, 127, 129, 136, 137, 139, 146 and
// 147.
func (o *Op) MetadataOwner(row, chunk int) (owner, bit int) {
	half := row / 8 // rows 8 to 15 of A
	chunks := o.chunks()
	switch {
	case chunks == 4:
		// 16 bits for a row: one lane holds two rows.
		return int(o.Selector), 16*half + 4*chunk
	case chunks == 8 && o.A.Bits() >= 16:
		// A pair of lanes: each holds 16 bits of two rows.
		return 2*int(o.Selector) + chunk/4, 16*half + 4*(chunk%4)
	case chunks == 8:
		// A pair of lanes: each holds the 32 bits of one row.
		return 2*int(o.Selector) + half, 4 * chunk
	}
	// All four lanes: the first two hold the left half of two rows.
	return 2*(chunk/8) + half, 4 * (chunk % 8)
}

// chunks returns the number of four-bit pieces of metadata in a row.
func (o *Op) chunks() int {
	switch o.A {
	case TF32:
		return o.K / 2
	case S4, U4, E2M1P:
		return o.K / 8
	}
	return o.K / 4
}

// Selectors returns the number of values that the sparsity selector may have (PTX 9.7.15.6.1).
func (o *Op) Selectors() int {
	switch o.chunks() {
	case 4:
		return 4
	case 8:
		return 2
	}
	return 1
}
