package jit

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
)

// The order of time slices shows in the numbers that waves take from a counter, in clocks,
// and in the values that waiting lanes find. These programs consist of that: loops longer
// than time slices, tickets, clocks, lanes that diverge, barriers, and lanes, waves and
// blocks that look at memory until it changes.

// turnsWriter writes one of these programs. %acc collects all that is visible.
type turnsWriter struct {
	*rand.Rand
	text   strings.Builder
	labels int
	depth  int // nesting of loops
	apart  int // nesting of parts that only some lanes run
	size   int // number of loops
}

func (w *turnsWriter) line(format string, args ...any) {
	fmt.Fprintf(&w.text, "\t"+format+"\n", args...)
}

func (w *turnsWriter) label() string {
	w.labels++
	return fmt.Sprint("L", w.labels)
}

func (w *turnsWriter) bind(l string) { w.text.WriteString(l + ":\n") }

func (w *turnsWriter) pick(list ...string) string { return list[w.IntN(len(list))] }

// note adds %v to %acc.
func (w *turnsWriter) note(format string, args ...any) {
	w.line(format, args...)
	w.line("mad.lo.u32 %%acc, %%acc, 31, %%v;")
}

// cond sets a predicate, and reports whether it differs between lanes.
func (w *turnsWriter) cond() (p string, differs bool) {
	p = fmt.Sprintf("%%q%d", w.IntN(4))
	k := w.IntN(6)
	switch {
	case k == 0 || k == 3:
		w.line("and.b32 %%t, %s, %d;\n\tsetp.ne.u32 %s, %%t, 0;", w.pick("%td", "%acc"), 1<<w.IntN(6), p)
	case k == 1:
		w.line("setp.lt.u32 %s, %%ln, %d;", p, w.IntN(33))
	case k == 2 || k == 4:
		w.line("setp.%s.u32 %s, %s, %d;", w.pick("eq", "ne", "lt"), p, w.pick("%wave", "%bk"), w.IntN(4))
		return p, false
	case w.depth > 0:
		w.line("and.b32 %%t, %%i%d, %d;\n\tsetp.ne.u32 %s, %%t, 0;", w.depth-1, 1<<w.IntN(5), p)
		return p, w.apart > 0
	default:
		w.line("setp.eq.u32 %s, %%on, 1;", p)
		return p, false
	}
	return p, true
}

func (w *turnsWriter) guard() string {
	p, _ := w.cond()
	return w.pick("@", "@!") + p + " "
}

func (w *turnsWriter) body(most int) {
	for range 1 + w.IntN(most) {
		w.statement()
	}
}

func (w *turnsWriter) statement() {
	switch k := w.IntN(26); {
	case k < 4:
		w.note("atom.global.add.u32 %%v, [%%cnt], 1;")
	case k < 6:
		w.note("mov.u32 %%v, %%clock;")
	case k == 6:
		w.note("mov.u64 %%d, %%clock64;\n\tcvt.u32.u64 %%v, %%d;")
	case k == 7:
		w.note("%smov.u32 %%v, %%clock;", w.guard())
	case k < 10:
		w.note("add.u32 %%v, %%acc, %%td;")
	case k == 10: // a branch to the next instruction
		g, l := w.guard(), w.label()
		w.line("%sbra %s;", g, l)
		w.bind(l)
	case k < 14:
		w.choice()
	case k < 19:
		if w.depth < 3 {
			w.loop()
		}
	case k == 19:
		if w.apart == 0 && w.IntN(3) > 0 || w.IntN(20) == 0 {
			w.note("%s", w.pick("bar.sync 0;", "bar.sync 0;", "bar.sync 0;", "bar.red.popc.u32 %v, 0, %q1;", "bar.sync 1;", "barrier.sync 0;"))
		}
	case k == 20:
		if w.apart == 0 || w.IntN(8) == 0 {
			w.note("%s", w.pick("shfl.sync.bfly.b32 %v, %acc, 1, 31, 0xffffffff;", "shfl.sync.idx.b32 %v, %acc, %ln, 31, 0xffffffff;", "bar.warp.sync 0xffffffff;", "vote.sync.ballot.b32 %v, %q1, 0xffffffff;"))
		} else {
			w.line("activemask.b32 %%m;")
			w.note("%s", w.pick("shfl.sync.bfly.b32 %v, %acc, 1, 31, %m;", "vote.sync.ballot.b32 %v, %q1, %m;", "match.any.sync.b32 %v, %four, %m;", "redux.sync.add.u32 %v, %acc, %m;"))
		}
	case k == 21:
		w.line("%snanosleep.u32 20;", w.pick("", "", "@%q1 "))
	case k == 22:
		w.note("activemask.b32 %%v;")
	case k == 23:
		if w.IntN(4) == 0 {
			w.line("%s%s;", w.guard(), w.pick("exit", "ret", "exit", "trap"))
		}
	case k == 24:
		w.note("ld.volatile.global.u32 %%v, [%%cnt];")
	default:
		w.table()
	}
}

