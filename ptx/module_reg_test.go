package ptx

import "testing"

// TestModuleRegisters checks that all functions share the registers of the module, which are legal
// before PTX 3.0. A register of a function hides a register of the module with the same name.
func TestModuleRegisters(t *testing.T) {
	t.Parallel()
	const src = `.version 2.3
.target sm_20
.address_size 64
.reg .u32 total, %m<3>;
.local .u32 mine;
.func add(.reg .u32 x) {
	.reg .u32 %m1;
	mov.u32 %m1, 1000;
	add.u32 total, total, x;
	add.u32 %m2, %m2, 1;
	st.local.u32 [mine], total;
	ret;
}
.entry k(.param .u64 out) {
	.reg .u32 %r<4>; .reg .u64 %rd<3>;
	mov.u32 total, %tid.x;
	mov.u32 %m1, 5;
	mov.u32 %m2, 0;
	call add, (100);
	call add, (10);
	ld.local.u32 %r2, [mine];
	mad.lo.u32 %r1, %m2, 10000, total; // 20000 + tid + 110
	add.u32 %r1, %r1, %m1;
	sub.u32 %r3, %r2, total; // 0
	mad.lo.u32 %r1, %r3, 1000000, %r1;
	ld.param.u64 %rd1, [out];
	mov.u32 %r3, %tid.x;
	mul.wide.u32 %rd2, %r3, 4;
	add.u64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], %r1;
	exit;
}
`
	for lane, got := range launchKernel(t, src, "k", 32, 32) {
		if want := uint32(20000 + lane + 110 + 5); got != want {
			t.Fatalf("lane %d: %d, want %d", lane, got, want)
		}
	}
	m := mustParse(t, src)
	n := 0
	for _, f := range []*Func{m.Func("add"), m.Func("k")} {
		for _, r := range f.Body().Regs {
			if r.Module {
				n++
				if r.Name != "total" && r.Name != "%m2" && (r.Name != "%m1" || f.Name != "k") {
					t.Errorf("%s of %s is one of the module", r.Name, f.Name)
				}
			}
		}
	}
	if n != 5 {
		t.Errorf("%d mentions of registers of the module, want 5", n)
	}
}
