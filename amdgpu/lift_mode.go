package amdgpu

import (
	"container/heap"
	"maps"

	"example.org/crosslane/internal/ir"
)

// This file finds the mode of every instruction. The MODE register determines the meaning of
// instructions, and code may change it: compilers enable f32 denormals for a division and disable
// them again. So the mode is found before lifting, by following constants through the code.
//
// Input: the instructions and the mode at the start.
// Output: the mode before each instruction, if all paths agree on it.
// Invariant: known is true only if the mode is the same on every path.
// Example: s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3 makes f32 denormals known to be kept
// after it.
// Literature: constant propagation, a forward must-analysis.

// modeBits packs a FloatMode in the layout of MODE, GCN3 ISA 3.6.
func modeBits(m FloatMode) uint32 {
	v := uint32(m.Round32&3) | uint32(m.Round16_64&3)<<2 | uint32(m.Denorm32&3)<<4 | uint32(m.Denorm16_64&3)<<6
	if !m.NoDX10Clamp {
		v |= 1 << 8
	}
	if !m.NoIEEE {
		v |= 1 << 9
	}
	return v
}

func modeOf(v uint32) FloatMode {
	return FloatMode{Round32: uint8(v & 3), Round16_64: uint8(v >> 2 & 3), Denorm32: Denorm(v >> 4 & 3), Denorm16_64: Denorm(v >> 6 & 3),
		NoDX10Clamp: v>>8&1 == 0, NoIEEE: v>>9&1 == 0}
}

// modeKnown holds the bits of MODE that a FloatMode has, modeDenorm those of its FP_DENORM.
const (
	modeKnown  = 1<<10 - 1
	modeDenorm = 0xf0
)

// regState holds the known facts before an instruction: the mode, if paths agree on it, and scalar
// registers that hold constants.
type regState struct {
	mode   FloatMode
	known  bool
	idx    IndexState
	consts map[uint16]uint32
}

// modes finds the mode before every instruction, by offset; nil if the code never changes it.
func modes(insts []Decoded, hub []int64, entry int64, start FloatMode) map[int64]regState {
	changes := false
	for i := range insts {
		changes = changes || SetsHWReg(&insts[i].In) || insts[i].In.Row.GPRIdx != IdxNone
	}
	if !changes {
		return nil
	}
	index := NewOffsetIndex(insts)
	at := map[int64]regState{entry: {mode: start, known: true, consts: map[uint16]uint32{}}}
	todo := Worklist[int64]{entry}
	for len(todo) > 0 {
		off := todo.Next()
		after, next := at[off], hub
		if off != hubOff {
			i, ok := index.At(off)
			if !ok {
				continue
			}
			after, next = after.step(&insts[i].In), successors(nil, &insts[i])
		}
		for _, to := range next {
			old, seen := at[to]
			if !seen {
				at[to] = after
				heap.Push(&todo, to)
			} else if m := old.meet(after); !m.equal(old) {
				at[to] = m
				heap.Push(&todo, to)
			}
		}
	}
	return at
}

func (s regState) equal(o regState) bool {
	return s.known == o.known && s.mode == o.mode && s.idx == o.idx && maps.Equal(s.consts, o.consts)
}

// meet keeps the facts on which both states agree.
func (s regState) meet(o regState) regState {
	m := regState{mode: s.mode, known: s.known && o.known && s.mode == o.mode, consts: map[uint16]uint32{}}
	if m.idx = s.idx; s.idx != o.idx {
		m.idx = IndexUnknown
	}
	for r, v := range s.consts {
		if w, ok := o.consts[r]; ok && v == w {
			m.consts[r] = v
		}
	}
	return m
}

// SetsHWReg reports whether the instruction is s_setreg.
func SetsHWReg(in *Inst) bool {
	return in.Row.Writes&Mode != 0 && len(in.Row.Operands) > 0 && in.Row.Operands[0].Kind == ClassHWReg
}

