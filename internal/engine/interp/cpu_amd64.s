#include "textflag.h"

// laneBits is 1<<i in lane i of eight.
DATA ·laneBits+0(SB)/4, $1
DATA ·laneBits+4(SB)/4, $2
DATA ·laneBits+8(SB)/4, $4
DATA ·laneBits+12(SB)/4, $8
DATA ·laneBits+16(SB)/4, $16
DATA ·laneBits+20(SB)/4, $32
DATA ·laneBits+24(SB)/4, $64
DATA ·laneBits+28(SB)/4, $128
GLOBL ·laneBits(SB), RODATA|NOPTR, $32

// laneBits64 is 1<<i in lane i of four.
DATA ·laneBits64+0(SB)/8, $1
DATA ·laneBits64+8(SB)/8, $2
DATA ·laneBits64+16(SB)/8, $4
DATA ·laneBits64+24(SB)/8, $8
GLOBL ·laneBits64(SB), RODATA|NOPTR, $32

// byteBase is, for each byte of 16, the number of the first byte of its 32 bits.
DATA ·byteBase+0(SB)/8, $0x0404040400000000
DATA ·byteBase+8(SB)/8, $0x0c0c0c0c08080808
DATA ·byteBase+16(SB)/8, $0x0404040400000000
DATA ·byteBase+24(SB)/8, $0x0c0c0c0c08080808
GLOBL ·byteBase(SB), RODATA|NOPTR, $32

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

// func blend32(dst, src unsafe.Pointer, m uint32)
TEXT ·blend32(SB), NOSPLIT, $0-20
	MOVQ dst+0(FP), DX
	MOVQ src+8(FP), AX
	MOVL m+16(FP), CX
	VMOVD CX, X14
	VPBROADCASTD X14, Y14
	VMOVDQU ·laneBits(SB), Y15
	VPAND Y15, Y14, Y0
	VPCMPEQD Y15, Y0, Y0
	VMOVDQU (AX), Y1
	VPMASKMOVD Y1, Y0, (DX)
	VPSLLD $8, Y15, Y15
	VPAND Y15, Y14, Y0
	VPCMPEQD Y15, Y0, Y0
	VMOVDQU 32(AX), Y1
	VPMASKMOVD Y1, Y0, 32(DX)
	VPSLLD $8, Y15, Y15
	VPAND Y15, Y14, Y0
	VPCMPEQD Y15, Y0, Y0
	VMOVDQU 64(AX), Y1
	VPMASKMOVD Y1, Y0, 64(DX)
	VPSLLD $8, Y15, Y15
	VPAND Y15, Y14, Y0
	VPCMPEQD Y15, Y0, Y0
	VMOVDQU 96(AX), Y1
	VPMASKMOVD Y1, Y0, 96(DX)
	VZEROUPPER
	RET

// func affine32(addrs unsafe.Pointer) bool
//
// The first eight steps are equal, and so are those from each group of eight to the
// next, to eight times as much.
TEXT ·affine32(SB), NOSPLIT, $0-9
	MOVQ addrs+0(FP), SI
	VMOVDQU (SI), Y0
	VMOVDQU 4(SI), Y1
	VPSUBD Y0, Y1, Y1
	VPBROADCASTD X1, Y2
	VPXOR Y2, Y1, Y1
	VPSLLD $3, Y2, Y2
	VMOVDQU 32(SI), Y3
	VMOVDQU 64(SI), Y4
	VMOVDQU 96(SI), Y5
	VPSUBD Y4, Y5, Y5
	VPSUBD Y3, Y4, Y4
	VPSUBD Y0, Y3, Y3
	VPXOR Y2, Y3, Y3
	VPXOR Y2, Y4, Y4
	VPXOR Y2, Y5, Y5
	VPOR Y3, Y1, Y1
	VPOR Y4, Y5, Y5
	VPOR Y5, Y1, Y1
	VPTEST Y1, Y1
	SETEQ ret+8(FP)
	VZEROUPPER
	RET

// func affine64(addrs unsafe.Pointer) bool
TEXT ·affine64(SB), NOSPLIT, $0-9
	MOVQ addrs+0(FP), SI
	VMOVDQU (SI), Y0
	VMOVDQU 8(SI), Y1
	VPSUBQ Y0, Y1, Y1
	VPBROADCASTQ X1, Y2
	VPXOR Y2, Y1, Y1
	VPSLLQ $2, Y2, Y2
	VMOVDQU 32(SI), Y3
	VPSUBQ Y0, Y3, Y4
	VPXOR Y2, Y4, Y4
	VPOR Y4, Y1, Y1
	VMOVDQU 64(SI), Y0
	VPSUBQ Y3, Y0, Y4
	VPXOR Y2, Y4, Y4
	VPOR Y4, Y1, Y1
	VMOVDQU 96(SI), Y3
	VPSUBQ Y0, Y3, Y4
	VPXOR Y2, Y4, Y4
	VPOR Y4, Y1, Y1
	VMOVDQU 128(SI), Y0
	VPSUBQ Y3, Y0, Y4
	VPXOR Y2, Y4, Y4
	VPOR Y4, Y1, Y1
	VMOVDQU 160(SI), Y3
	VPSUBQ Y0, Y3, Y4
	VPXOR Y2, Y4, Y4
	VPOR Y4, Y1, Y1
	VMOVDQU 192(SI), Y0
	VPSUBQ Y3, Y0, Y4
	VPXOR Y2, Y4, Y4
	VPOR Y4, Y1, Y1
	VMOVDQU 224(SI), Y3
	VPSUBQ Y0, Y3, Y4
	VPXOR Y2, Y4, Y4
	VPOR Y4, Y1, Y1
	VPTEST Y1, Y1
	SETEQ ret+8(FP)
	VZEROUPPER
	RET
