package difftest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A node is a statement or an expression of a generated program. Each '$' in text stands for one of
// kids, in order.
type node struct {
	id   int
	t    typ // the type of an expression
	stmt bool
	text string
	kids []*node
}

// A reduction lists the nodes to leave out. A statement becomes empty; an expression becomes its
// first operand of the same type, or the constant 1.
type reduction map[int]int

const (
	dropped = 1 + iota // a statement becomes empty; an expression becomes the constant 1
	operand            // an expression becomes its first operand of the same type
)

func (n *node) render(w *strings.Builder, r reduction) {
	switch r[n.id] {
	case dropped:
		if !n.stmt {
			fmt.Fprintf(w, "((%s)1)", n.t)
		}
		return
	case operand:
		for _, k := range n.kids {
			if !n.stmt && !k.stmt && k.t == n.t {
				k.render(w, r)
				return
			}
		}
	}
	i := 0
	for _, c := range []byte(n.text) {
		if c != '$' {
			w.WriteByte(c)
			continue
		}
		n.kids[i].render(w, r)
		i++
	}
}

// walk calls f for the node and for every remaining node below it.
func (n *node) walk(r reduction, f func(*node)) {
	if r[n.id] == dropped {
		return
	}
	f(n)
	for _, k := range n.kids {
		k.walk(r, f)
	}
}

// features are parts of the language that only some targets can run, or that would hide other
// differences.
type features struct {
	dynamic bool // local arrays with a dynamic index, and calls of functions
	plain   bool // C instead of OpenCL C, for PTX only: see plain_test.go
	wide    bool // integers of 128 bits, which devices with 32-bit addresses lack
}

// A phase is the work of the lanes of a block between two barriers: statements, or one cross-lane
// operation.
type phase struct {
	body  []*node
	cross string // a statement of the device; the host has a loop over lanes with the same effect
	host  string
}

// A program is one kernel.
type program struct {
	seed         uint64
	name         string
	block        [2]int
	grid         [2]int
	n            int // the number of lanes that store
	vars         []variable
	phases       []phase
	outs         []*node
	accOp, shaOp string
	features     features
	funcs        []function
	fields       []variable // the fields of the struct that functions pass by value
}

type variable struct {
	name string
	t    typ
}

func (p *program) lanesPerBlock() int { return p.block[0] * p.block[1] }
func (p *program) lanes() int         { return p.lanesPerBlock() * p.grid[0] * p.grid[1] }

// These are the sizes of the buffers in elements: in is u32, out u64, acc u32.
const (
	inSize   = 1024
	accSize  = 16
	shSize   = 256
	maxOuts  = 8
	maxLanes = 512
)

// outSize is one element for each value that a lane stores, and one more for each lane.
func (p *program) outSize() int { return p.lanes() * (len(p.outs) + 1) }

