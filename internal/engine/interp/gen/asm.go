package main

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"
	"math"
	"slices"
	"strings"

	"example.org/crosslane/internal/ir"
)

// An asmOp is the AVX2 form of a pure operation, for groups of 8 lanes (32-bit results) or 4
// lanes (64-bit results). The body works on registers:
//
//	Y0 to Y3    the operands, loaded as the views say; the result goes to Y0
//	Y3 to Y7    free, but for operands (Y3 only, in forms that bail out)
//	Y8, Y9      constants that the prologue made
//	Y10 to Y15  the emitter's own
//
// Instructions are in Go's operand order (sources first, destination last).
type asmOp struct {
	name string
	// views has one letter per operand: d 8x32 bits, f the same with subnormal f32
	// flushed to zero, q 4x64 bits, z 4x32 zero-extended, s 4x32 sign-extended, x 4x32
	// in the lower half, h 8xf16 as f32, w 8x16 zero-extended, v 8x16 sign-extended, W 16x16,
	// m a mask (lanes of ones or zeros).
	views string
	// res is d, q, f (flushed), x: 4x32 from the lower half, h: f32 rounded to 8xf16, w: the
	// lower halves of 8x32, W: 16x16, or m: a mask, from the sign bits of Y0. With upper case
	// D, F and H the form bails out if any lane's result is NaN, because the operands
	// determine the NaN; the Go form then computes all lanes. A form that sets bits of Y10
	// bails out, too.
	res  byte
	pre  string // constants
	body string
}

// The constants that prologues make.
const (
	preSign  = "ones Y8\nVPSLLD $31, Y8, Y8\n"                    // 0x80000000
	preNaN   = "ones Y8\nVPSRLD $1, Y8, Y8\n"                     // 0x7fffffff, PTX's NaN
	preMod32 = "ones Y8\nVPSRLD $27, Y8, Y8\n"                    // 31
	pre32    = "ones Y8\nVPSRLD $31, Y8, Y9\nVPSLLD $5, Y9, Y9\n" // Y9 = 32
	preWrap  = pre32 + "VPSRLD $27, Y8, Y8\n"                     // Y8 = 31, Y9 = 32
	canon    = "VCMPPS $3, Y0, Y0, Y3\nVBLENDVPS Y3, Y8, Y0, Y0\n"

	pre2p126  = preNaN + "ones Y9\nVPSRLD $31, Y9, Y9\nVPSLLD $24, Y9, Y9\nVPSLLD $1, Y8, Y4\nVPSRLD $24, Y4, Y4\nVPSLLD $23, Y4, Y4\nVPSUBD Y9, Y4, Y9\n" // Y9 = 2^126
	preOne    = preNaN + "ones Y9\nVPSRLD $25, Y9, Y9\nVPSLLD $23, Y9, Y9\n"
	pre2p31   = "ones Y8\nVPSRLD $31, Y8, Y9\nVPSLLD $30, Y9, Y9\nVPSRLD $28, Y8, Y8\nVPSLLD $24, Y8, Y8\nVPOR Y9, Y8, Y8\nVPXOR Y9, Y9, Y9\n" // 2^31 and 0 as f32
	preSign64 = "ones Y8\nVPSLLQ $63, Y8, Y8\n"
	preMag64  = "ones Y8\nVPSRLQ $1, Y8, Y8\n"
	preUns64  = "ones Y9\nVPSLLQ $63, Y9, Y8\n" // Y8 = signs, Y9 = ones
	unsigned  = "VPXOR Y8, Y0, Y0\nVPXOR Y8, Y1, Y1\n"

	// x86 returns the second operand if either is NaN, or if both are zeros. So take the
	// other operand in lanes with b a NaN, and the sign according to -0 < +0.
	maxF32 = "VMAXPS Y1, Y0, Y4\nVCMPPS $0, Y1, Y0, Y5\nVPAND Y1, Y0, Y6\nVBLENDVPS Y5, Y6, Y4, Y4\nVCMPPS $3, Y1, Y1, Y5\nVBLENDVPS Y5, Y0, Y4, Y0\n" + canon
	minF32 = "VMINPS Y1, Y0, Y4\nVCMPPS $0, Y1, Y0, Y5\nVPOR Y1, Y0, Y6\nVBLENDVPS Y5, Y6, Y4, Y4\nVCMPPS $3, Y1, Y1, Y5\nVBLENDVPS Y5, Y0, Y4, Y0\n" + canon
	maxF64 = "VMAXPD Y1, Y0, Y4\nVCMPPD $0, Y1, Y0, Y5\nVPAND Y1, Y0, Y6\nVBLENDVPD Y5, Y6, Y4, Y4\nVCMPPD $3, Y1, Y1, Y5\nVBLENDVPD Y5, Y0, Y4, Y0"
	minF64 = "VMINPD Y1, Y0, Y4\nVCMPPD $0, Y1, Y0, Y5\nVPOR Y1, Y0, Y6\nVBLENDVPD Y5, Y6, Y4, Y4\nVCMPPD $3, Y1, Y1, Y5\nVBLENDVPD Y5, Y0, Y4, Y0"

	// The product of two f16 is exact in f32. The sum s is rounded to odd, with the error err
	// of the two-sum: towards zero, then the last bit is set if err is not 0. Then s rounds
	// to f16 as the exact sum does.
	fmaF16 = "VMULPS Y1, Y0, Y0\nVADDPS Y2, Y0, Y4\nVSUBPS Y0, Y4, Y5\nVSUBPS Y5, Y4, Y6\nVSUBPS Y6, Y0, Y6\nVSUBPS Y5, Y2, Y7\nVADDPS Y7, Y6, Y6\n" + // Y4 = s, Y6 = err
		"VPXOR Y5, Y5, Y5\nVCMPPS $12, Y5, Y6, Y5\n" + // inexact, and no NaN
		"VPXOR Y4, Y6, Y6\nVPSRAD $31, Y6, Y6\nVPSLLD $31, Y4, Y7\nVPSRAD $31, Y7, Y7\nVPANDN Y6, Y7, Y6\nVPAND Y5, Y6, Y6\n" + // -1: even, and beyond the exact sum
		"VPADDD Y6, Y4, Y4\nVPSRLD $31, Y5, Y5\nVPOR Y5, Y4, Y0\n" + canon
)

