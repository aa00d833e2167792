package difftest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"example.org/crosslane/internal/check/why"
	"example.org/crosslane/internal/engine/enginetest/randprog"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	sample "example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// A moment is the state of a wave when the launch has executed some instructions.
type moment struct {
	steps  int // of all waves
	own    int // of this wave, in this block
	block  uint64
	wave   int
	live   lane.Mask
	frame  []byte
	global [][]byte
}

// watcher is an engine that runs one basic block at a time and keeps the state between some of them. It knows nothing of
// recordings: it counts the instructions by the clock of the wave.
type watcher struct {
	f       *ir.Func
	every   int
	prog    sim.Program
	steps   int
	begun   map[[2]int]int // steps by block and wave
	moments []moment
}

func (e *watcher) Name() string { return "watcher" }

func (e *watcher) Compile(f *ir.Func) (sim.Program, error) {
	var err error
	e.f = f
	e.prog, err = interp.Engine{Portable: true}.Compile(f)
	return e, err
}

func (e *watcher) Run(w *sim.Wave) sim.Stop {
	for left := w.Budget; ; {
		pc, clock := w.PC, w.Clock
		w.Budget = 1
		stop := e.prog.Run(w)
		e.steps += int(w.Clock - clock)
		e.begun[[2]int{int(w.Number()), w.ID}] += int(w.Clock - clock)
		left -= max(1-w.Budget, 1)
		if stop != sim.StopBudget {
			w.Budget = left
			return stop
		}
		if e.f.Code[e.f.Blocks[w.PC].Start].First && e.steps%e.every == 0 && len(e.moments) < 400 {
			e.keep(w)
		}
		switch {
		case left <= 0:
			w.Budget = left
			return stop
		case w.PC >= w.Limit || w.PC <= pc && w.StopBack:
			w.Budget = left
			return sim.StopLimit
		}
	}
}

func (e *watcher) keep(w *sim.Wave) {
	m := moment{steps: e.steps, own: e.begun[[2]int{int(w.Number()), w.ID}], block: w.Number(), wave: w.ID, live: w.Live}
	m.frame = bytes.Clone(unsafe.Slice((*byte)(w.Base), e.f.GuestSize))
	for _, a := range w.Mem.All() {
		m.global = append(m.global, bytes.Clone(a.Data))
	}
	e.moments = append(e.moments, m)
}

// recordedRun runs a program and returns the record of all its blocks, and the outcome.
func recordedRun(c *randprog.Case, limit int64, from int) (*why.History, *randprog.Outcome) {
	x := *c
	fn, plan := why.InstrumentSteps(c.Func)
	x.Func = fn
	h := &why.History{Plan: plan, Blocks: map[uint64]bool{}, Limit: limit}
	h.From = from
	for b := range uint64(c.Grid[0]) * uint64(c.Grid[1]) * uint64(c.Grid[2]) {
		h.Blocks[b] = true
	}
	x.Recorder = func(int) (sim.Recorder, func() string) { return h, func() string { return "" } }
	return h, x.Run(interp.Engine{}, randprog.Mode{})
}

// TestRecordedStates compares the registers of all waves and global memory, before random steps of random programs, with
// those of a run that is stepped block by block.
func TestRecordedStates(t *testing.T) {
	t.Parallel()
	for _, s := range sources() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			compared, programs, other := 0, 0, 0
			for seed := range uint64(sample.Of(160, 24)) {
				m, err := s.make(seed)
				if err != nil || lateLoads(m.text()) {
					continue // recordings hold the intended values
				}
				switch n := recordedStates(t, seed, m); {
				case n > 0:
					compared += n
					programs++
				case n < 0:
					other++
				}
				if t.Failed() {
					return
				}
			}
			t.Logf("%d states of %d programs", compared, programs)
			if compared < 100 || other > programs/10 {
				t.Errorf("only %d states were compared; %d of %d programs run in another order when they are stepped", compared, other, programs)
			}
		})
	}
}

// lateLoads reports whether the loads of a program in GCN3 arrive as late as possible.
func lateLoads(text string) bool {
	var seed, grid, block, mode uint32
	_, err := fmt.Sscanf(text, "; seed %d grid %d block %d mode %d", &seed, &grid, &block, &mode)
	return err == nil && mode&late != 0
}

