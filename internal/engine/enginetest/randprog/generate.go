package randprog

import (
	"math/rand/v2"
	"slices"
	"strings"

	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/ir"
)

// generator makes one program.
type generator struct {
	*rand.Rand
	p      *Program
	theme  []ir.Op // operations that are frequent in this program
	depth  int
	labels int
	free   []int // labels of branches that are placed anywhere
	masks  int   // the register that holds the lanes that are here
	cheap  bool  // no operations that wait
	wild   bool  // the program may fault
	short  bool  // few loads and stores besides those of the theme
	common int   // number of registers for general use; 0: all
	themed bool  // only basic operations and those of the theme
	close  bool  // the theme is a family: see family
	left   int
	ops    map[string]ir.Op // by name, if they are needed
}

// basic lists the operations that every program may have.
var basic = []ir.Op{ir.Add32, ir.Sub32, ir.Mul32, ir.And32, ir.Or32, ir.Xor32, ir.Not32, ir.Shl32, ir.ShrU32, ir.ShrS32, ir.Mad32, ir.MinS32, ir.MaxU32,
	ir.Add64, ir.Sub64, ir.And64, ir.Xor64, ir.Shl64, ir.ShrU64, ir.Pack64, ir.Lo32, ir.Hi32, ir.Mov32, ir.Mov64, ir.MovB1,
	ir.AddF32, ir.MulF32, ir.FmaF32, ir.SubF32, ir.AddF64, ir.MulF64, ir.AddF16, ir.CvtF64FromF32, ir.CvtF32FromF64,
	ir.Sel32, ir.Sel64, ir.LtS32, ir.LtU32, ir.EqU32, ir.NeU32, ir.GeU32, ir.LtF32, ir.AndP, ir.OrP, ir.NotP, ir.XorP}

// New returns the program of a seed.
func New(seed uint64) *Program {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x696e7465726d6564))}
	p := &Program{Seed: seed, Lanes: 32, Grid: uint32(1 + g.IntN(3)), Fuel: uint32(1 + g.IntN(10))}
	g.p = p
	p.Block = g.pick32(32, 32, 32, 64, 33, 20, 7, 1, 70)
	if g.IntN(3) == 0 {
		p.Lanes = 64
		p.Block = g.pick32(64, 64, 64, 128, 40, 65, 1, 100)
	}
	p.Old = g.IntN(6) == 0
	g.wild = g.IntN(12) == 0
	g.cheap = g.IntN(4) == 0
	for range 3 + g.IntN(8) {
		g.theme = append(g.theme, g.anyPure())
	}
	if g.IntN(3) == 0 {
		g.family()
	}
	g.registers()
	for range g.IntN(4) {
		g.labels++
		g.free = append(g.free, g.labels)
	}
	g.short = g.IntN(4) > 0
	g.values()
	g.left = 4 + g.IntN(30)
	for g.left > 0 {
		g.statement()
	}
	g.results()
	for _, l := range g.free {
		at := g.IntN(len(p.Code) + 1)
		for at < len(p.Code) && p.Code[at].Cont {
			at++
		}
		p.Code = slices.Insert(p.Code, at, Stmt{Op: "label", Imm: uint64(l)})
	}
	return p
}

// family makes the theme operations of one type, and moves of it, so that one operation reads
// the result of another.
func (g *generator) family() {
	g.close, g.theme = true, nil
	name := g.anyPure().String()
	kind := name[strings.LastIndexFunc(name, func(r rune) bool { return r >= 'A' && r <= 'Z' }):]
	var all []ir.Op
	for op := range ir.Op(ir.NumOps) {
		if op.Pure() && strings.HasSuffix(op.String(), kind) {
			all = append(all, op)
		}
	}
	for range 2 + g.IntN(6) {
		op := all[g.IntN(len(all))]
		g.theme = append(g.theme, op)
		if move, ok := moves[ir.Ops[op].Res]; ok {
			g.theme = append(g.theme, move)
		}
	}
}

var moves = map[ir.Type]ir.Op{ir.B1: ir.MovB1, ir.B16: ir.Mov16, ir.B32: ir.Mov32, ir.B64: ir.Mov64}

