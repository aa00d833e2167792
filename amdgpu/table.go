package amdgpu

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A rowTable holds all rows.
type rowTable struct {
	all    []Row
	byName map[string]*Row
	// byOp holds the row of each format and opcode. For VOP3A it holds each of the 1024 opcodes of
	// the VOP3 encoding, with the encoding that the row has there.
	byOp [numFormats][]opEntry
}

type opEntry struct {
	row *Row
	enc Enc
}

// newTable builds a chip's table from the rows of all formats. It takes some milliseconds, which is most
// of a command's start; later the table is only read. A mistake in a row panics.
func newTable(chip *Target) *rowTable {
	t := &rowTable{}
	t.all = slices.Concat(rowsSOP2(), rowsSOPK(), rowsSOP1(), rowsSOPC(), rowsSOPP(), rowsSMEM(),
		rowsVOP2(), rowsVOP1(), rowsVOPC(), rowsVOP3(), rowsDS(), rowsFLAT(), rowsMUBUF(), rowsMTBUF(),
		rowsVINTRP(), rowsMIMG(), rowsEXP())
	t.byName = make(map[string]*Row, len(t.all))
	for i := range t.all {
		r := &t.all[i]
		if old := t.byName[r.Name]; old != nil {
			panic(fmt.Sprintf("amdgpu: two rows are named %s: %v %d and %v %d", r.Name, old.Format, old.Op, r.Format, r.Op))
		}
		t.byName[r.Name] = r
		r.target = chip
		r.build()
		t.index(r, r.Format, r.Op, E32)
		if r.Encs.Has(E64) {
			t.index(r, VOP3A, r.vop3Op(), E64)
		}
	}
	return t
}

// index enters a row under a format and opcode.
func (t *rowTable) index(r *Row, f Format, op uint16, e Enc) {
	if f == VOP3B {
		f = VOP3A // they share their opcodes
	}
	if t.byOp[f] == nil {
		t.byOp[f] = make([]opEntry, 1024)
	}
	if old := t.byOp[f][op].row; old != nil {
		panic(fmt.Sprintf("amdgpu: %s and %s share opcode %d of %v", old.Name, r.Name, op, f))
	}
	t.byOp[f][op] = opEntry{r, e}
}

// vop3Op returns the opcode of the row's VOP3 encoding, GCN3 ISA 12, VOP3.
func (r *Row) vop3Op() uint16 {
	switch at := &r.target.VOP3; r.Format {
	case VOP2:
		return r.Op + at.VOP2
	case VOP1:
		return r.Op + at.VOP1
	case VINTRP:
		return r.Op + at.VINTRP
	}
	return r.Op
}

// Rows returns all rows of GFX803.
func Rows() []*Row { return GFX803.Rows() }

// LookUp returns the row of GFX803 with a base mnemonic.
func LookUp(name string) *Row { return GFX803.LookUp(name) }

// Mnemonics returns the base mnemonics of GFX803 in alphabetical order.
func Mnemonics() []string { return GFX803.Mnemonics() }

// Rows returns the chip's rows in the manual's order: by format, then by opcode.
func (t *Target) Rows() []*Row {
	all := t.table().all
	rs := make([]*Row, len(all))
	for i := range all {
		rs[i] = &all[i]
	}
	return rs
}

// LookUp returns the row of a base mnemonic, for example "v_add_f32", without encoding suffix; nil
// if there is none.
func (t *Target) LookUp(name string) *Row { return t.table().byName[name] }

// Mnemonics returns the base mnemonics in alphabetical order.
func (t *Target) Mnemonics() []string { return slices.Sorted(maps.Keys(t.table().byName)) }

// lookUpSuffixed resolves a mnemonic as written: in lower case, perhaps with an encoding suffix.
// forced reports whether there was a suffix.
func (t *Target) lookUpSuffixed(m string) (r *Row, e Enc, forced bool) {
	byName := t.table().byName
	if r = byName[m]; r != nil {
		return r, E32, false
	}
	for e := E32; e <= EncSDWA; e++ {
		if base, ok := strings.CutSuffix(m, "_"+e.String()); ok {
			if r = byName[base]; r != nil {
				return r, e, true
			}
		}
	}
	return nil, E32, false
}

// The functions below make rows. They keep the tables one line per instruction.

func in(f FieldID, c Class, t Type) Spec  { return Spec{f, c, t, false} }
func out(f FieldID, c Class, t Type) Spec { return Spec{f, c, t, true} }

func row(f Format, op uint16, name string, ops ...Spec) Row {
	r := Row{Name: name, Format: f, Op: op, Operands: ops, Encs: E32.Set(), Unit: unitOf(f)}
	if f == VOP3A || f == VOP3B {
		r = r.noDPP("VOP3 instructions have no DPP form").noSDWA("VOP3 instructions have no SDWA form")
	}
	return r
}

