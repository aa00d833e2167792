package amdgpu

import (
	"slices"
)

// specialNames returns the implicit registers with their purposes.
func specialNames() []struct {
	s          Special
	name, what string
} {
	return []struct {
		s          Special
		name, what string
	}{
		{SCC, "scc", ""}, {VCC, "vcc", ""}, {EXEC, "exec", ""}, {M0, "m0", ""}, {FlatScratch, "flat_scratch", "where private memory is"},
		{Mode, "mode", ""}, {PC, "pc", ""},
	}
}

// Uses returns all registers that the row's instructions read and write beside their operands:
// Reads and Writes, EXEC if it selects the lanes that take part, and MODE if the meaning depends on
// it.
func (r *Row) Uses() (reads, writes Special) {
	reads, writes = r.Reads, r.Writes
	if r.underExec() {
		reads |= EXEC
	}
	if in, ok := r.Specimen(E32); ok && reads&Mode == 0 && readsMode(&in) {
		reads |= Mode
	}
	return reads, writes
}

// underExec reports whether the lanes of EXEC take part. They do in vector instructions, except
// those that select a lane themselves or have nothing to do with lanes.
func (r *Row) underExec() bool {
	switch r.Unit {
	case UnitVALU, UnitTrans, UnitLDS, UnitFlat, UnitVMEM, UnitExport:
		return len(r.Operands) > 0 && r.operand(ClassLane) < 0 || r.Flags.Has(FlagLDSOnly)
	}
	return false
}

// readsMode reports whether the effect of the instruction depends on MODE. It lifts the instruction
// with unknown MODE and tests whether MODE is read.
func readsMode(in *Inst) bool {
	if in.Row.Sem == nil || !IsVALU(in.Row) && in.Row.Unit != UnitLDS {
		return in.Row.Reads&Mode != 0
	}
	x := newAlone(in, int64(in.Size()))
	x.dyn = true
	in.Row.Sem(x)
	return x.modeVal != 0
}

// Specimen returns an instruction of the row in one of its encodings, with registers from v0 and s0
// on; ok is false if the row lacks the encoding.
func (r *Row) Specimen(e Enc) (in Inst, ok bool) {
	if int(e) >= len(r.encs) || r.encs[e] == nil {
		return Inst{}, false
	}
	x := r.encs[e]
	in = Inst{Row: r, Enc: e}
	for i := range x.mods {
		if v, needed := specimenMods(r)[x.mods[i].mod]; needed {
			in.Mods[x.mods[i].mod] = v
		}
	}
	v, s := 0, 0
	for i := range x.ops {
		f, spec := &x.ops[i], &r.Operands[i]
		if f.absent(&in, spec) {
			in.Ops[i] = absentOperand(spec)
			continue
		}
		n := operandDwords(&in, spec, f)
		switch f.form {
		case formVGPR, formExport:
			in.Ops[i] = V(v, n)
			v += n
		case formSrc9:
			if spec.Kind == ClassLane {
				in.Ops[i] = Inline(129 + s) // v_writelane_b32 has two
				s++
				continue
			}
			in.Ops[i] = V(v, n)
			v += n
		case formSrc8, formSGPR, formSGPR9, formBase, formRsrc:
			align := min(n, 4)
			s = (s + align - 1) &^ (align - 1)
			in.Ops[i] = S(s, n)
			s += n
		case formVCC:
			in.Ops[i] = S(RegVCC, 2)
		case formLiteral:
			in.Ops[i] = Literal(0x40490fdb)
			if spec.Type.Is16() {
				in.Ops[i] = Literal(0x4248)
			}
		case formImm, formUImm, formSOff, formAttr, formAttrLow:
			in.Ops[i] = Imm(0)
			if spec.Kind == ClassHWReg {
				in.Ops[i] = Imm(HWRegMode | 31<<11)
			}
		}
	}
	return in, in.Check() == ""
}