// step returns the state after an instruction.
func (s regState) step(in *Inst) regState {
	if SetsHWReg(in) {
		return s.setReg(in)
	}
	s.idx = s.idx.step(in)
	if in.Row.Flags.Has(FlagIndirect) && in.Row.Unit == UnitSALU {
		s.consts = map[uint16]uint32{} // it may write any register
	}
	writes := in.Writes()
	if len(writes) == 0 {
		return s
	}
	s.consts = maps.Clone(s.consts)
	for _, w := range writes {
		for i := range w.N {
			delete(s.consts, w.Lo+i)
		}
	}
	if in.Row.Unit == UnitSALU && len(writes) == 1 && writes[0].N == 1 && in.Row.Sem != nil {
		if v, ok := constantMove(in); ok {
			s.consts[writes[0].Lo] = v
		}
	}
	return s
}

// setReg returns the state after s_setreg.
func (s regState) setReg(in *Inst) regState {
	reg, lo, n := hwReg(in)
	if reg != HWRegMode {
		return s
	}
	mask := fieldMask(lo, n)
	if mask&modeKnown == 0 {
		return s
	}
	v, ok := s.consts[in.Ops[1].Reg]
	if in.Ops[1].IsConst() {
		v, ok = uint32(in.Ops[1].Bits(B32)), true
	}
	if !ok {
		s.known = false
		return s
	}
	s.known = s.known || mask&modeKnown == modeKnown
	s.mode = modeOf(modeBits(s.mode)&^mask | v<<lo&mask)
	return s
}

// constantMove reports whether an instruction means "D = constant". It lifts the instruction and
// examines the result.
func constantMove(in *Inst) (uint32, bool) {
	f := LiftAlone(in)
	if len(f.Code) != 1 || f.Code[0].Op != ir.Mov32 {
		return 0, false
	}
	a := f.Val(f.Code[0].Args[0])
	return uint32(a.Const), a.Kind == ir.Const
}

// LiftAlone lifts one instruction that has a meaning, without a context.
func LiftAlone(in *Inst) *ir.Func { return liftAt(in, 0).b.Func() }

// LiftPlaced is LiftAlone with a function that returns the registers of a value; n is 0 for values
// that are no registers, and for SCC and MODE.
func LiftPlaced(in *Inst) (f *ir.Func, place func(v *ir.Value) RegRun) {
	x := liftAt(in, 0)
	return x.b.Func(), func(v *ir.Value) RegRun {
		row, dwords := x.t.RowBytes(), uint16(1)
		if v.Type == ir.B64 || v.Type == ir.B1 && !v.Scalar && x.t.WaveSize > 32 {
			dwords = 2
		}
		switch {
		case v.Kind != ir.Guest:
		case v.Off >= x.sgpr && v.Off < x.sgpr+scalarCodes*4:
			return Run(uint16(v.Off-x.sgpr)/4, dwords)
		case v.Off >= x.vgpr && v.Off < x.vgpr+uint32(x.vgprs)*row:
			return Run(RegVGPR0+uint16((v.Off-x.vgpr)/row), 1)
		}
		return RegRun{}
	}
}

// liftAt is LiftAlone for an instruction with its successor at an offset. It returns the lifter,
// which has the places of registers.
func liftAt(in *Inst, next int64) *lifter {
	x := newAlone(in, next)
	in.Row.Sem(x)
	return x
}

// newAlone makes a lifter for one instruction.
func newAlone(in *Inst, next int64) *lifter {
	x := &lifter{t: in.Row.target, b: ir.NewBuilder("", in.Row.target.WaveSize), opt: &LiftOptions{}, vgprs: in.Row.target.VGPRs, in: in, next: next, views: map[view]ir.Ref{}, codeLabels: codeLabels{labels: map[int64]ir.Label{}}}
	x.sgpr, x.vgpr = x.b.Reserve(scalarCodes*4), x.b.Reserve(uint32(x.vgprs)*x.t.RowBytes())
	x.scc = x.b.Scalar("scc", ir.B1)
	x.exec = x.maskReg(RegEXEC)
	x.mask = x.exec
	x.b.At(ir.Pos{})
	return x
}
