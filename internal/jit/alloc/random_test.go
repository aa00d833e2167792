package alloc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// A generator makes random programs in which every register is written before it is read.
type generator struct {
	*lir.Func
	r     *rand.Rand
	vars  [4][]x64.Reg // defined here, by class
	wide  [4][]x64.Reg // defined everywhere except after an ENTRY
	ops   []x64.Op
	depth int
	home  int32
	// entries is the number of ENTRYs; whole forbids them.
	entries int
	whole   bool
	// save, if not 0, is the routine that waves call to wait.
	save x64.Label
}

func generate(seed uint64, size int) *lir.Func {
	g := &generator{Func: &lir.Func{Name: "random", Slots: 4096}, r: rand.New(rand.NewPCG(seed, 1)), home: homes}
	for op := x64.Op(0); op.Info() != x64.NOP.Info() || op == x64.NOP; op++ {
		info := op.Info()
		if !info.Pseudo && !info.Jump && !info.Ends && (info.Dst|info.A|info.B != 0) &&
			op != x64.LEALabel && op != x64.PUSH && op != x64.POP && op != x64.CALLReg && op.String() != "CALLLabel" {
			g.ops = append(g.ops, op)
		}
	}
	few := g.r.IntN(3) == 0
	for c := x64.GPR; c <= x64.Mask; c++ {
		n := 1 + g.r.IntN([...]int{0, 12, 40, 9}[c])
		if few {
			n = 1 + n/4
		}
		for range n {
			g.vars[c] = append(g.vars[c], g.fresh(c))
		}
		g.wide[c] = slices.Clone(g.vars[c])
	}
	for range g.r.IntN(6) {
		g.Pool = append(g.Pool, lir.Const{Bits: g.r.Uint64(), Size: 8, Len: 64})
		c := x64.Class(1 + g.r.IntN(3))
		g.vars[c] = append(g.vars[c], g.New(lir.VReg{Class: c, Len: [...]uint8{0, 8, 64, 8}[c], Const: int32(len(g.Pool))}))
	}
	if g.r.IntN(3) == 0 {
		g.save = g.NewLabel()
	}
	g.define()
	g.block(size)
	g.show()
	g.Emit(x64.Inst{Op: x64.RET})
	if g.save != 0 {
		g.Bind(g.save)
		g.Emit(x64.Inst{Op: x64.UD2})
	}
	if g.r.IntN(3) == 0 {
		for at := range g.Code {
			if g.r.IntN(30) == 0 {
				g.Weights = append(g.Weights, lir.Weight{At: int32(at), Factor: float32(math.Ldexp(1, g.r.IntN(24)-8))})
			}
		}
	}
	return g.Func
}

func (g *generator) fresh(c x64.Class) x64.Reg {
	v := lir.VReg{Class: c, Len: [...]uint8{0, 8, 64, 8}[c]}
	switch {
	case c == x64.GPR && g.r.IntN(3) == 0:
		v.Len = 4
	case c == x64.Vec && len(g.vars[c]) > 0 && g.r.IntN(4) == 0: // any has the first register for all lengths
		v.Len = 16 << g.r.IntN(2)
	}
	if g.r.IntN(4) == 0 && g.home+64 <= 4096 {
		v.OwnSlot = g.home
		g.home += 64
	}
	return g.New(v)
}

// any returns a register of a class that holds a number of bytes.
func (g *generator) any(c x64.Class, size int) x64.Reg {
	for range 10 {
		v := g.vars[c][g.r.IntN(len(g.vars[c]))]
		if int(g.VRegs[v-x64.Virtual].Len) >= size && (c != x64.GPR || g.r.IntN(12) > 0) {
			return v
		}
	}
	if c == x64.GPR {
		return []x64.Reg{x64.RAX, x64.RDX}[g.r.IntN(2)]
	}
	return g.vars[c][0]
}

// target returns a register to be written.
func (g *generator) target(c x64.Class, size int) x64.Reg {
	for {
		v := g.any(c, size)
		if v < x64.Virtual || g.VRegs[v-x64.Virtual].Const == 0 {
			return v
		}
	}
}

// define writes all registers that are defined everywhere, from memory.
func (g *generator) define() {
	for c := x64.GPR; c <= x64.Mask; c++ {
		for i, v := range g.wide[c] {
			m := x64.Mem{Base: x64.RBX, Disp: int32(i * 8)}
			g.Load([...]x64.Op{0, x64.MOV, x64.VMOVDQU32, x64.KMOVQ}[c], g.VRegs[v-x64.Virtual].Len, v, 0, m)
		}
	}
	g.Load(x64.MOV, 8, x64.RAX, 0, x64.Mem{Base: x64.RBX})
	g.Load(x64.MOV, 8, x64.RDX, 0, x64.Mem{Base: x64.RBX})
}

