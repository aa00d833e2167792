package profile

import (
	"context"
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// access builds a kernel whose lanes store 4-byte words (and read pieces) at addresses that the
// launch puts into a register. It runs one wave of the kernel, and returns the counts of its only
// access.
func access(t *testing.T, lanes int, op ir.Op, space ir.Space, size uint8, offsets []uint64, addrs []uint64, in uint64) Counts {
	t.Helper()
	b := ir.NewBuilder("k", lanes)
	if lanes == 64 {
		b.Func().Exec = b.Vector("exec", ir.B1)
		b.Input(ir.ActiveMask0, b.Func().Exec, 0)
	}
	addr, mask, value := b.Vector("addr", ir.B64), b.Vector("mask", ir.B1), b.Vector("v", ir.B32)
	old := b.Vector("old", ir.B32)
	b.At(ir.Pos{Line: 1, Text: "access", Name: "access"})
	b.Guard(mask, false)
	for _, off := range offsets {
		inst := ir.Inst{Op: op, Space: space, Size: size, Args: [4]ir.Ref{addr}, Imm: off}
		switch op {
		case ir.Load:
			inst.Dst = b.Temp(ir.B64)
		case ir.Atomic:
			inst.Args[1], inst.Dst = value, old
			inst.Imm = ir.AtomicImm(ir.AtomAdd, int32(off))
		default:
			inst.Args[1] = value
		}
		b.Emit(inst)
	}
	b.Func().SharedStatic, b.Func().LocalSize = 1<<16, 1<<12
	f, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	g, plan := Instrument(f)
	prog, err := (interp.Engine{}).Compile(g)
	if err != nil {
		t.Fatal(err)
	}
	mem := sim.NewMemory()
	a := mem.Add("m", make([]byte, 1<<16))
	r := NewRecorder(plan, 1)
	l := &sim.Launch{Func: g, Program: prog, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{uint32(lanes), 1, 1}, Memory: mem, Workers: 1, Hooks: sim.Hooks{Recorder: r,
		Setup: func(w *sim.Wave) {
			for i := range lanes {
				x := addrs[i]
				if space == ir.Global {
					x += a.Base
				}
				w.Set(addr, i, x)
				w.Set(mask, i, in>>i&1)
			}
		},
	}}
	if _, list, err := sim.Run(context.Background(), l); err != nil || len(list) > 0 {
		t.Fatal(err, list)
	}
	return r.Counts()[0]
}

func each(lanes int, at func(i uint64) uint64) []uint64 {
	out := make([]uint64, lanes)
	for i := range out {
		out[i] = at(uint64(i))
	}
	return out
}

const all = ^uint64(0)

// TestTransactions checks the transactions of well-known patterns from the CUDA C++ Best Practices
// Guide. A warp that reads neighbouring words moves four pieces of 32 bytes. A misalignment by a
// word adds one piece, and strided lanes need one piece each.
func TestTransactions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		lanes   int
		size    uint8
		offsets []uint64
		at      func(i uint64) uint64
		in      uint64
		want    uint64
		used    uint64
	}{
		{"neighbours", 32, 4, []uint64{0}, func(i uint64) uint64 { return 4 * i }, all, 4, 128},
		{"misaligned", 32, 4, []uint64{0}, func(i uint64) uint64 { return 4 + 4*i }, all, 5, 128},
		{"every second", 32, 4, []uint64{0}, func(i uint64) uint64 { return 8 * i }, all, 8, 128},
		{"strided", 32, 4, []uint64{0}, func(i uint64) uint64 { return 128 * i }, all, 32, 128},
		{"one word", 32, 4, []uint64{0}, func(i uint64) uint64 { return 64 }, all, 1, 4},
		{"half the lanes", 32, 4, []uint64{0}, func(i uint64) uint64 { return 4 * i }, 0xffff, 2, 64},
		{"backwards", 32, 4, []uint64{0}, func(i uint64) uint64 { return 4 * (31 - i) }, all, 4, 128},
		{"vectors of four", 32, 4, []uint64{0, 4, 8, 12}, func(i uint64) uint64 { return 16 * i }, all, 16, 512},
		{"bytes", 32, 1, []uint64{0}, func(i uint64) uint64 { return i }, all, 1, 32},
		{"across pieces", 32, 8, []uint64{0}, func(i uint64) uint64 { return 28 + 64*i }, all, 64, 256},
		{"a wave", 64, 4, []uint64{0}, func(i uint64) uint64 { return 4 * i }, all, 4, 256},
		{"a wave, strided", 64, 4, []uint64{0}, func(i uint64) uint64 { return 64 * i }, all, 64, 256},
	} {
		got := access(t, c.lanes, ir.Load, ir.Global, c.size, c.offsets, each(c.lanes, c.at), c.in)
		if got.Transactions != c.want || got.Used != c.used || got.Requests != 1 || got.BankConflicts != 0 || got.SharedRequests != 0 {
			t.Errorf("%s: %+v; want %d transactions of which %d bytes are used", c.name, got, c.want, c.used)
		}
		if c.name == "neighbours" {
			if got := access(t, c.lanes, ir.Store, ir.Global, c.size, c.offsets, each(c.lanes, c.at), 0); got.Requests != 0 || got.Instructions != 1 {
				t.Errorf("an access of no lane is counted: %+v", got)
			}
		}
	}
}

