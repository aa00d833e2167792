package jit_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/engine/jit"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// bitwise builds a kernel of random bitwise operations on few registers, some under a guard,
// that stores all registers.
func bitwise(t *testing.T, r *rand.Rand) *ir.Func {
	k := ir.NewBuilder("bitwise", 32)
	k.Func().MeetAnywhere = true
	line := 0
	ins := func() {
		line++
		k.At(ir.Pos{Line: line, Text: "op", Name: "op"})
		k.Guard(0, false)
	}
	tid, in, out := k.Vector("tid", ir.B32), k.Scalar("in", ir.B64), k.Scalar("out", ir.B64)
	k.Input(ir.ThreadIDX, tid, 0)
	k.Input(ir.LaunchValue, in, 0)
	k.Input(ir.LaunchValue, out, 1)
	at := func(base ir.Ref) ir.Ref {
		off := k.T(ir.Mul32, tid, k.Const(ir.B32, 4))
		return k.T(ir.Add64, k.T(ir.Pack64, off, k.Const(ir.B32, 0)), k.Splat(base))
	}
	var regs [7]ir.Ref
	for i := range regs {
		ins()
		regs[i] = k.Vector("r", ir.B32)
		k.Emit(ir.Inst{Op: ir.Load, Dst: regs[i], Args: [4]ir.Ref{at(in)}, Size: 4, Align: 4, Space: ir.Global, Imm: uint64(i) * 128})
	}
	p := k.Vector("p", ir.B1)
	ins()
	k.To(p, ir.LtU32, regs[0], regs[1])
	list := []ir.Op{ir.And32, ir.Or32, ir.Xor32, ir.Xor32, ir.Not32, ir.AndN32, ir.OrN32, ir.Nor32, ir.Xnor32, ir.Lop3, ir.VBfiB32, ir.Mov32, ir.Add32}
	ref := func() ir.Ref {
		if r.IntN(12) == 0 {
			return k.Const(ir.B32, uint64(r.Uint32()))
		}
		return regs[r.IntN(len(regs))]
	}
	for range 20 + r.IntN(60) {
		ins()
		if r.IntN(8) == 0 {
			k.Guard(p, r.IntN(2) == 0)
		}
		value := func() ir.Ref {
			op := list[r.IntN(len(list))]
			var a []ir.Ref
			for range ir.Ops[op].Args {
				a = append(a, ref())
			}
			if op == ir.Lop3 {
				a[3] = k.Const(ir.B32, uint64(r.IntN(256)))
			}
			return k.T(op, a...)
		}
		v := value()
		if r.IntN(2) == 0 {
			v = k.T(ir.Xor32, v, value())
		}
		k.Move(regs[r.IntN(len(regs))], v)
	}
	for i := range regs {
		ins()
		k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{at(out), regs[i]}, Size: 4, Align: 4, Space: ir.Global, Imm: uint64(i) * 128})
	}
	ins()
	k.Emit(ir.Inst{Op: ir.Exit})
	f, err := k.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestBitwise compares bitwise operations, which are fused, with the interpreter.
func TestBitwise(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about values, and long")
	}
	run := func(e sim.Engine, f ir.Func, in []byte) []byte {
		p, err := e.Compile(&f)
		if err != nil {
			t.Fatal(err)
		}
		mem := sim.NewMemory()
		from, to := mem.Add("in", in), mem.Add("out", make([]byte, len(in)))
		one := [3]uint32{1, 1, 1}
		_, list, err := sim.Run(context.Background(), &sim.Launch{Func: &f, Program: p, Grid: one, Block: [3]uint32{29, 1, 1}, Memory: mem, Values: []uint64{from.Base, to.Base}, Workers: 1})
		if err == nil {
			err = list.Err()
		}
		if err != nil {
			t.Fatal(err)
		}
		return to.Data
	}
	engines(t, func(t *testing.T, e *jit.Engine) {
		r := rand.New(rand.NewPCG(3, 5))
		for n := range 200 {
			f := bitwise(t, r)
			in := make([]byte, 7*128)
			for i := 0; i < len(in); i += 4 {
				binary.LittleEndian.PutUint32(in[i:], r.Uint32())
			}
			want, got := run(interp.Engine{Portable: true}, *f, in), run(e, *f, in)
			if !bytes.Equal(want, got) {
				t.Fatalf("program %d: want % x\ngot % x", n, want, got)
			}
		}
	})
}