// values initialises registers: with loaded values, or in short programs with numbers made
// from the lane number, because loads are a large part of the code.
func (g *generator) values() {
	for i, v := range g.p.Vars {
		if v.Type == "b1" || v.Init != "" || g.IntN(4) == 0 {
			continue
		}
		if op := map[string]string{"b32": "Mad32", "b64": "MadWideU32"}[v.Type]; g.short && op != "" && !v.Scalar && g.IntN(3) > 0 {
			last := types[v.Type]
			g.emit(Stmt{Op: op, Dst: i, Dst2: None, Args: []Arg{{Var: g.IntN(2)}, g.konst(ir.B32), g.konst(last)}})
			continue
		}
		index := "lane"
		if v.Scalar {
			index = "scalar"
		}
		g.emit(Stmt{Op: "Load", Dst: i, Dst2: None, Args: []Arg{g.konst(ir.B32)}, Size: uint8(types[v.Type].Bytes()), Mem: "in", Index: index, Imm: uint64(g.IntN(16))})
	}
}

// fewer lets some lanes exit before all other statements, in some programs. A value that the
// first lane of a wave or of a tile row represents then has to come from another lane.
func (g *generator) fewer() {
	if g.IntN(4) > 0 {
		return
	}
	if g.p.Lanes == 64 {
		exec := slices.IndexFunc(g.p.Vars, func(v Var) bool { return v.Init == "exec" && v.Scalar })
		mask := [...]uint64{1<<64 - 2, 1<<64 - 16, 1<<64 - 1<<32, 1<<32 - 1, 0xfff0fff0fff0fff0, g.Uint64()}[g.IntN(6)]
		g.emit(Stmt{Op: "And64", Dst: exec, Dst2: None, Args: []Arg{{Var: exec}, {Const: true, Bits: mask}}})
		return
	}
	some, n := g.reg(ir.B1, false), uint64(1)<<g.IntN(6)
	op := [...]ir.Op{ir.LtU32, ir.LtU32, ir.LtU32, ir.GeU32, ir.EqU32}[g.IntN(5)]
	who := Arg{Var: g.IntN(2)}
	if g.IntN(2) == 0 {
		x := g.reg(ir.B32, false)
		g.emit(Stmt{Op: "And32", Dst: x, Dst2: None, Args: []Arg{who, {Const: true, Bits: 15}}})
		who = Arg{Var: x}
	}
	g.emit(Stmt{Op: op.String(), Dst: some, Dst2: None, Args: []Arg{who, {Const: true, Bits: n}}})
	g.emit(Stmt{Op: "Exit", Dst: None, Dst2: None, Guard: 1 + some})
}

func (g *generator) pick32(l ...uint32) uint32 { return l[g.IntN(len(l))] }

// registers declares the registers.
func (g *generator) registers() {
	add := func(n int, v Var) {
		for range n {
			g.p.Vars = append(g.p.Vars, v)
		}
	}
	add(1, Var{Type: "b32", Init: "tid"})
	add(1, Var{Type: "b32", Init: "lane"})
	add(4, Var{Type: "b32"})
	add(3, Var{Type: "b64"})
	add(2, Var{Type: "b16"})
	add(1, Var{Type: "b8"})
	add(3, Var{Type: "b1"})
	add(1, Var{Type: "b1", Scalar: true})
	if g.p.Lanes == 32 {
		add(1, Var{Type: "b32", Scalar: true, Init: "block"})
		add(1, Var{Type: "b32", Scalar: true})
		add(1, Var{Type: "b64", Scalar: true})
		add(1, Var{Type: "b32", Scalar: false})
		g.masks = len(g.p.Vars) - 1
		return
	}
	// Scalars of 4 bytes, pairs of them with their masks, and EXEC.
	for i := range 6 {
		add(1, Var{Type: "b32", Scalar: true, At: 1 + 4*i})
	}
	for i := range 3 {
		add(1, Var{Type: "b64", Scalar: true, At: 1 + 8*i})
		add(1, Var{Type: "b1", At: 1 + 8*i})
	}
	add(1, Var{Type: "b1", Init: "exec"})
	add(1, Var{Type: "b64", Scalar: true, Init: "exec"})
	g.masks = -1
}

