// Package ir is Crosslane's intermediate representation. Both guest languages are lifted to it,
// tools read and rewrite it, and engines run it.
//
// A Func is one kernel for waves of 32 or 64 lanes. Its storage is a set of Values, each a *lane
// vector* (one element per lane) or a *scalar* (one element per wave) at a fixed byte offset in the
// wave's frame. Its code is a flat list of instructions in the guest's layout order, split into
// basic blocks.
//
// # The machine's contract
//
// A frame is a flat piece of memory without pointers. A lane vector of a type of s bytes occupies
// lanes*s bytes, element i at offset i*s. A lane vector of B1 is a bit mask of 8 bytes, bit i for
// lane i. A scalar occupies s bytes; a scalar of B1 is bit 0 of 4 bytes. Guest views may overlap
// (s2, s[2:3] and the mask in s[2:3] are three Values on the same bytes); temporaries never do.
//
// A pure operation computes its result for every lane, active or not, and never traps. If its
// destination is a guest value, only the lanes of the write mask are stored. The write mask holds
// the active lanes of the wave's running fragment whose Guard bit is set (clear, with GuardNot). A
// destination that is a temporary is stored for all lanes, because a temporary cannot be read after
// its guest instruction. All operands are read before any result is written.
//
// Operations with effects (memory, cross-lane, control) act for the lanes of the write mask only.
// Scalar instructions (Inst.Scalar) act once for the wave, independent of the mask.
//
// PTX uses the fragment's lanes as the mask and predicates as guards. GCN3 runs all 64 lanes as one
// fragment and guards every vector operation with EXEC.
package ir

import (
	"fmt"

	"example.org/crosslane/internal/matrix"
)

// Type is the type of a value's element. Bits have no signedness; operations have.
type Type uint8

// The types.
const (
	NoType Type = iota
	B1          // a predicate; a lane vector of B1 is a mask
	B8
	B16
	B32
	B64
)

// Bytes returns the size of one element: 1, 2, 4 or 8; for B1 see the package comment.
func (t Type) Bytes() uint32 {
	switch t {
	case B8:
		return 1
	case B16:
		return 2
	case B32, B1:
		return 4
	case B64:
		return 8
	}
	return 0
}

// Sum returns the address off bytes after base, for an address of this type: the sum has the
// address's bits and wraps (PTX 6.4.1, 6.6).
func (t Type) Sum(base, off uint64) uint64 {
	if t == B32 {
		return uint64(uint32(base + off))
	}
	return base + off
}

// String returns b1, b8, b16, b32 or b64.
func (t Type) String() string {
	switch t {
	case B1:
		return "b1"
	case B8:
		return "b8"
	case B16:
		return "b16"
	case B32:
		return "b32"
	case B64:
		return "b64"
	}
	return "none"
}

// Ref names a Value of a Func by its index. The zero Ref means none.
type Ref int32

// Kind is the purpose of a Value.
type Kind uint8

// The kinds.
const (
	Guest Kind = iota // a register of the guest, visible to tools; written under the mask
	Temp              // lives inside one guest instruction; assigned once for all lanes, or filled and then loaded under a guard
	Const             // read only; every lane (or the scalar) holds Value.Const
)

// A Value is storage in the wave's frame.
type Value struct {
	Name   string // "%r1", "v3", "s[2:3]"; "" for temporaries and constants
	Type   Type
	Kind   Kind
	Scalar bool
	Off    uint32 // byte offset in the frame
	Const  uint64 // for kind Const: the bits
}

// Size returns the number of frame bytes that the value occupies in a wave of the given number of
// lanes.
func (v *Value) Size(lanes int) uint32 {
	switch {
	case v.Scalar:
		return v.Type.Bytes()
	case v.Type == B1:
		return 8
	}
	return uint32(lanes) * v.Type.Bytes()
}

// Space is an address space.
type Space uint8

// The address spaces. Offsets in Shared, Local, Param and Const windows start at zero. Generic
// addresses reach Global directly and the other spaces through windows.
const (
	Generic Space = iota
	Global
	Shared // LDS
	Local  // private memory of a lane
	Constant
	Param // kernel parameters, read only, the same for all lanes
)

