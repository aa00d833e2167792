package main

import (
	"fmt"
	"math"
	"strings"
)

// The forms of operations for GCN3: integers, 16-bit operations, floats that pass NaNs on,
// and the division functions. The forms of floats compute ordinary numbers and leave the rest
// to the Go form: they set Y10 in each lane with an unusual operand or result, and then the
// whole operation bails out.

const (
	odd1 = "VCMPPS $3, Y0, Y0, Y3\nVPOR Y3, Y10, Y10\n" // an operand that is NaN
	odd2 = "VCMPPS $3, Y1, Y0, Y3\nVPOR Y3, Y10, Y10\n"
	odd3 = odd2 + "VCMPPS $3, Y2, Y2, Y3\nVPOR Y3, Y10, Y10\n"

	// -0 is less than +0: see maxF32.
	vminPS = "VMINPS Y1, Y0, Y4\nVCMPPS $0, Y1, Y0, Y5\nVPOR Y1, Y0, Y6\nVBLENDVPS Y5, Y6, Y4, Y0\n"
	vmaxPS = "VMAXPS Y1, Y0, Y4\nVCMPPS $0, Y1, Y0, Y5\nVPAND Y1, Y0, Y6\nVBLENDVPS Y5, Y6, Y4, Y0\n"
	vminPD = "VMINPD Y1, Y0, Y4\nVCMPPD $0, Y1, Y0, Y5\nVPOR Y1, Y0, Y6\nVBLENDVPD Y5, Y6, Y4, Y0\n"
	vmaxPD = "VMAXPD Y1, Y0, Y4\nVCMPPD $0, Y1, Y0, Y5\nVPAND Y1, Y0, Y6\nVBLENDVPD Y5, Y6, Y4, Y0\n"
	odd2PD = "VCMPPD $3, Y1, Y0, Y3\nVPOR Y3, Y10, Y10\n"

	// The upper words of four lanes of 64 bits, and the lower ones, as 4x32.
	upper = "VPSHUFD $0xdd, Y0, Y0\nVPERMQ $0x08, Y0, Y0\n"
	lower = "VPSHUFD $0x88, Y0, Y0\nVPERMQ $0x08, Y0, Y0\n"

	// Popcount of Y0 by fields of 2, 4 and 8 bits.
	popcount = "VPSRLD $1, Y0, Y4\nVPAND ·u8x55(SB), Y4, Y4\nVPSUBD Y4, Y0, Y0\nVPSRLD $2, Y0, Y4\nVPAND ·u8x33(SB), Y4, Y4\nVPAND ·u8x33(SB), Y0, Y0\nVPADDD Y4, Y0, Y0\n" +
		"VPSRLD $4, Y0, Y4\nVPADDD Y4, Y0, Y0\nVPAND ·u8Fifteen(SB), Y0, Y0\nVPMULLD ·u8One(SB), Y0, Y0\nVPSRLD $24, Y0, Y0\n"

	// The number of the highest one of Y0 follows from the exponent of f32. Bits below it are
	// cleared if they would round up. Y0 = leading zeros, -1 for 0.
	leading = "VPXOR Y5, Y5, Y5\nVPCMPEQD Y0, Y5, Y6\nVPSRLD $1, Y0, Y4\nVPANDN Y0, Y4, Y4\nVCVTDQ2PS Y4, Y4\nVPSRLD $23, Y4, Y4\n" +
		"VMOVDQU ·u32n158(SB), Y0\nVPSUBD Y4, Y0, Y0\nVPMAXSD Y5, Y0, Y0\nVPOR Y6, Y0, Y0"

	sub8   = "VPSUBUSB Y1, Y0, Y4\nVPSUBUSB Y0, Y1, Y5\nVPOR Y5, Y4, Y4\n" // Y4 = |Y0 - Y1| of bytes
	sum8   = "VPMADDUBSW ·u8One(SB), Y4, Y4\nVPMADDWD ·u16One(SB), Y4, Y4\n"
	shl24  = "VPSLLD $8, Y0, Y0\nVPSLLD $8, Y1, Y1\n"
	u24    = "VPAND ·u32u24(SB), Y0, Y0\nVPAND ·u32u24(SB), Y1, Y1\n"
	s24    = shl24 + "VPSRAD $8, Y0, Y0\nVPSRAD $8, Y1, Y1\n"
	pack16 = "VPAND ·u32Low(SB), Y0, Y0\nVPSLLD $16, Y1, Y1\nVPOR Y1, Y0, Y0"
	and15  = "VPAND ·u32n15(SB), Y1, Y1\n"
	and63  = "VPAND ·u64n63(SB), Y1, Y1\n"

	// Division. If the exponents are in the middle of their range, the scale is 1 and VCC is
	// 0; see divScale of package num.
	// A quotient of zeros has the value NaN and VCC 0.
	divScale32 = odd1 + "VPSRLD $23, Y1, Y4\nVPAND ·u32n255(SB), Y4, Y4\nVPSRLD $23, Y2, Y5\nVPAND ·u32n255(SB), Y5, Y5\nVPSUBD Y4, Y5, Y6\n" +
		"VPCMPGTD ·u32n252(SB), Y4, Y3\nVPXOR Y7, Y7, Y7\nVPCMPEQD Y7, Y4, Y7\nVPOR Y7, Y3, Y3\n" +
		"VPCMPGTD ·u32n253(SB), Y5, Y7\nVPOR Y7, Y3, Y3\nVMOVDQU ·u32n24(SB), Y7\nVPCMPGTD Y5, Y7, Y7\nVPOR Y7, Y3, Y3\n" +
		"VPCMPGTD ·u32n95(SB), Y6, Y7\nVPOR Y7, Y3, Y3\nVMOVDQU ·u32m125(SB), Y7\nVPCMPGTD Y6, Y7, Y7\nVPOR Y7, Y3, Y3\n" +
		"VPXOR Y4, Y4, Y4\nVPADDD Y1, Y1, Y5\nVPCMPEQD Y4, Y5, Y5\nVPADDD Y2, Y2, Y6\nVPCMPEQD Y4, Y6, Y6\nVPOR Y5, Y6, Y6\n" +
		"VPANDN Y3, Y6, Y3\nVPOR Y3, Y10, Y10\nVBLENDVPS Y6, ·u32VNaN(SB), Y0, Y0\n"
	divScale64 = "VCMPPD $3, Y0, Y0, Y3\nVPOR Y3, Y10, Y10\nVPSRLQ $52, Y1, Y4\nVPAND ·u64n2047(SB), Y4, Y4\nVPSRLQ $52, Y2, Y5\nVPAND ·u64n2047(SB), Y5, Y5\nVPSUBQ Y4, Y5, Y6\n" +
		"VPCMPGTQ ·u64n2044(SB), Y4, Y3\nVPOR Y3, Y10, Y10\nVPXOR Y3, Y3, Y3\nVPCMPEQQ Y3, Y4, Y3\nVPOR Y3, Y10, Y10\n" +
		"VPCMPGTQ ·u64n2045(SB), Y5, Y3\nVPOR Y3, Y10, Y10\nVMOVDQU ·u64n54(SB), Y7\nVPCMPGTQ Y5, Y7, Y3\nVPOR Y3, Y10, Y10\n" +
		"VPCMPGTQ ·u64n767(SB), Y6, Y3\nVPOR Y3, Y10, Y10\nVMOVDQU ·u64m1021(SB), Y7\nVPCMPGTQ Y6, Y7, Y3\nVPOR Y3, Y10, Y10\n"
	// The sign of the quotient is corrected if none of the three is NaN and the quotient does
	// not underflow. Y3: the divisor is infinity, or the dividend 0; Y7: the divisor is 0, or
	// the dividend infinity.
	divFixup32 = odd1 + "VPANDN Y1, Y8, Y4\nVPANDN Y2, Y8, Y5\nVPCMPGTD ·f32Inf(SB), Y4, Y3\nVPOR Y3, Y10, Y10\nVPCMPGTD ·f32Inf(SB), Y5, Y3\nVPOR Y3, Y10, Y10\n" +
		"VPSRLD $23, Y4, Y6\nVPSRLD $23, Y5, Y7\nVPSUBD Y6, Y7, Y6\nVMOVDQU ·u32m125(SB), Y7\nVPCMPGTD Y6, Y7, Y6\n" +
		"VPCMPEQD ·f32Inf(SB), Y4, Y3\nVPCMPEQD Y9, Y4, Y7\nVPCMPEQD Y9, Y5, Y4\nVPOR Y4, Y3, Y3\nVPCMPEQD ·f32Inf(SB), Y5, Y4\nVPOR Y4, Y7, Y7\n" +
		"VPOR Y3, Y7, Y4\nVPANDN Y6, Y4, Y4\nVPOR Y4, Y10, Y10\n" +
		"VPXOR Y2, Y1, Y1\nVPAND Y8, Y1, Y1\nVPANDN Y0, Y8, Y0\nVPOR Y1, Y0, Y0\n" +
		"VBLENDVPS Y3, Y1, Y0, Y0\nVPOR ·f32Inf(SB), Y1, Y1\nVBLENDVPS Y7, Y1, Y0, Y0\nVPAND Y3, Y7, Y7\nVBLENDVPS Y7, ·u32VNaN(SB), Y0, Y0"
	// The same of 16 bits, NaNs too: the upper halves are 0, and Y9 is infinity.
	divFixup16 = "VPAND ·u32Mag16(SB), Y1, Y4\nVPAND ·u32Mag16(SB), Y2, Y5\nVPXOR Y2, Y1, Y6\nVPAND ·u32Sign16(SB), Y6, Y6\nVPAND ·u32Mag16(SB), Y0, Y0\nVPOR Y6, Y0, Y0\n" +
		"VPCMPEQD Y9, Y4, Y7\nVPCMPEQD Y8, Y5, Y3\nVPOR Y3, Y7, Y7\nVBLENDVPS Y7, Y6, Y0, Y0\n" +
		"VPOR Y9, Y6, Y6\nVPCMPEQD Y8, Y4, Y3\nVBLENDVPS Y3, Y6, Y0, Y0\nVPAND Y3, Y7, Y3\nVBLENDVPS Y3, ·u32VNaN16(SB), Y0, Y0\n" +
		"VPCMPEQD Y9, Y5, Y3\nVBLENDVPS Y3, Y6, Y0, Y0\nVPAND Y3, Y7, Y3\nVBLENDVPS Y3, ·u32VNaN16(SB), Y0, Y0\n" +
		"VPCMPGTD Y9, Y4, Y3\nVPOR ·u32Quiet16(SB), Y1, Y1\nVBLENDVPS Y3, Y1, Y0, Y0\nVPCMPGTD Y9, Y5, Y3\nVPOR ·u32Quiet16(SB), Y2, Y2\nVBLENDVPS Y3, Y2, Y0, Y0"
	divFixup64 = "VCMPPD $3, Y0, Y0, Y3\nVPOR Y3, Y10, Y10\nVPSRLQ $52, Y1, Y4\nVPAND ·u64n2047(SB), Y4, Y4\nVPSRLQ $52, Y2, Y5\nVPAND ·u64n2047(SB), Y5, Y5\nVPSUBQ Y4, Y5, Y6\n" +
		"VPXOR Y7, Y7, Y7\nVPCMPEQQ Y7, Y4, Y3\nVPOR Y3, Y10, Y10\nVPCMPEQQ Y7, Y5, Y3\nVPOR Y3, Y10, Y10\n" +
		"VPCMPGTQ ·u64n2045(SB), Y4, Y3\nVPOR Y3, Y10, Y10\nVPCMPGTQ ·u64n2045(SB), Y5, Y3\nVPOR Y3, Y10, Y10\n" +
		"VMOVDQU ·u64m1021(SB), Y7\nVPCMPGTQ Y6, Y7, Y3\nVPOR Y3, Y10, Y10\n" +
		"VPXOR Y2, Y1, Y1\nVPAND Y8, Y1, Y1\nVPANDN Y0, Y8, Y0\nVPOR Y1, Y0, Y0"

	// 2^S1 * S0, in f64 for f32; S1 is clamped to a range beyond which the result is out of
	// range in any case.
	ldexp32 = "VCVTPS2PD X0, Y0\nVPMAXSD ·i32m300(SB), X1, X1\nVPMINSD ·i32n300(SB), X1, X1\nVPMOVSXDQ X1, Y1\nVPADDQ ·i64Bias(SB), Y1, Y1\nVPSLLQ $52, Y1, Y1\nVMULPD Y1, Y0, Y0\nVCVTPD2PSY Y0, X0"
	ldexp16 = "VPMAXSD ·i32m60(SB), Y1, Y1\nVPMINSD ·i32n60(SB), Y1, Y1\nVPADDD ·i32n127(SB), Y1, Y1\nVPSLLD $23, Y1, Y1\nVMULPS Y1, Y0, Y0"
	// Only where one normal number is the whole factor.
	ldexp64 = "VPMOVSXDQ X1, Y1\nVPCMPGTQ ·i64n1023(SB), Y1, Y3\nVPOR Y3, Y10, Y10\nVMOVDQU ·i64m1022(SB), Y4\nVPCMPGTQ Y1, Y4, Y3\nVPOR Y3, Y10, Y10\nVPADDQ ·i64Bias(SB), Y1, Y1\nVPSLLQ $52, Y1, Y1\nVMULPD Y1, Y0, Y0"

	// Rounded to f16, and flushed.
	round16 = "VCVTPS2PH $0, Y0, X0\nVCVTPH2PS X0, Y0\nflush16 Y0\n"

	// The exponent of numbers that are normal; Y5 is the biased one.
	exponent32 = "VPSRLD $23, Y0, Y5\nVPAND ·u32n255(SB), Y5, Y5\n"
	frexpExp32 = exponent32 + "VPXOR Y6, Y6, Y6\nVPCMPEQD Y6, Y5, Y4\nVPCMPEQD ·u32n255(SB), Y5, Y7\nVPOR Y4, Y7, Y7\n" +
		"VPADDD Y0, Y0, Y3\nVPCMPEQD Y6, Y3, Y3\nVPANDN Y4, Y3, Y3\nVPOR Y3, Y10, Y10\n" + // subnormal
		"VPSUBD ·u32n126(SB), Y5, Y5\nVPANDN Y5, Y7, Y0"
	frexpMant32 = exponent32 + "VPXOR Y6, Y6, Y6\nVPCMPEQD Y6, Y5, Y4\nVPCMPEQD ·u32n255(SB), Y5, Y7\nVPOR Y4, Y7, Y7\n" +
		"VPADDD Y0, Y0, Y3\nVPCMPEQD Y6, Y3, Y3\nVPANDN Y4, Y3, Y3\nVPOR Y3, Y10, Y10\n" +
		"VPAND ·u32SignMan(SB), Y0, Y5\nVPOR ·f32Half(SB), Y5, Y5\nVBLENDVPS Y7, Y0, Y5, Y0"
	frexp64     = "VPSRLQ $52, Y0, Y5\nVPAND ·u64n2047(SB), Y5, Y5\nVPXOR Y6, Y6, Y6\nVPCMPEQQ Y6, Y5, Y4\nVPCMPEQQ ·u64n2047(SB), Y5, Y7\nVPOR Y4, Y7, Y7\nVPADDQ Y0, Y0, Y3\nVPCMPEQQ Y6, Y3, Y3\nVPANDN Y4, Y3, Y3\nVPOR Y3, Y10, Y10\nVCMPPD $3, Y0, Y0, Y3\nVPOR Y3, Y10, Y10\n"
	frexpExp64  = frexp64 + "VPSUBQ ·u64n1022(SB), Y5, Y5\nVPANDN Y5, Y7, Y0\n" + lower
	frexpMant64 = frexp64 + "VPAND ·u64SignMan(SB), Y0, Y5\nVPOR ·f64Half(SB), Y5, Y5\nVBLENDVPD Y7, Y0, Y5, Y0"
)