const divApprox = "VDIVPS Y1, Y0, Y4\nVPAND Y8, Y1, Y5\nVPANDN Y1, Y8, Y6\nVMULPS Y6, Y0, Y0\nVCMPPS $30, Y9, Y5, Y5\nVBLENDVPS Y5, Y0, Y4, Y0\n" + canon

const rsqrt = "VCVTPS2PD X0, Y0\nVSQRTPD Y0, Y0\nVMOVUPD ·f64One(SB), Y4\nVDIVPD Y0, Y4, Y0\nVCVTPD2PSY Y0, X0\n" + canon

// exp2 and log2 compute in four lanes as exp2f64 and log2f64 of package num do in one, in the
// same order, so that every rounding is the same.
var (
	exp2 = "VCMPPS $3, X0, X0, X7\nVMINPS ·f32Plus200(SB), X0, X0\nVMAXPS ·f32Minus200(SB), X0, X0\nVCVTPS2PD X0, Y0\n" +
		"VROUNDPD $0, Y0, Y4\nVSUBPD Y4, Y0, Y5\nVMULPD ·f64Ln2(SB), Y5, Y5\n" + horner("exp2") +
		"VCVTTPD2DQY Y4, X4\nVPMOVSXDQ X4, Y4\nVPADDQ ·i64Bias(SB), Y4, Y4\nVPSLLQ $52, Y4, Y4\nVMULPD Y4, Y0, Y0\n" +
		"VCVTPD2PSY Y0, X0\nVBLENDVPS X7, X8, X0, X0\n"

	log2 = "VMOVAPS X0, X9\nVCVTPS2PD X0, Y0\n" +
		// m = Y4 from 1/2 up to 1, e = Y6; below the root of 1/2, twice m and e - 1.
		"VPSRLQ $52, Y0, Y6\nVPSUBQ ·i64Half(SB), Y6, Y6\nVPAND ·i64Man(SB), Y0, Y4\nVPOR ·f64Half(SB), Y4, Y4\n" +
		"VCMPPD $17, ·f64Root(SB), Y4, Y5\nVPADDQ Y5, Y6, Y6\nVADDPD Y4, Y4, Y7\nVBLENDVPD Y5, Y7, Y4, Y4\n" +
		// s = Y7 = (m-1)/(m+1), q = Y5 = s*s.
		"VADDPD ·f64One(SB), Y4, Y5\nVSUBPD ·f64One(SB), Y4, Y4\nVDIVPD Y5, Y4, Y7\nVMULPD Y7, Y7, Y5\n" + horner("log2") +
		"VMULPD ·f64TwoLog(SB), Y7, Y7\nVMULPD Y0, Y7, Y0\nVPSHUFD $0x88, Y6, Y6\nVPERMQ $0x08, Y6, Y6\nVCVTDQ2PD X6, Y6\nVADDPD Y0, Y6, Y0\nVCVTPD2PSY Y0, X0\n" +
		// Infinity stays infinity, zeros give minus infinity, and negative numbers or NaN
		// give NaN.
		"VPXOR X4, X4, X4\nVCMPPS $0, ·f32Inf(SB), X9, X5\nVBLENDVPS X5, X9, X0, X0\nVCMPPS $0, X4, X9, X5\nVMOVUPS ·f32MinusInf(SB), X6\nVBLENDVPS X5, X6, X0, X0\n" +
		"VCMPPS $25, X4, X9, X5\nVBLENDVPS X5, X8, X0, X0\n" // not greater or equal
)

// horner computes Y0 = c[0] + c[1]*Y5 + … with twelve constants.
func horner(name string) string {
	s := fmt.Sprintf("VMOVUPD ·f64%s+%d(SB), Y0\n", name, 32*11)
	for i := 10; i >= 0; i-- {
		s += fmt.Sprintf("VMULPD Y5, Y0, Y0\nVADDPD ·f64%s+%d(SB), Y0, Y0\n", name, 32*i)
	}
	return s
}

// asmConsts holds vectors of constants in memory, each in four lanes of 64 bits or in four of
// 32. Those of f64 are the constants of num/approx.go.
func asmConsts() map[string][]uint64 {
	f64 := func(x ...float64) (bits []uint64) {
		for _, v := range x {
			bits = append(bits, math.Float64bits(v))
		}
		return bits
	}
	f32 := func(x float32) []uint64 { u := uint64(math.Float32bits(x)); return []uint64{u<<32 | u} }
	return map[string][]uint64{
		"f64One": f64(1), "f64Half": f64(0.5), "f64Ln2": f64(math.Ln2), "f64TwoLog": f64(2 / math.Ln2), "f64Root": f64(math.Sqrt2 / 2),
		"f64exp2":    f64(1, 1, 1./2, 1./6, 1./24, 1./120, 1./720, 1./5040, 1./40320, 1./362880, 1./3628800, 1./39916800),
		"f64log2":    f64(1, 1./3, 1./5, 1./7, 1./9, 1./11, 1./13, 1./15, 1./17, 1./19, 1./21, 1./23),
		"f32Plus200": f32(200), "f32Minus200": f32(-200), "f32Inf": f32(float32(math.Inf(1))), "f32MinusInf": f32(float32(math.Inf(-1))),
		"i64Bias": {1023}, "i64Half": {1022}, "i64Man": {1<<52 - 1},
	}
}

// emitConsts writes the constants.
func emitConsts(s *bytes.Buffer) {
	consts := asmConsts()
	maps.Copy(consts, byteConsts())
	maps.Copy(consts, gcnConsts())
	for _, name := range slices.Sorted(maps.Keys(consts)) {
		at := 0
		for _, v := range consts[name] {
			for range 4 {
				fmt.Fprintf(s, "DATA ·%s+%d(SB)/8, $%#x\n", name, at, v)
				at += 8
			}
		}
		fmt.Fprintf(s, "GLOBL ·%s(SB), RODATA|NOPTR, $%d\n\n", name, at)
	}
}

