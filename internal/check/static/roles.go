package static

import (
	"slices"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
)

// roles reports barriers of the whole block that only a part of its warps reaches, although each warp
// arrives as one: warps have different roles (warp specialisation). The barrier opens when the
// remaining warps have ended. It never opens if they wait for an event after it.
//
// Input: the values of the analysis and the single-assignment form.
// Output: a Note for a barrier that is controlled by a branch whose condition is equal in a warp but
// differs between warps, unless the other warps may execute a barrier of the same number.
// Example: "if warpid == 0 { bar.sync 0 }".
func (c *checker) roles() {
	if !c.a.w.likely || c.a.w.single || c.f.ReqBlock != [3]uint32{} && c.f.ReqBlock[0]*c.f.ReqBlock[1]*c.f.ReqBlock[2] <= 32 {
		return
	}
	var bars []int32
	for _, b := range c.g.order {
		if in := c.g.last(b); in.Op == ir.Bar && c.a.may[b] != 0 {
			bars = append(bars, b)
		}
	}
	if len(bars) == 0 {
		return
	}
	differs := c.betweenWarps()
	for _, b := range bars {
		i := c.f.Blocks[b].End - 1
		in := &c.f.Code[i]
		if in.Args[1] != 0 || ir.BarMode(in.Imm)&ir.BarModeMask == ir.BarArrive {
			continue // the number of lanes says which warps come
		}
		for x := int32(c.g.dom.Idom[b]); x >= 0; x = int32(c.g.dom.Idom[x]) {
			k := c.f.Blocks[x].End - 1
			last := &c.f.Code[k]
			if last.Guard == 0 || !c.g.controls(x, b) || !differs[c.s.ops[k*opCount+opGuard]] {
				continue
			}
			// A branch that may split a warp is left to the rule of divergent barriers.
			if g := c.a.operand(k, opGuard); !g.alike() {
				continue
			}
			if !c.elsewhere(x, b, in) {
				c.failedAt[i] = true
				d := c.report(i, diag.Note, codeDivergentBarrier, 0, "let all warps of the block come to it, or give the number of threads that do: bar.sync a, b",
					"only some warps of the block get here, and the other warps reach no barrier like it: it waits until they have ended")
				c.relate(d, k, "warps diverge here")
			}
			break
		}
	}
}

// elsewhere reports whether warps that a branch keeps away from the barrier in block b may reach a
// barrier of the same number before the two sides join.
func (c *checker) elsewhere(branch, b int32, in *ir.Inst) bool {
	number := func(in *ir.Inst, i int) (uint64, bool) {
		if in.Args[0] == 0 {
			return 0, true
		}
		v := c.a.operand(i, 0)
		return v.constant()
	}
	mine, ok := number(in, c.f.Blocks[b].End-1)
	if !ok {
		return true
	}
	end := int32(c.g.post.Idom[branch])
	seen := map[int32]bool{end: true}
	var list []int32
	visit := func(s int32) {
		if !seen[s] {
			seen[s] = true
			list = append(list, s)
		}
	}
	for _, s := range c.g.succ[branch] {
		if !c.g.dom.Dominates(int(s), int(b)) {
			visit(s)
		}
	}
	for len(list) > 0 {
		x := list[len(list)-1]
		list = list[:len(list)-1]
		if last := c.g.last(x); last.Op == ir.Bar && x != b {
			if n, ok := number(last, c.f.Blocks[x].End-1); !ok || n == mine {
				return true
			}
		}
		for _, s := range c.g.succ[x] {
			visit(s)
		}
	}
	return false
}

// chosen reports whether the operands of a phi that come from different sides of a branch differ.
func (c *checker) chosen(p *phi, branch int32) bool {
	first := id(-1)
	for n, e := range c.g.pred[p.block] {
		if n >= len(p.ops) || !c.g.dom.Dominates(int(branch), int(e.from)) {
			continue
		}
		if first >= 0 && p.ops[n] != first {
			return true
		}
		first = p.ops[n]
	}
	return false
}

// betweenWarps finds the definitions that may differ between warps of a block for a known reason:
// numbers of threads and warps, values loaded with them as address, atomics, and phis that select by a
// branch on one of these.
func (c *checker) betweenWarps() []bool {
	differs := make([]bool, len(c.a.vals))
	for _, in := range c.f.Inputs {
		switch in.Kind {
		case ir.ThreadIDX, ir.ThreadIDY, ir.ThreadIDZ, ir.WaveID:
			d := idFirst + id(in.Dst)
			if _, ok := c.a.vals[d].constant(); !ok {
				differs[d] = true
			}
		}
	}
	joins := map[int32][]int32{} // by block: the branches after which warps come together there
	for changed := true; changed; {
		changed = false
		mark := func(d id) {
			if !differs[d] {
				differs[d], changed = true, true
			}
		}
		for _, b := range c.g.order {
			for _, k := range c.s.phisOf[b] {
				p := &c.s.phis[k]
				// A phi differs if warps parted before it and it selects by their way.
				some := slices.ContainsFunc(joins[b], func(branch int32) bool { return c.chosen(p, branch) })
				for _, d := range p.ops {
					some = some || differs[d]
				}
				if some {
					mark(p.root)
				}
			}
			bl := c.f.Blocks[b]
			for i := bl.Start; i < bl.End; i++ {
				in := &c.f.Code[i]
				ops := c.s.ops[i*opCount : (i+1)*opCount]
				if in.Op == ir.Bra && in.Guard != 0 && differs[ops[opGuard]] {
					// Warps that part at this branch come together at its immediate postdominator.
					if end := int32(c.g.post.Idom[b]); end >= 0 && !slices.Contains(joins[end], b) {
						joins[end] = append(joins[end], b)
						changed = true
					}
				}
				if in.Dst == 0 && in.Dst2 == 0 || in.Op == ir.Bar {
					continue
				}
				// Atomics return another value to each warp.
				some := in.Op == ir.Atomic
				for k, d := range ops {
					some = some || differs[d] && !(in.Guard == 0 && k >= opGuard)
				}
				if !some {
					continue
				}
				for n, r := range [2]ir.Ref{in.Dst, in.Dst2} {
					if r != 0 {
						mark(c.s.result(i, n))
					}
				}
			}
		}
	}
	return differs
}
