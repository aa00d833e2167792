// Package screen makes a cheap form of a kernel whose clean run proves that a check finds nothing. Machine
// code runs the form at nearly the speed of the plain kernel.
//
// Input: the function of a check (session.Prepared.Checked), and how a launch uses its memory (Class).
// Output: a function that computes the same and stores a word if anything is suspicious.
// Invariant: if a run of the form ends without fault, finding and suspicion, then a run that follows undefined
// bits and races has no finding, in any order of lanes, waves and blocks. The reverse does not hold: a
// suspicion says nothing, and the check decides.
// Example: "store.global [a], v" becomes "w = load [a+W]; bad |= conflict(w); store [a+W], now; store [a], v".
// Literature: Zheng et al., GRace (PPoPP 2011), and Li et al., LDetector (PLDI 2014 WODET), split the
// accesses of kernels by barriers in the same way.
//
// # Tags
//
// Each word of memory that a launch stores to has two tags of 32 bits in shadow allocations: of its last
// writer (W) and of its last readers (R). A tag is an interval and the number of a thread in its block. A
// block has an interval for the time before its first barrier and one after each barrier, which are numbers of
// its own; the numbers of a launch are higher than those of the launches before it. So a tag shows whether a
// word was accessed in this launch, by this block, in this interval and by this thread. A store conflicts
// with accesses of other threads in its interval and of other blocks; a load conflicts with such stores. An R
// tag names several threads (many) or several blocks (several) if there was more than one.
//
// # What costs nothing
//
// An allocation to which the launch only loads has no tags, or one for adjacent loads of a thread (marks.go) if the
// accesses of the launch are to be listed: a load is compared with its bounds. Loads of shared memory have no tags
// in an interval in which no thread stores to it (quiet, see intervals.go): if the block has written all of it
// before, a load there can go wrong only outside a variable.
//
// # Private memory
//
// No threads meet there. A word has one tag, which says in which block its thread has written it. The tags are by
// thread of the block, so blocks that run at the same time are suspicious.
//
// # Equal values
//
// Options.Same takes stores of equal values to one word for no suspicion. Then a clean run proves that a check finds notes of such
// stores only, and says whether they are those of an earlier launch (same.go).
//
// # Undefined bits
//
// No register is read before it is written, on any path (defined.go); operations with undefined results are
// suspicious if they have one; a load finds only words that the block, or in private memory the thread, wrote, or memory
// without undefined bits.
package screen

import (
	"slices"

	"example.org/crosslane/internal/check/race"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
)

// Class is how a launch uses an allocation, as far as the bases of its accesses tell.
type Class uint8

// The classes.
const (
	Unused    Class = iota // no access names it
	ReadOnly               // loads only
	WriteOnly              // stores only
	ReadWrite
	// Updated is added for atomics that commute, in the scope of the device; see Updates.
	Updated Class = 4
	// Paired is added to ReadWrite if each load comes right before a store of its thread to the word; see pairs.go.
	Paired Class = 8
)

// Writers reports whether an allocation has tags of writers, for its races.
func (c Class) Writers() bool { return c&WriteOnly != 0 || c&Updated != 0 && c != Updated }

// Readers reports whether an allocation has tags of readers, for its races.
func (c Class) Readers() bool { return c&ReadOnly != 0 && c != ReadOnly && c&Paired == 0 }

// A Source is a value of the launch from which addresses are computed.
type Source struct {
	Param bool   // 8 bytes of the parameters, at At; else launch value number At
	At    uint64 // see Param
}

// A Base is what the address of accesses to global memory is computed from. At most one of its sources may be
// the address of an allocation.
type Base struct {
	Sources       []Source
	Loads, Stores bool
	Lone          bool // one of the loads is not paired: see pairs.go
	// Strong reports loads and stores that are strong in the scope of the device, Weak others.
	Strong, Weak bool
	Updates      Updates
	// Least is the least unit of the accesses, at most 16 bytes: tags are for pieces of this size.
	Least    uint8
	loadPos  []int32 // the instructions that load and store, by Pos
	storePos []int32
}

// A Kernel is a function that can be screened.
type Kernel struct {
	f      *ir.Func // with the accesses that race.Track reports, those of vectors joined
	told   map[int]told
	paired map[int]bool // loads: see pairs.go
	Bases  []Base
	base   map[int]int // operation → index in Bases, of accesses to global memory
	blocks []interval  // by block
	// Quiet reports that some loads of shared memory are in intervals without stores, after a barrier; Constants that
	// constant variables are read.
	Quiet, Constants, Barriers bool
	// Copies reports cp.async.
	Copies bool
	shared Updates // of shared memory
	// Locals reports accesses to private memory; LocalGrain is how many bytes of it have one tag.
	Locals     bool
	LocalGrain uint8
	// storeGrain is the least unit of the stores to shared memory, at most 16 bytes; loadGrain that of loads, by whether
	// they are quiet.
	storeGrain uint8
	loadGrain  [2]uint8
}

// SharedGrain is how many bytes of shared memory have one tag, at most: see Options.Full.
func (k *Kernel) SharedGrain(full bool) uint8 {
	g := min(k.storeGrain, k.loadGrain[0])
	if !full {
		g = min(g, k.loadGrain[1])
	}
	return g
}

