package randprog

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unsafe"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// A Case is a launch of a function, ready to run on any engine.
type Case struct {
	Func    *ir.Func // shared: engines get copies
	Grid    [3]uint32
	Block   [3]uint32
	Param   []byte
	Buffers []Buffer // their addresses are Launch.Values, in turn, after Values
	Values  []uint64
	Dynamic uint32
	Narrow  bool // addresses have 32 bits
	// Params, if set, receives the addresses of the buffers and returns the parameters.
	Params func(addrs []uint64) []byte
	Setup  func(w *sim.Wave)
	// Track, Races and Ways are those of sim.Launch, for instrumented functions. They need
	// one worker. Races, if set, makes the detector of one run.
	Track bool
	Races func() sim.RaceDetector
	Ways  int
	// Recorder, if set, returns sim.Launch.Recorder, and a function that describes the launch
	// after its end. It needs one worker.
	Recorder func(workers int) (r sim.Recorder, result func() string)
}

// A Buffer is an allocation of global memory.
type Buffer struct {
	Name     string
	Data     []byte // initial content
	ReadOnly bool
}

// An Outcome holds all visible results of a run.
type Outcome struct {
	Err      error // of Compile
	Buffers  [][]byte
	Fault    string
	Code     string // of the fault
	Findings []string
	Text     string // printed
	Stats    sim.Stats
	Trace    []Step // in lockstep
}

// A Step is the state of a wave at a point at which all engines stop.
type Step struct {
	Block  uint64
	Wave   int
	Live   lane.Mask
	Places []Front // the places of its lanes, by block
	Clock  uint64  // instructions
	Hash   uint64
	Frame  []byte // the guest's registers; of one step only
}

// A Front is a set of lanes that go on at a block, or wait at its end.
type Front struct {
	PC    int
	Lanes lane.Mask
	Wait  bool
}

func (p Front) String() string {
	what := "block"
	if p.Wait {
		what = "the end of block"
	}
	return fmt.Sprintf("%s %d: %#x", what, p.PC, uint64(p.Lanes))
}

// Mode selects the way in which a case runs.
type Mode struct {
	Workers int
	// Lockstep, if not 0, makes the engine stop after this number of instructions, again and
	// again, and records the registers of the lanes that have not exited. It needs one
	// worker.
	Lockstep int
	// Turns, if not 0, makes the engine stop after this number of instructions and go on. An
	// engine with several parts, as machine code and interpreter, then switches between them
	// at all blocks. It needs one worker.
	Turns   int
	Hints   bool          // sim.Launch.Hints
	Absent  sim.Policy    // the results of reads of absent lanes
	Timeout time.Duration // 0: a minute
	keep    int           // in lockstep, the step with registers that are kept
	Edit    func(*sim.Launch)
}

// seedOfHash is one seed for all runs of a process.
var seedOfHash = maphash.MakeSeed()

// Run runs a case on an engine.
func (c *Case) Run(e sim.Engine, m Mode) *Outcome {
	o := &Outcome{}
	fn := *c.Func
	prog, err := e.Compile(&fn)
	if err != nil {
		o.Err = err
		return o
	}
	mem := sim.NewMemory()
	if c.Narrow {
		mem = sim.NewMemory32()
	}
	values := append([]uint64(nil), c.Values...)
	var addrs []uint64
	for i := range c.Buffers {
		b := &c.Buffers[i]
		data := bytes.Clone(b.Data)
		a := mem.Add(b.Name, data)
		a.ReadOnly = b.ReadOnly
		addrs = append(addrs, a.Base)
		o.Buffers = append(o.Buffers, data)
	}
	values = append(values, addrs...)
	param := c.Param
	if c.Params != nil {
		param = c.Params(addrs)
	}
	var text bytes.Buffer
	if m.Timeout == 0 {
		m.Timeout = time.Minute
	}
	if m.Lockstep > 0 {
		m.Workers = 1
		prog = newStepper(prog, c.Func, m.Lockstep, o, m.keep)
	}
	if m.Turns > 0 {
		m.Workers = 1
		prog = newStepper(prog, c.Func, m.Turns, nil, 0)
	}
	l := &sim.Launch{Func: &fn, Program: prog, Grid: c.Grid, Block: c.Block, Memory: mem, Storage: sim.Spare(), Param: param, Values: values, Dynamic: c.Dynamic,
		Heap: 1 << 16, Stack: 1 << 12, Stdout: &text, Workers: max(m.Workers, 1), Limits: sim.Limits{Timeout: m.Timeout}, Hooks: sim.Hooks{Setup: c.Setup}}
	if c.Track {
		l.Track, l.Ways, l.Workers = true, c.Ways, 1
		if c.Races != nil {
			l.Races = c.Races()
		}
	}
	l.Hints, l.Undefined = m.Hints, m.Absent
	var recorded func() string
	if c.Recorder != nil {
		l.Workers = 1
		l.Recorder, recorded = c.Recorder(1)
	}
	if m.Edit != nil {
		m.Edit(l)
	}
	var list diag.List
	o.Stats, list, err = sim.Run(context.Background(), l)
	for _, d := range list {
		o.Findings = append(o.Findings, describe(d))
	}
	o.Text = text.String()
	if recorded != nil {
		o.Text += recorded()
	}
	if err != nil {
		o.Fault = err.Error()
		if d := diag.Of(err); len(d) > 0 {
			o.Code = d[0].Code
			o.Fault = describe(d[0])
		}
	}
	return o
}

