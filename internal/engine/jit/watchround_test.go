package jit

import (
	"fmt"
	"testing"
	"time"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
)

// TestWatchRound: blocks run for so long without a visible change that their plain loads are
// watched for a round of time slices. The order of atomics on shared memory shows which time
// slices these are; it is the same twice.
func TestWatchRound(t *testing.T) {
	t.Parallel()
	for _, block := range short.Sample([]uint64{64, 96, 128}, 3) {
		for _, c := range short.Sample([]struct{ rounds, loads, uneven uint64 }{
			{900, 50, 0}, {900, 50, 16}, // long
			{4300, 34, 0}, {4300, 34, 5}, // with many barriers
			{3, 20000, 0}, {6, 20000, 3000}, {40, 1500, 2500}, // in which time slices are used up
		}, 3) {
			repeats(t, fmt.Sprint("blocks of ", block, ", ", c), func(e sim.Engine) string {
				m := newMaker(t, "watchround", 32)
				m.Func().SharedStatic = 4
				list := m.values("out", "in")
				tid, wave, blk, v, i, j, n, sum, p := m.vec("tid"), m.vec("wave"), m.vec("blk"), m.vec("v"), m.vec("i"), m.vec("j"), m.vec("n"), m.vec("sum"), m.Vector("p", ir.B1)
				m.Input(ir.ThreadIDX, tid, 0)
				m.Input(ir.WaveID, wave, 0)
				m.Input(ir.LinearBlockID, blk, 0)
				m.ins()
				m.To(n, ir.Add32, m.num(c.loads), m.T(ir.Mul32, wave, m.num(c.uneven)))
				rounds := m.vec("rounds") // the first block only finds the regions
				m.ins()
				m.To(rounds, ir.Mul32, blk, m.num(c.rounds))
				phase, loop := m.NewLabel(), m.NewLabel()
				m.Bind(phase)
				m.ins()
				m.To(j, ir.Mov32, m.num(0))
				m.Bind(loop)
				m.load(v, list[1], ir.Global)
				m.ins()
				m.To(sum, ir.Add32, sum, v)
				m.next(j, n, p, loop)
				m.ins()
				m.Emit(ir.Inst{Op: ir.Atomic, Dst: v, Args: [4]ir.Ref{m.num(0), m.num(1)}, Size: 4, Align: 4, Space: ir.Shared, Imm: ir.AtomicImm(ir.AtomAdd, 0)})
				m.ins()
				m.To(sum, ir.Add32, m.T(ir.Mul32, sum, m.num(31)), v)
				m.barrier()
				m.next(i, rounds, p, phase)
				m.store(m.place(list[0], m.T(ir.Add32, tid, m.T(ir.Mul32, blk, m.num(block))), 4), sum, ir.Global)
				f := m.finish()
				mem := sim.NewMemory()
				out, in := mem.Add("out", make([]byte, 2*4*block)), mem.Add("in", noise(64))
				return fmt.Sprintln(ended(t, e, f, &sim.Launch{Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{uint32(block), 1, 1}, Memory: mem, Values: []uint64{out.Base, in.Base}}), out.Data)
			})
		}
	}
}

// tableLoop is a kernel whose waves repeat a loop around a plain load: the last but one for long, and its lanes
// for different times, the rest for less than a time slice. Only the long one stores its result. %before says how much
// of a time slice is used up before a barrier.
const tableLoop = `.version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 table, .param .u32 before, .param .u32 rounds)
{
	.reg .pred %p, %q;
	.reg .b32 %r<16>, %before, %rounds;
	.reg .b64 %rd<6>;
	ld.param.u64 %rd1, [out];
	ld.param.u64 %rd2, [table];
	ld.param.u32 %before, [before];
	ld.param.u32 %rounds, [rounds];
	mov.u32 %r4, %tid.x;
	mov.u32 %r7, %ctaid.x;
	mov.u32 %r8, %ntid.x;
	mad.lo.u32 %r9, %r7, %r8, %r4;
	mul.wide.u32 %rd3, %r9, 4;
	add.u64 %rd1, %rd1, %rd3;
	mov.u32 %r1, 0;
wait:
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p, %r1, %before;
	@%p bra wait;
	bar.sync 0;
	mov.u32 %r2, 0;
	mov.u32 %r3, %laneid;
	mad.lo.u32 %r3, %r3, 700, %rounds;
	shr.u32 %r10, %r4, 5;
	shr.u32 %r11, %r8, 5;
	sub.u32 %r11, %r11, 2;
	setp.ne.u32 %q, %r10, %r11;
	@%q mov.u32 %r3, 1700;
	setp.eq.u32 %p, %r7, 0; // the first block only finds the regions
	@%p mov.u32 %r3, 1700;
again:
	ld.global.u32 %r5, [%rd2];
	mad.lo.u32 %r6, %r6, 5, %r5;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p, %r2, %r3;
	@%p bra again;
	mov.u32 %r2, 0;
later:
	mad.lo.u32 %r6, %r6, 3, %r2;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p, %r2, 900;
	@%p bra later;
	bar.warp.sync 0xffffffff;
	@%q bra end; // without a change of memory
	st.global.u32 [%rd1], %r6;
end:
	ret;
}
`

