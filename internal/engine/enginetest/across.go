package enginetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// Across compares an engine with a reference on operations across lanes, in random kernels of
// several of them. The controls are constants, uniform, or different in each lane. The
// operations run in all lanes, in the lanes of the membermask, or in fewer.
type Across struct {
	Engine, Reference sim.Engine
	Lanes             int // lanes of a wave: 32 or 64
	Rounds            int
	Seed              uint64
}

// Test runs the comparison.
func (a Across) Test(t *testing.T) {
	for i := range a.Rounds {
		seed := a.Seed + uint64(i)
		f, block := a.kernel(t, seed)
		want, got := a.run(t, a.Reference, f, block), a.run(t, a.Engine, f, block)
		if reflect.DeepEqual(want, got) {
			continue
		}
		t.Errorf("seed %d, blocks of %d: %s", seed, block, want.differs(got))
		for _, in := range f.Code {
			if in.First {
				t.Log(f.Pos[in.Pos].Name)
			}
		}
		return
	}
}

// acrossWords is the number of words of output of a lane.
const acrossWords = 40

// acrossResult is the part of a run that is compared.
type acrossResult struct {
	out   []byte
	found []string
	err   string
	waves uint64
	lanes uint64
}

// differs returns a text that describes how b differs from a, the expected result.
func (a *acrossResult) differs(b *acrossResult) string {
	if a.err != b.err || !slices.Equal(a.found, b.found) || a.waves != b.waves || a.lanes != b.lanes {
		return fmt.Sprintf("error %q, findings %q, %d instructions of waves, %d of lanes;\nwant %q, %q, %d, %d", b.err, b.found, b.waves, b.lanes, a.err, a.found, a.waves, a.lanes)
	}
	n, s := 0, ""
	for i := 0; i < len(a.out); i += 4 {
		if x, y := elem(a.out, ir.B32, i/4), elem(b.out, ir.B32, i/4); x != y {
			if n++; n <= 4 {
				s += fmt.Sprintf("lane %d, result %d: %#x, want %#x\n", i/4/acrossWords, i/4%acrossWords, y, x)
			}
		}
	}
	return fmt.Sprintf("%d words differ\n%s", n, s)
}

// run executes a kernel on an engine, with one block, and returns its output, findings and counts.
func (a Across) run(t *testing.T, e sim.Engine, fn *ir.Func, block uint32) *acrossResult {
	t.Helper()
	f := *fn
	p, err := e.Compile(&f)
	if err != nil {
		t.Fatal(err)
	}
	mem := sim.NewMemory()
	out := mem.Add("out", make([]byte, 4*acrossWords*128))
	st, list, err := sim.Run(context.Background(), &sim.Launch{Func: &f, Program: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{block, 1, 1},
		Memory: mem, Values: []uint64{out.Base}, Workers: 1, Limits: sim.Limits{Timeout: 20 * time.Second}})
	r := &acrossResult{out: out.Data, waves: st.WaveInstructions, lanes: st.LaneInstructions}
	if err != nil {
		r.err = err.Error()
	}
	for _, d := range list {
		r.found = append(r.found, d.Code+" "+d.Lanes+" "+d.Message)
	}
	return r
}

// across builds one kernel.
type across struct {
	*ir.Builder
	r        *rand.Rand
	tid, out ir.Ref
	exec     ir.Ref
	words    uint32
	line     int
	vals     []ir.Ref // each of 32 bits
	preds    []ir.Ref
	uniform  []ir.Ref
	scalars  []ir.Ref
	lanes    int
	members  uint32 // the lanes that are here, if they are the same in all waves
	mask     ir.Ref // their set as a register
	all      bool   // EXEC is not changed
}

