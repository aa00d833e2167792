package x64

// Copy is the move of a register of a class: of GPR 4 or 8 bytes, of Vec 16, 32 or 64.
func Copy(c Class, length uint8, dst, src Reg) Inst {
	in := Inst{Op: MOV, Len: length, Dst: dst, B: src}
	switch c {
	case Vec:
		in.Op = VMOVDQA32
	case Mask:
		in.Op, in.Len = KMOVQ, 0
	}
	return in
}

// Load is the move of a register from memory, which need not be aligned. Of masks length is
// 1, 2, 4 or 8.
func Load(c Class, length uint8, dst Reg, m Mem) Inst {
	in := Inst{Op: MOV, Len: length, Dst: dst, HasMem: true, M: m}
	switch c {
	case Vec:
		in.Op = VMOVDQU32
	case Mask:
		in.Op, in.Len = [...]Op{KMOVB, KMOVW, KMOVD, KMOVQ}[log2(int(length))&3], 0
	}
	return in
}

// Store is the move of a register to memory, which need not be aligned. Of masks length is
// 1, 2, 4 or 8.
func Store(c Class, length uint8, m Mem, src Reg) Inst {
	in := Inst{Op: MOVSt, Len: length, B: src, HasMem: true, M: m}
	switch c {
	case Vec:
		in.Op = VMOVDQU32St
	case Mask:
		in.Op, in.Len = [...]Op{KMOVBSt, KMOVWSt, KMOVDSt, KMOVQSt}[log2(int(length))&3], 0
	}
	return in
}

// A Cond is a condition of the flags, by its code: Intel SDM volume 1, appendix B.
type Cond uint8

// The conditions.
const (
	CondO Cond = iota
	CondNO
	CondB // below: unsigned, or carry
	CondAE
	CondE
	CondNE
	CondBE
	CondA
	CondS
	CondNS
	CondP
	CondNP
	CondL // less: signed
	CondGE
	CondLE
	CondG
)

// Not is the opposite.
func (c Cond) Not() Cond { return c ^ 1 }

// Jcc is the jump on a condition.
func (c Cond) Jcc() Op { return JO + Op(c) }

// SETcc is the instruction that makes a byte of a condition. The other bytes of the register
// stay, for which the table says that it reads what it writes: MOVImm comes before, or MOVZXB
// behind.
func (c Cond) SETcc() Op { return SETO + Op(c) }

// CMOVcc is the move on a condition.
func (c Cond) CMOVcc() Op { return CMOVO + Op(c) }

// ReadsDst says whether the instruction reads its destination: always, or because lanes
// without a bit in K keep it.
func (in *Inst) ReadsDst() bool {
	info := in.Op.Info()
	return info.DstRead || in.K != NoReg && !in.Z && info.Dst == Vec && !info.Chooses
}
