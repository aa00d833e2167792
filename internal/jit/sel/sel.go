// Package sel selects machine instructions: it turns the operations of a kernel, of
// which package shape knows what their values look like over the lanes, into
// instructions of package lir.
//
// A rule says how one operation is done for as many lanes as a vector register holds
// (vrule), or once for the wave (grule). The tables of rules are the only place that
// knows operations by name; an operation without a rule is left to the interpreter
// through an exit, and is resumed behind it.
package sel

import (
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/mask"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
	"example.org/crosslane/internal/matrix"
)

// The machine registers with a fixed use.
const (
	Frame   = x64.RBX // the wave's frame
	Active  = x64.R15 // lanes of the running fragment; of GCN3 unused
	Counter = x64.R14 // (budget-1)<<32 | 2^32-1-instructions since Go entered
	Acc     = x64.RAX // never live from one operation to the next
	Acc2    = x64.RDX
)

// The control words of a frame, as offsets from Layout.Control.
const (
	CtlExit    = 0  // the number of the exit that was taken
	CtlEntry   = 8  // where Go enters next
	CtlLanes   = 16 // lane instructions since Go entered
	CtlLast    = 24 // low half of Counter when CtlLanes was last brought up to date
	CtlChanged = 32 // not 0: memory that other blocks see was written
	CtlShared  = 40 // the address of the block's shared memory
	// CtlSharedEnd are five words: of accesses of 1, 2, 4, 8 and 16 bytes the first offset that
	// is too large.
	CtlSharedEnd = 48
	CtlWords     = 88  // two words for the rules' own use
	CtlClock     = 104 // the wave's clock before Go entered, and 2^32-1
	CtlCrowd     = 112 // not 0: other workers run, too
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

	// Private memory: where lane 0 has it, and five words each as CtlSharedEnd for the part
	// below the stacks, or all of it, and for the stacks' part that is in use, from
	// CtlStackLow on. CtlLocalOffsets are 64 times 4 bytes: from lane 0's to lane i's.
	CtlLocal        = CtlScratch + ScratchSize
	CtlLocalEnd     = CtlLocal + 8
	CtlStackLow     = CtlLocal + 48
	CtlStackEnd     = CtlLocal + 56
	CtlLocalOffsets = CtlLocal + 128

	// A wave that ends, or waits for the others of its block, goes on as the next one, without
	// Go: see stop.
	CtlChain  = CtlLocalOffsets + 64*4
	CtlNext   = CtlChain      // the frame of the wave to run next; 0: Go says what is next
	CtlResume = CtlChain + 8  // where this wave begins, or goes on
	CtlLive   = CtlChain + 16 // its lanes that have not exited
	CtlVain   = CtlChain + 24 // not 0: the pass that it led was given up
	CtlTurn   = CtlChain + 32 // the frame of the block's first wave, which has what follows: see turn
	// The frame of the wave that the chain begins with, 0 if Go opens barriers; the exit of
	// the barrier that all have passed last; the lower half of any wave's Counter from which down
	// on Go has to look; and what the numbers of the exits of all waves but the last have in common,
	// and what any of them have.
	CtlFirst  = CtlChain + 40
	CtlBehind = CtlChain + 48
	CtlLeast  = CtlChain + 56
	CtlBoth   = CtlChain + 64
	CtlAny    = CtlChain + 72
	CtlPrev   = CtlChain + 80 // the frame of the wave before this one, in a ring
	// Blocks one after another: see row. Where the wave begins in each; the frame of the block's
	// first wave, 0 if Go says which block is next; of that wave, how many blocks are to follow,
	// the block's first index and its number; and MaxParts times an address in the frame, and what
	// the word there holds at the start.
	CtlBegin = CtlChain + 88
	CtlRow   = CtlChain + 96
	CtlAhead = CtlChain + 104
	CtlIndex = CtlChain + 112
	CtlBlock = CtlChain + 120
	CtlParts = CtlChain + 128
	// Of the block's first wave: how many passes behind barriers were given up. See bars.
	CtlBails = CtlChain + 192
	// Of a wave that a pass has brought on its way, if blocks follow each other: what its
	// counter, CtlLanes and CtlLast were before. Until it goes on, nothing of it has happened.
	CtlBefore = CtlChain + 200
	// Of the block's first wave: what CtlChanged of any wave was in turns that have ended.
	CtlEarlier = CtlChain + 224
	// The lower half of Counter when the wave began the block in hand, if blocks follow each other.
	CtlSince = CtlChain + 232
)

