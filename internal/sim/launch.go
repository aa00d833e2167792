// Package sim holds what every engine shares: global memory, blocks, waves, the
// control flow of single lanes, the rendezvous of lanes and the barriers of
// blocks. An Engine runs the straight line; this package decides which lanes run
// next, and reports what a run finds.
//
// # Scheduling
//
// A wave is a set of fragments, each a program counter (a basic block) and the
// lanes that are there. The fragment with the lowest program counter in layout
// order runs; fragments that reach the same place merge. Structured code
// reconverges this way without annotations. A fragment that spins is put aside
// after a bounded number of instructions, so that every lane makes progress.
// Waves of a block take turns on the block's worker; blocks are taken from a
// shared counter by the workers.
package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Policy chooses the bits of an undefined cross-lane read.
type Policy uint8

// The policies.
const (
	Own    Policy = iota // the reader's own value
	Zero                 // 0
	Poison               // PoisonBits
)

// String says what the reader gets.
func (p Policy) String() string {
	return [...]string{"the reader's own value", "0", fmt.Sprintf("the pattern %#x", PoisonBits)}[p]
}

// PoisonBits is the recognisable pattern of the Poison policy.
const PoisonBits = 0xdeadbeef

// Schedule chooses the order in which lanes, waves and blocks run.
type Schedule struct {
	// Random chooses at random, from Seed, which fragment of a wave runs and for how
	// long, which wave, which block, and in what order the lanes of an atomic act.
	// With one worker a seed gives the same run every time.
	Random bool
	Seed   uint64
	// Reversed turns the usual order round: of a wave's fragments that with the highest
	// program counter runs, of a block's waves the last one first, of the lanes of one
	// store or atomic the last one, and the last block first. What they print comes in
	// that order too.
	Reversed bool
}

// An Engine turns functions into programs.
type Engine interface {
	Name() string
	Compile(f *ir.Func) (Program, error)
}

// A Program runs fragments of waves. It is shared by workers and holds no state of
// a run.
type Program interface {
	// Run executes the wave's current fragment (w.PC, w.Active) until one of the
	// reasons to stop.
	Run(w *Wave) Stop
}

// Stop says why a fragment stopped.
type Stop uint8

// The reasons.
const (
	StopLimit   Stop = iota // w.PC reached w.Limit, or went back while w.StopBack
	StopDiverge             // Split was called; PC and Active are the part that goes on
	StopExit                // no active lane is left
	StopMeet                // Park was called for the active lanes
	StopBar                 // Wait was called for the active lanes
	StopBudget              // w.Budget is used up
	StopFault               // w.Fault is set
)

// Launch is one run of a function.
type Launch struct {
	Func    *ir.Func
	Program Program
	Grid    [3]uint32 // blocks; every component at least 1
	Block   [3]uint32 // lanes; every component at least 1
	Memory  *Memory
	Param   []byte   // the Param space
	Values  []uint64 // for ir.LaunchValue inputs
	Dynamic uint32   // bytes of shared memory beyond Func.SharedStatic
	Stack   uint32   // bytes of each lane's stack, if Func.Stack
	Heap    uint64   // bytes that HostMalloc hands out at most
	// Workspace is where blocks of the grid meet, if they do; 0: nowhere. Together says that
	// all blocks must be in flight at the same time; it is an error if they cannot be.
	Workspace uint64
	Together  bool
	// Stdout receives what the kernel prints, block after block; nil: it is lost.
	Stdout    io.Writer
	Workers   int // at least 1
	Undefined Policy
	Schedule  Schedule
	Timeout   time.Duration // 0: none
	// Limit is how many instructions of waves a worker may run before the run is stopped
	// with LimitReached; 0: no limit.
	Limit uint64
	// StuckAfter is how many instructions the waves of the only worker run without a change
	// of memory before it is looked whether anything can change; 0: some million.
	StuckAfter uint64
	// Look says which bytes of memory to look at while the kernel runs: Run notes which
	// instruction changed them last. It takes one worker, and time.
	Look *Look
	// Resident is how many bytes the storage of blocks in flight may take beyond one
	// block per worker; 0: 1 GiB.
	Resident uint64
	// Idle lanes exist in every wave but never run: they are inactive, which is not
	// exited. Rendezvous and barriers wait for them.
	Idle lane.Mask
	// Hints asks for notes about what is allowed and often not meant.
	Hints bool
	// Awaits asks for notes about blocks that wait for blocks which begin later: see await.go.
	// It takes one worker.
	Awaits bool
	// Track keeps the undefined bits of memory, for functions that instrumentation made
	// (see ir.Undefined). It takes one worker.
	Track bool
	// Origins, of a launch with Track, are the guest positions of the only origins of
	// undefined bits, unless it is nil: nothing else is undefined than what these
	// instructions read in lanes that do not take part. So a check learns what comes of
	// that alone.
	Origins []int32
	// Ways, if not 0, ends a launch of a function with Steps when that many findings have
	// the way that undefined bits came. It takes one worker.
	Ways int
	// Noted, if set, gets every finding with the guest position that it is of.
	Noted func(d *diag.Diagnostic, pos int32)
	// Recorder, if set, is told of what the Record operations show, and of what waves do
	// together. It takes one worker, unless the Recorder keeps workers apart.
	Recorder Recorder
	// CallOuts, if set, is told of each operation that an engine of machine code leaves to
	// the interpreter's function, on the goroutine of the wave's worker.
	CallOuts CallOuts
	// Ended, if set, counts the blocks that have ended, while the launch runs.
	Ended *atomic.Uint64
	// Races looks for accesses to memory that nothing orders, for functions that
	// instrumentation made (see ir.Access). It is how many bytes that may take; 0: it is
	// not done. It takes one worker.
	Races uint64
	// Storage, if set, is where workers take their memory from and leave it.
	Storage *Storage
	// Setup, if set, may change the frame of every wave before its block starts.
	Setup func(w *Wave)
	// Inspect, if set, sees every wave of a block after the block has ended, on the
	// worker's goroutine.
	Inspect func(w *Wave)

	program Program // that runs, in the place of Program perhaps
	starter Starter // program, if it is one
	stop    atomic.Pointer[Fault]
	text    printer
	still   still
}

