package jit

import (
	"encoding/binary"
	"fmt"
	"testing"

	"example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
)

// longBlock is a kernel whose blocks take numbers. The block with number 4 runs for long,
// with barriers in between, and takes more numbers on the way.
const longBlock = `.version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 count, .param .u32 rounds, .param .u32 spin, .param .u32 more)
{
	.reg .pred %p;
	.reg .b32 %r<13>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [out];
	ld.param.u64 %rd2, [count];
	ld.param.u32 %r1, [rounds];
	ld.param.u32 %r2, [spin];
	ld.param.u32 %r3, [more];
	mov.u32 %r4, %tid.x;
	shr.u32 %r5, %r4, 5;
	mad.lo.u32 %r6, %r5, %r3, %r2;
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

// tickets runs a kernel with the arguments out, a counter and some numbers. It returns how it
// ended and the content of out, a word for each lane.
func tickets(t *testing.T, e sim.Engine, text string, blocks, block uint32, limit uint64, numbers ...uint32) (how string, out []byte) {
	t.Helper()
	mem := sim.NewMemory()
	list, count := mem.Add("out", make([]byte, 4*blocks*block)), mem.Add("count", make([]byte, 4))
	param := binary.LittleEndian.AppendUint64(nil, list.Base)
	param = binary.LittleEndian.AppendUint64(param, count.Base)
	for _, x := range numbers {
		param = binary.LittleEndian.AppendUint32(param, x)
	}
	l := &sim.Launch{Grid: [3]uint32{blocks, 1, 1}, Block: [3]uint32{block, 1, 1}, Memory: mem, Param: param, Limits: sim.Limits{Limit: limit}}
	return ended(t, e, lift(t, text, "k"), l), list.Data
}

// TestRunBlockBudget: it is decided after each round of time slices when another block begins
// next to one that runs for long, also if its waves wait for each other in machine code.
func TestRunBlockBudget(t *testing.T) {
	t.Parallel()
	run := func(block, rounds, spin, more uint32, limit uint64) {
		agree(t, fmt.Sprint(block, rounds, spin, more, limit), func(e sim.Engine) string {
			how, out := tickets(t, e, longBlock, 6, block, limit, rounds, spin, more)
			return fmt.Sprintf("%s %x", how, out)
		})
	}
	run(96, 1000, 2000, 0, 0)
	if !testing.Short() {
		run(96, 1000, 2060, 0, 0)
		run(96, 1000, 2000, ^uint32(40), 0)
	}
	for limit := uint64(110_000); limit < 200_000; limit += short.Of(uint64(3700), 90_000) {
		run(96, 100, 2000, ^uint32(500), limit)
		run(64, 100, 2000, 300, limit)
	}
}

// longInRow is a kernel whose blocks take numbers, and have no barriers; one of them runs for
// long, and takes more numbers on the way.
const longInRow = `.version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 count, .param .u32 which, .param .u32 short, .param .u32 long)
{
	.reg .pred %p;
	.reg .b32 %r<13>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [out];
	ld.param.u64 %rd2, [count];
	ld.param.u32 %r1, [which];
	ld.param.u32 %r2, [short];
	ld.param.u32 %r3, [long];
	mov.u32 %r4, %tid.x;
	mov.u32 %r7, %ctaid.x;
	setp.eq.u32 %p, %r7, %r1;
	selp.u32 %r1, %r3, %r2, %p;
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
	setp.lt.u32 %p, %r12, 100;
	@%p bra again;
	red.global.add.u32 [%rd2], 1;
	add.u32 %r11, %r11, 1;
	setp.lt.u32 %p, %r11, %r1;
	@%p bra round;
	st.global.u32 [%rd1], %r10;
	ret;
}
`

// TestNextBlockBudget is TestRunBlockBudget for successive blocks in machine code: instructions of
// the blocks before the one that runs for long do not count.
func TestNextBlockBudget(t *testing.T) {
	t.Parallel()
	run := func(block, which, short, long uint32) {
		agree(t, fmt.Sprint(block, which, short, long), func(e sim.Engine) string {
			how, out := tickets(t, e, longInRow, 200, block, 0, which, short, long)
			return fmt.Sprintf("%s %x", how, out[len(out)/200*int(which):])
		})
	}
	run(32, 50, 1, 60000)
	if !testing.Short() {
		run(32, 130, 1, 60000)
	}
}

// clockedLong is a kernel whose blocks take numbers. The block with number 4 runs for long
// and reads the clock all the time.
const clockedLong = `.version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 count, .param .u32 rounds, .param .u32 spin)
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

// TestClockBudget: the ticks that reading the clock adds do not count as instructions of a
// block, also if its waves wait for each other in machine code.
func TestClockBudget(t *testing.T) {
	short.Skip(t, "the block has to run for 12 million instructions")
	t.Parallel()
	agree(t, "a block that reads the clock", func(e sim.Engine) string {
		how, out := tickets(t, e, clockedLong, 6, 96, 0, 1200, 500)
		return fmt.Sprintf("%s %x", how, out)
	})
}