// show stores some registers.
func (g *generator) show() {
	for c := x64.GPR; c <= x64.Mask; c++ {
		for range 3 {
			v := g.any(c, 4)
			n := [...]uint8{0, 4, 64, 8}[c]
			if c == x64.Vec {
				n = g.VRegs[v-x64.Virtual].Len
			}
			g.Store([...]x64.Op{0, x64.MOVSt, x64.VMOVDQUSt, x64.KMOVQSt}[c], n,
				x64.Mem{Base: x64.RBX, Disp: int32(8 * g.r.IntN(200))}, v)
		}
	}
}

func (g *generator) mem(vector bool) x64.Mem {
	m := x64.Mem{Base: g.any(x64.GPR, 8), Disp: int32(g.r.IntN(1000))}
	switch {
	case vector:
		m.Index, m.Scale = g.any(x64.Vec, 64), 4
	case g.r.IntN(3) == 0:
		return x64.Mem{Base: x64.RBX, Disp: int32(8 * g.r.IntN(200))}
	case g.r.IntN(2) == 0:
		m.Index, m.Scale = g.any(x64.GPR, 8), 1<<g.r.IntN(4)
	}
	return m
}

// op emits an instruction of the table.
func (g *generator) op() {
	op := g.ops[g.r.IntN(len(g.ops))]
	if g.r.IntN(10) == 0 { // with operands that may be exchanged, or not
		op = [...]x64.Op{x64.VADDPS, x64.VMULPS, x64.VPADDD, x64.VADDSS}[g.r.IntN(4)]
	}
	info := op.Info()
	in := x64.Inst{Op: op, Imm: int64(g.r.IntN(200)), Len: 8}
	if info.Lens != 0 {
		for in.Len = 1 << (2 + g.r.IntN(5)); info.Lens&in.Len == 0; in.Len = 1 << (2 + g.r.IntN(5)) {
			if info.Lens&^3 == 0 {
				return
			}
		}
	}
	in.HasMem = info.MemOnly || (info.AMem || info.BMem || info.DstMem) && g.r.IntN(3) == 0
	if in.HasMem {
		in.M = g.mem(info.VSIB)
		if op == x64.LEA && in.M.Base == x64.RBX {
			return // stores through it might hit slots
		}
	}
	source := func(c x64.Class, mem bool, size x64.Size) x64.Reg {
		if c == x64.NoClass || mem && in.HasMem {
			return 0
		}
		return g.any(c, size.Of(in.Len))
	}
	in.B = source(info.B, info.BMem, info.BSize)
	in.C = source(info.C, false, info.CSize)
	if info.BWrite {
		in.B = g.target(info.B, info.BSize.Of(in.Len))
	}
	in.A = source(info.A, info.AMem, info.ASize)
	if info.AWrite {
		in.A = g.target(info.A, info.ASize.Of(in.Len))
	}
	if info.Dst != x64.NoClass && !(info.DstMem && in.HasMem) {
		in.Dst = g.target(info.Dst, info.DstSize.Of(in.Len))
	}
	if info.Maskable && (info.MaskNeeded || g.r.IntN(3) == 0) {
		in.K = g.any(x64.Mask, 8)
		if info.KWrite {
			in.K = g.target(x64.Mask, 8)
		}
		in.Z = info.Zeroing && !(in.HasMem && info.DstMem) && g.r.IntN(2) == 0
	}
	if info.Round && !in.HasMem && g.r.IntN(4) == 0 {
		in.RC = x64.SAE
	}
	// Operands that are not NaNs may be exchanged in any case; constants of four bytes there
	// are not NaNs.
	in.Ordered = info.Commutes && !info.DstRead && info.Bcst != 8 && g.r.IntN(2) == 0
	if info.Distinct && (in.Dst == in.M.Index || in.Dst == in.B && in.B != 0 || in.M.Index == in.B) ||
		info.AWrite && in.A == in.Dst || info.BWrite && (in.B == in.A || in.B == in.Dst || in.HasMem && (in.B == in.M.Base || in.B == in.M.Index)) {
		return
	}
	if info.Uses>>1&1 != 0 {
		g.Op(x64.MOV, 8, x64.RCX, 0, g.any(x64.GPR, 8))
	}
	g.Emit(in)
}

