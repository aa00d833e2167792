package jit

import (
	"fmt"
	"slices"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/sim"
)

// TestRowBases runs waves with an address per tile row that moves, of which the code has only
// the first lane's. That lane may have exited in every row. The code is entered at several
// places of the launch; the interpreter executes some accesses in between, and uses the final
// addresses. Or the addresses leave the memory.
func TestRowBases(t *testing.T) {
	t.Parallel()
	for _, lanes := range []int{32, 64} {
		for _, step := range []uint64{4, 400} {
			for _, gone := range []uint64{0, 16} {
				t.Run(fmt.Sprint(lanes, "-", step, "-", gone), func(t *testing.T) {
					t.Parallel()
					build := func() *ir.Func { return rowBases(t, lanes, step, gone) }
					late(t, build, 2, 2*uint32(lanes), []int64{1, 30, 100, 150, 190}, hasRowBases)
				})
			}
		}
	}
}

func hasRowBases(k *Kernel) bool {
	for i := range k.native.fills {
		if k.native.fills[i].Kind == abi.RowBase {
			return true
		}
	}
	return false
}

// rowBases loads at two addresses, of which one moves by a constant, in every second
// iteration, and one by a launch value. gone is the number of a lane in tile rows of 16 that
// exits at once.
func rowBases(t testing.TB, lanes int, step, gone uint64) *ir.Func {
	m := newMaker(t, "rows", lanes)
	list := m.values("in", "out")
	tid, width, v, sum, i, j := m.vec("tid"), m.vec("width"), m.vec("v"), m.vec("sum"), m.vec("i"), m.vec("j")
	one, two, by := m.Vector("one", ir.B64), m.Vector("two", ir.B64), m.Vector("by", ir.B64)
	p, q := m.Vector("p", ir.B1), m.Vector("q", ir.B1)
	m.Input(ir.ThreadIDX, tid, 0)
	m.Input(ir.GridDimX, width, 0)
	end, top := m.NewLabel(), m.NewLabel()
	m.ins()
	m.To(p, ir.EqU32, m.T(ir.And32, tid, m.num(15)), m.num(gone))
	m.branch(p, end)
	m.ins()
	x, y := m.T(ir.And32, tid, m.num(15)), m.T(ir.ShrU32, tid, m.num(4))
	at := m.T(ir.Add32, x, m.T(ir.Mul32, y, m.T(ir.Add32, width, m.num(9))))
	m.To(one, ir.Mov64, m.place(list[0], at, 4))
	m.ins()
	x, y = m.T(ir.And32, tid, m.num(15)), m.T(ir.ShrU32, tid, m.num(4))
	at = m.T(ir.Add32, x, m.T(ir.Mul32, y, m.T(ir.Add32, width, m.num(3))))
	m.To(two, ir.Mov64, m.place(list[0], at, 4))
	m.ins()
	m.To(by, ir.MulWideU32, width, m.num(step))
	m.Bind(top)
	m.load(v, one, ir.Global)
	m.ins()
	m.To(sum, ir.Add32, m.T(ir.Mul32, sum, m.num(3)), v)
	m.load(v, two, ir.Global)
	m.ins()
	m.To(sum, ir.Add32, m.T(ir.Mul32, sum, m.num(5)), v)
	m.barrier() // ends time slices
	m.ins()
	m.To(q, ir.EqU32, m.T(ir.And32, i, m.num(1)), m.num(0))
	m.ins()
	m.Guard(q, false)
	m.To(one, ir.Add64, one, m.Const(ir.B64, 4))
	m.Guard(0, false)
	m.ins()
	m.To(two, ir.Add64, by, two)
	m.next(i, m.num(20), p, top)
	m.ins()
	m.To(j, ir.Xor32, m.T(ir.Lo32, one), m.T(ir.Mul32, m.T(ir.Lo32, two), m.num(3)))
	m.ins()
	m.To(sum, ir.Add32, sum, j)
	// The address that was spread over all lanes before a sum differs from the one after it.
	past := m.NewLabel()
	m.ins()
	m.To(p, ir.EqU32, width, m.num(77))
	m.branch(p, past)
	m.ins()
	m.To(sum, ir.Mad32, sum, m.num(7), m.T(ir.Lo32, two))
	m.ins()
	m.To(two, ir.Add64, by, two)
	m.ins()
	m.To(sum, ir.Mad32, sum, m.num(9), m.T(ir.Lo32, two))
	m.Bind(past)
	m.ins()
	m.To(sum, ir.Mad32, sum, m.num(11), m.T(ir.Lo32, two))
	m.store(m.place(list[1], tid, 4), sum, ir.Global)
	m.Bind(end)
	return m.finish()
}

