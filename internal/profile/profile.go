// Package profile counts the work of a launch for each guest instruction: executions, the lanes
// that were active, the requests of accesses to memory, and the operations that a native engine
// left to the interpreter.
//
// Instrument adds Record operations to a function; a Recorder is the launch's sim.Recorder (and its
// sim.CallOuts). Engines do not depend on it, and a function that is not instrumented pays nothing.
// The cost of an access is a model, which docs/profile.md describes with its sources.
package profile

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// Counts holds the figures of all executions of one guest instruction.
type Counts struct {
	Instructions     uint64 // executions by waves
	LaneInstructions uint64 // sum of the lanes active in them
	// InactiveLanes is the sum of the inactive lanes of instructions that act for lanes; Vector is
	// the number of their executions. The other executions are scalar.
	InactiveLanes, Vector uint64

	Requests     uint64 // executions that reached global or private memory
	Transactions uint64 // number of pieces of memory that these moved: see Plan.Unit
	Used         uint64 // bytes of them that lanes requested

	SharedRequests uint64 // executions that reached shared memory
	BankConflicts  uint64 // rounds of these requests beyond the first

	CallOuts uint64 // operations that a native engine left to the interpreter
}

// Add adds the counts of o.
func (c *Counts) Add(o *Counts) {
	c.Instructions += o.Instructions
	c.LaneInstructions += o.LaneInstructions
	c.InactiveLanes += o.InactiveLanes
	c.Vector += o.Vector
	c.Requests += o.Requests
	c.Transactions += o.Transactions
	c.Used += o.Used
	c.SharedRequests += o.SharedRequests
	c.BankConflicts += o.BankConflicts
	c.CallOuts += o.CallOuts
}

// The sizes of memory transactions. NVIDIA: the number of transactions of 32 bytes for a warp's
// access is the number of these pieces that it touches (CUDA C++ Best Practices Guide, "Coalesced
// Access to Global Memory"). GCN: the lines of the vector and scalar caches have 64 bytes.
const (
	unitWarp = 32
	unitWave = 64
)

// Plan gives the meaning of the Record operations of an instrumented function.
type Plan struct {
	f     *ir.Func // the instrumented function
	sites []site
	unit  uint64
	// scalar marks the guest instructions that act once for the wave.
	scalar []bool
}

// A site is a Record operation.
type site struct {
	// Positions (Pos) of guest instructions that are executed together.
	counted []int32

	// For an access, or several accesses of one guest instruction at one address: the first of
	// them, and the pieces of memory that a lane accesses.
	in     *ir.Inst
	pieces []piece
	first  bool // the first access of its guest instruction
}

// A piece is a range of bytes at an offset from the address.
type piece struct{ off, size uint64 }

// Unit returns the number of bytes of a transaction.
func (p *Plan) Unit() uint64 { return p.unit }

// Instrument returns a function with the effects of f, for launches with a Recorder. f is not
// changed.
func Instrument(f *ir.Func) (*ir.Func, *Plan) {
	out := *f
	p := &Plan{f: &out, unit: unitWarp, scalar: make([]bool, len(f.Pos))}
	if f.Exec != 0 {
		p.unit = unitWave
	}
	for i := range p.scalar {
		p.scalar[i] = f.Exec != 0
	}
	out.Code, out.Recorded = make([]ir.Inst, 0, len(f.Code)+len(f.Code)/2), [][]ir.Ref{}
	out.Blocks = make([]ir.Block, len(f.Blocks))
	accessed := make([]bool, len(f.Pos))
	for n, b := range f.Blocks {
		start := len(out.Code)
		open := -1             // the site that counts the next instructions
		told := map[int]bool{} // accesses that belong to an earlier site
		for i := b.Start; i < b.End; i++ {
			in := &f.Code[i]
			if !in.Scalar && in.Op != ir.Nop {
				p.scalar[in.Pos] = false
			}
			if in.First {
				if open < 0 {
					open = len(p.sites)
					p.sites = append(p.sites, site{})
					out.Code = append(out.Code, ir.Inst{Op: ir.Record, Imm: uint64(open), Pos: in.Pos})
				}
				p.sites[open].counted = append(p.sites[open].counted, in.Pos)
			}
			if p.accesses(in) && !told[i] {
				out.Code = append(out.Code, ir.Inst{Op: ir.Record, Imm: uint64(len(p.sites)), Pos: in.Pos, Guard: in.Guard, GuardNot: in.GuardNot})
				out.Recorded = append(out.Recorded, make([][]ir.Ref, len(p.sites)-len(out.Recorded))...)
				if a := in.Args[0]; f.Val(a).Kind == ir.Temp {
					out.Recorded = append(out.Recorded, []ir.Ref{a})
				}
				p.sites = append(p.sites, site{in: in, pieces: p.pieces(f.Code[i:b.End], i, told), first: !accessed[in.Pos]})
				accessed[in.Pos] = true
			}
			out.Code = append(out.Code, *in)
			if p.writesExec(in.Dst) {
				open = -1 // from here on, instructions are counted for the lanes that execute them
			}
		}
		out.Blocks[n] = ir.Block{Start: start, End: len(out.Code)}
	}
	return &out, p
}

