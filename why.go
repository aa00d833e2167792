package crosslane

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/check/why"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// DefaultHistory is how much history of a launch Why keeps by default, in bytes.
const DefaultHistory = 256 << 20

// WhyOptions choose the value that Why explains: an element of a buffer, or the result that the
// instruction of a line or at a code offset wrote in one lane.
type WhyOptions struct {
	// Buffer and Index are an element of a buffer of the launch, by the buffer's name.
	Buffer string
	Index  int
	// Line is a line of the text; without one, Offset is an offset in the code of a code
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
	// Line, Offset and Text are the instruction's; for an end, those of its reader.
	Line   int    `json:"line,omitempty"`
	Offset int64  `json:"offset,omitempty"`
	Text   string `json:"text,omitempty"`
	Op     string `json:"op,omitempty"` // the mnemonic in full
	// BlockIndex and Warp are the block and the warp that executed it.
	BlockIndex [3]uint32         `json:"block_index"`
	Warp       int               `json:"warp"`
	Store      bool              `json:"store,omitempty"` // it wrote memory
	Copy       bool              `json:"copy,omitempty"`  // it only moved a value
	Kept       []int             `json:"kept,omitempty"`  // lanes that its guard kept from writing
	Lanes      []int             `json:"lanes,omitempty"` // the lanes that matter
	Values     []ProvenanceValue `json:"values,omitempty"`
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
	Line     int      `json:"line,omitempty"` // the line of its exit, or its last line
	Text     string   `json:"text,omitempty"`
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

// Why runs the kernel and explains one of the values that it computes, in a time that grows with
// the number of executed instructions. The launch's Timeout is for all of it, and ctx ends it
// early. The launch runs once or several times, with one worker, always from the same contents of
// its buffers, which hold at the end the results of the run. Launches whose results depend on
// chance (on the order of blocks that race) are run in one order.
//
// If the run faults, the provenance is that of the run until then, and the fault is among the
// findings.
func (k *Kernel) Why(ctx context.Context, l Launch, o WhyOptions) (*Provenance, error) {
	if l.Adversarial {
		d := k.errorf("bad-launch", "provenance is that of the intended values, not of results that are delivered late")
		d.Remedy = "leave adversarial out"
		return nil, diag.List{d}
	}
	k = k.laidOut(l.Schedule)
	plain, err := k.prepare(false)
	if err != nil {
		return nil, err
	}
	if l.Timeout > 0 { // for all launches, and for the work after them
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, l.Timeout)
		defer cancel()
	}
	x := &whyRun{k: k, o: o, blocks: map[uint64]bool{}, before: stateOf(&l), limit: l.Timeout}
	if x.o.History <= 0 {
		x.o.History = DefaultHistory
	}
	if err := x.target(l); err != nil {
		return nil, err
	}
	p := *plain
	fn, plan := why.Instrument(plain.fn)
	if p.prog, err = compile(fn); err != nil {
		return nil, diag.List{diag.Errorf(diag.Pos{File: k.m.file}, diag.Unsupported, "unsupported", "%s: %v", k.name, err)}
	}
	p.fn, x.plan = fn, plan
	p.watch = x.watch
	return x.explain(ctx, &p, l)
}

// whyRun is one Why.
type whyRun struct {
	k      *Kernel
	o      WhyOptions
	plan   *why.Plan
	blocks map[uint64]bool
	before launchState
	buffer *Buffer
	limit  time.Duration

	history *why.History
	mem     *memory
	launch  *sim.Launch
	initial map[*sim.Alloc][]byte
}

// target checks the request.
func (x *whyRun) target(l Launch) error {
	o, k := &x.o, x.k
	bad := func(format string, args ...any) error {
		return diag.List{k.errorf("bad-target", format, args...)}
	}
	if o.Buffer == "" {
		g := [3]uint32{max(l.Grid.X, 1), max(l.Grid.Y, 1), max(l.Grid.Z, 1)}
		if o.Block.X >= g[0] || o.Block.Y >= g[1] || o.Block.Z >= g[2] {
			return bad("block %d,%d,%d is not in the grid of %d,%d,%d", o.Block.X, o.Block.Y, o.Block.Z, g[0], g[1], g[2])
		}
		x.blocks[uint64(o.Block.X)+uint64(g[0])*(uint64(o.Block.Y)+uint64(g[1])*uint64(o.Block.Z))] = true
		return nil
	}
	var names []string
	for _, b := range l.buffers() {
		if names = append(names, b.Name); b.Name == o.Buffer {
			x.buffer = b
		}
	}
	if max(l.Grid.X, 1) == 1 && max(l.Grid.Y, 1) == 1 && max(l.Grid.Z, 1) == 1 {
		x.blocks[0] = true // the first launch need not look for the block
	}
	if x.buffer == nil {
		return bad("there is no buffer %q (there are: %s)", o.Buffer, strings.Join(names, ", "))
	}
	if o.Index < 0 || o.Index >= x.buffer.Len() {
		return bad("%s has the elements 0 to %d; there is no %d", o.Buffer, x.buffer.Len()-1, o.Index)
	}
	return nil
}

