// Package amdgpu holds the GCN3 instruction set of gfx803 (Fiji, Polaris): one table row per
// instruction, the machine encodings as data, and LLVM's assembly syntax in both directions.
//
// An instruction has three forms that convert into each other:
//
//	text  --ParseInst-->  Inst  --Encode-->  bytes
//	text  <--Print-----   Inst  <--Decode--  words
//
// A Row describes a mnemonic completely: its format and opcode, its operands in the order of the
// assembly text, its encodings, its legal modifiers, its implicit reads and writes, the counter for
// its result, and its meaning. Only the table switches on a mnemonic.
//
// Package asm assembles whole texts, and package hazard finds missing waits. Neither is used here.
package amdgpu

// Enc is one of the encodings that an instruction may have. Scalar and memory
// instructions have E32 only ("the plain encoding of the row's format").
type Enc uint8

// The encodings, GCN3 ISA 6.1 and 12.
const (
	// E32 is the plain encoding of the row's format: 32 bits and perhaps a
	// literal, or the 64 bits of a memory or VOP3-only instruction.
	E32 Enc = iota
	// E64 is the VOP3 encoding of an instruction that also has E32.
	E64
	// EncDPP is VOP1 or VOP2 with a data-parallel-primitive dword.
	EncDPP
	// EncSDWA is VOP1, VOP2 or VOPC with a sub-dword-addressing dword.
	EncSDWA
)

// String returns the suffix's letters: e32, e64, dpp, sdwa.
func (e Enc) String() string { return [...]string{"e32", "e64", "dpp", "sdwa"}[e&3] }

// EncSet is a set of encodings.
type EncSet uint8

// Set returns the set that holds e alone.
func (e Enc) Set() EncSet { return 1 << e }

// Has reports whether the set holds e.
func (s EncSet) Has(e Enc) bool { return s>>e&1 != 0 }

// Type is the type of an operand: the interpretation and the width of its bits.
type Type uint8

// The operand types. The letter is the interpretation (b bits, u unsigned,
// i signed, f float), the number the width in bits.
const (
	TNone Type = iota
	B8
	B16
	U16
	I16
	F16
	B32
	U32
	I32
	F32
	U24 // the low 24 bits of a dword, zero-extended
	I24 // the low 24 bits of a dword, sign-extended
	B64
	U64
	I64
	F64
	B96
	B128
	B256
	B512
)

var typeInfo = [...]struct {
	name   string
	dwords uint8
}{
	TNone: {"none", 0}, B8: {"b8", 1}, B16: {"b16", 1}, U16: {"u16", 1}, I16: {"i16", 1}, F16: {"f16", 1},
	B32: {"b32", 1}, U32: {"u32", 1}, I32: {"i32", 1}, F32: {"f32", 1}, U24: {"u24", 1}, I24: {"i24", 1},
	B64: {"b64", 2}, U64: {"u64", 2}, I64: {"i64", 2}, F64: {"f64", 2},
	B96: {"b96", 3}, B128: {"b128", 4}, B256: {"b256", 8}, B512: {"b512", 16},
}

// String returns the type's name in mnemonics, for example "f32".
func (t Type) String() string { return typeInfo[t].name }

// Dwords is the number of consecutive 32-bit registers that a value occupies.
func (t Type) Dwords() int { return int(typeInfo[t].dwords) }

// IsFloat reports whether the type is f16, f32 or f64.
func (t Type) IsFloat() bool { return t == F16 || t == F32 || t == F64 }

// Is16 reports whether the type uses the low half of a dword.
func (t Type) Is16() bool { return t >= B16 && t <= F16 }

// Special is a set of registers that an instruction reads or writes although they are not among its
// operands.
type Special uint16

// The implicit registers.
const (
	SCC Special = 1 << iota
	VCC         // only if VCC is no operand of the text, as in v_div_fmas
	EXEC
	M0
	FlatScratch
	Mode
	PC
)

// Unit is the part of the machine that executes an instruction; counters and
// hazards follow from it.
type Unit uint8

