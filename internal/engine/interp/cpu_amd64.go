package interp

import "unsafe"

// cpuid executes CPUID.
func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// xgetbv returns the low half of XCR0.
func xgetbv() uint32

//go:noescape
func blend32(dst, src unsafe.Pointer, m uint32)

// blend64 copies the lanes of m, of 64 lanes of 32 bits.
//
//go:noescape
func blend64(dst, src unsafe.Pointer, m uint64)

// affine32 and affine64 report whether 32 addresses are equal steps apart.
//
//go:noescape
func affine32(addrs unsafe.Pointer) bool

//go:noescape
func affine64(addrs unsafe.Pointer) bool

// permute64 applies a permutation to 64 lanes of 32 bits.
//
//go:noescape
func permute64(dst, src, p unsafe.Pointer)

// fill256 stores v in 64 lanes of 32 bits.
//
//go:noescape
func fill256(dst unsafe.Pointer, v uint32)

// fill512 stores v in 64 lanes of 64 bits.
//
//go:noescape
func fill512(dst unsafe.Pointer, v uint64)

// haveAVX2 reports whether the processor and the operating system support AVX2, FMA and F16C
// (Intel SDM, 14.3, 14.4.1, 14.5.3, 14.7.1).
var haveAVX2 = func() bool {
	most, _, _, _ := cpuid(0, 0)
	if most < 7 {
		return false
	}
	const fma, osxsave, avx, f16c = 1 << 12, 1 << 27, 1 << 28, 1 << 29
	_, _, c, _ := cpuid(1, 0)
	if c&(fma|osxsave|avx|f16c) != fma|osxsave|avx|f16c || xgetbv()&6 != 6 {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b&(1<<5) != 0
}()

// vectorFn returns the form of an operation for 32 lanes.
func vectorFn(op int, portable bool) func(unsafe.Pointer, *inst) {
	if haveAVX2 && !portable && asmFns[op] != nil {
		return asmFns[op]
	}
	return vecFns[op]
}

// wideBlend reports whether blend32 may be used.
func wideBlend(portable bool) bool { return haveAVX2 && !portable }
