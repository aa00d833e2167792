package alloc

import (
	"fmt"
	"math"

	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// An occurrence is the use of a register by one instruction: the instruction's index, the
// flag named, and the bits of lir.Role.
type occurrence uint32

const (
	roleBits = 4
	// named reports that the instruction itself has the register as an operand. The registers
	// of a STATE are occurrences without it.
	named   occurrence = 1 << roleBits
	atShift            = roleBits + 1
)

// occurs returns the occurrence at an instruction in a role.
func occurs(at int, role lir.Role) occurrence { return occurrence(at<<atShift) | occurrence(role) }

func (o occurrence) at() int32      { return int32(o >> atShift) }
func (o occurrence) role() lir.Role { return lir.Role(o & (1<<roleBits - 1)) }

// defines reports whether the register gets a new value that does not depend on the old one.
func (o occurrence) defines() bool { return o.role()&(lir.Read|lir.Write) == lir.Write }

// start and end return the positions from and up to which this occurrence alone needs the
// register's place. A register that is read must have its place directly after the
// instruction before.
func (o occurrence) start() int32 {
	if o.role()&lir.Read != 0 {
		return max(2*o.at()-1, 0)
	}
	return 2*o.at() + 1
}

func (o occurrence) end() int32 {
	if o.role()&lir.Write != 0 {
		return 2*o.at() + 2
	}
	return 2*o.at() + 1
}

// cost returns the cost of the occurrence if the register is in a slot. Go reads a slot as it
// reads a register, so a state costs nothing.
func (o occurrence) cost() float32 {
	if o&named == 0 {
		return 0
	}
	return costs[o.role()]
}

// uses holds the occurrences of the virtual registers.
//
// Input: the list of instructions and its blocks.
// Output: by register its occurrences in the order of the code, its cost in a slot, and its
// frequency.
// Invariant: a register has at most one occurrence per instruction; roles are or-ed.
// Example: add v1, v1, v2 gives v1 one occurrence with Read|Write, and v2 one with Read|Fold.
type uses struct {
	b     *lir.Blocks
	freq  []float32 // by block
	all   []use     // by virtual register
	list  []occurrence
	begun int32                      // the part of list that is in use
	order []int32                    // the virtual registers that occur, in the order of their first occurrences
	fixed *[x64.Virtual][]occurrence // of the machine registers that may be given away
	moves []int32                    // the instructions that copy whole vector registers
	// copies are 8-byte copies; whether their destination is high depends on the source.
	copies []int32
	looks  []uint64 // bits, by instruction: Go may look at registers there
}

// A use summarises the occurrences of a virtual register.
type use struct {
	from, to int32 // its part of uses.list
	// cost is the cost of a slot instead of a register: see costs. During collect it excludes
	// the last occurrence. top is the highest frequency of a block with an occurrence. Both
	// are 0 for a register that lives nowhere.
	cost, top float32
	block     int32 // the block of the last occurrence; before the first one, an upper bound of their number
	// moved is the register of which it is a copy, and moves the register that is a copy of
	// it; 0: none.
	moved, moves x64.Reg
	roles        lir.Role // of all occurrences, or-ed
	// blocks: it occurs in several blocks. regions: it occurs in several regions.
	blocks, regions bool
	// high reports that the upper four bytes of a general register may not be 0: an operation
	// that is not of four bytes writes it (Intel SDM volume 1, 3.4.1.1), or it is a constant
	// with upper bytes.
	high bool
}

func (u *uses) of(v int32) []occurrence { return u.list[u.all[v].from:u.all[v].to] }

// collect finds the occurrences.
func collect(m *Scratch, fn *lir.Func, b *lir.Blocks, freq []float32, may set) (*uses, error) {
	nv := len(fn.VRegs)
	u := &uses{b: b, freq: freq, fixed: &m.fixed, all: lir.Cleared(&m.uses, nv), order: lir.Cleared(&m.order, nv)[:0]}
	for v := range fn.VRegs {
		// A constant is high if its upper half is not 0.
		if g := &fn.VRegs[v]; g.Const != 0 && g.Class == x64.GPR && g.Len == 8 {
			c := &fn.Pool[g.Const-1]
			u.all[v].high = c.Size != 8 || c.Bits>>32 != 0
		}
	}
	u.looks = lir.Cleared(&m.looks, len(fn.Code)/64+1)
	u.copies, u.moves = m.copies[:0], m.moves[:0]
	for r := range u.fixed {
		u.fixed[r] = u.fixed[r][:0]
	}
	u.room(m, fn)
	if err := u.scan(fn, may); err != nil {
		return nil, err
	}
	u.spread(fn.Code)
	m.copies, m.moves = u.copies, u.moves
	return u, nil
}

// room allocates the occurrences, from an upper bound of their number per register.
func (u *uses) room(m *Scratch, fn *lir.Func) {
	total := 0
	count := func(r x64.Reg) {
		if v := int(r) - int(x64.Virtual); v >= 0 && v < len(u.all) {
			u.all[v].block++
			total++
		}
	}
	for _, r := range fn.StateRegs {
		count(r)
	}
	for i := range fn.Code {
		in := &fn.Code[i]
		count(in.Dst)
		count(in.A)
		count(in.B)
		count(in.C)
		count(in.K)
		count(in.M.Base)
		count(in.M.Index)
	}
	u.list = lir.Cleared(&m.list, total)
}

// scan visits the code once and records all occurrences.
func (u *uses) scan(fn *lir.Func, may set) error {
	var ops lir.Operands
	b, code := u.b, fn.Code
	for i := range code {
		in := &code[i]
		ops.Of(in)
		block := b.Of[i]
		switch in.Op {
		// The registers of a state must be in their places when Go looks.
		case x64.STATE:
			u.looks[i>>6] |= 1 << (i & 63)
			for _, r := range fn.State(in) {
				if v := int(r - x64.Virtual); v < 0 || v >= len(fn.VRegs) {
					return fmt.Errorf("alloc: instruction %d: no register %d", i, r)
				}
				u.add(int32(r-x64.Virtual), block, occurs(i, lir.Read))
			}
			continue
		case x64.CALLLabel:
			u.looks[i>>6] |= 1 << (i & 63)
		}
		for _, o := range ops.Slice() {
			if o.Reg < x64.Virtual {
				if o.Reg < 0 {
					return fmt.Errorf("alloc: instruction %d: no register %d", i, o.Reg)
				}
				// Reserved registers, for instance the frame, need no record.
				if may&bit(o.Reg) != 0 {
					u.fixed[o.Reg] = append(u.fixed[o.Reg], occurs(i, o.Role))
				}
				continue
			}
			v := int(o.Reg - x64.Virtual)
			if v >= len(fn.VRegs) {
				return fmt.Errorf("alloc: instruction %d: no register %d", i, o.Reg)
			}
			if o.Role&lir.Write != 0 {
				g := &fn.VRegs[v]
				if g.Const != 0 {
					return fmt.Errorf("alloc: instruction %d writes a constant", i)
				}
				if g.Class == x64.GPR {
					u.writes(in, i, o.Reg)
				}
			}
			u.add(int32(v), block, occurs(i, o.Role)|named)
		}
		if lir.Plain(in) {
			continue
		}
		if implicit := in.Op.Info(); implicit.Uses|implicit.Defs != 0 {
			u.addImplicit(i, implicit, may)
		}
		if lir.IsMove(in) {
			u.hint(i, in, fn)
		}
	}
	return nil
}

// writes records whether an instruction may set the upper four bytes of a general register.
func (u *uses) writes(in *x64.Inst, i int, r x64.Reg) {
	switch info := in.Op.Info(); {
	case r == in.Dst && info.DstSize.Of(in.Len) == 4:
	case r == in.Dst && in.Op == x64.MOV && in.B >= x64.Virtual:
		u.copies = append(u.copies, int32(i))
	default:
		u.all[r-x64.Virtual].high = true
	}
}

// spread propagates high through copies. After five rounds the remaining copies count as
// high.
func (u *uses) spread(code []x64.Inst) {
	for round := range 5 {
		changed := false
		for _, i := range u.copies {
			d, s := &u.all[code[i].Dst-x64.Virtual], &u.all[code[i].B-x64.Virtual]
			if !d.high && (s.high || round == 4) {
				d.high, changed = true, true
			}
		}
		if !changed {
			return
		}
	}
}

// add appends an occurrence of v in a block.
func (u *uses) add(v, block int32, o occurrence) {
	g := &u.all[v]
	if g.roles == 0 {
		u.order = append(u.order, v)
		// The first occurrence reserves the register's part of list; g.block holds its size
		// so far.
		g.from, g.to = u.begun, u.begun
		u.begun += g.block
		g.block = block
	} else {
		last := &u.list[g.to-1]
		if last.at() >= o.at() {
			*last |= o & (1<<atShift - 1) // one instruction names the register twice
			g.roles |= o.role()
			return
		}
		g.cost += last.cost() * u.freq[g.block]
		if block != g.block {
			g.blocks = true
			g.regions = g.regions || u.b.Region[block] != u.b.Region[g.block]
			g.block = block
		}
	}
	g.top = max(g.top, u.freq[block])
	g.roles |= o.role()
	u.list[g.to] = o
	g.to++
}

// looked reports whether Go may look at registers at an instruction from from on, before to.
func (u *uses) looked(from, to int32) bool {
	if from >= to {
		return false
	}
	first, last := from>>6, (to-1)>>6
	head, tail := ^uint64(0)<<(from&63), ^uint64(0)>>(63-(to-1)&63)
	if first == last {
		return u.looks[first]&head&tail != 0
	}
	for k := first + 1; k < last; k++ {
		if u.looks[k] != 0 {
			return true
		}
	}
	return u.looks[first]&head != 0 || u.looks[last]&tail != 0
}

// addImplicit records the machine registers that an instruction uses without naming them.
func (u *uses) addImplicit(i int, info *x64.Info, may set) {
	for n := range uint(16) {
		r := x64.RAX + x64.Reg(n)
		if may&bit(r) == 0 {
			continue
		}
		if info.Uses>>n&1 != 0 {
			u.fixed[r] = append(u.fixed[r], occurs(i, lir.Read))
		}
		if info.Defs>>n&1 != 0 {
			u.fixed[r] = append(u.fixed[r], occurs(i, lir.Write))
		}
	}
}

// hint records a move, so that both registers may get one place.
func (u *uses) hint(i int, in *x64.Inst, fn *lir.Func) {
	dst, src := in.Dst-x64.Virtual, in.B-x64.Virtual
	if dst >= 0 && u.all[dst].moved == 0 {
		u.all[dst].moved = in.B
	}
	if src >= 0 && u.all[src].moves == 0 {
		u.all[src].moves = in.Dst
	}
	if dst >= 0 && src >= 0 && fn.VRegs[dst].Class == x64.Vec {
		u.moves = append(u.moves, int32(i))
	}
}

// frequencies returns the frequency of each block: from the weights of the function, or from
// loops.
func frequencies(m *Scratch, fn *lir.Func, b *lir.Blocks) []float32 {
	f := lir.Cleared(&m.freq, b.Len())
	if len(fn.Weights) > 0 {
		w, now := 0, float32(1)
		for k := range f {
			for w < len(fn.Weights) && fn.Weights[w].At <= b.Start[k] {
				now = fn.Weights[w].Factor
				w++
			}
			f[k] = now
		}
	} else {
		loops(b, f)
	}
	for k := range f {
		// Cold code is out of line, for rare cases.
		if b.Cold[k] {
			f[k] /= 64
		}
		if !(f[k] > 1e-9) { // NaN, too
			f[k] = 1e-9
		}
		f[k] = min(f[k], 1e9)
	}
	return f
}

// loops estimates frequencies: a factor of eight for every loop around a block. A loop is the
// code between a jump back and its target.
func loops(b *lir.Blocks, f []float32) {
	depth := make([]int32, len(f)+1)
	for k := range f {
		// If several jumps lead back to one target, the last one ends the loop.
		last := int32(-1)
		for _, p := range b.Preds(int32(k)) {
			if p >= int32(k) && p != b.Hub {
				last = max(last, p)
			}
		}
		if last >= 0 {
			depth[k]++
			depth[last+1]--
		}
	}
	now := int32(0)
	for k := range f {
		now += depth[k]
		f[k] = float32(math.Ldexp(1, 3*int(min(now, 8))))
	}
}
