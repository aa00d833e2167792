package ptx

import (
	"math/bits"
	"slices"
)

// maxLiveBits bounds the memory of the analysis. In a larger function every register counts as
// live.
const maxLiveBits = 1 << 31

// A regSet is a set of registers by Reg.ID; nil is the set of all registers.
type regSet []uint64

func (s regSet) add(id int)  { s[id/64] |= 1 << (id % 64) }
func (s regSet) drop(id int) { s[id/64] &^= 1 << (id % 64) }

// each calls do for the members of a set of n registers.
func (s regSet) each(n int, do func(id int)) {
	if s == nil {
		for i := range n {
			do(i)
		}
		return
	}
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			do(64*i + bits.TrailingZeros64(w))
		}
	}
}

// liveAfter finds, for every call in a function, the registers whose values are used after it. The
// result may be too large, never too small: an instruction uses every register that it mentions,
// except destinations that it certainly writes.
//
// Input: the body of a function.
// Output: the live set after each call.
// Invariant: a register that is read before it is certainly written is in the set.
// Example: in `call f; add %r1, %r2, %r3; ret;` the set after the call is {%r2, %r3}.
// Literature: backward liveness analysis, iterated over the blocks to a fixed point.
func (c *checker) liveAfter(f *Body) map[*Instr]regSet {
	var code []*Instr
	at := make([]int, len(f.Labels)) // the instruction after a label
	var flatten func(b *Block)
	flatten = func(b *Block) {
		for _, s := range b.Stmts {
			switch s := s.(type) {
			case *Instr:
				code = append(code, s)
			case *Label:
				at[s.ID] = len(code)
			case *Block:
				flatten(s)
			}
		}
	}
	flatten(&f.Block)

	// A block ends before a label, and after an instruction that may jump.
	calls := 0
	start := map[int]bool{0: true}
	for _, i := range at {
		start[i] = true
	}
	for i, in := range code {
		if v := c.variant(in); v != nil && v.row.Do.inlines {
			calls++
		}
		if jumps, ends := c.leaves(in, nil); len(jumps) > 0 || ends {
			start[i+1] = true
		}
	}
	var cuts []int
	for i := range start {
		if i < len(code) {
			cuts = append(cuts, i)
		}
	}
	slices.Sort(cuts)
	words := (len(f.Regs) + 63) / 64
	result := map[*Instr]regSet{}
	if len(code) == 0 || words == 0 || 64*words*(2*len(cuts)+calls) > maxLiveBits {
		return result
	}
	blockAt := make(map[int]int, len(cuts))
	for b, i := range cuts {
		blockAt[i] = b
	}
	end := func(b int) int {
		if b+1 < len(cuts) {
			return cuts[b+1]
		}
		return len(code)
	}
	live := make([]regSet, len(cuts)) // at the start of blocks
	for b := range live {
		live[b] = make(regSet, words)
	}
	cur := make(regSet, words)
	// walk visits the instructions of a block backwards, starting from the set that is live after
	// it.
	walk := func(b int, visit func(in *Instr)) {
		clear(cur)
		last := code[end(b)-1]
		jumps, ends := c.leaves(last, at)
		for _, j := range jumps {
			if t, ok := blockAt[j]; ok {
				for i, w := range live[t] {
					cur[i] |= w
				}
			}
		}
		if !ends && b+1 < len(cuts) {
			for i, w := range live[b+1] {
				cur[i] |= w
			}
		}
		for i := end(b) - 1; i >= cuts[b]; i-- {
			if visit != nil {
				visit(code[i])
			}
			c.transfer(code[i], cur)
		}
	}
	for changed := true; changed; {
		changed = false
		for b := len(cuts) - 1; b >= 0; b-- {
			walk(b, nil)
			if !slices.Equal(cur, live[b]) {
				copy(live[b], cur)
				changed = true
			}
		}
	}
	for b := range cuts {
		walk(b, func(in *Instr) {
			if v := c.variant(in); v != nil && v.row.Do.inlines {
				result[in] = slices.Clone(cur)
			}
		})
	}
	return result
}

// leaves returns the targets of the jumps of an instruction, as indices from at (if at is nil, only
// their number counts), and reports in ends whether control never reaches the next instruction.
func (c *checker) leaves(in *Instr, at []int) (to []int, ends bool) {
	var operand func(o *Operand)
	operand = func(o *Operand) {
		if l := o.Label(); l != nil {
			if l.Dir != nil {
				for i := range l.Dir.Args {
					operand(&l.Dir.Args[i])
				}
			} else if at == nil {
				to = append(to, 0)
			} else if l.ID < len(at) {
				to = append(to, at[l.ID])
			}
		}
		for i := range o.List {
			operand(&o.List[i])
		}
	}
	for i := range in.Args {
		operand(&in.Args[i])
	}
	v := c.variant(in)
	return to, v != nil && v.row.Do.ends && in.Guard == nil
}

// transfer turns the set that is live after an instruction into the set that is live before it.
func (c *checker) transfer(in *Instr, live regSet) {
	v := c.variant(in)
	written := func(o *Operand) bool {
		return o.Kind == KindReg && o.Comp == "" && o.Reg() != nil
	}
	var dsts []*Operand
	if v != nil && in.Guard == nil {
		list := in.Args
		if v.row.Do.inlines {
			if len(list) > 0 && list[0].Kind == KindList {
				list = list[0].List
			} else {
				list = nil
			}
		} else {
			list = list[:min(len(list), len(v.ops))]
		}
		for i := range list {
			if v.row.Do.inlines || v.ops[i].dst {
				dsts = append(dsts, &list[i])
			}
		}
	}
	var sure []*Operand
	for _, d := range dsts {
		switch {
		case written(d):
			sure = append(sure, d)
		case d.Kind == KindVector || d.Kind == KindPair:
			for i := range d.List {
				if written(&d.List[i]) {
					sure = append(sure, &d.List[i])
				}
			}
		}
	}
	for _, o := range sure {
		live.drop(o.Reg().ID)
	}
	var use func(o *Operand)
	use = func(o *Operand) {
		if slices.Contains(sure, o) {
			return
		}
		if r := o.Reg(); r != nil {
			live.add(r.ID)
		}
		for i := range o.List {
			use(&o.List[i])
		}
	}
	for i := range in.Args {
		use(&in.Args[i])
	}
	if in.Guard != nil {
		use(&in.Guard.Reg)
	}
}