// The windows of the generic (flat) address space. Addresses in the shared, local and parameter
// windows mean the shared memory of the lane's block, the private memory of the lane and the
// kernel's parameters. All other addresses mean global memory; the constant variables have a window
// of their own in it, below 2^32. Addresses in the window of functions are addresses of functions,
// not of memory.
const (
	SharedWindow uint64 = 1 << 48
	LocalWindow  uint64 = 2 << 48
	ParamWindow  uint64 = 3 << 48
	FuncWindow   uint64 = 5 << 48
	WindowMask   uint64 = 0xffff << 48
	// SharedPTX, LocalPTX and ParamPTX are the windows of PTX with addresses of 64 bits, in the
	// ordinary layout (see Windows). Their low halves are not 0, so a generic address that is cut
	// to 32 bits is no address of the space, as on hardware. (GCN3's windows begin at multiples of
	// 2^32, because flat addresses are made of their upper half.) All sums of two of them differ,
	// so a report can name the window that was added twice.
	SharedPTX      uint64 = 7<<48 | 0x2b00_0000
	LocalPTX       uint64 = 8<<48 | 0x3300_0000
	ParamPTX       uint64 = 10<<48 | 0x3d00_0000
	ConstantWindow uint64 = 0x4000_0000
	ConstantEnd    uint64 = 1 << 32
)

// Window32Bits is the number of address bits within a window of a 32-bit generic address space. The
// windows are consecutive in the order of their 64-bit numbers, after an empty one, so all lie
// below all memory.
const (
	Window32Bits = 24
	window32     = uint64(1) << Window32Bits
)

// Window32 returns the place, in an address space of 32 bits, of a window of the 64-bit generic
// address space.
func Window32(w uint64) uint64 { return w >> 48 * window32 }

// Widen converts a generic address of a 32-bit address space to one of 64 bits.
func Widen(a uint64) uint64 {
	if n := a / window32; 1 <= n && n <= ParamWindow>>48 {
		return n<<48 | a%window32
	}
	return a
}

// LocalBase returns the place of private memory among the function's generic addresses of 64 bits.
func (f *Func) LocalBase() uint64 {
	if f.Exec == 0 {
		return f.Windows.Local()
	}
	return LocalWindow
}

// FuncWindow32 is the place of functions in 32-bit address spaces: below all memory and after the
// windows.
const FuncWindow32 uint64 = 0x0800_0000

// funcStep is the distance between the addresses of functions.
const funcStep = 16

// FuncAddress returns the address of function number i. The low 32 bits of a 64-bit one determine
// the number too, because guests may keep function addresses in 32-bit registers.
func FuncAddress(i int, wide bool) uint64 {
	a := FuncWindow32 + uint64(i)*funcStep
	if wide {
		a |= FuncWindow
	}
	return a
}

// FuncNumber returns the number of the function at an address. If the result is not less than the
// number of functions, there is no function at the address.
func FuncNumber(a uint64) uint64 {
	if w := a & WindowMask; w == FuncWindow {
		a &^= WindowMask
	}
	a -= FuncWindow32
	return a/funcStep | a<<60
}

// String returns the name of the space.
func (s Space) String() string {
	return [...]string{"generic", "global", "shared", "local", "const", "param"}[s]
}

// Flags qualify memory operations.
type Flags uint8

// The flags.
const (
	SignExtend Flags = 1 << iota // loads: sign-extend (not zero-extend) from Size bytes to the destination
	Volatile                     // the access waits or signals: it is ordered as other lanes see it, and never merged
	OnlyShared                   // a generic address must lie in shared memory
	OnlyGlobal                   // a generic address must lie in global memory
	NotLocal                     // a generic address must not lie in private memory
	// Undefined accesses the set of undefined bits of the memory instead of the memory: the same
	// number of bytes at the same addresses. Instrumentation uses it.
	Undefined
	// Checked marks an operation of any kind that is present for checks only: Unchecked removes it.
	Checked
	// Relaxed loads and stores exchange values with other lanes on purpose; Volatile ones need not.
	Relaxed
)

// Data, on a strong Access, marks a volatile access that is no signal: a load whose value decides
// no branch, or a store. Programs that rely on lanes of a wave running
// in step exchange data with these accesses.
const Data = Volatile

// For other Accesses: Guess is a load whose value a compare-and-swap compares with memory, so that
// it may be stale; Rounded is a store of a floating-point number that was computed.
const (
	Guess   = SignExtend
	Rounded = SignExtend
)

