package randprog

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// The native engine has special code for sequences of operations that belong together:
// numbers that are packed from two registers and unpacked again, selections between these,
// carries, half-words, shifts that form a rotation. At the last operation of a sequence it
// relies on facts about the first. Random operations seldom form these sequences, and even
// more seldom write a register of the sequence in between. These programs consist of them.

// idioms are the sequences. Semicolons separate instructions, commas the operations of one
// instruction. A letter is a register, %1 a value inside its instruction, a number a
// constant, # a random constant. Loads and stores have 4 or 8 bytes, all of one idiom in the
// same memory.
var idioms = []string{
	// 64-bit numbers in two registers each.
	"%1=Pack64 a b, %2=Shl64 %1 3, c=Lo32 %2, d=Hi32 %2; %1=Pack64 c d, %2=Pack64 a b, %3=Add64 %1 %2, e=Lo32 %3, f=Hi32 %3; %1=Pack64 e f, %2=ShrU64 %1 5, a=Lo32 %2, b=Hi32 %2",
	"p=LtU32 a c; e=Sel32 p a c; f=Sel32 p b d; %1=Pack64 a b, %2=Shl64 %1 1, g=Lo32 %2; %1=Pack64 c d, %2=Shl64 %1 1, h=Lo32 %2; %1=Pack64 e f, %2=Shl64 %1 1, g=Lo32 %2, h=Hi32 %2",
	"%1=Pack64 a b, %2=Pack64 c d, p=LtF64 %1 %2; %1=Pack64 a b, %2=Pack64 c d, %3=AddF64 %1 %2, c=Lo32 %3, d=Hi32 %3; e=Sel32 p a c; f=Sel32 p b d; %1=Pack64 e f, %2=MulF64 %1 %1, e=Lo32 %2, f=Hi32 %2",
	"%1=Pack64 a b, %2=Pack64 c d, %3=FmaF64 %1 %2 %1, e=Lo32 %3, f=Hi32 %3; a=Mov32 e; b=Mov32 f; %1=Pack64 a b, %2=AddF64 %1 %1, c=Lo32 %2, d=Hi32 %2",
	"x=Pack64 a b; y=Pack64 c d; z=Add64 x y; a=Lo32 z; b=Hi32 z; w=Pack64 a b; c=Hi32 w; d=Lo32 w",
	"x=Pack64 a b; p=LtU64 x y; z=Sel64 p x y; c=Lo32 z; d=Hi32 z; y=Pack64 c d; e=Hi32 y",
	"x=MulWideU32 a b; c=Lo32 x; d=Hi32 x; y=Pack64 c d; z=Add64 x y; e=Lo32 z; f=Hi32 z",
	"x=CvtU64FromU32 a; y=Shl64 x 2; z=Add64 y w; b=Lo32 z; c=Hi32 z; y=CvtS64FromS32 a; w=Add64 y z",
	// Carries.
	"%1=Add32 a c, p=AddC32 a c, e=Mov32 %1; %1=Addc32 b d p, q=AddCC32 b d p, f=Mov32 %1; %1=Pack64 e f, %2=Shl64 %1 1, g=Lo32 %2, h=Hi32 %2",
	"%1=Sub32 a c, p=SubB32 a c, a=Mov32 %1; %1=Subb32 b d p, q=SubBB32 b d p, b=Mov32 %1; %1=Pack64 a b, %2=ShrU64 %1 #, e=Lo32 %2",
	"%1=Add32 a 4, p=AddC32 a 4, a=Mov32 %1; %1=Addc32 b 0 p, q=AddCC32 b 0 p, b=Mov32 %1; %1=Pack64 a b, %2=Add64 %1 %1, c=Lo32 %2, d=Hi32 %2",
	// Half-words.
	"i=AddF16 j k; i=MulF16 i j; k=Mov16 i; i=FmaF16 i k j; k=AddF16 i k",
	"i=Lo16 a; j=Hi16 a; k=AddF16 i j; a=Pack32 k j; i=Lo16 a; b=CvtF32FromF16 i; j=MulF16 i k; c=Pack32 i j",
	"b=CvtF32FromF16 i; c=MulF32 b b; i=CvtF16FromF32 c; d=CvtF32FromF16 i; j=AddF16 i i; i=Mov16 j; e=CvtF32FromF16 i",
	"i=Lo16 a; b=CvtU32FromU16 i; c=Shl32 b 16; d=Or32 c e; j=Hi16 d; i=Lo16 d; a=CvtU32FromU16 j",
	"i=VAddF16 j k; k=VMulF16 i j; i=VFmaF16 i j k; j=Mov16 k; k=VMinF16 i j",
	"i=Add16 j k; b=CvtU32FromU16 i; i=Mul16 i j; c=CvtU32FromU16 i; k=Lo16 b; d=Pack32 k i",
	// Fields, rotations, and values that are and, or and not of each other.
	"a=Shl32 b 8; c=ShrU32 b 24; d=Or32 a c; e=And32 d 0xff; f=ShrU32 e 3",
	"a=ShrU32 b 16; c=And32 a 0xff; d=Shl32 c 8; e=Or32 d c; f=And32 e 0xffff0000; a=Xor32 e f",
	"a=Not32 b; c=And32 a d; e=And32 b f; c=Or32 c e; d=Xor32 c a; e=AndN32 d b",
	"a=Xor32 b c; d=And32 a e; f=Xor32 d c; a=And32 b c; d=Or32 a f",
	"a=Mul32 b c; d=Add32 a e; f=Sub32 e a; a=Mul32 b #; d=Add32 a d",
	"a=Shl32 b 2; c=Add32 a d; e=Sub32 c a; f=Shl32 b 2; a=Add32 f e",
	// Comparisons.
	"p=LtS32 a b; c=Sel32 p a b; p=LtS32 c d; c=Sel32 p d c; q=EqU32 c a; e=Sel32 q 1 0",
	"p=LtU32 a b; q=LtU32 b c; r=AndP p q; d=Sel32 r a b; r=OrP p r; e=Sel32 r d c; p=NotP p; f=Sel32 p e d",
	"p=EqU32 a 0; b=Sel32 p # c; d=B2U32 p; e=Add32 d b; q=NeU32 d 0; f=Sel32 q e b",
	"p=LtF32 a b; c=Sel32 p a b; d=AddF32 c a; q=GeF32 d b; e=Sel32 q d 0",
	"a=Sub32 b c; p=LtS32 a 0; d=Neg32 a; e=Sel32 p d a; f=Add32 e c",
	// Floats whose NaNs and signs other operations read as bits.
	"a=MulF32 b c; d=AddF32 a e; f=Xor32 d 0x80000000; a=FmaF32 f b c; d=And32 a 0x7fffffff; e=AddF32 d a",
	"a=NegF32 b; c=AddF32 a d; e=AbsF32 c; f=MulF32 e b; a=SubF32 f c; d=Mov32 a",
	"a=AddF32 b c; d=Mov32 a; e=MulF32 d a; f=Or32 a 0; c=FmaF32 e f d; b=MinF32 c a",
	"a=VMulF32 b c; d=VAddF32 a e; e=VMinF32 d a; f=VMaxF32 e b; b=Mov32 d; a=VFmaF32 b f d",
	"x=CvtF64FromF32 a; y=MulF64 x x; b=CvtF32FromF64 y; z=AddF64 y x; c=CvtF32FromF64 z; x=Mov64 y; d=Hi32 x",
	"a=FloorF32 b; c=SubF32 b a; d=MulF32 c e; f=TruncF32 d; a=AddF32 f a",
	// Indices.
	"a=And32 b 31; c=Shl32 a 2; d=Add32 c 4; e=Mul32 a 4; f=Sub32 d e; a=Add32 f a",
	"a=MulHiU32 b 0xcccccccd; c=ShrU32 a 3; d=Mul32 c 10; e=Sub32 b d; f=Mad32 c 10 e",
	"a=BfeU32 b 4 8; c=Shl32 a 4; d=And32 b 0xff0; e=Xor32 c d; f=BfeS32 b 4 8; a=Add32 f e",
	"a=Prmt b c 0x5410; d=Prmt b c 0x7632; e=Lo32 x; i=Lo16 a; j=Hi16 a; f=Pack32 i j; a=Xor32 f a",
	// Addresses, in bytes from the start of a memory.
	"a=And32 c 0x7c; d=MulHiU32 a 5; %1=Pack64 a d, e=Load %1; a=Xor32 a 4; %1=Pack64 a d, f=Load %1; e=Add32 e f",
	"a=And32 c 0x7c; b=Xor32 a 0x44; d=MulHiU32 a 3; %1=Pack64 a d, e=Load %1; %1=Pack64 b d, f=Load %1; p=LtU32 a c; g=Sel32 p a b; h=Sel32 p d d; %1=Pack64 g h, %2=Shl64 %1 1, c=Lo32 %2; %1=Pack64 g h, a=Load %1",
	"a=And32 c 0x7c; b=And32 d 0x3c; e=MulHiU32 a 7; f=MulHiU32 b 7; %1=Pack64 a e, c=Load %1; %1=Pack64 b f, d=Load %1; p=LtU32 c d; g=Sel32 p a b; h=Sel32 p e f; %1=Pack64 g h, a=Load %1; %1=Pack64 g h, b=Hi32 %1",
	"x=CvtU64FromU32 a; y=Shl64 x 2; z=And64 y 0x7c; b=Load z; w=Add64 z 4; c=Load w; Store z c; d=Load z; Store w b",
	"a=And32 c 0x7c; d=MulHiU32 a 3; %1=Add32 a 8, p=AddC32 a 8, b=Mov32 %1; %1=Addc32 d 0 p, q=AddCC32 d 0 p, e=Mov32 %1; %1=Pack64 b e, f=Load %1; %1=Pack64 b e, Store %1 a; %1=Pack64 a d, c=Load %1",
	"a=And32 c 31; b=Shl32 a 2; x=CvtU64FromU32 b; d=Load x; y=MulWideU32 a 4; e=Load y; x=Add64 x 4; f=Load x; Store y f; c=Load y",
	"x=And64 y 0x78; z=Load8 x; a=Lo32 z; b=Hi32 z; w=Pack64 b a; Store8 x w; z=Load8 x; c=Load x",
	"a=And32 b 0x3c; %1=CvtU64FromU32 a, c=Load %1; %1=CvtU64FromU32 a, %2=Add64 %1 4, d=Load %2; %1=CvtU64FromU32 a, %2=Add64 %1 8, e=Load %2; f=Xor32 c d; f=Xor32 f e",
	"a=Popc32 b; c=Clz32 b; d=Sub32 31 c; e=Shl32 1 d; f=And32 b e; a=Add32 a f",
}

