package enginetest

import (
	"encoding/binary"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// kern is a small assembler for test kernels of 32 lanes.
type kern struct {
	*ir.Builder
	t    *testing.T
	line int
	tid  ir.Ref // B32, thread id
	out  ir.Ref // B64, address of the output buffer (LaunchValue 0)
}

// newKern returns a kernel that has its thread id and the address of its output.
func newKern(t *testing.T) *kern {
	b := ir.NewBuilder(t.Name(), 32)
	k := &kern{Builder: b, t: t}
	// Offset 0 is not used, because a guard must not be there.
	k.tid = b.Vector("tid", ir.B32)
	k.out = b.Scalar("out", ir.B64)
	b.Input(ir.ThreadIDX, k.tid, 0)
	b.Input(ir.LaunchValue, k.out, 0)
	b.Func().MeetAnywhere = true
	return k
}

// ins starts a guest instruction with a name.
func (k *kern) ins(name string) {
	k.line++
	k.At(ir.Pos{Line: k.line, Text: name, Name: name})
}

func (k *kern) reg(t ir.Type) ir.Ref { return k.Vector("r", t) }
func (k *kern) c(v uint32) ir.Ref    { return k.Const(ir.B32, uint64(v)) }

// do emits a guest instruction of one operation and returns its result, a new register.
func (k *kern) do(op ir.Op, a ...ir.Ref) ir.Ref {
	k.ins(op.String())
	d := k.reg(ir.Ops[op].Res)
	k.To(d, op, a...)
	return d
}

// store writes a B32 value to out[tid*stride+slot].
func (k *kern) store(v ir.Ref, stride, slot uint32, guard ir.Ref) {
	k.ins("st")
	idx := k.T(ir.Mul32, k.tid, k.c(4*stride))
	addr := k.T(ir.Add64, k.T(ir.Pack64, idx, k.c(0)), k.out)
	k.Guard(guard, false)
	k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{addr, v}, Size: 4, Align: 4, Space: ir.Global, Imm: uint64(4 * slot)})
	k.Guard(0, false)
}

// branch emits a branch to l, taken by the lanes in which p holds (or does not hold, if not is set).
func (k *kern) branch(l ir.Label, p ir.Ref, not bool) {
	k.ins("bra")
	k.Guard(p, not)
	k.Bra(l)
	k.Guard(0, false)
}

// exit ends the lanes in which p holds; all lanes if p is 0.
func (k *kern) exit(p ir.Ref) {
	k.ins("exit")
	k.Guard(p, false)
	k.Emit(ir.Inst{Op: ir.Exit})
	k.Guard(0, false)
}

// finish returns the finished function; an invalid function fails the test.
func (k *kern) finish() *ir.Func {
	k.t.Helper()
	f, err := k.Finish()
	if err != nil {
		k.t.Fatal(err)
	}
	return f
}

// run launches the kernel with n words of output and returns them.
func (k *kern) run(e sim.Engine, grid, block uint32, n int, edit func(*sim.Launch)) (out []uint32, found []string, err error) {
	k.t.Helper()
	mem := sim.NewMemory()
	a := mem.Add("out", make([]byte, 4*n))
	found, _, err = launch(k.t, e, k.finish(), grid, block, mem, func(l *sim.Launch) {
		l.Values = []uint64{a.Base}
		if edit != nil {
			edit(l)
		}
	})
	out = make([]uint32, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(a.Data[4*i:])
	}
	return out, found, err
}

// expect compares the output of a kernel, word by word, with the expected words. It reports the first
// difference.
func expect(t *testing.T, what string, got []uint32, want func(i int) uint32) {
	t.Helper()
	for i, g := range got {
		if w := want(i); g != w {
			t.Errorf("%s: word %d is %#x, want %#x", what, i, g, w)
			return
		}
	}
}
