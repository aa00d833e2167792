package static

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/internal/short"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
	"example.org/crosslane/ptx"
)

var long = flag.Bool("long", false, "try many more random programs")

// An author writes random kernels about lanes. Registers %r0 to %r7 are always written.
type author struct {
	*rand.Rand
	strings.Builder
	labels, preds, depth int
	specials             int  // number of registers that special registers are moved to
	shuffles             bool // and other cross-lane operations, which may be wrong
	words                int
	exits                bool // lanes may have exited
}

func (a *author) ins(format string, args ...any) { fmt.Fprintf(a, "\t"+format+";\n", args...) }

func (a *author) pick(s ...string) string { return s[a.IntN(len(s))] }

func (a *author) r() string { return fmt.Sprint("%r", a.IntN(8)) }

// src returns a register, a number, or a register that holds a special one.
func (a *author) src() string {
	switch a.IntN(4) {
	case 0:
		return fmt.Sprint(a.pick("0", "1", "2", "3", "5", "8", "15", "16", "31", "32", "0xffff", "0xffffffe0", "-1", "4096"))
	case 1:
		a.specials++
		r := "%s" + strconv.Itoa(a.specials)
		a.ins("mov.u32 %s, %s", r, a.pick("%laneid", "%tid.x", "%tid.y", "%ntid.x", "%warpid", "%ctaid.x", "%lanemask_lt"))
		return r
	}
	return a.r()
}

func (a *author) cond() string {
	a.preds++
	p := "%p" + strconv.Itoa(a.preds)
	a.ins("setp.%s.%s %s, %s, %s", a.pick("lt", "le", "gt", "ge", "eq", "ne"), a.pick("u32", "s32"), p, a.src(), a.src())
	if a.IntN(4) == 0 {
		a.preds++
		q := "%p" + strconv.Itoa(a.preds)
		a.ins("setp.%s.u32 %s, %s, %s", a.pick("lt", "ge"), q, a.src(), a.src())
		a.ins("%s.pred %s, %s, %s", a.pick("and", "or", "xor"), p, p, q)
	}
	return p
}

