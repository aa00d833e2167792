// Package why records a launch value by value and finds the instructions, lanes, memory and inputs that
// one value was made of. It is a dynamic backward slice at the granularity of single lanes.
//
// Input: a function, a launch, and a question (memory after the launch, or the registers that one
// instruction wrote).
// Output: a Graph. Its nodes are executed instructions and the places where the slice ends; its edges
// say which register or memory one node used of another, in which lanes, and for which Role.
// Invariant: a record keeps the guest registers that an instruction wrote. Values between guest
// registers (addresses, guards, the steps inside an instruction) are not recorded. The slicer computes
// them again from the registers, with the same functions of package num, so an instruction that no
// question reaches costs only the copy of its results.
// Example: "v0 = v1 + v2; store [a], v0" and a question about [a]: the store has the edges Data (v0)
// and Address (a); v0's node has the edges Data (v1) and Data (v2).
// Literature: Agrawal and Horgan, Dynamic program slicing (PLDI 1990).
//
// Instrument gives a function Record operations. History is the launch's Recorder: it keeps the
// registers of chosen blocks and the addresses of all stores. The slicer follows values backwards; its
// files are slice.go (events and registers), through.go (operations), memory.go (loads, stores,
// rendezvous), control.go (branches) and rounds.go (loops).
package why

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// A kind says which events a record is made of.
type kind uint8

const (
	kWrites kind = iota // registers that a guest instruction wrote
	kAccess             // a store or an atomic
	kExit               // lanes that exit
	kGuards             // guards that the instruction will overwrite
	kArrive             // lanes at a barrier that reduces
	kMet                // a rendezvous, or a barrier that reduces, is over
	kWrote              // memory that was written in another way: by a copy, a runtime service or a matrix fragment
	kBranch             // a branch that lanes reach
	kStep               // an instruction begins: see InstrumentSteps
	numKinds
)

// A segment is a run of adjacent operations of the plain function that belong to one guest instruction.
// One Record operation stands for each segment.
type segment struct {
	kind       kind
	pos        int32
	start, end int // the instruction's operations before the record
	op         int // the operation that is recorded; -1 for kWrites
	writes     []write
	step       bool // its events begin a step: see InstrumentSteps
}

// A write is a register that a segment writes.
type write struct {
	ref   ir.Ref
	by    []int // the operations that write it
	saved []int // for each operation of by: the index of its guard in the kGuards record; -1 if the guard still holds
}

// Plan gives the Record operations of an instrumented function their meaning.
type Plan struct {
	f     *ir.Func // the plain function
	segs  []segment
	read  [][]ir.Ref          // by segment: the temporaries that the record reads, see ir.Func.Recorded
	at    map[*ir.Inst]int    // operations of the instrumented function → index in the plain one
	order []int               // the plain indices of the numbered operations, see numbered
	over  map[ir.Ref][]ir.Ref // cache of overlapping
	wrt   []ir.Ref            // the registers that are written, by rendezvous as well
	regs  map[shape]ir.Ref    // the one register that stands for all of its shape

	steps   bool            // made by InstrumentSteps
	decided map[[2]int]bool // see decides
	copies  []bool          // by guest instruction, see Copies
}

// shape identifies a value by its storage: offset in the frame, type, scalar or one per lane.
type shape struct {
	off    uint32
	t      ir.Type
	scalar bool
}

// shapeOf returns the storage and the type of a value, without its name.
func (p *Plan) shapeOf(r ir.Ref) shape {
	v := p.f.Val(r)
	return shape{v.Off, v.Type, v.Scalar}
}

// same reports whether two values are the same storage, seen with the same type.
func (p *Plan) same(a, b ir.Ref) bool {
	return a == b || a != 0 && b != 0 && p.f.Val(a).Kind == p.f.Val(b).Kind && p.shapeOf(a) == p.shapeOf(b)
}

// guest reports whether a value is a register of the guest, not a temporary or constant.
func (p *Plan) guest(r ir.Ref) bool { return r != 0 && p.f.Val(r).Kind == ir.Guest }

// overlap reports whether two guest values share bytes.
func (p *Plan) overlap(a, b ir.Ref) bool {
	return p.f.Overlap(a, b)
}

// shares reports whether two values are registers that share bytes.
func (p *Plan) shares(a, b ir.Ref) bool { return p.guest(a) && p.guest(b) && p.overlap(a, b) }

