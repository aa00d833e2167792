package static

import (
	"slices"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// unusedPredicate finds sums of the result of a shuffle and the lane's own value in which lanes without
// a source in range add their own value twice (PTX 9.7.9.6). Upwards (shfl.up) the sum is a scan; only
// the highest lane may be needed. Downwards (shfl.down) it is a reduction, in which only the lowest
// lane of a segment is right; the finding then needs a lane with a wrong sum that stores it.
func (c *checker) unusedPredicate(b int32, i int, in *ir.Inst, none lane.Mask) {
	mode := lane.ShflMode(in.Imm)
	if in.Dst == 0 || mode == lane.ShflIdx || mode == lane.ShflBfly || c.summed[i] {
		return
	}
	r := c.users()
	if in.Dst2 != 0 && len(r.of(c.s.result(i, 1))) > 0 {
		return
	}
	var u int
	found := false
	for _, k := range c.through(c.s.result(i, 0)) {
		x := &c.f.Code[k]
		if sums(x.Op) && x.Guard == 0 && x.Dst != 0 && (c.s.block[k] == b || len(c.g.succ[b]) == 1 && c.g.succ[b][0] == c.s.block[k]) {
			u, found = int(k), true
			break
		}
	}
	if !found {
		return
	}
	if mode == lane.ShflDown {
		c.wrongSum(i, u, none)
		return
	}
	// A select after it may leave the sum out.
	for _, k := range c.through(c.s.result(u, 0)) {
		switch y := &c.f.Code[k]; y.Op {
		case ir.Sel32, ir.SelF32, ir.Sel64:
			return
		default:
			if y.Guard != 0 {
				return
			}
		}
	}
	d := c.report(i, diag.Note, codeUnusedPredicate, none, "take the predicate of the shuffle (d|p) and add only where it is true",
		"%s no source in range, and %s the own value, which is added all the same", none.Do("has", "have"), verb(none, "gets", "get"))
	c.relate(d, u, "added here")
}

// maxSums bounds the sums that are followed from a shuffle to a store.
const maxSums = 64

// wrongSum follows a sum that is wrong in the lanes none, through further steps of a reduction, to a
// store of these lanes.
func (c *checker) wrongSum(i, u int, none lane.Mask) {
	shuffled := c.s.ops[i*opCount]
	own := func(k int) bool { return c.behind(c.s.ops[u*opCount+k]) == c.behind(shuffled) }
	if !own(0) && !own(1) {
		return // not a step of a reduction
	}
	steps := []int{i}
	list := []id{c.s.result(u, 0)}
	for n := 0; n < len(list); n++ {
		if n > maxSums {
			return
		}
		for _, k := range c.through(list[n]) {
			x := &c.f.Code[k]
			next := c.s.result(int(k), 0)
			switch {
			case x.Guard != 0 && x.Op != ir.Store:
			case sums(x.Op) && x.Dst != 0 && !slices.Contains(list, next):
				list = append(list, next)
			case x.Op == ir.ShflSync && lane.ShflMode(x.Imm) == lane.ShflDown && c.behind(c.s.ops[int(k)*opCount]) == list[n]:
				steps = append(steps, int(k))
			case x.Op == ir.Store && c.behind(c.s.ops[int(k)*opCount+1]) == list[n]:
				bad := none & c.at(c.s.block[k], int(k), x).must
				if bad == 0 {
					continue
				}
				if c.summed == nil {
					c.summed = map[int]bool{}
				}
				for _, s := range steps {
					c.summed[s] = true
				}
				d := c.report(i, diag.Note, codeUnusedPredicate, bad, "use shfl.sync.bfly if all lanes need the sum, or let only the lanes store it whose sources all were in range",
					"%s no source in range, %s the own value, and %s what it is added to", bad.Do("has", "have"), verb(bad, "gets", "get"), verb(bad, "stores", "store"))
				c.relate(d, u, "added here")
				c.relate(d, int(k), "stored here")
				return
			}
		}
	}
}

// sums reports whether an operation counts a value twice if it gets the value twice.
func sums(op ir.Op) bool {
	switch op {
	case ir.Add32, ir.AddF32, ir.AddF32Ftz, ir.Mul32, ir.MulF32, ir.MulF32Ftz, ir.Xor32:
		return true
	}
	return false
}

// copies reports whether an operation returns its argument unchanged.
func copies(in *ir.Inst) bool { return in.Op == ir.Mov32 && in.Guard == 0 }

// behind returns the value that a chain of copies started from.
func (c *checker) behind(d id) id {
	for range maxOrigin {
		k, ok := c.s.inst(d)
		if !ok || !copies(&c.f.Code[k]) {
			break
		}
		d = c.s.ops[k*opCount]
	}
	return d
}

// through returns the instructions that read a value or a copy of it.
func (c *checker) through(d id) []int32 {
	r := c.users()
	list := slices.Clone(r.of(d))
	for n := 0; n < len(list) && n < maxOrigin; n++ {
		if k := int(list[n]); copies(&c.f.Code[k]) {
			for _, o := range r.of(c.s.result(k, 0)) {
				if !slices.Contains(list, o) {
					list = append(list, o)
				}
			}
		}
	}
	return list
}

// readers lists the instructions that read each result: those that read id first + n are
// at[start[n]:start[n+1]].
type readers struct {
	first     id
	start, at []int32
}

// of returns the instructions that read a definition.
func (r *readers) of(d id) []int32 {
	n := d - r.first
	if n < 0 || int(n)+1 >= len(r.start) {
		return nil
	}
	return r.at[r.start[n]:r.start[n+1]]
}

// users builds the readers. A phi with many incoming edges contributes only its first operands.
func (c *checker) users() *readers {
	if c.readers != nil {
		return c.readers
	}
	r := &readers{first: c.s.firstInst, start: make([]int32, 2*len(c.f.Code)+2)}
	c.readers = r
	each := func(do func(d id, i int)) {
		for i := range c.f.Code {
			if c.g.rank[c.s.block[i]] < 0 {
				continue
			}
			for _, o := range c.s.ops[i*opCount : (i+1)*opCount] {
				if o >= c.s.firstInst && o < c.s.firstPhi {
					do(o, i)
				} else if p := c.s.phi(o); p != nil {
					for _, q := range p.ops[:min(len(p.ops), 8)] {
						if q >= c.s.firstInst && q < c.s.firstPhi {
							do(q, i)
						}
					}
				}
			}
		}
	}
	each(func(d id, _ int) { r.start[d-r.first+1]++ })
	for n := range r.start[1:] {
		r.start[n+1] += r.start[n]
	}
	r.at = make([]int32, r.start[len(r.start)-1])
	next := slices.Clone(r.start)
	each(func(d id, i int) {
		r.at[next[d-r.first]] = int32(i)
		next[d-r.first]++
	})
	return r
}
