package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/mask"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
	"example.org/crosslane/internal/matrix"
)

// This file has the state of a selection: the generator. It is one value in layers.
// Each layer embeds the one before it, and has the methods of one subject:
//
//	facts       what the analyses found out; selection only reads it
//	emitter     the list of instructions, registers, constants, exits
//	arithmetic  sequences of instructions that compute: floats, conversions, masks
//	lowering    the operation in hand: its arguments, its result, call-outs
//	crossLane   operations across lanes: permutations, votes, meetings
//	access      memory: addresses, checks, rows of lanes, atomics
//	control     blocks, branches, and what follows a wave
//
// The planner stands beside the layers: it works on an emitter before selection begins,
// and writes the facts.
//
// Invariant: a method uses its own layer and those before it. The compiler enforces
// that, because a layer does not know the layers after it.
// Example: a rule of vrules gets a *lowering, so it cannot call a method of crossLane, access or control.

// facts has the function, the results of the passes before selection, and those of
// the planner.
type facts struct {
	mem *Scratch
	s   *webs.Func
	f   *ir.Func
	sh  *shape.Shapes
	mk  *mask.Masks
	lay abi.Layout
	processor

	places   []place
	normal   []bool              // by web: an f32 that is never subnormal
	periods  []uint8             // by web: the lane period. See findPeriods
	rowBases []bool              // by web: see findRowBases
	copyOf   []webs.Web          // by web: another web that holds the same value and has a place; 0: none. See copies
	choices  map[int]choice      // see copies
	computed []bool              // by web: see findRuns
	dead     []bool              // by operation: nothing needs its result. See findSunk
	wanted   map[int][]webs.Web  // by operation at which the code may deoptimise: see findWanted
	always   map[webs.Web]uint64 // masks of lanes that are constant: see findFixed
	dppReads map[webs.Web]uint64 // by result of a DPPRead: its Imm
	undef    [][]webs.Web        // by block: webs that must count as defined from its start on
	tilings  map[*matrix.Product]*tiling
	reports  int8 // see traced
	inductions
	indexedAccesses
}

// inductions are the results of findWalks.
type inductions struct {
	walks  map[inductionKey]*induction
	paths  []*induction              // all induction pointers
	strays map[webs.Web][]*induction // by web: the induction pointers with limits that its writes end
}

// indexedAccesses are the results of findNear and findSunk: base+index accesses, and the operations
// that only exits need.
type indexedAccesses struct {
	baseIndexes map[int]*baseIndex // by operation
	sunk        []bool             // by operation: it is done at the exits that need its result
	sunkAt      []int32            // by web: the sunk operation that makes it, plus 1
}

// processor is the instruction set that code is selected for.
type processor struct {
	avx512 bool
	w      int32 // bytes of a vector register
}

// planner decides before selection how each operation is done and where each web lives.
type planner struct {
	*emitter
	isNot []bool // memory for normals
}

// emitter appends instructions to the list.
type emitter struct {
	facts
	out       *abi.Code
	fn        *lir.Func
	consts    map[constKey]x64.Reg
	tables    map[string]x64.Reg
	len       uint8        // bytes of the vectors that a rule works on
	rare      int          // how many nested pieces of seldom-run code are being emitted
	handed    []abi.Recipe // the recipes of the next exit
	recipesOf []abi.State  // by web: its recipes, in a row of Code.Recipes
	caches    int32
}

// arithmetic computes on vector registers, chunk by chunk.
type arithmetic struct{ emitter }

// lowering emits the code of one operation of the guest.
type lowering struct {
	arithmetic

	// The operation in hand.
	block  int
	at     int
	in     *ir.Inst
	ops    *webs.Operands
	fused  int       // the comparison that the end of the block does too; -1: none
	inSlot []ir.Ref  // values that are in their frame slots already, for consecutive call-outs; else nil
	hards  []x64.Reg // masks of lanes that the rule could not decide, by chunk
	every  bool      // the operation acts for all lanes of the wave

	skip     int       // operations before this one are done
	failed   x64.Label // where the code deoptimises before the operation in hand
	exes     [2][4]ex  // on vectors and on general registers, by size of elements
	fresh    int       // where the code of the value to be defined began, plus 1; 0: unknown. See defineFresh
	payloads bool      // vrule.payloads of the rule in hand
	acts     actsFor

	masks  []maskEntry // masks of lanes in other forms, valid in this block
	bcasts []bcastEntry
	wides  []wideEntry // half-words as f32, valid in this block
	shared x64.Reg     // the address of shared memory, if a register holds it in this block

	arrivals []x64.Label // by block: the code before the merge there; 0: not made yet
}

// crossLane emits operations in which lanes see each other.
type crossLane struct {
	lowering
	clock bool // an operation reads the wave's clock
}

// access emits loads, stores and atomics.
type access struct {
	crossLane
	watch   int // an Observe that the access at watched brings about
	watched int
	region  x64.Mem // the region cache of the access in hand
}

// control emits blocks, and the ways between them.
type control struct {
	access
	count       int       // guest instructions of the block so far that are not counted yet
	later       []func()  // code that is kept for the end of the list
	deoptimised x64.Label // where the code begins that was kept for later
	manyIDs     bool      // see manyBars
}
