package randprog

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"example.org/crosslane/internal/ir"
)

// A Program is a kernel and its launch.
type Program struct {
	Seed  uint64 // seed of the input
	Lanes int    // 32: branches select lanes; 64: EXEC does
	Old   bool   // only lanes at one instruction meet
	Grid  uint32
	Block uint32
	Wide  uint32 `json:",omitempty"` // if not 0, the number of lanes in a row of the block, which has two dimensions
	Fuel  uint32
	Coded bool `json:",omitempty"` // Fuel is a constant in the code, not an input
	Vars  []Var
	Code  []Stmt
}

// A Var is a register of the guest.
type Var struct {
	Type   string
	Scalar bool   `json:",omitempty"`
	At     int    `json:",omitempty"` // 1 + its offset in bytes among registers that overlap; 0: it overlaps no other
	Init   string `json:",omitempty"` // the initial value: "tid", "tidy", "lane", "block", "wave", "ntid", or none; "exec": it is EXEC
}

// An Arg is a register, by its number; a temporary of the same instruction, by -1 minus its
// number; or a constant.
type Arg struct {
	Var   int    `json:",omitempty"`
	Const bool   `json:",omitempty"`
	Bits  uint64 `json:",omitempty"`
}

// A Stmt is one operation, and the way to compute its address.
type Stmt struct {
	Op    string
	Dst   int   `json:",omitempty"` // as Arg.Var; None: no result
	Dst2  int   `json:",omitempty"`
	Args  []Arg `json:",omitempty"`
	Guard int   `json:",omitempty"` // 1 + a register of type b1; 0: none
	Not   bool  `json:",omitempty"`
	Cont  bool  `json:",omitempty"` // it belongs to the instruction before it
	Size  uint8 `json:",omitempty"`
	Mem   string
	Index string `json:",omitempty"` // the way in which Args[0] selects an element: see address
	Flags uint8  `json:",omitempty"`
	Align bool   `json:",omitempty"`
	Imm   uint64 `json:",omitempty"`
	To    []int  `json:",omitempty"` // labels
}

// None as Dst or Dst2 means that there is no result.
const None = -1000

// The sizes of a program's memory in bytes.
const (
	inBytes     = 8192 // random, read only
	ownBytes    = 512  // of each block in the buffer own
	sharedBytes = 1024
	localBytes  = 64
	paramBytes  = 64
	accBytes    = 64 // shared by all blocks
	slotBytes   = 8
	maxSlots    = 16 // results of each lane in the buffer out
)

// builder turns a Program into a function.
type builder struct {
	*ir.Builder
	p      *Program
	vars   []ir.Ref
	temps  []ir.Ref
	labels map[int]ir.Label
	bound  map[int]bool

	tid, g, fuel ir.Ref // B32
	sfuel, block ir.Ref // B32, scalars
	in, out, own ir.Ref // B64, scalars: addresses; own is the block's
	acc          ir.Ref
	exec, bits   ir.Ref // 64 lanes: EXEC as mask and as scalar
	hidden       map[hiddenKey]ir.Ref
	line         int
	apart        bool // the next statement begins a block
	err          error
}

// hiddenKey identifies a value that keeps its content while lanes wait: its type and the
// number of the argument.
type hiddenKey struct {
	t    ir.Type
	slot int
}

var types = map[string]ir.Type{"b1": ir.B1, "b8": ir.B8, "b16": ir.B16, "b32": ir.B32, "b64": ir.B64}

// opsByName holds the operations by name; it is made once.
var opsByName = sync.OnceValue(func() map[string]ir.Op {
	m := make(map[string]ir.Op, ir.NumOps)
	for op := range ir.NumOps {
		m[ir.Ops[op].Name] = ir.Op(op)
	}
	return m
})

// Func builds the function. It fails for invalid programs, which can result from the
// reduction.
func (p *Program) Func() (*ir.Func, error) {
	if p.Lanes != 32 && p.Lanes != 64 || p.Grid == 0 || p.Block == 0 || p.Block > 1024 || p.Grid > 64 || p.Wide > 0 && p.Block%p.Wide != 0 {
		return nil, fmt.Errorf("randprog: no launch")
	}
	b := &builder{Builder: ir.NewBuilder("random", p.Lanes), p: p, labels: map[int]ir.Label{}, bound: map[int]bool{}, hidden: map[hiddenKey]ir.Ref{}}
	b.start()
	ops := opsByName()
	for i := range p.Code {
		b.line = i + 1
		b.stmt(ops, &p.Code[i])
		if b.err != nil {
			return nil, fmt.Errorf("randprog: statement %d (%s): %w", i, p.Code[i].Op, b.err)
		}
	}
	for l := range b.labels {
		if !b.bound[l] {
			return nil, fmt.Errorf("randprog: label %d is nowhere", l)
		}
	}
	b.line++
	b.At(ir.Pos{Line: b.line, Text: "end", Name: "end"})
	if p.Lanes == 64 {
		b.Emit(ir.Inst{Op: ir.EndWave})
	} else {
		b.Emit(ir.Inst{Op: ir.Exit})
	}
	return b.Finish()
}

