package ir

import "example.org/crosslane/internal/tensormap"

// TensorInfo describes one Tensor operation: a copy of a box of a tensor, through a tensor map. Args[0] of its instruction is
// the address in shared memory, Args[1] the generic address of the map. Dst (B32) receives the number of bytes of the box.
type TensorInfo struct {
	Kind   TensorKind
	Mode   tensormap.Mode
	Dim    int
	Reduce TensorReduce // of TensorReduces
	// Src has the coordinates (B32) and then the im2col offsets (B32).
	Src []Ref
}

// Coordinates is the number of coordinates in Src.
func (t *TensorInfo) Coordinates() int {
	if t.Mode == tensormap.Gather4 {
		return tensormap.MaxRank
	}
	return t.Dim
}

// TensorKind is what a Tensor operation does.
type TensorKind uint8

// The kinds.
const (
	TensorLoads    TensorKind = iota // from the tensor to shared memory
	TensorStores                     // from shared memory to the tensor
	TensorReduces                    // the same, and each element is combined with that of the tensor
	TensorPrepares                   // no effect: only the operands are checked
	// TensorOrders is a fence that lets later copies see the map at Args[1], in the operation's Space: no effect but the check
	// that the address is one of global memory. It is no access.
	TensorOrders
)

// TensorReduce is the operation of a reduction; its type comes from the map.
type TensorReduce uint8

// The operations.
const (
	TensorAdd TensorReduce = iota
	TensorMin
	TensorMax
	TensorInc
	TensorDec
	TensorAnd
	TensorOr
	TensorXor
)

// Listed returns the operands of an operation that its description lists, and no field of the instruction names.
func (f *Func) Listed(in *Inst) []Ref {
	switch in.Op {
	case Collective:
		return f.Collectives[in.Imm].Src
	case Tensor:
		return f.Tensors[in.Imm].Src
	}
	return nil
}
