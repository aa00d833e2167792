// Package api holds the public data of Crosslane: launches, buffers and arguments, results, reports,
// and how they are printed. Package crosslane has the same names, as aliases.
package api

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"example.org/crosslane/diag"
)

// ISA is a guest instruction set.
type ISA string

// The instruction sets. Auto detects by content.
const (
	Auto ISA = ""
	PTX  ISA = "ptx"
	GCN3 ISA = "gcn3"
)

// Dim3 is a size or an index in up to three dimensions. In a size, a component of
// 0 counts as 1.
type Dim3 struct{ X, Y, Z uint32 }

// Blocks is how many blocks a grid of this size has.
func (d Dim3) Blocks() uint64 { return uint64(max(d.X, 1)) * uint64(max(d.Y, 1)) * uint64(max(d.Z, 1)) }

// ElemType is the type of a buffer's or scalar's elements.
type ElemType string

// The element types, as the command line spells them.
const (
	U8   ElemType = "u8"
	S8   ElemType = "s8"
	U16  ElemType = "u16"
	S16  ElemType = "s16"
	U32  ElemType = "u32"
	S32  ElemType = "s32"
	U64  ElemType = "u64"
	S64  ElemType = "s64"
	F16  ElemType = "f16"
	BF16 ElemType = "bf16"
	F32  ElemType = "f32"
	F64  ElemType = "f64"
)

// A Buffer is memory that the kernel sees: the host's bytes, little-endian, read
// at launch and written back when the run ends. The same Buffer given for two
// arguments is one piece of memory.
type Buffer struct {
	Name  string
	Type  ElemType
	Shape []int  // product = number of elements; nil: one dimension
	Data  []byte // elements, little-endian
	// Pointers are addresses that the launch writes into Data, which then counts as
	// initialised.
	Pointers []Pointer
	// Uninitialised reports that the contents count as never written, for checks; the bytes are
	// used as they are.
	Uninitialised bool
	// UndefinedBits are the bits of Data that count as undefined, for checks, as many bytes as Data; nil: those that
	// Uninitialised says.
	UndefinedBits []byte
	// Written is set by a run that stored into the buffer.
	Written bool

	err error // the error of NewBuffer
}

// An Arg is a kernel argument: a *Buffer, a Scalar, Bytes, a Pointer, SharedBytes, or a DevicePtr if the
// kernel is on a Device.
type Arg interface{ isArg() }

// Scalar is a scalar argument. With Type "" the value is converted to the
// parameter's declared type; with a Type, Bits are taken as they are.
type Scalar struct {
	Type ElemType
	Bits uint64 // when Type is set, the value's bits, low bits first
	// Text is the value as written when Type is "": an integer (decimal, 0x…) or a
	// floating-point number.
	Text string
}

// SharedBytes is a GCN3 local-pointer argument: that much LDS is added to the
// kernel's static size.
type SharedBytes uint32

func (*Buffer) isArg()     {}
func (Scalar) isArg()      {}
func (SharedBytes) isArg() {}

// Undefined chooses the bits that an undefined cross-lane read yields. The finding
// is reported in any case.
type Undefined string

// The policies.
const (
	UndefinedOwn    Undefined = "own"    // the reader's own value (default)
	UndefinedZero   Undefined = "zero"   // 0
	UndefinedPoison Undefined = "poison" // a recognisable pattern
)

// Schedule chooses the order in which lanes, warps and blocks run: "lowest-pc" (the default),
// "reversed" or "random:SEED". A run in another order finds results that depend on the order; with
// one worker a seed gives the same run every time. For PTX with 64-bit addresses, a seed also
// decides where the windows of generic addresses begin; Check keeps the layout of the launch when
// it runs other orders.
type Schedule string

// LowestPC is the default schedule: in a warp, the lanes at the lowest program counter run first;
// warps take turns; blocks run one after another unless they wait.
const LowestPC Schedule = "lowest-pc"

// Reversed is the opposite of LowestPC: in a warp, the lanes at the highest program counter run
// first; the last warp of a block and the last block run first.
const Reversed Schedule = "reversed"

// RandomSchedule is the random schedule of a seed.
func RandomSchedule(seed uint64) Schedule { return Schedule(fmt.Sprintf("random:%d", seed)) }

// Check returns an error if the schedule is not valid.
func (s Schedule) Check() error {
	if _, random := s.Seed(); !random && s != "" && s != LowestPC && s != Reversed {
		return fmt.Errorf("the schedule cannot be %q: lowest-pc, reversed, or random: and a number of at most 64 bits", string(s))
	}
	return nil
}

// Seed is the seed of a random schedule; ok reports whether s is a valid one.
func (s Schedule) Seed() (seed uint64, ok bool) {
	text, ok := strings.CutPrefix(string(s), "random:")
	if !ok {
		return 0, false
	}
	seed, err := strconv.ParseUint(text, 0, 64)
	return seed, err == nil
}