func (g *generator) emit(s Stmt) {
	g.p.Code = append(g.p.Code, s)
	g.left--
}

// reg returns a random register; only a scalar, if scalar.
func (g *generator) reg(t ir.Type, scalar bool) int {
	var l []int
	for i, v := range g.p.Vars {
		if g.common > 0 && i >= g.common {
			break
		}
		if types[v.Type] == t && v.Scalar == scalar && (v.Init != "exec" || g.IntN(3) == 0) {
			l = append(l, i)
		}
	}
	if len(l) == 0 {
		return None
	}
	return l[g.IntN(len(l))]
}

func (g *generator) konst(t ir.Type) Arg {
	return Arg{Const: true, Bits: enginetest.RandomValue(g.Rand, t)}
}

// arg returns a random argument.
func (g *generator) arg(t ir.Type, scalar bool) Arg {
	k := g.IntN(10)
	if k == 0 || k == 1 {
		return g.konst(t)
	}
	if k == 2 || scalar {
		if r := g.reg(t, true); r != None {
			return Arg{Var: r}
		}
		if scalar {
			return g.konst(t)
		}
	}
	return Arg{Var: g.reg(t, false)}
}

// guarded sometimes gives a statement a guard.
func (g *generator) guarded(s Stmt, one int) Stmt {
	if g.IntN(one) == 0 {
		s.Guard, s.Not = 1+g.reg(ir.B1, false), g.IntN(2) == 0
	}
	return s
}

// pureOp returns a random operation.
func (g *generator) pureOp() ir.Op {
	switch k := g.IntN(8); {
	case k == 0 && !g.themed:
		return g.anyPure()
	case k < 4 || k < 7 && g.close:
		return g.theme[g.IntN(len(g.theme))]
	}
	return basic[g.IntN(len(basic))]
}

// pure emits a pure operation, or a chain of them in one instruction.
func (g *generator) pure() {
	op := g.pureOp()
	info := &ir.Ops[op]
	scalar := g.IntN(6) == 0 && g.reg(info.Res, true) != None
	s := Stmt{Op: info.Name, Dst: g.reg(info.Res, scalar), Dst2: None}
	for _, t := range info.Args {
		s.Args = append(s.Args, g.arg(t, scalar))
	}
	if len(s.Args) > 1 && info.Args[0] == info.Args[1] && g.IntN(8) == 0 {
		s.Args[1] = s.Args[0]
	}
	if scalar || g.IntN(6) > 0 {
		if !scalar {
			s = g.guarded(s, 4)
		}
		g.emit(s)
		return
	}
	// The result goes into a temporary, which later operations of its type use.
	s.Dst = -1
	g.emit(s)
	for temp := -1; temp > -4; temp-- {
		var next ir.Op
		t := info.Res
		for range 50 {
			if next = g.pureOp(); slices.Contains(ir.Ops[next].Args, t) {
				break
			}
		}
		info = &ir.Ops[next]
		s := Stmt{Op: info.Name, Cont: true, Dst2: None}
		for _, a := range info.Args {
			if a == t && g.IntN(4) > 0 {
				s.Args = append(s.Args, Arg{Var: temp})
			} else {
				s.Args = append(s.Args, g.arg(a, false))
			}
		}
		if s.Dst = temp - 1; temp == -3 || g.IntN(2) == 0 {
			s.Dst = g.reg(info.Res, false)
			g.emit(g.guarded(s, 4))
			return
		}
		g.emit(s)
	}
}

