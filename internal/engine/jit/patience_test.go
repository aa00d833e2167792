package jit

import (
	"encoding/binary"
	"fmt"
	"strings"
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
// ended, its counts, and the content of out, a word for each lane.
func tickets(t *testing.T, e sim.Engine, text string, blocks, block uint32, limit uint64, numbers ...uint32) (how string, counts sim.Stats, out []byte) {
	t.Helper()
	mem := sim.NewMemory()
	list, count := mem.Add("out", make([]byte, 4*blocks*block)), mem.Add("count", make([]byte, 4))
	param := binary.LittleEndian.AppendUint64(nil, list.Base)
	param = binary.LittleEndian.AppendUint64(param, count.Base)
	for _, x := range numbers {
		param = binary.LittleEndian.AppendUint32(param, x)
	}
	l := &sim.Launch{Grid: [3]uint32{blocks, 1, 1}, Block: [3]uint32{block, 1, 1}, Memory: mem, Param: param, Limits: sim.Limits{Limit: limit}}
	how, counts = launched(t, e, lift(t, text, "k"), l)
	return how, counts, list.Data
}

// overtaken checks that a block that runs for long does not stop the blocks after it: the first lane of
// block which has taken a number before the block in front of it has taken all of its own.
func overtaken(t *testing.T, what, how string, out []byte, block, which, before uint32) {
	t.Helper()
	if how != fine {
		t.Errorf("%s: the launch ends with %s", what, how)
	}
	if n := binary.LittleEndian.Uint32(out[4*block*which:]); n >= before {
		t.Errorf("%s: block %d takes number %d, so the block before it has ended", what, which, n)
	}
}

// TestRunBlockBudget: another block begins beside one that runs for long, also if the waves of the latter
// wait for each other in machine code.
func TestRunBlockBudget(t *testing.T) {
	t.Parallel()
	run := func(block, rounds, spin, more uint32) {
		what := fmt.Sprint(block, rounds, spin, more)
		repeats(t, what, func(e sim.Engine) string {
			how, counts, out := tickets(t, e, longBlock, 6, block, 0, rounds, spin, more)
			overtaken(t, what, how, out, block, 5, block*(4*3+1+rounds))
			return fmt.Sprintf("%v %x", counts, out)
		})
	}
	run(96, 1000, 2000, 0)
	if !testing.Short() {
		run(96, 1000, 2060, 0)
		run(96, 1000, 2000, ^uint32(40))
	}
}

// TestRunBlockLimit: a launch ends at its limit of instructions, in the round of time slices that reaches
// it, also if the waves of a block wait for each other in machine code.
func TestRunBlockLimit(t *testing.T) {
	t.Parallel()
	run := func(block, rounds, spin, more uint32, limit uint64) {
		what := fmt.Sprint(block, rounds, spin, more, limit)
		repeats(t, what, func(e sim.Engine) string {
			how, counts, out := tickets(t, e, longBlock, 6, block, limit, rounds, spin, more)
			if !strings.Contains(how, fmt.Sprint(limit, " instructions were reached")) {
				t.Errorf("%s: the launch ends with %s", what, how)
			}
			// A wave may end its time slice later by a basic block.
			if n, most := counts.WaveInstructions, limit+uint64(block/32)*(sim.WaveQuantum+16); n <= limit || n > most {
				t.Errorf("%s: the launch ends after %d instructions, more than %d", what, n, most)
			}
			return fmt.Sprintf("%s %v %x", how, counts, out)
		})
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

// TestNextBlockBudget is TestRunBlockBudget for successive blocks in machine code.
func TestNextBlockBudget(t *testing.T) {
	t.Parallel()
	run := func(block, which, short, long uint32) {
		what := fmt.Sprint(block, which, short, long)
		repeats(t, what, func(e sim.Engine) string {
			how, counts, out := tickets(t, e, longInRow, 200, block, 0, which, short, long)
			overtaken(t, what, how, out, block, which+1, block*(which*(1+short)+1+long))
			return fmt.Sprintf("%v %x", counts, out)
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

// TestClockBudget is TestRunBlockBudget for a block that reads the clock, which adds ticks to it.
func TestClockBudget(t *testing.T) {
	short.Skip(t, "the block has to run for 17 million instructions")
	t.Parallel()
	const what, block, rounds = "a block that reads the clock", 96, 1700
	repeats(t, what, func(e sim.Engine) string {
		how, counts, out := tickets(t, e, clockedLong, 6, block, 0, rounds, 500)
		overtaken(t, what, how, out, block, 5, block*(4*3+1+rounds))
		return fmt.Sprintf("%v %x", counts, out)
	})
}
