package api_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/short"
)

var long = flag.Bool("long", false, "run many more random programs")

// generator makes valid PTX programs whose results are defined: in any order of lanes, warps and
// blocks, every thread stores the same. It tracks at every place which lanes of the warp are there;
// the register with that mask is mask.
type generator struct {
	*rand.Rand
	main, late strings.Builder // code, and sides of branches that stand at the end
	out        *strings.Builder
	old        bool // a target below sm_70
	block      int
	depth      int
	uniform    bool // all threads of the block are here
	mask       string
	labels     int
	preds      int
	masks      int
}

func (g *generator) ins(format string, args ...any) { fmt.Fprintf(g.out, "\t"+format+";\n", args...) }

func (g *generator) label(l string) { fmt.Fprintf(g.out, "%s:\n", l) }

func (g *generator) newLabel() string { g.labels++; return fmt.Sprint("L", g.labels) }

func (g *generator) newPred() string { g.preds++; return "%q" + strconv.Itoa(g.preds) }

func (g *generator) newMask() string { g.masks++; return "%m" + strconv.Itoa(g.masks) }

func (g *generator) r() string { return "%r" + strconv.Itoa(g.IntN(8)) }

func (g *generator) f() string { return "%f" + strconv.Itoa(g.IntN(4)) }

func (g *generator) pick(s ...string) string { return s[g.IntN(len(s))] }

// cond sets a new predicate that differs from lane to lane.
func (g *generator) cond() string {
	p := g.newPred()
	switch g.IntN(3) {
	case 0:
		g.ins("setp.%s.u32 %s, %%lane, %d", g.pick("lt", "ge"), p, g.IntN(33))
	case 1:
		g.ins("setp.%s.s32 %s, %s, %s", g.pick("lt", "le", "ne"), p, g.r(), g.r())
	default:
		g.ins("and.b32 %%t0, %s, %d", g.r(), 1<<g.IntN(5))
		g.ins("setp.%s.u32 %s, %%t0, 0", g.pick("eq", "ne"), p)
	}
	return p
}

func (g *generator) statement() {
	n := 19
	if g.depth >= 3 {
		n = 13
	}
	switch g.IntN(n) {
	case 0, 1, 2:
		g.ins("%s %s, %s, %s", g.pick("add.u32", "sub.u32", "mul.lo.u32", "xor.b32", "and.b32", "or.b32", "min.s32", "max.u32"), g.r(), g.r(), g.r())
	case 3:
		g.ins("%s %s, %s, %d", g.pick("shl.b32", "shr.u32", "shr.s32"), g.r(), g.r(), g.IntN(32))
	case 4:
		g.ins("mad.lo.u32 %s, %s, %s, %s", g.r(), g.r(), g.r(), g.r())
	case 5:
		g.ins("%s %s, %s, %s", g.pick("add.f32", "mul.f32", "sub.f32", "min.f32"), g.f(), g.f(), g.f())
		g.ins("cvt.rzi.s32.f32 %%t0, %s", g.f())
		r := g.r()
		g.ins("xor.b32 %s, %s, %%t0", r, r)
	case 6:
		g.ins("cvt.rn.f32.s32 %s, %s", g.f(), g.r())
	case 7:
		p := g.cond()
		g.ins("@%s%s %s %s, %s, %s", g.pick("", "!"), p, g.pick("add.u32", "xor.b32"), g.r(), g.r(), g.r())
	case 8, 9:
		g.shuffle()
	case 10:
		g.vote()
	case 11:
		// The order does not show in the results of these.
		op := g.IntN(4) // a word each: different operations on one would not commute
		g.ins("red.global.%s [%%acc+%d], %s", []string{"add.u32", "xor.b32", "max.u32", "min.s32"}[op], 4*op, g.r())
		if g.IntN(2) == 0 {
			g.ins("red.shared.add.u32 [%%sh+%d], %s", 4*(1024+g.IntN(4)), g.r())
		}
	case 12:
		if g.IntN(3) == 0 {
			g.ins("bar.warp.sync %s", g.mask)
		}
	case 13, 14:
		g.branch()
	case 15, 16:
		g.loop()
	default:
		if g.uniform {
			g.exchange()
		}
	}
}

// shuffle reads from a lane that is here, or from the own one.
func (g *generator) shuffle() {
	p := g.newPred()
	switch g.IntN(3) {
	case 0:
		g.ins("and.b32 %%t0, %s, 31", g.r())
	case 1:
		g.ins("xor.b32 %%t0, %%lane, %d", 1<<g.IntN(5))
	default:
		g.ins("add.u32 %%t0, %%lane, %d", g.IntN(32))
		g.ins("and.b32 %%t0, %%t0, 31")
	}
	g.ins("shr.u32 %%t1, %s, %%t0", g.mask)
	g.ins("and.b32 %%t1, %%t1, 1")
	g.ins("setp.ne.u32 %s, %%t1, 0", p)
	g.ins("selp.u32 %%t0, %%t0, %%lane, %s", p)
	g.ins("shfl.sync.idx.b32 %s, %s, %%t0, 31, %s", g.r(), g.r(), g.mask)
}