// NewIdioms returns the program of idioms of a seed.
func NewIdioms(seed uint64) *Program {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x6964696f6d73))}
	p := &Program{Seed: seed, Lanes: 32, Grid: 1, Fuel: uint32(1 + g.IntN(8))}
	g.p = p
	p.Block = g.pick32(32, 32, 32, 20, 64)
	if g.IntN(2) == 0 {
		p.Lanes = 64
		p.Block = g.pick32(64, 64, 64, 40)
	}
	for range 3 {
		g.theme = append(g.theme, g.anyPure())
	}
	g.cheap, g.short, g.ops = true, true, opsByName()
	g.registers()
	for range 4 {
		p.Vars = append(p.Vars, Var{Type: "b32"})
	}
	p.Vars = append(p.Vars, Var{Type: "b16"}, Var{Type: "b64"})
	g.values()
	g.fewer()
	top := 0
	if g.IntN(2) == 0 {
		top = g.label()
		g.bind(top)
	}
	for range 1 + g.IntN(3) {
		var runs [][][]Stmt
		for range 1 + g.IntN(2) {
			if p.Lanes == 32 && g.IntN(8) == 0 {
				runs = append(runs, g.shuffles(top == 0))
			} else {
				runs = append(runs, g.idiom())
			}
		}
		Mix(g.Rand, runs, func(list []Stmt) {
			g.disturb(list)
			for _, s := range list {
				g.emit(s)
			}
		})
	}
	if top != 0 {
		if g.IntN(2) == 0 {
			g.cond()
		}
		g.bra(top, g.IntN(2) == 0)
	}
	if g.IntN(3) == 0 {
		g.results()
	} else {
		g.sum()
	}
	return p
}

