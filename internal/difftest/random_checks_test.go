package difftest

import (
	"fmt"
	"math/bits"

	"example.org/crosslane/internal/check/poison"
	"example.org/crosslane/internal/check/race"
	"example.org/crosslane/internal/check/why"
	"example.org/crosslane/internal/engine/enginetest/randprog"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/profile"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// Random programs also run instrumented. The engines then receive different code: registers have
// sets of undefined bits, and Go may read any of these registers.

// A checking is the instrumentation of a program.
type checking uint8

const (
	unchecked checking = iota
	undefined          // undefined bits are tracked
	raced              // and accesses to memory are tracked
	paths              // undefined bits, and the path on which they come
	profiled           // instructions and accesses are counted
	recorded           // all registers are read between instructions
	checkings
)

func (k checking) String() string {
	return [...]string{"", "undefined bits", "races", "the ways of undefined bits", "its profile", "its record"}[k]
}

// of returns the case with its instrumentation.
func (k checking) of(c *randprog.Case) *randprog.Case {
	if k == unchecked {
		return c
	}
	x := *c
	switch k {
	case profiled:
		f, plan := profile.Instrument(x.Func)
		x.Func, x.Recorder = f, func(workers int) (sim.Recorder, func() string) {
			r := profile.NewRecorder(plan, workers)
			return r, func() string { return fmt.Sprint(r.Counts()) }
		}
		return &x
	case recorded:
		f, _ := why.Instrument(x.Func)
		f.Met = false // else there would be no machine code
		x.Func, x.Recorder = f, func(int) (sim.Recorder, func() string) {
			r := &record{}
			return r, func() string { return fmt.Sprintf("%d records, %x", r.n, r.sum) }
		}
		return &x
	case raced:
		x.Func, x.Races = race.Track(x.Func), func() sim.RaceDetector { return race.NewDetector(64 << 20) }
	case paths:
		x.Ways = 1 << 10
	}
	x.Track = true
	x.Func, _ = poison.Track(x.Func, poison.Options{Way: k == paths})
	return &x
}

// checkedBy returns the instrumentation for the program of a seed. Most programs have none.
func checkedBy(seed uint64) checking {
	return map[uint64]checking{0: undefined, 1: undefined, 2: raced, 3: paths, 4: profiled, 5: recorded}[seed/3072%32]
}

// A record is a sim.Recorder that reads all registers of the lanes in each call.
type record struct {
	n, sum, looks uint64
}

func (r *record) Start(w *sim.Wave) { r.add(w, 1) }

func (*record) Met(*sim.Wave, []sim.Meeting, lane.Mask, lane.Mask) {}

func (r *record) Wrote(w *sim.Wave, in *ir.Inst, lane int, space ir.Space, addr, n uint64) {
	r.add(w, 3, uint64(in.Pos), uint64(lane), uint64(space), addr, n)
}

func (r *record) Read(w *sim.Wave, in *ir.Inst, lane int, space ir.Space, addr, n uint64) {
	r.add(w, 4, uint64(in.Pos), uint64(lane), uint64(space), addr, n)
}

func (r *record) Record(w *sim.Wave, in *ir.Inst, lanes lane.Mask) {
	r.add(w, 5, in.Imm, uint64(lanes))
	for _, x := range w.Func.Recorded[in.Imm] {
		r.value(w, x, lanes)
	}
	r.registers(w, lanes)
}

// registers adds all registers of some lanes to the sum. In long runs it does so only sometimes.
func (r *record) registers(w *sim.Wave, lanes lane.Mask) {
	if r.looks++; r.looks > 200 && r.looks%61 != 0 {
		return
	}
	for i := 1; i < len(w.Func.Values); i++ {
		if w.Func.Values[i].Kind == ir.Guest {
			r.value(w, ir.Ref(i), lanes)
		}
	}
}

// value adds one value.
func (r *record) value(w *sim.Wave, x ir.Ref, lanes lane.Mask) {
	switch v := w.Func.Val(x); {
	case v.Scalar:
		r.add(w, w.Get(x, 0))
	case v.Type == ir.B1:
		r.add(w, uint64(w.Mask(x)&lanes))
	default:
		for l := range lanes.Lanes() {
			r.add(w, w.Get(x, l))
		}
	}
}

// add adds the facts of an event in a wave to the sum.
func (r *record) add(w *sim.Wave, what ...uint64) {
	const odd = 0x9e3779b97f4a7c15
	r.n++
	sum := r.sum ^ w.Number()<<8 ^ uint64(w.ID)
	for _, x := range what {
		sum = bits.RotateLeft64((sum^x)*odd, 29)
	}
	r.sum = sum
}
