package race

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// TestEvents gives the detector short lists of events, without a run, and compares the codes of its
// findings. Most races have a twin: the same events and one that orders the accesses.
//
// An event is "BLOCK.WAVE:LANES OPERATION PLACE". Without lanes all lanes of the wave do it. A place is s0,
// s1, … (words of shared memory) or g0, g1, … (words of a buffer). The operations are those of events.
func TestEvents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, events, want string
	}{
		// One wave, from sm_70 on.
		{"a lane reads its own store", "0.0:1 st s0; 0.0:1 ld s0", ""},
		{"a lane reads the store of another lane", "0.0:1 st s0; 0.0:2 ld s0", CodeShared},
		{"a lane overwrites the read of another lane", "0.0:1 ld s0; 0.0:2 st s0", CodeShared},
		{"two lanes read", "0.0:1 ld s0; 0.0:2 ld s0", ""},
		{"neighbours", "0.0:1 st s0; 0.0:2 st s1; 0.0:1 ld s0", ""},
		{"a store and bar.warp.sync", "0.0:1 st s0; 0.0 sync; 0.0:2 ld s0", ""},
		{"bar.warp.sync without the writer", "0.0:1 st s0; 0.0:2-3 sync; 0.0:2 ld s0", CodeShared},
		{"all lanes store one value", "0.0 st s0", CodeSameValue},
		{"lanes store different values", "0.0 num s0", CodeShared},
		// Below sm_70, lanes run in step.
		{"lockstep: a lane reads the store of another lane", "step; 0.0:1 st s0; 0.0:2 ld s0", ""},
		{"lockstep: another wave reads it", "step; 0.0:1 st s0; 0.1:2 ld s0", CodeShared},
		// Barriers of the block.
		{"two waves", "0.0:0 st s0; 0.1:0 ld s0", CodeShared},
		{"two waves and a barrier", "0.0:0 st s0; 0.0 arrive; 0.1 arrive; 0 open; 0.0 leave; 0.1 leave; 0.1:0 ld s0", ""},
		{"a store after the barrier", "0.0 arrive; 0.1 arrive; 0 open; 0.0 leave; 0.1 leave; 0.0:0 st s0; 0.1:0 ld s0", CodeShared},
		{"bar.arrive orders the accesses before it", "0.0:0 st s0; 0.0 arrive; 0.1 arrive; 0 open; 0.1 leave; 0.1:0 ld s0", ""},
		{"bar.arrive learns nothing", "0.0:0 st s0; 0.0 arrive; 0.1 arrive; 0 open; 0.0 leave; 0.1:0 ld s0", CodeShared},
		{"lanes that have exited, and a barrier of the block", "0.0:0 st s0; 0.0 exit; 0.1 arrive; 0 open; 0.1 leave; 0.1:0 ld s0", ""},
		{"lanes that have exited, and a barrier with a count", "0.0:0 st s0; 0.0 exit; 0.1 arrive; 0 opencount; 0.1 leave; 0.1:0 ld s0", CodeShared},
		{"a barrier orders global memory in the block", "0.0:0 st g0; 0.0 arrive; 0.1 arrive; 0 open; 0.1 leave; 0.1:0 st g0", ""},
		{"a later block has new shared memory", "0.0:0 st s0; 0 start 1; 0.1:0 ld s0", ""},
		{"a later block has the same buffer", "0.0:0 st g0; 0 start 1; 0.1:0 ld g0", CodeGlobal},
		// Blocks, atomics, and signals.
		{"two blocks", "0.0:0 st g0; 1.0:0 ld g0", CodeGlobal},
		{"two blocks read", "0.0 ld g0; 1.0 ld g0", ""},
		{"atomics of two blocks", "0.0 add g0; 1.0 add g0", ""},
		{"an atomic and a store", "0.0 add g0; 1.0:0 st g0", CodeGlobal},
		{"a scope that is too narrow", "0.0:0 add.cta g0; 1.0:0 add.cta g0", CodeGlobal},
		{"a narrow scope in one block", "0.0:0 add.cta g0; 0.1:0 add.cta g0", ""},
		{"release and acquire", "0.0:0 st g0; 0.0:0 st.release g1; 1.0:0 ld.acquire g1; 1.0:0 ld g0", ""},
		{"release and a relaxed load", "0.0:0 st g0; 0.0:0 st.release g1; 1.0:0 ld.relaxed g1; 1.0:0 ld g0", CodeGlobal},
		{"release, a relaxed load and a fence", "0.0:0 st g0; 0.0:0 st.release g1; 1.0:0 ld.relaxed g1; 1.0:0 fence; 1.0:0 ld g0", ""},
		{"a relaxed store", "0.0:0 st g0; 0.0:0 st.relaxed g1; 1.0:0 ld.acquire g1; 1.0:0 ld g0", CodeGlobal},
		{"a fence and a relaxed store", "0.0:0 st g0; 0.0:0 fence; 0.0:0 st.relaxed g1; 1.0:0 ld.acquire g1; 1.0:0 ld g0", ""},
		{"a fence of the block only", "0.0:0 st g0; 0.0:0 fence.cta; 0.0:0 st.relaxed g1; 1.0:0 ld.acquire g1; 1.0:0 ld g0", CodeGlobal},
		{"a store between fence and signal", "0.0:0 fence; 0.0:0 st g0; 0.0:0 st.relaxed g1; 1.0:0 ld.acquire g1; 1.0:0 ld g0", CodeGlobal},
		{"an acquire elsewhere", "0.0:0 st g0; 0.0:0 st.release g1; 1.0:0 ld.acquire g2; 1.0:0 ld g0", CodeGlobal},
		{"an acquire by another lane", "0.0:0 st g0; 0.0:0 st.release g1; 1.0:1 ld.acquire g1; 1.0:0 ld g0", CodeGlobal},
		{"a chain of blocks", "0.0:0 st g0; 0.0:0 st.release g1; 1.0:0 ld.acquire g1; 1.0:0 st.release g2; 2.0:0 ld.acquire g2; 2.0:0 st g0", ""},
		{"an atomic continues the release", "0.0:0 st g0; 0.0:0 st.release g1; 1.0:0 add g1; 2.0:0 ld.acquire g1; 2.0:0 ld g0", ""},
		{"a store ends the release", "0.0:0 st g0; 0.0:0 st.release g1; 1.0:0 st.relaxed g1; 2.0:0 ld.acquire g1; 2.0:0 ld g0", CodeGlobal},
		// Copies in progress.
		{"a copy is not waited for", "0.0:0 cp s0; 0.0:0 commit; 0.0:0 ld s0", CodeShared},
		{"a copy is waited for", "0.0:0 cp s0; 0.0:0 commit; 0.0:0 wait0; 0.0:0 ld s0", ""},
		{"the wait leaves one group open", "0.0:0 cp s0; 0.0:0 commit; 0.0:0 wait1; 0.0:0 ld s0", CodeShared},
		{"the wait leaves the later group open", "0.0:0 cp s0; 0.0:0 commit; 0.0:0 cp s1; 0.0:0 commit; 0.0:0 wait1; 0.0:0 ld s0", ""},
		{"another lane waits", "0.0:0 cp s0; 0.0:0 commit; 0.0:1 wait0; 0.0 sync; 0.0:1 ld s0", CodeShared},
		{"a wait and bar.warp.sync", "0.0:0 cp s0; 0.0:0 commit; 0.0:0 wait0; 0.0 sync; 0.0:1 ld s0", ""},
		// Data that must not change.
		{"data are read as constant and written", "0.0:0 nc g0; 0.0:0 st g0", CodeReadOnlyWritten},
		{"data were written in another block", "1.0:0 st g0; 0.0:0 nc g0", CodeReadOnlyWritten},
		{"other data are written", "0.0:0 nc g0; 0.0:0 st g1", ""},
		// Operations that the simulator does itself.
		{"an operation reads", "0.0:0 st s0; 0.1:1 opld s0", CodeShared},
		{"an operation writes", "0.0:0 ld s0; 0.1:1 opst s0", CodeShared},
		{"an operation after a barrier", "0.0:0 st s0; 0.0 arrive; 0.1 arrive; 0 open; 0.1 leave; 0.1:1 opld s0", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := codesOf(t, c.events); got != c.want {
				t.Errorf("%s:\nfindings %q, want %q", c.events, got, c.want)
			}
		})
	}
}

