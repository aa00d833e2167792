package mask_test

import (
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/mask"
	"example.org/crosslane/internal/jit/webs"
)

// A maker builds a function in which registers with names that begin with "v" differ between
// lanes.
type maker struct{ *ir.Builder }

func (m maker) op(d ir.Ref, op ir.Op, args ...ir.Ref) {
	m.At(ir.Pos{Line: 1})
	m.To(d, op, args...)
}

// branch goes to l if p holds; always if p is 0.
func (m maker) branch(p ir.Ref, l ir.Label) {
	m.At(ir.Pos{Line: 1})
	m.Guard(p, false)
	m.Bra(l)
	m.Guard(0, false)
}

// exit ends the lanes in which p holds.
func (m maker) exit(p ir.Ref) {
	m.At(ir.Pos{Line: 1})
	m.Guard(p, false)
	m.Emit(ir.Inst{Op: ir.Exit})
	m.Guard(0, false)
}

func (m maker) emit(in ir.Inst) {
	m.At(ir.Pos{Line: 1})
	m.Emit(in)
}

// bar is a barrier with a number.
func (m maker) bar(id ir.Ref) {
	m.emit(ir.Inst{Op: ir.Bar, Args: [4]ir.Ref{id}, Imm: uint64(ir.BarSync)})
}

// shuffle makes d from src for the lanes of a membermask.
func (m maker) shuffle(d, src, members ir.Ref) {
	m.emit(ir.Inst{Op: ir.ShflSync, Dst: d, Args: [4]ir.Ref{src, m.Const(ir.B32, 1), m.Const(ir.B32, 31), members}, Imm: 3})
}

