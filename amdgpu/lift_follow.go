package amdgpu

import (
	"fmt"
	"maps"
	"slices"

	"example.org/crosslane/diag"
)

// This file finds the code that control can reach, and the successors of each instruction.

// branchTarget returns the destination of a branch: SIMM16 counts dwords from the next instruction,
// GCN3 ISA 12, SOPP.
func branchTarget(in *Inst, next int64) int64 {
	i := len(in.Row.Operands) - 1
	return next + 4*int64(int16(in.Ops[i].Imm))
}

// stops reports whether control never continues with the next instruction.
func stops(in *Inst) bool {
	f := in.Row.Flags
	return f.Has(FlagEnd) || f.Has(FlagBranch) && !f.Has(FlagCond) || f.Has(FlagIndirect) && in.Row.Unit == UnitBranch
}

// hubOff stands for the targets of all computed branches.
const hubOff = -1

// successors appends the offsets of the possible next instructions.
func successors(l []int64, d *Decoded) []int64 {
	l = append(l, d.to...)
	if f := d.In.Row.Flags; f.Has(FlagBranch) && !f.Has(FlagIndirect) {
		l = append(l, branchTarget(&d.In, d.Next))
	}
	if d.Computed {
		l = append(l, hubOff)
	}
	if !stops(&d.In) {
		l = append(l, d.Next)
	}
	return l
}

// A Program is the code that can be reached from an entry, in the order of offsets.
type Program struct {
	Insts []Decoded
	Hub   []int64 // the targets of computed branches
	// ways holds the targets of each computed branch; nil: there are none.
	ways *contexts
}

// Open reports whether the target of computed branch i may be an address that is not known.
func (p *Program) Open(i int) bool { return p.ways != nil && p.ways.open[int32(i)] }

// Callees returns the targets that calls with an unknown address are assumed to have.
func (p *Program) Callees() []int64 {
	if p.ways == nil {
		return nil
	}
	return p.ways.callees
}

// Indexing returns the state of GPR indexing before each instruction, by offset. Offsets at which it
// is off may be missing.
func (p *Program) Indexing(entry int64) map[int64]IndexState {
	m := map[int64]IndexState{}
	for off, s := range modes(p.Insts, p.Hub, entry, FloatMode{}) {
		m[off] = s.idx
	}
	return m
}

// PlainGraph returns the graph without contexts: every computed branch goes to all of the hub.
func (p *Program) PlainGraph(entry int64) FlowGraph { return newFlowGraph(p.Insts, p.Hub, entry) }

// reachable decodes the instructions that control can reach from the entry.
func reachable(code Code, allowEnd bool) (list []Decoded, hub []int64, err error) {
	p, err := Follow(code, allowEnd)
	if err != nil {
		return nil, nil, err
	}
	return p.Insts, p.Hub, nil
}

// Follow decodes the instructions that control can reach from the entry, and finds the targets
// of computed branches.
func Follow(code Code, allowEnd bool) (*Program, error) {
	w := &walker{code: code, allowEnd: allowEnd, seen: make(places, len(code.Bytes)/4), taken: map[int64]bool{}, after: map[int64]bool{}, illegal: map[int64]bool{}}
	if err := w.follow(code.Entry); err != nil {
		return nil, err
	}
	p := &Program{}
	for {
		w.sort()
		p.Insts = w.list
		if !w.jumps && !w.pointers {
			return p, nil
		}
		p.Hub = slices.Sorted(maps.Keys(w.after))
		p.ways = newContexts(p.Insts, code, p.Hub)
		known := len(w.list) + len(w.after)
		if err := w.learn(p.ways); err != nil {
			return nil, err
		}
		if known == len(w.list)+len(w.after) {
			return p, nil
		}
	}
}

