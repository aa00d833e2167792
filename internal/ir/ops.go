package ir

import "math/bits"

//go:generate go run example.org/crosslane/internal/ir/gen

// Op is an operation. The pure operations are the functions of package num, one operation each,
// under the function's name; zops.go lists them. The operations with effects or across lanes are
// listed here.
type Op uint16

// The operations that are not pure arithmetic of one lane.
const (
	Nop Op = iota

	// Splat copies the scalar Args[0] to every lane of Dst.
	Splat
	// LaneBit makes the lane vector of B1 Dst from Args[0], a scalar of B1: all
	// lanes or none.
	LaneBit

	// Load reads Size bytes at Args[0]+Imm in Space into Dst, extended to its type. The sum has the
	// bits of Args[0] and wraps (Type.Sum), here and below. A scalar Load is one access for the
	// wave.
	Load
	// Store writes the low Size bytes of Args[1] at Args[0]+Imm.
	Store
	// Atomic performs the AtomicOp in bits 32 and up of Imm at Args[0]+int32(Imm) with operand
	// Args[1]. Args[2] is the new value of CAS, whose Args[1] is the comparand, or the third
	// operand of a pure operation. Dst, if any, receives the old value. Lanes act in order. For 16
	// bytes (AtomExch and AtomCAS) each of Args[1], Args[2] and Dst names the low half, and the
	// next value is the high half.
	Atomic
	// Bulk copies memory to memory: Args[2] bytes (B32) from Args[1] to Args[0], or zero bytes if
	// Args[1] is 0. Args[3], if any (B32), has a bit for each byte of 16 that is copied. Imm =
	// BulkImm. Addresses and size are multiples of Align.
	Bulk
	// Tensor copies a box of a tensor, or reads a texture. Imm is the index of its description in Func.Tensors. Its Order, Align and Space
	// are those of the accesses to shared memory.
	Tensor
	// Fail faults for the lanes of the write mask in which Args[0] (B32) is not 0. The fault is the
	// FailReason Imm plus that element, minus 1; its message names the number in Args[1] (scalar
	// B32), if there is one. NoteLimit is a finding.
	Fail
	// Yield ends the wave's time slice if the write mask is not empty: its lanes wait for other
	// lanes.
	Yield
	// ClusterArrive: the lanes of the write mask arrive at the barrier of the cluster. Order has
	// Release if that orders their accesses.
	ClusterArrive
	// ClusterDone: Dst (B1) = the lanes whose last ClusterArrive has been followed by a
	// ClusterArrive of all other lanes that have not exited.
	ClusterDone
	// Fence orders the memory operations before it and after it, as other workers see them.
	Fence
	// Delay keeps the effects of an asynchronous instruction for later. Imm is the index of their description in
	// Func.Delays.
	Delay
	// Settle ends a group of delayed effects, or does those that the lanes wait for. Order and Imm are those of the Nop that
	// it replaces: see Async.
	Settle

	// Shfl is the legacy shuffle. Dst = d, Dst2 = p (B1) if needed; Args = a, b, c; Imm =
	// lane.ShflMode. The participants are the lanes of the write mask.
	Shfl
	// ShflSync: Shfl with Args[3] = membermask; waits for its members.
	ShflSync
	// Vote: Dst2 = result predicate (all, any, uni) or Dst = ballot (B32); Args[0] =
	// predicate; Imm = VoteMode. Participants: the write mask.
	Vote
	// VoteSync: Vote with Args[3] = membermask.
	VoteSync
	// MatchSync: Dst = mask (B32), Dst2 = predicate of match.all, if needed; Args[0] = value (B32
	// or B64), Args[3] = membermask; Imm = MatchMode.
	MatchSync
	// ReduxSync: Dst = result in every member; Args[0] = value; Args[3] = membermask;
	// Imm = ReduxMode.
	ReduxSync
	// ActiveMask: Dst (B32) = the lanes that execute it together.
	ActiveMask
	// ElectSync: Dst = elected lane (B32, may be none), Dst2 = elected predicate;
	// Args[3] = membermask.
	ElectSync
	// WarpSync waits for the lanes of Args[3] (bar.warp.sync).
	WarpSync

	// DPPRead: Dst = Args[0] moved by the DPP control in Imm (see DPPImm); lanes without a valid
	// source receive 0. Args[1] = EXEC (B1).
	DPPRead
	// DPPMask: Dst (B1 lane vector) = the lanes that a DPP instruction with Imm
	// updates. Args[0] = EXEC.
	DPPMask
	// DSSwizzle: Dst = Args[0] swizzled by the pattern Imm. The participants are the lanes of the
	// write mask (EXEC); a read of any other lane returns 0.
	DSSwizzle
	// DSPermute pushes Args[1] to the lane at byte address Args[0]+Imm.
	DSPermute
	// DSBpermute pulls Args[1] from the lane at byte address Args[0]+Imm.
	DSBpermute
	// ReadLane: scalar Dst = Args[0][Args[1] mod lanes]; Args[1] a scalar. EXEC is ignored.
	ReadLane
	// ReadFirstLane: scalar Dst = Args[0] at the first lane of Args[1] (EXEC, a B1
	// lane vector); lane 0 if there is none.
	ReadFirstLane
	// WriteLane: Dst[Args[1] mod lanes] = Args[0]; both scalars. EXEC is ignored.
	WriteLane

	// Collective is an operation of the whole wave on many registers: matrix products and the loads
	// and stores of their fragments. Imm is the index of its description in Func.Collectives;
	// Args[3] = membermask. It waits for its members, like the other *Sync operations.
	Collective
	// HostCall requests a service of the host: Imm = HostService, which defines Args and Dst. Lanes
	// are served in order.
	HostCall

	// Observe calls the wave's Observer (Func.NewObserver) with Imm. Scalar.
	Observe
	// Reach reports to package sim the lanes of the write mask whose element of Args[0], a set of
	// undefined bits, is not 0. Size = ReachKind is the kind of place that the bits reach. For a
	// store, Args[1] is the address, Imm the offset, Space the space, Align the number of bytes
	// stored. Instrumentation uses it. A guest value counts as defined afterwards, so that one
	// mistake is reported once.
	Reach
	// Record shows the lanes of the write mask to the launch's Recorder, with Imm, whose meaning
	// the Recorder defines. Instrumentation uses it.
	Record
	// Access reports to package sim an access to memory that the lanes of the write mask are about
	// to make: Size bytes at Args[0]+Imm in Space; Align = AccessKind. For a store, Args[1] is the
	// value. Without Args[0] it is a fence, or the effect that Order names. Instrumentation
	// (internal/check/race) uses it.
	Access

	// Claim reports to package sim, or to instrumentation, a requirement of the manual on an
	// instruction: Size = ClaimKind. It is Checked, so only checks have it.
	Claim

	// Clock: Dst (B32 or B64) = a counter that increases with the wave's instructions.
	Clock

	// Bra: the lanes of the write mask go to block Imm, the other lanes continue.
	Bra
	// SBra: the wave goes to block Imm if the scalar Args[0] is set (clear, with
	// GuardNot); Args[0] = 0: always.
	SBra
	// BraTable: each lane of the write mask goes to block Func.Tables[Imm][i], where i
	// is its element of Args[0] (B32). An index outside the table is a fault.
	BraTable
	// Exit ends the lanes of the write mask.
	Exit
	// EndWave ends the wave.
	EndWave
	// Trap ends the run with a fault, for the lanes of the write mask.
	Trap
	// Bar: the lanes of the write mask wait at block barrier Args[0] (B32; 0: barrier 0) until
	// Args[1] lanes (B32; 0: all that have not exited) have arrived there. Lanes always wait for
	// the other lanes of their wave. Imm = BarMode. With a reduction, Args[2] = predicate, Dst2 or
	// Dst = result.
	Bar
	// WaveBar: the wave waits for all waves of its block that have not ended
	// (s_barrier).
	WaveBar

	firstPure
)

