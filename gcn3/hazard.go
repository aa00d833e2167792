package gcn3

import (
	"fmt"
	"slices"

	"example.org/crosslane/internal/ir"
)

// GCN3 leaves two duties to the program: wait states between certain instructions (GCN3 ISA 4.5),
// and s_waitcnt before the result of a memory instruction is used (GCN3 ISA 4.4). This file
// describes which registers instructions use in this respect, and the rules of wait states.
// hazard_track.go follows one wave, hazard_flow.go all paths through the code.

// regHW0 is the register number of hardware register 0.
const regHW0 = regVGPR0 + 256

// span is a run of registers: scalar codes, 256 and up for VGPRs, 512 and up for
// hardware registers.
type regRun struct{ lo, n uint16 }

func (s regRun) overlaps(t regRun) bool { return s.lo < t.lo+t.n && t.lo < s.lo+s.n }

// spanOf returns the run of an operand; n is 0 if it is no register.
func spanOf(o *Operand) regRun {
	switch o.Kind {
	case KindVGPR:
		return regRun{regVGPR0 + o.Reg, uint16(o.Dwords)}
	case KindSGPR:
		return regRun{o.Reg, uint16(o.Dwords)}
	}
	return regRun{}
}

// text names the first register of the run that t overlaps, or the run itself.
func (s regRun) text() string {
	switch {
	case s.lo >= regHW0:
		return hwRegText(int(s.lo-regHW0) | 31<<11)
	case s.lo >= regVGPR0:
		return regRange("v", int(s.lo-regVGPR0), int(s.n))
	}
	if t := sgprName(s.lo, int(s.n)); t != "" {
		return t
	}
	return regRange("s", int(s.lo), int(s.n))
}

// specialSpans appends the implicit registers that also have numbers.
func specialSpans(l []regRun, s Special) []regRun {
	if s&VCC != 0 {
		l = append(l, regRun{RegVCC, 2})
	}
	if s&EXEC != 0 {
		l = append(l, regRun{RegEXEC, 2})
	}
	if s&M0 != 0 {
		l = append(l, regRun{RegM0, 1})
	}
	return l
}

// reads returns the registers that the instruction reads, writes returns those that it writes. Both
// include implicit registers, but not EXEC as the mask of vector instructions.
func (in *Inst) reads() []regRun {
	l := specialSpans(nil, in.Row.Reads)
	for i := range in.Row.Operands {
		if in.readsOperand(i) {
			l = append(l, spanOf(&in.Ops[i]))
		}
	}
	return l
}

func (in *Inst) writes() []regRun { return in.appendWrites(nil) }

func (in *Inst) appendWrites(l []regRun) []regRun {
	l = specialSpans(l, in.Row.Writes)
	for i := range in.Row.Operands {
		if in.writesOperand(i) {
			l = append(l, spanOf(&in.Ops[i]))
		}
	}
	return l
}

// readsOperand and writesOperand report whether operand i consists of registers that are read, or
// written.
func (in *Inst) readsOperand(i int) bool {
	return spanOf(&in.Ops[i]).n > 0 && (!in.Row.Operands[i].Dst || in.Row.Flags.Has(FlagTied))
}

func (in *Inst) writesOperand(i int) bool {
	s := &in.Row.Operands[i]
	atomicData := in.Row.Flags.Has(FlagAtomic) && (in.Row.Format == MUBUF || in.Row.Format == MIMG) && in.Returns()
	return spanOf(&in.Ops[i]).n > 0 && (s.Dst || atomicData && s.Field == FieldVDATA)
}

// waitStates returns the number of wait states that an instruction between two other ones
// contributes.
func (in *Inst) waitStates() int {
	if in.isNop() {
		return int(in.Ops[0].Imm&0xf) + 1
	}
	return 1
}

// isNop reports whether the instruction is s_nop: a number of wait states in the format SOPP.
func (in *Inst) isNop() bool { return in.Row.Flags.Has(FlagNop) }

// A trailKind is a kind of effect of an instruction on the instructions that follow closely.
type trailKind uint8

const (
	trailVALU   trailKind = iota // a VALU instruction wrote the register
	trailM0                      // a scalar instruction wrote M0
	trailSetReg                  // s_setreg wrote the hardware register
	trailStore                   // the register is the data of a wide store
)

// maxWaitStates is the longest distance that a rule demands.
const maxWaitStates = 5

// A waitRule names registers that an instruction must not use too soon after another instruction
// has left a trail on them. GCN3 ISA 4.5, "Manually Inserted Wait States".
type waitRule struct {
	states int
	after  trailKind
	what   string
	uses   func(in *Inst) []regRun
	reads  readKind
}

// A readKind selects the operations of an instruction's meaning that read the register of a rule.
// The same register may also be another operand, which the rule does not concern.
type readKind uint8

const (
	readsAny   readKind = iota
	readsMoved          // the value that DPP moves
	readsBits           // a mask as a number, not the lanes that it stands for
)

// waitRules returns the rules. Three rules of the manual's table are missing, because their cases
// do not occur here: VSKIP, which is not executed; TRAPSTS and s_rfe, which belong to trap
// handlers; and VCC under the number of the SGPR that holds it, which no assembler writes.
func waitRules() []waitRule {
	return []waitRule{
		{2, trailVALU, "DPP reads a VGPR that a VALU instruction wrote", dppSource, readsMoved},
		{5, trailVALU, "DPP runs under an EXEC that a VALU instruction wrote", dppExec, readsAny},
		{5, trailVALU, "vector memory reads an SGPR that a VALU instruction wrote", vmemScalars, readsAny},
		{4, trailVALU, "the lane select is an SGPR that a VALU instruction wrote", laneSelect, readsAny},
		{4, trailVALU, "v_div_fmas reads a VCC that a VALU instruction wrote", implicitVCC, readsAny},
		{5, trailVALU, "a VALU instruction reads VCCZ or EXECZ after another wrote VCC or EXEC", zeroFlags, readsBits},
		{2, trailSetReg, "s_getreg reads a register that s_setreg wrote", getRegs, readsAny},
		{2, trailSetReg, "s_setreg writes a register that another s_setreg wrote", setRegs, readsAny},
		{1, trailM0, "GDS and messages read an M0 that a scalar instruction wrote", externalM0, readsAny},
		{1, trailStore, "a VALU instruction writes the data of a store of more than 64 bits", valuVGPRs, readsAny},
	}
}

