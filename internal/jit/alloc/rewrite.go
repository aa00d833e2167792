package alloc

import (
	"fmt"
	"math/bits"
	"slices"

	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// Stats counts the instructions and operands that the allocator added or removed.
type Stats struct {
	Loads, Stores int // loads from slots and the pool, and stores to slots
	Folded        int // operands of other instructions that became memory operands
	Copies        int // copies of a place to itself, removed
	Constants     int // loads of constants at entries
	Borrowed      int // registers saved and restored around an instruction
}

// A rewriter writes the list with machine registers.
//
// Input: the list, and the place of each virtual register.
// Output: a list in which every operand is a machine register or memory.
// Invariant: scratch and borrowed registers hold a value for one instruction only.
// Example: vaddps v3, v1, v2 with v2 in slot 64 and v3 in slot 128 becomes vaddps ymm15,
// ymm1, [rbx+64]; vmovdqu [rbx+128], ymm15.
type rewriter struct {
	mem   *Scratch
	fn    *lir.Func
	where []x64.Reg
	slot  []int32
	uses  []use
	out   []x64.Inst
	tier  isa.Tier
	stats Stats
	extra int // estimated number of loads and stores

	// For the current instruction: the number of scratch registers in use, by class, and the
	// register into which each operand in memory was loaded.
	used   [4]int
	loaded [8]struct{ v, r x64.Reg }
	n      int
	in     *x64.Inst
	lent   []x64.Reg // registers borrowed for the instruction; their values wait at free
	most   int       // the largest number of registers that were borrowed at a time
	free   int32     // frame offset after the slots
	// stays are the stays that have not begun. During a stay, where holds its register; open
	// lists those.
	stays []stay
	open  []stay
	// longest is the number of bytes of the longest vector register.
	longest uint8
	at      int
	err     error
}

// entryLoad is a constant to be loaded after an instruction; -1: before the first.
type entryLoad struct {
	at int32
	v  int32
}

// entryLoads lists the loads of constants that have registers: one at each entry at which
// they live.
func entryLoads(fn *lir.Func, a *assigner, entries []int32) []entryLoad {
	list := a.mem.entryLoads[:0]
	for _, v := range a.u.order {
		if fn.VRegs[v].Const == 0 || a.where[v] == 0 {
			continue
		}
		for _, s := range a.r.of(v) {
			if s.from == 0 && (len(entries) == 0 || entries[0] > 0) {
				list = append(list, entryLoad{-1, v})
			}
			i, _ := slices.BinarySearch(entries, s.from/2)
			for ; i < len(entries) && 2*entries[i] < s.to; i++ {
				list = append(list, entryLoad{entries[i], v})
			}
		}
	}
	a.mem.entryLoads = list
	slices.SortStableFunc(list, func(x, y entryLoad) int { return int(x.at - y.at) })
	return list
}

// all rewrites the list.
func (w *rewriter) all(loads []entryLoad) error {
	// The capacity includes the routines that the engine appends. All output goes to one list
	// that the next allocation reuses.
	w.out = slices.Grow(w.mem.out[:0], len(w.fn.Code)+w.extra+len(loads)+160)
	constants := func(at int32) {
		for len(loads) > 0 && loads[0].at == at {
			v := x64.Virtual + x64.Reg(loads[0].v)
			w.load(w.where[loads[0].v], v)
			w.stats.Loads--
			w.stats.Constants++
			loads = loads[1:]
		}
	}
	constants(-1)
	for i := range w.fn.Code {
		w.at = i
		// Stays begin before the instruction and end after it.
		if len(w.stays) > 0 && w.stays[0].from == int32(i) {
			w.arrive(int32(i))
		}
		if !w.direct(&w.fn.Code[i]) {
			w.inst(&w.fn.Code[i])
		}
		if len(w.open) > 0 {
			w.storeAfter(int32(i))
		}
		if w.err != nil {
			return w.err
		}
		constants(int32(i))
	}
	return nil
}

// arrive begins the stays that begin at instruction i.
func (w *rewriter) arrive(i int32) {
	for len(w.stays) > 0 && w.stays[0].from == i {
		s := w.stays[0]
		w.stays = w.stays[1:]
		// A stay that begins with a definition needs no load.
		if s.load {
			w.load(s.reg, x64.Virtual+x64.Reg(s.v))
		}
		w.where[s.v] = s.reg
		w.open = append(w.open, s)
	}
}

// storeAfter stores the values that are to be stored after instruction i, and ends the stays
// that end there.
func (w *rewriter) storeAfter(i int32) {
	for k := 0; k < len(w.open); {
		s := &w.open[k]
		if s.store == i {
			w.store(x64.Virtual+x64.Reg(s.v), s.reg)
		}
		if s.to != i {
			k++
			continue
		}
		w.where[s.v] = 0
		// The order of open stays does not matter.
		w.open[k] = w.open[len(w.open)-1]
		w.open = w.open[:len(w.open)-1]
	}
}

// fail records the first error.
func (w *rewriter) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("alloc: instruction %d: %s", w.at, fmt.Sprintf(format, args...))
	}
}