// TestLimit checks that a detector without memory reports it once and then looks for nothing.
func TestLimit(t *testing.T) {
	t.Parallel()
	s := newStage("")
	s.d.limit = 100
	for range 3 {
		s.event(t, "0.0:0 st g0")
		s.event(t, "1.0:0 st g0")
	}
	if got := s.codes(); got != CodeLimit {
		t.Errorf("findings %q, want %q", got, CodeLimit)
	}
	if s.notes[CodeLimit] != 1 {
		t.Errorf("the limit is reported %d times", s.notes[CodeLimit])
	}
	if x := s.blocks[0].waves[0].Operation(ir.Inst{}, ir.AccessRead); x != nil {
		t.Error("the accesses of an operation are still taken")
	}
}

// A stage stands in for a launch: three blocks of two waves of 32 lanes, and a buffer of 16 words.
type stage struct {
	d      *Detector
	buffer *sim.Alloc
	blocks []*block
	notes  map[string]int // how often each code was noted
	pos    int32          // of the next event
}

// The values of the stage's function.
const (
	stageAddr  ir.Ref = 1 + iota // a vector of B64
	stageValue                   // a vector of B32
)

func newStage(events string) *stage {
	f := &ir.Func{Name: "k", Lanes: 32, MeetAnywhere: !strings.Contains(events, "step;"),
		Values: []ir.Value{{}, {Name: "addr", Type: ir.B64}, {Name: "value", Type: ir.B32, Off: 256}}}
	for i := range strings.Count(events, ";") + 8 {
		f.Pos = append(f.Pos, ir.Pos{Line: i + 1, Name: "event"})
	}
	s := &stage{d: NewDetector(1 << 20), notes: map[string]int{}}
	s.d.note = func(_ *sim.Wave, code string, _ int32, f sim.Finding) { s.notes[code]++ }
	mem := sim.NewMemory()
	s.buffer = mem.Add("g", make([]byte, 64))
	k := &sim.Worker{Launch: &sim.Launch{Func: f, Grid: [3]uint32{3, 1, 1}, Block: [3]uint32{64, 1, 1}, Memory: mem, Checks: sim.Checks{Races: s.d}}}
	for n := range uint64(3) {
		b := &sim.Block{Worker: k, Shared: make([]byte, 64)}
		for i := range 2 {
			w := &sim.Wave{Block: b, ID: i, ValueFrame: sim.ValueFrame{Func: f, Base: unsafe.Pointer(&make([]uint64, 48)[0])}, Mem: mem}
			w.Live = lane.All(32)
			b.Waves = append(b.Waves, w)
		}
		races := s.d.Block(b).(*block)
		races.Start(n)
		s.blocks = append(s.blocks, races)
	}
	return s
}

