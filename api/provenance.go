package api

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"example.org/crosslane/diag"
)

// DefaultHistory is how much history of a launch Why keeps by default, in bytes.
const DefaultHistory = 256 << 20

// WhyOptions choose the value that Why explains: an element of a buffer, or the result that the
// instruction of a line or at a code offset wrote in one lane.
type WhyOptions struct {
	// Buffer and Index are an element of a buffer of the launch, by the buffer's name.
	Buffer string
	Index  int
	// Line is a line of the text, of the first module if several were linked; without one, Offset is an offset in the code of a code
	// object, as DisassembleOffsets shows it.
	Line   int
	Offset int64

	// Lane, Block and Warp choose an execution of the instruction. A Lane below 0 is the
	// first that executed it.
	Lane  int
	Block Dim3
	Warp  int
	// Nth is the number of the execution, from 1 on; 0: the last one.
	Nth int
	// History bounds the history that is kept, in bytes; 0: DefaultHistory.
	History int64
}

// A Provenance is the derivation of one value: a graph without cycles whose edges lead from a value
// to its operands, down to inputs, parameters, special registers and values that were never
// written.
type Provenance struct {
	Schema string           `json:"schema"` // "crosslane.why/1"
	File   string           `json:"file"`
	Kernel string           `json:"kernel"`
	ISA    ISA              `json:"isa"`
	At     string           `json:"at"` // the requested value, like "out[0]"
	Grid   [3]uint32        `json:"grid"`
	Block  [3]uint32        `json:"block"`
	Root   int              `json:"root"` // the ID of a node
	Nodes  []ProvenanceNode `json:"nodes"`
	// Truncated reports that the launch has more history than was kept. If that matters, a node is
	// of the kind "older".
	Truncated bool `json:"truncated"`
	// Undefined reports that the value depends on an undefined value, UndefinedBits which bits of
	// it do, and Reason on which source.
	Undefined     bool   `json:"undefined"`
	UndefinedBits uint64 `json:"undefined_bits,omitempty"`
	Reason        string `json:"reason,omitempty"`
	// Findings are those of the run, a fault too.
	Findings diag.List `json:"findings"`
}

// The kinds of a ProvenanceNode. All but those of instructions and elements are ends.
const (
	KindInstruction       = "instruction"        // an execution of an instruction
	KindElement           = "element"            // the element of a buffer that was requested
	KindInput             = "input"              // memory as the launch found it
	KindParameter         = "parameter"          // a parameter of the kernel
	KindSpecial           = "special"            // a register that the launch fills
	KindUnwrittenRegister = "unwritten-register" // a register that was never written
	KindUnwrittenMemory   = "unwritten-memory"   // shared or private memory that was never written
	KindAbsentLanes       = "absent-lanes"       // lanes that an exchange reads and that take no part
	KindOlder             = "older"              // older than the history
	KindHost              = "host"               // provided by the runtime or the machine
	KindNotFollowed       = "not-followed"       // not followed further by Crosslane
)

// A ProvenanceNode is an execution of an instruction, or an end.
type ProvenanceNode struct {
	ID   int    `json:"id"`
	Kind string `json:"kind"`
	// Line, Offset and Text are the instruction's; for an end, those of its reader. File is the file
	// of Line if it is not that of the Provenance: several modules were linked.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Offset int64  `json:"offset,omitempty"`
	Text   string `json:"text,omitempty"`
	Op     string `json:"op,omitempty"` // the mnemonic in full
	// BlockIndex and Warp are the block and the warp that executed it.
	BlockIndex [3]uint32 `json:"block_index"`
	Warp       int       `json:"warp"`
	// Steps are those of the recording that was asked in which it was executed; none: the provenance is not of a recording, or
	// they are not kept.
	Steps  []int             `json:"steps,omitempty"`
	Store  bool              `json:"store,omitempty"` // it wrote memory
	Copy   bool              `json:"copy,omitempty"`  // it only moved a value
	Kept   []int             `json:"kept,omitempty"`  // lanes that its guard kept from writing
	Lanes  []int             `json:"lanes,omitempty"` // the lanes that matter
	Values []ProvenanceValue `json:"values,omitempty"`
	// Undefined reports that bits of it are undefined, in at least one lane.
	Undefined bool `json:"undefined,omitempty"`
	// Name is that of a parameter, a special register, a register or a buffer.
	Name     string              `json:"name,omitempty"`
	Elements []ProvenanceElement `json:"elements,omitempty"`
	Absent   []AbsentLane        `json:"absent,omitempty"`
	From     []ProvenanceEdge    `json:"from,omitempty"`
}

// A ProvenanceValue is the value that an instruction wrote to a register, or stored from one.
type ProvenanceValue struct {
	Register string   `json:"register"`
	Type     string   `json:"type"` // from the mnemonic: "s32"; "b32" if it names no better type
	Lanes    []int    `json:"lanes"`
	Bits     []uint64 `json:"bits"` // for the lanes in order; one for a scalar register
	Values   []string `json:"values"`
	// Undefined are the undefined ones of Bits, if there are any.
	Undefined []uint64 `json:"undefined,omitempty"`
}

