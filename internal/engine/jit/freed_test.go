package jit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// TestFreedElsewhere: the last access of a block is to memory of the heap. Another block, in
// flight at the same time, frees that memory. Later blocks, in the storage of the first
// block, use it.
func TestFreedElsewhere(t *testing.T) {
	t.Parallel()
	agree(t, "use after free", func(e sim.Engine) string {
		m := newMaker(t, "freed", 32)
		list := m.values("flags", "where")
		blk, v, p, at := m.vec("blk"), m.vec("v"), m.Vector("p", ir.B1), m.Vector("at", ir.B64)
		m.Input(ir.LinearBlockID, blk, 0)
		host := func(s ir.HostService, d, a ir.Ref) {
			m.ins()
			m.Emit(ir.Inst{Op: ir.HostCall, Dst: d, Args: [4]ir.Ref{a}, Imm: uint64(s)})
		}
		flag := func(n uint64) ir.Ref { return m.T(ir.Add64, list[0], m.Const(ir.B64, 4*n)) }
		set := func(n uint64) {
			m.ins()
			m.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{flag(n), m.num(1)}, Size: 4, Align: 4, Space: ir.Global, Flags: ir.Volatile})
		}
		wait := func(n uint64) {
			top := m.NewLabel()
			m.Bind(top)
			m.ins()
			m.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{flag(n)}, Size: 4, Align: 4, Space: ir.Global, Flags: ir.Volatile})
			m.ins()
			m.To(p, ir.EqU32, v, m.num(0))
			m.branch(p, top)
		}
		get := func() {
			m.ins()
			m.Emit(ir.Inst{Op: ir.Load, Dst: at, Args: [4]ir.Ref{list[1]}, Size: 8, Align: 8, Space: ir.Global})
		}
		use := func() {
			m.ins()
			m.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{at}, Size: 4, Align: 4, Space: ir.Generic})
		}
		first, second, end := m.NewLabel(), m.NewLabel(), m.NewLabel()
		for n, l := range []ir.Label{first, second} {
			m.ins()
			m.To(p, ir.EqU32, blk, m.num(uint64(n)))
			m.branch(p, l)
		}
		m.ins()
		m.To(at, ir.Mov64, m.Const(ir.B64, 0x7000_0000_0000))
		use()
		m.ins()
		m.Bra(end)
		m.Bind(first)
		host(ir.HostMalloc, at, m.Const(ir.B64, 16))
		m.ins()
		m.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{list[1], at}, Size: 8, Align: 8, Space: ir.Global})
		wait(0)
		set(1)
		get()
		use()
		m.ins()
		m.Bra(end)
		m.Bind(second)
		set(0)
		wait(1)
		get()
		host(ir.HostFree, 0, at)
		set(2)
		wait(3)
		m.Bind(end)
		f := m.finish()
		mem := sim.NewMemory()
		flags, where := mem.Add("flags", make([]byte, 16)), mem.Add("where", make([]byte, 8))
		s := ended(t, e, f, &sim.Launch{Grid: [3]uint32{12, 1, 1}, Block: [3]uint32{1, 1, 1}, Memory: mem, Values: []uint64{flags.Base, where.Base}, Heap: 1 << 12, Limits: sim.Limits{Timeout: time.Second}})
		if !strings.Contains(s, "freed") {
			t.Errorf("%T: %s", e, s)
		}
		return fmt.Sprint(s, flags.Data)
	})
}