// class is the bit of S1 that the class of S0 names, as a sign; Y4 is the class. least is
// the least normal number; shift the bits above that which says that a NaN is quiet.
func class(least, inf string, shift int) string {
	return strings.NewReplacer("least", least, "inf", inf, "shift", fmt.Sprint(shift)).Replace("VPSLLD $1, Y0, Y5\nVPSRLD $1, Y5, Y5\nVMOVDQU ·u32n8(SB), Y4\n" + // Y5 = |S0|
		"VMOVDQU ·least(SB), Y6\nVPCMPGTD Y5, Y6, Y6\nVPADDD Y6, Y4, Y4\n" + // below the least normal: 7
		"VPXOR Y7, Y7, Y7\nVPCMPEQD Y7, Y5, Y6\nVPADDD Y6, Y4, Y4\n" + // zero: 6
		"VPCMPEQD ·inf(SB), Y5, Y6\nVPSUBD Y6, Y4, Y4\n" + // infinity: 9
		"VMOVDQU ·u32n11(SB), Y6\nVPSUBD Y4, Y6, Y6\nVBLENDVPS Y0, Y6, Y4, Y4\n" + // negative: 11 - class
		"VPCMPGTD ·inf(SB), Y5, Y6\nVPSLLD $shift, Y0, Y7\nVPSRLD $31, Y7, Y7\nVBLENDVPS Y6, Y7, Y4, Y4\n" + // NaN: 0, quiet 1
		"VPSRLVD Y4, Y1, Y0\nVPSLLD $31, Y0, Y0")
}

