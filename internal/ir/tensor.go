package ir

import (
	"example.org/crosslane/internal/matrix"
	"example.org/crosslane/internal/tensormap"
	"example.org/crosslane/internal/texture"
)

// TensorInfo describes one Tensor operation: a copy of a box of a tensor, through a tensor map, or a product. Args[0] of its instruction is
// the address in shared memory, Args[1] the generic address of the map. Dst (B32) receives the number of bytes of the box.
// If Texture is set, the operation is one of a texture or surface.
type TensorInfo struct {
	Kind   TensorKind
	Mode   tensormap.Mode
	Dim    int
	Reduce TensorReduce // of TensorReduces
	// Src has the coordinates (B32) and then the im2col offsets (B32); of TensorMultiplies what Operands returns.
	Src     []Ref
	Texture *TextureInfo

	Form  matrix.TensorForm // of TensorMultiplies
	Halve int               // D is divided by 2 to this power first
}

// ProductOperands are the operands of a product of Tensor Memory. Addresses of Tensor Memory and 32-bit words are B32,
// descriptors of shared memory B64. E, FA and FB are 0 without metadata and scale factors.
type ProductOperands struct {
	D, A, B, Word Ref // Word is the instruction descriptor
	Keep          Ref // not 0 if D is an addend
	E, FA, FB     Ref
	Off           []Ref // lanes of D that are not written, a bit each; none: all are
}

// Operands returns the operands of a product.
func (t *TensorInfo) Operands() (o ProductOperands) {
	o.D, o.A, o.B, o.Word, o.Keep = t.Src[0], t.Src[1], t.Src[2], t.Src[3], t.Src[4]
	rest := t.Src[5:]
	if t.Form.Sparse {
		o.E, rest = rest[0], rest[1:]
	}
	if t.Form.Kind.Scaled() {
		o.FA, o.FB, rest = rest[0], rest[1], rest[2:]
	}
	o.Off = rest
	return o
}

// TextureInfo describes a Tensor operation of a texture or surface. Args[1] of its instruction is the handle: the generic address
// of a descriptor. Args[0], if any, is the handle of a sampler. The operation writes no memory.
type TextureInfo struct {
	Do TextureKind
	// Lookup is that of TextureFetches; Dst (B32) receives its result Result. Src has the coordinates, then the level, the partial
	// derivatives by x and by y, and the offsets, as far as the lookup has them (all B32).
	Lookup texture.Lookup
	Result int
	Access texture.Access // of TextureLocates, TexturePacks and TextureSize
	Query  texture.Query  // of TextureAsks; 0: is the operand a descriptor of Kind?
	Kind   texture.Kind   // what the handle has to name; Texture stands for samplers, too
}

// TextureKind is what the operation does.
type TextureKind uint8

// The kinds.
const (
	TextureFetches TextureKind = iota
	TextureLocates             // Dst (B64) receives the address of an element of a surface; 0: there is none. Src has the coordinates.
	TexturePacks               // Dst (B32) receives word Result of the texel that the values in Src (B32) make
	TextureSize                // Dst (B32) receives the bytes of a texel
	TextureAsks                // Dst (B32) receives an attribute. Src has the level, if there is one.
)

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
	TensorMultiplies // tcgen05.mma: D = A*B + D in Tensor Memory. No field of the instruction is an operand
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
