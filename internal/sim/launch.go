// Package sim holds the parts that every engine shares: global memory, blocks, waves, the control flow of
// single lanes, the rendezvous of lanes and the barriers of blocks. An Engine runs straight-line code. This
// package decides which lanes run next, and reports the findings of a run.
//
// # Scheduling
//
// A wave is a set of fragments. A fragment is a program counter (a basic block) and the lanes that are
// there. The fragment with the lowest program counter in layout order runs; fragments that reach the same
// place merge. Structured code reconverges this way without annotations. A fragment that spins is deferred
// after a bounded number of instructions, so that every lane makes progress. The waves of a block take
// turns on the worker of the block. The workers take blocks from a shared counter.
//
// Input: a Launch: a function, its program, the grid, memory and options.
// Output: the findings, the fault if there is one, the statistics; memory as the guest left it.
// Invariant: with one worker, the same launch with the same schedule and the same engine makes the same run.
// On all engines a kernel that does not show the order of its waves has the same results and counts.
// Example: lanes 0 to 15 take a branch to block 5 and lanes 16 to 31 fall through to block 3. Block 3 runs
// first; if it ends with a jump to block 5, all 32 lanes go on as one fragment.
//
// Literature: Diamos et al., SIMD re-convergence at thread frontiers (MICRO 2011).
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

// String names the value that the reader gets.
func (p Policy) String() string {
	return [...]string{"the reader's own value", "0", fmt.Sprintf("the pattern %#x", PoisonBits)}[p]
}

// PoisonBits is the recognisable pattern of the Poison policy.
const PoisonBits = 0xdeadbeef

