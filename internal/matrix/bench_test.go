package matrix

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkProduct measures one instruction of a warp.
func BenchmarkProduct(b *testing.B) {
	for _, c := range []struct {
		name string
		op   Op
	}{
		{"f16", Op{M: 16, N: 8, K: 16, Operands: Operands{A: F16, B: F16, C: F32, D: F32}}},
		{"f16_f16", Op{M: 16, N: 8, K: 16, Operands: Operands{A: F16, B: F16, C: F16, D: F16}}},
		{"bf16", Op{M: 16, N: 8, K: 16, Operands: Operands{A: BF16, B: BF16, C: F32, D: F32}}},
		{"tf32", Op{M: 16, N: 8, K: 8, Operands: Operands{A: TF32, B: TF32, C: F32, D: F32}}},
		{"s8_k32", Op{M: 16, N: 8, K: 32, Operands: Operands{A: S8, B: S8, C: S32, D: S32}}},
		{"e4m3_k32", Op{M: 16, N: 8, K: 32, Operands: Operands{A: E4M3, B: E4M3, C: F32, D: F32}}},
		{"b1_k256", Op{M: 16, N: 8, K: 256, Operands: Operands{A: B1, B: B1, C: S32, D: S32}}},
		{"f64", Op{M: 16, N: 8, K: 16, Operands: Operands{A: F64, B: F64, C: F64, D: F64}}},
		{"sparse_f16_k32", Op{M: 16, N: 8, K: 32, Operands: Operands{A: F16, B: F16, C: F32, D: F32}, Sparsity: Sparsity{Sparse: true}}},
		{"wmma_f16", Op{Wmma: true, M: 16, N: 16, K: 16, Operands: Operands{A: F16, B: F16, C: F32, D: F32}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := NewProduct(c.op)
			r := rand.New(rand.NewPCG(1, 1))
			src := pointers(fill(r, p.A, true), fill(r, p.B, true), fill(r, p.C, true))
			if p.Sparse {
				e, _ := metadata(r, &p.Op)
				src = append(src, pointers(e)...)
			}
			dst := pointers(&warp{regs: make([][32]uint64, p.D.Regs()), wide: p.D.RegBits == 64})
			var s Scratch
			b.ReportAllocs()
			for b.Loop() {
				p.Run(src, dst, ^uint32(0), &s)
			}
		})
	}
}