// lanesOfBlock returns the number of lanes of a block's waves, including lanes that do not
// exist.
func (p *Program) lanesOfBlock() uint32 {
	n := uint32(p.Lanes)
	return (p.Block + n - 1) / n * n
}

func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

func (b *builder) c(v uint64) ir.Ref { return b.Const(ir.B32, v) }

// start declares registers and computes the values that addresses need.
func (b *builder) start() {
	p := b.p
	f := b.Func()
	f.SharedStatic, f.LocalSize, f.MeetAnywhere = sharedBytes, localBytes, !p.Old
	b.tid, b.g, b.fuel = b.Vector("%tid", ir.B32), b.Vector("%g", ir.B32), b.Vector("%fuel", ir.B32)
	b.sfuel, b.block = b.Scalar("%sfuel", ir.B32), b.Scalar("%block", ir.B32)
	b.in, b.out, b.own, b.acc = b.Scalar("%in", ir.B64), b.Scalar("%out", ir.B64), b.Scalar("%own", ir.B64), b.Scalar("%acc", ir.B64)
	b.Input(ir.ThreadIDX, b.tid, 0)
	b.Input(ir.BlockIDX, b.block, 0)
	if !p.Coded {
		b.Input(ir.InConst, b.fuel, uint64(p.Fuel))
		b.Input(ir.InConst, b.sfuel, uint64(p.Fuel))
	}
	for i, r := range []ir.Ref{b.in, b.out, b.own, b.acc} {
		b.Input(ir.LaunchValue, r, uint64(i))
	}
	if p.Lanes == 64 {
		at := b.Reserve(8)
		b.exec, b.bits = b.View("exec", ir.B1, false, at), b.View("exec", ir.B64, true, at)
		b.Input(ir.ActiveMask0, b.bits, 0)
		f.Exec = b.exec
	}
	overlap := uint32(0)
	shared := b.Reserve(64)
	for i, v := range p.Vars {
		t, ok := types[v.Type]
		if !ok {
			b.fail("register %d has no type", i)
			return
		}
		name := fmt.Sprintf("r%d", i)
		switch {
		case v.Init == "exec":
			// With 64 lanes, EXEC itself.
			r := b.exec
			if v.Scalar {
				r = b.bits
			}
			if r == 0 || b.Func().Val(r).Type != t {
				b.fail("register %d is no EXEC", i)
				return
			}
			b.vars = append(b.vars, r)
			continue
		case v.At > 0:
			off := uint32(v.At - 1)
			size := (&ir.Value{Type: t, Scalar: v.Scalar}).Size(p.Lanes)
			if overlap = off + size; overlap > 64 || off%max(size, 1) != 0 {
				b.fail("register %d lies outside", i)
				return
			}
			b.vars = append(b.vars, b.View(name, t, v.Scalar, shared+off))
		case v.Scalar:
			b.vars = append(b.vars, b.Scalar(name, t))
		default:
			b.vars = append(b.vars, b.Vector(name, t))
		}
		kinds := map[string]ir.InputKind{"tid": ir.ThreadIDX, "tidy": ir.ThreadIDY, "lane": ir.LaneID, "block": ir.BlockIDX, "wave": ir.WaveID, "ntid": ir.BlockDimX}
		if k, ok := kinds[v.Init]; ok {
			if t != ir.B32 || v.Scalar && (k == ir.ThreadIDX || k == ir.ThreadIDY || k == ir.LaneID) {
				b.fail("register %d cannot hold %s", i, v.Init)
				return
			}
			b.Input(k, b.vars[i], 0)
		}
	}
	b.ins("start")
	// Lanes beyond the end of the block have places of their own, too, because EXEC may
	// switch them on.
	b.Guard(0, false)
	lane, wave := b.Vector("%lane", ir.B32), b.Scalar("%wave", ir.B32)
	b.Input(ir.LaneID, lane, 0)
	b.Input(ir.WaveID, wave, 0)
	if p.Coded {
		b.To(b.fuel, ir.Mov32, b.c(uint64(p.Fuel)))
		b.To(b.sfuel, ir.Mov32, b.SConst(ir.B32, uint64(p.Fuel)))
	}
	at := b.T(ir.Mad32, b.Splat(wave), b.c(uint64(p.Lanes)), lane)
	b.To(b.g, ir.Mad32, b.Splat(b.block), b.c(uint64(p.lanesOfBlock())), at)
	b.To(b.own, ir.Add64, b.own, b.S(ir.Pack64, b.S(ir.Mul32, b.block, b.SConst(ir.B32, ownBytes)), b.SConst(ir.B32, 0)))
}