// choice writes an if.
func (w *turnsWriter) choice() {
	p, differs := w.cond()
	els, end := w.label(), w.label()
	w.line("%s%s bra %s;", w.pick("@", "@!"), p, els)
	if differs {
		w.apart++
		defer func() { w.apart-- }()
	}
	w.body(3)
	if w.IntN(2) == 0 {
		w.line("bra %s;", end)
		w.bind(els)
		w.body(3)
	} else {
		w.bind(els)
	}
	w.bind(end)
}

// table writes a branch through a table.
func (w *turnsWriter) table() {
	end, cases := w.label(), []string{w.label(), w.label(), w.label()}
	w.line("rem.u32 %%t, %s, 3;\nts%s: .branchtargets %s;\n\tbrx.idx %%t, ts%s;", w.pick("%acc", "%wave", "%bk"), end, strings.Join(cases, ", "), end)
	w.apart++
	for _, c := range cases {
		w.bind(c)
		w.body(2)
		if w.IntN(3) > 0 {
			w.line("bra %s;", end)
		}
	}
	w.apart--
	w.bind(end)
}

func (w *turnsWriter) loop() {
	d := w.depth
	top, end := w.label(), w.label()
	n := 1 + w.IntN([][]int{{2000, 30, 6}, {5, 4, 3}, {60, 4, 3}}[w.size][d])
	if w.IntN(4) == 0 {
		n = 1 + w.IntN(8)
	}
	w.line("mov.u32 %%i%d, 0;\n\tmov.u32 %%n%d, %d;", d, d, n)
	switch w.IntN(5) {
	case 0:
		w.line("and.b32 %%t, %%td, %d;\n\tmad.lo.u32 %%n%d, %%t, %d, %%n%d;", []int{1, 3, 31}[w.IntN(3)], d, 1+w.IntN(max(1, n/4)), d)
		w.apart++
		defer func() { w.apart-- }()
	case 1:
		w.line("mad.lo.u32 %%n%d, %%wave, %d, %%n%d;", d, 1+w.IntN(n), d)
	}
	w.bind(top)
	w.depth++
	w.body(3)
	if w.IntN(5) == 0 {
		w.line("%sbra %s;", w.guard(), end)
		w.body(2)
	}
	w.depth--
	w.line("add.u32 %%i%d, %%i%d, 1;\n\tsetp.lt.u32 %%q4, %%i%d, %%n%d;\n\t@%%q4 bra %s;", d, d, d, d, top)
	w.bind(end)
}

// work writes an action that takes time, or that is visible.
func (w *turnsWriter) work() {
	switch w.IntN(5) {
	case 0:
		w.note("atom.global.add.u32 %%v, [%%cnt], 1;")
	case 1:
		w.note("mov.u32 %%v, %%clock;")
	case 2:
		l := w.label()
		w.line("mov.u32 %%i0, 0;\n\t%s %d;", w.pick("mov.u32 %n0,", "mul.lo.u32 %n0, %wave,", "mul.lo.u32 %n0, %bk,"), 1+w.IntN(4000))
		w.bind(l)
		w.line("add.u32 %%acc, %%acc, %%i0;")
		if w.IntN(4) == 0 {
			w.line("st.global.u32 [%%out], %%acc;")
		}
		w.line("add.u32 %%i0, %%i0, 1;\n\tsetp.lt.u32 %%q4, %%i0, %%n0;\n\t@%%q4 bra %s;", l)
	case 3:
		w.line("bar.sync 0;")
	default:
		w.line("st.global.u32 [%%out], %%acc;")
	}
}