var asmOps = []asmOp{
	{"Add32", "dd", 'd', "", "VPADDD Y1, Y0, Y0"},
	{"Sub32", "dd", 'd', "", "VPSUBD Y1, Y0, Y0"},
	{"Mul32", "dd", 'd', "", "VPMULLD Y1, Y0, Y0"},
	{"Mad32", "ddd", 'd', "", "VPMULLD Y1, Y0, Y0\nVPADDD Y2, Y0, Y0"},
	{"And32", "dd", 'd', "", "VPAND Y1, Y0, Y0"},
	{"Or32", "dd", 'd', "", "VPOR Y1, Y0, Y0"},
	{"Xor32", "dd", 'd', "", "VPXOR Y1, Y0, Y0"},
	{"Not32", "d", 'd', "ones Y8\n", "VPXOR Y8, Y0, Y0"},
	{"Neg32", "d", 'd', "VPXOR Y8, Y8, Y8\n", "VPSUBD Y0, Y8, Y0"},
	{"AbsS32", "d", 'd', "", "VPABSD Y0, Y0"},
	{"MinS32", "dd", 'd', "", "VPMINSD Y1, Y0, Y0"},
	{"MaxS32", "dd", 'd', "", "VPMAXSD Y1, Y0, Y0"},
	{"MinU32", "dd", 'd', "", "VPMINUD Y1, Y0, Y0"},
	{"MaxU32", "dd", 'd', "", "VPMAXUD Y1, Y0, Y0"},
	// The processor's variable shifts give 0, or the sign, for counts from 32 on, as PTX
	// does.
	{"Shl32", "dd", 'd', "", "VPSLLVD Y1, Y0, Y0"},
	{"ShrU32", "dd", 'd', "", "VPSRLVD Y1, Y0, Y0"},
	{"ShrS32", "dd", 'd', "", "VPSRAVD Y1, Y0, Y0"},
	{"ShlWrap32", "dd", 'd', preMod32, "VPAND Y8, Y1, Y1\nVPSLLVD Y1, Y0, Y0"},
	{"ShrUWrap32", "dd", 'd', preMod32, "VPAND Y8, Y1, Y1\nVPSRLVD Y1, Y0, Y0"},
	{"ShrSWrap32", "dd", 'd', preMod32, "VPAND Y8, Y1, Y1\nVPSRAVD Y1, Y0, Y0"},
	{"ShfLWrap", "ddd", 'd', preWrap, "VPAND Y8, Y2, Y2\nVPSLLVD Y2, Y1, Y1\nVPSUBD Y2, Y9, Y2\nVPSRLVD Y2, Y0, Y0\nVPOR Y1, Y0, Y0"},
	{"ShfRWrap", "ddd", 'd', preWrap, "VPAND Y8, Y2, Y2\nVPSRLVD Y2, Y0, Y0\nVPSUBD Y2, Y9, Y2\nVPSLLVD Y2, Y1, Y1\nVPOR Y1, Y0, Y0"},
	{"ShfLClamp", "ddd", 'd', pre32, "VPMINUD Y9, Y2, Y2\nVPSLLVD Y2, Y1, Y1\nVPSUBD Y2, Y9, Y2\nVPSRLVD Y2, Y0, Y0\nVPOR Y1, Y0, Y0"},
	{"ShfRClamp", "ddd", 'd', pre32, "VPMINUD Y9, Y2, Y2\nVPSRLVD Y2, Y0, Y0\nVPSUBD Y2, Y9, Y2\nVPSLLVD Y2, Y1, Y1\nVPOR Y1, Y0, Y0"},
	{"Sel32", "mdd", 'd', "", "VBLENDVPS Y0, Y1, Y2, Y0"},

	{"EqU32", "dd", 'm', "", "VPCMPEQD Y1, Y0, Y0"},
	{"NeU32", "dd", 'm', "ones Y8\n", "VPCMPEQD Y1, Y0, Y0\nVPXOR Y8, Y0, Y0"},
	{"LtS32", "dd", 'm', "", "VPCMPGTD Y0, Y1, Y0"},
	{"GtS32", "dd", 'm', "", "VPCMPGTD Y1, Y0, Y0"},
	{"GeS32", "dd", 'm', "ones Y8\n", "VPCMPGTD Y0, Y1, Y0\nVPXOR Y8, Y0, Y0"},
	{"LeS32", "dd", 'm', "ones Y8\n", "VPCMPGTD Y1, Y0, Y0\nVPXOR Y8, Y0, Y0"},
	{"GeU32", "dd", 'm', "", "VPMAXUD Y1, Y0, Y1\nVPCMPEQD Y1, Y0, Y0"},
	{"LeU32", "dd", 'm', "", "VPMINUD Y1, Y0, Y1\nVPCMPEQD Y1, Y0, Y0"},
	{"LtU32", "dd", 'm', "ones Y8\n", "VPMAXUD Y1, Y0, Y1\nVPCMPEQD Y1, Y0, Y0\nVPXOR Y8, Y0, Y0"},
	{"GtU32", "dd", 'm', "ones Y8\n", "VPMINUD Y1, Y0, Y1\nVPCMPEQD Y1, Y0, Y0\nVPXOR Y8, Y0, Y0"},

	{"AddF32", "dd", 'd', preNaN, "VADDPS Y1, Y0, Y0\n" + canon},
	{"SubF32", "dd", 'd', preNaN, "VSUBPS Y1, Y0, Y0\n" + canon},
	{"MulF32", "dd", 'd', preNaN, "VMULPS Y1, Y0, Y0\n" + canon},
	{"DivF32", "dd", 'd', preNaN, "VDIVPS Y1, Y0, Y0\n" + canon},
	{"SqrtF32", "d", 'd', preNaN, "VSQRTPS Y0, Y0\n" + canon},
	{"FmaF32", "ddd", 'd', preNaN, "VFMADD213PS Y2, Y1, Y0\n" + canon},
	{"MaxF32", "dd", 'd', preNaN, maxF32},
	{"MinF32", "dd", 'd', preNaN, minF32},
	{"AbsF32", "d", 'd', preNaN, "VPAND Y8, Y0, Y0"},
	{"NegF32", "d", 'd', preSign, "VPXOR Y8, Y0, Y0"},
	{"RcpF32", "d", 'd', preOne, "VDIVPS Y0, Y9, Y0\n" + canon},
	{"RcpApproxF32", "d", 'd', preOne, "VDIVPS Y0, Y9, Y0\n" + canon},
	{"RcpApproxF32Ftz", "f", 'f', preOne, "VDIVPS Y0, Y9, Y0\n" + canon},
	{"SqrtApproxF32", "d", 'd', preNaN, "VSQRTPS Y0, Y0\n" + canon},
	{"SqrtApproxF32Ftz", "f", 'f', preNaN, "VSQRTPS Y0, Y0\n" + canon},
	{"DivFullF32", "dd", 'd', preNaN, "VDIVPS Y1, Y0, Y0\n" + canon},
	{"DivFullF32Ftz", "ff", 'f', preNaN, "VDIVPS Y1, Y0, Y0\n" + canon},
	// For divisors beyond 2^126, also infinity, the quotient is the product with a zero of
	// the divisor's sign.
	{"DivApproxF32", "dd", 'd', pre2p126, divApprox},
	{"DivApproxF32Ftz", "ff", 'f', pre2p126, divApprox},
	{"RsqrtApproxF32", "x", 'x', preNaN, rsqrt},
	{"RsqrtApproxF32Ftz", "x", 'x', preNaN, "flush Y0\n" + rsqrt + "flush Y0"},
	{"Ex2ApproxF32", "x", 'x', preNaN, exp2},
	{"Ex2ApproxF32Ftz", "x", 'x', preNaN, "flush Y0\n" + exp2 + "flush Y0"},
	{"Lg2ApproxF32", "x", 'x', preNaN, log2},
	{"Lg2ApproxF32Ftz", "x", 'x', preNaN, "flush Y0\n" + log2},
	{"CvtF32FromS32", "d", 'd', "", "VCVTDQ2PS Y0, Y0"},
	// Both halves convert exactly; the fused sum rounds once.
	{"CvtF32FromU32", "d", 'd', "ones Y8\nVPSRLD $16, Y8, Y8\nVPSRLD $15, Y8, Y9\nVPSLLD $16, Y9, Y9\nVCVTDQ2PS Y9, Y9\n",
		"VPAND Y8, Y0, Y1\nVPSRLD $16, Y0, Y0\nVCVTDQ2PS Y1, Y1\nVCVTDQ2PS Y0, Y0\nVFMADD213PS Y1, Y9, Y0"},

	{"AddF32Ftz", "ff", 'f', preNaN, "VADDPS Y1, Y0, Y0\n" + canon},
	{"SubF32Ftz", "ff", 'f', preNaN, "VSUBPS Y1, Y0, Y0\n" + canon},
	{"MulF32Ftz", "ff", 'f', preNaN, "VMULPS Y1, Y0, Y0\n" + canon},
	{"FmaF32Ftz", "fff", 'f', preNaN, "VFMADD213PS Y2, Y1, Y0\n" + canon},

	{"VAddF32", "dd", 'D', "", "VADDPS Y1, Y0, Y0"},
	{"VSubF32", "dd", 'D', "", "VSUBPS Y1, Y0, Y0"},
	{"VMulF32", "dd", 'D', "", "VMULPS Y1, Y0, Y0"},
	{"VFmaF32", "ddd", 'D', "", "VFMADD213PS Y2, Y1, Y0"},
	{"VAddF32Ftz", "ff", 'F', "", "VADDPS Y1, Y0, Y0"},
	{"VSubF32Ftz", "ff", 'F', "", "VSUBPS Y1, Y0, Y0"},
	{"VMulF32Ftz", "ff", 'F', "", "VMULPS Y1, Y0, Y0"},
	{"VFmaF32Ftz", "fff", 'F', "", "VFMADD213PS Y2, Y1, Y0"},
	{"VMadF32", "fff", 'F', "", "VMULPS Y1, Y0, Y0\nflush Y0\nVADDPS Y2, Y0, Y0"},

	{"AddC32", "dd", 'm', "ones Y8\n", "VPADDD Y1, Y0, Y1\nVPMAXUD Y1, Y0, Y2\nVPCMPEQD Y1, Y2, Y0\nVPXOR Y8, Y0, Y0"},
	{"SubB32", "dd", 'm', "ones Y8\n", "VPMAXUD Y1, Y0, Y1\nVPCMPEQD Y1, Y0, Y0\nVPXOR Y8, Y0, Y0"},
	{"Addc32", "ddm", 'd', "", "VPADDD Y1, Y0, Y0\nVPSUBD Y2, Y0, Y0"},
	{"Subb32", "ddm", 'd', "", "VPSUBD Y1, Y0, Y0\nVPADDD Y2, Y0, Y0"},
	// The sum with the carry is below a, or equal to a if the carry is set.
	{"AddCC32", "ddm", 'm', "ones Y8\n", "VPADDD Y1, Y0, Y1\nVPSUBD Y2, Y1, Y1\nVPCMPEQD Y1, Y0, Y3\nVPAND Y2, Y3, Y3\nVPMAXUD Y1, Y0, Y2\nVPCMPEQD Y1, Y2, Y0\nVPXOR Y8, Y0, Y0\nVPOR Y3, Y0, Y0"},

	{"Add64", "qq", 'q', "", "VPADDQ Y1, Y0, Y0"},
	{"AddWideU32", "zq", 'q', "", "VPADDQ Y1, Y0, Y0"},
	{"Sub64", "qq", 'q', "", "VPSUBQ Y1, Y0, Y0"},
	{"And64", "qq", 'q', "", "VPAND Y1, Y0, Y0"},
	{"Or64", "qq", 'q', "", "VPOR Y1, Y0, Y0"},
	{"Xor64", "qq", 'q', "", "VPXOR Y1, Y0, Y0"},
	{"Shl64", "qz", 'q', "", "VPSLLVQ Y1, Y0, Y0"},
	{"ShrU64", "qz", 'q', "", "VPSRLVQ Y1, Y0, Y0"},
	{"MulWideU32", "zz", 'q', "", "VPMULUDQ Y1, Y0, Y0"},
	{"MulWideS32", "ss", 'q', "", "VPMULDQ Y1, Y0, Y0"},
	{"MadWideU32", "zzq", 'q', "", "VPMULUDQ Y1, Y0, Y0\nVPADDQ Y2, Y0, Y0"},
	{"MadWideS32", "ssq", 'q', "", "VPMULDQ Y1, Y0, Y0\nVPADDQ Y2, Y0, Y0"},
	{"Pack64", "zz", 'q', "", "VPSLLQ $32, Y1, Y1\nVPOR Y1, Y0, Y0"},
	{"Not64", "q", 'q', "ones Y8\n", "VPXOR Y8, Y0, Y0"},
	{"Neg64", "q", 'q', "VPXOR Y8, Y8, Y8\n", "VPSUBQ Y0, Y8, Y0"},
	// The products of the halves; the product of the upper halves does not matter.
	{"Mul64", "qq", 'q', "", "VPSRLQ $32, Y0, Y4\nVPMULUDQ Y1, Y4, Y4\nVPSRLQ $32, Y1, Y5\nVPMULUDQ Y0, Y5, Y5\nVPADDQ Y5, Y4, Y4\nVPSLLQ $32, Y4, Y4\nVPMULUDQ Y1, Y0, Y0\nVPADDQ Y4, Y0, Y0"},
	{"Mad64", "qqq", 'q', "", "VPSRLQ $32, Y0, Y4\nVPMULUDQ Y1, Y4, Y4\nVPSRLQ $32, Y1, Y5\nVPMULUDQ Y0, Y5, Y5\nVPADDQ Y5, Y4, Y4\nVPSLLQ $32, Y4, Y4\nVPMULUDQ Y1, Y0, Y0\nVPADDQ Y4, Y0, Y0\nVPADDQ Y2, Y0, Y0"},
	// There is no arithmetic 64-bit shift: for a negative value, the complement is shifted.
	{"ShrS64", "qz", 'q', "VPXOR Y8, Y8, Y8\n", "VPCMPGTQ Y0, Y8, Y4\nVPXOR Y4, Y0, Y0\nVPSRLVQ Y1, Y0, Y0\nVPXOR Y4, Y0, Y0"},
	{"Sel64", "mqq", 'q', "", "VBLENDVPD Y0, Y1, Y2, Y0"},
	{"Addc64", "qqm", 'q', "", "VPADDQ Y1, Y0, Y0\nVPSUBQ Y2, Y0, Y0"},
	{"Subb64", "qqm", 'q', "", "VPSUBQ Y1, Y0, Y0\nVPADDQ Y2, Y0, Y0"},
	{"MinS64", "qq", 'q', "", "VPCMPGTQ Y1, Y0, Y4\nVBLENDVPD Y4, Y1, Y0, Y0"},
	{"MaxS64", "qq", 'q', "", "VPCMPGTQ Y1, Y0, Y4\nVBLENDVPD Y4, Y0, Y1, Y0"},
	{"MinU64", "qq", 'q', preUns64, "VPXOR Y8, Y0, Y4\nVPXOR Y8, Y1, Y5\nVPCMPGTQ Y5, Y4, Y4\nVBLENDVPD Y4, Y1, Y0, Y0"},
	{"MaxU64", "qq", 'q', preUns64, "VPXOR Y8, Y0, Y4\nVPXOR Y8, Y1, Y5\nVPCMPGTQ Y5, Y4, Y4\nVBLENDVPD Y4, Y0, Y1, Y0"},
	{"AbsS64", "q", 'q', "VPXOR Y8, Y8, Y8\n", "VPCMPGTQ Y0, Y8, Y4\nVPXOR Y4, Y0, Y0\nVPSUBQ Y4, Y0, Y0"},
	{"EqU64", "qq", 'm', "", "VPCMPEQQ Y1, Y0, Y0"},
	{"NeU64", "qq", 'm', preUns64, "VPCMPEQQ Y1, Y0, Y0\nVPXOR Y9, Y0, Y0"},
	{"LtS64", "qq", 'm', preUns64, "VPCMPGTQ Y0, Y1, Y0"},
	{"GtS64", "qq", 'm', preUns64, "VPCMPGTQ Y1, Y0, Y0"},
	{"GeS64", "qq", 'm', preUns64, "VPCMPGTQ Y0, Y1, Y0\nVPXOR Y9, Y0, Y0"},
	{"LeS64", "qq", 'm', preUns64, "VPCMPGTQ Y1, Y0, Y0\nVPXOR Y9, Y0, Y0"},
	{"LtU64", "qq", 'm', preUns64, unsigned + "VPCMPGTQ Y0, Y1, Y0"},
	{"GtU64", "qq", 'm', preUns64, unsigned + "VPCMPGTQ Y1, Y0, Y0"},
	{"GeU64", "qq", 'm', preUns64, unsigned + "VPCMPGTQ Y0, Y1, Y0\nVPXOR Y9, Y0, Y0"},
	{"LeU64", "qq", 'm', preUns64, unsigned + "VPCMPGTQ Y1, Y0, Y0\nVPXOR Y9, Y0, Y0"},
	{"CvtU64FromU32", "z", 'q', "", ""},
	{"CvtU64FromS32", "s", 'q', "", ""},
	{"CvtS64FromS32", "s", 'q', "", ""},
	{"CvtU32FromU64", "q", 'x', "", "VPSHUFD $0x88, Y0, Y0\nVPERMQ $0x08, Y0, Y0"},
	{"Lo32", "q", 'x', "", "VPSHUFD $0x88, Y0, Y0\nVPERMQ $0x08, Y0, Y0"},
	{"Hi32", "q", 'x', "", "VPSHUFD $0xdd, Y0, Y0\nVPERMQ $0x08, Y0, Y0"},

	// x86 gives f64 operations the NaN of PTX and GCN3: the first operand that is a NaN, made
	// quiet, and 0xfff8000000000000 if none is.
	{"AddF64", "qq", 'q', "", "VADDPD Y1, Y0, Y0"},
	{"SubF64", "qq", 'q', "", "VSUBPD Y1, Y0, Y0"},
	{"MulF64", "qq", 'q', "", "VMULPD Y1, Y0, Y0"},
	{"DivF64", "qq", 'q', "", "VDIVPD Y1, Y0, Y0"},
	{"RcpF64", "q", 'q', "ones Y8\nVPSRLQ $54, Y8, Y8\nVPSLLQ $52, Y8, Y8\n", "VDIVPD Y0, Y8, Y0"},
	{"SqrtF64", "q", 'q', "", "VSQRTPD Y0, Y0"},
	{"FmaF64", "qqq", 'q', "", "VFMADD213PD Y2, Y0, Y1\nVMOVAPD Y1, Y0"},
	{"MaxF64", "qq", 'q', "", maxF64},
	{"MinF64", "qq", 'q', "", minF64},
	{"AbsF64", "q", 'q', preMag64, "VPAND Y8, Y0, Y0"},
	{"NegF64", "q", 'q', preSign64, "VPXOR Y8, Y0, Y0"},
	{"CvtF64FromS32", "x", 'q', "", "VCVTDQ2PD X0, Y0"},
	{"CvtF64FromF32", "x", 'q', "", "VCVTPS2PD X0, Y0"},
	{"CvtF32FromF64", "q", 'x', preNaN, "VCVTPD2PSY Y0, X0\n" + canon},

	// To integers: a number out of range gives 0x80000000. f32 has no integer between 2^31 -
	// 1 and 2^31.
	{"CvtS32FromF32RZI", "d", 'd', pre2p31, "VCMPPS $7, Y0, Y0, Y4\nVCMPPS $29, Y8, Y0, Y5\nVCVTTPS2DQ Y0, Y0\nVPXOR Y5, Y0, Y0\nVPAND Y4, Y0, Y0"},
	{"CvtU32FromF32RZI", "d", 'd', pre2p31, "VMAXPS Y9, Y0, Y0\nVCMPPS $29, Y8, Y0, Y4\nVPAND Y8, Y4, Y5\nVSUBPS Y5, Y0, Y0\nVCMPPS $29, Y8, Y0, Y5\nVCVTTPS2DQ Y0, Y0\nVPSLLD $31, Y4, Y4\nVPXOR Y4, Y0, Y0\nVPOR Y5, Y0, Y0"},
	{"CvtS32FromF32RNI", "d", 'd', pre2p31, "VROUNDPS $0, Y0, Y0\nVCMPPS $7, Y0, Y0, Y4\nVCMPPS $29, Y8, Y0, Y5\nVCVTTPS2DQ Y0, Y0\nVPXOR Y5, Y0, Y0\nVPAND Y4, Y0, Y0"},
	{"CvtU32FromF32RNI", "d", 'd', pre2p31, "VROUNDPS $0, Y0, Y0\nVMAXPS Y9, Y0, Y0\nVCMPPS $29, Y8, Y0, Y4\nVPAND Y8, Y4, Y5\nVSUBPS Y5, Y0, Y0\nVCMPPS $29, Y8, Y0, Y5\nVCVTTPS2DQ Y0, Y0\nVPSLLD $31, Y4, Y4\nVPXOR Y4, Y0, Y0\nVPOR Y5, Y0, Y0"},
	{"CvtS32FromF32RMI", "d", 'd', pre2p31, "VROUNDPS $1, Y0, Y0\nVCMPPS $7, Y0, Y0, Y4\nVCMPPS $29, Y8, Y0, Y5\nVCVTTPS2DQ Y0, Y0\nVPXOR Y5, Y0, Y0\nVPAND Y4, Y0, Y0"},
	{"CvtU32FromF32RMI", "d", 'd', pre2p31, "VROUNDPS $1, Y0, Y0\nVMAXPS Y9, Y0, Y0\nVCMPPS $29, Y8, Y0, Y4\nVPAND Y8, Y4, Y5\nVSUBPS Y5, Y0, Y0\nVCMPPS $29, Y8, Y0, Y5\nVCVTTPS2DQ Y0, Y0\nVPSLLD $31, Y4, Y4\nVPXOR Y4, Y0, Y0\nVPOR Y5, Y0, Y0"},
	{"CvtS32FromF32RPI", "d", 'd', pre2p31, "VROUNDPS $2, Y0, Y0\nVCMPPS $7, Y0, Y0, Y4\nVCMPPS $29, Y8, Y0, Y5\nVCVTTPS2DQ Y0, Y0\nVPXOR Y5, Y0, Y0\nVPAND Y4, Y0, Y0"},
	{"CvtU32FromF32RPI", "d", 'd', pre2p31, "VROUNDPS $2, Y0, Y0\nVMAXPS Y9, Y0, Y0\nVCMPPS $29, Y8, Y0, Y4\nVPAND Y8, Y4, Y5\nVSUBPS Y5, Y0, Y0\nVCMPPS $29, Y8, Y0, Y5\nVCVTTPS2DQ Y0, Y0\nVPSLLD $31, Y4, Y4\nVPXOR Y4, Y0, Y0\nVPOR Y5, Y0, Y0"},

	// f16: sums and products of two are rounded to f32 and then to f16, as in package num.
	{"AddF16", "hh", 'h', preNaN, "VADDPS Y1, Y0, Y0\n" + canon},
	{"SubF16", "hh", 'h', preNaN, "VSUBPS Y1, Y0, Y0\n" + canon},
	{"MulF16", "hh", 'h', preNaN, "VMULPS Y1, Y0, Y0\n" + canon},
	{"FmaF16", "hhh", 'h', preNaN, fmaF16},
	{"MaxF16", "hh", 'h', preNaN, maxF32},
	{"MinF16", "hh", 'h', preNaN, minF32},
	{"AddF16x2", "hh", 'h', preNaN, "VADDPS Y1, Y0, Y0\n" + canon},
	{"SubF16x2", "hh", 'h', preNaN, "VSUBPS Y1, Y0, Y0\n" + canon},
	{"MulF16x2", "hh", 'h', preNaN, "VMULPS Y1, Y0, Y0\n" + canon},
	{"FmaF16x2", "hhh", 'h', preNaN, fmaF16},
	{"MaxF16x2", "hh", 'h', preNaN, maxF32},
	{"MinF16x2", "hh", 'h', preNaN, minF32},
	{"CvtF32FromF16", "h", 'd', preNaN, canon},
	{"CvtF16FromF32", "d", 'h', preNaN, canon},
	{"CvtF16x2FromF32", "dd", 'd', preNaN, canon + "VCMPPS $3, Y1, Y1, Y3\nVBLENDVPS Y3, Y8, Y1, Y1\nVCVTPS2PH $0, Y0, X0\nVCVTPS2PH $0, Y1, X1\nVPMOVZXWD X0, Y0\nVPMOVZXWD X1, Y1\nVPSLLD $16, Y0, Y0\nVPOR Y1, Y0, Y0"},

	// A tree of choices by c, b and a between the eight bits of the table.
	{"Lop3", "dddd", 'd', "", "VPSLLD $31, Y3, Y4\nVPSRAD $31, Y4, Y4\nVPSLLD $30, Y3, Y7\nVPSRAD $31, Y7, Y7\nVPXOR Y4, Y7, Y7\nVPAND Y2, Y7, Y7\nVPXOR Y7, Y4, Y4\nVPSLLD $29, Y3, Y5\nVPSRAD $31, Y5, Y5\nVPSLLD $28, Y3, Y7\nVPSRAD $31, Y7, Y7\nVPXOR Y5, Y7, Y7\nVPAND Y2, Y7, Y7\nVPXOR Y7, Y5, Y5\nVPXOR Y4, Y5, Y5\nVPAND Y1, Y5, Y5\nVPXOR Y5, Y4, Y4\nVPSLLD $27, Y3, Y5\nVPSRAD $31, Y5, Y5\nVPSLLD $26, Y3, Y7\nVPSRAD $31, Y7, Y7\nVPXOR Y5, Y7, Y7\nVPAND Y2, Y7, Y7\nVPXOR Y7, Y5, Y5\nVPSLLD $25, Y3, Y6\nVPSRAD $31, Y6, Y6\nVPSLLD $24, Y3, Y7\nVPSRAD $31, Y7, Y7\nVPXOR Y6, Y7, Y7\nVPAND Y2, Y7, Y7\nVPXOR Y7, Y6, Y6\nVPXOR Y5, Y6, Y6\nVPAND Y1, Y6, Y6\nVPXOR Y6, Y5, Y5\nVPXOR Y4, Y5, Y5\nVPAND Y0, Y5, Y5\nVPXOR Y5, Y4, Y0"},
}

