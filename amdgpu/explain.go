package amdgpu

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/lane"
)

// An Explanation describes the meaning of one instruction.
type Explanation struct {
	Instr    string // as Print writes it
	Mnemonic string // base mnemonic, without encoding suffix
	About    string // its effect, as a formula on its operands D, S0, S1, …
	Section  string // section of the manual

	Bytes     []byte          // in memory order
	Encoding  string          // "VOP2 with VOP_DPP"
	Fields    []ExplainedBits // the bits, highest first, dword by dword
	Encodings []ExplainedPart // every encoding of the mnemonic, and the reasons for missing ones

	Picture string // the bits drawn, see Inst.Picture

	// Reads and Writes are the registers and memories that it reads and writes, including those
	// that its text does not name.
	Reads, Writes []string
	Unit          string // the unit that executes it, and the counter that counts it
	// Refused is the reason why Crosslane does not execute it; "" if it does.
	Refused string

	Operands  []ExplainedPart // in the order of the text
	Modifiers []ExplainedPart
	Hazards   []string // wait states that must be kept (GCN3 ISA 4.5)
	Waits     []string // s_waitcnt that is needed before results are used (GCN3 ISA 4.4)
	Cost      []string
	Notes     []string // facts that follow from the known lanes and values, and the values that are missing for more
	Errata    []string // reported differences of hardware from the manual

	// Executing is EXEC.
	Executing lane.Mask
	// Map is the lane map of DPP, permutes and swizzle, if its inputs are known. Lost holds the
	// lanes whose data no lane receives (ds_permute_b32).
	Map  *lane.Map
	Lost lane.Mask
	// Fold is set for v_readlane, v_readfirstlane and v_mbcnt.
	Fold *Fold
}

// An ExplainedPart is an operand, modifier or encoding with its meaning.
type ExplainedPart struct {
	Name    string // "D", "S0", "row_mask", "e64"
	Text    string // as written
	Type    string // type of an operand: "f32"; "" if it has none
	Writes  bool   // a destination
	Meaning string
}

// ExplainedBits is one field of the encoding.
type ExplainedBits struct {
	Name   string
	Hi, Lo int // bit numbers; bits 32 and up are in the second dword
	Value  uint64
}

// A Fold is the result of an instruction that combines one value of every lane.
type Fold struct {
	Participants lane.Mask
	In           []string // each lane's value, formatted; nil: not known
	Picked       lane.Mask
	Out          []string // each lane's result, if lanes differ; nil: see Result
	Result       string   // "" if not known
}

// ExplainOptions supply facts that the text of the instruction lacks.
type ExplainOptions struct {
	Exec *uint64 // EXEC; nil: all lanes
	// Values holds the bits of registers by name ("v0", "s2"). A VGPR has one value per lane, and
	// the last value repeats; a scalar register has one.
	Values map[string][]uint64
}

// ExplainMnemonic explains a mnemonic without operands by an example. ok is false if src is not a
// mnemonic alone, or a whole instruction.
func ExplainMnemonic(src string, opt ExplainOptions) (e *Explanation, ok bool) {
	m := strings.ToLower(strings.TrimSpace(src))
	r, enc, forced := GFX803.lookUpSuffixed(m)
	if r == nil {
		return nil, false
	}
	if forced && r.Encoding(enc) == nil {
		enc = E32
	}
	in, ok := r.Specimen(enc)
	if !ok {
		return nil, false
	}
	if _, err := ParseInst(m, ParseOptions{}); err == nil {
		return nil, false // its operands are optional
	}
	e, err := ExplainInst(&in, opt)
	if err != nil {
		return nil, false
	}
	e.Notes = append([]string{fmt.Sprintf("the operands are an example; write the instruction to see another, such as '%s'", e.Instr)}, e.Notes...)
	return e, true
}

// ExplainInst explains a decoded instruction.
func ExplainInst(in *Inst, opt ExplainOptions) (*Explanation, error) {
	b, err := Encode(in)
	if err != nil {
		return nil, diag.Of(err)
	}
	x := &explainer{t: in.Row.target, in: in, opt: opt, e: &Explanation{
		Instr: Print(in), Mnemonic: in.Row.Name, About: in.Row.Does, Section: in.Row.Section(), Bytes: b, Executing: ^lane.Mask(0),
	}}
	if opt.Exec != nil {
		x.e.Executing = lane.Mask(*opt.Exec)
	}
	x.e.Unit = in.Row.unitName()
	if in.Row.Sem == nil {
		x.e.Refused = in.Row.Why
	}
	if x.e.Picture, err = in.Picture(); err != nil {
		return nil, diag.Of(err)
	}
	x.encoding()
	x.uses()
	x.operands()
	x.modifiers()
	x.hazards()
	x.waits()
	x.cost()
	x.lanes()
	return x.e, nil
}