func (a *author) statement() {
	if a.words++; a.words > 60 {
		return
	}
	if !a.shuffles && a.depth == 0 && !a.exits && a.IntN(4) == 0 {
		a.together()
		return
	}
	n := 17
	if a.depth > 3 {
		n = 10
	}
	if a.shuffles && a.IntN(3) == 0 {
		a.across()
		return
	}
	switch a.IntN(n) {
	case 0, 1:
		a.ins("%s %s, %s, %s", a.pick("add.u32", "sub.u32", "mul.lo.u32", "and.b32", "or.b32", "xor.b32", "min.u32", "max.s32"), a.r(), a.src(), a.src())
	case 2:
		a.ins("%s %s, %s, %d", a.pick("shl.b32", "shr.u32", "shr.s32", "rem.u32", "div.u32"), a.r(), a.src(), []int{1, 2, 3, 4, 5, 8, 16, 31, 32}[a.IntN(9)])
	case 3:
		a.ins("mad.lo.u32 %s, %s, %s, %s", a.r(), a.src(), a.src(), a.src())
	case 4:
		a.ins("mov.u32 %s, %s", a.r(), a.src())
	case 5:
		a.ins("@%s%s mov.u32 %s, %s", a.pick("", "!"), a.cond(), a.r(), a.src())
	case 6:
		a.ins("selp.u32 %s, %s, %s, %s", a.r(), a.src(), a.src(), a.cond())
	case 7:
		a.ins("bfe.%s %s, %s, %d, %d", a.pick("u32", "s32"), a.r(), a.src(), a.IntN(34), a.IntN(34))
	case 8:
		a.ins("mul.wide.%s %%d0, %s, %d", a.pick("u32", "s32"), a.src(), []int{1, 4, 8, 12, 1024}[a.IntN(5)])
		a.ins("add.u64 %%d0, %%d0, %d", a.IntN(64))
		a.ins("cvt.u32.u64 %s, %%d0", a.r())
	case 9:
		a.ins("ld.param.u32 %s, [n]", a.r())
	case 10, 11, 12:
		a.depth++
		p := a.cond()
		a.labels += 2
		els, end := fmt.Sprint("L", a.labels-1), fmt.Sprint("L", a.labels)
		a.ins("@%s%s bra %s", a.pick("", "!"), p, els)
		a.body()
		if a.IntN(2) == 0 {
			a.ins("bra %s", end)
			fmt.Fprintf(a, "%s:\n", els)
			a.body()
			fmt.Fprintf(a, "%s:\n", end)
		} else {
			fmt.Fprintf(a, "%s:\n", els)
		}
		a.depth--
	case 13, 14:
		a.depth++
		a.labels += 2
		top, end := fmt.Sprint("L", a.labels-1), fmt.Sprint("L", a.labels)
		i := fmt.Sprint("%i", a.depth)
		a.ins("mov.u32 %s, %s", i, a.pick("0", "1", "%laneid"))
		fmt.Fprintf(a, "%s:\n", top)
		a.body()
		if a.IntN(2) == 0 {
			a.ins("@%s bra %s", a.cond(), end)
		}
		a.ins("add.u32 %s, %s, 1", i, i)
		a.ins("setp.lt.u32 %%q, %s, %d", i, 2+a.IntN(3))
		a.ins("@%%q bra %s", top)
		fmt.Fprintf(a, "%s:\n", end)
		a.ins("xor.b32 %s, %s, %s", a.r(), i, a.r())
		a.depth--
	case 15:
		a.depth++
		a.labels += 3
		x, y, end := fmt.Sprint("L", a.labels-2), fmt.Sprint("L", a.labels-1), fmt.Sprint("L", a.labels)
		a.ins("and.b32 %%i0, %s, 1", a.src())
		fmt.Fprintf(a, "T%d: .branchtargets %s, %s;\n", a.labels, x, y)
		a.ins("brx.idx %%i0, T%d", a.labels)
		fmt.Fprintf(a, "%s:\n", x)
		a.body()
		a.ins("bra %s", end)
		fmt.Fprintf(a, "%s:\n", y)
		a.body()
		fmt.Fprintf(a, "%s:\n", end)
		a.depth--
	case 16:
		if a.IntN(4) == 0 {
			a.exits = true
			a.ins("@%s exit", a.cond())
		}
	}
}

// across writes a cross-lane operation, mostly of all lanes.
func (a *author) across() {
	mask := a.pick("-1", "-1", "-1", "0xffff", "0xffff0000", "0x7fffffff", "0x55555555", a.r())
	switch a.IntN(4) {
	case 0, 1:
		a.ins("shfl.sync.%s.b32 %s, %s, %d, %s, %s", a.pick("up", "down", "bfly", "idx"), a.r(), a.r(), a.IntN(34), a.pick("31", "0", "0x101f", "0x1800", "12"), mask)
	case 2:
		a.ins("vote.sync.ballot.b32 %s, %s, %s", a.r(), a.cond(), mask)
	default:
		a.ins("bar.warp.sync %s", mask)
	}
}

// together writes a cross-lane operation at a point that all lanes reach that have not exited.
func (a *author) together() {
	switch a.IntN(4) {
	case 0:
		a.ins("shfl.sync.idx.b32 %s, %s, %d, 31, -1", a.r(), a.src(), a.IntN(32))
	case 1:
		a.ins("shfl.sync.%s.b32 %s, %s, %d, %s, -1", a.pick("up", "down", "bfly", "idx"), a.r(), a.r(), a.IntN(32), a.pick("31", "0", "0x101f", "0x1800", "12"))
	case 2:
		a.ins("bar.red.popc.u32 %s, 0, %s", a.r(), a.cond())
	default:
		a.ins("vote.sync.ballot.b32 %s, %s, -1", a.r(), a.cond())
	}
}