// describe returns all parts of a diagnostic.
func describe(d *diag.Diagnostic) string {
	return fmt.Sprintf("%s lanes %q block %v wave %d blocks %d count %d: %v; %s; %v", d.Code, d.Lanes, d.Block, d.Wave, d.Blocks, d.Count, d, d.Remedy, d.Related)
}

// stepper runs a program in steps and reads the registers after each one. A step ends with
// the basic block in which the wave, in all its fragments, has run the number of instructions
// of a step. Engines run the same blocks in the same order, but stop at different places.
type stepper struct {
	prog  sim.Program
	every int
	o     *Outcome
	regs  []ir.Ref
	left  map[*sim.Wave]int
	steps int
	ends  map[*sim.Wave]int // steps of lanes that go on
	keep  int               // the step with registers that are kept
	frame []byte
}

func newStepper(prog sim.Program, f *ir.Func, every int, o *Outcome, keep int) *stepper {
	return &stepper{prog: prog, every: every, o: o, keep: keep, regs: registers(f), left: map[*sim.Wave]int{}, ends: map[*sim.Wave]int{}}
}

// InSteps makes a program stop in lockstep as Mode.Lockstep does, and records the state of
// its waves in o.Trace. It is for one launch with one worker.
func InSteps(prog sim.Program, f *ir.Func, every int, o *Outcome) sim.Program {
	return newStepper(prog, f, every, o, 0)
}

// homer is a program that keeps registers outside of the frame.
type homer interface{ Home(w *sim.Wave) }

// Specialise is the program's method.
func (s *stepper) Specialise(l *sim.Launch) (sim.Program, error) {
	if p, ok := s.prog.(sim.Specialiser); ok {
		prog, err := p.Specialise(l)
		if err != nil {
			return nil, err
		}
		s.prog = prog
	}
	return s, nil
}

// FrameBytes is the program's method.
func (s *stepper) FrameBytes() uint32 {
	if p, ok := s.prog.(sim.FrameSizer); ok {
		return p.FrameBytes()
	}
	return 0
}

// Start is the program's method.
func (s *stepper) Start(w *sim.Wave) {
	s.left[w] = s.every
	if p, ok := s.prog.(sim.Starter); ok {
		p.Start(w)
	}
}

func (s *stepper) Run(w *sim.Wave) sim.Stop {
	rest := max(0, w.Budget-s.left[w])
	w.Budget -= rest
	before := w.Budget
	stop := s.prog.Run(w)
	s.left[w] -= before - w.Budget
	w.Budget += rest
	if stop == sim.StopFault || s.left[w] > 0 || w.Live == 0 {
		return stop // a wave that has ended has no registers
	}
	s.left[w] = s.every
	if s.o != nil {
		s.note(w, stop)
	}
	switch stop {
	case sim.StopExit, sim.StopMeet, sim.StopBar:
		return stop
	}
	if s.ends[w]++; s.ends[w]%asideEvery == 0 {
		join(w)
		return sim.StopBudget // lanes that only wait must let other lanes go on
	}
	if stop == sim.StopBudget && rest > 0 {
		return sim.StopLimit // the fragment is not deferred for it
	}
	return stop
}

// asideEvery is the number of steps of a wave after which the running lanes are deferred:
// before lanes that only look have looked so often that the wave's time slice ends.
const asideEvery = 13

// join merges lanes that are at the same place with the running ones, as machine code does at
// once. Otherwise deferral would depend on the engine that put them there.
func join(w *sim.Wave) {
	var others []Front
	w.TakeFragments(func(pc int, lanes lane.Mask) {
		if pc == w.PC {
			w.Active |= lanes
			return
		}
		others = append(others, Front{PC: pc, Lanes: lanes})
	})
	for _, p := range others {
		w.AddFragment(p.PC, p.Lanes)
	}
}

