package ptx

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
)

// Programs are random and correct. They have instructions of the table that compute on registers,
// guards, and forward branches. Each thread stores all its registers.
const (
	programRegs = 6 // registers of each width
	programOut  = 3 * programRegs * 8
)

// A programmer writes one random program.
type programmer struct {
	*rand.Rand
	b      strings.Builder
	labels []string // labels that have a branch to them and no place yet
	n      int
}

// randomProgram returns the text of a module with the kernel k.
func randomProgram(seed int64) string {
	p := &programmer{Rand: rand.New(rand.NewSource(seed))}
	p.b.WriteString(".version 9.3\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n")
	fmt.Fprintf(&p.b, "\t.reg .b16 %%h<%d>;\n\t.reg .b32 %%r<%d>;\n\t.reg .b64 %%d<%d>;\n\t.reg .pred %%p<%d>;\n\t.reg .b32 t<4>; .reg .b64 u<4>;\n", programRegs, programRegs, programRegs, programRegs)
	p.b.WriteString("\tmov.u32 t0, %tid.x; mov.u32 t1, %ctaid.x; mov.u32 t2, %ntid.x; mad.lo.u32 t0, t1, t2, t0;\n")
	for i := range programRegs {
		fmt.Fprintf(&p.b, "\tmul.lo.u32 %%r%d, t0, %#x; add.u32 %%r%d, %%r%d, %#x;\n", i, p.Uint32()|1, i, i, p.Uint32())
		fmt.Fprintf(&p.b, "\tcvt.u16.u32 %%h%d, %%r%d; mov.b64 %%d%d, {%%r%d, %%r%d}; setp.lt.s32 %%p%d, %%r%d, %d;\n", i, i, i, p.Intn(i+1), i, i, i, int32(p.Uint32()))
	}
	for range 10 + p.Intn(40) {
		p.instruction()
	}
	for _, l := range p.labels {
		fmt.Fprintf(&p.b, "%s:\n", l)
	}
	fmt.Fprintf(&p.b, "\tld.param.u64 u0, [out]; mul.wide.u32 u1, t0, %d; add.u64 u0, u0, u1;\n", programOut)
	for i := range programRegs {
		fmt.Fprintf(&p.b, "\tst.global.b64 [u0+%d], %%d%d; st.global.b32 [u0+%d], %%r%d; st.global.b16 [u0+%d], %%h%d; selp.u32 t1, 1, 0, %%p%d; st.global.u8 [u0+%d], t1;\n",
			24*i, i, 24*i+8, i, 24*i+12, i, i, 24*i+14)
	}
	p.b.WriteString("\tret;\n}\n")
	return p.b.String()
}

func (p *programmer) pick(list []string) string { return list[p.Intn(len(list))] }

// instruction writes one instruction, or a branch or a label now and then.
func (p *programmer) instruction() {
	guard := ""
	if p.Intn(4) == 0 {
		guard = fmt.Sprintf("@%s%%p%d ", p.pick([]string{"", "!"}), p.Intn(programRegs))
	}
	switch p.Intn(12) {
	case 0:
		p.n++
		l := fmt.Sprintf("L%d", p.n)
		p.labels = append(p.labels, l)
		fmt.Fprintf(&p.b, "\t%sbra %s;\n", guard, l)
		return
	case 1:
		if len(p.labels) > 0 {
			i := p.Intn(len(p.labels))
			fmt.Fprintf(&p.b, "%s:\n", p.labels[i])
			p.labels = slices.Delete(p.labels, i, i+1)
		}
		return
	}
	for range 200 { // until a row can be written with these registers
		if s := p.operation(); s != "" {
			fmt.Fprintf(&p.b, "\t%s%s;\n", guard, s)
			return
		}
	}
}

// operation returns an instruction of a random row with random modifiers and
// operands; "" if the row is not one that only computes.
func (p *programmer) operation() string {
	rows := instructions().rows[p.pick(instructions().names)]
	r := rows[p.Intn(len(rows))]
	if r.Do.unsupported != "" || r.Do.cross != crossNone || r.Do.variadic || r.rest || r.Removed != (Version{}) || r.Deprecated != (Version{}) || len(r.ops) == 0 || !r.ops[0].dst {
		return ""
	}
	op := r.mnemonic
	for _, e := range r.elems {
		if !e.opt || p.Intn(2) == 0 {
			op += "." + p.pick(e.alts)
		}
	}
	v := instructions().lookup(strings.Split(op, ".")[:], len(r.ops))
	if v == nil || v.row != r || v.lack != "" || len(v.code) == 0 || v.vec != 1 || !pureOps(v.code) || stopsUndefined(r) {
		return ""
	}
	var args []string
	for i := range v.ops {
		a := p.operand(&v.ops[i], v.args[i])
		if a == "" {
			return ""
		}
		args = append(args, a)
	}
	s := op + " " + strings.Join(args, ", ")
	// Further rules of the row decide whether the text is legal.
	m, l := Parse("row", ".version 9.3\n.target sm_100a\n.address_size 64\n.entry k()\n{\n.reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<9>;\n"+s+";\nret;\n}\n")
	if len(l) > 0 || len(Check(m)) > 0 {
		return ""
	}
	return s
}

