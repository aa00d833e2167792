#include "textflag.h"

// func call(code uintptr, frame unsafe.Pointer)
//
// It has no frame of its own, so a profiler or a fault that comes while the code runs
// finds the return address at SP. Callers get their g (R14) and zero (X15) back from
// the wrapper that the compiler puts around ABI0 functions. The upper halves of the
// vector registers are cleared, for the SSE code of Go is slow with them.
TEXT ·call(SB), NOSPLIT, $0-16
	MOVQ code+0(FP), AX
	MOVQ frame+8(FP), BX
	CALL AX
	VZEROUPPER
	RET

// func cpuid(leaf, sub uint32) (a, b, c, d uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL sub+4(FP), CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	MOVL DX, d+20(FP)
	RET

// func xgetbv() uint32
TEXT ·xgetbv(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, ret+0(FP)
	RET