func (g *generator) vote() {
	p := g.cond()
	r := g.r()
	switch n := g.IntN(4); {
	case n == 0 && !g.old:
		g.ins("match.any.sync.b32 %%t0, %s, %s", r, g.mask)
		g.ins("xor.b32 %s, %s, %%t0", r, r)
	case n == 1 && !g.old:
		g.ins("redux.sync.%s %s, %s, %s", g.pick("add.u32", "min.s32", "xor.b32"), g.r(), r, g.mask)
	case n == 2 && g.old:
		// Without membermask: the lanes that are here must be here together.
		g.ins("vote.ballot.b32 %%t0, %s", p)
		g.ins("xor.b32 %s, %s, %%t0", r, r)
	default:
		q := g.newPred()
		g.ins("vote.sync.%s.pred %s, %s, %s", g.pick("any", "all", "uni"), q, p, g.mask)
		g.ins("@%s add.u32 %s, %s, 77", q, r, r)
	}
}

// branch is an if, with or without an else, of which one side may stand far away.
func (g *generator) branch() {
	p := g.cond()
	mask, uniform, out := g.mask, g.uniform, g.out
	then, other := g.newMask(), g.newMask()
	g.ins("vote.sync.ballot.b32 %s, %s, %s", then, p, mask)
	g.ins("not.b32 %s, %s", other, then)
	g.ins("and.b32 %s, %s, %s", other, other, mask)
	g.depth++
	g.uniform = false
	els, end := g.newLabel(), g.newLabel()
	g.ins("@!%s bra %s", p, els)
	g.mask = then
	g.body()
	if g.IntN(2) == 0 {
		g.ins("bra %s", end)
	} else {
		els2 := g.newLabel() // the way round goes over a block of its own
		g.ins("bra %s", els2)
		var far strings.Builder
		g.out = &far
		g.label(els2)
		g.ins("bra %s", end)
		g.late.WriteString(far.String())
		g.out = out
	}
	g.mask = other
	if g.IntN(2) == 0 {
		var far strings.Builder
		g.out = &far
		g.label(els)
		g.body()
		g.ins("bra %s", end)
		g.late.WriteString(far.String())
		g.out = out
	} else {
		g.label(els)
		g.body()
	}
	g.label(end)
	g.depth--
	g.mask, g.uniform = mask, uniform
}

// loop makes as many rounds as each lane wants, or the same number for all.
func (g *generator) loop() {
	mask, uniform := g.mask, g.uniform
	g.depth++
	i, n := "%i"+strconv.Itoa(g.depth), "%n"+strconv.Itoa(g.depth)
	top, end := g.newLabel(), g.newLabel()
	p, inner := g.newPred(), g.newMask()
	g.ins("mov.u32 %s, 0", i)
	if g.IntN(3) == 0 {
		g.ins("mov.u32 %s, %d", n, 1+g.IntN(3))
	} else {
		g.uniform = false
		g.ins("and.b32 %s, %s, 3", n, g.r())
	}
	g.ins("mov.u32 %s, %s", inner, mask)
	g.label(top)
	g.ins("setp.lt.u32 %s, %s, %s", p, i, n)
	g.ins("vote.sync.ballot.b32 %s, %s, %s", inner, p, inner)
	g.ins("@!%s bra %s", p, end)
	g.mask = inner
	g.ins("add.u32 %s, %s, 1", i, i)
	g.body()
	if g.IntN(3) == 0 {
		// Some begin the next round from here.
		q := g.cond()
		g.ins("@%s bra %s", q, top)
		g.ins("add.u32 %s, %s, 3", g.r(), g.r())
	}
	g.ins("bra %s", top)
	g.label(end)
	g.depth--
	g.mask, g.uniform = mask, uniform
}

// exchange passes values between the threads of the block through shared memory.
func (g *generator) exchange() {
	switch g.IntN(3) {
	case 0:
		p := g.cond()
		q := g.newPred()
		if g.IntN(2) == 0 {
			g.ins("bar.red.popc.u32 %s, %d, %s", g.r(), g.IntN(3), p)
		} else {
			g.ins("bar.red.%s.pred %s, 1, %s", g.pick("and", "or"), q, p)
			g.ins("@%s add.u32 %s, %s, 5", q, g.r(), g.r())
		}
	default:
		g.ins("st.shared.u32 [%%own], %s", g.r())
		g.ins("bar.sync %d", g.IntN(3))
		g.ins("add.u32 %%t0, %%id, %d", g.IntN(g.block))
		g.ins("rem.u32 %%t0, %%t0, %d", g.block)
		g.ins("shl.b32 %%t0, %%t0, 2")
		g.ins("add.u32 %%t0, %%t0, %%sh")
		g.ins("ld.shared.u32 %s, [%%t0]", g.r())
		g.ins("bar.sync 0")
	}
}

func (g *generator) body() {
	for range 1 + g.IntN(4) {
		g.statement()
	}
}