// The units.
const (
	UnitNone   Unit = iota // s_nop, s_waitcnt and similar instructions
	UnitSALU               // scalar arithmetic
	UnitSMEM               // scalar memory: lgkmcnt, out of order
	UnitVALU               // vector arithmetic
	UnitTrans              // vector arithmetic at quarter rate: rcp, rsq, exp, log, sin, cos, sqrt
	UnitVMEM               // buffer and image memory: vmcnt, in order
	UnitFlat               // flat memory: vmcnt and lgkmcnt
	UnitLDS                // local and global data share: lgkmcnt
	UnitBranch             // scalar branches
	UnitMsg                // s_sendmsg: lgkmcnt
	UnitExport             // exp: expcnt
)

// Counters is a set of the three counters that s_waitcnt waits for.
type Counters uint8

// The counters, GCN3 ISA 4.4.
const (
	VMCnt Counters = 1 << iota
	LGKMCnt
	ExpCnt
)

// Flags are properties of a row that are not operands.
type Flags uint32

// The row flags.
const (
	// FlagClamp: the VOP3 encoding takes clamp.
	FlagClamp Flags = 1 << iota
	// FlagOMod: the VOP3 encoding takes mul:2, mul:4 and div:2.
	FlagOMod
	// FlagLoad: memory is read. FlagStore: memory is written. An atomic has both.
	FlagLoad
	FlagStore
	// FlagAtomic: a read-modify-write of memory.
	FlagAtomic
	// FlagReturn: the DS instruction returns a value. (For flat and buffer atomics
	// the glc modifier decides, see Inst.Returns.)
	FlagReturn
	// FlagTwoOffsets: the DS instruction has offset0 and offset1 in place of offset.
	FlagTwoOffsets
	// FlagStride64: the two offsets count 64 elements each.
	FlagStride64
	// FlagSwizzle: the DS offset is a lane pattern, no address.
	FlagSwizzle
	// FlagCrossLane: lanes exchange data (permute, swizzle, readlane and similar instructions).
	FlagCrossLane
	// FlagBranch: SIMM16 is a branch distance in dwords, relative to the next
	// instruction.
	FlagBranch
	// FlagCond: the branch may fall through.
	FlagCond
	// FlagEnd: the wavefront ends here.
	FlagEnd
	// FlagIndirect: the next PC, or a register number, is computed at run time.
	FlagIndirect
	// FlagWritesExec: a v_cmpx, which writes EXEC as well as its destination.
	FlagWritesExec
	// FlagGDSOnly: the DS instruction exists for the global data share only.
	FlagGDSOnly
	// FlagTied: the destination is also read (v_mac, v_writelane, s_addk, s_cmov).
	FlagTied
	// FlagModBits: neg and abs are legal although the types are b32 (v_cndmask).
	FlagModBits
	// FlagReversed: the operation is performed on src1 and src0 in that order (v_subrev, v_lshlrev
	// and similar instructions).
	FlagReversed
	// FlagNoGDS: the DS instruction has no GDS form.
	FlagNoGDS
	// FlagToLDS: the buffer load takes the lds modifier, which moves the data to
	// LDS. GCN3 ISA 8.1.
	FlagToLDS
	// FlagLDSOnly: the buffer instruction moves data between memory and LDS, so
	// that the lds modifier is part of it.
	FlagLDSOnly
	// FlagWide: the DS instruction without data operands works on 64 bits.
	FlagWide
	// FlagNop: the instruction is SIMM16[3:0] + 1 wait states long (s_nop).
	FlagNop
	// FlagBarrier: the wave waits for the other waves of its block (s_barrier).
	FlagBarrier
	// FlagGather: the image instruction returns four values, for every DMASK.
	FlagGather
	// FlagD16: the image instruction takes d16. FlagHigh: the interpolation takes high.
	FlagD16
	FlagHigh
	// FlagM0Dst, FlagM0Src: M0 is added to the register number of the destination, of
	// the source.
	FlagM0Dst
	FlagM0Src
	// FlagMove: the result is the source, of 32 bits, and nothing else is written.
	FlagMove
)

// Has reports whether all flags of g are set.
func (f Flags) Has(g Flags) bool { return f&g == g }

// Sem is the meaning of an instruction: it appends IR operations to the lifter's block. The row
// holds it. If it is nil, the assembler and disassembler accept the instruction, but it cannot be
// executed.
type Sem func(x *lifter)

