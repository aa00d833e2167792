package jit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/sim"
)

// alike builds a kernel of uniform values, which are computed once, in general registers: in
// a loop, each from random other values and often from itself, with constants among them.
func alike(t *testing.T, r *rand.Rand, lanes int) *ir.Func {
	b := newMaker(t, "alike", lanes)
	values := b.values("out", "a", "b")
	lane, i, p := b.vec("lane"), b.vec("i"), b.Vector("p", ir.B1)
	b.Input(ir.ThreadIDX, lane, 0)
	var words, longs []ir.Ref
	for range 3 {
		w, l := b.vec("w"), b.Vector("l", ir.B64)
		b.To(w, ir.Lo32, values[1+r.IntN(2)])
		b.To(l, ir.Mov64, values[1+r.IntN(2)])
		if r.IntN(3) == 0 {
			b.To(w, ir.Mov32, b.num(uint64(r.Uint32())))
		}
		words, longs = append(words, w), append(longs, l)
	}
	q := b.Vector("q", ir.B1)
	b.To(q, ir.LtU32, words[0], words[1])
	word := func() ir.Ref {
		if r.IntN(6) == 0 {
			return b.num(uint64(r.IntN(70)))
		}
		return words[r.IntN(len(words))]
	}
	long := func() ir.Ref { return longs[r.IntN(len(longs))] }
	again := b.NewLabel()
	b.Bind(again)
	two := []ir.Op{ir.Add32, ir.Sub32, ir.Xor32, ir.And32, ir.Mul32, ir.MinS32, ir.MaxU32, ir.Shl32, ir.ShrU32, ir.ShrS32}
	for range 12 {
		b.ins()
		w, l := words[r.IntN(len(words))], long()
		switch r.IntN(10) {
		case 0:
			b.To(l, ir.Pack64, word(), word())
		case 1:
			b.To(w, []ir.Op{ir.Lo32, ir.Hi32}[r.IntN(2)], long())
		case 2:
			b.To(l, ir.MulWideU32, word(), word())
		case 3:
			b.To(l, []ir.Op{ir.Add64, ir.Sub64, ir.Xor64}[r.IntN(3)], long(), long())
		case 4:
			b.To(q, []ir.Op{ir.LtU32, ir.EqU32, ir.LtS32}[r.IntN(3)], word(), word())
		case 5:
			b.To(w, ir.Sel32, q, word(), word())
		case 6:
			b.Guard(q, r.IntN(2) == 0)
			b.To(w, two[r.IntN(len(two))], word(), word())
			b.Guard(0, false)
		default:
			b.To(w, two[r.IntN(len(two))], word(), word())
		}
	}
	b.next(i, b.num(5), p, again)
	for k, w := range words {
		b.store(b.place(values[0], b.T(ir.Add32, lane, b.num(uint64(64*k))), 4), w, ir.Global)
		l := b.T(ir.Add32, b.T(ir.Lo32, longs[k]), b.T(ir.Mul32, b.num(3), b.T(ir.Hi32, longs[k])))
		b.store(b.place(values[0], b.T(ir.Add32, lane, b.num(uint64(64*(k+3)))), 4), l, ir.Global)
	}
	return b.finish()
}

// TestAlike: an operation that is done once writes its result register directly, unless it
// still reads the old content.
func TestAlike(t *testing.T) {
	t.Parallel()
	for _, tier := range []isa.Tier{isa.AVX2, isa.AVX512} {
		e, err := New(Options{Mode: Mode{Tier: tier, Eager: true}})
		if err != nil {
			continue // not here
		}
		for seed := range uint64(150) {
			lanes := 32 + int(seed%2)*32
			run := func(e sim.Engine) (string, []byte) {
				f := alike(t, rand.New(rand.NewPCG(seed, 3)), lanes)
				mem := sim.NewMemory()
				out := mem.Add("out", make([]byte, 6*64*4))
				l := &sim.Launch{Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{64, 1, 1}, Memory: mem, Values: []uint64{out.Base, seed * 0x9e3779b97f4a7c15, seed + 1<<33}}
				return ended(t, e, f, l), out.Data
			}
			want, data := run(interp.Engine{})
			got, has := run(e)
			if got != want || !bytes.Equal(data, has) {
				t.Fatal(fmt.Sprint(tier, " seed ", seed), "\n", got, "\n", want, "\n", has, "\n", data)
			}
		}
	}
}