// codesOf returns the codes that the detector notes for a list of events, in order of the alphabet.
func codesOf(t *testing.T, events string) string {
	t.Helper()
	s := newStage(events)
	for e := range strings.SplitSeq(events, ";") {
		if e = strings.TrimSpace(e); e != "step" {
			s.event(t, e)
		}
	}
	return s.codes()
}

func (s *stage) codes() string { return strings.Join(slices.Sorted(maps.Keys(s.notes)), " ") }

// events are the Access operations of the events. Those without a size have no place.
var events = map[string]ir.Inst{
	"ld":         {Size: 4, Align: uint16(ir.AccessRead)},
	"st":         {Size: 4, Align: uint16(ir.AccessWrite)},
	"num":        {Size: 4, Align: uint16(ir.AccessWrite)}, // each lane stores its number
	"ld.relaxed": {Size: 4, Align: uint16(ir.AccessRead), Order: ir.Strong | ir.Device},
	"ld.acquire": {Size: 4, Align: uint16(ir.AccessRead), Order: ir.Strong | ir.Device | ir.Acquire},
	"st.relaxed": {Size: 4, Align: uint16(ir.AccessWrite), Order: ir.Strong | ir.Device},
	"st.release": {Size: 4, Align: uint16(ir.AccessWrite), Order: ir.Strong | ir.Device | ir.Release},
	"add":        {Size: 4, Align: uint16(ir.AccessUpdate), Order: ir.Strong | ir.Device},
	"add.cta":    {Size: 4, Align: uint16(ir.AccessUpdate), Order: ir.Strong | ir.InBlock},
	"cp":         {Size: 4, Align: uint16(ir.AccessWrite), Order: ir.Async},
	"fence":      {Order: ir.Acquire | ir.Release | ir.Device},
	"fence.cta":  {Order: ir.Acquire | ir.Release},
	"commit":     {Order: ir.Async | ir.Release},
	"wait0":      {Order: ir.Async | ir.Acquire},
	"wait1":      {Order: ir.Async | ir.Acquire, Imm: 1},
}

