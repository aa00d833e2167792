package ir

import (
	"fmt"
	"math"
	"slices"
)

// Label is a branch target inside a Builder. It may be bound to a place before or after its use.
type Label int32

// Builder makes a Func. A front end calls At for every guest instruction and then emits its
// operations. Mistakes of the caller (wrong operand types) are kept and returned by Finish.
//
// Input: calls in the guest's layout order.
// Output: Finish returns a validated Func.
// Invariant: a temporary is not used after the At that follows its definition.
// Example: b.At(pos); t := b.T(Mul32, x, y); b.To(z, Add32, t, w); f, err := b.Finish().
type Builder struct {
	f        Func
	err      error
	guard    Ref
	guardNot bool
	order    Order
	pos      int32
	first    bool
	guestEnd uint32
	labels   []int // label → index in Code, -1: unbound
	marks    []int // code indexes at which blocks start because a label is bound there
	consts   map[constKey]Ref
	splats   map[Ref]Ref
	tempTop  uint32 // next free byte of the temporary area of this guest instruction
	tempMax  uint32
	temps    []Ref // refs whose offsets are relative to the temporary area
	pool     map[tempKey][]Ref
	used     map[tempKey]int
	constTop uint32
	tables   [][]Label
}

type constKey struct {
	t      Type
	scalar bool
	v      uint64
}

type tempKey struct {
	t      Type
	scalar bool
	off    uint32
}

// NewBuilder starts a function for waves of 32 or 64 lanes.
func NewBuilder(name string, lanes int) *Builder {
	b := &Builder{consts: map[constKey]Ref{}, splats: map[Ref]Ref{}, pool: map[tempKey][]Ref{}, used: map[tempKey]int{}}
	b.f.Name, b.f.Lanes = name, lanes
	b.f.Values = make([]Value, 1, 64) // Values[0] means none
	b.guestEnd = 64                   // offset 0 stays unused, so engines may use it for none
	return b
}

// Func gives access to the function's plain fields (File, SharedStatic, …) during its construction.
func (b *Builder) Func() *Func { return &b.f }

// fail keeps the first error, with the place of the guest instruction.
func (b *Builder) fail(format string, args ...any) {
	if b.err == nil {
		where := ""
		if len(b.f.Pos) > 0 {
			p := b.f.Pos[len(b.f.Pos)-1]
			where = fmt.Sprintf(" (line %d, %s)", p.Line, p.Text)
		}
		b.err = fmt.Errorf("ir: %s: "+format+"%s", append(append([]any{b.f.Name}, args...), where)...)
	}
}

// At starts a guest instruction: the operations that follow belong to it, the guard is cleared, and
// the temporaries of the previous instruction are dead.
func (b *Builder) At(p Pos) {
	b.f.Pos = append(b.f.Pos, p)
	b.pos = int32(len(b.f.Pos) - 1)
	b.first = true
	b.guard, b.guardNot, b.order = 0, false, 0
	b.tempTop = 0
	clear(b.splats)
}

// Guard restricts the operations that follow to the active lanes whose bit in the B1 lane vector r
// is set (clear, if not is true). Guard(0, false) removes the guard.
func (b *Builder) Guard(r Ref, not bool) {
	if r != 0 && (b.f.Values[r].Type != B1 || b.f.Values[r].Scalar) {
		b.fail("guard %s is not a lane vector of b1", b.f.Values[r].Name)
	}
	b.guard, b.guardNot = r, not
}

// Order sets the memory order of the guest instruction's operations, unless an operation has its
// own.
func (b *Builder) Order(o Order) { b.order = o }

// Reserve reserves guest storage for views that the front end lays out itself, and returns its
// offset.
func (b *Builder) Reserve(bytes uint32) uint32 {
	off := (b.guestEnd + 7) &^ 7
	b.guestEnd = off + bytes
	return off
}

// View declares a guest value at an offset inside reserved storage. Views may
// overlap.
func (b *Builder) View(name string, t Type, scalar bool, off uint32) Ref {
	return b.add(Value{Name: name, Type: t, Scalar: scalar, Off: off, Kind: Guest})
}

