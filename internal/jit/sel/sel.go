// Package sel selects machine instructions. Package shape has found out how each value
// looks over the lanes; sel turns the operations of a kernel into instructions of
// package lir.
//
// A rule says how one operation is done: for as many lanes as a vector register holds
// (vrule), or once for the wave (grule). Only the tables of rules name operations. An
// operation without a rule is a call-out: the code exits, the interpreter does the
// operation, and the code goes on after it.
//
// Selection has three phases: plan chooses a place for each web and a way for each
// operation; code emits the instructions of all blocks; the clean-up (combine,
// eliminateDead, loads, compact, byPieces, parks, coarsen) improves the list. All
// registers that hold guest values are virtual; package alloc assigns machine registers
// later.
package sel

import (
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

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
	CtlChanged = 32 // not 0: memory that other blocks see was written
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
	// the next wave, without Go. See stop.
	CtlChain  = CtlLocalOffsets + 64*4
	CtlNext   = CtlChain      // the frame of the wave to run next; 0: Go decides which one
	CtlResume = CtlChain + 8  // where this wave begins or goes on
	CtlLive   = CtlChain + 16 // its lanes that have not exited
	CtlVain   = CtlChain + 24 // not 0: the coarsened body that it led was given up
	CtlTurn   = CtlChain + 32 // the frame of the block's first wave, which has the words below: see turn
	// CtlFirst is the frame of the wave that the chain begins with, 0 if Go opens
	// barriers. CtlBehind is the exit of the last barrier that all waves have passed.
	// CtlLeast is a limit: if the lower half of a wave's Counter is below it, Go has to
	// look. CtlBoth has the bits that the exit numbers of all waves but the last have
	// in common, CtlAny the bits that any of them has.
	CtlFirst  = CtlChain + 40
	CtlBehind = CtlChain + 48
	CtlLeast  = CtlChain + 56
	CtlBoth   = CtlChain + 64
	CtlAny    = CtlChain + 72
	CtlPrev   = CtlChain + 80 // the frame of the wave before this one, in a ring
	// Blocks that run one after another: see nextBlock. CtlBegin is where the wave
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
	// up. See bars.
	CtlBails = CtlChain + 192
	// In a wave that a coarsened body has run ahead, if blocks follow each other: the
	// values that Counter, CtlLanes and CtlLast had before. Until the wave goes on,
	// none of its work counts.
	CtlBefore = CtlChain + 200
	// In the block's first wave: the CtlChanged of all waves, from time slices that
	// have ended.
	CtlEarlier = CtlChain + 224
	// The lower half of Counter when the wave began the block in hand, if blocks follow each other.
	CtlSince = CtlChain + 232
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

// ExitKind is the reason why machine code returns to Go.
type ExitKind uint8

// The kinds of exits.
const (
	// ExitCall asks for the operation Inst; the code goes on after it.
	ExitCall ExitKind = iota
	// ExitEnd asks for the end of block Block, which Go accounts for. If all lanes of
	// the fragment go on with the next block, the code goes on.
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
	Gives                []Given
}

// Given is a rematerialisation recipe: Go stores (Reg + the lane's step of Steps) >>
// Shift into the frame slot of a lane vector, for all lanes, before it does the
// operation that the exit asks for. The recipe moves work out of code that seldom runs,
// which gets shorter.
type Given struct {
	Reg   x64.Reg
	Type  ir.Type
	Shift uint8
	Off   uint32 // of the frame slot
	Steps shape.Steps
	// At is where Reg is in the frame while Go runs; package engine/jit fills it in.
	At int32
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

// Kind says which part of a web a virtual register holds.
type Kind uint8

// The kinds of parts.
const (
	NoPart  Kind = iota
	Unit         // some lanes
	Splat        // the value of every lane, in every element
	Single       // the value of every lane
	Base         // the value of lane 0; the values of the other lanes follow by steps
	RowBase      // the value of the first lane of tile row Unit; the other lanes of the row follow by steps
	Lanes        // a mask of lanes
	Limit        // belongs to no web: Go sets it to 0 if the interpreter has run. See induction
)

// An Owner says which part of which web a virtual register holds. If Web is 0, the
// register is of no concern to Go.
type Owner struct {
	Web  webs.Web
	Unit int32
	Of   int32 // for Unit: how many units there are; lanes after them repeat their values
	Kind Kind
	// Raw: a float result with visible bits, its NaNs not canonical yet. Go makes them
	// canonical in the frame slot. Unobserved NaNs are left alone, in the frame slot
	// too: the bits may belong to an affine integer, or to another web in the same
	// register.
	Raw   bool
	Steps shape.Steps // for Base
}

// Layout says where in the frame the parts of machine code's own state are.
type Layout struct {
	Control int32 // aligned to 64
	Pend    int32 // the pending masks, 8 bytes per block of the function
	Caches  int32 // region caches
}

// Code is the result of selection: the list of instructions, and the tables by which Go
// enters and exits.
type Code struct {
	LIR      *lir.Func
	Exits    []Exit
	Owners   []Owner // by virtual register; registers after its end hold no web
	Accesses []Access
	Nears    []int32     // frame offsets of words that depend on a base address: see baseIndex
	Blocks   []x64.Label // by block: where it begins, with its live values in their places
	BlockAt  []int       // the same, as an index in the list
	Save     x64.Label   // the shared routine that returns to Go
	Stop     x64.Label   // the shared routine by which a wave stops: see stop
	Wait     x64.Label   // the same for waves that wait at a barrier: see turn
	Start    x64.Label   // the routine by which Go enters for the wave of the frame and those after it
	Entry    x64.Label   // where a wave starts
	Coarse   x64.Label   // where Together waves start in one coarsened body, given the frame of the first; 0: they cannot
	Together int
	Parts    []SavedReg // the saved registers of other waves that coarsened bodies after barriers load and store
	Enter    x64.Label  // the routine by which Go enters
	Routines []x64.Inst // code on machine registers, in the place of the list's last Stubs instructions
	Stubs    int
	Known    func(w webs.Web) shape.Shape // the shape of a web
	// These three are those of shape.Shapes.
	FromMemory bool
	Relies     bool
	Polls      bool
	Alone      bool   // Go must not enter with fragments other than those that the code left with
	Chains     bool   // waves may end or wait without Go: there is an ExitDone or an ExitBar
	Rows       bool   // blocks can run one after another without Go: see nextBlock
	Native     []bool // by operation of the function: machine code does it
	Frame      int32  // bytes of the frame up to the region caches' end
	Width      int32  // bytes of a vector register
	TooLarge   bool   // there would be more than Scratch.Most instructions: all other fields are invalid
}

// Scratch is memory that selections use, one after another.
type Scratch struct {
	code, routines []x64.Inst
	vregs          []lir.VReg
	fills          []int32
	owners         []Owner
	pool           []lir.Const
	places         []place
	wants          []want
	flags          []bool
	ints           []int32
	uses           []int32 // by virtual register: how often it is read, as eliminateDead counts
	indices        []int32
	costs          []float32
	consts         map[constKey]x64.Reg
	nodes          []node
	combined       []combined
	as             []x64.Reg
	edges          [2][][2]webs.Web // see nanPlacement
	copyOf         []webs.Web
	idle           []bool
	piecer         lir.Piecer
	pieces         []uint16
	hows           []how     // by operation: the way, plus 1
	known          knowledge // the registers' contents where control parted in the block in hand: see lowering.known
	inSlot         []webs.Web

	// Most is about how many instructions there may be; 0 means no limit. See
	// Code.TooLarge.
	Most int
	// Verify, if not nil, sees the list after each step of Select. Tests set it.
	Verify func(step string, fn *lir.Func)
}

// Size is about how many bytes of memory m keeps.
func (m *Scratch) Size() int {
	return (cap(m.code)+cap(m.routines))*int(unsafe.Sizeof(x64.Inst{})) + (cap(m.vregs)+cap(m.owners))*int(unsafe.Sizeof(Owner{}))
}

// Owner returns the part of a web that virtual register r holds, or the zero Owner.
func (c *Code) Owner(r x64.Reg) Owner {
	if i := r - x64.Virtual; int(i) < len(c.Owners) {
		return c.Owners[i]
	}
	return Owner{}
}

// Name gives the virtual registers the names of the webs that they hold, for dumps.
func (c *Code) Name(s *webs.Func) {
	c.LIR.Names = map[x64.Reg]string{}
	for i, o := range c.Owners {
		if o.Web != 0 {
			c.LIR.Names[x64.Virtual+x64.Reg(i)] = s.IR.Val(s.Webs[o.Web].Ref).Name
		}
	}
}

// place is where a web lives. plan decides which of the fields are set; a web may have
// several forms at once, and each definition writes all of them.
type place struct {
	units  x64.Reg // first of n consecutive virtual registers of lanes
	n      int32   // if the type has more units, those would repeat these
	splat  x64.Reg
	gpr    x64.Reg // single value, base, or mask of lanes
	raw    bool
	seen   bool // for a float that could be raw: the bits of its NaNs are visible
	affine bool
	steps  shape.Steps
	slot   bool // lives in its frame slot
	// bases is the first of as many general registers as there are tile rows; each
	// holds the value of a row's first lane (see findRowBases). If it is set, the web
	// has no other form.
	bases x64.Reg
	rows  int32
}

// registers yields the virtual registers of the place, for range loops.
func (p *place) registers(yield func(x64.Reg) bool) {
	for u := range p.n {
		if !yield(p.units + x64.Reg(u)) {
			return
		}
	}
	for r := range p.rows {
		if !yield(p.bases + x64.Reg(r)) {
			return
		}
	}
	for _, r := range [2]x64.Reg{p.splat, p.gpr} {
		if r != 0 && !yield(r) {
			return
		}
	}
}

// actsFor caches the result of writeMask for an operation, or for one of several that
// are done together.
type actsFor struct {
	at  int // the first of them, plus 1; 0: nothing is cached
	m   x64.Reg
	all bool
}

// constKey identifies a constant that a virtual register holds: its bits, the size of
// its elements, the length of the register in bytes, and whether that is a general
// register.
type constKey struct {
	bits uint64
	size uint8
	len  uint8
	gpr  bool
}

// maskEntry says that vector or mask register k holds chunk c of the mask of lanes in
// src: l lanes with e bytes each. If under is not 0, only the lanes in the mask of that
// web are included.
type maskEntry struct {
	src   x64.Reg
	l, e  uint8
	c     int32
	k     x64.Reg
	under webs.Web
}

// bcastEntry says that every element of vector register v holds the e bytes of general
// register src.
type bcastEntry struct {
	src x64.Reg
	e   uint8
	v   x64.Reg
}
