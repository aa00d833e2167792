package amdgpu

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/diag"
)

// Decode decodes the instruction at the start of b, little-endian dwords, and returns its length in
// bytes: 4, 8 or 12. It accepts exactly the words that Encode makes: every bit that the instruction
// does not use must be 0.
//
// An error is a *diag.Diagnostic that names the bits; n is then the number of bytes to skip, at
// least 4 unless b is shorter.
func Decode(b []byte) (in Inst, n int, err error) { return GFX803.DecodeAt(b, 0) }

// DecodeAt is Decode for bytes at offset off of a section; errors name that offset.
func DecodeAt(b []byte, off int64) (in Inst, n int, err error) { return GFX803.DecodeAt(b, off) }

// Decode decodes an instruction of the chip; see the function Decode.
func (t *Target) Decode(b []byte) (in Inst, n int, err error) { return t.DecodeAt(b, 0) }

// DecodeAt decodes an instruction of the chip; see the function Decode.
func (t *Target) DecodeAt(b []byte, off int64) (in Inst, n int, err error) {
	fail := func(skip int, format string, args ...any) (Inst, int, error) {
		d := diag.Errorf(diag.Pos{Off: off, HasOff: true}, diag.Input, "illegal-instruction", format, args...)
		d.Section = "GCN3 ISA 13"
		return Inst{}, min(skip, len(b)), d
	}
	if len(b) < 4 {
		return fail(len(b), "%d bytes are left, an instruction has at least 4", len(b))
	}
	lo := binary.LittleEndian.Uint32(b)
	f, op := t.classify(lo)
	var ent opEntry
	if byOp := t.table().byOp[f]; byOp != nil {
		ent = byOp[op]
	}
	if ent.row == nil {
		if f == FormatNone {
			return fail(4, "dword 0x%08x: bits 31:26 are 0b%06b, which is no GCN3 encoding", lo, lo>>26)
		}
		skip := 4 * int(t.layouts[f].dwords)
		return fail(skip, "dword 0x%08x: %v has no opcode %d", lo, f, op)
	}
	e := ent.enc
	if f == VOP1 || f == VOP2 || f == VOPC {
		switch lo & 0x1ff {
		case regSDWA:
			e = EncSDWA
		case regDPP:
			e = EncDPP
		}
	}
	x := ent.row.encs[e]
	if x == nil {
		why := ent.row.NoDPP
		if e == EncSDWA {
			why = ent.row.NoSDWA
		}
		return fail(4, "dword 0x%08x: %s has no %v encoding: %s", lo, ent.row.Name, e, why)
	}
	w := uint64(lo)
	n = 4 * x.dwords
	if n > len(b) {
		return fail(len(b), "%s has %d bytes, but only %d are left", ent.row.Name, n, len(b))
	}
	if n == 8 {
		w |= uint64(binary.LittleEndian.Uint32(b[4:])) << 32
	}
	if bad := w &^ x.used; bad != 0 {
		return fail(n, "%s: bits %s must be 0 in 0x%0*x%s", ent.row.Name, bitRanges(bad), 2*n, w, x.lacking(bad))
	}
	in = Inst{Row: ent.row, Enc: e}
	d := decoder{t: t, x: x, w: w, rest: b[n:]}
	d.modifiers(&in)
	d.operands(&in)
	if d.err == "" {
		d.err, _ = x.check(&in)
	}
	if d.err != "" {
		return fail(n, "%s: %s", ent.row.Name, d.err)
	}
	if d.literal {
		n += 4
	}
	return in, n, nil
}