// render returns the program's part of a source file.
func (p *program) render(r reduction) string {
	w := &strings.Builder{}
	fmt.Fprintf(w, "#define OWN (out + c->gid * %d + %d)\n", len(p.outs)+1, len(p.outs))
	if p.features.plain {
		p.renderStruct(w)
	}
	fmt.Fprintf(w, "// seed %d\nstruct %s_ctx {\n  u32 lx, ly, gx, gy, lid, gid;\n  struct { u32 a : 5; s32 b : 11; u32 c : 16; s32 d : 7; u32 e : 25; } bf;\n  struct { u8 a; s16 b; u64 c; u32 d; } st;\n", p.seed, p.name)
	if p.features.dynamic {
		fmt.Fprintf(w, "  u32 arr[8]; s64 arw[4]; s16 ars[8];\n")
	}
	if p.features.plain {
		fmt.Fprintf(w, "  u32 fuel; volatile u32 vo; volatile u64 vq; struct %s_s s;\n", p.name)
	}
	for _, v := range p.vars {
		fmt.Fprintf(w, "  %s %s;\n", v.t, v.name)
	}
	fmt.Fprintf(w, "};\n")
	args := fmt.Sprintf("PRIVATE struct %s_ctx *c, GLOBAL const u32 *in, GLOBAL u64 *out, GLOBAL u32 *acc, LOCAL u32 *sh, LOCAL u32 *sha, u32 n", p.name)
	fmt.Fprintf(w, "INLINE void %s_init(%s) {\n", p.name, args)
	fmt.Fprintf(w, "  c->bf.a = 1; c->bf.b = -2; c->bf.c = 3; c->bf.d = -4; c->bf.e = 5; c->st.a = 6; c->st.b = -7; c->st.c = 8; c->st.d = 9;\n")
	if p.features.dynamic {
		fmt.Fprintf(w, "  for (int i = 0; i < 8; i++) { c->arr[i] = in[i + c->lx]; c->arw[i & 3] = i; c->ars[i] = (s16)(7 * i); }\n")
	}
	if p.features.plain {
		fmt.Fprintf(w, "  c->fuel = %d; c->vo = c->lid; c->vq = c->gid * 0x100000001ull; __builtin_memset(&c->s, %d, sizeof c->s);\n", p.fuel(), p.seed%256)
	}
	for i, v := range p.vars {
		switch {
		case v.t.bits() == 128:
			fmt.Fprintf(w, "  c->%s = (%s)in[(c->gid * 5 + %d) & %d] * ((u128)0x9e3779b97f4a7c15ull << %d | 0xbf58476d1ce4e5b9ull);\n", v.name, v.t, i*37, inSize-1, i*9)
		case v.t.float():
			fmt.Fprintf(w, "  c->%s = from_bits_%s(in[(c->gid * 5 + %d) & %d]);\n", v.name, v.t, i*37, inSize-1)
		case v.t.bits() == 64:
			fmt.Fprintf(w, "  c->%s = (%s)((u64)in[(c->gid * 5 + %d) & %d] << 32 | in[(c->gid * 3 + %d) & %d]);\n", v.name, v.t, i*37, inSize-1, i*41+5, inSize-1)
		default:
			fmt.Fprintf(w, "  c->%s = (%s)in[(c->gid * 5 + %d) & %d];\n", v.name, v.t, i*37, inSize-1)
		}
	}
	fmt.Fprintf(w, "}\n")
	p.renderFuncs(w, r, args)
	for i, ph := range p.phases {
		fmt.Fprintf(w, "INLINE void %s_p%d(%s) {\n", p.name, i, args)
		if ph.cross != "" {
			fmt.Fprintf(w, "#ifndef HOST\n  %s\n#endif\n", ph.cross)
		}
		for _, s := range ph.body {
			s.render(w, r)
		}
		fmt.Fprintf(w, "}\n")
	}
	fmt.Fprintf(w, "INLINE void %s_end(%s) {\n  if (c->gid >= n) return;\n", p.name, args)
	for i, o := range p.outs {
		fmt.Fprintf(w, "  out[c->gid * %d + %d] = (u64)", len(p.outs)+1, i)
		o.render(w, r)
		fmt.Fprintf(w, ";\n")
	}
	fmt.Fprintf(w, "}\n")

	// This is the code of one lane on the device.
	fmt.Fprintf(w, "#ifndef HOST\nKERNEL void %s(GLOBAL const u32 *in, GLOBAL u64 *out, GLOBAL u32 *acc, u32 n) {\n", p.name)
	fmt.Fprintf(w, "  SHARED u32 sh[%d]; SHARED u32 sha[16];\n  struct %s_ctx x; PRIVATE struct %s_ctx *c = &x;\n", shSize, p.name, p.name)
	fmt.Fprintf(w, "  c->lx = LX; c->ly = LY; c->gx = GX * %d + c->lx; c->gy = GY * %d + c->ly; c->lid = c->ly * %d + c->lx;\n",
		p.block[0], p.block[1], p.block[0])
	fmt.Fprintf(w, "  c->gid = (GY * %d + GX) * %d + c->lid;\n", p.grid[0], p.lanesPerBlock())
	fmt.Fprintf(w, "  for (u32 i = c->lid; i < %d; i += %d) sh[i] = i; for (u32 i = c->lid; i < 16; i += %d) sha[i] = 1; BARRIER;\n", shSize, p.lanesPerBlock(), p.lanesPerBlock())
	call := "(c, in, out, acc, sh, sha, n);"
	fmt.Fprintf(w, "  %s_init%s\n", p.name, call)
	for i := range p.phases {
		fmt.Fprintf(w, "  %s_p%d%s BARRIER;\n", p.name, i, call)
	}
	fmt.Fprintf(w, "  %s_end%s\n}\n#else\n", p.name, call)

	// This is the code for the host: phase by phase, the lanes of a block one after the other.
	fmt.Fprintf(w, "static void %s(const u32 *in, u64 *out, u32 *acc, u32 n) {\n", p.name)
	fmt.Fprintf(w, "  for (u32 gy = 0; gy < %d; gy++) for (u32 gx = 0; gx < %d; gx++) {\n", p.grid[1], p.grid[0])
	fmt.Fprintf(w, "    u32 sh[%d], sha[16]; static struct %s_ctx xs[%d]; struct %s_ctx *c;\n", shSize, p.name, p.lanesPerBlock(), p.name)
	fmt.Fprintf(w, "    for (u32 i = 0; i < %d; i++) sh[i] = i; for (u32 i = 0; i < 16; i++) sha[i] = 1;\n", shSize)
	fmt.Fprintf(w, "    #define EACH for (u32 l = 0; c = &xs[l], l < %d; l++)\n", p.lanesPerBlock())
	fmt.Fprintf(w, "    EACH { c->lx = l %% %d; c->ly = l / %d; c->gx = gx * %d + c->lx; c->gy = gy * %d + c->ly; c->lid = l; c->gid = (gy * %d + gx) * %d + l; %s_init%s }\n",
		p.block[0], p.block[0], p.block[0], p.block[1], p.grid[0], p.lanesPerBlock(), p.name, call)
	for i, ph := range p.phases {
		if ph.host != "" {
			fmt.Fprintf(w, "    %s\n", ph.host)
		} else {
			fmt.Fprintf(w, "    EACH %s_p%d%s\n", p.name, i, call)
		}
	}
	fmt.Fprintf(w, "    EACH %s_end%s\n    #undef EACH\n  }\n}\n#endif\n#undef OWN\n\n", p.name, call)
	return w.String()
}