// reg returns the machine register of r; 0 if r is in memory.
func (w *rewriter) reg(r x64.Reg) x64.Reg {
	if r < x64.Virtual {
		return r
	}
	return w.where[r-x64.Virtual]
}

// memory returns the memory operand of r, which has no register.
func (w *rewriter) memory(r x64.Reg) x64.Mem {
	v := r - x64.Virtual
	if c := w.fn.VRegs[v].Const; c != 0 {
		return x64.Mem{Pool: c}
	}
	return x64.Mem{Base: x64.RBX, Disp: w.slot[v]}
}

// size returns the number of bytes of r in memory.
func (w *rewriter) size(r x64.Reg) uint8 { return w.fn.VRegs[r-x64.Virtual].Len }

// load loads register v from memory.
func (w *rewriter) load(to, v x64.Reg) { w.loadPart(to, v, w.size(v)) }

// loadPart loads length bytes of register v from memory.
func (w *rewriter) loadPart(to, v x64.Reg, length uint8) {
	in := x64.Inst{Len: length, HasMem: true, Dst: to, M: w.memory(v)}
	switch w.fn.VRegs[v-x64.Virtual].Class {
	case x64.GPR:
		in.Op = x64.MOV
	case x64.Vec:
		in.Op = x64.VMOVDQU
	default:
		in.Op, in.Len = x64.KMOVQ, 8
	}
	w.out = append(w.out, in)
	w.stats.Loads++
}

// store stores a machine register to the slot of v.
func (w *rewriter) store(v, from x64.Reg) {
	in := x64.Inst{Len: w.size(v), HasMem: true, B: from, M: w.memory(v)}
	switch w.fn.VRegs[v-x64.Virtual].Class {
	case x64.GPR:
		in.Op = x64.MOVSt
	case x64.Vec:
		in.Op = x64.VMOVDQUSt
	default:
		in.Op, in.Len = x64.KMOVQSt, 8
	}
	w.out = append(w.out, in)
	w.stats.Stores++
}

// scratch returns a scratch register of a class that the instruction does not use yet.
func (w *rewriter) scratch(c x64.Class) x64.Reg {
	s := scratch(w.tier, c)
	if w.used[c] >= len(s) {
		return w.borrow(c)
	}
	w.used[c]++
	return s[w.used[c]-1]
}