// kernel builds the random kernel of a seed and returns it with its block size. It begins with random
// values per lane, then mixes cross-lane operations with changes of the lanes that are present, and
// stores each result.
func (a Across) kernel(t *testing.T, seed uint64) (*ir.Func, uint32) {
	r := rand.New(rand.NewPCG(seed, uint64(a.Lanes)))
	k := &across{Builder: ir.NewBuilder("across", a.Lanes), r: r, lanes: a.Lanes, members: 1<<32 - 1}
	if a.Lanes == 64 {
		off := k.Reserve(8)
		bits := k.View("exec", ir.B64, true, off)
		k.exec = k.View("exec", ir.B1, false, off)
		k.Input(ir.ActiveMask0, bits, 0)
		k.Func().Exec = k.exec
		k.all = r.IntN(2) == 0
	}
	k.Func().MeetAnywhere = r.IntN(4) > 0
	k.tid, k.out = k.Vector("tid", ir.B32), k.Scalar("out", ir.B64)
	k.Input(ir.ThreadIDX, k.tid, 0)
	k.Input(ir.LaunchValue, k.out, 0)
	// Values of many kinds: random, from a few different ones, in equal steps, uniform.
	c := func(v uint64) ir.Ref { return k.Const(ir.B32, v) }
	k.set(ir.Xor32, k.do(ir.Mul32, k.tid, c(0x9e3779b1)), c(r.Uint64()&0xffffffff))
	k.set(ir.ShrU32, k.vals[0], c(7))
	k.set(ir.And32, k.vals[1], c(3))
	k.set(ir.And32, k.vals[1], c(0xff8fffff)) // floats, some of them NaNs
	k.set(ir.Or32, k.vals[3], c(uint64(r.IntN(2))*0x7f800000))
	k.set(ir.Add32, k.tid, c(5))
	k.vals = append(k.vals, c(7))
	low := k.Scalar("low", ir.B32)
	k.ins("low")
	k.scalarTo(low, ir.Lo32, k.out)
	k.scalars = []ir.Ref{low, k.SConst(ir.B32, r.Uint64()&0xff)}
	spread := k.Vector("u", ir.B32)
	k.ins("splat")
	k.Guard(k.exec, false)
	k.Emit(ir.Inst{Op: ir.Splat, Dst: spread, Args: [4]ir.Ref{low}})
	k.uniform = []ir.Ref{spread, c(r.Uint64() & 31), c(0x1f)}
	k.vals = append(k.vals, spread)
	of := k.Scalar("of", ir.B32)
	k.ins("of")
	k.scalarTo(of, ir.Xor32, low, k.SConst(ir.B32, r.Uint64()&0xffffffff))
	for _, n := range []struct {
		t      ir.Type
		narrow ir.Op
		widen  ir.Op
	}{{ir.B16, ir.Lo16, ir.CvtU32FromU16}, {ir.B8, ir.Lo8, ir.CvtU32FromU8}} {
		small, all := k.Scalar("small", n.t), k.Vector("all", n.t)
		k.ins("narrow")
		k.scalarTo(small, n.narrow, of)
		k.ins("splat")
		k.Guard(k.exec, false)
		k.Emit(ir.Inst{Op: ir.Splat, Dst: all, Args: [4]ir.Ref{small}})
		k.set(n.widen, all)
		of = small
	}
	for _, v := range []uint64{1, 2, 1 << 31} {
		p := k.Vector("p", ir.B1)
		k.ins("setp")
		k.Guard(k.exec, false)
		k.To(p, ir.NeU32, k.T(ir.And32, k.vals[0], c(v)), c(0))
		k.preds = append(k.preds, p)
	}
	block := uint32([]int{a.Lanes, 2 * a.Lanes, a.Lanes + 9}[r.IntN(3)])
	end := k.NewLabel()
	some := a.Lanes == 32 && r.IntN(3) == 0
	if some { // only some lanes go on
		k.members = []uint32{0xffff, 0xff, 0xffff0000, 0x0f0f0f0f, r.Uint32() | 1}[r.IntN(5)]
		k.ins("here")
		here := k.Vector("here", ir.B1)
		k.To(here, ir.NeU32, k.T(ir.And32, k.T(ir.ShrU32, c(uint64(k.members)), k.T(ir.And32, k.tid, c(31))), c(1)), c(0))
		k.ins("bra")
		k.Guard(here, true)
		k.Bra(end)
		k.Guard(0, false)
	}
	if a.Lanes == 32 {
		k.mask = k.Vector("mask", ir.B32)
		k.ins("activemask")
		k.Emit(ir.Inst{Op: ir.ActiveMask, Dst: k.mask})
	}
	for range 3 + r.IntN(8) {
		if a.Lanes == 32 {
			k.warp()
		} else {
			k.wavefront()
		}
	}
	k.Bind(end)
	if some {
		k.store(k.vals[0])
	}
	k.ins("exit")
	k.Guard(0, false)
	if a.Lanes == 32 {
		k.Emit(ir.Inst{Op: ir.Exit})
	} else {
		k.Emit(ir.Inst{Op: ir.EndWave})
	}
	f, err := k.Finish()
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return f, block
}

