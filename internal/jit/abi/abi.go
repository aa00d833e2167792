// Package abi says what machine code and Go agree on: the machine registers with a fixed use, the
// control words in the frame, the exits, and the frame states.
//
// Package sel makes a Code, machine code runs by it, and package engine/jit enters and leaves machine
// code by its tables. The routines for that are here, too (Code.Sparing, Code.Parks), because they
// know nothing of the guest.
package abi

import "example.org/crosslane/internal/jit/x64"

// The machine registers with a fixed use.
const (
	Frame   = x64.RBX // the wave's frame
	Active  = x64.R15 // lanes of the running fragment; GCN3 does not use it
	Counter = x64.R14 // (budget-1)<<32 | 2^32-1-instructions since Go entered
	Acc     = x64.RAX // never live from one operation to the next
	Acc2    = x64.RDX
)

// The control words of a frame, as offsets from Layout.Control. Go and machine code
// exchange all state by them.
const (
	CtlExit    = 0  // the number of the exit that was taken
	CtlEntry   = 8  // where Go enters next
	CtlLanes   = 16 // lane instructions since Go entered
	CtlLast    = 24 // low half of Counter when CtlLanes was last brought up to date
	CtlChanged = 32 // not 0: memory that other blocks see was written since Go entered
	CtlShared  = 40 // the address of the block's shared memory
	// CtlSharedEnd are five words, for accesses of 1, 2, 4, 8 and 16 bytes: the lowest
	// offset at which the access would reach past the end of shared memory.
	CtlSharedEnd = 48
	CtlWords     = 88  // two words that rules may use
	CtlClock     = 104 // the wave's clock before Go entered, plus 2^32-1
	CtlCrowd     = 112 // not 0: other workers run too
	CtlOpen      = 120 // not 0: the wave's observer is not calm
	CtlInitial   = 128 // the lanes that the wave begins with
	CtlGPR       = 192 // the saved registers: 16 of 8 bytes,
	CtlMask      = 320 // 8 of 8 bytes,
	CtlVec       = 384 // 32 of 64 bytes
	CtlScratch   = CtlVec + 32*64
	// ScratchSize is the size of the scratch area: eight lane vectors.
	ScratchSize = 8 * 512
	// CtlSize is the size of the control words.
	CtlSize = CtlChain + 256

	// Private memory. CtlLocal has the address of lane 0's part. Two groups of five
	// words like CtlSharedEnd have its limits: CtlLocalEnd for the part below the
	// stacks (or for all of it if there are no stacks), CtlStackEnd for the part of the
	// stacks that is in use, which begins at CtlStackLow. CtlLocalOffsets has 64 words
	// of 4 bytes: the distance from lane 0's memory to that of lane i.
	CtlLocal        = CtlScratch + ScratchSize
	CtlLocalEnd     = CtlLocal + 8
	CtlStackLow     = CtlLocal + 48
	CtlStackEnd     = CtlLocal + 56
	CtlLocalOffsets = CtlLocal + 128

	// The chain: a wave that ends or waits for the other waves of its block goes on as
	// the next wave, without Go. See chain.go of package sel.
	CtlChain  = CtlLocalOffsets + 64*4
	CtlNext   = CtlChain      // the frame of the wave to run next; 0: Go decides which one
	CtlResume = CtlChain + 8  // where this wave begins or goes on
	CtlLive   = CtlChain + 16 // its lanes that have not exited
	CtlVain   = CtlChain + 24 // not 0: the coarsened body that it led was given up
	CtlTurn   = CtlChain + 32 // the frame of the block's first wave, which has the words below
	// CtlFirst is the frame of the wave that the chain begins with, 0 if Go opens
	// barriers. CtlBehind is the exit of the last barrier that all waves have passed.
	// CtlRounds is how many barriers machine code may still open until Go looks at the
	// budget of the block. CtlBoth has the bits that the exit numbers of all waves but
	// the last have in common, CtlAny the bits that any of them has.
	CtlFirst  = CtlChain + 40
	CtlBehind = CtlChain + 48
	CtlRounds = CtlChain + 56
	CtlBoth   = CtlChain + 64
	CtlAny    = CtlChain + 72
	CtlPrev   = CtlChain + 80 // the frame of the wave before this one, in a ring
	// Blocks that run one after another: see next_block.go of package sel. CtlBegin is where the wave
	// begins in each block. CtlRow is the frame of the block's first wave, 0 if Go
	// decides which block is next. That first wave has CtlAhead, the number of blocks
	// that are still to follow, CtlIndex, the block's first index, and CtlBlock, the
	// block's number. CtlParts are MaxParts pairs: an address in the frame, and the
	// word that is there at the start.
	CtlBegin = CtlChain + 88
	CtlRow   = CtlChain + 96
	CtlAhead = CtlChain + 104
	CtlIndex = CtlChain + 112
	CtlBlock = CtlChain + 120
	CtlParts = CtlChain + 128
	// In the block's first wave: how many coarsened bodies after barriers were given
	// up.
	CtlBails = CtlChain + 192
	// In a wave that a coarsened body has run ahead, if blocks follow each other: the
	// values that Counter, CtlLanes and CtlLast had before. If the block breaks up
	// before the wave goes on, the wave begins again. The statistics then count its
	// earlier blocks, and not the work ahead.
	CtlBefore = CtlChain + 200
)

// MaxParts is how many words of the guest's registers in a frame machine code can
// restore.
const MaxParts = 4

// Quantum is the upper half of Counter when a time slice begins: one less than the
// number of instructions that package sim gives it.
const Quantum = 1<<14 - 1

// A region cache of an access to global memory: four words at Access.Cache. It
// describes the memory that this access touched last. CacheLow is the first address
// that is inside, CacheCount the number of addresses from there on (0: none), CachePtr
// the host address of the first one. CacheOthers is 1 if other blocks see that memory.
const (
	CacheLow    = 0
	CacheCount  = 8
	CachePtr    = 16
	CacheOthers = 24
	CacheSize   = 32
)

// Layout says where in the frame the parts of machine code's own state are.
type Layout struct {
	Control int32 // aligned to 64
	Pend    int32 // the pending masks, 8 bytes per block of the function
	Caches  int32 // region caches
}

// Ctl is the operand for a control word of the running wave.
func (l Layout) Ctl(off int32) x64.Mem { return x64.Mem{Base: Frame, Disp: l.Control + off} }

// LoadsGuest reports whether an instruction only loads a vector register, from the guest's memory.
func LoadsGuest(in *x64.Inst) bool {
	if !in.HasMem || in.K != 0 || in.Dst < x64.Virtual || in.M.Pool != 0 || in.M.Base == Frame {
		return false
	}
	switch in.Op {
	case x64.VMOVDQU, x64.VPBROADCASTD, x64.VPBROADCASTQ, x64.VBROADCASTI128, x64.VBROADCASTI32X4, x64.VBROADCASTI64X4:
		return true
	}
	return false
}
