package interp

import (
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// What Run does, piece by piece, for an engine that has machine code for most of it.

// singles are the instructions of the function by their index in Func.Code.
type singles struct {
	one   []*inst // itself; nil: nothing is to be done
	tally []int32 // instructions that are accounted for before it
}

// table makes singles, once.
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

// index is where an instruction stands in the function.
func (p *Program) index(src *ir.Inst) int {
	return int((uintptr(unsafe.Pointer(src)) - uintptr(unsafe.Pointer(&p.f.Code[0]))) / unsafe.Sizeof(*src))
}

// Exec does operation Func.Code[i] on the wave's frame, as Run would: for the lanes of
// the write mask m, to which the operation's guard is applied already. It must not be one
// that ends a block. Of accesses to memory that Run does together it does one. It
// reports false if w.Fault is set. Several goroutines may call it, for several waves.
func (p *Program) Exec(w *sim.Wave, i int, m lane.Mask) bool {
	return p.do(w, p.table().one[i], m)
}

// Tally is how many guest instructions Run accounts for, with w.Count, before it does
// operation Func.Code[i], for the lanes that are on in EXEC then. It does so only before
// operations that change EXEC, and not if the number is 0.
func (p *Program) Tally(i int) int { return int(p.table().tally[i]) }

// Count is how many guest instructions Run accounts for at the end of block b: of those
// that no Tally has counted.
func (p *Program) Count(b int) int { return p.blocks[b].count }

// End accounts for block b, of which all operations have been done but the one that ends
// it, and does this one for the wave's running fragment, as Run would. If goes, Run would
// go on at w.PC; else it would stop, for the reason given.
func (p *Program) End(w *sim.Wave, b int) (stop sim.Stop, goes bool) {
	w.PC = b
	return p.end(w, &p.blocks[b])
}

// do does one instruction. Run has the same in its loop, where a call would cost time.
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