func (a *author) body() {
	for range 1 + a.IntN(4) {
		a.statement()
	}
}

// kernel returns a random kernel, and a block size that fits it.
func kernel(seed uint64, shuffles bool) (text string, block [3]uint32) {
	a := &author{Rand: rand.New(rand.NewPCG(seed, 7)), shuffles: shuffles}
	blocks := [][3]uint32{{32, 1, 1}, {64, 1, 1}, {48, 1, 1}, {96, 1, 1}, {8, 8, 1}, {16, 3, 1}, {32, 2, 1}, {20, 1, 1}, {7, 9, 1}, {4, 8, 2}}
	block = blocks[a.IntN(len(blocks))]
	req := ""
	if a.IntN(3) > 0 {
		req = fmt.Sprintf(" .reqntid %d, %d, %d", block[0], block[1], block[2])
	}
	for i := range 8 {
		a.ins("mov.u32 %%r%d, %s", i, a.pick("0", "7", "%laneid", "%tid.x", "%ctaid.x", "-1"))
	}
	for range 5 + a.IntN(8) {
		a.statement()
	}
	text = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 n)" + req + "\n{\n" +
		fmt.Sprintf("\t.reg .b32 %%r<8>, %%i<9>, %%s<%d>;\n\t.reg .b64 %%d<2>;\n\t.reg .pred %%q, %%here, %%p<%d>;\n", a.specials+1, a.preds+1) +
		"\tsetp.ne.u32 %here, 0, 0;\n\tmov.u32 %r0, %warpid;\n" + a.String() + "\tret;\n}\n"
	return text, block
}

// A witness reads the registers of a wave before each instruction of a run and compares them with the
// claims of the analysis.
type witness struct {
	t    *testing.T
	src  string
	f    *ir.Func // the function that was analysed
	a    []*analysis
	here ir.Ref
	wave uint32
	live lane.Mask
	same bool // check claims that a value is equal in all lanes

	seen  map[int]bool      // by instruction: a lane was there
	at    map[int]lane.Mask // by block: the lanes that were there
	claim map[kind]int
	bad   int

	// shapes are those that a user is told: for all full waves, or those in rows of whole warps.
	shapes map[shapeKey]Shape
}

// shapesChecked counts the shapes of registers among the claims.
const shapesChecked kind = 100

func (w *witness) Start() {}

// finish compares the lanes that came with those that may and must come.
func (w *witness) finish() {
	for b, got := range w.at {
		for _, a := range w.a {
			if got&^a.may[b] != 0 {
				w.errorf("block %d: %s came, said to come are %s", b, got, a.may[b])
			}
			if missing := a.must[b] &^ got; missing != 0 {
				w.errorf("block %d: %s came, but %s had to", b, got, a.must[b])
			}
		}
	}
	w.at = map[int]lane.Mask{}
}

func (w *witness) errorf(format string, args ...any) {
	if w.bad++; w.bad < 4 {
		w.t.Errorf(format, args...)
		if w.bad == 1 {
			w.t.Log(w.src)
		}
	}
}

