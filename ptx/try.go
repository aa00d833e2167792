package ptx

import (
	"example.org/crosslane/internal/ir"
)

// A Try is a scratchpad program: instructions without declarations.
type Try struct {
	Kernel *Kernel // Kernel.Warnings are the warnings
	// Regs holds the registers: first the written ones in the order of their first write, then the
	// registers that are only read, in the order of their first mention.
	Regs []TryReg
}

// A TryReg is a register of a scratchpad program.
type TryReg struct {
	Name string
	Ref  ir.Ref // the guest value; its type has the width
	// Type is the type in which the register's contents are best shown: the type of the last
	// instruction that writes it, or of the first that reads it. Moves and shuffles of untyped bits
	// keep the type of their source. A register that stays untyped is shown as unsigned.
	Type    Type
	Written bool
}

// ParseTry reads instructions separated by semicolons, checks and lifts them. Registers need no
// declaration: a name without declaration is a register with the width that its first instruction
// needs. There is no .version and no .target, so every instruction of the table is allowed;
// deprecated ones draw their warning. The error is a diag.List.
func ParseTry(file, src string) (*Try, error) {
	m, f, errs := parseSnippet(file, src, implicitReg)
	if errs.Err() != nil {
		return nil, errs
	}
	m.Version, m.Target = Version{}, Target{}
	l, err := liftFunc(m, f, Layout{})
	if err != nil {
		return nil, err
	}
	t := &Try{Kernel: l.k}
	t.Regs = l.tryRegs(f.Body())
	return t, nil
}

// implicitReg declares a register for a name without declaration.
func implicitReg(o *Operand, in *Instr) Decl {
	if in == nil {
		return nil
	}
	t := impliedType(o, in)
	if t == NoType {
		return nil
	}
	return &Reg{Name: o.Name, Type: t}
}

// impliedType returns the type of the register that an instruction needs in the place of the name
// o. The type is untyped, so that other instructions may use the register with other types. NoType:
// o cannot be a register.
func impliedType(o *Operand, in *Instr) Type {
	if in.Guard != nil && o == &in.Guard.Reg {
		return Pred
	}
	v := instructions().lookupInstr(in)
	for i := range in.Args {
		spec, t := opSpec{}, B32
		if v != nil && i < len(v.ops) {
			spec, t = v.ops[i], v.args[i]
		}
		if spec.kind == opLabel || spec.kind == opTarget || spec.kind == opCallee {
			continue
		}
		switch {
		case spec.typ == "addr":
			t = U64
		case t == NoType && v != nil:
			t = v.typ // mov, cvta: the instruction's own
			if t == NoType {
				t = U32 // cp.async: the number of bytes
			}
		}
		a := &in.Args[i]
		if v != nil && v.row.Do.implied != nil {
			t := v.row.Do.implied(v, in, i)
			if got := typeWithin(a, o, t, 1); got != NoType && a.Kind != KindAddr {
				return untyped(got)
			}
			if a.Kind == KindAddr && o == &a.List[0] {
				return t // of Tensor Memory
			}
			continue
		}
		if v != nil && v.row.rest && v.has("dim") && a.Kind != KindAddr {
			t = U16 // offsets of im2col, or a mask of blocks
			if a.Kind != KindVector && i == len(in.Args)-1 && v.says("L2::cache_hint") {
				t = U64
			}
			if got := typeWithin(a, o, t, 1); got != NoType {
				return untyped(got)
			}
			continue
		}
		if spec.tensor && a.Kind == KindAddr && o == &a.List[0] {
			return B32
		}
		parts := max(len(a.List), 1)
		if v != nil && (spec.vectored(v) || spec.kind == opFrag) && a.Kind == KindVector {
			// The type of a load or store is that of one element. The type of a mov that packs or
			// unpacks is that of the whole value.
			parts = 1
		}
		if got := typeWithin(a, o, t, parts); got != NoType {
			return untyped(got)
		}
	}
	return NoType
}

// typeWithin returns the type that the name o needs inside the operand a of type t; parts is the
// number of elements that share the bits of a vector. NoType if o is not in a.
func typeWithin(a, o *Operand, t Type, parts int) Type {
	if a == o {
		return t
	}
	for i := range a.List {
		sub := t
		switch a.Kind {
		case KindNot:
			sub = Pred
		case KindPair:
			if i == 1 {
				sub = Pred
			}
		case KindAddr, KindIndex:
			sub = U64
		case KindVector:
			sub = bitsType(t.Bits() / parts)
		}
		if got := typeWithin(&a.List[i], o, sub, parts); got != NoType {
			return got
		}
	}
	return NoType
}