// classifyGFX8 finds an instruction's format and opcode, GCN3 ISA 13. The leading bits distinguish the
// formats, longest prefix first. VOP3A stands for VOP3B too.
func classifyGFX8(lo uint32) (f Format, op uint32) {
	switch {
	case lo>>31 == 0:
		switch lo >> 25 & 0x3f {
		case 0x3f:
			return VOP1, lo >> 9 & 0xff
		case 0x3e:
			return VOPC, lo >> 17 & 0xff
		}
		return VOP2, lo >> 25 & 0x3f
	case lo>>30 == 0b10:
		switch {
		case lo>>23 == 0b101111101:
			return SOP1, lo >> 8 & 0xff
		case lo>>23 == 0b101111110:
			return SOPC, lo >> 16 & 0x7f
		case lo>>23 == 0b101111111:
			return SOPP, lo >> 16 & 0x7f
		case lo>>28 == 0b1011:
			return SOPK, lo >> 23 & 0x1f
		}
		return SOP2, lo >> 23 & 0x7f
	}
	switch lo >> 26 {
	case 0b110000:
		return SMEM, lo >> 18 & 0xff
	case 0b110001:
		return FormatEXP, 0
	case 0b110100:
		return VOP3A, lo >> 16 & 0x3ff
	case 0b110101:
		return VINTRP, lo >> 16 & 3
	case 0b110110:
		return FormatDS, lo >> 17 & 0xff
	case 0b110111:
		return FLAT, lo >> 18 & 0x7f
	case 0b111000:
		return MUBUF, lo >> 18 & 0x7f
	case 0b111010:
		return MTBUF, lo >> 15 & 0xf
	case 0b111100:
		return MIMG, lo >> 18 & 0x7f
	}
	return FormatNone, 0
}

// bitRanges names the set bits, for example "63:61, 7".
func bitRanges(v uint64) string {
	s := ""
	for hi := 63; hi >= 0; hi-- {
		if v>>hi&1 == 0 {
			continue
		}
		lo := hi
		for lo > 0 && v>>(lo-1)&1 != 0 {
			lo--
		}
		if s != "" {
			s += ", "
		}
		if lo == hi {
			s += fmt.Sprint(hi)
		} else {
			s += fmt.Sprintf("%d:%d", hi, lo)
		}
		hi = lo
	}
	return s
}

// lacking names the fields of the given bits that the instruction does not use: "; it has no TFE".
func (x *encoding) lacking(bits uint64) string {
	var names []string
	for _, f := range x.fields {
		if f.ID != FieldReserved && f.mask()&bits != 0 && !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	if names == nil {
		return ""
	}
	return "; it has no " + strings.Join(names, " and no ")
}

// decoder decodes one instruction.
type decoder struct {
	t       *Target
	x       *encoding
	w       uint64
	rest    []byte // the bytes after the instruction, perhaps its literal
	literal bool   // a literal was read
	err     string // the first error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == "" {
		d.err = fmt.Sprintf(format, args...)
	}
}

func (d *decoder) modifiers(in *Inst) {
	for i := range d.x.mods {
		m := &d.x.mods[i]
		in.Mods[m.mod] = uint16(m.get(d.w))
	}
}

// operands decodes all operands.
func (d *decoder) operands(in *Inst) {
	for i := range d.x.ops {
		f := &d.x.ops[i]
		s := &d.x.row.Operands[i]
		if f.absent(in, s) {
			if (s.Kind == ClassVGPR || s.Kind == ClassExport) && f.Width > 0 && f.get(d.w) != 0 {
				d.fail("%s must be 0 because it is not used", f.Name)
			}
			in.Ops[i] = absentOperand(s)
			continue
		}
		o := d.operand(f, s, operandDwords(in, s, f))
		o.Neg = d.w&f.neg != 0
		o.Abs = d.w&f.abs != 0
		o.Sext = d.w&f.sext != 0
		in.Ops[i] = o
	}
}

// absent reports whether the instruction does not use the operand although its row has it: the
// result of an atomic without glc, the address of a buffer instruction with neither offen nor
// idxen, the data of a buffer load to LDS, and data that are not exported.
func (f *opField) absent(in *Inst, s *Spec) bool {
	switch f.ID {
	case FieldVDST:
		return in.Row.Format == FLAT && in.Row.Flags.Has(FlagAtomic) && !in.Has(ModGLC)
	case FieldVADDR:
		return in.Row.Format != MIMG && !in.Has(ModOffen) && !in.Has(ModIdxen)
	case FieldVDATA:
		return s.Dst && in.Has(ModLDS)
	case FieldEXP0, FieldEXP1, FieldEXP2, FieldEXP3:
		return exportBits(in, f.ID)&in.Mod(ModEN) == 0
	}
	return false
}

// absentOperand returns the value that stands for an unused operand.
func absentOperand(s *Spec) Operand {
	if s.Field == FieldVADDR || s.Kind == ClassExport {
		return Operand{Kind: KindOff}
	}
	return Operand{}
}

