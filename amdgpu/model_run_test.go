package amdgpu

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
)

var programs = flag.Int("amdgpu.programs", 150, "random programs of TestRandomPrograms")

// These registers are never changed by random programs.
const (
	regLoop  = 100 // the counter of a loop
	regBlock = 101 // the number of the block
)

// A randProgram is a list of instructions; the branches have indexes in it as targets.
type randProgram struct {
	ins  []Inst
	to   []int // the target of a branch; -1 for other instructions
	mode uint32
}

// bytes encodes the program.
func (p *randProgram) bytes(t testing.TB) []byte {
	offs := make([]int, len(p.ins)+1)
	for i := range p.ins {
		b, err := Encode(&p.ins[i])
		if err != nil {
			t.Fatal(err)
		}
		offs[i+1] = offs[i] + len(b)
	}
	var code []byte
	for i := range p.ins {
		in := p.ins[i]
		if p.to[i] >= 0 {
			in.Ops[0] = Imm(int64(offs[p.to[i]]-offs[i+1]) / 4)
		}
		b, err := Encode(&in)
		if err != nil {
			t.Fatal(err)
		}
		code = append(code, b...)
	}
	return code
}

func (p *randProgram) String() string {
	var w strings.Builder
	for i := range p.ins {
		fmt.Fprintf(&w, "%3d: %s", i, Print(&p.ins[i]))
		if p.to[i] >= 0 {
			fmt.Fprintf(&w, " -> %d", p.to[i])
		}
		w.WriteByte('\n')
	}
	return w.String()
}

