package coarsen

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// This file finds out which waves of a coarsened body share a value.
//
// Input: the list of instructions and the shape of the block.
// Output: classes for every virtual register, word and group of instructions.
// Invariant: two waves are in one class of a register only if it has the same value in
// both at every use.
// Example: a block of 64 by 4 lanes has 8 waves of 32 lanes; two waves have the same
// tid.y, and four the same tid.x; code that depends on tid.y alone exists once for each
// pair.

// The analysis is a data flow over the list: classes only get finer, until nothing
// changes.

// classes is a partition of the waves by equal value: c[k] is the first wave that has
// the value of wave k. The zero value means that all waves have the same.
type classes [maxTogether]uint8

// apart is the partition in which no two waves have the same value.
func apart() (c classes) {
	for k := range c {
		c[k] = uint8(k)
	}
	return c
}

// differ reports whether some waves have different values.
func (c classes) differ() bool { return c != classes{} }

// leads reports whether wave k is the first of its class.
func (c *classes) leads(k int) bool { return int(c[k]) == k }

// count is the number of classes among the given number of waves.
func (c *classes) count(waves int) (n int) {
	for k := range waves {
		if c.leads(k) {
			n++
		}
	}
	return n
}

// and is the partition for a value that depends on two values: the coarsest common
// refinement.
func (c classes) and(d classes) classes {
	// If one value is equal in all waves, or both have the same classes, nothing gets
	// finer.
	if c == d || !d.differ() {
		return c
	}
	if !c.differ() {
		return d
	}
	var e classes
	for k := range e {
		for j := range k + 1 {
			if c[j] == c[k] && d[j] == d[k] {
				e[k] = uint8(j)
				break
			}
		}
	}
	return e
}

// vary computes the classes. It reports false if control goes different ways in
// different waves; then it has removed the block or the code there.
func (p *body) vary() bool {
	g := p.g
	p.varies, p.groups = make([]classes, len(g.Fn.VRegs)), make([]classes, len(p.list))
	seeds := p.seeds()
	copy(p.varies, seeds)
	p.wordOf = p.wordOf[:0]
	for _, w := range p.words {
		if p.always(w) {
			p.wordOf = append(p.wordOf, apart())
		} else {
			p.wordOf = append(p.wordOf, p.own(uint32(w), 8))
		}
	}
	joined := p.joined()
	now := make([]classes, len(p.varies)) // classes in the straight code before control joins, where a register may have several values in turn
	var t touches
	// Iterate to the fixed point: a loop feeds its registers back.
	for changed := true; changed; {
		changed = false
		clear(now)
		copy(now, seeds)
		for k := 0; k < len(p.list); {
			end := p.group(k)
			t.of(p, k, end)
			c := t.own
			for _, x := range t.list {
				switch {
				case x.id < 0:
					c = c.and(p.wordOf[^x.id])
				// Straight code: the register has the class of its last write.
				case k < joined:
					c = c.and(now[x.id])
				default:
					c = c.and(p.varies[x.id])
				}
			}
			for _, x := range t.list {
				if x.write && x.id >= 0 {
					now[x.id] = c
				}
			}
			for _, x := range t.list {
				if x.write {
					c = c.and(*p.there(x.id))
				}
			}
			for _, x := range t.list {
				if d := p.there(x.id); x.write && *d != c {
					*d, changed = c, true
				}
			}
			p.groups[k] = c
			k = end
		}
	}
	// Control must go the same way in all waves: a group that differs must not end in a
	// jump on which the waves cannot agree.
	fine := true
	for k := 0; k < len(p.list); {
		end := p.group(k)
		if p.groups[k].differ() {
			for _, i := range p.list[k:end] {
				in := &p.code[i]
				if in.Dst == abi.Counter || in.Op == x64.JMP || in.Op.Info().Jump && !p.gives(in.Label) && !p.branches(k, end) {
					fine = false
					p.remove(i)
				}
			}
		}
		k = end
	}
	return fine
}

// there is the partition of a virtual register, or of a word if id is negative.
func (p *body) there(id int32) *classes {
	if id < 0 {
		return &p.wordOf[^id]
	}
	return &p.varies[id]
}

// joined is the first place of the list at which control joins or out-of-line code
// lies. Code before it is executed once, in order, so registers may be tracked
// precisely.
func (p *body) joined() int {
	target := make([]bool, p.g.Fn.Labels+1)
	for _, i := range p.list {
		if in := &p.code[i]; p.leads[i] == 0 && in.Op.Info().Jump {
			target[in.Label] = true
		}
	}
	for k, i := range p.list {
		switch in := &p.code[i]; {
		case p.leads[i] != 0, in.Op == x64.COLD, in.Op == x64.HOT, in.Op == x64.LABEL && target[in.Label]:
			return k
		}
	}
	return len(p.list)
}