// writesExec reports whether the value shares bytes with EXEC.
func (p *Plan) writesExec(dst ir.Ref) bool {
	if p.f.Exec == 0 || dst == 0 {
		return false
	}
	v, exec := p.f.Val(dst), p.f.Val(p.f.Exec).Off
	return v.Off < exec+8 && exec < v.Off+v.Size(p.f.Lanes)
}

// accesses reports whether the Record operation counts an operation as an access to memory: package
// sim reports all other accesses (see Recorder.Read). Parameters and constants have caches of their
// own. Private memory at a constant address, for example parameters of functions, is kept in
// registers by the last compiler.
func (p *Plan) accesses(in *ir.Inst) bool {
	switch in.Op {
	case ir.Load, ir.Store, ir.Atomic:
	default:
		return false
	}
	if in.Space == ir.Param || in.Space == ir.Constant || in.Flags&ir.Undefined != 0 {
		return false
	}
	return in.Space != ir.Local || p.f.Val(in.Args[0]).Kind != ir.Const
}

// pieces finds the pieces of memory of the accesses at the start of code that one guest instruction
// makes at one address, and marks these accesses in told by their index; code[0] has the index at.
// Adjacent pieces are joined.
func (p *Plan) pieces(code []ir.Inst, at int, told map[int]bool) []piece {
	first := &code[0]
	var list []piece
	for i := range code {
		in := &code[i]
		if in.Pos != first.Pos {
			break
		}
		if in.Op != first.Op || in.Args[0] != first.Args[0] || in.Space != first.Space || in.Guard != first.Guard || in.GuardNot != first.GuardNot ||
			in.Scalar != first.Scalar || !p.accesses(in) {
			continue
		}
		told[at+i] = true
		list = append(list, piece{in.Offset(), uint64(in.Size)})
	}
	slices.SortFunc(list, func(a, b piece) int { return int(int64(a.off - b.off)) })
	joined := list[:1]
	for _, x := range list[1:] {
		if last := &joined[len(joined)-1]; last.off+last.size == x.off {
			last.size += x.size
		} else {
			joined = append(joined, x)
		}
	}
	return joined
}

// Recorder counts one launch of an instrumented function. Each worker of the launch has its own
// counts.
type Recorder struct {
	plan   *Plan
	shards []shard
}

// shard holds the counts of one worker.
type shard struct {
	ran     []ran    // by site
	counts  []Counts // by guest instruction: all but executions
	mem     traffic
	pending []touch // accesses of the Collective in flight
	_       [64]byte
}

// ran is the number of executions of a site, and the sum of their lanes.
type ran struct{ times, lanes uint64 }

// NewRecorder makes a recorder for a launch with at most the given number of workers.
func NewRecorder(p *Plan, workers int) *Recorder {
	r := &Recorder{plan: p, shards: make([]shard, max(workers, 1))}
	for i := range r.shards {
		s := &r.shards[i]
		s.ran, s.counts = make([]ran, len(p.sites)), make([]Counts, len(p.f.Pos))
		s.mem.unit, s.mem.last = p.unit, &s.mem.table[0]
	}
	return r
}

// Plan is the plan whose operations are counted.
func (r *Recorder) Plan() *Plan { return r.plan }

// Start implements sim.Recorder.
func (*Recorder) Start(*sim.Wave) {}

// Record implements sim.Recorder.
func (r *Recorder) Record(w *sim.Wave, in *ir.Inst, lanes lane.Mask) {
	k := &r.shards[w.WorkerID]
	s := &r.plan.sites[in.Imm]
	if s.in != nil {
		k.access(w, s, lanes)
		return
	}
	if e := w.Func.Exec; e != 0 {
		lanes = w.Mask(e)
	}
	k.ran[in.Imm].times++
	k.ran[in.Imm].lanes += uint64(lanes.Count())
}

// CalledOut implements sim.CallOuts.
func (r *Recorder) CalledOut(w *sim.Wave, in *ir.Inst) {
	r.shards[w.WorkerID].counts[in.Pos].CallOuts++
}

// Counts returns the figures of each guest instruction, by the index in Func.Pos. Call it after the
// launch has ended.
func (r *Recorder) Counts() []Counts {
	out := make([]Counts, len(r.plan.f.Pos))
	lanes := uint64(r.plan.f.Lanes)
	for i := range r.shards {
		k := &r.shards[i]
		for n := range out {
			out[n].Add(&k.counts[n])
		}
		for n, s := range r.plan.sites {
			ran := k.ran[n]
			for _, pos := range s.counted {
				c := &out[pos]
				c.Instructions += ran.times
				c.LaneInstructions += ran.lanes
				if !r.plan.scalar[pos] {
					c.Vector += ran.times
					c.InactiveLanes += ran.times*lanes - ran.lanes
				}
			}
		}
	}
	return out
}