// Stats count what was executed.
type Stats struct {
	WaveInstructions uint64
	LaneInstructions uint64
	Blocks           uint64
	// Native are the instructions of the guest that an engine of machine code did itself,
	// CalledOut the operations of the IR that it left to the interpreter's function. An
	// interpreter counts none.
	Native, CalledOut uint64
}

// Blocks is the number of blocks of the grid.
func (l *Launch) Blocks() uint64 {
	return uint64(l.Grid[0]) * uint64(l.Grid[1]) * uint64(l.Grid[2])
}

func (l *Launch) blockIndex(n uint64) [3]uint32 {
	x, y := uint64(l.Grid[0]), uint64(l.Grid[1])
	return [3]uint32{uint32(n % x), uint32(n / x % y), uint32(n / x / y)}
}

// Run executes the launch. The list holds the findings, in the order of the code;
// the error is a diag.List of class Fault or Timeout, or of class Unsupported if the
// program cannot run it; or nil.
func Run(ctx context.Context, l *Launch) (Stats, diag.List, error) {
	if l.Timeout > 0 { // what an engine does before the first block is part of it
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, l.Timeout)
		defer cancel()
	}
	l.program = l.Program
	if s, ok := l.Program.(Specialiser); ok {
		var err error
		if l.program, err = s.Specialise(l); err != nil {
			return Stats{}, nil, diag.List{diag.Errorf(diag.Pos{File: l.Func.File}, diag.Unsupported, "unsupported", "kernel %s: %v", l.Func.Name, err)}
		}
	}
	l.starter, _ = l.program.(Starter)
	l.text.idle = !l.prints()
	n := int(min(uint64(max(l.Workers, 1)), l.Blocks()))
	watched := make(chan struct{})
	cancelled := func() {
		f := &Fault{Code: CodeCancelled, Text: "the run was cancelled"}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			f = &Fault{Code: CodeTimeout, Text: fmt.Sprintf("the time limit of %v was reached", l.Timeout),
				Remedy: "raise --timeout, or look for a loop that never ends at the place shown"}
		}
		l.stop.CompareAndSwap(nil, f)
		l.text.release()
	}
	if ctx.Err() != nil {
		cancelled()
	}
	unwatch := func() bool { return true }
	if ctx.Done() != nil { // else it can never be cancelled
		unwatch = context.AfterFunc(ctx, func() {
			defer close(watched)
			cancelled()
		})
	}
	workers := make([]*Worker, n)
	q := &queue{blocks: l.Blocks(), turned: l.Schedule.Reversed}
	l.still.start(n)
	var wg sync.WaitGroup
	for i := range workers {
		if i > 0 && l.stop.Load() != nil {
			workers = workers[:i] // their memory takes time
			break
		}
		k := newWorker(l, i)
		if room := k.room() * uint64(n); l.Together && i == 0 && l.Blocks() > room {
			unwatch()
			return Stats{}, nil, diag.List{tooMany(l, room)}
		}
		workers[i] = k
		k.alone = n == 1
		if n == 1 {
			k.run(q)
		} else {
			wg.Go(func() { k.run(q) })
		}
	}
	wg.Wait()
	if !unwatch() {
		<-watched
	}
	var st Stats
	var fault *Fault
	var told []byte // what the block of the fault had printed
	for _, k := range workers {
		st.WaveInstructions += k.stats.WaveInstructions
		st.LaneInstructions += k.stats.LaneInstructions
		st.Blocks += k.stats.Blocks
		st.Native += k.stats.Native
		st.CalledOut += k.stats.CalledOut
		// Of several faults the one in the first block is told, whatever the number of
		// workers; a time limit gives way to a fault of the guest.
		if f := k.fault; f != nil && (fault == nil || rank(f) < rank(fault) || rank(f) == rank(fault) && f.Block < fault.Block) {
			fault, told = f, k.printed
		}
	}
	blocks, crowded := inFlight(workers)
	stopped := l.stop.Load()
	if fault != nil && rank(fault) == 0 {
		l.text.finish(l, told, nil)
	} else {
		l.text.finish(l, nil, blocks)
	}
	switch {
	case stopped != nil && stopped.Code == CodeLivelock && (fault == nil || rank(fault) == 1):
		fault = l.livelock(blocks, crowded)
	case fault != nil && rank(fault) == 1:
		l.whereabouts(fault, blocks, crowded, len(workers))
	case fault == nil && stopped != nil && st.Blocks < l.Blocks():
		// The limit may be reached between blocks.
		fault = stopped.betweenBlocks(st.Blocks, l.Blocks())
	}
	var list diag.List
	for _, f := range mergeFindings(workers) {
		d := f.diagnostic(l)
		list = append(list, d)
		if l.Noted != nil {
			l.Noted(d, f.pos)
		}
	}
	var err error
	if fault != nil {
		err = diag.List{fault.diagnostic(l)}
	}
	for _, k := range workers {
		l.Storage.give(k)
	}
	return st, list, err
}