func parsed(t testing.TB, s string) Inst {
	in, err := hooks.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// A generator makes random programs of the rows that the model can execute.
type generator struct {
	t      testing.TB
	r      *rand.Rand
	refs   modelRefs
	valu   []*Row
	salu   []*Row
	cmp    []*Row
	p      *randProgram
	floats bool
	inside map[int]bool // no branch may go to these instructions, because each belongs to the instruction before it
}

func newGenerator(t testing.TB, r *rand.Rand, refs modelRefs) *generator {
	g := &generator{t: t, r: r, refs: refs}
	for _, row := range Rows() {
		switch {
		case !refs.knows(row):
		case row.Format == VOPC:
			g.cmp = append(g.cmp, row)
		case row.Unit == UnitSALU:
			g.salu = append(g.salu, row)
		default:
			g.valu = append(g.valu, row)
		}
	}
	return g
}

func (g *generator) emit(in Inst) {
	g.p.ins, g.p.to = append(g.p.ins, in), append(g.p.to, -1)
}

func (g *generator) branch(name string, to int) {
	in := Inst{Row: LookUp(name), Enc: E32}
	in.Ops[0] = Imm(0)
	g.emit(in)
	g.p.to[len(g.p.to)-1] = to
}

// narrowed replaces an operand by one of the few registers that programs use, so that pairs and
// masks overlap.
func (g *generator) narrowed(o Operand) Operand {
	if o.Kind != KindSGPR || o.Reg >= RegVCC {
		return o
	}
	n := int(o.Dwords)
	switch k := g.r.IntN(12); {
	case k == 0 && n <= 2:
		o.Reg = RegVCC
	case k == 1 && n <= 2:
		o.Reg = RegEXEC
	default:
		o.Reg = uint16(g.r.IntN(10))
		if n >= 2 {
			o.Reg &^= 1
		}
	}
	return o
}

// any makes an instruction of a row, in one of its encodings.
func (g *generator) any(row *Row) (Inst, bool) {
	var encs []Enc
	for e := E32; e <= EncSDWA; e++ {
		if row.Encs.Has(e) {
			encs = append(encs, e)
		}
	}
	in, ok := anyInst(g.r, row, encs[g.r.IntN(len(encs))])
	if !ok {
		return in, false
	}
	moved := in
	for i := range row.Operands {
		if row.Operands[i].Dst && in.Ops[i].Kind == KindSGPR && in.Ops[i].Reg >= RegVCC {
			continue
		}
		moved.Ops[i] = g.narrowed(in.Ops[i])
		if row.Operands[i].Dst && moved.Ops[i].Reg == RegEXEC && row.Unit == UnitVALU {
			moved.Ops[i] = in.Ops[i] // only comparisons write EXEC
		}
	}
	isFloat := row.Operands[0].Type.IsFloat() && !isCarry(row)
	if row.Flags.Has(FlagClamp) && (isFloat || isCarry(row)) && (in.Enc == E64 || in.Enc == EncSDWA || in.Enc == E32 && row.Format >= VOP3A) && g.r.IntN(3) == 0 {
		moved.Mods[ModClamp] = 1
	}
	if row.Flags.Has(FlagOMod) && isFloat && (in.Enc == E64 || in.Enc == E32 && row.Format >= VOP3A) && g.r.IntN(3) == 0 {
		moved.Mods[ModOMod] = uint16(1 + g.r.IntN(3))
	}
	for _, try := range []Inst{moved, in} {
		if b, err := Encode(&try); err == nil {
			if back, _, err := Decode(b); err == nil && back.Row == row {
				return back, true
			}
		}
	}
	return in, false
}

// straight adds an instruction without branches.
func (g *generator) straight() {
	rows := g.valu
	switch k := g.r.IntN(24); {
	case k < 8:
		rows = g.salu
	case k < 11:
		rows = g.cmp
	case k == 11:
		g.emit(parsed(g.t, "s_mov_b64 exec, -1"))
		return
	case k == 12:
		g.emit(parsed(g.t, fmt.Sprintf("v_xor_b32 v%d, 0x%x, v%d", g.r.IntN(8), g.r.Uint32(), 8+g.r.IntN(4))))
		return
	case k == 14 || k == 15:
		for i, l := range g.memoryLines() {
			if i > 0 {
				g.inside[len(g.p.ins)] = true
			}
			g.emit(parsed(g.t, l))
		}
		return
	case k == 13:
		lo := g.r.IntN(10)
		n := 1 + g.r.IntN(10-lo)
		switch g.r.IntN(3) {
		case 0:
			g.emit(parsed(g.t, fmt.Sprintf("s_setreg_b32 hwreg(HW_REG_MODE, %d, %d), s%d", lo, n, g.r.IntN(10))))
		case 1:
			g.emit(parsed(g.t, fmt.Sprintf("s_setreg_imm32_b32 hwreg(HW_REG_MODE, %d, %d), 0x%x", lo, n, g.r.IntN(1024))))
		default:
			g.emit(parsed(g.t, fmt.Sprintf("s_getreg_b32 s%d, hwreg(HW_REG_MODE, %d, %d)", g.r.IntN(10), lo, n)))
		}
		return
	}
	for {
		row := rows[g.r.IntN(len(rows))]
		if (row.Reads|row.Writes)&Mode != 0 {
			continue
		}
		if g.floats && g.r.IntN(2) == 0 && !row.Operands[0].Type.IsFloat() && len(rows) == len(g.valu) {
			continue
		}
		if in, ok := g.any(row); ok {
			g.emit(in)
			return
		}
	}
}

// program makes a program of about n instructions.
func (g *generator) program(n int) *randProgram {
	g.p = &randProgram{mode: uint32(g.r.IntN(1024))}
	g.floats, g.inside = g.r.IntN(2) == 0, map[int]bool{}
	if g.r.IntN(2) == 0 {
		g.p.mode = modeBits(DefaultMode())
	}
	conds := []string{"s_cbranch_scc0", "s_cbranch_scc1", "s_cbranch_vccz", "s_cbranch_vccnz", "s_cbranch_execz", "s_cbranch_execnz", "s_branch"}
	loop, end := -1, 0
	var fixes []int // forward branches, and their distances
	for len(g.p.ins) < n {
		switch k := g.r.IntN(14); {
		case k == 0:
			fixes = append(fixes, len(g.p.ins))
			g.branch(conds[g.r.IntN(len(conds))], len(g.p.ins)+2+g.r.IntN(8))
		case k == 1 && loop < 0:
			g.emit(parsed(g.t, fmt.Sprintf("s_movk_i32 s%d, %d", regLoop, 2+g.r.IntN(3))))
			loop, end = len(g.p.ins), len(g.p.ins)+2+g.r.IntN(8)
		default:
			g.straight()
		}
		if loop >= 0 && len(g.p.ins) >= end {
			g.emit(parsed(g.t, fmt.Sprintf("s_sub_u32 s%d, s%d, 1", regLoop, regLoop)))
			g.emit(parsed(g.t, fmt.Sprintf("s_cmp_lg_u32 s%d, 0", regLoop)))
			g.branch("s_cbranch_scc1", loop)
			loop = -1
		}
	}
	for _, i := range fixes {
		for g.inside[g.p.to[i]] {
			g.p.to[i]++
		}
		g.p.to[i] = min(g.p.to[i], len(g.p.ins))
	}
	return g.p
}

// simulate executes the program on the model. It returns false if the execution takes too long.
func (p *randProgram) simulate(t testing.TB, m *model, refs modelRefs) bool {
	pc := 0
	for range 1500 {
		if pc >= len(p.ins) {
			return true
		}
		in := &p.ins[pc]
		if p.to[pc] >= 0 {
			if m.taken(in.Row.Name) {
				pc = p.to[pc]
				continue
			}
		} else if in.Row.Name != "s_nop" && !m.step(in, refs) {
			t.Fatalf("the model does not know %s", Print(in))
		}
		if m.astray {
			return false
		}
		pc++
	}
	return false
}

// start returns the state of a block at its start.
func (p *randProgram) start(seed, block int, base uint64) *state {
	r := rand.New(rand.NewPCG(uint64(seed), uint64(block)+1000))
	st := floatState(r)
	clear(st.s[10:RegVCC])
	st.s[regBlock] = uint32(block)
	for l := range 64 {
		pointTo(st, 12, l, base+uint64(modelFlat*block+40*l))
	}
	return st
}

const modelBlocks = 3

// execute runs the program in several blocks and returns the final contents of their registers.
func (p *randProgram) execute(t testing.TB, seed, workers int) (out [modelBlocks]*state, bytes []byte, err error) {
	opt := LiftOptions{Name: "test", LDSSize: modelLDS, AllowEnd: true, MinVGPRs: testVGPRs, Mode: modeOf(p.mode),
		Inputs: []ABIInput{{Reg: regBlock, Dwords: 1, Kind: ir.BlockIDX}}}
	opt.Track, opt.Declare = hooks.Track, nameRegisters
	f, err := Lift(Code{Bytes: p.bytes(t)}, opt)
	if err != nil {
		return out, nil, err
	}
	prog, err := (interp.Engine{}).Compile(f)
	if err != nil {
		return out, nil, err
	}
	var v [testVGPRs]ir.Ref
	for n := range v {
		v[n] = f.ByName(fmt.Sprintf("v%d", n))
	}
	s := map[uint16]ir.Ref{}
	for _, n := range testScalars() {
		s[n] = f.ByName(GFX803.sgprName(n, 1))
	}
	scc := f.ByName("scc")
	mem := sim.NewMemory()
	flat := mem.Add("flat", make([]byte, modelBlocks*modelFlat))
	l := &sim.Launch{Func: f, Program: prog, Grid: [3]uint32{modelBlocks, 1, 1}, Block: [3]uint32{64, 1, 1}, Memory: mem, Workers: workers,
		Values: make([]uint64, NumLaunchValues)}
	l.Setup = func(w *sim.Wave) {
		st := p.start(seed, int(w.Get(s[regBlock], 0)), flat.Base)
		for n := range v {
			for i := range 64 {
				w.Set(v[n], i, uint64(st.v[n][i]))
			}
		}
		st.s[RegEXEC], st.s[RegEXEC+1] = uint32(st.exec), uint32(st.exec>>32)
		for n, ref := range s {
			w.Set(ref, 0, uint64(st.s[n]))
		}
		w.Set(scc, 0, b2u(st.scc))
	}
	var mu sync.Mutex
	l.Inspect = func(w *sim.Wave) {
		st := &state{exec: uint64(w.Mask(f.Exec)), scc: w.Get(scc, 0) != 0}
		for n := range v {
			for i := range 64 {
				st.v[n][i] = uint32(w.Get(v[n], i))
			}
		}
		for n, ref := range s {
			st.s[n] = uint32(w.Get(ref, 0))
		}
		mu.Lock()
		out[st.s[regBlock]] = st
		mu.Unlock()
	}
	_, list, err := sim.Run(context.Background(), l)
	list = slices.DeleteFunc(list, isWait) // the programs do not wait
	if len(list) > 0 {
		return out, nil, list
	}
	return out, flat.Data, err
}

// differs runs the program and compares it with the model. It returns "" if they agree, or if the
// program takes too long.
func (p *randProgram) differs(t testing.TB, seed, workers int, refs modelRefs) string {
	var want [modelBlocks]*model
	flatBase := sim.NewMemory().Add("flat", make([]byte, modelBlocks*modelFlat)).Base
	for b := range want {
		want[b] = &model{*p.start(seed, b, flatBase), p.mode, modelMem{make([]byte, modelLDS), make([]byte, modelBlocks*modelFlat), flatBase}, false}
		if !p.simulate(t, want[b], refs) {
			return ""
		}
	}
	got, data, err := p.execute(t, seed, workers)
	if err != nil {
		return err.Error()
	}
	for b, st := range got {
		if d := st.diff(&want[b].state); d != "" {
			return fmt.Sprintf("block %d: %s", b, d)
		}
		if at := modelFlat * b; string(data[at:at+modelFlat]) != string(want[b].mem.flat[at:at+modelFlat]) {
			return fmt.Sprintf("block %d: memory differs", b)
		}
	}
	return ""
}

// smaller removes instructions while the program still differs.
func (p *randProgram) smaller(t testing.TB, seed int, refs modelRefs) *randProgram {
	nop := parsed(t, "s_nop 0")
	for size := len(p.ins) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(p.ins); at += size {
			q := &randProgram{slices.Clone(p.ins), slices.Clone(p.to), p.mode}
			same := true
			for i := at; i < at+size; i++ {
				same = same && q.ins[i].Row == nop.Row
				q.ins[i], q.to[i] = nop, -1
			}
			if !same && q.differs(t, seed, 1, refs) != "" {
				p = q
			}
		}
	}
	return p
}

// TestRandomPrograms checks that random programs with branches, loops, changing masks and changing
// MODE leave the same registers as the model, on one worker and on two.
func TestRandomPrograms(t *testing.T) {
	t.Parallel()
	refs := newModelRefs()
	for seed := range short.Of(*programs, (*programs+4)/5) {
		r := rand.New(rand.NewPCG(uint64(seed), 4))
		g := newGenerator(t, r, refs)
		p := g.program(8 + r.IntN(60))
		d := p.differs(t, seed, 1+seed%2, refs)
		if d == "" {
			continue
		}
		q := p.smaller(t, seed, refs)
		var lines []string
		for _, l := range strings.Split(q.String(), "\n") {
			if !strings.HasSuffix(l, "s_nop 0") {
				lines = append(lines, l)
			}
		}
		t.Errorf("seed %d, mode %#x: %s\nsmaller: %s\n%s", seed, p.mode, d, q.differs(t, seed, 1, refs), strings.Join(lines, "\n"))
	}
}
