package jit

import (
	"fmt"
	"testing"

	"crosslane/internal/ir"
	"crosslane/internal/jit/sel"
)

// TestRowBases runs waves whose lanes are in rows with an address each that moves on, of which the
// code has the first lane only; that lane of every row may have gone before. The launch is taken
// over from the interpreter at several places, which gets some accesses in between, and what
// the addresses are at the end; or they come to where no memory is.
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
	for i := range k.native.forms {
		if k.native.forms[i].kind == sel.RowBase {
			return true
		}
	}
	return false
}

// rowBases loads at two addresses, of which one moves on by a constant, in every other round, and
// one by what the launch says. gone is a number of a lane of rows of 16 that exits at once.
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
	m.barrier() // ends turns
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
	m.store(m.place(list[1], tid, 4), sum, ir.Global)
	m.Bind(end)
	return m.finish()
}
