package enginetest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// atomicRows tests atomics of all lanes on words at equal steps, or almost at equal steps,
// against lanes that act one after another.
func atomicRows(t *testing.T, e sim.Engine) {
	f32 := func(f func(a, b float32) float32) func(o, a, b uint64) uint64 {
		return func(o, a, _ uint64) uint64 {
			return uint64(math.Float32bits(f(math.Float32frombits(uint32(o)), math.Float32frombits(uint32(a)))))
		}
	}
	sign := func(v uint64, size int) int64 { return int64(v<<(64-8*size)) >> (64 - 8*size) }
	ops := []struct {
		name  string
		op    ir.AtomicOp
		sizes []int
		f     func(o, a, b uint64, size int) uint64
	}{
		{"add", ir.AtomAdd, []int{4, 8}, func(o, a, _ uint64, _ int) uint64 { return o + a }},
		{"sub", ir.AtomSub, []int{4, 8}, func(o, a, _ uint64, _ int) uint64 { return o - a }},
		{"min.u", ir.AtomMinU, []int{4, 8}, func(o, a, _ uint64, _ int) uint64 { return min(o, a) }},
		{"max.u", ir.AtomMaxU, []int{4, 8}, func(o, a, _ uint64, _ int) uint64 { return max(o, a) }},
		{"min.s", ir.AtomMinS, []int{4, 8}, func(o, a, _ uint64, n int) uint64 { return uint64(min(sign(o, n), sign(a, n))) }},
		{"max.s", ir.AtomMaxS, []int{4, 8}, func(o, a, _ uint64, n int) uint64 { return uint64(max(sign(o, n), sign(a, n))) }},
		{"and", ir.AtomAnd, []int{4, 8}, func(o, a, _ uint64, _ int) uint64 { return o & a }},
		{"or", ir.AtomOr, []int{4, 8}, func(o, a, _ uint64, _ int) uint64 { return o | a }},
		{"xor", ir.AtomXor, []int{4, 8}, func(o, a, _ uint64, _ int) uint64 { return o ^ a }},
		{"exch", ir.AtomExch, []int{2, 4, 8}, func(_, a, _ uint64, _ int) uint64 { return a }},
		{"cas", ir.AtomCAS, []int{2, 4, 8}, func(o, a, b uint64, _ int) uint64 {
			if o == a {
				return b
			}
			return o
		}},
		{"inc", ir.AtomInc, []int{4}, func(o, a, _ uint64, _ int) uint64 {
			if o >= a {
				return 0
			}
			return o + 1
		}},
		{"add.f32", ir.AtomAddF32, []int{4}, func(o, a, _ uint64, _ int) uint64 {
			return f32(func(x, y float32) float32 { return x + y })(o, a, 0)
		}},
		// Two halves of 0 or 1 each.
		{"add.f16x2", ir.AtomOf(ir.AddF16x2), []int{4}, func(o, a, _ uint64, _ int) uint64 {
			switch {
			case a == 0:
				return o
			case o == 0:
				return a
			}
			return 0x40004000 // 1 + 1
		}},
	}
	r := rand.New(rand.NewPCG(8, 8))
	cases := 0
	for _, op := range ops {
		for _, size := range op.sizes {
			for _, space := range []ir.Space{ir.Global, ir.Shared} {
				for _, step := range []int{0, 1, 3, -2} {
					for _, workers := range []int{1, 2} {
						lanes := 32 << r.IntN(2)
						name := fmt.Sprintf("%s of %d bytes in %s, %d lanes, step %d, %d workers", op.name, size, space, lanes, step, workers)
						if cases++; testing.Short() && cases%5 != 0 {
							continue
						}
						if op.name == "add.f16x2" && step == 0 {
							continue // sums above 2
						}
						atomicRow(t, e, r, name, lanes, space, size, step, workers, op.op, func(o, a, b uint64) uint64 { return op.f(o, a, b, size) })
					}
				}
			}
		}
	}
}