// TestRowBasesTogether: waves continue in a coarsened body after a barrier. It adds, in
// memory, to the addresses of tile rows at their ends, which no instruction there reads.
func TestRowBasesTogether(t *testing.T) {
	t.Parallel()
	for _, lanes := range []int{32, 64} {
		launch := func() *sim.Launch {
			return &sim.Launch{Grid: [3]uint32{3, 1, 1}, Block: [3]uint32{4 * uint32(lanes), 1, 1}}
		}
		run := func(e sim.Engine) string {
			mem, l := sim.NewMemory(), launch()
			n := int(4 * l.Grid[0] * l.Block[0])
			in, out := mem.Add("in", noise(n)), mem.Add("out", make([]byte, n))
			l.Memory, l.Values = mem, []uint64{in.Base, out.Base}
			return fmt.Sprintln(ended(t, e, rowBasesTogether(t, lanes), l), out.Data)
		}
		want := run(interp.Engine{Portable: true})
		for tier, e := range tierEngines(t) {
			f, l := rowBasesTogether(t, lanes), launch()
			p, err := e.Compile(f)
			if err != nil {
				t.Fatal(err)
			}
			l.Func = f
			k, err := e.kernel(f, p.(*Program).key(l))
			if err != nil {
				t.Fatal(err)
			}
			if !hasRowBases(k) || !slices.ContainsFunc(k.native.exits, func(x abi.Exit) bool { return x.Coarse != 0 }) {
				t.Errorf("%d lanes, %s: the code is not what the test is about", lanes, tier)
			}
			if got := run(e); got != want {
				t.Errorf("%d lanes, %s:\ngot  %.300s\nwant %.300s", lanes, tier, got, want)
			}
		}
	}
}

func rowBasesTogether(t testing.TB, lanes int) *ir.Func {
	m := newMaker(t, "together", lanes)
	m.Func().SharedStatic = 4096
	list := m.values("in", "out")
	tid, width, v, sum, i := m.vec("tid"), m.vec("width"), m.vec("v"), m.vec("sum"), m.vec("i")
	one, p := m.Vector("one", ir.B64), m.Vector("p", ir.B1)
	m.Input(ir.ThreadIDX, tid, 0)
	m.Input(ir.GridDimX, width, 0)
	m.ins()
	x, y := m.T(ir.And32, tid, m.num(15)), m.T(ir.ShrU32, tid, m.num(4))
	at := m.T(ir.Add32, x, m.T(ir.Mul32, y, m.T(ir.Add32, width, m.num(9))))
	m.To(one, ir.Mov64, m.place(list[0], at, 4))
	top := m.NewLabel()
	m.Bind(top)
	m.load(v, one, ir.Global)
	m.store(m.T(ir.Mul32, tid, m.num(4)), v, ir.Shared)
	m.barrier()
	for k := range uint64(12) {
		m.load(v, m.T(ir.Mul32, m.T(ir.And32, tid, m.num(15)), m.num(4)), ir.Shared)
		m.ins()
		m.To(sum, ir.Add32, m.T(ir.Mul32, sum, m.num(2*k+3)), v)
	}
	m.ins()
	m.To(one, ir.Add64, one, m.Const(ir.B64, 4))
	m.barrier()
	m.next(i, m.num(20), p, top)
	m.store(m.place(list[1], tid, 4), sum, ir.Global)
	return m.finish()
}