// GenerateAsm returns zasm_amd64.s and zasm_amd64.go.
func GenerateAsm() (asm, decl []byte, err error) {
	known := map[string]*ir.Info{}
	for i := range ir.Ops {
		known[ir.Ops[i].Name] = &ir.Ops[i]
	}
	var s, d, t bytes.Buffer
	fmt.Fprintf(&s, "// Code generated by go run example.org/crosslane/internal/engine/interp/gen; DO NOT EDIT.\n\n#include \"textflag.h\"\n\n")
	fmt.Fprintf(&d, "// Code generated by go run example.org/crosslane/internal/engine/interp/gen; DO NOT EDIT.\n\npackage interp\n\nimport (\n\t\"unsafe\"\n\n\t\"example.org/crosslane/internal/ir\"\n)\n\n")
	emitConsts(&s)
	for _, op := range slices.Concat(asmOps, byteOps(), gcnOps()) {
		info := known[op.name]
		if info == nil || len(info.Args) != len(op.views) {
			return nil, nil, fmt.Errorf("%s is no operation of %d arguments", op.name, len(op.views))
		}
		op.emit(&s)
		if op.bails() {
			fmt.Fprintf(&d, "//go:noescape\nfunc b%s(base unsafe.Pointer, in *inst) (ok bool)\n\n", op.name)
			fmt.Fprintf(&d, "func a%[1]s(base unsafe.Pointer, in *inst) {\n\tif !b%[1]s(base, in) {\n\t\tv%[1]s(base, in)\n\t}\n}\n\n", op.name)
		} else {
			fmt.Fprintf(&d, "//go:noescape\nfunc a%s(base unsafe.Pointer, in *inst)\n\n", op.name)
		}
		fmt.Fprintf(&t, "\tir.%s: a%s,\n", op.name, op.name)
	}
	fmt.Fprintf(&d, "// asmFns are the forms for 32 lanes on processors with AVX2 and FMA.\nvar asmFns = [ir.NumOps]func(unsafe.Pointer, *inst){\n%s}\n", t.String())
	decl, err = format.Source(d.Bytes())
	return s.Bytes(), decl, err
}