// unitOf returns the unit that executes the instructions of a format, unless the row sets another
// one.
func unitOf(f Format) Unit {
	switch f {
	case SOP1, SOP2, SOPK, SOPC:
		return UnitSALU
	case SMEM:
		return UnitSMEM
	case VOP1, VOP2, VOPC, VOP3A, VOP3B, VINTRP:
		return UnitVALU
	case FormatDS:
		return UnitLDS
	case FLAT:
		return UnitFlat
	case MUBUF, MTBUF, MIMG:
		return UnitVMEM
	case FormatEXP:
		return UnitExport
	}
	return UnitNone
}

// fl adds flags.
func (r Row) fl(f Flags) Row { r.Flags |= f; return r }

// r adds implicit reads, w implicit writes.
func (r Row) r(s Special) Row { r.Reads |= s; return r }
func (r Row) w(s Special) Row { r.Writes |= s; return r }

// on sets the unit.
func (r Row) on(u Unit) Row { r.Unit = u; return r }

// enc sets the encodings.
func (r Row) enc(es ...Enc) Row {
	r.Encs = 0
	for _, e := range es {
		r.Encs |= e.Set()
	}
	return r
}

// noDPP and noSDWA remove an encoding and state the reason.
func (r Row) noDPP(why string) Row {
	r.NoDPP = why
	r.Encs &^= EncDPP.Set()
	return r
}

func (r Row) noSDWA(why string) Row {
	r.NoSDWA = why
	r.Encs &^= EncSDWA.Set()
	return r
}

// does sets the formula.
func (r Row) does(formula string) Row { r.Does = formula; return r }

// wide describes the part that assumes 64 lanes.
func (r Row) wide(s string) Row { r.Wide = s; return r }

// byWave sets the constant that divides work-items into waves.
func (r Row) byWave(n uint8) Row { r.ByWave = n; return r }

// idx sets the instruction's effect on GPR indexing.
func (r Row) idx(k GPRIdx) Row { r.GPRIdx = k; return r }

// never sets the reason why the instruction cannot be executed.
func (r Row) never(why string) Row { r.Why = why; return r }

// means sets the meaning.
func (r Row) means(s Sem) Row { r.Sem = s; return r }

func sop2(op uint16, name string, d, a, b Type) Row {
	return row(SOP2, op, name, out(FieldSDST, ClassSDst, d), in(FieldSSRC0, ClassSSrc, a), in(FieldSSRC1, ClassSSrc, b))
}

// sopNoDst makes a SOP2 or SOPC instruction without destination operand.
func sopNoDst(f Format, op uint16, name string, a, b Type) Row {
	return row(f, op, name, in(FieldSSRC0, ClassSSrc, a), in(FieldSSRC1, ClassSSrc, b))
}

func sop1(op uint16, name string, d, a Type) Row {
	return row(SOP1, op, name, out(FieldSDST, ClassSDst, d), in(FieldSSRC0, ClassSSrc, a))
}

func sopk(op uint16, name string, t Type) Row {
	return row(SOPK, op, name, out(FieldSDST, ClassSDst, t), in(FieldSIMM16, ClassSImm16, I16))
}

func sopkCmp(op uint16, name string, t Type) Row {
	imm := I16
	if t == U32 {
		imm = U16
	}
	return row(SOPK, op, name, in(FieldSDST, ClassSReg, t), in(FieldSIMM16, ClassSImm16, imm))
}

func sopp(op uint16, name string) Row { return row(SOPP, op, name) }

func soppImm(op uint16, name string, c Class) Row {
	t := U16
	if c == ClassLabel {
		t = I16
	}
	return row(SOPP, op, name, in(FieldSIMM16, c, t))
}

func smemLoad(op uint16, name string, t, base Type) Row {
	return row(SMEM, op, name, out(FieldSDATA, ClassSDst, t), in(FieldSBASE, ClassSReg, base), in(FieldSOFFSET, ClassSOff, U32)).fl(FlagLoad)
}

func smemStore(op uint16, name string, t, base Type) Row {
	return row(SMEM, op, name, in(FieldSDATA, ClassSReg, t), in(FieldSBASE, ClassSReg, base), in(FieldSOFFSET, ClassSOff, U32)).fl(FlagStore)
}

// vopEncs sets the encodings of VOP1, VOP2 and VOPC instructions. Document "AMD GCN3 cross-lane
// operations": DPP has no 64-bit operands. SDWA selects parts of a dword, and 64-bit operands are
// no dwords.
func (r Row) vopEncs() Row {
	r.Encs = E32.Set() | E64.Set() | EncDPP.Set() | EncSDWA.Set()
	for _, s := range r.Operands {
		if s.Kind != ClassSMask && s.Type.Dwords() > 1 {
			r = r.noDPP("it has 64-bit operands").noSDWA("it has 64-bit operands")
		}
	}
	if r.Format == VOPC {
		r = r.noDPP("VOPC instructions have no DPP form")
	}
	return r
}

