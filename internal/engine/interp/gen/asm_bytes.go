package main

import "strings"

// Forms of operations on bytes and on bf16.

const (
	// lookup is Y0: the bytes of Y0 (selectors 0 to 3) and Y1 (4 to 7) that the bytes of Y2
	// select, of which only the low three bits count.
	lookup = "VPAND ·u8Three(SB), Y2, Y4\nVPADDB ·byteBase(SB), Y4, Y4\nVPSHUFB Y4, Y0, Y0\nVPSHUFB Y4, Y1, Y1\nVPSLLD $5, Y2, Y5\nVPBLENDVB Y5, Y1, Y0, Y0\n"
	// prmt spreads the nibbles of Y2 over its bytes first.
	prmt = "VPAND ·u32Low(SB), Y2, Y2\nVPSLLD $8, Y2, Y4\nVPOR Y4, Y2, Y2\nVPAND ·u16Low(SB), Y2, Y2\nVPSLLD $4, Y2, Y4\nVPOR Y4, Y2, Y2\nVPAND ·u8Fifteen(SB), Y2, Y2\n" + lookup +
		"VPXOR Y6, Y6, Y6\nVPCMPGTB Y0, Y6, Y6\nVPSLLD $4, Y2, Y5\nVPBLENDVB Y5, Y6, Y0, Y0"
	// perm: from 8 on, signs of the odd bytes: selector 2*s - 15 of these; from 12 on 0x00,
	// from 13 on 0xff.
	perm = "VMOVDQA Y0, Y4\nVMOVDQA Y1, Y0\nVMOVDQA Y4, Y1\n" +
		"VPMAXUB ·u8Eight(SB), Y2, Y6\nVPCMPEQB Y2, Y6, Y6\nVPADDB Y2, Y2, Y4\nVPADDB ·u8One(SB), Y4, Y4\nVMOVDQA Y2, Y7\nVPBLENDVB Y6, Y4, Y2, Y2\n" + lookup +
		"VPXOR Y4, Y4, Y4\nVPCMPGTB Y0, Y4, Y4\nVPBLENDVB Y6, Y4, Y0, Y0\n" +
		"VPMAXUB ·u8Twelve(SB), Y7, Y4\nVPCMPEQB Y7, Y4, Y4\nVPMAXUB ·u8Thirteen(SB), Y7, Y5\nVPCMPEQB Y7, Y5, Y5\nVPBLENDVB Y4, Y5, Y0, Y0"

	// roundBF16 rounds f32 to bf16 in the upper halves; the lower halves are undefined.
	roundBF16 = "VCMPPS $3, Y5, Y5, Y7\nVPSRLD $16, Y5, Y6\nVPAND ·u32One(SB), Y6, Y6\nVPADDD Y6, Y5, Y5\nVPADDD ·u32Round(SB), Y5, Y5\nVBLENDVPS Y7, ·u32NaN16(SB), Y5, Y5\n"
)

// bf16x2 applies an f32 instruction to both halves. A product is exact in f32, too, unless it
// is less than half the least bf16, which makes it 0 in any case.
func bf16x2(op string) string {
	return "VPSLLD $16, Y0, Y4\nVPSLLD $16, Y1, Y5\n" + op + " Y5, Y4, Y5\n" + roundBF16 + "VPSRLD $16, Y5, Y3\n" +
		"VPAND ·u32High(SB), Y0, Y4\nVPAND ·u32High(SB), Y1, Y5\n" + op + " Y5, Y4, Y5\n" + roundBF16 + "VPAND ·u32High(SB), Y5, Y5\nVPOR Y3, Y5, Y0"
}

// fmaBF16x2 rounds the sum in f64, s, to f32, u. Only if u is in the middle of two bf16, the
// side of the exact sum matters. s - u and the error of s give that side, and u moves there
// by its last bit.
var fmaBF16x2 = func() string {
	half := func(upper string) string {
		s := ""
		for i, r := range []string{"3", "4", "5"} {
			in := string(rune('0' + i))
			s += strings.NewReplacer("IN", "X"+in, "OUT", "X"+r).Replace(upper) + "VCVTPS2PD X" + r + ", Y" + r + "\n"
		}
		return s + "VMULPD Y4, Y3, Y3\nVADDPD Y5, Y3, Y4\nVSUBPD Y3, Y4, Y6\nVSUBPD Y6, Y4, Y7\nVSUBPD Y7, Y3, Y3\nVSUBPD Y6, Y5, Y5\nVADDPD Y5, Y3, Y3\n" + // Y4 = s, Y3 = its error
			"VCVTPD2PSY Y4, X5\nVCVTPS2PD X5, Y6\nVSUBPD Y6, Y4, Y4\nVADDPD Y3, Y4, Y4\nVPSHUFD $0xdd, Y4, Y4\nVPERMQ $0x08, Y4, Y4\n" + // X5 = u, X4 = sign of the missing part, or 0
			"VPXOR X5, X4, X6\nVPSRAD $31, X6, X6\nVPOR ·u32One(SB), X6, X6\nVPADDD X4, X4, X4\nVPXOR X7, X7, X7\nVPCMPEQD X7, X4, X4\nVPANDN X6, X4, X6\n" +
			"VPAND ·u32Low(SB), X5, X4\nVPCMPEQD ·u32Middle(SB), X4, X4\nVPAND X4, X6, X6\nVPADDD X6, X5, X5\n" + strings.ReplaceAll(roundBF16, "Y", "X")
	}
	return half("VPSLLD $16, IN, OUT\n") + "VPSRLD $16, X5, X9\n" + half("VPAND ·u32High(SB), IN, OUT\n") + "VPAND ·u32High(SB), X5, X5\nVPOR X9, X5, X0"
}()

// byteConsts holds constants in the form of asmConsts.
func byteConsts() map[string][]uint64 {
	both := func(x uint64) []uint64 { return []uint64{x<<32 | x} }
	bytes := func(x uint64) []uint64 { return []uint64{x * 0x0101010101010101} }
	return map[string][]uint64{
		"u32One": both(1), "u32Low": both(0xffff), "u32High": both(0xffff0000), "u32Round": both(0x7fff), "u32NaN16": both(0x7fff0000), "u32Middle": both(0x8000), "u32Signs16": both(0x80008000),
		"u16Low": both(0x00ff00ff), "u8One": bytes(1), "u8Three": bytes(3), "u8Eight": bytes(8), "u8Twelve": bytes(12), "u8Thirteen": bytes(13), "u8Fifteen": bytes(15),
	}
}

// byteOps holds further rows of asmOps.
func byteOps() []asmOp {
	return []asmOp{
		{"Prmt", "ddd", 'd', "", prmt},
		{"VPermB32", "ddd", 'd', "", perm},
		{"AddBF16x2", "dd", 'd', "", bf16x2("VADDPS")},
		{"SubBF16x2", "dd", 'd', "", "VPXOR ·u32Signs16(SB), Y1, Y1\n" + bf16x2("VADDPS")},
		{"MulBF16x2", "dd", 'd', "", bf16x2("VMULPS")},
		{"FmaBF16x2", "xxx", 'x', "", fmaBF16x2},
	}
}
