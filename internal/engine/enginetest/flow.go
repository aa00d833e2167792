package enginetest

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// flow tests branches that single lanes take.
func flow(t *testing.T, e sim.Engine) {
	t.Run("if-else reconverges", func(t *testing.T) {
		k := newKern(t)
		r, act := k.reg(ir.B32), k.reg(ir.B32)
		odd := k.do(ir.NeU32, k.do(ir.And32, k.tid, k.c(1)), k.c(0))
		els, end := k.NewLabel(), k.NewLabel()
		k.branch(els, odd, false)
		k.ins("mov")
		k.Move(r, k.c(100))
		k.ins("bra")
		k.Bra(end)
		k.Bind(els)
		k.ins("mov")
		k.Move(r, k.c(200))
		k.Bind(end)
		k.ins("activemask")
		k.Emit(ir.Inst{Op: ir.ActiveMask, Dst: act})
		k.store(r, 2, 0, 0)
		k.store(act, 2, 1, 0)
		out, _, err := k.run(e, 1, 20, 40, nil)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "out", out, func(i int) uint32 {
			if i&1 == 1 {
				return 1<<20 - 1 // all twenty lanes are together again
			}
			return uint32(100 + 100*(i/2&1))
		})
	})
	t.Run("loop with a trip count per lane", func(t *testing.T) {
		k := newKern(t)
		n, s := k.reg(ir.B32), k.reg(ir.B32)
		k.ins("mov")
		k.Move(n, k.tid)
		loop, end := k.NewLabel(), k.NewLabel()
		k.Bind(loop)
		p := k.do(ir.EqU32, n, k.c(0))
		k.branch(end, p, false)
		k.ins("add")
		k.To(s, ir.Add32, s, n)
		k.ins("sub")
		k.To(n, ir.Sub32, n, k.c(1))
		k.ins("bra")
		k.Bra(loop)
		k.Bind(end)
		k.store(s, 1, 0, 0)
		out, _, err := k.run(e, 1, 96, 96, nil)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "out", out, func(i int) uint32 { return uint32(i * (i + 1) / 2) })
	})
	t.Run("a spinning lane does not starve the others", func(t *testing.T) {
		// All lanes except 0 spin at a place below lane 0's code until lane 0 sets a flag.
		k := newKern(t)
		k.Func().SharedStatic = 8
		p0 := k.do(ir.EqU32, k.tid, k.c(0))
		work, end := k.NewLabel(), k.NewLabel()
		k.branch(work, p0, false)
		spin := k.NewLabel()
		k.Bind(spin)
		v := k.reg(ir.B32)
		k.ins("ld")
		k.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{k.c(0)}, Size: 4, Align: 4, Space: ir.Shared, Flags: ir.Volatile})
		p := k.do(ir.EqU32, v, k.c(0))
		k.branch(spin, p, false)
		k.ins("bra")
		k.Bra(end)
		k.Bind(work)
		k.ins("st")
		k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{k.c(0), k.c(7)}, Size: 4, Align: 4, Space: ir.Shared})
		k.ins("mov")
		k.Move(v, k.c(7))
		k.Bind(end)
		k.store(v, 1, 0, 0)
		out, _, err := k.run(e, 1, 64, 64, nil)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "out", out, func(int) uint32 { return 7 })
	})
	t.Run("the first fault, whatever the number of workers", func(t *testing.T) {
		for _, workers := range []int{1, 2, 5} {
			k := newKern(t)
			cta := k.Vector("cta", ir.B32)
			k.Input(ir.BlockIDX, cta, 0)
			p := k.do(ir.GeU32, cta, k.c(7))
			k.ins("trap")
			k.Guard(p, false)
			k.Emit(ir.Inst{Op: ir.Trap})
			k.Guard(0, false)
			k.exit(0)
			_, _, err := k.run(e, 1000, 32, 1, func(l *sim.Launch) { l.Workers = workers })
			d := diag.Of(err)
			if len(d) != 1 || d[0].Code != sim.CodeTrap || d[0].Block != [3]uint32{7, 0, 0} {
				t.Errorf("%d workers: %v, want a trap in block 7", workers, err)
			}
		}
	})
	t.Run("partial exit", func(t *testing.T) {
		k := newKern(t)
		p := k.do(ir.GeU32, k.tid, k.c(10))
		k.exit(p)
		act := k.reg(ir.B32)
		k.ins("activemask")
		k.Emit(ir.Inst{Op: ir.ActiveMask, Dst: act})
		k.store(act, 1, 0, 0)
		out, _, err := k.run(e, 1, 32, 32, nil)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "out", out, func(i int) uint32 {
			if i < 10 {
				return 0x3ff
			}
			return 0
		})
	})
	t.Run("time limit", func(t *testing.T) {
		k := newKern(t)
		loop := k.NewLabel()
		k.Bind(loop)
		k.ins("bra")
		k.Bra(loop)
		start := time.Now()
		_, _, err := k.run(e, 4, 64, 1, func(l *sim.Launch) { l.Timeout, l.Workers = 30*time.Millisecond, 2 })
		if err == nil || !strings.Contains(err.Error(), sim.CodeTimeout) {
			t.Errorf("got %v, want a timeout", err)
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("the limit of 30ms took %v", d)
		}
	})
	t.Run("grids and blocks of three dimensions", func(t *testing.T) {
		k := newKern(t)
		ids := make([]ir.Ref, 6)
		for i, in := range []ir.InputKind{ir.ThreadIDX, ir.ThreadIDY, ir.ThreadIDZ, ir.BlockIDX, ir.BlockIDY, ir.BlockIDZ} {
			ids[i] = k.Vector("id", ir.B32)
			k.Input(in, ids[i], 0)
		}
		// linear = ((bz*GY+by)*GX+bx)*threads + (tz*BY+ty)*BX+tx, with grid 2,3,2 and block 3,4,5
		lin := k.do(ir.Mad32, k.do(ir.Mad32, ids[5], k.c(3), ids[4]), k.c(2), ids[3])
		th := k.do(ir.Mad32, k.do(ir.Mad32, ids[2], k.c(4), ids[1]), k.c(3), ids[0])
		all := k.do(ir.Mad32, lin, k.c(60), th)
		k.ins("mov")
		k.Move(k.tid, all)
		k.store(k.do(ir.Add32, all, k.c(1)), 1, 0, 0)
		out, _, err := k.run(e, 1, 1, 720, func(l *sim.Launch) {
			l.Grid, l.Block, l.Workers = [3]uint32{2, 3, 2}, [3]uint32{3, 4, 5}, 3
		})
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "out", out, func(i int) uint32 { return uint32(i + 1) })
	})
}