var ptrRegs = [...]string{"AX", "BX", "CX", "R10"} // operands; DX: destination

// lanes is the number of lanes of a group: as many as fit in a register, of the widest
// of operands and result.
func (op *asmOp) lanes() int {
	if strings.HasSuffix(op.name, "x2") && strings.Contains(op.views, "h") || strings.ContainsAny(op.views+string(op.res), "qzsx") {
		return 4
	}
	if op.res == 'W' {
		return 16
	}
	return 8
}

func (op *asmOp) bails() bool { return op.checksNaN() || strings.Contains(op.body, "Y10") }

// checksNaN reports whether a NaN result makes the form bail out.
func (op *asmOp) checksNaN() bool { return strings.ContainsRune("DFH", rune(op.res)) }

// inRegs reports whether the results of a form that bails out wait in Y4 to Y7 until all are
// computed, because the destination may be an operand of the Go form. Otherwise they wait on
// the stack.
func (op *asmOp) inRegs() bool {
	return (op.res == 'D' || op.res == 'F') && !strings.ContainsAny(strings.ReplaceAll(op.body, "Y10", ""), "4567")
}

// size returns the number of bytes of a group's results.
func (op *asmOp) size() int {
	switch op.res {
	case 'x', 'h', 'H', 'w':
		return 16
	}
	return 32
}