// A generator makes one program from a seed.
type generator struct {
	*program
	rand    *rand.Rand
	nodes   int
	loops   int // the nesting depth
	shReads bool
	shWrite bool
	shaRead bool
	atomics bool
	locals  []variable // the local variables of a function
	asm     []asmFunc
	ret     string // the return statement of the function
}

func (g *generator) one(n int) bool { return g.rand.IntN(n) == 0 }

func pick[T any](g *generator, s ...T) T { return s[g.rand.IntN(len(s))] }

// expr makes an expression node.
func (g *generator) expr(t typ, text string, kids ...*node) *node {
	g.nodes++
	return &node{id: g.nodes, t: t, text: text, kids: kids}
}

// stmt makes a statement node.
func (g *generator) stmt(text string, kids ...*node) *node {
	g.nodes++
	return &node{id: g.nodes, stmt: true, text: text, kids: kids}
}

// newProgram makes the program of a seed.
func newProgram(seed uint64) *program {
	return makeProgram(seed, features{})
}

func makeProgram(seed uint64, f features) *program {
	g := &generator{
		program: &program{seed: seed, name: fmt.Sprintf("k%d", seed), features: f},
		rand:    rand.New(rand.NewPCG(seed, 0x6372_6f73_736c_616e)),
	}
	g.features.dynamic = g.one(4)
	g.ret = "return;"
	wholeWaves := g.one(2)
	switch {
	case wholeWaves:
		g.block = pick(g, [2]int{64, 1}, [2]int{32, 1}, [2]int{32, 2}, [2]int{96, 1}, [2]int{16, 8}, [2]int{128, 1})
	default:
		g.block = pick(g, [2]int{40, 1}, [2]int{7, 5}, [2]int{100, 1}, [2]int{17, 3}, [2]int{1, 1}, [2]int{33, 2})
	}
	g.grid = pick(g, [2]int{1, 1}, [2]int{2, 1}, [2]int{3, 1}, [2]int{2, 2})
	g.n = g.lanes()
	if g.one(3) {
		g.n = 1 + g.rand.IntN(g.n)
	}
	g.accOp = pick(g, "add", "xor", "or", "and", "min", "max")
	g.shaOp = pick(g, "add", "xor", "or", "and", "min", "max")
	for i := range 6 + g.rand.IntN(6) {
		g.vars = append(g.vars, variable{fmt.Sprintf("v%d", i), g.anyType()})
	}
	g.vars = append(g.vars, variable{"w", u32})
	if f.plain {
		g.functions()
	}
	for range 1 + g.rand.IntN(4) {
		kind := g.rand.IntN(4)
		if wholeWaves && g.one(3) {
			g.phases = append(g.phases, g.crossPhase())
			continue
		}
		g.shReads, g.shWrite, g.shaRead, g.atomics = kind&1 == 0, kind&1 == 1, kind&2 == 0, kind&2 == 2
		g.phases = append(g.phases, phase{body: g.statements(2+g.rand.IntN(8), 3)})
	}
	g.shReads, g.shWrite, g.shaRead, g.atomics = true, false, true, false
	for range 1 + g.rand.IntN(maxOuts-1) {
		v := pick(g, g.vars...)
		e := g.expr(v.t, "c->"+v.name)
		if v.t.float() {
			e = g.expr(u64, "to_bits_"+string(v.t)+"($)", e)
		} else if v.t.bits() == 128 {
			e = g.expr(u64, "(u64)($ >> "+pick(g, "0", "37", "64")+")", e)
		}
		g.outs = append(g.outs, e)
	}
	g.outs = append(g.outs, g.any(u64, 3))
	return g.program
}

