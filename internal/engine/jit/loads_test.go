package jit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// loadsAndStores is a kernel of one wave, sixteen lanes wide, that loads from few places of
// shared and global memory, by tile rows, and adds up products of the values. Sometimes it
// stores, there or elsewhere, or does so only for the lanes below a bound, which may be none.
// f is the operation of the products.
func loadsAndStores(t *testing.T, r *rand.Rand, lanes int, f ir.Op) *ir.Func {
	m := newMaker(t, "loads", lanes)
	fn := m.Func()
	fn.SharedStatic = 4096
	list := m.values("in", "out", "bound")
	x, y, gid := m.vec("x"), m.vec("y"), m.vec("gid")
	m.Input(ir.ThreadIDX, x, 0)
	m.Input(ir.ThreadIDY, y, 0)
	m.ins()
	m.To(gid, ir.Mad32, y, m.num(16), x)
	col, row, all := m.vec("col"), m.vec("row"), m.vec("all")
	m.To(col, ir.Mul32, x, m.num(4))
	m.To(row, ir.Mul32, y, m.num(64))
	m.To(all, ir.Mul32, gid, m.num(4))
	shared := []ir.Ref{col, row, all}
	global := []ir.Ref{m.place(list[0], x, 4), m.place(list[0], y, 64), m.place(list[0], gid, 4)}
	some := m.Vector("some", ir.B1)
	m.ins()
	m.To(some, ir.LtU32, gid, m.T(ir.Lo32, list[2]))
	var sums, found []ir.Ref
	for k := range 3 {
		sums = append(sums, m.vec(fmt.Sprint("sum", k)))
		m.ins()
		m.To(sums[k], ir.Mov32, m.num(0x3f800000+uint64(k)))
	}
	for k := range uint64(4) { // content to find
		at := m.vec(fmt.Sprint("at", k))
		m.ins()
		m.To(at, ir.Add32, all, m.num(512*k))
		m.store(at, m.T(ir.Xor32, m.T(ir.Mul32, gid, m.num(0x10001)), m.num([]uint64{0x3f000000, 0x7fc00000}[k%2])), ir.Shared)
	}
	for k := range 60 {
		off := uint64(64 * r.IntN(3))
		in := ir.Inst{Size: 4, Align: 4, Space: ir.Shared, Imm: off, Args: [4]ir.Ref{shared[r.IntN(3)]}}
		if r.IntN(4) == 0 {
			in.Space, in.Args[0] = ir.Global, global[r.IntN(3)]
		}
		m.ins()
		if r.IntN(3) == 0 {
			m.Guard(some, r.IntN(3) == 0)
		}
		switch {
		case len(found) == 0 || r.IntN(5) < 3:
			in.Op, in.Dst = ir.Load, m.vec(fmt.Sprint("v", k))
			if found = append(found, in.Dst); len(found) > 4 && r.IntN(2) == 0 {
				in.Dst = found[len(found)-4] // again
			}
			m.Emit(in)
		case r.IntN(6) == 0:
			in.Op, in.Args[1] = ir.Store, sums[r.IntN(3)]
			m.Emit(in)
		default:
			d := sums[r.IntN(3)]
			m.To(d, f, found[len(found)-1], found[r.IntN(len(found))], d)
		}
		m.Guard(0, false)
	}
	for k, s := range sums {
		m.store(m.place(list[1], m.T(ir.Add32, gid, m.num(uint64(k*lanes))), 4), s, ir.Global)
	}
	return m.finish()
}

// TestLoadsAndStores loads the same places repeatedly, with and without stores in between, to
// these or other places, and uses each loaded value once or several times.
func TestLoadsAndStores(t *testing.T) {
	t.Parallel()
	seeds := uint64(60)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		for _, lanes := range []int{32, 64} {
			for k, op := range []ir.Op{ir.FmaF32, ir.VFmaF32} {
				bound := []uint64{0, 7, uint64(lanes), 0}[(int(seed)+k)%4]
				run := func(e sim.Engine) string {
					f := loadsAndStores(t, rand.New(rand.NewPCG(seed, 7)), lanes, op)
					mem := sim.NewMemory()
					raw := noise(4096)
					for i := 0; i < len(raw); i += 8 { // NaNs
						raw[i+2], raw[i+3] = raw[i+2]|0x80, raw[i+3]|0x7f
					}
					in, out := mem.Add("in", raw), mem.Add("out", make([]byte, 12*lanes))
					end := ended(t, e, f, &sim.Launch{Grid: [3]uint32{3, 1, 1}, Block: [3]uint32{16, uint32(lanes / 16), 1}, Memory: mem, Values: []uint64{in.Base, out.Base, bound}})
					return fmt.Sprintln(end, out.Data, in.Data)
				}
				want := run(interp.Engine{Portable: true})
				for tier, e := range tierEngines(t) {
					if got := run(e); got != want {
						t.Errorf("seed %d, %d lanes, %v, %s:\ngot  %.300s\nwant %.300s", seed, lanes, op, tier, got, want)
					}
				}
			}
		}
	}
}

// chase is a kernel in which some lanes follow a chain of addresses: the loaded value
// replaces the address.
func chase(t *testing.T, lanes int) *ir.Func {
	m := newMaker(t, "chase", lanes)
	m.Func().SharedStatic = 4096
	list := m.values("out", "bound")
	x, c, sum, i, p, some := m.vec("x"), m.vec("c"), m.vec("sum"), m.vec("i"), m.Vector("p", ir.B1), m.Vector("some", ir.B1)
	m.Input(ir.ThreadIDX, x, 0)
	m.ins()
	m.To(some, ir.LtU32, x, m.T(ir.Lo32, list[1]))
	m.ins()
	m.To(c, ir.Mul32, x, m.num(4))
	m.store(c, m.T(ir.Mul32, m.T(ir.And32, m.T(ir.Mul32, x, m.num(7)), m.num(uint64(lanes-1))), m.num(4)), ir.Shared)
	m.ins()
	m.To(i, ir.Mov32, m.num(0))
	top := m.NewLabel()
	m.Bind(top)
	m.ins()
	m.Guard(some, false)
	m.Emit(ir.Inst{Op: ir.Load, Dst: c, Args: [4]ir.Ref{c}, Size: 4, Align: 4, Space: ir.Shared})
	m.ins()
	m.To(sum, ir.Mad32, sum, m.num(3), c)
	m.Guard(0, false)
	m.next(i, m.num(5), p, top)
	m.store(m.place(list[0], x, 4), sum, ir.Global)
	return m.finish()
}

// TestChase: all lanes follow addresses, or some, or none.
func TestChase(t *testing.T) {
	t.Parallel()
	for _, lanes := range []int{32, 64} {
		for _, bound := range []uint64{0, 1, 9, uint64(lanes)} {
			run := func(e sim.Engine) string {
				mem := sim.NewMemory()
				out := mem.Add("out", make([]byte, 4*lanes))
				end := ended(t, e, chase(t, lanes), &sim.Launch{Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{uint32(lanes), 1, 1}, Memory: mem, Values: []uint64{out.Base, bound}})
				return fmt.Sprintln(end, out.Data)
			}
			want := run(interp.Engine{Portable: true})
			for tier, e := range tierEngines(t) {
				if got := run(e); got != want {
					t.Errorf("%d lanes, %d follow, %s:\ngot  %.300s\nwant %.300s", lanes, bound, tier, got, want)
				}
			}
		}
	}
}