// event gives one event to the detector.
func (s *stage) event(t *testing.T, text string) {
	t.Helper()
	where, rest, _ := strings.Cut(text, " ")
	op, place, _ := strings.Cut(rest, " ")
	owner, lanes, some := strings.Cut(where, ":")
	var n, id int
	if fields, _ := fmt.Sscanf(owner, "%d.%d", &n, &id); fields == 0 {
		t.Fatalf("%q has no block", text)
	}
	b, w := s.blocks[n], s.blocks[n].waves[id]
	m := lane.All(32)
	if some {
		var from, to int
		if fields, _ := fmt.Sscanf(lanes, "%d-%d", &from, &to); fields == 1 {
			to = from
		}
		m = lane.All(to+1) &^ lane.All(from)
	}
	in, isAccess := events[op]
	in.Op, in.Pos = ir.Access, s.pos
	s.pos++
	space, addr := ir.Shared, uint64(0)
	if place != "" {
		fmt.Sscanf(place[1:], "%d", &addr)
		if addr *= 4; place[0] == 'g' {
			space, addr = ir.Global, addr+s.buffer.Base
		}
	}
	switch op {
	case "sync":
		w.Sync(m)
	case "arrive":
		w.Arrive(0, m)
	case "leave":
		w.Leave(0, m)
	case "open":
		b.Open(0, true)
	case "opencount":
		b.Open(0, false)
	case "exit":
		w.Live &^= m
	case "start":
		var block uint64
		fmt.Sscanf(place, "%d", &block)
		b.Start(block)
	case "opld", "opst":
		kind := map[string]ir.AccessKind{"opld": ir.AccessRead, "opst": ir.AccessWrite}[op]
		x := w.Operation(ir.Inst{Op: ir.Collective, Pos: in.Pos}, kind)
		for i := range m.Lanes() {
			x.Touch(i, space, addr, 4, nil)
		}
		x.End()
	default:
		if in.Size > 0 || op == "nc" {
			in.Space, in.Args[0] = space, stageAddr
			for i := range 32 {
				w.Set(stageAddr, i, addr)
				w.Set(stageValue, i, 7)
				if op == "num" {
					w.Set(stageValue, i, uint64(i))
				}
			}
			if ir.AccessKind(in.Align) == ir.AccessWrite {
				in.Args[1] = stageValue
			}
		}
		switch {
		case op == "nc":
			in.Op, in.Align = ir.Claim, 4
			w.ReadOnly(&in, m)
		case isAccess:
			w.Access(&in, m)
		default:
			t.Fatalf("%q: no event %q", text, op)
		}
	}
}