// Reached returns the offsets of the instructions that control can reach from the entry, in
// ascending order.
func Reached(code Code) ([]int64, error) {
	p, err := Follow(code, true)
	if err != nil {
		return nil, err
	}
	l := make([]int64, len(p.Insts))
	for i := range p.Insts {
		l[i] = p.Insts[i].Off
	}
	return l, nil
}

// learn follows the found targets of computed branches. If a branch has unknown targets, it may go
// to all functions, and to all addresses that the code computes.
func (w *walker) learn(ways *contexts) error {
	var list []int64
	for _, to := range ways.targets {
		for off := range to {
			list = append(list, off)
		}
	}
	open, calls := len(ways.open) > 0, false
	for i := range ways.open {
		calls = calls || IsCall(&w.list[i].In)
	}
	if open {
		list = slices.AppendSeq(list, maps.Keys(w.taken))
		if calls || len(w.after) == 0 && !w.code.Function {
			list = append(list, w.code.Functions...)
		}
	}
	slices.Sort(list)
	for _, off := range slices.Compact(list) {
		if w.after[off] || !w.legal(off) {
			continue
		}
		w.after[off] = true
		if err := w.follow(off); err != nil {
			return err
		}
	}
	return nil
}

// sort sorts the instructions by offset.
func (w *walker) sort() {
	for i := 1; i < len(w.list); i++ {
		if w.list[i].Off < w.list[i-1].Off {
			slices.SortFunc(w.list, func(a, b Decoded) int { return int(a.Off - b.Off) })
			return
		}
	}
}

// A walker follows control through code.
type walker struct {
	code     Code
	allowEnd bool
	list     []Decoded
	seen     places
	taken    map[int64]bool // addresses that the code computes
	after    map[int64]bool // targets of computed branches
	illegal  map[int64]bool // offsets from which no code can be decoded
	jumps    bool           // there are computed branches
	pointers bool           // there are calls of computed addresses
}

// places is a set of instruction offsets, by dwords. It never holds an offset without an
// instruction.
type places []bool

func (p places) valid(off int64) bool { return off >= 0 && off/4 < int64(len(p)) && off&3 == 0 }

func (p places) has(off int64) bool { return p.valid(off) && p[off/4] }

func (p places) add(off int64) {
	if p.valid(off) {
		p[off/4] = true
	}
}

// follow decodes the code that is reachable from an offset. A straight line is followed from its
// beginning, so that the targets of its calls are known.
func (w *walker) follow(off int64) error {
	type place struct {
		off  int64
		from *Decoded // predecessor, nil for an entry
	}
	todo := []place{{off, nil}}
	for len(todo) > 0 {
		off, from := todo[len(todo)-1].off, todo[len(todo)-1].from
		todo = todo[:len(todo)-1]
		var fold *folder // made when there is a value to follow
		for !w.seen.has(off) && (!w.allowEnd || off != int64(len(w.code.Bytes))) {
			w.seen.add(off)
			got, err := w.code.decode(off)
			if err != nil {
				return w.code.blame(err, from, off)
			}
			d := w.add(got)
			from = d
			if fold == nil && d.In.Row.Reads&PC != 0 && !IsCall(&d.In) {
				fold = newFolder(w.taken) // s_getpc_b64
			}
			for _, to := range w.jump(d, fold) {
				todo = append(todo, place{to, d})
			}
			if fold != nil {
				// The registers that the instruction computes are relative to offset 0.
				fold.next(d)
			}
			if f := d.In.Row.Flags; f.Has(FlagBranch) && !f.Has(FlagIndirect) {
				todo = append(todo, place{branchTarget(&d.In, d.Next), d})
			}
			if stops(&d.In) {
				break
			}
			off = d.Next
		}
	}
	return nil
}

// add appends an instruction to the list and returns its place there. If the list is reallocated,
// the old place stays valid for its readers.
func (w *walker) add(d Decoded) *Decoded {
	if n := len(w.list); n == cap(w.list) { // grow by a factor of two, because instructions are large
		w.list = slices.Grow(w.list, n+min(64, len(w.code.Bytes)/4+1))
	}
	w.list = append(w.list, d)
	return &w.list[len(w.list)-1]
}

