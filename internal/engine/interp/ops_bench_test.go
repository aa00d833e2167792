package interp

import (
	"testing"
	"unsafe"

	"example.org/crosslane/internal/ir"
)

// BenchmarkVector measures the generated forms alone, without dispatch.
func BenchmarkVector(b *testing.B) {
	for _, op := range []ir.Op{
		ir.Add32, ir.Xor32, ir.Mul32, ir.Mad32, ir.Shl32, ir.ShfLWrap, ir.Sel32, ir.LtS32, ir.MulHiU32, ir.MulHiS32, ir.Lop3, ir.Prmt, ir.BfeU32, ir.Bfi32, ir.Popc32,
		ir.AddF32, ir.MulF32, ir.FmaF32, ir.LtF32, ir.MaxF32,
		ir.Add64, ir.MulWideU32, ir.Mul64, ir.Mad64, ir.ShrS64, ir.Not64, ir.Neg64, ir.MinS64, ir.MaxU64, ir.EqU64, ir.NeU64, ir.LtS64, ir.GeU64, ir.Sel64, ir.Addc64,
		ir.AddF64, ir.SubF64, ir.MulF64, ir.FmaF64, ir.DivF64, ir.SqrtF64, ir.MinF64, ir.MaxF64, ir.LtF64, ir.EqF64, ir.NeuF64, ir.AbsF64, ir.NegF64,
		ir.CvtF64FromS32, ir.CvtF64FromF32, ir.CvtF32FromF64, ir.CvtS32FromF32RZI, ir.CvtS32FromF64RZI, ir.CvtU64FromU32, ir.CvtU64FromS32, ir.CvtU32FromU64,
		ir.AddF16, ir.MulF16, ir.FmaF16, ir.AddF16x2, ir.FmaF16x2, ir.AddBF16x2, ir.FmaBF16x2, ir.CvtF32FromF16, ir.CvtF16FromF32, ir.CvtF16x2FromF32, ir.CvtBF16x2FromF32, ir.CvtF32FromBF16, ir.CvtBF16FromF32,
		ir.AbsF32, ir.NegF32, ir.RcpF32, ir.Ex2ApproxF32, ir.Lg2ApproxF32, ir.SinApproxF32, ir.RsqrtApproxF32, ir.MaxF16x2, ir.CvtE4M3x2FromF32, ir.Lo16, ir.Hi16, ir.Pack32, ir.Lo32, ir.Hi32, ir.Pack64,
	} {
		b.Run(op.String(), func(b *testing.B) {
			frame := make([]uint64, 256)
			base := unsafe.Pointer(&frame[0])
			f := (*[512]float32)(base)
			for i := range f[:256] {
				f[i] = 0.5 + float32(i)/64
			}
			in := &inst{d: 1024, a: 0, b: 256, c: 512}
			for b.Loop() {
				vectorFn(int(op), false)(base, in)
			}
		})
	}
}
