package api

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"example.org/crosslane/diag"
)

// DefaultRecordMemory is how many bytes of memory a Recording copies by default.
const DefaultRecordMemory = 256 << 20

// RecordOptions choose what Record keeps.
type RecordOptions struct {
	// Blocks are the blocks whose steps are recorded; none: block 0,0,0. A block of a cluster is recorded with its cluster.
	Blocks []Dim3
	// From is the first step that is kept. Steps are counted in all recorded blocks, from 0 on.
	From int
	// Limit bounds the record, in bytes; 0: DefaultHistory. When it is full, later steps are counted and not kept:
	// see RecordingInfo.Full and Recording.Around.
	Limit int64
	// Memory bounds the copies of allocations, in bytes; 0: DefaultRecordMemory. The contents of an allocation that does
	// not fit are not known.
	Memory int64
	// Check also records the undefined bits of registers and the findings of Check. The launch runs several times.
	Check bool
}

// Hex is a number of 64 bits that JSON holds as a string, "0x1f": a number of JSON may lose digits. A set of lanes has bit
// i for lane i.
type Hex uint64

// MarshalText implements encoding.TextMarshaler.
func (h Hex) MarshalText() ([]byte, error) {
	return strconv.AppendUint([]byte("0x"), uint64(h), 16), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hex) UnmarshalText(b []byte) error {
	digits, ok := strings.CutPrefix(string(b), "0x")
	n, err := strconv.ParseUint(digits, 16, 64)
	if !ok || err != nil {
		return fmt.Errorf("%q is not a number like 0x1f", b)
	}
	*h = Hex(n)
	return nil
}

// Lanes lists the lanes of a set.
func (h Hex) Lanes() []int {
	out := []int{}
	for m := uint64(h); m != 0; m &= m - 1 {
		out = append(out, bits.TrailingZeros64(m))
	}
	return out
}

// Has reports whether a set holds a lane.
func (h Hex) Has(lane int) bool { return h>>uint(lane)&1 != 0 }

// Count is how many lanes a set has.
func (h Hex) Count() int { return bits.OnesCount64(uint64(h)) }

// RecordingInfo describes a recording. Its steps are those from First on up to First+Steps.
type RecordingInfo struct {
	File   string    `json:"file"`
	Kernel string    `json:"kernel"`
	ISA    ISA       `json:"isa"`
	Lanes  int       `json:"lanes"` // of a warp or wave: 32 or 64
	Grid   [3]uint32 `json:"grid"`
	Block  [3]uint32 `json:"block"`
	// First is the number of the first step that is kept, Steps how many are, and Total how many steps the recorded blocks
	// did. Full reports that later steps were left out.
	First int  `json:"first"`
	Steps int  `json:"steps"`
	Total int  `json:"total"`
	Full  bool `json:"full"`
	// Bytes is the size of the record in memory.
	Bytes int64          `json:"bytes"`
	Waves []RecordedWave `json:"waves"`
	// Memories are the buffers and variables in global memory, then the shared memory of each recorded block.
	Memories []RecordedMemory `json:"memories"`
	// Findings are those of the run, a fault too; with RecordOptions.Check those of Check.
	Findings []RecordedFinding `json:"findings"`
	// Undefined reports that the undefined bits of registers are known.
	Undefined bool   `json:"undefined"`
	Output    string `json:"output,omitempty"` // the text that the kernel printed
}

// A RecordedWave is a warp or wave of a recorded block. Other members name it by its index.
type RecordedWave struct {
	Block [3]uint32 `json:"block"`
	Warp  int       `json:"warp"`  // in its block
	Lanes Hex       `json:"lanes"` // that exist
	Steps int       `json:"steps"` // that are kept
}

// A RecordedMemory is a memory whose contents can be asked for. A memory of one lane is asked for with Wave and Lane.
type RecordedMemory struct {
	Space string    `json:"space"` // "global", "shared"
	Name  string    `json:"name,omitempty"`
	Block [3]uint32 `json:"block"` // of shared memory
	Base  Hex       `json:"base"`  // the address of its first byte, in its space
	Size  int       `json:"size"`  // bytes
	Type  ElemType  `json:"type,omitempty"`
	Shape []int     `json:"shape,omitempty"`
	// Kept reports that its contents are known: see RecordOptions.Memory.
	Kept bool `json:"kept"`
}