// ins starts a guest instruction.
func (b *builder) ins(name string) {
	b.At(ir.Pos{Line: b.line, Text: name, Name: name})
	b.temps = b.temps[:0]
	b.Guard(b.exec, false)
}

// val returns the value of an argument: as a scalar for a scalar operation, otherwise as a
// lane vector.
func (b *builder) val(a Arg, t ir.Type, scalar bool) ir.Ref {
	r := ir.Ref(0)
	switch {
	case a.Const && scalar:
		return b.SConst(t, a.Bits)
	case a.Const:
		return b.Const(t, a.Bits)
	case a.Var < 0:
		if i := -1 - a.Var; i < len(b.temps) {
			r = b.temps[i]
		}
	case a.Var < len(b.vars):
		r = b.vars[a.Var]
	}
	if r == 0 {
		b.fail("there is no register %d", a.Var)
		return b.Const(t, 0)
	}
	v := b.Func().Val(r)
	if v.Type != t || scalar && !v.Scalar {
		b.fail("register %d is %s, scalar %v, want %s, scalar %v", a.Var, v.Type, v.Scalar, t, scalar)
		return b.Const(t, 0)
	}
	if v.Scalar && !scalar {
		return b.Splat(r)
	}
	return r
}

// typeOf returns the type of an argument; NoType for a constant.
func (b *builder) typeOf(n int) (ir.Type, bool) {
	switch {
	case n >= 0 && n < len(b.vars):
		v := b.Func().Val(b.vars[n])
		return v.Type, v.Scalar
	case n < 0 && -1-n < len(b.temps):
		v := b.Func().Val(b.temps[-1-n])
		return v.Type, v.Scalar
	}
	return ir.NoType, false
}

// dst returns the destination of a result: a register, or a new temporary.
func (b *builder) dst(n int, t ir.Type, scalar bool) ir.Ref {
	if n < 0 {
		if -1-n != len(b.temps) {
			b.fail("temporary %d out of turn", -1-n)
		}
		r := b.Temp(t)
		if scalar {
			r = b.STemp(t)
		}
		b.temps = append(b.temps, r)
		return r
	}
	if n >= len(b.vars) {
		b.fail("there is no register %d", n)
		return b.Temp(t)
	}
	if v := b.Func().Val(b.vars[n]); v.Type != t || v.Scalar != scalar {
		b.fail("register %d is %s, want %s", n, v.Type, t)
		return b.Temp(t)
	}
	return b.vars[n]
}

// guard sets the guard of a statement.
func (b *builder) guard(s *Stmt) {
	if s.Guard == 0 {
		b.Guard(b.exec, false)
		return
	}
	g := b.val(Arg{Var: s.Guard - 1}, ir.B1, false)
	if b.exec != 0 {
		if s.Not {
			b.Guard(0, false)
			g = b.T(ir.NotP, g)
		}
		b.Guard(0, false)
		b.Guard(b.T(ir.AndP, g, b.exec), false)
		return
	}
	b.Guard(g, s.Not)
}

// label returns the label with a number.
func (b *builder) label(n int) ir.Label {
	l, ok := b.labels[n]
	if !ok {
		l = b.NewLabel()
		b.labels[n] = l
	}
	return l
}

// Text returns the program in readable form.
func (p *Program) Text() string {
	var w strings.Builder
	fmt.Fprintf(&w, "%d lanes, grid %d, block %d, fuel %d, seed %d, old %v\n", p.Lanes, p.Grid, p.Block, p.Fuel, p.Seed, p.Old)
	for i, v := range p.Vars {
		fmt.Fprintf(&w, "r%d %s scalar %v at %d %s\n", i, v.Type, v.Scalar, v.At, v.Init)
	}
	f, err := p.Func()
	if err != nil {
		fmt.Fprintln(&w, err)
		return w.String()
	}
	w.WriteString(f.Print())
	return w.String()
}

// JSON returns the program in the form in which it is kept.
func (p *Program) JSON() []byte {
	data, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		panic(err) // marshalling cannot fail
	}
	return append(data, '\n')
}

// Parse is the inverse of JSON.
func Parse(data []byte) (*Program, error) {
	p := &Program{}
	if err := json.Unmarshal(data, p); err != nil {
		return nil, err
	}
	return p, nil
}
