package why

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Role says how an instruction used a value.
type Role uint8

// The roles.
const (
	Data    Role = iota // the result is computed from the value, or is the value
	Memory              // the memory that was loaded
	Guard               // decides whether the instruction acts for the lane
	Kept                // a guard kept the instruction from writing the lane, which holds an older value
	Choice              // decides which of two values becomes the result
	Source              // selects the lane that is read
	Members             // the membermask
	Address             // the address of a load or store
	Control             // decides whether control reached the instruction
	Rounds              // decides how often the loop ran that holds the instruction
)

// String returns the role's name in reports and in JSON.
func (r Role) String() string {
	return [...]string{"data", "memory", "guard", "kept", "choice", "lane", "members", "address", "control", "rounds"}[r]
}

// Kind says which step of the graph a node is.
type Kind uint8

// The kinds. Executed nodes have edges; the graph ends at nodes of all other kinds.
const (
	Executed     Kind = iota // an instruction that was executed
	Input                    // a register that the launch filled
	Initial                  // global memory as the launch found it
	Param                    // a parameter of the kernel
	Unwritten                // a register that no instruction wrote
	UnwrittenMem             // shared or private memory that no lane wrote
	Absent                   // lanes that a cross-lane read asks for and that take no part in it
	Older                    // an event that was forgotten because of History.Limit
	Host                     // a value that the runtime or the machine provides
	Unknown                  // a value that is not followed further
)

// String returns the kind's name in reports and in JSON.
func (k Kind) String() string {
	return [...]string{"instruction", "special", "input", "parameter", "unwritten-register", "unwritten-memory", "absent-lanes", "older", "host", "not-followed"}[k]
}

// A Node is one step of a value's origin, or an end of the graph.
type Node struct {
	ID    int
	Kind  Kind
	Event int // the event's number in the history
	Wave  int
	Block uint64
	Pos   int32     // position of the instruction; at an end of the graph, of the instruction that reads
	Store bool      // the instruction wrote memory
	Kept  lane.Mask // lanes that a guard kept the instruction from writing
	Lanes lane.Mask // all lanes of the values
	Value []Value
	Edges []Edge

	Name   string // the name of a register, or of a value that the machine provides
	In     ir.InputKind
	Items  []Item
	Space  ir.Space
	Absent []AbsentLane
}

// A Value holds the bits that an instruction wrote to a register.
type Value struct {
	Ref   ir.Ref
	Lanes lane.Mask
	Bits  []uint64 // one element for each lane of Lanes, in order; one element if the register is scalar
	Undef []uint64 // the undefined bits of each element, if Probe filled them; otherwise empty
}

// An Item is a piece of memory, or the value of one lane.
type Item struct {
	Lane int // the lane that reads it
	Addr uint64
	Size uint64
	Bits uint64
}

// AbsentLane says why a lane takes no part in an exchange.
type AbsentLane struct {
	Lane, Reader int
	Outside      bool // the lane is not in the block
	Off          bool // the lane is off in EXEC
	NotMember    bool
	Members      lane.Mask
	Exited       bool
	At           int32 // position of its exit; -1: not known
	Leaves       int32 // position of a later exit, if the lane never comes; -1: not known
	Here         int32 // otherwise the position where the lane was last; -1: not known
}

// An Edge leads from a node to a node that it was made of.
type Edge struct {
	Role  Role
	Ref   ir.Ref // the register that carries the value, or 0
	Lanes lane.Mask
	To    int
}

// Graph holds the origin of one value. Nodes[Root] is the value.
type Graph struct {
	Root    int
	Nodes   []*Node
	Missing []uint64 // blocks whose history is needed to continue
	Cut     bool     // the graph has reached the limit of its nodes or edges
}