// note records the place and the registers of a wave.
func (s *stepper) note(w *sim.Wave, stop sim.Stop) {
	if h, ok := s.prog.(homer); ok {
		h.Home(w)
	}
	st := Step{Block: w.Number(), Wave: w.ID, Live: w.Live, Clock: w.Clock}
	add := func(wait bool) func(pc int, lanes lane.Mask) {
		return func(pc int, lanes lane.Mask) {
			for i := range st.Places {
				if p := &st.Places[i]; p.PC == pc && p.Wait == wait {
					p.Lanes |= lanes
					return
				}
			}
			st.Places = append(st.Places, Front{pc, lanes, wait})
		}
	}
	w.AllFragments(add(false))
	if w.Active != 0 {
		add(false)(w.PC, w.Active)
	}
	w.EachParked(add(true))
	slices.SortFunc(st.Places, func(a, b Front) int {
		if a.PC != b.PC {
			return cmp.Compare(a.PC, b.PC)
		}
		return cmp.Compare(a.Lanes.First(), b.Lanes.First())
	})
	frame := s.guest(w)
	st.Hash = maphash.Bytes(seedOfHash, frame)
	if s.steps == s.keep {
		st.Frame = bytes.Clone(frame)
	}
	s.steps++
	s.o.Trace = append(s.o.Trace, st)
}

// guest returns the part of the frame with the guest's registers, with 0 in lanes that have
// exited. It is valid until the next step.
func (s *stepper) guest(w *sim.Wave) []byte {
	n := w.Func.GuestSize
	s.frame = append(s.frame[:0], unsafe.Slice((*byte)(w.Base), n)...)
	gone := lane.All(w.Func.Lanes) &^ w.Live
	if gone == 0 {
		return s.frame
	}
	for _, r := range s.regs {
		v := w.Func.Val(r)
		switch {
		case v.Scalar:
		case v.Type == ir.B1:
			p := s.frame[v.Off:]
			binary.LittleEndian.PutUint64(p, binary.LittleEndian.Uint64(p)&uint64(w.Live))
		default:
			n := v.Type.Bytes()
			for i := range gone.Lanes() {
				at := v.Off + uint32(i)*n
				clear(s.frame[at : at+n])
			}
		}
	}
	return s.frame
}

// registers returns the guest's values.
func registers(f *ir.Func) []ir.Ref {
	var l []ir.Ref
	for i := 1; i < len(f.Values); i++ {
		if f.Values[i].Kind == ir.Guest {
			l = append(l, ir.Ref(i))
		}
	}
	return l
}

// Diff returns the difference between two outcomes of a case; "" if they are equal.
func (c *Case) Diff(want, got *Outcome, m Mode) string {
	switch {
	case want.Err != nil && got.Err != nil:
		return ""
	case want.Err != nil || got.Err != nil:
		return fmt.Sprintf("compiling: want %v, got %v", want.Err, got.Err)
	case m.Workers > 1 && want.Code != "" && got.Code == want.Code:
		// Other blocks may have run or not.
		if want.Fault != got.Fault {
			return fmt.Sprintf("fault: want %s\n       got %s", want.Fault, got.Fault)
		}
		return ""
	case want.Fault != got.Fault:
		return fmt.Sprintf("fault: want %s\n       got %s", or(want.Fault, "none"), or(got.Fault, "none"))
	}
	for i := range max(len(want.Trace), len(got.Trace)) {
		if i >= len(want.Trace) || i >= len(got.Trace) {
			return fmt.Sprintf("%d steps, want %d", len(got.Trace), len(want.Trace))
		}
		if d := c.diffStep(&want.Trace[i], &got.Trace[i]); d != "" {
			return fmt.Sprintf("step %d: %s", i, d)
		}
	}
	for i := range want.Buffers {
		a, b := want.Buffers[i], got.Buffers[i]
		if !bytes.Equal(a, b) {
			at := 0
			for a[at] == b[at] {
				at++
			}
			at &^= 7
			return fmt.Sprintf("buffer %s at byte %d: got % x, want % x", c.Buffers[i].Name, at, b[at:min(at+8, len(b))], a[at:min(at+8, len(a))])
		}
	}
	if a, b := strings.Join(want.Findings, "\n"), strings.Join(got.Findings, "\n"); a != b {
		return fmt.Sprintf("findings: got %q, want %q", b, a)
	}
	if want.Text != got.Text {
		return fmt.Sprintf("printed %q, want %q", got.Text, want.Text)
	}
	// The share of machine code may differ between engines.
	if a, b := want.Stats, got.Stats; a.WaveInstructions != b.WaveInstructions || a.LaneInstructions != b.LaneInstructions || a.Blocks != b.Blocks {
		return fmt.Sprintf("counts: got %+v, want %+v", got.Stats, want.Stats)
	}
	return ""
}