// Instrument returns a copy of f with Record operations, for launches whose Recorder is a History. The
// copy computes the same as f.
func Instrument(f *ir.Func) (*ir.Func, *Plan) { return instrument(f, false) }

// instrument is Instrument, or InstrumentSteps.
func instrument(f *ir.Func, steps bool) (*ir.Func, *Plan) {
	p := &Plan{f: f, steps: steps, at: map[*ir.Inst]int{}, over: map[ir.Ref][]ir.Ref{}, regs: map[shape]ir.Ref{}}
	out := *f
	out.Code = make([]ir.Inst, 0, 2*len(f.Code))
	out.Blocks = make([]ir.Block, 0, len(f.Blocks))
	orig := make([]int, 0, 2*len(f.Code))
	emit := func(in ir.Inst, from int) {
		out.Code = append(out.Code, in)
		orig = append(orig, from)
	}
	for _, b := range f.Blocks {
		from := len(out.Code)
		for s := b.Start; s < b.End; {
			e := s + 1
			for e < b.End && f.Code[e].Pos == f.Code[s].Pos {
				e++
			}
			p.instruction(s, e, emit)
			s = e
		}
		out.Blocks = append(out.Blocks, ir.Block{Start: from, End: len(out.Code)})
	}
	out.Recorded, out.Met = p.read, true
	for i := range out.Code {
		if orig[i] >= 0 {
			p.at[&out.Code[i]] = orig[i]
			if numbered(&out.Code[i]) {
				p.order = append(p.order, orig[i])
			}
		}
	}
	return &out, p
}

// instruction copies the operations from s up to e, which are one guest instruction, and adds its
// records. A guard that the instruction overwrites before its kWrites record is saved first, in a
// kGuards record.
func (p *Plan) instruction(s, e int, emit func(ir.Inst, int)) {
	f := p.f
	pos := f.Code[s].Pos
	record := func(seg segment, guard ir.Ref, not bool) {
		seg.pos = pos
		emit(ir.Inst{Op: ir.Record, Pos: pos, Imm: uint64(len(p.segs)), Guard: guard, GuardNot: not}, -1)
		p.segs = append(p.segs, seg)
		p.read = append(p.read, p.temporaries(&seg))
	}
	last := e
	if f.Code[e-1].Op.EndsBlock() {
		last--
	}
	var writes []write
	var guards []int // operations whose guard is overwritten
	for i := s; i < last; i++ {
		in := &f.Code[i]
		for _, d := range [2]ir.Ref{in.Dst, in.Dst2} {
			if !p.guest(d) {
				continue
			}
			k := slices.IndexFunc(writes, func(w write) bool { return p.same(w.ref, d) })
			if k < 0 {
				k = len(writes)
				writes = append(writes, write{ref: p.register(d)})
			}
			// A kWrites record comes after the instruction. A guard that is overwritten by then has to
			// be saved before.
			saved := -1
			if p.guest(in.Guard) && !in.Scalar && p.lost(in.Guard, i, last) {
				saved = len(guards)
				guards = append(guards, i)
			}
			writes[k].by, writes[k].saved = append(writes[k].by, i), append(writes[k].saved, saved)
		}
	}
	joined := p.joined(s, e, len(guards), len(writes))
	if p.steps && !joined && f.Code[s].First {
		record(segment{kind: kStep, start: s, end: s, op: s, step: true}, 0, false)
	}
	if len(guards) > 0 {
		record(segment{kind: kGuards, start: s, end: s, writes: []write{{by: guards}}}, 0, false)
	}
	written := false
	for i := s; i < e; i++ {
		in := f.Code[i]
		if p.steps && i > s && in.First {
			record(segment{kind: kStep, start: i, end: i, op: i, step: true}, 0, false)
		}
		// The operation that ends the block comes last, so the writes are recorded before it.
		if i == last && len(writes) > 0 {
			record(segment{kind: kWrites, start: s, end: last, op: -1, writes: writes, step: joined}, 0, false)
			written = true
		}
		switch {
		case in.Op == ir.Store || in.Op == ir.Atomic:
			if in.Flags&ir.Undefined == 0 {
				record(segment{kind: kAccess, start: s, end: i, op: i}, in.Guard, in.GuardNot)
			}
		case in.Op == ir.Exit:
			record(segment{kind: kExit, start: s, end: i, op: i}, in.Guard, in.GuardNot)
		case in.Op == ir.Bra && in.Guard != 0 || in.Op == ir.BraTable || in.Op == ir.SBra && in.Args[0] != 0:
			record(segment{kind: kBranch, start: s, end: i, op: i}, 0, false)
		case in.Op == ir.Bar && in.Args[2] != 0:
			record(segment{kind: kArrive, start: s, end: i, op: i}, in.Guard, in.GuardNot)
		}
		if in.Op.Meets() || in.Op == ir.Bar {
			for _, d := range p.results(i) {
				p.register(d)
			}
		}
		emit(in, i)
	}
	if !written && len(writes) > 0 {
		record(segment{kind: kWrites, start: s, end: last, op: -1, writes: writes, step: joined}, 0, false)
	}
}

