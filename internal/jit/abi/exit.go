package abi

import (
	"example.org/crosslane/internal/jit/x64"
)

// ExitKind is the reason why machine code returns to Go.
type ExitKind uint8

// The kinds of exits.
const (
	// ExitCall asks for the operation Inst; the code goes on after it.
	ExitCall ExitKind = iota
	// ExitEnd asks for the end of block Block: Go counts the block and does the operation at
	// its end. If the fragment runs on, the code goes on at the fragment's block.
	ExitEnd
	// ExitBudget: the budget is used up, and the fragment is at block To.
	ExitBudget
	// ExitSplit: like ExitBudget, and lanes diverged just before.
	ExitSplit
	// ExitPend: lanes may be pending before block To, to which the active lanes go. Go
	// decides which lanes run next.
	ExitPend
	// ExitDeopt: a run-time check of an assumption failed. Go runs the operations from
	// Inst to the end of block Block, and does not return to this place.
	ExitDeopt
	// ExitDone: block Block has been accounted for, and all lanes of the wave exit at
	// its end. Only Counter and Active are saved.
	ExitDone
	// ExitBar: block Block has been accounted for, and all lanes of the wave wait at
	// the barrier at its end. Counter, Active and the registers that are live after the
	// barrier are saved.
	ExitBar
)

// An Exit is a place where machine code returns to Go. Its number is its index in
// Code.Exits.
type Exit struct {
	Kind  ExitKind
	Inst  int // index in Func.Code
	Block int
	To    int
	At    int // index in the list: of the instruction that calls the shared routine
	// For ExitBar: Resume is the routine by which a wave goes on, Land is the place
	// after the call, Coarse is where a group of waves goes on in one coarsened body;
	// 0: none.
	Resume, Land, Coarse x64.Label
	LandAt               uint32 // the offset of Land in the code, which package engine/jit fills in
	// State is what Go writes to frame slots first. For ExitDeopt these are the values that the
	// interpreter needs from Inst on; for other exits, values that operation Inst reads, for all lanes.
	State State
}

// Next is the label at which a wave that waits continues: the coarsened body, if there is one.
func (e *Exit) Next() x64.Label {
	if e.Coarse != 0 {
		return e.Coarse
	}
	return e.Resume
}

// An Access is an access that has a region cache.
type Access struct {
	Inst  int
	Cache int32 // frame offset
	// The access touches memory from Before bytes below its address (that of lane 0
	// plus the offset) to Span bytes above it.
	Before, Span uint64
	// NearCache is the frame offset of 24 bytes that are derived from the region cache,
	// for a base+index access; 0: none.
	NearCache int32
}