// emit writes one function. The offsets 8 to 24 are those of inst's d, a, b, c, e.
func (op *asmOp) emit(s *bytes.Buffer) {
	ins := func(format string, args ...any) { fmt.Fprintf(s, "\t"+format+"\n", args...) }
	if op.bails() {
		frame := 0
		if !op.inRegs() && op.res != 'm' {
			frame = 32 / op.lanes() * op.size()
		}
		fmt.Fprintf(s, "// func b%s(base unsafe.Pointer, in *inst) (ok bool)\nTEXT ·b%s(SB), NOSPLIT, $%d-17\n", op.name, op.name, frame)
	} else {
		fmt.Fprintf(s, "// func a%s(base unsafe.Pointer, in *inst)\nTEXT ·a%s(SB), NOSPLIT, $0-16\n", op.name, op.name)
	}
	ins("MOVQ base+0(FP), SI")
	ins("MOVQ in+8(FP), DI")
	ins("MOVL 8(DI), DX")
	ins("ADDQ SI, DX")
	for i, v := range op.views {
		ins("MOVL %d(DI), %s", 12+4*i, ptrRegs[i])
		ins("ADDQ SI, %s", ptrRegs[i])
		if v == 'm' {
			ins("VPBROADCASTD (%s), Y14", ptrRegs[i]) // the 32 bits in every lane
			if op.lanes() == 4 {
				ins("VMOVDQU ·laneBits64(SB), Y15")
			} else {
				ins("VMOVDQU ·laneBits(SB), Y15")
			}
		}
	}
	if strings.Contains(op.views+string(op.res), "f") || op.res == 'F' || strings.Contains(op.body, "flush") {
		ins("VPCMPEQD Y11, Y11, Y11")
		ins("VPSRLD $24, Y11, Y11")
		ins("VPSLLD $23, Y11, Y11") // exponents
		ins("VPXOR Y13, Y13, Y13")
	}
	if op.bails() {
		ins("VPXOR Y10, Y10, Y10")
	}
	for _, line := range op.lines(op.pre) {
		ins("%s", line)
	}
	lanes := op.lanes()
	if op.res == 'm' {
		ins("XORL R8, R8")
	}
	for g := range 32 / lanes {
		op.group(ins, g)
	}
	if op.bails() {
		ins("VPTEST Y10, Y10")
		ins("JNZ nan")
	}
	if op.res == 'm' {
		ins("MOVL R8, (DX)")
	}
	if op.bails() {
		switch n := 32 / lanes * op.size(); {
		case op.res == 'm':
		case op.inRegs():
			for g := range 4 {
				ins("VMOVDQU Y%d, %d(DX)", 4+g, 32*g)
			}
		default:
			for at := 0; at < n; at += 32 {
				ins("VMOVDQU buf-%d(SP), Y0", n-at)
				ins("VMOVDQU Y0, %d(DX)", at)
			}
		}
		ins("VZEROUPPER")
		ins("MOVB $1, ok+16(FP)")
		ins("RET")
		fmt.Fprintln(s, "nan:")
		ins("VZEROUPPER")
		ins("MOVB $0, ok+16(FP)")
		ins("RET")
		fmt.Fprintln(s)
		return
	}
	ins("VZEROUPPER")
	ins("RET")
	fmt.Fprintln(s)
}

