package why

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Role is what a value was used for.
type Role uint8

// The roles.
const (
	Data    Role = iota // the result is computed from it, or is it
	Memory              // what was loaded
	Guard               // decides whether the instruction acts for the lane
	Kept                // a guard kept it from writing the lane, which holds an older value
	Choice              // decides which of two values the result is
	Source              // says which lane is read
	Members             // the membermask
	Address             // the address of a load or store
	Control             // decides whether control came to the instruction
	Rounds              // decides how often the loop ran in which it was executed
)

func (r Role) String() string {
	return [...]string{"data", "memory", "guard", "kept", "choice", "lane", "members", "address", "control", "rounds"}[r]
}

// Kind is what a node of the graph is.
type Kind uint8

// The kinds. All but Executed are where the graph ends.
const (
	Executed     Kind = iota // an instruction that was executed
	Input                    // a register that the launch filled
	Initial                  // global memory as the launch found it
	Param                    // a parameter of the kernel
	Unwritten                // a register that nobody wrote
	UnwrittenMem             // shared or private memory that nobody wrote
	Absent                   // lanes that a cross-lane read asks for and that take no part
	Older                    // what is not recorded any more
	Host                     // what the runtime or the machine provides
	Unknown                  // what is not followed further
)

func (k Kind) String() string {
	return [...]string{"instruction", "special", "input", "parameter", "unwritten-register", "unwritten-memory", "absent-lanes", "older", "host", "not-followed"}[k]
}

// A Node is a step on the way of a value, or where it ends.
type Node struct {
	ID    int
	Kind  Kind
	Event int // number in the history
	Wave  int
	Block uint64
	Pos   int32 // of the instruction; of the reader for the ends
	Store bool  // the instruction wrote memory
	Kept  lane.Mask
	Lanes lane.Mask // all lanes of the values
	Value []Value
	Edges []Edge

	Name   string // of a register or what a machine provides
	In     ir.InputKind
	Items  []Item
	Space  ir.Space
	Absent []AbsentLane
}

// A Value is what an instruction wrote to a register.
type Value struct {
	Ref   ir.Ref
	Lanes lane.Mask
	Bits  []uint64 // of the lanes of Lanes, in order; of a scalar one
	Undef []uint64 // the undefined ones of Bits, as far as Probe told; else empty
}

// An Item is a piece of memory, or a value of a lane.
type Item struct {
	Lane int // that reads it
	Addr uint64
	Size uint64
	Bits uint64
}

// AbsentLane says why a lane takes no part in an exchange.
type AbsentLane struct {
	Lane, Reader int
	Outside      bool // of the block
	Off          bool // in EXEC
	NotMember    bool
	Members      lane.Mask
	Exited       bool
	At           int32 // where it exited; -1: not known
	Leaves       int32 // where it exits later, without having come; -1: not known
	Here         int32 // else where it was last; -1: not known
}

// An Edge leads to what a node was made of.
type Edge struct {
	Role  Role
	Ref   ir.Ref // the register, if it is one
	Lanes lane.Mask
	To    int
}

// Graph is what one value was made of. Nodes[Root] is the value.
type Graph struct {
	Root    int
	Nodes   []*Node
	Missing []uint64 // blocks whose history is needed to go on
	Cut     bool     // there are more nodes than the limit
}