// MaxParts is how many words of the guest's part of a frame machine code can restore.
const MaxParts = 4

// Quantum is the upper half of Counter when a turn begins: one less than the instructions that
// package sim gives it.
const Quantum = 1<<14 - 1

// A Region cache of an access to global memory, four words at Access.Cache: the first
// address that is inside, how many addresses from there on are (0: none), where the
// memory of the first one is, and 1 if it is memory that other blocks see.
const (
	CacheLow    = 0
	CacheCount  = 8
	CachePtr    = 16
	CacheOthers = 24
	CacheSize   = 32
)

// ExitKind is why machine code returns to Go.
type ExitKind uint8

// The kinds.
const (
	// ExitCall asks for the operation Inst; the code goes on behind it.
	ExitCall ExitKind = iota
	// ExitEnd asks for the end of block Block, which Go accounts for; if all lanes of the
	// fragment go on with the next block, the code goes on.
	ExitEnd
	// ExitBudget: the budget is used up and the fragment is at block To.
	ExitBudget
	// ExitSplit: as ExitBudget, and lanes parted just before.
	ExitSplit
	// ExitPend: lanes may be pending in front of block To, to which the active ones go; Go
	// finds out who is next.
	ExitPend
	// ExitAside: something does not hold that the code relies on. Go runs the operations
	// from Inst to the end of block Block, and does not come back to here.
	ExitDeopt
	// ExitDone: block Block has been accounted for, and at its end all lanes of the wave
	// exit. Only Counter and Active are saved.
	ExitDone
	// ExitBar: block Block has been accounted for, and all lanes of the wave wait at the
	// barrier at its end. Saved are Counter, Active and the registers that live behind it.
	ExitBar
)

// An Exit is a place where machine code returns to Go.
type Exit struct {
	Kind  ExitKind
	Inst  int // index in Func.Code
	Block int
	To    int
	At    int // index in the list: of the instruction that calls the shared routine
	// Of ExitBar: the routine by which a wave goes on, what is behind the call, and where a group
	// of waves goes on in one pass; 0: nowhere.
	Resume, Land, Coarse x64.Label
	LandAt               uint32 // the offset of Land in the code: package engine/jit finds out
	Gives                []Given
}

// Given is what Go puts in the home of a lane vector, for all lanes, before it does what the
// exit asks for: (Reg + what Steps say) >> Shift. That is done where code is seldom run, which
// gets shorter by it.
type Given struct {
	Reg   x64.Reg
	Type  ir.Type
	Shift uint8
	Off   uint32 // of the home in the frame
	Steps shape.Steps
	// At is where Reg is in the frame while Go runs: package engine/jit finds out.
	At int32
}

// An Access is one that has a region cache.
type Access struct {
	Inst  int
	Cache int32 // frame offset
	// Before and Span say that the access touches memory from Before bytes below its
	// address (that of lane 0 plus the offset) to Span bytes above.
	Before, Span uint64
	// Near is the frame offset of 24 bytes that are derived from the region cache; 0: none.
	NearCache int32
}

// Kind says what part of a web a virtual register holds.
type Kind uint8

// The kinds.
const (
	NoPart  Kind = iota
	Unit         // some lanes
	Splat        // the value of every lane, in every element
	Single       // the value of every lane
	Base         // of lane 0; those of the others follow in steps
	RowBase      // of the first lane of row Unit; those of the others in the row follow in steps
	Lanes        // a mask of lanes
	Limit        // of no web: what Go makes 0 where the interpreter has run. See walk
)

// An Owner says what a virtual register holds: nothing that Go needs to know if Web is 0.
type Owner struct {
	Web  webs.Web
	Unit int32
	Of   int32 // of Unit: how many there are; the lanes behind them repeat theirs
	Kind Kind
	// Raw: a float result whose NaNs have not been made canonical though somebody sees their bits.
	// Where nobody does they stay as they are, at home as well: there may be no float, of which the
	// other lanes tell by steps, and another web with the same bits in the same register.
	Raw   bool
	Steps shape.Steps // of Base
}

// Layout says where in the frame things are.
type Layout struct {
	Control int32 // aligned to 64
	Pend    int32 // the pending masks, 8 bytes per block of the function
	Caches  int32 // region caches
}

