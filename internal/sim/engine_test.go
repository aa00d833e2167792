package sim_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// special is a Program with all optional interfaces of an engine. Specialise returns another Program, which
// counts.
type special struct {
	sim.Program
	t      *testing.T
	extra  uint32
	starts atomic.Int32
	err    error
	run    func(p sim.Program, w *sim.Wave) sim.Stop
	f      *ir.Func
}

func (s *special) Run(w *sim.Wave) sim.Stop {
	if s.run == nil {
		return s.Program.Run(w)
	}
	return s.run(s.Program, w)
}

func (s *special) FrameBytes() uint32 { return s.f.FrameSize + s.extra }

func (s *special) Start(w *sim.Wave) {
	s.starts.Add(1)
	n := w.Engine
	if n == nil {
		w.Engine = new(int)
	}
	if uintptr(w.Base)%sim.Align != 0 || len(w.Shared) > 0 && uintptr(unsafe.Pointer(&w.Shared[0]))%sim.Align != 0 ||
		len(w.Local) > 0 && uintptr(unsafe.Pointer(&w.Local[0]))%sim.Align != 0 {
		s.t.Error("a wave's memory is not aligned")
	}
	// The engine's part of the frame is 0 at first; after that only the engine changes it.
	own := unsafe.Slice((*byte)(unsafe.Add(w.Base, s.f.FrameSize)), s.extra)
	want := byte(0)
	if n != nil {
		*n.(*int)++
		want = 0xa5
	}
	if i := slices.IndexFunc(own, func(b byte) bool { return b != want }); i >= 0 {
		s.t.Errorf("byte %d of the engine's part of the frame is %#x, not %#x", i, own[i], want)
	}
	for i := range own {
		own[i] = 0xa5
	}
}

// specialising is a Program that is improved for the launch.
type specialising struct {
	*special
	got *sim.Launch
}

func (s *specialising) Run(w *sim.Wave) sim.Stop {
	s.t.Error("the program that was not specialised runs")
	return sim.StopFault
}

func (s *specialising) Specialise(l *sim.Launch) (sim.Program, error) {
	s.got = l
	return s.special, s.err
}

// diverging is a kernel whose lanes diverge three ways and come together again: out gets 100 + tid%3.
func diverging(t *testing.T) (f *ir.Func, l *sim.Launch, out []byte) {
	b := ir.NewBuilder("diverging", 32)
	tid, addr, p := b.Vector("tid", ir.B32), b.Vector("addr", ir.B64), b.Vector("p", ir.B1)
	b.Input(ir.ThreadIDX, tid, 0)
	b.Input(ir.LaunchValue, addr, 0)
	b.Func().MeetAnywhere = true
	b.Func().SharedStatic, b.Func().LocalSize = 100, 40
	v := b.Vector("v", ir.B32)
	c := func(x uint64) ir.Ref { return b.Const(ir.B32, x) }
	ins := func() { b.At(ir.Pos{Line: 1, Text: "x", Name: "x"}) }
	one, two, join := b.NewLabel(), b.NewLabel(), b.NewLabel()
	branch := func(l ir.Label, k uint64) {
		ins()
		b.To(p, ir.EqU32, b.T(ir.RemU32, tid, c(3)), c(k))
		ins()
		b.Guard(p, false)
		b.Bra(l)
		b.Guard(0, false)
	}
	branch(one, 1)
	branch(two, 2)
	set := func(x uint64) {
		ins()
		b.Move(v, c(x))
	}
	set(100)
	ins()
	b.Bra(join)
	b.Bind(one)
	set(101)
	ins()
	b.Bra(join)
	b.Bind(two)
	set(102)
	b.Bind(join)
	ins()
	at := b.T(ir.Add64, b.T(ir.Pack64, b.T(ir.Mul32, tid, c(4)), c(0)), addr)
	b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{at, v}, Size: 4, Align: 4, Space: ir.Global})
	ins()
	b.Emit(ir.Inst{Op: ir.Exit})
	f, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	mem := sim.NewMemory()
	a := mem.Add("out", make([]byte, 4*40))
	return f, &sim.Launch{Func: f, Grid: [3]uint32{5, 1, 1}, Block: [3]uint32{40, 1, 1}, Memory: mem, Values: []uint64{a.Base}, Workers: 1}, a.Data
}

func check(t *testing.T, out []byte) {
	t.Helper()
	for i := range 40 {
		if got, want := *(*uint32)(unsafe.Pointer(&out[4*i])), uint32(100+i%3); got != want {
			t.Fatalf("lane %d has %d, not %d", i, got, want)
		}
	}
}