func (b *Builder) add(v Value) Ref {
	b.f.Values = append(b.f.Values, v)
	return Ref(len(b.f.Values) - 1)
}

// Vector declares a guest lane vector with storage of its own.
func (b *Builder) Vector(name string, t Type) Ref {
	v := Value{Name: name, Type: t}
	return b.View(name, t, false, b.Reserve(v.Size(b.f.Lanes)))
}

// Scalar declares a guest scalar with storage of its own.
func (b *Builder) Scalar(name string, t Type) Ref { return b.View(name, t, true, b.Reserve(8)) }

// Const returns a lane vector that holds v in every lane (for B1: 0 or 1).
func (b *Builder) Const(t Type, v uint64) Ref { return b.constant(t, v, false) }

// SConst returns a scalar that holds v.
func (b *Builder) SConst(t Type, v uint64) Ref { return b.constant(t, v, true) }

// constant returns the Value of a constant; equal constants share one.
func (b *Builder) constant(t Type, v uint64, scalar bool) Ref {
	switch t {
	case B1:
		v &= 1
	case B8:
		v &= 0xff
	case B16:
		v &= 0xffff
	case B32:
		v &= math.MaxUint32
	}
	k := constKey{t, scalar, v}
	if r, ok := b.consts[k]; ok {
		return r
	}
	val := Value{Type: t, Scalar: scalar, Kind: Const, Const: v, Off: b.constTop}
	b.constTop += (val.Size(b.f.Lanes) + 7) &^ 7
	r := b.add(val)
	b.consts[k] = r
	return r
}

// Temp declares a lane vector that lives until the next At.
func (b *Builder) Temp(t Type) Ref { return b.temp(t, false) }

// STemp declares a scalar that lives until the next At.
func (b *Builder) STemp(t Type) Ref { return b.temp(t, true) }

// temp declares a temporary at the top of the temporary area.
func (b *Builder) temp(t Type, scalar bool) Ref {
	k := tempKey{t, scalar, b.tempTop}
	v := Value{Type: t, Scalar: scalar, Kind: Temp, Off: b.tempTop}
	b.tempTop += (v.Size(b.f.Lanes) + 7) &^ 7
	b.tempMax = max(b.tempMax, b.tempTop)
	// Equal temporaries of different guest instructions share one Value, so kernels of many
	// instructions need few Values.
	if l := b.pool[k]; len(l) > 0 {
		return l[0]
	}
	r := b.add(v)
	b.temps = append(b.temps, r)
	b.pool[k] = append(b.pool[k], r)
	return r
}

// Emit appends an operation under the current guard and guest instruction.
func (b *Builder) Emit(in Inst) {
	in.Guard, in.GuardNot, in.Pos, in.First = b.guard, b.guardNot, b.pos, b.first
	if in.Order == 0 {
		in.Order = b.order
	}
	b.first = false
	if len(b.f.Code) == cap(b.f.Code) { // grow by a factor of two, because instructions are large
		b.f.Code = slices.Grow(b.f.Code, len(b.f.Code)+64)
	}
	b.f.Code = append(b.f.Code, in)
}

// To emits a pure operation into an existing value. It is scalar if dst is; scalar arguments of a
// vector operation are broadcast.
func (b *Builder) To(dst Ref, op Op, args ...Ref) {
	info := &Ops[op]
	if len(args) != len(info.Args) {
		b.fail("%s takes %d arguments, got %d", info.Name, len(info.Args), len(args))
		return
	}
	in := Inst{Op: op, Dst: dst, Scalar: b.f.Values[dst].Scalar}
	for i, a := range args {
		v := &b.f.Values[a]
		if v.Type != info.Args[i] {
			b.fail("%s: argument %d is %s %s, want %s", info.Name, i, v.Type, v.Name, info.Args[i])
		}
		if v.Scalar && !in.Scalar {
			a = b.Splat(a)
		} else if !v.Scalar && in.Scalar {
			b.fail("%s: argument %d (%s) is a lane vector, the destination is a scalar", info.Name, i, v.Name)
		}
		in.Args[i] = a
	}
	if t := b.f.Values[dst].Type; t != info.Res {
		b.fail("%s: destination %s is %s, want %s", info.Name, b.f.Values[dst].Name, t, info.Res)
	}
	b.Emit(in)
}