// atomicRow runs one atomic operation in each of two blocks, on separate memory.
func atomicRow(t *testing.T, e sim.Engine, r *rand.Rand, name string, lanes int, space ir.Space, size, step, workers int, op ir.AtomicOp, f func(o, a, b uint64) uint64) {
	const bytes = 4096
	typ := map[int]ir.Type{2: ir.B16, 4: ir.B32, 8: ir.B64}[size]
	b := ir.NewBuilder("atomic rows", lanes)
	b.Vector("first", ir.B64) // so that offset 0 is not used
	base := b.Scalar("base", ir.B64)
	tid, block := b.Vector("tid", ir.B32), b.Vector("block", ir.B32)
	b.Input(ir.ThreadIDX, tid, 0)
	b.Input(ir.BlockIDX, block, 0)
	b.Input(ir.LaunchValue, base, 0)
	c := func(v int) ir.Ref { return b.Const(ir.B32, uint64(uint32(v))) }
	addr, x, y, start, old := b.Vector("addr", ir.B64), b.Vector("x", typ), b.Vector("y", typ), b.Vector("s", typ), b.Vector("old", typ)
	b.At(ir.Pos{Line: 1, Text: "setup", Name: "setup"})
	off := b.T(ir.Add32, b.T(ir.Mul32, tid, c(step*size)), c(bytes/2))
	odd := -1
	if r.IntN(3) == 0 { // one lane breaks the steps
		odd = r.IntN(lanes)
		off = b.T(ir.Sel32, b.T(ir.EqU32, tid, c(odd)), c(8), off)
	}
	if space == ir.Global {
		off = b.T(ir.Add32, off, b.T(ir.Mul32, block, c(bytes)))
	}
	b.To(addr, ir.Pack64, off, c(0))
	if space == ir.Global {
		b.To(addr, ir.Add64, addr, b.Splat(base))
	}
	// The first content of memory, the operand, and CAS's new value, by lane and block.
	at := func(lane, block, k int) uint64 {
		switch {
		case op == ir.AtomOf(ir.AddF16x2):
			return uint64([2]uint32{0x3c003c00, 0}[k*(lane+block)&1])
		case op == ir.AtomAddF32 && space == ir.Shared:
			return uint64((lane*7 + block + k*3) & 63) // subnormal, also after the operation
		case op == ir.AtomAddF32:
			return uint64(math.Float32bits(float32((lane*7 + block + k*3) & 63)))
		}
		v := (uint32(lane*5+block*11+k*3) & 15) * 0x11223344
		return (uint64(v)<<32 | uint64(v)) & (1<<(8*size) - 1)
	}
	for k, d := range []ir.Ref{start, x, y} {
		tbl := b.Scalar(fmt.Sprint("t", k), ir.B64)
		b.Input(ir.LaunchValue, tbl, uint64(1+k))
		idx := b.T(ir.Mul32, b.T(ir.Add32, tid, b.T(ir.Mul32, block, c(lanes))), c(8))
		b.Emit(ir.Inst{Op: ir.Load, Dst: d, Args: [4]ir.Ref{b.T(ir.Add64, b.T(ir.Pack64, idx, c(0)), b.Splat(tbl))}, Size: uint8(size), Space: ir.Global})
	}
	b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{addr, start}, Size: uint8(size), Space: space})
	b.At(ir.Pos{Line: 2, Text: "atom", Name: "atom"})
	in := ir.Inst{Op: ir.Atomic, Dst: old, Args: [4]ir.Ref{addr, x}, Size: uint8(size), Align: uint16(size), Space: space, Imm: ir.AtomicImm(op, 0)}
	if op == ir.AtomCAS {
		in.Args[2] = y
	}
	alias := r.IntN(3) == 0
	if alias {
		in.Dst = x // the old value overwrites the operand
	}
	if r.IntN(4) == 0 && !alias {
		in.Dst = 0
	}
	b.Emit(in)
	b.At(ir.Pos{Line: 3, Text: "exit", Name: "exit"})
	b.Emit(ir.Inst{Op: ir.Exit})
	fn, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	fn.SharedStatic = bytes
	mem := sim.NewMemory()
	out := mem.Add("out", make([]byte, 2*bytes))
	var values []uint64
	values = append(values, out.Base)
	for k := range 3 {
		raw := make([]byte, 0, 16*lanes)
		for bl := range 2 {
			for i := range lanes {
				raw = binary.LittleEndian.AppendUint64(raw, at(i, bl, k))
			}
		}
		values = append(values, mem.Add(fmt.Sprint("t", k), raw).Base)
	}
	word := func(p []byte) uint64 {
		var raw [8]byte
		copy(raw[:], p[:size])
		return binary.LittleEndian.Uint64(raw[:])
	}
	_, _, err = launch(t, e, fn, 2, uint32(lanes), mem, func(l *sim.Launch) {
		l.Values, l.Workers = values, workers
		l.Inspect = func(w *sim.Wave) {
			bl := int(w.Get(block, 0))
			have := w.Shared
			if space == ir.Global {
				have = out.Data[bl*bytes:][:bytes]
			}
			want := map[int]uint64{}
			where := func(i int) int {
				if i == odd {
					return 8
				}
				return bytes/2 + i*step*size
			}
			for i := range lanes {
				want[where(i)] = at(i, bl, 0)
			}
			mask := uint64(1)<<(8*size) - 1
			if size == 8 {
				mask = math.MaxUint64
			}
			for i := range lanes {
				o := want[where(i)]
				want[where(i)] = f(o, at(i, bl, 1), at(i, bl, 2)) & mask
				if g := w.Get(in.Dst, i); in.Dst != 0 && g != o {
					t.Errorf("%s: lane %d of block %d sees %#x, want %#x", name, i, bl, g, o)
					return
				}
			}
			for p, v := range want {
				if g := word(have[p:]); g != v {
					t.Errorf("%s: memory of block %d at %d is %#x, want %#x", name, bl, p, g, v)
					return
				}
			}
		}
	})
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}