func TestSpecialise(t *testing.T) {
	f, l, out := diverging(t)
	p, err := interp.Engine{}.Compile(f)
	if err != nil {
		t.Fatal(err)
	}
	inner := &special{Program: p, t: t, extra: 1000, f: f}
	s := &specialising{special: inner}
	l.Program = s
	if _, _, err := sim.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	check(t, out)
	if n := inner.starts.Load(); n != 5*2 || s.got != l {
		t.Errorf("%d waves were started; the launch is %p, not %p", n, s.got, l)
	}
	s.err = errors.New("no room")
	if st, _, err := sim.Run(context.Background(), l); err == nil || !strings.Contains(err.Error(), "kernel diverging: no room") || st != (sim.Stats{}) {
		t.Errorf("an error of Specialise is told as %v", err)
	}
}

// TestFragments runs all fragments of a wave within one Run, as an engine of machine code does. The results
// and the counted instructions must be equal.
func TestFragments(t *testing.T) {
	f, l, out := diverging(t)
	p, err := interp.Engine{}.Compile(f)
	if err != nil {
		t.Fatal(err)
	}
	l.Program = p
	want, _, err := sim.Run(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	clear(out)
	runs, most := 0, 0
	s := &special{Program: p, t: t, f: f}
	s.run = func(p sim.Program, w *sim.Wave) sim.Stop {
		runs++
		if w.Straying() || w.Parked() != 0 {
			t.Error("the wave strays or waits")
		}
		pending := map[int]lane.Mask{}
		for {
			stop := p.Run(w)
			switch stop {
			case sim.StopDiverge, sim.StopLimit:
				pending[w.PC] |= w.Active
			case sim.StopExit:
			default:
				t.Errorf("stopped for %d", stop)
				return stop
			}
			if !w.TakeFragments(func(pc int, m lane.Mask) { pending[pc] |= m }) || w.Fragments() != 0 {
				t.Error("fragments rest, or are left")
			}
			if len(pending) == 0 {
				return sim.StopExit
			}
			most = max(most, len(pending))
			pcs := slices.Sorted(func(yield func(int) bool) {
				for pc := range pending {
					if !yield(pc) {
						return
					}
				}
			})
			w.PC, w.Active = pcs[0], pending[pcs[0]]
			delete(pending, pcs[0])
			if len(pcs) > 1 {
				w.Limit, w.StopBack = pcs[1], false
			} else {
				w.Limit = len(f.Blocks)
			}
		}
	}
	l.Program = s
	got, _, err := sim.Run(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	check(t, out)
	if got != want || runs != 5*2 || most != 3 {
		t.Errorf("%+v in %d runs, with %d fragments at most; want %+v in 10, 3", got, runs, most, want)
	}
}

// TestLaunchInput compares LaunchInput with the values with which waves begin.
func TestLaunchInput(t *testing.T) {
	b := ir.NewBuilder("inputs", 32)
	refs := map[ir.InputKind]ir.Ref{}
	for k := ir.InConst; k <= ir.StackTop; k++ {
		if k == ir.ActiveMask0 {
			continue
		}
		refs[k] = b.Vector("v", ir.B64)
		b.Input(k, refs[k], 1)
	}
	b.At(ir.Pos{Line: 1, Text: "exit", Name: "exit"})
	b.Emit(ir.Inst{Op: ir.Exit})
	b.Func().SharedStatic, b.Func().LocalSize = 16, 8
	f, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	l := &sim.Launch{Func: f, Grid: [3]uint32{2, 3, 5}, Block: [3]uint32{7, 11, 1}, Memory: sim.NewMemory(), Workers: 1, Dynamic: 48, Stack: 256, Values: []uint64{77, 88}}
	if l.Program, err = (interp.Engine{}).Compile(f); err != nil {
		t.Fatal(err)
	}
	same := map[ir.InputKind]map[uint64]bool{}
	l.Inspect = func(w *sim.Wave) {
		for k, r := range refs {
			if same[k] == nil {
				same[k] = map[uint64]bool{}
			}
			for i := range 32 {
				same[k][w.Get(r, i)] = true
			}
		}
	}
	if _, _, err := sim.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	known := 0
	for k := range refs {
		x, ok := l.LaunchInput(ir.Input{Kind: k, Imm: 1})
		if ok != (len(same[k]) == 1) {
			t.Errorf("input %d has %d values in the launch; known: %v", k, len(same[k]), ok)
		}
		if ok {
			if known++; !same[k][x] {
				t.Errorf("input %d is %d, waves have %v", k, x, same[k])
			}
		}
	}
	if known < 12 {
		t.Errorf("%d inputs are known", known)
	}
}