func (g *generator) straight() {
	switch g.r.IntN(12) {
	default:
		g.op()
	case 0, 1: // a new register
		c := x64.Class(1 + g.r.IntN(3))
		v := g.fresh(c)
		length := g.VRegs[v-x64.Virtual].Len
		g.Op([...]x64.Op{0, x64.MOV, x64.VMOVDQU32, x64.KMOVQ}[c], length, v, 0, g.any(c, int(length)))
		g.vars[c] = append(g.vars[c], v)
	case 2: // a copy, and an operation on it
		c := x64.Class(1 + g.r.IntN(3))
		g.Op([...]x64.Op{0, x64.MOV, x64.VMOVDQU32, x64.KMOVQ}[c], [...]uint8{0, 4, 32, 8}[c], g.target(c, [...]int{0, 4, 32, 8}[c]), 0, g.any(c, [...]int{0, 4, 32, 8}[c]))
	case 3:
		d := g.target(x64.Vec, 64)
		g.Op(x64.VPXORD, 64, d, d, d)
	case 4: // a count in cl
		g.Op(x64.MOV, 8, x64.RCX, 0, g.any(x64.GPR, 8))
		g.Op(x64.SHLDCL, 8, g.target(x64.GPR, 8), 0, g.any(x64.GPR, 8))
	case 5:
		g.show()
	case 6:
		from := len(g.StateRegs)
		for _, r := range [2]x64.Reg{g.any(x64.GPR, 8), g.any(x64.Vec, 64)} {
			if r >= x64.Virtual {
				g.StateRegs = append(g.StateRegs, r)
			}
		}
		g.Emit(g.AddState(from))
	case 10: // a machine register that holds a value for a while
		c := x64.Class(1 + g.r.IntN(3))
		r := [...][]x64.Reg{nil, {x64.RCX, x64.RSI, x64.R9, x64.R13}, {x64.V0, x64.V0 + 3, x64.V0 + 14}, {x64.K0 + 1, x64.K0 + 6}}[c]
		fixed := r[g.r.IntN(len(r))]
		op, n := [...]x64.Op{0, x64.MOV, x64.VMOVDQU32, x64.KMOVQ}[c], [...]uint8{0, 8, 64, 8}[c]
		g.Op(op, n, fixed, 0, g.any(c, int(n)))
		for range g.r.IntN(6) {
			g.op()
		}
		g.Op(op, n, g.target(c, int(n)), 0, fixed)
	case 11: // idioms
		d := g.target(x64.Vec, 64)
		a, b := g.any(x64.Vec, 64), g.any(x64.Vec, 64)
		switch g.r.IntN(3) {
		case 0:
			g.Emit(x64.Inst{Op: x64.VPTERNLOGD, Len: 64, Dst: d, A: a, B: b, Imm: 255})
		case 1:
			g.Op(x64.VPSUBD, 32, d, a, a)
		case 2:
			e := g.target(x64.GPR, 8)
			g.Op(x64.XOR, 4, e, 0, e)
		}
	case 7: // copies with no other write; their originals may be written while they live
		v, first := g.any(x64.Vec, 64), g.New(lir.VReg{Class: x64.Vec, Len: 64})
		list := []x64.Reg{v, first}
		g.Op(x64.VMOVDQU32, 64, first, 0, v)
		for range g.r.IntN(3) {
			d := g.New(lir.VReg{Class: x64.Vec, Len: 64})
			for range g.r.IntN(3) {
				g.op()
			}
			g.Op(x64.VMOVDQU32, 64, d, 0, list[g.r.IntN(len(list))])
			list = append(list, d)
		}
		for range g.r.IntN(4) {
			g.op()
		}
		if g.r.IntN(3) == 0 && g.VRegs[v-x64.Virtual].Const == 0 {
			g.Op(x64.VPADDD, 64, v, v, list[g.r.IntN(len(list))])
		}
		for _, i := range g.r.Perm(len(list)) {
			g.Store(x64.VMOVDQUSt, 64, x64.Mem{Base: x64.RBX, Disp: int32(8 * g.r.IntN(200))}, list[i])
		}
	}
}

// scope calls do, and forgets the registers it defined.
func (g *generator) scope(do func()) {
	old, entries := g.vars, g.entries
	for c := range g.vars {
		g.vars[c] = slices.Clip(g.vars[c])
	}
	do()
	g.vars = old
	if g.entries > entries {
		g.lose()
	}
}