// A RecordedFinding is a finding with the steps in which it was seen, in order; none: it was seen in no step that is kept.
type RecordedFinding struct {
	Finding *diag.Diagnostic `json:"finding"`
	Steps   []int            `json:"steps"`
}

// A Step is one execution of an instruction by a fragment of a warp or wave.
type Step struct {
	Step int `json:"step"`
	Wave int `json:"wave"` // its index in RecordingInfo.Waves
	// Fragment names the lanes that run together: if lanes part, those with the lowest lane keep the number; if fragments
	// join, the lowest number stays.
	Fragment int `json:"fragment"`
	Location
	Lanes  Hex `json:"lanes"`  // of the fragment
	Active Hex `json:"active"` // those for which the instruction acts, by its guard or EXEC
	// Scalar reports that it acts once for the wave, whatever is active.
	Scalar bool            `json:"scalar,omitempty"`
	Writes []RegisterValue `json:"writes,omitempty"`
	Access []MemoryAccess  `json:"access,omitempty"`
	// Exchange says which lanes read which.
	Exchange *LaneExchange `json:"exchange,omitempty"`
	// Taken are the lanes that a conditional branch sent to its target.
	Branch bool `json:"branch,omitempty"`
	Taken  Hex  `json:"taken,omitempty"`
	Exits  Hex  `json:"exits,omitempty"` // lanes that ended
	// Done is the step in whose course the results came: its own number, that of the last arrival at a rendezvous, or that in
	// which a call returned; -1: they never did.
	Done     int   `json:"done"`
	Findings []int `json:"findings,omitempty"` // indices of RecordingInfo.Findings
	// Barrier is the number of the barrier of the block at which the lanes arrive; nil: the instruction is none, or its
	// number is not known.
	Barrier *int `json:"barrier,omitempty"`
}

// A Location is the place of an instruction.
type Location struct {
	File   string `json:"file,omitempty"` // "": the recording's file
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Offset int64  `json:"offset,omitempty"` // in the code of a code object
	Op     string `json:"op"`               // the mnemonic in full
	Text   string `json:"text"`
	// Function is the function of the module that the instruction belongs to; "": the kernel itself.
	Function string `json:"function,omitempty"`
	// Source are the lines of the program that the instruction was compiled from, the innermost first.
	Source []SourceLine `json:"source,omitempty"`
}

// A SourceLine is a line of a program in CUDA, HIP, Python or another language.
type SourceLine struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"`
}

// A RegisterValue holds lanes of a register.
type RegisterValue struct {
	Name   string `json:"name"`
	Type   string `json:"type"` // as it is best read: "u32", "f32", "b64", "pred", …
	Scalar bool   `json:"scalar,omitempty"`
	Lanes  Hex    `json:"lanes"` // of Bits; 0x1 if it is scalar
	Bits   []Hex  `json:"bits"`  // one element for each lane of Lanes, in order
	// Undefined are the undefined bits of each element; none: all are defined, or it is not known.
	Undefined []Hex `json:"undefined,omitempty"`
}

// Lane returns the bits of a lane and its undefined bits; ok is false if the value does not have the lane. A scalar has
// all lanes.
func (v *RegisterValue) Lane(i int) (value, undefined uint64, ok bool) {
	at := 0
	if !v.Scalar {
		if i < 0 || i > 63 || !v.Lanes.Has(i) {
			return 0, 0, false
		}
		at = (v.Lanes & (1<<uint(i) - 1)).Count()
	}
	if at >= len(v.Bits) {
		return 0, 0, false
	}
	if at < len(v.Undefined) {
		undefined = uint64(v.Undefined[at])
	}
	return uint64(v.Bits[at]), undefined, true
}