// class64 is class for f64.
func class64() string {
	return strings.NewReplacer("VPSLLD", "VPSLLQ", "VPSRLD", "VPSRLQ", "VPCMPGTD", "VPCMPGTQ", "VPCMPEQD", "VPCMPEQQ", "VPADDD", "VPADDQ", "VPSUBD", "VPSUBQ", "VPSRLVD", "VPSRLVQ",
		"VBLENDVPS", "VBLENDVPD", "$31", "$63", "u32n", "u64n").Replace(class("u64Min", "f64Inf", 12))
}

// Comparisons of floats by the predicate of VCMPPS; those that end in u are true for NaN
// too.
var floatCompares = []struct {
	name string
	pred int
}{{"Eq", 0}, {"Lt", 17}, {"Le", 18}, {"Gt", 30}, {"Ge", 29}, {"Ne", 12}, {"Equ", 8}, {"Ltu", 25}, {"Leu", 26}, {"Gtu", 22}, {"Geu", 21}, {"Neu", 4}, {"Num", 7}, {"Nan", 3}}

// med3 returns the middle of Y0, Y1, Y2 as VMed3F32 does: the greater one of the two that
// remain without the greatest.
var med3 = func() string {
	max := func(a, b, d string) string { // through Y3 and d
		return strings.NewReplacer("a", a, "b", b, "d", d).Replace("VMAXPS b, a, Y3\nVPAND b, a, d\nVCMPPS $0, b, a, Y8\nVBLENDVPS Y8, d, Y3, d\n")
	}
	return odd3 + max("Y0", "Y1", "Y4") + max("Y0", "Y2", "Y5") + max("Y1", "Y2", "Y6") + max("Y4", "Y2", "Y7") +
		"VCMPPS $0, Y1, Y7, Y3\nVBLENDVPS Y3, Y5, Y4, Y4\nVCMPPS $0, Y0, Y7, Y3\nVBLENDVPS Y3, Y6, Y4, Y0"
}()

