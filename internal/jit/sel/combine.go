package sel

import (
	"slices"

	"crosslane/internal/jit/lir"
	"crosslane/internal/jit/x64"
)

// A node is a bitwise function of up to three vector registers: what an instruction
// computes, or it and those before it whose results nobody else reads.
type node struct {
	of    x64.Reg // the result
	in    [3]x64.Reg
	n     int
	table uint8 // by in[0], in[1], in[2], as ta, tb and tc
	at    int   // index of the instruction, plus 1; 0: none
	len   uint8
	steps int
}

// combiner puts bitwise operations together that follow each other, into vpternlog
// (AVX-512). It looks at code without jumps between, after which nothing but its results
// is different; sweep removes what is not read any more.
type combiner struct {
	g     *gen
	nodes []node    // of the stretch in hand
	at    []int32   // by virtual register: index of its node; see find
	last  []int     // by virtual register: index of the last write, plus 1
	reads []int32   // by virtual register: how often it is read anywhere
	moves []int     // in front of these instructions, by index, comes a move of
	from  []x64.Reg // this register to their destination
}

// combine does it for all code.
func (g *gen) combine() {
	if !g.avx512 || !g.combinable() {
		return
	}
	f := &combiner{g: g, nodes: g.mem.nodes[:0], at: lir.Cleared(&g.mem.nodeAt, len(g.fn.VRegs)), last: lir.Cleared(&g.mem.last, len(g.fn.VRegs)), reads: lir.Cleared(&g.mem.ints, len(g.fn.VRegs))}
	code := g.fn.Code
	for i := range code {
		f.read(&code[i])
	}
	for i := range code {
		in := &code[i]
		info := in.Op.Info()
		if info.Jump || info.Ends || in.Op == x64.CALLLabel || info.Pseudo && in.Op != x64.NOP {
			f.nodes = f.nodes[:0]
		}
		nd := f.node(i)
		if !info.Pseudo || in.Op == x64.KEEP {
			f.written(in.Dst, i)
		}
		if info.AWrite {
			f.written(in.A, i)
		}
		if info.BWrite {
			f.written(in.B, i)
		}
		if info.KWrite {
			f.written(in.K, i)
		}
		if nd.n > 0 {
			nd.of = in.Dst
			f.at[in.Dst-x64.Virtual] = int32(len(f.nodes))
			f.nodes = append(f.nodes, nd)
		}
	}
	g.mem.nodes = f.nodes
	f.insert()
}

// read counts the vector registers that an instruction reads. It is count, for all there is.
func (f *combiner) read(in *x64.Inst) {
	info := in.Op.Info()
	if lir.Idiom(in) {
		return
	}
	add := func(r x64.Reg) {
		if r >= x64.Virtual {
			f.reads[r-x64.Virtual]++
		}
	}
	if !info.AWrite {
		add(in.A)
	}
	add(in.B)
	add(in.C)
	if in.HasMem {
		add(in.M.Index)
	}
	if !info.Pseudo && info.Dst == x64.Vec && !(info.DstMem && in.HasMem) && lir.DstRole(in, info)&lir.Read != 0 {
		add(in.Dst)
	}
}

// written says that instruction i writes a register, if it is one.
func (f *combiner) written(r x64.Reg, i int) {
	if r >= x64.Virtual {
		f.last[r-x64.Virtual] = i + 1
		f.forget(r)
	}
}

// combinable reports whether there are operations to be put together.
func (g *gen) combinable() bool {
	n := 0
	for i := range g.fn.Code {
		op := g.fn.Code[i].Op
		if _, ok := basics(op); ok || op == x64.VPTERNLOGD || op == x64.VPTERNLOGQ {
			if n++; n > 1 {
				return true
			}
		}
	}
	return false
}

// find is the node of a register, or nil. What at says of a register that has none is of no
// consequence: no node there is the register's.
func (f *combiner) find(r x64.Reg) *node {
	if r < x64.Virtual {
		return nil
	}
	if i := int(f.at[r-x64.Virtual]); i < len(f.nodes) && f.nodes[i].of == r {
		return &f.nodes[i]
	}
	return nil
}

// forget takes the node of a register away.
func (f *combiner) forget(r x64.Reg) {
	if i := int(f.at[r-x64.Virtual]); i < len(f.nodes) && f.nodes[i].of == r {
		f.nodes[i].of = 0
	}
}

