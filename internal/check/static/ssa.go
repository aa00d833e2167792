package static

import (
	"sort"

	"example.org/crosslane/internal/ir"
)

// An id names a definition, which is assigned once: the result of an instruction, a constant, an input,
// or a phi.
type id = int32

// The ids that stand for no definition.
const (
	idUndef id = iota // a register that was never written
	idTop             // any value: a write that is not followed
	idFirst           // the constants and inputs, by ir.Ref
)

// The operands of an instruction: Args, then the guard, then the value that Dst held before.
const (
	opGuard = 4 + iota
	opOld
	opCount
)

// maxPhis bounds the values that are remembered of registers at the starts of blocks. Beyond it,
// registers are not followed.
const maxPhis = 4 << 20

// maxEdges bounds the operands of all phis.
const maxEdges = 32 << 20

// ssa is the function in single-assignment form: it maps every operand to the definition that reaches
// it.
//
// Input: the control-flow graph and the dominance frontiers.
// Output: ops, the definition of each operand; phis.
// Invariant: the IR is not rewritten. Phis are made on demand, only for registers that are read. If a
// bound is exceeded, limited is set and the operand is idTop, which stands for any value.
// Example: "L: i = i + 1; if p goto L" makes one phi for i at L, whose operands are the initial value
// and i + 1.
// Literature: Cytron et al., Efficiently computing static single assignment form and the control
// dependence graph (TOPLAS 1991); Braun et al., Simple and efficient construction of static single
// assignment form (CC 2013).
type ssa struct {
	g     *graph
	ops   []id // opCount for each instruction
	block []int32

	firstInst, firstPhi id
	input               []bool // by ref: a launch fills it
	// The definitions of register r that are live at the end of their block are
	// defs[start[r]:start[r+1]], in the order of blocks.
	start []int32
	defs  []blockDef

	phis    []phi
	phisOf  map[int32][]int32 // by block
	entry   map[uint64]id
	pending []int32
	edges   int
	limited bool

	df     [][]int32 // dominance frontiers, see frontiers
	joined map[ir.Ref][]int32
}

// A blockDef is the last definition of a register in a block.
type blockDef struct {
	block int32
	id    id
}

// A phi is the value of a register at the start of a block where control joins.
type phi struct {
	block int32
	ref   ir.Ref
	ops   []id // one for each incoming edge of the block; for block 0 also the initial value
	root  id   // the only definition that comes together here, or the phi itself
}

// newSSA builds the single-assignment form of the reachable blocks.
func newSSA(g *graph) *ssa {
	f := g.f
	s := &ssa{g: g, ops: make([]id, opCount*len(f.Code)), block: make([]int32, len(f.Code)), input: make([]bool, len(f.Values)), phisOf: map[int32][]int32{}, entry: map[uint64]id{}, df: frontiers(g), joined: map[ir.Ref][]int32{}}
	s.firstInst = idFirst + id(len(f.Values))
	s.firstPhi = s.firstInst + 2*id(len(f.Code))
	for _, in := range f.Inputs {
		s.input[in.Dst] = true
	}
	for _, b := range g.order {
		for i := f.Blocks[b].Start; i < f.Blocks[b].End; i++ {
			s.block[i] = b
		}
	}
	s.collect()
	cur := make([]id, len(f.Values))
	in := make([]int32, len(f.Values)) // the block that cur belongs to, plus 1
	for _, b := range g.order {
		// A read sees the last write of the block, or the definition that reaches its start. A
		// temporary does not live across blocks.
		read := func(r ir.Ref) id {
			v := f.Val(r)
			if v.Kind == ir.Const {
				return idFirst + id(r)
			}
			if in[r] != b+1 {
				if v.Kind == ir.Temp {
					return idTop
				}
				cur[r], in[r] = s.atEntry(r, b), b+1
			}
			return cur[r]
		}
		for i := f.Blocks[b].Start; i < f.Blocks[b].End; i++ {
			x := &f.Code[i]
			ops := s.ops[i*opCount : (i+1)*opCount]
			for a, r := range x.Args {
				if r != 0 {
					ops[a] = read(r)
				}
			}
			if x.Guard != 0 {
				ops[opGuard] = read(x.Guard)
				if x.Dst != 0 && f.Val(x.Dst).Kind == ir.Guest {
					ops[opOld] = read(x.Dst)
				}
			}
			s.writes(i, func(r ir.Ref, d id) { cur[r], in[r] = d, b+1 })
		}
	}
	for len(s.pending) > 0 {
		k := s.pending[len(s.pending)-1]
		s.pending = s.pending[:len(s.pending)-1]
		s.fill(k)
	}
	s.trivial()
	return s
}

