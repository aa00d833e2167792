package jit

import (
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// An edgeCase is a loop of one access; its last iteration comes to an end of the memory.
type edgeCase struct {
	form   string // uniform, affine, or random; or an induction pointer of the first two forms, which moves by a step in each iteration
	space  ir.Space
	store  bool
	size   int
	top    bool // the upper end of the memory, not the lower one
	beyond int  // number of bytes that the last iteration is out of bounds; 0: it touches the last byte
}

const (
	edgeBytes  = 1 << 10
	edgeRounds = 5
)

func (c *edgeCase) String() string { return fmt.Sprintf("%+v", struct{ c any }{*c}) }

// build builds the function. The launch values are the address of the first iteration and the
// step.
func (c *edgeCase) build(t *testing.T) *ir.Func {
	m := newMaker(t, "edges", 32)
	list := m.values("first", "step", "table", "out")
	tid, i, p := m.vec("tid"), m.vec("i"), m.Vector("p", ir.B1)
	m.Input(ir.ThreadIDX, tid, 0)
	at, x, sum := m.Vector("at", ir.B64), m.Vector("x", ir.B32), m.vec("sum")
	lane := m.vec("lane")
	m.ins()
	switch c.form {
	case "one", "walk one":
		m.To(lane, ir.Mov32, m.num(0))
	case "any":
		m.load(lane, m.place(list[2], tid, 4), ir.Global)
	default:
		m.To(lane, ir.Mul32, tid, m.num(uint64(c.size)))
	}
	m.ins()
	m.To(at, ir.Add64, list[0], m.T(ir.MulWideU32, lane, m.num(1)))
	top := m.NewLabel()
	m.Bind(top)
	m.ins()
	to := at
	if !strings.HasPrefix(c.form, "walk") {
		to = m.T(ir.Add64, at, m.T(ir.Mul64, list[1], m.T(ir.MulWideU32, i, m.num(1))))
	}
	v := m.T(ir.Add32, i, tid)
	in := ir.Inst{Op: ir.Load, Dst: x, Args: [4]ir.Ref{to}, Size: uint8(c.size), Align: 1, Space: c.space}
	if c.store {
		in.Op, in.Dst, in.Args = ir.Store, 0, [4]ir.Ref{to, v}
	}
	m.Emit(in)
	m.ins()
	m.To(sum, ir.Add32, m.T(ir.Mul32, sum, m.num(3)), x)
	if strings.HasPrefix(c.form, "walk") {
		m.ins()
		step := uint64(c.size)
		if !c.top {
			step = -step
		}
		m.To(at, ir.Add64, at, m.Const(ir.B64, step))
	}
	m.next(i, m.num(edgeRounds), p, top)
	m.store(m.place(list[3], tid, 4), sum, ir.Global)
	return m.finish()
}

// run returns how the function ends and the values that it stores, and whether it ended with
// a fault.
func (c *edgeCase) run(t *testing.T, e sim.Engine, f *ir.Func) (end string, fault bool) {
	mem := sim.NewMemory()
	data, table, out := mem.Add("data", noise(edgeBytes)), make([]byte, 128), mem.Add("out", make([]byte, 128))
	for k := range 32 {
		table[4*k] = byte(c.size * (k * 5 % 32))
	}
	tab := mem.Add("table", table)
	wide := int64(c.size) // bytes that all lanes touch in an iteration
	if c.form != "one" && c.form != "walk one" {
		wide *= 32
	}
	last := int64(-c.beyond)
	if c.top {
		last = edgeBytes - wide + int64(c.beyond)
	}
	// The iterations before are in bounds, so that the region is cached when the code comes
	// to the end.
	step := int64(c.size)
	if !c.top {
		step = -step
	}
	first := int64(data.Base) + last - (edgeRounds-1)*step
	end = ended(t, e, f, &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: mem, Values: []uint64{uint64(first), uint64(step), tab.Base, out.Base}})
	return fmt.Sprintln(end, data.Data, out.Data), !strings.HasPrefix(end, "<nil>")
}

// TestEdges: an access in every form may touch the first and the last byte of memory, but not
// the byte before or after, although earlier iterations were in bounds.
func TestEdges(t *testing.T) {
	t.Parallel()
	engines := tierEngines(t)
	for _, form := range []string{"one", "row", "any", "walk one", "walk row"} {
		for _, space := range []ir.Space{ir.Global, ir.Generic} {
			for _, size := range []int{1, 2, 4} {
				for bits := range 16 {
					c := &edgeCase{form: form, space: space, size: size, store: bits&1 != 0, top: bits&2 != 0, beyond: bits >> 2}
					if c.beyond == 2 {
						c.beyond = size // with the same alignment
					}
					f := c.build(t)
					want, fault := c.run(t, interp.Engine{Portable: true}, f)
					if fault != (c.beyond > 0) {
						t.Fatalf("%v: the interpreter ends with %.100s", c, want)
					}
					for tier, e := range engines {
						if got, _ := c.run(t, e, f); got != want {
							t.Errorf("%v, %s:\ngot  %.300s\nwant %.300s", c, tier, got, want)
						}
					}
				}
			}
		}
	}
}
