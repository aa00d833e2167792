package poison_test

import (
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/check/poison"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
)

// TestTrackIsSound compares, for every pure operation, the results of two choices of the undefined bits
// of its operands: bits that differ have to be undefined in the result. Lanes i and i+16 hold the two
// choices.
func TestTrackIsSound(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	told := 0 // bits that are defined although an operand is not
	for op := range ir.Op(ir.NumOps) {
		if !op.Pure() {
			continue
		}
		info := &ir.Ops[op]
		b := ir.NewBuilder("t", 32)
		d := b.Vector("d", info.Res)
		var args []ir.Ref
		for i, ty := range info.Args {
			args = append(args, b.Vector(string(rune('p'+i)), ty))
		}
		b.At(ir.Pos{Name: info.Name})
		b.To(d, op, args...)
		f, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		g, _ := poison.Track(f, poison.Options{})
		if err := g.Validate(); err != nil {
			t.Fatalf("%s: %v", info.Name, err)
		}
		prog, err := interp.Engine{}.Compile(g)
		if err != nil {
			t.Fatalf("%s: %v", info.Name, err)
		}
		m := &machine{t: t, f: g, shadow: nil, prog: prog}
		set := func(name string) ir.Ref { return g.ByName(name + " undefined") }
		for range short.Of(6, 2) {
			w := m.run(func(w *sim.Wave) {
				for i, r := range args {
					n := width(f.Val(r))
					for l := range 16 {
						x, u := rng.Uint64(), rng.Uint64()
						if rng.IntN(2) == 0 {
							x >>= 58 // amounts and small numbers
						}
						switch rng.IntN(4) {
						case 0, 1:
							u = 0
						case 2:
							u &= rng.Uint64() & rng.Uint64() & rng.Uint64()
						}
						mask := ^uint64(0) >> (64 - n)
						x, u = x&mask, u&mask
						w.Set(r, l, x)
						w.Set(r, l+16, x^u&rng.Uint64())
						w.Set(set(string(rune('p'+i))), l, u)
						w.Set(set(string(rune('p'+i))), l+16, u)
					}
				}
			})
			for l := range 16 {
				differ := w.Get(d, l) ^ w.Get(d, l+16)
				for _, l := range []int{l, l + 16} {
					u := w.Get(set("d"), l)
					if bad := differ &^ u; bad != 0 {
						t.Errorf("%s: bits %#x differ and count as defined: undefined are %#x", info.Name, bad, u)
					}
					for i := range args {
						if w.Get(set(string(rune('p'+i))), l) != 0 && u != ^uint64(0)>>(64-width(f.Val(d))) {
							told++
							break
						}
					}
				}
			}
		}
	}
	if told < short.Of(1000, 300) {
		t.Errorf("in %d cases only is something defined although an operand is not", told)
	}
}

// Check that the same operation on scalars follows the same rules.
func TestTrackScalars(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for op := range ir.Op(ir.NumOps) {
		if !op.Pure() {
			continue
		}
		info := &ir.Ops[op]
		b := ir.NewBuilder("t", 32)
		d, sd := b.Vector("d", info.Res), b.Scalar("sd", info.Res)
		var args, sargs []ir.Ref
		for i, ty := range info.Args {
			args = append(args, b.Vector(string(rune('p'+i)), ty))
			sargs = append(sargs, b.Scalar("s"+string(rune('p'+i)), ty))
		}
		b.At(ir.Pos{Name: info.Name})
		b.To(d, op, args...)
		b.Emit(ir.Inst{Op: op, Scalar: true, Dst: sd, Args: [4]ir.Ref(append(sargs, 0, 0, 0, 0)[:4])})
		f, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		g, _ := poison.Track(f, poison.Options{})
		prog, err := interp.Engine{}.Compile(g)
		if err != nil {
			t.Fatalf("%s: %v", info.Name, err)
		}
		set := func(r ir.Ref) ir.Ref { return g.ByName(f.Val(r).Name + " undefined") }
		w := (&machine{t: t, f: g, shadow: nil, prog: prog}).run(func(w *sim.Wave) {
			for i, r := range args {
				x, u := rng.Uint64(), rng.Uint64()&rng.Uint64()&rng.Uint64()
				w.Set(r, 0, x)
				w.Set(sargs[i], 0, x)
				w.Set(set(r), 0, u)
				w.Set(set(sargs[i]), 0, u)
			}
		})
		if got, want := w.Get(set(sd), 0), w.Get(set(d), 0); got != want {
			t.Errorf("%s: undefined bits %#x of the scalar, %#x of the lane", info.Name, got, want)
		}
	}
}