// operandDwords returns the number of registers of an operand. Its type determines it, with three
// exceptions: a buffer address has two if both offen and idxen are given; tfe adds a status dword
// to buffer data; DMASK gives the number of components of an image.
func operandDwords(in *Inst, s *Spec, f *opField) int {
	n := s.Type.Dwords()
	switch f.ID {
	case FieldVADDR:
		if in.Has(ModOffen) && in.Has(ModIdxen) {
			n = 2
		}
	case FieldVDATA:
		if in.Row.Format == MIMG {
			n = imageDwords(in)
		}
		if in.Has(ModTFE) {
			n++
		}
	}
	return n
}

// operand decodes one operand's field.
func (d *decoder) operand(f *opField, s *Spec, n int) Operand {
	v := uint16(f.get(d.w))
	switch f.form {
	case formVGPR, formExport:
		return d.vgpr(f, v, n)
	case formSrc9:
		if v >= RegVGPR0 {
			if s.Kind == ClassLane {
				d.fail("%s is v%d, but must be a scalar register or constant", f.Name, v-RegVGPR0)
			}
			return d.vgpr(f, v-RegVGPR0, n)
		}
		if s.Kind == ClassVGPR && v != RegLDSDirect {
			d.fail("%s is 0x%03x, but must be a VGPR", f.Name, v)
		}
		return d.source(f, v, n)
	case formSrc8:
		if v == regLiteral && s.Kind != ClassSSrc {
			d.fail("%s takes no literal", f.Name)
			return Operand{}
		}
		return d.source(f, v, n)
	case formSGPR, formSGPR9:
		return d.sgpr(f, v, n)
	case formBase:
		return d.sgpr(f, v*2, n)
	case formRsrc:
		return d.sgpr(f, v*4, n)
	case formSOff:
		return d.smemOffset(f)
	case formImm:
		if s.Type == U16 {
			return Imm(int64(v))
		}
		return Imm(int64(int16(v)))
	case formUImm:
		return Imm(int64(v))
	case formAttr:
		return Imm(int64(v))
	case formAttrLow:
		return Imm(int64(v>>6 | v&0x3f<<2))
	case formLiteral:
		return d.readLiteral()
	}
	return S(RegVCC, 2)
}

func (d *decoder) vgpr(f *opField, v uint16, n int) Operand {
	if int(v)+n > d.t.VGPRs {
		d.fail("%s is v[%d:%d], but the last VGPR is v%d", f.Name, v, int(v)+n-1, d.t.VGPRs-1)
	}
	return V(int(v), n)
}

func (d *decoder) sgpr(f *opField, v uint16, n int) Operand {
	if !d.t.sgprOK(v, n) {
		d.fail("%s is %d: no %s starts there", f.Name, v, scalars(n))
	}
	return S(int(v), n)
}

// scalars names a run of scalar registers in a message.
func scalars(n int) string {
	if n == 1 {
		return "scalar register"
	}
	return fmt.Sprintf("run of %d scalar registers", n)
}

// source decodes a scalar source code, GCN3 ISA table 5.1.
func (d *decoder) source(f *opField, v uint16, n int) Operand {
	switch {
	case v < scalarCodes:
		return d.sgpr(f, v, n)
	case v <= 208, v >= inlineFloat0 && v <= inlineFloatN:
		return Inline(int(v))
	case v >= RegVCCZ && v <= RegLDSDirect:
		return Operand{Kind: KindSpecial, Reg: v, Dwords: uint8(n)}
	case v == regLiteral:
		return d.readLiteral()
	}
	d.fail("%s is %d, a reserved source code", f.Name, v)
	return Operand{}
}

func (d *decoder) readLiteral() Operand {
	if len(d.rest) < 4 {
		d.fail("a literal dword must follow, but only %d bytes are left", len(d.rest))
		return Operand{}
	}
	d.literal = true
	return Literal(binary.LittleEndian.Uint32(d.rest))
}

// smemOffset decodes OFFSET of SMEM: an immediate, or the code of a scalar register.
func (d *decoder) smemOffset(f *opField) Operand {
	v := f.get(d.w)
	if d.x.field(FieldIMM).get(d.w) != 0 {
		return Imm(int64(v))
	}
	if v >= scalarCodes {
		d.fail("OFFSET is 0x%x, but must be the code of a scalar register because IMM is 0", v)
		return Operand{}
	}
	return d.sgpr(f, uint16(v), 1)
}