// Code is the result of selection.
type Code struct {
	LIR      *lir.Func
	Exits    []Exit
	Owners   []Owner // by virtual register; those behind its end hold nothing of a web
	Accesses []Access
	Nears    []int32     // frame offsets of words that go for a base address: see near
	Blocks   []x64.Label // by block: where it begins, with its live values in their places
	BlockAt  []int       // the same as index in the list
	Save     x64.Label   // the shared routine that returns to Go
	Stop     x64.Label   // the shared routine by which a wave stops: see stop
	Wait     x64.Label   // the same for waves that wait at a barrier: see turn
	Start    x64.Label   // the routine by which Go enters for the wave of the frame and those behind it
	Entry    x64.Label   // where a wave starts
	Coarse   x64.Label   // where Together waves start in one pass, by the frame of the first; 0: they cannot
	Together int
	Parts    []SavedReg // what passes behind barriers load and store of what waves have saved
	Enter    x64.Label  // the routine by which Go enters
	Routines []x64.Inst // code on machine registers, in the place of the list's last Stubs instructions
	Stubs    int
	Known    func(w webs.Web) shape.Shape // what is known of a web
	// See shape.Shapes.
	FromMemory bool
	Relies     bool
	Polls      bool
	Alone      bool   // Go must not enter with other fragments than those it left with
	Chains     bool   // waves may end or wait without Go: there are ExitDone or ExitBar
	Rows       bool   // blocks can run one after another without Go: see row
	Native     []bool // by operation of the function: done by machine code
	Frame      int32  // bytes of the frame up to the region caches' end
	Width      int32  // bytes of a vector register
	TooLarge   bool   // there would be more than Scratch.Most instructions: nothing else is of use
}

// Select makes the code of a function.
func Select(s *webs.Func, sh *shape.Shapes, mk *mask.Masks, tier isa.Tier, lay Layout) *Code {
	return new(Scratch).Select(s, sh, mk, tier, lay)
}

// Scratch is memory that selections use one after the other.
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
	uses           []int32 // by virtual register: how often it is read, as sweep counts
	indices        []int32
	costs          []float32
	consts         map[constKey]x64.Reg
	nodes          []node
	combined       []combined
	as             []x64.Reg
	edges          [2][][2]webs.Web // see rawness
	copyOf         []webs.Web
	idle           []bool
	piecer         lir.Piecer
	pieces         []uint16
	hows           []how     // by operation: the way, plus 1
	known          knowledge // what was known where control parted in the block in hand: see gen.known
	inSlot         []webs.Web

	// Most is about how many instructions there may be; 0: any number. See Code.TooLarge.
	Most int
}

// Select is like the function Select. The code's list, registers and Owners are there up
// to the next call only.
func (m *Scratch) Select(s *webs.Func, sh *shape.Shapes, mk *mask.Masks, tier isa.Tier, lay Layout) *Code {
	g := newGen(s, sh, mk, tier, lay, m)
	g.plan()
	g.code()
	if !g.out.TooLarge {
		g.combine()
		g.eliminateDead()
		g.loads()
		g.compact()
		g.byPieces()
		g.parks()
		g.coarsen()
	}
	g.out.Frame, g.out.Width = g.caches, g.w
	m.vregs, m.owners, m.pool = g.fn.VRegs, g.out.Owners, g.fn.Pool
	return g.out
}

// Size is about how many bytes of memory are kept.
func (m *Scratch) Size() int {
	return (cap(m.code)+cap(m.routines))*int(unsafe.Sizeof(x64.Inst{})) + (cap(m.vregs)+cap(m.owners))*int(unsafe.Sizeof(Owner{}))
}

// Owner says what a virtual register holds.
func (c *Code) Owner(r x64.Reg) Owner {
	if i := r - x64.Virtual; int(i) < len(c.Owners) {
		return c.Owners[i]
	}
	return Owner{}
}

// Name gives the registers the names of what they hold.
func (c *Code) Name(s *webs.Func) {
	c.LIR.Names = map[x64.Reg]string{}
	for i, o := range c.Owners {
		if o.Web != 0 {
			c.LIR.Names[x64.Virtual+x64.Reg(i)] = s.IR.Val(s.Webs[o.Web].Ref).Name
		}
	}
}