// temporaries returns the temporaries that a History reads at a record.
func (p *Plan) temporaries(s *segment) (list []ir.Ref) {
	add := func(r ir.Ref) {
		if r != 0 && p.f.Val(r).Kind == ir.Temp && !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	if s.kind == kAccess {
		add(p.f.Code[s.op].Args[0])
	}
	for _, w := range s.writes {
		for _, op := range w.by {
			add(p.f.Code[op].Guard)
			if in := &p.f.Code[op]; in.Op == ir.WriteLane {
				add(in.Args[1])
			}
		}
	}
	return list
}

// lost reports whether the operations from i up to last overwrite a guard.
func (p *Plan) lost(g ir.Ref, i, last int) bool {
	for ; i < last; i++ {
		for _, d := range [2]ir.Ref{p.f.Code[i].Dst, p.f.Code[i].Dst2} {
			if p.guest(d) && p.overlap(d, g) {
				return true
			}
		}
	}
	return false
}

// results returns the values that a rendezvous writes.
func (p *Plan) results(op int) []ir.Ref {
	in := &p.f.Code[op]
	if in.Op == ir.Collective {
		return p.f.Collectives[in.Imm].Dst
	}
	return []ir.Ref{in.Dst, in.Dst2}
}

// register notes that a value is written, and returns the value that stands for all values of its
// shape.
func (p *Plan) register(r ir.Ref) ir.Ref {
	if !p.guest(r) {
		return r
	}
	s := p.shapeOf(r)
	if have, ok := p.regs[s]; ok {
		return have
	}
	p.regs[s] = r
	p.wrt = append(p.wrt, r)
	return r
}

// overlapping returns the written registers that share bytes with a value.
func (p *Plan) overlapping(r ir.Ref) []ir.Ref {
	list, ok := p.over[r]
	if !ok {
		for _, w := range p.wrt {
			if p.overlap(w, r) {
				list = append(list, w)
			}
		}
		p.over[r] = list
	}
	return list
}

// Copies reports whether a guest instruction only moves a value: between registers or their halves,
// from or to the space of parameters, or from one address space to another.
func (p *Plan) Copies(pos int32) bool {
	if p.copies == nil {
		p.copies = make([]bool, len(p.f.Pos))
		for i := range p.copies {
			p.copies[i] = true
		}
		for i := range p.f.Code {
			if in := &p.f.Code[i]; !p.moves(in) {
				p.copies[in.Pos] = false
			}
		}
	}
	return p.copies[pos]
}

// moves reports whether an operation leaves the value unchanged.
func (p *Plan) moves(in *ir.Inst) bool {
	switch in.Op {
	case ir.Mov8, ir.Mov16, ir.Mov32, ir.Mov64, ir.MovB1, ir.Splat,
		ir.Pack16, ir.Pack32, ir.Pack64, ir.Lo8, ir.Hi8, ir.Lo16, ir.Hi16, ir.Lo32, ir.Hi32:
		return true
	case ir.Load, ir.Store:
		return in.Space == ir.Param
	case ir.Add32, ir.Add64, ir.Sub32, ir.Sub64: // to or from a window of generic addresses: see ir.SharedWindow
		w := p.f.Val(in.Args[1])
		return w.Kind == ir.Const && w.Const != 0 && (w.Const&^ir.WindowMask == 0 || p.f.Windows.Has(w.Const) || w.Type == ir.B32 && ir.Widen(w.Const)&^ir.WindowMask == 0)
	}
	return false
}
