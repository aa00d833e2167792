package jit

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"syscall"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// TestFarDistances: the addresses of lanes in one large allocation are farther apart than a
// signed 32-bit number, and have different upper halves.
func TestFarDistances(t *testing.T) {
	const size = 3 << 30
	far, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skipf("no room for 3 GB that nobody touches: %v", err)
	}
	defer func() { _ = syscall.Munmap(far) }()
	const lanes = 64
	mem := sim.NewMemory()
	mem.Add("before", make([]byte, 64))
	start := mem.Add("far", far).Base
	for start>>32 == (start+2<<30-64)>>32 { // so that it crosses a multiple of 2^32, less than 2^31 from its start
		mem.Add("between", far[:1<<30])
		start = mem.Add("far", far).Base
	}
	turn := -start & (1<<32 - 1)
	places := [lanes]uint64{0, 1<<31 - 4, 1 << 31, 1<<31 + 4, size - 4, turn - 4, turn, turn + 4}
	for i := range lanes {
		if i >= 8 {
			places[i] = uint64(i) * 0x9e3779b1 % size &^ 3
		}
	}
	build := func(store, parts bool) *ir.Func {
		b := ir.NewBuilder("far", lanes)
		line := 0
		ins := func() { line++; b.At(ir.Pos{Line: line, Text: "x", Name: "x"}) }
		tid, data, table, out := b.Vector("tid", ir.B32), b.Vector("data", ir.B64), b.Vector("table", ir.B64), b.Vector("out", ir.B64)
		cta := b.Vector("cta", ir.B32)
		b.Input(ir.ThreadIDX, tid, 0)
		b.Input(ir.BlockIDX, cta, 0)
		for i, v := range []ir.Ref{data, table, out} {
			b.Input(ir.LaunchValue, v, uint64(i))
		}
		place, v := b.Vector("place", ir.B64), b.Vector("v", ir.B32)
		words := []ir.Ref{b.Vector("low", ir.B32), b.Vector("high", ir.B32)}
		row := func() ir.Ref {
			ins()
			return b.T(ir.Add64, table, b.T(ir.MulWideU32, b.T(ir.Mad32, cta, b.Const(ir.B32, lanes), tid), b.Const(ir.B32, 16)))
		}
		b.Emit(ir.Inst{Op: ir.Load, Dst: place, Args: [4]ir.Ref{row()}, Size: 8, Space: ir.Global})
		for k, w := range words {
			b.Emit(ir.Inst{Op: ir.Load, Dst: w, Args: [4]ir.Ref{row()}, Size: 4, Space: ir.Global, Imm: uint64(8 + 4*k)})
		}
		ins()
		addr := b.T(ir.Add64, data, place)
		if parts {
			addr = b.T(ir.Pack64, words[0], words[1])
		}
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
	run := func(e sim.Engine, store, parts bool, wild uint64) []byte {
		for i, p := range places {
			binary.LittleEndian.PutUint32(far[p:], uint32(1000+i))
		}
		binary.LittleEndian.PutUint32(far[turn+64:], 77)
		f := build(store, parts)
		p, err := e.Compile(f)
		if err != nil {
			t.Fatal(err)
		}
		var table []byte
		for _, x := range places {
			if wild != 0 { // all other lanes are in reach of machine code
				x &= 0xffff
			}
			table = binary.LittleEndian.AppendUint64(table, x)
			table = binary.LittleEndian.AppendUint64(table, start+x)
		}
		table = append(table, table...)
		if wild != 0 { // in the second block, when the region is cached
			binary.LittleEndian.PutUint64(table[16*(2*lanes-1)+8:], wild)
		}
		tab, o := mem.Add("table", table), mem.Add("out", make([]byte, 4*lanes))
		l := &sim.Launch{Func: f, Program: p, Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{lanes, 1, 1}, Memory: mem, Values: []uint64{start, tab.Base, o.Base}, Workers: 1}
		_, _, err = sim.Run(context.Background(), l)
		if err != nil && wild == 0 {
			t.Fatal(err)
		}
		got := append(o.Data, fmt.Sprint(err != nil)...)
		for _, p := range append(places[:], turn+64) {
			got = append(got, far[p:p+4]...)
		}
		return got
	}
	// The lower half is that of an address inside, the upper half is not.
	wilds := []uint64{0, start>>32<<32 | 64, start + 128 + 1<<32}
	for n := range 8 {
		store, parts := n&1 != 0, n >= 2
		wild := wilds[max(n/2, 1)-1]
		want := run(interp.Engine{Portable: true}, store, parts, wild)
		for tier, e := range tierEngines(t) {
			if got := run(e, store, parts, wild); !bytes.Equal(got, want) {
				t.Errorf("%s, store %v, in parts %v, one at %#x: %q, want %q", tier, store, parts, wild, got, want)
			}
		}
	}
}