// touches are the reads and writes of a group: virtual registers by number, and words
// with copies by the complement of their number. own is the partition of the group's
// other inputs.
type touches struct {
	list []touch
	own  classes
}

// touch is one read or write.
type touch struct {
	id    int32
	write bool // it may be a read too
}

// of sets t to the reads and writes of the group from k to end.
func (t *touches) of(p *body, k, end int) {
	t.list, t.own = t.list[:0], classes{}
	var ops lir.Operands
	for _, i := range p.list[k:end] {
		if p.leads[i] != 0 {
			continue
		}
		in := &p.code[i]
		ops.Of(in)
		for _, o := range ops.Slice() {
			if o.Reg < x64.Virtual {
				continue
			}
			id := int32(o.Reg - x64.Virtual)
			if o.Role&lir.Read != 0 {
				t.list = append(t.list, touch{id, false})
			}
			if o.Role&lir.Write != 0 {
				t.list = append(t.list, touch{id, true})
			}
		}
		if !p.inFrame(in) {
			continue
		}
		// Frame slots are inputs: their classes come from the shape of the block.
		switch p.frame(in) {
		case frameOwn:
			t.own = t.own.and(p.own(p.frameRange(in)))
		case frameWord:
			t.list = append(t.list, touch{^int32(slices.Index(p.words, in.M.Disp&^7)), in.Op.Info().DstMem})
		}
	}
}

// own is the partition of the waves by their initial contents of a part of the frame: n
// bytes at from.
func (p *body) own(from, n uint32) (c classes) {
	g := p.g
	if p.bar >= 0 { // the waves have run, so nothing is known
		return apart()
	}
	lanes := uint64(g.Webs.IR.Lanes)
	bx, by, bz := uint64(g.Webs.Geom.Block[0]), uint64(g.Webs.Geom.Block[1]), uint64(g.Webs.Geom.Block[2])
	for _, x := range p.inputs(from, n) {
		// key is a pair of numbers that are equal in waves with equal values in all
		// lanes: see package sim for the numbering of threads.
		var key func(at uint64) [2]uint64
		switch x.Kind {
		// tid.x has the same lanes in two waves if they begin at the same column.
		case ir.ThreadIDX:
			key = func(at uint64) [2]uint64 { return [2]uint64{at % bx} }
		// tid.y is the same if the waves begin in the same row, and at the same column
		// unless rows are multiples of a wave.
		case ir.ThreadIDY:
			key = func(at uint64) [2]uint64 { return [2]uint64{at / bx % by, at % bx * min(bx%lanes, 1)} }
		case ir.ThreadIDZ:
			n := bx * by
			key = func(at uint64) [2]uint64 { return [2]uint64{at / n, at % n * min(n%lanes, 1)} }
		default:
			return apart()
		}
		// The partition must hold in every group of the block that may begin together.
		for n := bx * by * bz / lanes / uint64(p.waves); n > 0; n-- {
			first := (n - 1) * uint64(p.waves)
			var d classes
			for k := range d {
				d[k] = uint8(k)
				for j := range k {
					if k < p.waves && key((first+uint64(j))*lanes) == key((first+uint64(k))*lanes) {
						d[k] = uint8(j)
						break
					}
				}
			}
			c = c.and(d)
		}
	}
	return c
}

// frameRange is the part of the frame that an instruction reads: all lanes of a slot if
// the address has an index.
func (p *body) frameRange(in *x64.Inst) (from, n uint32) {
	if in.M.Index != 0 {
		return uint32(in.M.Disp), uint32(8 * p.g.Webs.IR.Lanes)
	}
	return uint32(in.M.Disp), uint32(max(in.Op.Info().MemSize.Of(in.Len), 1))
}

// inputs are the inputs in a part of the frame that differ between waves of a block.
func (p *body) inputs(from, n uint32) (list []ir.Input) {
	f := p.g.Webs.IR
	for _, x := range f.Inputs {
		switch x.Kind {
		case ir.ThreadIDX, ir.ThreadIDY, ir.ThreadIDZ, ir.WaveID, ir.WaveInfo, ir.StackTop:
			if v := f.Val(x.Dst); from < v.Off+v.Size(f.Lanes) && v.Off < from+n {
				list = append(list, x)
			}
		}
	}
	return list
}