// group computes the lanes of one group.
func (op *asmOp) group(ins func(string, ...any), g int) {
	for i, v := range op.views {
		switch v {
		case 'd', 'q', 'f', 'W':
			ins("VMOVDQU %d(%s), Y%d", 32*g, ptrRegs[i], i)
		case 'x':
			ins("VMOVDQU %d(%s), X%d", 16*g, ptrRegs[i], i)
		case 'h':
			ins("VCVTPH2PS %d(%s), Y%d", 16*g, ptrRegs[i], i)
		case 'w':
			ins("VPMOVZXWD %d(%s), Y%d", 16*g, ptrRegs[i], i)
		case 'v':
			ins("VPMOVSXWD %d(%s), Y%d", 16*g, ptrRegs[i], i)
		case 'z':
			ins("VPMOVZXDQ %d(%s), Y%d", 16*g, ptrRegs[i], i)
		case 's':
			ins("VPMOVSXDQ %d(%s), Y%d", 16*g, ptrRegs[i], i)
		case 'm':
			ins("VPAND Y15, Y14, Y%d", i)
			if op.lanes() == 4 {
				ins("VPCMPEQQ Y15, Y%d, Y%d", i, i)
				ins("VPSLLQ $4, Y15, Y15")
				break
			}
			ins("VPCMPEQD Y15, Y%d, Y%d", i, i)
			if g < 3 {
				ins("VPSLLD $8, Y15, Y15")
			}
		}
		if v == 'f' {
			for _, line := range op.lines(fmt.Sprintf("flush Y%d", i)) {
				ins("%s", line)
			}
		}
	}
	for _, line := range op.lines(op.body) {
		ins("%s", line)
	}
	if op.checksNaN() {
		ins("VCMPPS $3, Y0, Y0, Y3")
		ins("VPOR Y3, Y10, Y10")
	}
	if op.res == 'f' || op.res == 'F' {
		for _, line := range op.lines("flush Y0") {
			ins("%s", line)
		}
	}
	switch {
	case op.res == 'm':
		if op.lanes() == 4 {
			ins("VMOVMSKPD Y0, R9")
		} else {
			ins("VMOVMSKPS Y0, R9")
		}
		if g > 0 {
			ins("SHLL $%d, R9", op.lanes()*g)
		}
		ins("ORL R9, R8")
	case op.bails() && op.inRegs():
		ins("VMOVDQA Y0, Y%d", 4+g)
	default:
		to := fmt.Sprintf("%d(DX)", op.size()*g)
		if op.bails() {
			to = fmt.Sprintf("buf-%d(SP)", op.size()*(32/op.lanes()-g))
		}
		switch op.res {
		case 'x':
			ins("VMOVDQU X0, %s", to)
		case 'h', 'H':
			ins("VCVTPS2PH $0, Y0, %s", to)
		case 'w':
			ins("VPAND ·u32Low(SB), Y0, Y0")
			ins("VPACKUSDW Y0, Y0, Y0")
			ins("VPERMQ $0x08, Y0, Y0")
			ins("VMOVDQU X0, %s", to)
		default:
			ins("VMOVDQU Y0, %s", to)
		}
	}
}