// A Spec describes one operand of a row. Operands are in the order of the assembly text, and every
// encoding of the row has the same ones: the carry-out of v_add_u32 is an operand in E32, where it
// can only be vcc, and in E64, where it can be any pair of SGPRs.
type Spec struct {
	Field FieldID // place of the operand in the row's own format
	Kind  Class   // the operands that it accepts
	Type  Type    // interpretation of its bits
	Dst   bool    // written (and read too, if the row has FlagTied)
}

// Class is the set of operands that a Spec accepts.
type Class uint8

// The operand classes.
const (
	ClassNone   Class = iota
	ClassVGPR         // a VGPR
	ClassSrc          // VGPR, SGPR, inline constant; literal in E32 (VOP src0)
	ClassSSrc         // SGPR, inline constant or literal (scalar sources)
	ClassSConst       // SGPR or inline constant, no literal
	ClassSDst         // SGPR, VCC, EXEC, M0 … as a destination
	ClassSReg         // SGPR that is read, without constants (SBASE, SRSRC, …)
	ClassSMask        // carry or condition mask: vcc in E32, an SGPR pair in E64
	ClassLane         // lane select: SGPR, M0 or inline constant
	ClassLit          // the 32-bit literal K of v_madmk, v_madak and s_setreg_imm32
	ClassSImm16       // SIMM16 as a number
	ClassEndImm       // SIMM16 of s_endpgm, not printed when 0
	ClassLabel        // SIMM16 as a branch distance
	ClassWait         // SIMM16 of s_waitcnt
	ClassMsg          // SIMM16 of s_sendmsg
	ClassHWReg        // SIMM16 of s_getreg and s_setreg
	ClassGPRIdx       // gpr_idx(…) of s_set_gpr_idx_on and s_set_gpr_idx_mode
	ClassSOff         // SMEM offset: 20-bit immediate, SGPR or M0
	ClassProbe        // the 7-bit number of s_atc_probe
	ClassAttr         // attr3.x of interpolation: 4 * attribute + channel
	ClassParam        // p10, p20 or p0 of v_interp_mov_f32
	ClassTarget       // mrt0 … param31 of exp
	ClassExport       // VGPR or off: data of exp
)

// A Row is one instruction.
type Row struct {
	Name     string // base mnemonic, without encoding suffix
	Format   Format // the row's own format
	Op       uint16 // opcode in that format
	Encs     EncSet // the encodings it has
	Operands []Spec
	Flags    Flags
	Unit     Unit
	Reads    Special // implicit reads
	Writes   Special // implicit writes
	NoDPP    string  // the reason why EncDPP is refused, or ""
	NoSDWA   string  // the reason why EncSDWA is refused, or ""
	// Does describes the effect of the instruction, as a formula on its operands: D, S0, S1 …
	Does string
	// Sem is the meaning; nil if the instruction cannot be executed, for the reason Why.
	Sem Sem
	Why string
	// Wide describes the part of the instruction that assumes waves of 64 lanes, for users who port
	// code to 32 lanes; "" if its operands show it.
	Wide string
	// ByWave is the constant with which the instruction computes waves of 64 lanes, or lanes in
	// them, from the number of a work-item; 0 if it does not.
	ByWave uint8
	// GPRIdx is the instruction's effect on GPR indexing.
	GPRIdx GPRIdx
	// MaxAddr is the largest number of address VGPRs of an image instruction. The image determines
	// how many are read, so the text may name any number from that of the operand's type on.
	MaxAddr uint8

	target *Target
	encs   [4]*encoding // layout of each encoding of Encs; nil: none
}

// Target returns the chip that has the instruction.
func (r *Row) Target() *Target { return r.target }

// Section names the section of the GCN3 ISA manual that describes the row.
func (r *Row) Section() string { return r.Format.Section() }

// Kind is the kind of an Operand.
type Kind uint8

// The operand kinds.
const (
	KindNone    Kind = iota
	KindVGPR         // v[Reg : Reg+Dwords-1]
	KindSGPR         // scalar register file, Reg is its code 0..127 (see RegVCC…)
	KindInline       // inline constant, Reg is its code 128..248; Imm its integer value
	KindSpecial      // src_vccz, src_execz, src_scc, src_lds_direct: Reg is 251..254
	KindLiteral      // 32-bit literal in Imm
	KindImm          // an immediate field (SIMM16, SMEM offset, attribute …) in Imm
	KindOff          // "off": no register is used (exp, buffer address)
)