// EndsBlock reports whether the operation must be the last of its basic block.
func (op Op) EndsBlock() bool {
	switch op {
	case Bra, SBra, BraTable, Exit, EndWave, Trap, Bar, WaveBar:
		return true
	}
	return op.Meets()
}

// Meets reports whether the operation is a rendezvous of the lanes in its membermask, Args[3].
func (op Op) Meets() bool {
	switch op {
	case ShflSync, VoteSync, MatchSync, ReduxSync, ElectSync, WarpSync, Collective:
		return true
	}
	return false
}

// Pure reports whether the operation is arithmetic of one lane: it has no effect except its result,
// and does not trap.
func (op Op) Pure() bool { return op >= firstPure }

// String returns the operation's name.
func (op Op) String() string { return Ops[op].Name }

// VoteMode is the mode of a vote.
type VoteMode uint64

// The modes.
const (
	VoteAll VoteMode = iota
	VoteAny
	VoteUni
	VoteBallot
)

// MatchMode is the mode of a match.
type MatchMode uint64

// The modes.
const (
	MatchAny MatchMode = iota
	MatchAll
)

// ReduxMode is the operation of a redux: a lane.ReduxOp, or one of the f32 forms
// (sm_100 and above).
type ReduxMode uint64

// The operations; the first eight are those of lane.ReduxOp.
const (
	ReduxAdd ReduxMode = iota
	ReduxMinU
	ReduxMaxU
	ReduxMinS
	ReduxMaxS
	ReduxAnd
	ReduxOr
	ReduxXor
	ReduxMinF32
	ReduxMaxF32
)

