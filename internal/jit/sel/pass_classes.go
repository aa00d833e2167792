package sel

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// Not all waves of a pass differ from all others in everything: in a block of 64 by 4 lanes
// two have the same rows, and four the same columns. What depends on the row alone is there
// once for both.

// classes says which waves of a pass have the same value: by wave, the first that has its. 0
// says that all have.
type classes [maxTogether]uint8

// apart is the classes if no two waves have the same value.
func apart() (c classes) {
	for k := range c {
		c[k] = uint8(k)
	}
	return c
}

func (c classes) differ() bool { return c != classes{} }

// leads reports whether wave k is the first of its class.
func (c *classes) leads(k int) bool { return int(c[k]) == k }

// count is how many classes there are of so many waves.
func (c *classes) count(waves int) (n int) {
	for k := range waves {
		if c.leads(k) {
			n++
		}
	}
	return n
}

// and is the classes of what depends on two values.
func (c classes) and(d classes) classes {
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

// vary finds out what differs between the waves. It reports false, and takes blocks or code
// out of the pass, if the way of control does.
func (p *coarsened) vary() bool {
	g := p.g
	p.varies, p.groups = make([]classes, len(g.fn.VRegs)), make([]classes, len(p.list))
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
	now := make([]classes, len(p.varies)) // what is the same before control comes together
	var t touches
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
	fine := true
	for k := 0; k < len(p.list); {
		end := p.group(k)
		if p.groups[k].differ() {
			for _, i := range p.list[k:end] {
				in := &p.code[i]
				if in.Dst == Counter || in.Op == x64.JMP || in.Op.Info().Jump && !p.gives(in.Label) && !p.branches(k, end) {
					fine = false
					p.remove(i)
				}
			}
		}
		k = end
	}
	return fine
}

// there is for which waves there is one register or copy of a word.
func (p *coarsened) there(id int32) *classes {
	if id < 0 {
		return &p.wordOf[^id]
	}
	return &p.varies[id]
}

// joined is the first place of the list where control comes together, or code lies aside.
// What comes before is done once, in order.
func (p *coarsened) joined() int {
	target := make([]bool, p.g.fn.Labels+1)
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

// touches is what the instructions of a group read and write: virtual registers, by number, and
// words that the pass has copies of, the complement of theirs. own is what differs beside that.
type touches struct {
	list []touch
	own  classes
}

type touch struct {
	id    int32
	write bool // it may read it, too
}

func (t *touches) of(p *coarsened, k, end int) {
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
		switch p.frame(in) {
		case frameOwn:
			t.own = t.own.and(p.own(p.frameRange(in)))
		case frameWord:
			t.list = append(t.list, touch{^int32(slices.Index(p.words, in.M.Disp&^7)), in.Op.Info().DstMem})
		}
	}
}

// own is which waves have the same in a part of the frame as it is when they begin.
func (p *coarsened) own(from, n uint32) (c classes) {
	g := p.g
	if p.bar >= 0 { // they have run
		return apart()
	}
	lanes := uint64(g.f.Lanes)
	bx, by, bz := uint64(g.s.Geom.Block[0]), uint64(g.s.Geom.Block[1]), uint64(g.s.Geom.Block[2])
	for _, x := range p.inputs(from, n) {
		// key is two numbers that are the same in waves with the same lanes: see package sim.
		var key func(at uint64) [2]uint64
		switch x.Kind {
		case ir.ThreadIDX:
			key = func(at uint64) [2]uint64 { return [2]uint64{at % bx} }
		case ir.ThreadIDY:
			key = func(at uint64) [2]uint64 { return [2]uint64{at / bx % by, at % bx * min(bx%lanes, 1)} }
		case ir.ThreadIDZ:
			n := bx * by
			key = func(at uint64) [2]uint64 { return [2]uint64{at / n, at % n * min(n%lanes, 1)} }
		default:
			return apart()
		}
		// The same in all groups: those of whole waves may begin together.
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

// part is what part of the frame an instruction reads.
func (p *coarsened) frameRange(in *x64.Inst) (from, n uint32) {
	if in.M.Index != 0 {
		return uint32(in.M.Disp), uint32(8 * p.g.f.Lanes)
	}
	return uint32(in.M.Disp), uint32(max(in.Op.Info().MemSize.Of(in.Len), 1))
}

// inputs are those in a part of the frame that differ between waves of a block.
func (p *coarsened) inputs(from, n uint32) (list []ir.Input) {
	f := p.g.f
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
