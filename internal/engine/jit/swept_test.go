package jit

import (
	"encoding/binary"
	"fmt"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/sim"
)

// swept is a kernel in which a guard that never holds comes before another write of a
// constant, which only the interpreter reads from a register.
const swept = `.version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .pred %p<9>;
	.reg .b32 %r<99>;
	.reg .b64 %rd<9>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %tid.y;
	mov.u32 %r3, %tid.z;
	mad.lo.u32 %r7, %r2, 16, %r1;
	mul.wide.u32 %rd3, %r7, 4;
	add.u64 %rd3, %rd3, %rd1;
	mov.u32 %r8, 1;
	setp.eq.u32 %p3, %r3, 0;
	bar.sync 0;
	@!%p3 mad.lo.u32 %r8, %r1, 26, %r7;
	ld.global.u32 %r20, [%rd3];
	mad.lo.u32 %r25, %r8, 30, %r3;
	mad.lo.u32 %r8, %r8, 3, %r20;
	st.global.u32 [%rd3], %r8;
	ret;
}
`

// TestSwept: if the code writes a register but does not read it, no write is removed while
// another write stays that keeps it in some lanes: the interpreter may continue before that
// write.
func TestSwept(t *testing.T) {
	t.Parallel()
	run := func(e sim.Engine) string {
		mem := sim.NewMemory()
		out := mem.Add("out", make([]byte, 4*256))
		l := &sim.Launch{Grid: [3]uint32{8, 1, 1}, Block: [3]uint32{16, 16, 1}, Memory: mem, Param: binary.LittleEndian.AppendUint64(nil, out.Base)}
		return fmt.Sprintf("%s %x", ended(t, e, lift(t, swept, "k"), l), out.Data)
	}
	want := run(interp.Engine{Portable: true})
	for tier := range tierEngines(t) {
		e, err := New(Options{Mode: Mode{Tier: tier, Eager: true, Scribble: true}})
		if err != nil {
			t.Fatal(err)
		}
		if got := run(e); got != want {
			t.Errorf("%s:\ngot  %.300s\nwant %.300s", tier, got, want)
		}
	}
}
