package alloc

import (
	"fmt"
	"io"
	"math/bits"
	"sync"

	"crosslane/internal/jit/lir"
	"crosslane/internal/jit/x64"
)

// Result is code on machine registers, and where the virtual ones are.
type Result struct {
	Code  []x64.Inst
	Frame int32 // bytes of the frame from lir.Func.Slots on that slots take
	Stats Stats

	mem    *Scratch
	fn     *lir.Func
	where  []x64.Reg
	slot   []int32
	ranges *ranges
	once   sync.Once
	index  []level
}

// A Place is where a virtual register is while it lives.
type Place struct {
	Reg  x64.Reg // a machine register, or 0:
	Slot int32   // an offset in the frame
	Pool int32   // or a constant of the pool, plus 1
}

// Place is where virtual register r is.
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

// A level of the index holds the ranges that are longer than half a part and not longer
// than one, by the parts of that many positions that they touch: one or two.
type level struct {
	shift uint
	from  []int32 // by part
	list  []int32 // indices of ranges
}

// LiveAt is the virtual registers that live just before instruction i of the original
// list: those that it or what comes behind it may read. It may be called by several
// goroutines.
func (r *Result) LiveAt(i int) []x64.Reg { return r.AppendLiveAt(nil, i) }

// AppendLiveAt is LiveAt, appended to a list.
func (r *Result) AppendLiveAt(live []x64.Reg, i int) []x64.Reg {
	r.once.Do(r.build)
	pos := int32(2 * i)
	for _, l := range r.index {
		part := pos >> l.shift
		if pos < 0 || int(part)+1 >= len(l.from) {
			continue
		}
		for _, x := range l.list[l.from[part]:l.from[part+1]] {
			if s := r.ranges.list[x]; s.from <= pos && pos < s.to {
				live = append(live, x64.Virtual+x64.Reg(r.ranges.owner[x]))
			}
		}
	}
	return live
}

// cut is n more zeros of the memory for indices.
func (m *Scratch) cut(n int) []int32 {
	from := len(m.index)
	if from+n > cap(m.index) {
		m.index, from = make([]int32, 0, 2*cap(m.index)+n), 0 // what was cut before stays
	}
	m.index = m.index[:from+n]
	s := m.index[from : from+n : from+n]
	clear(s)
	return s
}

// build makes the index: with a level for every order of length, a query looks at few
// ranges that it then does not name.
func (r *Result) build() {
	end := int32(2 * len(r.fn.Code))
	r.mem.index = r.mem.index[:0]
	top := bits.Len32(uint32(end)) + 1
	const bottom = 4
	var count [34]int
	at := func(s span) int { return max(bits.Len32(uint32(s.to-s.from-1)), bottom) }
	for _, s := range r.ranges.list {
		count[at(s)]++
	}
	for shift := bottom; shift <= top; shift++ {
		if count[shift] == 0 {
			continue
		}
		l := level{shift: uint(shift), from: r.mem.cut(int(end>>shift) + 3)}
		each := func(do func(part int32, x int)) {
			for x, s := range r.ranges.list {
				if at(s) == shift {
					for p := s.from >> shift; p <= (s.to-1)>>shift; p++ {
						do(p, x)
					}
				}
			}
		}
		each(func(p int32, _ int) { l.from[p+2]++ })
		for i := 2; i < len(l.from); i++ {
			l.from[i] += l.from[i-1]
		}
		l.list = r.mem.cut(int(l.from[len(l.from)-1]))
		each(func(p int32, x int) { l.list[l.from[p+1]] = int32(x); l.from[p+1]++ })
		r.index = append(r.index, l)
	}
}

// Print writes the places and ranges of the virtual registers.
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

// String is the place in the text of --dump.
func (p Place) String() string {
	switch {
	case p.Reg != 0:
		return lir.MachineName(p.Reg)
	case p.Pool != 0:
		return fmt.Sprintf("pool[%d]", p.Pool-1)
	}
	return fmt.Sprintf("frame+%d", p.Slot)
}
