package lir

import "crosslane/internal/jit/x64"

// Role is what an instruction does with a register, or-ed.
type Role uint8

// The roles.
const (
	Read Role = 1 << iota
	// Write: the register has a new value behind the instruction.
	Write
	// Merge: the read is only of the lanes that a mask leaves as they are, so that the
	// register may hold nothing yet.
	Merge
	// Fold: the read may be of memory instead.
	Fold
)

// Operand is a register of an instruction, with its role.
type Operand struct {
	Reg  x64.Reg
	Role Role
}

// Operands are the registers of one instruction. A register may stand there more than
// once; reads come before the writes of others.
type Operands struct {
	N    int
	List [8]Operand
}

func (o *Operands) add(r x64.Reg, role Role) {
	if r != x64.NoReg {
		o.List[o.N] = Operand{r, role}
		o.N++
	}
}

// Slice is the operands that there are.
func (o *Operands) Slice() []Operand { return o.List[:o.N] }

// Of sets o to the operands of in.
func (o *Operands) Of(in *x64.Inst) {
	o.N = 0
	info := in.Op.Info()
	if info.Pseudo {
		if in.Op == x64.KEEP {
			o.add(in.A, Read)
			o.add(in.B, Read)
			o.add(in.Dst, Write)
		}
		return
	}
	if in.HasMem {
		o.add(in.M.Base, Read)
		o.add(in.M.Index, Read)
	}
	if Idiom(in) {
		o.add(in.Dst, Write)
		return
	}
	if info.A != x64.NoClass && !(info.AMem && in.HasMem) {
		switch {
		case info.AWrite:
			o.add(in.A, Write)
		case info.AMem && in.RC == x64.Current:
			o.add(in.A, Read|Fold)
		default:
			o.add(in.A, Read)
		}
	}
	if info.B != x64.NoClass && !(info.BMem && in.HasMem) {
		switch {
		case info.BWrite:
			o.add(in.B, Read|Write)
		case info.BMem && !in.HasMem && in.RC == x64.Current:
			o.add(in.B, Read|Fold)
		default:
			o.add(in.B, Read)
		}
	}
	if info.C != x64.NoClass {
		o.add(in.C, Read)
	}
	if in.K != x64.NoReg {
		if info.KWrite {
			o.add(in.K, Read|Write)
		} else {
			o.add(in.K, Read)
		}
	}
	if info.Dst != x64.NoClass && !(info.DstMem && in.HasMem) {
		o.add(in.Dst, DstRole(in, info))
	}
}

// DstRole is the role of Dst in an instruction that has one and is no Idiom.
func DstRole(in *x64.Inst, info *x64.Info) Role {
	switch {
	case info.DstRead && info.Distinct: // gathers keep what is there of masked lanes
		return Read | Write | Merge
	case info.DstRead:
		return Read | Write
	case info.Dst == x64.Vec && in.K != x64.NoReg && !in.Z && info.Maskable && !info.Chooses:
		return Read | Write | Merge
	}
	return Write
}

// Idiom reports whether in computes a constant from a register whose value does not
// matter, such as vpxord v, v, v.
func Idiom(in *x64.Inst) bool {
	if in.HasMem || in.K != x64.NoReg {
		return false
	}
	switch in.Op {
	case x64.XOR, x64.SUB:
		return in.Dst == in.B
	case x64.VPXOR, x64.VPXORD, x64.VPXORQ, x64.VXORPS, x64.VXORPD, x64.VPCMPEQD, x64.VPCMPEQB, x64.VPSUBD,
		x64.KXORW, x64.KXORD, x64.KXORQ, x64.KXNORW, x64.KXNORD, x64.KXNORQ:
		return in.A == in.B && in.A != x64.NoReg
	case x64.VPTERNLOGD, x64.VPTERNLOGQ:
		return uint8(in.Imm) == 0 || uint8(in.Imm) == 0xff
	}
	return false
}

// IsMove reports whether in copies a whole register to another and does nothing else.
func IsMove(in *x64.Inst) bool {
	if in.HasMem || in.K != x64.NoReg || in.Dst == x64.NoReg || in.B == x64.NoReg || in.A != x64.NoReg {
		return false
	}
	switch in.Op {
	case x64.MOV, x64.VMOVDQA, x64.VMOVDQU, x64.VMOVDQA32, x64.VMOVDQA64, x64.VMOVDQU32, x64.VMOVDQU64,
		x64.VMOVAPS, x64.VMOVUPS, x64.VMOVAPD, x64.VMOVUPD, x64.KMOVQ:
		return true
	}
	return false
}

// Aligned reports whether op faults where memory is not aligned to its size.
func Aligned(op x64.Op) bool {
	switch op {
	case x64.VMOVDQA, x64.VMOVDQA32, x64.VMOVDQA64, x64.VMOVAPS, x64.VMOVAPD:
		return true
	}
	return false
}

// Lowest is how many bytes of a vector register an instruction copies to a general one: the
// lowest, which is what a load of as many would do; 0: it does something else.
func Lowest(in *x64.Inst) uint8 {
	switch in.Op {
	case x64.VMOVDToGPR:
		return 4
	case x64.VMOVQToGPR:
		return 8
	}
	return 0
}