// lines splits code and expands the abbreviations: "ones Y" sets all bits, "flush Y" turns
// subnormal f32 into zeros of their sign, "flush16 Y" does that to f16 that are held as f32.
func (op *asmOp) lines(code string) []string {
	var out []string
	for _, line := range strings.Split(strings.TrimSpace(code), "\n") {
		if r, ok := strings.CutPrefix(line, "ones "); ok {
			out = append(out, fmt.Sprintf("VPCMPEQD %s, %s, %s", r, r, r))
		} else if r, ok := strings.CutPrefix(line, "flush16 "); ok { // f16 as f32
			out = append(out, fmt.Sprintf("VPSLLD $1, %s, Y3", r), "VPSRLD $1, Y3, Y3", "VMOVUPS ·f32Min16(SB), Y4", "VPCMPGTD Y3, Y4, Y3", "VPSRLD $1, Y3, Y3", fmt.Sprintf("VPANDN %s, Y3, %s", r, r))
		} else if r, ok := strings.CutPrefix(line, "flush "); ok {
			out = append(out, fmt.Sprintf("VPAND Y11, %s, Y3", r), "VPCMPEQD Y13, Y3, Y3", "VPSRLD $1, Y3, Y3", fmt.Sprintf("VPANDN %s, Y3, %s", r, r))
		} else if line != "" {
			out = append(out, line)
		}
	}
	return out
}