func (w *witness) At(imm uint64, frame []byte) []ir.Note {
	i := int(imm)
	at := func(r ir.Ref, l int) uint64 {
		v := w.f.Val(r)
		switch v.Type {
		case ir.B1:
			return binary.LittleEndian.Uint64(frame[v.Off:]) >> l & 1
		case ir.B32:
			return uint64(binary.LittleEndian.Uint32(frame[v.Off+4*uint32(l):]))
		case ir.B64:
			return binary.LittleEndian.Uint64(frame[v.Off+8*uint32(l):])
		}
		return 0
	}
	hv := w.f.Val(w.here)
	if n := binary.LittleEndian.Uint32(frame[w.f.Val(w.f.ByName("%warpid")).Off:]); n != w.wave {
		binary.LittleEndian.PutUint64(frame[hv.Off:], 0)
		return nil // another wave
	}
	lanes := lane.Mask(binary.LittleEndian.Uint64(frame[hv.Off:]))
	binary.LittleEndian.PutUint64(frame[hv.Off:], 0)
	lanes &= w.live // engines also write lanes that have exited
	if lanes == 0 {
		w.t.Fatal("nobody is here")
	}
	in := &w.f.Code[i]
	if w.seen != nil {
		w.seen[i] = true
		return nil
	}
	if in.Op == ir.Exit {
		for l := range lanes.Lanes() {
			if in.Guard == 0 || (at(in.Guard, l) != 0) != in.GuardNot {
				w.live &^= lane.Lane(l)
			}
		}
	}
	if w.same && in.First {
		for _, r := range append(slices.Clone(in.Args[:]), in.Guard) {
			s, ok := w.shapes[shapeKey{in.Pos, w.f.Val(r).Name, false}]
			if r == 0 || !ok || w.f.Val(r).Scalar {
				continue
			}
			m := maskOf(w.f.Val(r).Type)
			base := (at(r, lanes.First()) - uint64(lanes.First())*uint64(s.Stride)) & m
			if s.Known && base != s.Base {
				w.errorf("%s (line %d): %s of lane 0 is %#x, said to be %#x", w.f.Pos[in.Pos].Text, w.f.Pos[in.Pos].Line, s.Register, base, s.Base)
			}
			for l := range lanes.Lanes() {
				if x := (base + uint64(l)*uint64(s.Stride)) & m; at(r, l) != x {
					w.errorf("%s (line %d): %s of lane %d is %#x, said to be %#x, with steps of %d", w.f.Pos[in.Pos].Text, w.f.Pos[in.Pos].Line, s.Register, l, at(r, l), x, s.Stride)
					break
				}
			}
			w.claim[shapesChecked]++
		}
	}
	for _, a := range w.a {
		w.at[int(a.s.block[i])] |= lanes
		for k := range opCount {
			var r ir.Ref
			switch {
			case k < 4:
				r = in.Args[k]
			case k == opGuard:
				r = in.Guard
			case in.Guard != 0:
				r = in.Dst
			}
			if r == 0 || w.f.Val(r).Kind != ir.Guest || w.f.Val(r).Scalar {
				continue
			}
			v := a.operand(i, k)
			w.claim[v.kind]++
			m := maskOf(w.f.Val(r).Type)
			first := lanes.First()
			switch v.kind {
			case bottom:
				w.errorf("%s: operand %d is said never to be there", w.f.Pos[in.Pos].Text, k)
			case known:
				for l := range lanes.Lanes() {
					if at(r, l) != v.at(l) {
						w.errorf("%s (line %d): operand %d of lane %d is %#x, said to be %#x", w.f.Pos[in.Pos].Text, w.f.Pos[in.Pos].Line, k, l, at(r, l), v.at(l))
						break
					}
				}
			case shared:
				if !w.same {
					continue
				}
				u := (at(r, first) - v.at(first)) & m
				if w.f.Val(r).Type == ir.B1 {
					u = at(r, first)
				}
				if bits.TrailingZeros64(u) < int(v.align) {
					w.errorf("%s (line %d): operand %d of lane %d is %#x: no multiple of 1<<%d and %#x", w.f.Pos[in.Pos].Text, w.f.Pos[in.Pos].Line, k, first, at(r, first), v.align, v.at(first))
				}
				for l := range lanes.Lanes() {
					x := (at(r, l) - v.at(l)) & m
					if w.f.Val(r).Type == ir.B1 {
						x = at(r, l)
					}
					if x != u {
						w.errorf("%s (line %d): operand %d of lanes %d and %d differ by %#x from what is said", w.f.Pos[in.Pos].Text, w.f.Pos[in.Pos].Line, k, first, l, x-u)
						break
					}
				}
			}
		}
	}
	return nil
}