// specimenMods returns the modifiers that a specimen needs, and their values.
func specimenMods(r *Row) map[ModID]uint16 {
	m := map[ModID]uint16{ModDPPCtrl: 0xb1, ModRowMask: 15, ModBankMask: 15, ModDstSel: 6, ModSrc0Sel: 6, ModSrc1Sel: 6, ModDstUnused: 2, ModDFmt: 4, ModNFmt: 7, ModEN: 15}
	if r.Flags.Has(FlagGDSOnly) {
		m[ModGDS] = 1
	}
	if r.Flags.Has(FlagLDSOnly) {
		m[ModLDS] = 1
	}
	switch {
	case r.Format != MIMG:
	case r.Flags.Has(FlagAtomic) && r.Operands[0].Type == B64:
		m[ModDMask] = 3
	case r.Flags.Has(FlagAtomic), r.Flags.Has(FlagGather):
		m[ModDMask] = 1
	default:
		m[ModDMask] = 15
	}
	return m
}

// uses lists the registers and memories that the instruction reads and writes.
func (x *explainer) uses() {
	in, r, e := x.in, x.in.Row, x.e
	add := func(l *[]string, t string) {
		if t != "" && !slices.Contains(*l, t) {
			*l = append(*l, t)
		}
	}
	for i := range r.Operands {
		if in.ReadsOperand(i) {
			add(&e.Reads, x.text(OperandRun(&in.Ops[i])))
		}
		if in.WritesOperand(i) {
			add(&e.Writes, x.text(OperandRun(&in.Ops[i])))
		}
		if o := &in.Ops[i]; o.Kind == KindSpecial {
			add(&e.Reads, specialName(o.Reg))
		}
	}
	if in.Enc == EncSDWA && in.Mod(ModDstUnused) == 2 && in.Mod(ModDstSel) != 6 {
		add(&e.Reads, x.text(OperandRun(&in.Ops[0]))+" (the part that is kept)")
	}
	reads, writes := r.Reads, r.Writes
	for _, s := range specialNames() {
		why := s.what
		if s.s == FlatScratch && why != "" {
			why = " (" + why + ")"
		}
		if reads&s.s != 0 {
			add(&e.Reads, s.name+why)
		}
		if writes&s.s != 0 {
			add(&e.Writes, s.name)
		}
	}
	if r.underExec() {
		add(&e.Reads, "exec (the lanes that take part)")
	}
	if reads&Mode == 0 && readsMode(in) {
		add(&e.Reads, "mode (rounding, denormals, IEEE, DX10_CLAMP)")
	}
	if r.operand(ClassAttr) >= 0 {
		add(&e.Reads, "LDS (the attribute)")
	}
	place := memoryName(in)
	if r.Flags.Has(FlagLoad) {
		add(&e.Reads, place)
	}
	if r.Flags.Has(FlagStore) {
		add(&e.Writes, place)
	}
	if in.Has(ModLDS) && r.Flags.Has(FlagLDSOnly) {
		add(&e.Reads, "LDS")
	} else if in.Has(ModLDS) {
		add(&e.Writes, "LDS")
	}
	if r.Unit == UnitExport {
		add(&e.Writes, "the export target")
	}
}

// memoryName returns the memory that the instruction accesses.
func memoryName(in *Inst) string {
	switch {
	case in.Has(ModGDS):
		return "GDS"
	case in.Row.Unit == UnitLDS:
		return "LDS"
	case in.Row.Unit == UnitFlat:
		return "memory, LDS or private memory, as the address says"
	case in.Row.Format == MIMG:
		return "the image"
	}
	return "memory"
}

// unitName names the unit that executes the row, and the consequences.
func (r *Row) unitName() string {
	return [...]string{
		UnitNone:   "the sequencer",
		UnitSALU:   "the scalar ALU",
		UnitSMEM:   "scalar memory: lgkmcnt counts it until it is done, in any order",
		UnitVALU:   "the vector ALU",
		UnitTrans:  "the vector ALU, at a quarter of its rate",
		UnitVMEM:   "vector memory: vmcnt counts it until it is done, in order",
		UnitFlat:   "flat memory: vmcnt and lgkmcnt count it until it is done",
		UnitLDS:    "the local data share: lgkmcnt counts it until it is done, in order",
		UnitBranch: "the branch unit",
		UnitMsg:    "messages: lgkmcnt counts it until it is sent",
		UnitExport: "the export unit: expcnt counts it until its registers have been read",
	}[r.Unit]
}