// Schedule chooses the order in which lanes, waves and blocks run.
type Schedule struct {
	// Random chooses at random, from Seed: the fragment of a wave that runs and for how long, the wave, the
	// block, and the order in which the lanes of an atomic act. With one worker a seed gives the same run
	// every time.
	Random bool
	Seed   uint64
	// Reversed inverts the usual order. These come first: the fragment of a wave with the highest program
	// counter, the last wave of a block, the last lane of a store or an atomic, and the last block. Printed
	// text comes in that order too.
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

// Stop is the reason why a fragment stopped.
type Stop uint8

// The reasons.
const (
	StopLimit   Stop = iota // w.PC reached w.Limit, or went back while w.StopBack
	StopDiverge             // Split was called; PC and Active are the fragment that goes on
	StopExit                // no active lane is left
	StopMeet                // Meet has parked the active lanes
	StopBar                 // Wait has parked the active lanes
	StopBudget              // w.Budget is used up
	StopFault               // w.Fault is set
)

// Launch is one run of a function.
type Launch struct {
	Func    *ir.Func
	Program Program
	Grid    [3]uint32 // blocks; every component at least 1
	Block   [3]uint32 // lanes; every component at least 1
	// Cluster is how many blocks a cluster has in each dimension, which divide those of the grid; zero: it was not given, and
	// every block is a cluster of its own. Func is Ranked if a cluster has several blocks.
	Cluster [3]uint32
	Memory  *Memory
	Param   []byte   // the Param space
	Values  []uint64 // for ir.LaunchValue inputs
	Dynamic uint32   // bytes of shared memory beyond Func.SharedStatic
	Stack   uint32   // bytes of each lane's stack, if Func.Stack
	Heap    uint64   // bytes that HostMalloc hands out at most
	// Workspace is the address at which the blocks of the grid meet, if they do; 0: none. Together demands
	// that all blocks are in flight at the same time; it is an error if they cannot be.
	Workspace uint64
	Together  bool
	// Stdout receives the text that the kernel prints, block after block; nil: the text is lost.
	Stdout io.Writer
	// Interrupt serves what waves have left in memory for the host (ir.HostInterrupt): it returns text to print, or says
	// what it cannot serve. It needs Workers = 1. nil: nothing waits for interrupts.
	Interrupt func() (text []byte, problem string)
	Workers   int // at least 1
	Undefined Policy
	Schedule  Schedule
	// Idle lanes exist in every wave but never run. They are inactive, which is not exited: rendezvous and
	// barriers wait for them.
	Idle lane.Mask
	// Storage, if set, is the store from which workers take their memory and to which they return it.
	Storage *Storage
	Limits
	Checks
	Hooks
	launchState
}

// launchState is what Run knows about a launch.
type launchState struct {
	program Program // the program that runs: Program, or its specialised form
	starter Starter // program, if it is one
	stop    atomic.Pointer[Fault]
	text    printer
	still   still
	breath  breath
}

// Limits end a launch, or bound the memory that it takes.
type Limits struct {
	Timeout time.Duration // 0: none
	// Limit is how many instructions of waves a worker may run before the run is stopped
	// with LimitReached; 0: no limit.
	Limit uint64
	// StuckAfter is how many instructions the waves of a single worker run without a change of memory
	// before stuckForGood tries whether anything can still change; 0: stuckAfter, some million.
	StuckAfter uint64
	// Resident is how many bytes the storage of blocks in flight may take beyond one
	// block per worker; 0: 1 GiB.
	Resident uint64
}

// Checks ask for findings beside faults.
type Checks struct {
	// Hints asks for notes about behaviour that is allowed and often not meant.
	Hints bool
	// Awaits asks for notes about blocks that wait for blocks which begin later: see await.go. It needs one
	// worker.
	Awaits bool
	// Track keeps the undefined bits of memory, for functions that instrumentation made (see ir.Undefined).
	// It needs one worker.
	Track bool
	// Origins, of a launch with Track, are the guest positions of the only origins of undefined bits,
	// unless it is nil: a value is undefined only if it comes from one of these instructions, reading lanes
	// that do not take part. A check thus sees the consequences of that read alone.
	Origins []int32
	// Ways, if not 0, ends a launch of a function with Steps when that many findings have the way by which
	// undefined bits came. It needs one worker.
	Ways int
	// Noted, if set, receives every finding with its guest position.
	Noted func(d *diag.Diagnostic, pos int32)
	// Seen, if set, is called at each occurrence of a finding while the kernel runs. It needs one worker.
	Seen func(w *Wave, code string, pos int32, lanes lane.Mask)
	// Races, if set, looks for accesses to memory that no synchronisation orders, in functions that
	// instrumentation made (see ir.Access). It needs one worker.
	Races RaceDetector
}

// Hooks let the caller follow a launch while it runs.
type Hooks struct {
	// Look names the bytes of memory to watch while the kernel runs. Run notes which instruction changed
	// them last. It needs one worker, and slows the run.
	Look *Look
	// Recorder, if set, receives the values that the Record operations show, and the operations that
	// several lanes do together. It needs one worker, unless the Recorder keeps workers apart.
	Recorder Recorder
	// CallOuts, if set, is called for each operation that an engine of machine code leaves to the
	// interpreter's function, on the goroutine of the wave's worker.
	CallOuts CallOuts
	// Ended, if set, counts the blocks that have ended, while the launch runs.
	Ended *atomic.Uint64
	// Stalled, if set, is called when all blocks in flight wait: see Stalled in still.go.
	Stalled func() HostState
	// Setup, if set, may change the frame of every wave before its block starts.
	Setup func(w *Wave)
	// Inspect, if set, sees every wave of a block after the block has ended, on the
	// worker's goroutine.
	Inspect func(w *Wave)
}

// Stats count the work that was executed.
type Stats struct {
	WaveInstructions uint64
	LaneInstructions uint64
	Blocks           uint64
	// Native counts the instructions of the guest that an engine of machine code did itself. CalledOut
	// counts the operations of the IR that it left to the interpreter's function. An interpreter counts
	// neither.
	Native, CalledOut uint64
	// Beside counts the blocks that began while another block of their worker was in flight.
	Beside uint64
}

// Blocks is the number of blocks of the grid.
func (l *Launch) Blocks() uint64 {
	return uint64(l.Grid[0]) * uint64(l.Grid[1]) * uint64(l.Grid[2])
}

// blockIndex converts the linear index of a block to its three coordinates.
func (l *Launch) blockIndex(n uint64) [3]uint32 {
	x, y := uint64(l.Grid[0]), uint64(l.Grid[1])
	return [3]uint32{uint32(n % x), uint32(n / x % y), uint32(n / x / y)}
}

// ErrTimeLimit is the cause of a context whose end is that of the time limit of the launch.
var ErrTimeLimit = errors.New("time limit")

// Run executes the launch. The list holds the findings, in the order of the code;
// the error is a diag.List of class Fault or Timeout, or of class Unsupported if the
// program cannot run it; or nil.
func Run(ctx context.Context, l *Launch) (Stats, diag.List, error) {
	if l.Timeout > 0 { // the preparation of an engine before the first block counts, too
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, l.Timeout, ErrTimeLimit)
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
	n := int(min(uint64(max(l.Workers, 1)), l.Blocks()/l.clusterSize()))
	cancelled := func() {
		f := &Fault{Code: CodeCancelled, Text: "the run was cancelled"}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			f = &Fault{Code: CodeTimeout, Text: "the deadline of the caller has passed",
				Remedy: "give the launch more time, or look for a loop that never ends at the place shown"}
			if errors.Is(context.Cause(ctx), ErrTimeLimit) {
				f.Text = fmt.Sprintf("the time limit of %v was reached", l.Timeout)
				f.Remedy = "raise --timeout, or look for a loop that never ends at the place shown"
			}
		}
		l.stop.CompareAndSwap(nil, f)
		l.text.release()
	}
	if ctx.Err() != nil {
		cancelled()
	}
	unwatch := func() bool { return true }
	var watched chan struct{}
	if ctx.Done() != nil { // else it can never be cancelled
		watched = make(chan struct{})
		unwatch = context.AfterFunc(ctx, func() {
			defer close(watched)
			cancelled()
		})
	}
	workers := make([]*Worker, n)
	q := &queue{blocks: l.Blocks(), turned: l.Schedule.Reversed}
	l.still.start(n)
	var wg sync.WaitGroup
	// A single worker runs on this goroutine; several run on their own.
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
		if room := k.room(); l.clusterSize() > room {
			unwatch()
			return Stats{}, nil, diag.List{clusterTooLarge(l, room)}
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
	var told []byte // the text that the block of the fault had printed
	for _, k := range workers {
		st.WaveInstructions += k.stats.WaveInstructions
		st.LaneInstructions += k.stats.LaneInstructions
		st.Blocks += k.stats.Blocks
		st.Beside += k.stats.Beside
		st.Native += k.stats.Native
		st.CalledOut += k.stats.CalledOut
		// If several blocks fault, the run reports the fault of the first block, for any number of workers.
		// A time limit gives way to a fault of the guest.
		if f := k.fault; f != nil && (fault == nil || rank(f) < rank(fault) || rank(f) == rank(fault) && l.turnOf(f.Block) < l.turnOf(fault.Block)) {
			fault, told = f, k.printed
		}
	}
	// The printed text is completed first, then the fault: a fault of the guest, a livelock with its looks,
	// or a stop with the places of the waves.
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

// rank orders faults: 0 for a fault of the guest, 1 for a run that was stopped from outside.
func rank(f *Fault) int {
	if f.Code == CodeTimeout || f.Code == CodeCancelled || f.Code == LimitReached {
		return 1
	}
	return 0
}

// DefaultWorkers is the number of workers that a launch uses by default: one per processor if the order of
// blocks cannot show in the results, else one.
func DefaultWorkers(f *ir.Func) int {
	if OrderShows(f) {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// OrderShows reports whether the order in which blocks run could show in the results of a race-free kernel.
// It could if the function has an atomic on memory beyond the block whose old value is used or whose
// operation does not commute exactly, or if it allocates memory.
func OrderShows(f *ir.Func) bool {
	for i := range f.Code {
		in := &f.Code[i]
		if in.Op != ir.Clock && (in.Op == ir.HostCall || in.Op == ir.Tensor || in.Space != ir.Shared && in.Flags&ir.OnlyShared == 0) && orderOp(f, in) {
			return true
		}
	}
	return false
}

// OrderOps returns the instructions, as Pos of the function, by which the order of lanes, waves and blocks
// shows in the results of a race-free kernel: the atomics of OrderShows, atomics on shared memory too, and
// clocks.
func OrderOps(f *ir.Func) []int32 {
	var list []int32
	for i := range f.Code {
		if in := &f.Code[i]; orderOp(f, in) && !slices.Contains(list, in.Pos) {
			list = append(list, in.Pos)
		}
	}
	return list
}

// orderOp reports whether the order shows in the result of an operation.
func orderOp(f *ir.Func, in *ir.Inst) bool {
	op := ir.AtomicOp(in.Imm >> 32)
	switch in.Op {
	case ir.Clock:
		return true
	case ir.Bulk:
		var size uint8
		if _, size, op = ir.BulkFields(in.Imm); size == 0 {
			return false
		}
	case ir.Tensor:
		return f.Tensors[in.Imm].Kind == ir.TensorReduces && f.Tensors[in.Imm].Reduce <= ir.TensorDec
	case ir.Atomic:
	case ir.HostCall:
		// The addresses, and the lanes that get null, depend on the order of allocations.
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
		return false // the result is only good for waiting
	case in.Dst != 0, ok:
		return true
	}
	switch op {
	case ir.AtomExch, ir.AtomCAS, ir.AtomInc, ir.AtomDec, ir.AtomAddF32:
		return true
	}
	return false
}

// mbarrierOp reports whether an atomic operates on an mbarrier object.
func mbarrierOp(op ir.Op) bool {
	switch op {
	case ir.MbarArrive, ir.MbarExpectTx, ir.MbarCompleteTx, ir.MbarArriveExpectTx, ir.MbarArriveDrop, ir.MbarArriveDropExpectTx,
		ir.MbarArriveNoComplete, ir.MbarArriveDropNoComplete, ir.MbarTrack:
		return true
	}
	return false
}