// Order is the ordering effect of a memory access, or of a fence (Fence or Nop), for other lanes
// (PTX 8.4 to 8.8). Engines may ignore it.
type Order uint16

// The parts of an Order.
const (
	// Strong accesses do not race with each other: relaxed, volatile, atomic.
	Strong Order = 1 << iota
	Acquire
	Release
	// Device: the order holds for all lanes of the grid; without it, for those of the block.
	Device
	// Either is an access that is strong if the other access is strong, and otherwise is not: one
	// instruction serves both purposes.
	Either
	// Async is a copy that its lane waits for. With Release and no access, the copies so far become
	// a group. With Acquire, the lane waits until at most Imm groups are outstanding; with Strong
	// too, for all copies.
	Async
	// InBlock reports that Device is absent on purpose: other atomics have Device.
	InBlock
	// Proxy concerns the asynchronous proxy. With Async, it is a bulk copy; its lane waits for bulk
	// copies by groups of their own, and with Acquire and Strong until their sources have been
	// read. Without Async, it is a fence between the accesses of lanes and those of bulk copies.
	Proxy
	// InCluster, with InBlock: the order holds for the blocks of the cluster, too.
	InCluster
	// Maps concerns the tensormap proxy (PTX 9.7.14.4): a fence that releases the writes of tensor maps to it; with Acquire
	// and an access, one that acquires the bytes for it; without, a copy's read of its map.
	Maps
	// Warpgroup is the proxy's read of a product of a warpgroup, which its lanes wait for by groups of their own.
	Warpgroup = Async | Proxy | Device
)

// Inst is one operation.
type Inst struct {
	Op       Op
	Scalar   bool  // acts once for the wave
	GuardNot bool  // the guard is negated
	First    bool  // first operation of its guest instruction (statistics count these)
	Size     uint8 // memory: bytes per lane and access
	Space    Space
	Flags    Flags
	Order    Order
	// Surplus marks a Load of one element of a vector whose value reaches nothing: where no memory backs
	// the element, it reads undefined bits, and there is no fault. See unread.go.
	Surplus bool
	Align   uint16 // memory: required alignment in bytes; 0 or 1: none
	Dst     Ref
	Dst2    Ref // a second result (predicate of shfl; unused otherwise)
	Args    [4]Ref
	// Shadow belongs to instrumentation (internal/check/poison). Only shuffle, vote, match, redux,
	// elect and HostCall use it: lane vectors that mark the undefined lanes of Args[0], of the
	// other arguments, of Dst and of Dst2; 0: none. A vector of type B1 marks lanes; one of the
	// value's own type holds its undefined bits. Package sim writes the last two; engines may
	// ignore them. HostCall has the second and third.
	Shadow [4]Ref
	Guard  Ref    // lane vector of B1; 0: every active lane
	Imm    uint64 // meaning by operation: see the table
	Pos    int32  // index in Func.Pos of the guest instruction
}

// Offset returns the offset that a Load, a Store or an Atomic adds to its address: see Type.Sum.
func (in *Inst) Offset() uint64 {
	if in.Op == Atomic {
		return uint64(int64(int32(in.Imm))) // the bits above hold the operation: see AtomicImm
	}
	return in.Imm
}

// Pos is the place of a guest instruction.
type Pos struct {
	Line, Col int    // 1-based; 0: unknown
	Off       int64  // byte offset in the code, for binaries
	Text      string // the instruction as written or disassembled
	Name      string // the mnemonic in full ("shfl.sync.down.b32"), for messages
	Section   string // section of the manual ("PTX 9.7.9.6"), for findings
	// Open lists the facts that the manual leaves undefined; a Claim names one by its index.
	Open []string

	// Result is the type of the first result, or of what is stored, as the instruction set names it ("f32", "u64", "f16x2"); "": not
	// known.
	Result string

	// Func is the function that the instruction belongs to; "": the kernel itself. Call is 1 + the index of the position of the
	// call for which the function was inlined; 0: it was not.
	Func string
	Call int32
	// Edge says that the instruction is the beginning or the end of a function with code of its own.
	Edge FuncEdge
}

// A FuncEdge is an end of a function with code of its own.
type FuncEdge uint8

// The ends of a function.
const (
	NoEdge FuncEdge = iota
	FuncEntry
	FuncReturn
)