// writes calls def for each register that instruction i writes. Writes that are not followed get idTop.
func (s *ssa) writes(i int, def func(ir.Ref, id)) {
	in := &s.g.f.Code[i]
	if in.Dst != 0 {
		def(in.Dst, s.result(i, 0))
	}
	if in.Dst2 != 0 {
		def(in.Dst2, s.result(i, 1))
	}
	switch {
	case in.Op == ir.Collective:
		for _, r := range s.g.f.Collectives[in.Imm].Dst {
			if r != 0 {
				def(r, idTop)
			}
		}
	case in.Op == ir.Atomic && in.Size == 16 && in.Dst != 0:
		def(in.Dst+1, idTop) // the high half
	}
}

// result returns the id of the value that instruction i writes to Dst (k = 0) or Dst2 (k = 1).
func (s *ssa) result(i, k int) id { return s.firstInst + 2*id(i) + id(k) }

// inst returns the instruction that makes a definition; ok is false if it is not made by an
// instruction.
func (s *ssa) inst(d id) (i int, ok bool) {
	return int(d-s.firstInst) / 2, d >= s.firstInst && d < s.firstPhi
}

// phi returns the phi that a definition is; nil if it is none.
func (s *ssa) phi(d id) *phi {
	if d < s.firstPhi {
		return nil
	}
	return &s.phis[d-s.firstPhi]
}

// blockOf returns the block that makes a definition; -1 if it exists from the start.
func (s *ssa) blockOf(d id) int32 {
	if i, ok := s.inst(d); ok {
		return s.block[i]
	}
	if p := s.phi(d); p != nil {
		return p.block
	}
	return -1
}

// collect lists the last definition of each register in each block. The first round counts, the second
// fills in.
func (s *ssa) collect() {
	f := s.g.f
	last := make([]int32, len(f.Values)) // the block, plus 1, in which the register was counted last
	s.start = make([]int32, len(f.Values)+1)
	each := func(do func(r ir.Ref, b int32, d id)) {
		for b := range int32(len(f.Blocks)) {
			if s.g.rank[b] < 0 {
				continue
			}
			for i := f.Blocks[b].Start; i < f.Blocks[b].End; i++ {
				s.writes(i, func(r ir.Ref, d id) {
					if f.Val(r).Kind == ir.Guest {
						do(r, b, d)
					}
				})
			}
		}
	}
	each(func(r ir.Ref, b int32, _ id) {
		if last[r] != b+1 {
			last[r] = b + 1
			s.start[r+1]++
		}
	})
	for r := range f.Values {
		s.start[r+1] += s.start[r]
		last[r] = 0
	}
	s.defs = make([]blockDef, s.start[len(f.Values)])
	n := make([]int32, len(f.Values))
	each(func(r ir.Ref, b int32, d id) {
		if last[r] != b+1 {
			last[r] = b + 1
			n[r]++
		}
		s.defs[s.start[r]+n[r]-1] = blockDef{b, d}
	})
}

// atExit returns the last definition of r in block b.
func (s *ssa) atExit(r ir.Ref, b int32) (id, bool) {
	l := s.defs[s.start[r]:s.start[r+1]]
	i := sort.Search(len(l), func(i int) bool { return l[i].block >= b })
	if i < len(l) && l[i].block == b {
		return l[i].id, true
	}
	return 0, false
}

