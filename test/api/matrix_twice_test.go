package api_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane"
)

// TestRegistersTwice multiplies matrices, under a guard, into registers of which some are named
// more than once: the last write counts.
func TestRegistersTwice(t *testing.T) {
	t.Parallel()
	const head = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b32 %r<16>;
	.reg .pred %p<4>;
	.reg .f32 %f<16>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd2, [out];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd5, %r1, 16;
	add.u64 %rd2, %rd2, %rd5;
	mul.lo.u32 %r2, %r1, 77;
	and.b32 %r2, %r2, 0x03ff03ff;
	or.b32 %r2, %r2, 0x3c003c00;
	add.u32 %r3, %r2, 3;
	add.u32 %r4, %r2, 5;
	add.u32 %r5, %r2, 9;
	cvt.rn.f32.u32 %f1, %r1;
	mov.f32 %f2, 0f3F800000;
	mov.f32 %f3, 0f40000000;
	mov.f32 %f4, 0f40400000;
	mov.f32 %f5, %f1;
	mov.f32 %f6, %f1;
	mov.f32 %f7, %f1;
	mov.f32 %f8, %f1;
	mov.u32 %r6, %r2;
	mov.u32 %r7, %r2;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 `
	for code := range 27 {
		var d, h [4]string
		pow3 := [4]int{1, 3, 9, 27}
		for k := range d {
			d[k], h[k] = fmt.Sprintf("%%f%d", 5+code/pow3[k]%3), fmt.Sprintf("%%r%d", 6+code>>k&1)
		}
		list := []string{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {" + strings.Join(d[:], ",") + "}, {%r2,%r3,%r4,%r5}, {%r3,%r4}, {%f1,%f2,%f3,%f4};\n"}
		if code < 4 {
			list = append(list, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {"+strings.Join(h[:2], ",")+"}, {%r2,%r3,%r4,%r5}, {%r3,%r4}, {%r5,%r3};\n")
		}
		for _, op := range list {
			m, err := crosslane.Load([]byte(head+op+"add.f32 %f9, %f5, %f6;\nst.global.v4.f32 [%rd2], {%f5,%f6,%f7,%f8};\nst.global.u32 [%rd2+2048], %r6;\nst.global.u32 [%rd2+2052], %r7;\nret;\n}\n"), "k", crosslane.PTX)
			if err != nil {
				t.Fatal(err)
			}
			run := func(engine string, native crosslane.Native) []byte {
				out := crosslane.NewBuffer("out", crosslane.U32, 1024)
				k, err := m.Kernel("k")
				if err != nil {
					t.Fatal(err)
				}
				if _, err := k.Run(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 32}, Args: []crosslane.Arg{out}, Engine: engine, Native: native, Workers: 1}); err != nil {
					if strings.Contains(err.Error(), "bad-engine") {
						return nil
					}
					t.Fatal(err)
				}
				return out.Data
			}
			want := run("interp", "")
			for _, native := range []crosslane.Native{crosslane.NativeAVX2, crosslane.NativeAVX512} {
				if got := run("jit", native); got != nil && !bytes.Equal(got, want) {
					t.Errorf("%s: %s differs", native, op)
				}
			}
		}
	}
}