// row exchanges values in a row of 16 lanes, with a DPP control if there is one for it. Lanes
// without a source keep their own value.
func (g *generator) row(name string, ctrl int, e string) phase {
	return phase{
		cross: fmt.Sprintf("u32 lane = c->lid & 31; c->w = row_move((u32)c->%s, %#x, %s);", name, ctrl, e),
		host:  fmt.Sprintf("{ static u32 old[1024]; EACH old[l] = (u32)c->%s; EACH { u32 lane = l & 31; c->w = old[(l & ~31u) | (%s)]; } }", name, e),
	}
}

// crossPhase exchanges values between the lanes of a group of 32.
func (g *generator) crossPhase() phase {
	v := pick(g, g.vars...)
	for v.t.float() {
		v = pick(g, g.vars...)
	}
	dev := func(lane string) string {
		return fmt.Sprintf("c->w = shuffle((u32)c->%s, %s); ", v.name, lane)
	}
	host := func(lane string) string {
		return fmt.Sprintf("{ static u32 old[1024]; EACH old[l] = (u32)c->%s; EACH { u32 lane = l & 31; c->w = old[(l & ~31u) | (%s)]; } }", v.name, lane)
	}
	k := g.rand.IntN(32)
	switch g.rand.IntN(9) {
	case 5:
		q := g.rand.IntN(256)
		return g.row(v.name, q, fmt.Sprintf("(lane & ~3u) | (%d >> 2 * (lane & 3) & 3)", q))
	case 6:
		k &= 15
		return g.row(v.name, 0x121+k%15, fmt.Sprintf("(lane & 16) | ((lane - %d) & 15)", k%15+1))
	case 7:
		k &= 15
		if g.one(2) {
			return g.row(v.name, 0x101+k%15, fmt.Sprintf("(lane & 15) + %d > 15 ? lane : lane + %d", k%15+1, k%15+1))
		}
		return g.row(v.name, 0x111+k%15, fmt.Sprintf("(lane & 15) < %d ? lane : lane - %d", k%15+1, k%15+1))
	case 8:
		if g.one(2) {
			return g.row(v.name, 0x140, "lane ^ 15")
		}
		return g.row(v.name, 0x141, "lane ^ 7")
	case 0:
		e := fmt.Sprintf("lane ^ %d", k)
		return phase{cross: "u32 lane = c->lid & 31; " + dev(e), host: host(e)}
	case 1:
		e := fmt.Sprintf("lane + %d > 31 ? lane : lane + %d", k, k)
		return phase{cross: "u32 lane = c->lid & 31; " + dev(e), host: host(e)}
	case 2:
		e := fmt.Sprintf("lane < %d ? lane : lane - %d", k, k)
		return phase{cross: "u32 lane = c->lid & 31; " + dev(e), host: host(e)}
	case 3:
		e := fmt.Sprintf("(lane * %d + %d) & 31", g.rand.IntN(32), k)
		return phase{cross: "u32 lane = c->lid & 31; " + dev(e), host: host(e)}
	}
	return phase{
		cross: fmt.Sprintf("c->w = ballot32((u32)c->%s & 1, c->lid);", v.name),
		host: fmt.Sprintf("{ static u32 m[32]; for (int i = 0; i < 32; i++) m[i] = 0; EACH m[l / 32] |= ((u32)c->%s & 1) << (l & 31); EACH c->w = m[l / 32]; }",
			v.name),
	}
}

// essence returns the program's own statements, without the parts that all programs have.
func (p *program) essence(r reduction) string {
	w := &strings.Builder{}
	fmt.Fprintf(w, "%v block %v grid %v n %d\n", p.vars, p.block, p.grid, p.n)
	p.renderFuncs(w, r, "...")
	for _, ph := range p.phases {
		w.WriteString(ph.cross)
		for _, s := range ph.body {
			s.render(w, r)
		}
	}
	for i, o := range p.outs {
		fmt.Fprintf(w, "value %d: ", i)
		o.render(w, r)
		w.WriteString("\n")
	}
	return w.String()
}