// TestTransactionsOfAnyAddresses compares the pieces of random addresses with a set.
func TestTransactionsOfAnyAddresses(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		size := uint8(1) << r.IntN(4)
		spread := uint64(1) << (4 + r.IntN(11))
		offsets := []uint64{0, 8, 400}[:1+r.IntN(3)]
		addrs := each(32, func(uint64) uint64 { return r.Uint64N(spread) })
		in := r.Uint64() | 1
		pieces, bytes := map[uint64]bool{}, map[uint64]bool{}
		for i, a := range addrs {
			for _, off := range offsets {
				for b := range uint64(size) {
					if in>>i&1 != 0 {
						bytes[a+off+b], pieces[(a+off+b)/32] = true, true
					}
				}
			}
		}
		got := access(t, 32, ir.Load, ir.Global, size, offsets, addrs, in)
		if got.Transactions != uint64(len(pieces)) || got.Used != uint64(len(bytes)) {
			t.Fatalf("%d: %d transactions, %d bytes used; want %d, %d", n, got.Transactions, got.Used, len(pieces), len(bytes))
		}
	}
}

// TestBankConflicts checks the bank conflicts of well-known patterns: the rounds after the first.
func TestBankConflicts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		lanes   int
		op      ir.Op
		size    uint8
		offsets []uint64
		at      func(i uint64) uint64
		in      uint64
		want    uint64
	}{
		{"neighbours", 32, ir.Load, 4, []uint64{0}, func(i uint64) uint64 { return 4 * i }, all, 0},
		{"one word", 32, ir.Load, 4, []uint64{0}, func(uint64) uint64 { return 8 }, all, 0},
		{"bytes of one word", 32, ir.Load, 1, []uint64{0}, func(i uint64) uint64 { return i % 4 }, all, 0},
		{"every second word", 32, ir.Load, 4, []uint64{0}, func(i uint64) uint64 { return 8 * i }, all, 1},
		{"a column of 32", 32, ir.Load, 4, []uint64{0}, func(i uint64) uint64 { return 128 * i }, all, 31},
		{"a column of 32, four lanes", 32, ir.Store, 4, []uint64{0}, func(i uint64) uint64 { return 128 * i }, 0x10101010 | 1<<32, 3},
		{"a column of 33", 32, ir.Store, 4, []uint64{0}, func(i uint64) uint64 { return 132 * i }, all, 0},
		{"two words in a bank, shared by halves", 32, ir.Load, 4, []uint64{0}, func(i uint64) uint64 { return 128 * (i / 16) }, all, 1},
		{"doubles", 32, ir.Load, 8, []uint64{0}, func(i uint64) uint64 { return 8 * i }, all, 0},
		{"every second double", 32, ir.Load, 8, []uint64{0}, func(i uint64) uint64 { return 16 * i }, all, 2},
		{"vectors of four", 32, ir.Load, 4, []uint64{0, 4, 8, 12}, func(i uint64) uint64 { return 16 * i }, all, 0},
		{"two apart", 32, ir.Load, 4, []uint64{0, 1024}, func(i uint64) uint64 { return 4 * i }, all, 0},
		{"atomics on one word", 32, ir.Atomic, 4, []uint64{0}, func(uint64) uint64 { return 8 }, all, 31},
		{"atomics on words", 32, ir.Atomic, 4, []uint64{0}, func(i uint64) uint64 { return 4 * i }, all, 0},
		// Half a wave is served at a time, so the other half makes no conflict.
		{"a wave", 64, ir.Load, 4, []uint64{0}, func(i uint64) uint64 { return 4 * i }, all, 0},
		{"a wave, every second word", 64, ir.Load, 4, []uint64{0}, func(i uint64) uint64 { return 8 * i }, all, 2},
		{"a wave, a column of 32", 64, ir.Load, 4, []uint64{0}, func(i uint64) uint64 { return 128 * i }, all, 62},
		{"a wave, the upper half", 64, ir.Load, 4, []uint64{0}, func(i uint64) uint64 { return 128 * i }, all &^ 0xffffffff, 31},
	} {
		got := access(t, c.lanes, c.op, ir.Shared, c.size, c.offsets, each(c.lanes, c.at), c.in)
		if got.BankConflicts != c.want || got.SharedRequests != 1 || got.Transactions != 0 || got.Requests != 0 {
			t.Errorf("%s: %+v; want %d conflicts", c.name, got, c.want)
		}
	}
}

// TestSpaces checks that a generic address counts in the memory that it points to, and that private
// memory is interleaved.
func TestSpaces(t *testing.T) {
	t.Parallel()
	got := access(t, 32, ir.Load, ir.Generic, 4, []uint64{0}, each(32, func(i uint64) uint64 { return ir.SharedWindow + 128*i }), all)
	if got.BankConflicts != 31 || got.Transactions != 0 {
		t.Errorf("a generic address of shared memory: %+v", got)
	}
	got = access(t, 32, ir.Store, ir.Local, 4, []uint64{0}, each(32, func(uint64) uint64 { return 64 }), all)
	if got.Transactions != 4 || got.Used != 128 {
		t.Errorf("one word of private memory of every lane: %+v; want 4 transactions", got)
	}
	got = access(t, 32, ir.Store, ir.Local, 4, []uint64{0}, each(32, func(i uint64) uint64 { return 4 * i }), all)
	if got.Transactions != 32 {
		t.Errorf("another word of private memory of every lane: %+v; want 32 transactions", got)
	}
}