// ins starts a guest instruction without a guard.
func (k *across) ins(name string) {
	k.line++
	k.At(ir.Pos{Line: k.line, Text: name, Name: name})
	k.Guard(0, false)
}

func (k *across) scalarTo(d ir.Ref, op ir.Op, a ...ir.Ref) { k.To(d, op, a...) }

// do emits an operation under EXEC and returns its result, a new register.
func (k *across) do(op ir.Op, a ...ir.Ref) ir.Ref {
	d := k.Vector("v", ir.Ops[op].Res)
	k.ins(op.String())
	k.Guard(k.exec, false)
	k.To(d, op, a...)
	return d
}

// set emits an operation and keeps its result as an operand for later operations.
func (k *across) set(op ir.Op, a ...ir.Ref) { k.vals = append(k.vals, k.do(op, a...)) }

// store stores a value of the lanes that are here.
func (k *across) store(v ir.Ref) {
	if k.words == acrossWords {
		return
	}
	k.ins("st")
	k.Guard(k.exec, false)
	if k.Func().Val(v).Scalar {
		v = k.Splat(v)
	}
	if k.Func().Val(v).Type == ir.B1 {
		v = k.T(ir.Sel32, v, k.Const(ir.B32, 1), k.Const(ir.B32, 0))
	}
	idx := k.T(ir.Mul32, k.tid, k.Const(ir.B32, 4*acrossWords))
	addr := k.T(ir.Add64, k.T(ir.Pack64, idx, k.Const(ir.B32, 0)), k.Splat(k.out))
	k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{addr, v}, Size: 4, Align: 4, Space: ir.Global, Imm: uint64(4 * k.words)})
	k.words++
}

