package sim

import (
	"fmt"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Accesses that leave their variable for the next one. Checks place the variables of shared and private
// memory apart (ir.Apart). A gap lies between two variables, and no name of the kernel refers to it. An
// access to a gap is a finding, not a fault: the run goes on, as it does if variables lie side by side.
//
// Input: the addresses of an access, and the gaps of ir.Apart.
// Output: findings of the code beyond-variable.
// Invariant: messages show addresses without the gaps (sideBySide).
// Example: .shared a[16], b[16]; a store to a+16 hits the gap: "just past the end of "a"".

// beyondAll checks the accesses of lanes for gaps.
func (w *Wave) beyondAll(in *ir.Inst, m lane.Mask) {
	if w.Func.Apart == nil || in.Args[0] == 0 || in.Surplus {
		return
	}
	if in.Space != ir.Generic && in.Space != ir.Shared && in.Space != ir.Local {
		return
	}
	for i := range m.Lanes() {
		w.beyondOne(in, ir.AccessKind(in.Align), i, in.Space, w.Address(in.Args[0], i, in.Imm), uint64(in.Size))
	}
}

// beyondOne checks the access of one lane for gaps.
func (w *Wave) beyondOne(in *ir.Inst, kind ir.AccessKind, i int, space ir.Space, addr, size uint64) {
	space, at := w.Resolve(space, addr)
	if space != ir.Shared && space != ir.Local {
		return
	}
	g := w.Func.Apart.Gap(space, at, size)
	if g == nil {
		return
	}
	f := finding{lanes: lane.Lane(i), object: g.Behind.Name}
	if w.Unseen(CodeBeyondVariable, in.Pos) {
		f.text = fmt.Sprintf("lane %d of wave %d %s %s ", i, w.ID, [...]string{"reads", "writes", "updates"}[kind], count(size))
		behind, next := fmt.Sprintf("%q (%d bytes of .%s)", g.Behind.Name, g.Behind.Size, space), ""
		if g.Before.Name != "" {
			next = fmt.Sprintf(", which is followed by %q", g.Before.Name)
		}
		switch from, to := int64(at)-int64(g.From), int64(g.To)-int64(at+size); {
		case from < 0:
			f.text += fmt.Sprintf("of which the last %d are past the end of %s%s", int64(size)+from, behind, next)
		case from == 0:
			f.text += fmt.Sprintf("just past the end of %s%s", behind, next)
		case from <= to || next == "":
			f.text += fmt.Sprintf("%s past the end of %s%s", count(uint64(from)), behind, next)
		default:
			f.object = g.Before.Name
			f.text += fmt.Sprintf("that begin %s before the start of %q, which follows %s", count(uint64(int64(g.To)-int64(at))), g.Before.Name, behind)
		}
	}
	f.section, f.remedy = "PTX 5.4.5", "check the index against the size of the variable"
	if g.Before.Name != "" {
		f.remedy += fmt.Sprintf("; to use %q and %q as one, declare one variable for both", g.Behind.Name, g.Before.Name)
	}
	w.note(w, CodeBeyondVariable, in.Pos, f)
}

// definesGaps marks the bytes of gaps as defined. An access there is a finding of its own and needs no
// second one about undefined bits.
func definesGaps(undef []byte, gaps []ir.Gap) {
	for _, g := range gaps {
		if uint64(g.To) <= uint64(len(undef)) {
			clear(undef[g.From:g.To])
		}
	}
}

// sideBySide returns an address as it would be if variables lay side by side, for messages.
func (x addressSpaces) sideBySide(space ir.Space, addr uint64) uint64 {
	space, at := x.resolve(space, addr)
	if at >= 1<<32 {
		return addr // below the start
	}
	return addr - x.f.GapBytes(space, at)
}