func pureOps(code []ir.Op) bool {
	return !slices.ContainsFunc(code, func(op ir.Op) bool { return !op.Pure() })
}

// stopsUndefined reports whether the row is an error for operands for which its result is
// undefined; random operands may be among these. In the remaining rows, the use of an undefined
// result is the error.
func stopsUndefined(r *row) bool {
	return slices.ContainsFunc(r.Undefined, func(u Undefined) bool { return u.Reason == "" && u.Code != "poison-store" })
}

func (p *programmer) operand(s *opSpec, t Type) string {
	switch {
	case s.kind == opImm:
		return fmt.Sprint(p.Intn(1 << min(s.bits, 30)))
	case s.kind != opValue || t == NoType:
		return ""
	}
	var a string
	switch t.Bits() {
	case 1:
		a = fmt.Sprintf("%%p%d", p.Intn(programRegs))
		if s.neg {
			a = p.pick([]string{"", "!"}) + a
		}
	case 16:
		a = fmt.Sprintf("%%h%d", p.Intn(programRegs))
	case 32:
		a = fmt.Sprintf("%%r%d", p.Intn(programRegs))
	case 64:
		a = fmt.Sprintf("%%d%d", p.Intn(programRegs))
	default:
		return ""
	}
	switch {
	case s.pair != "" && (s.pairMust || p.Intn(2) == 0):
		a += fmt.Sprintf("|%%p%d", p.Intn(programRegs))
	case !s.dst && p.Intn(5) == 0 && t == F32:
		a = fmt.Sprintf("0f%08X", p.Uint32())
	case !s.dst && p.Intn(5) == 0 && t == F64:
		a = fmt.Sprintf("0d%016X", p.Uint64())
	case !s.dst && p.Intn(5) == 0 && t.Integer() && t.Bits() > 1:
		a = fmt.Sprint(int64(p.Uint64()) >> (64 - t.Bits()) >> p.Intn(t.Bits()))
	}
	return a
}

// runProgram runs a program with 3 blocks of 40 threads and returns the stored bytes.
func runProgram(t testing.TB, m *Module, workers int) []byte {
	t.Helper()
	k, err := Lift(m, "k")
	if err != nil {
		t.Fatalf("%v\n%s", err, m.Src)
	}
	mem := sim.NewMemory()
	out := make([]byte, 3*40*programOut)
	l := &sim.Launch{
		Grid: [3]uint32{3, 1, 1}, Block: [3]uint32{40, 1, 1}, Memory: mem, Workers: workers, Limits: sim.Limits{Timeout: 10 * time.Second},
		Func: k.Func, Param: make([]byte, 16)[:8],
	}
	base := mem.Add("out", out).Base
	for i := range 8 {
		l.Param[i] = byte(base >> (8 * i))
	}
	if l.Program, err = (interp.Engine{}).Compile(k.Func); err != nil {
		t.Fatalf("%v\n%s", err, m.Src)
	}
	if _, found, err := sim.Run(context.Background(), l); err != nil || len(found) > 0 {
		t.Fatalf("%v\n%v\n%s", err, found, m.Src)
	}
	return out
}

// program checks one random program: it is accepted, printing keeps the tree, and the results are
// the same on one worker, on two workers and from the print.
func program(t testing.TB, seed int64) *Module {
	t.Helper()
	src := randomProgram(seed)
	m, l := Parse("program", src)
	if len(l) == 0 {
		l = Check(m)
	}
	if len(l) > 0 {
		t.Fatalf("seed %d: %s\n%s", seed, l.Error(), src)
	}
	roundTrip(t, "program", m)
	want := runProgram(t, m, 1)
	if !bytes.Equal(want, runProgram(t, m, 2)) {
		t.Errorf("seed %d: two workers give other results\n%s", seed, src)
	}
	again, _ := Parse("printed", printed(t, m))
	if !bytes.Equal(want, runProgram(t, again, 1)) {
		t.Errorf("seed %d: the printed program gives other results\n%s", seed, src)
	}
	if bytes.Equal(want, make([]byte, len(want))) {
		t.Errorf("seed %d: nothing was stored", seed)
	}
	return m
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for seed := range short.Of(int64(100), 15) {
		for _, in := range instrs(&program(t, seed).Func("k").Body().Block) {
			used[in.Op] = true
		}
	}
	if len(used) < short.Of(500, 200) {
		t.Errorf("only %d different opcodes", len(used))
	}
	t.Logf("%d different opcodes", len(used))
}

// FuzzPrograms makes the same checks for any seed.
func FuzzPrograms(f *testing.F) {
	f.Add(int64(1000))
	f.Fuzz(func(t *testing.T, seed int64) { program(t, seed) })
}