// An Operand is the value of one operand of an Inst.
type Operand struct {
	Kind   Kind
	Reg    uint16 // VGPR number, scalar code or constant code; see Kind
	Dwords uint8  // number of registers
	Abs    bool   // |x|
	Neg    bool   // -x, after abs
	Sext   bool   // sext(x), SDWA integers
	Imm    int64  // literal (zero-extended 32 bits), inline integer, or field value
}

// MaxOperands is the largest number of operands of any row.
const MaxOperands = 6

// An Inst is one instruction with its operands. It is a plain value; two Insts
// are the same instruction if and only if they are ==.
type Inst struct {
	Row  *Row
	Enc  Enc
	Ops  [MaxOperands]Operand // Ops[i] belongs to Row.Operands[i]
	Mods [NumMods]uint16      // modifier values, see ModID
}

// Operands returns the operands in the order of the assembly text.
func (in *Inst) Operands() []Operand { return in.Ops[:len(in.Row.Operands)] }

// Mod returns a modifier's value; 0 if it was not given.
func (in *Inst) Mod(m ModID) int { return int(in.Mods[m]) }

// Has reports whether a modifier has a value other than 0.
func (in *Inst) Has(m ModID) bool { return in.Mods[m] != 0 }

// Returns reports whether a memory instruction writes its data register: loads,
// DS instructions that return, atomics with glc.
func (in *Inst) Returns() bool {
	f := in.Row.Flags
	if f.Has(FlagAtomic) && in.Row.Format != FormatDS {
		return in.Has(ModGLC)
	}
	return f.Has(FlagReturn) || f.Has(FlagLoad) && !f.Has(FlagAtomic)
}

// Counters returns the counters that the instruction increments when it issues. An s_waitcnt has to
// wait for them before its results (or, for ExpCnt, its data registers) may be used. GCN3 ISA 4.4.
func (in *Inst) Counters() Counters {
	switch in.Row.Unit {
	case UnitSMEM, UnitMsg:
		return LGKMCnt
	case UnitLDS:
		if in.Has(ModGDS) {
			return LGKMCnt | ExpCnt
		}
		return LGKMCnt
	case UnitVMEM:
		// Only SI and CI count vector memory stores in expcnt.
		if in.Has(ModLDS) {
			return VMCnt | LGKMCnt
		}
		return VMCnt
	case UnitFlat:
		return VMCnt | LGKMCnt
	case UnitExport:
		return ExpCnt
	}
	return 0
}

// ModID names a modifier: a field of the encoding that is no operand.
type ModID uint8

// The modifiers. The comment gives the text and the values.
const (
	ModClamp     ModID = iota // clamp
	ModOMod                   // mul:2 = 1, mul:4 = 2, div:2 = 3
	ModDPPCtrl                // quad_perm:[…] … row_bcast:31: the 9-bit DPP_CTRL
	ModRowMask                // row_mask:0xf
	ModBankMask               // bank_mask:0xf
	ModBoundCtrl              // bound_ctrl:1 (legacy text bound_ctrl:0): BOUND_CTRL is 1
	ModDstSel                 // dst_sel:BYTE_0 = 0 … BYTE_3 = 3, WORD_0 = 4, WORD_1 = 5, DWORD = 6
	ModDstUnused              // dst_unused:UNUSED_PAD = 0, UNUSED_SEXT = 1, UNUSED_PRESERVE = 2
	ModSrc0Sel                // src0_sel:…
	ModSrc1Sel                // src1_sel:…
	ModOffset                 // offset:N of DS (16 bits) and MUBUF, MTBUF (12 bits)
	ModOffset0                // offset0:N of DS
	ModOffset1                // offset1:N of DS
	ModGDS                    // gds
	ModGLC                    // glc
	ModSLC                    // slc
	ModTFE                    // tfe
	ModLDS                    // lds
	ModOffen                  // offen
	ModIdxen                  // idxen
	ModDFmt                   // dfmt:N, or format:[…]
	ModNFmt                   // nfmt:N
	ModHigh                   // high
	ModDMask                  // dmask:0xf
	ModUnorm                  // unorm
	ModR128                   // r128
	ModLWE                    // lwe
	ModDA                     // da
	ModD16                    // d16
	ModEN                     // EN of exp: the data that are not off. It has no text of its own.
	ModDone                   // done
	ModCompr                  // compr
	ModVM                     // vm
	NumMods                   // number of modifiers
)
