package interp

import (
	"testing"
	"unsafe"

	"crosslane/internal/ir"
)

// BenchmarkVector measures the generated forms alone, without dispatch.
func BenchmarkVector(b *testing.B) {
	for _, op := range []ir.Op{ir.Add32, ir.Xor32, ir.Mul32, ir.Mad32, ir.Shl32, ir.ShfLWrap, ir.AddF32, ir.MulF32, ir.FmaF32, ir.LtS32, ir.LtF32, ir.Sel32, ir.Add64, ir.MulWideU32, ir.MaxF32} {
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
