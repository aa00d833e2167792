package api_test

import (
	"context"
	"testing"

	"example.org/crosslane"
)

// whyKernel is a loop of loads, arithmetic, shuffles and stores: 8 instructions a round.
const whyKernel = `.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
	.reg .b32 %r<12>;
	.reg .b64 %a<4>;
	.reg .pred %p;
	ld.param.u64 %a0, [in];
	ld.param.u64 %a1, [out];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.u32 %r2, %r2, %r3, %r4;
	mul.wide.u32 %a2, %r2, 4;
	add.u64 %a0, %a0, %a2;
	add.u64 %a1, %a1, %a2;
	mov.u32 %r5, 0;
	mov.u32 %r6, 0;
loop:
	ld.global.u32 %r7, [%a0];
	mad.lo.u32 %r5, %r5, 3, %r7;
	shfl.sync.bfly.b32 %r8, %r5, 1, 31, -1;
	xor.b32 %r5, %r5, %r8;
	st.global.u32 [%a1], %r5;
	add.u32 %r6, %r6, 1;
	setp.lt.u32 %p, %r6, %r1;
	@%p bra loop;
	ret;
}
`

// BenchmarkWhy explains one of 1024 elements that 10 million lane instructions computed,
// beside the plain run: of one block, which is recorded in full, and of 64 blocks.
func BenchmarkWhy(b *testing.B) {
	m, err := crosslane.Load([]byte(whyKernel), "k.ptx", crosslane.PTX)
	if err != nil {
		b.Fatal(err)
	}
	k, _ := m.Kernel("k")
	for _, c := range []struct {
		name           string
		grid, block, n uint32
	}{{"one", 1, 1024, 1250}, {"many", 64, 256, 78}} {
		size := int(c.grid * c.block)
		launch := func() crosslane.Launch {
			return crosslane.Launch{Grid: crosslane.Dim3{X: c.grid}, Block: crosslane.Dim3{X: c.block}, Workers: 1,
				Args: []crosslane.Arg{crosslane.Slice("in", make([]uint32, size)), crosslane.Slice("out", make([]uint32, size)), crosslane.Int(int64(c.n))}}
		}
		b.Run(c.name+"/run", func(b *testing.B) {
			for b.Loop() {
				if _, err := k.Run(context.Background(), launch()); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/why", func(b *testing.B) {
			for b.Loop() {
				if _, err := k.Why(context.Background(), launch(), crosslane.WhyOptions{Buffer: "out", Index: 5}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