// Launch holds the parameters of one run of a kernel.
type Launch struct {
	Grid, Block Dim3 // in blocks; in lanes
	// Cluster is the size of a cluster, in blocks: PTX for sm_90 and later, at most 16 blocks. It divides the grid. Zero: what the
	// kernel requires (.reqnctapercluster), else every block is a cluster of its own.
	Cluster Dim3
	Args    []Arg
	Symbols []Symbol // variables of the module that are set or read
	Shared  uint32   // dynamic shared memory, bytes
	Stack   uint32   // bytes of each lane's stack, if the kernel needs one; 0: DefaultStack
	Heap    uint64   // bytes that malloc in the kernel may hand out; 0: DefaultHeap
	Engine  string   // "", "auto", "interp" or "jit"; see Engines
	Native  Native   // "": the best machine code that the processor runs
	// Workers is how many blocks run at a time, at most MaxWorkers; 0: chosen (1 if the order of
	// blocks can show). If a run faults, the reported fault is always that of the first block that
	// has one. The effects of later blocks, in buffers and findings, are the same every time only
	// with one worker.
	Workers int
	Timeout time.Duration // 0: none
	// Cooperative reports that blocks of the grid wait for each other. All of them are then in
	// flight at the same time, or the launch is an error, and %envreg1 and %envreg2 hold the
	// address of the workspace that this_grid().sync() of CUDA's cooperative groups uses.
	Cooperative bool
	Undefined   Undefined // "": own
	Schedule    Schedule  // "": lowest-pc; a random one takes one worker unless Workers is set
	// Adversarial delivers the results of GCN3 loads as late as the counters of s_waitcnt allow. An
	// instruction that reads a register before its wait states have passed gets the old value. So a
	// missing wait shows in the results. Without Adversarial the intended values are computed.
	// Findings are the same in both cases. In PTX, asynchronous work (cp.async, bulk and tensor copies,
	// st.async, wgmma) is done as late as the program's waits allow, by the interpreter.
	Adversarial bool
	// RaceMemory is how many bytes Check may use for its record of accesses; 0: 1 GiB.
	RaceMemory uint64
	// Stdout receives the text that the kernel prints, in the order of the blocks. nil: it is
	// collected in Result.Output.
	Stdout io.Writer

	// Profile asks for Result.Profile. The run takes longer.
	Profile bool
	// Ended, if set, counts the blocks that have ended while the kernel runs.
	Ended *atomic.Uint64

	// Skip lists codes of findings that Check need not look for; work that only they need is not
	// done.
	Skip []string
}

// Stats are the figures of a run.
type Stats struct {
	Engine           string  `json:"engine"`
	WarpInstructions uint64  `json:"warp_instructions"`
	LaneInstructions uint64  `json:"lane_instructions"`
	Seconds          float64 `json:"seconds"`
	// Native counts the wave instructions that a native engine did in machine code, CalledOut the
	// IR operations that it left to the interpreter. Both are 0 if the interpreter ran.
	Native    uint64 `json:"native,omitempty"`
	CalledOut uint64 `json:"called_out,omitempty"`
	// Fallback is the reason why the interpreter ran although machine code would have paid, or was
	// requested; "" in all other cases.
	Fallback string `json:"fallback,omitempty"`
	Blocks   uint64 `json:"-"`
	Workers  int    `json:"-"`
}

// Result is the outcome of a run that was carried out, with or without findings.
type Result struct {
	Kernel   string
	ISA      ISA
	Grid     Dim3
	Block    Dim3
	Buffers  []*Buffer // the distinct buffers of the launch, in the order of the arguments
	Findings diag.List
	Output   string // the text that the kernel printed, unless Launch.Stdout was set
	Stats    Stats
	// Fidelity lists for each opcode of a PTX kernel how exact its execution is; nil for GCN3.
	Fidelity []Fidelity
	// Profile holds the figures of the kernel's lines, if Launch.Profile was set.
	Profile *Profile
}

// Fidelity describes how exact the execution of one opcode of a kernel is.
type Fidelity struct {
	Opcode  string   `json:"opcode"`
	Sites   int      `json:"sites"`             // instructions of the source that have it
	Class   string   `json:"class"`             // "exact", "approximate" or "no effect modelled"
	Bound   string   `json:"bound,omitempty"`   // for an approximate opcode: the error that the manual allows
	Ignored []string `json:"ignored,omitempty"` // modifiers whose effect is not modelled
	Section string   `json:"section"`
}

// Register is one register of a scratchpad run.
type Register struct {
	Name   string
	Type   string   // "u32", "f32", "u64", "pred", …: the type in which Data is best read
	Lanes  int      // number of elements: 32, 64, or 1 for a scalar register
	Bits   []uint64 // one per lane
	Poison []int    // lanes with bits that are uninitialised or came from undefined behaviour
	// Undefined are those bits, one element per lane as in Bits.
	Undefined []uint64
	Float     bool // the instruction that wrote it is a float operation
}

// TrySet gives a register its value before a scratchpad run.
type TrySet struct {
	Reg  string
	Type ElemType // "": u32
	Bits []uint64 // one per lane; the last repeats
}

// TryOptions configure Try.
type TryOptions struct {
	ISA   ISA
	Set   []TrySet
	Exec  *uint64  // active lanes; nil: all
	Show  []string // registers to return; nil: all written, in the order of writing
	Trace bool     // return the registers after each instruction too
}

// TryStep is the state after one instruction.
type TryStep struct {
	Text      string
	Registers []Register
}

// TryResult is the outcome of a scratchpad run.
type TryResult struct {
	ISA       ISA
	Lanes     int
	Registers []Register
	Steps     []TryStep // with Trace
	Findings  diag.List
}

// MaxWorkers is how many blocks may run at a time.
const MaxWorkers = 1024

// The sizes that the runtime provides, unless a launch sets them.
const (
	DefaultStack = 64 << 10 // bytes a lane
	DefaultHeap  = 8 << 20  // bytes
)