// T emits a pure operation into a new temporary lane vector and returns it.
func (b *Builder) T(op Op, args ...Ref) Ref {
	t := b.Temp(Ops[op].Res)
	b.To(t, op, args...)
	return t
}

// S emits a pure operation on scalars into a new temporary scalar.
func (b *Builder) S(op Op, args ...Ref) Ref {
	t := b.STemp(Ops[op].Res)
	b.To(t, op, args...)
	return t
}

// Splat returns a lane vector that holds a scalar's value in every lane.
func (b *Builder) Splat(a Ref) Ref {
	v := b.f.Values[a]
	if !v.Scalar {
		return a
	}
	if v.Kind == Const {
		return b.Const(v.Type, v.Const)
	}
	if t, ok := b.splats[a]; ok {
		return t
	}
	t := b.Temp(v.Type)
	b.Emit(Inst{Op: Splat, Dst: t, Args: [4]Ref{a}})
	// The broadcast is valid only until the scalar is written. A guest instruction reads everything
	// before it writes, so the broadcast is valid within one guest instruction.
	b.splats[a] = t
	return t
}

// Move copies a value to another one of the same type; a scalar is broadcast into a lane vector.
func (b *Builder) Move(dst, src Ref) {
	d, s := &b.f.Values[dst], &b.f.Values[src]
	if d.Type != s.Type {
		b.fail("move of %s %s to %s %s", s.Type, s.Name, d.Type, d.Name)
		return
	}
	if s.Scalar && !d.Scalar {
		if s.Kind == Const {
			src = b.Const(s.Type, s.Const)
		} else {
			b.Emit(Inst{Op: Splat, Dst: dst, Args: [4]Ref{src}})
			return
		}
	}
	switch d.Type {
	case B1:
		b.To(dst, MovB1, src)
	case B8:
		b.To(dst, Mov8, src)
	case B16:
		b.To(dst, Mov16, src)
	case B32:
		b.To(dst, Mov32, src)
	case B64:
		b.To(dst, Mov64, src)
	}
}

// MoveLast is Move of a temporary that nothing else reads. If the previous operation computes the
// temporary, it is changed to write dst directly, under the current guard.
func (b *Builder) MoveLast(dst, src Ref) {
	n := len(b.f.Code) - 1
	if bound := len(b.marks) > 0 && b.marks[len(b.marks)-1] == n+1; n >= 0 && !bound {
		in := &b.f.Code[n]
		if d := &b.f.Values[dst]; in.Dst == src && in.Op.Pure() && in.Pos == b.pos && in.Guard == 0 && b.f.Values[src].Kind == Temp &&
			d.Type == b.f.Values[src].Type && d.Scalar == b.f.Values[src].Scalar {
			in.Dst, in.Guard, in.GuardNot = dst, b.guard, b.guardNot
			return
		}
	}
	b.Move(dst, src)
}

// NewLabel makes a label to be bound later.
func (b *Builder) NewLabel() Label {
	b.labels = append(b.labels, -1)
	return Label(len(b.labels) - 1)
}

// Bind binds a label to the place of the next operation.
func (b *Builder) Bind(l Label) {
	b.labels[l] = len(b.f.Code)
	b.marks = append(b.marks, len(b.f.Code))
}

// Bra emits a branch of the lanes of the current guard (of all active lanes if there is none).
func (b *Builder) Bra(l Label) { b.Emit(Inst{Op: Bra, Imm: uint64(l)}) }

// NoTarget is a table entry without a target: a branch to it is a fault.
const NoTarget Label = -1

// NewTable makes a table of targets for BraTable, which Target fills.
func (b *Builder) NewTable(targets ...Label) int {
	b.tables = append(b.tables, targets)
	return len(b.tables) - 1
}

// Target appends a target to a table and returns its index there.
func (b *Builder) Target(table int, l Label) int {
	b.tables[table] = append(b.tables[table], l)
	return len(b.tables[table]) - 1
}

