package alloc

import (
	"fmt"
	"math"
	"slices"

	"crosslane/internal/jit/lir"
	"crosslane/internal/jit/x64"
)

// An occurrence is a register's part in one instruction: the instruction's index and
// what lir.Role says, or-ed.
type occurrence uint32

const roleBits = 4

func (o occurrence) at() int32      { return int32(o >> roleBits) }
func (o occurrence) role() lir.Role { return lir.Role(o & (1<<roleBits - 1)) }

// defines reports whether the register has a new value that owes nothing to the old one.
func (o occurrence) defines() bool { return o.role()&(lir.Read|lir.Write) == lir.Write }

// start and end are the positions from and up to which the register's place is needed for
// the occurrence alone. What is read must have its place behind the instruction before.
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

// uses is where the virtual registers occur.
type uses struct {
	from, to []int32 // of each virtual register its part of list
	list     []occurrence
	order    []int32 // the virtual registers that occur, by first occurrence
	// moved and moves are, of each virtual register, the one (or machine register) that it
	// is a copy of, and the one that is a copy of it; 0: none.
	moved, moves []x64.Reg
	fixed        [x64.Virtual][]occurrence // of machine registers to be allocated
	// high says of general registers that their upper four bytes may not be 0: something
	// else than an operation of four bytes writes them (Intel SDM volume 1, 3.4.1.1).
	high   []bool
	copies []*x64.Inst // of eight bytes, of which that depends on the source
}

func (u *uses) of(v int32) []occurrence { return u.list[u.from[v]:u.to[v]] }

// read reports whether anything reads a register.
func (u *uses) read(v int32) bool {
	return slices.ContainsFunc(u.of(v), func(o occurrence) bool { return o.role()&lir.Read != 0 })
}

// collect finds the occurrences. Those in KEEPs count for the instruction behind.
func collect(m *Scratch, fn *lir.Func, b *lir.Blocks, may set) (*uses, error) {
	nv := len(fn.VRegs)
	ints := lir.Cleared(&m.ints, 3*nv+1)
	u := &uses{from: ints[: nv+1 : nv+1], to: ints[nv+1 : 2*nv+1 : 2*nv+1], order: ints[2*nv+1 : 2*nv+1]}
	regs := lir.Cleared(&m.regs, 2*nv)
	u.moved, u.moves = regs[:nv:nv], regs[nv:]
	u.high = lir.Cleared(&m.high, nv)
	u.copies = m.copies[:0]
	for r := range u.fixed {
		u.fixed[r] = m.fixed[r][:0]
	}
	var ops lir.Operands
	code := fn.Code
	// How often each occurs, at most.
	count := func(r x64.Reg) {
		if v := int(r) - int(x64.Virtual); v >= 0 && v < nv {
			u.from[v]++
		}
	}
	for i := range code {
		in := &code[i]
		count(in.Dst)
		count(in.A)
		count(in.B)
		count(in.C)
		count(in.K)
		count(in.M.Base)
		count(in.M.Index)
	}
	total := int32(0)
	for v := range nv {
		n := u.from[v]
		u.from[v], u.to[v] = total, total
		total += n
	}
	u.from[nv] = total
	u.list = lir.Cleared(&m.list, int(total))
	for i := range code {
		in := &code[i]
		ops.Of(in)
		at := i
		if in.Op == x64.KEEP {
			at = kept(code, b, i)
		}
		for _, o := range ops.Slice() {
			role := o.Role
			if o.Reg < x64.Virtual {
				if o.Reg < 0 {
					return nil, fmt.Errorf("alloc: instruction %d: no register %d", i, o.Reg)
				}
				if may&bit(o.Reg) != 0 {
					u.fixed[o.Reg] = append(u.fixed[o.Reg], occurrence(i<<roleBits)|occurrence(role))
				}
				continue
			}
			v := int(o.Reg - x64.Virtual)
			if v >= nv {
				return nil, fmt.Errorf("alloc: instruction %d: no register %d", i, o.Reg)
			}
			where := at
			if role&lir.Write != 0 {
				if fn.VRegs[v].Const != 0 {
					return nil, fmt.Errorf("alloc: instruction %d writes a constant", i)
				}
				where = i
				switch info := in.Op.Info(); {
				case o.Reg == in.Dst && info.DstSize.Of(in.Len) == 4:
				case o.Reg == in.Dst && in.Op == x64.MOV && in.B >= x64.Virtual:
					u.copies = append(u.copies, in)
				default:
					u.high[v] = true
				}
			}
			u.add(int32(v), where, role)
		}
		if implicit := in.Op.Info(); implicit.Uses|implicit.Defs != 0 {
			u.addImplicit(i, implicit, may)
		}
		if lir.IsMove(in) {
			u.hint(in.Dst, in.B)
		}
	}
	u.spread()
	m.fixed = u.fixed
	clear(u.copies)
	m.copies = u.copies[:0]
	return u, nil
}

// spread finds what is high by copies. Chains that run against the list for long are not
// followed to their end; what they copy then counts as high.
func (u *uses) spread() {
	for round := range 5 {
		changed := false
		for _, in := range u.copies {
			d, s := in.Dst-x64.Virtual, in.B-x64.Virtual
			if !u.high[d] && (u.high[s] || round == 4) {
				u.high[d], changed = true, true
			}
		}
		if !changed {
			return
		}
	}
}

// kept is where the registers that KEEP i names are read: at the next instruction of the
// block that is none.
func kept(code []x64.Inst, b *lir.Blocks, i int) int {
	for j := i + 1; j < len(code) && b.Of[j] == b.Of[i]; j++ {
		if code[j].Op != x64.KEEP {
			return j
		}
	}
	return i
}

func (u *uses) add(v int32, at int, role lir.Role) {
	end := u.to[v]
	if end > u.from[v] {
		if last := &u.list[end-1]; last.at() >= int32(at) {
			*last |= occurrence(role) // one instruction names it twice
			return
		}
	} else {
		u.order = append(u.order, v)
	}
	u.list[end] = occurrence(at<<roleBits) | occurrence(role)
	u.to[v] = end + 1
}

func (u *uses) addImplicit(i int, info *x64.Info, may set) {
	for n := range uint(16) {
		r := x64.RAX + x64.Reg(n)
		if may&bit(r) == 0 {
			continue
		}
		if info.Uses>>n&1 != 0 {
			u.fixed[r] = append(u.fixed[r], occurrence(i<<roleBits)|occurrence(lir.Read))
		}
		if info.Defs>>n&1 != 0 {
			u.fixed[r] = append(u.fixed[r], occurrence(i<<roleBits)|occurrence(lir.Write))
		}
	}
}

func (u *uses) hint(dst, src x64.Reg) {
	if dst >= x64.Virtual && u.moved[dst-x64.Virtual] == 0 {
		u.moved[dst-x64.Virtual] = src
	}
	if src >= x64.Virtual && u.moves[src-x64.Virtual] == 0 {
		u.moves[src-x64.Virtual] = dst
	}
}

// frequencies is how often each block runs.
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

// loops guesses frequencies: eight times for every loop around a block, a loop being what
// lies between a jump back and its target.
func loops(b *lir.Blocks, f []float32) {
	depth := make([]int32, len(f)+1)
	for k := range f {
		// Of several jumps back to one target the last makes the loop.
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