// borrow returns a register of a class that the instruction does not name. It is saved here
// and restored after the instruction.
func (w *rewriter) borrow(c x64.Class) x64.Reg {
	may := registers(w.tier, c)
	var ops lir.Operands
	ops.Of(w.in)
	for _, o := range ops.Slice() {
		if r := w.reg(o.Reg); r != 0 {
			may &^= bit(r)
		}
	}
	for _, r := range w.lent {
		may &^= bit(r)
	}
	info := w.in.Op.Info()
	// Registers that the instruction uses without naming them must not be borrowed either.
	for n := range x64.Reg(16) {
		if (info.Uses|info.Defs)>>n&1 != 0 {
			may &^= bit(x64.RAX + n)
		}
	}
	r := x64.Reg(bits.Len64(uint64(may))) - 1
	w.lent = append(w.lent, r)
	w.most = max(w.most, len(w.lent))
	w.stats.Borrowed++
	w.out = append(w.out, w.keep(len(w.lent)-1, true))
	return r
}

// keep returns the instruction that saves the i-th borrowed register, or restores it.
func (w *rewriter) keep(i int, save bool) x64.Inst {
	r := w.lent[i]
	in := x64.Inst{Len: 8, HasMem: true, M: x64.Mem{Base: x64.RBX, Disp: w.free + 64*int32(i)}}
	load, store := x64.MOV, x64.MOVSt
	switch x64.ClassOf(r) {
	case x64.Vec:
		in.Len = w.longest
		load, store = x64.VMOVDQU, x64.VMOVDQUSt
	case x64.Mask:
		load, store = x64.KMOVQ, x64.KMOVQSt
	}
	if save {
		in.Op, in.B = store, r
	} else {
		in.Op, in.Dst = load, r
	}
	return in
}

// read returns the machine register that holds operand r for the instruction.
func (w *rewriter) read(r x64.Reg) x64.Reg {
	if m := w.reg(r); m != 0 || r == 0 {
		return m
	}
	// An operand that is named twice is loaded once.
	for _, l := range w.loaded[:w.n] {
		if l.v == r {
			return l.r
		}
	}
	if w.n == len(w.loaded) {
		w.fail("too many operands in memory")
		return 0
	}
	s := w.scratch(w.fn.VRegs[r-x64.Virtual].Class)
	w.load(s, r)
	w.loaded[w.n].v, w.loaded[w.n].r = r, s
	w.n++
	return s
}

// folds reports whether operand r of the instruction can be a memory operand.
func (w *rewriter) folds(in *x64.Inst, info *x64.Info, r x64.Reg) bool {
	// An instruction has at most one memory operand, and none with embedded rounding.
	if in.HasMem || in.RC != x64.Current || w.reg(r) != 0 || r == 0 || info.MemEVEX && w.tier != isa.AVX512 {
		return false
	}
	size := int(w.size(r))
	if c := w.fn.VRegs[r-x64.Virtual].Const; c != 0 {
		size = int(w.fn.Pool[c-1].Len)
	}
	return info.MemSize.Of(in.Len) <= size && !lir.Aligned(in.Op)
}

// direct writes an instruction in the frequent case that all operands have machine registers.
// It reports whether it did; inst handles the other cases.
func (w *rewriter) direct(in *x64.Inst) bool {
	if !lir.Plain(in) {
		return false
	}
	n := len(w.out)
	w.out = append(w.out, *in)
	c := &w.out[n]
	if w.give(&c.Dst) && w.give(&c.A) && w.give(&c.B) && w.give(&c.C) && w.give(&c.K) &&
		(!in.HasMem || w.give(&c.M.Base) && w.give(&c.M.Index)) {
		return true
	}
	w.out = w.out[:n]
	return false
}

// give replaces a register by its machine register, and reports whether it has one.
func (w *rewriter) give(r *x64.Reg) bool {
	if *r >= x64.Virtual {
		*r = w.where[*r-x64.Virtual]
		return *r != 0
	}
	return true
}