// pickOf returns a random element of a list.
func pickOf[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// control returns an operand that selects the lane to read, or the way to read.
func (k *across) control(constants ...uint64) ir.Ref {
	switch k.r.IntN(8) {
	case 0:
		return pickOf(k.r, k.vals)
	case 1:
		return pickOf(k.r, k.uniform)
	case 2:
		return k.sum()
	}
	return k.Const(ir.B32, pickOf(k.r, constants))
}

// sum returns a new register with a sum of floats, some of them NaNs. More operations write
// the register than read it, so it pays not to canonicalise its NaNs where they are made.
func (k *across) sum() ir.Ref {
	x, d := k.vals[3+k.r.IntN(2)], k.Vector("f", ir.B32)
	one := k.Const(ir.B32, uint64(k.r.IntN(2))*0x3f800000)
	for _, guard := range []ir.Ref{0, k.preds[0], k.preds[1], k.preds[0], k.preds[1]} {
		k.ins("add")
		if guard != 0 && k.exec != 0 {
			guard = k.T(ir.AndP, guard, k.exec)
		}
		k.Guard(guard, false)
		if guard == 0 {
			k.Guard(k.exec, false)
		}
		k.To(d, ir.AddF32, x, one)
	}
	return d
}

// warp emits an operation across the lanes of a warp.
func (k *across) warp() {
	r := k.r
	if r.IntN(4) == 0 { // floats, with NaNs that move, too
		x := pickOf(r, k.vals[3:])
		k.vals = append(k.vals, k.do(pickOf(r, []ir.Op{ir.AddF32, ir.MulF32}), x, pickOf(r, append(k.vals[3:5:5], k.vals[len(k.vals)-1]))))
		if r.IntN(4) == 0 {
			k.store(k.vals[len(k.vals)-1])
		}
	}
	d, p := k.Vector("d", ir.B32), k.Vector("q", ir.B1)
	if r.IntN(4) == 0 {
		d = pickOf(r, k.vals[:5]) // sometimes a register that it reads
	} else if r.IntN(2) == 0 {
		k.ins("mov")
		k.Move(d, k.Const(ir.B32, 0xa5a5))
	}
	in := ir.Inst{Dst: d, Args: [4]ir.Ref{pickOf(r, k.vals)}}
	switch r.IntN(6) {
	case 0, 1, 2:
		in.Args[0] = k.vals[len(k.vals)-1]
	case 3:
		in.Args[0] = k.sum()
	}
	switch r.IntN(12) {
	case 0: // some lanes wait for ever, or membermasks differ
		in.Args[3] = pickOf(r, append(k.uniform, k.vals[2]))
		if r.IntN(3) > 0 {
			in.Args[3] = k.mask
		}
	case 1, 2:
		in.Args[3] = k.mask
	case 3:
		in.Args[3] = k.Const(ir.B32, 1<<32-1)
	default:
		in.Args[3] = k.Const(ir.B32, uint64(k.members))
	}
	switch r.IntN(10) {
	case 0, 1, 2, 3:
		in.Op = ir.ShflSync
		if r.IntN(4) == 0 {
			in.Op, in.Args[3] = ir.Shfl, 0
		}
		in.Imm = uint64(r.IntN(4))
		in.Args[1] = k.control(0, 1, 2, 3, 4, 8, 16, 31, uint64(r.IntN(32)))
		in.Args[2] = k.control(0x1f, 0, 0x1f, 0, 0x181f, 0x1800, 0x1c03, uint64(r.IntN(1<<13)))
		if r.IntN(2) == 0 {
			in.Dst2 = p
		}
	case 4, 5:
		in.Op, in.Imm = ir.VoteSync, uint64(r.IntN(4))
		in.Args[0] = pickOf(r, k.preds)
		if r.IntN(4) == 0 {
			in.Op, in.Args[3] = ir.Vote, 0
		}
		if ir.VoteMode(in.Imm) != ir.VoteBallot {
			in.Dst, in.Dst2 = 0, p
		}
	case 6:
		in.Op, in.Imm = ir.MatchSync, uint64(r.IntN(2))
		if r.IntN(2) == 0 {
			in.Args[0] = k.do(ir.CvtU64FromU32, in.Args[0])
		}
		if ir.MatchMode(in.Imm) == ir.MatchAll {
			in.Dst2 = p
		}
	case 7, 8:
		in.Op, in.Imm = ir.ReduxSync, uint64(r.IntN(10))
		if in.Imm >= uint64(ir.ReduxMinF32) {
			in.Imm |= uint64(r.IntN(4)) << 8
		}
	case 9:
		switch r.IntN(4) {
		case 3:
			in.Op, in.Args[3] = ir.Clock, 0
		case 0:
			in.Op, in.Dst2 = ir.ElectSync, p
		case 1:
			in.Op, in.Args[3] = ir.ActiveMask, 0
		default:
			in.Op, in.Dst = ir.WarpSync, 0
		}
		in.Args[0] = 0
	}
	k.ins(fmt.Sprint(in.Op, " ", in.Imm, " ", k.text(in.Args[1]), " ", k.text(in.Args[2]), " ", k.text(in.Args[3])))
	if r.IntN(8) == 0 {
		k.Guard(pickOf(r, k.preds), r.IntN(2) == 0)
		if in.Args[3] != 0 && r.IntN(4) > 0 { // the lanes that wait may go on
			k.Guard(0, false)
		}
	}
	k.Emit(in)
	k.Guard(0, false)
	if in.Dst2 != 0 {
		k.preds = append(k.preds, in.Dst2)
		if x := pickOf(r, k.vals[:6]); in.Dst != 0 && r.IntN(2) == 0 { // as in scans
			k.ins("of those")
			k.Guard(in.Dst2, r.IntN(4) == 0)
			k.To(x, pickOf(r, []ir.Op{ir.AddF32, ir.Add32}), in.Dst, x)
			k.Guard(0, false)
			k.store(x)
		}
		k.store(in.Dst2)
	}
	if in.Dst != 0 {
		k.vals = append(k.vals, in.Dst)
		k.store(in.Dst)
		if in.Op != ir.ShflSync && in.Op != ir.Shfl && in.Op != ir.MatchSync {
			// Mostly uniform.
			k.uniform = append(k.uniform, in.Dst)
		}
	}
}

// text returns the text of an operand for the name of an instruction.
func (k *across) text(r ir.Ref) string {
	if r == 0 {
		return "-"
	}
	v := k.Func().Val(r)
	if v.Kind == ir.Const {
		return fmt.Sprintf("%#x", v.Const)
	}
	return v.Name
}

// places returns byte addresses of lanes: in equal steps, multiples of four, or random.
func (k *across) places() ir.Ref {
	r := k.r
	c := func(v uint64) ir.Ref { return k.Const(ir.B32, v) }
	switch r.IntN(4) {
	case 0:
		return pickOf(r, k.vals)
	case 1:
		x := pickOf(r, k.vals[:5])
		at := k.do(ir.Shl32, x, c(uint64(1+r.IntN(3))))
		if r.IntN(3) == 0 { // the register changes after the address was computed
			k.ins("not")
			k.Guard(k.exec, false)
			k.To(x, ir.Not32, x)
		}
		return at
	case 2:
		return k.do(ir.Add32, k.do(ir.Mul32, k.tid, c(4)), pickOf(r, k.uniform))
	}
	return k.do(ir.Add32, k.do(ir.Mul32, k.tid, c(4*uint64(r.Uint32()>>16))), pickOf(r, k.uniform))
}

// wavefront emits an operation across the lanes of a wavefront.
func (k *across) wavefront() {
	r := k.r
	if !k.all && r.IntN(3) == 0 { // with another EXEC
		m := pickOf(r, k.preds)
		k.ins("exec")
		if r.IntN(2) == 0 {
			k.To(k.exec, ir.MovB1, m)
		} else {
			k.To(k.exec, ir.OrP, k.exec, m)
		}
	}
	d := k.Vector("d", ir.B32)
	if r.IntN(4) == 0 {
		d = pickOf(r, k.vals[:5])
	} else if r.IntN(2) == 0 {
		k.ins("mov")
		k.Guard(k.exec, false)
		k.Move(d, k.Const(ir.B32, 0xa5a5))
	}
	src := pickOf(r, k.vals)
	if r.IntN(4) == 0 {
		src = k.sum()
	}
	lane1 := pickOf(r, append(k.scalars, k.SConst(ir.B32, r.Uint64()&63)))
	switch r.IntN(8) {
	case 7:
		k.ins("clock")
		k.Guard(k.exec, false)
		k.Emit(ir.Inst{Op: ir.Clock, Dst: d})
	case 0, 1:
		ctrl := lane.DPPCtrl(r.IntN(512))
		for !ctrl.Valid() {
			ctrl = lane.DPPCtrl(r.IntN(512))
		}
		rows, banks := uint8(15), uint8(15)
		if r.IntN(2) == 0 {
			rows, banks = uint8(r.IntN(16)), uint8(r.IntN(16))
		}
		imm := ir.DPPImm(uint16(ctrl), rows, banks, r.IntN(2) == 0)
		k.ins(fmt.Sprint("dpp ", ctrl))
		t, m := k.Temp(ir.B32), k.Temp(ir.B1)
		k.Emit(ir.Inst{Op: ir.DPPRead, Dst: t, Args: [4]ir.Ref{src, k.exec}, Imm: imm})
		k.Emit(ir.Inst{Op: ir.DPPMask, Dst: m, Args: [4]ir.Ref{k.exec}, Imm: imm})
		k.Guard(m, false)
		switch op := pickOf(r, []ir.Op{ir.Mov32, ir.Mov32, ir.Add32, ir.Sub32, ir.Or32, ir.Xor32, ir.MaxU32, ir.AddF32, ir.MinS32, ir.Add64}); {
		case op == ir.Mov32:
			k.Move(d, t)
		case op == ir.Add64: // other widths
			k.To(d, ir.Lo32, k.T(op, k.T(ir.Pack64, d, t), k.T(ir.Pack64, t, d)))
		case r.IntN(2) == 0:
			k.To(d, op, pickOf(r, []ir.Ref{d, d, src}), t)
		default:
			k.To(d, op, t, pickOf(r, []ir.Ref{d, d, src}))
		}
	case 2:
		k.ins("swizzle")
		k.Guard(k.exec, false)
		k.Emit(ir.Inst{Op: ir.DSSwizzle, Dst: d, Args: [4]ir.Ref{src}, Imm: r.Uint64() & 0xffff})
	case 3:
		src = pickOf(r, k.vals[:5])
		at := k.places()
		k.ins("bpermute")
		k.Guard(k.exec, false)
		imm := r.Uint64() & 0xffff * (r.Uint64() & 1)
		k.Emit(ir.Inst{Op: ir.DSBpermute, Dst: d, Args: [4]ir.Ref{at, src}, Imm: imm})
		for range r.IntN(3) { // again, perhaps on another source
			done := d
			defer func() { k.store(done) }()
			d = k.Vector("d", ir.B32)
			if r.IntN(2) == 0 {
				k.ins("not")
				k.Guard(k.exec, false)
				k.To(src, ir.Not32, src)
			}
			k.ins("bpermute again")
			k.Guard(k.exec, false)
			k.Emit(ir.Inst{Op: ir.DSBpermute, Dst: d, Args: [4]ir.Ref{at, src}, Imm: imm})
		}
	case 4:
		at := k.places()
		k.ins("permute")
		k.Guard(k.exec, false)
		k.Emit(ir.Inst{Op: ir.DSPermute, Dst: d, Args: [4]ir.Ref{at, src}, Imm: r.Uint64() & 0xffff})
	case 5:
		s := k.Scalar("s", ir.B32)
		if r.IntN(2) == 0 {
			k.ins("readlane")
			k.Emit(ir.Inst{Op: ir.ReadLane, Scalar: true, Dst: s, Args: [4]ir.Ref{src, lane1}})
		} else {
			k.ins("readfirstlane")
			k.Emit(ir.Inst{Op: ir.ReadFirstLane, Scalar: true, Dst: s, Args: [4]ir.Ref{src, k.exec}, Imm: r.Uint64() & 1})
		}
		k.scalars = append(k.scalars, s)
		k.store(s)
		return
	default:
		k.ins("writelane")
		k.Emit(ir.Inst{Op: ir.WriteLane, Dst: d, Args: [4]ir.Ref{pickOf(r, k.scalars), lane1}})
	}
	k.vals = append(k.vals, d)
	k.store(d)
}