// ReduxAbs and ReduxNaN qualify the f32 forms of a ReduxMode.
const (
	ReduxAbs ReduxMode = 1 << 8
	ReduxNaN ReduxMode = 1 << 9
)

// A HostService is the service that a HostCall requests. Pointers are generic addresses; they and
// sizes are B32 or B64, like those of the guest. The result of a C function is in Dst, which may be
// none.
type HostService uint64

// The services. A service with the name of a C function has the same effect.
const (
	// HostPush makes room on a lane's stack: Dst (B32) = Args[0] (the stack pointer,
	// B32) - Args[1] bytes (0: the constant in Imm), rounded down to the alignment in
	// Imm (see PushImm). A fault if there is no room.
	HostPush HostService = iota
	// HostPop releases room: Dst (B32) = Args[1], an address of the stack that is not below the
	// stack pointer Args[0]; any other value is a fault.
	HostPop
	HostPrintf  // (format, arguments as C packs them): prints; Dst = number of arguments used
	HostAssert  // (message, file, line, function): always a fault
	HostMalloc  // (bytes)
	HostFree    // (pointer)
	HostMemcpy  // (to, from, bytes)
	HostMemmove // (to, from, bytes)
	HostMemset  // (to, byte, bytes)
	HostMemcmp  // (a, b, bytes)
	HostMemchr  // (a, byte, bytes)
	HostStrlen  // (a)
	HostStrcpy  // (to, from)
	HostStrncpy // (to, from, bytes)
	HostStrcmp  // (a, b)
	HostStrncmp // (a, b, bytes)
	HostStrcat  // (to, from)
	HostStrchr  // (a, byte)
	// HostInterrupt calls Launch.Interrupt, once for all lanes: the kernel has left a request in memory.
	HostInterrupt
)

// PushImm packs HostPush, a constant number of bytes and an alignment, a power of two (0: 1), into
// Inst.Imm.
func PushImm(bytes uint32, align uint32) uint64 {
	return uint64(HostPush) | uint64(bits.Len32(align|1)-1)<<8 | uint64(bytes)<<32
}

// HostFields unpacks the Imm of a HostCall.
func HostFields(imm uint64) (s HostService, bytes, align uint32) {
	return HostService(imm & 0xff), uint32(imm >> 32), 1 << (imm >> 8 & 31)
}

// AtomicOp is the effect of an Atomic on memory.
type AtomicOp uint64

// The operations.
const (
	AtomAdd AtomicOp = iota
	AtomSub
	AtomMinU
	AtomMinS
	AtomMaxU
	AtomMaxS
	AtomAnd
	AtomOr
	AtomXor
	AtomExch
	AtomCAS
	AtomInc // old >= val ? 0 : old+1
	AtomDec // old == 0 || old > val ? val : old-1
	// AtomAddF32 is AddF32Ftz in global memory, and AddF32 elsewhere (PTX 9.7.14.5).
	AtomAddF32

	// AtomPure is the flag of an operation of the table; see AtomOf.
	AtomPure AtomicOp = 1 << 16
)

// AtomOf makes an atomic operation of a pure operation with two or three operands: the first
// operand is the old value, the result the new one.
func AtomOf(op Op) AtomicOp { return AtomPure | AtomicOp(op) }

// Pure returns the operation that AtomOf was given; ok is false for other operations.
func (a AtomicOp) Pure() (op Op, ok bool) { return Op(a), a&AtomPure != 0 }

// BulkImm packs the parameters of a Bulk into Inst.Imm: the space of Args[1], and for a reduction
// the size of an element in bytes and the operation that combines it with the destination's
// element. Size 0 is a plain copy.
func BulkImm(src Space, size uint8, op AtomicOp) uint64 {
	return uint64(op)<<32 | uint64(size)<<8 | uint64(src)
}

// BulkFields unpacks BulkImm.
func BulkFields(imm uint64) (src Space, size uint8, op AtomicOp) {
	return Space(imm & 0xff), uint8(imm >> 8), AtomicOp(imm >> 32)
}

// FailReason is the reason of a Fail.
type FailReason uint64

// The reasons. The first follow the Mbar reasons of package num.
const (
	FailNone FailReason = iota
	FailMbarNoObject
	FailMbarBadCount
	FailMbarTooMany
	FailMbarTxRange
	FailMbarIncomplete
	FailNoRank         // a rank that does not exist in the cluster
	FailRegister       // a computed register number beyond the registers: Args[1]
	FailPair           // a computed number of a register pair is odd: Args[1]
	FailBufferFormat   // a format of a buffer, or a value, whose conversion is not specified
	FailNotCooperative // the blocks of a launch that is not cooperative are to wait for each other
	FailTensorField    // a value that a field of a tensor map cannot hold
	NoteLimit          // no fault but a finding: an access is beyond the limit in M0
	NumFails
)

