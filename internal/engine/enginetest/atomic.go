package enginetest

import (
	"strings"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// wideAtomics tests atomics of 2 and 16 bytes, and of pure operations, with blocks on one
// worker and on several.
func wideAtomics(t *testing.T, e sim.Engine) {
	for _, workers := range []int{1, 4} {
		edit := func(l *sim.Launch) { l.Workers = workers }
		// Neighbouring halves of words: every lane adds 1 to its half. Subnormal 16-bit
		// numbers add as integers do.
		k := newKern(t)
		k.ins("atom")
		half := k.T(ir.Mul32, k.T(ir.And32, k.tid, k.c(1)), k.c(2))
		addr := k.T(ir.Add64, k.T(ir.Pack64, half, k.c(0)), k.out)
		k.Emit(ir.Inst{Op: ir.Atomic, Args: [4]ir.Ref{addr, k.Const(ir.B16, 1)}, Size: 2, Align: 2, Space: ir.Global, Imm: ir.AtomicImm(ir.AtomOf(ir.AddF16), 4)})
		out, _, err := k.run(e, 40, 32, 2, edit)
		if err != nil || out[0] != 0 || out[1] != 640<<16|640 {
			t.Errorf("%d workers, halves: %#x %v", workers, out, err)
		}
		// An exchange of 16 bytes is indivisible: both halves always come from one lane.
		k = newKern(t)
		lo, hi := k.reg(ir.B64), k.reg(ir.B64)
		oldLo, oldHi := k.reg(ir.B64), k.reg(ir.B64)
		block := k.Vector("block", ir.B32)
		k.Input(ir.BlockIDX, block, 0)
		k.ins("mov")
		k.To(lo, ir.Pack64, k.tid, block)
		k.To(hi, ir.Pack64, k.tid, block)
		k.ins("atom")
		k.Emit(ir.Inst{Op: ir.Atomic, Dst: oldLo, Args: [4]ir.Ref{k.T(ir.Mov64, k.out), lo}, Size: 16, Align: 16, Space: ir.Global, Imm: ir.AtomicImm(ir.AtomExch, 128)})
		// The stored values differ from 0, because blocks share the place.
		differs := k.do(ir.Lo32, k.do(ir.Xor64, oldLo, oldHi))
		k.store(differs, 1, 0, k.do(ir.NeU32, differs, k.c(0)))
		out, _, err = k.run(e, 40, 32, 36, edit)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "halves of an exchange", out[:32], func(int) uint32 { return 0 })
		if out[32] != out[34] || out[33] != out[35] {
			t.Errorf("%d workers: memory holds halves of two exchanges: %#x", workers, out[32:])
		}
	}
	// cas of 16 bytes: lane 0 finds zeros, and the other lanes find the value that it left.
	k := newKern(t)
	zero, _ := k.reg(ir.B64), k.reg(ir.B64)
	val, _ := k.reg(ir.B64), k.reg(ir.B64)
	old, oldHi := k.reg(ir.B64), k.reg(ir.B64)
	k.ins("mov")
	k.To(val, ir.Pack64, k.do(ir.Add32, k.tid, k.c(5)), k.c(0))
	k.ins("atom")
	k.Emit(ir.Inst{Op: ir.Atomic, Dst: old, Args: [4]ir.Ref{k.T(ir.Mov64, k.out), zero, val}, Size: 16, Align: 16, Space: ir.Global, Imm: ir.AtomicImm(ir.AtomCAS, 128)})
	k.store(k.do(ir.Lo32, k.do(ir.Or64, old, oldHi)), 1, 0, 0)
	out, _, err := k.run(e, 1, 32, 36, nil)
	if err != nil || out[32] != 5 {
		t.Fatal(out, err)
	}
	expect(t, "cas of 16 bytes", out[:32], func(i int) uint32 {
		if i == 0 {
			return 0
		}
		return 5
	})
}

// bulk tests copies of whole blocks, faults that the guest raises itself, and the barrier of
// the cluster.
func bulk(t *testing.T, e sim.Engine) {
	k := newKern(t)
	k.Func().SharedStatic = 64
	k.ins("st")
	k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{k.T(ir.Mul32, k.tid, k.c(4)), k.T(ir.Add32, k.tid, k.c(100))}, Size: 4, Space: ir.Shared})
	k.ins("bulk")
	first := k.T(ir.EqU32, k.tid, k.c(0))
	k.Guard(first, false)
	k.Emit(ir.Inst{Op: ir.Bulk, Space: ir.Global, Align: 16, Args: [4]ir.Ref{k.T(ir.Mov64, k.out), k.c(16), k.c(32)}, Imm: ir.BulkImm(ir.Shared, 0, 0)})
	k.Emit(ir.Inst{Op: ir.Bulk, Space: ir.Global, Align: 16, Args: [4]ir.Ref{k.T(ir.Mov64, k.out), k.c(0), k.c(16)}, Imm: ir.BulkImm(ir.Shared, 4, ir.AtomAdd)})
	k.Emit(ir.Inst{Op: ir.Bulk, Space: ir.Global, Align: 16, Args: [4]ir.Ref{k.T(ir.Mov64, k.out), 0, k.c(0)}})
	k.Guard(0, false)
	out, _, err := k.run(e, 1, 16, 16, nil)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "bulk", out, func(i int) uint32 {
		switch {
		case i < 4:
			return uint32(104 + i + 100 + i)
		case i < 8:
			return uint32(104 + i)
		}
		return 0
	})
	k = newKern(t)
	k.ins("fail")
	reason := k.T(ir.Sel32, k.T(ir.LtU32, k.tid, k.c(5)), k.c(1), k.c(0))
	k.Emit(ir.Inst{Op: ir.Fail, Args: [4]ir.Ref{reason}, Imm: uint64(ir.FailNoRank)})
	if _, _, err := k.run(e, 1, 32, 1, nil); err == nil || !strings.Contains(err.Error(), "no-such-rank") || !strings.Contains(err.Error(), "lanes 0-4") {
		t.Errorf("Fail: %v", err)
	}
	// Lane 40 arrives late; no lane may go on before that.
	k = newKern(t)
	done := k.reg(ir.B1)
	k.ins("arrive")
	k.Guard(k.T(ir.NeU32, k.tid, k.c(40)), false)
	k.Emit(ir.Inst{Op: ir.ClusterArrive, Order: ir.Release})
	k.Guard(0, false)
	k.Emit(ir.Inst{Op: ir.ClusterDone, Dst: done})
	k.Emit(ir.Inst{Op: ir.Yield})
	k.store(k.do(ir.Sel32, done, k.c(1), k.c(0)), 1, 0, 0)
	k.ins("arrive")
	k.Guard(k.T(ir.EqU32, k.tid, k.c(40)), false)
	k.Emit(ir.Inst{Op: ir.ClusterArrive, Order: ir.Release})
	k.Guard(0, false)
	if out, _, err = k.run(e, 1, 64, 64, nil); err != nil {
		t.Fatal(err)
	}
	expect(t, "cluster", out, func(i int) uint32 {
		if i == 40 { // has not arrived: its phase is over
			return 1
		}
		return 0
	})
}
