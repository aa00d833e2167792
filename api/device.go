package api

import (
	"fmt"
	"io"
	"time"

	"example.org/crosslane/diag"
)

// A DevicePtr is an address in the memory of a Device. As an argument of a kernel it is passed as it is.
type DevicePtr uint64

func (DevicePtr) isArg() {}

// String writes the address in hexadecimal.
func (p DevicePtr) String() string { return fmt.Sprintf("%#x", uint64(p)) }

// DeviceOptions configure a Device. The zero value runs launches without checks.
type DeviceOptions struct {
	// Check checks every launch and every copy, as Kernel.Check does, and finds accesses of streams that
	// nothing orders.
	Check bool
	// Checks, if set, says with Check whether the next launch of a kernel is checked. Memory that an unchecked launch
	// writes counts as defined afterwards, and its accesses are not compared with those of other streams.
	Checks func(kernel string) bool
	// KeepGoing reports a fault and lets the device go on. Without it a fault is sticky, as on hardware:
	// every later call returns it.
	KeepGoing bool
	// MemoryBytes is how many bytes allocations may take together; 0: 16 GiB.
	MemoryBytes uint64
	// RepeatBytes limits the copies that let a checked launch run again in other orders; 0: 1 GiB. Each allocation
	// that the launch writes is copied, and the heap of the kernels. If these have more bytes together, the launch
	// is checked in one order only.
	RepeatBytes uint64
	// Report, if set, receives each finding at once. It must not call the device.
	Report func(d *diag.Diagnostic)
	// NoCallers leaves out the host's calls in findings. Noting them takes about a microsecond a call.
	NoCallers bool
	// Stdout receives the text that kernels print; nil: it is in the Result of each launch.
	Stdout io.Writer
	// The following fields are those of Launch, for all launches.
	Engine     string
	Native     Native
	Workers    int           // a checked launch has one
	Timeout    time.Duration // of each launch
	Stack      uint32
	Heap       uint64
	Undefined  Undefined
	RaceMemory uint64
	Skip       []string // codes of findings that are left out; the error of a call stays
}

// A DeviceLaunch is one launch of a kernel on a Device.
type DeviceLaunch struct {
	Grid, Block Dim3   // in blocks; in lanes
	Cluster     Dim3   // as in Launch
	Shared      uint32 // dynamic shared memory, bytes
	// Args are the arguments: Scalars, DevicePtrs, Bytes and SharedBytes. Params, if not nil, is the parameter block instead:
	// the bytes of the parameters at the offsets that Kernel.Params gives.
	Args        []Arg
	Params      []byte
	Cooperative bool // as in Launch
	Profile     bool // as in Launch; ignored with Check
	// Schedule is the order in which lanes, warps and blocks run, as in Launch.
	Schedule Schedule
}

// A Frame is a call of the host.
type Frame struct {
	File string
	Line int
	Func string
}

// An Allocation describes memory of a Device.
type Allocation struct {
	Name    string
	Ptr     DevicePtr
	Size    uint64 // bytes
	Managed bool
	Callers []Frame // the calls of the host that made it, the innermost first; nil: not noted
}

// A DeviceVariable is a variable of a module on a Device.
type DeviceVariable struct {
	Name     string
	Ptr      DevicePtr
	Size     uint64 // bytes
	Constant bool   // kernels cannot write it
	Managed  bool
}

// DeviceProperties are what a host can ask about a device. Sizes are in bytes. A multiprocessor is a compute unit
// of AMD.
type DeviceProperties struct {
	Name                       string
	ISA                        ISA
	Arch, Major, Minor         int // PTX: 80, 8 and 0 for sm_80
	WarpSize                   int
	Multiprocessors            int
	ThreadsPerBlock            int
	BlockDim, GridDim          [3]int
	ThreadsPerMultiprocessor   int
	BlocksPerMultiprocessor    int
	SharedPerBlock             uint32 // without an option
	SharedOptin                uint32 // static and dynamic memory together, with SetMaxDynamicShared
	SharedPerMultiprocessor    uint32
	SharedReserved             uint32 // taken from the multiprocessor for each block
	ConstantBytes              int
	RegistersPerBlock          int
	RegistersPerMultiprocessor int
	L2Bytes                    int
	MemoryBytes                uint64
	ClockKHz, MemoryClockKHz   int
	MemoryBusBits              int
}