// AtomicImm packs an atomic's operation and address offset into Inst.Imm.
func AtomicImm(op AtomicOp, offset int32) uint64 { return uint64(op)<<32 | uint64(uint32(offset)) }

// ReachKind is the kind of place that undefined bits reach.
type ReachKind uint8

// The kinds.
const (
	ReachBranch  ReachKind = iota // control flow: a branch, an exit, a guard of an effect, EXEC
	ReachAddress                  // an address, or the argument of a service of the host
	ReachStore                    // memory that the caller of the kernel sees
	ReachTrap                     // a condition of a fault
	// The kinds below report nothing. They record the way of undefined bits, if Func.Steps holds
	// the values that an instruction reads and writes.
	ReachStep // the instruction has been executed
	ReachFrom // a load, from memory at Args[1]
	ReachInto // a store, like ReachStore but in all spaces
)

// AccessKind is the effect of an Access on memory.
type AccessKind uint16

// The kinds.
const (
	AccessRead AccessKind = iota
	AccessWrite
	AccessUpdate // reads and writes in one step
)

// BarMode is the form of a block barrier.
type BarMode uint64

// The forms.
const (
	BarSync BarMode = iota
	BarArrive
	BarRedPopc
	BarRedAnd
	BarRedOr

	// BarModeMask separates the form from the flags that may be added to it.
	BarModeMask BarMode = 0xff
	// BarAligned: all lanes of a wave execute the instruction together.
	BarAligned BarMode = 0x100
)

// DPPImm packs a DPP modifier into Inst.Imm: control, row mask, bank mask and
// BOUND_CTRL.
func DPPImm(ctrl uint16, rowMask, bankMask uint8, boundCtrl bool) uint64 {
	v := uint64(ctrl) | uint64(rowMask&15)<<16 | uint64(bankMask&15)<<20
	if boundCtrl {
		v |= 1 << 24
	}
	return v
}

// DPPFields unpacks DPPImm.
func DPPFields(imm uint64) (ctrl uint16, rowMask, bankMask uint8, boundCtrl bool) {
	return uint16(imm), uint8(imm >> 16 & 15), uint8(imm >> 20 & 15), imm>>24&1 != 0
}

// Info describes an operation.
type Info struct {
	Name string
	Res  Type   // only for pure operations
	Args []Type // only for pure operations
	// Fn is the function of one lane, for pure operations: a func of package num. Its parameter and
	// result types give the interpretation of the bits.
	Fn any
}

// special names the operations that are not pure, in the order of their constants.
var special = [...]string{
	Nop: "Nop", Splat: "Splat", LaneBit: "LaneBit", Load: "Load", Store: "Store", Atomic: "Atomic", Bulk: "Bulk", Tensor: "Tensor", Fail: "Fail", Yield: "Yield", ClusterArrive: "ClusterArrive", ClusterDone: "ClusterDone", Fence: "Fence", Delay: "Delay", Settle: "Settle",
	Shfl: "Shfl", ShflSync: "ShflSync", Vote: "Vote", VoteSync: "VoteSync", MatchSync: "MatchSync",
	ReduxSync: "ReduxSync", ActiveMask: "ActiveMask", ElectSync: "ElectSync", WarpSync: "WarpSync",
	DPPRead: "DPPRead", DPPMask: "DPPMask", DSSwizzle: "DSSwizzle", DSPermute: "DSPermute", DSBpermute: "DSBpermute",
	ReadLane: "ReadLane", ReadFirstLane: "ReadFirstLane", WriteLane: "WriteLane", Collective: "Collective", HostCall: "HostCall", Observe: "Observe", Reach: "Reach", Record: "Record", Access: "Access", Claim: "Claim", Clock: "Clock",
	Bra: "Bra", SBra: "SBra", BraTable: "BraTable", Exit: "Exit", EndWave: "EndWave", Trap: "Trap", Bar: "Bar", WaveBar: "WaveBar",
}

// Ops is the operation table, indexed by Op. It is never written after start.
var Ops = buildOps()

// buildOps makes the table from the special operations and the functions of package num.
func buildOps() []Info {
	t := make([]Info, int(firstPure)+len(pureFns))
	for i, n := range special {
		if n == "" {
			panic("ir: operation without a name")
		}
		t[i].Name = n
	}
	for i, p := range pureFns {
		t[int(firstPure)+i] = pureInfo(p.name, p.fn)
	}
	return t
}
