package x64

// Copy returns the move of a register of a class: 4 or 8 bytes of GPR, 16, 32 or 64 of Vec.
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

// Load returns the move of a register from memory, which need not be aligned. For masks,
// length is 1, 2, 4 or 8.
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

// Store returns the move of a register to memory, which need not be aligned. For masks,
// length is 1, 2, 4 or 8.
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

// A Cond is a condition on the flags, by its code in Intel SDM volume 1, appendix B.
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

// Not returns the opposite condition.
func (c Cond) Not() Cond { return c ^ 1 }

// Jcc returns the jump on a condition.
func (c Cond) Jcc() Op { return JO + Op(c) }

// SETcc returns the instruction that sets a byte to a condition. The other bytes of the
// register keep their values, so the table says that it reads its destination. A MOVImm must
// come before it, or a MOVZXB after it.
func (c Cond) SETcc() Op { return SETO + Op(c) }

// CMOVcc returns the move on a condition.
func (c Cond) CMOVcc() Op { return CMOVO + Op(c) }

// ReadsDst reports whether the instruction reads its destination: always, or because lanes
// without a bit in K keep it.
func (in *Inst) ReadsDst() bool {
	info := in.Op.Info()
	return info.DstRead || in.K != NoReg && !in.Z && info.Dst == Vec && !info.Chooses
}