// lose forgets the registers that an ENTRY does not define.
func (g *generator) lose() {
	for c := range g.vars {
		g.vars[c] = slices.DeleteFunc(slices.Clone(g.vars[c]), func(v x64.Reg) bool {
			return g.VRegs[v-x64.Virtual].Const == 0 && !slices.Contains(g.wide[c], v)
		})
	}
}

func (g *generator) jcc(l x64.Label) {
	g.Emit(x64.Inst{Op: x64.CMP, Len: 8, A: g.any(x64.GPR, 8), B: g.any(x64.GPR, 8)})
	g.Jump(x64.JE, l)
}

func (g *generator) block(size int) {
	g.depth++
	defer func() { g.depth-- }()
	cold := false
	for size > 0 {
		kind := g.r.IntN(30)
		if g.depth > 4 {
			kind = 29
		}
		part := g.r.IntN(size/2 + 1)
		switch kind {
		case 0, 1: // a loop
			top := g.NewLabel()
			g.Bind(top)
			whole := g.whole
			g.whole = whole || g.r.IntN(2) == 0
			g.scope(func() {
				if !g.whole { // after an ENTRY inside, the next iteration has no other registers
					g.lose()
				}
				g.block(part)
				g.jcc(top)
			})
			g.whole = whole
		case 2: // an if
			end := g.NewLabel()
			g.jcc(end)
			g.scope(func() { g.block(part) })
			g.Bind(end)
		case 3: // an if with two sides, one of which only merges
			v, k := g.Vec(64, "merged"), g.New(lir.VReg{Class: x64.Mask, Len: 8})
			g.Op(x64.KMOVQ, 8, k, 0, g.any(x64.Mask, 8))
			other := g.NewLabel()
			g.jcc(other)
			g.Op(x64.VPADDD, 64, v, g.any(x64.Vec, 64), g.any(x64.Vec, 64))
			whole := g.whole
			g.whole = true
			g.scope(func() { g.block(part / 2) })
			g.Bind(other)
			g.Emit(x64.Inst{Op: x64.VPSUBD, Len: 64, Dst: v, K: k, A: g.any(x64.Vec, 64), B: g.any(x64.Vec, 64)})
			g.scope(func() { g.block(part / 2) })
			g.whole = whole
			g.Emit(x64.Inst{Op: x64.VMOVDQUSt, Len: 64, K: k, HasMem: true, M: g.mem(false), B: v})
		case 4, 5: // a cold region
			if cold || g.depth > 2 {
				continue
			}
			slow, back := g.NewLabel(), g.NewLabel()
			g.jcc(slow)
			g.scope(func() {
				for range g.r.IntN(3) {
					g.straight()
				}
			})
			g.Emit(x64.Inst{Op: x64.COLD})
			g.Bind(slow)
			g.scope(func() {
				for range 1 + g.r.IntN(5) {
					g.op()
				}
			})
			g.Jump(x64.JMP, back)
			g.Emit(x64.Inst{Op: x64.HOT})
			g.Bind(back)
		case 6: // Go enters
			if g.r.IntN(3) > 0 || g.whole {
				continue
			}
			g.entries++
			g.lose()
			g.Emit(x64.Inst{Op: x64.ENTRY, Label: g.NewLabel()})
			g.define()
		case 7: // a jump through a register
			if g.r.IntN(2) > 0 || g.whole {
				continue
			}
			g.entries++
			to := g.New(lir.VReg{Class: x64.GPR, Len: 8})
			x, y, other, both := g.NewLabel(), g.NewLabel(), g.NewLabel(), g.NewLabel()
			g.jcc(other)
			g.Emit(x64.Inst{Op: x64.LEALabel, Len: 8, Dst: to, Label: x})
			g.Jump(x64.JMP, both)
			g.Bind(other)
			g.Emit(x64.Inst{Op: x64.LEALabel, Len: 8, Dst: to, Label: y})
			g.Bind(both)
			for range g.r.IntN(4) {
				g.straight()
			}
			g.Emit(x64.Inst{Op: x64.JMPReg, Len: 8, B: to})
			g.lose() // each of these jumps may go to each of these labels
			g.Bind(x)
			g.scope(func() { g.block(part / 2) })
			g.Bind(y)
		case 8, 9: // a wave waits
			if g.save == 0 {
				continue
			}
			g.Parks = append(g.Parks, int32(len(g.Code)))
			g.Jump(x64.CALLLabel, g.save)
			g.Load(x64.MOV, 8, x64.RAX, 0, x64.Mem{Base: x64.RBX})
			g.Load(x64.MOV, 8, x64.RDX, 0, x64.Mem{Base: x64.RBX})
			part = 1
		default:
			g.straight()
			part = 1
		}
		size -= part + 1
	}
}