func (w *witness) Describe(ir.Note) ir.NoteText { return ir.NoteText{} }

// spied returns a function with an Observe before every instruction.
func spied(f *ir.Func, here ir.Ref, one ir.Ref) *ir.Func {
	g := *f
	g.Code, g.Blocks = nil, nil
	for _, b := range f.Blocks {
		start := len(g.Code)
		for i := b.Start; i < b.End; i++ {
			g.Code = append(g.Code,
				ir.Inst{Op: ir.MovB1, Dst: here, Args: [4]ir.Ref{one}, Pos: f.Code[i].Pos},
				ir.Inst{Op: ir.Observe, Scalar: true, Imm: uint64(i), Pos: f.Code[i].Pos}, f.Code[i])
		}
		g.Blocks = append(g.Blocks, ir.Block{Start: start, End: len(g.Code)})
	}
	return &g
}

// sound runs a random kernel and compares all claims of the analysis with the run.
func sound(t *testing.T, seed uint64, claim map[kind]int) {
	text, block := kernel(seed, false)
	m, errs := ptx.Parse("k.ptx", text)
	if err := errs.Err(); err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	k, err := ptx.Lift(m, "k")
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	f := k.Func
	f.Converge()
	f.Values = append(f.Values, ir.Value{Type: ir.B1, Kind: ir.Const, Const: 1, Off: f.FrameSize})
	f.FrameSize += 64
	one := ir.Ref(len(f.Values) - 1)
	here := f.ByName("%here")
	g := newGraph(f)
	s := newSSA(g)
	list := worlds(f)
	spy := spied(f, here, one)
	for _, order := range []sim.Schedule{{}, {Random: true, Seed: seed}, {Reversed: true}} {
		total := block[0] * block[1] * block[2]
		for wave := uint32(0); wave*32 < total; wave++ {
			wt := &witness{t: t, src: fmt.Sprintf("seed %d, block %v, wave %d, %+v\n%s", seed, block, wave, order, text), f: f, here: here, wave: wave, live: lane.All(int(min(total-wave*32, 32))), same: order == sim.Schedule{}, claim: claim, at: map[int]lane.Mask{}}
			for _, w := range list {
				full := (wave+1)*32 <= total
				if w.single && int(wave) != w.wave || !w.partial && !full || w.assumed && (block[1] > 1 || block[0]%32 != 0) {
					continue
				}
				wt.a = append(wt.a, analyse(context.Background(), g, s, w, evaluators{}, nil))
			}
			if len(wt.a) == 0 {
				continue
			}
			wt.shapes = map[shapeKey]Shape{}
			for _, x := range Check(context.Background(), f, Options{Shapes: true}).Shapes {
				if (wave+1)*32 <= total && (!x.Rows || block[1] == 1 && block[2] == 1 && block[0]%32 == 0) {
					wt.shapes[shapeKey{x.Pos, x.Register, x.Written}] = x
				}
			}
			spy.NewObserver = func() ir.Observer { return wt }
			prog, err := interp.Engine{}.Compile(spy)
			if err != nil {
				t.Fatal(err)
			}
			param := make([]byte, 16)
			param[0] = byte(seed % 41)
			_, _, err = sim.Run(context.Background(), &sim.Launch{Func: spy, Program: prog, Grid: [3]uint32{1, 1, 1}, Block: block, Memory: sim.NewMemory(), Param: param, Workers: 1, Schedule: order, Limits: sim.Limits{Timeout: 20 * time.Second}})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			wt.finish()
		}
	}
}

