package static

import (
	"math/rand/v2"

	"example.org/crosslane/internal/ir"
)

// An effect says how far bits that were never written spread.
type effect uint8

const (
	noEffect effect = iota // none: the values that are made of them are not read
	kept                   // stored in the lane's or the block's own memory, which keeps them as any other bits
	acts                   // used as an address, in a branch, in global memory, or in a value that lanes agree on
)

// maxFlow bounds the steps in which undefined bits are followed. Beyond it, the effect counts as acts.
const maxFlow = 1 << 12

// A flow follows undefined bits of values to their effect.
//
// Input: an operand no bit of which is defined (from).
// Output: the strongest effect that one of its bits has.
// Invariant: the bits of a result that depend on an operand are found by experiment: bits of the
// operand are flipped, package num computes the result, and the bits that ever change depend on the
// operand. Bits that an instruction ignores because of its constants (prmt's selector, lop3's table, x
// & 0, a shift beyond the width) are therefore ignored without a rule.
// Example: "b = a & 0xff; store.global b": only 8 bits of a reach the store; "b = a & 0" has no effect.
type flow struct {
	c       *checker
	readers map[id][]int32 // by definition: the indices in ssa.ops that read it
	phis    map[id][]int32 // by definition: the phis that it comes together in
	// hidden are registers that are read in ways which ssa.ops does not show.
	hidden map[ir.Ref]bool
}

// newFlow collects the readers of all definitions.
func newFlow(c *checker) *flow {
	w := &flow{c: c, readers: map[id][]int32{}, phis: map[id][]int32{}, hidden: map[ir.Ref]bool{}}
	for _, b := range c.g.order {
		bl := c.f.Blocks[b]
		for i := bl.Start; i < bl.End; i++ {
			in := &c.f.Code[i]
			for k := range opCount {
				switch d := c.s.ops[i*opCount+k]; {
				case d >= c.s.firstInst:
					w.readers[d] = append(w.readers[d], int32(i*opCount+k))
				case d == idTop && k < opGuard:
					w.hidden[in.Args[k]] = true
				}
			}
			switch {
			case in.Op == ir.Collective, in.Op == ir.Tensor:
				for _, r := range c.f.Listed(in) {
					w.hidden[r] = true
				}
			case in.Op == ir.Atomic && in.Size == 16:
				for _, r := range in.Args {
					w.hidden[r+1] = r != 0 // the high halves
				}
			}
		}
	}
	for k := range c.s.phis {
		p := &c.s.phis[k]
		if p.root != c.s.firstPhi+id(k) {
			continue
		}
		for _, d := range p.ops {
			w.phis[d] = append(w.phis[d], p.root)
		}
	}
	return w
}

// from returns the effect of operand k of instruction i, no bit of which is defined.
func (w *flow) from(i, k int) effect {
	have := map[id]uint64{} // the bits of each value that depend on it
	type place struct {
		i, k int
		bits uint64
	}
	work := []place{{i, k, ^uint64(0)}}
	most := noEffect
	reach := func(d id, r ir.Ref, bits uint64) {
		if bits &^= have[d]; bits == 0 {
			return
		}
		have[d] |= bits
		if w.hidden[r] {
			most = acts
			return
		}
		// Phis pass the bits on, so their readers are readers, too.
		for list := []id{d}; len(list) > 0; {
			x := list[len(list)-1]
			list = list[:len(list)-1]
			for _, at := range w.readers[x] {
				work = append(work, place{int(at) / opCount, int(at) % opCount, have[x]})
			}
			for _, p := range w.phis[x] {
				if have[x]&^have[p] != 0 {
					have[p] |= have[x]
					list = append(list, p)
				}
			}
		}
	}
	for n := 0; len(work) > 0 && most != acts; n++ {
		if n > maxFlow {
			return acts
		}
		at := work[len(work)-1]
		work = work[:len(work)-1]
		most = max(most, w.step(at.i, at.k, at.bits, reach))
	}
	return most
}