// memory emits an access.
func (g *generator) memory() {
	mems := []string{"in", "in", "own", "own", "own", "gown", "shared", "shared", "gshared", "local", "param"}
	indexes := []string{"lane", "lane", "idx", "idx", "const", "byte"}
	t := []ir.Type{ir.B32, ir.B32, ir.B32, ir.B64, ir.B64, ir.B16, ir.B8}[g.IntN(7)]
	s := Stmt{Op: "Load", Dst: g.reg(t, false), Dst2: None, Args: []Arg{g.arg(ir.B32, false)}, Mem: mems[g.IntN(len(mems))], Index: indexes[g.IntN(len(indexes))],
		Imm: uint64(g.IntN(1 << 12)), Flags: uint8(ir.SignExtend) * uint8(g.IntN(2)), Align: g.IntN(2) == 0, Size: uint8(t.Bytes())}
	if g.IntN(4) == 0 {
		s.Size = uint8(1) << g.IntN(4)
		s.Size = min(s.Size, uint8(t.Bytes()))
	}
	if s.Mem == "shared" || s.Mem == "local" {
		s.Flags |= uint8(g.IntN(2)) << 7
	}
	switch s.Index {
	case "const":
		s.Args[0] = g.konst(ir.B32)
	case "byte":
		s.Align = g.wild && g.IntN(4) == 0
	}
	if g.wild && g.IntN(8) == 0 {
		s.Index = "raw"
	}
	switch k := g.IntN(8); {
	case k == 0 && g.reg(t, true) != None:
		s.Index, s.Dst, s.Mem, s.Args[0] = "scalar", g.reg(t, true), "in", g.arg(ir.B32, true)
	case k <= 3 && s.Mem != "in" && s.Mem != "param":
		s.Op, s.Dst, s.Flags = "Store", None, s.Flags&0x80
		s.Args = append(s.Args, g.arg(t, false))
		if s.Args[1].Const {
			s.Size = min(s.Size, 4)
		}
	case k == 4:
		s.Op, s.Dst = "Atomic", None
		s.Mem = []string{"own", "shared", "acc", "gshared", "local"}[g.IntN(5)]
		s.Size = []uint8{4, 4, 8}[g.IntN(3)]
		t = map[uint8]ir.Type{4: ir.B32, 8: ir.B64}[s.Size]
		s.Index, s.Flags = []string{"lane", "idx", "idx", "const"}[g.IntN(4)], s.Flags&0x80
		n := 14
		if s.Size == 8 {
			n = int(ir.AtomInc)
		}
		op := ir.AtomicOp(g.IntN(n))
		if s.Mem == "acc" {
			op = []ir.AtomicOp{ir.AtomAdd, ir.AtomMinU, ir.AtomMaxS, ir.AtomAnd, ir.AtomOr, ir.AtomXor}[g.IntN(6)]
			s.Index, s.Size, t = "idx", 4, ir.B32
		}
		s.Imm = uint64(op)
		s.Args = append(s.Args, g.arg(t, false), g.arg(t, false))
		if s.Index == "const" {
			s.Args[0] = g.konst(ir.B32)
		}
		if s.Mem != "acc" && g.IntN(3) > 0 {
			s.Dst = g.reg(t, false)
		}
	}
	g.emit(g.guarded(s, 4))
}

