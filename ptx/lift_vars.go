package ptx

import (
	"cmp"
	"slices"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
)

// A place is the location of a variable: offset off of an address space, or global memory at an
// address that the launch provides.
type location struct {
	space ir.Space
	off   uint64
	base  ir.Ref // lane vector: B64 of global memory, B32 of a frame on the stack; else 0
}

// layoutShared gives an offset to every .shared variable that the functions mention: first the
// static variables in the order of declaration, then the dynamic part.
func (l *lifter) layoutShared(fs map[*Func]*Body) {
	seen := map[*Var]bool{}
	var static, dynamic []*Var
	var operand func(o *Operand)
	operand = func(o *Operand) {
		if v := o.Var(); v != nil && v.Space == SpaceShared && !seen[v] {
			seen[v] = true
			if v.Link == LinkExtern {
				dynamic = append(dynamic, v)
			} else {
				static = append(static, v)
			}
		}
		for i := range o.List {
			operand(&o.List[i])
		}
	}
	for _, b := range fs {
		b.instrs(func(in *Instr) {
			for i := range in.Args {
				operand(&in.Args[i])
			}
		})
	}
	inText := func(a, b *Var) int {
		// Members of a family have the same position in the text.
		return cmp.Or(cmp.Compare(a.Pos.Off, b.Pos.Off), cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
	}
	slices.SortFunc(static, inText)
	slices.SortFunc(dynamic, inText)
	for n, v := range static {
		if n > 0 {
			l.gapShared(static[n-1], v)
		}
		l.shared = alignUp(l.shared, v.Alignment())
		l.places[v] = location{space: ir.Shared, off: l.shared}
		l.k.Shared = append(l.k.Shared, SharedVar{v.Name, uint32(l.shared), uint32(v.Size())})
		if l.shared += v.Size(); l.shared > maxShared {
			l.errorf(v.Pos, diag.Input, "too-large", "the .shared variables need more than %d bytes", maxShared)
			return
		}
	}
	l.k.StaticShared, l.k.LargestShared = needShared(static)
	// All extern .shared arrays start at the same place (PTX 5.1.7).
	for n, v := range dynamic {
		if n == 0 && len(static) > 0 {
			l.gapShared(static[len(static)-1], v)
		}
		l.shared = alignUp(l.shared, v.Alignment())
	}
	for _, v := range dynamic {
		l.k.DynamicShared = true
		l.places[v] = location{space: ir.Shared, off: l.shared}
		l.k.Shared = append(l.k.Shared, SharedVar{v.Name, uint32(l.shared), 0})
	}
}

// layoutParams gives the entry's parameters their offsets.
func (l *lifter) layoutParams() {
	params, _ := l.k.Entry.ParamLayout()
	for _, p := range params {
		l.places[p.Var] = location{space: ir.Param, off: p.Offset}
	}
}

// layout writes the sizes of the memory areas to the function.
func (l *lifter) layout() {
	l.b.Func().SharedStatic = uint32(l.shared)
	for _, v := range l.k.Shared {
		l.b.Func().SharedVars = append(l.b.Func().SharedVars, ir.Variable{Name: v.Name, Off: v.Offset, Size: v.Size})
	}
	l.b.Func().LocalSize = uint32(alignUp(l.localMax, 16))
	l.finishApart()
}

// allocLocal reserves private memory of the current activation.
func (l *lifter) allocLocal(v *Var) location {
	a := l.area
	if n := v.Size(); n > maxShared || a.top+n > maxShared {
		l.errorf(v.Pos, diag.Input, "too-large", "the .local variables need more than %d bytes", maxShared)
		return location{space: ir.Local}
	}
	p := location{space: ir.Local, base: a.frame}
	if a.frame == 0 {
		l.gapLocal(v)
		p.off = alignUp(a.top, v.Alignment())
		a.top = p.off + v.Size()
		a.last = v
		if l.apart != nil {
			l.apart.Vars = append(l.apart.Vars, ir.Variable{Name: v.Name, Off: uint32(p.off), Size: uint32(v.Size())})
		}
	} else {
		a.top = alignUp(a.top+v.Size(), v.Alignment())
		p.off = -a.top
	}
	a.max = max(a.max, a.top)
	if a.frame == 0 {
		l.localMax = max(l.localMax, a.max)
	}
	return p
}

// placeOf returns the place of a variable, and reserves memory at its first use.
func (l *lifter) placeOf(v *Var, pos Pos) location {
	if p, ok := l.places[v]; ok {
		return p
	}
	if p, ok := l.frame.places[v]; ok {
		return p
	}
	var p location
	switch v.Space {
	case SpaceLocal, SpaceParam:
		// Parameters and results of device functions are in private memory of the caller's
		// activation.
		p = l.allocLocal(v)
		if v.Func == nil {
			l.places[v] = p
			return p
		}
		l.frame.places[v] = p
		return p
	case SpaceGlobal, SpaceConst:
		i := l.global(v, pos)
		name := "&" + v.Name
		p = location{space: ir.Global, base: l.b.Vector(name, ir.B64)}
		l.b.Input(ir.LaunchValue, p.base, uint64(i))
		l.places[v] = p
		return p
	}
	l.errorf(pos, diag.Unsupported, codeNotLifted, "%s is a %s variable, which is not supported here", v.Name, v.Space)
	return location{space: ir.Local}
}

// global returns the index of a variable in Kernel.Globals.
func (l *lifter) global(v *Var, pos Pos) int {
	i := l.globals.add(v, pos)
	l.k.Globals = l.globals.list
	return i
}

// varAddress returns the place that a KindVar, KindIndex or KindSymOff operand names: the space, an
// address of B32 or B64, and a constant to add.
func (l *lifter) varAddress(o *Operand) (space ir.Space, base ir.Ref, off int64) {
	v := o.Var()
	p := l.placeOf(v, o.Pos)
	off = int64(p.off)
	base = p.base
	if base == 0 {
		base = l.b.Const(ir.B32, 0)
		if p.space == ir.Shared {
			base = l.sharedFirst()
		}
	}
	switch o.Kind {
	case KindSymOff:
		off += o.Off
	case KindIndex:
		elem := int64(max(v.Vec, 1) * v.Type.Bytes())
		off += o.Off * elem
		idx := &o.List[0]
		if idx.Kind == KindInt {
			off += int64(idx.Val) * elem
			break
		}
		t := l.typeOf(base)
		n := l.reg(idx)
		if l.typeOf(n) != t {
			op, ok := resizeOp(l.typeOf(n), t, idx.Reg().Type.Signed())
			if !ok {
				l.unsupportedOperand(o)
				break
			}
			n = l.b.T(op, n)
		}
		if t == ir.B64 {
			base = l.b.T(ir.Mad64, n, l.b.Const(t, uint64(elem)), base)
		} else {
			base = l.b.T(ir.Mad32, n, l.b.Const(t, uint64(elem)), base)
		}
	}
	return p.space, base, off
}

// sharedFirst returns the address of the first byte of the block's shared memory, of B32.
func (l *lifter) sharedFirst() ir.Ref {
	if !l.b.Func().Ranked {
		return l.b.Const(ir.B32, 0)
	}
	if l.first == 0 {
		l.first = l.b.Vector("", ir.B32)
		l.b.Input(ir.SharedFirst, l.first, 0)
	}
	return l.first
}

// address returns the place that the operand [a] of a memory instruction names.
func (l *lifter) address(o *Operand, space Space) (ir.Space, ir.Ref, int64) {
	base, off := addressBase(o)
	switch base.Kind {
	case KindVar, KindIndex, KindSymOff:
		if base.Var().Space == SpaceReg {
			l.unsupportedOperand(base)
			return ir.Local, l.b.Const(ir.B32, 0), 0
		}
		s, r, varOff := l.varAddress(base)
		return s, r, varOff + off
	case KindInt:
		return l.irSpace(space), l.b.Const(ir.B64, base.Val), off
	case KindReg:
		r := l.reg(base)
		if l.typeOf(r) == ir.B16 {
			// Addresses are zero-extended (PTX 6.4.1), and their offsets are too.
			return l.irSpace(space), l.b.T(ir.CvtU32FromU16, r), off & 0xffff
		}
		return l.irSpace(space), r, off
	}
	l.unsupportedOperand(o)
	return ir.Generic, l.b.Const(ir.B64, 0), 0
}

// irSpace returns the IR's space for an address in a register.
func (l *lifter) irSpace(s Space) ir.Space {
	switch s {
	case SpaceGlobal, SpaceConst:
		return ir.Global
	case SpaceLocal:
		return ir.Local
	case SpaceShared:
		return ir.Shared
	case SpaceParam:
		// The address of a device function's parameter is an address of private memory (PTX
		// 9.7.9.3).
		if !l.frame.entry() {
			return ir.Local
		}
		return ir.Param
	}
	return ir.Generic
}

// addressValue emits the address of a variable operand as a value of type t: the address within its
// own space, or the generic one.
func (l *lifter) addressValue(o *Operand, t ir.Type, generic bool) ir.Ref {
	space, base, off := l.varAddress(o)
	if generic {
		w, ok := l.window(space, t)
		if !ok {
			l.errorf(o.Pos, diag.Unsupported, codeNotLifted, "%s: generic addresses of the %s space are not supported", l.in.Op, space)
		}
		off += int64(w)
	}
	if v := l.b.Func().Val(base); v.Kind == ir.Const {
		return l.b.Const(t, v.Const+uint64(off))
	}
	if l.typeOf(base) != t {
		op, ok := resizeOp(l.typeOf(base), t, false)
		if !ok {
			l.unsupportedOperand(o)
			return l.b.Const(t, 0)
		}
		base = l.b.T(op, base)
	}
	if off == 0 {
		return base
	}
	return l.b.T(l.addOp(t), base, l.b.Const(t, uint64(off)))
}

func (l *lifter) addOp(t ir.Type) ir.Op {
	switch t {
	case ir.B16:
		return ir.Add16
	case ir.B32:
		return ir.Add32
	}
	return ir.Add64
}

// windows returns the windows of generic addresses, and records that the code depends on them.
func (l *lifter) windows() *ir.Windows {
	l.k.Windowed = true
	return &l.b.Func().Windows
}

// window returns the number to add to an address of space s to make a generic address of type t. ok
// is false if the conversion is impossible.
func (l *lifter) window(s ir.Space, t ir.Type) (w uint64, ok bool) {
	var narrow uint64
	switch s {
	case ir.Global:
		return 0, true
	case ir.Shared:
		w, narrow = l.windows().Shared(), ir.SharedWindow
	case ir.Local:
		w, narrow = l.windows().Local(), ir.LocalWindow
	case ir.Param:
		w, narrow = l.windows().Param(), ir.ParamWindow
	default:
		return 0, false
	}
	if t != ir.B64 {
		// If addresses have 64 bits, an address of 32 bits cannot be converted back.
		return ir.Window32(narrow), l.m.AddressSize == 32
	}
	return w, true
}