// inst writes one instruction, with loads before it and stores after it.
func (w *rewriter) inst(in *x64.Inst) {
	info := in.Op.Info()
	switch {
	case in.Op == x64.LABEL || in.Op == x64.ENTRY || in.Op == x64.COLD || in.Op == x64.HOT:
		w.out = append(w.out, *in)
		return
	// STATE, UNDEF and EDGE have done their work; a move may need no instruction.
	case info.Pseudo || lir.IsMove(in) && w.move(in):
		return
	}
	// The lowest elements of a vector in memory can be loaded directly.
	if n := lir.Lowest(in); n > 0 && w.reg(in.Dst) != 0 && w.reg(in.B) == 0 && w.fn.VRegs[in.B-x64.Virtual].Const == 0 {
		w.out = append(w.out, x64.Inst{Op: x64.MOV, Len: n, Dst: w.reg(in.Dst), HasMem: true, M: w.memory(in.B)})
		w.stats.Folded++
		return
	}
	// From here on operands may need scratch registers.
	w.used, w.n, w.in = [4]int{}, 0, in
	c := *in
	if in.HasMem {
		w.address(&c)
	}
	// An idiom reads no value, so any register will do as its source.
	if lir.Idiom(in) {
		c.Dst = w.reg(in.Dst)
		if c.Dst == 0 {
			c.Dst = w.scratch(w.fn.VRegs[in.Dst-x64.Virtual].Class)
		}
		if info.A != x64.NoClass {
			c.A = c.Dst
		}
		c.B = c.Dst
		w.out = append(w.out, c)
		if w.reg(in.Dst) == 0 {
			w.store(in.Dst, c.Dst)
		}
		return
	}
	w.sources(in, info, &c)
	w.dests(in, info, &c)
	for i := range w.lent {
		w.out = append(w.out, w.keep(i, false))
	}
	w.lent = w.lent[:0]
}

// isNumber reports whether r is a constant float of size bytes that is not a NaN. Then the
// order of two operands does not matter.
func (w *rewriter) isNumber(r x64.Reg, size uint8) bool {
	if r < x64.Virtual || w.fn.VRegs[r-x64.Virtual].Const == 0 {
		return false
	}
	// Shifting out the sign, a number is a NaN if it is above infinity.
	c := &w.fn.Pool[w.fn.VRegs[r-x64.Virtual].Const-1]
	switch {
	case c.Size != size:
	case size == 4:
		return c.Bits<<33 <= 0x7f800000<<33
	case size == 8:
		return c.Bits<<1 <= 0x7ff0000000000000<<1
	}
	return false
}

// sources replaces the operands that the instruction reads, except Dst.
func (w *rewriter) sources(in *x64.Inst, info *x64.Info, c *x64.Inst) {
	// If only the first source is in memory, and the sources commute, exchange them: the
	// second one can be a memory operand.
	if info.Commutes && (!in.Ordered || w.isNumber(in.A, info.Bcst)) && !info.DstRead && info.BMem && info.MemSize == x64.Full && !in.HasMem &&
		w.reg(in.A) == 0 && w.reg(in.B) != 0 {
		other := *in
		other.A, other.B = in.B, in.A
		in, c.A, c.B = &other, in.B, in.A
	}
	// At most one operand can be in memory.
	foldA := false
	switch {
	case info.B != x64.NoClass && info.BMem && !info.BWrite && in.B != in.A && w.folds(in, info, in.B):
		c.B, c.HasMem, c.M = 0, true, w.memory(in.B)
		w.stats.Folded++
	case info.A != x64.NoClass && info.AMem && !info.AWrite && in.B != in.A && w.folds(in, info, in.A):
		c.A, c.HasMem, c.M = 0, true, w.memory(in.A)
		w.stats.Folded++
		foldA = true
	}
	if in.A != 0 && !info.AWrite && !foldA {
		c.A = w.read(in.A)
	}
	if c.B != 0 {
		c.B = w.read(in.B)
	}
	if in.C != 0 {
		c.C = w.read(in.C)
	}
	if in.K != 0 {
		c.K = w.read(in.K)
	}
}