// disturb sometimes emits a statement before an instruction of an idiom, mostly one that
// writes a register that the instruction reads.
func (g *generator) disturb(in []Stmt) {
	switch g.IntN(14) {
	case 0, 1, 2:
		var l []Stmt
		for _, s := range in {
			for _, a := range s.Args {
				if !a.Const && a.Var >= 0 {
					l = append(l, g.change(a.Var))
				}
			}
		}
		if len(l) > 0 {
			g.emit(l[g.IntN(len(l))])
		}
	case 3:
		g.pure()
	case 4:
		g.memory()
	case 5:
		g.across()
	case 6: // another block begins
		over := g.label()
		g.bra(over, false)
		if g.IntN(2) == 0 {
			g.pure()
		}
		g.bind(over)
	}
}

// change returns a statement that writes a register, in some lanes or in all.
func (g *generator) change(r int) Stmt {
	t := types[g.p.Vars[r].Type]
	op := map[ir.Type][]ir.Op{
		ir.B1: {ir.MovB1, ir.XorP, ir.NotP}, ir.B16: {ir.Mov16, ir.AddF16, ir.Add16}, ir.B32: {ir.Mov32, ir.Add32, ir.Xor32, ir.AddF32}, ir.B64: {ir.Mov64, ir.Add64, ir.Xor64}, ir.B8: {ir.Mov8},
	}[t]
	o := op[g.IntN(len(op))]
	s := Stmt{Op: o.String(), Dst: r, Dst2: None}
	for range ir.Ops[o].Args {
		s.Args = append(s.Args, g.arg(t, g.p.Vars[r].Scalar))
	}
	if g.IntN(2) == 0 && !g.p.Vars[r].Scalar {
		s.Guard, s.Not = 1+g.reg(ir.B1, false), g.IntN(2) == 0
	}
	return s
}

