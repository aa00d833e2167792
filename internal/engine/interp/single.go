package interp

import (
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// This file executes single operations and ends of blocks, for an engine that has machine
// code for most operations. The result of Exec for each operation of a block and then End is
// that of Run.

// singles holds the instructions of the function by their index in Func.Code.
type singles struct {
	one   []*inst // the instruction; nil: it does nothing
	tally []int32 // the number of instructions that are accounted for before it
}

// table returns singles, which the first call creates.
func (p *Program) table() *singles {
	p.once.Do(func() {
		n := len(p.f.Code)
		s := &singles{one: make([]*inst, n), tally: make([]int32, n)}
		for b := range p.blocks {
			code := p.blocks[b].code
			for i := range code {
				in := &code[i]
				at := p.index(in.src)
				if in.counts > 0 {
					s.tally[at] = in.counts
					continue
				}
				s.one[at] = in
				parts := in.parts()
				for k := range parts {
					part := &parts[k]
					s.one[p.index(part.src)] = part
				}
			}
		}
		p.singles = s
	})
	return p.singles
}

// index returns the index of an instruction in the function.
func (p *Program) index(src *ir.Inst) int {
	return int((uintptr(unsafe.Pointer(src)) - uintptr(unsafe.Pointer(&p.f.Code[0]))) / unsafe.Sizeof(*src))
}

// Exec executes operation Func.Code[i] on the wave's frame as Run would, for the lanes of the
// write mask m. The operation's guard has already been applied to m. The operation must not
// end a block. If Run joins several accesses to memory, Exec executes one of them. It returns
// false if w.Fault is set. Several goroutines may call it, for different waves.
func (p *Program) Exec(w *sim.Wave, i int, m lane.Mask) bool {
	return p.do(w, p.table().one[i], m)
}

// Tally returns the number of guest instructions for which Run accounts, with w.Count, before
// operation Func.Code[i], for the lanes that are in EXEC then. It is not 0 only before
// operations that change EXEC.
func (p *Program) Tally(i int) int { return int(p.table().tally[i]) }

// Count returns the number of guest instructions for which Run accounts at the end of block
// b: those that no Tally has counted.
func (p *Program) Count(b int) int { return p.blocks[b].count }

// End accounts for block b after all its operations except the one that ends it, and executes
// that one for the wave's running fragment as Run would. If goes, Run would continue at w.PC;
// otherwise it would stop for the reason stop.
func (p *Program) End(w *sim.Wave, b int) (stop sim.Stop, goes bool) {
	w.PC = b
	return p.end(w, &p.blocks[b])
}

// do executes one instruction. The loop of Run repeats this code, because a call would cost
// time.
func (p *Program) do(w *sim.Wave, in *inst, m lane.Mask) bool {
	if in == nil {
		return true
	}
	base := w.Base
	switch in.kind {
	case kFree, kScalar:
		in.fn(base, in)
	case kFree2:
		in.fn(base, in)
		in.fn(base, in.hi)
	case kVec:
		if uint32(m|w.Dead) == ^uint32(0) {
			in.fn(base, in)
		} else if m != 0 {
			s := in.toScratch
			in.fn(base, s)
			p.blend(unsafe.Add(base, in.d), unsafe.Add(base, s.d), in.width, m)
		}
	case kVec2:
		if m == ^lane.Mask(0) {
			in.fn(base, in)
			in.fn(base, in.hi)
		} else if m != 0 {
			p.vec2(base, in, m)
		}
	default:
		return in.run(w, in, m)
	}
	return true
}