func rank(f *Fault) int {
	if f.Code == CodeTimeout || f.Code == CodeCancelled || f.Code == LimitReached {
		return 1
	}
	return 0
}

// DefaultWorkers is the number of workers that a launch uses unless told: one per
// processor if the order of blocks cannot show in the results, else one.
func DefaultWorkers(f *ir.Func) int {
	if OrderShows(f) {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// OrderShows reports whether the order in which blocks run could show in a
// race-free kernel's results: an atomic on memory beyond the block whose old value
// is used, or whose operation does not commute exactly; or an allocation.
func OrderShows(f *ir.Func) bool {
	for i := range f.Code {
		in := &f.Code[i]
		if in.Op != ir.Clock && (in.Op == ir.HostCall || in.Space != ir.Shared && in.Flags&ir.OnlyShared == 0) && orderOp(in) {
			return true
		}
	}
	return false
}

// OrderOps returns the instructions, as Pos of the function, by which the order of lanes,
// waves and blocks shows in the results of a kernel without races: the atomics of
// OrderShows, those on shared memory too, and clocks.
func OrderOps(f *ir.Func) []int32 {
	var list []int32
	for i := range f.Code {
		if in := &f.Code[i]; orderOp(in) && !slices.Contains(list, in.Pos) {
			list = append(list, in.Pos)
		}
	}
	return list
}

// orderOp reports whether the order shows in what an operation does.
func orderOp(in *ir.Inst) bool {
	op := ir.AtomicOp(in.Imm >> 32)
	switch in.Op {
	case ir.Clock:
		return true
	case ir.Bulk:
		var size uint8
		if _, size, op = ir.BulkFields(in.Imm); size == 0 {
			return false
		}
	case ir.Atomic:
	case ir.HostCall:
		// Addresses, and who gets null, depend on the order of allocations.
		s, _, _ := ir.HostFields(in.Imm)
		return s == ir.HostMalloc
	default:
		return false
	}
	if in.Space == ir.Local {
		return false
	}
	pure, ok := op.Pure()
	switch {
	case ok && mbarrierOp(pure):
		return false // what it returns is only good for waiting
	case in.Dst != 0, ok:
		return true
	}
	switch op {
	case ir.AtomExch, ir.AtomCAS, ir.AtomInc, ir.AtomDec, ir.AtomAddF32:
		return true
	}
	return false
}

// mbarrierOp reports whether an operation of an atomic is one on an mbarrier object.
func mbarrierOp(op ir.Op) bool {
	switch op {
	case ir.MbarArrive, ir.MbarExpectTx, ir.MbarCompleteTx, ir.MbarArriveExpectTx, ir.MbarArriveDrop, ir.MbarArriveDropExpectTx,
		ir.MbarArriveNoComplete, ir.MbarArriveDropNoComplete, ir.MbarTrack:
		return true
	}
	return false
}