// Of examines a function. The reason why the function cannot be screened is why, or "".
func Of(f *ir.Func) (k *Kernel, why string) {
	f = joinVectors(race.Track(f))
	k = &Kernel{f: f, told: map[int]told{}, base: map[int]int{}, LocalGrain: 4, storeGrain: maxUnit, loadGrain: [2]uint8{maxUnit, maxUnit}}
	if f.Exec != 0 || f.Lanes != 32 {
		return nil, "lanes run in step"
	}
	if f.Ranked {
		return nil, "clusters of several blocks" // which meet in shared memory
	}
	if f.Stack || f.StackUp {
		return nil, "a stack"
	}
	for _, in := range f.Inputs {
		switch in.Kind {
		case ir.WorkspaceLow, ir.WorkspaceHigh, ir.StackTop:
			return nil, "the workspace of the grid"
		}
	}
	for i := range f.Code {
		if why := k.operation(&f.Code[i]); why != "" {
			return nil, why
		}
	}
	if why := k.match(); why != "" {
		return nil, why
	}
	var next []int
	for b := range f.Blocks {
		next = f.Successors(b, next)
	}
	if slices.Contains(next, 0) {
		return nil, "a loop around the whole kernel"
	}
	if why := k.undefinedReads(); why != "" {
		return nil, why
	}
	k.pairs()
	if why := k.findBases(); why != "" {
		return nil, why
	}
	if k.findIntervals(); k.Copies && k.shared.Any {
		return nil, "atomics of shared memory beside copies"
	}
	return k, ""
}

// operation returns the reason why an operation cannot be screened.
func (k *Kernel) operation(in *ir.Inst) string {
	switch in.Op {
	case ir.Load, ir.Store, ir.Atomic:
		return k.access(in)
	case ir.Access:
		if in.Order&ir.Async != 0 && kindOf(in) == ir.AccessWrite && in.Space == ir.Shared {
			k.Copies = true
		}
		fallthrough
	case ir.Nop, ir.Fence:
		if in.Order&(ir.Proxy|ir.Either) == 0 {
			return ""
		}
	case ir.Splat, ir.LaneBit, ir.Bra, ir.BraTable, ir.Exit, ir.Trap:
		return ""
	case ir.ShflSync, ir.VoteSync, ir.MatchSync, ir.ReduxSync, ir.WarpSync:
		// Below sm_70 the order decides whether lanes come there together.
		if k.f.MeetAnywhere {
			return ""
		}
	case ir.Collective:
		if why := k.collective(in); why != "" || k.f.MeetAnywhere {
			return why
		}
	case ir.Bar:
		mode := ir.BarMode(in.Imm) & ir.BarModeMask
		if mode != ir.BarArrive && in.Args[1] == 0 && in.Guard == 0 && (in.Args[0] == 0 || k.f.Val(in.Args[0]).Kind == ir.Const) {
			k.Barriers = true
			return ""
		}
	case ir.Claim:
		switch ir.ClaimKind(in.Size) {
		case ir.ClaimReadOnly:
			return ""
		case ir.ClaimOpen:
			if in.Args[1] != 0 && !k.f.Val(in.Args[1]).Scalar {
				return ""
			}
		}
	default:
		if in.Op.Pure() {
			return ""
		}
	}
	return in.Op.String()
}

// collective is operation for matrix operations. Products have their matrices in registers. Absent lanes, and operands
// that make a result undefined, are findings of each run.
func (k *Kernel) collective(in *ir.Inst) string {
	switch m := &k.f.Collectives[in.Imm].Matrix; {
	case m.Kind == matrix.Multiply, m.Kind == matrix.Transpose:
		return ""
	case (m.Kind == matrix.LoadRows || m.Kind == matrix.StoreRows) && in.Space == ir.Shared && !m.Bytes && m.Pack == 0 && !m.AllAddresses && !in.Scalar:
		return ""
	}
	return "a matrix in memory"
}

// access is operation for loads, stores and atomics.
func (k *Kernel) access(in *ir.Inst) string {
	if in.Order&ir.Proxy != 0 || in.Order&ir.Async != 0 && (in.Op == ir.Atomic || in.Op == ir.Store && in.Space != ir.Shared) || in.Flags&ir.Undefined != 0 {
		return "an access of another proxy"
	}
	if in.Op == ir.Load && (in.Order&^ir.Async != 0 || in.Flags&(ir.Volatile|ir.Relaxed) != 0) {
		// Lanes may wait with it. Without the flag machine code loads once, and the wait never ends.
		return "a load that may wait"
	}
	switch in.Space {
	case ir.Param:
		return ""
	case ir.Constant:
		k.Constants = true
		if in.Op == ir.Load {
			return ""
		}
	case ir.Global, ir.Generic, ir.Shared, ir.Local:
		if in.Scalar || in.Size > 8 {
			return "a wide access"
		}
		switch {
		case in.Space == ir.Local && in.Op == ir.Atomic:
			return "an atomic in private memory"
		case in.Space == ir.Local:
			k.Locals, k.LocalGrain = true, min(k.LocalGrain, in.Size)
		}
		if uint16(in.Size) > max(in.Align, 1) && in.Align < 4 {
			return "an access that need not be aligned"
		}
		return ""
	}
	return "an access to " + in.Space.String() + " memory"
}

// Instruction returns the only instruction of a base that stores, or loads; -1: there are several.
func (b *Base) Instruction(store bool) int32 {
	list := b.loadPos
	if store {
		list = b.storePos
	}
	if len(list) == 1 {
		return list[0]
	}
	return -1
}