// across emits an operation across lanes.
func (g *generator) across() {
	if g.p.Lanes == 64 {
		g.wide()
		return
	}
	d, d2 := g.reg(ir.B32, false), g.reg(ir.B1, false)
	if g.IntN(4) == 0 {
		d2 = None
	} else if g.IntN(8) == 0 {
		d = None
	}
	v := g.arg(ir.B32, false)
	ctl := func() Arg {
		if g.IntN(3) > 0 {
			return Arg{Const: true, Bits: uint64(g.IntN(33))}
		}
		return g.arg(ir.B32, false)
	}
	clamp := Arg{Const: true, Bits: uint64(g.pick32(31, 31, 31, 0, 0x1c00, 0x101f, 0x1807))}
	if g.IntN(6) == 0 {
		clamp = g.arg(ir.B32, false)
	}
	switch g.IntN(8) {
	case 0:
		g.emit(g.guarded(Stmt{Op: "Shfl", Dst: d, Dst2: d2, Args: []Arg{v, ctl(), clamp}, Imm: uint64(g.IntN(4))}, 4))
		return
	case 1:
		if g.IntN(2) == 0 {
			g.emit(Stmt{Op: "ActiveMask", Dst: g.reg(ir.B32, false), Dst2: None})
			return
		}
		g.emit(g.guarded(Stmt{Op: "Vote", Dst: g.reg(ir.B32, false), Dst2: g.reg(ir.B1, false), Args: []Arg{g.arg(ir.B1, false)}, Imm: uint64(g.IntN(4))}, 4))
		return
	}
	if g.cheap {
		return
	}
	mask := Arg{Var: g.masks}
	switch k := g.IntN(30); {
	case k < 2 || g.depth == 0 && k < 10:
		mask = Arg{Const: true, Bits: 0xffffffff}
	case k == 2 && g.wild:
		mask = g.arg(ir.B32, false)
	default:
		g.emit(Stmt{Op: "ActiveMask", Dst: g.masks, Dst2: None})
	}
	one := 8
	if !g.wild {
		one = 1 << 30 // lanes of the mask would be missing
	}
	zero := Arg{Const: true}
	switch g.IntN(8) {
	case 0, 1, 2:
		g.emit(g.guarded(Stmt{Op: "ShflSync", Dst: d, Dst2: d2, Args: []Arg{v, ctl(), clamp, mask}, Imm: uint64(g.IntN(4))}, one))
	case 3, 4:
		g.emit(g.guarded(Stmt{Op: "VoteSync", Dst: g.reg(ir.B32, false), Dst2: g.reg(ir.B1, false), Args: []Arg{g.arg(ir.B1, false), zero, zero, mask}, Imm: uint64(g.IntN(4))}, one))
	case 5:
		if g.IntN(3) == 0 {
			v = Arg{Var: g.reg(ir.B64, false)}
		}
		g.emit(g.guarded(Stmt{Op: "MatchSync", Dst: g.reg(ir.B32, false), Dst2: d2, Args: []Arg{v, zero, zero, mask}, Imm: uint64(g.IntN(2))}, one))
	case 6:
		imm := uint64(g.IntN(10))
		if imm >= uint64(ir.ReduxMinF32) {
			imm |= uint64(g.IntN(4)) << 8
		}
		g.emit(g.guarded(Stmt{Op: "ReduxSync", Dst: g.reg(ir.B32, false), Dst2: None, Args: []Arg{v, zero, zero, mask}, Imm: imm}, one))
	default:
		op := []string{"ElectSync", "WarpSync"}[g.IntN(2)]
		g.emit(Stmt{Op: op, Dst: d, Dst2: d2, Args: []Arg{zero, zero, zero, mask}})
	}
}

// wide is across for 64 lanes.
func (g *generator) wide() {
	d, v := g.reg(ir.B32, false), g.arg(ir.B32, false)
	s := Stmt{Dst: d, Dst2: None, Args: []Arg{v}}
	switch g.IntN(8) {
	case 0, 1:
		s.Op = "DPPRead"
		ctrl := uint16(g.IntN(0x144))
		for !validDPP(ctrl) {
			ctrl = uint16(g.IntN(0x144))
		}
		rows, banks := uint8(15), uint8(15)
		if g.IntN(3) == 0 {
			rows, banks = uint8(g.IntN(16)), uint8(g.IntN(16))
		}
		s.Imm = ir.DPPImm(ctrl, rows, banks, g.IntN(2) == 0)
	case 2:
		s.Op, s.Imm = "DSSwizzle", uint64(g.IntN(1<<16))
	case 3:
		s.Op, s.Imm = "DSPermute", uint64(g.IntN(64))
		s.Args = append(s.Args, g.arg(ir.B32, false))
	case 4:
		s.Op, s.Imm = "DSBpermute", uint64(g.IntN(64))
		s.Args = append(s.Args, g.arg(ir.B32, false))
	case 5:
		s.Op, s.Dst = "ReadLane", g.reg(ir.B32, true)
		s.Args = append(s.Args, g.arg(ir.B32, true))
	case 6:
		s.Op, s.Dst, s.Imm = "ReadFirstLane", g.reg(ir.B32, true), uint64(g.IntN(2))
	default:
		s.Op = "WriteLane"
		s.Args = []Arg{g.arg(ir.B32, true), g.arg(ir.B32, true)}
	}
	g.emit(s)
}