type explainer struct {
	t   *Target
	in  *Inst
	opt ExplainOptions
	e   *Explanation
}

// text names a run of registers.
func (x *explainer) text(s RegRun) string { return x.t.RunText(s) }

func (x *explainer) note(format string, args ...any) {
	x.e.Notes = append(x.e.Notes, fmt.Sprintf(format, args...))
}

// encoding describes the bits and the other encodings.
func (x *explainer) encoding() {
	r, e := x.in.Row, x.e
	e.Encoding = encodingText(r, x.in.Enc) + takesText(r, x.in.Enc)
	var w uint64
	for i := 0; i+4 <= min(len(e.Bytes), 8); i += 4 {
		w |= uint64(binary.LittleEndian.Uint32(e.Bytes[i:])) << (8 * i)
	}
	n := 0
	for _, f := range r.Fields(x.in.Enc) {
		e.Fields = append(e.Fields, ExplainedBits{Name: f.Name, Lo: int(f.Lo), Hi: int(f.Lo + f.Width - 1), Value: f.get(w)})
		n = max(n, int(f.Lo+f.Width))
	}
	if have := (n + 31) / 32 * 4; len(e.Bytes) > have {
		lit := binary.LittleEndian.Uint32(e.Bytes[have:])
		e.Fields = append(e.Fields, ExplainedBits{Name: "LITERAL", Lo: 8 * have, Hi: 8*have + 31, Value: uint64(lit)})
	}
	for enc := E32; enc <= EncSDWA; enc++ {
		p := ExplainedPart{Name: enc.String()}
		switch {
		case r.Encs.Has(enc):
			p.Text, p.Meaning = r.Name+"_"+enc.String(), encodingText(r, enc)+takesText(r, enc)
			if r.Encs == E32.Set() {
				p.Text = r.Name
				if r.Format == VOP3A || r.Format == VOP3B {
					p.Name = E64.String() // its only encoding has 64 bits
				}
			}
		case enc == EncDPP && r.NoDPP != "":
			p.Meaning = "none: " + r.NoDPP
		case enc == EncSDWA && r.NoSDWA != "":
			p.Meaning = "none: " + r.NoSDWA
		default:
			continue
		}
		e.Encodings = append(e.Encodings, p)
	}
}

// encodingText names an encoding of a row.
func encodingText(r *Row, e Enc) string {
	bytes := 4 * int(r.target.layouts[r.Format].dwords)
	switch e {
	case E64:
		return "VOP3, 8 bytes: any operands, no literal"
	case EncDPP:
		return r.Format.String() + " with VOP_DPP, 8 bytes: src0 comes from other lanes"
	case EncSDWA:
		return r.Format.String() + " with VOP_SDWA, 8 bytes: bytes or words of the dwords"
	}
	if bytes == 4 && (r.operand(ClassSrc) >= 0 || r.operand(ClassSSrc) >= 0) {
		return r.Format.String() + ", 4 bytes, 4 more with a literal"
	}
	if r.operand(ClassLit) >= 0 {
		return r.Format.String() + ", 8 bytes, the literal among them"
	}
	return fmt.Sprintf("%v, %d bytes", r.Format, bytes)
}

// takesText lists the modifiers that are legal in an encoding.
func takesText(r *Row, e Enc) string {
	x := r.encs[e]
	var t []string
	var neg, abs, sext bool
	for i := range x.ops {
		neg, abs, sext = neg || x.ops[i].neg != 0, abs || x.ops[i].abs != 0, sext || x.ops[i].sext != 0
	}
	for _, k := range []struct {
		on   bool
		name string
	}{{neg, "-x"}, {abs, "|x|"}, {sext, "sext(x)"}} {
		if k.on {
			t = append(t, k.name)
		}
	}
	for i := range x.mods {
		if n := x.mods[i].mod.Name(); n != "" {
			t = append(t, n)
		}
	}
	if t == nil {
		return ""
	}
	return "; takes " + strings.Join(t, ", ")
}