// TestRandom compares the results of programs before and after allocation.
func TestRandom(t *testing.T) {
	n := 150
	if testing.Short() {
		n = 20
	}
	for seed := range uint64(n) {
		if err := try(seed); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func try(seed uint64) error {
	fn := generate(seed, 20+int(seed%5)*60)
	if err := lir.Verify(fn); err != nil {
		return err
	}
	for tier := isa.AVX2; tier <= isa.AVX512; tier++ {
		m := Scratch{hurry: seed%4 == 3} // the results must be right even if the analysis gives up
		res, err := m.Run(fn, tier)
		if err != nil {
			return err
		}
		if err := lir.VerifyCode(fn, res.Code); err != nil {
			return err
		}
		if err := compare(fn, res, seed); err != nil {
			var s strings.Builder
			fn.Print(&s, fn.Code)
			res.Print(&s)
			fn.Print(&s, res.Code)
			return fmt.Errorf("tier %d: %w\n%s", tier, err, s.String())
		}
	}
	return nil
}

const events, steps = 200, 3000

func compare(fn *lir.Func, res *Result, seed uint64) error {
	want := newMachine(fn, fn.Code, 4096, seed)
	if err := want.run(events, steps); err != nil {
		return err
	}
	got := newMachine(fn, res.Code, 4096+int(res.Frame), seed+1)
	got.park = parks(fn, res)
	if err := got.run(events, 4*steps); err != nil {
		return err
	}
	for r := range got.regs {
		if r >= x64.Virtual {
			return fmt.Errorf("virtual register %d is left", r)
		}
	}
	if err := same(want.trace, got.trace); err != nil {
		return fmt.Errorf("after allocation: %w", err)
	}
	// The program needs only the registers that LiveAt names, and two of them have one place
	// only if they hold the same value.
	frugal := newMachine(fn, fn.Code, 4096, seed+2)
	var twice error
	frugal.forget = func(i int) map[x64.Reg]bool {
		keep, places := map[x64.Reg]bool{}, map[Place]x64.Reg{}
		for _, v := range res.LiveAt(i) {
			if keep[v] {
				twice = fmt.Errorf("register %d lives twice at %d", v, i)
			}
			keep[v] = true
			p := res.Place(v)
			if o, ok := places[p]; ok && p.Pool == 0 && *frugal.reg(v) != *frugal.reg(o) {
				twice = fmt.Errorf("at %d both %s and %s are in %s", i, fn.RegName(v), fn.RegName(o), p)
			}
			places[p] = v
		}
		return keep
	}
	if err := frugal.run(events, steps/4); err != nil {
		return err
	}
	if twice != nil {
		return twice
	}
	return same(want.trace, frugal.trace)
}

// parks simulates the engine where waves wait: it stores the registers that live after the
// place and must be stored, and loads them. In between all registers are overwritten.
func parks(fn *lir.Func, res *Result) func(m *machine, pc int) {
	kept, nth := res.Parked(), map[int]int{}
	for i := range res.Code {
		if res.Code[i].Op == x64.CALLLabel {
			nth[i] = int(fn.Parks[len(nth)])
		}
	}
	live := map[int][]x64.Reg{}
	for _, at := range fn.Parks {
		live[int(at)] = slices.Clone(res.LiveAt(int(at) + 1))
	}
	stored := map[x64.Reg][64]byte{}
	return func(m *machine, pc int) {
		at := nth[pc]
		for _, v := range live[at] {
			if r := res.Place(v).Reg; r != 0 && fn.VRegs[v-x64.Virtual].Const == 0 && !kept.Stored(at, v) {
				stored[r] = *m.reg(r)
			}
		}
		m.scramble()
		for _, v := range live[at] {
			r := res.Place(v).Reg
			switch c := fn.VRegs[v-x64.Virtual].Const; {
			case r == 0:
			case c != 0:
				*m.reg(r) = [64]byte{}
				m.constant(int(c), m.reg(r)[:fn.VRegs[v-x64.Virtual].Len])
			default:
				*m.reg(r) = stored[r]
			}
		}
	}
}

func same(want, got []string) error {
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			return fmt.Errorf("event %d is %s, want %s", i, got[i], want[i])
		}
	}
	return nil
}
