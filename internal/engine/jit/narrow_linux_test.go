package jit

import (
	"bytes"
	"context"
	"encoding/binary"
	"syscall"
	"testing"

	"crosslane/internal/engine/interp"
	"crosslane/internal/ir"
	"crosslane/internal/sim"
)

// TestFarDistances has lanes whose places in one large allocation are further from each other
// than signed numbers of 32 bits tell.
func TestFarDistances(t *testing.T) {
	const size = 3 << 30
	far, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skipf("no room for 3 GB that nobody touches: %v", err)
	}
	defer func() { _ = syscall.Munmap(far) }()
	const lanes = 64
	places := [lanes]uint64{0, 1<<31 - 4, 1 << 31, 1<<31 + 4, size - 4}
	for i := range lanes {
		if i >= 5 {
			places[i] = uint64(i) * 0x9e3779b1 % size &^ 3
		}
	}
	build := func(store bool) *ir.Func {
		b := ir.NewBuilder("far", lanes)
		line := 0
		ins := func() { line++; b.At(ir.Pos{Line: line, Text: "x", Name: "x"}) }
		tid, data, table, out := b.Vector("tid", ir.B32), b.Vector("data", ir.B64), b.Vector("table", ir.B64), b.Vector("out", ir.B64)
		b.Input(ir.ThreadIDX, tid, 0)
		for i, v := range []ir.Ref{data, table, out} {
			b.Input(ir.LaunchValue, v, uint64(i))
		}
		place, v := b.Vector("place", ir.B64), b.Vector("v", ir.B32)
		ins()
		b.Emit(ir.Inst{Op: ir.Load, Dst: place, Args: [4]ir.Ref{b.T(ir.Add64, table, b.T(ir.MulWideU32, tid, b.Const(ir.B32, 8)))}, Size: 8, Space: ir.Global})
		ins()
		addr := b.T(ir.Add64, data, place)
		if store {
			b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{addr, b.T(ir.Add32, tid, b.Const(ir.B32, 7))}, Size: 4, Align: 4, Space: ir.Global})
		} else {
			b.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{addr}, Size: 4, Align: 4, Space: ir.Global})
			ins()
			b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{b.T(ir.Add64, out, b.T(ir.MulWideU32, tid, b.Const(ir.B32, 4))), v}, Size: 4, Space: ir.Global})
		}
		ins()
		b.Emit(ir.Inst{Op: ir.Exit})
		f, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	run := func(e sim.Engine, store bool) []byte {
		for i, p := range places {
			binary.LittleEndian.PutUint32(far[p:], uint32(1000+i))
		}
		f := build(store)
		p, err := e.Compile(f)
		if err != nil {
			t.Fatal(err)
		}
		var table []byte
		for _, x := range places {
			table = binary.LittleEndian.AppendUint64(table, x)
		}
		mem := sim.NewMemory()
		a, tab, o := mem.Add("far", far), mem.Add("table", table), mem.Add("out", make([]byte, 4*lanes))
		l := &sim.Launch{Func: f, Program: p, Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{lanes, 1, 1}, Memory: mem, Values: []uint64{a.Base, tab.Base, o.Base}, Workers: 1}
		if _, _, err := sim.Run(context.Background(), l); err != nil {
			t.Fatal(err)
		}
		got := o.Data
		for _, p := range places {
			got = append(got, far[p:p+4]...)
		}
		return got
	}
	for _, store := range []bool{false, true} {
		want := run(interp.Engine{Portable: true}, store)
		for tier, e := range tierEngines(t) {
			if got := run(e, store); !bytes.Equal(got, want) {
				t.Errorf("%s, store %v: %x, want %x", tier, store, got, want)
			}
		}
	}
}
