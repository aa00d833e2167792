package jit

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// checkCase is an operation with a shape that relies on a check (shape.Check), on an affine
// number: its steps from lane to lane and from row to row of the block, and the base that the
// launch gives.
type checkCase struct {
	op     ir.Op
	second bool // the number is the second factor
	lanes  int  // with 64 lanes EXEC selects lanes
	block  [3]uint32
	steps  [2]int64
	width  bool // the launch gives the step from row to row
	base   uint64
	other  uint64 // for carries: the addend
	both   bool   // for carries: the lower half is stored, too
}

// checked lists the operations, with 32 and with 64 lanes.
var checked = [2][]ir.Op{
	{ir.CvtU64FromU32, ir.CvtS64FromU32, ir.CvtU64FromS32, ir.CvtS64FromS32, ir.MulWideU32, ir.MulWideS32, ir.MadWideU32, ir.MadWideS32, ir.AddWideU32, ir.Pack64},
	{ir.CvtU64FromU32, ir.CvtS64FromS32, ir.MulWideU32, ir.MadWideS32, ir.Pack64, ir.ShrS32, ir.Hi32, ir.Addc32},
}

func newCheckCase(r *rand.Rand, op ir.Op, lanes int) *checkCase {
	pick := func(list ...int64) int64 { return list[r.IntN(len(list))] }
	c := &checkCase{op: op, lanes: lanes, second: r.IntN(2) == 0, both: r.IntN(2) == 0}
	blocks := [][3]uint32{{32, 1, 1}, {32, 1, 1}, {16, 2, 1}, {16, 4, 1}, {8, 4, 1}, {64, 2, 1}, {16, 3, 1}, {20, 1, 1}}
	if lanes == 64 {
		blocks = [][3]uint32{{64, 1, 1}, {64, 2, 1}, {16, 4, 1}, {32, 4, 1}}
	}
	c.block = blocks[r.IntN(len(blocks))]
	c.steps = [2]int64{pick(1, 1, 1, 2, 3, 4, 7, 100, -1, -4, 65535), pick(0, 16, 16, 100, 3, -16, 70000)}
	c.width = r.IntN(3) == 0
	// The first or the last lane is just inside of a bound, or outside.
	least, greatest := int64(0), int64(0)
	for y := range int64(c.block[1]) {
		for x := range int64(c.block[0]) {
			least, greatest = min(least, x*c.steps[0]+y*c.steps[1]), max(greatest, x*c.steps[0]+y*c.steps[1])
		}
	}
	c.base = uint64(pick(0, 1<<31, 1<<31, 1<<32, 1<<32) - pick(least, greatest, c.steps[0]*(int64(min(c.block[0], 16))-1)) + pick(-2, -1, 0, 0, 1, 2) + pick(0, 0, 0, -100, 1000)*c.steps[0])
	c.other = uint64(r.Uint32())
	if op == ir.Addc32 && r.IntN(2) == 0 { // the bound applies to the sum
		c.base -= c.other
	}
	if op == ir.Hi32 {
		c.base += uint64(pick(0, 0, 1, 1<<31)) << 32
	}
	return c
}

// values returns the launch values after the address of the output.
func (c *checkCase) values() []uint64 { return []uint64{c.base, uint64(c.steps[1]), c.other} }

