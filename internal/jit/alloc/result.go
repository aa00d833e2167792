package alloc

import (
	"fmt"
	"io"

	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// Result is the code on machine registers, and the places of the virtual ones.
type Result struct {
	Code  []x64.Inst
	Frame int32 // bytes that slots take in the frame, from lir.Func.Slots on
	Stats Stats

	mem    *Scratch
	fn     *lir.Func
	u      *uses
	b      *lir.Blocks
	where  []x64.Reg
	slot   []int32
	ranges *ranges
}

// A Place is the place of a virtual register while it lives.
type Place struct {
	Reg  x64.Reg // a machine register, or 0:
	Slot int32   // a frame offset
	Pool int32   // or a constant of the pool, plus 1
}

// Place returns the place of virtual register v.
func (r *Result) Place(v x64.Reg) Place {
	i := v - x64.Virtual
	switch {
	case r.where[i] != 0:
		return Place{Reg: r.where[i]}
	case r.fn.VRegs[i].Const != 0:
		return Place{Pool: r.fn.VRegs[i].Const}
	}
	return Place{Slot: r.slot[i]}
}

// Registers returns the machine registers that hold values or that the code names: bit r is
// register r.
func (r *Result) Registers() uint64 {
	var s set
	// Registers that hold values, and those that the code names: scratch registers, for
	// instance.
	for _, m := range r.where {
		s |= bit(m)
	}
	for i := range r.Code {
		in := &r.Code[i]
		s |= bit(in.Dst) | bit(in.A) | bit(in.B) | bit(in.C) | bit(in.K) | bit(in.M.Base) | bit(in.M.Index)
	}
	return uint64(s &^ bit(x64.NoReg))
}

// LiveAt returns the virtual registers that are live just before instruction i of the
// original list: those that may be read from there on. Constants without a register are left
// out.
func (r *Result) LiveAt(i int) []x64.Reg {
	l := r.Live([]int{i})
	return l.regs
}

// Live holds the live registers before some instructions.
type Live struct {
	which []int32 // by instruction: how many of the requested instructions come before it
	from  []int32 // by requested instruction, and one more: its part of regs
	regs  []x64.Reg
}

// At returns the live registers before instruction i, which must have been requested.
func (l *Live) At(i int) []x64.Reg {
	k := l.which[i]
	return l.regs[l.from[k]:l.from[k+1]]
}

// pooled reports whether a virtual register is a constant that is always read from the pool.
func (r *Result) pooled(v int32) bool { return r.where[v] == 0 && r.fn.VRegs[v].Const != 0 }

// Live computes the live registers before some instructions, in any order. The result is
// valid until the next call or allocation.
func (r *Result) Live(at []int) *Live {
	m, n := r.mem, len(r.fn.Code)
	l := &Live{which: lir.Cleared(&m.which, n+2)}
	// which becomes a prefix sum: the number of requested instructions before each
	// instruction.
	for _, i := range at {
		l.which[i+1] = 1
	}
	for i := range n + 1 {
		l.which[i+1] += l.which[i]
	}
	points := int(l.which[n+1])
	l.from = lir.Cleared(&m.liveFrom, points+2)
	// An interval from from to to contains the instructions whose position, twice their
	// index, lies in it. The first loop counts them per instruction, the second one fills the
	// lists.
	count, crossing := l.from[1:], m.crossing[:0]
	for x, s := range r.ranges.list {
		from, to := l.which[(s.from+1)/2], l.which[(s.to+1)/2]
		if from == to || r.pooled(r.ranges.owner[x]) { // most intervals contain none
			continue
		}
		for k := from; k < to; k++ {
			count[k+1]++
		}
		crossing = append(crossing, int32(x))
	}
	m.crossing = crossing
	for k := range points {
		count[k+1] += count[k]
	}
	// The lists of all instructions share one array; count holds where each continues.
	l.regs = lir.Cleared(&m.liveRegs, int(count[points]))
	for _, x := range crossing {
		s := r.ranges.list[x]
		for k := l.which[(s.from+1)/2]; k < l.which[(s.to+1)/2]; k++ {
			l.regs[count[k]] = x64.Virtual + x64.Reg(r.ranges.owner[x])
			count[k]++
		}
	}
	return l
}

// Print writes the places and intervals of the virtual registers.
func (r *Result) Print(w io.Writer) {
	for i := range r.fn.VRegs {
		live := r.ranges.of(int32(i))
		if len(live) == 0 {
			continue
		}
		v := x64.Virtual + x64.Reg(i)
		fmt.Fprintf(w, "%-12s %-14s", r.fn.RegName(v), r.Place(v))
		for _, s := range live {
			fmt.Fprintf(w, " %d-%d", s.from/2, (s.to-1)/2)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%d bytes of slots, %+v\n", r.Frame, r.Stats)
}

// String returns the place as --dump shows it.
func (p Place) String() string {
	switch {
	case p.Reg != 0:
		return lir.MachineName(p.Reg)
	case p.Pool != 0:
		return fmt.Sprintf("pool[%d]", p.Pool-1)
	}
	return fmt.Sprintf("frame+%d", p.Slot)
}
