package amdgpu

// This file says which registers an instruction reads and writes, as runs of register numbers. The
// rules of wait states, the search for code addresses and the checks read it.

// RegHW0 is the register number of hardware register 0.
const RegHW0 = RegVGPR0 + 256 // an instruction has 8 bits for a VGPR

// A RegRun is a run of registers: n of them from lo. The numbers are scalar codes, 256 and up for
// VGPRs, 512 and up for hardware registers.
type RegRun struct{ Lo, N uint16 }

// Run returns the run of n registers from lo.
func Run(lo, n uint16) RegRun { return RegRun{lo, n} }

// Overlaps reports whether two runs have a register in common.
func (s RegRun) Overlaps(t RegRun) bool { return s.Lo < t.Lo+t.N && t.Lo < s.Lo+s.N }

// OperandRun returns the run of an operand; n is 0 if it is no register.
func OperandRun(o *Operand) RegRun {
	switch o.Kind {
	case KindVGPR:
		return RegRun{RegVGPR0 + o.Reg, uint16(o.Dwords)}
	case KindSGPR:
		return RegRun{o.Reg, uint16(o.Dwords)}
	}
	return RegRun{}
}

// RunText names a run of registers.
func (t *Target) RunText(s RegRun) string {
	switch {
	case s.Lo >= RegHW0:
		return t.hwRegText(int(s.Lo-RegHW0) | 31<<11)
	case s.Lo >= RegVGPR0:
		return regRange("v", int(s.Lo-RegVGPR0), int(s.N))
	}
	if name := t.sgprName(s.Lo, int(s.N)); name != "" {
		return name
	}
	return regRange("s", int(s.Lo), int(s.N))
}

// SpecialRuns appends the implicit registers that also have numbers.
func SpecialRuns(l []RegRun, s Special) []RegRun {
	if s&VCC != 0 {
		l = append(l, RegRun{RegVCC, 2})
	}
	if s&EXEC != 0 {
		l = append(l, RegRun{RegEXEC, 2})
	}
	if s&M0 != 0 {
		l = append(l, RegRun{RegM0, 1})
	}
	return l
}

// reads returns the registers that the instruction reads. They include implicit registers, but not
// EXEC as the mask of vector instructions.
func (in *Inst) reads() []RegRun {
	l := SpecialRuns(nil, in.Row.Reads)
	for i := range in.Row.Operands {
		if in.ReadsOperand(i) {
			l = append(l, OperandRun(&in.Ops[i]))
		}
	}
	return l
}

// Writes returns the registers that the instruction writes, implicit ones among them.
func (in *Inst) Writes() []RegRun { return in.AppendWrites(nil) }

// AppendWrites appends the registers that the instruction writes.
func (in *Inst) AppendWrites(l []RegRun) []RegRun {
	l = SpecialRuns(l, in.Row.Writes)
	for i := range in.Row.Operands {
		if in.WritesOperand(i) {
			l = append(l, OperandRun(&in.Ops[i]))
		}
	}
	return l
}

// ReadsOperand reports whether operand i consists of registers that are read.
func (in *Inst) ReadsOperand(i int) bool {
	return OperandRun(&in.Ops[i]).N > 0 && (!in.Row.Operands[i].Dst || in.Row.Flags.Has(FlagTied))
}

// WritesOperand reports whether operand i consists of registers that are written.
func (in *Inst) WritesOperand(i int) bool {
	s := &in.Row.Operands[i]
	atomicData := in.Row.Flags.Has(FlagAtomic) && (in.Row.Format == MUBUF || in.Row.Format == MIMG) && in.Returns()
	return OperandRun(&in.Ops[i]).N > 0 && (s.Dst || atomicData && s.Field == FieldVDATA)
}

// fieldSpans returns the registers of the operand in a field.
func (in *Inst) fieldSpans(f FieldID) []RegRun {
	for i := range in.Row.Operands {
		if in.Row.Operands[i].Field == f {
			if s := OperandRun(&in.Ops[i]); s.N > 0 {
				return []RegRun{s}
			}
		}
	}
	return nil
}

// IsVALU reports whether the vector ALU executes the row.
func IsVALU(r *Row) bool { return r.Unit == UnitVALU || r.Unit == UnitTrans }