// blame turns an error about an offset outside the code into an error at the instruction that leads
// there; other errors are unchanged.
func (c *Code) blame(err error, from *Decoded, off int64) error {
	if from == nil {
		return err
	}
	for _, d := range diag.Of(err) {
		if d.Code != "code-outside" {
			continue
		}
		at := c.Pos(from)
		d.Pos, d.Source = c.DiagPos(at), at.Text
		if off == from.Next {
			d.Message = fmt.Sprintf("control runs past the end of the code, %d bytes, after %s", len(c.Bytes), from.In.Mnemonic())
			continue
		}
		d.Message = fmt.Sprintf("%s goes to offset %s, outside the code of %d bytes", from.In.Mnemonic(), signedHex(off), len(c.Bytes))
		d.Remedy = "branch to a label of the kernel"
	}
	return err
}

// jump finds the targets of a computed branch and returns the offsets to follow.
func (w *walker) jump(d *Decoded, fold *folder) []int64 {
	known := func(i int) (int64, bool) {
		if fold == nil {
			return 0, false
		}
		return fold.target(&d.In.Ops[i])
	}
	switch in := &d.In; {
	case IsCall(in):
		w.after[d.Next] = true
		if to, ok := known(1); ok {
			d.to = []int64{to}
		} else {
			d.Computed, w.pointers = true, true
		}
		return append(d.to, d.Next)
	case IsReturn(in):
		if to, ok := known(0); ok {
			d.to = []int64{to}
		} else {
			d.Computed, w.jumps = true, true
		}
		return d.to
	case isFork(in):
		if in.Row.Format == SOPK {
			d.to = []int64{branchTarget(in, d.Next)}
		} else if to, ok := known(1); ok {
			d.to = []int64{to}
		} else {
			d.Computed, w.jumps = true, true
		}
		d.to = append(d.to, d.Next)
		for _, to := range d.to {
			w.after[to] = true
		}
		return d.to
	case isJoin(in):
		d.to = []int64{d.Next}
		d.Computed, w.jumps = true, true
		return d.to
	}
	return nil
}

// legal reports whether instructions can be decoded from an offset on, up to one that ends a
// straight line or is already known.
func (w *walker) legal(off int64) bool {
	var line []int64
	for !w.seen.has(off) {
		d, err := w.code.decode(off)
		if err != nil || w.illegal[off] {
			for _, o := range line {
				w.illegal[o] = true
			}
			return false
		}
		if stops(&d.In) {
			return true
		}
		line = append(line, off)
		off = d.Next
	}
	return true
}

// decode decodes the instruction at an offset.
func (c *Code) decode(off int64) (Decoded, error) {
	if off < 0 || off >= int64(len(c.Bytes)) || off&3 != 0 {
		e := diag.Errorf(diag.Pos{File: c.File, Off: off, HasOff: true}, diag.Input, "code-outside",
			"control reaches offset %s, outside the code of %d bytes", signedHex(off), len(c.Bytes))
		e.Remedy = "end the kernel with s_endpgm"
		return Decoded{}, e
	}
	in, n, err := c.Target.OrDefault().DecodeAt(c.Bytes[off:], off)
	if err != nil {
		for _, d := range diag.Of(err) {
			d.Pos.File = c.File
			if c.Source != nil {
				if line, col, text, ok := c.Source(off); ok {
					d.Pos.Line, d.Pos.Col, d.Source = line, col, text
				}
			}
		}
		return Decoded{}, err
	}
	return Decoded{In: in, Off: off, Next: off + int64(n)}, nil
}

func signedHex(v int64) string {
	if v < 0 {
		return fmt.Sprintf("-%#x", -v)
	}
	return fmt.Sprintf("%#x", v)
}