// program makes the text of a kernel over grid blocks of block threads, which stores
// 9 words a thread to out and adds up in acc.
func program(seed uint64) (src string, grid, block int) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), uniform: true}
	g.out = &g.main
	g.old = g.IntN(3) == 0
	g.block = []int{32, 64, 70, 96, 33}[g.IntN(5)]
	g.mask = "%m0"
	for i := range 8 {
		g.ins("mad.lo.u32 %%r%d, %%id, %d, %d", i, g.Uint32()|1, g.Uint32())
		if i < 4 {
			g.ins("cvt.rn.f32.s32 %%f%d, %%r%d", i, i)
		}
	}
	g.ins("mad.lo.u32 %%r0, %%cta, 7919, %%r0")
	g.ins("setp.eq.u32 %%q0, %%lane, %%lane")
	g.ins("vote.sync.ballot.b32 %%m0, %%q0, -1")
	for range 6 + g.IntN(10) {
		g.statement()
	}
	target := ".version 7.0\n.target sm_80\n"
	if g.old {
		target = ".version 6.0\n.target sm_60\n"
	}
	var b strings.Builder
	b.WriteString(target + ".address_size 64\n.visible .entry k(.param .u64 out, .param .u64 acc)\n{\n")
	fmt.Fprintf(&b, "\t.reg .b32 %%r<8>, %%m<%d>, %%i<9>, %%n<9>, %%t<4>, %%id, %%cta, %%lane, %%sh, %%own;\n", g.masks+1)
	fmt.Fprintf(&b, "\t.reg .f32 %%f<4>;\n\t.reg .b64 %%out, %%acc, %%rd<4>;\n\t.reg .pred %%q<%d>;\n\t.shared .align 4 .b32 sm[1028];\n", g.preds+1)
	b.WriteString("\tmov.u32 %id, %tid.x;\n\tmov.u32 %cta, %ctaid.x;\n\tmov.u32 %lane, %laneid;\n\tmov.u32 %sh, sm;\n\tmad.lo.u32 %own, %id, 4, %sh;\n" +
		"\tld.param.u64 %out, [out];\n\tld.param.u64 %acc, [acc];\n")
	b.WriteString(g.main.String())
	fmt.Fprintf(&b, "\tbar.sync 0;\n\tld.shared.u32 %%t1, [%%sh+4096];\n\tmad.lo.u32 %%t0, %%cta, %d, %%id;\n\tmul.wide.u32 %%rd0, %%t0, 36;\n\tadd.s64 %%rd0, %%rd0, %%out;\n", g.block)
	for i := range 8 {
		fmt.Fprintf(&b, "\tst.global.u32 [%%rd0+%d], %%r%d;\n", 4*i, i)
	}
	b.WriteString("\tst.global.u32 [%rd0+32], %t1;\n\tret;\n" + g.late.String() + "}\n")
	return b.String(), 1 + g.IntN(4), g.block
}

// agree runs a random program in several ways, which must not differ.
func agree(t *testing.T, seed uint64) {
	t.Helper()
	src, grid, block := program(seed)
	m, err := crosslane.Load([]byte(src), "k.ptx", crosslane.PTX)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, src)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	var want []uint32
	for _, c := range []struct {
		workers int
		order   crosslane.Schedule
	}{
		{1, crosslane.LowestPC}, {2, crosslane.LowestPC}, {1, "random:1"}, {1, "random:2"}, {1, "random:3"}, {2, "random:4"},
	} {
		out, acc := make([]uint32, 9*grid*block), make([]uint32, 64)
		res, err := k.Run(context.Background(), crosslane.Launch{
			Grid: crosslane.Dim3{X: uint32(grid)}, Block: crosslane.Dim3{X: uint32(block)}, Workers: c.workers, Schedule: c.order, Timeout: 20 * time.Second,
			Args: []crosslane.Arg{crosslane.Slice("out", out), crosslane.Slice("acc", acc)},
		})
		if err != nil || slices.ContainsFunc(res.Findings, func(d *diag.Diagnostic) bool { return d.Code != "deprecated-instruction" }) {
			t.Fatalf("seed %d, %d workers, %s: %v %v\n%s", seed, c.workers, c.order, err, res.Findings, src)
		}
		all := slices.Concat(out, acc)
		if want == nil {
			want = all
		}
		for i := range all {
			if all[i] != want[i] {
				t.Fatalf("seed %d, %d workers, %s: word %d (thread %d, word %d) is %#x, in order and alone it is %#x\n%s",
					seed, c.workers, c.order, i, i/9, i%9, all[i], want[i], src)
			}
		}
	}
}

// Random programs give the same results on one worker and on two, and in any order.
func TestRandomPrograms(t *testing.T) {
	t.Parallel()
	n := short.Of(200, 40)
	if *long {
		n = 20000
	}
	for seed := range n {
		agree(t, uint64(seed))
	}
}

func FuzzRandomPrograms(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(seed)
	}
	f.Fuzz(agree)
}