// gcnConsts holds constants in the form of asmConsts.
func gcnConsts() map[string][]uint64 {
	both := func(x uint32) []uint64 { return []uint64{uint64(x)<<32 | uint64(x)} }
	neg := func(x int32) []uint64 { return both(uint32(x)) }
	f32 := func(x float32) []uint64 { return both(math.Float32bits(x)) }
	f64 := func(x float64) []uint64 { return []uint64{math.Float64bits(x)} }
	m := map[string][]uint64{
		"u8x55": both(0x55555555), "u8x33": both(0x33333333), "u16One": both(0x00010001), "u32u24": both(0xffffff), "u32SignMan": both(0x807fffff), "u32Min": both(0x00800000), "u32VNaN": both(0xffc00000),
		"u32Min16": both(0x04000000), "u32Inf16": both(0x7c000000), "u32InfF16": both(0x7c00), "u32Mag16": both(0x7fff), "u32Sign16": both(0x8000), "u32Quiet16": both(0x200), "u32VNaN16": both(0xfe00), "f32Min16": f32(0x1p-14),
		"u64Min": {1 << 52}, "f64Inf": f64(math.Inf(1)), "u64n8": {8}, "u64n11": {11},
		"u32m125": neg(-125), "i32m300": neg(-300), "i32m60": neg(-60), "i32n60": both(60), "i32n300": both(300), "i32n127": both(127), "i32Max16": neg(32767), "i32Min16": neg(-32768),
		"u64n63": {63}, "u64n2047": {2047}, "u64n2044": {2044}, "u64n2045": {2045}, "u64n54": {54}, "u64n767": {767}, "u64n1022": {1022}, "u64m1021": {1<<64 - 1021}, "u64SignMan": {0x800fffffffffffff},
		"i64n1023": {1023}, "i64m1022": {1<<64 - 1022}, "u64Low": {math.MaxUint32},
		"f32Half": f32(0.5), "f32One": f32(1), "f32Below1": both(0x3f7fffff), "f32Below16": f32(0x1p0 - 0x1p-11), "f32Sixteenth": f32(1. / 16), "f32n255": f32(255), "f32n65535": f32(65535), "f32n32767": f32(32767), "f32m32768": f32(-32768),
		"f64Below1": {0x3fefffffffffffff}, "f64i32Max": f64(math.MaxInt32), "f64i32Min": f64(math.MinInt32), "f64u32Max": f64(math.MaxUint32), "f64Magic": f64(1 << 52), "f64n32767": f64(32767), "f64m32767": f64(-32767), "f64n65535": f64(65535),
	}
	for _, n := range []uint32{8, 11, 15, 24, 31, 32, 63, 95, 126, 158, 252, 253, 255} {
		m[fmt.Sprintf("u32n%d", n)] = both(n)
	}
	return m
}

