// Package num is the arithmetic of one lane, bit for bit the same on every platform: integers,
// funnel shifts, f16, bf16, f32 and f64 with rounding modes, flush to zero and saturation,
// conversions, and deterministic versions of the approximate functions.
//
// Every exported operation is a pure function of at most four values with one result. Its signature
// carries the operand types: float32 and float64 are these types, uint16 holds the bits of an f16
// or bf16, uint32 those of a packed pair. An operation with two results is two functions, one for
// the value and one for the carry, borrow or flag.
//
// # Names
//
// A name is the operation followed by its type: Add32, MinS64, FmaF32, CvtU32FromF32RZI. A suffix
// without a sign (16, 32, 64) means that the operation does not depend on the sign; U and S mean
// that it does. Functions that begin with a capital V or S directly before a GCN3 mnemonic
// (VBfeU32, SBfeI64) have that instruction's semantics, if it differs from the neutral form.
//
// Suffixes of float operations: RZ, RM, RP are the rounding modes toward zero, minus infinity and
// plus infinity (none means nearest even); Ftz flushes subnormal inputs and results to a zero of
// the same sign; Sat clamps to [0, 1] with NaN giving +0. They appear in that order:
// AddF32RZFtzSat.
//
// # Not-a-number
//
// PTX f32 operations that produce a NaN produce 0x7fffffff. PTX f64 operations quiet and pass on a
// NaN input, and produce [NaN64] otherwise. GCN3 operations (prefix V) quiet and pass on a NaN
// input in both widths.
//
// Go may fuse x*y + z into one rounding on some platforms. Every product that feeds a sum in this
// package is converted explicitly, and the language forbids the fusion across a conversion.
package num
