package jit

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
)

// partingLater is a kernel whose lanes repeat a loop for different times after a barrier, and meet no more. One
// wave may end before the barrier. %before says how much of a time slice the last wave uses up before it.
const partingLater = `.version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 count, .param .u32 gone, .param .u32 before)
{
	.reg .pred %p;
	.reg .b32 %r<16>, %gone, %before;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [out];
	ld.param.u32 %gone, [gone];
	ld.param.u32 %before, [before];
	mov.u32 %r4, %tid.x;
	mov.u32 %r7, %ctaid.x;
	mov.u32 %r8, %ntid.x;
	mad.lo.u32 %r9, %r7, %r8, %r4;
	mul.wide.u32 %rd3, %r9, 4;
	add.u64 %rd1, %rd1, %rd3;
	shr.u32 %r5, %r4, 5;
	setp.eq.u32 %p, %r5, %gone;
	@%p bra end;
	mov.u32 %r1, 0;
wait:
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p, %r1, %before;
	@%p bra wait;
	bar.sync 0;
	mov.u32 %r2, 0;
	mov.u32 %r3, %laneid;
	mad.lo.u32 %r3, %r3, 700, 100;
again:
	mad.lo.u32 %r6, %r6, 5, %r2;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p, %r2, %r3;
	@%p bra again;
	mov.u32 %r2, 0;
later:
	mad.lo.u32 %r6, %r6, 3, %r2;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p, %r2, 900;
	@%p bra later;
	st.global.u32 [%rd1], %r6;
end:
	ret;
}
`

// TestSliceRest: lanes that use up a time slice while other lanes of their wave are further on let those run, so
// where a time slice ends decides how many instructions run for how many lanes. The counts of a
// kernel without a race are the same on all engines. So the wave that opens a barrier goes on with the rest
// of its time slice, no more and no less, also if package sim opens the barrier because a wave has ended.
func TestSliceRest(t *testing.T) {
	t.Parallel()
	for _, gone := range short.Sample([]uint32{0, 1, 2, 9}, 2) {
		for before := uint32(1); before < 6000; before += short.Of(uint32(1117), 2999) {
			agree(t, fmt.Sprintf("without wave %d, %d rounds before the barrier", gone, before), func(e sim.Engine) string {
				how, counts, out := tickets(t, e, partingLater, 3, 96, 0, gone, before)
				return fmt.Sprintf("%s %v %x", how, counts, out)
			})
		}
	}
}

// TestArriveAfterBarriers arrives at a barrier at which no wave waits any more. It is
// reported whether it was used before; another barrier may have been used since.
func TestArriveAfterBarriers(t *testing.T) {
	t.Parallel()
	const block = 96
	for _, ids := range [][]uint64{{0, 1}, {1, 0}, {0, 1, 1}, {0}, {2}} {
		agree(t, fmt.Sprint("barriers ", ids), func(e sim.Engine) string {
			m := newMaker(t, "arrives", 32)
			for _, id := range ids {
				m.ins()
				m.Emit(ir.Inst{Op: ir.Bar, Imm: uint64(ir.BarSync), Args: [4]ir.Ref{m.num(id)}})
			}
			m.ins()
			m.Emit(ir.Inst{Op: ir.Bar, Imm: uint64(ir.BarArrive), Args: [4]ir.Ref{m.num(0), m.num(128)}})
			f := m.finish()
			return ended(t, e, f, &sim.Launch{Grid: [3]uint32{3, 1, 1}, Block: [3]uint32{block, 1, 1}, Memory: sim.NewMemory(), Checks: sim.Checks{Hints: true}})
		})
	}
}