// meet tests the rendezvous of *.sync operations.
func meet(t *testing.T, e sim.Engine) {
	ballot := func(k *kern, pred, mask ir.Ref) ir.Ref {
		d := k.reg(ir.B32)
		k.ins("vote.sync.ballot.b32")
		k.Emit(ir.Inst{Op: ir.VoteSync, Dst: d, Args: [4]ir.Ref{pred, 0, 0, mask}, Imm: uint64(ir.VoteBallot)})
		return d
	}
	build := func(t *testing.T, maskThen, maskElse uint32, anywhere bool) *kern {
		// if (tid & 1) x = ballot(maskThen, p) else x = ballot(maskElse, p), at two places
		k := newKern(t)
		k.Func().MeetAnywhere = anywhere
		odd := k.do(ir.NeU32, k.do(ir.And32, k.tid, k.c(1)), k.c(0))
		pred := k.do(ir.LtU32, k.tid, k.c(9))
		r := k.reg(ir.B32)
		els, end := k.NewLabel(), k.NewLabel()
		k.branch(els, odd, true)
		a := ballot(k, pred, k.c(maskThen))
		k.ins("mov")
		k.Move(r, a)
		k.ins("bra")
		k.Bra(end)
		k.Bind(els)
		b := ballot(k, pred, k.c(maskElse))
		k.ins("mov")
		k.Move(r, b)
		k.Bind(end)
		k.store(r, 1, 0, 0)
		return k
	}
	t.Run("different instructions meet", func(t *testing.T) {
		out, found, err := build(t, 0xffffffff, 0xffffffff, true).run(e, 1, 32, 32, nil)
		if err != nil || len(found) != 0 {
			t.Fatal(err, found)
		}
		expect(t, "out", out, func(int) uint32 { return 0x1ff })
	})
	t.Run("own masks do not wait", func(t *testing.T) {
		out, found, err := build(t, 0xaaaaaaaa, 0x55555555, true).run(e, 1, 32, 32, nil)
		if err != nil || len(found) != 0 {
			t.Fatal(err, found)
		}
		expect(t, "out", out, func(i int) uint32 { return []uint32{0x155, 0x0aa}[i&1] })
	})
	t.Run("masks that never meet", func(t *testing.T) {
		_, _, err := build(t, 0xffffffff, 0x7fffffff, true).run(e, 1, 32, 32, nil)
		if err == nil || !strings.Contains(err.Error(), "[deadlock]") || !strings.Contains(err.Error(), "wait for lanes") {
			t.Errorf("got %v, want a deadlock that says who waits for whom", err)
		}
	})
	t.Run("below sm_70 different instructions do not meet", func(t *testing.T) {
		_, _, err := build(t, 0xffffffff, 0xffffffff, false).run(e, 1, 32, 32, nil)
		if err == nil || !strings.Contains(err.Error(), "[deadlock]") {
			t.Errorf("got %v, want a deadlock", err)
		}
	})
	t.Run("outside the own mask", func(t *testing.T) {
		k := newKern(t)
		pred := k.do(ir.GeU32, k.tid, k.c(0))
		x := ballot(k, pred, k.c(0x0000ffff))
		k.store(x, 1, 0, 0)
		out, found, err := k.run(e, 1, 32, 32, nil)
		if err != nil || !slices.Equal(found, []string{"not-in-membermask 16-31"}) {
			t.Fatal(err, found)
		}
		expect(t, "out", out[:16], func(int) uint32 { return 0xffff })
	})
	t.Run("outside the own mask, waiting for ever", func(t *testing.T) {
		k := newKern(t)
		end := k.NewLabel()
		k.branch(end, k.do(ir.LtU32, k.tid, k.c(16)), false)
		pred := k.do(ir.GeU32, k.tid, k.c(0))
		ballot(k, pred, k.c(0x0000ffff)) // lanes 16 to 31 wait for lanes 0 to 15
		k.Bind(end)
		k.ins("bar.sync")
		k.Emit(ir.Inst{Op: ir.Bar})
		_, found, err := k.run(e, 1, 32, 1, nil)
		if err == nil || !strings.Contains(err.Error(), "[deadlock]") || !slices.Equal(found, []string{"not-in-membermask 16-31"}) {
			t.Errorf("got %v and %q, want a deadlock and the lanes that are outside", err, found)
		}
	})
	t.Run("exited lanes are not waited for", func(t *testing.T) {
		k := newKern(t)
		k.exit(k.do(ir.GeU32, k.tid, k.c(24)))
		pred := k.do(ir.GeU32, k.tid, k.c(0))
		x := ballot(k, pred, k.c(0xffffffff))
		k.store(x, 1, 0, 0)
		out, found, err := k.run(e, 1, 32, 24, nil)
		if err != nil || len(found) != 0 {
			t.Fatal(err, found)
		}
		expect(t, "out", out, func(int) uint32 { return 0xffffff })
	})
	t.Run("lanes that exit while others wait", func(t *testing.T) {
		k := newKern(t)
		late := k.do(ir.GeU32, k.tid, k.c(24))
		end := k.NewLabel()
		k.branch(end, late, false)
		pred := k.do(ir.GeU32, k.tid, k.c(0))
		x := ballot(k, pred, k.c(0xffffffff)) // waits for lanes 24 to 31
		k.store(x, 1, 0, 0)
		k.Bind(end)
		k.exit(0)
		out, found, err := k.run(e, 1, 32, 24, nil)
		if err != nil || len(found) != 0 {
			t.Fatal(err, found)
		}
		expect(t, "out", out, func(int) uint32 { return 0xffffff })
	})
	t.Run("a mask per lane", func(t *testing.T) {
		// Each half warp gives its own mask.
		k := newKern(t)
		hi := k.do(ir.GeU32, k.tid, k.c(16))
		mask := k.do(ir.Sel32, hi, k.c(0xffff0000), k.c(0x0000ffff))
		pred := k.do(ir.NeU32, k.do(ir.And32, k.tid, k.c(3)), k.c(0))
		k.store(ballot(k, pred, mask), 1, 0, 0)
		out, found, err := k.run(e, 1, 32, 32, nil)
		if err != nil || len(found) != 0 {
			t.Fatal(err, found)
		}
		expect(t, "out", out, func(i int) uint32 { return []uint32{0xeeee, 0xeeee0000}[i/16] })
	})
	t.Run("shuffle across instructions, policies", func(t *testing.T) {
		for policy, undef := range []func(lane int) uint32{func(l int) uint32 { return uint32(1000 + l) }, func(int) uint32 { return 0 }, func(int) uint32 { return sim.PoisonBits }} {
			k := newKern(t)
			v := k.do(ir.Add32, k.tid, k.c(1000))
			k.exit(k.do(ir.GeU32, k.tid, k.c(28)))
			odd := k.do(ir.NeU32, k.do(ir.And32, k.tid, k.c(1)), k.c(0))
			r, p := k.reg(ir.B32), k.reg(ir.B1)
			els, end := k.NewLabel(), k.NewLabel()
			shfl := func(b uint32) {
				k.ins("shfl.sync.down.b32")
				k.Emit(ir.Inst{Op: ir.ShflSync, Dst: r, Dst2: p, Args: [4]ir.Ref{v, k.c(b), k.c(31), k.c(0xffffffff)}, Imm: uint64(lane.ShflDown)})
			}
			k.branch(els, odd, true)
			shfl(1)
			k.ins("bra")
			k.Bra(end)
			k.Bind(els)
			shfl(3)
			k.Bind(end)
			k.store(r, 2, 0, 0)
			k.store(k.do(ir.B2U32, p), 2, 1, 0)
			out, found, err := k.run(e, 1, 32, 56, func(l *sim.Launch) { l.Undefined = sim.Policy(policy) })
			if err != nil {
				t.Fatal(err)
			}
			if want := []string{"undefined-source 27", "undefined-source 26"}; !slices.Equal(found, want) {
				t.Errorf("findings %q, want %q", found, want)
			}
			expect(t, fmt.Sprint("policy ", policy), out, func(i int) uint32 {
				l := i / 2
				j := l + []int{3, 1}[l&1]
				switch {
				case i&1 == 1:
					return uint32(bits.LeadingZeros32(uint32(j)) / 27) // in range: j <= 31
				case j >= 28:
					return undef(l)
				}
				return uint32(1000 + j)
			})
		}
	})
}