func recordedStates(t *testing.T, seed uint64, m made) int {
	e := &watcher{every: 1 + int(seed%7), begun: map[[2]int]int{}}
	want := m.launch.Run(e, randprog.Mode{})
	h, got := recordedRun(m.launch, 1<<30, 0)
	if want.Err != nil || got.Err != nil || want.Code != got.Code {
		t.Fatalf("seed %d: stepped %v %s, recorded %v %s\n%s", seed, want.Err, want.Fault, got.Err, got.Fault, m.text())
	}
	// A fault counts the whole of its basic block.
	if uint64(h.Total) != got.Stats.WaveInstructions && got.Code == "" {
		t.Fatalf("seed %d: %d steps are recorded, %d are counted\n%s", seed, h.Total, got.Stats.WaveInstructions, m.text())
	}
	if h.Total != e.steps && want.Code == "" {
		return -1 // lanes that look repeatedly at memory run in another order when the run is stepped
	}
	ctx := context.Background()
	waves, err := h.Waves(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range e.moments {
		if own, err := ownSteps(ctx, h, waves, &x); err != nil || own != x.own {
			return -1 // as above
		}
		if d := differs(ctx, h, waves, &x, got); d != "" {
			t.Fatalf("seed %d: before step %d: %s\n%s", seed, x.steps, d, m.text())
		}
	}
	if d := stepsAgree(ctx, h); d != "" {
		t.Fatalf("seed %d: %s\n%s", seed, d, m.text())
	}
	return len(e.moments)
}

// stepsAgree compares what some steps say that they wrote with the registers after them.
func stepsAgree(ctx context.Context, h *why.History) string {
	first, count, err := h.Steps(ctx)
	if err != nil {
		return err.Error()
	}
	for n := first; n < first+count; n += 1 + count/60 {
		v, err := h.Step(ctx, n)
		if err != nil {
			return err.Error()
		}
		if v.Done != n {
			continue
		}
		s, err := h.State(ctx, n+1, v.Wave)
		if err != nil {
			return err.Error()
		}
		for k, x := range v.Writes {
			val := h.Plan.Func().Val(x.Ref)
			if slices.ContainsFunc(v.Writes[k+1:], func(y why.Value) bool { return h.Plan.Func().Overlap(x.Ref, y.Ref) }) {
				continue // the step writes another view of it, too
			}
			i := 0
			for l := range x.Lanes.Lanes() {
				if got := sim.Element(val, unsafe.Pointer(&s.Frame()[val.Off]), l); got != x.Bits[i] && !v.Exits.Has(l) {
					// A call that returns may write it before the next step.
					if last, err := h.LastWrite(ctx, n+1, v.Wave, x.Ref, l); err != nil || last != n {
						i++
						continue
					}
					return fmt.Sprintf("step %d (%s) writes %#x to lane %d of %s, which is %#x after it", n, h.Plan.Func().Pos[v.Pos].Name, x.Bits[i], l, val.Name, got)
				}
				i++
			}
		}
	}
	return ""
}

// ownSteps returns how many of the steps before a moment are those of its wave.
func ownSteps(ctx context.Context, h *why.History, waves []why.WaveInfo, x *moment) (int, error) {
	for i, w := range waves {
		if w.Block == x.block && w.ID == x.wave {
			steps, err := h.StepsOf(ctx, i)
			n, _ := slices.BinarySearch(steps, x.steps)
			return n, err
		}
	}
	return 0, nil
}

// differs compares the record with a moment.
func differs(ctx context.Context, h *why.History, waves []why.WaveInfo, x *moment, o *randprog.Outcome) string {
	wave := -1
	for i, w := range waves {
		if w.Block == x.block && w.ID == x.wave {
			wave = i
		}
	}
	s, err := h.State(ctx, x.steps, wave)
	if err != nil {
		return err.Error()
	}
	if f := s.Frame()[:len(x.frame)]; !bytes.Equal(f, x.frame) {
		for _, r := range s.Registers(nil) {
			v := h.Plan.Func().Val(r.Ref)
			for i, b := range r.Bits {
				if !v.Scalar && !x.live.Has(i) && h.Plan.Func().Exec == 0 {
					continue // the lane has ended, or never was
				}
				if y := sim.Element(v, unsafe.Pointer(&x.frame[v.Off]), i); y != b {
					return fmt.Sprintf("wave %d of block %d: lane %d of %s is %#x, want %#x", x.wave, x.block, i, r.Name, b, y)
				}
			}
		}
	}
	time, err := h.Time(ctx, x.steps)
	if err != nil {
		return err.Error()
	}
	_, mem := h.Launched()
	for i, a := range mem.All() {
		at := &why.MemoryAt{Space: ir.Global, Base: a.Base, Data: bytes.Clone(o.Buffers[i])}
		h.Before(at, time)
		if !bytes.Equal(at.Data, x.global[i]) {
			return fmt.Sprintf("memory %q differs", a.Name)
		}
	}
	return ""
}