// place is where a web lives.
type place struct {
	units  x64.Reg // first of n consecutive virtual registers of lanes
	n      int32   // where there are more for its type, they would repeat these
	splat  x64.Reg
	gpr    x64.Reg // single value, base, or mask of lanes
	raw    bool
	seen   bool // of one that could be raw: the bits of its NaNs are seen
	affine bool
	steps  shape.Steps
	slot   bool // lives in its home in the frame
	// The first of as many general registers as there are rows, which hold the first lane of each: see
	// findRowBases. There is nothing else then.
	bases x64.Reg
	rows  int32
}

// registers calls yield for the virtual registers; it is for range loops.
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

// gen is the state of a selection.
type gen struct {
	mem      *Scratch
	s        *webs.Func
	f        *ir.Func
	sh       *shape.Shapes
	mk       *mask.Masks
	out      *Code
	fn       *lir.Func
	avx512   bool
	w        int32 // bytes of a vector register
	lay      Layout
	places   []place
	normal   []bool         // by web: an f32 that is never subnormal
	isNot    []bool         // for normals
	periods  []uint8        // see findRepeats
	rowBases []bool         // by web: see findRowBases
	copyOf   []webs.Web     // by web: another one that holds the same, and has a place; 0: none. See forward
	choices  map[int]choice // see forward
	consts   map[constKey]x64.Reg
	tables   map[string]x64.Reg

	// The operation in hand.
	block  int
	at     int
	in     *ir.Inst
	ops    *webs.Operands
	len    uint8      // bytes of the vectors that a rule works on
	count  int        // guest instructions of the block so far, not yet counted
	fused  int        // the comparison that the end of the block does, too; -1: none
	later  []func()   // code that is kept for the end
	rare   int        // code that is seldom run is being emitted, so many times over
	gives  []Given    // of the exit that comes next
	inSlot []webs.Web // what is in its home already, for call-outs one after another; else nil
	hards  []x64.Reg  // masks of lanes that the rule left over, by chunk

	skip     int      // the operations before this one have been done
	exes     [2][4]ex // on vectors and on general registers, by size of elements
	fresh    int      // where the code of what is to be defined began, plus 1; 0: unknown. See defineFresh
	payloads bool     // vrule.payloads of the rule in hand

	watch   int // an Observe that the access at watched brings about
	watched int
	region  x64.Mem // the region cache of the access in hand
	acts    actsFor

	masks       []maskEntry // masks of lanes in other forms, known in this block
	bcasts      []bcastEntry
	wides       []wideEntry // half-words as f32, known in this block
	shared      x64.Reg     // where shared memory is, if it is known in this block
	caches      int32
	arrivals    []x64.Label        // by block: in front of the merge there; 0: not made yet
	deoptimised x64.Label          // where the code begins that was kept for later
	wantedIn    int                // the block, plus 1, that wantedAt is of
	wantedAt    map[int][]webs.Web // see wanted
	undef       [][]webs.Web       // by block: webs that hold something from its start on
	numbers     map[uint64]int32
	every       bool // the operation in hand is known to act for all lanes of the wave
	reports     int8 // see traced
	parts       int8 // see parted
	clock       bool // some operation reads the wave's clock
	manyIDs     bool // see manyBars
	tilings     map[*matrix.Product]*tiling
	walks       map[inductionKey]*induction
	paths       []*induction        // all of them
	baseIndexes map[int]*baseIndex  // by operation
	computed    []bool              // by web: see findRuns
	sunk        []bool              // by operation: it is done where Go wants its result
	always      map[webs.Web]uint64 // masks of lanes that are always the same: see findFixed
	dppReads    map[webs.Web]uint64 // by the result of a DPPRead: its Imm
	idle        []bool              // by operation: nobody reads its result; see unread
	sunkAt      []int32             // by web: that operation, plus 1
	sinking     sinking
	strays      map[webs.Web][]*induction // by web: the walks whose limits its writes end
}

// actsFor is what writeMask found for an operation, or one of several that are done
// together.
type actsFor struct {
	at  int // the first of them, plus 1
	m   x64.Reg
	all bool
}

type constKey struct {
	bits uint64
	size uint8
	len  uint8
	gpr  bool
}

// maskEntry says that vector or mask register k holds chunk c, of l lanes with e bytes
// each, of the mask of lanes in src; of those only that are in the mask under, if it is not
// 0.
type maskEntry struct {
	src   x64.Reg
	l, e  uint8
	c     int32
	k     x64.Reg
	under webs.Web
}

// bcastEntry says that vector register v holds the value of general register src, of e
// bytes, in every element.
type bcastEntry struct {
	src x64.Reg
	e   uint8
	v   x64.Reg
}