// untyped returns the bit-size type of a type's width.
func untyped(t Type) Type {
	if b := bitsType(t.Bits()); b != NoType {
		return b
	}
	return t
}

// bitsType returns the bit-size type of a width; NoType if there is none.
func bitsType(bits int) Type {
	switch bits {
	case 8:
		return B8
	case 16:
		return B16
	case 32:
		return B32
	case 64:
		return B64
	case 128:
		return B128
	}
	return NoType
}

// display returns the type in which bits of a type are best shown.
func display(t Type) Type {
	switch t {
	case B8:
		return U8
	case B16:
		return U16
	case B32:
		return U32
	case B64:
		return U64
	case F16x2, BF16x2, U16x2, S16x2, U8x4, S8x4, TF32:
		return U32
	case F32x2:
		return U64
	}
	return t
}

// tryRegs lists the registers of a scratchpad program.
func (l *lifter) tryRegs(f *Body) []TryReg {
	types := make([]Type, len(f.Regs))
	written := make([]bool, len(f.Regs))
	var order []*Reg
	seen := make([]bool, len(f.Regs))
	var reads []*Reg
	note := func(o *Operand, t Type, write bool) {
		r := o.Reg()
		if o.Kind != KindReg || r == nil {
			return
		}
		if write {
			if !written[r.ID] {
				written[r.ID] = true
				order = append(order, r)
			}
			types[r.ID] = t
			return
		}
		if !seen[r.ID] {
			seen[r.ID] = true
			reads = append(reads, r)
		}
		if types[r.ID] == NoType {
			types[r.ID] = t
		}
	}
	var each func(o *Operand, t Type, write bool)
	each = func(o *Operand, t Type, write bool) {
		note(o, t, write)
		for i := range o.List {
			switch o.Kind {
			case KindPair:
				if i == 1 {
					t = Pred
				}
				each(&o.List[i], t, write)
			case KindVector:
				each(&o.List[i], t, write)
			case KindNot:
				each(&o.List[i], Pred, false)
			default:
				each(&o.List[i], U64, false)
			}
		}
	}
	f.instrs(func(in *Instr) {
		v := l.c.variant(in)
		if in.Guard != nil {
			note(&in.Guard.Reg, Pred, false)
		}
		var moved Type // type of the first source register as wide as the instruction
		for pass := range 2 {
			for i := range in.Args {
				if i >= len(v.ops) || v.ops[i].dst != (pass == 1) {
					continue
				}
				t := v.args[i]
				if t == NoType {
					t = v.typ
				}
				if r := in.Args[i].Reg(); pass == 0 && moved == NoType && r != nil && types[r.ID] != NoType && r.Type.Bits() == v.typ.Bits() {
					moved = types[r.ID]
				}
				if pass == 1 && t.Untyped() && moved != NoType && moved.Bits() == t.Bits() {
					t = moved
				}
				each(&in.Args[i], t, v.ops[i].dst)
			}
		}
	})
	var out []TryReg
	add := func(r *Reg) {
		for i, ref := range l.root.regs[r.ID] {
			t := types[r.ID]
			// A register that is wider than the instruction's type holds the extended value.
			if t == NoType || t.Bits() != max(r.Type.Bits(), 1) {
				t = resized(t, r.Type)
			}
			name := l.b.Func().Val(ref).Name
			if i == 0 && len(l.root.regs[r.ID]) == 1 {
				name = r.Name
			}
			out = append(out, TryReg{Name: name, Ref: ref, Type: display(t), Written: written[r.ID]})
		}
	}
	for _, r := range order {
		add(r)
	}
	for _, r := range reads {
		if !written[r.ID] {
			add(r)
		}
	}
	return out
}

// resized returns the integer type of a register's width with the sign of t.
func resized(t, reg Type) Type {
	if !t.Signed() {
		return untyped(reg)
	}
	switch reg.Bits() {
	case 16:
		return S16
	case 32:
		return S32
	case 64:
		return S64
	}
	return untyped(reg)
}

// instrs calls f for every instruction of a body in source order.
func (b *Block) instrs(f func(*Instr)) { b.inOrder(func(*Loc) {}, f) }

// inOrder calls loc for every .loc directive and instr for every instruction of a body, in source
// order.
func (b *Block) inOrder(loc func(*Loc), instr func(*Instr)) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *Loc:
			loc(s)
		case *Instr:
			instr(s)
		case *Block:
			s.inOrder(loc, instr)
		}
	}
}
