package crosslane

import (
	"example.org/crosslane/api"
	"example.org/crosslane/internal/session"
)

// Launches and their data; package api documents them.
type (
	ISA         = api.ISA
	Dim3        = api.Dim3
	ElemType    = api.ElemType
	Buffer      = api.Buffer
	Arg         = api.Arg
	Scalar      = api.Scalar
	SharedBytes = api.SharedBytes
	Pointer     = api.Pointer
	Bytes       = api.Bytes
	Field       = api.Field
	Undefined   = api.Undefined
	Schedule    = api.Schedule
	Native      = api.Native
	Launch      = api.Launch
	Symbol      = api.Symbol
	Param       = api.Param
	ParamKind   = api.ParamKind
)

// Plans and their elements.
type (
	PlanOptions = api.PlanOptions
	PlanResult  = api.Plan
	PlanAnswer  = api.PlanAnswer
	PlanCost    = api.PlanCost
	PlanProof   = api.PlanProof
)

// Devices.
type (
	DevicePtr        = api.DevicePtr
	DeviceOptions    = api.DeviceOptions
	DeviceLaunch     = api.DeviceLaunch
	DeviceProperties = api.DeviceProperties
	DeviceVariable   = api.DeviceVariable
	Allocation       = api.Allocation
	Frame            = api.Frame
)

// Options of loading and of the assembler.
type (
	LoadOptions = api.LoadOptions
	AsmOptions  = api.AsmOptions
	EncodedInst = api.EncodedInst
)

// Results and reports.
type (
	Result        = api.Result
	Stats         = api.Stats
	Fidelity      = api.Fidelity
	Profile       = api.Profile
	ProfileLine   = api.ProfileLine
	ProfileCounts = api.ProfileCounts
	StaticReport  = api.StaticReport
	StaticOptions = api.StaticOptions
	RegisterShape = api.RegisterShape
	PortReport    = api.PortReport
	FixOptions    = api.FixOptions
	FixEdit       = api.FixEdit
	FixResult     = api.FixResult
)

// Provenance: the answer of Kernel.Why.
type (
	WhyOptions        = api.WhyOptions
	WhyView           = api.WhyView
	Provenance        = api.Provenance
	ProvenanceNode    = api.ProvenanceNode
	ProvenanceValue   = api.ProvenanceValue
	ProvenanceElement = api.ProvenanceElement
	ProvenanceEdge    = api.ProvenanceEdge
	AbsentLane        = api.AbsentLane
)

// Explanations of instructions.
type (
	ExplainOptions    = api.ExplainOptions
	Explanation       = api.Explanation
	ExplainedPart     = api.ExplainedPart
	ExplainedCode     = api.ExplainedCode
	ExplainedField    = api.ExplainedField
	ExplainedLanes    = api.ExplainedLanes
	ExplainedFold     = api.ExplainedFold
	ExplainedFragment = api.ExplainedFragment
	FamilyPage        = api.FamilyPage
	FamilyForm        = api.FamilyForm
)

// Scratchpad runs.
type (
	TryOptions = api.TryOptions
	TrySet     = api.TrySet
	TryStep    = api.TryStep
	TryResult  = api.TryResult
	Register   = api.Register
)

// Elem is a Go type that a buffer's elements may have.
type Elem = api.Elem

// The instruction sets. Auto detects by content.
const (
	Auto = api.Auto
	PTX  = api.PTX
	GCN3 = api.GCN3
)

// The element types, as the command line spells them.
const (
	U8   = api.U8
	S8   = api.S8
	U16  = api.U16
	S16  = api.S16
	U32  = api.U32
	S32  = api.S32
	U64  = api.U64
	S64  = api.S64
	F16  = api.F16
	BF16 = api.BF16
	F32  = api.F32
	F64  = api.F64
)

// The policies for undefined cross-lane reads.
const (
	UndefinedOwn    = api.UndefinedOwn
	UndefinedZero   = api.UndefinedZero
	UndefinedPoison = api.UndefinedPoison
)

// The schedules without a seed.
const (
	LowestPC = api.LowestPC
	Reversed = api.Reversed
)

// The kinds of machine code.
const (
	NativeOff    = api.NativeOff
	NativeAVX2   = api.NativeAVX2
	NativeAVX512 = api.NativeAVX512
)

// The kinds of parameters.
const (
	ParamScalar  = api.ParamScalar
	ParamPointer = api.ParamPointer
	ParamShared  = api.ParamShared
	ParamBytes   = api.ParamBytes
)

// Limits and default sizes.
const (
	MaxWorkers     = api.MaxWorkers
	DefaultStack   = api.DefaultStack
	DefaultHeap    = api.DefaultHeap
	DefaultHistory = api.DefaultHistory
)

// The kinds of nodes of a Provenance.
const (
	KindInstruction       = api.KindInstruction
	KindElement           = api.KindElement
	KindInput             = api.KindInput
	KindParameter         = api.KindParameter
	KindSpecial           = api.KindSpecial
	KindUnwrittenRegister = api.KindUnwrittenRegister
	KindUnwrittenMemory   = api.KindUnwrittenMemory
	KindAbsentLanes       = api.KindAbsentLanes
	KindOlder             = api.KindOlder
	KindHost              = api.KindHost
	KindNotFollowed       = api.KindNotFollowed
)

// RandomSchedule is the random schedule of a seed.
func RandomSchedule(seed uint64) Schedule { return api.RandomSchedule(seed) }

// Slice makes a buffer of a Go slice. The kernel's stores go into the slice.
func Slice[T Elem](name string, s []T) *Buffer { return api.Slice(name, s) }

// NewBuffer makes a buffer of zero bytes that counts as uninitialised. The shape is the number of
// elements, or rows and columns. If the type does not exist or the size exceeds any machine, the
// launch that is given the buffer returns the error.
func NewBuffer(name string, t ElemType, shape ...int) *Buffer {
	return api.NewBuffer(name, t, shape...)
}

// Int is an integer argument, converted to the parameter's type.
func Int(v int64) Scalar { return api.Int(v) }

// Float is a floating-point argument, converted to the parameter's type.
func Float(v float64) Scalar { return api.Float(v) }

// Typed is an argument whose bits are given, for parameters that declare only a
// size.
func Typed(t ElemType, bits uint64) Scalar { return api.Typed(t, bits) }

// A TensorMap describes a tensor map of PTX; its method Bytes makes the argument.
type TensorMap = api.TensorMap

// A Texture describes a texture or surface of PTX; its method Handle makes the argument.
type Texture = api.Texture

// Struct makes a structure that is passed by value. Each field is at the next multiple of its
// alignment, as C compilers place it. A field is a *Buffer or a Pointer (an address of 8 bytes), a
// Bytes (a nested structure), a []byte (bytes without an alignment), a number of Go whose size is
// fixed, a bool, a Scalar that has a Type, or a Field. An invalid field is an error of the launch
// that is given the structure.
func Struct(fields ...any) Bytes { return api.Struct(fields...) }

// FieldAt is a field at a byte offset of the structure, over bytes that other fields left there.
// Later fields are placed after all fields before them.
func FieldAt(offset int, value any) Field { return api.FieldAt(offset, value) }

// Aligned is a field with an alignment of its own, a power of two.
func Aligned(align int, value any) Field { return api.Aligned(align, value) }

// Pad is n bytes of zero, without an alignment.
func Pad(n int) Field { return api.Pad(n) }

// Engines returns the names of the engines that can run on this machine.
func Engines() []string { return session.Engines() }