// initial returns the value of r at the start of a wave.
func (s *ssa) initial(r ir.Ref) id {
	if s.input[r] {
		return idFirst + id(r)
	}
	return idUndef
}

// atEntry returns the definition of r that reaches the start of block b. With dominance frontiers it is
// found by looking at the dominators. Without them it is found by going back to the first block with
// several incoming edges, where a phi is made, whose operands are found later (fill); this is the
// method of Braun et al.
func (s *ssa) atEntry(r ir.Ref, b int32) id {
	l := s.defs[s.start[r]:s.start[r+1]]
	if len(l) == 0 {
		return s.initial(r)
	}
	// The only definition of a register reaches every block that it dominates.
	if len(l) == 1 && l[0].block != b && s.g.dom.Dominates(int(l[0].block), int(b)) {
		return l[0].id
	}
	// With frontiers: the closest dominating definition or join.
	if joins, ok := s.joins(r); ok {
		from, join := s.nearest(r, b, joins)
		if from < 0 {
			return s.initial(r)
		}
		if !join {
			d, _ := s.atExit(r, from)
			return d
		}
		b = from
	}
	var path []uint64
	found := idTop
	for {
		key := uint64(r)<<32 | uint64(b)
		if d, ok := s.entry[key]; ok {
			found = d
			break
		}
		if len(s.entry)+len(path) > maxPhis {
			s.limited = true
			break
		}
		// All blocks on the way back have the same definition at their start; they are filled in at the
		// end.
		path = append(path, key)
		preds := s.g.pred[b]
		if b == 0 && len(preds) == 0 {
			found = s.initial(r)
			break
		}
		if b == 0 || len(preds) > 1 {
			// Its operands are found later, so that loops end and the recursion is not deep.
			found = s.firstPhi + id(len(s.phis))
			s.phis = append(s.phis, phi{block: b, ref: r})
			s.phisOf[b] = append(s.phisOf[b], int32(len(s.phis)-1))
			s.pending = append(s.pending, int32(len(s.phis)-1))
			break
		}
		b = preds[0].from
		if d, ok := s.atExit(r, b); ok {
			found = d
			break
		}
	}
	for _, key := range path {
		s.entry[key] = found
	}
	return found
}

// fill finds the operands of a phi.
func (s *ssa) fill(k int32) {
	b, r := s.phis[k].block, s.phis[k].ref
	if s.edges += len(s.g.pred[b]); s.edges > maxEdges {
		s.limited = true
		s.phis[k].root = idTop
		return
	}
	var ops []id
	for _, e := range s.g.pred[b] {
		d, ok := s.atExit(r, e.from)
		if !ok {
			d = s.atEntry(r, e.from)
		}
		ops = append(ops, d)
	}
	if b == 0 {
		ops = append(ops, s.initial(r))
	}
	s.phis[k].ops = ops
	s.phis[k].root = s.firstPhi + k
}

// trivial removes the phis at which only one definition comes together. It repeats, because one removal
// may make another phi trivial.
func (s *ssa) trivial() {
	for range 10 {
		changed := false
		for k := range s.phis {
			p := &s.phis[k]
			self := s.firstPhi + id(k)
			if p.root != self {
				continue
			}
			only, more := id(-1), false
			for _, o := range p.ops {
				if o = s.root(o); o != self && o != only {
					more = more || only >= 0
					only = o
				}
			}
			if !more && only >= 0 {
				p.root, changed = only, true
			}
		}
		if !changed {
			break
		}
	}
	for i, o := range s.ops {
		s.ops[i] = s.root(o)
	}
	for k := range s.phis {
		for i, o := range s.phis[k].ops {
			s.phis[k].ops[i] = s.root(o)
		}
	}
}

// root returns the definition that a chain of trivial phis stands for, and shortens the chain.
func (s *ssa) root(d id) id {
	for {
		p := s.phi(d)
		if p == nil || p.root == d {
			return d
		}
		if q := s.phi(p.root); q != nil && q.root != p.root {
			p.root = q.root
		}
		d = p.root
	}
}