func or(s, none string) string {
	if s == "" {
		return none
	}
	return s
}

// diffStep compares two steps.
func (c *Case) diffStep(a, b *Step) string {
	place := fmt.Sprintf("block %d wave %d", a.Block, a.Wave)
	switch {
	case a.Block != b.Block || a.Wave != b.Wave:
		return fmt.Sprintf("%s: got block %d wave %d", place, b.Block, b.Wave)
	case !slices.Equal(a.Places, b.Places):
		return fmt.Sprintf("%s after %d instructions: lanes are at %v, want %v", place, a.Clock, b.Places, a.Places)
	case a.Live != b.Live:
		return fmt.Sprintf("%s: lanes %#x have not exited, want %#x", place, uint64(b.Live), uint64(a.Live))
	case a.Clock != b.Clock:
		return fmt.Sprintf("%s at %v: %d instructions, want %d", place, a.Places, b.Clock, a.Clock)
	case a.Hash == b.Hash:
		return ""
	case a.Frame == nil || b.Frame == nil:
		return fmt.Sprintf("%s at %v: the registers differ", place, a.Places)
	}
	for _, r := range registers(c.Func) {
		v := c.Func.Val(r)
		n := 1
		if !v.Scalar && v.Type != ir.B1 {
			n = c.Func.Lanes
		}
		for i := range n {
			x, y := sim.Element(v, unsafe.Pointer(&a.Frame[v.Off]), i), sim.Element(v, unsafe.Pointer(&b.Frame[v.Off]), i)
			if v.Type == ir.B1 && !v.Scalar {
				x, y = binary.LittleEndian.Uint64(a.Frame[v.Off:]), binary.LittleEndian.Uint64(b.Frame[v.Off:])
			}
			if x != y {
				return fmt.Sprintf("%s at %v: %s lane %d is %#x, want %#x", place, a.Places, v.Name, i, y, x)
			}
		}
	}
	return "registers differ"
}

// Case returns the launch of the program.
func (p *Program) Case() (*Case, error) {
	f, err := p.Func()
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(p.Seed, 0x646174))
	fill := func(n int) []byte {
		var b []byte
		for len(b) < n {
			if r.IntN(2) == 0 {
				b = binary.LittleEndian.AppendUint64(b, enginetest.RandomValue(r, ir.B64))
			} else {
				b = binary.LittleEndian.AppendUint32(b, uint32(enginetest.RandomValue(r, ir.B32)))
				b = binary.LittleEndian.AppendUint32(b, uint32(enginetest.RandomValue(r, ir.B32)))
			}
		}
		return b
	}
	block := [3]uint32{p.Block, 1, 1}
	if p.Wide > 0 {
		block = [3]uint32{p.Wide, p.Block / p.Wide, 1}
	}
	return &Case{
		Func: f, Grid: [3]uint32{p.Grid, 1, 1}, Block: block, Param: fill(paramBytes),
		Buffers: []Buffer{
			{Name: "in", Data: fill(inBytes), ReadOnly: true},
			{Name: "out", Data: make([]byte, p.Grid*p.lanesOfBlock()*maxSlots*slotBytes)},
			{Name: "own", Data: fill(int(p.Grid) * ownBytes)},
			{Name: "acc", Data: make([]byte, accBytes)},
		},
	}, nil
}

// ErrProgram is the error for a Program that cannot be built.
var ErrProgram = errors.New("no program")

// Differs runs the program on two engines and returns the difference; "" if there is none.
func (p *Program) Differs(want, got sim.Engine, m Mode) (string, error) {
	c, err := p.Case()
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrProgram, err)
	}
	ref := m
	ref.Workers = 1
	a := c.Run(want, ref)
	if a.Err != nil {
		return "", fmt.Errorf("%w: %w", ErrProgram, a.Err)
	}
	return c.Compare(want, a, got, m), nil
}

// Compare runs the case on an engine and returns the difference from a known outcome of
// another one; "" if there is none.
func (c *Case) Compare(ref sim.Engine, want *Outcome, e sim.Engine, m Mode) string {
	got := c.Run(e, m)
	d := c.Diff(want, got, m)
	if d == "" || m.Lockstep == 0 {
		return d
	}
	// To find the register that differs, both run again up to this step.
	for i := range min(len(want.Trace), len(got.Trace)) {
		if c.diffStep(&want.Trace[i], &got.Trace[i]) != "" {
			m.keep = i
			if d := c.Diff(c.Run(ref, m), c.Run(e, m), m); d != "" {
				return d
			}
			break
		}
	}
	return d
}
