package sim

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// deciding returns the registers of the guest that decide, in the basic blocks that have run, where lanes
// go, which memory they access and which values they store. Registers from which these are computed there
// decide as well, and so do values that lanes bring to other lanes which decide. ok is false if a clock
// decides: its value never recurs.
//
// Input: a function, and the basic blocks that have run.
// Output: a set of guest registers; a backward slice of branches, loads, stores and host calls.
// Invariant: if the registers of the set are equal at two times in the same places, and memory does not
// change, the lanes do the same again. The set only grows until a fixed point is reached.
// Example: L: ld r1, [r2]; add r3, r3, 1; setp p, r1, 0; @p bra L. The set is {r2, p, r1}: r3 counts the
// rounds but decides nothing.
//
// Literature: Weiser, Program slicing (ICSE 1981).
func deciding(fn *ir.Func, ran []bool) (list []ir.Ref, ok bool) {
	d := &decisions{fn: fn, more: true, needed: make([]bool, fn.FrameSize/4+1), seen: make([]bool, len(fn.Values)+1)}
	d.entry, d.temps = make([]bool, len(d.needed)), make([]bool, len(d.needed))
	for d.more {
		d.more = false
		for b := range fn.Blocks {
			if ran[b] {
				d.block(fn.Blocks[b])
			}
		}
	}
	return d.list, !d.clock
}

// decisions is the state of the computation.
type decisions struct {
	fn     *ir.Func
	list   []ir.Ref
	seen   []bool
	more   bool   // the set has grown in this round
	needed []bool // words of the frame that decide, for guest registers, which may overlap
	// temps are the words of temporaries that decide at the current place; entry are those at the beginning
	// of some basic block. Different temporaries use the same words.
	temps, entry []bool
	crosses      bool // values that lanes bring to a rendezvous decide
	clock        bool // a clock decides
}

// words returns the words of a value, in the set of its kind.
func (d *decisions) words(r ir.Ref) []bool {
	v := d.fn.Val(r)
	all := d.needed
	if v.Kind == ir.Temp {
		all = d.temps
	}
	return all[v.Off/4 : (v.Off+v.Size(d.fn.Lanes)+3)/4]
}

// need adds values to the set.
func (d *decisions) need(refs ...ir.Ref) {
	for _, r := range refs {
		if r == 0 || d.seen[r] || d.fn.Val(r).Kind == ir.Const {
			continue
		}
		if d.fn.Val(r).Kind == ir.Guest {
			d.seen[r], d.more = true, true
			d.list = append(d.list, r)
		}
		for i, w := 0, d.words(r); i < len(w); i++ {
			w[i] = true
		}
	}
}

// hit reports whether one of the values decides.
func (d *decisions) hit(refs ...ir.Ref) bool {
	return slices.ContainsFunc(refs, func(r ir.Ref) bool { return r != 0 && slices.Contains(d.words(r), true) })
}

// block follows a basic block from its end to its beginning.
func (d *decisions) block(b ir.Block) {
	copy(d.temps, d.entry)
	for i := b.End - 1; i >= b.Start; i-- {
		d.inst(&d.fn.Code[i])
	}
	for i, t := range d.temps {
		if t && !d.entry[i] {
			d.entry[i], d.more = true, true
		}
	}
}

// inst adds the operands of an instruction to the set if its result or its effect decides.
func (d *decisions) inst(in *ir.Inst) {
	wide := in.Size == 16 && in.Op == ir.Atomic
	hit := d.hit(in.Dst, in.Dst2) || wide && in.Dst != 0 && d.hit(in.Dst+1)
	if in.Guard == 0 && (in.Op.Pure() || in.Op == ir.Load || in.Op == ir.Splat || in.Op == ir.Clock) && d.fn.Val(in.Dst).Kind == ir.Temp {
		clear(d.words(in.Dst)) // before this instruction the words hold another value
	}
	switch {
	case in.Flags&ir.Undefined != 0:
	// A rendezvous: guard and membermask decide which lanes go on. The values count if any lane uses a
	// result that decides.
	case in.Op.Meets():
		d.need(in.Guard, in.Args[3])
		var src []ir.Ref
		if in.Op == ir.Collective {
			c := &d.fn.Collectives[in.Imm]
			d.need(in.Args[:]...)
			hit, src = hit || d.hit(c.Dst...), c.Src
		}
		if hit && !d.crosses {
			d.crosses, d.more = true, true
		}
		if d.crosses { // lanes may bring a value at one instruction that lanes at another one receive
			d.need(in.Args[:]...)
			d.need(src...)
		}
		return
	case in.Op.EndsBlock(), in.Op == ir.Load, in.Op == ir.Store, in.Op == ir.Atomic, in.Op == ir.Fail, in.Op == ir.HostCall, in.Op == ir.Bulk, in.Op == ir.Tensor:
		hit = true
	}
	if !hit {
		return
	}
	d.clock = d.clock || in.Op == ir.Clock
	d.need(in.Guard)
	d.need(in.Args[:]...)
	if in.Op == ir.Tensor {
		d.need(d.fn.Listed(in)...)
	}
	if wide {
		for _, a := range in.Args[1:3] {
			if a != 0 {
				d.need(a + 1)
			}
		}
	}
}