// basics are the truth tables of operations on two registers.
func basics(op x64.Op) (table uint8, ok bool) {
	switch op {
	case x64.VPAND, x64.VPANDD, x64.VPANDQ:
		return ta & tb, true
	case x64.VPOR, x64.VPORD, x64.VPORQ:
		return ta | tb, true
	case x64.VPXOR, x64.VPXORD, x64.VPXORQ:
		return ta ^ tb, true
	case x64.VPANDN, x64.VPANDND, x64.VPANDNQ:
		return ^ta & 0xff & tb, true
	}
	return 0, false
}

// node is what instruction i computes, after it has been fused with those before it if
// that pays; without inputs if it is something else.
func (f *combiner) node(i int) node {
	in := &f.g.fn.Code[i]
	if in.K != 0 || in.HasMem || in.Dst < x64.Virtual {
		return node{}
	}
	var own node
	switch t, ok := basics(in.Op); {
	case ok:
		own = node{in: [3]x64.Reg{in.A, in.B}, n: 2, table: t, at: i + 1, len: in.Len, steps: 1}
	case in.Op == x64.VPTERNLOGD || in.Op == x64.VPTERNLOGQ:
		own = node{in: [3]x64.Reg{in.Dst, in.A, in.B}, n: 3, table: uint8(in.Imm), at: i + 1, len: in.Len, steps: 1}
	case in.Op == x64.VMOVDQU:
		return node{in: [3]x64.Reg{in.B}, n: 1, table: ta, at: i + 1, len: in.Len}
	default:
		return node{}
	}
	can := 0 // the inputs that may be looked into
	var of [3]*node
	for k, r := range own.in[:own.n] {
		if r < x64.Virtual {
			return node{}
		}
		if nd := f.find(r); nd != nil && nd.len == own.len && f.fresh(nd) && f.alone(r, nd, &own) {
			of[k] = nd
			can |= 1 << k
		}
	}
	if can == 0 {
		return own
	}
	// Which of the inputs to look into: as many as possible.
	best, found := own, false
	for _, set := range [7]int{7, 3, 5, 6, 1, 2, 4} {
		if set&^can != 0 {
			continue
		}
		if nd, ok := expanded(&own, set, &of); ok && nd.steps > best.steps {
			best, found = nd, true
		}
	}
	if found {
		f.rewrite(i, best)
	} else if own.n == 3 && can&1 != 0 { // what was moved to the destination is the input
		if nd, ok := expanded(&own, 1, &of); ok {
			return nd
		}
	}
	return best
}