// signals writes one phase of a program of waits: all lanes, or one of each wave or block,
// add to a flag, and some of them look at it until enough have added.
func (w *turnsWriter) signals(phase int, block, grid uint32) {
	for range w.IntN(4) {
		w.work()
	}
	flag := fmt.Sprintf("[%%fl+%d]", 64*phase)
	total, guard := block, ""
	switch w.IntN(3) {
	case 0:
		total, guard = (block+31)/32, "@%q0 "
		w.line("setp.eq.u32 %%q0, %%ln, 0;")
	case 1:
		total, guard = 1, "@%q0 "
		w.line("setp.eq.u32 %%q0, %%td, 0;")
	}
	w.line("%s%s, 1;", guard, w.pick("red.global.add.u32 "+flag, "atom.global.add.u32 %v, "+flag, "red.release.gpu.global.add.u32 "+flag))
	if w.IntN(5) == 0 {
		return
	}
	want, exact := total, true
	if w.IntN(2) == 0 {
		want *= grid
	} else {
		exact = grid == 1
	}
	if want > 1 && w.IntN(3) == 0 {
		want, exact = 1+w.Uint32N(want), false
	}
	top, end := w.label(), w.label()
	switch w.IntN(4) { // the lanes that wait
	case 0:
		w.line("setp.ne.u32 %%q1, %%td, 0;\n\t@%%q1 bra %s;", end)
	case 1:
		w.line("setp.ne.u32 %%q1, %%ln, %d;\n\t@%%q1 bra %s;", w.IntN(8), end)
	case 2:
		w.line("setp.lt.u32 %%q1, %%td, %d;\n\t@%%q1 bra %s;", w.IntN(40), end)
	}
	w.line("mov.u32 %%i1, 0;")
	w.bind(top)
	w.line("%s;", w.pick("ld.volatile.global.u32 %v, "+flag, "ld.volatile.global.u32 %v, "+flag, "ld.acquire.gpu.global.u32 %v, "+flag, "ld.relaxed.gpu.global.u32 %v, "+flag, "ld.global.u32 %v, "+flag,
		"atom.global.add.u32 %v, "+flag+", 0", "atom.global.cas.b32 %v, "+flag+", 0, 0", "atom.global.max.u32 %v, "+flag+", 0", "atom.global.or.b32 %v, "+flag+", 0"))
	w.line("%s", w.pick("", "nanosleep.u32 20;", "membar.gl;", "add.u32 %i1, %i1, 1;", "red.global.add.u32 [%cnt], 1;", "st.global.u32 [%out], %i1;"))
	op := "lt"
	if exact && w.IntN(3) == 0 {
		op = "ne" // a count that may be passed is never equal again
	}
	w.line("setp.%s.u32 %%q4, %%v, %d;\n\t@%%q4 bra %s;", op, want, top)
	w.bind(end)
	w.line("%s%s", w.pick("", "add.u32 %acc, %acc, %i1;\n\t"), w.pick("", "bar.sync 0;", "bar.warp.sync 0xffffffff;"))
}