func vop1(op uint16, name string, d, a Type) Row {
	return row(VOP1, op, name, out(FieldVDST, ClassVGPR, d), in(FieldSRC0, ClassSrc, a)).vopEncs()
}

func vop2(op uint16, name string, d, a, b Type) Row {
	return row(VOP2, op, name, out(FieldVDST, ClassVGPR, d), in(FieldSRC0, ClassSrc, a), in(FieldVSRC1, ClassSrc, b)).vopEncs()
}

func vop2Carry(op uint16, name string) Row {
	return row(VOP2, op, name, out(FieldVDST, ClassVGPR, U32), out(FieldVCC, ClassSMask, B64),
		in(FieldSRC0, ClassSrc, U32), in(FieldVSRC1, ClassSrc, U32)).vopEncs()
}

func vop2CarryIn(op uint16, name string) Row {
	return row(VOP2, op, name, out(FieldVDST, ClassVGPR, U32), out(FieldVCC, ClassSMask, B64),
		in(FieldSRC0, ClassSrc, U32), in(FieldVSRC1, ClassSrc, U32), in(FieldVCC, ClassSMask, B64)).vopEncs()
}

func vopc(op uint16, name string, a, b Type) Row {
	r := row(VOPC, op, name, out(FieldVCC, ClassSMask, B64), in(FieldSRC0, ClassSrc, a), in(FieldVSRC1, ClassSrc, b)).vopEncs()
	if strings.HasPrefix(name, "v_cmpx") {
		r = r.fl(FlagWritesExec).w(EXEC)
	}
	return r
}

// vop3 makes a VOP3A instruction: destination, then one to three sources.
func vop3(op uint16, name string, d Type, src ...Type) Row {
	ops := []Spec{out(FieldVDST, ClassVGPR, d)}
	for i, t := range src {
		ops = append(ops, in([]FieldID{FieldSRC0, FieldSRC1, FieldSRC2}[i], ClassSrc, t))
	}
	return row(VOP3A, op, name, ops...)
}

// vop3b makes a VOP3B instruction: a mask is written too.
func vop3b(op uint16, name string, d, a, b, c Type) Row {
	return row(VOP3B, op, name, out(FieldVDST, ClassVGPR, d), out(FieldSDST, ClassSMask, B64),
		in(FieldSRC0, ClassSrc, a), in(FieldSRC1, ClassSrc, b), in(FieldSRC2, ClassSrc, c))
}

func ds(op uint16, name string, ops ...Spec) Row { return row(FormatDS, op, name, ops...) }

func flatLoad(op uint16, name string, t Type) Row {
	return row(FLAT, op, name, out(FieldVDST, ClassVGPR, t), in(FieldADDR, ClassVGPR, B64)).fl(FlagLoad).r(M0 | FlatScratch)
}

func flatStore(op uint16, name string, t Type) Row {
	return row(FLAT, op, name, in(FieldADDR, ClassVGPR, B64), in(FieldDATA, ClassVGPR, t)).fl(FlagStore).r(M0 | FlatScratch)
}

// flatAtomic makes a flat atomic. The destination is an operand of the text only with glc.
func flatAtomic(op uint16, name string, t, data Type) Row {
	return row(FLAT, op, name, out(FieldVDST, ClassVGPR, t), in(FieldADDR, ClassVGPR, B64), in(FieldDATA, ClassVGPR, data)).
		fl(FlagAtomic | FlagLoad | FlagStore).r(M0 | FlatScratch)
}

func bufOps(d Spec) []Spec {
	return []Spec{d, in(FieldVADDR, ClassVGPR, U32), in(FieldSRSRC, ClassSReg, B128), in(FieldSOFFSET, ClassSConst, U32)}
}

func bufLoad(f Format, op uint16, name string, t Type) Row {
	return row(f, op, name, bufOps(out(FieldVDATA, ClassVGPR, t))...).fl(FlagLoad)
}

func bufStore(f Format, op uint16, name string, t Type) Row {
	return row(f, op, name, bufOps(in(FieldVDATA, ClassVGPR, t))...).fl(FlagStore)
}

// bufAtomic makes a buffer atomic. vdata is written too if glc is set.
func bufAtomic(op uint16, name string, t Type) Row {
	return row(MUBUF, op, name, bufOps(in(FieldVDATA, ClassVGPR, t))...).fl(FlagAtomic | FlagLoad | FlagStore)
}