// dests replaces the operands that the instruction writes, and appends it with the stores
// after it.
func (w *rewriter) dests(in *x64.Inst, info *x64.Info, c *x64.Inst) {
	if in.Dst != 0 {
		c.Dst = w.reg(in.Dst)
		if c.Dst == 0 {
			// A destination that is also a source must be loaded first.
			if lir.DstRole(in, info)&lir.Read != 0 {
				c.Dst = w.read(in.Dst)
			} else {
				c.Dst = w.target(in.Dst, info.BWrite)
			}
		}
	}
	if info.AWrite && in.A != 0 {
		c.A = w.reg(in.A)
		if c.A == 0 {
			c.A = w.target(in.A, true)
		}
	}
	w.out = append(w.out, *c)
	if in.Dst != 0 && w.reg(in.Dst) == 0 {
		w.store(in.Dst, c.Dst)
	}
	// Results in memory are stored in the order of the operands.
	if info.AWrite && in.A != 0 && w.reg(in.A) == 0 {
		w.store(in.A, c.A)
	}
	if info.BWrite && in.B != 0 && w.reg(in.B) == 0 {
		w.store(in.B, c.B)
	}
	if info.KWrite && in.K != 0 && w.reg(in.K) == 0 {
		w.store(in.K, c.K)
	}
}

// target returns a scratch register for a result that goes to memory. If alone is set, no
// source is in it; if not, it may be a register into which a source was loaded.
func (w *rewriter) target(r x64.Reg, alone bool) x64.Reg {
	class := w.fn.VRegs[r-x64.Virtual].Class
	if s := scratch(w.tier, class); w.used[class] >= len(s) && !alone {
		return s[0]
	}
	return w.scratch(class)
}

// address replaces the registers of the memory operand. If base and index are both in memory,
// their sum is computed in one scratch register, so that the other remains for the operands.
func (w *rewriter) address(c *x64.Inst) {
	m := &c.M
	base, index := w.reg(m.Base), w.reg(m.Index)
	// A vector index cannot be part of a sum in a general register.
	vector := m.Index >= x64.Virtual && w.fn.VRegs[m.Index-x64.Virtual].Class == x64.Vec
	if m.Base != 0 && m.Index != 0 && base == 0 && index == 0 && !vector {
		s := scratch(w.tier, x64.GPR)
		w.load(s[0], m.Base)
		w.load(s[1], m.Index)
		w.used[x64.GPR] = 1
		sum := *m
		sum.Base, sum.Index, sum.Bcst = s[0], s[1], false
		w.out = append(w.out, x64.Inst{Op: x64.LEA, Len: 8, HasMem: true, Dst: s[0], M: sum})
		m.Base, m.Index, m.Scale, m.Disp = s[0], 0, 0, 0
		return
	}
	m.Base, m.Index = w.read(m.Base), w.read(m.Index)
}

// move writes a copy as a load, as a store, or not at all. It reports false if the copy needs
// an instruction: between two registers, or of fewer bytes than the registers have.
func (w *rewriter) move(in *x64.Inst) bool {
	d, s := w.reg(in.Dst), w.reg(in.B)
	// A short copy leaves the upper bytes of the destination unchanged; only a 4-byte move to
	// a register clears them.
	short := in.Dst >= x64.Virtual && in.Len < w.size(in.Dst)
	if short && !(in.Op == x64.MOV && in.Len == 4 && d != 0) { // which clears the rest
		return false
	}
	whole := in.Dst >= x64.Virtual && in.B >= x64.Virtual && (in.Len >= w.size(in.B) || in.Len == 4 && !w.uses[in.B-x64.Virtual].high)
	switch {
	case whole && d == s && d != 0, whole && d == 0 && s == 0 && w.memory(in.Dst) == w.memory(in.B):
		w.stats.Copies++
	case d != 0 && s != 0:
		return false
	case d != 0:
		w.loadPart(d, in.B, min(in.Len, w.size(in.B)))
	case s != 0:
		w.store(in.Dst, s)
	default:
		// From memory to memory through a scratch register.
		t := scratch(w.tier, w.fn.VRegs[in.Dst-x64.Virtual].Class)[0]
		w.loadPart(t, in.B, min(in.Len, w.size(in.B)))
		w.store(in.Dst, t)
	}
	return true
}