// A MemoryAccess is what an instruction did in memory.
type MemoryAccess struct {
	Kind  string `json:"kind"`  // "load", "store", "atomic" or "copy"
	Space string `json:"space"` // "global", "shared", "local", "const", "param"
	Size  int    `json:"size"`  // bytes of each lane
	Lanes Hex    `json:"lanes"`
	// Addresses are those of the lanes, in their space; none: they are not known.
	Addresses []Hex `json:"addresses,omitempty"`
}

// A LaneExchange says which lanes an instruction lets read which.
type LaneExchange struct {
	Readers  Hex `json:"readers"`
	Together Hex `json:"together"`          // the lanes that take part
	Members  Hex `json:"members,omitempty"` // the membermask
	// Source is for each lane of the wave the lane that it reads; -1: none. With Fold there is no list: every reader reads all
	// lanes of Together.
	Source []int        `json:"source,omitempty"`
	Fold   bool         `json:"fold,omitempty"`
	Absent []AbsentLane `json:"absent,omitempty"`
}

// A State is the state of a warp or wave before a step of the recording; the step may be one of another wave, or one after
// the last, for the end.
type State struct {
	Step      int             `json:"step"`
	Wave      int             `json:"wave"`
	Running   int             `json:"running"` // the fragment that does the next step of the wave; -1: there is none
	Fragments []FragmentState `json:"fragments"`
	Exited    Hex             `json:"exited"` // lanes that have ended
	Exec      *Hex            `json:"exec,omitempty"`
	Registers []RegisterValue `json:"registers"`
}

// Register returns a register by its name, or nil.
func (s *State) Register(name string) *RegisterValue {
	for i := range s.Registers {
		if s.Registers[i].Name == name {
			return &s.Registers[i]
		}
	}
	return nil
}

// A FragmentState is a set of lanes that go on together, and where they are.
type FragmentState struct {
	ID    int `json:"id"`
	Lanes Hex `json:"lanes"`
	// Location is the instruction that the lanes do next or wait at; if they do none, the last one.
	Location
	// Calls are the calls that the lanes have not returned from, the innermost first; if lanes came by several ways, those of
	// the lowest lane.
	Calls   []Location `json:"calls,omitempty"`
	Next    int        `json:"next"` // the step in which they go on; -1: there is none
	Waiting bool       `json:"waiting,omitempty"`
	// Since is the step in which waiting lanes arrived at a rendezvous or a barrier. They go on in step Next.
	Since int `json:"since,omitempty"`
	// Barrier is the number of the barrier of the block at which the lanes wait; nil: they wait elsewhere, or its number is not
	// known.
	Barrier *int `json:"barrier,omitempty"`
}

// A MemoryRange names bytes of memory: Size bytes from Offset on of a buffer or a variable in global memory, or of the
// shared memory of a block, or of the private memory of a lane.
type MemoryRange struct {
	Space  string // "" or "global"; "shared"; "local"
	Name   string // of global memory
	Block  Dim3   // of shared memory
	Wave   int    // of private memory: an index in RecordingInfo.Waves
	Lane   int    // of private memory
	Offset int
	Size   int // 0: up to the end
}

// A StepStore is a store to memory: the step that made it, -1 if it is none of a recorded block, and its place.
type StepStore struct {
	Step  int
	Block Dim3
	Warp  int // in its block
	Lane  int
}

// A StepQuery looks for steps. Its members that are set have all to hold.
type StepQuery struct {
	From, To int    // steps from From on, up to To without To; 0: the end
	Line     int    // of the recording's file
	Source   string // FILE:LINE of the program: the line of Location.Source whose file ends with FILE
	Wave     *int
	Lane     *int   // steps that have the lane
	Register string // steps that write it, in Lane if that is set
	Findings bool   // steps with findings
	Max      int    // at most so many steps; 0: all
}

// RecordingData is what JSON holds of a recording: schema crosslane.record/1.
type RecordingData struct {
	Schema string `json:"schema"`
	RecordingInfo
	// Timeline are steps of the recording, in order.
	Timeline []Step `json:"timeline"`
	// States are those that were asked for.
	States []State `json:"states,omitempty"`
}

// JSON returns the data as JSON.
func (d *RecordingData) JSON() ([]byte, error) { return json.Marshal(d) }