// expanded is own with the inputs of set replaced by what they are computed of.
func expanded(own *node, set int, from *[3]*node) (node, bool) {
	d := node{at: own.at, len: own.len, steps: own.steps}
	var val [3]uint8 // the inputs as functions of d's
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

// leaf makes a register an input, if it is none, and returns the function that is its value; 0
// if there are too many.
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

// fresh reports whether the inputs of a node still are what they were.
func (f *combiner) fresh(nd *node) bool {
	for _, r := range nd.in[:nd.n] {
		if r < x64.Virtual || f.last[r-x64.Virtual] >= nd.at {
			return false
		}
	}
	return true
}

// readsDst reports whether an instruction counts among the readers of its destination.
func readsDst(in *x64.Inst) bool { return in.Op.Info().DstRead && !lir.Idiom(in) }

// alone reports whether own is the only reader of r, which nd is.
func (f *combiner) alone(r x64.Reg, nd, own *node) bool {
	n := f.reads[r-x64.Virtual]
	if readsDst(&f.g.fn.Code[nd.at-1]) {
		n--
	}
	for _, s := range own.in[:own.n] {
		if s == r {
			n--
		}
	}
	return n == 0
}

// compose is the truth table of a function of three functions.
func compose(table uint8, of [3]uint8) uint8 {
	var d uint8
	for bit := range 8 {
		i := of[0]>>bit&1<<2 | of[1]>>bit&1<<1 | of[2]>>bit&1
		d |= table >> i & 1 << bit
	}
	return d
}

// rewrite makes instruction i compute a node.
func (f *combiner) rewrite(i int, nd node) {
	in := &f.g.fn.Code[i]
	for k := nd.n; k < 3; k++ {
		nd.in[k] = nd.in[0] // of no consequence
	}
	// The destination is the first input. If it is none, one is moved there: best one that
	// is not read again, at worst a constant, which others can read from memory.
	first, worth := 0, -1
	for k, r := range nd.in[:nd.n] {
		w := 1
		switch v := f.g.fn.VRegs[r-x64.Virtual]; {
		case r == in.Dst:
			w = 3
		case v.Const != 0:
			w = 0
		case f.reads[r-x64.Virtual] == 1:
			w = 2
		}
		if w > worth {
			first, worth = k, w
		}
	}
	of := [3]uint8{ta, tb, tc}
	nd.in[0], nd.in[first] = nd.in[first], nd.in[0]
	of[0], of[first] = of[first], of[0]
	table := compose(nd.table, of)
	if nd.in[2] != 0 && f.g.fn.VRegs[nd.in[1]-x64.Virtual].Const != 0 { // what may be memory comes last
		nd.in[1], nd.in[2] = nd.in[2], nd.in[1]
		table = compose(table, [3]uint8{ta, tc, tb})
	}
	was := lir.Operands{}
	was.Of(in)
	f.count(&was, -1)
	old := [3]x64.Reg{in.Dst, in.A, in.B}
	if nd.in[0] != in.Dst {
		f.unmove(i)
		f.moves, f.from = append(f.moves, i), append(f.from, nd.in[0])
		f.reads[nd.in[0]-x64.Virtual]++
	}
	*in = x64.Inst{Op: x64.VPTERNLOGD, Len: in.Len, Dst: in.Dst, A: nd.in[1], B: nd.in[2], Imm: int64(table)}
	was.Of(in)
	f.count(&was, 1)
	for _, r := range old {
		f.drop(r)
	}
}

// unmove removes the move to the destination of instruction i that stands before it.
func (f *combiner) unmove(i int) {
	code := f.g.fn.Code
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

// drop removes what computes r if nobody reads that any more.
func (f *combiner) drop(r x64.Reg) {
	found := f.find(r)
	if found == nil {
		return
	}
	nd := *found
	in := &f.g.fn.Code[nd.at-1]
	n := f.reads[r-x64.Virtual]
	if readsDst(in) {
		n--
	}
	if n > 0 {
		return
	}
	var ops lir.Operands
	ops.Of(in)
	f.count(&ops, -1)
	moved := in.Op.Info().DstRead
	*in = x64.Inst{Op: x64.NOP}
	f.forget(r)
	if k := nd.at - 2; moved && k >= 0 && f.g.fn.Code[k].Op == x64.VMOVDQU && f.g.fn.Code[k].Dst == r {
		ops.Of(&f.g.fn.Code[k])
		f.count(&ops, -1)
		f.g.fn.Code[k] = x64.Inst{Op: x64.NOP}
	}
	for _, s := range nd.in[:nd.n] {
		f.drop(s)
	}
}

func (f *combiner) count(ops *lir.Operands, by int32) {
	for _, o := range ops.Slice() {
		if o.Role&lir.Read != 0 && o.Reg >= x64.Virtual {
			f.reads[o.Reg-x64.Virtual] += by
		}
	}
}

// insert puts the moves in.
func (f *combiner) insert() {
	if len(f.moves) == 0 {
		return
	}
	g := f.g
	old := g.fn.Code
	code := slices.Grow(g.mem.moved[:0], len(old)+len(f.moves))
	to := make([]int, len(old)+1)
	next := 0
	for i := range old {
		to[i] = len(code)
		if next < len(f.moves) && f.moves[next] == i {
			if old[i].Op != x64.NOP {
				code = append(code, x64.Inst{Op: x64.VMOVDQU, Len: old[i].Len, Dst: old[i].Dst, B: f.from[next]})
			}
			next++
		}
		code = append(code, old[i])
	}
	to[len(old)] = len(code)
	g.fn.Code = code
	g.mem.moved = code
	g.renumber(to)
}

// renumber says where the instructions of the list are now.
func (g *gen) renumber(to []int) {
	for i := range g.out.Exits {
		g.out.Exits[i].At = to[g.out.Exits[i].At]
	}
	for b := range g.out.BlockAt {
		g.out.BlockAt[b] = to[g.out.BlockAt[b]]
	}
	for i := range g.fn.Weights {
		g.fn.Weights[i].At = int32(to[g.fn.Weights[i].At])
	}
}