// shuffles emits a sum of all lanes, or of all lanes up to each, by shuffles; together
// reports that no lanes are elsewhere for long.
func (g *generator) shuffles(together bool) (list [][]Stmt) {
	x, y, p := g.reg(ir.B32, false), g.reg(ir.B32, false), g.reg(ir.B1, false)
	if x == g.masks || y == g.masks {
		return g.idiom()
	}
	op := []ir.Op{ir.Add32, ir.AddF32, ir.MaxU32, ir.MinS32, ir.Xor32, ir.MulF32, ir.Or32}[g.IntN(7)]
	mode := []lane.ShflMode{lane.ShflBfly, lane.ShflBfly, lane.ShflBfly, lane.ShflUp, lane.ShflDown}[g.IntN(5)]
	by := []uint64{16, 8, 4, 2, 1}
	if g.IntN(2) == 0 {
		slices.Reverse(by)
	}
	sync := together && g.p.Block%32 == 0 && g.IntN(2) == 0
	from := number(31)
	if mode == lane.ShflUp {
		from = number(0)
	}
	for _, d := range by[:2+g.IntN(4)] {
		s := Stmt{Op: "Shfl", Dst: y, Dst2: None, Args: []Arg{{Var: x}, number(d), from}, Imm: uint64(mode)}
		if sync {
			s.Op, s.Args = "ShflSync", append(s.Args, number(0xffffffff))
		}
		sum := Stmt{Op: op.String(), Dst: x, Dst2: None, Args: []Arg{{Var: x}, {Var: y}}}
		if mode != lane.ShflBfly {
			s.Dst2, sum.Guard = p, 1+p
		}
		list = append(list, []Stmt{s}, []Stmt{sum})
	}
	if g.IntN(2) == 0 {
		z := g.reg(ir.B32, false)
		list = append(list, []Stmt{{Op: ir.Sub32.String(), Dst: x, Dst2: None, Args: []Arg{{Var: x}, {Var: z}}}})
	}
	return list
}