// TestAnalyze: the results for small graphs. For each case, want lists block by block the
// blocks where lanes may be pending and parked, whether all lanes that have begun are there
// ("full"), whether some may have exited ("gone"), and the operations that need a mask ("*",
// in order). All of it follows from the documentation of the package.
func TestAnalyze(t *testing.T) {
	t.Parallel()
	type refs struct{ vp, vq, up, vr, vx, uy, out ir.Ref }
	for _, test := range []struct {
		name  string
		block uint32 // lanes of a block; 0: 64
		make  func(m maker, r refs)
		want  []string
	}{
		{"lanes exit while others wait behind", 0, func(m maker, r refs) {
			l := m.NewLabel()
			m.branch(r.vp, l)
			m.exit(0)
			m.Bind(l)
			m.op(r.out, ir.Mov32, r.vx)
			m.exit(0)
		}, []string{"full -", "pend[2] -", "gone --"}},
		{"whole waves exit", 0, func(m maker, r refs) {
			l := m.NewLabel()
			m.branch(r.up, l)
			m.exit(0)
			m.Bind(l)
			m.exit(0)
		}, []string{"full -", "full -", "full -"}},
		{"some lanes exit", 0, func(m maker, r refs) {
			m.exit(r.vp)
			m.op(r.out, ir.Mov32, r.vx)
			m.exit(0)
		}, []string{"full -", "gone --"}},
		{"a wave that is not whole", 65, func(m maker, r refs) {
			m.exit(0)
		}, []string{"-"}},
		{"lanes exit while others are at a barrier", 0, func(m maker, r refs) {
			l := m.NewLabel()
			m.branch(r.vp, l) // 0
			m.bar(0)          // 1
			m.op(r.out, ir.Mov32, r.vx)
			m.exit(0) // 2
			m.Bind(l)
			m.exit(0) // 3
		}, []string{"full -", "pend[3] -", "pend[3] gone --", "park[1] gone -"}},
		{"a loop that lanes leave one by one, and exit", 0, func(m maker, r refs) {
			top := m.NewLabel()
			m.Bind(top)
			m.op(r.vx, ir.Add32, r.vx, r.vr) // 0
			m.op(r.vp, ir.LtU32, r.vx, r.vr)
			m.branch(r.vp, top)
			m.op(r.out, ir.Add32, r.vx, r.vr) // 1
			m.exit(0)
		}, []string{"pend[1] *--", "full --"}},
		{"what waits at a barrier keeps its values", 0, func(m maker, r refs) {
			l := m.NewLabel()
			join := m.NewLabel()
			m.op(r.vr, ir.Mov32, r.vx)
			m.branch(r.vp, l)
			m.bar(0)          // 1
			m.branch(0, join) // 2
			m.Bind(l)
			m.op(r.vr, ir.Add32, r.vx, r.vx) // 3
			m.Bind(join)
			m.op(r.out, ir.Mov32, r.vr) // 4
			m.exit(0)
		}, []string{"full --", "pend[3] -", "pend[3 4] gone -", "pend[4] park[1] *", "park[1] gone --"}},
		{"what waits at a barrier, and nowhere else, keeps its values", 0, func(m maker, r refs) {
			l, join := m.NewLabel(), m.NewLabel()
			m.op(r.vr, ir.Mov32, r.vx)
			m.branch(r.vp, l)
			m.Bind(join)
			m.bar(0) // 1
			m.op(r.out, ir.Mov32, r.vr)
			m.exit(0) // 2
			m.Bind(l)
			m.op(r.vr, ir.Add32, r.vx, r.vx) // 3
			m.branch(0, join)
		}, []string{"full --", "pend[2 3] park[1] gone -", "pend[3] park[1] gone --", "park[1] gone *-"}},
		{"a rendezvous of all", 0, func(m maker, r refs) {
			m.shuffle(r.vr, r.vx, m.Const(ir.B32, 1<<32-1))
			m.op(r.out, ir.Mov32, r.vr)
			m.exit(0)
		}, []string{"full -", "full --"}},
		{"a rendezvous of some: those that have met may have gone on", 0, func(m maker, r refs) {
			m.shuffle(r.vr, r.vx, r.vq)
			m.op(r.out, ir.Mov32, r.vr)
			m.exit(0)
		}, []string{"full *", "park[0] gone --"}},
		{"a rendezvous of some, of what they exchange", 0, func(m maker, r refs) {
			top := m.NewLabel()
			m.Bind(top)
			m.shuffle(r.vx, r.vx, r.vq) // 0
			m.branch(r.up, top)         // 1
			m.exit(0)
		}, []string{"pend[1 2] park[0] gone *", "pend[2] park[0] gone -", "park[0] gone -"}},
		{"a barrier of a number that differs", 0, func(m maker, r refs) {
			m.bar(r.vx)
			m.op(r.out, ir.Mov32, r.vx)
			m.exit(0)
		}, []string{"full -", "park[0] gone --"}},
		{"what others may see by another name", 0, func(m maker, r refs) {
			l := m.NewLabel()
			low, whole := m.View("vlow", ir.B32, false, 0), m.View("vwhole", ir.B64, false, 0)
			m.branch(r.vp, l)
			m.op(low, ir.Mov32, r.vx) // no operation reads it under this name
			m.Bind(l)
			m.op(r.out, ir.Lo32, whole) // 2
			m.exit(0)
		}, []string{"full -", "pend[2] *", "full --"}},
	} {
		b := ir.NewBuilder("k", 32)
		b.Reserve(8 * 32) // for views
		b.Func().MeetAnywhere = true
		r := refs{vp: b.Vector("vp", ir.B1), vq: b.Vector("vq", ir.B32), up: b.Vector("up", ir.B1), vr: b.Vector("vr", ir.B32), vx: b.Vector("vx", ir.B32), uy: b.Vector("uy", ir.B32), out: b.Vector("vout", ir.B32)}
		for i, x := range []ir.Ref{r.vp, r.vq, r.up, r.vr, r.vx, r.uy} {
			b.Input(ir.LaunchValue, x, uint64(i))
		}
		test.make(maker{b}, r)
		f, err := b.Finish()
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		block := test.block
		if block == 0 {
			block = 64
		}
		fn := webs.Build(f, webs.Geometry{Lanes: 32, Block: [3]uint32{block, 1, 1}})
		m := mask.Analyze(fn, func(w webs.Web) bool {
			v := fn.Value(w)
			return v.Kind == ir.Const || !strings.HasPrefix(v.Name, "v")
		})
		var got []string
		for n, blk := range f.Blocks {
			var s []string
			if l := m.Pend(n); len(l) > 0 {
				s = append(s, fmt.Sprint("pend", l))
			}
			if l := m.Parked(n); len(l) > 0 {
				s = append(s, fmt.Sprint("park", l))
			}
			if m.Full(n) {
				s = append(s, "full")
			}
			if gone := m.Gone(); gone != nil && gone[n] {
				s = append(s, "gone")
			}
			ops := ""
			for i := blk.Start; i < blk.End; i++ {
				if m.NeedMask(i) {
					ops += "*"
				} else {
					ops += "-"
				}
			}
			got = append(got, strings.Join(append(s, ops), " "))
		}
		if a, b := strings.Join(got, "\n"), strings.Join(test.want, "\n"); a != b {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, a, b)
		}
	}
}