// Block is a basic block: Code[Start:End]. Control enters at Start only. Only its last instruction
// may be one that ends blocks (see Op.EndsBlock).
type Block struct {
	Start, End int
}

// InputKind is the value that a launch writes to an input before a wave starts.
type InputKind uint8

// The inputs. The destination decides whether an input is a vector or a scalar. Thread ids need a
// lane vector; the other inputs may be either.
const (
	InConst   InputKind = iota // Imm
	ThreadIDX                  // thread id of the lane in its block
	ThreadIDY
	ThreadIDZ
	BlockIDX
	BlockIDY
	BlockIDZ
	BlockDimX
	BlockDimY
	BlockDimZ
	GridDimX // in blocks
	GridDimY
	GridDimZ
	LaneID      // 0..lanes-1
	WaveID      // index of the wave in its block
	WaveCount   // waves per block
	WaveInfo    // WaveCount, with bit 31 set in the first wave of the block
	ActiveMask0 // B1 lane vector or B64 scalar: the lanes that exist in this wave (initial EXEC)
	LaunchValue // Launch.Values[Imm]: addresses known only at launch
	SharedTotal // bytes of shared memory of the block, static and dynamic
	SharedDynamic
	GridID        // 0
	LinearBlockID // block index in launch order
	GlobalSizeX   // GridDimX*BlockDimX
	GlobalSizeY
	GlobalSizeZ
	StackTop // the end of a lane's private memory, from which its stack grows down
	// WorkspaceLow and WorkspaceHigh are the halves of Launch.Workspace.
	WorkspaceLow
	WorkspaceHigh
	// Of clusters of blocks (PTX 10.12 to 10.17). A cluster has one block if the launch gives it no other size.
	ClusterIDX // index of the cluster in the grid
	ClusterIDY
	ClusterIDZ
	ClusterBlockIDX // index of the block in its cluster
	ClusterBlockIDY
	ClusterBlockIDZ
	ClusterRank // linear index of the block in its cluster
	SharedFirst // the address of the first byte of the block's shared memory: ClusterRank << RankShift
	ClusterDimX // blocks of a cluster
	ClusterDimY
	ClusterDimZ
	ClusterSize
	ClusterCountX // clusters of the grid
	ClusterCountY
	ClusterCountZ
	ClusterGiven // 1 if the launch or the kernel gives the size, else 0
)

// RankShift is the first bit of the rank in an address of shared memory, if Func.Ranked.
const RankShift = 24

// TensorFirst is where the Tensor Memory of a block lies among the addresses of its shared memory, in what package sim reports to
// tools: lane after lane of 512 columns of 4 bytes. No instruction reaches it there.
const TensorFirst = 1 << (RankShift - 1)

// TensorLane is the size of a lane of Tensor Memory, and TensorSize that of all lanes, in bytes.
const (
	TensorLane = 4 * matrix.TensorColumns
	TensorSize = TensorLane * matrix.TensorLanes
)

// ByBlock reports whether an input differs between blocks of a launch.
func (k InputKind) ByBlock() bool {
	return k >= BlockIDX && k <= BlockIDZ || k == LinearBlockID || k >= ClusterIDX && k <= SharedFirst
}

// Input fills one value at the start of every wave.
type Input struct {
	Kind InputKind
	Dst  Ref
	Imm  uint64
}

// Func is a kernel in IR form. It is immutable once built: engines and workers
// share it.
type Func struct {
	Name   string
	File   string
	Lanes  int // 32 or 64
	Values []Value
	Code   []Inst
	Blocks []Block // in layout order; Blocks[0] is the entry
	Pos    []Pos
	Inputs []Input
	FrameSizes
	SharedMemory
	PrivateMemory
	// Windows are the windows of generic addresses, for PTX with addresses of 64 bits.
	Windows Windows
	// Apart holds the gaps if variables are laid out apart, for checks; else nil.
	Apart *Apart
	// Exec is the lane vector of B1 that guards every vector operation (GCN3's EXEC); 0 if control
	// flow switches lanes (PTX). With Exec a wave is always one fragment of all its lanes, and the
	// guest may enable lanes that the block does not fill.
	Exec         Ref
	MeetAnywhere bool // *.sync operations at different instructions meet (PTX sm_70 and above)

	// Tables are the targets of BraTable operations, as indices of Blocks; -1 is an entry without a
	// target.
	Tables [][]int
	// Functions are the functions that have an address, by number: see FuncAddress.
	Functions []string
	// Collectives describe the Collective operations.
	Collectives []CollectiveInfo
	// Tensors describe the Tensor operations.
	Tensors []TensorInfo
	Lateness

	// Steps holds the guest instructions by Inst.Pos, if a tool follows the way of undefined bits;
	// nil: no tool does.
	Steps []Step
	Observation
	BlockLimits
}

