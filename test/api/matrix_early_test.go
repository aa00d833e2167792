package api_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/short"
)

// TestMatrixEarly has waves begin with loops that load matrices from memory to which the waves
// before them store, without a wait: many blocks, of which machine code begins waves together.
func TestMatrixEarly(t *testing.T) {
	t.Parallel()
	const grid, block = 160, 128
	for _, op := range short.Sample([]string{
		"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r11, %r12}, [%r5];",
		"wmma.load.c.sync.aligned.row.m16n16k16.global.f16 {%r11,%r12,%r13,%r14}, [%rd3], 16;",
		"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r11,%r12,%r13,%r14,%r15,%r16,%r17,%r18}, [%rd3], 16;",
		"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r11,%r12,%r13,%r14,%r15,%r16,%r17,%r18}, [s], 16;",
	}, 4) {
		m, err := crosslane.Load([]byte(`.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 data)
{
	.reg .b32 %r<32>;
	.reg .pred %p<4>;
	.reg .b64 %rd<8>;
	.shared .align 16 .b8 s[1024];
	ld.param.u64 %rd2, [out];
	ld.param.u64 %rd3, [data];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mad.lo.u32 %r3, %r2, 128, %r1;
	mul.wide.u32 %rd5, %r3, 4;
	add.u64 %rd2, %rd2, %rd5;
	and.b32 %r4, %r1, 31;
	mul.lo.u32 %r5, %r4, 16;
	mov.u32 %r6, s;
	add.u32 %r5, %r5, %r6;
	mov.u32 %r10, %r1;
	mov.u32 %r9, 0;
L:
	`+op+`
	mad.lo.u32 %r10, %r10, 3, %r11;
	add.u32 %r10, %r10, %r12;
	add.u32 %r9, %r9, 1;
	setp.lt.u32 %p1, %r9, 20;
	@%p1 bra L;
	st.global.u32 [%rd2], %r10;
	mul.wide.u32 %rd5, %r4, 4;
	add.u64 %rd3, %rd3, %rd5;
	st.global.u32 [%rd3], %r10;
	shl.b32 %r4, %r4, 2;
	add.u32 %r4, %r4, %r6;
	st.shared.u32 [%r4], %r10;
	ret;
}
`), "k", crosslane.PTX)
		if err != nil {
			t.Fatal(err)
		}
		run := func(engine string, native crosslane.Native) []byte {
			out, data := crosslane.NewBuffer("out", crosslane.U32, grid*block), crosslane.NewBuffer("data", crosslane.U32, 256)
			for i := range data.Data {
				data.Data[i] = byte(i * 37)
			}
			k, err := m.Kernel("k")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := k.Run(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: grid}, Block: crosslane.Dim3{X: block}, Args: []crosslane.Arg{out, data}, Engine: engine, Native: native, Workers: 1}); err != nil {
				if strings.Contains(err.Error(), "bad-engine") {
					return nil
				}
				t.Fatal(err)
			}
			return append(out.Data, data.Data...)
		}
		want := run("interp", "")
		for _, native := range []crosslane.Native{crosslane.NativeAVX2, crosslane.NativeAVX512} {
			if got := run("jit", native); got != nil && !bytes.Equal(got, want) {
				t.Errorf("%s: %s differs", native, op)
			}
		}
	}
}