func (c *checkCase) build(t *testing.T) *ir.Func {
	b := newMaker(t, "k", c.lanes)
	exec := ir.Ref(0)
	if c.lanes == 64 {
		exec = b.exec()
	}
	x, y, at := b.vec("x"), b.vec("y"), b.vec("at")
	b.Input(ir.ThreadIDX, x, 0)
	b.Input(ir.ThreadIDY, y, 0)
	given := b.values("out", "base", "width", "other")
	write := func(d ir.Ref, op ir.Op, args ...ir.Ref) {
		b.Guard(exec, false)
		b.To(d, op, args...)
		b.Guard(0, false)
	}
	b.ins()
	write(at, ir.Mad32, y, b.num(uint64(c.block[0])), x)
	a, v, w := b.vec("a"), b.Vector("v", ir.B64), b.vec("w")
	b.ins()
	write(a, ir.Mad32, x, b.num(uint64(c.steps[0])), b.T(ir.Lo32, given[1]))
	b.ins()
	width := b.num(uint64(c.steps[1]))
	if c.width {
		width = b.T(ir.Lo32, given[2])
	}
	write(a, ir.Mad32, y, width, a)
	b.ins()
	two := []ir.Ref{a, b.num(3)}
	if c.second {
		two[0], two[1] = two[1], two[0]
	}
	switch c.op {
	case ir.MulWideU32, ir.MulWideS32:
		write(v, c.op, two...)
	case ir.MadWideU32, ir.MadWideS32:
		write(v, c.op, append(two, given[3])...)
	case ir.AddWideU32:
		write(v, c.op, a, given[3])
	case ir.Pack64:
		write(v, c.op, a, b.T(ir.Lo32, given[3]))
	case ir.ShrS32:
		write(w, c.op, a, b.num(31))
	case ir.Hi32:
		far := b.T(ir.Add64, given[1], b.T(ir.CvtS64FromS32, b.T(ir.Mul32, x, b.num(uint64(c.steps[0])))))
		write(w, c.op, far)
	case ir.Addc32:
		c.carry(b, exec, a, w, given[3])
	default:
		write(v, c.op, a)
	}
	b.ins()
	b.Guard(exec, false)
	if c.op == ir.ShrS32 || c.op == ir.Hi32 || c.op == ir.Addc32 {
		b.To(v, ir.Pack64, w, a)
		b.ins()
	}
	b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{b.place(given[0], at, 8), v}, Size: 8, Align: 8, Space: ir.Global})
	b.Guard(0, false)
	if exec != 0 {
		return b.endWave()
	}
	return b.finish()
}

// carry adds the carry of a and another number to a third number, as v_add_u32 and v_addc_u32
// do.
func (c *checkCase) carry(b *maker, exec, a, w, n ir.Ref) {
	vcc, low := b.Vector("vcc", ir.B1), b.vec("low")
	b.ins()
	two := []ir.Ref{a, b.T(ir.Lo32, n)}
	if c.second {
		two[0], two[1] = two[1], two[0]
	}
	carry := b.T(ir.AddC32, two...)
	b.Guard(exec, false)
	b.To(low, ir.Add32, two...)
	b.Guard(0, false)
	b.To(vcc, ir.AndP, carry, exec)
	b.ins()
	b.Guard(exec, false)
	b.To(w, ir.Addc32, b.num(7), b.num(9), vcc)
	if c.both {
		b.ins()
		b.To(w, ir.Xor32, w, low)
	}
	b.Guard(0, false)
}

// run launches the case, and reports whether machine code ran all of it.
func (c *checkCase) run(t *testing.T, e sim.Engine) (data []byte, end string, all bool) {
	mem := sim.NewMemory()
	out := mem.Add("out", make([]byte, 8*c.block[0]*c.block[1]))
	l := &sim.Launch{Func: c.build(t), Grid: [3]uint32{1, 1, 1}, Block: c.block, Memory: mem, Values: append([]uint64{out.Base}, c.values()...), Workers: 1}
	var err error
	if l.Program, err = e.Compile(l.Func); err != nil {
		t.Fatal(err)
	}
	st, list, err := sim.Run(context.Background(), l)
	all = st.Native == st.WaveInstructions
	st.CalledOut, st.Native = 0, 0
	return out.Data, fmt.Sprint(err, st, list), all
}

// TestChecks runs operations that rely on numbers not wrapping between the lanes, with
// numbers that just do and numbers that just do not wrap. (TestRowsExtended tests tile rows
// with their own addresses.)
func TestChecks(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	engines := tierEngines(t)
	rounds := 150
	if testing.Short() {
		rounds = 40
	}
	for k, lanes := range []int{32, 64} {
		for _, op := range checked[k] {
			seen := map[bool]int{}
			for range rounds {
				c := newCheckCase(r, op, lanes)
				want, wantEnd, _ := c.run(t, interp.Engine{})
				for tier, e := range engines {
					got, end, all := c.run(t, e)
					seen[all]++
					if !bytes.Equal(got, want) || end != wantEnd {
						t.Errorf("%s, %s, %+v: %s, want %s\n%x\n%x", tier, op, *c, end, wantEnd, got, want)
						return
					}
				}
			}
			if least := rounds * len(engines) / 16; seen[true] < least || seen[false] < least {
				t.Errorf("%s of %d lanes: machine code does %d to the end and leaves in %d", op, lanes, seen[true], seen[false])
			}
		}
	}
}
