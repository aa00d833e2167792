package peephole

import (
	"slices"

	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// This file combines bitwise operations into vpternlog (AVX-512).
//
// Input: the list of selected instructions on virtual registers.
// Output: the same list with and, or, xor and andnot of vectors merged into ternary operations; an
// instruction that is not needed any more becomes a NOP.
// Invariant: at the end of each stretch of code without jumps or exits, every register that is read
// later holds the value that it held before the pass.
// Example: t = a & b; d = t | c, if t is read once, becomes d = a; d = vpternlog(d, b, c, 0xea).
// Literature: Cong and Ding, FlowMap: mapping logic to lookup tables (TCAD 1994).

// A node is a bitwise function of up to three vector registers: the one that an instruction
// computes, or the one that it and earlier instructions compute together, whose results are not
// read elsewhere.
type node struct {
	of    x64.Reg // the register with the result
	in    [3]x64.Reg
	n     int
	table uint8 // truth table by in[0], in[1], in[2], as ta, tb and tc
	at    int   // index of the instruction, plus 1; 0: none
	len   uint8
	steps int
}

// combiner merges bitwise operations that follow each other. It works on stretches of code without
// jumps; after a stretch only its results matter. EliminateDead removes the instructions whose
// results are not read any more.
type combiner struct {
	l     *List
	nodes []node     // the nodes of the stretch in hand
	regs  []combined // by virtual register
	reads bool       // the field reads of regs is valid
	moves []int      // the instructions before which a move is to be inserted, ascending:
	from  []x64.Reg  // from this register to the instruction's destination
}

// combined holds the facts that a combiner has about a register.
type combined struct {
	node  int32 // index of its node in nodes, if find confirms that
	last  int32 // index of the last write since the stretch in hand has nodes, plus 1
	reads int32 // how often it is read anywhere
}

// The truth tables of the three inputs.
const (
	ta = x64.Truth1
	tb = x64.Truth2
	tc = x64.Truth3
)

// Kinds of instructions from the combiner's point of view.
const (
	otherwise = iota
	bitwise2  // a function of A and B
	bitwise3  // a function of Dst, A and B, given by the immediate
	bitwiseIs // a move
)

// bitwise is the kind by Op, and for bitwise2 the truth table.
var bitwise = func() (t [x64.Ops]struct{ kind, table uint8 }) {
	// The width of elements is irrelevant without a mask, so all forms are equal here.
	for table, ops := range map[uint8][]x64.Op{
		ta & tb:         {x64.VPAND, x64.VPANDD, x64.VPANDQ},
		ta | tb:         {x64.VPOR, x64.VPORD, x64.VPORQ},
		ta ^ tb:         {x64.VPXOR, x64.VPXORD, x64.VPXORQ},
		^ta & 0xff & tb: {x64.VPANDN, x64.VPANDND, x64.VPANDNQ},
	} {
		for _, op := range ops {
			t[op].kind, t[op].table = bitwise2, table
		}
	}
	t[x64.VPTERNLOGD].kind, t[x64.VPTERNLOGQ].kind, t[x64.VMOVDQU].kind = bitwise3, bitwise3, bitwiseIs
	return t
}()

// Combine merges bitwise operations in the whole list.
func (l *List) Combine() {
	if !l.AVX512 || !l.combinable() {
		return
	}
	// The entries of regs are not cleared between stretches: find recognises stale ones.
	f := &combiner{l: l, nodes: l.Mem.nodes[:0], regs: lir.Cleared(&l.Mem.combined, len(l.Fn.VRegs))}
	code := l.Fn.Code
	for i := range code {
		in := &code[i]
		kind := bitwise[in.Op].kind
		if kind == otherwise && len(f.nodes) == 0 {
			continue // no node to keep valid: the common case in code without bitwise operations
		}
		info := in.Op.Info()
		// The stretch ends: other code may come here, or Go may look at the registers.
		if info.Jump || info.Ends || in.Op == x64.CALLLabel || info.Pseudo && in.Op != x64.NOP {
			f.nodes = f.nodes[:0]
			continue
		}
		// The node is made before the instruction's writes are recorded, because its inputs are the values
		// before the instruction.
		var nd node
		if kind != otherwise {
			nd = f.node(i)
		}
		f.written(in, info, i)
		if nd.n > 0 {
			nd.of = in.Dst
			f.regs[in.Dst-x64.Virtual].node = int32(len(f.nodes))
			f.nodes = append(f.nodes, nd)
		}
	}
	l.Mem.nodes = f.nodes
	f.insert()
}

// read counts the reads of vector registers by an instruction. It has the effect of count for all
// code, without a list of operands.
func (f *combiner) read(in *x64.Inst) {
	info := in.Op.Info()
	if lir.Idiom(in) {
		return
	}
	// Only vector registers can be nodes, so reads of general registers as base or mask do not count.
	a, index, dst := in.A, x64.NoReg, x64.NoReg
	if info.AWrite {
		a = x64.NoReg
	}
	if in.HasMem {
		index = in.M.Index
	}
	if !info.Pseudo && info.Dst == x64.Vec && !(info.DstMem && in.HasMem) && lir.DstRole(in, info)&lir.Read != 0 {
		dst = in.Dst
	}
	for _, r := range [...]x64.Reg{a, in.B, in.C, index, dst} {
		if r >= x64.Virtual {
			f.regs[r-x64.Virtual].reads++
		}
	}
}

// written records the registers that instruction i writes: nodes of these registers are gone, and
// nodes that read them are no longer fresh.
func (f *combiner) written(in *x64.Inst, info *x64.Info, i int) {
	// last makes the nodes with r as input stale; forget removes the node that r itself had.
	write := func(r x64.Reg) {
		if r >= x64.Virtual {
			f.regs[r-x64.Virtual].last = int32(i) + 1
			f.forget(r)
		}
	}
	if !info.Pseudo {
		write(in.Dst)
	}
	if info.AWrite {
		write(in.A)
	}
	if info.BWrite {
		write(in.B)
	}
	if info.KWrite {
		write(in.K)
	}
}

// combinable reports whether the list has at least two bitwise operations.
func (l *List) combinable() bool {
	n := 0
	for i := range l.Fn.Code {
		if k := bitwise[l.Fn.Code[i].Op].kind; k == bitwise2 || k == bitwise3 {
			if n++; n > 1 {
				return true
			}
		}
	}
	return false
}

// find returns the node of a register, or nil. The entry in regs may be left over from another
// stretch; the node's own register decides whether it is valid.
func (f *combiner) find(r x64.Reg) *node {
	if r < x64.Virtual {
		return nil // machine registers have no entry
	}
	if i := int(f.regs[r-x64.Virtual].node); i < len(f.nodes) && f.nodes[i].of == r {
		return &f.nodes[i]
	}
	return nil
}

// forget makes the node of a register unavailable.
func (f *combiner) forget(r x64.Reg) {
	if i := int(f.regs[r-x64.Virtual].node); i < len(f.nodes) && f.nodes[i].of == r {
		f.nodes[i].of = 0
	}
}

// node returns the function that instruction i computes, after it has merged earlier instructions
// into it if that pays. If the instruction is not bitwise, the node has no inputs.
func (f *combiner) node(i int) node {
	in := &f.l.Fn.Code[i]
	// A mask or a memory operand is out of reach of a truth table.
	if in.K != 0 || in.HasMem || in.Dst < x64.Virtual {
		return node{}
	}
	// own is the instruction alone. A move is a node, too, so that a later operation sees through it.
	var own node
	switch b := &bitwise[in.Op]; b.kind {
	case bitwise2:
		own = node{in: [3]x64.Reg{in.A, in.B}, n: 2, table: b.table, at: i + 1, len: in.Len, steps: 1}
	case bitwise3:
		own = node{in: [3]x64.Reg{in.Dst, in.A, in.B}, n: 3, table: uint8(in.Imm), at: i + 1, len: in.Len, steps: 1}
	default:
		return node{in: [3]x64.Reg{in.B}, n: 1, table: ta, at: i + 1, len: in.Len}
	}
	can := 0 // the inputs that may be replaced by their definitions, as a set of bits
	var of [3]*node
	for k, r := range own.in[:own.n] {
		if r < x64.Virtual {
			return node{}
		}
		// Moving the input's operation down to here is right if its own inputs are unchanged, and it pays
		// if the input has no other reader.
		if nd := f.find(r); nd != nil && nd.len == own.len && f.fresh(nd) && f.alone(r, nd, &own) {
			of[k] = nd
			can |= 1 << k
		}
	}
	if can == 0 {
		return own
	}
	// Replace the set of inputs that saves the most operations.
	best, found := own, false
	for _, set := range [7]int{7, 3, 5, 6, 1, 2, 4} { // larger sets first
		if set&^can != 0 {
			continue
		}
		if nd, ok := expanded(&own, set, &of); ok && nd.steps > best.steps {
			best, found = nd, true
		}
	}
	if found {
		f.rewrite(i, best)
	} else if own.n == 3 && can&1 != 0 { // the input is the destination before the operation, and a move has put it there
		if nd, ok := expanded(&own, 1, &of); ok {
			return nd
		}
	}
	return best
}

// expanded returns own with the inputs in set replaced by their definitions; ok is false if the
// result would need more than three registers.
func expanded(own *node, set int, from *[3]*node) (node, bool) {
	// The steps add up, so a node reports how many operations one vpternlog replaces.
	d := node{at: own.at, len: own.len, steps: own.steps}
	var val [3]uint8 // the inputs of own as functions of those of d
	for k, r := range own.in[:own.n] {
		if set>>k&1 == 0 {
			v := d.leaf(r)
			if v == 0 {
				return d, false
			}
			val[k] = v
			continue
		}
		nd := from[k]
		var of [3]uint8
		for j, s := range nd.in[:nd.n] {
			if of[j] = d.leaf(s); of[j] == 0 {
				return d, false
			}
		}
		val[k] = compose(nd.table, of)
		d.steps += nd.steps
	}
	d.table = compose(own.table, val)
	return d, true
}

// leaf makes a register an input of d, unless it is one, and returns the truth table of that input;
// 0 if d has three inputs already.
func (d *node) leaf(r x64.Reg) uint8 {
	for k := range d.n {
		if d.in[k] == r {
			return [3]uint8{ta, tb, tc}[k]
		}
	}
	if d.n == 3 {
		return 0
	}
	d.in[d.n] = r
	d.n++
	return [3]uint8{ta, tb, tc}[d.n-1]
}

// fresh reports whether the inputs of a node have not been written since the node was computed.
func (f *combiner) fresh(nd *node) bool {
	for _, r := range nd.in[:nd.n] {
		if r < x64.Virtual || int(f.regs[r-x64.Virtual].last) >= nd.at {
			return false
		}
	}
	return true
}

// readsDst reports whether an instruction reads its destination, and does more than clear it.
func readsDst(in *x64.Inst) bool { return in.Op.Info().DstRead && !lir.Idiom(in) }

// alone reports whether own is the only reader of r, the register of nd.
func (f *combiner) alone(r x64.Reg, nd, own *node) bool {
	if !f.reads { // count lazily: most stretches have nothing to merge
		f.reads = true
		for i := range f.l.Fn.Code {
			f.read(&f.l.Fn.Code[i])
		}
		for _, r := range f.l.Fn.StateRegs {
			f.regs[r-x64.Virtual].reads++
		}
	}
	// The instruction of nd may read r as its own old value, and own may read r several times.
	n := f.regs[r-x64.Virtual].reads
	if readsDst(&f.l.Fn.Code[nd.at-1]) {
		n--
	}
	for _, s := range own.in[:own.n] {
		if s == r {
			n--
		}
	}
	return n == 0
}

// compose returns the truth table of a function of three functions: row `bit` is table at the
// values that the three functions have in that row.
func compose(table uint8, of [3]uint8) uint8 {
	// bit is a row of the table; i is the row of the outer table that it selects.
	var d uint8
	for bit := range 8 {
		i := of[0]>>bit&1<<2 | of[1]>>bit&1<<1 | of[2]>>bit&1
		d |= table >> i & 1 << bit
	}
	return d
}

// rewrite makes instruction i compute a node with one vpternlog, and drops the definitions that it
// replaces if they have no other reader.
func (f *combiner) rewrite(i int, nd node) {
	in := &f.l.Fn.Code[i]
	// vpternlog has three operands; a node may have fewer.
	for k := nd.n; k < 3; k++ {
		nd.in[k] = nd.in[0] // the value is irrelevant, because the table does not depend on it
	}
	// The destination must be the first input. If it is not an input, a move puts one there: best
	// an input that is not read again, at worst a constant, because other inputs can be operands in
	// memory.
	// worth ranks the inputs: 3 is the destination itself, 2 has no other reader, 1 has, 0 is a constant.
	first, worth := 0, -1
	for k, r := range nd.in[:nd.n] {
		w := 1
		switch v := f.l.Fn.VRegs[r-x64.Virtual]; {
		case r == in.Dst:
			w = 3
		case v.Const != 0:
			w = 0
		case f.regs[r-x64.Virtual].reads == 1:
			w = 2
		}
		if w > worth {
			first, worth = k, w
		}
	}
	// Exchanging inputs means composing the table with the same exchange.
	of := [3]uint8{ta, tb, tc}
	nd.in[0], nd.in[first] = nd.in[first], nd.in[0]
	of[0], of[first] = of[first], of[0]
	table := compose(nd.table, of)
	if nd.in[2] != 0 && f.l.Fn.VRegs[nd.in[1]-x64.Virtual].Const != 0 { // the third input may be in memory
		nd.in[1], nd.in[2] = nd.in[2], nd.in[1]
		table = compose(table, [3]uint8{ta, tc, tb})
	}
	// The read counts follow the rewriting, so that drop sees which definitions have lost their last
	// reader.
	was := lir.Operands{}
	was.Of(in)
	f.count(&was, -1)
	old := [3]x64.Reg{in.Dst, in.A, in.B}
	// A move that made the old first operand is superfluous; the new one is inserted at the end.
	if nd.in[0] != in.Dst {
		f.unmove(i)
		f.moves, f.from = append(f.moves, i), append(f.from, nd.in[0])
		f.regs[nd.in[0]-x64.Virtual].reads++
	}
	*in = x64.Inst{Op: x64.VPTERNLOGD, Len: in.Len, Dst: in.Dst, A: nd.in[1], B: nd.in[2], Imm: int64(table)}
	was.Of(in)
	f.count(&was, 1)
	// The operands of before are the definitions that may have lost their last reader.
	for _, r := range old {
		f.drop(r)
	}
}

// unmove removes the move to the destination of instruction i that stands before it, because i does
// not read its destination any more.
func (f *combiner) unmove(i int) {
	code := f.l.Fn.Code
	// NOPs between the two are instructions that are gone already.
	k := i - 1
	for k >= 0 && code[k].Op == x64.NOP {
		k--
	}
	if k >= 0 && code[k].Op == x64.VMOVDQU && code[k].Dst == code[i].Dst && !code[k].HasMem && code[k].K == 0 {
		var ops lir.Operands
		ops.Of(&code[k])
		f.count(&ops, -1)
		code[k] = x64.Inst{Op: x64.NOP}
	}
}

// drop removes the instruction that computes r if r is not read any more, and then the definitions
// of its inputs in the same way.
func (f *combiner) drop(r x64.Reg) {
	// Only a definition in the same stretch can be dropped here; EliminateDead removes the rest.
	found := f.find(r)
	if found == nil {
		return
	}
	nd := *found
	in := &f.l.Fn.Code[nd.at-1]
	n := f.regs[r-x64.Virtual].reads
	if readsDst(in) {
		n--
	}
	if n > 0 {
		return
	}
	var ops lir.Operands
	ops.Of(in)
	f.count(&ops, -1)
	// If the instruction read its destination, a move to that destination may stand before it.
	moved := in.Op.Info().DstRead
	*in = x64.Inst{Op: x64.NOP}
	f.forget(r)
	if k := nd.at - 2; moved && k >= 0 && f.l.Fn.Code[k].Op == x64.VMOVDQU && f.l.Fn.Code[k].Dst == r {
		ops.Of(&f.l.Fn.Code[k])
		f.count(&ops, -1)
		f.l.Fn.Code[k] = x64.Inst{Op: x64.NOP}
	}
	for _, s := range nd.in[:nd.n] {
		f.drop(s)
	}
}

// count adds by to the read counts of the registers that an instruction reads.
func (f *combiner) count(ops *lir.Operands, by int32) {
	for _, o := range ops.Slice() {
		if o.Role&lir.Read != 0 && o.Reg >= x64.Virtual {
			f.regs[o.Reg-x64.Virtual].reads += by
		}
	}
}

// insert inserts the moves. It goes from the end to the start, so that each instruction moves once.
func (f *combiner) insert() {
	l := f.l
	old := l.Fn.Code
	// Keep the moves whose instruction still exists.
	n := 0
	for k, i := range f.moves {
		if old[i].Op != x64.NOP { // rewrite or drop has not removed it since
			f.moves[n], f.from[n] = i, f.from[k]
			n++
		}
	}
	if n == 0 {
		return // the list stays as it is
	}
	// n is the number of moves that still have to be inserted, and so the distance that instruction i
	// moves.
	to := lir.Cleared(&l.Mem.indices, len(old)+1)
	code := slices.Grow(old, n)[:len(old)+n]
	to[len(old)] = int32(len(code))
	for i := len(old) - 1; i >= 0; i-- {
		if n > 0 {
			code[i+n] = code[i]
		}
		if n > 0 && f.moves[n-1] == i {
			n--
			code[i+n] = x64.Inst{Op: x64.VMOVDQU, Len: code[i+n+1].Len, Dst: code[i+n+1].Dst, B: f.from[n]}
		}
		to[i] = int32(i + n)
	}
	l.Fn.Code = code
	l.Renumber(to)
}