// idiom returns the instructions of a random idiom, with random registers.
func (g *generator) idiom() (list [][]Stmt) {
	have := map[string]int{}
	taken := map[int]bool{}
	register := func(name string, t ir.Type) int {
		r, ok := have[name]
		for try := 0; !ok; try++ {
			r = g.reg(t, g.IntN(12) == 0 && g.reg(t, true) != None)
			if v := g.p.Vars[r]; r == g.masks || v.Scalar && v.Init != "" {
				continue
			}
			if ok = !taken[r] || try > 20 || g.IntN(10) == 0; ok {
				have[name], taken[r] = r, true
			}
		}
		return r
	}
	guard, not := 0, false
	if g.IntN(6) == 0 {
		guard, not = 1+g.reg(ir.B1, false), g.IntN(2) == 0
	}
	idiom := idioms[g.IntN(len(idioms))]
	memory := []string{"own", "gown", "gshared", "in"}[g.IntN(4)]
	if memory == "in" && strings.Contains(idiom, "Store") {
		memory = "own"
	}
	offset := uint64(g.IntN(3) * 4)
	for _, instruction := range strings.Split(idiom, "; ") {
		var in []Stmt
		for _, text := range strings.Split(instruction, ", ") {
			to, rest, ok := strings.Cut(text, "=")
			if !ok {
				to, rest = "", text
			}
			words := strings.Fields(rest)
			s := Stmt{Op: words[0], Cont: len(in) > 0, Dst: None, Dst2: None}
			op := ir.Ops[g.ops[s.Op]]
			args, result := op.Args, op.Res
			if access, wide := strings.CutSuffix(s.Op, "8"); access == "Load" || access == "Store" {
				s.Op, s.Size, s.Mem, s.Index, s.Imm, s.Align = access, 4, memory, "far", offset, g.IntN(3) > 0
				result = ir.B32
				if wide {
					s.Size, result = 8, ir.B64
				}
				args = []ir.Type{ir.B64, result}
			}
			for k, word := range words[1:] {
				switch c := word[0]; {
				case c == '%':
					s.Args = append(s.Args, Arg{Var: -int(word[1] - '0')})
				case c == '#':
					s.Args = append(s.Args, g.konst(args[k]))
				case c <= '9':
					n, _ := strconv.ParseUint(word, 0, 64)
					s.Args = append(s.Args, number(n))
				default:
					s.Args = append(s.Args, Arg{Var: register(word, args[k])})
				}
			}
			switch {
			case to == "":
			case to[0] == '%':
				s.Dst = -int(to[1] - '0')
			default:
				s.Dst = register(to, result)
			}
			scalar := s.Dst >= 0 && g.p.Vars[s.Dst].Scalar
			for _, a := range s.Args {
				if scalar && (s.Mem != "" || !a.Const && (a.Var < 0 || !g.p.Vars[a.Var].Scalar)) {
					return g.idiom() // a scalar register holds one value for all lanes
				}
			}
			if guard > 0 && !scalar && (to == "" || s.Dst >= 0) && g.IntN(8) > 0 {
				s.Guard, s.Not = guard, not
			}
			in = append(in, s)
		}
		list = append(list, in)
	}
	return list
}

// Mix visits the elements of some sequences, each sequence in its order, in a random
// interleaving.
func Mix[T any](r *rand.Rand, runs [][]T, visit func(T)) {
	for len(runs) > 0 {
		k := r.IntN(len(runs))
		if len(runs[k]) == 0 {
			runs = append(runs[:k], runs[k+1:]...)
			continue
		}
		visit(runs[k][0])
		runs[k] = runs[k][1:]
	}
}