// hazards lists the rules of wait states that concern the instruction, both as a reader and as a
// writer.
func (x *explainer) hazards() {
	for _, rule := range x.t.WaitRules {
		by := map[TrailKind]string{TrailVALU: "a VALU instruction", trailM0: "a scalar instruction", trailSetReg: "an s_setreg"}[rule.After]
		for _, use := range rule.Uses(x.in) {
			if by != "" { // every VALU instruction writes VGPRs
				x.e.Hazards = append(x.e.Hazards, fmt.Sprintf("%s after %s that writes %s: %s", StatesText(rule.States), by, x.text(use), rule.What))
			}
		}
	}
	for _, s := range wideData(x.in) {
		x.e.Hazards = append(x.e.Hazards, fmt.Sprintf("1 wait state before a VALU instruction writes %s: the store still reads it", x.text(s)))
	}
	if !IsVALU(x.in.Row) {
		return
	}
	for _, s := range x.in.Writes() {
		switch {
		case s.Lo >= RegVGPR0:
			x.e.Hazards = append(x.e.Hazards, fmt.Sprintf("2 wait states before a DPP instruction reads %s as src0", x.text(s)))
		case s.Overlaps(RegRun{RegEXEC, 2}):
			x.e.Hazards = append(x.e.Hazards, "5 wait states before a DPP instruction")
		default:
			t := fmt.Sprintf("5 wait states before vector memory reads %s, 4 before v_readlane or v_writelane selects a lane with it", x.text(s))
			if s.Overlaps(RegRun{RegVCC, 2}) {
				t += ", 4 before v_div_fmas, 5 before a VALU instruction takes vccz as an operand"
			}
			x.e.Hazards = append(x.e.Hazards, t)
		}
	}
}

// waits names the counter that shows when a result has arrived.
func (x *explainer) waits() {
	in := x.in
	c := in.Counters()
	if c == 0 {
		return
	}
	var regs []string
	if in.Row.Unit == UnitSMEM || in.Returns() {
		for _, s := range in.Writes() {
			regs = append(regs, x.text(s))
		}
	}
	switch {
	case c&ExpCnt != 0 && in.Row.Unit == UnitExport:
		for _, s := range in.reads() {
			regs = append(regs, x.text(s))
		}
		x.e.Waits = append(x.e.Waits, fmt.Sprintf("s_waitcnt expcnt(0) before %s may be written", strings.Join(append(regs, "exec"), ", ")))
	case len(regs) > 0 && c&VMCnt != 0:
		x.e.Waits = append(x.e.Waits, fmt.Sprintf("s_waitcnt vmcnt(0) before %s is used, or vmcnt(N) with N vector memory instructions after it", strings.Join(regs, ", ")))
	case len(regs) > 0 && in.Row.Unit == UnitSMEM:
		x.e.Waits = append(x.e.Waits, fmt.Sprintf("s_waitcnt lgkmcnt(0) before %s is used: scalar loads come back in any order", strings.Join(regs, ", ")))
	case len(regs) > 0:
		x.e.Waits = append(x.e.Waits, fmt.Sprintf("s_waitcnt lgkmcnt(0) before %s is used, or lgkmcnt(N) with N LDS instructions after it", strings.Join(regs, ", ")))
	case c&VMCnt != 0:
		x.e.Waits = append(x.e.Waits, "it counts in vmcnt until the memory has been written")
	}
	if c&VMCnt != 0 && c&LGKMCnt != 0 {
		x.e.Waits = append(x.e.Waits, "it counts in lgkmcnt too: the address may be in LDS, and then s_waitcnt lgkmcnt(0) is needed as well")
	}
}

// register returns a register's given values in every lane.
func (x *explainer) register(o *Operand) (v [lane.WavefrontLanes]uint32, ok bool) {
	if o.IsConst() {
		for i := range v {
			v[i] = uint32(o.Bits(B32))
		}
		return v, true
	}
	sp := OperandRun(o)
	if sp.N != 1 {
		return v, false
	}
	given := x.opt.Values[x.text(sp)]
	if len(given) == 0 {
		if sp.Lo == RegEXEC || sp.Lo == RegEXEC+1 {
			given = []uint64{uint64(x.e.Executing) >> (32 * (sp.Lo - RegEXEC)) & math.MaxUint32}
		} else {
			return v, false
		}
	}
	for i := range v {
		v[i] = uint32(given[min(i, len(given)-1)])
	}
	return v, true
}