// step follows bits of an operand through one instruction: it returns their effect, or calls reach with
// the bits of the results that depend on them.
func (w *flow) step(i, k int, bits uint64, reach func(d id, r ir.Ref, bits uint64)) effect {
	in := &w.c.f.Code[i]
	all := func() {
		if in.Dst != 0 {
			reach(w.c.s.result(i, 0), in.Dst, maskOf(w.c.f.Val(in.Dst).Type))
		}
		if in.Dst2 != 0 {
			reach(w.c.s.result(i, 1), in.Dst2, maskOf(w.c.f.Val(in.Dst2).Type))
		}
	}
	switch {
	case k == opOld:
		for n, r := range [2]ir.Ref{in.Dst, in.Dst2} {
			if r != 0 {
				reach(w.c.s.result(i, n), r, bits&maskOf(w.c.f.Val(r).Type))
			}
		}
	case in.Op.Pure() && k == opGuard:
		all()
	case in.Op.Pure():
		reach(w.c.s.result(i, 0), in.Dst, w.depends(i, k, bits))
	case in.Op == ir.Splat || in.Op == ir.LaneBit:
		all()
	case (in.Op == ir.ShflSync || in.Op == ir.Shfl) && k == 0:
		reach(w.c.s.result(i, 0), in.Dst, bits&maskOf(w.c.f.Val(in.Args[0]).Type))
	case (in.Op == ir.ShflSync || in.Op == ir.Shfl) && k < 3:
		all()
	case (in.Op == ir.VoteSync || in.Op == ir.Vote || in.Op == ir.MatchSync || in.Op == ir.ReduxSync) && k == 0:
		all()
	case in.Op == ir.Store && k == 1 && bits&(^uint64(0)>>(64-8*min(uint(in.Size), 8))) == 0:
	case in.Op == ir.Store && k == 1 && (in.Space == ir.Shared || in.Space == ir.Local || in.Space == ir.Param):
		return kept
	default:
		return acts
	}
	return noEffect
}

// flips is the number of experiments, each with other values of the operands.
const flips = 12

// depends returns the bits of the result of a pure operation that depend on bits of operand k. It may
// miss a dependence that no experiment shows, but not invent one.
func (w *flow) depends(i, k int, bits uint64) uint64 {
	in := &w.c.f.Code[i]
	info := &ir.Ops[in.Op]
	f := w.c.a.eval.of(in.Op)
	ops := w.c.s.ops[i*opCount : (i+1)*opCount]
	rnd := rand.New(rand.NewPCG(uint64(in.Op), uint64(k)))
	m := maskOf(info.Args[k])
	found := uint64(0)
	for n := range flips {
		var args [4]uint64
		for x := range info.Args {
			v := w.c.a.operand(i, x)
			// Operands that the analysis knows keep their value in all experiments.
			fixed, ok := v.constant()
			switch {
			case x != k && ok && ops[x] != idUndef:
				args[x] = fixed
			case n%4 == 0:
				args[x] = 0
			case n%4 == 1:
				args[x] = maskOf(info.Args[x])
			default:
				args[x] = rnd.Uint64() & maskOf(info.Args[x])
			}
			if x > 0 && (n == 4 || n == 5) && args[x] != fixed {
				args[x] &= 31 // amounts and positions are small
			}
		}
		for x := range info.Args {
			if ops[x] == ops[k] && in.Args[x] == in.Args[k] {
				args[x] = args[k] // x ^ x depends on nothing
			}
		}
		before := f(args)
		// Flip one undefined bit at a time; each changed bit of the result depends on it.
		for left := bits & m; left != 0; left &= left - 1 {
			flipped := args
			for x := range info.Args {
				if x == k || ops[x] == ops[k] && in.Args[x] == in.Args[k] {
					flipped[x] ^= left & -left
				}
			}
			found |= before ^ f(flipped)
		}
	}
	return found & maskOf(info.Res)
}