// gcnOps holds further rows of asmOps.
func gcnOps() []asmOp {
	ops := []asmOp{
		{"EqS32", "dd", 'm', "", "VPCMPEQD Y1, Y0, Y0"},
		{"NeS32", "dd", 'm', "ones Y8\n", "VPCMPEQD Y1, Y0, Y0\nVPXOR Y8, Y0, Y0"},
		{"EqS64", "qq", 'm', "", "VPCMPEQQ Y1, Y0, Y0"},
		{"NeS64", "qq", 'm', preUns64, "VPCMPEQQ Y1, Y0, Y0\nVPXOR Y9, Y0, Y0"},
		{"MadWideCU32", "zzq", 'm', preUns64, "VPMULUDQ Y1, Y0, Y0\nVPADDQ Y2, Y0, Y0\nVPXOR Y8, Y0, Y0\nVPXOR Y8, Y2, Y2\nVPCMPGTQ Y0, Y2, Y0"},
		{"MadWideOvfS32", "ssq", 'm', "", "VPMULDQ Y1, Y0, Y0\nVPADDQ Y2, Y0, Y1\nVPXOR Y1, Y0, Y0\nVPXOR Y1, Y2, Y2\nVPAND Y2, Y0, Y0"},
		{"AddSatU32", "dd", 'd', "ones Y8\n", "VPADDD Y1, Y0, Y1\nVPMAXUD Y1, Y0, Y2\nVPCMPEQD Y1, Y2, Y2\nVPXOR Y8, Y2, Y2\nVPOR Y2, Y1, Y0"},
		{"SubSatU32", "dd", 'd', "", "VPMAXUD Y1, Y0, Y0\nVPSUBD Y1, Y0, Y0"},
		{"SubBB32", "ddm", 'm', "ones Y8\n", "VPCMPEQD Y1, Y0, Y3\nVPAND Y2, Y3, Y3\nVPMAXUD Y1, Y0, Y1\nVPCMPEQD Y1, Y0, Y0\nVPXOR Y8, Y0, Y0\nVPOR Y3, Y0, Y0"},
		{"SadU32", "ddd", 'd', "", "VPMAXUD Y1, Y0, Y4\nVPMINUD Y1, Y0, Y0\nVPSUBD Y0, Y4, Y0\nVPADDD Y2, Y0, Y0"},
		{"Mul24LoU32", "dd", 'd', "", u24 + "VPMULLD Y1, Y0, Y0"},
		{"Mul24LoS32", "dd", 'd', "", s24 + "VPMULLD Y1, Y0, Y0"},
		{"Mad24LoU32", "ddd", 'd', "", u24 + "VPMULLD Y1, Y0, Y0\nVPADDD Y2, Y0, Y0"},
		{"Mad24LoS32", "ddd", 'd', "", s24 + "VPMULLD Y1, Y0, Y0\nVPADDD Y2, Y0, Y0"},
		{"VMulHiU32U24", "zz", 'x', "", u24 + "VPMULUDQ Y1, Y0, Y0\n" + upper},
		{"VMulHiI32I24", "zz", 'x', "", s24 + "VPMULDQ Y1, Y0, Y0\n" + upper},
		{"MulHiU32", "zz", 'x', "", "VPMULUDQ Y1, Y0, Y0\n" + upper},
		{"MulHiS32", "zz", 'x', "", "VPMULDQ Y1, Y0, Y0\n" + upper},
		{"VBfeU32", "ddd", 'd', preMod32 + "ones Y9\n", "VPAND Y8, Y1, Y1\nVPAND Y8, Y2, Y2\nVPSRLVD Y1, Y0, Y0\nVPSLLVD Y2, Y9, Y4\nVPANDN Y0, Y4, Y0"},
		// Shift left, so that the field ends at bit 31, and shift back.
		{"VBfeI32", "ddd", 'd', preWrap, "VPAND Y8, Y1, Y1\nVPAND Y8, Y2, Y2\nVPADDD Y1, Y2, Y4\nVPMINSD Y9, Y4, Y4\nVPSUBD Y4, Y9, Y4\nVPSLLVD Y4, Y0, Y0\nVPADDD Y1, Y4, Y4\nVPSRAVD Y4, Y0, Y0\nVPXOR Y5, Y5, Y5\nVPCMPEQD Y5, Y2, Y5\nVPANDN Y0, Y5, Y0"},
		{"VBfiB32", "ddd", 'd', "", "VPAND Y1, Y0, Y1\nVPANDN Y2, Y0, Y0\nVPOR Y1, Y0, Y0"},
		{"BfmB32", "dd", 'd', preMod32 + "ones Y9\n", "VPAND Y8, Y1, Y1\nVPAND Y8, Y0, Y0\nVPSLLVD Y0, Y9, Y0\nVPXOR Y9, Y0, Y0\nVPSLLVD Y1, Y0, Y0"},
		{"VAlignbitB32", "ddd", 'd', preWrap, "VPAND Y8, Y2, Y2\nVPSRLVD Y2, Y1, Y1\nVPSUBD Y2, Y9, Y2\nVPSLLVD Y2, Y0, Y0\nVPOR Y1, Y0, Y0"},
		{"VAlignbyteB32", "ddd", 'd', pre32, "VPSLLD $30, Y2, Y2\nVPSRLD $27, Y2, Y2\nVPSRLVD Y2, Y1, Y1\nVPSUBD Y2, Y9, Y2\nVPSLLVD Y2, Y0, Y0\nVPOR Y1, Y0, Y0"},
		{"Brev32", "d", 'd', "", "VPSRLD $1, Y0, Y1\nVPAND ·u8x55(SB), Y1, Y1\nVPAND ·u8x55(SB), Y0, Y0\nVPADDD Y0, Y0, Y0\nVPOR Y1, Y0, Y0\nVPSRLD $2, Y0, Y1\nVPAND ·u8x33(SB), Y1, Y1\nVPAND ·u8x33(SB), Y0, Y0\nVPSLLD $2, Y0, Y0\nVPOR Y1, Y0, Y0\n" +
			"VPSRLD $4, Y0, Y1\nVPAND ·u8Fifteen(SB), Y1, Y1\nVPAND ·u8Fifteen(SB), Y0, Y0\nVPSLLD $4, Y0, Y0\nVPOR Y1, Y0, Y0\nVPSRLW $8, Y0, Y1\nVPSLLW $8, Y0, Y0\nVPOR Y1, Y0, Y0\nVPSRLD $16, Y0, Y1\nVPSLLD $16, Y0, Y0\nVPOR Y1, Y0, Y0"},
		{"VBcntU32B32", "dd", 'd', "", popcount + "VPADDD Y1, Y0, Y0"},
		{"Popc32", "d", 'd', "", popcount},
		{"VMbcntLoU32B32", "ddd", 'd', "ones Y8\n", "VPAND ·u32n63(SB), Y2, Y2\nVPSLLVD Y2, Y8, Y2\nVPANDN Y0, Y2, Y0\n" + popcount + "VPADDD Y1, Y0, Y0"},
		{"VMbcntHiU32B32", "ddd", 'd', "ones Y8\n", "VPAND ·u32n63(SB), Y2, Y2\nVPSUBD ·u32n32(SB), Y2, Y2\nVPXOR Y4, Y4, Y4\nVPMAXSD Y4, Y2, Y2\nVPSLLVD Y2, Y8, Y2\nVPANDN Y0, Y2, Y0\n" + popcount + "VPADDD Y1, Y0, Y0"},
		{"FfbhU32", "d", 'd', "", leading},
		{"FfbhI32", "d", 'd', "", "VPSRAD $31, Y0, Y1\nVPXOR Y1, Y0, Y0\n" + leading},
		{"FfblB32", "d", 'd', "", "VPXOR Y5, Y5, Y5\nVPCMPEQD Y0, Y5, Y6\nVPSUBD Y0, Y5, Y4\nVPAND Y4, Y0, Y0\nVCVTDQ2PS Y0, Y0\nVPADDD Y0, Y0, Y0\nVPSRLD $24, Y0, Y0\nVPSUBD ·i32n127(SB), Y0, Y0\nVPOR Y6, Y0, Y0"},
		{"VMin3U32", "ddd", 'd', "", "VPMINUD Y1, Y0, Y0\nVPMINUD Y2, Y0, Y0"},
		{"VMin3I32", "ddd", 'd', "", "VPMINSD Y1, Y0, Y0\nVPMINSD Y2, Y0, Y0"},
		{"VMax3U32", "ddd", 'd', "", "VPMAXUD Y1, Y0, Y0\nVPMAXUD Y2, Y0, Y0"},
		{"VMax3I32", "ddd", 'd', "", "VPMAXSD Y1, Y0, Y0\nVPMAXSD Y2, Y0, Y0"},
		{"VMed3U32", "ddd", 'd', "", "VPMINUD Y1, Y0, Y4\nVPMAXUD Y1, Y0, Y0\nVPMINUD Y2, Y0, Y0\nVPMAXUD Y4, Y0, Y0"},
		{"VMed3I32", "ddd", 'd', "", "VPMINSD Y1, Y0, Y4\nVPMAXSD Y1, Y0, Y0\nVPMINSD Y2, Y0, Y0\nVPMAXSD Y4, Y0, Y0"},
		{"VSadU8", "ddd", 'd', "", sub8 + sum8 + "VPADDD Y2, Y4, Y0"},
		{"VSadHiU8", "ddd", 'd', "", sub8 + sum8 + "VPSLLD $16, Y4, Y4\nVPADDD Y2, Y4, Y0"},
		{"VMsadU8", "ddd", 'd', "VPXOR Y8, Y8, Y8\n", sub8 + "VPCMPEQB Y8, Y1, Y5\nVPANDN Y4, Y5, Y4\n" + sum8 + "VPADDD Y2, Y4, Y0"},
		{"VSadU16", "ddd", 'd', "", "VPSUBUSW Y1, Y0, Y4\nVPSUBUSW Y0, Y1, Y5\nVPOR Y5, Y4, Y4\nVPSRLD $16, Y4, Y5\nVPAND ·u32Low(SB), Y4, Y4\nVPADDD Y5, Y4, Y4\nVPADDD Y2, Y4, Y0"},
		// The average is rounded up, and is 1 less if it must be rounded down.
		{"VLerpU8", "ddd", 'd', "", "VPAVGB Y1, Y0, Y3\nVPXOR Y1, Y0, Y4\nVPANDN Y4, Y2, Y4\nVPAND ·u8One(SB), Y4, Y4\nVPSUBB Y4, Y3, Y0"},
		{"VCvtPkU16U32", "dd", 'd', "", "VPMINUD ·u32Low(SB), Y0, Y0\nVPMINUD ·u32Low(SB), Y1, Y1\n" + pack16},
		{"VCvtPkI16I32", "dd", 'd', "", "VPMINSD ·i32Max16(SB), Y0, Y0\nVPMINSD ·i32Max16(SB), Y1, Y1\nVPMAXSD ·i32Min16(SB), Y0, Y0\nVPMAXSD ·i32Min16(SB), Y1, Y1\n" + pack16},
		{"ShlWrap64", "qz", 'q', "", and63 + "VPSLLVQ Y1, Y0, Y0"},
		{"ShrUWrap64", "qz", 'q', "", and63 + "VPSRLVQ Y1, Y0, Y0"},
		{"ShrSWrap64", "qz", 'q', "VPXOR Y8, Y8, Y8\n", and63 + "VPCMPGTQ Y0, Y8, Y4\nVPXOR Y4, Y0, Y0\nVPSRLVQ Y1, Y0, Y0\nVPXOR Y4, Y0, Y0"},

		// 16 bits.
		{"Lo16", "d", 'w', "", ""},
		{"CvtU32FromU16", "w", 'd', "", ""},
		{"Add16", "WW", 'W', "", "VPADDW Y1, Y0, Y0"},
		{"Sub16", "WW", 'W', "", "VPSUBW Y1, Y0, Y0"},
		{"Mul16", "WW", 'W', "", "VPMULLW Y1, Y0, Y0"},
		{"Mad16", "WWW", 'W', "", "VPMULLW Y1, Y0, Y0\nVPADDW Y2, Y0, Y0"},
		{"And16", "WW", 'W', "", "VPAND Y1, Y0, Y0"},
		{"Xor16", "WW", 'W', "", "VPXOR Y1, Y0, Y0"},
		{"MinS16", "WW", 'W', "", "VPMINSW Y1, Y0, Y0"},
		{"MaxS16", "WW", 'W', "", "VPMAXSW Y1, Y0, Y0"},
		{"MinU16", "WW", 'W', "", "VPMINUW Y1, Y0, Y0"},
		{"MaxU16", "WW", 'W', "", "VPMAXUW Y1, Y0, Y0"},
		{"AddSatU16", "WW", 'W', "", "VPADDUSW Y1, Y0, Y0"},
		{"SubSatU16", "WW", 'W', "", "VPSUBUSW Y1, Y0, Y0"},
		{"ShlWrap16", "wd", 'w', "", and15 + "VPSLLVD Y1, Y0, Y0"},
		{"ShrUWrap16", "wd", 'w', "", and15 + "VPSRLVD Y1, Y0, Y0"},
		{"ShrSWrap16", "vd", 'w', "", and15 + "VPSRAVD Y1, Y0, Y0"},

		// Conversions.
		{"FlushF32", "f", 'd', "", ""},
		{"VCvtF32Ubyte0", "d", 'd', "", "VPAND ·u32n255(SB), Y0, Y0\nVCVTDQ2PS Y0, Y0"},
		{"VCvtF32Ubyte1", "d", 'd', "", "VPSRLD $8, Y0, Y0\nVPAND ·u32n255(SB), Y0, Y0\nVCVTDQ2PS Y0, Y0"},
		{"VCvtF32Ubyte2", "d", 'd', "", "VPSRLD $16, Y0, Y0\nVPAND ·u32n255(SB), Y0, Y0\nVCVTDQ2PS Y0, Y0"},
		{"VCvtF32Ubyte3", "d", 'd', "", "VPSRLD $24, Y0, Y0\nVCVTDQ2PS Y0, Y0"},
		{"VCvtOffF32I4", "d", 'd', "", "VPSLLD $28, Y0, Y0\nVPSRAD $28, Y0, Y0\nVCVTDQ2PS Y0, Y0\nVMULPS ·f32Sixteenth(SB), Y0, Y0"},
		// As the mantissa of 2^52, from which 2^52 is subtracted again.
		{"CvtF64FromU32", "z", 'q', "", "VPOR ·f64Magic(SB), Y0, Y0\nVSUBPD ·f64Magic(SB), Y0, Y0"},
		{"VCvtF32F16", "h", 'd', "", ""},
		{"VCvtF16F32", "d", 'H', "", ""},
		{"VCvtF32F64", "q", 'x', "", "VCVTPD2PSY Y0, X0"},
		{"VCvtI32F64", "q", 'x', "", "VCMPPD $7, Y0, Y0, Y4\nVPAND Y4, Y0, Y0\nVMINPD ·f64i32Max(SB), Y0, Y0\nVMAXPD ·f64i32Min(SB), Y0, Y0\nVCVTTPD2DQY Y0, X0"},
		{"VCvtU32F64", "q", 'x', "VPXOR Y8, Y8, Y8\n", "VMAXPD Y8, Y0, Y0\nVMINPD ·f64u32Max(SB), Y0, Y0\nVROUNDPD $3, Y0, Y0\nVADDPD ·f64Magic(SB), Y0, Y0\n" + lower},
		{"VCvtRpiI32F32", "x", 'x', "", "VCVTPS2PD X0, Y0\nVCMPPD $3, Y0, Y0, Y3\nVPOR Y3, Y10, Y10\nVADDPD ·f64Half(SB), Y0, Y0\nVROUNDPD $1, Y0, Y0\nVMINPD ·f64i32Max(SB), Y0, Y0\nVMAXPD ·f64i32Min(SB), Y0, Y0\nVCVTTPD2DQY Y0, X0"},
		{"VCvtFlrI32F32", "d", 'd', pre2p31, odd1 + "VROUNDPS $1, Y0, Y0\nVCMPPS $29, Y8, Y0, Y5\nVCVTTPS2DQ Y0, Y0\nVPXOR Y5, Y0, Y0"},
		{"CvtF16FromS16", "v", 'h', "", "VCVTDQ2PS Y0, Y0"},
		{"CvtF16FromU16", "w", 'h', "", "VCVTDQ2PS Y0, Y0"},
		{"CvtS16FromF16RZI", "h", 'w', "", "VCMPPS $7, Y0, Y0, Y4\nVPAND Y4, Y0, Y0\nVMINPS ·f32n32767(SB), Y0, Y0\nVMAXPS ·f32m32768(SB), Y0, Y0\nVCVTTPS2DQ Y0, Y0"},
		{"CvtU16FromF16RZI", "h", 'w', "VPXOR Y8, Y8, Y8\n", "VMAXPS Y8, Y0, Y0\nVMINPS ·f32n65535(SB), Y0, Y0\nVCVTTPS2DQ Y0, Y0"},
		{"VCvtPkrtzF16F32", "dd", 'd', "", odd2 + "VCVTPS2PH $3, Y0, X0\nVCVTPS2PH $3, Y1, X1\nVPMOVZXWD X0, Y0\nVPMOVZXWD X1, Y1\nVPSLLD $16, Y1, Y1\nVPOR Y1, Y0, Y0"},
		{"VCvtPknormI16F32", "xx", 'x', "", pknorm("f64n32767", "VMOVUPD ·f64m32767(SB), Y5\n")},
		{"VCvtPknormU16F32", "xx", 'x', "", pknorm("f64n65535", "VPXOR Y5, Y5, Y5\n")},
		{"VCvtPkU8F32", "ddd", 'd', "VPXOR Y8, Y8, Y8\n", "VMAXPS Y8, Y0, Y0\nVMINPS ·f32n255(SB), Y0, Y0\nVCVTPS2DQ Y0, Y0\nVPSLLD $30, Y1, Y1\nVPSRLD $27, Y1, Y1\nVPSLLVD Y1, Y0, Y0\nVMOVDQU ·u32n255(SB), Y4\nVPSLLVD Y1, Y4, Y4\nVPANDN Y2, Y4, Y4\nVPOR Y4, Y0, Y0"},

		// f32.
		{"VMinF32", "dd", 'd', "", odd2 + vminPS},
		{"VMaxF32", "dd", 'd', "", odd2 + vmaxPS},
		{"VMin3F32", "ddd", 'd', "", odd3 + vminPS + "VMOVAPS Y2, Y1\n" + vminPS},
		{"VMax3F32", "ddd", 'd', "", odd3 + vmaxPS + "VMOVAPS Y2, Y1\n" + vmaxPS},
		{"VMed3F32", "ddd", 'd', "", med3},
		{"VRndneF32", "d", 'd', "", "VROUNDPS $0, Y0, Y0"},
		{"VFloorF32", "d", 'd', "", "VROUNDPS $1, Y0, Y0"},
		{"VCeilF32", "d", 'd', "", "VROUNDPS $2, Y0, Y0"},
		{"VTruncF32", "d", 'd', "", "VROUNDPS $3, Y0, Y0"},
		{"VFractF32", "d", 'D', "", "VROUNDPS $1, Y0, Y1\nVSUBPS Y1, Y0, Y0\nVMOVUPS ·f32Below1(SB), Y1\nVMINPS Y0, Y1, Y0"},
		{"VLdexpF32", "xx", 'x', "", ldexp32},
		{"VFrexpExpI32F32", "d", 'd', "", frexpExp32},
		{"VFrexpMantF32", "d", 'D', "", frexpMant32},
		{"VMulLegacyF32", "dd", 'D', "VPXOR Y8, Y8, Y8\n", "VCMPPS $0, Y8, Y0, Y4\nVCMPPS $0, Y8, Y1, Y5\nVPOR Y5, Y4, Y4\nVMULPS Y1, Y0, Y0\nVPANDN Y0, Y4, Y0"},
		{"VMulLegacyF32Ftz", "ff", 'F', "VPXOR Y8, Y8, Y8\n", "VCMPPS $0, Y8, Y0, Y4\nVCMPPS $0, Y8, Y1, Y5\nVPOR Y5, Y4, Y4\nVMULPS Y1, Y0, Y0\nVPANDN Y0, Y4, Y0"},
		{"VMadLegacyF32", "fff", 'F', "VPXOR Y8, Y8, Y8\n", "VCMPPS $0, Y8, Y0, Y4\nVCMPPS $0, Y8, Y1, Y5\nVPOR Y5, Y4, Y4\nVMULPS Y1, Y0, Y0\nflush Y0\nVPANDN Y0, Y4, Y0\nVADDPS Y2, Y0, Y0"},
		{"VCmpClassF32", "dd", 'm', "", class("u32Min", "f32Inf", 9)},
		{"VCmpClassF64", "qz", 'm', "", class64()},
		{"VCmpClassF16", "wd", 'm', "", "VPSLLD $16, Y0, Y0\n" + class("u32Min16", "u32Inf16", 6)},
		{"VRcpF32", "f", 'F', preOne, "VDIVPS Y0, Y9, Y0"},
		{"VSqrtF32", "f", 'F', "", "VSQRTPS Y0, Y0"},
		{"VRsqF32", "x", 'x', "", "flush Y0\nVCVTPS2PD X0, Y0\nVSQRTPD Y0, Y0\nVMOVUPD ·f64One(SB), Y4\nVDIVPD Y0, Y4, Y0\nVCMPPD $3, Y0, Y0, Y3\nVPOR Y3, Y10, Y10\nVCVTPD2PSY Y0, X0\nflush Y0"},
		{"VExpF32", "x", 'x', preNaN, "flush Y0\nVCMPPS $3, X0, X0, X3\nVPOR Y3, Y10, Y10\n" + exp2 + "flush Y0"},
		{"VLogF32", "x", 'x', preNaN, "flush Y0\n" + log2 + "VCMPPS $3, X0, X0, X3\nVPOR Y3, Y10, Y10\nflush Y0"},
		{"VDivScaleF32", "ddd", 'd', "", divScale32},
		{"VDivScaleVccF32", "ddd", 'm', "", divScale32 + "VPXOR Y0, Y0, Y0"},
		{"VDivFmasF32", "dddm", 'D', "", "VPOR Y3, Y10, Y10\nVFMADD213PS Y2, Y1, Y0"},
		{"VDivFixupF32", "ddd", 'd', preSign + "VPXOR Y9, Y9, Y9\n", divFixup32},
		{"SatF32", "d", 'd', "VPXOR Y8, Y8, Y8\n", "VMAXPS Y8, Y0, Y0\nVMINPS ·f32One(SB), Y0, Y0"},

		// f64.
		{"RndneF64", "q", 'q', "", "VROUNDPD $0, Y0, Y0"},
		{"FloorF64", "q", 'q', "", "VROUNDPD $1, Y0, Y0"},
		{"CeilF64", "q", 'q', "", "VROUNDPD $2, Y0, Y0"},
		{"TruncF64", "q", 'q', "", "VROUNDPD $3, Y0, Y0"},
		{"VFractF64", "q", 'q', "", "VROUNDPD $1, Y0, Y1\nVSUBPD Y1, Y0, Y0\nVCMPPD $3, Y0, Y0, Y3\nVPOR Y3, Y10, Y10\nVMINPD ·f64Below1(SB), Y0, Y0"},
		{"VLdexpF64", "qx", 'q', "", ldexp64},
		{"VFrexpExpI32F64", "q", 'x', "", frexpExp64},
		{"VFrexpMantF64", "q", 'q', "", frexpMant64},
		{"VMinF64", "qq", 'q', "", odd2PD + vminPD},
		{"VMaxF64", "qq", 'q', "", odd2PD + vmaxPD},
		{"VRcpF64", "q", 'q', "ones Y8\nVPSRLQ $54, Y8, Y8\nVPSLLQ $52, Y8, Y8\n", "VDIVPD Y0, Y8, Y0"},
		{"VSqrtF64", "q", 'q', "", "VSQRTPD Y0, Y0"},
		{"VRsqF64", "q", 'q', "", "VSQRTPD Y0, Y0\nVMOVUPD ·f64One(SB), Y4\nVDIVPD Y0, Y4, Y0\nVCMPPD $3, Y0, Y0, Y3\nVPOR Y3, Y10, Y10"},
		{"VDivScaleF64", "qqq", 'q', "", divScale64},
		{"VDivScaleVccF64", "qqq", 'm', "", divScale64 + "VPXOR Y0, Y0, Y0"},
		{"VDivFmasF64", "qqqm", 'q', "", "VPOR Y3, Y10, Y10\nVFMADD213PD Y2, Y0, Y1\nVMOVAPD Y1, Y0"},
		{"VDivFixupF64", "qqq", 'q', preSign64, divFixup64},

		// f16. Those of one operand are tested with all.
		{"VAddF16", "hh", 'H', "", "VADDPS Y1, Y0, Y0"},
		{"VSubF16", "hh", 'H', "", "VSUBPS Y1, Y0, Y0"},
		{"VMulF16", "hh", 'H', "", "VMULPS Y1, Y0, Y0"},
		{"VFmaF16", "hhh", 'H', preNaN, fmaF16},
		{"VMadF16", "hhh", 'H', "", "flush16 Y0\nflush16 Y1\nflush16 Y2\nVMULPS Y1, Y0, Y0\n" + round16 + "VADDPS Y2, Y0, Y0\n" + round16},
		{"VDivFixupF16", "www", 'w', "VPXOR Y8, Y8, Y8\nVMOVDQU ·u32InfF16(SB), Y9\n", divFixup16},
		{"VMinF16", "hh", 'h', "", odd2 + vminPS},
		{"VMaxF16", "hh", 'h', "", odd2 + vmaxPS},
		{"VRndneF16", "h", 'H', "", "VROUNDPS $0, Y0, Y0"},
		{"VFloorF16", "h", 'H', "", "VROUNDPS $1, Y0, Y0"},
		{"VCeilF16", "h", 'H', "", "VROUNDPS $2, Y0, Y0"},
		{"VTruncF16", "h", 'H', "", "VROUNDPS $3, Y0, Y0"},
		{"VFractF16", "h", 'H', "", "VROUNDPS $1, Y0, Y1\nVSUBPS Y1, Y0, Y0\nVMOVUPS ·f32Below16(SB), Y1\nVMINPS Y0, Y1, Y0"},
		{"VLdexpF16", "hv", 'H', "", ldexp16},
		{"VFrexpExpI16F16", "h", 'w', "", frexpExp32},
		{"VFrexpMantF16", "h", 'H', "", frexpMant32},
		{"VRcpF16", "h", 'H', preOne, "VDIVPS Y0, Y9, Y0"},
		{"VSqrtF16", "h", 'H', "", "VSQRTPS Y0, Y0"},
	}
	for _, c := range floatCompares {
		ops = append(ops,
			asmOp{c.name + "F32", "dd", 'm', "", fmt.Sprintf("VCMPPS $%d, Y1, Y0, Y0", c.pred)},
			asmOp{c.name + "F64", "qq", 'm', "", fmt.Sprintf("VCMPPD $%d, Y1, Y0, Y0", c.pred)},
			asmOp{c.name + "F16", "hh", 'm', "", fmt.Sprintf("VCMPPS $%d, Y1, Y0, Y0", c.pred)})
		if c.pred != 7 && c.pred != 3 {
			ops = append(ops, asmOp{c.name + "F32Ftz", "ff", 'm', "", fmt.Sprintf("VCMPPS $%d, Y1, Y0, Y0", c.pred)})
		}
	}
	ones := "ones Y8\n"
	for _, c := range []struct{ name, pre, body string }{
		{"Eq", "", "VPCMPEQD Y1, Y0, Y0"}, {"Ne", ones, "VPCMPEQD Y1, Y0, Y0\nVPXOR Y8, Y0, Y0"}, {"Lt", "", "VPCMPGTD Y0, Y1, Y0"}, {"Gt", "", "VPCMPGTD Y1, Y0, Y0"},
		{"Ge", ones, "VPCMPGTD Y0, Y1, Y0\nVPXOR Y8, Y0, Y0"}, {"Le", ones, "VPCMPGTD Y1, Y0, Y0\nVPXOR Y8, Y0, Y0"},
	} {
		ops = append(ops, asmOp{c.name + "S16", "vv", 'm', c.pre, c.body}, asmOp{c.name + "U16", "ww", 'm', c.pre, c.body})
	}
	return ops
}

// pknorm is v_cvt_pknorm: both operands times a scale, held between minus the scale, or 0,
// and the scale, rounded.
func pknorm(scale, least string) string {
	part := func(r string) string {
		return strings.NewReplacer("r", r, "scale", scale).Replace("VCVTPS2PD Xr, Yr\nVCMPPD $7, Yr, Yr, Y4\nVPAND Y4, Yr, Yr\nVMULPD ·scale(SB), Yr, Yr\nVMINPD ·scale(SB), Yr, Yr\nVMAXPD Y5, Yr, Yr\nVCVTPD2DQY Yr, Xr\n")
	}
	return least + part("0") + part("1") + pack16
}