// TestErrorsShow: if a run reaches an instruction with a certain error, the run reports it too, unless
// it does not end.
func TestErrorsShow(t *testing.T) {
	t.Parallel()
	n := short.Of(700, 100)
	if *long {
		n = 50000
	}
	shown, errors := 0, 0
	for seed := range uint64(n) {
		text, block := kernel(seed, true)
		if block[0]*block[1]*block[2]%32 != 0 {
			continue
		}
		m, errs := ptx.Parse("k.ptx", text)
		if err := errs.Err(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		k, err := ptx.Lift(m, "k")
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		f := k.Func
		f.Converge()
		claims := Check(context.Background(), f, Options{}).Findings
		if claims.Err() == nil {
			continue
		}
		f.Values = append(f.Values, ir.Value{Type: ir.B1, Kind: ir.Const, Const: 1, Off: f.FrameSize})
		f.FrameSize += 64
		spy := spied(f, f.ByName("%here"), ir.Ref(len(f.Values)-1))
		for wave := range block[0] * block[1] * block[2] / 32 {
			claims := slices.DeleteFunc(slices.Clone(claims), func(d *diag.Diagnostic) bool { return claimedOf(d) != wave })
			if claims.Err() == nil {
				continue
			}
			for _, order := range []sim.Schedule{{}, {Random: true, Seed: seed}, {Reversed: true}} {
				seen := map[int]bool{}
				spy.NewObserver = func() ir.Observer {
					return &witness{t: t, f: f, here: f.ByName("%here"), live: lane.All(32), wave: wave, seen: seen}
				}
				prog, err := interp.Engine{}.Compile(spy)
				if err != nil {
					t.Fatal(err)
				}
				param := make([]byte, 16)
				param[0] = byte(seed % 41)
				_, found, err := sim.Run(context.Background(), &sim.Launch{Func: spy, Program: prog, Grid: [3]uint32{1, 1, 1}, Block: block, Memory: sim.NewMemory(), Param: param, Workers: 1, Schedule: order, Limits: sim.Limits{Timeout: 20 * time.Second}})
				if err != nil {
					continue // a deadlock
				}
				for _, d := range claims {
					if d.Severity != diag.Error || d.Code != codeUndefinedSource && d.Code != codeNotInMembermask {
						continue
					}
					got := false
					for i := range seen {
						got = got || f.Code[i].Op.Meets() && f.Pos[f.Code[i].Pos].Line == d.Pos.Line
					}
					if !got {
						continue
					}
					errors++
					if slices.ContainsFunc(found, func(x *diag.Diagnostic) bool { return x.Code == d.Code && x.Pos.Line == d.Pos.Line }) {
						shown++
						continue
					}
					t.Fatalf("seed %d, %+v: a run does not show %v (lanes %s)\n%v\n%s", seed, order, d, d.Lanes, found, text)
				}
			}
		}
	}
	t.Logf("%d errors shown", shown)
	if shown < short.Of(100, 10) {
		t.Errorf("%d errors only", shown)
	}
}

// claimedOf returns the wave that a finding is about; 0 if it is about all waves.
func claimedOf(d *diag.Diagnostic) uint32 {
	_, after, _ := strings.Cut(d.Message, ", in warp ")
	after, _, _ = strings.Cut(after, ",")
	n, _ := strconv.Atoi(after)
	return uint32(n)
}

// TestSound: every claim about a value or a lane holds when the kernel runs.
func TestSound(t *testing.T) {
	t.Parallel()
	n := short.Of(150, 40)
	if *long {
		n = 5000
	}
	claim := map[kind]int{}
	for seed := range n {
		if sound(t, uint64(seed), claim); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("known %d, shared %d, top %d", claim[known], claim[shared], claim[top])
	if claim[shapesChecked] < n {
		t.Errorf("%d shapes of registers were met", claim[shapesChecked])
	}
	if all := claim[known] + claim[shared] + claim[top]; claim[known]*10 < all || claim[shared]*10 < all {
		t.Errorf("little is said: known %d, shared %d, of %d", claim[known], claim[shared], all)
	}
}
