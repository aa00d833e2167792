package jit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// inPlaceBytes is the shared memory of these kernels.
const inPlaceBytes = 2048

// inPlaceKernel is a kernel in which operations, each twice in a loop, overwrite one of their
// arguments, and read the other arguments from memory without a check. A value that is loaded
// and used once is a memory operand, which the machine instruction allows only in some
// positions.
type inPlaceKernel struct {
	*maker
	r    *rand.Rand
	at   map[ir.Type]ir.Ref // the address of each lane's elements
	regs map[ir.Type][]ir.Ref
	some ir.Ref // holds in some lanes
	n    int
	text string
}

var inPlaceTypes = []ir.Type{ir.B16, ir.B32, ir.B64}

// inPlaceOps lists these operations: one argument has the type of the result.
func inPlaceOps() (list []ir.Op) {
	for op := range ir.Op(ir.NumOps) {
		info := &ir.Ops[op]
		ok := info.Fn != nil && op.Pure() && (info.Res == ir.B16 || info.Res == ir.B32 || info.Res == ir.B64)
		same := false
		for _, t := range info.Args {
			same = same || t == info.Res
			ok = ok && t != ir.B8
		}
		if ok && same {
			list = append(list, op)
		}
	}
	return list
}

// load loads a register from shared memory: the lane's own element, or one for all lanes.
func (k *inPlaceKernel) load(d ir.Ref, t ir.Type) {
	size := uint64(t.Bytes())
	in := ir.Inst{Op: ir.Load, Dst: d, Size: uint8(size), Align: uint16(size), Space: ir.Shared}
	if k.r.IntN(4) == 0 {
		in.Args[0] = k.num(size * k.r.Uint64N(inPlaceBytes/size))
	} else {
		in.Args[0], in.Imm = k.at[t], size*k.r.Uint64N(inPlaceBytes/size-64)
	}
	k.ins()
	k.Emit(in)
}

// use emits an operation.
func (k *inPlaceKernel) use(op ir.Op) {
	info := &ir.Ops[op]
	pick := func(t ir.Type) ir.Ref { return k.regs[t][k.r.IntN(len(k.regs[t]))] }
	d := pick(info.Res)
	in := k.r.IntN(len(info.Args))
	for info.Args[in] != info.Res {
		in = k.r.IntN(len(info.Args))
	}
	args := make([]ir.Ref, len(info.Args))
	for i, t := range info.Args {
		switch c := k.r.IntN(8); {
		case t == ir.B1:
			args[i] = k.some
		case i == in && k.r.IntN(8) > 0 || t == info.Res && c == 7:
			args[i] = d
		case c < 4:
			k.n++
			args[i] = k.Vector(fmt.Sprint("t", k.n), t)
			k.load(args[i], t)
		case c == 4:
			args[i] = k.Const(t, enginetest.RandomValue(k.r, t))
		default:
			args[i] = pick(t)
		}
	}
	k.ins()
	if k.r.IntN(4) == 0 {
		k.Guard(k.some, k.r.IntN(2) == 0)
		k.text += "guarded "
	}
	k.To(d, op, args...)
	k.Guard(0, false)
	k.text += op.String() + " "
}

// inPlace builds the kernel of some operations. The results of each register take 512 bytes.
func inPlace(t *testing.T, seed uint64, ops []ir.Op) (*inPlaceKernel, uint32) {
	r := rand.New(rand.NewPCG(seed, 11))
	lanes := 32 << (seed % 2)
	k := &inPlaceKernel{maker: newMaker(t, "inplace", lanes), r: r, at: map[ir.Type]ir.Ref{}, regs: map[ir.Type][]ir.Ref{}}
	k.Func().SharedStatic = inPlaceBytes
	vals := k.values("out", "in")
	tid, i, p := k.vec("tid"), k.vec("i"), k.Vector("p", ir.B1)
	k.Input(ir.ThreadIDX, tid, 0)
	for _, t := range inPlaceTypes {
		k.at[t] = k.vec(fmt.Sprint("at", t))
		k.ins()
		k.To(k.at[t], ir.Mul32, tid, k.num(uint64(t.Bytes())))
	}
	for at := 0; at < inPlaceBytes; at += 4 * lanes {
		v := k.vec("fill")
		k.ins()
		k.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{k.place(vals[1], tid, 4)}, Size: 4, Align: 4, Space: ir.Global, Imm: uint64(at)})
		k.ins()
		k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{k.at[ir.B32], v}, Size: 4, Align: 4, Space: ir.Shared, Imm: uint64(at)})
	}
	for _, t := range inPlaceTypes {
		for n := range 2 + r.IntN(3) {
			v := k.Vector(fmt.Sprint("r", t, n), t)
			if r.IntN(5) == 0 {
				k.ins()
				k.Move(v, k.Const(t, enginetest.RandomValue(r, t)))
			} else {
				k.load(v, t)
			}
			k.regs[t] = append(k.regs[t], v)
		}
	}
	k.some = k.Vector("some", ir.B1)
	k.ins()
	k.To(k.some, ir.LtS32, k.regs[ir.B32][0], k.num(0x3f000000))
	top := k.NewLabel()
	k.Bind(top)
	for _, op := range ops {
		k.use(op)
	}
	k.next(i, k.num(2), p, top)
	out := uint64(0)
	for _, t := range inPlaceTypes {
		for _, v := range k.regs[t] {
			size := uint64(t.Bytes())
			k.ins()
			k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{k.place(vals[0], tid, size), v}, Size: uint8(size), Align: uint16(size), Space: ir.Global, Imm: out})
			out += 512
		}
	}
	return k, uint32(lanes)
}

// TestInPlace: every pure operation may overwrite an argument, and have other arguments in
// memory.
func TestInPlace(t *testing.T) {
	t.Parallel()
	all := inPlaceOps()
	rounds := 5
	if testing.Short() {
		rounds = 1
	}
	for round := range rounds {
		r := rand.New(rand.NewPCG(uint64(round), 12))
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for n := 0; n < len(all); n += 3 {
			seed := uint64(n/3*rounds + round)
			ops := all[n:min(n+3, len(all))]
			k, lanes := inPlace(t, seed, ops)
			f := k.finish()
			data := hardInput(r)[:inPlaceBytes]
			agree(t, fmt.Sprint("seed ", seed, ": ", k.text), func(e sim.Engine) string {
				g := *f
				mem := sim.NewMemory()
				o, in := mem.Add("out", make([]byte, 8192)), mem.Add("in", data)
				l := &sim.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{lanes, 1, 1}, Memory: mem, Values: []uint64{o.Base, in.Base}}
				return fmt.Sprintf("%s %x", ended(t, e, &g, l), o.Data)
			})
		}
	}
}