// FrameSizes are the sizes of a wave's frame and of its first part.
type FrameSizes struct {
	GuestSize uint32 // frame bytes of guest values, from offset 0; zero at the start of a wave
	FrameSize uint32 // all frame bytes: guest values, constants, temporaries
}

// SharedMemory describes the shared memory that the code declares.
type SharedMemory struct {
	SharedStatic uint32 // bytes
	// Ranked says that addresses of shared memory have the rank of their block in the cluster in bits RankShift and up, so that
	// they name the memory of all blocks of the cluster.
	Ranked bool
	// SharedVars are the variables in that memory, by offset, for messages.
	SharedVars []Variable
}

// PrivateMemory describes the private memory of a lane.
type PrivateMemory struct {
	LocalSize uint32 // bytes, without the stack
	// Stack reports that lanes have a stack in private memory, above LocalSize. The launch chooses
	// its size (see the input StackTop).
	Stack bool
	// StackUp reports that this stack begins at LocalSize and grows up, and that the guest keeps
	// its pointer.
	StackUp bool
}

// Observation says what the tools that follow a run of the code see.
type Observation struct {
	// NewObserver makes an observer of one wave; nil if there are no Observe operations.
	NewObserver func() Observer
	// Observed holds the values that the observer reads at its Observe operations, by their Imm;
	// the observer then writes nothing. nil: it may read and write any guest value.
	Observed map[uint64]Observed
	// Recorded, in a function with Record operations, holds the temporaries that the Recorder reads
	// there, by Imm, if there are any. The Recorder may read all registers of the guest. Package
	// sim executes the accesses to memory for several lanes, and reports them to the Recorder. Met
	// reports that the Recorder follows every rendezvous, and every instruction.
	Recorded [][]Ref
	Met      bool
}

// BlockLimits are the sizes of blocks that the kernel allows.
type BlockLimits struct {
	ReqBlock [3]uint32 // the size that the kernel requires, if any element is non-zero
	MaxBlock uint32    // the largest number of lanes per block; 0: no limit
	// ReqCluster is the size of the clusters that the kernel requires, if any element is non-zero; MaxCluster the largest number
	// of blocks of one, 0: not said. NeedsCluster demands that the launch gives the size. GridOfClusters says that a launch counts
	// clusters instead of blocks.
	ReqCluster                   [3]uint32
	MaxCluster                   uint32
	NeedsCluster, GridOfClusters bool
}

// ReadsWorkspace reports whether f reads the address of the memory in which the blocks of a grid
// meet.
func (f *Func) ReadsWorkspace() bool {
	for _, in := range f.Inputs {
		if in.Kind == WorkspaceLow || in.Kind == WorkspaceHigh {
			return true
		}
	}
	return false
}

// A Variable is a named piece of memory.
type Variable struct {
	Name      string
	Off, Size uint32 // bytes; Size 0: up to the end
}

// A Step holds the guest values that a guest instruction reads and writes, each with its set of
// undefined bits.
type Step struct {
	Src, SrcSet, Dst, DstSet []Ref
	Keeps                    []Ref // values of Dst that some lanes may keep unchanged
}

// Val returns the value that r names.
func (f *Func) Val(r Ref) *Value { return &f.Values[r] }

// Overlap reports whether the frame slots of two values share bytes.
func (f *Func) Overlap(a, b Ref) bool {
	x, y := f.Val(a), f.Val(b)
	return x.Off < y.Off+y.Size(f.Lanes) && y.Off < x.Off+x.Size(f.Lanes)
}

// ByName finds a guest value by its name; Ref 0 if there is none.
func (f *Func) ByName(name string) Ref {
	for i := range f.Values {
		if f.Values[i].Kind == Guest && f.Values[i].Name == name && i > 0 {
			return Ref(i)
		}
	}
	return 0
}

func (f *Func) String() string { return fmt.Sprintf("func %s lanes=%d", f.Name, f.Lanes) }