// watch prepares the recording of a launch.
func (x *whyRun) watch(mem *memory, s *sim.Launch) {
	x.mem, x.launch = mem, s
	s.Recorder = x.history
	x.initial = map[*sim.Alloc][]byte{}
	for b, a := range mem.allocs {
		x.initial[a] = x.before.data[b]
	}
	for _, a := range mem.All() {
		if x.initial[a] == nil && !a.ReadOnly && len(a.Data) <= maxSnapshot {
			x.initial[a] = slices.Clone(a.Data)
		}
	}
}

// maxSnapshot is the largest variable of a module whose first contents are kept.
const maxSnapshot = 64 << 20

// maxWhyRuns bounds the launches of one Why. Each but the first adds blocks to those that
// are recorded.
const maxWhyRuns = 8

func (x *whyRun) explain(ctx context.Context, p *prepared, l Launch) (*Provenance, error) {
	quiet := l
	quiet.Stdout = io.Discard
	for run := 1; ; run++ {
		x.history = &why.History{Plan: x.plan, Blocks: x.blocks, Limit: x.o.History}
		x.before.restore()
		res, err := x.k.run(ctx, p, quiet)
		if res == nil {
			return nil, err
		}
		for _, d := range diag.Of(err) {
			if outOfTime(d) {
				return nil, err
			}
			res.Findings = append(res.Findings, d)
		}
		g, at, err := x.graph(ctx)
		if err != nil {
			return nil, x.stopped(ctx, err)
		}
		more := false
		for _, b := range g.Missing {
			more = more || !x.blocks[b]
			x.blocks[b] = true
		}
		if more && run < maxWhyRuns {
			continue
		}
		undefined, err := x.undefined(ctx, p, l, g)
		if err != nil {
			return nil, err
		}
		pr, err := x.provenance(ctx, g, at, res)
		if err != nil {
			return nil, x.stopped(ctx, err)
		}
		x.markUndefined(pr, g, undefined)
		return pr, nil
	}
}

// outOfTime reports whether a launch was stopped for its time, not for a fault of its own.
func outOfTime(d *diag.Diagnostic) bool { return d.Class == diag.Timeout }

// stopped turns an error of the context into one of the API; it returns other errors unchanged.
func (x *whyRun) stopped(ctx context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	return x.k.ended(ctx, "the value was followed back", x.limit, "raise --timeout, or ask about an earlier value")
}

// graph answers the request.
func (x *whyRun) graph(ctx context.Context) (*why.Graph, string, error) {
	if x.buffer != nil {
		size := uint64(x.buffer.Type.Size())
		at := x.buffer.Name + "[" + x.buffer.index(x.o.Index) + "]"
		g, err := x.history.Memory(ctx, x.mem.allocs[x.buffer].Base+uint64(x.o.Index)*size, size)
		return g, at, err
	}
	return x.lineGraph(ctx)
}

// initialBytes reads memory as the launch found it.
func (x *whyRun) initialBytes(addr, n uint64) (bits uint64, a *sim.Alloc) {
	if a = x.mem.Find(addr, n); a == nil {
		return 0, nil
	}
	data := x.initial[a]
	if data == nil {
		data = a.Data
	}
	var b [8]byte
	copy(b[:], data[addr-a.Base:][:min(n, 8)])
	return binary.LittleEndian.Uint64(b[:]), a
}

// special is the name of the value that a launch puts into a register; "" if it has none.
func (x *whyRun) special(in ir.InputKind) string {
	names := map[ir.InputKind][2]string{
		ir.ThreadIDX: {"%tid.x", "work-item id x"}, ir.ThreadIDY: {"%tid.y", "work-item id y"}, ir.ThreadIDZ: {"%tid.z", "work-item id z"},
		ir.BlockIDX: {"%ctaid.x", "workgroup id x"}, ir.BlockIDY: {"%ctaid.y", "workgroup id y"}, ir.BlockIDZ: {"%ctaid.z", "workgroup id z"},
		ir.BlockDimX: {"%ntid.x", "workgroup size x"}, ir.BlockDimY: {"%ntid.y", "workgroup size y"}, ir.BlockDimZ: {"%ntid.z", "workgroup size z"},
		ir.GridDimX: {"%nctaid.x", "workgroups x"}, ir.GridDimY: {"%nctaid.y", "workgroups y"}, ir.GridDimZ: {"%nctaid.z", "workgroups z"},
		ir.LaneID: {"%laneid", "lane"}, ir.WaveID: {"%warpid", "wave"}, ir.WaveCount: {"%nwarpid", "waves"}, ir.WaveInfo: {"", "workgroup info"},
		ir.ActiveMask0: {"", "EXEC at the start"}, ir.LaunchValue: {"an address", "an address of the launch"},
		ir.SharedTotal: {"%total_smem_size", "LDS size"}, ir.SharedDynamic: {"%dynamic_smem_size", "dynamic LDS size"},
		ir.GridID: {"%gridid", "dispatch id"}, ir.LinearBlockID: {"the block's number", "workgroup number"},
		ir.GlobalSizeX: {"", "grid size x"}, ir.GlobalSizeY: {"", "grid size y"}, ir.GlobalSizeZ: {"", "grid size z"}, ir.StackTop: {"the stack's end", "the stack's end"},
		ir.WorkspaceLow: {"%envreg2", ""}, ir.WorkspaceHigh: {"%envreg1", ""},
	}
	if x.k.m.isa == GCN3 {
		return names[in][1]
	}
	return names[in][0]
}