// BraTable emits a branch of the lanes of the current guard to the targets that their elements of
// index (B32) select. address, if it is not 0, is the address from which the index was computed:
// messages name it.
func (b *Builder) BraTable(table int, index, address Ref) {
	b.Emit(Inst{Op: BraTable, Args: [4]Ref{index, address}, Imm: uint64(table)})
}

// Resume begins a new block in the middle of a guest instruction: temporaries are dead, and there
// is no guard. It follows an operation that ends a block.
func (b *Builder) Resume() {
	b.guard, b.guardNot = 0, false
	b.tempTop = 0
	clear(b.splats)
}

// SBra emits a branch of the whole wave. It is taken if the scalar cond is set (clear, if not is
// true).
func (b *Builder) SBra(l Label, cond Ref, not bool) {
	b.Emit(Inst{Op: SBra, Scalar: true, Args: [4]Ref{cond}, Imm: uint64(l)})
	in := &b.f.Code[len(b.f.Code)-1]
	in.Guard, in.GuardNot = 0, not
}

// Input makes the launch initialise dst at the start of every wave.
func (b *Builder) Input(k InputKind, dst Ref, imm uint64) {
	b.f.Inputs = append(b.f.Inputs, Input{k, dst, imm})
}

// Finish splits the code into blocks, lays out the frame, validates, and returns the function.
func (b *Builder) Finish() (*Func, error) {
	f := &b.f
	if b.err != nil {
		return nil, b.err
	}
	n := len(f.Code)
	if n == 0 || !f.Code[n-1].endsFlow() || b.bindsAt(n) {
		b.first = false
		b.guard, b.guardNot = 0, false
		if len(f.Pos) == 0 {
			f.Pos = append(f.Pos, Pos{Text: "(end)"})
		}
		b.Emit(Inst{Op: Exit})
		n = len(f.Code)
	}
	starts := make([]bool, n+1)
	starts[0] = true
	for _, m := range b.marks {
		starts[m] = true
	}
	for i := range f.Code {
		if f.Code[i].Op.EndsBlock() {
			starts[i+1] = true
		}
	}
	blockOf := make([]int, n+1)
	for i, start := 0, 0; i < n; i++ {
		blockOf[i] = len(f.Blocks)
		if starts[i+1] || i == n-1 {
			f.Blocks = append(f.Blocks, Block{start, i + 1})
			start = i + 1
		}
	}
	for i := range f.Code {
		in := &f.Code[i]
		if in.Op != Bra && in.Op != SBra {
			continue
		}
		at := b.labels[in.Imm]
		if at < 0 {
			return nil, fmt.Errorf("ir: %s: branch at %d to a label that is not bound", f.Name, i)
		}
		in.Imm = uint64(blockOf[at])
	}
	for _, t := range b.tables {
		blocks := make([]int, len(t))
		for i, l := range t {
			blocks[i] = -1
			if l == NoTarget {
				continue
			}
			at := b.labels[l]
			if at < 0 {
				return nil, fmt.Errorf("ir: %s: a table names a label that is not bound", f.Name)
			}
			blocks[i] = blockOf[at]
		}
		f.Tables = append(f.Tables, blocks)
	}
	f.GuestSize = (b.guestEnd + 63) &^ 63
	constAt := f.GuestSize
	tempAt := (constAt + b.constTop + 63) &^ 63
	for i := range f.Values {
		switch f.Values[i].Kind {
		case Const:
			f.Values[i].Off += constAt
		case Temp:
			f.Values[i].Off += tempAt
		}
	}
	f.FrameSize = tempAt + (b.tempMax+63)&^63
	f.settleSurplus()
	if err := f.Validate(); err != nil {
		return nil, err
	}
	return f, nil
}

func (b *Builder) bindsAt(n int) bool {
	for _, m := range b.marks {
		if m == n {
			return true
		}
	}
	return false
}

// endsFlow reports whether control never continues after the instruction.
func (in *Inst) endsFlow() bool {
	switch in.Op {
	case Bra, BraTable, Exit:
		return in.Guard == 0
	case EndWave, Trap:
		return true
	}
	return false
}
