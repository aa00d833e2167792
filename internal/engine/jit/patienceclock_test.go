package jit

import (
	"encoding/binary"
	"fmt"
	"testing"

	"crosslane/internal/sim"
)

// clockedLong is a kernel whose blocks take numbers; that with number 4 runs for long and looks at the
// clock all the time.
const clockedLong = `.version 8.1
.target sm_90
.address_size 64
.visible .entry long(.param .u64 out, .param .u64 count, .param .u32 rounds, .param .u32 spin)
{
	.reg .pred %p;
	.reg .b32 %r<14>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [out];
	ld.param.u64 %rd2, [count];
	ld.param.u32 %r1, [rounds];
	ld.param.u32 %r6, [spin];
	mov.u32 %r4, %tid.x;
	mov.u32 %r7, %ctaid.x;
	setp.eq.u32 %p, %r7, 4;
	selp.u32 %r1, %r1, 2, %p;
	mov.u32 %r8, %ntid.x;
	mad.lo.u32 %r9, %r7, %r8, %r4;
	mul.wide.u32 %rd3, %r9, 4;
	add.u64 %rd1, %rd1, %rd3;
	atom.global.add.u32 %r10, [%rd2], 1;
	mov.u32 %r11, 0;
round:
	mov.u32 %r12, 0;
again:
	add.u32 %r12, %r12, 1;
	mov.u32 %r13, %clock;
	mov.u32 %r13, %clock;
	mov.u32 %r13, %clock;
	mov.u32 %r13, %clock;
	setp.lt.u32 %p, %r12, %r6;
	@%p bra again;
	red.global.add.u32 [%rd2], 1;
	bar.sync 0;
	add.u32 %r11, %r11, 1;
	setp.lt.u32 %p, %r11, %r1;
	@%p bra round;
	st.global.u32 [%rd1], %r10;
	ret;
}
`

// TestClockPatience: what reading the clock adds to it is nothing that a block has run, be it that
// its waves wait for each other in machine code.
func TestClockPatience(t *testing.T) {
	t.Parallel()
	const block = 96
	agree(t, "a block that reads the clock", func(e sim.Engine) string {
		mem := sim.NewMemory()
		out, count := mem.Add("out", make([]byte, 6*4*block)), mem.Add("count", make([]byte, 4))
		param := binary.LittleEndian.AppendUint64(nil, out.Base)
		param = binary.LittleEndian.AppendUint64(param, count.Base)
		for _, x := range []uint32{1200, 500} {
			param = binary.LittleEndian.AppendUint32(param, x)
		}
		l := &sim.Launch{Grid: [3]uint32{6, 1, 1}, Block: [3]uint32{block, 1, 1}, Memory: mem, Param: param}
		return fmt.Sprintf("%s %x", ended(t, e, lift(t, clockedLong, "long"), l), out.Data)
	})
}
