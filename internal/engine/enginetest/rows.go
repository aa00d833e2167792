package enginetest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// rows tests accesses of several pieces by all lanes, with addresses at equal steps, almost
// at equal steps, or not, against a simulation of single bytes.
func rows(t *testing.T, e sim.Engine) {
	r := rand.New(rand.NewPCG(7, 7))
	cases := 0
	for _, lanes := range []int{32, 64} {
		for _, space := range []ir.Space{ir.Global, ir.Generic, ir.Shared} {
			for _, wide := range []bool{false, true} {
				if !wide && space != ir.Shared {
					continue
				}
				for _, size := range []int{1, 4, 8} {
					for n := range 4 {
						for _, step := range []int{0, 1, 2, 3, 4, 5, 8, -1, -4, -5} {
							if cases++; testing.Short() && cases%7 != 0 {
								continue
							}
							rowCase(t, e, r, lanes, space, wide, size, n+1, step)
						}
					}
				}
			}
		}
	}
}

const rowBytes = 8192 // each half of the memory under test

// rowCase stores n pieces per lane in the upper half of memory, and loads n pieces, step
// apart, from the lower half.
func rowCase(t *testing.T, e sim.Engine, r *rand.Rand, lanes int, space ir.Space, wide bool, size, n, step int) {
	name := fmt.Sprintf("%d lanes, %s, wide %v, %d pieces of %d bytes, step %d", lanes, space, wide, n, size, step)
	b := ir.NewBuilder("rows", lanes)
	first := b.Vector("first", ir.B64) // so that offset 0 is not used
	_ = first
	base, table := b.Scalar("base", ir.B64), b.Scalar("table", ir.B64)
	tid := b.Vector("tid", ir.B32)
	b.Input(ir.ThreadIDX, tid, 0)
	b.Input(ir.LaunchValue, base, 0)
	b.Input(ir.LaunchValue, table, 1)
	typ := map[int]ir.Type{1: ir.B32, 4: ir.B32, 8: ir.B64}[size]
	addrType := ir.B32
	if wide {
		addrType = ir.B64
	}
	addr := b.Vector("addr", addrType)
	off := b.Vector("off", ir.B32)
	vals, got := make([]ir.Ref, n), make([]ir.Ref, n)
	for i := range n {
		vals[i], got[i] = b.Vector("v", typ), b.Vector("g", typ)
	}
	b.At(ir.Pos{Line: 1, Text: "table", Name: "table"})
	at := b.T(ir.Add64, b.T(ir.Pack64, b.T(ir.Mul32, tid, b.Const(ir.B32, 4)), b.Const(ir.B32, 0)), b.Splat(table))
	b.Emit(ir.Inst{Op: ir.Load, Dst: off, Args: [4]ir.Ref{at}, Size: 4, Space: ir.Global})
	if wide {
		b.To(addr, ir.Pack64, off, b.Const(ir.B32, 0))
		if space != ir.Shared {
			b.To(addr, ir.Add64, addr, b.Splat(base))
		}
	} else {
		b.To(addr, ir.Mov32, off)
	}
	for i := range n {
		if v := b.T(ir.Mul32, b.T(ir.Add32, tid, b.Const(ir.B32, uint64(1+i*100))), b.Const(ir.B32, 0x9e3779b1)); typ == ir.B64 {
			b.To(vals[i], ir.Pack64, v, v)
		} else {
			b.To(vals[i], ir.Mov32, v)
		}
	}
	guard, guarded := ir.Ref(0), r.IntN(4) == 0
	if guarded {
		guard = b.Vector("p", ir.B1)
		b.To(guard, ir.NeU32, b.T(ir.And32, tid, b.Const(ir.B32, 7)), b.Const(ir.B32, 5))
	}
	b.At(ir.Pos{Line: 2, Text: "access", Name: "access"})
	b.Guard(guard, false)
	// A destination may be the address: the later pieces then have another address, which is
	// unmapped.
	into, lost := slices.Clone(got), false
	if typ == addrType && size > 1 && r.IntN(3) == 0 {
		k := r.IntN(n)
		into[k], lost = addr, k < n-1
	}
	for i := range n {
		b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{addr, vals[i]}, Size: uint8(size), Align: uint16(size), Space: space, Imm: uint64(rowBytes + i*size)})
	}
	for i := range n {
		b.Emit(ir.Inst{Op: ir.Load, Dst: into[i], Args: [4]ir.Ref{addr}, Size: uint8(size), Align: uint16(size), Space: space, Imm: uint64(rowBytes + i*size)})
	}
	b.Guard(0, false)
	b.At(ir.Pos{Line: 3, Text: "exit", Name: "exit"})
	b.Emit(ir.Inst{Op: ir.Exit})
	f, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	f.SharedStatic = 2 * rowBytes

	offs := make([]uint64, lanes)
	for i := range offs {
		offs[i] = uint64(rowBytes/2 + i*step*size)
		if r.IntN(64) == 0 { // one lane breaks the steps
			offs[i] = uint64(r.IntN(rowBytes/size-n) * size)
		}
	}
	raw := make([]byte, 4*lanes)
	want := make([]byte, 2*rowBytes)
	for i, o := range offs {
		binary.LittleEndian.PutUint32(raw[4*i:], uint32(o))
	}
	on := func(i int) bool { return !guarded || i&7 != 5 }
	for k := range n {
		for i := range lanes {
			v := uint64(uint32(i+1+k*100) * 0x9e3779b1)
			for j := 0; j < size && on(i); j++ {
				want[rowBytes+int(offs[i])+k*size+j] = byte((v | v<<32) >> (8 * j))
			}
		}
	}
	mem := sim.NewMemory()
	out, tab := mem.Add("out", make([]byte, 2*rowBytes)), mem.Add("table", raw)
	seen := false
	_, _, err = launch(t, e, f, 1, uint32(lanes), mem, func(l *sim.Launch) {
		l.Values = []uint64{out.Base, tab.Base}
		l.Inspect = func(w *sim.Wave) {
			seen = true
			for k := range n {
				for i := range lanes {
					v := uint64(0)
					for j := 0; j < size && on(i); j++ {
						v |= uint64(want[rowBytes+int(offs[i])+k*size+j]) << (8 * j)
					}
					if g := w.Get(into[k], i); on(i) && g != v {
						t.Errorf("%s: lane %d loads %#x as piece %d, want %#x", name, i, g, k, v)
						return
					}
				}
			}
			have := out.Data
			if space == ir.Shared {
				have = w.Shared
			}
			for i := range want {
				if have[i] != want[i] {
					t.Errorf("%s: byte %d is %#x, want %#x", name, i, have[i], want[i])
					return
				}
			}
		}
	})
	if lost {
		if err == nil {
			t.Errorf("%s: later pieces come from the address before an earlier one overwrote it", name)
		}
	} else if err != nil || !seen {
		t.Errorf("%s: %v", name, err)
	}
}