// trails returns the registers on which an instruction that writes registers leaves a trail.
func (in *Inst) trails(kind trailKind, writes []regRun) []regRun {
	switch r := in.Row; kind {
	case trailVALU:
		if isVALU(r) {
			return writes
		}
	case trailM0:
		if r.Unit == UnitSALU || r.Format == SOPP {
			for _, s := range writes {
				if s.overlaps(regRun{RegM0, 1}) {
					return []regRun{{RegM0, 1}}
				}
			}
		}
	case trailSetReg:
		return setRegs(in)
	case trailStore:
		return wideData(in)
	}
	return nil
}

// wideData returns the data registers of a store of more than 64 bits. A buffer store with an SGPR
// as soffset reads its data in time, so it has none.
func wideData(in *Inst) []regRun {
	if !in.Row.Flags.Has(FlagStore) || in.Row.Unit != UnitVMEM && in.Row.Unit != UnitFlat {
		return nil
	}
	var data []regRun
	for i := range in.Row.Operands {
		switch in.Row.Operands[i].Field {
		case FieldSOFFSET:
			if in.Ops[i].Kind == KindSGPR {
				return nil
			}
		case FieldVDATA, FieldDATA:
			if s := spanOf(&in.Ops[i]); s.n > 2 {
				data = append(data, s)
			}
		}
	}
	return data
}

// hwSpan returns the number of a hardware register, which is after those of the VGPRs.
func hwSpan(in *Inst) []regRun {
	reg, _, _ := hwReg(in)
	return []regRun{{regHW0 + uint16(reg), 1}}
}

func setRegs(in *Inst) []regRun {
	if !setsReg(in) {
		return nil
	}
	return hwSpan(in)
}

func getRegs(in *Inst) []regRun {
	if n := len(in.Row.Operands); n == 0 || in.Row.Operands[n-1].Kind != ClassHWReg || in.Row.Operands[0].Kind == ClassHWReg {
		return nil
	}
	return hwSpan(in)
}

// externalM0 covers the readers of M0 in GCN3 ISA 4.5: GDS, s_sendmsg and s_ttracedata.
func externalM0(in *Inst) []regRun {
	if in.Row.Reads&M0 == 0 || in.Row.GPRIdx != IdxNone || in.Row.Format != SOPP && !in.Has(ModGDS) {
		return nil
	}
	return []regRun{{RegM0, 1}}
}

func valuVGPRs(in *Inst) []regRun {
	if !isVALU(in.Row) {
		return nil
	}
	return slices.DeleteFunc(in.writes(), func(s regRun) bool { return s.lo < regVGPR0 })
}

// zeroFlags covers src_vccz and src_execz as operands. Branches wait by themselves.
func zeroFlags(in *Inst) []regRun {
	if !isVALU(in.Row) {
		return nil
	}
	for i := range in.Row.Operands {
		switch o := &in.Ops[i]; {
		case o.Kind != KindSpecial:
		case o.Reg == RegVCCZ:
			return []regRun{{RegVCC, 2}}
		case o.Reg == RegEXECZ:
			return []regRun{{RegEXEC, 2}}
		}
	}
	return nil
}

func dppSource(in *Inst) []regRun {
	if in.Enc != EncDPP {
		return nil
	}
	return in.fieldSpans(FieldSRC0)
}

func dppExec(in *Inst) []regRun {
	if in.Enc != EncDPP {
		return nil
	}
	return []regRun{{RegEXEC, 2}}
}

// vmemScalars returns the scalar registers that a vector memory instruction reads, except M0.
func vmemScalars(in *Inst) []regRun {
	if in.Row.Unit != UnitVMEM {
		return nil
	}
	var l []regRun
	for _, s := range in.reads() {
		if s.lo < regVGPR0 && s.lo != RegM0 {
			l = append(l, s)
		}
	}
	return l
}

func laneSelect(in *Inst) []regRun {
	if i := len(in.Row.Operands) - 1; i >= 0 && in.Row.Operands[i].Kind == ClassLane {
		if s := spanOf(&in.Ops[i]); s.n > 0 {
			return []regRun{s}
		}
	}
	return nil
}

func implicitVCC(in *Inst) []regRun {
	if isVALU(in.Row) && in.Row.Reads&VCC != 0 {
		return []regRun{{RegVCC, 2}}
	}
	return nil
}

// fieldSpans returns the registers of the operand in a field.
func (in *Inst) fieldSpans(f FieldID) []regRun {
	for i := range in.Row.Operands {
		if in.Row.Operands[i].Field == f {
			if s := spanOf(&in.Ops[i]); s.n > 0 {
				return []regRun{s}
			}
		}
	}
	return nil
}

func isVALU(r *Row) bool { return r.Unit == UnitVALU || r.Unit == UnitTrans }

// whereText returns the place of an instruction, for messages.
func whereText(p ir.Pos) string {
	if p.Line > 0 {
		return fmt.Sprintf("line %d", p.Line)
	}
	return fmt.Sprintf("offset %#x", p.Off)
}
