package ir

import (
	"slices"

	"example.org/crosslane/internal/matrix"
)

// Delayed moves the asynchronous operations of a function, so that they can be done later than their instructions.
//
// Input: a function without Checked operations.
// Output: a function in which the effects of each asynchronous instruction are a block of their own that no branch leads
// to. A Delay operation is in their stead. A Settle is in the stead of each Nop that ends or waits for a group. The result is
// f itself if it has no asynchronous instruction. f is not changed.
// Products of warpgroups (PTX 9.7.16) stay where they are, as the last operations of blocks; Late tells package sim to do
// them later.
// Invariant: no operation that runs in time reads a result of a delayed one, except the registers of products, which are
// undefined until the group is waited for.
// Example: cp.async [s], [g], 4 is a load of 4 bytes and a store of them. Both move to a new block b9 that ends with Exit;
// Delay keeps the two addresses. After cp.async.wait_all, a Settle, the block runs for the lanes that wait.
func (f *Func) Delayed() *Func {
	out := *f
	out.Code, out.Blocks = make([]Inst, 0, len(f.Code)), slices.Clone(f.Blocks)
	var moved [][]Inst
	for i := range f.Code {
		in := &f.Code[i]
		out.Late = out.Late || in.Op == Collective && f.Collectives[in.Imm].Matrix.Kind == matrix.WarpgroupMultiply
	}
	for n := range f.Blocks {
		b := &f.Blocks[n]
		start := len(out.Code)
		for i := b.Start; i < b.End; {
			j := i + 1
			for j < b.End && f.Code[j].Pos == f.Code[i].Pos {
				j++
			}
			late := out.delay(f, i, j)
			if late != nil {
				moved = append(moved, late)
			}
			i = j
		}
		out.Blocks[n] = Block{Start: start, End: len(out.Code)}
	}
	if out.Late = out.Late || len(moved) > 0; !out.Late {
		return f
	}
	for k, late := range moved {
		out.Delays[k].Block = len(out.Blocks)
		start := len(out.Code)
		out.Code = append(out.Code, late...)
		out.Code = append(out.Code, Inst{Op: Exit, Pos: late[0].Pos})
		out.Blocks = append(out.Blocks, Block{Start: start, End: len(out.Code)})
	}
	return &out
}

// Lateness says which effects of a function are done later than their instructions: see Func.Delayed.
type Lateness struct {
	Late   bool        // some are
	Delays []DelayInfo // the Delay operations
}

// DelayInfo describes the effects of one asynchronous instruction.
type DelayInfo struct {
	Block int // the block with the effects
	Until Completion
	Kept  []Ref // values of the time of the instruction that the effects need
}

// Completion is the mechanism by which lanes wait for an asynchronous instruction.
type Completion uint8

// The mechanisms.
const (
	CopyGroups    Completion = iota // cp.async.wait_group (PTX 9.7.9.26.3); of tcgen05.mma, the next commit
	BulkGroups                      // cp.async.bulk.wait_group (PTX 9.7.9.26.6)
	ProductGroups                   // wgmma.wait_group (PTX 9.7.16.7.3)
	Phases                          // an mbarrier object that the instruction reports to (PTX 9.7.14.16.6)
	Arrivals                        // an mbarrier object at which the work of CopyGroups arrives (PTX 9.7.14.16.18, 9.7.17.12.1)
)

// GroupsOf returns the groups that a Settle concerns.
func GroupsOf(o Order) Completion {
	switch {
	case o&Warpgroup == Warpgroup:
		return ProductGroups
	case o&Proxy != 0:
		return BulkGroups
	}
	return CopyGroups
}

// completion returns how lanes wait for an instruction; ok is false if it is done in time.
func completion(f *Func, code []Inst) (c Completion, ok bool) {
	reports, effects := false, 0
	for i := range code {
		in := &code[i]
		switch in.Op {
		case Atomic:
			op := AtomicOp(in.Imm >> 32)
			switch {
			case op == AtomOf(MbarCompleteTx):
				reports = true
			case in.Order&Async != 0 && op == AtomOf(MbarArrive):
				return Arrivals, true
			default:
				effects++
			}
		case Bulk, Tensor, Store:
			effects++
			if in.Op == Tensor && f.Tensors[in.Imm].Kind == TensorMultiplies {
				ok = true // done when tcgen05.commit arrives, which does all that its lane has started
			}
			if ok = ok || in.Order&Async != 0; in.Order&Async != 0 && in.Order&Proxy != 0 {
				c = BulkGroups
			}
		}
	}
	if reports && effects > 0 {
		return Phases, true // st.async and red.async have no other sign
	}
	return c, ok
}

// tracked reports whether an instruction arrives at an mbarrier object for its lanes' copies, and counts this arrival itself.
func tracked(code []Inst) bool {
	return slices.ContainsFunc(code, func(in Inst) bool {
		op := AtomicOp(in.Imm >> 32)
		return in.Op == Atomic && in.Order&Async != 0 && op == AtomOf(MbarTrack)
	})
}

// delay appends the operations of an instruction, Code[i:j] of from, to the code, and returns those that are done later.
func (f *Func) delay(from *Func, i, j int) (late []Inst) {
	code := from.Code[i:j]
	if tracked(code) {
		// The pending count grows at once and shrinks with the copies: the copies are done before both.
		f.Code = append(f.Code, Inst{Op: Settle, Order: Async | Acquire | Strong, Pos: code[0].Pos})
	}
	until, ok := completion(from, code)
	if !ok {
		for _, in := range code {
			if in.Op == Nop && in.Order&Async != 0 {
				in.Op = Settle
			}
			f.Code = append(f.Code, in)
		}
		return nil
	}
	made := map[Ref]bool{}
	var first bool
	var kept []Ref
	for k := range code {
		in := code[k]
		var reads []Ref
		in.operands(from, func(r Ref) {
			if r != 0 {
				reads = append(reads, r)
			}
		})
		moves := !in.Op.Pure() && in.Op != Nop && in.Op != Splat && in.Op != LaneBit
		for _, r := range reads {
			moves = moves || made[r]
		}
		if !moves {
			f.Code = append(f.Code, in)
			continue
		}
		in.First, first = false, first || in.First
		late = append(late, in)
		for _, r := range reads {
			if !made[r] && from.Values[r].Kind != Const && !slices.Contains(kept, r) {
				kept = append(kept, r)
			}
		}
		for _, r := range []Ref{in.Dst, in.Dst2} {
			if r != 0 {
				made[r] = true
			}
		}
	}
	f.Delays = append(f.Delays, DelayInfo{Until: until, Kept: kept})
	f.Code = append(f.Code, Inst{Op: Delay, Imm: uint64(len(f.Delays) - 1), Pos: code[0].Pos, First: first})
	return late
}

// Issued returns the sources of a product of a warpgroup whose values of the time of the instruction it uses: descriptors,
// metadata and scale-d. It reads its registers when it is done.
func (c *CollectiveInfo) Issued() []Ref {
	p := c.Product
	if p.SharedA {
		return c.Src[p.SrcA:p.SrcC]
	}
	return c.Src[p.SrcB:p.SrcC]
}