// TestWatchCounts: when the plain loads of a block are watched, lanes that find the same again and again give
// their time slices away, although they only work. That shows in the counts of a kernel without a race, which
// are the same on all engines. So each engine watches the same rounds.
func TestWatchCounts(t *testing.T) {
	t.Parallel()
	for _, block := range short.Sample([]uint32{64, 96, 256}, 2) {
		for before := uint32(1); before < 5000; before += short.Of(uint32(1117), 4000) {
			agree(t, fmt.Sprint("blocks of ", block, ", ", before, " rounds before the barrier"), func(e sim.Engine) string {
				how, counts, out := tickets(t, e, tableLoop, 4, block, 0, before, 40000)
				return fmt.Sprintf("%s %v %x", how, counts, out)
			})
		}
	}
}

// TestWaitBehindBarrier: a wave that has changed memory before a barrier waits after it, or
// in the block before, for another block.
func TestWaitBehindBarrier(t *testing.T) {
	t.Parallel()
	for _, block := range []uint64{32, 64, 96} {
		for k := range block / 32 * 4 {
			// Another wave may have ended before the barrier; or there is none.
			wave, leaves, met := k/4, k&1 != 0, k&2 != 0
			settles(t, fmt.Sprint("blocks of ", block, ", wave ", wave, leaves, met), func(e sim.Engine) (string, sim.Stats) {
				m := newMaker(t, "waitbehind", 32)
				list := m.values("out", "flags")
				tid, id, blk, v, p := m.vec("tid"), m.vec("wave"), m.vec("blk"), m.vec("v"), m.Vector("p", ir.B1)
				m.Input(ir.ThreadIDX, tid, 0)
				m.Input(ir.WaveID, id, 0)
				m.Input(ir.LinearBlockID, blk, 0)
				end, other, wait := m.NewLabel(), m.NewLabel(), m.NewLabel()
				begin := m.NewLabel()
				if !met {
					m.ins()
					m.To(p, ir.EqU32, blk, m.num(3))
					m.branch(p, begin)
				}
				for range 2 { // the second time the regions are cached
					m.store(m.place(list[0], m.T(ir.Add32, tid, m.T(ir.Mul32, blk, m.num(block))), 4), tid, ir.Global)
				}
				m.Bind(begin)
				if leaves {
					m.ins()
					m.To(p, ir.EqU32, id, m.num((wave+1)%3))
					m.branch(p, end)
				}
				if met {
					m.barrier()
				}
				m.ins()
				m.To(p, ir.NeU32, blk, m.num(3))
				m.branch(p, other)
				m.ins()
				m.To(p, ir.NeU32, id, m.num(wave))
				m.branch(p, end)
				m.Bind(wait)
				m.ins()
				m.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{list[1]}, Size: 4, Align: 4, Space: ir.Global, Flags: ir.Volatile})
				m.ins()
				m.To(p, ir.EqU32, v, m.num(0))
				m.branch(p, wait)
				m.ins()
				m.Bra(end)
				m.Bind(other)
				m.ins()
				m.To(p, ir.NeU32, blk, m.num(4))
				m.branch(p, end)
				m.ins()
				m.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{list[1], m.num(1)}, Size: 4, Align: 4, Space: ir.Global, Flags: ir.Volatile})
				m.Bind(end)
				f := m.finish()
				mem := sim.NewMemory()
				out, flags := mem.Add("out", make([]byte, 6*4*block)), mem.Add("flags", make([]byte, 4))
				how, counts := launched(t, e, f, &sim.Launch{Grid: [3]uint32{6, 1, 1}, Block: [3]uint32{uint32(block), 1, 1}, Memory: mem, Values: []uint64{out.Base, flags.Base}, Limits: sim.Limits{Timeout: 5 * time.Second}})
				return fmt.Sprintln(how, out.Data), counts
			})
		}
	}
}