// barriers tests the barriers of blocks.
func barriers(t *testing.T, e sim.Engine) {
	rotate := func(t *testing.T, id, count ir.Ref) *kern {
		k := newKern(t)
		k.Func().SharedStatic = 1024
		at := k.do(ir.Mul32, k.tid, k.c(4))
		k.ins("st")
		k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{at, k.tid}, Size: 4, Align: 4, Space: ir.Shared})
		return k
	}
	t.Run("exchange through shared memory", func(t *testing.T) {
		k := rotate(t, 0, 0)
		k.ins("bar.sync")
		k.Emit(ir.Inst{Op: ir.Bar})
		next := k.do(ir.RemU32, k.do(ir.Add32, k.tid, k.c(50)), k.c(200))
		v := k.reg(ir.B32)
		at := k.do(ir.Mul32, next, k.c(4))
		k.ins("ld")
		k.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{at}, Size: 4, Align: 4, Space: ir.Shared})
		k.store(v, 1, 0, 0)
		out, _, err := k.run(e, 3, 200, 200, nil)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "out", out, func(i int) uint32 { return uint32((i + 50) % 200) })
	})
	t.Run("lanes that exit do not hold others up", func(t *testing.T) {
		k := rotate(t, 0, 0)
		k.exit(k.do(ir.GeU32, k.tid, k.c(40)))
		k.ins("bar.sync")
		k.Emit(ir.Inst{Op: ir.Bar})
		k.store(k.tid, 1, 0, 0)
		out, _, err := k.run(e, 1, 100, 40, nil)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "out", out, func(i int) uint32 { return uint32(i) })
	})
	t.Run("not all reach it", func(t *testing.T) {
		k := rotate(t, 0, 0)
		p := k.do(ir.GeU32, k.tid, k.c(40))
		other, end := k.NewLabel(), k.NewLabel()
		k.branch(other, p, false)
		k.ins("bar.sync")
		k.Emit(ir.Inst{Op: ir.Bar, Args: [4]ir.Ref{k.c(0)}})
		k.ins("bra")
		k.Bra(end)
		k.Bind(other)
		k.ins("bar.sync")
		k.Emit(ir.Inst{Op: ir.Bar, Args: [4]ir.Ref{k.c(1)}})
		k.Bind(end)
		k.exit(0)
		_, _, err := k.run(e, 1, 64, 1, nil)
		if err == nil || !strings.Contains(err.Error(), "[deadlock]") || !strings.Contains(err.Error(), "barrier 0") {
			t.Errorf("got %v, want a deadlock at barrier 0", err)
		}
	})
	t.Run("reduction and counts", func(t *testing.T) {
		k := newKern(t)
		pred := k.do(ir.LtU32, k.tid, k.c(33))
		d, p := k.reg(ir.B32), k.reg(ir.B1)
		k.ins("bar.red.popc.u32")
		k.Emit(ir.Inst{Op: ir.Bar, Dst: d, Args: [4]ir.Ref{k.c(3), k.c(96), pred}, Imm: uint64(ir.BarRedPopc)})
		k.ins("bar.red.and.pred")
		k.Emit(ir.Inst{Op: ir.Bar, Dst2: p, Args: [4]ir.Ref{k.c(2), 0, pred}, Imm: uint64(ir.BarRedAnd)})
		k.store(d, 2, 0, 0)
		k.store(k.do(ir.B2U32, p), 2, 1, 0)
		out, _, err := k.run(e, 1, 96, 192, nil)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "out", out, func(i int) uint32 { return []uint32{33, 0}[i&1] })
	})
	t.Run("producer and consumer waves", func(t *testing.T) {
		// Wave 0 arrives at barrier 1 after its store; wave 1 waits there, and runs first.
		k := newKern(t)
		k.Func().SharedStatic = 8
		p := k.do(ir.LtU32, k.tid, k.c(32))
		prod, end := k.NewLabel(), k.NewLabel()
		k.branch(prod, p, false)
		k.ins("bar.sync")
		k.Emit(ir.Inst{Op: ir.Bar, Args: [4]ir.Ref{k.c(1), k.c(64)}})
		v := k.reg(ir.B32)
		k.ins("ld")
		k.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{k.c(4)}, Size: 4, Align: 4, Space: ir.Shared})
		k.store(v, 1, 0, 0)
		k.ins("bra")
		k.Bra(end)
		k.Bind(prod)
		k.ins("st")
		k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{k.c(4), k.tid}, Size: 4, Align: 4, Space: ir.Shared})
		k.ins("bar.arrive")
		k.Emit(ir.Inst{Op: ir.Bar, Args: [4]ir.Ref{k.c(1), k.c(64)}, Imm: uint64(ir.BarArrive)})
		k.Bind(end)
		k.exit(0)
		out, _, err := k.run(e, 1, 64, 64, nil)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "out", out[32:], func(int) uint32 { return 31 })
	})
}
