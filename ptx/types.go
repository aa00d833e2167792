package ptx

import "strings"

// Type is a fundamental type, or an alternate type that only instructions use.
type Type uint8

// The fundamental types (PTX 5.2.1) and the opaque ones (PTX 5.3).
const (
	NoType Type = iota
	S8
	S16
	S32
	S64
	U8
	U16
	U32
	U64
	B8
	B16
	B32
	B64
	B128
	F16
	F16x2
	F32
	F64
	Pred
	BF16
	BF16x2
	U16x2
	S16x2
	TF32
	F32x2
	U8x4
	S8x4
	Texref
	Samplerref
	Surfref
	numTypes
)

// A typeInfo holds the facts about a type.
type typeInfo struct {
	name string
	bits int
	kind byte // s, u, b, f, p; o: opaque
}

var types = [numTypes]typeInfo{
	NoType:     {"", 0, 0},
	S8:         {"s8", 8, 's'},
	S16:        {"s16", 16, 's'},
	S32:        {"s32", 32, 's'},
	S64:        {"s64", 64, 's'},
	U8:         {"u8", 8, 'u'},
	U16:        {"u16", 16, 'u'},
	U32:        {"u32", 32, 'u'},
	U64:        {"u64", 64, 'u'},
	B8:         {"b8", 8, 'b'},
	B16:        {"b16", 16, 'b'},
	B32:        {"b32", 32, 'b'},
	B64:        {"b64", 64, 'b'},
	B128:       {"b128", 128, 'b'},
	F16:        {"f16", 16, 'f'},
	F16x2:      {"f16x2", 32, 'f'},
	F32:        {"f32", 32, 'f'},
	F64:        {"f64", 64, 'f'},
	Pred:       {"pred", 1, 'p'},
	BF16:       {"bf16", 16, 'f'},
	BF16x2:     {"bf16x2", 32, 'f'},
	U16x2:      {"u16x2", 32, 'u'},
	S16x2:      {"s16x2", 32, 's'},
	TF32:       {"tf32", 32, 'f'},
	F32x2:      {"f32x2", 64, 'f'},
	U8x4:       {"u8x4", 32, 'u'},
	S8x4:       {"s8x4", 32, 's'},
	Texref:     {"texref", 64, 'o'},
	Samplerref: {"samplerref", 64, 'o'},
	Surfref:    {"surfref", 64, 'o'},
}

// String returns the type's name without its dot: "s32".
func (t Type) String() string { return types[t].name }

// Bits returns the width in bits: 1 for Pred, 64 for the opaque types.
func (t Type) Bits() int { return types[t].bits }

// Bytes returns the size in memory: 1 for Pred.
func (t Type) Bytes() int { return (types[t].bits + 7) / 8 }

// Signed reports whether t is a signed integer type.
func (t Type) Signed() bool { return types[t].kind == 's' }

// UnsignedInt reports whether t is an unsigned integer type.
func (t Type) UnsignedInt() bool { return types[t].kind == 'u' }

// Untyped reports whether t is a bit-size type.
func (t Type) Untyped() bool { return types[t].kind == 'b' }

// Integer reports whether t is a signed, unsigned or bit-size type.
func (t Type) Integer() bool { k := types[t].kind; return k == 's' || k == 'u' || k == 'b' }

// Float reports whether t is a floating-point type.
func (t Type) Float() bool { return types[t].kind == 'f' }

// Fundamental reports whether variables may have the type (PTX 5.2.1).
func (t Type) Fundamental() bool { return t > NoType && t <= Pred }

// packed reports whether t is several values in one register.
func (t Type) packed() bool { return strings.Contains(types[t].name, "x") && !t.Opaque() }

// Opaque reports whether t is a texture, sampler or surface reference.
func (t Type) Opaque() bool { return types[t].kind == 'o' }

// ParseType returns the type called name, without its dot; NoType if there is none.
func ParseType(name string) Type {
	for t := Type(1); t < numTypes; t++ {
		if types[t].name == name {
			return t
		}
	}
	return NoType
}