// turnsKernel returns the program of a seed: every second one waits, and every fourth is for
// a target below sm_70.
func turnsKernel(seed uint64) (text string, grid, block uint32) {
	w := &turnsWriter{Rand: rand.New(rand.NewPCG(seed, 77))}
	w.size = w.IntN(3)
	block, grid = []uint32{32, 64, 96, 128, 40, 72}[w.IntN(6)], 1+w.Uint32N(6)
	if w.IntN(4) == 0 {
		grid = 140
	}
	if seed%2 == 0 {
		for range 3 + w.IntN(5) {
			if w.IntN(3) == 0 {
				w.loop()
			} else {
				w.statement()
			}
		}
	} else {
		for phase := range 1 + w.IntN(4) {
			w.signals(phase, block, grid)
		}
		w.work()
	}
	text = `.version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 count, .param .u64 flags)
{
	.reg .pred %q<5>;
	.reg .b32 %r<4>, %acc, %v, %t, %m, %td, %wave, %ln, %bk, %on, %four, %i<4>, %n<4>;
	.reg .b64 %d, %out, %cnt, %fl, %rd<3>;
	ld.param.u64 %out, [out];
	ld.param.u64 %cnt, [count];
	ld.param.u64 %fl, [flags];
	mov.u32 %td, %tid.x;
	mov.u32 %bk, %ctaid.x;
	mov.u32 %r1, %ntid.x;
	shr.u32 %wave, %td, 5;
	mov.u32 %ln, %laneid;
	mov.u32 %on, 1;
	and.b32 %four, %td, 3;
	setp.lt.u32 %q0, %td, 40;
	setp.lt.u32 %q1, %ln, 7;
	setp.lt.u32 %q2, %wave, 1;
	setp.ne.u32 %q3, %bk, 1;
	mov.u32 %acc, %ln;
	mad.lo.u32 %r2, %bk, %r1, %td;
	mul.wide.u32 %rd1, %r2, 4;
	add.u64 %out, %out, %rd1;
	mov.u32 %i1, 0;
	add.u32 %v, %ln, 3;
` + w.text.String() + `	st.global.u32 [%out], %acc;
	ret;
}
`
	if seed/2%4 == 0 {
		text = strings.NewReplacer("sm_90", "sm_60", "ld.acquire.gpu.global", "ld.volatile.global", "ld.relaxed.gpu.global", "ld.volatile.global", "red.release.gpu.global", "red.global",
			"nanosleep.u32 20", "membar.gl", "match.any.sync.b32 %v, %four, %m", "vote.sync.ballot.b32 %v, %q1, %m", "redux.sync.add.u32 %v, %acc, %m", "vote.sync.ballot.b32 %v, %q0, %m", "barrier.sync", "bar.sync").Replace(text)
	}
	return text, grid, block
}

// TestTimeSlices: the order of time slices is the same whenever an engine runs a program, and lanes that
// look at memory until it changes do not keep the lanes they wait for from running.
func TestTimeSlices(t *testing.T) {
	t.Parallel()
	engines := map[string]sim.Engine{"the reference": interp.Engine{}}
	for tier, e := range tierEngines(t) {
		engines[tier.String()] = e
		late, err := New(Options{Mode: Mode{Tier: tier, After: 3000}})
		if err != nil {
			t.Fatal(err)
		}
		engines[tier.String()+", late"] = late
	}
	programs := short.Of(400, 5)
	ends := map[string]int{}
	for seed := range uint64(programs) {
		text, grid, block := turnsKernel(seed)
		run := func(e sim.Engine, limit uint64) (how, all string) {
			mem := sim.NewMemory()
			out, count, flags := mem.Add("out", make([]byte, 4*grid*block)), mem.Add("count", make([]byte, 4)), mem.Add("flags", make([]byte, 256))
			var param []byte
			for _, a := range []*sim.Alloc{out, count, flags} {
				param = binary.LittleEndian.AppendUint64(param, a.Base)
			}
			how = ended(t, e, lift(t, text, "k"), &sim.Launch{Grid: [3]uint32{grid, 1, 1}, Block: [3]uint32{block, 1, 1}, Memory: mem, Param: param, Limits: sim.Limits{Limit: limit}, Checks: sim.Checks{Hints: true}})
			return how, fmt.Sprintf("%s %x %x %x", how, count.Data, flags.Data, out.Data)
		}
		limit := uint64(1_000_000)
		how, _ := run(interp.Engine{}, limit)
		switch {
		case strings.HasPrefix(how, "<nil>"):
			limit *= 100
			ends["to the end"]++
		case strings.Contains(how, "instructions were reached"):
			ends["by the limit"]++
		default:
			ends["by a fault"]++
		}
		for name, e := range engines {
			end, first := run(e, limit)
			if _, second := run(e, limit); first != second {
				t.Errorf("seed %d, %s, grid %d, block %d:\nfirst  %.600s\nsecond %.600s\n%s", seed, name, grid, block, first, second, text)
			}
			if strings.HasPrefix(how, "<nil>") && !strings.HasPrefix(end, "<nil>") {
				t.Errorf("seed %d, %s, grid %d, block %d: it ends by %.300s\n%s", seed, name, grid, block, end, text)
			}
		}
	}
	if ends["to the end"] < programs/3 {
		t.Errorf("programs ended %v", ends)
	}
	t.Log(ends)
}