// A ProvenanceElement is an element of memory, or a value of a lane.
type ProvenanceElement struct {
	Lane  int    `json:"lane"`            // the lane that reads it
	Index int    `json:"index"`           // the element in its buffer; a byte if the memory has no elements
	Bytes int    `json:"bytes,omitempty"` // the number of bytes read
	Type  string `json:"type,omitempty"`
	Bits  uint64 `json:"bits"`
	Value string `json:"value"`
}

// An AbsentLane gives the reasons why a lane that Reader reads takes no part.
type AbsentLane struct {
	Lane     int      `json:"lane"`
	Reader   int      `json:"reader"`
	Reasons  []string `json:"reasons"` // "outside-block", "not-member", "exited", "elsewhere", "exec-off"
	Members  uint64   `json:"members,omitempty"`
	File     string   `json:"file,omitempty"` // of Line, if it is not that of the Provenance
	Line     int      `json:"line,omitempty"` // the line of its exit, or its last line
	Text     string   `json:"text,omitempty"`
	ExitFile string   `json:"exit_file,omitempty"` // of ExitLine, as File is of Line
	ExitLine int      `json:"exit_line,omitempty"` // the line of a later exit, if it had not exited before
}

// A ProvenanceEdge leads to an operand of a node.
type ProvenanceEdge struct {
	Node int `json:"node"`
	// Role is "data", "memory" (the loaded contents), "choice" (decides which of two values it is),
	// "guard" (decides whether the lane is written), "kept" (its guard kept it from writing the
	// lane, which therefore holds an older value), "lane" (selects the lane that is read),
	// "members" (the membermask), "address" or "control". "rounds" leads to the branch that ended
	// the loop, and two steps after it.
	Role     string `json:"role"`
	Register string `json:"register,omitempty"`
	Lanes    []int  `json:"lanes,omitempty"` // the lanes whose values they are
}

// memory names the memory of an end: a buffer, or the space that was never written.
func (x *ProvenanceNode) memory() string {
	if x.Kind == KindUnwrittenMemory {
		return x.Name + " memory"
	}
	return x.Name
}

// UndefinedReason names the ends that make the root undefined.
func (p *Provenance) UndefinedReason() string {
	seen := make([]bool, len(p.Nodes))
	seen[p.Root] = true
	queue := []int{p.Root}
	var lanes []int
	var memory = map[string][]ProvenanceElement{}
	var names, out []string
	if r := &p.Nodes[p.Root]; r.Kind == KindElement && len(r.From) == 1 && p.Nodes[r.From[0].Node].Kind == KindInput {
		return "nothing wrote it"
	}
	for len(queue) > 0 {
		n := &p.Nodes[queue[0]]
		queue = queue[1:]
		switch n.Kind {
		case KindAbsentLanes:
			for _, a := range n.Absent {
				lanes = append(lanes, a.Lane)
			}
		case KindUnwrittenRegister:
			if s := n.Name + ", which nothing wrote"; !slices.Contains(out, s) {
				out = append(out, s)
			}
		case KindUnwrittenMemory, KindInput:
			name := n.memory()
			if memory[name] == nil {
				names = append(names, name)
			}
			memory[name] = append(memory[name], n.Elements...)
		}
		for _, e := range n.From {
			if e.Role != "control" && e.Role != "rounds" && !seen[e.Node] && p.Nodes[e.Node].Undefined {
				seen[e.Node] = true
				queue = append(queue, e.Node)
			}
		}
	}
	if len(lanes) > 0 {
		slices.Sort(lanes)
		lanes = slices.Compact(lanes)
		is := "are"
		if len(lanes) == 1 {
			is = "is"
		}
		out = append([]string{lanesText(lanes) + ", which " + is + " absent"}, out...)
	}
	for _, name := range names {
		var idx []int
		for _, e := range memory[name] {
			idx = append(idx, e.Index)
		}
		slices.Sort(idx)
		out = append(out, fmt.Sprintf("%s[%s], which nothing wrote", name, rangesText(slices.Compact(idx))))
	}
	if len(out) > 3 {
		out = append(out[:2], fmt.Sprintf("%d more", len(out)-2))
	}
	if len(out) == 0 {
		return ""
	}
	return "it depends on " + strings.Join(out, "; and on ")
}

// undefinedText is the part of the first line about a value that is undefined.
func (p *Provenance) undefinedText(width int) string {
	if !p.Undefined {
		return ""
	}
	s := ", undefined"
	if b := p.UndefinedBits; b != 0 && b != ^uint64(0)>>(64-max(width, 1)) {
		s += " in " + bitsText(b)
	}
	if p.Reason != "" {
		s += ": " + p.Reason
	}
	return s
}

// bitsText is "bit 3" or "bits 0..7, 9".
func bitsText(b uint64) string {
	var l []int
	for b != 0 {
		l = append(l, bits.TrailingZeros64(b))
		b &= b - 1
	}
	if len(l) == 1 {
		return fmt.Sprintf("bit %d", l[0])
	}
	return "bits " + rangesText(l)
}

// undefinedMark lists the lanes in which a value of a line is undefined.
func undefinedMark(v *ProvenanceValue) string {
	var l []int
	var all uint64
	for i, b := range v.Undefined {
		if all |= b; b != 0 && i < len(v.Lanes) {
			l = append(l, v.Lanes[i])
		}
	}
	switch {
	case all == 0:
		return ""
	case len(v.Bits) == 1 || len(l) == len(v.Lanes):
		return ", undefined"
	}
	return ", undefined in " + lanesText(l)
}
