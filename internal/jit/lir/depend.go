package lir

import "example.org/crosslane/internal/jit/x64"

// dependence is the state of the dependence analysis of a stretch: its accesses and flags so
// far.
//
// Input: the instructions of a stretch, in order.
// Output: the predecessors of each node: instructions and fences that must come before it.
// Invariant: every order of the stretch that respects the predecessors gives the same
// results.
// Example: store [p]; load [q] have different base registers, so the load comes after a fence
// after the store. Two loads through one register have no order.
type dependence struct {
	// fence, if not 0, is 1 + a node before all later accesses. accs are the accesses since.
	// They do not depend on each other: loads through one register, or stores through one
	// register to ascending addresses.
	fence  int32
	accs   []int32
	base   x64.Reg
	store  bool
	single bool
	end    int32 // the end of the stores so far
	// after, if not 0, is 1 + a node before all later instructions that set flags. setters
	// are those since, and the instructions that read the flags of the last one.
	after   int32
	setters []int32
	flagged []bool // by instruction: its flags are read, or it reads flags
}

// flags marks the instructions of code that set flags which are read. code begins at i of the
// list.
func (p *Piecer) flags(code []x64.Inst, i int) {
	read := false
	for k := i + len(code); k < len(p.fn.Code); k++ {
		info := p.fn.Code[k].Op.Info()
		if read = info.ReadsFlags; read || info.SetsFlags || info.Ends || p.fn.Code[k].Op == x64.LABEL {
			break
		}
	}
	for j := len(code) - 1; j >= 0; j-- {
		kind := partsIn(&code[j]).kind
		if kind&sets != 0 {
			p.deps.flagged[j] = read
			read = false
		}
		read = read || kind&reads != 0
	}
}

// begin starts the list of a node's predecessors; pre appends to it, finish ends it.
func (p *Piecer) begin(j int32) { p.nodes[j].pred = int32(len(p.preds)) }

func (p *Piecer) pre(q int32) { p.preds = append(p.preds, q) }

func (p *Piecer) finish(j int32) { p.nodes[j].predEnd = int32(len(p.preds)) }

// fenced returns a new node that comes after all nodes of list.
func (p *Piecer) fenced(list []int32) int32 {
	j := int32(len(p.nodes))
	p.nodes = append(p.nodes, node{})
	p.begin(j)
	for _, q := range list {
		p.pre(q)
	}
	p.finish(j)
	return j
}

// depend finds the predecessors of instruction j of the stretch, and the pieces to which it
// belongs.
func (p *Piecer) depend(j int32, in *x64.Inst, ops *Operands) {
	info := in.Op.Info()
	access := in.HasMem && in.M.Pool == 0 && in.Op != x64.LEA
	if access {
		p.reach(in, info)
	}
	d := &p.deps
	flags := info.SetsFlags || info.ReadsFlags
	d.flagged[j] = d.flagged[j] || info.ReadsFlags // so no instruction comes between it and the one that sets the flags
	if info.SetsFlags && len(d.setters) > 0 && (d.flagged[j] || d.flagged[d.setters[0]]) {
		// All setters so far come before all later ones.
		if d.after > 0 {
			d.setters = append(d.setters, d.after-1)
		}
		d.after = p.fenced(d.setters) + 1
		d.setters = d.setters[:0]
	}
	p.begin(j)
	if access {
		if d.fence > 0 {
			p.pre(d.fence - 1)
		}
		d.accs = append(d.accs, j)
	}
	if flags {
		if d.after > 0 {
			p.pre(d.after - 1)
		}
		if len(d.setters) > 0 && d.flagged[d.setters[0]] {
			p.pre(d.setters[0])
		}
		d.setters = append(d.setters, j)
	}
	var own uint16
	for _, o := range ops.Slice() {
		r := o.Reg
		if o.Role&Read != 0 {
			// A true dependence: the last write comes before this read.
			if w := p.write[r]; w > p.base {
				p.pre(w - p.base - 1)
				own |= p.holds[r]
			} else if r >= x64.Virtual {
				own |= p.own[r-x64.Virtual]
			}
		}
		if o.Role&Write != 0 {
			if r >= x64.Virtual {
				own |= p.own[r-x64.Virtual]
			}
			// An output dependence, and below anti-dependences on the reads since that write.
			if w := p.write[r]; w > p.base && w != p.base+j+1 {
				p.pre(w - p.base - 1)
			}
			for l := p.read[r]; l >= p.floor; l = p.links[l].next {
				if q := p.links[l].node; q != j {
					p.pre(q)
				}
			}
		}
	}
	p.finish(j)
	p.nodes[j].bits = own
	for _, o := range ops.Slice() {
		if o.Role&Write != 0 {
			p.write[o.Reg], p.read[o.Reg] = p.base+j+1, 0
			h := own
			if o.Reg >= x64.Virtual && p.own[o.Reg-x64.Virtual] != 0 {
				h = p.own[o.Reg-x64.Virtual]
			} else if own&(own-1) != 0 {
				h = 0 // its users determine the piece
			}
			p.holds[o.Reg] = h
		}
	}
	for _, o := range ops.Slice() {
		if o.Role&(Read|Write) == Read {
			next := p.read[o.Reg]
			if next < p.floor {
				next = 0
			}
			p.read[o.Reg] = int32(len(p.links))
			p.links = append(p.links, link{j, next})
		}
	}
}

// reach adds an access to the group of accesses before it, or begins a new group that comes
// after them.
func (p *Piecer) reach(in *x64.Inst, info *x64.Info) {
	d := &p.deps
	store := info.DstMem
	end := in.M.Disp + int32(info.MemSize.Of(in.Len))
	plain := in.M.Index == 0
	if len(d.accs) > 0 {
		same := store == d.store && in.M.Base == d.base && p.unwritten(in.M.Base, d.accs[0])
		if same && (!store || plain && d.single && in.M.Disp >= d.end) {
			d.end = end
			return
		}
		if d.fence > 0 {
			d.accs = append(d.accs, d.fence-1)
		}
		d.fence = p.fenced(d.accs) + 1
		d.accs = d.accs[:0]
	}
	d.base, d.store, d.single, d.end = in.M.Base, store, plain, end
}

// unwritten reports whether a register has been written neither by node q nor since.
func (p *Piecer) unwritten(r x64.Reg, q int32) bool {
	return p.write[r] < p.base+q+1
}
