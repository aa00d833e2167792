package ptx

import (
	"example.org/crosslane/internal/ir"
)

// atom and red read, modify and write memory in one step (PTX 9.7.14.5, 9.7.14.6).
var atom = meaning{plan: planAtomic, emit: emitAtomic, check: checkMemory}

// planAtomic names the operations of package num for an atomic on floating-point numbers. Integers
// have operations of every size in the IR.
func planAtomic(v *variant) []string {
	if !v.typ.Float() {
		return nil
	}
	name := map[string]string{"add": "Add", "min": "Min", "max": "Max"}[v.mod("op")]
	return []string{name + expand("{P}", v)}
}

// atomicOp returns the operation of an atomic, by its name and type.
func atomicOp(v *variant) ir.AtomicOp {
	if v.has("cas") {
		return ir.AtomCAS
	}
	op, signed := v.mod("op"), v.typ.Signed()
	if v.typ == F32 && op == "add" && !v.has("noftz") {
		// PTX 9.7.14.5: the instruction flushes subnormal numbers in global memory, and only there.
		return ir.AtomAddF32
	}
	if len(v.code) > 0 {
		return ir.AtomOf(v.code[0])
	}
	switch op {
	case "add":
		return ir.AtomAdd
	case "min":
		if signed {
			return ir.AtomMinS
		}
		return ir.AtomMinU
	case "max":
		if signed {
			return ir.AtomMaxS
		}
		return ir.AtomMaxU
	case "and":
		return ir.AtomAnd
	case "or":
		return ir.AtomOr
	case "xor":
		return ir.AtomXor
	case "inc":
		return ir.AtomInc
	case "dec":
		return ir.AtomDec
	}
	return ir.AtomExch
}

// atomicFlags returns the memory that a generic address may lie in: vectors in global memory,
// scalars in global or shared memory.
func (v *variant) atomicFlags() ir.Flags {
	if v.vec > 1 {
		return ir.OnlyGlobal
	}
	return ir.NotLocal
}

// emitAtomic emits an atomic on one element or on each element of a vector.
func emitAtomic(l *lifter) {
	addr := 1
	if l.v.writes() {
		addr = 0
	}
	space, base, off := l.address(&l.in.Args[addr], l.v.memSpace())
	size := l.v.typ.Bytes()
	base, off = l.within32Bits(base, off, l.v.vec*size)
	if l.v.typ == B128 {
		l.atomicWide(space, base, off, addr)
		return
	}
	var dst []Operand
	if addr == 1 {
		dst = l.in.Args[0].elements()
	}
	src := l.in.Args[addr+1].elements()
	vals := make([]ir.Ref, len(src))
	for i := range src {
		vals[i] = l.value(&src[i], l.v.typ)
	}
	if len(src) > 1 && addr == 1 {
		// Everything is read before the first element is written.
		base = l.copyOf(base)
		for i := range vals {
			vals[i] = l.copyOf(vals[i])
		}
	}
	for i, val := range vals {
		in := ir.Inst{
			Op: ir.Atomic, Imm: ir.AtomicImm(atomicOp(l.v), int32(off)+int32(i*size)), Size: uint8(size), Space: space,
			Align: uint16(l.accessAlign(i, size)), Args: [4]ir.Ref{base, val}, Flags: l.v.atomicFlags(),
		}
		if l.v.has("cas") {
			in.Args[2] = l.src(addr + 2)
		}
		if i < len(dst) && dst[i].Kind == KindReg {
			in.Dst = l.reg(&dst[i])
		}
		l.b.Emit(in)
	}
}

// near makes the offset fit the 32 bits that an atomic has for it. If it does not fit, near adds it
// to the base.
func (l *lifter) within32Bits(base ir.Ref, off int64, size int) (ir.Ref, int64) {
	if off == int64(int32(off)) && off+int64(size) == int64(int32(off)+int32(size)) {
		return base, off
	}
	t := l.typeOf(base)
	return l.b.T(l.addOp(t), base, l.b.Const(t, uint64(off))), 0
}

// atomicWide is exch and cas of 16 bytes.
func (l *lifter) atomicWide(space ir.Space, base ir.Ref, off int64, addr int) {
	in := ir.Inst{
		Op: ir.Atomic, Imm: ir.AtomicImm(atomicOp(l.v), int32(off)), Size: 16, Space: space, Align: 16,
		Args: [4]ir.Ref{base, l.pairOf(addr + 1)}, Flags: ir.NotLocal,
	}
	if l.v.has("cas") {
		in.Args[2] = l.pairOf(addr + 2)
	}
	if d := l.dst(0); d != nil {
		in.Dst = l.pairOf(0)
	}
	l.b.Emit(in)
}

// pairOf returns the low half of a .b128 register; the next value of the function is the high half.
func (l *lifter) pairOf(i int) ir.Ref {
	o := &l.in.Args[i]
	if o.Kind != KindReg || o.Reg().Type != B128 {
		l.unsupportedOperand(o)
		return 0
	}
	return l.refs(o.Reg())[0]
}
